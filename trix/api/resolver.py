"""Tells the evaluator where the elements of an index stand: places, lengths, words, the members of a level.

Assessments and runs name parts of documents by paths, by XPointers, or by offsets, and assessments count text in ways
of their own [INEX 4.4]:

============== ========================================================================================
counting       positions of a document
============== ========================================================================================
``trix``       characters of the document's text after the profile, as in all that Trix prints
``inex``       characters of all text in the source, white space as it is, each entity reference one
``inex-bytes`` the same in bytes of UTF-8
============== ========================================================================================

Places of indexed elements under ``trix`` come from the element table; all others are counted in the sources.
"""

from __future__ import annotations

import os
import tempfile
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.indexer.commit.index_names import is_there, several
from trix.indexer.document.kinds import ElementKinds
from trix.indexer.document.layout import Counting, Span, TextLayout, carry, lay_out
from trix.indexer.document.record import document_text, without_attribute
from trix.indexer.read.damage import or_damaged
from trix.indexer.read.locate import locate_stretch
from trix.indexer.read.texts import SourceTexts
from trix.indexer.store.files import IndexFiles
from trix.indexer.words.analyzer import BOUNDARY
from trix.query.naming.names import Finder, Namer
from trix.query.structured.levels import Levels
from trix.support.element_path import tag
from trix.support.lru_cache import LruFunction
from trix.support.urls import is_url

if TYPE_CHECKING:
    from trix.api.index import Index

COUNTINGS = ("trix", "inex", "inex-bytes")

_KEPT = 4096
"""Number of documents with cached positions; runs return to the same documents in any order."""

Places = NDArray[np.int64]


