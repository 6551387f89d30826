"""Queries for sections by number: "§ 303", "Article 12", "art. 12 Patent Act", "2.1.3" [QUERY, section 19]."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from trix.indexer.store.titles import title_words

_WORDS = {
    "section": "section sections sec secs s ss paragraphe abschnitt",
    "article": "article articles art arts artikel",
    "subsection": "subsection subsec",
    "paragraph": "paragraph para par absatz abs alinea",
    "clause": "clause cl",
    "chapter": "chapter chap ch kapitel chapitre cap",
    "part": "part pt teil partie",
    "title": "title titel titre",
    "division": "division div",
    "schedule": "schedule sched annexe annex anhang",
    "appendix": "appendix app",
    "rule": "rule",
    "figure": "figure fig abbildung abb",
    "table": "table tab tableau tabelle",
    "box": "box",
}
"""Name of a numbered part -> all its names, folded and without accents."""

_NAMES = {name: known for known, names in _WORDS.items() for name in names.split()}

_NUMBER = r"(?:\d+[a-z]{0,2}|[a-z]|[ivxlcdm]+)(?:[.:–-]\w+)*"
_NAMED = re.compile(rf"(?:(?P<name>[^\W\d_]+)\.? |§§? ?)(?P<number>{_NUMBER})(?:[.:,]? ?\(\w+\))*(?P<rest>\W.*)?", re.I)
_BARE = re.compile(r"(?P<number>\d+(?:[.-]\d+[a-z]?)+)\.?", re.I)


class AskedNumber(NamedTuple):
    """A query for a section by its number.

    Attributes
    ----------
    name
        Kind of section, one of `_WORDS`; empty for a number alone.
    number
        The number as typed.
    rest
        Words of the document's title after it, or empty.
    """

    name: str
    number: str
    rest: str

    @classmethod
    def of(cls, text: str) -> AskedNumber | None:
        """Parse a query; None if it is not for a number.

        >>> AskedNumber.of("§ 303"), AskedNumber.of("2.1.3")
        (AskedNumber(name='section', number='303', rest=''), AskedNumber(name='', number='2.1.3', rest=''))
        >>> AskedNumber.of("art. 12 of the Patent Act")
        AskedNumber(name='article', number='12', rest='of the Patent Act')
        >>> AskedNumber.of("tree edit"), AskedNumber.of("1984"), AskedNumber.of("part of speech")
        (None, None, None)
        """
        # A number alone needs a dot or hyphen: 1984 is a word of a query.
        bare = _BARE.fullmatch(text)
        if bare:
            return cls("", bare["number"], "")
        found = _NAMED.fullmatch(text)
        if not found:
            return None
        # A word before the number has to be a known name of a part; § needs none.
        name = _NAMES.get(" ".join(title_words(found["name"])), "") if found["name"] else "section"
        return cls(name, found["number"], (found["rest"] or "").strip(" ,;:.")) if name else None

    def is_label(self, words: Sequence[str]) -> bool:
        """Whether the words of a label are this number, with or without its name.

        >>> number = AskedNumber.of("Section 12")
        >>> [number.is_label(words) for words in (["12"], ["sec", "12"], ["article", "12"], ["12", "1"], ["1"])]
        [True, True, False, False, False]
        """
        number = title_words(self.number)
        # The number is the end of the label.
        if list(words[-len(number) :]) != number:
            return False
        before = words[: -len(number)]
        return not before or (len(before) == 1 and _NAMES.get(before[0]) == self.name)

    def is_called(self, tag: str) -> bool:
        """Whether a tag names this kind of section, as ``sec`` and ``Section`` do.

        >>> number = AskedNumber.of("§ 12")
        >>> number.is_called("sec"), number.is_called("Section"), number.is_called("subsection")
        (True, True, False)
        """
        # Tags are abbreviated as people do: sec, art.
        return bool(self.name) and _NAMES.get(tag.lower(), tag.lower()) == self.name
