"""Sentence boundaries, and their encoding in the index [RETRIEVAL, section 2].

A sentence ends with a full stop, exclamation or question mark, and closing quotation marks or brackets after it. White
space must follow, then opening quotation marks or brackets, if any, and a letter that is not lower-case. A full stop
after a single letter (``J. Smith``) or an abbreviation (``Fig. S1``) ends no sentence. Chinese and Japanese marks need
no white space. A content element always begins a sentence.

The index stores numbers of keys, so sentences without a key do not count. For each content element it stores the number
of sentences beyond the first, and the number of keys in each sentence but the last.
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
"""Lower-case words after which a full stop ends no sentence."""

STOPS, WHITE = ".!?…؟۔", r"\s\x02\x03\x04\x05"
CLOSING, OPENING = "\"'”’»)\\]", "\"'“‘„«(\\[¿¡"
WIDE, WIDE_CLOSING = "。！？｡", "」』”’）)"


class SentenceText(NamedTuple):
    """Text with a `BOUNDARY` before every sentence, as before every content element."""

    text: Text
    owner: Ints
    """``(n_pieces,)`` content element, counted from 0, of each piece between boundaries."""


class DocumentSentences(NamedTuple):
    """Numbers of sentences and keys of some content elements."""

    more: Ints
    """``(n_content_elements,)`` number of sentences beyond the first."""
    keys: Ints
    """Number of keys in each sentence that is not the last of its content element, in order."""


def mark_sentences(text: Text, join: str = "") -> SentenceText:
    r"""Insert a `BOUNDARY` before each sentence of a text for `KeyTable`.

    Parameters
    ----------
    text
        Content elements, each after a `BOUNDARY`.
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
    return SentenceText(marked, owner)


_NARROW = 0x10000
"""Size of the Basic Multilingual Plane."""

_LETTERS, _VARIANTS = 0x40000, 0xE0000
"""No character from `_LETTERS` on has a role, except the variation selectors at `_VARIANTS`."""


@lru_cache(maxsize=8)
def _roles(join: str, size: int) -> Ints:
    """Return the roles that characters play at sentence ends, as bits for `cut_sentences`."""
    codes = [*range(min(size, _LETTERS)), *range(min(size, _VARIANTS), min(size, _VARIANTS + 0x1000))]
    everything = "".join(chr(code) if not 0xD800 <= code < 0xE000 else "\0" for code in codes)
    roles, every = np.zeros(len(codes), np.uint16), np.zeros(size, np.uint16)
    classes = [f"[{STOPS}]", f"[{CLOSING}]", f"[{WHITE}]", f"[{OPENING}]", rf"[^\W\d_{_small_letters()}]"]
    marks = "".join(mark for mark in WIDE if mark not in join)
    classes += [f"[{marks}]" if marks else r"(?!)", f"[{WIDE_CLOSING}]", r"[^\W_]"]
    # Bits 0 to 7 are the classes above: stop, closing, white space, opening, not a small letter, wide stop, wide
    # closing, alphanumeric. One regular expression a class finds whole runs, which beats a test per character.
    for bit, pattern in enumerate(classes):
        for run in re.finditer(f"(?:{pattern})+", everything):
            roles[run.start() : run.end()] |= 1 << bit
    # Bit 8: letters, for single-letter abbreviations. Bit 9: marks, which do not count as letters there.
    roles[np.fromiter(map(str.isalpha, everything), np.bool_, len(codes)) & (roles & 1 << 7 > 0)] |= 1 << 8
    roles[np.fromiter(map(_is_mark, everything), np.bool_, len(codes))] |= 1 << 9
    every[codes] = roles
    return every


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M"


@lru_cache(maxsize=1)
def _packed() -> Ints:
    """Return the abbreviations as integers: their ASCII letters, big-endian."""
    return np.array(sorted(int.from_bytes(word.encode("ascii"), "big") for word in ABBREVIATIONS), np.int64)


