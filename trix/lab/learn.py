"""`trix learn`: the best parameters of a model and its contexts together, and what each part of them gains.

Parameters are found by coordinate ascent (`trix.lab.ascent`) on pools: of each topic the first results by some variants
that are far from each other, and what is judged. What is found is then measured on everything, as a sweep does, and
only these figures are reported. Cross-validation repeats the whole search without the topics of each fold, and without
all that share a relevant document with one of them.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from trix.eval.output.report import render
from trix.eval.output.tables import Table
from trix.eval.studies import significance as sig
from trix.lab.ascent import AscentStep, Score, ascent, highest, start_points, together, told
from trix.lab.plan.experiment import Experiment, LearningPlan, Variant
from trix.lab.plan.grid import Point, command_line, toml
from trix.lab.plan.split import Fold, TopicKey, apart, divide
from trix.lab.report.tables import p_text
from trix.lab.run.board import Board, Grader
from trix.lab.run.sweep import Sweep, shelved, write_file
from trix.lab.run.training import TopicValues, paired
from trix.lab.run.workers import Crew, Workers
from trix.support.progress import Progress

Parts = tuple[str, ...]

LEAST = 0.25
"""Where fewer of the other topics share no document with a fold, all of them train."""


@dataclass(frozen=True)
class PartGain:
    """What a part gains, cross-validated.

    Attributes
    ----------
    part
        Its name.
    axes
        Its parameters.
    alone : float
        The measure with this part only, the others as at the start.
    alone_gain, alone_p
        Against the start; p by randomisation.
    without : float
        The best without it.
    loss, loss_p
        The whole against that.
    """

    part: str
    axes: tuple[str, ...]
    alone: float
    alone_gain: float
    alone_p: float
    without: float
    loss: float
    loss_p: float


@dataclass(frozen=True)
class Learned:
    """What was learned.

    Attributes
    ----------
    plan, measure
        What was learned, and for what.
    topics
        How many.
    best : Variant
        The best parameters on all topics.
    trained : float
        Its mean on all topics, on which it was chosen.
    tested : float
        Mean of the cross-validation: each topic with the parameters found without it.
    start, baseline : float
        Means of the first values of all parameters, and of the experiment's baseline.
    gain : float
        tested - start.
    interval : (float, float)
        95 % bootstrap interval of the gain.
    p : dict
        Test -> two-sided p-value of the gain.
    folds : list of str
        The parameters that each fold found.
    training : list of int
        The topics that each fold was trained on.
    parts : list of PartGain
    command, options : str
        The best as options of ``trix run``, and as a table of an experiment.
    evaluated : int
        Variants that were tried.
    path : list of AscentStep
        The ascent to the best, on pools.
    ceiling : float or None
        What LambdaMART reaches with the scores of the parts, cross-validated alike.
    notices, skipped
        As in a sweep.
    """

    plan: str
    measure: str
    topics: int
    best: Variant
    trained: float
    tested: float
    start: float
    baseline: float
    gain: float
    interval: tuple[float, float]
    p: dict[str, float]
    folds: list[str]
    training: list[int]
    parts: list[PartGain]
    command: str
    options: str
    evaluated: int
    path: list[AscentStep]
    ceiling: float | None = None
    notices: list[str] = field(default_factory=list)
    skipped: Mapping[TopicKey, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return plain data."""
        plain = asdict(self)
        del plain["notices"], plain["skipped"]
        return {**plain, **told(self.best, self.path), "interval": list(self.interval)}


