"""Streaming reader of XML files that may be large, old or hostile."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from trix.errors import FormatError
from trix.support.input_files import open_input

SAFE: dict[str, Any] = {"resolve_entities": False, "no_network": True, "load_dtd": False}
"""Options of lxml's parsers: no network access and no entity expansion."""
ELEMENTS_ALONE: dict[str, Any] = {"remove_comments": True, "remove_pis": True}


@lru_cache(maxsize=1024)
def normal_tag(name: str) -> str:
    """Return a tag or attribute name in its normal form: without namespace, lower case, ``_`` as ``-``.

    >>> normal_tag("{urn:x}Topic_ID")
    'topic-id'
    """
    return name.rpartition("}")[2].lower().replace("_", "-")


def attributes(element: Any) -> dict[str, str]:
    """Return the attributes by normalised name, with the values stripped."""
    return {normal_tag(name): value.strip() for name, value in element.attrib.items()}


def text_of(element: Any) -> str:
    """Return all character data of an element, stripped."""
    return "".join(element.itertext()).strip()


def root_name(head: bytes) -> str:
    """Return the normalised name of the root element from the first bytes of an XML file; empty if there is none.

    >>> root_name(b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY lt 'x'>]><!-- <b> --><inex-submission run-id='x'>")
    'inex-submission'
    """
    from lxml import etree

    parser = etree.XMLPullParser(events=("start",), recover=True, **SAFE)
    try:
        parser.feed(head)
        for _, element in cast("list[tuple[str, Any]]", list(parser.read_events())):
            return normal_tag(str(element.tag))
    except etree.XMLSyntaxError:
        pass
    return ""


def stream(path: str | Path, events: Sequence[str] = ("end",)) -> Iterator[tuple[str, str, Any]]:
    """Yield (event, normalised tag name, element); the caller releases used elements.

    Raises
    ------
    FormatError
        The file is not well-formed XML. The message names the line.
    """
    from lxml import etree

    with open_input(path) as file:
        try:
            for event, element in etree.iterparse(file, events=tuple(events), **SAFE, **ELEMENTS_ALONE):
                yield event, normal_tag(str(element.tag)), element
        except etree.XMLSyntaxError as error:
            reason = re.sub(r"\s*, line \d+, column \d+.*", "", error.msg or "", flags=re.DOTALL)
            raise FormatError(f"not well-formed XML: {reason or 'no element'}", path, error.lineno or None) from None


def release(element: Any) -> None:
    """Free a processed element and its preceding siblings."""
    element.clear()
    above = element.getparent()
    if above is not None:
        while element.getprevious() is not None:
            del above[0]
