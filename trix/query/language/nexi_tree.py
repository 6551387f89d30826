"""Syntax tree of structured queries; ``str`` of a tree is its canonical form [RETRIEVAL, section 7].

Queries that differ only in white space, case of ``and``, needless parentheses, or several filters for ``and``, have
the same tree. Words stay as written: an index makes keys of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Union

from trix.query.language.terms import And, Or, leaves

Axis = Literal["/", "//"]
Operator = Literal["=", "!=", "<", "<=", ">", ">="]

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
"""Matches a decimal number: compared as a number, and written without quotes."""


@dataclass(frozen=True)
class NodeTest:
    """An axis and a node test.

    Parameters
    ----------
    axis
        ``/`` child, ``//`` descendant.
    names
        Alternatives; ``("*",)``, or ``("@name",)`` for an attribute.

    Examples
    --------
    >>> print(NodeTest("//", ("sec", "p")), NodeTest("/", ("@id",)))
    //(sec|p) /@id
    """

    axis: Axis
    names: tuple[str, ...]

    def __str__(self) -> str:
        return self.axis + (f"({'|'.join(self.names)})" if len(self.names) > 1 else self.names[0])


NexiPath = tuple[NodeTest, ...]
"""Node tests after the ``.``; empty for the element itself."""


@dataclass(frozen=True)
class About:
    """``about(path, text)``; `column` is where the text begins, which comparisons of queries ignore."""

    path: NexiPath
    text: str
    column: int = field(default=1, compare=False, repr=False)

    def __str__(self) -> str:
        return f"about({_relative(self.path)}, {self.text})"

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that its path ends in, as ``@name`` without prefixes; none where it ends in an element.

        >>> About((NodeTest("//", ("name",)), NodeTest("/", ("@m:key",))), "x").attributes
        ('@key',)
        """
        names = self.path[-1].names if self.path else ()
        return tuple(f"@{name[1:].rpartition(':')[2]}" for name in names if name[0] == "@")


@dataclass(frozen=True)
class Compare:
    """``path operator value``; the value as written, without quotes.

    >>> print(Compare((NodeTest("//", ("yr",)),), ">=", "1999"), Compare((), "=", "it's"))
    .//yr >= 1999 . = "it's"
    """

    path: NexiPath
    operator: Operator
    value: str

    def __str__(self) -> str:
        quote = "" if NUMBER.fullmatch(self.value) else "'" if '"' in self.value else '"'
        return f"{_relative(self.path)} {self.operator} {quote}{self.value}{quote}"


Condition = Union[About, Compare, "And[Condition]", "Or[Condition]"]
"""No part of an `And` is an `And`, and no part of an `Or` an `Or`, see `joined`."""


@dataclass(frozen=True)
class NexiStep:
    """A node test, and one condition for all its filters; None without filters."""

    test: NodeTest
    condition: Condition | None = None

    def __str__(self) -> str:
        return f"{self.test}[{self.condition}]" if self.condition else str(self.test)

    def vague(self) -> NexiStep:
        """Return the step with ``*`` for its names and the same condition."""
        return replace(self, test=replace(self.test, names=("*",)))


@dataclass(frozen=True)
class Nexi:
    """A structured query: steps, of which the last is the target and the others are the support.

    >>> print(Nexi((NexiStep(NodeTest("//", ("sec",)), About((), "xml", 3)), NexiStep(NodeTest("/", ("p",))))))
    //sec[about(., xml)]/p
    """

    steps: tuple[NexiStep, ...]

    @property
    def target(self) -> NexiStep:
        """The last step."""
        return self.steps[-1]

    @property
    def support(self) -> tuple[NexiStep, ...]:
        """The steps before the target."""
        return self.steps[:-1]

    def abouts(self) -> tuple[About, ...]:
        """Return all about() in written order."""
        return tuple(about for step in self.steps for about in abouts(step.condition))

    def with_abouts(self, others: Mapping[About, About]) -> Nexi:
        """Return the query with some about() replaced."""
        conditions = (step.condition and _with_abouts(step.condition, others) for step in self.steps)
        steps = zip(self.steps, conditions, strict=True)
        return Nexi(tuple(replace(step, condition=condition) for step, condition in steps))

    def __str__(self) -> str:
        return "".join(map(str, self.steps))


def abouts(condition: Condition | None) -> Iterator[About]:
    """Yield the about() of a condition in written order."""
    return (part for part in leaves(condition) if isinstance(part, About))


def compares(condition: Condition | None) -> Iterator[Compare]:
    """Yield the comparisons of a condition in written order."""
    return (part for part in leaves(condition) if isinstance(part, Compare))


def node_tests(condition: Condition | None) -> Iterator[NodeTest]:
    """Yield the node tests below a condition in written order."""
    return (test for part in leaves(condition) for test in part.path)


def _with_abouts(condition: Condition, others: Mapping[About, About]) -> Condition:
    if isinstance(condition, And | Or):
        return type(condition)(tuple(_with_abouts(part, others) for part in condition.parts))
    return others.get(condition, condition) if isinstance(condition, About) else condition


def joined(kind: type[And[Condition]] | type[Or[Condition]], parts: list[Condition]) -> Condition:
    """Join conditions to one; parts of the same kind are merged into it."""
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def _relative(path: NexiPath) -> str:
    return "." + "".join(map(str, path))
