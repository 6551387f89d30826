"""Path expressions: syntax tree and canonical text [RETRIEVAL, section 8].

A subset of XPath that selects by element names, never by position or value. A path selects elements; steps in square
brackets are conditions on them. ``*`` is any indexed element.

See Also
--------
trix.query.language.paths : the grammar trix.query.structured.paths : the elements that a path selects
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Union

from trix.query.language.terms import And, Or, leaves


class StepAxis(StrEnum):
    """Axis of a step, as in XPath."""

    CHILD = "child"
    DESCENDANT = "descendant"
    SELF = "self"
    PARENT = "parent"
    ANCESTOR = "ancestor"
    DESCENDANT_OR_SELF = "descendant-or-self"
    ANCESTOR_OR_SELF = "ancestor-or-self"
    PRECEDING = "preceding"
    FOLLOWING = "following"
    PRECEDING_SIBLING = "preceding-sibling"
    FOLLOWING_SIBLING = "following-sibling"


AXES = tuple(StepAxis)[:7]
"""Axes that any path may use. The other axes are for relative paths, outside of conditions."""

RUN = "#text"
"""The tag of a run of text in a container; written ``text()``."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step: along an axis to the elements of some tags that satisfy all filters.

    Attributes
    ----------
    axis
        The axis.
    names
        Tags as the index writes them, possibly with a prefix, ``@name`` for attributes; empty for any.
    filters
        Conditions, all of which must hold.
    """

    axis: StepAxis
    names: tuple[str, ...] = ()
    filters: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return _step_text(self)


@dataclass(frozen=True, slots=True)
class PathExists:
    """Holds for elements from which the steps lead somewhere."""

    steps: tuple[PathStep, ...]

    def __str__(self) -> str:
        return _relative_text(self.steps)


@dataclass(frozen=True, slots=True)
class PathNot:
    """Holds if the condition does not."""

    condition: Condition

    def __str__(self) -> str:
        return f"not({self.condition})"


Condition = Union[PathExists, PathNot, "And[Condition]", "Or[Condition]"]


@dataclass(frozen=True, slots=True)
class Path:
    """The union of one or more ways from the top of a document, each a tuple of steps.

    Examples
    --------
    >>> from trix.query.language.paths import parse_path
    >>> path = parse_path("//*[ self::sec or self::ss1 ][not(.//sec)]|/article/bdy//p")
    >>> print(path)
    //*[self::sec or self::ss1][not(.//sec)] | /article/bdy//p
    >>> parse_path(str(path)) == path
    True
    """

    ways: tuple[tuple[PathStep, ...], ...]

    def __str__(self) -> str:
        return " | ".join(_steps_text(way) for way in self.ways)

    def names(self) -> Iterator[str]:
        """Yield every name of the path, also those in its filters."""
        for way in self.ways:
            yield from _names(way)


@dataclass(frozen=True, slots=True)
class RelativePath:
    """The union of one or more ways from an element, each a tuple of steps.

    Examples
    --------
    >>> from trix.query.language.paths import parse_relative
    >>> print(parse_relative("./title | ../ sec//p|preceding-sibling::sec"))
    ./title | ../sec//p | preceding-sibling::sec
    """

    ways: tuple[tuple[PathStep, ...], ...]

    def __str__(self) -> str:
        return " | ".join(("./" if way[0].axis == StepAxis.CHILD else "") + _relative_text(way) for way in self.ways)


def _names(steps: tuple[PathStep, ...]) -> Iterator[str]:
    for step in steps:
        yield from step.names
        for condition in step.filters:
            yield from _names_in(condition)


def _names_in(condition: Condition) -> Iterator[str]:
    for part in leaves(condition):
        yield from _names_in(part.condition) if isinstance(part, PathNot) else _names(part.steps)


def _steps_text(steps: tuple[PathStep, ...] | list[PathStep]) -> str:
    return "".join(("//" if step.axis == StepAxis.DESCENDANT else "/") + _step_text(step) for step in steps)


def _relative_text(steps: tuple[PathStep, ...]) -> str:
    """Write steps relative to an element; a child step has no prefix."""
    first, *others = steps
    return (".//" if first.axis == StepAxis.DESCENDANT else "") + _step_text(first) + _steps_text(others)


def _step_text(step: PathStep) -> str:
    """Write a step without the slashes before it."""
    filters = "".join(f"[{condition}]" for condition in step.filters)
    if step.axis in (StepAxis.SELF, StepAxis.PARENT) and not step.names:
        return ("." if step.axis == StepAxis.SELF else "..") + filters
    tests = ["text()" if name == RUN else name for name in step.names] or ["*"]
    test = tests[0] if len(tests) == 1 else f"({'|'.join(tests)})"
    axis = "" if step.axis in (StepAxis.CHILD, StepAxis.DESCENDANT) else f"{step.axis}::"
    return axis + test + filters
