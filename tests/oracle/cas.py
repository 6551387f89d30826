"""Structured queries, read word by word [RETRIEVAL, section 7]: node by node, step by step, nothing precomputed.

A query is a list of steps ``(axis, names, condition)``. A condition is None or one of ``("and", [condition, ...])``,
``("or", [condition, ...])``, ``("about", path, terms)`` and ``("compare", path, operator, value)``; a path is a list of
``(axis, names)``, terms are those of `tests.oracle.scoring`.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tests.oracle.reading import Element, Label, Node, elements_below, elements_in, said
from tests.oracle.scoring import Scorer, Term

Step = tuple[str, Sequence[str], Any]
Reached = Node | Element
"""A node, or an attribute or element on or below a content element."""


@dataclass(frozen=True)
class Structure:
    """Answers structured queries over one collection."""

    scorer: Scorer
    alias: Mapping[str, Sequence[str]]
    namespaces: Mapping[str, str] = field(default_factory=dict)

    @property
    def nodes(self) -> Mapping[Label, Node]:
        """All indexed elements."""
        return self.scorer.collection.nodes

    def answers(self, steps: Sequence[Step], x: Label) -> bool:
        """Tell whether an element satisfies the last step and has ancestors that satisfy the others."""
        *support, (axis, names, condition) = steps
        if not self.passes(self.nodes[x], names) or not self.holds(condition, x):
            return False
        if not support:
            return axis == "//" or len(x) == 1
        above = [x[:-1]] if axis == "/" else [x[:i] for i in range(1, len(x))]
        return any(y and self.answers(support, y) for y in above)

    def passes(self, node: Node | Element, names: Sequence[str]) -> bool:
        """Tell whether an element passes a node test."""
        return any(name == "*" or (node.tag in self.same(name) and self.within(node, name)) for name in names)

    def within(self, node: Node | Element, name: str) -> bool:
        """Tell whether an element is in the namespace that a name asks for."""
        prefix = name.rpartition(":")[0]
        return prefix not in self.namespaces or node.namespace == self.namespaces[prefix]

    def same(self, name: str) -> set[str]:
        """Return the names that the profile takes for one."""
        bare = ("@" if name[0] == "@" else "") + name.lstrip("@").split(":")[-1]
        if name[0] == "@":
            return {bare}
        for head, members in self.alias.items():
            if bare in (head, *members):
                return {head, *members}
        return {bare}

    def holds(self, condition: Any, x: Label) -> bool:
        """Tell whether a condition holds at an element."""
        if condition is None:
            return True
        kind = condition[0]
        if kind == "and":
            return all(self.holds(part, x) for part in condition[1])
        if kind == "or":
            return any(self.holds(part, x) for part in condition[1])
        reached = self.reach(x, condition[1])
        if kind == "about":
            return any(self.contains(d, condition[2]) for d in reached)
        return any(compares(d.value if isinstance(d, Node) else said(d).strip(), *condition[2:]) for d in reached)

    def reach(self, x: Label, path: Sequence[tuple[str, Sequence[str]]]) -> list[Reached]:
        """Return what a path leads to."""
        here: list[Reached] = [self.nodes[x]]
        for axis, names in path:
            there: list[Reached] = []
            for d in here:
                if isinstance(d, Element):
                    there += self.beside(d, axis, names)
                    continue
                for y, node in self.nodes.items():
                    below = y[: len(d.label)] == d.label and y != d.label
                    if below and (axis == "//" or len(y) == len(d.label) + 1) and self.passes(node, names):
                        there.append(node)
                    if ((below and axis == "//") or y == d.label) and node.element is not None:
                        there += self.beside(node.element, axis, names)
            here = there
        return here

    def beside(self, element: Element, axis: str, names: Sequence[str]) -> list[Reached]:
        """Return what is no node and can be tested below a content element, or below such."""
        there = elements_in(element) if axis == "/" else elements_below(element)
        named = [name for name in names if name != "*"]
        return [each for each in there if said(each) and self.passes(each, named)]

    def contains(self, d: Reached, terms: Sequence[Term]) -> bool:
        """Tell whether a term without minus occurs, or each; where all have one, whether none occurs."""
        positive = [term for term in terms if term.sign != "-"]
        if not positive:
            return not any(self.occurs(d, term) for term in terms)
        if self.scorer.match == "all":
            return all(self.occurs(d, term) for term in positive)
        return any(self.occurs(d, term) for term in positive)

    def occurs(self, d: Reached, term: Term) -> bool:
        """Tell whether a term occurs in an element or a value."""
        if isinstance(d, Node):
            return self.scorer.kf(term.keys, d.label) > 0
        keys = tuple(self.scorer.collection.chain.keys(said(d)))
        if self.scorer.phrases == "exact":
            return any(keys[i : i + len(term.keys)] == term.keys for i in range(len(keys)))
        return all(key in keys for key in term.keys)


def compares(text: str, operator: str, value: str) -> bool:
    """Tell whether a trimmed text compares with a value as an operator says."""
    left, right = number(text), number(value)
    if left is None or right is None:
        if operator in ("=", "!="):
            return (text == value) == (operator == "=")
        left, right = day(text), day(value)
        if left is None or right is None:
            return False
    outcome = (left > right) - (left < right)
    return outcome in {"=": (0,), "!=": (-1, 1), "<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1)}[operator]


def number(text: str) -> Any:
    """Return a decimal's value."""
    return Fraction(text) if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)", text) else None


def day(text: str) -> Any:
    """Return a calendar day's place."""
    parts = re.fullmatch(r"([0-9]{4})-([0-9][0-9])-([0-9][0-9])", text)
    if not parts:
        return None
    try:
        return datetime.date(*map(int, parts.groups())).toordinal()
    except ValueError:
        return None


def read_as(steps: Sequence[Step], mode: str) -> list[Step]:
    """Return the steps as a mode reads them."""
    *support, (axis, names, condition) = steps
    if mode in ("SVCAS", "VVCAS-PATH"):
        support = [(a, ["*"], c) for a, _, c in support]
    if mode in ("VSCAS", "VVCAS-PATH"):
        names = ["*"]
    return [*support, (axis, names, condition)]


def terms_of(condition: Any) -> list[list[Term]]:
    """Return the terms of each about() of a condition in written order."""
    if condition is None or condition[0] == "compare":
        return []
    if condition[0] == "about":
        return [list(condition[2])]
    return [terms for part in condition[1] for terms in terms_of(part)]


def weighed(steps: Sequence[Step], mode: str) -> list[Term] | None:
    """Return the terms of step 1; None where no about() is in the query."""
    groups = of_abouts(steps, mode)
    return [term for terms in groups for term in terms] if groups else None


def of_abouts(steps: Sequence[Step], mode: str) -> list[list[Term]]:
    """Return the terms of each about() that step 1 weighs."""
    of_all = [terms for _, _, condition in steps for terms in terms_of(condition)]
    of_target = terms_of(steps[-1][2])
    return of_target if of_target and mode != "VVCAS" else of_all


def required(steps: Sequence[Step], mode: str) -> list[list[Term]]:
    """Return the terms that an element holds together where all are required: of one about(), in VVCAS of all."""
    groups = of_abouts(steps, mode)
    return groups if mode != "VVCAS" else [[term for terms in groups for term in terms]]
