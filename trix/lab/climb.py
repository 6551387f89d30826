"""All ascents of `trix learn`: of the whole, of each part alone and of all without it, on each set of topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from trix.errors import UsageError
from trix.lab.ascent import AscentStep, Score, ascent, highest, start_points, together
from trix.lab.gains import Gains
from trix.lab.learned import percent
from trix.lab.plan.experiment import LearningPlan
from trix.lab.plan.grid import Point
from trix.lab.plan.split import TopicKey
from trix.lab.run.board import Board
from trix.support.progress import Progress

Parts = tuple[str, ...]
Stage = Callable[[str], None]
"""Called with one line at the beginning of each stage."""

SHOWN = 3
"""So many of the parameters that are tried in a step are named."""


def silent(text: str) -> None:
    """Ignore the line."""


@dataclass(frozen=True)
class Paths:
    """The best ascents with some parts.

    Attributes
    ----------
    all : list of AscentStep
        On all topics.
    folds, sets : list of list of AscentStep
        Without each fold, and without each collection.
    """

    all: list[AscentStep]
    folds: list[list[AscentStep]]
    sets: list[list[AscentStep]]


@dataclass(frozen=True)
class _Search:
    """An ascent: the parts that may change, the number of the set of topics, and where it begins."""

    parts: Parts
    on: int
    start: Point


class Climb:
    """Searches the parameters of a plan.

    Parameters
    ----------
    plan
        What is learned.
    topics
        All topics.
    board
        What measures them.
    restarts, seed
        Random starts.
    progress, stage
        See `trix.lab.learn.learn`.
    """

    def __init__(
        self,
        plan: LearningPlan,
        topics: Sequence[TopicKey],
        board: Board,
        restarts: int,
        seed: int,
        progress: Progress | None = None,
        stage: Stage = silent,
    ) -> None:
        self._plan, self._topics, self._board = plan, topics, board
        self._restarts, self._seed = restarts, seed
        self._progress, self._stage = progress, stage
        names = tuple(part for part, _ in plan.parts)
        self.every: Parts = names
        alone: list[Parts] = [(part,) for part in names]
        without = [tuple(other for other in names if other != part) for part in names]
        self._parts = list(dict.fromkeys([names, *alone, *without]))
        self._searches: list[_Search] = []
        self._taken: list[int] = []
        self._sign = 1 if board.measured.spec.higher else -1
        self._rounds, self._highest = 0, float("-inf")

    def all(self, folds: Sequence[Sequence[TopicKey]], sets: Sequence[Sequence[TopicKey]] = ()) -> dict[Parts, Paths]:
        """Return the best ascents by the parts that may change.

        Parameters
        ----------
        folds
            The topics that train for each fold.
        sets
            The topics of the others for each collection; used for the whole alone.
        """
        trained = [self._topics, *folds, *sets]
        self._searches = [
            _Search(parts, on, start)
            for parts in self._parts
            for on in range(len(trained) if parts == self.every else 1 + len(folds))
            for start in self._starts(parts)
        ]
        self._taken = [0] * len(self._searches)
        names = ", ".join(dict.fromkeys(name for name, _ in self._topics))
        self._stage(
            f"{self._plan.name}: {len(self._searches)} searches for {len(self._plan.axes)} parameters, "
            f"{len(self._topics)} topics of {names}"
        )
        scores = [self._score(topics, shown=not on) for on, topics in enumerate(trained)]
        paths = together([(ascent(self._plan.free(s.parts), s.start), scores[s.on]) for s in self._searches], self._ask)
        self._stage(f"{self._plan.name}: tried {len(self._board)} variants in {self._rounds} steps, best {self._shown}")
        ended: dict[Parts, dict[int, list[list[AscentStep]]]] = {}
        for search, path in zip(self._searches, paths, strict=True):
            ended.setdefault(search.parts, {}).setdefault(search.on, []).append(path)
        found = {parts: [highest(each) for each in of_parts.values()] for parts, of_parts in ended.items()}
        last = 1 + len(folds)
        return {parts: Paths(each[0], each[1:last], each[last:]) for parts, each in found.items()}

    def _starts(self, parts: Parts) -> list[Point]:
        """Return the first values, and random ones of the parameters that may change."""
        free = self._plan.free(parts)
        drawn = start_points(free, self._restarts if len(parts) > 1 else 0, self._seed)
        return [tuple({**dict(self._plan.start), **dict(point)}.items()) for point in drawn]

    # -- measuring --------------------------------------------------------------------------------------------------

    def _ask(self, points: Sequence[Point], going: Sequence[int]) -> None:
        words, done = self._words(going), sum(self._taken)
        for place in going:
            self._taken[place] += 1
        expected = self._expected(going)

        def watch(share: float) -> None:
            if self._progress is not None:
                self._progress(done + int(share * len(going)), expected, words)

        watch(0.0)
        self._board.measure([self._plan.at(point) for point in points], watch)
        self._rounds += 1
        nothing = self._gains.without_any if self._gains.relative else []
        if nothing:
            raise UsageError(
                f"the first values of [[learn]] {self._plan.name} reach no {self._board.measured} in "
                f"{', '.join(nothing)}, so that no gain is relative to them; choose first values that find something"
            )

    def _expected(self, going: Sequence[int]) -> int:
        """Return about how many steps there are: an ascent mostly passes twice over its parameters."""
        climbing = set(going)
        return sum(
            max(taken, 2 * len(self._plan.free(search.parts)) + 1) if place in climbing else taken
            for place, (search, taken) in enumerate(zip(self._searches, self._taken, strict=True))
        )

    def _words(self, going: Sequence[int]) -> str:
        """Return which parameters are tried, and the best so far."""
        if not self._rounds:
            return "the first values"
        free = [self._plan.free(self._searches[place].parts) for place in going]
        names = list(dict.fromkeys(axes[(self._rounds - 1) % len(axes)].name for axes in free))
        return f"{', '.join(names[:SHOWN])}{', ...' * (len(names) > SHOWN)}; best {self._shown}"

    # -- scores -----------------------------------------------------------------------------------------------------

    @property
    def _shown(self) -> str:
        """The best so far on all topics, as text."""
        best = self._sign * self._highest
        return percent(best) if self._gains.relative else f"{best:.4f}"

    @cached_property
    def _gains(self) -> Gains:
        return Gains(self._topics, self._board.of(self._plan.at(self._plan.start)))

    def _score(self, on: Sequence[TopicKey], shown: bool) -> Score:
        """Return what points are worth on some topics; the best one is shown if these are all topics."""
        wanted = set(on)
        topics = [topic for topic in self._topics if topic in wanted]
        mask = np.array([topic in wanted for topic in self._topics])
        made: list[Gains] = []

        def score(points: Sequence[Point]) -> list[float]:
            if not made:
                made.append(Gains(topics, self._board.of(self._plan.at(self._plan.start)).at(mask)))
            values = (self._board.of(self._plan.at(point)).at(mask) for point in points)
            reached = [round(self._sign * made[0].mean(each), 12) for each in values]
            if shown:
                self._highest = max(self._highest, *reached)
            return reached

        return score
