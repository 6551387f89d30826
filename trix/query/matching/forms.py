"""Other forms of a word: the words of an index that have its key and another spelling [QUERY, section 21]."""

from __future__ import annotations

from itertools import takewhile

from trix.indexer.store.files import IndexFiles
from trix.indexer.words.multi_key import parts
from trix.indexer.words.spelling import plain_spelling
from trix.query.language.terms import Query
from trix.support.lru_cache import LruFunction

KEPT = 4096
"""Number of words with a cached answer whether they have other forms."""

REORDERED = 10
"""Largest number of first results that are reordered by typed forms."""

MOST = 20
"""Largest number of words of a query whose forms count; in longer queries no single form matters."""

SHORTEST = 2
"""Length of the shortest prefix by which other forms are looked up."""


class WordForms:
    """Tells which words of a query have several forms in an index.

    Parameters
    ----------
    index
        The index.
    accents
        ``fold`` or ``keep``: spellings that differ in what does not count are one form.
    """

    def __init__(self, index: IndexFiles, accents: str) -> None:
        self._index, self.accents = index, index.accents(accents)
        self._known: LruFunction[str, bool] = LruFunction(self._look_up, KEPT)

    def several(self, words: str) -> frozenset[str]:
        """Return the words of a text that have other forms, in plain spelling; none of a long text."""
        # Each word once, in the order of the text.
        each = dict.fromkeys(self._index.analyzer.words(words))
        return frozenset(self._plain(word) for word in each if len(each) <= MOST and self._known(word))

    def typed_words(self, typed: str, query: Query) -> frozenset[str]:
        """Return those of the words of a query, as it is typed, that are terms without minus or words of a phrase.

        Patterns, fuzzy words and alternatives stand for their forms, so that none of these is the typed one.
        """
        if not (words := self.several(typed)):
            return words
        # Patterns and alternatives are no strings: they have no typed form.
        terms = (term for term in query.own_terms if term.sign != "-")
        keys = {key for term in terms for joint in term.keys if isinstance(joint, str) for key in parts(joint)}
        chosen = (word for word in self._index.analyzer.words(typed) if not keys.isdisjoint(self._keys(word)))
        return words.intersection(map(self._plain, chosen))

    def _plain(self, word: str) -> str:
        return plain_spelling(word, self.accents)

    def _keys(self, word: str) -> set[str]:
        return {key for each in self._index.analyzers if (key := each.key(word)) is not None}

    def _look_up(self, word: str) -> bool:
        """Whether the index has another form of a word.

        Candidates begin with the common prefix of the word and its key, or with this prefix without its last letter:
        *city* and the key of *cities*, for example, share all but that letter. So few words are examined.
        """
        own, keys = self._plain(word), self._keys(word)
        # Without stemming, no other word has the key of a word that is its own key.
        common = {common_beginning(own, self._plain(key)) for key in keys if key != word or self._stems}
        shorter = {each[: max(SHORTEST, len(each) - 1)] for each in common}
        # The longer prefix first: fewer words begin with it, and it usually decides.
        return any(self._begins(each, own, keys) for some in (common, shorter - common) for each in some if each)

    @property
    def _stems(self) -> bool:
        return any(each.stem != "none" or each.variants for each in self._index.analyzers)

    def _begins(self, letters: str, own: str, keys: set[str]) -> bool:
        """Whether a word that begins with some letters is another form."""
        found = self._index.words.fitting(f"{letters}*", self.accents)
        others = [word for word in found if self._plain(word) != own]
        return any(not keys.isdisjoint(analyzer.keys_of(others)) for analyzer in self._index.analyzers)


def common_beginning(one: str, other: str) -> str:
    """Return the letters with which two words begin.

    >>> common_beginning("medications", "medic"), common_beginning("flies", "fly")
    ('medic', 'fl')
    """
    return one[: sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))]
