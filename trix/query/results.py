"""What a search gives back: a sequence of results, made one by one as they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from trix.query.feedback import Expansion
    from trix.query.view import View


class Result:
    """One ranked element.

    Attributes
    ----------
    rank : int
        From 1.
    score : float
    doc : str
        Document id.
    label : str
        Dewey label.
    path : str
        XPath in the source document.
    tag : str
    offset, length : int
        Characters in the document's text.
    element, document : int
        Numbers in the index, from 0.
    """

    __slots__ = (
        "_results", "doc", "document", "element", "label", "length", "offset", "path", "rank", "score", "tag",
    )  # fmt: skip

    def __init__(
        self,
        results: Results,
        rank: int,
        score: float,
        doc: str,
        label: str,
        path: str,
        tag: str,
        offset: int,
        length: int,
        element: int,
        document: int,
    ) -> None:
        self._results = results
        self.rank, self.score, self.doc, self.label, self.path, self.tag = rank, score, doc, label, path, tag
        self.offset, self.length, self.element, self.document = offset, length, element, document

    @property
    def text(self) -> str:
        """The element's text, read from the source."""
        view = self._results.view
        return view.text(self) if view else ""

    @property
    def snippet(self) -> str:
        """A line of the element's text around the query's words."""
        view = self._results.view
        return view.snippet(self) if view else ""

    @property
    def matches(self) -> list[tuple[int, int]]:
        """The words that matched: ascending ranges of characters of the element's text, [begin, end)."""
        view = self._results.view
        return view.matches(self) if view else []

    @property
    def snippet_matches(self) -> list[tuple[int, int]]:
        """The words of the snippet that matched, as ranges of its characters."""
        view = self._results.view
        return view.snippet_matches(self) if view else []

    def to_dict(self, snippet: bool = True, matches: bool = False) -> dict[str, Any]:
        """Return the fields of the JSON form."""
        names = ("rank", "score", "doc", "label", "path", "tag", "offset", "length")
        fields: dict[str, Any] = {name: getattr(self, name) for name in names}
        if snippet:
            fields["snippet"] = self.snippet
        if matches:
            fields["matches"] = [list(each) for each in self.matches]
        return fields

    def __repr__(self) -> str:
        return f"<Result {self.rank} {self.score:.4f} {self.doc}{self.path}>"


class Results(Sequence[Result]):
    """The ranked elements of one query.

    Attributes
    ----------
    query : str
        As it was understood, in canonical form.
    notices : tuple of str
        What a user should know, one line each.
    matched : int
        Elements that match.
    seconds : float
        Time the search took.
    asked : bool
        Whether anything was left of the query to be asked.
    expansion : Expansion or None
        What feedback added, see `trix.query.feedback`.
    elements : (k,) ndarray of int32
        Element numbers in order of rank.
    scores : (k,) ndarray of float64
    labels, paths, docs, tags : list of str
    offsets, lengths : list of int
    """

    def __init__(
        self,
        *,
        query: str = "",
        notices: Sequence[str] = (),
        matched: int = 0,
        elements: NDArray[np.int32] | None = None,
        scores: NDArray[np.float64] | None = None,
        columns: tuple[list[int], list[str], list[str], list[str], list[str], list[int], list[int]] | None = None,
        view: View | None = None,
    ) -> None:
        self.query, self.notices, self.matched, self.seconds = query, tuple(notices), matched, 0.0
        self.asked = True
        self.expansion: Expansion | None = None
        self.elements = np.zeros(0, np.int32) if elements is None else elements
        self.scores = np.zeros(0) if scores is None else scores
        documents, docs, labels, paths, tags, offsets, lengths = columns or ([], [], [], [], [], [], [])
        self.documents: list[int] = documents
        self.docs: list[str] = docs
        self.labels: list[str] = labels
        self.paths: list[str] = paths
        self.tags: list[str] = tags
        self.offsets: list[int] = offsets
        self.lengths: list[int] = lengths
        self.view = view

    def __len__(self) -> int:
        return int(self.elements.size)

    def _at(self, place: int) -> Result:
        return Result(
            self, place + 1, float(self.scores[place]), self.docs[place], self.labels[place], self.paths[place],
            self.tags[place], self.offsets[place], self.lengths[place], int(self.elements[place]),
            self.documents[place],
        )  # fmt: skip

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        if isinstance(index, slice):
            return [self._at(place) for place in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} results")
        return self._at(index % len(self))

    def __iter__(self) -> Iterator[Result]:
        return map(
            Result, repeat(self), range(1, len(self) + 1), self.scores.tolist(), self.docs, self.labels, self.paths,
            self.tags, self.offsets, self.lengths, self.elements.tolist(), self.documents,
        )  # fmt: skip

    def to_frame(self, qid: str = "1") -> Any:
        """Return a pandas frame: qid, docno (id and path), score, rank, doc, path, label, tag, offset, length."""
        from trix.extras import pandas

        return pandas().DataFrame(
            {
                "qid": qid,
                "docno": [doc + path for doc, path in zip(self.docs, self.paths, strict=True)],
                "score": self.scores,
                "rank": np.arange(1, len(self) + 1),
                "doc": self.docs,
                "path": self.paths,
                "label": self.labels,
                "tag": self.tags,
                "offset": np.array(self.offsets, np.int64),
                "length": np.array(self.lengths, np.int64),
            }
        )

    def _repr_html_(self) -> str:
        """Return the first results as a table for notebooks."""
        from trix.query.results_html import safe_html

        return safe_html(self)

    def __repr__(self) -> str:
        return f"<Results {len(self)} of {self.matched} for {self.query!r}>"
