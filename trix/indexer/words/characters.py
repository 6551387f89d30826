"""Character classes of words: folding, word characters, and characters that vanish inside words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphen, zero-width space, word joiner, byte order mark: removed before words are cut."""

IOTA_SUBSCRIPT = re.compile(
    "([\u0345\u1f80-\u1faf\u1fb2-\u1fb4\u1fb7\u1fbc\u1fc2-\u1fc4\u1fc7\u1fcc\u1ff2-\u1ff4\u1ff7\u1ffc])"
)
"""Greek letters with iota subscript, and the combining iota itself."""

_MAY_HOLD_MARKS = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u1dff\u200b\u2060\u20d0-\u20ff\u2cef-\u2cf1\u2d7f-\u2dff\u302a-\u302f\u3099\u309a"
    "\ua66f-\uabff\ufb1e\ufe00-\ufe2f\ufeff\U00010000-\U0010ffff]"
)
"""Ranges that include all marks and invisible characters, but no Latin, Greek or Cyrillic letter."""


def fold(text: str) -> str:
    """Fold text for comparison: NFKC, case folding, NFKC.

    A Greek iota subscript is kept; Unicode's case folding would turn it into a letter.

    >>> fold("Straße ﬁ Ⅳ ᾼΔΗΣ")
    'strasse fi iv ᾳδησ'
    """
    text = unicodedata.normalize("NFKC", text)
    if IOTA_SUBSCRIPT.search(text):
        pieces = IOTA_SUBSCRIPT.split(text)
        # Odd pieces are the letters with iota subscript: lower() keeps the subscript, casefold() does not.
        folded = "".join(piece.lower() if at % 2 else piece.casefold() for at, piece in enumerate(pieces))
    else:
        folded = text.casefold()
    return unicodedata.normalize("NFKC", folded)


def is_word_character(character: str) -> bool:
    """Whether a character can be part of a word: a letter, a mark or a number."""
    return unicodedata.category(character)[0] in "LMN"


def inside_words(text: str) -> str:
    r"""Return a pattern for characters inside words: ``\w``, plus marks if the text may have some.

    >>> inside_words("naïve α")
    '\\w'
    >>> re.findall(f"{inside_words('שָׁלוֹם')}+", "שָׁלוֹם לָךְ")
    ['שָׁלוֹם', 'לָךְ']
    """
    return _inside_marked_words() if not text.isascii() and _MAY_HOLD_MARKS.search(text) else r"\w"


@cache
def _inside_marked_words() -> str:
    planes = (*range(0x300, 0x3100), *range(0xA66F, 0xAC00), *range(0xF900, 0x20000), *range(0xE0100, 0xE01F0))
    marks = [code for code in planes if unicodedata.category(chr(code))[0] == "M"]
    return rf"[\w{class_of(sorted([*map(ord, INVISIBLE), *marks]))}]"


def class_of(codes: Iterable[int]) -> str:
    """Write ascending code points as the inside of a regular-expression class."""
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
