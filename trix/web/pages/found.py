"""View of results for a page: documents with their passages, a map of each document, facets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple
from urllib.parse import quote_plus

from trix.api.index import Index
from trix.errors import SourceError
from trix.indexer.fields.table import FieldColumn
from trix.query.display.breadcrumb import located
from trix.query.display.result import Copy, Result, matched_first
from trix.query.display.results import Results
from trix.query.suggest import with_other_word
from trix.support.element_path import in_words, read_step, steps
from trix.web.pages.state import FIND, SearchState, document_address
from trix.web.reading.direction import direction
from trix.web.site.percent import printable

STEPS = 9
"""Number of strengths of a score, each with a class in the style sheet."""

SHOWN_VALUES = 8
"""Values of a field that are shown at first."""

_OFFERED = 24
"""Values of a field on a page, at most."""

TOLD_COPIES = 5
"""Links to copies under a passage, at most."""

OF_EACH = 3
"""Passages under the title of a document."""

_FACETS = 6

_OF_ANY = ("root", "folder", "language")
"""Fields of every collection that become facets if they have several values."""
_WIDTH = 1000


class Tick(NamedTuple):
    """Mark of a passage in the map of its document, in thousandths of the length, with its strength."""

    at: int
    width: int
    strength: int


@dataclass(frozen=True)
class PassageView:
    """A result on a page."""

    rank: int
    score: float
    label: str
    path: str
    tag: str
    breadcrumb: tuple[str, ...]
    snippet: str
    marks: list[tuple[int, int]]
    size: int
    strength: int
    share: int
    copies: list[tuple[str, str]]
    further_copies: int
    address: str
    unit: str
    why: str
    like: str
    direction: str


@dataclass(frozen=True)
class DocumentView:
    """A document with its passages on a page."""

    doc: str
    title: str
    address: str
    direction: str
    fields: tuple[str, ...]
    passages: list[PassageView]
    ticks: list[Tick]
    characters: int


class FieldValue(NamedTuple):
    """A value of a facet: number of documents, URL that toggles it, and label."""

    value: str
    documents: int
    chosen: bool
    address: str
    label: str


class FieldValues(NamedTuple):
    """A facet; `hidden` are the hidden fields of the form that searches its values, None without a form."""

    name: str
    shown: list[FieldValue]
    rest: list[FieldValue]
    typed: str = ""
    hidden: list[tuple[str, str]] | None = None


class Meant(NamedTuple):
    """A word that no document contains, and queries with known words in its place."""

    word: str
    offers: list[tuple[str, str]]


@dataclass(frozen=True)
class AnswerView:
    """Results of a search as shown on a page."""

    matched: int
    seconds: float
    documents: list[DocumentView]
    facets: list[FieldValues]
    notices: list[str]
    meant: list[Meant] = field(default_factory=list)
    corrected: str = ""
    before: str = ""
    after: str = ""
    first: int = 0
    last: int = 0
    others: str = ""


def strength(score: float, best: float) -> int:
    """Return the strength of a score relative to the best one, from 1 to `STEPS`.

    >>> strength(2.0, 2.0), strength(1.0, 2.0), strength(-1.0, 2.0), strength(0.0, 0.0)
    (9, 5, 1, 9)
    """
    if best <= 0:
        return STEPS if score >= best else 1
    return max(1, min(STEPS, round(score / best * STEPS + 0.01)))


def answer(index: Index, asked: SearchState) -> AnswerView:
    """Search, and return the view of the results.

    Raises
    ------
    TrixError
        The query or a setting is wrong.
    """
    options = asked.options()
    if (
        asked.view == "documents"
    ):  # of each no more than can be looked over: all of them are a step away, in the document
        options = {"group": "document", "per_document": OF_EACH, "spread": "all", **options}
    options |= {"top": asked.page, "from_": asked.start, "facet": _asked_facets(index, asked) or None}
    if "strategy" in options or "sort" in options:
        options.pop("group", None)
    results = index.search(asked.query, **options)
    best = float(results.scores.max()) if len(results) else 0.0
    documents = list(_documents(index, results, asked, best))
    shown = len(results) + (results.folded if results.grouped else 0)
    more = shown >= asked.page or results.next is not None
    after = asked.start + len(results)
    notices, meant = _notices(results, asked)
    return AnswerView(
        matched=results.matched,
        seconds=results.seconds,
        documents=documents,
        facets=_facets(results, asked),
        notices=notices,
        meant=meant,
        corrected=results.corrected,
        before=asked.address(start=max(1, asked.start - asked.page)) if asked.start > 1 else "",
        after=asked.address(start=after) if more and len(results) else "",
        first=asked.start if len(results) else 0,
        last=after - 1,
        others="" if more or (asked.start > 1 and not len(results)) else results.others,
    )


def facet_fields(index: Index) -> list[str]:
    """Return the fields that are useful as facets: those with values shared by several documents.

    Fields of documents come first, at least three if there are; then fields of elements, and fields of every
    collection. Without any of these, the size is used.
    """
    fields = index.fields
    chosen = [name for name in fields.own if name != "title" and not (name == "date" and "year" in fields.own)]
    chosen = [name for name in chosen if _is_of_use(fields[name])]
    elements = [name for name in fields.of_elements if len(fields[name].values) > 1]
    chosen = [*chosen[: max(3, _FACETS - len(elements))], *elements]
    more = [name for name in _OF_ANY if name not in fields.own]
    for name in more:
        column = fields[name]
        if len(column.values) > 1 and _is_of_use(column) and not any(column.equals(fields[each]) for each in chosen):
            chosen.append(name)  # a type of the profile often is the tag of the root
    if not chosen and "size" not in fields.own and fields["size"].ranges:
        return ["size"]
    return chosen[:_FACETS]


def _is_of_use(column: FieldColumn) -> bool:
    documents = int((column.counts > 0).sum())
    return documents > 1 and (bool(column.ranges) or len(column.values) < 0.8 * column.codes.size)


def _asked_facets(index: Index, asked: SearchState) -> list[str]:
    """Return the facets to count, with the words typed to search their values."""
    words = {name: text for name, text in asked.finds if index.files.analyzer.words(text)}
    return [f"{name}~{words[name].replace(',', ' ')}" if name in words else name for name in facet_fields(index)]


def _documents(index: Index, results: Results, asked: SearchState, best: float) -> Iterator[DocumentView]:
    grouped = asked.view == "documents"
    runs: list[list[Result]] = []
    for result in results:
        if grouped and runs and runs[-1][0].document == result.document:
            runs[-1].append(result)
        else:
            runs.append([result])
    there, alike = replace(asked, start=1), asked.with_setting("like", "").of_nothing()
    links = _Links(there, asked.leading("/why", "unit") if asked.query else "", alike.leading("/", "like"))
    for run in runs:
        first = run[0]
        whole = max(1, index.files.document_length(first.document))
        ticks = [
            Tick(
                min(_WIDTH - 4, _WIDTH * each.offset // whole),
                max(4, min(_WIDTH, _WIDTH * each.length // whole)),
                strength(each.score, best),
            )
            for each in run
        ]
        yield DocumentView(
            doc=first.doc,
            title=first.title or first.doc,
            address=document_address(first.doc, there),
            direction=direction(first.title, index.files.language_of(index.files.document_range(first.document)[0])),
            fields=told(matched_first(index.fields.of(first.document), first.matched_fields)),
            passages=[_passage(each, links, best, index.files.language_of(each.element)) for each in run],
            ticks=sorted(ticks, key=lambda tick: tick.strength),
            characters=whole,
        )


def told(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return the fields of a document for the line below its title: who, where, when.

    >>> told({"title": "Cells", "author": ["A", "B", "C", "D"], "date": "2015-03-09", "year": 2015, "volume": 4})
    ('A, B, C and 1 more', '2015-03-09', 'volume 4')
    """
    said: list[str] = []
    for name, value in fields.items():
        if (
            name == "title"
            or (name == "year" and "date" in fields)
            or name in ("language", "subject", "keyword", "type")
        ):
            continue
        values = value if isinstance(value, list) else [value]
        text = ", ".join(" ".join(str(each).split())[:80] for each in values[:3])
        text = f"{text} and {len(values) - 3} more" if len(values) > 3 else text
        bare = text.isdigit() and name not in ("date", "year")  # a number alone would be unclear
        said.append(f"{name} {text}" if bare else text)
    return tuple(said[:4])


