"""Learning of `trix learn`: the best parameters of a model and its contexts together, and the gain of each part.

Coordinate ascent (`trix.lab.ascent`) finds parameters on pools. The pool of a topic has the first results by some
distant variants and the judged elements. The results are then measured on full rankings, as in a sweep, and only these
values are reported. Cross-validation repeats the whole search without the topics of each fold, and without all topics
that share a relevant document with them. Several collections are learned together, by the mean of their relative gains
(`trix.lab.gains`). The whole search is then repeated without each of them.
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
from trix.lab.gains import Gains
from trix.lab.learned import CollectionGain, Learned, LeftOut, PartGain, describe
from trix.lab.parameter_search import BestAscents, ParameterSearch, Stage, silent
from trix.lab.plan.experiment import Experiment, JudgedCollection, LearningPlan, Variant
from trix.lab.plan.grid import command_line, toml
from trix.lab.plan.split import TopicFold, TopicKey, disjoint_folds, divide, leave_one_out
from trix.lab.run.scoreboard import Grader, Scoreboard
from trix.lab.run.sweep import Sweep, open_cached, write_file
from trix.lab.run.training import TopicValues, paired
from trix.lab.run.workers import EvaluatorSet, SweepWorkers
from trix.support.progress import Progress

__all__ = ["Learned", "describe", "learn"]

Documents = Mapping[TopicKey, Set[str]]
"""Topic -> its relevant documents."""

LEAST = 0.25
"""Smallest share of the other topics that must remain for training once topics with common documents are removed."""


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
    """Learn the parameters of a ``[[learn]]`` table for the training measure.

    Parameters
    ----------
    experiment
        Its split is not used; the topics of each collection are divided into folds.
    folder
        Folder for ``learn.json`` and the journal. Values that an interrupted search measured are not measured again.
    name
        Name of the table; optional if there is only one.
    restarts
        Number of random starts, in addition to the first values.
    folds
        Number of folds of the cross-validation.
    seed
        Seed of the random starts.
    ceiling
        Whether to compute an upper bound by LambdaMART on the same scores; needs LightGBM.
    jobs
        As in `trix.lab.run.sweep.sweep`.
    progress
        During the search, called with the number of finished steps, their estimated total, and a text about the current
        parameters and the best score. Later called with the number of measured (topic, variant) pairs and their total.
    stage
        Called with one line at the start of each stage.

    Raises
    ------
    TrixError
        The table is unknown, or there are fewer topics than folds. LightGBM is missing or cannot learn from these
        assessments. The first values reach 0 in a collection.
    """
    plan, measure = experiment.plan(name), experiment.train_on
    if ceiling:
        from trix.lab.ceiling import check_grades, lambdamart, need_lightgbm

        need_lightgbm()
    with open_cached(experiment, folder, folds) as (sweep, evaluators, journal):
        if ceiling:
            check_grades(evaluators, [each.name for each in experiment.collections], measure)
        documents = _documents(experiment, sweep, evaluators)
        divided, sets = _folds(sweep, documents, folds, seed), _sets(sweep, documents)
        with Scoreboard(Grader(evaluators, measure, plan.probes), sweep.topics, journal, jobs) as scoreboard:
            search = ParameterSearch(plan, sweep.topics, scoreboard, restarts, seed, progress, stage)
            found = search.all([fold.train for fold in divided], [fold.train for fold in sets])
            evaluated = len(scoreboard)
        whole = found[search.all_parts]
        variants = [plan.at(path[-1].point) for paths in found.values() for path in paths.folds]
        first = [experiment.baseline, plan.at(plan.start), plan.at(whole.all[-1].point)]
        reported = [*first, *variants, *(plan.at(path[-1].point) for path in whole.sets)]
        stage(f"{plan.name}: measuring {len({v.settings for v in reported})} variants on everything")
        with SweepWorkers(evaluators, journal, jobs, _with_words(progress, "measuring what was found")) as workers:
            workers.measure(sweep.topics, reported, experiment.names)
        sweep.skip({**scoreboard.skipped, **workers.skipped})
        values = None
        if ceiling:
            stage(f"{plan.name}: growing the trees of LambdaMART")
            chosen = list({v.settings: v for v in [*first[1:], *variants]}.values())
            values = lambdamart(evaluators, sweep.topics, divided, chosen, plan.probes, measure)
    results = _Results(sweep, plan, *first)
    learned = results.learned(found, divided, evaluated)
    if results.gains.relative:
        learned = replace(learned, **results.of_collections(whole, divided, sets))
    if values is not None:
        learned = replace(learned, ceiling=results.gains.mean(values))
    write_file(sweep.folder / "learn.json", json.dumps(learned.to_json(), ensure_ascii=False, indent=1) + "\n")
    return learned


def _with_words(progress: Progress | None, words: str) -> Progress | None:
    return None if progress is None else lambda done, total: progress(done, total, words)


def _documents(experiment: Experiment, sweep: Sweep, evaluators: EvaluatorSet) -> Documents:
    """Return the relevant documents of each topic; collections on one index share documents."""
    index = {each.name: each.index for each in experiment.collections}
    found = {(name, topic): evaluators.evaluator(name).relevant_documents(topic) for name, topic in sweep.topics}
    return {topic: {f"{index[topic[0]]}\n{document}" for document in named} for topic, named in found.items()}


def _enough(sweep: Sweep, folds: Sequence[TopicFold]) -> bool:
    return all(len(fold.train) >= LEAST * (len(sweep.topics) - len(fold.test)) for fold in folds)


def _folds(sweep: Sweep, documents: Documents, count: int, seed: int) -> list[TopicFold]:
    """Return folds without common documents; plain folds, with a notice, if too few training topics would remain."""
    found = disjoint_folds(sweep.topics, count, documents)
    if _enough(sweep, found):
        return found
    sweep.notices.append("folds: topics share many relevant documents, so related topics are in training and test")
    groups = divide(sweep.topics, count, "alternate", seed)
    return [TopicFold(tuple(t for t in sweep.topics if t not in set(group)), tuple(group)) for group in groups]


def _sets(sweep: Sweep, documents: Documents) -> list[TopicFold]:
    """Return a fold per collection, tested by the others; none, with a notice, if the collections overlap."""
    found = leave_one_out(sweep.topics, documents)
    if len(found) == 1:
        return []
    if _enough(sweep, found):
        return found
    sweep.notices.append("collections share many relevant documents, so no collection is left out of the search")
    return []


class _Results:
    """Results of learning, computed from measured values.

    Parameters
    ----------
    sweep
        Values of all variants.
    plan
        Learned parameters.
    baseline, start, best
        The experiment's baseline, the first values of all parameters, and the best parameters on all topics.
    """

    def __init__(self, sweep: Sweep, plan: LearningPlan, baseline: Variant, start: Variant, best: Variant) -> None:
        self._sweep, self._plan, self._measure = sweep, plan, sweep.experiment.train_on
        self._baseline, self._start, self._best = baseline, start, best
        self._first = self._of(start)
        self.gains = Gains(sweep.topics, self._first)

    def _of(self, variant: Variant) -> TopicValues:
        return self._sweep.measured.of(variant, self._sweep.topics, self._measure)

    def _tested(self, paths: Sequence[list[AscentStep]], folds: Sequence[TopicFold]) -> TopicValues:
        """Return the value of each topic under the parameters found without it."""
        ends = [self._plan.at(path[-1].point) for path in paths]
        by_topic = {topic: end for end, fold in zip(ends, folds, strict=True) for topic in fold.test}
        topics = self._sweep.topics
        return self._sweep.measured.each(((by_topic[topic], topic) for topic in topics), self._measure)

    def learned(
        self, found: Mapping[tuple[str, ...], BestAscents], folds: Sequence[TopicFold], evaluated: int
    ) -> Learned:
        """Return the results of learning, except for those per collection."""
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

    def of_collections(
        self, whole: BestAscents, folds: Sequence[TopicFold], sets: Sequence[TopicFold]
    ) -> dict[str, Any]:
        """Return the gain of each collection, also with the parameters found without it."""
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

    def _gain_of(self, collection: JudgedCollection, tested: TopicValues) -> CollectionGain:
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
