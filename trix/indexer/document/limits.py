"""Limits on the size of a document, and the count that refuses a large one before any tree is made.

A tree takes some 250 bytes for each element, attribute and comment, and 70 kB of gzip can hold six million of them. So
markup is counted in a pass of libxml2 that keeps nothing and ends at the limit. Most files are too short to hold that
much markup, and are not counted at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from lxml import etree

from trix.errors import SourceError, UsageError
from trix.indexer.document.parse import new_parser
from trix.support.kinds import Whole
from trix.support.streams import MAX_BYTES, too_large

_SHORTEST = 4
"""Bytes that an element, an attribute or a comment takes at least: ``<a/>``."""

_EXPANSION, _EXPANDED = 10, 1_000_000
"""How many times the bytes of a file, and how many bytes more, the text of its entities can become in libxml2."""


class Limits(NamedTuple):
    """How large a document may be.

    The defaults fit into 2 GB for each process that reads.

    Attributes
    ----------
    elements
        Elements, attributes, comments and processing instructions of a file.
    size
        Bytes of a file, decompressed.
    """

    elements: int = 2_000_000
    size: int = 100_000_000

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Limits:
        """Return the limits that the settings of an index name."""
        return cls(settings["max_elements"], settings["max_bytes"])

    @classmethod
    def asked(cls, elements: int | None, size: int | None) -> Limits:
        """Return limits, with defaults for those that are None.

        Raises
        ------
        UsageError
            One is no whole number, or too large.
        """
        found = cls(
            DEFAULTS.elements if elements is None else elements,
            DEFAULTS.size if size is None else size,
        )
        for name, value in found.settings().items():
            try:
                Whole().take(value)
            except ValueError as error:
                raise UsageError(str(error), field=name, got=value) from None
        if found.size > MAX_BYTES:
            raise UsageError(f"expected at most {MAX_BYTES}", field="max_bytes", got=found.size)
        return found

    def settings(self) -> dict[str, int]:
        """Return the settings of an index that name them."""
        return {"max_elements": self.elements, "max_bytes": self.size}

    def check(self, data: bytes, path: str) -> None:
        """Refuse a file that holds too much markup; one that is not well-formed is left to the parser.

        Parameters
        ----------
        data
            The file, decompressed.
        path
            Its name for messages.

        Raises
        ------
        SourceError
            It does.

        Examples
        --------
        >>> Limits(elements=3).check(b"<a><b c='d'/><e/></a>", "a.xml")
        Traceback (most recent call last):
        trix.errors.SourceError: a.xml: holds more than 3 elements, attributes and comments (`max_elements`)
        """
        if len(data) > self.size:
            raise too_large(self.size, path)
        if _most_markup(data) <= self.elements:
            return
        counter = _Counter(self.elements)
        # Goes on behind faults, of which `parse` forgives some, such as entities that are not declared.
        parser = new_parser("internal", True, recover=True, target=counter)
        with suppress(_TooMany, etree.XMLSyntaxError):
            etree.fromstring(data, parser)
        if counter.left < 0:
            what = "elements, attributes and comments"
            raise SourceError(f"holds more than {self.elements:,} {what} (`max_elements`)", path)


DEFAULTS = Limits()


def _most_markup(data: bytes) -> int:
    """Return a number that the elements, attributes and comments of a file do not exceed."""
    plain = data[:2].isascii() and b"\0" not in data[:4] and data[:2] != b"Lo"  # ASCII in its markup; EBCDIC's "<?"
    expands = b"<!ENTITY" in data if plain or data.startswith(b"\xef\xbb\xbf") else True
    return (len(data) * _EXPANSION + _EXPANDED if expands else len(data)) // _SHORTEST


class _TooMany(Exception):
    """Ends a count."""


class _Counter:
    """Takes what a parser finds, and counts down to nothing."""

    def __init__(self, most: int) -> None:
        self.left = most

    def _count(self, found: int) -> None:
        self.left -= found
        if self.left < 0:
            raise _TooMany

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._count(1 + len(attributes))

    def comment(self, text: str) -> None:
        self._count(1)

    def pi(self, target: str, data: str | None = None) -> None:
        self._count(1)

    def close(self) -> None:
        pass
