"""Comparison of a query with whole titles, ignoring section numbers and small words [QUERY, section 19]."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from trix.indexer.words.analyzer import split_words
from trix.indexer.words.spelling import plain_spellings

CUT = "…"
"""End of a truncated title."""

SURELY_KEPT = 50
"""Length of the beginning of a title that the index has in full, whatever the length of the title and its number."""

_ROMAN = re.compile(r"[ivxlcdm]+")

Spellings = tuple[str, ...]


def is_number(word: str) -> bool:
    """Whether a folded word may number a section: it has a digit, is one letter, or is a Roman number.

    >>> [is_number(word) for word in ("303", "2a", "xiv", "b", "figure")]
    [True, True, True, True, False]
    """
    return len(word) == 1 or any(map(str.isdecimal, word)) or _ROMAN.fullmatch(word) is not None


class AskedTitle:
    """A text that may be a whole title.

    Parameters
    ----------
    text
        The text as typed.
    stopwords
        Folded small words, which are ignored.

    Attributes
    ----------
    words
        Distinct plain spellings by which titles are looked up, longest first. Small words are left out, unless there
        are no others, and so is the part that a truncated title may lack.
    significant
        Plain spellings of all words but the small ones.
    """

    def __init__(self, text: str, stopwords: Collection[str]) -> None:
        self._stopwords, self._text = stopwords, text
        self._all = split_words(text)
        self._query_words = self._significant(self._all)
        # The index cuts long titles, so only words that it has for sure are looked up. The last one may be cut itself.
        kept = self._significant(split_words(text[:SURELY_KEPT])[:-1]) if len(text) > SURELY_KEPT else self._query_words
        self.words = _longest_first(kept)
        self.significant = _longest_first([word for word in self._all if word not in stopwords])

    def _significant(self, words: Sequence[str]) -> list[str]:
        return [word for word in words if word not in self._stopwords] or list(words)

    @property
    def spellings(self) -> list[str]:
        """Possible spellings of a title of one word: as typed, lower case, upper case, capitalised."""
        text = self._text
        return [*dict.fromkeys((text, text.lower(), text.capitalize(), text.title(), text.upper()))]

    def fits(self, title: str) -> bool:
        """Whether a title has exactly the words of the text, apart from a leading number.

        >>> query = AskedTitle("the fees of banks", {"the", "of"})
        >>> [query.fits(title) for title in ("Fees of Banks", "12 (1) Fees of banks", "Bank fees", "Fees of two banks")]
        [True, True, False, False]
        >>> [query.fits(title) for title in ("Figure 2. The fees of banks", "Two Fees of Banks")]
        [True, False]
        """
        words = split_words(title)
        # The title may begin after its number; several beginnings are possible.
        return any(self._says(words[begin:], title.endswith(CUT)) for begin in (0, *_ends_of_numbers(words)))

    def _says(self, words: list[str], cut: bool) -> bool:
        own, wanted = self._significant(words), self._query_words
        # A cut title may lack words at its end, a whole one none.
        if not own or len(own) > len(wanted) or (len(own) < len(wanted) and not cut):
            return False
        return all(map(_alike, own, wanted))


def _longest_first(words: Sequence[str]) -> list[str]:
    # Long words are rare, so the first look-up decides most; letters break ties, for the same order every time.
    return sorted({plain_spellings(word)[0] for word in words}, key=lambda word: (-len(word), word))


def _alike(word: str, other: str) -> bool:
    return word == other or not set(plain_spellings(word)).isdisjoint(plain_spellings(other))


def _ends_of_numbers(words: Sequence[str]) -> list[int]:
    """Return the positions where a title may begin after its number: numbers, each with up to two words before it.

    >>> _ends_of_numbers(["figure", "2", "figure", "supplement", "1", "cells"])
    [2, 5]
    >>> _ends_of_numbers(["fees", "of", "banks"])
    []
    """
    ends, names = list[int](), 0
    for place, word in enumerate(words):
        # Words since the last number: names such as "figure supplement", of which more than two are the title itself.
        names = 0 if is_number(word) else names + 1
        if names > 2:
            break
        if not names:
            ends.append(place + 1)
    return ends