def learn(
    experiment: Experiment,
    folder: str | os.PathLike[str],
    *,
    name: str | None = None,
    restarts: int = 2,
    folds: int = 5,
    seed: int = 1,
    ceiling: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Learned:
    """Learn the parameters of a ``[[learn]]`` table for the measure that trains.

    Parameters
    ----------
    experiment
        Its split is not used; all topics of all collections are divided into folds.
    folder
        Where ``learn.json`` and the journal go.
    name
        Of the table; may be left out where there is one only.
    restarts
        Random starts, in addition to the first values.
    folds
        Of the cross-validation.
    seed
        Of starts.
    ceiling
        Whether LambdaMART says what more there is in the same scores; needs LightGBM.
    jobs, progress
        See `trix.lab.run.sweep.sweep`.

    Raises
    ------
    TrixError
        There is no such table, or there are fewer topics than folds; or LightGBM is wanted and not there, or cannot
        learn from these assessments.
    """
    plan, measure = experiment.plan(name), experiment.train_on
    if ceiling:
        from trix.lab.ceiling import check_grades, lambdamart, need_lightgbm

        need_lightgbm()
    with shelved(experiment, folder, folds) as (sweep, crew, journal):
        if ceiling:
            check_grades(crew, [each.name for each in experiment.collections], measure)
        divided = _folds(sweep, crew, folds, seed)
        grader = Grader(crew, measure, plan.probes)
        with Board(grader, sweep.topics, jobs, progress) as board:
            search = _Search(plan, sweep, board, restarts, seed)
            found = search.all([sweep.topics, *(fold.train for fold in divided)])
            evaluated = len(board)
        whole = found[search.every]
        variants = [plan.at(path[-1].point) for paths in found.values() for path in paths[1:]]
        with Workers(crew, journal, jobs, progress) as workers:
            first = [experiment.baseline, plan.at(plan.start), plan.at(whole[0][-1].point)]
            workers.measure(sweep.topics, [*first, *variants], experiment.names)
        sweep.skip({**board.skipped, **workers.skipped})
        top = None
        if ceiling:
            chosen = list({v.settings: v for v in [*first[1:], *variants]}.values())
            top = lambdamart(crew, sweep.topics, divided, chosen, plan.probes, measure)
    tested = {parts: _tested(sweep, plan, paths[1:], divided) for parts, paths in found.items()}
    baseline, start, best = first
    figures = _learned(sweep, plan, tested, whole, baseline, start, best)
    collections = experiment.collections
    level = collections[0].level if len({each.level for each in collections}) == 1 else ""
    settings = json.loads(best.settings)
    learned = Learned(
        **figures,
        folds=[plan.at(path[-1].point).parameters for path in whole[1:]],
        training=[len(fold.train) for fold in divided],
        command=command_line(settings, level),
        options=toml(settings, level),
        evaluated=evaluated,
        ceiling=top,
        notices=sweep.notices,
        skipped=sweep.skipped,
    )
    write_file(sweep.folder / "learn.json", json.dumps(learned.to_json(), ensure_ascii=False, indent=1) + "\n")
    return learned


class _Search:
    """The ascents of the whole, of each part alone, and of all without each part."""

    def __init__(self, plan: LearningPlan, sweep: Sweep, board: Board, restarts: int, seed: int) -> None:
        self._plan, self._sweep, self._board = plan, sweep, board
        self._restarts, self._seed = restarts, seed
        names = tuple(part for part, _ in plan.parts)
        self.every: Parts = names
        alone: list[Parts] = [(part,) for part in names]
        without = [tuple(other for other in names if other != part) for part in names]
        self.sets = list(dict.fromkeys([names, *alone, *without]))

    def all(self, trained: Sequence[Sequence[TopicKey]]) -> dict[Parts, list[list[AscentStep]]]:
        """Return the best ascent on each of some sets of topics, by the parts that may change."""
        asked = [
            (parts, on, start) for parts in self.sets for on in range(len(trained)) for start in self._starts(parts)
        ]
        scores = [self._score(topics) for topics in trained]
        paths = together([(ascent(self._plan.free(parts), start), scores[on]) for parts, on, start in asked], self._ask)
        found: dict[Parts, list[list[AscentStep]]] = {}
        for parts in self.sets:
            ended: list[list[list[AscentStep]]] = [[] for _ in trained]
            for (of, on, _), path in zip(asked, paths, strict=True):
                if of == parts:
                    ended[on].append(path)
            found[parts] = [highest(each) for each in ended]
        return found

    def _starts(self, parts: Parts) -> list[Point]:
        """Return the first values, and random ones of the parameters that may change."""
        free = self._plan.free(parts)
        drawn = start_points(free, self._restarts if len(parts) > 1 else 0, self._seed)
        return [tuple({**dict(self._plan.start), **dict(point)}.items()) for point in drawn]

    def _ask(self, points: Sequence[Point]) -> None:
        self._board.measure([self._plan.at(point) for point in points])

    def _score(self, on: Sequence[TopicKey]) -> Score:
        measure, wanted = self._sweep.experiment.train_on, set(on)
        mask = np.array([topic in wanted for topic in self._sweep.topics])
        sign = 1 if measure.spec.higher else -1

        def score(points: Sequence[Point]) -> list[float]:
            return [round(sign * self._board.of(self._plan.at(point)).at(mask).mean, 12) for point in points]

        return score


def _folds(sweep: Sweep, crew: Crew, count: int, seed: int) -> list[Fold]:
    """Return folds without a document in common; as they come, with a notice, where too little would be left."""
    documents = {(name, topic): crew.evaluator(name).relevant_documents(topic) for name, topic in sweep.topics}
    named = {topic: {f"{topic[0]}\n{document}" for document in found} for topic, found in documents.items()}
    found = apart(sweep.topics, count, named)
    if all(len(fold.train) >= LEAST * (len(sweep.topics) - len(fold.test)) for fold in found):
        return found
    sweep.notices.append("folds: topics share so many relevant documents that those of one fold also train for others")
    groups = divide(sweep.topics, count, "alternate", seed)
    return [Fold(tuple(t for t in sweep.topics if t not in set(group)), tuple(group)) for group in groups]


def _tested(sweep: Sweep, plan: LearningPlan, paths: Sequence[list[AscentStep]], folds: Sequence[Fold]) -> TopicValues:
    """Return the value of each topic with the parameters that were found without it."""
    by_topic = {t: plan.at(path[-1].point) for path, fold in zip(paths, folds, strict=True) for t in fold.test}
    return sweep.measured.each(((by_topic[topic], topic) for topic in sweep.topics), sweep.experiment.train_on)


def _learned(
    sweep: Sweep,
    plan: LearningPlan,
    tested: Mapping[Parts, TopicValues],
    whole: Sequence[list[AscentStep]],
    baseline: Variant,
    start: Variant,
    best: Variant,
) -> dict[str, Any]:
    """Return the figures of what was learned."""
    measure, names = sweep.experiment.train_on, tuple(part for part, _ in plan.parts)
    first, values = sweep.measured.of(start, sweep.topics, measure), tested[names]
    both = paired(values, first)
    parts = []
    for part, axes in plan.parts:
        alone = tested[part,]
        without = tested[tuple(other for other in names if other != part)] if len(names) > 1 else first
        parts.append(
            PartGain(
                part=part,
                axes=axes,
                alone=alone.mean,
                alone_gain=alone.mean - first.mean,
                alone_p=sig.randomisation(*paired(alone, first)),
                without=without.mean,
                loss=values.mean - without.mean,
                loss_p=sig.randomisation(*paired(values, without)),
            )
        )
    return {
        "plan": plan.name,
        "measure": repr(measure),
        "topics": len(sweep.topics),
        "best": best,
        "trained": sweep.measured.mean(best, sweep.topics, measure),
        "tested": values.mean,
        "start": first.mean,
        "baseline": sweep.measured.mean(baseline, sweep.topics, measure),
        "gain": values.mean - first.mean,
        "interval": sig.bootstrap_interval(*both),
        "p": {"t": sig.t_test(*both), "randomisation": sig.randomisation(*both)},
        "path": whole[0],
        "parts": parts,
    }


def describe(learned: Learned) -> str:
    """Return what learning found in a few lines and a table for people."""
    low, high = learned.interval
    share = f" ({100 * learned.gain / learned.start:+.1f} %)" if learned.start else ""
    folds = "; ".join(f"{count} x {text}" for text, count in Counter(learned.folds).most_common())
    lines = [
        f"{learned.plan}: best {learned.best.parameters}",
        f"{learned.measure} on all {learned.topics} topics, where it was chosen: {learned.trained:.4f}, start "
        f"{learned.start:.4f}, baseline {learned.baseline:.4f}",
        f"cross-validated: {learned.tested:.4f}, gain {learned.gain:+.4f}{share}, 95 % interval {low:+.4f} to "
        f"{high:+.4f}, p {p_text(learned.p['randomisation'])} (randomisation)",
    ]
    if learned.ceiling is not None:
        lines.append(f"LambdaMART on the same scores, cross-validated: {learned.ceiling:.4f}")
    lines += [f"folds found {folds}", f"{learned.evaluated} variants tried", "", _parts_table(learned)]
    return "\n".join([*lines, f"trix run INDEX TOPICS {learned.command}", "", "[options]", learned.options])


def _parts_table(learned: Learned) -> str:
    rows = [
        [each.part, each.alone, f"{each.alone_gain:+.4f}", p_text(each.alone_p), each.without, f"{each.loss:+.4f}",
         p_text(each.loss_p)]
        for each in learned.parts
    ]  # fmt: skip
    head = ["part", "by itself", "gain", "p", "best without it", "loss", "p"]
    title = f"{learned.measure}, cross-validated: each part by itself, and the whole without it"
    return render([Table(title, head, rows)], "table", dict)
