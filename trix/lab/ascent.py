"""Coordinate ascent: each parameter in turn is set to its best value, until none changes.

Several ascents advance together, a step at a time. The points of a step are measured in one batch, and no point twice.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from trix.lab.plan.experiment import Variant
from trix.lab.plan.grid import ParameterAxis, Point

Ascent = Generator[list[Point], list[float], "list[AscentStep]"]
Score = Callable[[Sequence[Point]], list[float]]
"""Points -> their values, higher is better."""


@dataclass(frozen=True)
class AscentStep:
    """One change of an ascent."""

    point: Point
    score: float


def start_points(axes: Sequence[ParameterAxis], restarts: int, seed: int) -> list[Point]:
    """Return the first point, and distinct random points.

    >>> start_points((ParameterAxis("x", (1, 2)),), 1, 1)
    [(('x', 1),), (('x', 2),)]
    """
    generator = random.Random(seed)
    found = {tuple((axis.name, axis.values[0]) for axis in axes): None}
    for _ in range(50 * restarts):
        if len(found) > restarts:
            break
        found.setdefault(tuple((axis.name, axis.draw(generator)) for axis in axes))
    return list(found)


def ascent(axes: Sequence[ParameterAxis], start: Point) -> Ascent:
    """Yield the points to measure, receive their values, and return the steps of the ascent, the start first.

    Parameters
    ----------
    axes
        Parameters that may change; all others keep their start values.
    start
        First point.
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


def in_lockstep(
    ascents: Sequence[tuple[Ascent, Score]], measure: Callable[[list[Point], list[int]], None]
) -> list[list[AscentStep]]:
    """Run several ascents in lockstep; return the steps of each.

    Parameters
    ----------
    ascents
        Ascents, each with the function that scores its points.
    measure
        Called before each step with the points of all ascents and the numbers of those that continue.
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
    """Return the ascent with the highest final score, the first of equal ones."""
    return max(paths, key=lambda path: path[-1].score)


def to_plain(best: Variant, path: Sequence[AscentStep]) -> dict[str, Any]:
    """Return the best variant and the steps to it as plain data."""
    return {
        "best": {"parameters": dict(best.point), "options": json.loads(best.settings)},
        "path": [{"parameters": dict(step.point), "score": step.score} for step in path],
    }
