"""Equivalent spellings: accents, vowel signs and letter forms that a query may ignore.

The index keeps words as they are written, and the query decides whether *Müller* matches *Muller*. Only the comparison
is folded. The rules are in QUERY, section 14.
"""

from __future__ import annotations

import re
import unicodedata

from trix.indexer.words.characters import IOTA_SUBSCRIPT

ACCENTS = ("fold", "keep")
"""``fold`` ignores accents, ``keep`` compares them."""

_LIGATURES = {"œ": "oe", "æ": "ae", "\u05f0": "\u05d5\u05d5", "\u05f1": "\u05d5\u05d9", "\u05f2": "\u05d9\u05d9"}
"""Latin ligatures and Yiddish digraphs."""

_TATWEEL = {"\u0640": ""}
"""The Arabic stroke that only stretches words."""

_STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "þ": "th"}

_ARABIC = {
    "\u0671": "\u0627",  # alef wasla: alef; alefs with madda or hamza lose these as marks
    "\u0649": "\u064a",  # alef maqsura: yeh
    "\u06cc": "\u064a",  # the yeh of Persian and Urdu
    "\u06a9": "\u0643",  # their kaf
    "\u0629": "\u0647",  # teh marbuta: heh
    "\u06c3": "\u0647",  # that of Urdu
    "\u06c1": "\u0647",  # the heh of Urdu
    "\u06c0": "\u0647",  # heh with yeh above; its parts would be another letter and a hamza
}
_TABLES = {
    "keep": str.maketrans(_LIGATURES | _TATWEEL),
    "fold": str.maketrans(_LIGATURES | _TATWEEL | _STROKES | _ARABIC),
}

_SIGNS = re.compile(
    "[\u0300-\u036f"  # accents of Latin, Greek and Cyrillic letters
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew points and cantillation
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic vowels, hamza on a letter
    "\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff"  # more Arabic vowels and signs of recitation
    "\u0711\u0730-\u074a]"  # Syriac vowels
)
"""Marks removed from decomposed words. Marks of other scripts are letters in their own right."""


def plain_spelling(folded: str, accents: str = "fold") -> str:
    """Return the compared form of folded words: ``keep`` drops ligatures, ``fold`` also accents.

    >>> plain_spelling("müller œuvre łódź ǽ"), plain_spelling("müller œuvre ǽ", "keep")
    ('muller oeuvre lodz ae', 'müller oeuvre ǽ')
    >>> plain_spelling("שָׁלוֹם مُؤَسَّسَة ψυχῇ"), plain_spelling("ψυχῇ", "keep")
    ('שלום موسسه ψυχη', 'ψυχῆι')
    """
    if folded.isascii():
        return folded
    if accents != "fold":
        return with_adscript(folded).translate(_TABLES[accents])
    # U+06C0 decomposes into another letter and a hamza, so it is replaced first.
    decomposed = unicodedata.normalize("NFD", folded.replace("\u06c0", "\u0647"))
    return unicodedata.normalize("NFC", _SIGNS.sub("", decomposed)).translate(_TABLES[accents])


def plain_spellings(folded: str, accents: str = "fold") -> tuple[str, ...]:
    """Return all compared forms of folded words.

    A Greek iota subscript is either dropped or written as an iota. Two words match if they share a form.

    >>> plain_spellings("ψυχῇ"), plain_spellings("ψυχῆι"), plain_spellings("ψυχή"), plain_spellings("ψυχῇ", "keep")
    (('ψυχη', 'ψυχηι'), ('ψυχηι',), ('ψυχη',), ('ψυχῆι',))
    """
    first = plain_spelling(folded, accents)
    second = first if (adscript := with_adscript(folded)) == folded else plain_spelling(adscript, accents)
    return (first,) if first == second else (first, second)


def with_adscript(folded: str) -> str:
    """Write each iota subscript as an iota after its letter.

    >>> with_adscript("τῇ ᾠδῇ")
    'τῆι ὠιδῆι'
    """
    if folded.isascii() or not IOTA_SUBSCRIPT.search(folded):
        return folded
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", folded).replace("\u0345", "ι"))
