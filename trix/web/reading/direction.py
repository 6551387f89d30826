"""Writing direction of texts, by language and letters.

A browser's ``dir="auto"`` goes by the first letter, which in a snippet, or in a line of a concordance, may be of a
foreign word. Here most letters decide, and a known language does where the text has any letter of its script.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from markupsafe import Markup, escape

RTL, LTR, AUTO = "rtl", "ltr", "auto"

_LANGUAGES = re.compile(
    "acm|afb|aii|apc|ar|arc|ary|arz|azb|bal|bqi|ckb|dv|fa|glk|hac|haz|hbo|he|iw|ji|khw|ks|lrc|mid|myz|mzn|nqo|ota|pes|"
    "phv|pnb|prs|ps|rhg|sam|sd|skr|syc|syr|tmr|ug|ur|yi"
)
"""Languages that are written from right to left unless a script is named."""

_SCRIPTS = re.compile(
    "adlm|arab|aran|armi|avst|hebr|khar|lydi|mand|mani|nbat|nkoo|palm|phli|phnx|prti|rohg|samr|sarb|syrc|thaa"
)
"""Codes of right-to-left scripts in language tags."""

_RIGHT_TO_LEFT = "\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_ANY = re.compile(f"[{_RIGHT_TO_LEFT}]")
_RUN = re.compile(f"[{_RIGHT_TO_LEFT}](?:[^\\S\\n]*[{_RIGHT_TO_LEFT}])*")
_PHRASE = re.compile(f"[{_RIGHT_TO_LEFT}](?:[\\s,.;:!?'\"/\u2013-]*[{_RIGHT_TO_LEFT}])*")
"""Right-to-left words with the signs between them, without brackets and numbers."""

_LOOKED_AT = 1000
"""Number of characters that decide the direction of a text."""


def of_language(tag: str) -> str:
    """Return the direction of a language; empty without one.

    >>> of_language("he"), of_language("fa-IR"), of_language("az-Arab"), of_language("yi-Latn"), of_language("en")
    ('rtl', 'rtl', 'rtl', 'ltr', 'ltr')
    """
    language, *rest = re.split("[-_]", tag.strip().lower())
    if not language.isalpha() or language in ("und", "zxx", "mul", "mis"):
        return ""
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), "")
    if script:
        return RTL if _SCRIPTS.fullmatch(script) else LTR
    return RTL if _LANGUAGES.fullmatch(language) else LTR


def has_right_to_left(text: str) -> bool:
    """Whether a text has a right-to-left character."""
    return not text.isascii() and _ANY.search(text) is not None


def direction(text: str, language: str = "") -> str:
    """Return the direction of a text: ``rtl``, ``ltr``, or ``auto`` where it has no letters.

    The language decides if the text has letters of its direction, else most letters do.

    >>> direction("… שָׁלוֹם means peace"), direction("… שָׁלוֹם means peace", "he"), direction("peace", "he")
    ('ltr', 'rtl', 'ltr')
    >>> direction("שָׁלוֹם, peace"), direction("שָׁלוֹם", "en"), direction("12")
    ('ltr', 'rtl', 'auto')
    """
    text = text[:_LOOKED_AT]
    leftward = 0
    if has_right_to_left(text):
        leftward = sum(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
    rightward = sum(map(str.isalpha, text)) - leftward if leftward else int(any(map(str.isalpha, text)))
    known = of_language(language)
    if (known == RTL and leftward) or (known == LTR and rightward > 0):
        return known
    if not leftward and rightward <= 0:
        return AUTO
    return RTL if leftward > rightward else LTR


def direction_of(pieces: Iterable[str], language: str = "") -> str:
    """Return the direction of a text in pieces, of which only as many are read as needed."""
    text = ""
    for piece in pieces:
        text += piece
        if len(text) >= _LOOKED_AT:
            break
    return direction(text, language)


def isolated(text: str) -> Markup:
    """Escape a text, with right-to-left words isolated from the text around them.

    >>> isolated("did you mean שלום (2)?")
    Markup('did you mean <bdi>שלום</bdi> (2)?')
    """
    pieces, at = list[str](), 0
    for run in _RUN.finditer(text):
        pieces += [escape(text[at : run.start()]), Markup("<bdi>"), escape(run.group()), Markup("</bdi>")]
        at = run.end()
    return Markup("").join([*pieces, escape(text[at:])])


def phrases(text: str, *, inside: bool = False) -> list[tuple[int, int]]:
    """Return the ranges of right-to-left words in a left-to-right text.

    A page isolates them, since else a number or a bracket after them would move to their other side. With `inside` only
    those with letters from left to right on both sides are returned, as of a text of which more stands around it.

    >>> text = "see רות (1:4), or יונה בן אמתי, 17"
    >>> [text[begin:end] for begin, end in phrases(text)], phrases(text, inside=True) == phrases(text)[:1]
    (['רות', 'יונה בן אמתי'], True)
    """
    if not has_right_to_left(text):
        return []
    found = [each.span() for each in _PHRASE.finditer(text)]
    if inside:
        found = [(low, high) for low, high in found if _nearest(text[:low], -1) == _nearest(text[high:], 1) == LTR]
    return found


def is_phrase(node: Any) -> bool:
    """Whether an inline element has right-to-left words and is not part of a longer right-to-left phrase.

    >>> from lxml import etree
    >>> line = etree.fromstring("<p>The name <w>רות</w> (1:4), and <w>יונה</w> בן אמתי.</p>")
    >>> [is_phrase(word) for word in line]
    [True, False]
    """
    text = "".join(node.itertext())
    if not has_right_to_left(text) or direction(text) != RTL:
        return False
    before, after, parent = node.getprevious(), node.getnext(), node.getparent()
    ahead = (before.tail if before is not None else parent.text) or ""
    sides = (_nearest(ahead, -1), before is None), (_nearest(node.tail or "", 1), after is None)
    return all(side == LTR or (side == AUTO and is_end) for side, is_end in sides)


def _nearest(text: str, step: int) -> str:
    """Return the direction of the last letter of a text; with `step` 1, of the first."""
    for letter in text[::step]:
        if letter.isalpha():
            return RTL if _ANY.match(letter) else LTR
    return AUTO
