"""Source texts of an index, from the source files or from the copies of ``--store``.

A source is read again and walked under the same profile. Its checksum must be that of the indexed file, since offsets
are meaningless in another text. Sources that moved together with the index are found.
"""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice, pairwise
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.errors import SourceError
from trix.indexer.collection.source import Source, SourceLocator
from trix.indexer.document.mend import readable
from trix.indexer.document.parse import documents, parse
from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import document_text, mark_places, text_places
from trix.indexer.document.text_nodes import gap_places
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.read.compressed_text import CompressedText, titles_of
from trix.indexer.read.element_text import ElementText
from trix.indexer.read.headings import TOO_LONG, Headings
from trix.indexer.read.shown import ShownText, show
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.segment import SourceRow
from trix.indexer.words.analyzer import BOUNDARY
from trix.indexer.words.sentences import sentence_ends
from trix.support.deadline import check
from trix.support.lru_cache import LruFunction

_KEPT = 16
"""Documents cached in memory; fewer if they are larger than `_LARGE`."""

_LARGE = 1 << 20
"""Characters of a large document; its tree takes about fifteen times as many bytes."""

_CONDENSED = 64 << 20
"""Bytes of the cache of compressed documents."""

_WORTH = 8
"""Number of requests after which a document without a cached tree is compressed.

Opening a document counts as half of them. Compressing takes about as long as this number of answers from the tree.
"""

_SHORT = 1 << 18
"""Largest number of characters of a document that is compressed at its first request.

Compressing then takes twice as long as one answer from the tree. It starts after the first `_KEPT` documents, whose
trees stay cached. If most elements can have titles, no document is compressed at its first request.
"""

_COUNTED = 1 << 16
"""Documents with a counter of requests."""

_reading = Lock()
"""Held while a document is read: the documents of an index share a reader with state."""