def sentence_ends(text: str, first: int, join: str) -> list[int]:
    """Return the offsets at which sentences end, white space included.

    Parameters
    ----------
    text
        Plain text, or annotated text with the marks of content elements and tags.
    first
        Offset to start from.
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
        # Only a full stop can follow an abbreviation.
        if text[match.start()] != "." or not _abbreviated(text, match.start())
    ]


def _abbreviated(text: str, stop: int) -> bool:
    """Whether the word before a full stop is an abbreviation or a single letter, marks ignored."""
    begin = stop
    while begin and stop - begin <= _LONGEST and (text[begin - 1].isalnum() or _is_mark(text[begin - 1])):
        begin -= 1
    # Longer than any abbreviation, or the tail of an identifier.
    if stop - begin > _LONGEST or (begin and text[begin - 1] == "_"):
        return False
    word = text[begin:stop]
    letters = [character for character in word if not _is_mark(character)]
    return (len(letters) == 1 and letters[0].isalpha()) or word.lower() in ABBREVIATIONS


_LONGEST = 7
"""Length of the longest word that is compared with abbreviations."""


@lru_cache(maxsize=8)
def _ends(join: str) -> re.Pattern[str]:
    """Return a pattern for sentence ends, white space included."""
    wide = "".join(mark for mark in WIDE if mark not in join)
    narrow = rf"[{STOPS}][{CLOSING}]*[{WHITE}]+(?=[{OPENING}]*[^\W\d_{_small_letters()}])"
    return re.compile(narrow + (f"|[{wide}][{WIDE_CLOSING}]*" if wide else ""))


@lru_cache(maxsize=1)
def _small_letters() -> str:
    """Return the lower-case letters of the first two planes, as the inside of a regular-expression class."""
    small = np.fromiter(map(str.islower, map(chr, range(0x20000))), np.bool_, 0x20000)
    borders = np.flatnonzero(np.diff(small, prepend=False)).tolist()
    return "".join(f"{chr(begin)}-{chr(end - 1)}" for begin, end in zip(borders[::2], borders[1::2], strict=True))


def counted(marked: SentenceText, counts: Ints, contents: int) -> tuple[Ints, DocumentSentences]:
    """Count the keys of each content element, and those of its sentences.

    Parameters
    ----------
    marked
        The text that was cut into keys.
    counts
        Number of keys in each of its pieces.
    contents
        Number of content elements.

    Examples
    --------
    >>> marked = SentenceText("", np.array([0, 0, 0, 1, 2]))
    >>> of, (more, keys) = counted(marked, np.array([3, 0, 2, 0, 4]), 3)
    >>> of.tolist(), more.tolist(), keys.tolist()
    ([5, 0, 4], [1, 0, 0], [3])
    """
    total = np.bincount(marked.owner, counts, contents).astype(np.int64)
    # Sentences without keys are dropped, so that counts add up to the ordinals of keys.
    filled = np.flatnonzero(counts)
    owner, keys = marked.owner[filled], counts[filled]
    # A piece is the last of its content element if the next one belongs to another.
    last = np.ones(owner.size, np.bool_)
    last[:-1] = owner[1:] != owner[:-1]
    more = np.bincount(owner[~last], minlength=contents)
    return total, DocumentSentences(more, keys[~last].astype(np.int64))


def encode_sentences(documents: Iterable[DocumentSentences]) -> dict[str, Ints]:
    """Encode the sentences of documents as columns of a block."""
    each = [DocumentSentences(np.zeros(0, np.int64), np.zeros(0, np.int64)), *documents]
    return {
        name: np.concatenate([getattr(of, part) for of in each])
        for name, part in zip(COLUMNS, ("more", "keys"), strict=True)
    }


SECTION = "sentences"
COLUMNS = ("sentences.more", "sentences.keys")


def split_sentences(of: DocumentSentences, contents: Ints) -> list[DocumentSentences]:
    """Split the sentences of a block by document.

    Parameters
    ----------
    of
        Sentences of the whole block.
    contents
        First content element of each document, then the end of the last one.

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
    """Return the starts of sentences: content number times 2**32, plus the ordinal of the first key.

    Content elements with a single sentence are left out.

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
    # One slot per sentence: 0 for the first of its content element, then the size of the one before it. The running
    # sum, minus its value at the first slot, is the ordinal.
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
