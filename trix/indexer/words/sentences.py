"""Where sentences begin, and how an index says it [RETRIEVAL, section 2].

A sentence ends with a full stop, an exclamation or a question mark, perhaps with quotation marks or brackets behind it,
where white space follows and then, perhaps behind an opening quotation mark or bracket, a letter that is no small one.
A full stop behind a single letter (``J. Smith``), whatever its marks, or an abbreviation (``Fig. S1``) ends nothing.
Behind the marks of Chinese and Japanese no white space is needed. A content element begins with a sentence of its own.

What is kept are numbers of keys, so sentences without a key are none. Of each content element two things are said: how
many sentences it has beyond the first, and how many keys are in each of them but the last.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from trix.core.words import cut_sentences
from trix.indexer.words.interner import Text, text_codes
from trix.support.arrays import Ints

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

STOPS, WHITE = ".!?…؟۔", r"\s\x02\x03\x04\x05"
CLOSING, OPENING = "\"'”’»)\\]", "\"'“‘„«(\\[¿¡"
WIDE, WIDE_CLOSING = "。！？｡", "」』”’）)"


class MarkedText(NamedTuple):
    """A text in which every sentence is behind a `BOUNDARY`, as every content element is."""

    text: Text
    owner: Ints
    """``(n_pieces,)`` of each piece behind a boundary the content element that it is in, counted from 0."""


class DocumentSentences(NamedTuple):
    """The sentences of some content elements."""

    more: Ints
    """``(n_content_elements,)`` sentences of each beyond the first."""
    keys: Ints
    """Keys in each sentence that is not the last of its content element, in order."""


def mark_sentences(text: Text, join: str = "") -> MarkedText:
    r"""Return a text for `KeyTable` with a `BOUNDARY` before each sentence.

    Parameters
    ----------
    text
        Content elements, each behind a `BOUNDARY`.
    join
        Characters that vanish inside words.

    Examples
    --------
    >>> from trix.indexer.words.analyzer import BOUNDARY
    >>> from trix.indexer.words.interner import text_string
    >>> marked = mark_sentences(f"{BOUNDARY}One. Two by J. Smith (Fig. S1)! 'Three?' four.{BOUNDARY}Five")
    >>> text_string(marked.text).split(BOUNDARY)[1:], marked.owner.tolist()
    (['One. ', 'Two by J. Smith (Fig. S1)! ', "'Three?' four.", 'Five'], [0, 0, 0, 1])
    """
    codes = text_codes(text)
    wide = bool(codes.size) and int(codes.max()) >= _NARROW
    marked, owner = cut_sentences(codes, _roles(join, 0x110000 if wide else _NARROW), _packed())
    return MarkedText(marked, owner)


_NARROW = 0x10000
"""Characters of the Basic Multilingual Plane."""

_LETTERS, _VARIANTS = 0x40000, 0xE0000
"""Behind the last letter, and before the marks that choose a variant; no other character from there on has a role."""


@lru_cache(maxsize=8)
def _roles(join: str, size: int) -> Ints:
    """Return what each of the first characters can be in the end of a sentence, as bits; see `cut_sentences`."""
    codes = [*range(min(size, _LETTERS)), *range(min(size, _VARIANTS), min(size, _VARIANTS + 0x1000))]
    everything = "".join(chr(code) if not 0xD800 <= code < 0xE000 else "\0" for code in codes)
    roles, every = np.zeros(len(codes), np.uint16), np.zeros(size, np.uint16)
    classes = [f"[{STOPS}]", f"[{CLOSING}]", f"[{WHITE}]", f"[{OPENING}]", rf"[^\W\d_{_small_letters()}]"]
    marks = "".join(mark for mark in WIDE if mark not in join)
    classes += [f"[{marks}]" if marks else r"(?!)", f"[{WIDE_CLOSING}]", r"[^\W_]"]
    for bit, pattern in enumerate(classes):
        for run in re.finditer(f"(?:{pattern})+", everything):
            roles[run.start() : run.end()] |= 1 << bit
    roles[np.fromiter(map(str.isalpha, everything), np.bool_, len(codes)) & (roles & 1 << 7 > 0)] |= 1 << 8
    roles[np.fromiter(map(_is_mark, everything), np.bool_, len(codes))] |= 1 << 9
    every[codes] = roles
    return every


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


@lru_cache(maxsize=1)
def _packed() -> Ints:
    """Return the abbreviations, of ASCII letters, each as one number."""
    return np.array(sorted(int.from_bytes(word.encode("ascii"), "big") for word in ABBREVIATIONS), np.int64)


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
    """Tell whether the word before a full stop is a single letter, which may have marks, or an abbreviation."""
    begin = stop
    while begin and stop - begin <= _LONGEST and (text[begin - 1].isalnum() or _is_mark(text[begin - 1])):
        begin -= 1
    if stop - begin > _LONGEST or (begin and text[begin - 1] == "_"):
        return False
    word = text[begin:stop]
    letters = [character for character in word if not _is_mark(character)]
    return (len(letters) == 1 and letters[0].isalpha()) or word.lower() in ABBREVIATIONS


_LONGEST = 7
"""Characters of a word that may be an abbreviation."""


@lru_cache(maxsize=8)
def _ends(join: str) -> re.Pattern[str]:
    """Return what finds the ends of sentences, with the white space behind them."""
    wide = "".join(mark for mark in WIDE if mark not in join)
    narrow = rf"[{STOPS}][{CLOSING}]*[{WHITE}]+(?=[{OPENING}]*[^\W\d_{_small_letters()}])"
    return re.compile(narrow + (f"|[{wide}][{WIDE_CLOSING}]*" if wide else ""))


@lru_cache(maxsize=1)
def _small_letters() -> str:
    """Return the small letters of the first two planes as the inside of a class of a regular expression."""
    small = np.fromiter(map(str.islower, map(chr, range(0x20000))), np.bool_, 0x20000)
    borders = np.flatnonzero(np.diff(small, prepend=False)).tolist()
    return "".join(f"{chr(begin)}-{chr(end - 1)}" for begin, end in zip(borders[::2], borders[1::2], strict=True))


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