@dataclass(frozen=True)
class SourceDocument:
    """Document, or a part of one, as it was indexed; its text is read at first use.

    Parameters
    ----------
    root
        Root element (lxml).
    reader
        Reader for the profile.
    size
        Characters of its text, if known.
    """

    root: Any
    reader: DocumentReader
    size: int = 0

    @cached_property
    def annotated(self) -> str:
        """The annotated text."""
        with _reading:
            return self.reader.read_document(self.root).annotated

    @cached_property
    def text(self) -> str:
        """The text."""
        return document_text(self.annotated)

    @property
    def is_read(self) -> bool:
        """Whether the text is in memory."""
        return "annotated" in self.__dict__

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        return text_places(self.annotated)

    def extents(self, elements: list[Any]) -> list[tuple[int, int]]:
        """Return where elements of the document begin and end in its text."""
        with _reading:
            self.reader.read_document(self.root)
            begins, ends = self.reader.extents(self.root, elements)
        return list(zip(begins.tolist(), ends.tolist(), strict=True))

    @cached_property
    def _contents(self) -> NDArray[np.int64]:
        return mark_places(self.annotated, BOUNDARY)

    @property
    def contents(self) -> int:
        """Number of content elements."""
        return int(self._contents.size)

    @cached_property
    def gaps(self) -> NDArray[np.int64]:
        """Offsets in the text before which something is missing."""
        return np.array(gap_places(self.root, self.reader.profile), np.int64)

    def stretch(self, content: int) -> tuple[str, int]:
        """Return the annotated text of a content element, by number in the document, and its offset in the text."""
        begin = int(self._contents[content]) + 1
        last = content + 1 == self._contents.size
        end = len(self.annotated) if last else int(self._contents[content + 1])
        return self.annotated[begin:end], int(np.searchsorted(self._places, begin))

    def blocks(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Split a range of the text where content elements begin."""
        starts = np.searchsorted(self._places, self._contents)
        low, high = np.searchsorted(starts, (begin, end))
        return list(pairwise(sorted({begin, *starts[low:high].tolist(), end})))

    def sentences(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Split a range of the text where sentences or content elements begin."""
        places = self._places[begin:end]
        stretch = self.annotated[places[0] : places[-1] + 1] if places.size else ""
        ends = np.array(sentence_ends(stretch, 0, self.reader.profile.join_characters), np.int64)
        starts = begin + np.searchsorted(places, ends + (places[0] if places.size else 0))
        return list(pairwise(sorted({begin, *starts.tolist(), *(low for low, _ in self.blocks(begin, end)), end})))

    def shown(self, begin: int = 0, end: int | None = None) -> ShownText:
        """Return the shown form of a range of the text."""
        stretch = self.annotated
        gaps: NDArray[np.int64] = self.gaps - begin if self.gaps.size else self.gaps
        if begin or end is not None:
            places = self._places[begin:end]
            stretch = stretch[places[0] : places[-1] + 1] if places.size else ""
        return show(stretch, self.reader.profile.join_characters, gaps)


class SourcePart(NamedTuple):
    """Source text of one element: its whole document, or the element alone.

    Attributes
    ----------
    document
        The text, of the document or of the element.
    begin
        Offset of the element in its text.
    first
        Number of its first content element.
    """

    document: SourceDocument
    begin: int
    first: int


class SourceTexts:
    """Documents of an index, by number.

    Parameters
    ----------
    index
        Opened index.

    Attributes
    ----------
    document : LruFunction[int, SourceDocument]
        Cache of documents by number from 0. Raises `SourceError` if the source was moved, changed, or cannot be read.
    headings : Headings
        Titles of sections.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = index
        self._reader, self._moved = MarkupReader(index.profile), SourceLocator(*index.paths)
        self._opened = 0
        self.document: LruFunction[int, SourceDocument] = LruFunction(
            self._read, _KEPT * _LARGE, lambda one: max(one.size, _LARGE)
        )
        self._requests: dict[int, int] = {}
        self._condensed = LruFunction(self._condense, _CONDENSED, lambda one: one.memory)
        self.headings = Headings(index.profile, partial(ElementText(index.profile), enough=TOO_LONG))

    @property
    def reader(self) -> DocumentReader:
        """Reader of documents."""
        return self._reader

    def condensed(self, number: int) -> CompressedText | None:
        """Return the compressed form of a document, or None if it is requested too rarely.

        Raises
        ------
        SourceError
            As for `document`.
        """
        check()
        known = self._condensed.known(number)
        if known is not None or self.document.known(number) is not None:
            return known  # a cached tree serves as well
        worth = self._count(number, 1) >= _WORTH
        return self._condensed(number) if worth or self._is_quick(number) else None

    def _is_quick(self, number: int) -> bool:
        """Whether to compress a document at its first request; see `_SHORT`."""
        return (
            self._opened >= _KEPT and self.index.document_length(number) <= _SHORT and not self.headings.are_everywhere
        )

    def _count(self, number: int, times: int) -> int:
        """Count requests for a document; return the total."""
        total = self._requests[number] = self._requests.pop(number, 0) + times
        # Evict the oldest counter; re-insertion keeps recent ones at the end.
        if len(self._requests) > _COUNTED:
            with suppress(StopIteration, KeyError, RuntimeError):  # another thread may evict it too
                del self._requests[next(iter(self._requests))]
        return total

    def _condense(self, number: int) -> CompressedText:
        document = self.document(number)
        return CompressedText(
            document.annotated, self.index.profile.join_characters, document.gaps,
            titles_of(document.root, self.headings),
        )  # fmt: skip

    def _read(self, number: int) -> SourceDocument:
        self._opened += 1
        self._count(number, _WORTH // 2)
        return SourceDocument(self.tree(number), self._reader, self.index.document_length(number))

    def tree(self, number: int, *, verbatim: bool = False, expand: bool = True) -> Any:
        """Parse a document again and return its root element (lxml); for the options see `parse`.

        Raises
        ------
        SourceError
            As for `document`.
        """
        check()  # check the deadline before parsing, which may be slow
        source, ordinal = self.index.document_source(number)
        data = readable(self.data(source), recover=self.index.recovers(source.segment))
        root = parse(data, source.path, verbatim=verbatim, expand=expand)
        element = next(islice(documents(root, self.index.profile), ordinal, None), None)
        if element is None:
            raise SourceError(f"has no document {ordinal + 1} any more; run trix update", source.path)
        return element

    def data(self, source: SourceRow) -> bytes:
        """Return the bytes of a source.

        Raises
        ------
        SourceError
            As for `document`.
        """
        copy = source.segment.copy(source.number)
        if copy is not None:
            return copy
        was = Source(
            source.path, source.location, source.member or None, source.size, 0, 0, 0,
            None if source.offset < 0 else source.offset,
        )  # fmt: skip
        fault: str | None = None
        # A moved source counts only if size and checksum agree.
        for location in self._moved.places(was.location):
            try:
                data = replace(was, location=location).read()
            except SourceError as error:
                fault = fault or f"has moved or cannot be read ({error.reason})"
                continue
            if (len(data), zlib.crc32(data)) == (source.size, source.crc):
                return data
            fault = fault or "has changed since it was indexed"
        raise SourceError(
            f"the source {fault}, and is not beside the index either; run trix update, or build the index with "
            "`store` to keep copies",
            was.where,
        )