class _Links(NamedTuple):
    """State in which the passages of a page are opened, and prefixes of their other URLs."""

    there: SearchState
    why: str
    like: str


def _passage(result: Result, links: _Links, best: float, language: str) -> PassageView:
    unit = result.doc + result.path
    quoted = quote_plus(unit, errors="surrogateescape")
    try:
        above, snippet, marks = located(result), result.snippet, result.snippet_matches
    except SourceError:
        above, snippet, marks = (), "", []
    return PassageView(
        rank=result.rank,
        score=result.score,
        label=result.label,
        path=result.path,
        tag=result.tag,
        breadcrumb=above,
        snippet=snippet,
        marks=marks,
        size=result.length,
        strength=strength(result.score, best),
        share=max(0, min(100, round(100 * result.score / best))) if best > 0 else 0,
        copies=[(copy_name(each, result.doc), _address(each, links)) for each in result.copies[:TOLD_COPIES]],
        further_copies=max(0, len(result.copies) - TOLD_COPIES),
        address=document_address(result.doc, links.there, at=result.label, fragment=result.label),
        unit=unit,
        why=links.why and links.why + quoted,
        like=links.like + quoted,
        direction=direction(snippet, language),
    )


def copy_name(copy: Copy, doc: str) -> str:
    """Name a copy beside a result: by its document, or by its place in the same document.

    >>> copy_name(Copy("b", "/doc[1]/p[2]"), "a"), copy_name(Copy("a", "/doc[1]/outcomeList[1]/outcome[2]"), "a")
    ('b', 'Outcome list, Outcome 2')
    """
    if copy.doc != doc:
        return copy.doc
    named = [(in_words(name), place) for name, place in map(read_step, steps(copy.path)[-2:])]
    return ", ".join(f"{name} {place}" if place and place > 1 else name for name, place in named)


