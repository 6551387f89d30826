"""Passage selection: the best passages within a budget of characters.

Units, the smallest results, are taken best first, see `trix.query.ranking.selection`. A unit is taken whole if it
fits. If it exceeds the rest of the budget or the limit of a passage, it is cut to the sentences with most of the
query. Units that are adjacent in a containing result are joined. Documents are ordered by their best passage, and
the passages of each by reading order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, zip_longest

from trix.errors import SourceError, UsageError
from trix.indexer.read.texts import SourceDocument
from trix.query.display.copies import words_alone
from trix.query.display.highlight import Highlighter, Hit
from trix.query.display.passages import Passage, Passages
from trix.query.display.prose import fitting_stretch, prose
from trix.query.display.results import Result, Results
from trix.query.display.viewer import Viewer
from trix.query.ranking.selection import Ranked, order_of_units

SHORTEST = 150
"""Smallest remaining number of characters for which another passage is cut."""

PATIENCE = 10
"""Number of consecutive results that do not fit, or cannot be read, after which the search stops."""

Range = tuple[int, int]


@dataclass(frozen=True)
class Bounds:
    """Budget and form of passages.

    Parameters
    ----------
    characters
        Largest total length.
    longest
        Largest length of one passage; None for no limit.
    around
        Largest number of characters from the paragraphs before and after each passage.
    sentences
        Whether passages are cut between sentences only.
    most
        Largest number of passages; None for any.
    of_document
        Largest number of passages of one document; None for any.
    by_rank
        Take units in the order of the results, which is not that of their scores.
    """

    characters: int
    longest: int | None = None
    around: int = 0
    sentences: bool = True
    most: int | None = None
    of_document: int | None = None
    by_rank: bool = False

    @property
    def reserve(self) -> int:
        """Largest number of characters around a passage, with the white space between."""
        return 2 * (self.around + 1) if self.around else 0

    def __post_init__(self) -> None:
        if 4 * self.around > self.characters:
            raise UsageError("expected at most a quarter of `characters`", field="around", got=self.around)


@dataclass(frozen=True)
class _Taken:
    """A result and the range ``[begin, end)`` of the document's text that is returned of it."""

    result: Result
    begin: int
    end: int
    text: str


