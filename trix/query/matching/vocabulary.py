"""Vocabulary of an index for query parsers: keys, expansion of patterns, correction of misspelt words.

A word has a key in each language of the collection. If accents do not count, it stands for all words of the index
that differ from it in accents only. Either way it is one term, see `trix.indexer.words.multi_key`.

A pattern stands for the keys of the words that match it, so that other forms of these words match as well. The
frequency of a word is its number of documents.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.strings import StringTable, encode_strings
from trix.indexer.store.words import Spellings
from trix.indexer.words.located import locate_words
from trix.indexer.words.multi_key import joined, parts
from trix.indexer.words.spelling import plain_spelling
from trix.query.language.keywords import Correction, TooManyWordsError, WordMatches


class QueryChain:
    """Analyzer for queries on an index.

    Parameters
    ----------
    index
        The index.
    accents
        ``fold`` or ``keep``; an index that was built to keep them keeps them.
    language
        Language of the query, whose stop list applies, see `language_of_query`. Without it, only words on every stop
        list are dropped.
    """

    def __init__(self, index: IndexFiles, accents: str = "fold", language: str = "") -> None:
        self._index, self._analyzers, self.join = index, index.analyzers, index.analyzer.join
        self._accents = index.accents(accents)
        self._own_chain = index.chains.of(language) if language else None
        self.key, self.words = lru_cache(maxsize=1024)(self._key), lru_cache(maxsize=1024)(self._words)

    def _words(self, text: str) -> Sequence[str]:
        """Return the folded words of a text."""
        return tuple(self._index.analyzer.words(text))

    def _key(self, word: str) -> str | None:
        """Return the key of a folded word, a joint key for several; None for a stop word."""
        # In the query's own language a stop word has no key, whatever other languages make of it.
        own = self._keys(word)
        if not own or (self._own_chain is not None and self._own_chain.key(word) is None):
            return None
        others = self._index.words.alike(word, self._accents)
        # Only keys that live documents have: others would cost look-ups, and add nothing.
        also = [key for other in others for key in self._keys(other) if key not in own and self._has(key)]
        if len(own) > 1:
            # At least one key stays: a word that no document has is a term, too.
            own = [key for key in own if self._has(key)] or own[:1]
        return joined(own, also)

    def _keys(self, word: str) -> list[str]:
        return [key for analyzer in self._analyzers if (key := analyzer.key(word)) is not None]

    def _has(self, key: str) -> bool:
        wanted = key.encode("utf-8", "surrogateescape")
        return any(live.has(wanted) for live in self._index.live)


MOST_WORDS = 1000
"""Largest number of words that a pattern matches; the most frequent ones are taken."""

SHORT = 5
"""Length of a fuzzy word below which its first letter must match."""

SHORTEST = 4
"""Smallest length of an unknown word that is corrected.

A word of just this length is corrected only if two neighbours changed places, or a letter is missing. Three of four
correct words that an index lacks are one edit away from one of its words; with this rule one of five is replaced.
"""

LONG = 8
"""Length from which a word is corrected by two edits; every second shorter correct word would be replaced."""

MOST_TOGETHER = 10_000
"""Largest number of words that all patterns and fuzzy words of a query match together."""

MOST_SCANS = 10
"""Largest number of patterns with an initial wildcard in a query; each scans the whole vocabulary."""

MOST_FUZZY = 50
"""Largest number of fuzzy words in a query."""

MOST_EXPLAINED = 20
"""Largest number of unknown words of a query that notices explain."""

_SUGGESTED = 3

_WITHOUT_BLANKS = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Letters of Chinese, Japanese, Thai, Lao, Khmer and Burmese, which have no blanks between words.

Their tokens are whole stretches of text between blanks or signs.
"""

_HANGUL = "[\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff]"
"""Letters of Korean, whose tokens include the particles after a word."""


