"""Size limits of documents, checked before a tree is built.

A tree takes some 250 bytes per element, attribute and comment, and 70 kB of gzip can contain six million of them.
Markup is therefore counted in a pass of libxml2 that stores nothing and stops at the limit. Most files are too short to
reach the limit and are not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from lxml import etree

from trix.errors import SourceError, UsageError
from trix.indexer.document.parse import new_parser
from trix.support.setting_types import Whole
from trix.support.streams import MAX_BYTES, too_large

_SHORTEST = 4
"""Least number of bytes of an element, an attribute or a comment: ``<a/>``."""

_EXPANSION, _EXPANDED = 10, 1_000_000
"""Bounds of entity expansion in libxml2: factor of the file size, plus bytes."""


class DocumentLimits(NamedTuple):
    """Size limits of a document.

    The defaults fit into 2 GB per reading process.

    Attributes
    ----------
    elements
        Number of elements, attributes, comments and processing instructions per file.
    size
        Decompressed bytes per file.
    """

    elements: int = 2_000_000
    size: int = 100_000_000

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> DocumentLimits:
        """Take the limits from the settings of an index."""
        return cls(settings["max_elements"], settings["max_bytes"])

    @classmethod
    def of_options(cls, elements: int | None, size: int | None) -> DocumentLimits:
        """Take the limits from options, with defaults for None.

        Raises
        ------
        UsageError
            A limit is not a whole number, or too large.
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
        """Return the limits as settings of an index."""
        return {"max_elements": self.elements, "max_bytes": self.size}

    def check(self, data: bytes, path: str) -> None:
        """Raise if a file has too much markup; faults in the markup are left to the parser.

        Parameters
        ----------
        data
            Decompressed file.
        path
            Name for messages.

        Raises
        ------
        SourceError
            The file exceeds a limit.

        Examples
        --------
        >>> DocumentLimits(elements=3).check(b"<a><b c='d'/><e/></a>", "a.xml")
        Traceback (most recent call last):
        trix.errors.SourceError: a.xml: holds more than 3 elements, attributes and comments (`max_elements`)
        """
        if len(data) > self.size:
            raise too_large(self.size, path)
        # The cheap bound suffices for most files.
        if _most_markup(data) <= self.elements:
            return
        counter = _Counter(self.elements)
        # Recovering, since `parse` accepts some faults, such as undeclared entities.
        parser = new_parser("internal", True, recover=True, target=counter)
        with suppress(_TooMany, etree.XMLSyntaxError):
            etree.fromstring(data, parser)
        if counter.left < 0:
            what = "elements, attributes and comments"
            raise SourceError(f"holds more than {self.elements:,} {what} (`max_elements`)", path)


DEFAULTS = DocumentLimits()


def _most_markup(data: bytes) -> int:
    """Return an upper bound of the elements, attributes and comments in a file."""
    plain = data[:2].isascii() and b"\0" not in data[:4] and data[:2] != b"Lo"  # "<?" is b"Lo" in EBCDIC
    expands = b"<!ENTITY" in data if plain or data.startswith(b"\xef\xbb\xbf") else True
    return (len(data) * _EXPANSION + _EXPANDED if expands else len(data)) // _SHORTEST


class _TooMany(Exception):
    """The count reached the limit."""


class _Counter:
    """Parser target that counts down markup and stores nothing."""

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
