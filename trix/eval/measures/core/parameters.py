"""Parameters of measures: parsing, checking and formatting of values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar


@dataclass(frozen=True, slots=True)
class Rel:
    """Grades that count as relevant: a grade and all above (``rel=2``), or a single level (``level=2``) [JK00].

    ``written`` is the spelling of the key: ``rel>=2`` is accepted for ``rel=2``.

    >>> Rel("=", 3), Rel(">=", 2.0), Rel(">=", 2.0, "rel>=") == Rel(">=", 2.0)
    (level=3, rel=2, True)
    """

    operator: str
    grade: float
    written: str = field(default="", compare=False)

    def __repr__(self) -> str:
        return f"{self.written or ('level=' if self.operator == '=' else 'rel=')}{number_text(self.grade)}"


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a measure.

    Attributes
    ----------
    name
        Its name.
    default
        Value if it is not given.
    read
        Converts text to a value; raises ValueError.
    summary
        One line about legal values.
    positional
        Whether it may be given without its name.
    also
        Aliases, each with its own reader of values: ``level=2`` for ``rel``, and ``dcg`` of ir_measures for ``form``.
    """

    name: str
    default: Any
    read: Callable[[str], Any]
    summary: str
    positional: bool = False
    also: tuple[tuple[str, Callable[[str], Any]], ...] = ()

    def reader(self, name: str) -> Callable[[str], Any]:
        """Return the reader of values for a name or an alias."""
        return dict(self.also).get(name, self.read)

    def show(self, value: Any) -> str:
        """Format a value so that `read` can parse it."""
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int | float):
            return number_text(value)
        if isinstance(value, tuple):
            return ",".join(f"{number_text(a)}:{number_text(b)}" for a, b in value)
        return str(value)


def number_text(value: float) -> str:
    """Format a number, without a fraction if it is whole.

    >>> number_text(2.0), number_text(0.25), number_text(float("inf"))
    ('2', '0.25', 'inf')
    """
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


Number = TypeVar("Number", int, float)


def _bounded(read: Callable[[str], Number], holds: Callable[[Number], bool]) -> Callable[[str], Number]:
    def bounded(text: str) -> Number:
        value = read(text)
        if not holds(value):
            raise ValueError(text)
        return value

    return bounded


positive = _bounded(float, lambda value: value > 0)
"""Reads a number above 0."""
not_negative = _bounded(float, lambda value: value >= 0)
"""Reads a number of at least 0."""
share = _bounded(float, lambda value: 0 <= value <= 1)
"""Reads a number in [0, 1]."""
count = _bounded(int, lambda value: value >= 1)
"""Reads a whole number of at least 1."""
base = _bounded(lambda text: math.e if text == "e" else float(text), lambda value: 1 < value < math.inf)
"""Reads the base of a logarithm, above 1; ``e`` is Euler's number."""


def switch(text: str) -> bool:
    """Read true or false, also on/off and yes/no."""
    try:
        return {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}[text.lower()]
    except KeyError:
        raise ValueError(text) from None


def choice(*options: str) -> Callable[[str], str]:
    """Return a reader that accepts one of the given words."""

    def read(text: str) -> str:
        if text not in options:
            raise ValueError(text)
        return text

    return read


def word(text: str) -> str:
    """Read any non-empty text."""
    if not text:
        raise ValueError(text)
    return text


def pairs(text: str) -> tuple[tuple[float, float], ...]:
    """Read pairs of numbers.

    >>> pairs("300:1,600:2,inf:3")
    ((300.0, 1.0), (600.0, 2.0), (inf, 3.0))
    """
    found = []
    for part in text.split(","):
        left, colon, right = part.partition(":")
        if not colon:
            raise ValueError(text)
        found.append((float(left), float(right)))
    return tuple(found)


def at_least(text: str) -> Rel:
    """Read the grade of ``rel=G``: this grade and all above, as in ir_measures and trec_eval."""
    return Rel(">=", float(text))


def alone(text: str) -> Rel:
    """Read the grade of ``level=G``: this grade and no other [JK00]."""
    return Rel("=", float(text))
