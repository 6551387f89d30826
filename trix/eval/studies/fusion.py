"""Fusion of several runs into one, by scores, ranks or votes; the methods have their names in ranx.

Two results are the same if they have the same document and path, or passage. All runs must rank the same kind of unit.

::

    sum mnz anz min max med gmnz      combinations of scores [Fox 1993; Lee 1997]
    wsum wmnz mixed                   combinations with a weight per run [Wu 2002]
    rrf isr log_isr logn_isr rbc      sums over ranks [Cormack 2009; Mourao 2015; Bailey 2017]
    bordafuse condorcet               votes [Aslam 2001; Montague 2002]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError, did_you_mean, nearest, offer
from trix.eval.data.runs import Ranking, Rankings, join
from trix.eval.inputs import to_runs
from trix.support.element_path import ancestors

Matrix = NDArray[np.float64]
"""(runs, candidates) array; NaN if a run lacks a candidate."""
Key = tuple[str, str, str, int, int]
"""Document, path, last path of a range, begin and end of a passage (-1 if there is a path)."""

TOP = 1500


@dataclass(frozen=True, slots=True)
class FusionSettings:
    """Parameters of the methods: a weight per run, k of rrf, phi of rbc, gamma of gmnz, sigma of logn_isr."""

    weights: NDArray[np.float64]
    k: float = 60.0
    phi: float = 0.8
    gamma: float = 2.0
    sigma: float = 0.01


@dataclass(frozen=True, slots=True)
class FusionMethod:
    """Fusion method: combines the columns of a matrix of scores, or of ranks from 1, to fused scores."""

    name: str
    of: Literal["scores", "ranks"]
    combine: Callable[[Matrix, FusionSettings], Matrix]
    weighted: bool = False


def _sums(values: Matrix) -> Matrix:
    total: Matrix = np.nansum(values, axis=0)
    return total


def _found(values: Matrix) -> Matrix:
    count: Matrix = (~np.isnan(values)).sum(axis=0).astype(np.float64)
    return count


def _votes(ranks: Matrix, s: FusionSettings) -> Matrix:
    """Return points by the order of pairwise majorities (Condorcet fusion).

    Majorities can form a cycle. The result then depends on the order of the candidates in the runs.
    """
    places = np.where(np.isnan(ranks), np.inf, ranks)

    def compare(a: int, b: int) -> int:
        for_a = s.weights[places[:, a] < places[:, b]].sum()
        for_b = s.weights[places[:, b] < places[:, a]].sum()
        return int(np.sign(for_b - for_a))

    order = sorted(range(ranks.shape[1]), key=cmp_to_key(compare))
    points = np.empty(len(order))
    points[order] = np.arange(len(order), 0, -1)
    return points


def _borda(ranks: Matrix, s: FusionSettings) -> Matrix:
    """Return Borda points: n for the first of n candidates down to 1; missing candidates share the remaining points."""
    n = ranks.shape[1]
    left = (n - _found(ranks.T) + 1) / 2  # mean of the points 1 .. n - found
    points: Matrix = s.weights @ np.where(np.isnan(ranks), left[:, None], n + 1 - ranks)
    return points


METHODS = {
    m.name: m
    for m in (
        FusionMethod("sum", "scores", lambda x, s: _sums(x)),
        FusionMethod("mnz", "scores", lambda x, s: _sums(x) * _found(x)),
        FusionMethod("anz", "scores", lambda x, s: _sums(x) / _found(x)),
        FusionMethod("min", "scores", lambda x, s: np.nanmin(x, axis=0)),
        FusionMethod("max", "scores", lambda x, s: np.nanmax(x, axis=0)),
        FusionMethod("med", "scores", lambda x, s: np.nanmedian(x, axis=0)),
        FusionMethod("gmnz", "scores", lambda x, s: _sums(x) * _found(x) ** s.gamma),
        FusionMethod("wsum", "scores", lambda x, s: _sums(x * s.weights[:, None]), True),
        FusionMethod("wmnz", "scores", lambda x, s: _sums(x) * (s.weights @ ~np.isnan(x)), True),
        FusionMethod("mixed", "scores", lambda x, s: _sums(x * s.weights[:, None]) * np.sqrt(_found(x)), True),
        FusionMethod("rrf", "ranks", lambda r, s: _sums(s.weights[:, None] / (s.k + r)), True),
        FusionMethod("isr", "ranks", lambda r, s: _sums(1 / r**2) * _found(r)),
        FusionMethod("log_isr", "ranks", lambda r, s: _sums(1 / r**2) * np.log(_found(r))),
        FusionMethod("logn_isr", "ranks", lambda r, s: _sums(1 / r**2) * np.log(_found(r) + s.sigma)),
        FusionMethod("rbc", "ranks", lambda r, s: _sums(s.weights[:, None] * (1 - s.phi) * s.phi ** (r - 1)), True),
        FusionMethod("bordafuse", "ranks", _borda, True),
        FusionMethod("condorcet", "ranks", _votes, True),
    )
}
"""Name -> method."""

_FLOOR = 1e-9  # lower bound of denominators, as in ranx


def _spread(low: float, x: Matrix, whole: float) -> Matrix:
    return (x - low) / max(whole, _FLOOR)


NORMS: Mapping[str, Callable[[Matrix], Matrix]] = {
    "none": lambda x: x,
    "min-max": lambda x: _spread(float(x.min()), x, float(x.max() - x.min())),
    "max": lambda x: x / max(float(x.max()), _FLOOR),
    "sum": lambda x: _spread(float(x.min()), x, float(x.sum() - x.min() * len(x))),
    "zmuv": lambda x: _spread(float(x.mean()), x, float(x.std())),
    "rank": lambda x: 1 - np.arange(len(x)) / len(x),
}
"""Name -> normalisation of the scores of one topic of one run, in rank order; ``borda`` also needs the other runs."""
NORM_NAMES = (*NORMS, "borda")


def fuse(
    runs: Any,
    method: str = "rrf",
    *,
    norm: str | None = None,
    weights: Sequence[float] | None = None,
    k: float = 60,
    phi: float = 0.8,
    gamma: float = 2,
    sigma: float = 0.01,
    overlap: Literal["full", "none"] = "full",
    top: int | None = TOP,
    run_id: str | None = None,
    run_format: str | None = None,
    lenient: bool = False,
    passage_end: bool = False,
) -> Rankings:
    """Fuse several runs into one.

    A topic that some runs lack is fused from the others. Ties are sorted by the best rank of a result in any run, then
    by the order of the runs.

    Parameters
    ----------
    runs
        Two or more, each in any form that `evaluate` takes: files, `Rankings`, dicts, frames, results of ``Index.run``.
    method
        One of `METHODS`; ``CombSUM``, ``comb_sum`` and ``sum`` are the same.
    norm
        Normalisation of scores, one of `NORM_NAMES`; ``min-max`` if left out. Methods of ranks take none.
    weights
        One per run, for the methods ``wsum wmnz mixed rrf rbc bordafuse condorcet``.
    k, phi, gamma, sigma
        Parameters of ``rrf``, ``rbc``, ``gmnz`` and ``logn_isr``.
    overlap
        ``none`` drops results that overlap a higher-ranked result.
    top
        Results per topic; all if None.
    run_id
        Name of the fused run; the name of the method if left out.
    run_format, lenient, passage_end
        How files are read, as in `read_run`.

    Raises
    ------
    UsageError
        There are fewer than two runs, they rank different kinds of units, or a method or norm is unknown or does not
        fit.

    Examples
    --------
    >>> run = fuse([{"1": {"a": 9.0, "b": 5.0}}, {"1": {"b": 2.0, "c": 1.0}}], "CombMNZ")
    >>> run["1"].docs, run["1"].scores.tolist()
    (['b', 'a', 'c'], [2.0, 1.0, 0.0])
    """
    how = _method(method)
    read = [
        load() if name is None else _named(load(), name)
        for name, load in to_runs(runs, format=run_format, lenient=lenient, passage_end=passage_end)
    ]
    settings = FusionSettings(_weights(how, weights, len(read)), k, phi, gamma, sigma)
    norm = _norm(how, norm)
    _check(how, norm, read)
    fused = Rankings(name=run_id or how.name, notices=[notice for run in read for notice in run.notices])
    for topic in dict.fromkeys(topic for run in read for topic in run.rankings):
        rankings = [run.rankings.get(topic, Ranking.empty()) for run in read]
        fused.rankings[topic] = _topic(how, norm, settings, rankings, overlap, top)
    return fused


def _named(run: Rankings, name: str) -> Rankings:
    return Rankings(run.rankings, name, run.source, run.notices)


def _method(name: str) -> FusionMethod:
    folded = name.lower().replace("_", "").replace("-", "").removeprefix("comb")
    known = {key.replace("_", ""): method for key, method in METHODS.items()}
    known |= {"borda": METHODS["bordafuse"], "wbordafuse": METHODS["bordafuse"], "wcondorcet": METHODS["condorcet"]}
    if folded in known:
        return known[folded]
    hint = offer(next((known[near].name for near in nearest(folded, known)), "")) or f"; known: {' '.join(METHODS)}"
    raise UsageError(f"unknown method of fusion {name!r}{hint}")


def _norm(method: FusionMethod, name: str | None) -> str:
    if method.of == "ranks":
        if name not in (None, "none"):
            raise UsageError(f"norm {name}: {method.name} uses ranks, not scores, and takes no norm")
        return "none"
    if name is None:
        return "min-max"
    if name not in NORM_NAMES:
        hint = did_you_mean(name, NORM_NAMES)
        raise UsageError(f"unknown norm {name!r}{hint}; expected one of {' '.join(NORM_NAMES)}")
    return name


def _weights(method: FusionMethod, given: Sequence[float] | None, n: int) -> NDArray[np.float64]:
    if given is None:
        return np.ones(n)
    if not method.weighted:
        able = " ".join(m.name for m in METHODS.values() if m.weighted)
        raise UsageError(f"{method.name} takes no weights; methods with weights: {able}")
    if len(given) != n:
        raise UsageError(f"there are {n} runs and {len(given)} weights")
    return np.array(given, np.float64)


def _check(method: FusionMethod, norm: str, runs: list[Rankings]) -> None:
    if len(runs) < 2:
        raise UsageError("at least two runs are needed for a fusion")
    forms = {run.form: run for run in runs if any(len(r) for r in run.rankings.values())}
    if len(forms) > 1:
        (one, a), (other, b), *_ = forms.items()
        raise UsageError(
            f"{a.source or a.name} ranks {one}, but {b.source or b.name} ranks {other}; "
            "convert them to one form with trix convert"
        )
    if method.of == "scores" and norm not in ("rank", "borda"):
        for run in runs:
            for topic, ranking in run.rankings.items():
                if len(ranking) and (ranking.scores is None or not np.isfinite(ranking.scores).all()):
                    raise UsageError(
                        f"{run.source or run.name}: topic {topic} has results without a score; "
                        "use a method of ranks, such as rrf, or `norm` rank"
                    )


def _keys(ranking: Ranking) -> list[Key]:
    n = len(ranking)
    paths, lasts = ranking.paths or [""] * n, ranking.lasts or [""] * n
    starts = [-1] * n if ranking.starts is None else ranking.starts.tolist()
    ends = [-1] * n if ranking.ends is None else ranking.ends.tolist()
    return [
        (doc, path, last, -1, -1) if path else (doc, path, last, start, end)
        for doc, path, last, start, end in zip(ranking.docs, paths, lasts, starts, ends, strict=True)
    ]


def _topic(
    method: FusionMethod,
    norm: str,
    settings: FusionSettings,
    rankings: list[Ranking],
    overlap: str,
    top: int | None,
) -> Ranking:
    numbers: dict[Key, int] = {}
    origin: list[tuple[int, int]] = []
    rows: list[tuple[list[int], list[int]]] = []
    for r, ranking in enumerate(rankings):
        columns: dict[int, int] = {}
        for row, key in enumerate(_keys(ranking)):
            number = numbers.setdefault(key, len(numbers))
            if number == len(origin):
                origin.append((r, row))
            columns.setdefault(number, row)  # a repeated result keeps its first rank
        rows.append((list(columns), list(columns.values())))
    n = len(numbers)
    if not n:
        return Ranking.empty()
    # One column per distinct result; a run without it keeps NaN there.
    values, ranks = np.full((len(rankings), n), np.nan), np.full((len(rankings), n), np.nan)
    for r, (columns_of, rows_of) in enumerate(rows):
        if not columns_of:
            continue
        ranks[r, columns_of] = np.arange(1, len(columns_of) + 1)
        if method.of == "scores":
            scores = rankings[r].scores
            plain = np.zeros(len(rows_of)) if scores is None else scores[rows_of]
            values[r, columns_of] = NORMS.get(norm, NORMS["none"])(plain)
    if norm == "borda":
        values = np.where(np.isnan(ranks), 0.5 - (_found(ranks.T)[:, None] - 1) / (2 * n), 1 - (ranks - 1) / n)
    scores = method.combine(ranks if method.of == "ranks" else values, settings)
    # Ties: best rank in any run, then order of the runs. Rounding ties scores that differ only by float error.
    order = np.lexsort((np.arange(n), np.nanmin(ranks, axis=0), -scores.round(12))).tolist()
    keys = list(numbers)
    if overlap == "none":
        order = _without_overlap(order, keys)
    order = order[:top]
    fused = join([rankings[r].take([row]) for r, row in (origin[i] for i in order)])
    return replace(fused, scores=scores[order], ranks=np.arange(1, len(order) + 1), lines=None, blocks=None)


def _without_overlap(order: list[int], keys: list[Key]) -> list[int]:
    """Return the candidates that overlap no earlier candidate."""
    kept: list[int] = []
    taken: dict[str, set[str]] = {}
    above: dict[str, set[str]] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for i in order:
        doc, path, _, start, end = keys[i]
        if path:
            lines = list(ancestors(path))
            inside = taken.setdefault(doc, set())
            if path in inside or path in above.setdefault(doc, set()) or not inside.isdisjoint(lines):
                continue
            inside.add(path)
            above[doc].update(lines)
        elif start >= 0:
            places = spans.setdefault(doc, [])
            if any(start < e and s < end for s, e in places):
                continue
            places.append((start, end))
        kept.append(i)
    return kept
