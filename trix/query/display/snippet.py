"""A line of an element's text that shows why it was found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence, Set
from functools import lru_cache

from trix.indexer.words.analyzer import Analyzer

WIDTH = 160
"""Characters of a snippet, at the most."""

LOOKED_AT = 200_000
"""Characters of a large element that are searched for words."""

_WORD = re.compile(r"\w+")
_CHUNK = re.compile(r"\S+")

Range = tuple[int, int]


def snippet(text: str, keys: Set[str], analyzer: Analyzer, width: int = WIDTH) -> str:
    """Return the window of a text that holds most distinct keys, the first such, white space collapsed.

    Parameters
    ----------
    text
        The element's text.
    keys
        The query's keys.
    analyzer
        The chain that made them.

    Examples
    --------
    >>> analyzer = Analyzer(stem="none", stop="none")
    >>> snippet("A long way   to the word wanted, and on from there", {"wanted"}, analyzer, width=24)
    '… word wanted, and on …'
    """
    return located_snippet(text, keys, analyzer, (), width)[0]


HEADS = (1 << 12, 1 << 15)
"""Characters of a large element that are looked at first."""


def head_snippet(head: str, keys: Set[str], analyzer: Analyzer, width: int = WIDTH) -> str | None:
    """Return the snippet of a text of which only the beginning is known; None where the rest could change it.

    >>> analyzer = Analyzer(stem="none", stop="none")
    >>> head_snippet("A word in a very long text of many words", {"word"}, analyzer, width=30)
    'A word in a very long …'
    >>> head_snippet("A word in a very long text of many words", {"word", "other"}, analyzer, width=30)
    """
    words = head.split()
    text = " ".join(words[:-1])  # the last may go on
    begin, settled = _richest_so_far(text, keys, analyzer, width - 20)
    low = _word_start(text, max(0, begin - width // 4))
    if not settled or len(text) <= width or low + width - 4 >= len(text):
        return None
    return located_snippet(text, keys, analyzer, (), width)[0]


def located_snippet(
    text: str, keys: Set[str], analyzer: Analyzer, found: Sequence[Range], width: int = WIDTH
) -> tuple[str, list[Range]]:
    """Return the snippet, and where ranges of the text stand in it; what is outside is left out.

    >>> analyzer = Analyzer(stem="none", stop="none")
    >>> located_snippet("A  word in a very long text of\\n many words", {"word"}, analyzer, [(3, 7)], width=30)
    ('A word in a very long …', [(2, 6)])
    """
    source, text = text, " ".join(text[:LOOKED_AT].split())
    low, high = 0, len(text)
    if len(text) > width:
        begin = _richest(text, keys, analyzer, width - 20)
        low = _word_start(text, max(0, begin - width // 4))
        high = _word_end(text, min(len(text), low + width - 4))
    part = text[low:high]
    low += len(part) - len(part.lstrip())
    high = low + len(part.strip())
    shown = ("… " if low else "") + text[low:high] + (" …" if high < len(text) else "")
    return shown, _within(source, found, low, high, 2 if low else 0)


def _within(source: str, found: Sequence[Range], low: int, high: int, shift: int) -> list[Range]:
    """Return ranges of a text as they are after white space is collapsed and ``[low, high)`` is cut out."""
    if not found:
        return []
    starts: list[int] = []
    collapsed: list[int] = []
    at = 0
    for chunk in _CHUNK.finditer(source, 0, min(len(source), LOOKED_AT)):
        starts.append(chunk.start())
        collapsed.append(at)
        at += len(chunk.group()) + 1
        if at > high:
            break

    def place(position: int) -> int:
        chunk = bisect_right(starts, position) - 1
        return collapsed[chunk] + position - starts[chunk]

    moved = ((place(begin), place(end - 1) + 1) for begin, end in found)
    return [(begin - low + shift, end - low + shift) for begin, end in moved if low <= begin and end <= high]


def _richest(text: str, keys: Set[str], analyzer: Analyzer, width: int) -> int:
    """Return where the first window with most distinct keys begins."""
    return _richest_so_far(text, keys, analyzer, width)[0]


def _richest_so_far(text: str, keys: Set[str], analyzer: Analyzer, width: int) -> tuple[int, bool]:
    """Return where the first window with most distinct keys begins, and whether it has them all: there it stops."""
    if not keys:
        return 0, True
    words = set(_candidates(frozenset(keys), "" if analyzer.variants else analyzer.stem).findall(text))
    wanted = {word: found for word in words if (found := _keys(word, analyzer) & keys)}
    if not wanted:
        return 0, False
    window: deque[tuple[int, str]] = deque()
    most = begin = 0
    for match in re.finditer(rf"\b(?:{'|'.join(map(re.escape, wanted))})\b", text):
        found = wanted[match.group()]
        window.extend((match.start(), key) for key in found)
        while len(window) > len(found) and match.end() - window[0][0] > width:
            window.popleft()
        distinct = len({key for _, key in window})
        if distinct > most:
            most, begin = distinct, window[0][0]
            if most == len(keys):
                return begin, True
    return begin, False


@lru_cache(maxsize=64)
def _candidates(keys: frozenset[str], stem: str) -> re.Pattern[str]:
    """Return what finds the words that can have one of some keys.

    English stemmers leave the first letter of a word alone, and only letters beyond ASCII fold into others; so most
    words need no analysis.
    """
    initials = {key[0] for key in keys}
    if stem not in ("none", "porter", "english") or not all(letter.isascii() for letter in initials):
        return _WORD
    letters = "".join(sorted(initials | {letter.upper() for letter in initials}))
    return re.compile(rf"\b(?:[{letters}_]|[^\x00-\x7f])\w*")


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
