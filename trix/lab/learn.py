"""`trix learn`: the best parameters of a model and its contexts together, and what each part of them gains.

Parameters are found by coordinate ascent (`trix.lab.ascent`) on pools: of each topic the first results by some variants
that are far from each other, and what is judged. What is found is then measured on everything, as a sweep does, and
only these figures are reported. Cross-validation repeats the whole search without the topics of each fold, and without
all that share a relevant document with one of them. Several collections are learned from together, by the mean of
their relative gains (`trix.lab.gains`), and the whole search is repeated without each of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from trix.eval.studies import significance as sig
from trix.lab.ascent import AscentStep
from trix.lab.climb import Climb, Paths, Stage, silent
from trix.lab.gains import Gains
from trix.lab.learned import CollectionGain, Learned, LeftOut, PartGain, describe
from trix.lab.plan.experiment import Collection, Experiment, LearningPlan, Variant
from trix.lab.plan.grid import command_line, toml
from trix.lab.plan.split import Fold, TopicKey, apart, divide, one_out
from trix.lab.run.board import Board, Grader
from trix.lab.run.sweep import Sweep, shelved, write_file
from trix.lab.run.training import TopicValues, paired
from trix.lab.run.workers import Crew, Workers
from trix.support.progress import Progress

__all__ = ["Learned", "describe", "learn"]

Documents = Mapping[TopicKey, Set[str]]
"""Topic -> its relevant documents."""

LEAST = 0.25
"""Where fewer of the other topics share no document with a fold, all of them train."""


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
    stage: Stage = silent,
) -> Learned:
    """Learn the parameters of a ``[[learn]]`` table for the measure that trains.

    Parameters
    ----------
    experiment
        Its split is not used; the topics of each collection are divided into folds.
    folder
        Where ``learn.json`` and the journal go; what an interrupted search in it has measured is not measured again.
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
    jobs
        See `trix.lab.run.sweep.sweep`.
    progress
        Called with the steps of searches that are done, with how many there are about, and with words on what is tried
        and the best so far; later with the (topic, variant) pairs that are measured, and all.
    stage
        Called with a line at the beginning of each stage.

    Raises
    ------
    TrixError
        There is no such table, or there are fewer topics than folds; or LightGBM is wanted and not there, or cannot
        learn from these assessments; or no gain is relative to what the first values reach in a collection.
    """
    plan, measure = experiment.plan(name), experiment.train_on
    if ceiling:
        from trix.lab.ceiling import check_grades, lambdamart, need_lightgbm

        need_lightgbm()
    with shelved(experiment, folder, folds) as (sweep, crew, journal):
        if ceiling:
            check_grades(crew, [each.name for each in experiment.collections], measure)
        documents = _documents(experiment, sweep, crew)
        divided, sets = _folds(sweep, documents, folds, seed), _sets(sweep, documents)
        with Board(Grader(crew, measure, plan.probes), sweep.topics, journal, jobs) as board:
            climb = Climb(plan, sweep.topics, board, restarts, seed, progress, stage)
            found = climb.all([fold.train for fold in divided], [fold.train for fold in sets])
            evaluated = len(board)
        whole = found[climb.every]
        variants = [plan.at(path[-1].point) for paths in found.values() for path in paths.folds]
        first = [experiment.baseline, plan.at(plan.start), plan.at(whole.all[-1].point)]
        asked = [*first, *variants, *(plan.at(path[-1].point) for path in whole.sets)]
        stage(f"{plan.name}: measuring {len({v.settings for v in asked})} variants on everything")
        with Workers(crew, journal, jobs, _with_words(progress, "measuring what was found")) as workers:
            workers.measure(sweep.topics, asked, experiment.names)
        sweep.skip({**board.skipped, **workers.skipped})
        values = None
        if ceiling:
            stage(f"{plan.name}: growing the trees of LambdaMART")
            chosen = list({v.settings: v for v in [*first[1:], *variants]}.values())
            values = lambdamart(crew, sweep.topics, divided, chosen, plan.probes, measure)
    figures = _Figures(sweep, plan, *first)
    learned = figures.learned(found, divided, evaluated)
    if figures.gains.relative:
        learned = replace(learned, **figures.of_collections(whole, divided, sets))
    if values is not None:
        learned = replace(learned, ceiling=figures.gains.mean(values))
    write_file(sweep.folder / "learn.json", json.dumps(learned.to_json(), ensure_ascii=False, indent=1) + "\n")
    return learned


def _with_words(progress: Progress | None, words: str) -> Progress | None:
    return None if progress is None else lambda done, total: progress(done, total, words)


def _documents(experiment: Experiment, sweep: Sweep, crew: Crew) -> Documents:
    """Return the relevant documents of each topic; those of one index are the same in all collections on it."""
    index = {each.name: each.index for each in experiment.collections}
    found = {(name, topic): crew.evaluator(name).relevant_documents(topic) for name, topic in sweep.topics}
    return {topic: {f"{index[topic[0]]}\n{document}" for document in named} for topic, named in found.items()}


def _enough(sweep: Sweep, folds: Sequence[Fold]) -> bool:
    return all(len(fold.train) >= LEAST * (len(sweep.topics) - len(fold.test)) for fold in folds)


def _folds(sweep: Sweep, documents: Documents, count: int, seed: int) -> list[Fold]:
    """Return folds without a document in common; as they come, with a notice, where too little would be left."""
    found = apart(sweep.topics, count, documents)
    if _enough(sweep, found):
        return found
    sweep.notices.append("folds: topics share so many relevant documents that those of one fold also train for others")
    groups = divide(sweep.topics, count, "alternate", seed)
    return [Fold(tuple(t for t in sweep.topics if t not in set(group)), tuple(group)) for group in groups]


def _sets(sweep: Sweep, documents: Documents) -> list[Fold]:
    """Return a fold for each of several collections, tested by the others; none, with a notice, if they overlap."""
    found = one_out(sweep.topics, documents)
    if len(found) == 1:
        return []
    if _enough(sweep, found):
        return found
    sweep.notices.append("collections share so many relevant documents that none is left out of the search")
    return []


class _Figures:
    """The figures of what was learned.

    Parameters
    ----------
    sweep
        The values of all variants below.
    plan
        What was learned.
    baseline, start, best
        The experiment's baseline, the first values of all parameters, and what was chosen on all topics.
    """

    def __init__(self, sweep: Sweep, plan: LearningPlan, baseline: Variant, start: Variant, best: Variant) -> None:
        self._sweep, self._plan, self._measure = sweep, plan, sweep.experiment.train_on
        self._baseline, self._start, self._best = baseline, start, best
        self._first = self._of(start)
        self.gains = Gains(sweep.topics, self._first)

    def _of(self, variant: Variant) -> TopicValues:
        return self._sweep.measured.of(variant, self._sweep.topics, self._measure)

    def _tested(self, paths: Sequence[list[AscentStep]], folds: Sequence[Fold]) -> TopicValues:
        """Return the value of each topic with the parameters that were found without it."""
        ends = [self._plan.at(path[-1].point) for path in paths]
        by_topic = {topic: end for end, fold in zip(ends, folds, strict=True) for topic in fold.test}
        topics = self._sweep.topics
        return self._sweep.measured.each(((by_topic[topic], topic) for topic in topics), self._measure)

    def learned(self, found: Mapping[tuple[str, ...], Paths], folds: Sequence[Fold], evaluated: int) -> Learned:
        """Return what was learned, but for what is told of several collections."""
        names, gains, first = tuple(part for part, _ in self._plan.parts), self.gains, self._first
        tested = {parts: self._tested(paths.folds, folds) for parts, paths in found.items()}
        values, start = tested[names], gains.mean(first)
        both, reached = gains.paired(values, first), gains.mean(values)
        parts = []
        for part, axes in self._plan.parts:
            alone = tested[part,]
            without = tested[tuple(other for other in names if other != part)] if len(names) > 1 else first
            parts.append(
                PartGain(
                    part=part,
                    axes=axes,
                    alone=gains.mean(alone),
                    alone_gain=gains.mean(alone) - start,
                    alone_p=sig.randomisation(*gains.paired(alone, first)),
                    without=gains.mean(without),
                    loss=reached - gains.mean(without),
                    loss_p=sig.randomisation(*gains.paired(values, without)),
                )
            )
        levels = {each.level for each in self._sweep.experiment.collections}
        level, settings = levels.pop() if len(levels) == 1 else "", json.loads(self._best.settings)
        return Learned(
            plan=self._plan.name,
            measure=repr(self._measure),
            topics=len(self._sweep.topics),
            best=self._best,
            trained=gains.mean(self._of(self._best)),
            tested=reached,
            start=start,
            baseline=gains.mean(self._of(self._baseline)),
            gain=reached - start,
            interval=sig.bootstrap_interval(*both),
            p={"t": sig.t_test(*both), "randomisation": sig.randomisation(*both)},
            folds=[self._plan.at(path[-1].point).parameters for path in found[names].folds],
            training=[len(fold.train) for fold in folds],
            parts=parts,
            command=command_line(settings, level),
            options=toml(settings, level),
            evaluated=evaluated,
            path=found[names].all,
            notices=self._sweep.notices,
            skipped=self._sweep.skipped,
        )

    def of_collections(self, whole: Paths, folds: Sequence[Fold], sets: Sequence[Fold]) -> dict[str, Any]:
        """Return what each of several collections gains, and what they gain where they are left out."""
        tested = self._tested(whole.folds, folds)
        collections = [self._gain_of(each, tested) for each in self._sweep.experiment.collections]
        if not sets:
            return {"collections": collections}
        left = self._tested(whole.sets, sets)
        both = self.gains.paired(left, self._first)
        for place, (each, path) in enumerate(zip(collections, whole.sets, strict=True)):
            there, first = self._at(each.name, left), self._at(each.name, self._first)
            collections[place] = replace(
                each,
                found=self._plan.at(path[-1].point).parameters,
                left_out=there.mean,
                left_out_gain=there.mean - each.start,
                left_out_p=sig.randomisation(*paired(there, first)),
            )
        p = {"t": sig.t_test(*both), "randomisation": sig.randomisation(*both)}
        return {
            "collections": collections,
            "left_out": LeftOut(self.gains.mean(left), sig.bootstrap_interval(*both), p),
        }

    def _gain_of(self, collection: Collection, tested: TopicValues) -> CollectionGain:
        there, first = self._at(collection.name, tested), self._at(collection.name, self._first)
        return CollectionGain(
            name=collection.name,
            topics=len(there.kept),
            level=collection.level,
            baseline=self._at(collection.name, self._of(self._baseline)).mean,
            start=first.mean,
            trained=self._at(collection.name, self._of(self._best)).mean,
            tested=there.mean,
            gain=there.mean - first.mean,
            p=sig.randomisation(*paired(there, first)),
        )

    def _at(self, name: str, values: TopicValues) -> TopicValues:
        """Return the values of the topics of a collection."""
        return values.at(np.array([collection == name for collection, _ in self._sweep.topics]))
