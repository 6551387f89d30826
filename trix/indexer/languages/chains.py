"""The chains of an index: one for all its words, or with ``stem`` auto one for each language.

Which language an element is in is known where it is numbered; here it is only a code. Languages without a stemmer
share the chain that does not stem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.languages.codes import checked_language, stemmer_of
from trix.indexer.words.analyzer import BOUNDARY, SWITCH, Analyzer, KeyTable, read_stopwords
from trix.indexer.words.characters import INVISIBLE, is_word_character
from trix.indexer.words.interner import Numbers, Text, text_string
from trix.indexer.words.variants import Given, read_variants

_MARKS = re.compile(f"([{BOUNDARY}{SWITCH}])")

AUTO = "auto"
"""The value of `stem` that means the stemmer of each element's language."""

MAIN = "en"
"""The language of what names none, unless it is said."""


def word_settings(stem: str, stop: str, variants: Given = None, language: str | None = None) -> dict[str, Any]:
    """Return the settings of an index that are about words, checked; they hold all words of lists and tables.

    Where words are stemmed by language the default list is for English ones: those of other languages cost more answers
    than they save, since scores make little of words that are everywhere.

    Raises
    ------
    UsageError
        One of them is wrong.
    """
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
    Chains(found)
    return found


class Chains:
    """The chains that the settings of an index say.

    Parameters
    ----------
    settings
        Of the commit.
    join
        Characters that vanish inside words, from the profile.

    Attributes
    ----------
    main : Analyzer
        The chain of the main language, or of all words.
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
        """Return the chain of a language; nothing stands for the main one."""
        return self._chain(language) if language and self.by_language else self.main

    def of_all(self, languages: Iterable[str]) -> tuple[Analyzer, ...]:
        """Return the chains of some languages, each once, the main one first."""
        return tuple(dict.fromkeys((self.main, *map(self.of, languages))))

    def _chain(self, language: str) -> Analyzer:
        settings = self._settings
        stem = stemmer_of(language) if self.by_language else settings["stem"]
        lists = settings.get("stopwords_by_language")
        listed = language if lists and language in lists else ""
        if (stem, listed) not in self._made:
            words = lists.get(language, ()) if lists else settings["stopwords"]
            self._made[stem, listed] = Analyzer(stem, settings["stop"], words, self._join, self.variants)
        return self._made[stem, listed]


def with_switches(text: str, switches: Sequence[tuple[int, str]]) -> str:
    """Return annotated text with a `SWITCH` where another language begins; a word is in the language of its end.

    >>> with_switches("ab cde", [(0, "en"), (3, "fr"), (5, "en")]) == f"{SWITCH}ab {SWITCH}{SWITCH}cde"
    True
    """
    pieces, last = list[str](), 0
    for place, _ in switches:
        while last < place < len(text) and _in_word(text[place]) and _in_word(text[place - 1]):
            place -= 1
        pieces.append(text[last:place])
        last = place
    return SWITCH.join([*pieces, text[last:]])


def _in_word(character: str) -> bool:
    return is_word_character(character) or character in INVISIBLE


class SeveralChains(Analyzer):
    """The chain of a text whose words are in several languages, for those who look for some keys in it.

    Which language a word is in is not known here, so it has that of the wanted keys which it has in any of them.

    Parameters
    ----------
    chains
        That of most words first.
    wanted
        The keys.
    """

    def __init__(self, chains: Sequence[Analyzer], wanted: frozenset[str]) -> None:
        own = chains[0]
        super().__init__("none", own.stop, own.stopwords, own.join, own.variants)
        self.stem = ""  # none that keeps the first letter of every word
        self._chains, self._wanted = chains, wanted

    def key(self, word: str) -> str | None:
        """Return the key of a folded word; None when a stop list holds it."""
        keys = [chain.key(word) for chain in self._chains]
        return next((key for key in keys if key in self._wanted), keys[0])


class LanguageKeys:
    """Numbers keys and words as `KeyTable` does, each content element by the chain of its language.

    Parameters
    ----------
    chains
        The chains.

    Attributes
    ----------
    vocabulary, words : list of str
        As those of `KeyTable`, of all languages together.
    """

    def __init__(self, chains: Chains) -> None:
        self._chains = chains
        self._keys, self._words = Numbers(), Numbers()
        self.vocabulary, self.words = self._keys.strings, self._words.strings
        self._tables: dict[Analyzer, tuple[KeyTable, _Renumbered, _Renumbered]] = {}

    def __len__(self) -> int:
        """Return the number of distinct raw tokens seen, of each chain."""
        return sum(len(table) for table, *_ in self._tables.values())

    def number_with_switches(
        self, text: Text, languages: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return the same of a text in which a `SWITCH` stands where another language begins; those are given."""
        coming, state, content = iter(languages), "", -1
        pieces, spoken, owner = list[str](), list[str](), list[int]()
        parts = _MARKS.split(
            text_string(text)
        )  # what is before the first mark, then a mark and what is behind it, and so on
        for mark, piece in zip(parts[1::2], parts[2::2], strict=True):
            if mark == SWITCH:
                state = next(coming)
            content += mark == BOUNDARY
            if content >= 0:
                pieces.append(piece)
                spoken.append(state)
                owner.append(content)
        numbers, counts, words = self.number_with_words("".join(f"{BOUNDARY}{piece}" for piece in pieces), spoken)
        return numbers, np.bincount(owner, counts, content + 1).astype(np.int64), words

    def number_with_words(
        self, text: Text, languages: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Return what `KeyTable.number_with_words` does.

        Parameters
        ----------
        text
            Content elements, each behind a `BOUNDARY`.
        languages
            Of each content element.
        """
        numbers, counts, words = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
        stretches = zip(map(self._chains.of, languages), text_string(text).split(BOUNDARY)[1:], strict=True)
        for chain, run in groupby(stretches, lambda each: each[0]):
            table, keys_of, words_of = self._table(chain)
            found = table.number_with_words("".join(f"{BOUNDARY}{stretch}" for _, stretch in run))
            numbers.append(keys_of(found[0]))
            counts.append(found[1])
            words.append(words_of(found[2]))
        return np.concatenate(numbers), np.concatenate(counts), np.concatenate(words)

    def _table(self, chain: Analyzer) -> tuple[KeyTable, _Renumbered, _Renumbered]:
        if chain not in self._tables:
            table = KeyTable(chain)
            pair = _Renumbered(table.vocabulary, self._keys), _Renumbered(table.words, self._words)
            self._tables[chain] = table, *pair
        return self._tables[chain]


class _Renumbered:
    """From the numbers of one table's strings, which become more, to common ones."""

    def __init__(self, strings: list[str], common: Numbers) -> None:
        self._strings, self._common = strings, common
        self._numbers = np.zeros(0, np.int32)

    def __call__(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        if self._numbers.size < len(self._strings):
            new = [self._common[string] for string in self._strings[self._numbers.size :]]
            self._numbers = np.concatenate([self._numbers, np.array(new, np.int32)])
        return self._numbers[numbers]
