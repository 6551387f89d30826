"""Text to keys: what a word is, for documents and for queries alike.

The chain, in this order [RETRIEVAL, section 2]: characters that vanish inside words are cleared, the text is folded
(NFKC, case fold, NFKC), cut into *words* (maximal runs of letters, marks and numbers with at least one letter or
number), stop-listed, and stemmed. What is left of a word is its *key*.

Two readings of the same rules live here. `Analyzer.words` is the literal one, used for queries, snippets and as the
measure of the other. `KeyTable` is the fast one, used for collections: it cuts the raw text with one regular
expression whose class is wide enough that folding each raw token alone gives what folding the whole text would, and
it remembers every raw token, so that the chain runs once per distinct token.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import Stemmer

from trix.errors import UsageError

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, byte order mark: never part of a word, never a border of one."""

BOUNDARY = "\x01"
"""Marks the start of a content element in a text for `KeyTable`; cannot occur in XML."""

_LAST_BMP = 0xFFFF


def fold(text: str) -> str:
    """Return the NFKC case-folded form in which words are compared.

    >>> fold("Straße ﬁ Ⅳ")
    'strasse fi iv'
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _is_key_character(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN"


@lru_cache(maxsize=1)
def _word_pattern() -> re.Pattern[str]:
    """Match maximal runs of L*, M*, N* (any Unicode plane)."""
    return re.compile(f"[{_ranges(i for i in range(0x110000) if _is_key_character(chr(i)))}]+")


def _ranges(codes: Iterable[int]) -> str:
    """Write ascending code points as the inside of a regular expression class."""
    parts: list[str] = []
    start = last = -2
    for code in [*codes, -2]:
        if code == last + 1:
            last = code
            continue
        if start >= 0:
            parts.append(re.escape(chr(start)) + (f"-{re.escape(chr(last))}" if last > start else ""))
        start = last = code
    return "".join(parts)


def split_words(text: str, join: str = "") -> list[str]:
    """Cut a text into folded words, literally by the rules.

    Parameters
    ----------
    text
        Character data.
    join
        Further characters that vanish inside words, besides `INVISIBLE`.

    Examples
    --------
    >>> split_words("User-centred XML (H2O), Bücher\u00ad regal")
    ['user', 'centred', 'xml', 'h2o', 'bücher', 'regal']
    """
    if text.isascii() and not join:
        return re.findall(r"[a-z0-9]+", text.lower())
    folded = fold(text.translate(dict.fromkeys(map(ord, INVISIBLE + join))))
    return [w for w in _word_pattern().findall(folded) if any(unicodedata.category(c)[0] in "LN" for c in w)]


class Analyzer:
    """The chain from text to keys, as configured for one index.

    Parameters
    ----------
    stem
        ``"porter"`` (default), ``"none"``, or a Snowball language (``"german"``).
    stop
        ``"default"`` (our list), ``"none"``, or the path of a file with one word a line.
    stopwords
        The words themselves; given when an index is opened, so that it never depends on a file again.
    join
        Characters that vanish inside words, from the profile.

    Examples
    --------
    >>> Analyzer(stop="none").keys("Retrieving retrieved elements")
    ['retriev', 'retriev', 'element']
    """

    def __init__(
        self, stem: str = "porter", stop: str = "default", stopwords: Iterable[str] | None = None, join: str = ""
    ) -> None:
        self.stem, self.stop, self.join = stem, stop, join
        self.stopwords = frozenset(read_stopwords(stop) if stopwords is None else stopwords)
        self._stemmed: Callable[[str], str] | None = _stemmer(stem)

    def words(self, text: str) -> list[str]:
        """Return the folded words of a text, before stop list and stemming."""
        return split_words(text, self.join)

    def key(self, word: str) -> str | None:
        """Return the key of a folded word, None when the stop list holds it."""
        if word in self.stopwords:
            return None
        return self._stemmed(word) if self._stemmed else word

    def keys(self, text: str) -> list[str]:
        """Return the keys of a text in order."""
        return [key for word in self.words(text) if (key := self.key(word)) is not None]

    def has_word(self, text: str) -> bool:
        """Tell whether a text holds a word at all, stopped or not."""
        return bool(self.words(text))


def _stemmer(name: str) -> Callable[[str], str] | None:
    if name == "none":
        return None
    if name not in Stemmer.algorithms():
        known = ", ".join(sorted(Stemmer.algorithms()))
        raise UsageError(f"--stem {name}: no such stemmer; known are none, {known}")
    stemmed: Callable[[str], str] = Stemmer.Stemmer(name).stemWord
    return stemmed


def read_stopwords(stop: str) -> list[str]:
    """Return the folded words of a stop list: ``"default"``, ``"none"`` or a file (one word a line, # comments)."""
    if stop == "none":
        return []
    path = Path(__file__).parent / "stop" / "default.txt" if stop == "default" else Path(stop)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--stop {stop}: cannot read the stop list: {error}") from None
    return sorted({word for line in lines for word in split_words(line.partition("#")[0])})


NO_KEY = -1
"""The number of a raw token that gives no key."""


class KeyTable(dict[str, int]):
    """Numbers the keys of raw tokens; remembers each raw token once seen.

    ``table[token]`` is a key number >= 0, `NO_KEY`, or a number <= -2 that stands for several keys:
    ``table.several[-2 - number]``. Key numbers index `keys` and follow first occurrence.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        super().__init__()
        self.analyzer = analyzer
        self.keys_seen: list[str] = []
        self.several: list[tuple[int, ...]] = []
        self._numbers: dict[str, int] = {}
        self._findall = _token_pattern(analyzer.join).findall

    def __missing__(self, token: str) -> int:
        if token == BOUNDARY:
            raise KeyError(token)
        if not token.isascii() and unicodedata.category(self._cleared(token)[:1] or "a")[0] == "M":
            raise _Entangled
        numbers = tuple(self._number(key) for key in self.analyzer.keys(token))
        if len(numbers) == 1:
            number = numbers[0]
        elif not numbers:
            number = NO_KEY
        else:
            self.several.append(numbers)
            number = -1 - len(self.several)
        self[token] = number
        return number

    def _cleared(self, token: str) -> str:
        return token.translate(dict.fromkeys(map(ord, INVISIBLE + self.analyzer.join)))

    def _number(self, key: str) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    @property
    def vocabulary(self) -> list[str]:
        """The keys in order of their numbers."""
        return list(self._numbers)

    def tokens(self, text: str) -> Sequence[str]:
        """Return the raw tokens of a text with `BOUNDARY` marks kept as tokens of their own."""
        return self._findall(text)


class _Entangled(Exception):
    """A raw token begins with a mark, which may belong to the character before: fold the whole text instead."""


@lru_cache(maxsize=8)
def _token_pattern(join: str) -> re.Pattern[str]:
    """Match raw tokens: all that is, or folds to, a part of a word, or vanishes inside one.

    Beyond the Basic Multilingual Plane every character is taken: a token that holds one is cut by the literal rules,
    and one wide range keeps the class a table look-up.
    """
    wide = set(map(ord, INVISIBLE + join))
    for code in range(_LAST_BMP + 1):
        character = chr(code)
        if 0xD800 <= code < 0xE000:
            continue
        if _is_key_character(character) or (code > 127 and any(map(_is_key_character, fold(character)))):
            wide.add(code)
    return re.compile(f"[{_ranges(sorted(c for c in wide if c <= _LAST_BMP))}\U00010000-\U0010ffff]+|{BOUNDARY}")
