"""The syntax tree of filters; ``str`` prints the one canonical form, which parses to an equal tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from trix.indexer.profile.fields import RESERVED

_BARE = re.compile(r"[\w.:+-]+")
WORDS = tuple(word for word in RESERVED if word != "score")
"""The words of the language."""


@dataclass(frozen=True)
class Value:
    """What a field is compared with; equal by its text.

    Attributes
    ----------
    text
        As it was written, without quotes.
    column
        Where it stands in the filter, from 1.
    """

    text: str
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if _BARE.fullmatch(self.text) and self.text.lower() not in WORDS:
            return self.text
        return '"{}"'.format(self.text.replace('"', '""'))


@dataclass(frozen=True)
class Comparison:
    """A field against a value.

    Attributes
    ----------
    name, operator, value
        As ``year``, ``>=``, ``2015``; the operator is one of ``= != < <= > >= ~``.
    column
        Where the name stands in the filter, from 1.
    """

    name: str
    operator: str
    value: Value
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {self.value}"


@dataclass(frozen=True)
class OneOf:
    """A field has one of several values."""

    name: str
    values: tuple[Value, ...]
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name} in ({', '.join(map(str, self.values))})"


@dataclass(frozen=True)
class Exists:
    """A field has a value."""

    name: str
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name} exists"


@dataclass(frozen=True)
class Not:
    """Holds where a condition does not."""

    part: Condition

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, All | Any_) else f"not {self.part}"


@dataclass(frozen=True)
class All:
    """Holds where all of two or more conditions do."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Any_) else str(part) for part in self.parts)


@dataclass(frozen=True)
class Any_:
    """Holds where one of two or more conditions does."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Leaf = Comparison | OneOf | Exists
Condition = Leaf | Not | All | Any_


def leaves(condition: Condition, negated: bool = True) -> Iterator[Leaf]:
    """Yield the comparisons of a condition in written order, those below a *not* if they are asked for."""
    if isinstance(condition, All | Any_):
        for part in condition.parts:
            yield from leaves(part, negated)
    elif isinstance(condition, Not):
        yield from leaves(condition.part) if negated else ()
    else:
        yield condition


@dataclass(frozen=True)
class Filter:
    """A filter: which documents are wanted; equal by its condition.

    Attributes
    ----------
    condition
        What they say.
    text
        As it was written, for messages.
    """

    condition: Condition
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return str(self.condition)

    def without(self, name: str) -> Filter | None:
        """Return the filter without its conditions on one field alone; None where nothing is left.

        >>> one, other = Exists("year"), Exists("journal")
        >>> str(Filter(All((one, other))).without("year")), Filter(one).without("year")
        ('journal exists', None)
        """
        parts = self.condition.parts if isinstance(self.condition, All) else (self.condition,)
        kept = tuple(part for part in parts if any(leaf.name != name for leaf in leaves(part)))
        if not kept:
            return None
        return Filter(kept[0] if len(kept) == 1 else All(kept), self.text)


def joined(parts: list[Condition], kind: type[All] | type[Any_]) -> Any:
    """Return conditions joined with *and* or *or*; those of the same kind among them are taken apart."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    return kind(tuple(flat))