def _address(copy: Copy, links: _Links) -> str:
    return document_address(copy.doc, links.there, at=copy.path)


def _facets(results: Results, asked: SearchState) -> list[FieldValues]:
    made = []
    first = replace(asked, start=1)
    for name, facet in results.facets.items():
        chosen = {value for field_name, value in asked.facets if field_name == name}
        ranges = facet.ranges()
        values = [
            FieldValue(
                value := str(each.value),
                each.elements if facet.of_elements else each.documents,
                value in chosen,
                asked.with_facet(name, value).address() if value in chosen else first.narrowed_to(name, value),
                with_dash(value) if ranges else value,
            )
            for each in ranges or facet[:_OFFERED]
            if printable(str(each.value)) == str(each.value)  # names of folders need not be UTF-8
        ]
        missing = chosen - {value.value for value in values}
        values = [
            *(FieldValue(value, 0, True, asked.with_facet(name, value).address(), value) for value in sorted(missing)),
            *values,
        ]
        typed, hidden = dict(asked.finds).get(name, ""), None
        if typed or (len(facet) > _OFFERED and not ranges):
            hidden = [("q", asked.query), *(pair for pair in asked.hidden if pair[0] != FIND + name)]
        if len(values) > 1 or chosen or typed:
            shown = len(values) if ranges else SHOWN_VALUES
            if not ranges:
                values.sort(key=lambda value: not value.chosen)
            made.append(FieldValues(name, values[:shown], values[shown:], typed, hidden))
    return made


def with_dash(value: str) -> str:
    """Write a range with a dash.

    >>> with_dash("1990..1999"), with_dash("..99"), with_dash("0.5..<1"), with_dash("2015-03")
    ('1990–1999', '–99', '0.5–1', '2015-03')
    """
    return value.replace("..<", "–").replace("..", "–")


_ABSENT = re.compile(r"no document has (\S+)(?: between blanks or signs)?; did you mean (.+)\?")
_SAID_OTHERWISE = re.compile(
    r"comes next; it|of one document no more than|of them are shown: |no document has \S+: showing results for "
)
"""Notices that a page shows in another way: on limits of lists, and on corrected words."""

_OFFER = re.compile(r"(\S+) \((?:in )?[\d,]+(?: stretch(?:es)?)?\)")


def _notices(results: Results, asked: SearchState) -> tuple[list[str], list[Meant]]:
    """Split notices into messages and spelling suggestions, without those shown in another way."""
    notices, meant = [], []
    for notice in results.notices:
        found = _ABSENT.fullmatch(notice)
        if found:
            offers = [(word, _instead(asked, found[1], word)) for word in _OFFER.findall(found[2])]
            meant.append(Meant(found[1], offers))
        elif not _SAID_OTHERWISE.search(notice):
            notices.append(notice)
    return notices, meant


def _instead(asked: SearchState, word: str, other: str) -> str:
    return asked.address(query=with_other_word(asked.query, word, other), start=1)


def strengths(scores: Sequence[float]) -> list[int]:
    """Return the strength of each score relative to the best one."""
    best = max(scores, default=0.0)
    return [strength(score, best) for score in scores]
