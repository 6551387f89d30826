"""Coordinate ascent: one parameter after the other is set to the best of its values, until none changes.

Many ascents go together, a step at a time: what they ask for in a step is measured at once, and no point twice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from trix.lab.plan.experiment import Variant
from trix.lab.plan.grid import Axis, Point

Ascent = Generator[list[Point], list[float], "list[AscentStep]"]
Score = Callable[[Sequence[Point]], list[float]]
"""Points -> their values, higher is better."""


@dataclass(frozen=True)
class AscentStep:
    """One change on the way up."""

    point: Point
    score: float


def start_points(axes: Sequence[Axis], restarts: int, seed: int) -> list[Point]:
    """Return the first point and distinct random ones.

    >>> start_points((Axis("x", (1, 2)),), 1, 1)
    [(('x', 1),), (('x', 2),)]
    """
    generator = random.Random(seed)
    found = {tuple((axis.name, axis.values[0]) for axis in axes): None}
    for _ in range(50 * restarts):
        if len(found) > restarts:
            break
        found.setdefault(tuple((axis.name, axis.draw(generator)) for axis in axes))
    return list(found)


def ascent(axes: Sequence[Axis], start: Point) -> Ascent:
    """Yield the points whose values an ascent wants to know, and return its steps, the start first.

    Parameters
    ----------
    axes
        The parameters that may change; others of the start stay.
    start
        Where it begins.
    """
    steps = [AscentStep(start, (yield [start])[0])]
    since = place = 0
    while since < len(axes):
        axis = axes[place % len(axes)]
        tried = [
            tuple((name, value if name == axis.name else old) for name, old in steps[-1].point) for value in axis.values
        ]
        results = yield tried
        highest = max(range(len(tried)), key=lambda k: results[k])
        if results[highest] > steps[-1].score:
            steps.append(AscentStep(tried[highest], results[highest]))
            since = 0
        else:
            since += 1
        place += 1
    return steps


def together(
    ascents: Sequence[tuple[Ascent, Score]], measure: Callable[[list[Point], list[int]], None]
) -> list[list[AscentStep]]:
    """Return the steps of several ascents, in their order.

    Parameters
    ----------
    ascents
        Each with what its points are worth to it.
    measure
        Is told the points of a step of all of them, before any is asked for its value, and which of them still climb.
    """
    ended: dict[int, list[AscentStep]] = {}
    wanted = {place: next(each) for place, (each, _) in enumerate(ascents)}
    while wanted:
        measure(list(dict.fromkeys(point for points in wanted.values() for point in points)), list(wanted))
        for place, points in list(wanted.items()):
            each, score = ascents[place]
            try:
                wanted[place] = each.send(score(points))
            except StopIteration as end:
                ended[place] = end.value
                del wanted[place]
    return [ended[place] for place in range(len(ascents))]


def highest(paths: Sequence[list[AscentStep]]) -> list[AscentStep]:
    """Return the ascent that ends highest, the first of equal ones."""
    return max(paths, key=lambda path: path[-1].score)


def told(best: Variant, path: Sequence[AscentStep]) -> dict[str, Any]:
    """Return what was found, and the steps that led to it, as plain data."""
    return {
        "best": {"parameters": dict(best.point), "options": json.loads(best.settings)},
        "path": [{"parameters": dict(step.point), "score": step.score} for step in path],
    }
