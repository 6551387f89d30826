"""Streams the elements of an XML file that may be large, old and hostile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from trix.errors import FormatError
from trix.support.given import open_given

SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False}
"""Options of lxml's parsers: nothing is fetched, and no entity grows."""
ELEMENTS_ALONE: dict[str, Any] = {"remove_comments": True, "remove_pis": True}


@lru_cache(maxsize=1024)
def local(name: str) -> str:
    """Return a tag or attribute name as it is compared: without namespace, lower case, ``_`` as ``-``.

    >>> local("{urn:x}Topic_ID")
    'topic-id'
    """
    return name.rpartition("}")[2].lower().replace("_", "-")


def attributes(element: Any) -> dict[str, str]:
    """Return the attributes under their compared names, blanks around the values removed."""
    return {local(name): value.strip() for name, value in element.attrib.items()}


def text_of(element: Any) -> str:
    """Return all character data inside, blanks around it removed."""
    return "".join(element.itertext()).strip()


def root_name(head: bytes) -> str:
    """Return the name of the root element of the first bytes of an XML file; empty if none is found.

    >>> root_name(b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY lt 'x'>]><!-- <b> --><inex-submission run-id='x'>")
    'inex-submission'
    """
    from lxml import etree

    parser = etree.XMLPullParser(events=("start",), recover=True, **SAFE)
    try:
        parser.feed(head)
        for _, element in cast("list[tuple[str, Any]]", list(parser.read_events())):
            return local(str(element.tag))
    except etree.XMLSyntaxError:
        pass
    return ""


def stream(path: str | Path, events: Sequence[str] = ("end",)) -> Iterator[tuple[str, str, Any]]:
    """Yield (event, compared tag name, element); the caller clears what it has used.

    Raises
    ------
    FormatError
        The file is not well-formed XML; names the line.
    """
    from lxml import etree

    with open_given(path) as file:
        try:
            for event, element in etree.iterparse(file, events=tuple(events), **SAFE, **ELEMENTS_ALONE):
                yield event, local(str(element.tag)), element
        except etree.XMLSyntaxError as error:
            reason = re.sub(r"\s*, line \d+, column \d+.*", "", error.msg or "", flags=re.DOTALL)
            raise FormatError(f"not well-formed XML: {reason or 'no element'}", path, error.lineno or None) from None


def release(element: Any) -> None:
    """Free an element that has been used, and its finished neighbours."""
    element.clear()
    above = element.getparent()
    if above is not None:
        while element.getprevious() is not None:
            del above[0]
