"""Where sentences begin, and how an index says it [RETRIEVAL, section 2].

A sentence ends with a full stop, an exclamation or a question mark, perhaps with quotation marks or brackets behind it,
where white space follows and then, perhaps behind an opening quotation mark or bracket, a letter that is no small one.
A full stop behind a single letter (``J. Smith``) or an abbreviation (``Fig. S1``) ends nothing. Behind the marks of
Chinese and Japanese no white space is needed. A content element begins with a sentence of its own.

What is kept are numbers of keys, so sentences without a key are none. Of each content element two things are said: how
many sentences it has beyond the first, and how many keys are in each of them but the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.indexer.words.analyzer import BOUNDARY

Ints = NDArray[Any]

ABBREVIATIONS = frozenset(
    [
        "approx",
        "ca",
        "cf",
        "dr",
        "eq",
        "eqs",
        "fig",
        "figs",
        "mr",
        "mrs",
        "ms",
        "prof",
        "ref",
        "refs",
        "st",
        "tab",
        "vs",
    ]
)
"""Words behind which a full stop ends no sentence, in small letters."""

_WIDE = "。！？｡"


class MarkedText(NamedTuple):
    """A text in which every sentence is behind a `BOUNDARY`, as every content element is."""

    text: str
    owner: Ints
    """``(n_pieces,)`` of each piece behind a boundary the content element that it is in, counted from 0."""


class DocumentSentences(NamedTuple):
    """The sentences of some content elements."""

    more: Ints
    """``(n_content_elements,)`` sentences of each beyond the first."""
    keys: Ints
    """Keys in each sentence that is not the last of its content element, in order."""


def mark_sentences(text: str, join: str = "") -> MarkedText:
    r"""Return a text for `KeyTable` with a `BOUNDARY` before each sentence.

    Parameters
    ----------
    text
        Content elements, each behind a `BOUNDARY`.
    join
        Characters that vanish inside words.

    Examples
    --------
    >>> mark_sentences(f"{BOUNDARY}One. Two by J. Smith (Fig. S1)! 'Three?' four.{BOUNDARY}Five")
    MarkedText(text="\x01One. \x01Two by J. Smith (Fig. S1)! \x01'Three?' four.\x01Five", owner=array([0, 0, 0, 1]))
    """
    first = text.find(BOUNDARY)
    if first < 0:
        return MarkedText(text, np.zeros(0, np.int64))
    ends = sentence_ends(text, first, join)
    contents = np.flatnonzero(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32) == ord(BOUNDARY))
    begins = np.concatenate([np.array(ends, np.int64), contents])
    is_content = (np.arange(begins.size) >= len(ends))[np.argsort(begins, kind="stable")]
    pieces = [text[begin:end] for begin, end in pairwise([0, *ends, len(text)])]
    return MarkedText(BOUNDARY.join(pieces), np.cumsum(is_content) - 1)


def sentence_ends(text: str, first: int, join: str) -> list[int]:
    """Return where sentences end from a place on, with the white space behind them.

    Parameters
    ----------
    text
        Plain, or with the marks of content elements and tags.
    first
        The character to begin with.
    join
        Characters that vanish inside words.

    Examples
    --------
    >>> sentence_ends("One. Two by J. Smith (Fig. S1)! 'Three?' four.", 0, "")
    [5, 32]
    """
    return [
        match.end()
        for match in _ends(join).finditer(text, first)
        if text[match.start()] != "." or not _abbreviated(text, match.start())
    ]


def _abbreviated(text: str, stop: int) -> bool:
    """Tell whether the word before a full stop is a single letter or an abbreviation."""
    word = _WORD_BEFORE.search(text, max(stop - 8, 0), stop)
    return word is not None and ((len(word[0]) == 1 and word[0].isalpha()) or word[0].lower() in ABBREVIATIONS)


_WORD_BEFORE = re.compile(r"\b[^\W_]+\Z")


@lru_cache(maxsize=8)
def _ends(join: str) -> re.Pattern[str]:
    """Return what finds the ends of sentences, with the white space behind them."""
    wide = "".join(mark for mark in _WIDE if mark not in join)
    closing, opening = "\"'”’»)\\]", "\"'“‘„«(\\[¿¡"
    small = _small_letters()
    narrow = rf"[.!?…][{closing}]*[\s\x02\x03\x04]+(?=[{opening}]*[^\W\d_{small}])"
    return re.compile(narrow + (f"|[{wide}][」』”’）)]*" if wide else ""))


@lru_cache(maxsize=1)
def _small_letters() -> str:
    """Return the small letters of the first two planes as the inside of a class of a regular expression."""
    ranges: list[str] = []
    codes = [code for code in range(0x20000) if not 0xD800 <= code < 0xE000 and chr(code).islower()]
    begin = last = -2
    for code in [*codes, -2]:
        if code != last + 1:
            if begin >= 0:
                ranges.append(chr(begin) + (f"-{chr(last)}" if last > begin else ""))
            begin = code
        last = code
    return "".join(ranges)


def counted(marked: MarkedText, counts: Ints, contents: int) -> tuple[Ints, DocumentSentences]:
    """Return how many keys each content element has, and its sentences.

    Parameters
    ----------
    marked
        The text that was cut into keys.
    counts
        Keys in each of its pieces.
    contents
        How many content elements it has.

    Examples
    --------
    >>> marked = MarkedText("", np.array([0, 0, 0, 1, 2]))
    >>> of, (more, keys) = counted(marked, np.array([3, 0, 2, 0, 4]), 3)
    >>> of.tolist(), more.tolist(), keys.tolist()
    ([5, 0, 4], [1, 0, 0], [3])
    """
    total = np.bincount(marked.owner, counts, contents).astype(np.int64)
    held = np.flatnonzero(counts)
    owner, keys = marked.owner[held], counts[held]
    last = np.ones(owner.size, np.bool_)
    last[:-1] = owner[1:] != owner[:-1]
    more = np.bincount(owner[~last], minlength=contents)
    return total, DocumentSentences(more, keys[~last].astype(np.int64))


def encode_sentences(documents: Iterable[DocumentSentences]) -> dict[str, Ints]:
    """Return the columns of a block."""
    each = [DocumentSentences(np.zeros(0, np.int64), np.zeros(0, np.int64)), *documents]
    return {
        name: np.concatenate([getattr(of, part) for of in each])
        for name, part in zip(COLUMNS, ("more", "keys"), strict=True)
    }


SECTION = "sentences"
COLUMNS = ("sentences.more", "sentences.keys")


def split_sentences(of: DocumentSentences, contents: Ints) -> list[DocumentSentences]:
    """Return the sentences of each document of a block.

    Parameters
    ----------
    of
        All of them.
    contents
        Where the content elements of each document begin, and where the last one's end.

    Examples
    --------
    >>> of = DocumentSentences(np.array([1, 0, 2]), np.array([7, 8, 9]))
    >>> [each.keys.tolist() for each in split_sentences(of, np.array([0, 2, 3]))]
    [[7], [8, 9]]
    """
    before = np.concatenate(([0], np.cumsum(of.more, dtype=np.int64)))[contents]
    return [
        DocumentSentences(of.more[low:high], of.keys[begin:end])
        for low, high, begin, end in zip(contents[:-1], contents[1:], before[:-1], before[1:], strict=True)
    ]


def starts(of: DocumentSentences, numbers: Ints) -> Ints:
    """Return where sentences begin, each as one number: that of the content element times 2**32, plus an ordinal.

    Content elements of one sentence are left out: all that they hold is in it.

    Parameters
    ----------
    of
        The sentences of some content elements.
    numbers
        The number of each content element, ascending.

    Examples
    --------
    >>> found = starts(DocumentSentences(np.array([1, 0, 2]), np.array([7, 8, 9])), np.array([4, 5, 6]))
    >>> [divmod(start, 2**32) for start in found.tolist()]
    [(4, 0), (4, 7), (6, 0), (6, 8), (6, 17)]
    """
    several = np.flatnonzero(of.more)
    sizes = of.more[several].astype(np.int64) + 1
    ends = np.cumsum(sizes)
    found = np.zeros(int(ends[-1]) if ends.size else 0, np.int64)
    first = ends - sizes
    inner = np.ones(found.size, np.bool_)
    inner[first] = False
    found[inner] = of.keys
    total = np.cumsum(found)
    ordinals: Ints = total - np.repeat(total[first], sizes)
    return ordinals + np.repeat(numbers[several].astype(np.int64) << 32, sizes)
