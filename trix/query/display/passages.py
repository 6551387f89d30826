"""The best passages that fit into so much text, for programs that read: each with where it stands and what it is worth.

Results are taken from the best on, as long as there is room. Each is whole where it fits; one that is longer than what
is left, or than passages are to be, is cut to the sentences that hold most of the query. Then documents are put in the
order of their best passages, and the passages of each in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, zip_longest
from typing import Any

from trix.errors import SourceError, UsageError
from trix.indexer.read.texts import Document
from trix.query.display.breadcrumb import SEPARATOR, Breadcrumb
from trix.query.display.highlight import Highlighter, Hit
from trix.query.display.prose import fitting_stretch, prose
from trix.query.display.results import Result, Results
from trix.query.display.viewer import Viewer

SHORTEST = 150
"""Characters for which it is worth cutting another passage."""

PATIENCE = 10
"""After so many results in a row of which nothing fits, or can be read, no more are tried."""

Range = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage: an element, or a stretch of one.

    Attributes
    ----------
    rank
        Of its element among the results.
    score
        The element's, with context.
    own
        Its score without context.
    doc, title
        Id and title of the document.
    breadcrumb
        The titles of the sections that it is in, the outermost first.
    path, label, tag
        Of the element.
    offset, length
        Characters in the document's text.
    cut
        Whether it is less than its element.
    text
        As it reads: without the indentation of its source, each paragraph on lines of its own.
    fields
        What the document says of itself.
    """

    rank: int
    score: float
    own: float
    doc: str
    title: str
    breadcrumb: Breadcrumb
    path: str
    label: str
    tag: str
    offset: int
    length: int
    cut: bool
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The title of the document and the breadcrumb, on one line; the id of a document that has no title."""
        return SEPARATOR.join([self.title or self.doc, *self.breadcrumb])

    @property
    def address(self) -> str:
        """Document id and path, which `Index.show` takes."""
        return self.doc + self.path

    def facts(self) -> dict[str, Any]:
        """Return the fields of the JSON form without the text."""
        facts = {**vars(self), "breadcrumb": list(self.breadcrumb), "fields": dict(self.fields)}
        del facts["text"]
        return facts

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON form."""
        return {**self.facts(), "text": self.text}


class Passages(Sequence[Passage]):
    """Passages in the order in which they are read.

    Parameters
    ----------
    passages
        The passages.
    results
        The results that they were taken from.

    Attributes
    ----------
    query : str
        As it was understood.
    notices : tuple of str
        What a user should know, one line each.
    matched : int
        Elements that match.
    """

    def __init__(self, passages: Sequence[Passage], results: Results) -> None:
        self._passages = tuple(passages)
        self.query, self.notices, self.matched = results.query, results.notices, results.matched

    @property
    def text(self) -> str:
        """All of them, numbered, each below its heading and its address: ready for a prompt."""
        return "\n\n".join(
            f"[{number}] {each.heading}\n({each.address})\n{each.text}" for number, each in enumerate(self, 1)
        )

    def __len__(self) -> int:
        return len(self._passages)

    def __getitem__(self, place: Any) -> Any:
        return self._passages[place]

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._passages)

    def __repr__(self) -> str:
        return f"<Passages {len(self)} for {self.query!r}>"


@dataclass(frozen=True)
class Bounds:
    """How much text, and of which kind.

    Parameters
    ----------
    characters
        Of all passages together, at the most.
    longest
        Of one passage; None for no bound of its own.
    around
        Of the paragraphs before and behind each passage that are told with it.
    sentences
        Whether passages are cut between sentences alone.
    most
        The greatest number of passages; None for any.
    """

    characters: int
    longest: int | None = None
    around: int = 0
    sentences: bool = True
    most: int | None = None

    @property
    def reserve(self) -> int:
        """How many characters what is around a passage can have, with the white space between."""
        return 2 * (self.around + 1) if self.around else 0

    def __post_init__(self) -> None:
        if 4 * self.around > self.characters:
            raise UsageError("expected at most a quarter of `characters`", field="around", got=self.around)


@dataclass(frozen=True)
class _Taken:
    """A result of which characters ``[begin, end)`` of the document's text are told."""

    result: Result
    begin: int
    end: int
    text: str


