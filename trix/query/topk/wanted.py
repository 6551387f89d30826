"""Boolean clauses and filters on elements, prepared for the compiled loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from trix.core.topk import Demands
from trix.query.language.terms import And, Condition, Keys, Not, Term, terms_of
from trix.support.arrays import Int32s, Mask

NOT, AND, OR = -1, -2, -3
"""Operators of a condition in postfix order, as in `trix.core.topk`; numbers from 0 on are rows of keys."""

_NO_PROGRAM = np.zeros(0, np.int64)


class Wanted(NamedTuple):
    """Conditions on elements beside the scored terms.

    Attributes
    ----------
    groups
        A candidate holds all terms of at least one group; None for no such condition.
    condition
        Condition on returned candidates; None for none.
    admits
        Callable: ascending candidate numbers to those that may be returned; None for all.
    """

    groups: Sequence[tuple[Keys, ...]] | None = None
    condition: Condition | None = None
    admits: Callable[[Int32s], Mask] | None = None

    @property
    def keys(self) -> Iterable[Keys]:
        """Keys of all terms in the conditions."""
        for group in self.groups or ():
            yield from group
        if self.condition is not None:
            yield from (term.keys for term in terms_of(self.condition))

    def demands(self, rows: dict[Keys, int], keys: int) -> Demands:
        """Compile the conditions; `rows` maps keys to rows, `keys` is the number of all keys."""
        groups = [group for group in self.groups or () if group]
        # A row for each group: the kernel compares it with the keys that an element holds.
        flags = np.zeros((len(groups), keys), np.bool_)
        for place, group in enumerate(groups):
            flags[place, [rows[each] for each in group]] = True
        program = _NO_PROGRAM if self.condition is None else np.array([*_postfix(self.condition, rows)], np.int64)
        return Demands(keys, flags, program, self.admits)


def _postfix(condition: Condition, rows: dict[Keys, int]) -> Iterable[int]:
    """Yield a condition in postfix order: rows of keys, and operators."""
    if isinstance(condition, Term):
        yield rows[condition.keys]
    elif isinstance(condition, Not):
        # Operands first, then the operator: the kernel needs a stack of truth values, and no recursion.
        yield from _postfix(condition.condition, rows)
        yield NOT
    else:
        for place, part in enumerate(condition.parts):
            yield from _postfix(part, rows)
            if place:
                # An operator after each operand but the first joins it to those before.
                yield AND if isinstance(condition, And) else OR


NOTHING_WANTED = Wanted()


@lru_cache(maxsize=64)
def no_demands(keys: int) -> Demands:
    """Return the conditions of a query without Boolean clauses."""
    # Shared by threads: safe only because an empty program never writes to its stack.
    return Demands(keys, np.zeros((0, keys), np.bool_), _NO_PROGRAM, None)
