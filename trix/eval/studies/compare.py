"""Comparison of runs topic by topic, and of measures by their ranking of systems [EVALUATION 4, 6; VI, table 2]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import TrixError, UsageError
from trix.eval.convert import whole_documents
from trix.eval.evaluate import evaluate
from trix.eval.inputs import to_qrels, to_runs
from trix.eval.measures.core.registry import Measure, parse_measure
from trix.eval.scores import Scores
from trix.eval.studies import significance as sig


@dataclass(frozen=True, slots=True)
class Pair:
    """Comparison of one run with another by one measure.

    Attributes
    ----------
    run, baseline, measure
        Names of the two runs, and the measure.
    means
        Means of the run and of the baseline, over their common topics.
    difference, improvement
        Difference of the means, absolute and in percent of the baseline (NaN if that is 0).
    p
        Test -> two-sided p-value.
    adjusted
        Correction -> p-value of the t-test, corrected for the number of pairs of the measure: ``holm``,
        ``bonferroni``, ``benjamini-hochberg``. ``tukey`` is the p-value of Tukey's test over all runs, if three or more
        runs share two topics.
    effect
        Cohen's d of the paired values.
    interval
        95 % bootstrap interval of the difference.
    classes
        Number of topics by gain class [IV, table 5]. The sign is reversed for measures where less is better.
    """

    run: str
    baseline: str
    measure: Measure
    means: tuple[float, float]
    difference: float
    improvement: float
    p: dict[str, float]
    adjusted: dict[str, float]
    effect: float
    interval: tuple[float, float]
    classes: dict[str, int]


@dataclass(slots=True)
class RunComparison:
    """Comparison of several runs: in pairs, and all at once for three or more runs.

    Attributes
    ----------
    means
        Measure -> mean of each run, over its own topics.
    baseline
        Run with which the others are compared; empty if every pair is compared.
    """

    pairs: list[Pair]
    friedman: dict[str, sig.Friedman] = field(default_factory=dict)
    runs: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    means: dict[Measure, list[float]] = field(default_factory=dict)
    baseline: str = ""


def values_by_topic(result: Scores, run: str, measure: Measure, topics: list[str]) -> NDArray[np.float64]:
    """Return the values of a run on the given topics; raise UsageError for vectors."""
    score = result[run, measure]
    if score.is_vector:
        raise UsageError(f"{measure} is a vector; give a cut-off to compare runs by it, such as {measure.example}")
    return np.array([score.topics[t] for t in topics], np.float64)


def compare(result: Scores, baseline: str | None = None, every_pair: bool = False, seed: int = 1) -> RunComparison:
    """Compare the runs of a result, each against the baseline (the first run), or every pair.

    Raises
    ------
    UsageError
        There are fewer than two runs, or two compared runs share no topic.
    """
    runs = result.runs
    if len(runs) < 2:
        raise UsageError("at least two runs are needed for a comparison")
    base = runs[0] if baseline is None else baseline
    if base not in runs:
        raise UsageError(f"there is no run {base!r}; runs: {' '.join(runs)}")
    wanted = list(combinations(runs, 2)) if every_pair else [(base, other) for other in runs if other != base]
    found = RunComparison([], runs=runs, notices=list(result.notices), baseline="" if every_pair else base)
    for measure in result.measures:
        drafts = [_pair(result, b, a, measure, seed) for b, a in wanted]
        p = [pair.p["t"] for pair in drafts]
        for correction, correct in sig.CORRECTIONS.items():
            for pair, corrected in zip(drafts, correct(p), strict=True):
                pair.adjusted[correction] = corrected
        found.pairs += drafts
        found.means[measure] = [float(result[run, measure].mean) for run in runs]
        shared = _shared(result, runs, measure)
        if len(runs) >= 3 and len(shared) >= 2:
            table = np.column_stack([values_by_topic(result, r, measure, shared) for r in runs])
            found.friedman[repr(measure)] = sig.friedman(table)
            tukey = sig.tukey_hsd(table)
            for pair in drafts:
                pair.adjusted["tukey"] = float(tukey[runs.index(pair.run), runs.index(pair.baseline)])
    return found


def _shared(result: Scores, runs: list[str], measure: Measure) -> list[str]:
    first, *rest = (result[run, measure].topics for run in runs)
    return [t for t in first if all(t in other for other in rest)]


def _pair(result: Scores, baseline: str, run: str, measure: Measure, seed: int) -> Pair:
    topics = _shared(result, [run, baseline], measure)
    if not topics:
        raise UsageError(f"{measure}: {run} and {baseline} share no topic")
    a, b = (values_by_topic(result, name, measure, topics) for name in (run, baseline))
    mean = (float(a.mean()), float(b.mean()))
    p = {
        "t": sig.t_test(a, b),
        "wilcoxon": sig.wilcoxon(a, b),
        "sign": sig.sign_test(a, b),
        "randomisation": sig.randomisation(a, b, seed=seed),
    }
    classes = sig.gain_classes(a, b) if measure.spec.higher else sig.gain_classes(-a, -b)
    return Pair(
        run,
        baseline,
        measure,
        mean,
        mean[0] - mean[1],
        100 * (mean[0] - mean[1]) / mean[1] if mean[1] else math.nan,
        p,
        {},
        sig.effect_size(a, b),
        sig.bootstrap_interval(a, b, seed=seed),
        classes,
    )


MATRIX = ("AgP[F(.25)]", "AgP[aveChP]", "AgP[T2If(300)]", "AgP[T2If(2000)]", "ANCE[LE(300)]", "ANCE[LE(2000)]")


@dataclass(slots=True)
class Matrix:
    """Agreement of measures in ranking systems [VI, table 2].

    Attributes
    ----------
    names
        Measures, and each again for the whole-document twins.
    tau
        (12, 12) Kendall's τ-b; the sign of effort measures is reversed.
    tau_ap
        (12, 12) τ_ap, with the column as the truth.
    means
        (12, runs) mean of each run.
    runs
        Names of the runs.
    beats
        Measure -> (number of runs that beat their twin, number of runs, p-value of the paired t-test over runs).
    """

    names: list[str]
    tau: NDArray[np.float64]
    tau_ap: NDArray[np.float64]
    means: NDArray[np.float64]
    runs: list[str]
    beats: dict[str, tuple[int, int, float]]
    notices: list[str] = field(default_factory=list)
    failed: dict[int, TrixError] = field(default_factory=dict)


def matrix(
    qrels: Any,
    runs: Any,
    measures: tuple[str, ...] = MATRIX,
    *,
    run_format: str | None = None,
    passage_end: bool = False,
    lenient: bool = False,
    keep_going: bool = False,
    **options: Any,
) -> Matrix:
    """Evaluate runs and their whole-document twins by several measures and correlate the rankings.

    The options are those of `evaluate`. With `keep_going` a run that cannot be evaluated is left out.

    Raises
    ------
    UsageError
        There are fewer than two runs.
    """
    judged = to_qrels(qrels)
    parsed = [parse_measure(m) for m in measures]
    names: list[str] = []
    own: list[list[float]] = []
    twins: list[list[float]] = []
    notices: list[str] = []
    failed: dict[int, TrixError] = {}
    for place, (name, load) in enumerate(to_runs(runs, format=run_format, lenient=lenient, passage_end=passage_end)):
        try:
            run = load()
            twin = whole_documents(run, judged)
            twin.notices.clear()  # they report unknown lengths, which do not affect in-context measures
            scores: Mapping[str, Any] = {"run": run, "twin": twin}
            result = evaluate(judged, scores, parsed, lenient=lenient, **options)
        except TrixError as error:
            if not keep_going:
                raise
            failed[place] = error
            continue
        notices += [n for n in result.notices if n not in notices]
        label = name or run.name
        names.append(label if label not in names else f"{label}#{len(names) + 1}")
        for key, rows in (("run", own), ("twin", twins)):
            rows.append([result[key, m].mean * (1 if m.spec.higher else -1) for m in parsed])
    if len(names) < 2:
        raise next(iter(failed.values()), UsageError("at least two runs are needed for a matrix"))
    means = np.vstack((np.array(own).T, np.array(twins).T))
    labels = [repr(m) for m in parsed] + [f"{m} twin" for m in map(repr, parsed)]
    size = range(len(labels))
    tau = np.array([[sig.kendall_tau_b(means[i], means[j]) for j in size] for i in size])
    ap = np.array([[sig.tau_ap(means[i], means[j]) for j in size] for i in size])
    beats = {}
    for k, m in enumerate(parsed):
        a, b = means[k], means[k + len(parsed)]
        beats[repr(m)] = (int((a > b).sum()), len(names), sig.t_test(a, b))
    signs = np.array([1 if m.spec.higher else -1 for m in parsed] * 2)
    return Matrix(labels, tau, ap, means * signs[:, None], names, beats, notices, failed)
