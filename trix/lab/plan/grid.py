"""Parameter values from grids, lists and random samples, and the text form of a variant."""

from __future__ import annotations

import itertools
import json
import math
import random
import shlex
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from trix.errors import UsageError, did_you_mean
from trix.lab.plan.tables import TableReader, is_number
from trix.query.context.form import format_number
from trix.settings import SETTINGS, defaults

Value = str | int | float | bool
MOST = 100_000
"""Largest number of points of a grid; larger ones are considered mistakes."""


@dataclass(frozen=True, slots=True)
class ParameterAxis:
    """Values of one parameter.

    Parameters
    ----------
    name
        Name of the parameter.
    values
        Values in order; empty for a range.
    low, high
        Ends of a range for random samples.
    log
        Whether samples are uniform in the logarithm.
    """

    name: str
    values: tuple[Value, ...] = ()
    low: float = 0.0
    high: float = 0.0
    log: bool = False

    def draw(self, generator: random.Random) -> Value:
        """Return a random value; values of ranges have six digits."""
        if self.values:
            return generator.choice(self.values)
        if self.log:
            return float(f"{math.exp(generator.uniform(math.log(self.low), math.log(self.high))):.6g}")
        return float(f"{generator.uniform(self.low, self.high):.6g}")


Point = tuple[tuple[str, Value], ...]
"""Parameters with their values, in the order of the axes."""


def steps(low: float, high: float, by: float) -> tuple[float, ...]:
    """Return low, low + by, ... up to high, in decimal arithmetic to avoid rounding errors.

    >>> steps(0.010, 0.025, 0.005)
    (0.01, 0.015, 0.02, 0.025)
    """
    first, last, step = (Decimal(repr(float(number))) for number in (low, high, by))
    count = int((last - first) / step) + 1
    if count > MOST:
        raise UsageError(f"from {low:g} to {high:g} by {by:g}: {count:,} values are too many, at most {MOST:,}")
    return tuple(float(first + k * step) for k in range(count))


def read_axes(table: TableReader, sampled: bool) -> tuple[ParameterAxis, ...]:
    """Return the axes of a ``grid`` table.

    Raises
    ------
    UsageError
        A value is neither a list, nor ``{from, to, by}``, nor (for a sample) ``{low, high, log}``.
    """
    return tuple(_axis(table, name, sampled) for name in table.data)


def _axis(table: TableReader, name: str, sampled: bool) -> ParameterAxis:
    value = table.data[name]
    if not name.isidentifier():
        table.fail(f"{name}: expected a parameter's name of letters and digits")
    if isinstance(value, list):
        if not value or not all(isinstance(each, str | bool) or is_number(each) for each in value):
            table.fail(f"{name}: expected a list of texts or numbers, not empty")
        if len(set(map(repr, value))) < len(value):
            table.fail(f"{name}: a value is there twice")
        return ParameterAxis(name, tuple(value))
    inner = table.table(name)
    if "low" in inner.data or "high" in inner.data:
        inner.only(("low", "high", "log"))
        if not sampled:
            inner.fail("a range has no fixed values; give a sample, or {from, to, by}")
        low, high, log = inner.number("low"), inner.number("high"), inner.switch("log")
        if not low < high or (log and low <= 0):
            inner.fail(f"expected low < high{', both above 0' if log else ''}, found {low:g} and {high:g}")
        return ParameterAxis(name, (), low, high, log)
    inner.only(("from", "to", "by"))
    low, high, by = inner.number("from"), inner.number("to"), inner.number("by")
    if by <= 0 or low > high:
        inner.fail(f"expected from <= to and by > 0, found {low:g}, {high:g} and {by:g}")
    return ParameterAxis(name, steps(low, high, by))


def points(axes: Sequence[ParameterAxis]) -> list[Point]:
    """Return all combinations of values; the last axis changes fastest.

    >>> points((ParameterAxis("x", (0, 1)), ParameterAxis("f", (2,))))
    [(('x', 0), ('f', 2)), (('x', 1), ('f', 2))]
    """
    size = math.prod(len(axis.values) for axis in axes)
    if size > MOST:
        raise UsageError(f"the grid of {', '.join(axis.name for axis in axes)} has {size:,} points, at most {MOST:,}")
    return [
        tuple(zip((axis.name for axis in axes), values, strict=True))
        for values in itertools.product(*(axis.values for axis in axes))
    ]


