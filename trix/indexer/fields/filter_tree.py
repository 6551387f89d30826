"""Syntax tree of filters; ``str`` prints the canonical form, which parses to an equal tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from trix.indexer.profile.fields import RESERVED

_BARE = re.compile(r"[\w.:+-]+")
WORDS = tuple(word for word in RESERVED if word != "score")
"""Reserved words of the language."""


@dataclass(frozen=True)
class FilterValue:
    """Value in a comparison; equal by text.

    Attributes
    ----------
    text
        Text as written, without quotes.
    column
        Column in the filter, from 1.
    """

    text: str
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if _BARE.fullmatch(self.text) and self.text.lower() not in WORDS:
            return self.text
        return '"{}"'.format(self.text.replace('"', '""'))


@dataclass(frozen=True)
class FilterComparison:
    """Comparison of a field with a value.

    Attributes
    ----------
    name, operator, value
        Such as ``year``, ``>=``, ``2015``; operators are ``= != < <= > >= ~``.
    column
        Column of the name in the filter, from 1.
    """

    name: str
    operator: str
    value: FilterValue
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name} {self.operator} {self.value}"


@dataclass(frozen=True)
class FilterOneOf:
    """True if a field has one of several values."""

    name: str
    values: tuple[FilterValue, ...]
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name} in ({', '.join(map(str, self.values))})"


@dataclass(frozen=True)
class FilterExists:
    """True if a field has a value."""

    name: str
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.name} exists"


@dataclass(frozen=True)
class FilterNot:
    """Negation of a condition."""

    part: Condition

    def __str__(self) -> str:
        return f"not ({self.part})" if isinstance(self.part, FilterAll | FilterAny) else f"not {self.part}"


@dataclass(frozen=True)
class FilterAll:
    """Conjunction of two or more conditions."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, FilterAny) else str(part) for part in self.parts)


@dataclass(frozen=True)
class FilterAny:
    """Disjunction of two or more conditions."""

    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


Leaf = FilterComparison | FilterOneOf | FilterExists
Condition = Leaf | FilterNot | FilterAll | FilterAny


def leaves(condition: Condition, negated: bool = True) -> Iterator[Leaf]:
    """Yield the comparisons of a condition in written order; those below a *not* only if `negated`."""
    if isinstance(condition, FilterAll | FilterAny):
        for part in condition.parts:
            yield from leaves(part, negated)
    elif isinstance(condition, FilterNot):
        yield from leaves(condition.part) if negated else ()
    else:
        yield condition


@dataclass(frozen=True)
class Filter:
    """Parsed filter on documents; equal by its condition.

    Attributes
    ----------
    condition
        Syntax tree.
    text
        Text as written, for messages.
    """

    condition: Condition
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return str(self.condition)

    def without(self, name: str) -> Filter | None:
        """Drop the conditions on one field alone; None if nothing is left.

        >>> one, other = FilterExists("year"), FilterExists("journal")
        >>> str(Filter(FilterAll((one, other))).without("year")), Filter(one).without("year")
        ('journal exists', None)
        """
        parts = self.condition.parts if isinstance(self.condition, FilterAll) else (self.condition,)
        kept = tuple(part for part in parts if any(leaf.name != name for leaf in leaves(part)))
        if not kept:
            return None
        return Filter(kept[0] if len(kept) == 1 else FilterAll(kept), self.text)


def joined(parts: list[Condition], kind: type[FilterAll] | type[FilterAny]) -> Any:
    """Join conditions by *and* or *or*; nested ones of the same kind are flattened."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    return kind(tuple(flat))
