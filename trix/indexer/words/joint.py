"""Several keys that are one: what a word of a query stands for where the same word has several keys.

In a collection of several languages a word has a key under each; and where accents do not count, *Müller* stands for
the keys of *müller* and of *muller*. Such keys travel as one string, a *joint key*, wherever one key can: as a term, in
a phrase, near others. Keys are letters, marks and numbers, so what joins them is never in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

OR = "|"
"""Between keys of which each is as good as the others."""

ALSO = "~"
"""Before the keys of other spellings, where there are any: those before it are of the word as it was asked for."""


def joined(keys: Iterable[str], others: Iterable[str] = ()) -> str:
    """Return keys as one, those of other spellings behind the word's own.

    >>> joined(["müller"], ["müller", "muller"]), joined(["die", "dy"]), joined(["xml"])
    ('müller~muller', 'die|dy', 'xml')
    """
    own = dict.fromkeys(keys)
    rest = [key for key in dict.fromkeys(others) if key not in own]
    return OR.join(own) + (ALSO + OR.join(rest) if rest else "")


def parts(key: str) -> list[str]:
    """Return the keys that a key stands for.

    >>> parts("müller~muller|mueller"), parts("xml")
    (['müller', 'muller', 'mueller'], ['xml'])
    """
    return key.replace(ALSO, OR).split(OR) if is_joint(key) else [key]


def exact(key: str) -> str:
    """Return a key without those of other spellings.

    >>> exact("die|dy~dië"), exact("xml")
    ('die|dy', 'xml')
    """
    return key.partition(ALSO)[0]


def is_joint(key: str) -> bool:
    """Tell whether a key stands for several."""
    return OR in key or ALSO in key


def each(keys: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return every way to take one of the keys that each of some keys stands for.

    >>> each(("rue", "muller|müller"))
    (('rue', 'muller'), ('rue', 'müller'))
    """
    return tuple(product(*map(parts, keys))) if any(map(is_joint, keys)) else (tuple(keys),)
