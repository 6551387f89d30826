"""Order and words of texts for people: without regard to case, accents and signs."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

_WORD = re.compile(r"[^\W_]+")


def folded(text: str) -> str:
    """Return a text without case and accents.

    >>> folded("Élan VITAL")
    'elan vital'
    """
    return "".join(letter for letter in normalize("NFKD", text.casefold()) if not combining(letter))


def sort_key(text: str) -> str:
    """Return the sort key of a text: the folded text from its first letter or digit on.

    >>> sort_key("«Élan» vital"), sort_key("'Tis"), sort_key("12 Angry Men"), sort_key("...")
    ('elan» vital', 'tis', '12 angry men', '')
    """
    begin = next((place for place, letter in enumerate(text) if letter.isalnum()), len(text))
    return folded(text[begin:])


def first_letter(key: str, others: str = "#") -> str:
    """Return the letter under which a sort key stands, or `others`.

    >>> first_letter("elan"), first_letter("12 angry men"), first_letter("")
    ('E', '#', '#')
    """
    return key[:1].upper() if key[:1].isalpha() else others


def words_of(text: str) -> list[str]:
    """Return the folded words of a text.

    >>> words_of("Élan-vital, 2")
    ['elan', 'vital', '2']
    """
    return _WORD.findall(folded(text))


def begins_all(prefixes: list[str], words: list[str]) -> bool:
    """Whether each prefix begins one of some words.

    >>> begins_all(["vi", "el"], ["elan", "vital"]), begins_all(["an"], ["elan"])
    (True, False)
    """
    return all(any(word.startswith(each) for word in words) for each in prefixes)
