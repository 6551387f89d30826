"""One ranked element: its numbers and names at once, its texts when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from trix.query.language.terms import Query
from trix.query.options import Options
from trix.support.arrays import Floats

Range = tuple[int, int]


class Copy(NamedTuple):
    """An element with the text of a result under which it is folded.

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
    """Reads the line that a result shows, and what matched."""

    def snippet(self, result: Result) -> str:
        """Return a line of the element's text."""

    def matches(self, result: Result) -> list[Range]:
        """Return which characters of the element's text matched."""

    def breadcrumb(self, result: Result) -> tuple[str, ...]:
        """Return the titles of the sections that the element is in."""


class ResultView(LineReader, Protocol):
    """Reads the texts of results from their sources."""

    asked: tuple[Query, str]
    """The query that words are marked of, and where its phrases are."""
    options: Options | None
    """Those of the search, if it has a filter."""

    @property
    def has_fields(self) -> bool:
        """Whether documents have fields."""

    @property
    def has_places(self) -> bool:
        """Whether the profile names milestones."""

    def title(self, result: Result) -> str:
        """Return the document's title on one line."""

    def fields(self, result: Result, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return what the element's document says of itself; in some fields, or in those of the profile."""

    def matched_fields(self, result: Result) -> dict[str, list[Any]]:
        """Return those of the values of the element's document that the filter asks for, where there can be many."""

    def places(self, result: Result) -> dict[str, str]:
        """Return the pages, verses, lines that the element begins and ends in, by name."""

    def text(self, result: Result) -> str:
        """Return the element's text as it is shown."""

    def line(self, result: Result) -> str:
        """Return the element's text on one line, of a large one the beginning."""

    def snippet_matches(self, result: Result) -> list[Range]:
        """Return which characters of the snippet matched."""

    def expect(self, results: Sequence[Result]) -> None:
        """Learn which results of one document will be asked for next."""


class ResultTable(Protocol):
    """The results of one query, as far as a table shows them."""

    typed: str

    @property
    def matched(self) -> int: ...

    def __len__(self) -> int: ...
    def __getitem__(self, places: slice, /) -> Sequence[Result]: ...


class NamedResults(ResultTable, Protocol):
    """The same, as far as a frame shows them."""

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
    """Return values of fields with those first that a filter asks for.

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
    """The results that a result belongs to, as far as it needs them; None where there are no sources to read."""

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
        """What of the element the query is: ``title``, ``section`` (its title), ``words`` (of it), ``number``, ``id``,
        ``field``, or ``place`` (in it); mostly empty."""
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
        """The document's title on one line; empty where the profile names none."""
        view = self._results.view
        return view.title(self) if view else ""

    @property
    def breadcrumb(self) -> tuple[str, ...]:
        """The titles of the sections that the element is in, the outermost first, a section's own title as the last.

        They are read from the source, by the rules of the profile; the document's title is not among them. Where no
        section has a title, the tags above the element say where it is, as ``body``, ``sec[2]``.
        """
        ahead = self._results._ahead
        return ahead.breadcrumb(self) if ahead else ()

    @property
    def fields(self) -> dict[str, Any]:
        """What the document says of itself, by field of the profile: a value, or a list where there can be many."""
        view = self._results.view
        return view.fields(self) if view else {}

    @property
    def mentioned(self) -> dict[str, Any]:
        """What the document says in the fields that the filter and the sort order name."""
        view, names = self._results.view, self._results.mentioned
        return matched_first(view.fields(self, names), self.matched_fields) if view and names else {}

    @property
    def matched_fields(self) -> dict[str, list[Any]]:
        """The values that the filter asks for, by field, of fields that can have many: those of several authors."""
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
        """The element's text as it is shown, read from the source: white space stands where a tag separates words.

        `offset` and `length` count in the document's text, which ``Index.show(unit, raw=True)`` gives.
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
        """The words of the snippet that matched, as ranges of its characters."""
        view = self._results.view
        return view.snippet_matches(self) if view else []

    def overlaps(self, document: int, begin: int, end: int) -> bool:
        """Whether it has any of the characters from `begin` to before `end` of a `document`, which is a number."""
        return self.document == document and begin < self.offset + self.length and self.offset < end

    def to_dict(self, snippet: bool = True, matches: bool = False) -> dict[str, Any]:
        """Return the fields of the JSON form, with the `snippet` and its `marks` and, if asked, the `matches`.

        Of a ranking whose first results were re-ranked, `reranked` and `first_stage` are there, too.
        `breadcrumb` is a list; `marks` are pairs ``[begin, end]`` of characters of the snippet, `matches` of the text.
        `copies` are addresses, and missing where there are none; so are `matched_fields` and `places`.
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
