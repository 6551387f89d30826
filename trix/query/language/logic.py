"""*And* and *or* in the conditions of structured queries and of path expressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

C = TypeVar("C")


@dataclass(frozen=True)
class And(Generic[C]):
    """Holds where all of two or more conditions do."""

    parts: tuple[C, ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, And | Or) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Or(Generic[C]):
    """Holds where one of two or more conditions does."""

    parts: tuple[C, ...]

    def __str__(self) -> str:
        return " or ".join(f"({part})" if isinstance(part, Or) else str(part) for part in self.parts)


def leaves(condition: Any) -> Iterator[Any]:
    """Yield what a condition joins with *and* and *or*, in written order; nothing for None.

    >>> list(leaves(And(("a", Or(("b", "c"))))))
    ['a', 'b', 'c']
    """
    if isinstance(condition, And | Or):
        for part in condition.parts:
            yield from leaves(part)
    elif condition is not None:
        yield condition
