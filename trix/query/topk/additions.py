"""Additive forms of context, prepared for the compiled search: sentences, titles, word pairs.

Each form adds f times a number of 0 or more that follows from the words in an element or around it. So each document
has an upper bound, and exact numbers are computed last. Additive forms come after the form along the path, if any.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trix.core import topk as core
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.query.context.ancestors import PathForm
from trix.query.context.form import Form
from trix.query.context.own_model import OwnModel
from trix.query.language.terms import Alternatives, Keys, Near, Query, Term
from trix.query.matching.matching import ListReader
from trix.query.matching.query_words import WORDS, SentenceLists, Word, word_weights, words_of
from trix.query.term_cache.lists import KeyCounts
from trix.query.topk.weighing import Weighing
from trix.support.arrays import Int32s, Ints
from trix.support.lru_cache import LruCache

if TYPE_CHECKING:
    from trix.query.context.words import TitlesAbove

SENTENCE, TITLES, PAIRS = 0, 1, 2
"""Kinds of additions, as in `trix.core.topk`."""

_NONE = np.zeros(0)
_NO_KEYS = np.zeros(0, np.int64)
_NO_TITLES = (_NONE,) * 5

KEPT_DOCUMENTS = 1 << 20
"""Largest number of documents in the cache of words in titles."""

NO_ADDITIONS = core.Additions([], _NO_KEYS, None, None)


class TitleDocuments:
    """Cache of the documents with a word in a title.

    Parameters
    ----------
    index
        The index.
    list_of
        Source of posting lists, see `trix.query.matching.matching.ListReader`.
    """

    def __init__(self, index: IndexFiles, list_of: ListReader) -> None:
        self._index, self._list_of = index, list_of
        self._kept: LruCache[tuple[str, Keys], Int32s] = LruCache(KEPT_DOCUMENTS, lambda found: found.size + 1)

    def __call__(self, form: TitlesAbove, keys: Keys) -> Int32s:
        """Return the ascending documents for a form and the keys of a word."""
        name = form.tags, keys
        found = self._kept.known(name)
        if found is None:
            assert form.titles is not None, "the form is bound"
            contents = self._list_of(keys).content_numbers
            # Titles are disjoint ranges in order: the last one that begins at or before a content element holds it,
            # unless it has ended.
            title = np.searchsorted(form.titles.begin, contents, side="right") - 1
            contents = contents[title >= 0]
            contents = contents[contents < form.titles.end[title[title >= 0]]]
            # Bounds need documents alone, so titles are not kept apart: a document enters once.
            documents = np.searchsorted(self._index.first_contents, contents, side="right") - 1
            found = distinct(documents.astype(np.int32))
            self._kept.keep(name, found)
        return found


class AdditiveForm(NamedTuple):
    """A form, and the model of its word pairs, if any."""

    form: Form
    weighing: Weighing | None = None


def adds(form: Form) -> bool:
    """Whether a form adds to scores, and never less than 0."""
    inner = form.form if isinstance(form, OwnModel) else form
    if isinstance(inner, PathForm):  # the usual one, which needs no more modules
        return False
    from trix.query.context.words import Pairs, Sentence, TitlesAbove

    return isinstance(inner, Pairs if isinstance(form, OwnModel) else Sentence | TitlesAbove) and inner.f >= 0


class AdditionWords:
    """Words and pairs that the additive forms of a search use, for one query.

    Parameters
    ----------
    additions
        The forms.
    query
        The query.
    rows
        Row of each key of the query; the keys of its words are added.
    phrases
        Kind of phrases in the query.
    """

    def __init__(self, additions: Sequence[AdditiveForm], query: Query, rows: dict[Keys, int], phrases: str) -> None:
        self._additions, self._words = additions, list[Word]()
        if any(each.weighing is None for each in additions):
            self._words = words_of(query)
        self._keys = [_keys_of(word) for word in self._words]
        # Words get rows of their own after the rows of terms; a word that is also a term shares the term's row.
        for keys in self._keys:
            rows.setdefault(keys, len(rows))
        self._rows = rows
        self._pairs = [
            each.form.query(query).terms if isinstance(each.form, OwnModel) else () for each in additions
        ]  # fmt: skip
        self._row_of_pair: dict[Keys, int] = {}
        # A pair is an exact phrase. It shares the row of an equal phrase of the query only if that one is exact, too.
        shared = phrases == "exact"
        for pair in dict.fromkeys(term.keys for terms in self._pairs for term in terms):
            known = rows.get(pair) if shared else None
            self._row_of_pair[pair] = len(rows) + len(self.more) if known is None else known
        self._query_keys = {term.keys for term in query.terms if term.sign != "-"}

    @property
    def too_many(self) -> bool:
        """Whether the words exceed the bits of a mask."""
        return len(self._words) > WORDS

    @property
    def more(self) -> list[Keys]:
        """Word pairs that are no keys of the query; as phrases they are exact."""
        # New pairs have the rows after all keys, in order of appearance, which is the order in which lists are read.
        known = len(self._rows)
        return [pair for pair, row in self._row_of_pair.items() if row >= known]

    @property
    def implied(self) -> list[int]:
        """Rows of pairs whose holders always hold a term without a minus, too."""
        return [row for pair, row in self._row_of_pair.items() if self._query_keys.intersection(_words_of_pair(pair))]

    @property
    def steps(self) -> int:
        """Upper bound of the number of additions to a score."""
        return len(self._words) + sum(map(len, self._pairs)) + 2 * len(self._additions)

    def greatest(self, key_counts: KeyCounts) -> float:
        """Upper bound of what all forms together add to an element."""
        # A share of words is at most 1, so a form adds at most f; a pair's weight is bounded like that of any term.
        total = 0.0
        for (form, weighing), terms in zip(self._additions, self._pairs, strict=True):
            if weighing is None:
                total += form.f  # type: ignore[attr-defined]
            elif terms:
                total += form.form.f * weighing.greatest(float(len(terms)), key_counts)  # type: ignore[attr-defined]
        return total

    def made(
        self, key_counts: KeyCounts, model: Weighing, longest: int, sentences: SentenceLists, titles: TitleDocuments
    ) -> core.Additions:
        """Return the compiled forms.

        Parameters
        ----------
        key_counts
            Frequency of each key of the query, then of each pair.
        model
            The search's model, whose statistics scope counts words.
        longest
            See `Weighing.numbers`.
        sentences, titles
            Sources of the sentences of words, and of the documents with a word in a title.
        """
        from trix.query.context.words import TitlesAbove

        rows = [self._rows[keys] for keys in self._keys]
        # Words that no content element holds count neither in shares nor in the sum that shares refer to.
        there = [(word, row) for word, row in zip(self._words, rows, strict=True) if key_counts.m[row]]
        words, rows = [word for word, _ in there], [row for _, row in there]
        there_keys = [_keys_of(word) for word in words]
        forms = list[core.CompiledForm]()
        m = model.in_texts(key_counts)[0]
        N = max(model.units.N, 1)
        # No text of another statistics scope may hold the word: at least 1, as ln(N/m) needs.
        counts = np.array([max(m[row], 1) for row in rows], np.int64)
        for (form, weighing), terms in zip(self._additions, self._pairs, strict=True):
            if weighing is not None:
                if terms:
                    forms.append(self._pairs_of(form, weighing, terms, key_counts, longest))
                continue
            weights = word_weights(words, N, counts, form.idf)  # type: ignore[attr-defined]
            everything = float(sum(weights.tolist()))
            if everything > 0:
                share = form.f, weights, everything  # type: ignore[attr-defined]
                if isinstance(form, TitlesAbove):
                    assert form.titles is not None, "the form is bound"
                    documents = [titles(form, keys) for keys in there_keys]
                    forms.append(core.CompiledForm(TITLES, *share, form.titles, documents, None, None, form.own))
                else:
                    forms.append(core.CompiledForm(SENTENCE, *share, _NO_TITLES, (), None, None))
        return core.Additions(
            forms, np.array(rows, np.int64), partial(_sentences_of, sentences, words), sentences.counts
        )  # fmt: skip

    def _pairs_of(
        self, form: Form, weighing: Weighing, terms: Sequence[Term], key_counts: KeyCounts, longest: int
    ) -> core.CompiledForm:
        from trix.query.context.words import Pairs

        assert isinstance(form, OwnModel) and isinstance(form.form, Pairs)
        n, keys = len(terms), len(key_counts.m)
        rows = np.array([self._row_of_pair[term.keys] for term in terms], np.int64)
        # Pairs have no alternative spellings, so r is 0 for all.
        nothing = np.zeros(n)
        numbers = weighing.numbers(float(sum([term.weight for term in terms])), key_counts, longest)
        model = (*numbers, np.array(weighing.idf(key_counts), np.float64), nothing)
        weights = np.array([term.weight for term in terms], np.float64)
        pairs = core.Terms(rows, np.zeros(n, np.int64), np.full(n, -1), weights, keys)
        return core.CompiledForm(PAIRS, form.form.f, _NONE, 0.0, _NO_TITLES, (), pairs, model)


def _keys_of(word: Word) -> Keys:
    """Return the keys of a word's list."""
    if len(word.keys) == 1:
        return word.keys
    return (Alternatives(word.text, tuple((key,) for key in word.keys)),)


def _words_of_pair(pair: Keys) -> set[Keys]:
    keys = pair[0].keys if isinstance(pair[0], Near) else pair
    return {(key,) for key in keys}


def _sentences_of(sentences: SentenceLists, words: Sequence[Word], number: int) -> Ints:
    return sentences(words[number].keys)
