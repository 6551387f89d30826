"""Scores of an evaluation: one per run and measure, with the values of its topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import TrixError, UsageError
from trix.eval.measures.core.registry import Measure, parse_measure

if TYPE_CHECKING:
    import pandas as pd

Value = float | NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Score:
    """Score of one run by one measure.

    Attributes
    ----------
    measure
        The measure.
    mean
        Aggregate over topics, as the measure defines it (a sum for counts, a geometric mean for GMAP). An array if the
        measure is a vector. NaN if there are no topics.
    topics
        Topic id -> value.
    details
        Further numbers that accompany the mean.
    raw
        Topic id -> value that the mean is computed from, where it differs from `topics`; else empty.
    """

    measure: Measure
    mean: Value
    topics: dict[str, Value]
    details: dict[str, float] = field(default_factory=dict)
    raw: dict[str, Value] = field(default_factory=dict)

    @property
    def is_vector(self) -> bool:
        """Whether each value is a vector, such as one number per recall level."""
        return isinstance(self.mean, np.ndarray)


@dataclass(slots=True)
class Scores:
    """Scores of one or several runs.

    Attributes
    ----------
    qrels
        Name of the assessments.
    scores
        Run name -> measure -> score.
    notices
        Omissions and repairs, one line each.
    histograms
        Run name -> ``tag`` and ``depth`` -> number of results of each, if requested.
    failed
        Position of a run among the given ones -> the error that prevented its evaluation, if other runs were
        evaluated.

    Examples
    --------
    ``result["AP"].mean`` where there is one run, ``result["b", "AP"].mean`` where there are several, ``result["b"]``
    for the scores of one of them.
    """

    qrels: str
    scores: dict[str, dict[Measure, Score]]
    notices: list[str] = field(default_factory=list)
    histograms: dict[str, dict[str, dict[str, int]]] = field(default_factory=dict)
    failed: dict[int, TrixError] = field(default_factory=dict)

    @property
    def runs(self) -> list[str]:
        """Return the names of the runs, in the order given."""
        return list(self.scores)

    @property
    def measures(self) -> list[Measure]:
        """Return the measures, in the order given."""
        return list(dict.fromkeys(m for scores in self.scores.values() for m in scores))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            name, measure = key
            return self._of(self._run(name), measure)
        if isinstance(key, str) and key in self.scores:
            shapes = {key: self.histograms[key]} if key in self.histograms else {}
            return Scores(self.qrels, {key: self.scores[key]}, self.notices, shapes)
        if len(self.scores) != 1:
            raise UsageError(
                f"there are {len(self.scores)} runs, write result[RUN, {str(key)!r}]; runs: " + " ".join(self.scores)
            )
        return self._of(next(iter(self.scores.values())), key)

    def _run(self, name: str) -> dict[Measure, Score]:
        if name not in self.scores:
            raise UsageError(f"there is no run {name!r}; runs: {' '.join(self.scores)}")
        return self.scores[name]

    @staticmethod
    def _of(scores: dict[Measure, Score], key: str | Measure) -> Score:
        measure = parse_measure(key) if isinstance(key, str) else key
        if measure not in scores:
            raise UsageError(f"{measure} was not asked for; there are: {' '.join(map(repr, scores))}")
        return scores[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def to_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers for JSON [EVALUATION 7]; vectors become lists, NaN becomes None."""
        runs = []
        for name, scores in self.scores.items():
            measures = {
                repr(m): {
                    "mean": _plain(s.mean),
                    "topics": {t: _plain(v) for t, v in s.topics.items()},
                    **({"details": {k: _plain(v) for k, v in s.details.items()}} if s.details else {}),
                }
                for m, s in scores.items()
            }
            shape = {"histograms": self.histograms[name]} if name in self.histograms else {}
            runs.append({"run": name, "measures": measures, **shape})
        return {"qrels": self.qrels, "runs": runs, **({"notices": self.notices} if self.notices else {})}

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame with columns run, measure, topic and value; vectors are numpy arrays.

        The topic ``all`` is the mean.
        """
        from trix.support.extras import pandas

        rows = [
            (name, repr(measure), topic, value)
            for name, scores in self.scores.items()
            for measure, score in scores.items()
            for topic, value in [*score.topics.items(), ("all", score.mean)]
        ]
        frame: pd.DataFrame = pandas().DataFrame(rows, columns=["run", "measure", "topic", "value"])
        return frame

    def _repr_html_(self) -> str:
        """Return the means as an HTML table: a row per run, a column per measure."""
        from trix.support.notebook import never_raising

        return never_raising(self._table, self)

    def _table(self) -> str:
        from trix.support.notebook import cell, table

        measures = self.measures
        rows = (
            (cell(name), *(_mean(scores.get(measure)) for measure in measures)) for name, scores in self.scores.items()
        )
        topics = {topic for scores in self.scores.values() for score in scores.values() for topic in score.topics}
        columns = [("e", "run"), *(("n", repr(measure)) for measure in measures)]
        return table(self.qrels, f"{len(topics):,} topics; means", columns, rows)


def _mean(score: Score | None) -> str:
    if score is None:
        return ""
    return f"{score.mean.size} positions" if isinstance(score.mean, np.ndarray) else f"{score.mean:.4f}"


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [_plain(v) for v in value.tolist()]
    value = float(value)
    return value if np.isfinite(value) else None
