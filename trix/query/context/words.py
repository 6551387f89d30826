"""Forms on query words that stand together or around the element, however often they occur [RETRIEVAL, section 5].

A sentence, the titles above, or the neighbours hold a share of the query's words, from 0 to 1. RS(x) = s(x) + f·Σ g /
Σ g: the numerator sums over the words that are present, the denominator over all words that the collection has. A word
weighs g = w·(ln(N/m))^P, with w its number of occurrences in the query. Word pairs are scored like words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from trix.core.match import add_weights, largest_within, titles_above
from trix.query.context.form import (
    ContextTerm,
    FormExplanation,
    LevelNumbering,
    MeanForm,
    Surroundings,
    form_text,
    format_number,
)
from trix.query.context.horizontal import ContentLevel
from trix.query.language.terms import Near, Query, Term
from trix.query.matching.candidates import Candidates
from trix.query.matching.query_words import Masks, QueryWords, TermMasks, words_of
from trix.query.matching.section_titles import SectionTitles
from trix.support.arrays import Floats, Ints, Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Share(MeanForm):
    """RS(x) = s(x) + f · the share of the query's words that a place near x holds.

    Parameters
    ----------
    f
        Factor of the share.
    idf
        P, the power of ln(N/m); with 0 all words weigh the same.
    words
        The words of the query; None before a query.
    """

    f: float = 1.0
    idf: float = 1.0
    words: QueryWords | None = field(default=None, compare=False, repr=False)

    @property
    def all(self) -> bool:
        """Elements that do not match keep no score."""
        return False

    def of_query(self, words: QueryWords) -> Share:
        """Return the form for the words of one query."""
        return replace(self, words=words)

    @property
    def query_words(self) -> QueryWords:
        """The words of the query."""
        if self.words is None:
            raise RuntimeError("the form has no words before a query is asked")
        return self.words

    def masks(self, candidates: Candidates, term_masks: TermMasks, places: Ints) -> Masks:
        """Return a bit mask of the words around each of some candidates, ``(k,)``."""
        raise NotImplementedError

    def weight(self, candidates: Candidates, places: Ints) -> Floats:
        """Return the weight of the words around each of some candidates, ``(k,)``."""
        total = np.zeros(places.size)
        # 64 words at a time, in query order.
        for term_masks, weights in self.query_words.term_masks(self.idf):
            total = add_weights(total, self.masks(candidates, term_masks, places), weights)
        return total

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the words around one candidate."""
        here = list[bool]()
        for term_masks, weights in self.query_words.term_masks(self.idf):
            # Bit w is word w of this portion.
            mask = int(self.masks(candidates, term_masks, np.array([place]))[0])
            here += [bool(mask >> word & 1) for word in range(weights.size)]
        return self._terms(here)

    def _terms(self, present: Sequence[bool]) -> tuple[ContextTerm, ...]:
        """Return the present words with the numbers of their weights."""
        of = self.query_words
        rows = zip(of.words, of.weights(self.idf).tolist(), of.m.tolist(), present, strict=True)
        return tuple(
            ContextTerm(None, g, 1.0, word=word.text, numbers={"w": word.weight, "N": of.N, "m": m, "P": self.idf})
            for word, g, m, here in rows
            if here
        )

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return the weight of the present words, and of all words."""
        numerator = self.weight(candidates, np.arange(len(candidates)))
        return numerator, np.full(len(candidates), self._everything)

    def apply_to(self, candidates: Candidates, s: Floats, places: Ints) -> Floats:
        """Return new scores, ``(n,)``, that are right for some candidates."""
        everything = self._everything
        # No word of the query is in the collection, or all are everywhere: there is no share.
        if not everything > 0:
            return s
        new = s.copy()
        # Shares first, then the factor: the order of operations as in `apply`.
        new[places] += self.f * (self.weight(candidates, places) / everything)
        return new

    @property
    def _everything(self) -> float:
        return float(sum(self.query_words.weights(self.idf).tolist()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence(Share):
    """The share of the query's words in the best sentence of x."""

    asks_positions: ClassVar[bool] = True

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the words of a candidate's best sentence, the first of equal ones."""
        of, weights = self.query_words, self.query_words.weights(self.idf)
        sums, contents = of.sentences.sums(weights), of.sentences.content_numbers
        # Sentences of an element are those of its range of content elements.
        low, high = np.searchsorted(contents, (candidates.begin[place], candidates.end[place]))
        if low == high:
            return ()
        # argmax takes the first of equal ones.
        best = low + int(np.argmax(sums[low:high]))
        return self._terms([best in places for places in of.sentences.places_of_words])

    def weight(self, candidates: Candidates, places: Ints) -> Floats:
        """Return the weight of the words in the best sentence of each of some candidates, ``(k,)``."""
        contents, sums = self.query_words.best_sentences(self.query_words.weights(self.idf))
        return largest_within(contents, sums, candidates.begin[places], candidates.end[places])

    def __str__(self) -> str:
        return form_text("sentence", self, f=1.0, idf=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TitlesAbove(Share):
    """The share of the query's words in the titles above x: those of its ancestors that do not overlap x.

    Parameters
    ----------
    tags
        Tags of titles, joined by ``+``; empty for the titles of the profile.
    own
        Whether the titles of x itself count, too.
    titles
        The titles of an index; see `bind`.
    """

    tags: str = ""
    own: bool = False
    titles: SectionTitles | None = field(default=None, compare=False, repr=False)

    def bind(self, surroundings: Surroundings) -> TitlesAbove:
        """Bind the form to an index and its titles."""
        return replace(self, titles=surroundings.titles(tuple(filter(None, self.tags.split("+")))))

    @property
    def notice(self) -> str | None:
        """Notice for an index without titles, one line."""
        if self.titles is None or self.titles.begin.size:
            return None
        why = (
            "no element has such a tag" if self.tags else "the profile's [titles] find none; name tags, as titles:head"
        )
        return f"{self} does nothing: {why}"

    def masks(self, candidates: Candidates, term_masks: TermMasks, places: Ints) -> Masks:
        """Return a bit mask of the words in the titles above each of some candidates, ``(k,)``.

        Each child inherits the mask of its parent plus the parent's titles, except a title that is in the child
        itself.
        """
        titles = self.titles
        assert titles is not None, f"{self}: bound with the index"
        # Masks of the titles that hold any word; the others stay 0.
        rows, masks = term_masks.by_range(titles.begin, titles.end)
        bits = np.zeros(titles.begin.size, np.uint64)
        bits[rows] = masks
        # From titles to pairs of a title and an element. Pairs without words are dropped before the walk.
        bits = bits[titles.title]
        some = np.flatnonzero(bits)
        child, above, bits = titles.child[some], titles.above[some], bits[some]
        return titles_above(candidates.element, candidates.parent, child, above, bits, self.own)[places]

    def __str__(self) -> str:
        given = [self.tags] if self.tags else []
        numbers = form_text("titles", self, f=1.0, idf=1.0, own=False).partition(":")[2]
        return ":".join(["titles", *filter(None, [",".join(filter(None, [*given, numbers]))])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours(Share):
    """The share of the query's words that x lacks and its neighbours hold: the nearest members before and after it.

    Parameters
    ----------
    level
        Granularity level of the neighbours, which are in x's document.
    numbering, ranges
        The level in an index, and the content elements of its members; see `bind`.
    """

    level: str = "content"
    numbering: LevelNumbering = field(default=ContentLevel(), compare=False, repr=False)
    ranges: tuple[Ints, Ints] | None = field(default=None, compare=False, repr=False)

    def bind(self, surroundings: Surroundings) -> Neighbours:
        """Bind the form and its level to an index."""
        if self.level == "content":
            return self
        ranges = surroundings.contents(surroundings.at_level(self.level))
        return replace(self, numbering=surroundings.apart(self.level), ranges=ranges)

    def masks(self, candidates: Candidates, term_masks: TermMasks, places: Ints) -> Masks:
        """Return a bit mask of the words that a candidate's neighbours hold and it lacks, ``(k,)``."""
        # Ordinals of members: [first, before) end before the element, [after, last) begin after it.
        first, before, after, last = self.numbering.sides(candidates, places)
        beside = np.zeros(places.size, np.uint64)
        # The nearest on each side, if the document has one.
        for ordinals, there in ((before - 1, before > first), (after, after < last)):
            beside[there] |= term_masks.within(*self._contents(ordinals[there]))
        # Words that the element holds itself do not count twice.
        return beside & ~term_masks.within(candidates.begin[places], candidates.end[places])

    def _contents(self, ordinals: Ints) -> tuple[Ints, Ints]:
        """Return the ranges of content elements of members of the level."""
        if self.ranges is None:
            return ordinals, ordinals + 1
        begin, end = self.ranges
        return begin[ordinals], end[ordinals]

    def __str__(self) -> str:
        text = form_text("neighbours", self, f=1.0, idf=1.0)
        return text if self.level == "content" else f"{text}{',' if ':' in text else ':'}level={self.level}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """RS(x) = s(x) + f · the score of x for pairs of adjacent query words.

    A pair matches if its words are adjacent in the text as well, in order, or near each other. Its score is that of
    the search or of a model of its own, so the form is always wrapped in a `trix.query.context.own_model.OwnModel`.

    Parameters
    ----------
    f
        Factor of the score.
    within
        Largest distance of the two words, in any order; None for adjacent and in order.
    """

    asks_positions: ClassVar[bool] = True
    f: float = 1.0
    within: int | None = None

    @property
    def all(self) -> bool:
        """Elements that do not match keep no score."""
        return False

    def query(self, query: Query) -> Query:
        """Return the query of all pairs: each word at its first occurrence, with the word after it.

        >>> written = Query(tuple(Term((key,)) for key in ("tree", "edit", "distance", "tree")))
        >>> print(Pairs().query(written))
        "tree edit" "edit distance"
        """
        words = words_of(query)
        plain = [word.keys[0] if len(word.keys) == 1 else "" for word in words]  # alternatives are in no pair
        # Neighbours in the query; an empty text keeps its place, so that words around alternatives are no pair.
        pairs = [pair for pair in pairwise(plain) if all(pair)]
        if self.within is None:
            return Query(tuple(Term(pair) for pair in pairs))
        return Query(tuple(Term((Near(pair, self.within),)) for pair in pairs))

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``; `around` are the scores by the pairs."""
        return s if around is None else s + self.f * around

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers of one candidate's new score."""
        score = 0.0 if around is None else float(around[place])
        return FormExplanation(
            (ContextTerm(place, 1.0, score, word="pairs of words"),), score, 1.0, self.f, float(s[place])
        )

    def members(self, candidates: Candidates) -> Mask:
        """Return the candidates that the form scores: all, ``(n,)``."""
        return np.ones(len(candidates), dtype=np.bool_)

    def __str__(self) -> str:
        given = [] if self.f == 1.0 else [f"f={format_number(self.f)}"]
        given += [] if self.within is None else [f"within={self.within}"]
        return ":".join(["pairs", *filter(None, [",".join(given)])])
