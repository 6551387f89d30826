"""Tuning of `trix tune`: coordinate ascent over the parameters of a family, with cross-validated gain.

From each start, each parameter in turn is set to its best value while the others stay, until none changes. Starts are
the family's first point and random points; the best end counts. Cross-validation repeats the whole search on the
training topics of each fold and measures the result on the test topics. So the reported gain is one on topics that the
search has not used.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from trix.errors import UsageError
from trix.eval.studies import significance as sig
from trix.lab.ascent import AscentStep, Score, ascent, highest, in_lockstep, start_points, to_plain
from trix.lab.plan.experiment import Experiment, Family, Variant
from trix.lab.plan.grid import Point
from trix.lab.plan.split import TopicKey, divide
from trix.lab.report.tables import p_text
from trix.lab.run.sweep import open_cached, write_file
from trix.lab.run.training import paired
from trix.lab.run.workers import SweepWorkers
from trix.support.progress import Progress


@dataclass(frozen=True)
class Tuning:
    """Result of tuning.

    Attributes
    ----------
    family, measure
        Name of the family, and the training measure.
    best : Variant
        The best parameters on all topics.
    trained : float
        Its mean on all topics, on which it was selected.
    baseline : float
        The baseline's mean.
    tested : float
        Mean of the cross-validation: each topic with parameters found without it.
    gain : float
        tested - baseline.
    interval : (float, float)
        95 % bootstrap interval of the gain.
    p : dict
        Test -> two-sided p-value of the gain.
    folds : list of str
        Parameters found by each fold.
    evaluated : int
        Number of variants measured.
    path : list of AscentStep
        Ascent to the best variant.
    notices : list of str
    skipped : dict
        Topic -> reason, for topics that could not be searched or measured; they count as topics without results.
    """

    family: str
    measure: str
    best: Variant
    trained: float
    baseline: float
    tested: float
    gain: float
    interval: tuple[float, float]
    p: dict[str, float]
    folds: list[str]
    topics: int
    evaluated: int
    path: list[AscentStep]
    notices: list[str]
    skipped: Mapping[TopicKey, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """Return plain data for JSON."""
        plain = asdict(self)
        del plain["notices"], plain["skipped"]
        return {**plain, **to_plain(self.best, self.path), "interval": list(self.interval)}


def tune(
    experiment: Experiment,
    folder: str | os.PathLike[str],
    *,
    family: str | None = None,
    restarts: int = 3,
    folds: int = 5,
    seed: int = 1,
    jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Tuning:
    """Search the best parameters of a family for the training measure.

    Parameters
    ----------
    experiment
        Its split is not used; all topics of all collections are divided into folds.
    folder
        Folder for ``tune.json`` and the journal. Values that a sweep measured are not measured again.
    family
        Its name; optional if there is only one.
    restarts
        Number of random starts, in addition to the first point.
    folds
        Number of folds of the cross-validation.
    seed
        Seed of the random starts.
    jobs, progress, client
        As in `trix.lab.run.sweep.sweep`.

    Raises
    ------
    TrixError
        The family is unknown or has no parameters, or there are fewer topics than folds.
    """
    chosen = _family(experiment, family)
    with (
        open_cached(experiment, folder, folds) as (sweep, evaluators, journal),
        SweepWorkers(evaluators, journal, jobs, progress, client) as workers,
    ):
        topics, measured, measure = sweep.topics, sweep.measured, experiment.train_on
        seen: set[str] = set()

        def ask(points: Sequence[Point], _: object) -> None:
            variants = [chosen.at(point) for point in points]
            workers.measure(topics, variants, experiment.names)
            seen.update(variant.settings for variant in variants)

        def score(on: Sequence[TopicKey]) -> Score:
            sign = 1 if measure.spec.higher else -1
            return lambda points: [round(sign * measured.mean(chosen.at(point), on, measure), 12) for point in points]

        groups = divide(topics, folds, "alternate", seed)
        trained = [topics, *([t for t in topics if t not in set(group)] for group in groups)]
        starts = start_points(chosen.axes, restarts, seed)
        paths = in_lockstep([(ascent(chosen.axes, start), score(on)) for on in trained for start in starts], ask)
        ends = [highest(paths[at : at + len(starts)]) for at in range(0, len(paths), len(starts))]
        path, *others = ends
        best = chosen.at(path[-1].point)
        found = [chosen.at(other[-1].point) for other in others]
        workers.measure(topics, [experiment.baseline], experiment.names)
        by_topic = {t: v for v, group in zip(found, groups, strict=True) for t in group}
        values = measured.each(((by_topic[topic], topic) for topic in topics), measure)
        base = measured.of(experiment.baseline, topics, measure)
    sweep.skip(workers.skipped)
    both = paired(values, base)
    tuned = Tuning(
        family=chosen.name,
        measure=repr(measure),
        best=best,
        trained=measured.mean(best, topics, measure),
        baseline=base.mean,
        tested=values.mean,
        gain=values.mean - base.mean,
        interval=sig.bootstrap_interval(*both),
        p={"t": sig.t_test(*both), "randomisation": sig.randomisation(*both)},
        folds=[variant.parameters for variant in found],
        topics=len(topics),
        evaluated=len(seen),
        path=path,
        notices=sweep.notices,
        skipped=sweep.skipped,
    )
    write_file(sweep.folder / "tune.json", json.dumps(tuned.to_json(), ensure_ascii=False, indent=1) + "\n")
    return tuned


def _family(experiment: Experiment, name: str | None) -> Family:
    if name is None:
        tunable = [family for family in experiment.families if family.axes]
        if len(tunable) != 1:
            names = ", ".join(family.name for family in tunable) or "none"
            raise UsageError(f"expected the name of a family with parameters; there are: {names}", field="family")
        return tunable[0]
    family = experiment.family(name)
    if not family.axes:
        raise UsageError("the family has no parameters", field="family", got=name)
    ranges = [axis.name for axis in family.axes if not axis.values]
    if ranges:
        raise UsageError(f"{ranges[0]} is a range; coordinate ascent needs a list of values", field="family", got=name)
    return family


def describe(tuned: Tuning) -> str:
    """Format the result of tuning as a few lines."""
    low, high = tuned.interval
    folds = "; ".join(f"{count} x {text}" for text, count in Counter(tuned.folds).most_common())
    gain = f" ({100 * tuned.gain / tuned.baseline:+.1f} %)" if tuned.baseline else ""
    return "\n".join(
        [
            f"{tuned.family}: best {tuned.best.parameters}",
            f"{tuned.measure} on all {tuned.topics} topics, where it was chosen: {tuned.trained:.4f}, "
            f"baseline {tuned.baseline:.4f}",
            f"cross-validated: {tuned.tested:.4f}, gain {tuned.gain:+.4f}{gain}, "
            f"95 % interval {low:+.4f} to {high:+.4f}, p {p_text(tuned.p['randomisation'])} (randomisation)",
            f"folds found {folds}",
            f"{tuned.evaluated} variants measured",
        ]
    )
