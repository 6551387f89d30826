"""Analyzers of an index: one for all words, or one per language if ``stem`` is ``auto``.

Languages are plain codes here; other modules find the language of an element. Languages without a stemmer share the
analyzer that does not stem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.languages.codes import checked_language, stemmer_of
from trix.indexer.words.analyzer import BOUNDARY, SWITCH, Analyzer, KeyTable, read_stopwords
from trix.indexer.words.characters import INVISIBLE, is_word_character
from trix.indexer.words.interner import StringInterner, Text, text_string

if TYPE_CHECKING:
    from trix.indexer.words.variants import Given

_MARKS = re.compile(f"([{BOUNDARY}{SWITCH}])")

AUTO = "auto"
"""Value of `stem` that selects the stemmer by the language of the element."""

MAIN = "en"
"""Default language of elements that name none."""


def word_settings(stem: str, stop: str, variants: Given = None, language: str | None = None) -> dict[str, Any]:
    """Check the settings about words; the result includes the stop words and variants themselves.

    With ``stem="auto"``, the default stop list applies to English only. In other languages stop lists cost more answers
    than they save, since common words score low anyway.

    Raises
    ------
    UsageError
        A setting is invalid.
    """
    from trix.indexer.words.variants import read_variants

    stem, main = stem.lower(), checked_language(language or MAIN)
    english_only = stem == AUTO and stop == "default"
    words = [] if english_only and main != "en" else read_stopwords(stop)
    found = {
        "stem": stem,
        "stop": stop,
        "stopwords": sorted(words),
        "language": main,
        "variants": read_variants(variants),
    }
    if stem == AUTO:
        found["stopwords_by_language"] = {"en": read_stopwords(stop)} if english_only else {}
    # Fails here, not at the first document, if a stemmer is unknown.
    Chains(found)
    return found


class Chains:
    """Analyzers that the settings of an index describe.

    Parameters
    ----------
    settings
        Settings of the commit.
    join
        Characters that vanish inside words, from the profile.

    Attributes
    ----------
    main : Analyzer
        Analyzer of the main language, or of all words.
    language : str
        The main language.
    """

    def __init__(self, settings: Mapping[str, Any], join: str = "") -> None:
        self._settings, self._join = settings, join
        self.variants: Mapping[str, str] = settings["variants"]
        self.by_language = settings["stem"] == AUTO
        self.language: str = settings["language"]
        self._made: dict[tuple[str, str], Analyzer] = {}
        self.main = self._chain(self.language)

    def of(self, language: str) -> Analyzer:
        """Return the analyzer of a language; the empty string is the main language."""
        return self._chain(language) if language and self.by_language else self.main

    def of_all(self, languages: Iterable[str]) -> tuple[Analyzer, ...]:
        """Return the distinct analyzers of several languages, the main one first."""
        return tuple(dict.fromkeys((self.main, *map(self.of, languages))))

    def _chain(self, language: str) -> Analyzer:
        settings = self._settings
        stem = stemmer_of(language) if self.by_language else settings["stem"]
        lists = settings.get("stopwords_by_language")
        listed = language if lists and language in lists else ""
        # Languages with the same stemmer and stop list share an analyzer, which keeps key tables few.
        if (stem, listed) not in self._made:
            words = lists.get(language, ()) if lists else settings["stopwords"]
            self._made[stem, listed] = Analyzer(stem, settings["stop"], words, self._join, self.variants)
        return self._made[stem, listed]


def with_switches(text: str, switches: Sequence[tuple[int, str]]) -> str:
    """Insert a `SWITCH` where the language changes. A word belongs to the language at its end.

    >>> with_switches("ab cde", [(0, "en"), (3, "fr"), (5, "en")]) == f"{SWITCH}ab {SWITCH}{SWITCH}cde"
    True
    """
    pieces, last = list[str](), 0
    for place, _ in switches:
        # A change inside a word moves to its beginning: words are never split.
        while last < place < len(text) and _in_word(text[place]) and _in_word(text[place - 1]):
            place -= 1
        pieces.append(text[last:place])
        last = place
    return SWITCH.join([*pieces, text[last:]])


def _in_word(character: str) -> bool:
    return is_word_character(character) or character in INVISIBLE


class MixedChain(Analyzer):
    """Analyzer of a text in several languages, used to find given keys in it.

    The language of a word is not known here. A word gets the first wanted key that any language gives it.

    Parameters
    ----------
    chains
        Analyzers; the one of most words first.
    wanted
        Keys to find.
    """

    def __init__(self, chains: Sequence[Analyzer], wanted: frozenset[str]) -> None:
        own = chains[0]
        super().__init__("none", own.stop, own.stopwords, own.join, own.variants)
        self.stem = ""  # not the name of a stemmer that keeps first letters
        self._chains, self._wanted = chains, wanted

    def key(self, word: str) -> str | None:
        """Return the key of a folded word, or None for a stop word."""
        keys = [chain.key(word) for chain in self._chains]
        return next((key for key in keys if key in self._wanted), keys[0])


class LanguageKeys:
    """Numbers keys and words like `KeyTable`, with one analyzer per language.

    Parameters
    ----------
    chains
        Analyzers by language.

    Attributes
    ----------
    vocabulary, words : list of str
        Like those of `KeyTable`, for all languages together.
    """

    def __init__(self, chains: Chains) -> None:
        self._chains = chains
        self._keys, self._words = StringInterner(), StringInterner()
        self.vocabulary, self.words = self._keys.strings, self._words.strings
        self._tables: dict[Analyzer, tuple[KeyTable, _NumberMap, _NumberMap]] = {}

    def __len__(self) -> int:
        """Return the number of distinct raw tokens, summed over analyzers."""
        return sum(len(table) for table, *_ in self._tables.values())

    def number_with_switches(
        self, text: Text, languages: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Number the keys and words of a text with `SWITCH` marks; `languages` names the language after each mark."""
        coming, state, content = iter(languages), "", -1
        pieces, states, owner = list[str](), list[str](), list[int]()
        parts = _MARKS.split(text_string(text))  # text before the first mark, then marks and texts in turn
        # Each stretch of one language becomes a piece; `owner` maps pieces back to content elements.
        for mark, piece in zip(parts[1::2], parts[2::2], strict=True):
            if mark == SWITCH:
                state = next(coming)
            content += mark == BOUNDARY
            if content >= 0:
                pieces.append(piece)
                states.append(state)
                owner.append(content)
        numbers, counts, words = self.number_with_words("".join(f"{BOUNDARY}{piece}" for piece in pieces), states)
        return numbers, np.bincount(owner, counts, content + 1).astype(np.int64), words

    def number_with_words(
        self, text: Text, languages: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Number the keys and words of a text like `KeyTable.number_with_words`.

        Parameters
        ----------
        text
            Content elements, each after a `BOUNDARY`.
        languages
            Language of each content element.
        """
        numbers, counts, words = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        stretches = zip(map(self._chains.of, languages), text_string(text).split(BOUNDARY)[1:], strict=True)
        # Neighbours with the same analyzer are numbered in one call.
        for chain, run in groupby(stretches, lambda each: each[0]):
            table, keys_of, words_of = self._table(chain)
            found = table.number_with_words("".join(f"{BOUNDARY}{stretch}" for _, stretch in run))
            numbers.append(keys_of(found[0]))
            counts.append(found[1])
            words.append(words_of(found[2]))
        return np.concatenate(numbers), np.concatenate(counts), np.concatenate(words)

    def _table(self, chain: Analyzer) -> tuple[KeyTable, _NumberMap, _NumberMap]:
        if chain not in self._tables:
            table = KeyTable(chain)
            pair = _NumberMap(table.vocabulary, self._keys), _NumberMap(table.words, self._words)
            self._tables[chain] = table, *pair
        return self._tables[chain]


class _NumberMap:
    """Maps the numbers of a growing table of strings to common numbers."""

    def __init__(self, strings: list[str], common: StringInterner) -> None:
        self._strings, self._common = strings, common
        self._numbers = np.zeros(0, np.int32)

    def __call__(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        # The table may have grown since the last call.
        if self._numbers.size < len(self._strings):
            new = [self._common[string] for string in self._strings[self._numbers.size :]]
            self._numbers = np.concatenate([self._numbers, np.array(new, np.int32)])
        return self._numbers[numbers]