class Gatherer:
    """Selects passages from results.

    Parameters
    ----------
    viewer
        Reads the documents.
    highlighter
        Finds the words of the query.
    bounds
        Budget and form.
    notices
        Receives notices on unreadable documents.
    """

    def __init__(self, viewer: Viewer, highlighter: Highlighter, bounds: Bounds, notices: list[str]) -> None:
        self._viewer, self._highlighter, self._bounds, self._notices = viewer, highlighter, bounds, notices

    def gather(self, results: Results) -> Passages:
        """Return the passages of a query's results, which may overlap."""
        places = [place for place, tag in enumerate(results.tags) if tag[:1] != "@"]
        units, around = order_of_units(list(_ranked(results, places)), by_rank=self._bounds.by_rank)
        taken, left = self._taken(results[places[unit]] for unit in units)
        taken = list(self._joined(taken, left, lambda number: [results[places[at]] for at in around.get(number, ())]))
        if self._bounds.around:
            taken = list(self._widened(taken))
        ordered = sorted(taken, key=_place)
        documents = [list(some) for _, some in groupby(ordered, key=_document)]
        documents.sort(key=lambda some: min(each.result.rank for each in some))
        return Passages([self._passage(results, each) for some in documents for each in some], results)

    def _taken(self, units: Iterable[Result]) -> tuple[list[_Taken], int]:
        """Take the best units that fit, without overlap; return them and the rest of the budget."""
        bounds, taken, gone, missed = self._bounds, list[_Taken](), set[int](), 0
        left, known, of_document = bounds.characters - bounds.reserve, set[str](), Counter[int]()
        for result in units:
            if len(taken) == bounds.most or (taken and left < SHORTEST) or missed == PATIENCE:
                break
            number = result.document
            if (
                number in gone
                or of_document[number] == bounds.of_document
                or any(result.overlaps(it.result.document, it.begin, it.end) for it in taken)
            ):
                continue
            room = left if bounds.longest is None else min(left, bounds.longest)
            try:
                found = self._fitted(result, room, exactly=bool(taken) and bounds.sentences)
            except SourceError as error:
                self._viewer.missing.add(result.doc, error, self._notices)
                gone.add(number)
                missed += 1
                continue
            missed = 0 if found.text else missed + 1
            if found.text and (words := words_alone(found.text)) not in known:  # collections have documents twice
                known.add(words)
                taken.append(found)
                of_document[number] += 1
                left -= len(found.text) + bounds.reserve + 1  # a line end, where it is joined with another
        return taken, left

    def _joined(
        self, taken: Sequence[_Taken], left: int, around: Callable[[int], Sequence[Result]]
    ) -> Iterator[_Taken]:
        """Yield passages, joined if they are adjacent in a containing result and the budget allows.

        `around` has, by document, the results that contain others, shortest first.
        """
        for number, some in groupby(sorted(taken, key=_place), key=_document):
            together = list(some)
            containers = around(number) if len(together) > 1 else ()
            document = self._viewer.texts.document(number) if containers else None
            for container in containers:
                begin, end = container.offset, container.offset + container.length
                inside = [each for each in together if begin <= each.begin and each.end <= end]
                if document is None or len(inside) < 2:
                    continue
                for run in _runs(document, inside, begin, end):
                    low, high = run[0], run[-1]
                    joined = _Taken(container, low.begin, high.end, prose(document, low.begin, high.end))
                    more = len(joined.text) - sum(len(each.text) for each in run)
                    if more <= left:
                        left -= more
                        together = [each for each in together if each not in run] + [joined]
                        if low.text == "":
                            break  # all of the container is in passages
                together.sort(key=_place)
            yield from together

    def _fitted(self, result: Result, room: int, *, exactly: bool) -> _Taken:
        """Cut a result to the room; None if `exactly` whole sentences are needed and none fits.

        A cut without a word of the query is dropped if the element has some elsewhere.
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
        """Yield passages with sentences of the paragraphs before and after them, up to the next passage."""
        for document, some in groupby(sorted(taken, key=_place), key=lambda each: each.result.document):
            read, below, together = self._viewer.texts.document(document), 0, list(some)
            for each, following in zip_longest(together, together[1:]):
                wider = self._wider(read, each, below, following.begin if following else len(read.text))
                below = wider.end
                yield wider

    def _wider(self, document: SourceDocument, taken: _Taken, below: int, above: int) -> _Taken:
        """Return a passage widened within characters ``[below, above)``."""
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
            fields=result.fields, places=self._viewer.places(result.document, taken.begin, taken.end),
        )  # fmt: skip


def _ranked(results: Results, places: Sequence[int]) -> Iterator[Ranked]:
    documents, offsets, lengths = results.documents, results.offsets, results.lengths
    for at in places:
        end = offsets[at] + lengths[at]
        yield Ranked(documents[at], int(results.elements[at]), offsets[at], end, float(results.scores[at]))


def _place(taken: _Taken) -> tuple[int, int]:
    return taken.result.document, taken.begin


def _document(taken: _Taken) -> int:
    return taken.result.document


def _runs(document: SourceDocument, inside: Sequence[_Taken], begin: int, end: int) -> list[list[_Taken]]:
    """Group the passages inside characters ``[begin, end)`` into runs with little text between them.

    If little is left out, the first run covers the whole range, and empty passages stand for both ends.
    """
    start, stop = (replace(inside[0], begin=at, end=at, text="") for at in (begin, end))
    runs = [[inside[0]]]
    for one, other in pairwise(inside):
        if _is_near(document, one.end, other.begin):
            runs[-1].append(other)
        else:
            runs.append([other])
    runs = [run for run in runs if len(run) > 1]
    if all(_is_near(document, one.end, other.begin) for one, other in pairwise([start, *inside, stop])):
        return [[start, *inside, stop], *runs]
    return runs


def _is_near(document: SourceDocument, begin: int, end: int) -> bool:
    """Whether the text between two passages is short enough to include, such as a heading."""
    return end <= begin or (end - begin <= 4 * SHORTEST and len(prose(document, begin, end)) < SHORTEST)


def _worth_it(begin: int, end: int, hits: Sequence[Hit]) -> bool:
    """Whether a range has a hit, or its element has none."""
    return begin < end and (not hits or any(begin <= hit.begin and hit.end <= end for hit in hits))


def _starts(paragraph: Sequence[Range], document: SourceDocument) -> list[int]:
    """Return the beginnings of a paragraph's sentences."""
    return [begin for each in paragraph for begin, _ in document.sentences(*each)]


def _ends(paragraph: Sequence[Range], document: SourceDocument) -> list[int]:
    """Return the ends of a paragraph's sentences, last first."""
    return [end for each in paragraph for _, end in document.sentences(*each)][::-1]


def longest(characters: int) -> int:
    """Default limit of one passage: a third of the budget, within the length of one to a few paragraphs.

    >>> longest(500), longest(2000), longest(6000), longest(50_000)
    (500, 1200, 2000, 3000)
    """
    return max(150, min(characters, max(1200, min(characters // 3, 3000))))
