"""Results of a search: a lazy sequence of ranked elements.

A ranking can be long, so only element numbers and scores are kept. Names are computed for blocks of results, and
texts for the documents of a block, see `display.read_ahead`. Both are discarded with the next block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from trix.indexer.fields.facets import Facet
from trix.query.display.result import Copy, ResultView
from trix.query.display.result import Result as Result
from trix.query.naming.names import FEW, Addresses, ElementNames
from trix.query.ranking.falling import falling
from trix.query.readable import of_others

if TYPE_CHECKING:
    from trix.query.display.read_ahead import ReadAhead
    from trix.query.feedback import Expansion
    from trix.query.plan import Plan
    from trix.query.relevance_model import ModelExpansion

FIRST_BLOCK, LARGEST_BLOCK = 1 << 11, 1 << 16
"""Number of results named together: few at first, since most lists are not read to the end."""


_OF_ALL = ("_names", "_addresses", "_ahead")
"""Cached attributes that cover all results; slices and pickles drop them."""


class NextDocument(NamedTuple):
    """The next document of a grouped list, whose results no longer fit.

    Attributes
    ----------
    doc
        Its id.
    results
        Number of its results.
    top
        The `top` that includes all of them.
    cut
        Number of them in the list: 0, except if it is the first document, which is cut to its best.
    """

    doc: str
    results: int
    top: int
    cut: int = 0

    def notice(self, remedy: str) -> str:
        """Format a notice, one line; `remedy` is what the user can type to see the rest.

        >>> NextDocument("a17", 7, 12).notice("-n 12")
        'document a17 comes next; its 7 results do not fit: -n 12 shows them'
        >>> NextDocument("a17", 23, 23, cut=10).notice("-n 23")
        'document a17 has 23 results, the best 10 of them are shown: -n 23 shows all'
        """
        if self.cut:
            shown = f"the best {self.cut:,} of them are shown"
            return f"document {self.doc} has {self.results:,} results, {shown}: {remedy} shows all"
        fit = "its only result does not fit" if self.results == 1 else f"its {self.results:,} results do not fit"
        return f"document {self.doc} comes next; {fit}: {remedy} shows {'it' if self.results == 1 else 'them'}"


class DocumentResults(NamedTuple):
    """The results of one document.

    Attributes
    ----------
    doc, title
        Its id, and its title.
    results
        Its results in order.
    """

    doc: str
    title: str
    results: list[Result]


class ElementNamer(Protocol):
    """Protocol of a writer of element names."""

    def addresses(self, elements: NDArray[Any], /) -> Addresses:
        """Return the addresses of a few elements."""
        ...

    def all_names(self, elements: NDArray[Any], /) -> ElementNames:
        """Return all names of elements."""
        ...


class Results(Sequence[Result]):
    """The ranked elements of one query.

    Attributes
    ----------
    query : str
        As it was understood, in canonical form.
    typed : str
        As it was asked.
    corrected : str
        The same with words of the index in the place of unknown ones; empty if none was replaced.
    notices : tuple of str
        What a user should know, one line each.
    matched : int
        Elements that match; counted when asked for, where the first results were found without the others.
    seconds : float
        Time the search took.
    asked : bool
        Whether anything was left of the query to be asked.
    facets : dict of str to Facet
        Of each field that was to be counted its values in the matching documents, the most frequent first.
    mentioned : tuple of str
        The fields that a filter or a sort order named.
    expansion : Expansion, ModelExpansion or None
        What feedback added, see `trix.query.feedback`.
    known : dict of int to str
        What names each result that the query names, by element number: ``title``, ``section``, ``number``, ``id``,
        ``field`` or ``words`` (of a title).
    plan : Plan or None
        Which strategy found them, and why; its text is a sentence.
    begin : int
        How many results were left out before the first.
    copies : dict of int to list of Copy
        Results with the same text that are folded under an element, by its number.
    folded : int
        How many results are folded under others.
    grouped : bool
        Whether the results of a document follow each other.
    next : Next or None
        The document that did not fit, where documents are kept together and the list is cut.
    left_out : tuple of str
        Why elements that match are not returned, where no more results follow; see `others`.
    elements : (k,) ndarray of int32
        Element numbers in order of rank.
    scores : (k,) ndarray of float64
    own : (k,) ndarray of float64
        Scores without context.
    reranked : int
        How many first results a callable has ranked and scored, see `trix.api.rerank`.
    first_stage : (k,) ndarray of float64
        Scores before that.
    run_scores : (k,) ndarray of float64
        Scores of a run, for programs that sort by them: they fall with the ranks, whatever the order of the results.
    labels, paths, docs, tags : list of str
    documents, offsets, lengths : list of int
        Made when one of them is asked for, and kept; who goes through the results does not need them.
    """

    def __init__(
        self,
        *,
        query: object = "",
        notices: Sequence[str] = (),
        matched: int | Callable[[], int] = 0,
        elements: NDArray[np.int32] | None = None,
        scores: NDArray[np.float64] | None = None,
        own: NDArray[np.float64] | None = None,
        namer: ElementNamer | None = None,
        view: ResultView | None = None,
        plan: Plan | None = None,
    ) -> None:
        self._query, self.notices, self._matched, self.seconds = query, tuple(notices), matched, 0.0
        self.typed, self.corrected, self.asked = query if isinstance(query, str) else "", "", True
        self.facets: dict[str, Facet] = {}
        self.mentioned: tuple[str, ...] = ()
        self.expansion: Expansion | ModelExpansion | None = None
        self.known: dict[int, str] = {}
        self.next: NextDocument | None = None
        self.begin, self.grouped, self.plan = 0, False, plan
        self.copies: dict[int, list[Copy]] = {}
        self.folded = 0
        self.left_out: tuple[str, ...] = ()
        self.elements = np.zeros(0, np.int32) if elements is None else elements
        self.scores = np.zeros(0) if scores is None else scores
        self.own = np.zeros(self.elements.size) if own is None else own
        self.reranked, self.first_stage = 0, self.scores
        self.view = view
        self._namer = namer
        self._block: tuple[int, ElementNames] | None = None

    def names_from(self, namer: ElementNamer | None) -> None:
        """Set the `namer` of these elements; None for results that go to another process."""
        self._namer, self._block = namer, None
        for name in _OF_ALL:
            self.__dict__.pop(name, None)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the names with the results, since the namer is not pickled."""
        state = {name: value for name, value in self.__dict__.items() if name not in _OF_ALL}
        if self._namer is not None or "_names" in self.__dict__:
            state |= {"_names": self._names, "_namer": None, "_matched": self.matched, "_query": self.query}
        return state | {"_block": None}

    @property
    def query(self) -> str:
        """The parsed query in canonical form, formatted on access."""
        self._query = str(self._query)
        return self._query

    @property
    def matched(self) -> int:
        """Number of matching elements."""
        matched = self._matched  # read once, as another thread may replace it
        if callable(matched):
            self._matched = matched = matched()
        return matched

    @property
    def others(self) -> str:
        """One line on why other matching elements are not shown, if no more results follow."""
        why = (*self.left_out, "are copies") if self.copies else self.left_out
        return of_others(self.begin + len(self), self.matched, why) if self.left_out else ""

    def matched_from(self, matched: Callable[[], int]) -> None:
        """Replace the counter of matching elements, unless they are counted already.

        Parameters
        ----------
        matched
            Counts them.
        """
        if callable(self._matched):
            self._matched = matched

    @cached_property
    def _names(self) -> ElementNames:
        return self._names_of(0, len(self))

    @cached_property
    def _addresses(self) -> Addresses:
        if self._namer is None or "_names" in self.__dict__ or len(self) > FEW:
            return Addresses(self._names.documents, self._names.docs, self._names.paths)
        return self._namer.addresses(self.elements)

    @property
    def documents(self) -> list[int]:
        """Numbers of the documents, from 0."""
        return self._addresses.documents

    @property
    def docs(self) -> list[str]:
        """Document ids."""
        return self._addresses.docs

    @property
    def labels(self) -> list[str]:
        """Dewey labels."""
        return self._names.labels

    @property
    def paths(self) -> list[str]:
        """XPaths in the source documents."""
        return self._addresses.paths

    @property
    def tags(self) -> list[str]:
        """Tags of the elements."""
        return self._names.tags

    @property
    def offsets(self) -> list[int]:
        """Where the elements begin in their documents' texts."""
        return self._names.offsets

    @property
    def lengths(self) -> list[int]:
        """Characters of the elements."""
        return self._names.lengths

    @cached_property
    def run_scores(self) -> NDArray[np.float64]:
        """Scores that descend with the ranks."""
        return falling(self.scores, self.elements)

    @cached_property
    def _ahead(self) -> ReadAhead | None:
        """Reader of the results' texts, a block at a time."""
        if self.view is None:
            return None
        from trix.query.display.read_ahead import ReadAhead

        return ReadAhead(self.between, len(self), self.view, self.begin)

    def __len__(self) -> int:
        return int(self.elements.size)

    def _names_of(self, begin: int, end: int) -> ElementNames:
        if "_names" in self.__dict__:
            return ElementNames(*(column[begin:end] for column in self._names))  # type: ignore[arg-type]
        return (
            self._namer.all_names(self.elements[begin:end]) if self._namer else ElementNames([], [], [], [], [], [], [])
        )

    def between(self, begin: int, end: int) -> Iterator[Result]:
        """Yield the results at places from `begin` up to `end` (exclusive), counted from 0."""
        return self._made(begin, self._names_of(begin, end))

    def _made(self, begin: int, names: ElementNames) -> Iterator[Result]:
        end = begin + len(names.docs)
        return map(
            Result, repeat(self), range(self.begin + begin + 1, self.begin + end + 1),
            self.scores[begin:end].tolist(), names.docs, names.labels, names.paths, names.tags, names.offsets,
            names.lengths, self.elements[begin:end].tolist(), names.documents,
        )  # fmt: skip

    def _at(self, place: int) -> Result:
        block = self._block
        if block is None or not block[0] <= place < block[0] + len(block[1].docs):
            begin = place - place % FIRST_BLOCK
            block = self._block = begin, self._names_of(begin, min(begin + FIRST_BLOCK, len(self)))
        begin, names = block
        documents, docs, labels, paths, tags, offsets, lengths = (column[place - begin] for column in names)
        return Result(
            self, self.begin + place + 1, float(self.scores[place]), docs, labels, paths, tags, offsets, lengths,  # type: ignore
            int(self.elements[place]), documents,  # type: ignore[arg-type]
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
        begin, size = 0, FIRST_BLOCK
        while begin < len(self):
            yield from self.between(begin, min(begin + size, len(self)))
            begin, size = begin + size, min(4 * size, LARGEST_BLOCK)

    def only(self, places: NDArray[np.intp] | slice) -> Results:
        """Return the results at some `places`, in this order."""
        found = object.__new__(type(self))  # no copy, which would count the elements that match
        found.__dict__ = {name: value for name, value in self.__dict__.items() if name not in _OF_ALL}
        for column in ("elements", "scores", "own", "first_stage", "run_scores"):
            setattr(found, column, getattr(self, column)[places])
        found._block = None
        return found

    def from_rank(self, rank: int, last: int | None = None) -> Results:
        """Return the results from a `rank` on, up to `last` if given; ranks are kept."""
        left_out = rank - 1 - self.begin
        places = slice(left_out, None if last is None else last - self.begin)
        found = self.only(places)
        found.begin = rank - 1
        if last is not None and last - self.begin < len(self):
            found.left_out = ()  # more follow
        if found.next is not None:
            found.next = found.next._replace(top=found.next.top - left_out)
        return found

    def reranked_by(self, scores: NDArray[np.float64]) -> Results:
        """Sort the first results by `scores`, ties by rank; the others follow unchanged."""
        order = np.arange(len(self))
        order[: scores.size] = np.argsort(-scores, kind="stable")
        found = self.only(order)
        found.reranked, found.scores[: scores.size] = scores.size, scores[order[: scores.size]]
        del found.run_scores  # which follow from the scores
        return found

    def groups(self) -> Iterator[DocumentResults]:
        """Yield the results document by document, in list order; one group per document if `grouped`."""
        for _, members in groupby(self, lambda result: result.document):
            together = list(members)
            yield DocumentResults(together[0].doc, together[0].title, together)

    def to_frame(self, qid: str = "1", *, titles: bool = True, text: bool = False) -> Any:
        """Return a pandas frame: `qid`, docno (id and path), score, rank, doc, path, label, tag, offset, length.

        With `titles` the title of the document and the breadcrumb follow, with `text` the element's text; for both all
        sources are read. Where the index has fields, there is a column for each, as ``fields.author``.
        """
        from trix.query.display.tables import frame

        return frame(self, qid, titles, text)

    def _repr_html_(self) -> str:
        """Return the first results as a table for notebooks."""
        from trix.query.display.tables import results_html
        from trix.support.notebook import never_raising

        return never_raising(lambda: results_html(self), self)

    def __repr__(self) -> str:
        return f"<Results {len(self):,} of {self.matched:,} for {self.typed or self.query!r}>"