class Gatherer:
    """Takes passages from results.

    Parameters
    ----------
    viewer
        Reads the documents.
    highlighter
        Finds the words of the query.
    bounds
        How much is wanted.
    notices
        Gets a notice on documents that cannot be read.
    """

    def __init__(self, viewer: Viewer, highlighter: Highlighter, bounds: Bounds, notices: list[str]) -> None:
        self._viewer, self._highlighter, self._bounds, self._notices = viewer, highlighter, bounds, notices

    def gather(self, results: Results) -> Passages:
        """Return the passages of a query's results."""
        taken = self._taken(results)
        if self._bounds.around:
            taken = list(self._widened(taken))
        ordered = sorted(taken, key=lambda each: (each.result.document, each.begin))
        documents = [list(some) for _, some in groupby(ordered, key=lambda each: each.result.document)]
        documents.sort(key=lambda some: min(each.result.rank for each in some))
        return Passages([self._passage(results, each) for some in documents for each in some], results)

    def _taken(self, results: Iterable[Result]) -> list[_Taken]:
        """Return what fits of the best results, none of which overlaps with another, in order of rank."""
        bounds, taken, gone, missed = self._bounds, list[_Taken](), set[int](), 0
        left = bounds.characters - bounds.reserve
        for result in results:
            if len(taken) == bounds.most or (taken and left < SHORTEST) or missed == PATIENCE:
                break
            if result.tag.startswith("@") or result.document in gone or any(_overlap(each, result) for each in taken):
                continue
            room = left if bounds.longest is None else min(left, bounds.longest)
            try:
                found = self._fitted(result, room, exactly=bool(taken) and bounds.sentences)
            except SourceError as error:
                self._viewer.missing.add(result.doc, error, self._notices)
                gone.add(result.document)
                missed += 1
                continue
            missed = 0 if found.text else missed + 1
            if found.text and all(found.text != each.text for each in taken):  # collections have documents twice
                taken.append(found)
                left -= len(found.text) + bounds.reserve
        return taken

    def _fitted(self, result: Result, room: int, *, exactly: bool) -> _Taken:
        """Return a result, or what fits of it; nothing where `exactly` whole sentences are wanted, and none fits.

        A stretch without a word of the query, which others of the element have, is nothing either.
        """
        document, begin, first = self._viewer.part_of(result)
        end = begin + result.length
        text = prose(document, begin, end)
        if len(text) > room:
            hits = self._highlighter.hits(document, first, *self._viewer.contents(result.element))
            hits = [hit for hit in hits if not hit.in_attribute]
            low, high = fitting_stretch(document, begin, end, hits, room, self._bounds.sentences)
            if not _worth_it(low, high, hits) and not exactly:
                low, high = fitting_stretch(document, begin, end, hits, room, sentences=False)
            text = prose(document, low, high) if _worth_it(low, high, hits) else ""
        else:
            low, high = begin, end
        shift = result.offset - begin
        return _Taken(result, low + shift, high + shift, text)

    def _widened(self, taken: Sequence[_Taken]) -> Iterator[_Taken]:
        """Yield passages with sentences of the paragraphs before and behind them, up to what another one tells."""
        for document, some in groupby(sorted(taken, key=_place), key=lambda each: each.result.document):
            read, below, together = self._viewer.texts.document(document), 0, list(some)
            for each, following in zip_longest(together, together[1:]):
                wider = self._wider(read, each, below, following.begin if following else len(read.text))
                below = wider.end
                yield wider

    def _wider(self, document: Document, taken: _Taken, below: int, above: int) -> _Taken:
        """Return a passage with what is around it, of characters ``[below, above)``."""
        begin, end, text = taken.begin, taken.end, taken.text
        most = len(text) + self._bounds.around + 1
        for low in _starts(document.blocks(below, begin)[-1:], document):
            longer = prose(document, low, end)
            if len(longer) <= most:
                begin, text = low, longer
                break
        most = len(text) + self._bounds.around + 1
        for high in _ends(document.blocks(end, above)[:1], document):
            longer = prose(document, begin, high)
            if len(longer) <= most:
                end, text = high, longer
                break
        return replace(taken, begin=begin, end=end, text=text)

    def _passage(self, results: Results, taken: _Taken) -> Passage:
        result = taken.result
        place = result.rank - 1 - results.begin
        return Passage(
            rank=result.rank, score=result.score, own=float(results.own[place]), doc=result.doc, title=result.title,
            breadcrumb=result.breadcrumb, path=result.path, label=result.label, tag=result.tag, offset=taken.begin,
            length=taken.end - taken.begin, cut=taken.end - taken.begin < result.length, text=taken.text,
            fields=result.fields,
        )  # fmt: skip


def _place(taken: _Taken) -> tuple[int, int]:
    return taken.result.document, taken.begin


def _worth_it(begin: int, end: int, hits: Sequence[Hit]) -> bool:
    """Whether a stretch says anything of the query, where its element does."""
    return begin < end and (not hits or any(begin <= hit.begin and hit.end <= end for hit in hits))


def _overlap(taken: _Taken, result: Result) -> bool:
    """Whether a result has characters that are told already; also where these are a cut of what it is in."""
    same = taken.result.document == result.document
    return same and taken.begin < result.offset + result.length and result.offset < taken.end


def _starts(paragraph: Sequence[Range], document: Document) -> list[int]:
    """Return where the sentences of a paragraph begin."""
    return [begin for each in paragraph for begin, _ in document.sentences(*each)]


def _ends(paragraph: Sequence[Range], document: Document) -> list[int]:
    """Return where the sentences of a paragraph end, the last first."""
    return [end for each in paragraph for _, end in document.sentences(*each)][::-1]


def longest(characters: int) -> int:
    """Return how long one passage may be: a third of all, but a paragraph at least and some of them at the most.

    >>> longest(500), longest(2000), longest(6000), longest(50_000)
    (500, 1200, 2000, 3000)
    """
    return max(150, min(characters, max(1200, min(characters // 3, 3000))))