class IndexVocabulary:
    """Words of an index, as query parsers look them up.

    Parameters
    ----------
    index
        The searched index.
    accents
        ``fold`` or ``keep``, for patterns and fuzzy words.
    """

    def __init__(self, index: IndexFiles, accents: str = "fold") -> None:
        self._index, self._accents = index, index.accents(accents)
        self._closest = lru_cache(maxsize=256)(self._find_closest)
        self._absent = lru_cache(maxsize=4096)(self._find_absent)
        self._inside = lru_cache(maxsize=256)(self._find_inside)
        self._fitting, self._near = lru_cache(maxsize=64)(self._find_fitting), lru_cache(maxsize=64)(self._find_near)

    def fitting(self, pattern: str) -> WordMatches:
        """Return the words that match a pattern with ``*`` and ``?``."""
        return self._fitting(pattern)

    def inside(self, word: str) -> str:
        """Return the pattern for a word that occurs inside longer words; empty if it stands for itself.

        A word of at least two letters in a script without blanks may be anywhere in a stretch of letters. A Korean
        word may have particles after it.
        """
        return self._inside(word)

    def _find_inside(self, word: str) -> str:
        if word.isascii() or len(word) < 2:  # a letter is in too many
            return ""
        pattern = next(iter(_patterns(word)), "")
        # A pattern that fits the word alone adds nothing.
        found = self._index.words.fitting(pattern, self._accents) if pattern else {}
        return pattern if found.keys() - {word} else ""

    def _find_fitting(self, pattern: str) -> WordMatches:
        return self._found(self._index.words.fitting(pattern, self._accents))

    def near(self, word: str, edits: int) -> WordMatches:
        """Return the words within an edit distance of a word; of a short word only those with its first letter."""
        return self._near(word, edits)

    def _find_near(self, word: str, edits: int) -> WordMatches:
        near = self._index.words.near(word, edits, first_letter=len(word) < SHORT, accents=self._accents)
        return self._found(near)

    def absent(self, word: str, key: str, text: str, *, explained: bool = True) -> str:
        """Return the notice for a word whose key no document has; empty if one has it.

        The notice quotes the word as in `text` and, if `explained`, suggests others.
        """
        notice = self._absent(word, key) if explained else "no document has {}" if self.lacks(key) else ""
        if not notice:
            return ""
        return notice.format(self._as_typed(word, text))

    def _as_typed(self, word: str, text: str) -> str:
        written = ((own, text[begin:end]) for own, begin, end in locate_words(text, self._index.analyzer.join))
        return next((typed for own, typed in written if own == word), word)

    def correction(self, word: str, text: str) -> Correction | None:
        """Return the nearest word for one whose key no document has.

        Ties in edit distance are broken by document frequency, then by code points. None if a stop word is as near.

        Parameters
        ----------
        word
            The unknown word, folded.
        text
            A text that has it as typed.
        """
        # Words with digits, such as names of genes, are mostly right; longer stretches with the word are a better
        # offer.
        letters = sum(map(str.isalpha, word))
        if letters < SHORTEST or any(map(str.isnumeric, word)) or self._stretches(word):
            return None
        # Two edits turn a short word into almost any other. A stop word as near may be what the user typed.
        edits, words = self._closest(word)
        if (edits > 1 and letters < LONG) or self._stopped.near(word, edits, first_letter=False).size:
            return None
        others = [other for other in words if not any(map(str.isnumeric, other))]
        if letters == SHORTEST:
            plain = {other: plain_spelling(other) for other in others}
            own = plain_spelling(word)
            # Same letters in another order: two of them changed places. Else the other word has the letter that is
            # missing.
            swapped = [other for other in others if sorted(plain[other]) == sorted(own)]
            others = swapped or [other for other in others if len(plain[other]) > len(own)]
        if not others:
            return None
        typed, other = self._as_typed(word, text), others[0]
        shown = f'showing results for {other} ({words[other]:,}); "{typed}" in quotes is kept'
        return Correction(other, f"no document has {typed}: {shown}")

    @cached_property
    def _stopped(self) -> Spellings:
        words = set[str]().union(*(analyzer.stopwords for analyzer in self._index.analyzers))
        return Spellings(StringTable(*encode_strings(sorted(words))))

    def lacks(self, key: str) -> bool:
        """Whether no document has a key."""
        wanted = [each.encode("utf-8", "surrogateescape") for each in parts(key)]
        return not any(live.has(each) for live in self._index.live for each in wanted)

    def _find_absent(self, word: str, key: str) -> str:
        if not self.lacks(key):
            return ""
        if stretches := self._stretches(word):
            return f"no document has {{}} between blanks or signs; did you mean {' or '.join(stretches)}?"
        offers = [f"{other} ({count:,})" for other, count in self._suggest(word)]
        together = " or ".join([", ".join(offers[:-1]), *offers[-1:]] if len(offers) > 1 else offers)
        return "no document has {}" + (f"; did you mean {together}?" if together else "")

    def _stretches(self, word: str) -> list[str]:
        """Return patterns for longer stretches of letters that contain a word, each with their number."""
        counts = {pattern: len(self._index.words.fitting(pattern, self._accents)) for pattern in _patterns(word)}
        counts = {pattern: count for pattern, count in counts.items() if count}
        if len(set(counts.values())) < 2:  # what holds the word begins with it
            counts = dict(list(counts.items())[:1])
        return [f"{pattern} (in {count:,} stretch{'' if count == 1 else 'es'})" for pattern, count in counts.items()]

    def _found(self, words: dict[str, int]) -> WordMatches:
        notice = ""
        if not words:
            notice = "no word of the index fits {}"
        elif len(words) > MOST_WORDS:
            notice = f"{{}} fits {len(words):,} words, of which the {MOST_WORDS:,} most frequent count"
        # The most frequent first, so the cut loses least.
        kept = tuple(words.items())[:MOST_WORDS]
        keys = dict.fromkeys(key for word, _ in kept for key in self._keys(word))
        return WordMatches(kept, tuple(keys), notice)

    def _keys(self, word: str) -> list[str]:
        return [key for chain in self._index.analyzers if (key := chain.key(word)) is not None] or [word]

    def _suggest(self, word: str) -> tuple[tuple[str, int], ...]:
        """Return some of the nearest words, those with the same first letter first: it is seldom wrong."""
        first = sorted(self._closest(word).words.items(), key=lambda each: each[0][0] != word[0])
        return tuple(first[:_SUGGESTED])

    def _find_closest(self, word: str) -> _Closest:
        # One edit turns a word of two letters into any other short word.
        if len(word) < 3 or not any(map(str.isalpha, word)):
            return _Closest(0, {})
        # One edit before two: the second search costs far more, and its words are worse.
        for edits in (1, 2) if len(word) >= SHORT else (1,):
            if found := self._index.words.near(word, edits, accents=self._accents):
                return _Closest(edits, found)
        return _Closest(0, {})