class Resolver:
    """Knows the documents of an index, or of a collection that is indexed for it.

    Parameters
    ----------
    source
        An open index, or the folder or URL of one; or a collection as `trix.build` takes it, which is then indexed
        with its defaults, for this object alone.
    text
        How text is counted: ``trix``, ``inex`` or ``inex-bytes``.

    Attributes
    ----------
    elements : int
        Indexed elements, the N of inex2002 and PRUM.
    notices : list of str
        What a user should know, one line each.

    Raises
    ------
    TrixError
        There is no such index or collection, it is damaged, or the counting is not known.
    """

    def __init__(self, source: Index | str | PathLike[str], text: str = "trix") -> None:
        if text not in COUNTINGS:
            raise UsageError(f"expected one of {', '.join(COUNTINGS)}", field="text", got=text)
        self.notices: list[str] = []
        self.files = self._files(source) if isinstance(source, str | PathLike) else source.files
        self.elements: int = self.files.totals["elements"]
        self._text = text
        self._texts, self._namer, self._finder = SourceTexts(self.files), Namer(self.files), Finder(self.files)
        self._lengths: dict[int, int] = {}
        self._mean_length: float | None = None
        self._names: dict[str, int] = {}
        self._layout: LruFunction[int, TextLayout] = LruFunction(lambda number: self._lay_out(number, text), _KEPT)
        self._own_layout = self._layout if text == "trix" else LruFunction(lambda n: self._lay_out(n, "trix"), _KEPT)
        self._words = LruFunction(self._find_words, _KEPT)
        self._kinds = ElementKinds(self.files.profile)

    def _files(self, source: str | PathLike[str]) -> IndexFiles:
        text = os.fspath(source)
        names = several(text)
        if len(names) > 1 or is_there(text) or not (is_url(text) or os.path.exists(text) or text.startswith("@")):
            return IndexFiles(text)
        from trix.indexer.build import build

        with tempfile.TemporaryDirectory(prefix="trix-", ignore_cleanup_errors=True) as folder:
            summary = build(source, Path(folder) / "index")
            self.notices += [
                f"{source}: no index, so it was indexed for this command ({summary.documents} documents, "
                f"profile {summary.profile})",
                *summary.notices,
            ]
            self.notices += [f"{skipped.path}: {skipped.reason}, left out" for skipped in summary.skipped]
            return IndexFiles(Path(folder) / "index")  # all of its files are mapped by now

    # -- what the evaluator asks ------------------------------------------------------------------------------------

    @or_damaged
    def span(self, doc: str, path: str) -> Span | None:
        """Return the positions of the element `path` of the document `doc`, half open; None if unknown.

        A path may also be an XPointer, which names a place between characters.
        """
        number = self.files.document(doc)
        if number < 0:
            return None
        if not path:
            return 0, self._length(number)
        # A run of a container, which is no text node of XPath: it holds inline elements.
        is_run = path.endswith("]") and tag(path) == "text()"
        indexed = self._indexed(number, path) if self._text == "trix" or is_run else None
        if indexed is not None and self._text != "trix":
            return carry(indexed, self._own_layout(number), self._layout(number))
        return indexed or self._layout(number).span(path)

    @or_damaged
    def length(self, doc: str) -> int | None:
        """Return the number of positions of document `doc`; None if it is unknown."""
        number = self.files.document(doc)
        return None if number < 0 else self._length(number)

    @or_damaged
    def mean_length(self) -> float:
        """Return the mean positions of a document of the collection; NaN if it has none.

        Under other countings than ``trix`` every source is read for it, once.
        """
        if self._mean_length is None:
            lengths = [self._length(number) for number in range(len(self.files))]
            self._mean_length = float(np.mean(lengths)) if lengths else float("nan")
        return self._mean_length

    @or_damaged
    def words(self, doc: str, path: str) -> int | None:
        """Return the number of words, with stop words, of the element `path` of document `doc`; None if unknown."""
        span = self.word_span(doc, path)
        return None if span is None else span[1] - span[0]

    @or_damaged
    def word_span(self, doc: str, path: str) -> tuple[int, int] | None:
        """Return the words of the element `path` of `doc` as ordinals in the document, half open; None if unknown.

        A word belongs to every element that holds any of its characters.
        """
        number = self.files.document(doc)
        if number < 0:
            return None
        begins, ends = self._words(number)
        span = self._indexed(number, path) if path else (0, self.files.document_length(number))
        span = span or self._own_layout(number).span(path)
        if span is None:
            return None
        first = int(np.searchsorted(ends, span[0], side="right"))
        return first, max(first, int(np.searchsorted(begins, span[1], side="left")))

    @or_damaged
    def element_at(self, doc: str, start: int, end: int) -> str | None:
        """Return the path of the smallest element that holds the positions `start` to `end` of `doc`, if any does.

        Of elements with the same text an indexed one is preferred, the innermost of them.
        """
        number = self.files.document(doc)
        enclosing = [] if number < 0 else self._layout(number).holding(start, end)
        if not enclosing:
            return None
        alike = [path for span, path in reversed(enclosing) if span == enclosing[-1][0]]
        return next((path for path in alike if self._indexed(number, path) is not None), alike[0])

    @or_damaged
    def pointer(self, doc: str, at: int, *, end: bool = False) -> str | None:
        """Return the XPointer of the position `at` of `doc`, or of the `end` of a passage; None if unknown."""
        number = self.files.document(doc)
        return None if number < 0 else self._layout(number).pointer(at, end=end)

    @or_damaged
    def places(self, doc: str) -> list[tuple[str, Span]]:
        """Return all elements of the source of `doc`, in order, with their positions; none if it is unknown."""
        number = self.files.document(doc)
        return [] if number < 0 else self._layout(number).places()

    @or_damaged
    def members(self, level: str) -> dict[str, list[str]]:
        """Return the members of the granularity level `level`: document id -> paths in document order.

        The members of the level ``document`` have empty paths, as their results in runs have. Of members inside each
        other the outermost count.

        Raises
        ------
        UsageError
            There is no such level.
        """
        found = Levels(self.files).apart(level)
        self.notices += found.notices()
        documents = self.files.documents_of(found.members)
        paths = self._namer.names(found.members, documents)[1]
        ids = {number: self.files.ids[number] for number in np.unique(documents).tolist()}
        members: dict[str, list[str]] = {doc: [] for doc in ids.values()}
        whole = found.definition.kind == "document"
        for number, path in zip(documents.tolist(), paths, strict=True):
            members[ids[number]].append("" if whole else path)
        return members

    # -- one document -----------------------------------------------------------------------------------------------

    def _length(self, number: int) -> int:
        if self._text == "trix":
            return self.files.document_length(number)
        if number not in self._lengths:
            self._lengths[number] = self._layout(number).length
        return self._lengths[number]

    def _indexed(self, number: int, path: str) -> Span | None:
        """Return the place of an indexed element of a document, in characters of its text; None if it is none."""
        element = self._finder.element(number, path)
        if element < 0:
            return None
        start = int(self.files.elements.start[element])
        return start, start + int(self.files.elements.length[element])

    def _lay_out(self, number: int, text: str) -> TextLayout:
        tree = self._texts.tree(number, verbatim=True, expand=text == "trix")
        if text == "trix":
            return lay_out(tree, Counting(kinds=self._kinds), self._names)
        return lay_out(tree, Counting(len if text == "inex" else _bytes, entity=1), self._names)

    def _find_words(self, number: int) -> tuple[Places, Places]:
        """Return the ranges of characters of each word of a document's text."""
        places: list[Span] = []
        at = 0
        for stretch in self._texts.document(number).annotated.split(BOUNDARY):
            plain = without_attribute(stretch)
            places += [(at + begin, at + end) for _, begin, end in locate_stretch(plain, self.files.analyzer.join)]
            at += len(document_text(plain))
        both = np.array(places, np.int64).reshape(-1, 2)
        return both[:, 0], both[:, 1]


def _bytes(text: str) -> int:
    return len(text.encode())
