"""Analyzer: the chain from text to keys, shared by documents and queries.

The chain has five steps, in this order [RETRIEVAL, section 2]: remove characters that vanish inside words, fold, cut
into *words*, apply the stop list, stem. A word is a maximal run of letters, marks and numbers with at least one letter
or number. Its *key* is the result of the chain.

There are two implementations. `Analyzer.words` is literal: queries and snippets use it, and it is the oracle for the
other. `KeyTable` is fast: collections use it. It cuts raw text into raw tokens by character class and remembers them,
so that the chain runs once per distinct raw token. The class is wide enough that folding a raw token alone equals
folding the whole text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import compress
from pathlib import Path
from threading import local
from typing import Any, cast

import numpy as np
import Stemmer
from numpy.typing import NDArray

from trix.core.words import number_keys
from trix.errors import FormatError, UsageError
from trix.indexer.words.characters import INVISIBLE, fold, is_word_character
from trix.indexer.words.interner import Interner, StringInterner, Text, text_string
from trix.support.input_files import read_input_text

SWITCH = "\x05"
"""Language switch: marks the start of another language in text for several chains."""
BOUNDARY = "\x01"
"""Marks the start of a content element in text for `KeyTable`; cannot occur in XML."""


def split_words(text: str, join: str = "") -> list[str]:
    """Split text into folded words, literally by the rules.

    Parameters
    ----------
    text
        Character data.
    join
        Extra characters that vanish inside words, besides `INVISIBLE`.

    Examples
    --------
    >>> split_words("User-centred XML (H2O), Bücher\u00ad regal")
    ['user', 'centred', 'xml', 'h2o', 'bücher', 'regal']
    """
    if text.isascii() and not join:
        return re.findall(r"[a-z0-9]+", text.lower())
    folded = fold(text.translate(_vanishing(join)))
    if folded.isalnum():
        return [folded]  # letters and numbers alone, like most single words
    others = {ord(c): " " for c in set(folded) if not is_word_character(c)}
    return [w for w in folded.translate(others).split() if any(unicodedata.category(c)[0] in "LN" for c in w)]


@lru_cache(maxsize=8)
def _vanishing(join: str) -> dict[int, None]:
    return dict.fromkeys(map(ord, INVISIBLE + join))


_PLAIN_WORD = re.compile("[A-Za-z0-9]")


def has_word(text: str) -> bool:
    """Whether a text has a word: a letter or a number after folding.

    >>> has_word("(—)"), has_word("№")
    (False, True)
    """
    if _PLAIN_WORD.search(text):
        return True
    return not text.isascii() and any(unicodedata.category(c)[0] in "LN" for c in fold(text))


class Analyzer:
    """Chain from text to keys, as configured for one index.

    Parameters
    ----------
    stem
        ``"porter"`` (default), ``"none"``, or a Snowball language (``"german"``).
    stop
        ``"default"`` (our list), ``"none"``, or the path of a file with one word a line.
    stopwords
        The stop words themselves. An opened index passes them, so that it needs no file.
    join
        Characters that vanish inside words, from the profile.
    variants
        Words that are replaced by others; see `trix.indexer.words.variants`.

    Examples
    --------
    >>> Analyzer(stop="none").keys("Retrieving retrieved elements")
    ['retriev', 'retriev', 'element']
    """

    def __init__(
        self,
        stem: str = "porter",
        stop: str = "default",
        stopwords: Iterable[str] | None = None,
        join: str = "",
        variants: Mapping[str, str] | None = None,
    ) -> None:
        stem = stem.lower()
        self.stem, self.stop, self.join, self.variants = stem, stop, join, variants or {}
        self.stopwords = frozenset(read_stopwords(stop) if stopwords is None else stopwords)
        self._stemmer = None if stem == "none" else _Stemmer(stem)

    @property
    def keeps_all(self) -> bool:
        """Whether every word is its own key."""
        return not (self._stemmer or self.stopwords or self.variants)

    def words(self, text: str) -> list[str]:
        """Split text into folded words, before stop list and stemming."""
        return split_words(text, self.join)

    def key(self, word: str) -> str | None:
        """Return the key of a folded word, or None for a stop word.

        If the stemmer leaves nothing (Porter's of ``s``), the word is its own key.
        """
        word = self.variants.get(word, word)
        if word in self.stopwords:
            return None
        return self._stemmer.stemmed(word) or word if self._stemmer else word

    def keys_of(self, words: Sequence[str]) -> Sequence[str | None]:
        """Vectorised `key`."""
        if self.keeps_all:
            return words
        words = [self.variants.get(word, word) for word in words] if self.variants else words
        stems = self._stemmer.all_stemmed(words) if self._stemmer else words
        return [None if word in self.stopwords else stem or word for word, stem in zip(words, stems, strict=True)]

    def keys(self, text: str) -> list[str]:
        """Return the keys of a text, in order."""
        return [key for word in self.words(text) if (key := self.key(word)) is not None]


class _Stemmer(local):
    """Snowball stemmer, one per thread: a `Stemmer` buffers one word and is not thread-safe."""

    def __init__(self, name: str) -> None:
        if name not in Stemmer.algorithms():
            known = ", ".join(sorted(Stemmer.algorithms()))
            raise UsageError(f"no such stemmer; known are none, auto, {known}", field="stem", got=name)
        stemmer = Stemmer.Stemmer(name)
        self.stemmed: Callable[[str], str] = stemmer.stemWord
        self.all_stemmed: Callable[[Sequence[str]], list[str]] = stemmer.stemWords


def read_stopwords(stop: str) -> list[str]:
    """Read a stop list: ``"default"``, ``"none"``, or a file with one word a line and ``#`` comments."""
    if stop in ("none", "default"):
        return list(_default_stopwords()) if stop == "default" else []
    try:
        return _folded_words(read_input_text(Path(stop)))
    except FormatError as error:
        raise UsageError(f"the stop list {error.reason}", field="stop", got=stop) from None


@cache
def _default_stopwords() -> list[str]:
    return _folded_words((Path(__file__).parent / "stop" / "default.txt").read_text("utf-8"))


def _folded_words(text: str) -> list[str]:
    return sorted({word for line in text.splitlines() for word in split_words(line.partition("#")[0])})


NO_KEY = -1
"""Number of a raw token without a key."""

# Negative entries of the table of raw tokens: a boundary, and a token that only the literal chain can cut. Values below
# _ENTANGLED are places in the list of tokens with several keys.
_MARK, _ENTANGLED = -2, -3


class KeyTable:
    """Numbers the keys and words of a collection; the chain runs once per distinct raw token.

    `vocabulary` lists the keys by number, `words` the words.

    Parameters
    ----------
    analyzer
        The chain.

    Examples
    --------
    >>> table = KeyTable(Analyzer(stop="none", stem="none"))
    >>> numbers, counts = table.number(f"zero{BOUNDARY}XML and xml{BOUNDARY}")
    >>> [table.vocabulary[n] for n in numbers], counts.tolist()
    (['zero', 'xml', 'and', 'xml'], [3, 0])
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self.analyzer = analyzer
        self._key_numbers = StringInterner()
        self._word_numbers = self._key_numbers if analyzer.keeps_all else StringInterner()
        self.vocabulary, self.words = self._key_numbers.strings, self._word_numbers.strings
        self._several: list[tuple[int, ...]] = []
        self._several_words: list[tuple[int, ...]] = []
        # A row per raw token: key number or a negative code, word number or a negative code, and the last
        # text with the token. The fourth column pads rows to 16 bytes, so that none crosses a cache line.
        self._raw = np.zeros((1 << 12, 4), np.int32)
        self._texts = 0
        self._raw_count = 0
        self._interner = _interner(analyzer.join)
        self._vanishing = dict.fromkeys(map(ord, INVISIBLE + analyzer.join))

    def __len__(self) -> int:
        """Return the number of distinct raw tokens seen."""
        return self._raw_count

    def number(self, text: Text) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Number the keys of a text, and count them per `BOUNDARY`.

        Parameters
        ----------
        text
            Content elements, each after a `BOUNDARY`.

        Returns
        -------
        numbers : (n_tokens,) ndarray of int32
        counts : (n_content_elements,) ndarray of int64
        """
        return self._keys_of(text, self._intern(text))

    def number_with_words(self, text: Text) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Number keys like `number`, and also words: numbers among `words` of those with a key, in any order."""
        tokens = self._intern(text)
        self._texts += 1
        # The kernel handles the common case: every token has exactly one key and one word, or none.
        simple = number_keys(tokens, self._raw, self._texts)
        if simple is not None:
            return simple
        numbers, counts = self._keys_of(text, tokens)
        if tokens.size * 32 < self._raw_count:
            distinct: Any = np.unique(tokens)
        else:  # for long texts, a bitmap is faster than sorting the tokens
            occurs = np.zeros(self._raw_count, np.bool_)
            occurs[tokens] = True
            distinct = np.flatnonzero(occurs)
        # One entangled token makes all word borders uncertain, so the text is cut by the literal chain.
        if (self._raw[distinct, 0] == _ENTANGLED).any():
            words = {word for part in text_string(text).split(BOUNDARY) for word in self.analyzer.words(part)}
            found = [self._word_numbers[word] for word in words if self.analyzer.key(word) is not None]
            return numbers, counts, np.array(found, np.int32)
        # Codes below _ENTANGLED lead to tokens with several words.
        words_of = self._raw[distinct, 1]
        entries = (_ENTANGLED - 1 - words_of[words_of < _ENTANGLED]).tolist()
        several = [np.array(self._several_words[at], np.int32) for at in entries]
        return numbers, counts, np.concatenate([words_of[words_of >= 0], *several])

    def _intern(self, text: Text) -> NDArray[np.int32]:
        """Number the raw tokens of a text, and run the chain on new ones."""
        tokens, new = self._interner.intern(text)
        if new:
            known, self._raw_count = self._raw_count, self._raw_count + len(new)
            if self._raw_count > len(self._raw):
                self._raw = np.concatenate([self._raw, np.zeros((2 * self._raw_count - len(self._raw), 4), np.int32)])
            self._raw[known : self._raw_count, 0], self._raw[known : self._raw_count, 1] = self._learn(new)
        return tokens

    def _keys_of(self, text: Text, tokens: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        found = self._raw[tokens, 0]
        if found.size and found.min() <= _ENTANGLED:
            found = self._number_literally(text) if (found == _ENTANGLED).any() else self._expand(found)
        kept = found[found != NO_KEY]
        marks = np.flatnonzero(kept == _MARK)
        counts = np.diff(marks, append=kept.size) - 1
        return kept[kept != _MARK], counts

    def _learn(self, tokens: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Run the chain on new raw tokens; return their key numbers and word numbers."""
        numbers, words = np.full((2, len(tokens)), NO_KEY, np.int32)
        simple = np.fromiter(map(str.isascii, tokens), np.bool_, len(tokens))  # ASCII one word, only case to fold
        if BOUNDARY in tokens:
            simple[tokens.index(BOUNDARY)] = False
        for at in np.flatnonzero(~simple).tolist():
            numbers[at], words[at] = self._chain(tokens[at])
        own = list(map(str.lower, compress(tokens, simple.tolist())))
        keys = self.analyzer.keys_of(own)
        if None in keys:
            kept = [key is not None for key in keys]
            simple[simple] = kept
            own, keys = list(compress(own, kept)), list(compress(keys, kept))
        numbers[simple] = self._key_numbers.of(cast(Sequence[str], keys))
        words[simple] = numbers[simple] if keys is own else self._word_numbers.of(own)
        return numbers, words

    def _chain(self, token: str) -> tuple[int, int]:
        """Return key and word number of a raw token that is not plain ASCII."""
        if token == BOUNDARY:
            return _MARK, NO_KEY
        cleared = token.translate(self._vanishing)
        if cleared and unicodedata.category(cleared[0])[0] == "M":
            # A leading mark may compose with the character before the token, so the whole text must be folded.
            return _ENTANGLED, NO_KEY
        pairs = [(word, key) for word in self.analyzer.words(token) if (key := self.analyzer.key(word)) is not None]
        return (
            _one_or_several([self._key_numbers[key] for _, key in pairs], self._several),
            _one_or_several([self._word_numbers[word] for word, _ in pairs], self._several_words),
        )

    def _number_literally(self, text: Text) -> NDArray[np.int32]:
        numbers: list[int] = []
        for index, part in enumerate(text_string(text).split(BOUNDARY)):
            numbers += [_MARK] * (index > 0)
            numbers += [self._key_numbers[key] for key in self.analyzer.keys(part)]
        return np.array(numbers, np.int32)

    def _expand(self, found: NDArray[np.int32]) -> NDArray[np.int32]:
        out: list[NDArray[np.int32]] = []
        last = 0
        # Splice in the keys of tokens that have several.
        for place in np.flatnonzero(found < _ENTANGLED).tolist():
            out += [found[last:place], np.array(self._several[_ENTANGLED - 1 - int(found[place])], np.int32)]
            last = place + 1
        return np.concatenate([*out, found[last:]])


def _one_or_several(numbers: list[int], several: list[tuple[int, ...]]) -> int:
    """Return the only number, `NO_KEY` for none, or the code of a new entry in `several`."""
    if len(numbers) == 1:
        return numbers[0]
    if not numbers:
        return NO_KEY
    several.append(tuple(numbers))
    return _ENTANGLED - len(several)


def _interner(join: str) -> Interner:
    classes = np.zeros(0x10000, np.uint8)
    classes[list(_token_characters(join))] = 1
    classes[ord(BOUNDARY)] = 2
    return Interner(classes)


@lru_cache(maxsize=8)
def _token_characters(join: str) -> tuple[int, ...]:
    """Return the BMP characters of raw tokens: word characters before or after folding, and invisible ones.

    Beyond the plane every character counts. A token with one is cut by the literal rules, so the class stays a table
    look-up.
    """
    wide = {c for c in map(ord, INVISIBLE + join) if c < 0x10000}
    for code in range(0x10000):
        character = chr(code)
        if 0xD800 <= code < 0xE000:
            continue
        if is_word_character(character) or (code > 127 and any(map(is_word_character, fold(character)))):
            wide.add(code)
    return tuple(sorted(wide))