def sample(axes: Sequence[ParameterAxis], count: int, seed: int) -> list[Point]:
    """Return distinct random points, reproducible by seed; all points if there are no more than `count`."""
    generator = random.Random(seed)
    if all(axis.values for axis in axes):
        everything = points(axes)
        if len(everything) <= count:
            return everything
        return [everything[i] for i in sorted(generator.sample(range(len(everything)), count))]
    found: dict[Point, None] = {}
    for _ in range(100 * count):
        found.setdefault(tuple((axis.name, axis.draw(generator)) for axis in axes))
        if len(found) == count:
            break
    return list(found)


def substitute(template: Any, point: Mapping[str, Value]) -> Any:
    """Replace the placeholders ``{name}`` of a text, or of the texts of a list, by the values of a point.

    Raises
    ------
    UsageError
        A placeholder names no parameter.

    Examples
    --------
    >>> substitute("hierarchy:x={x},f={f}", {"x": -0.5, "f": 2.0})
    'hierarchy:x=-0.5,f=2'
    """
    if isinstance(template, list):
        return [substitute(each, point) for each in template]
    if not isinstance(template, str) or "{" not in template:
        return template
    for name in placeholders(template):
        if name not in point:
            raise UsageError(f"{template!r}: there is no parameter {name or '{}'}{did_you_mean(name, list(point))}")
    return template.format_map({name: value_text(value) for name, value in point.items()})


def placeholders(template: Any) -> Iterator[str]:
    """Yield the names of the placeholders."""
    for each in template if isinstance(template, list) else [template]:
        if isinstance(each, str):
            try:
                yield from (name for _, name, _, _ in string.Formatter().parse(each) if name is not None)
            except ValueError as error:
                raise UsageError(f"{each!r}: {error}") from None


def value_text(value: Value) -> str:
    """Format a value as in a context or a name.

    >>> value_text(1.0), value_text(1e-05), value_text("root")
    ('1', '1e-05', 'root')
    """
    return format_number(value) if is_number(value) and not isinstance(value, str) else str(value)


def ordered_settings(settings: Mapping[str, Any], level: str = "") -> dict[str, Any]:
    """Return the settings of a variant in the order of help texts; `level` overrides its level."""
    whole = {**settings, **({"level": level} if level else {})}
    if whole.get("top", 0) is None:
        whole["top"] = "all"
    return {name: whole[name] for name in SETTINGS if name in whole and (whole[name] is not None)}


def command_line(settings: Mapping[str, Any], level: str = "") -> str:
    """Return the settings, and the field of topics if given, as options of `trix run`, without defaults.

    >>> command_line({"model": "bm25", "k1": 0.6, "top": 1500, "open_phrases": True}, "//body//p")
    '--model bm25 --level //body//p --k1 0.6'
    >>> command_line({"field": "description"})
    '--field description'
    """
    name = "field"  # of the topics: an option of the run, and no setting of a search
    words = [f"--{name}", shlex.quote(settings[name])] if settings.get(name) else list[str]()
    for name, value in ordered_settings(settings, level).items():
        setting = SETTINGS[name]
        if value == setting.default_on("run"):
            continue
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{setting.flag}")
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [f"--{setting.flag}", shlex.quote(value_text(each))]
    return " ".join(words)


def toml(settings: Mapping[str, Any], level: str = "") -> str:
    """Return the settings as lines of an ``[options]`` table, without the defaults of an experiment.

    >>> print(toml({"context": "root:0.5", "b": 0.4, "top": 1500}))
    b = 0.4
    context = "root:0.5"
    """
    usual = {name: setting.default_on("experiment") for name, setting in SETTINGS.items()} | defaults("experiment")
    lines = [f"field = {json.dumps(settings['field'], ensure_ascii=False)}"] if settings.get("field") else []
    for name, value in ordered_settings(settings, level).items():
        if value != usual[name]:
            quoted = isinstance(value, str | bool | list)
            lines.append(f"{name} = {json.dumps(value, ensure_ascii=False) if quoted else value_text(value)}")
    return "\n".join(lines)
