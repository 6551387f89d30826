"""One ranked element: numbers and names at once, texts on access."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from trix.query.language.terms import Query
from trix.query.options import Options
from trix.support.arrays import Floats

Range = tuple[int, int]


class Copy(NamedTuple):
    """An element with the same text as a result, folded under it.

    Attributes
    ----------
    doc, path
        Its document's id, and its XPath there.
    """

    doc: str
    path: str

    @property
    def address(self) -> str:
        """Document id and path."""
        return self.doc + self.path


class LineReader(Protocol):
    """Protocol of a reader of snippets and matches."""

    def snippet(self, result: Result) -> str:
        """Return the snippet."""

    def matches(self, result: Result) -> list[Range]:
        """Return the ranges of the element's text that match."""

    def breadcrumb(self, result: Result) -> tuple[str, ...]:
        """Return the titles of the enclosing sections."""


class ResultView(LineReader, Protocol):
    """Protocol of a reader of result texts."""

    query_and_phrases: tuple[Query, str]
    """Query whose words are marked, and the setting of its phrases."""
    options: Options | None
    """Options of the search, if it has a filter."""

    @property
    def has_fields(self) -> bool:
        """Whether documents have fields."""

    @property
    def has_places(self) -> bool:
        """Whether the profile names milestones."""

    def title(self, result: Result) -> str:
        """Return the document's title on one line."""

    def fields(self, result: Result, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return field values of the element's document; of some fields, or of all in the profile."""

    def matched_fields(self, result: Result) -> dict[str, list[Any]]:
        """Return the values of multi-valued fields that match the filter."""

    def places(self, result: Result) -> dict[str, str]:
        """Return the pages, verses and lines where the element begins and ends, by name."""

    def text(self, result: Result) -> str:
        """Return the element's displayed text."""

    def line(self, result: Result) -> str:
        """Return the element's text on one line, of a large one the beginning."""

    def snippet_matches(self, result: Result) -> list[Range]:
        """Return the ranges of the snippet that match."""

    def expect(self, results: Sequence[Result]) -> None:
        """Announce which results of one document will be read next."""


class ResultTable(Protocol):
    """Protocol of results, as a table needs them."""

    typed: str

    @property
    def matched(self) -> int: ...

    def __len__(self) -> int: ...
    def __getitem__(self, places: slice, /) -> Sequence[Result]: ...


class NamedResults(ResultTable, Protocol):
    """Protocol of results, as a frame needs them."""

    view: ResultView | None
    begin: int
    reranked: int
    scores: Floats
    first_stage: Floats

    @property
    def docs(self) -> Sequence[str]: ...
    @property
    def paths(self) -> Sequence[str]: ...
    @property
    def labels(self) -> Sequence[str]: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def offsets(self) -> Sequence[int]: ...
    @property
    def lengths(self) -> Sequence[int]: ...
    def __iter__(self) -> Iterator[Result]: ...


def matched_first(fields: dict[str, Any], matched: dict[str, list[Any]]) -> dict[str, Any]:
    """Move the values that a filter matches to the front of multi-valued fields.

    >>> matched_first({"author": ["Li", "Smith"], "year": 2015}, {"author": ["Smith"]})
    {'author': ['Smith', 'Li'], 'year': 2015}
    """
    first = {
        name: [*values, *(value for value in fields[name] if value not in values)]
        for name, values in matched.items()
        if name in fields
    }
    return {**fields, **first}


class ResultSource(Protocol):
    """Protocol of the results that a result belongs to; readers are None if there are no sources."""

    view: ResultView | None
    known: dict[int, str]
    mentioned: tuple[str, ...]
    copies: dict[int, list[Copy]]
    begin: int
    reranked: int
    first_stage: Floats

    @property
    def _ahead(self) -> LineReader | None: ...


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
        results: ResultSource,
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
    def known(self) -> str:
        """How the query names the element: ``title``, ``section`` (its title), ``words`` (of it), ``number``, ``id``,
        ``field``, or ``place`` (in it); mostly empty.
        """
        return self._results.known.get(self.element, "")

    @property
    def reranked(self) -> bool:
        """Whether `score` and rank come from a callable, see `trix.api.rerank`."""
        return self.rank <= self._results.reranked

    @property
    def first_stage(self) -> float:
        """Score of the search, before a callable ranked the first results."""
        return float(self._results.first_stage[self.rank - 1 - self._results.begin])

    @property
    def title(self) -> str:
        """The document's title on one line; empty if the profile defines none."""
        view = self._results.view
        return view.title(self) if view else ""

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """The titles of the enclosing sections, outermost first, ending with a section's own title.

        They are read from the source, by the rules of the profile, without the document's title. If no section has a
        title, the tags above the element tell its position, such as ``body``, ``sec[2]``.
        """
        ahead = self._results._ahead
        return ahead.breadcrumb(self) if ahead else ()

    @property
    def fields(self) -> dict[str, Any]:
        """Field values of the document: a value, or a list for a multi-valued field."""
        view = self._results.view
        return view.fields(self) if view else {}

    @property
    def mentioned(self) -> dict[str, Any]:
        """Values of the fields that the filter and the sort order use."""
        view, names = self._results.view, self._results.mentioned
        return matched_first(view.fields(self, names), self.matched_fields) if view and names else {}

    @property
    def matched_fields(self) -> dict[str, list[Any]]:
        """Values of multi-valued fields that match the filter, by field: for example one of several authors."""
        view = self._results.view
        return view.matched_fields(self) if view else {}

    @property
    def places(self) -> dict[str, str]:
        """Where it begins and ends, by the milestones of the profile: ``{"page": "pp. 214–215"}``."""
        view = self._results.view
        return view.places(self) if view else {}

    @property
    def copies(self) -> list[Copy]:
        """Results with the same text that are folded under this one."""
        return self._results.copies.get(self.element, [])

    @property
    def text(self) -> str:
        """The element's displayed text, read from the source, with white space where a tag separates words.

        `offset` and `length` count in the document's own text, which ``Index.show(unit, raw=True)`` returns.
        """
        view = self._results.view
        return view.text(self) if view else ""

    @property
    def snippet(self) -> str:
        """A line of the element's text around the query's words."""
        ahead = self._results._ahead
        return ahead.snippet(self) if ahead else ""

    @property
    def matches(self) -> list[tuple[int, int]]:
        """The words that matched: ascending ranges of characters of `text`, [begin, end)."""
        ahead = self._results._ahead
        return ahead.matches(self) if ahead else []

    @property
    def snippet_matches(self) -> list[tuple[int, int]]:
        """Matching words of the snippet, as ranges of its characters."""
        view = self._results.view
        return view.snippet_matches(self) if view else []

    def overlaps(self, document: int, begin: int, end: int) -> bool:
        """Whether it overlaps the characters from `begin` up to `end` (exclusive) of document number `document`."""
        return self.document == document and begin < self.offset + self.length and self.offset < end

    def to_dict(self, snippet: bool = True, matches: bool = False) -> dict[str, Any]:
        """Return the fields of the JSON form, with the `snippet` and its `marks`, and with `matches` on request.

        Re-ranked results also have `reranked` and `first_stage`. `breadcrumb` is a list; `marks` are pairs ``[begin,
        end]`` of characters of the snippet, `matches` of the text. `copies` are addresses. `copies`,
        `matched_fields` and `places` are left out if empty.
        """
        names = ("rank", "score", "doc", "label", "path", "tag", "offset", "length", "title")
        fields: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self._results.reranked:
            fields |= {"reranked": self.reranked, "first_stage": self.first_stage}
        fields["breadcrumb"] = list(self.breadcrumb)
        if self.known:
            fields["known"] = self.known
        if self._results.view is not None and self._results.view.has_fields:
            fields["fields"] = self.fields
        if matched := self.matched_fields:
            fields["matched_fields"] = matched
        if places := self.places:
            fields["places"] = places
        if self.copies:
            fields["copies"] = [each.address for each in self.copies]
        if snippet:
            fields["snippet"] = self.snippet
            fields["marks"] = [list(each) for each in self.snippet_matches]
        if matches:
            fields["matches"] = [list(each) for each in self.matches]
        return fields

    def __repr__(self) -> str:
        return f"<Result {self.rank} {self.score:.4f} {self.doc}{self.path}>"
