"""Model of relevance: needs, and drafts of documents in which relevant text clusters.

A *need* is a set of topical words from the middle of the frequency list. For each document and need one number is
drawn. It makes the document relevant, or a mention (it uses topical words and is not relevant), or a stray (systems
retrieve it, assessors do not see it), or unrelated.

In a relevant document the relevant text lies in one to three sections. In each of them a two-state Markov chain runs
over the paragraphs, so relevant paragraphs are neighbours. A run of them is one *highlight*. It may begin at the
second sentence of its first paragraph. If it covers the whole section, it begins at the heading. Words of relevant
text are topical at a raised rate, but a document uses only some of the topical words, and queries may miss it.
Mentions have topical words at a similar rate, in two paragraphs. Each document also has a *theme*: words that recur in
all of its paragraphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trix.datasets.vocabulary import Draws, background, invented_words

TOPICAL, MENTIONED, THEMATIC = 0.06, 0.05, 0.1
"""Share of topical words in relevant text and in mentions, and of theme words in all text."""
SPOKEN, NAMED = 4, 2
"""Topical words that a relevant document uses, and that a mention uses, of six."""
PHRASE = 0.25
"""Share of topical words that occur as a pair, the first two that the document uses."""
STAY, ENTER = 0.75, 0.25
"""Probability that a paragraph after a relevant one is relevant, and after another one."""
MID_SENTENCE = 0.3
"""Probability that a highlight begins at a second sentence."""
EXPECTED, DENSEST = 30, 0.2
"""Expected relevant documents of a need, and the largest share of the collection that they are."""

_THEMES, _THEME_WORDS, _NEED_WORDS = 24, 40, 6
_MIDDLE = slice(150, 2000)  # ranks of topical words


@dataclass(frozen=True, slots=True)
class Need:
    """An information need: its number from 0, and its topical words, the most important first."""

    number: int
    words: tuple[str, ...]


class Highlight(NamedTuple):
    """Relevant paragraphs in a row, by their numbers in the document, with both ends."""

    first: int
    last: int
    section: int | None
    """Number of the section if it is relevant with its heading."""
    second_sentence: bool
    """Whether the relevant text begins at the second sentence of the first paragraph."""


@dataclass(frozen=True, slots=True)
class DraftParagraph:
    """Text of a paragraph.

    Attributes
    ----------
    sentences
        Words of each sentence.
    ending
        Number from 0 to 1 that chooses odd markup for the end of the paragraph.
    items
        Items of a list after the paragraph, each a text; empty without a list.
    caption
        Caption of a figure after the paragraph; empty without a figure.
    link
        Number of the document that the paragraph refers to.
    """

    sentences: tuple[tuple[str, ...], ...]
    ending: float = 1.0
    items: tuple[str, ...] = ()
    caption: str = ""
    link: int = 0


@dataclass(frozen=True, slots=True)
class DraftSection:
    """A section: its heading, its paragraphs, and the paragraph at which a subsection begins (0 for none)."""

    heading: str
    paragraphs: tuple[DraftParagraph, ...]
    subsection: int
    subheading: str


@dataclass(slots=True)
class Draft:
    """A document before markup.

    Attributes
    ----------
    highlights
        Need number -> relevant text, for relevant documents.
    mentions, strays
        Numbers of needs.
    """

    number: int
    title: str
    authors: tuple[tuple[str, str], ...]
    keywords: tuple[str, ...]
    abstract: DraftParagraph
    sections: tuple[DraftSection, ...]
    references: tuple[tuple[str, str, int], ...]
    highlights: dict[int, list[Highlight]] = field(default_factory=dict)
    mentions: list[int] = field(default_factory=list)
    strays: list[int] = field(default_factory=list)


def draw_needs(seed: int, n: int) -> list[Need]:
    """Draw the needs of a collection."""
    middle = invented_words()[_MIDDLE]
    return [Need(number, tuple(Draws(seed, "need", number).several(middle, _NEED_WORDS))) for number in range(n)]


def draw_document(seed: int, number: int, documents: int, needs: Sequence[Need]) -> Draft:
    """Draw one document of a collection; it depends on nothing but the arguments.

    Every need has a document that is relevant in any case.
    """
    draws = Draws(seed, "document", number)
    sizes = [draws.between(2, 8) for _ in range(draws.between(3, 7))]
    highlights, mentions, strays = dict[int, list[Highlight]](), list[int](), list[int]()
    p = min(DENSEST, EXPECTED / documents)
    for need in needs:
        share = draws.share()
        if share < p or need.number * 7919 % documents == number:
            highlights[need.number] = draw_highlights(draws, sizes)
        elif share < 3 * p:
            mentions.append(need.number)
        elif share < 4 * p:
            strays.append(need.number)
    theme = Draws(seed, "theme", draws.below(_THEMES)).several(invented_words()[_MIDDLE], _THEME_WORDS)
    writer = _TextWriter(draws, theme, sum(sizes), documents)
    for need_number, found in highlights.items():
        writer.make_relevant(needs[need_number], found)
    for need_number in mentions:
        writer.mention(needs[need_number])
    wholly = {h.section: needs[n].words[0] for n, found in highlights.items() for h in found if h.section is not None}
    sections, first = [], 0
    for at, size in enumerate(sizes):
        paragraphs = tuple(writer.paragraph(first + i) for i in range(size))
        subsection = draws.between(1, size - 1) if size > 3 and draws.chance(0.5) else 0
        heading = writer.heading([wholly[at]] if at in wholly else [])
        sections.append(DraftSection(heading, paragraphs, subsection, writer.heading([]) if subsection else ""))
        first += size
    main = [needs[n].words[i] for n, found in highlights.items() if len(found) > 1 for i in range(2)][:4]
    return Draft(
        number,
        writer.heading(main),
        tuple((writer.name(), writer.name()) for _ in range(draws.between(1, 3))),
        (*main[:2], *draws.several(theme, 3)),
        writer.plain(),
        tuple(sections),
        tuple((writer.name(), writer.heading([]), draws.between(1970, 1994)) for _ in range(draws.between(2, 5))),
        highlights,
        mentions,
        strays,
    )


def draw_highlights(draws: Draws, sizes: Sequence[int]) -> list[Highlight]:
    """Draw the relevant text of a document with sections of the given numbers of paragraphs."""
    found = []
    begins = [sum(sizes[:at]) for at in range(len(sizes))]
    for section in sorted(draws.several(range(len(sizes)), draws.between(1, 3))):
        size, begin = sizes[section], begins[section]
        start, is_relevant = draws.below(size), False
        relevant = []
        for at in range(size):
            is_relevant = at == start or draws.chance(STAY if is_relevant else ENTER)
            relevant.append(is_relevant)
        for first, last in _runs(relevant):
            whole = last - first + 1 == size
            found.append(
                Highlight(
                    begin + first,
                    begin + last,
                    section if whole else None,
                    not whole and draws.chance(MID_SENTENCE),
                )
            )
    return found


def _runs(flags: Iterable[bool]) -> list[tuple[int, int]]:
    """Return first and last place of each run of flags that are set.

    >>> _runs([True, True, False, True])
    [(0, 1), (3, 3)]
    """
    runs: list[tuple[int, int]] = []
    for at, flag in enumerate(flags):
        if flag and runs and runs[-1][1] == at - 1:
            runs[-1] = (runs[-1][0], at)
        elif flag:
            runs.append((at, at))
    return runs


_Source = tuple[float, Need]
"""Rate of topical words, and the need with the words that occur."""


class _TextWriter:
    """Draws the words of one document."""

    def __init__(self, draws: Draws, theme: Sequence[str], paragraphs: int, documents: int) -> None:
        self._draws, self._theme, self._documents = draws, theme, documents
        self._sources: list[list[_Source]] = [[] for _ in range(paragraphs)]
        self._late: set[tuple[int, int]] = set()  # need and paragraph whose first sentence is not relevant

    def make_relevant(self, need: Need, highlights: Iterable[Highlight]) -> None:
        spoken = self._some(need, SPOKEN)
        for highlight in highlights:
            for paragraph in range(highlight.first, highlight.last + 1):
                self._sources[paragraph].append((TOPICAL, spoken))
            if highlight.second_sentence:
                self._late.add((need.number, highlight.first))

    def mention(self, need: Need) -> None:
        named = self._some(need, NAMED)
        for paragraph in self._draws.several(range(len(self._sources)), 2):
            self._sources[paragraph].append((MENTIONED, named))

    def _some(self, need: Need, n: int) -> Need:
        kept = set(self._draws.several(need.words, n))
        return Need(need.number, tuple(word for word in need.words if word in kept))

    def paragraph(self, number: int) -> DraftParagraph:
        draws = self._draws
        sentences = tuple(
            self._sentence(
                [source for source in self._sources[number] if at > 0 or (source[1].number, number) not in self._late]
            )
            for at in range(draws.between(2, 5))
        )
        items = tuple(self.heading([]) for _ in range(draws.between(2, 4))) if draws.chance(0.08) else ()
        caption = self.heading([]) if draws.chance(0.05) else ""
        return DraftParagraph(sentences, draws.share(), items, caption, draws.below(self._documents))

    def plain(self) -> DraftParagraph:
        return DraftParagraph(tuple(self._sentence([]) for _ in range(2)))

    def _sentence(self, sources: Sequence[_Source]) -> tuple[str, ...]:
        words: list[str] = []
        for _ in range(self._draws.between(7, 18)):
            words += self._words(sources)
        return tuple(words)

    def _words(self, sources: Sequence[_Source]) -> Sequence[str]:
        draws, share = self._draws, self._draws.share()
        for rate, need in sources:
            if share < rate:
                return need.words[:2] if draws.chance(PHRASE) else [draws.among(need.words)]
            share -= rate
        return [draws.among(self._theme) if draws.chance(THEMATIC) else background(draws)]

    def heading(self, words: Sequence[str]) -> str:
        """Draw a heading of two to four words that begins with the given words."""
        more = [self._draws.among(self._theme) for _ in range(max(0, self._draws.between(2, 4) - len(words)))]
        return " ".join([*words, *more]).capitalize()

    def name(self) -> str:
        return self._draws.among(invented_words()).capitalize()
