"""Which spellings are of one word: accents and ligatures that do not count when somebody asks.

The index keeps words as they are written; what is folded here is what a query is compared with, so that one index
serves those for whom *Müller* is *Muller* and those for whom it is not.
"""

from __future__ import annotations

import re
import unicodedata

ACCENTS = ("fold", "keep")
"""Whether accents count: ``fold``, they do not; ``keep``, they do."""

_LIGATURES = {"œ": "oe", "æ": "ae"}
_STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "þ": "th"}
_TABLES = {"keep": str.maketrans(_LIGATURES), "fold": str.maketrans(_LIGATURES | _STROKES)}
_ACCENTS = re.compile("[\u0300-\u036f]")
"""The marks of Latin, Greek and Cyrillic letters. Those of other scripts are letters in their own right."""


def plain_spelling(folded: str, accents: str = "fold") -> str:
    """Return folded words as they are compared: without accents, or with ``keep`` without ligatures alone.

    >>> plain_spelling("müller œuvre łódź ǽ"), plain_spelling("müller œuvre ǽ", "keep")
    ('muller oeuvre lodz ae', 'müller oeuvre ǽ')
    """
    if folded.isascii():
        return folded
    if accents == "fold":
        folded = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", folded)))
    return folded.translate(_TABLES[accents])
