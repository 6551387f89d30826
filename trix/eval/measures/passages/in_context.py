"""In-context measures: rankings of articles, each with a score in [0, 1] [INEX 5.8, VI 4.1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from trix.eval.measures.core.ranks import cumulated, rank_measure
from trix.eval.measures.core.registry import Measure, measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.passages.focused import declared_relevant, interpolate, sequential_sum
from trix.eval.measures.passages.passages import RankedPassages, passages, relevant_documents, without_overlap
from trix.support.arrays import Floats, Int64s, Mask


@dataclass(frozen=True, slots=True)
class Articles:
    """The n articles of a topic in the order of the run.

    Attributes
    ----------
    passages
        Passages of the articles; `passages.docs` are their ids.
    relevant
        (n,) whether any text of the article is relevant.
    Nrel
        Number of relevant articles of the topic.
    retrieved, found
        (n,) retrieved characters, and relevant ones among them.
    """

    passages: RankedPassages
    relevant: Mask
    Nrel: int
    retrieved: Int64s
    found: Int64s


def articles(view: TopicView, single: bool = False) -> Articles:
    """Return the articles of a topic; cached.

    Overlapping passages and articles in several blocks are faults. With `single`, for entry points, a second passage of
    an article is a fault. Faults raise an error, or drop the passage in lenient mode.
    """
    return view.memo(("articles", single), lambda: _articles(view, single))


def _articles(view: TopicView, single: bool) -> Articles:
    p = passages(view)
    doc = p.doc
    if len(doc):
        # Documents are numbered by first appearance: a number below the running maximum has come before.
        first = np.concatenate(([True], doc[1:] > np.maximum.accumulate(doc)[:-1]))
        bad = ~first & np.concatenate(([False], doc[1:] != doc[:-1]))
        if single:  # one entry point per article: every later row is a fault
            bad = ~first
        elif bool(bad.any()):
            bad = doc < np.maximum.accumulate(doc)
        for row in np.flatnonzero(bad).tolist():
            reason = "has a second entry point" if single else "comes back after another article"
            view.faults(f"topic {view.topic}: article {p.docs[doc[row]]} {reason}", view.ranking.line(int(p.rows[row])))
        if bool(bad.any()):
            p = p.keep(~bad)
    p = without_overlap(view, p)
    n = len(p.docs)
    retrieved, found = np.zeros(n, np.int64), np.zeros(n, np.int64)
    # Unbuffered additions, since an article has several rows.
    np.add.at(retrieved, p.doc, p.sizes)
    np.add.at(found, p.doc, p.found(p.spans))
    return Articles(p, relevant_documents(view, p), declared_relevant(view)[1], retrieved, found)


def scores(view: TopicView, slot: Measure) -> tuple[Floats, Articles]:
    """Return S(d) of every article of the run under a document score; cached."""
    single = slot.spec.name in ("BEP", "BEPD")
    found = articles(view, single)
    cutoff = {} if slot.spec.cutoff is None else {"cutoff": slot.cutoff}
    return view.memo(("S", slot), lambda: np.asarray(slot.spec.compute(view, found, **cutoff, **slot.params))), found


def generalised_precision(S: Floats, n: int, repeat_last: bool = False) -> Floats:
    """Return gP[r] = Σ_{i<=r} S(d_i) / r for r = 1..n; after the end S is 0, or gP keeps its last value.

    >>> generalised_precision(np.array([1.0, 0.5]), 4).tolist()
    [1.0, 0.75, 0.5, 0.375]
    >>> generalised_precision(np.array([1.0, 0.5]), 4, repeat_last=True).tolist()
    [1.0, 0.75, 0.75, 0.75]
    """
    values: Floats = cumulated(S, n) / np.arange(1, n + 1)  # the mean over r ranks, missing articles as 0
    if repeat_last and 0 < len(S) < n:
        values[len(S) :] = values[len(S) - 1]
    return values


_COMMON: dict[str, Any] = {"groups": ("ric", "bic"), "source": "INEX 2007-2010"}
_SCORED = _COMMON | {"slot": "document score", "default_slot": "F"}


@rank_measure("gP", "generalised precision: mean score of the first r articles; a vector without r", **_SCORED)
def gp(view: TopicView, n: int, *, slot: Measure) -> Floats:
    """Return gP[r] = Σ_{i<=r} S(d_i) / r; after the end of the list S = 0 (official: gP keeps its last value)."""
    S, _ = scores(view, slot)
    return generalised_precision(S, n, view.settings.official)


@rank_measure("gR", "share of the relevant articles among the first r; a vector without r", **_COMMON)
def gr(view: TopicView, n: int) -> Floats:
    """Return gR[r] = relevant articles in the first r / Nrel.

    For a topic without relevant articles the official tool returns NaN, but 0 if the run lacks the topic.
    """
    found = articles(view)
    if not found.Nrel:
        return np.full(n, np.nan if view.settings.official and len(view.ranking) else 0.0)
    return cumulated(found.relevant, n) / found.Nrel


@measure("AgP", "mean of gP at every relevant article, 0 for those not retrieved; its mean is MAgP", **_SCORED)
def agp(view: TopicView, *, cutoff: None, slot: Measure) -> float:
    """Return AgP = Σ_{r: d_r relevant} gP[r] / Nrel."""
    S, found = scores(view, slot)
    if not found.Nrel:
        return float("nan") if view.settings.official else 0.0
    return sequential_sum(generalised_precision(S, len(S))[found.relevant]) / found.Nrel


@measure("igP", "generalised precision interpolated at recall 0, .1, .. 1 (11 points)", cutoff="recall", **_SCORED)
def interpolated_gp(view: TopicView, *, cutoff: float | None, slot: Measure) -> Floats | float:
    """Return the maximum of gP[r] over ranks in the recall level floor(10 gR[r]) and above."""
    S, found = scores(view, slot)
    recall = np.cumsum(found.relevant) / found.Nrel if found.Nrel else np.zeros(len(S))
    # Recall counts articles, so few distinct levels exist and 11 points suffice.
    curve = interpolate(generalised_precision(S, len(S)), recall, 11)
    return curve if cutoff is None else float(curve[min(10, int(np.ceil(10 * cutoff - 1e-9)))])
