"""All ascents of `trix learn`: with all parts, each part alone, and without each part, on each set of topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trix.errors import UsageError
from trix.lab.ascent import AscentStep, Score, ascent, highest, in_lockstep, start_points
from trix.lab.gains import Gains
from trix.lab.learned import percent
from trix.lab.plan.experiment import LearningPlan
from trix.lab.plan.grid import Point
from trix.lab.plan.split import TopicKey
from trix.lab.run.scoreboard import Scoreboard
from trix.support.progress import Progress

Parts = tuple[str, ...]
Stage = Callable[[str], None]
"""Called with one line at the start of each stage."""

SHOWN = 3
"""Number of parameters of a step that are named."""


def silent(text: str) -> None:
    """Default callback: ignore the notice."""


@dataclass(frozen=True)
class BestAscents:
    """Best ascents for one combination of parts.

    Attributes
    ----------
    all : list of AscentStep
        Ascent on all topics.
    folds, sets : list of list of AscentStep
        Ascents without each fold, and without each collection.
    """

    all: list[AscentStep]
    folds: list[list[AscentStep]]
    sets: list[list[AscentStep]]


@dataclass(frozen=True)
class _Search:
    """An ascent: its free parts, the number of its topic set, and its start."""

    parts: Parts
    on: int
    start: Point


class ParameterSearch:
    """Search for the best parameters of a learning plan.

    Parameters
    ----------
    plan
        Parameters to learn.
    topics
        All topics.
    scoreboard
        Scoreboard that measures points.
    restarts, seed
        Number and seed of the random starts.
    progress, stage
        As in `trix.lab.learn.learn`.
    """

    def __init__(
        self,
        plan: LearningPlan,
        topics: Sequence[TopicKey],
        scoreboard: Scoreboard,
        restarts: int,
        seed: int,
        progress: Progress | None = None,
        stage: Stage = silent,
    ) -> None:
        self._plan, self._topics, self._scoreboard = plan, topics, scoreboard
        self._restarts, self._seed = restarts, seed
        self._progress, self._stage = progress, stage
        names = tuple(part for part, _ in plan.parts)
        self.all_parts: Parts = names
        alone: list[Parts] = [(part,) for part in names]
        without = [tuple(other for other in names if other != part) for part in names]
        self._parts = list(dict.fromkeys([names, *alone, *without]))
        self._searches: list[_Search] = []
        self._taken: list[int] = []
        self._sign = 1 if scoreboard.measured.spec.higher else -1
        self._rounds, self._highest = 0, float("-inf")

    def all(
        self, folds: Sequence[Sequence[TopicKey]], sets: Sequence[Sequence[TopicKey]] = ()
    ) -> dict[Parts, BestAscents]:
        """Return the best ascents for each combination of free parts.

        Parameters
        ----------
        folds
            Training topics of each fold.
        sets
            Training topics without each collection; used only with all parts free.
        """
        trained = [self._topics, *folds, *sets]
        self._searches = [
            _Search(parts, on, start)
            for parts in self._parts
            for on in range(len(trained) if parts == self.all_parts else 1 + len(folds))
            for start in self._starts(parts)
        ]
        self._taken = [0] * len(self._searches)
        names = ", ".join(dict.fromkeys(name for name, _ in self._topics))
        self._stage(
            f"{self._plan.name}: {len(self._searches)} searches for {len(self._plan.axes)} parameters, "
            f"{len(self._topics)} topics of {names}"
        )
        scores = [self._score(topics, shown=not on) for on, topics in enumerate(trained)]
        paths = in_lockstep(
            [(ascent(self._plan.free(s.parts), s.start), scores[s.on]) for s in self._searches], self._ask
        )
        self._stage(
            f"{self._plan.name}: tried {len(self._scoreboard)} variants in {self._rounds} steps, best {self._best_text}"
        )
        ended: dict[Parts, dict[int, list[list[AscentStep]]]] = {}
        for search, path in zip(self._searches, paths, strict=True):
            ended.setdefault(search.parts, {}).setdefault(search.on, []).append(path)
        found = {parts: [highest(each) for each in of_parts.values()] for parts, of_parts in ended.items()}
        last = 1 + len(folds)
        return {parts: BestAscents(each[0], each[1:last], each[last:]) for parts, each in found.items()}

    def _starts(self, parts: Parts) -> list[Point]:
        """Return the start with first values, and starts with random values of the free parameters."""
        free = self._plan.free(parts)
        drawn = start_points(free, self._restarts if len(parts) > 1 else 0, self._seed)
        return [tuple({**dict(self._plan.start), **dict(point)}.items()) for point in drawn]

    # -- measuring --------------------------------------------------------------------------------------------------

    def _ask(self, points: Sequence[Point], going: Sequence[int]) -> None:
        words, done = self._progress_text(going), sum(self._taken)
        for place in going:
            self._taken[place] += 1
        expected = self._expected(going)

        def watch(share: float) -> None:
            if self._progress is not None:
                self._progress(done + int(share * len(going)), expected, words)

        watch(0.0)
        self._scoreboard.measure([self._plan.at(point) for point in points], watch)
        self._rounds += 1
        nothing = self._gains.without_any if self._gains.relative else []
        if nothing:
            raise UsageError(
                f"the first values of [[learn]] {self._plan.name} reach no {self._scoreboard.measured} in "
                f"{', '.join(nothing)}, so relative gains are undefined; choose first values with relevant results"
            )

    def _expected(self, going: Sequence[int]) -> int:
        """Return the estimated number of steps: an ascent usually passes twice over its parameters."""
        climbing = set(going)
        return sum(
            max(taken, 2 * len(self._plan.free(search.parts)) + 1) if place in climbing else taken
            for place, (search, taken) in enumerate(zip(self._searches, self._taken, strict=True))
        )

    def _progress_text(self, going: Sequence[int]) -> str:
        """Return the names of the parameters of this step, and the best score so far."""
        if not self._rounds:
            return "the first values"
        free = [self._plan.free(self._searches[place].parts) for place in going]
        names = list(dict.fromkeys(axes[(self._rounds - 1) % len(axes)].name for axes in free))
        return f"{', '.join(names[:SHOWN])}{', ...' * (len(names) > SHOWN)}; best {self._best_text}"

    # -- scores -----------------------------------------------------------------------------------------------------

    @property
    def _best_text(self) -> str:
        """Best score so far on all topics, as text."""
        best = self._sign * self._highest
        return percent(best) if self._gains.relative else f"{best:.4f}"

    @cached_property
    def _gains(self) -> Gains:
        return Gains(self._topics, self._scoreboard.of(self._plan.at(self._plan.start)))

    def _score(self, on: Sequence[TopicKey], shown: bool) -> Score:
        """Return the function that scores points on a set of topics; `shown` records the best of all topics."""
        wanted = set(on)
        topics = [topic for topic in self._topics if topic in wanted]
        mask = np.array([topic in wanted for topic in self._topics])
        made: list[Gains] = []

        def score(points: Sequence[Point]) -> list[float]:
            if not made:
                made.append(Gains(topics, self._scoreboard.of(self._plan.at(self._plan.start)).at(mask)))
            values = (self._scoreboard.of(self._plan.at(point)).at(mask) for point in points)
            reached = [round(self._sign * made[0].mean(each), 12) for each in values]
            if shown:
                self._highest = max(self._highest, *reached)
            return reached

        return score