def _patterns(word: str) -> list[str]:
    """Return the patterns of stretches of letters that contain a word; none for a script with blanks.

    A word of a script without blanks can be anywhere in a stretch. A Korean one usually begins it, with particles
    after it; compounds have other words before it.

    >>> _patterns("背景"), _patterns("도서관"), _patterns("word")
    (['*背景*'], ['도서관*', '*도서관*'], [])
    """
    if re.search(_WITHOUT_BLANKS, word):
        return [f"*{word}*"]
    return [f"{word}*", f"*{word}*"] if re.search(_HANGUL, word) else []


class _Closest(NamedTuple):
    """Words at the smallest edit distance, with their document frequencies, most frequent first."""

    edits: int
    words: dict[str, int]


class QueryVocabulary:
    """The words of an index for one query, with bounds on the work that the query may cause.

    Parameters
    ----------
    vocabulary
        The words; None only to count the look-ups of a query beforehand.
    corrects
        Whether unknown words are corrected.
    """

    def __init__(self, vocabulary: IndexVocabulary | None, corrects: bool = False) -> None:
        self._vocabulary, self._corrects = vocabulary, corrects
        self._scans, self._fuzzy = set[str](), set[tuple[str, int]]()
        self._words, self._explained = dict[str, int](), set[str]()

    def fitting(self, pattern: str) -> WordMatches:
        """Return the words that match a pattern with ``*`` and ``?``.

        Raises
        ------
        TooManyWordsError
            A bound is passed.
        """
        # Without a literal prefix the whole vocabulary is scanned.
        if pattern[:1] in ("*", "?"):
            # A set: the same pattern twice is scanned once, since its result is cached.
            self._scans.add(pattern)
            if len(self._scans) > MOST_SCANS:
                raise TooManyWordsError(f"expected at most {MOST_SCANS} patterns that begin with * or ? in one query")
        return self._counted(pattern, None if self._vocabulary is None else self._vocabulary.fitting(pattern))

    def inside(self, word: str) -> str:
        """Return the pattern for a word; empty if it stands for itself, or after enough look-ups."""
        return "" if self._vocabulary is None or len(self._scans) >= MOST_SCANS else self._vocabulary.inside(word)

    def near(self, word: str, edits: int) -> WordMatches:
        """Return the words within an edit distance of a word.

        Raises
        ------
        TooManyWordsError
            A bound is passed.
        """
        self._fuzzy.add((word, edits))
        if len(self._fuzzy) > MOST_FUZZY:
            raise TooManyWordsError(f"expected at most {MOST_FUZZY} words with ~ in one query")
        found = None if self._vocabulary is None else self._vocabulary.near(word, edits)
        return self._counted(f"{word}~{edits}", found)

    def _counted(self, written: str, found: WordMatches | None) -> WordMatches:
        if found is None:
            return WordMatches((), ())
        self._words[written] = len(found.words)
        # Bounds the merged postings of one query, which grow with the words that match.
        if sum(self._words.values()) > MOST_TOGETHER:
            most = f"patterns and words with ~ that fit at most {MOST_TOGETHER:,} words together"
            raise TooManyWordsError(f"expected {most} in one query; write longer ones")
        return found

    def absent(self, word: str, key: str, text: str) -> str:
        """Return the notice for a word whose key no document has; empty if one has it."""
        if self._vocabulary is None:
            return ""
        explained = len(self._explained) < MOST_EXPLAINED or word in self._explained
        notice = self._vocabulary.absent(word, key, text, explained=explained)
        if notice and explained:
            self._explained.add(word)
        return notice

    def correction(self, word: str, text: str) -> Correction | None:
        """Return the correction of an unknown word, within the bound on corrections."""
        if self._vocabulary is None or not self._corrects or word not in self._explained:
            return None
        return self._vocabulary.correction(word, text)
