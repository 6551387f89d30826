"""Multi-keys: one string for the alternative keys of a query word.

In a multilingual collection a word has one key per language. If accents are folded, *Müller* also means the key of
*muller*. Such alternatives travel as one string wherever a key can: as a term, in a phrase, near others. Keys have only
letters, marks and numbers, so the separators are unambiguous.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

OR = "|"
"""Separates alternative keys."""

ALSO = "~"
"""Precedes the keys of other spellings, if any; the keys before it are those of the exact spelling."""


def joined(keys: Iterable[str], others: Iterable[str] = ()) -> str:
    """Join keys into a multi-key: the word's own keys first, then those of other spellings.

    >>> joined(["müller"], ["müller", "muller"]), joined(["die", "dy"]), joined(["xml"])
    ('müller~muller', 'die|dy', 'xml')
    """
    own = dict.fromkeys(keys)
    rest = [key for key in dict.fromkeys(others) if key not in own]
    return OR.join(own) + (ALSO + OR.join(rest) if rest else "")


def parts(key: str) -> list[str]:
    """Split a multi-key into its keys.

    >>> parts("müller~muller|mueller"), parts("xml")
    (['müller', 'muller', 'mueller'], ['xml'])
    """
    return key.replace(ALSO, OR).split(OR) if is_joint(key) else [key]


def exact(key: str) -> str:
    """Drop the keys of other spellings from a multi-key.

    >>> exact("die|dy~dië"), exact("xml")
    ('die|dy', 'xml')
    """
    return key.partition(ALSO)[0]


def is_joint(key: str) -> bool:
    return OR in key or ALSO in key


def each(keys: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Expand a sequence of multi-keys into all sequences of plain keys.

    >>> each(("rue", "muller|müller"))
    (('rue', 'muller'), ('rue', 'müller'))
    """
    return tuple(product(*map(parts, keys))) if any(map(is_joint, keys)) else (tuple(keys),)
