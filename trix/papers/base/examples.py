"""Assessments and runs of the worked examples of papers: one topic, one document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, ElementJudgement, Qrels, TopicJudgements
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate
from trix.support.arrays import Floats

TOPIC, DOC = "1", "d"


def assessed_tree(elements: Mapping[str, tuple[int, int]]) -> Qrels:
    """Return assessments of one document.

    Parameters
    ----------
    elements
        Path -> (exhaustivity, specificity), 0 to 3 each.
    """
    judged = {path: ElementJudgement(path=path, e=float(e), s=float(s)) for path, (e, s) in elements.items()}
    return Qrels({TOPIC: TopicJudgements(documents={DOC: DocumentJudgement(DOC, elements=judged)})}, "example")


def assessed_text(length: int, relevant: Iterable[tuple[int, int]]) -> Qrels:
    """Return assessments of one document of `length` characters, whose `relevant` passages are half open."""
    spans = iv.merge(iv.as_intervals(relevant))
    judged = DocumentJudgement(DOC, length, iv.length(spans), spans)
    return Qrels({TOPIC: TopicJudgements(documents={DOC: judged})}, "example")


def element_list(paths: Sequence[str]) -> Rankings:
    """Return a run of elements of the document, best first."""
    return Rankings({TOPIC: Ranking([DOC] * len(paths), list(paths))}, "example")


def passage_list(spans: Sequence[tuple[int, int]]) -> Rankings:
    """Return a run of passages of the document, half open, best first."""
    starts, ends = np.array(spans, np.int64).reshape(-1, 2).T
    return Rankings({TOPIC: Ranking([DOC] * len(spans), starts=starts, ends=ends)}, "example")


def value(qrels: Qrels, run: Rankings, measure: str, sizes: Mapping[str, float] | None = None) -> float:
    """Return the value of a measure; `sizes` are those of the elements in words."""
    return float(_evaluated(qrels, run, measure, sizes))


def curve(qrels: Qrels, run: Rankings, measure: str, sizes: Mapping[str, float] | None = None) -> Floats:
    """Return the values of a measure that is a vector."""
    return np.asarray(_evaluated(qrels, run, measure, sizes), np.float64)


def _evaluated(qrels: Qrels, run: Rankings, measure: str, sizes: Mapping[str, float] | None) -> Floats | float:
    words = None if sizes is None else {(DOC, path): float(size) for path, size in sizes.items()}
    found: Floats | float = evaluate(qrels, run, [measure], sizes=words)[measure].mean
    return found
