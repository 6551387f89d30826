"""Occurrence of the keys of a query in a short text, literally by their definitions."""

from __future__ import annotations

from collections.abc import Sequence

from trix.indexer.words.multi_key import parts
from trix.query.language.terms import Alternatives, Keys, Near, plain


def occurs(keys: Keys, held: Sequence[str], exact: bool) -> bool:
    """Whether a text with the keys `held`, in this order, matches `keys`.

    >>> occurs(("tree", "edit"), ["edit", "tree"], False), occurs(("tree", "edit"), ["edit", "tree"], True)
    (True, False)
    """
    first = keys[0]
    if isinstance(first, Near):
        return stretches(first, held) > 0
    if isinstance(first, Alternatives):
        return any(occurs(option, held, exact) for option in first.keys)
    if not exact:
        every = set(held)
        return any(every.issuperset(one) for one in plain(keys))
    stretch = tuple(held)
    return any(stretch[at : at + len(one)] == one for one in plain(keys) for at in range(len(stretch)))


def stretches(near: Near, held: Sequence[str]) -> int:
    """Count the shortest stretches of a text that hold all keys of `near`, literally by the definition.

    A stretch counts if no shorter one inside it holds them all, and if its last key is within the distance of its
    first. In order, a stretch holds them where each key comes after the one before it and within the distance of it.

    >>> stretches(Near(("a", "b"), 2), ["a", "x", "b", "a", "x", "x", "b"])
    2
    >>> stretches(Near(("a", "b"), 2, ordered=True), ["b", "a", "x", "b", "a", "x", "x", "b"])
    1
    """
    if near.ordered:
        return _ordered_stretches(near, held)
    wanted = [set(parts(key)) for key in near.keys]

    def whole(stretch: Sequence[str]) -> bool:
        return not any(keys.isdisjoint(stretch) for keys in wanted)

    holding = [(i, j) for i in range(len(held)) for j in range(i, len(held)) if whole(held[i : j + 1])]
    shortest = [(i, j) for i, j in holding if (i + 1, j) not in holding and (i, j - 1) not in holding]
    return sum(j - i <= near.within for i, j in shortest)


def _ordered_stretches(near: Near, held: Sequence[str]) -> int:
    wanted = [set(parts(key)) for key in near.keys]
    chains: list[tuple[int, ...]] = [(at,) for at, key in enumerate(held) if key in wanted[0]]
    for keys in wanted[1:]:
        ends = [at for at, key in enumerate(held) if key in keys]
        chains = [(*chain, at) for chain in chains for at in ends if 0 < at - chain[-1] <= near.within]
    spans = {(chain[0], chain[-1]) for chain in chains}
    return sum(not any(span != (i, j) and i <= span[0] and span[1] <= j for span in spans) for i, j in spans)
