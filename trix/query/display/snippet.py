"""Snippet: the best passage of an element's text for a query, with short passages for words missing there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.characters import inside_words
from trix.indexer.words.located import is_plain, locate_words
from trix.query.display.highlight import Hit, ranges

WIDTH = 160
"""Largest number of characters of the best passage of a snippet."""

FURTHER = 2
"""Largest number of passages after the best one."""

_FURTHER_WIDTH = 60
"""Largest number of characters of each further passage."""

LOOKED_AT = 200_000
"""Characters of a large element that are searched for words."""

_CHUNK = re.compile(r"\S+")

Range = tuple[int, int]


class Window(NamedTuple):
    """A range of a text, and whether it has all keys, so that the search for windows can stop."""

    begin: int
    end: int
    settled: bool


def snippet(text: str, keys: Set[str], analyzer: Analyzer, width: int = WIDTH, *, on_line: bool = False) -> str:
    """Return the passages of a text that show its keys, with white space collapsed.

    The first passage is the first window with most distinct keys. Missing keys follow in at most `FURTHER` shorter
    passages.

    Parameters
    ----------
    text
        The element's text.
    keys
        The query's keys.
    analyzer
        The chain that made them.
    width
        Characters of the first passage.
    on_line
        Whether white space is collapsed already.

    Examples
    --------
    >>> analyzer = Analyzer(stem="none", stop="none")
    >>> snippet("A long way   to the word wanted, and on from there", {"wanted"}, analyzer, width=24)
    '… word wanted, and on …'
    >>> text = "Once: and a tree stood there. " + "Nothing at all happened. " * 5 + "In the end came a storm by night."
    >>> snippet(text, {"once", "tree", "storm"}, analyzer, width=40)
    'Once: and a tree stood there. … In the end came a storm by night.'
    """
    return located_snippet(text, keys, analyzer, (), width, on_line=on_line)[0]


HEADS = (1 << 12, 1 << 15)
"""Lengths of the beginnings of a large element that are searched first, in characters."""


def head_snippet(head: str, keys: Set[str], analyzer: Analyzer, width: int = WIDTH) -> str | None:
    """Return the snippet of a text from its beginning alone; None if the rest could change it.

    >>> analyzer = Analyzer(stem="none", stop="none")
    >>> head_snippet("A word in a very long text of many words", {"word"}, analyzer, width=30)
    'A word in a very long …'
    >>> head_snippet("A word in a very long text of many words", {"word", "other"}, analyzer, width=30)
    """
    words = head.split()
    text = " ".join(words[:-1])  # the last may go on
    window = _richest(Occurrences(text, keys, analyzer), keys, width - 20)
    low = _begin(text, window, width)
    if not window.settled or len(text) <= width or low + width - 4 >= len(text):
        return None
    low, high = _around(text, window, width)
    return f"{'… ' if low else ''}{text[low:high]} …"


def located_snippet(
    text: str, keys: Set[str], analyzer: Analyzer, found: Sequence[Range], width: int = WIDTH, *, on_line: bool = False
) -> tuple[str, list[Range]]:
    r"""Return the snippet, and ranges of the text mapped into it; ranges outside are dropped.

    >>> analyzer = Analyzer(stem="none", stop="none")
    >>> located_snippet("A  word in a very long text of\n many words", {"word"}, analyzer, [(3, 7)], width=30)
    ('A word in a very long …', [(2, 6)])
    """
    source, text = text, text if on_line else " ".join(text[:LOOKED_AT].split())
    passages = _passages(text, keys, analyzer, width) if len(text) > width else [(0, len(text))]
    shown, moved = "… " if passages[0][0] else "", list[tuple[int, int, int]]()
    for at, (low, high) in enumerate(passages):
        shown += " … " if at else ""
        moved.append((low, high, len(shown) - low))
        shown += text[low:high]
    return shown + (" …" if passages[-1][1] < len(text) else ""), _within(source, found, moved)


def _passages(text: str, keys: Set[str], analyzer: Analyzer, width: int) -> list[Range]:
    """Return the disjoint passages to show, best first."""
    occurrences = Occurrences(text, keys, analyzer)
    window = _richest(occurrences, keys, width - 20)
    shown = [_around(text, window, width)]
    if window.settled:
        return shown
    missing = _keys_inside(occurrences, 0, len(text)) - _keys_inside(occurrences, *shown[0])
    further = min(width, _FURTHER_WIDTH)
    while missing and len(shown) <= FURTHER:
        window = _richest(occurrences, missing, further - 20)
        if window.begin == window.end:
            break
        low = max([_begin(text, window, further), *(high for _, high in shown if high <= window.begin)])
        high = min([_word_end(text, min(len(text), low + further)), *(low for low, _ in shown if low >= window.end)])
        if any(low < end and begin < high for begin, end in shown):
            break  # half of a word is shown already
        shown.append(_trimmed(text, low, high))
        missing -= _keys_inside(occurrences, window.begin, window.end)
    return shown


def _around(text: str, window: Window, width: int) -> Range:
    """Return the passage of a given width around a window."""
    low = _begin(text, window, width)
    return _trimmed(text, low, _word_end(text, min(len(text), low + width - 4)))


def _trimmed(text: str, low: int, high: int) -> Range:
    part = text[low:high]
    return low + len(part) - len(part.lstrip()), low + len(part.rstrip())


def _begin(text: str, window: Window, width: int) -> int:
    """Return the beginning of a window's passage: its sentence if that fits, else some words before."""
    at = text.rfind(". ", max(0, window.end - width + 4, window.begin - width // 2), window.begin)
    if at >= 0 and text[at + 2 : at + 3].isupper():
        return at + 2
    return _word_start(text, max(0, window.begin - width // 4))


def _keys_inside(occurrences: Occurrences, begin: int, end: int) -> set[str]:
    """Return the keys of the words in a range of a text."""
    return {key for low, high, keys in occurrences if begin <= low and high <= end for key in keys}


def _within(source: str, found: Sequence[Range], shown: Sequence[tuple[int, int, int]]) -> list[Range]:
    """Map ranges of a text to the snippet, after white space is collapsed and passages are concatenated.

    Each passage is ``[low, high)`` and its shift.
    """
    if not found:
        return []
    starts: list[int] = []
    collapsed: list[int] = []
    at = 0
    last = max(high for _, high, _ in shown)
    for chunk in _CHUNK.finditer(source, 0, min(len(source), LOOKED_AT)):
        starts.append(chunk.start())
        collapsed.append(at)
        at += len(chunk.group()) + 1
        if at > last:
            break

    def place(position: int) -> int:
        chunk = bisect_right(starts, position) - 1
        return collapsed[chunk] + position - starts[chunk]

    placed = [(place(begin), place(end - 1) + 1) for begin, end in found]
    return [
        (begin + shift, end + shift)
        for low, high, shift in shown
        for begin, end in placed
        if low <= begin and end <= high
    ]


def marked_words(line: str, keys: Set[str], analyzer: Analyzer) -> list[Range]:
    """Return the words of a snippet with one of some keys.

    >>> marked_words("… the trees of a tree-lined road", {"tree"}, Analyzer(stem="porter"))
    [(6, 11), (17, 21)]
    """
    words: Iterable[tuple[str, int, int]]
    if analyzer.join or "_" in line or not is_plain(line):
        words = locate_words(line, analyzer.join)
    else:  # most words need no analysis
        some = candidates(frozenset(keys), "" if analyzer.variants else analyzer.stem, r"\w").finditer(line)
        words = ((each.group().lower(), each.start(), each.end()) for each in some)
    return ranges(Hit(begin, end, word, False) for word, begin, end in words if analyzer.key(word) in keys)


class Occurrences:
    """Occurrences of keys in a text, found lazily and once: beginning, end and keys of each.

    The parameters are those of `snippet`.
    """

    def __init__(self, text: str, keys: Set[str], analyzer: Analyzer) -> None:
        self._known: list[tuple[int, int, frozenset[str]]] = []
        self._further = _occurrences(text, frozenset(keys), analyzer)

    def __iter__(self) -> Iterator[tuple[int, int, frozenset[str]]]:
        yield from self._known
        for each in self._further:
            self._known.append(each)
            yield each


def _occurrences(text: str, keys: frozenset[str], analyzer: Analyzer) -> Iterator[tuple[int, int, frozenset[str]]]:
    if not keys:
        return
    having: dict[str, frozenset[str]] = {}
    for match in candidates(keys, "" if analyzer.variants else analyzer.stem, inside_words(text)).finditer(text):
        word = match.group()
        found = having.get(word)
        if found is None:
            found = having[word] = _keys(word, analyzer) & keys
        if found:
            yield match.start(), match.end(), found


def _richest(occurrences: Iterable[tuple[int, int, frozenset[str]]], keys: Set[str], width: int) -> Window:
    """Return the first window with most distinct keys."""
    if not keys:
        return Window(0, 0, True)
    window: deque[tuple[int, str]] = deque()
    most = begin = end = 0
    for low, high, having in occurrences:
        found = having & keys
        window.extend((low, key) for key in found)
        while len(window) > len(found) and high - window[0][0] > width:
            window.popleft()
        distinct = len({key for _, key in window})
        if distinct > most:
            most, begin, end = distinct, window[0][0], high
            if most == len(keys):
                return Window(begin, end, True)
    return Window(begin, end, False)


@lru_cache(maxsize=64)
def candidates(keys: frozenset[str], stem: str, inside: str) -> re.Pattern[str]:
    """Return a pattern of the words that can have one of some keys; most words need no analysis.

    `inside` is the pattern of a character inside words, see `inside_words`.
    """
    beginnings = _beginnings(keys, stem)
    if beginnings is None:
        return re.compile(rf"{inside}+")
    # A set of characters is found quickly, so it comes first, and the test for the begin of a word follows.
    firsts = {letter for each in beginnings for letter in (each[0], each[0].upper())}
    begun = [_beginning(letters, inside) for letters in sorted(beginnings)]
    ways = "|".join([*begun, rf"(?<=[^\W\x00-\x5e\x60-\x7f])(?<!{inside}.)"])
    return re.compile(rf"[^{_ascii_without(firsts)}](?:{ways}){inside}*", re.DOTALL)


def _ascii_without(some: Set[str]) -> str:
    r"""Return a character class: ASCII without some letters, and without the underscore, which can begin words.

    >>> print(_ascii_without({"m", "p"}))
    \x00-\x5e\x60-\x6c\x6e-\x6f\x71-\x7f
    """
    ends = [-1, *sorted({ord("_"), *map(ord, some)}), 128]
    return "".join(rf"\x{low + 1:02x}-\x{high - 1:02x}" for low, high in pairwise(ends) if low + 1 < high)


def _beginning(letters: str, inside: str) -> str:
    r"""Return a pattern of the first letters of a word, after its first; any other character may be beyond ASCII.

    >>> print(_beginning("cel", r"\w"))
    (?<=[cC])(?<!\w.)(?:[eE](?:[lL]|[^\x00-\x7f])|[^\x00-\x7f])
    """
    rest = ""
    for letter in reversed(letters[1:]):
        rest = rf"(?:[{letter}{letter.upper()}]{rest}|[^\x00-\x7f])"
    return rf"(?<=[{letters[0]}{letters[0].upper()}])(?<!{inside}.){rest}"


@lru_cache(maxsize=64)
def _beginnings(keys: frozenset[str], stem: str) -> frozenset[str] | None:
    """Return the possible ASCII beginnings of words with one of some keys; None if there is no restriction.

    English stemmers keep the first letter of a word, and all but the last three letters of the stem. Only letters
    beyond ASCII fold into others.

    >>> sorted(_beginnings(frozenset({"membran", "di", "cell"}), "porter"))
    ['c', 'd', 'mem']
    """
    if stem not in ("none", "porter", "english") or not all(key[:3].isascii() for key in keys):
        return None
    return frozenset(key[:3] if stem == "none" or len(key) >= 6 else key[0] for key in keys)


@lru_cache(maxsize=1 << 16)
def _keys(word: str, analyzer: Analyzer) -> frozenset[str]:
    if not analyzer.join and word.isascii() and word.isalnum():  # nearly all: the chain in short
        key = analyzer.key(word.lower())
        return frozenset() if key is None else frozenset((key,))
    return frozenset(analyzer.keys(word))


def _word_start(text: str, at: int) -> int:
    space = text.find(" ", at)
    return 0 if at == 0 else (space + 1 if 0 <= space <= at + 20 else at)


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    space = text.rfind(" ", 0, at)
    return space if space >= at - 20 else at
