"""Scores of single documents, for use in ``gP[..]`` and ``AgP[..]`` [INEX 5.8; VI 3.1]."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.data.qrels import DocumentJudgement
from trix.eval.measures.core.parameters import Param, count, not_negative, positive
from trix.eval.measures.core.ranks import ratio
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.passages import reading_order as order
from trix.eval.measures.passages.in_context import Articles
from trix.eval.measures.passages.passages import OFFICIAL_UNKNOWN_START
from trix.support.arrays import Floats

READING = order.READING


document_score = partial(measure, kind="document score", source="INEX 2007-2010")
"""Decorator that registers a function of a `TopicView` and the run's `Articles`; it returns a score per article."""

_TOLERANCE = Param("N", 300, count, "a number of non-relevant characters, from 1 on", positional=True)
_READ: dict[str, Any] = {"params": (_TOLERANCE, READING)}


def f_score(P: Floats, R: Floats, beta: float) -> Floats:
    """Return (1 + b²) P R / (b² P + R), 0 if both are 0.

    >>> f_score(np.array([0.5, 0.0]), np.array([1.0, 0.0]), 1.0).tolist()
    [0.6666666666666666, 0.0]
    """
    return ratio((1 + beta * beta) * P * R, beta * beta * P + R)


def _relevant_characters(view: TopicView, found: Articles) -> Floats:
    official = view.settings.official
    # The official tool uses the number that the first line of a document states.
    sizes = [0 if j is None else j.stated[0] if official else j.relevant_length for j in found.passages.judged]
    return np.array(sizes, np.float64)


def _read(view: TopicView, found: Articles, N: int, reading: str) -> order.TextRead:
    return order.read_until(order.segments(view, found, reading), len(found.relevant), N)


@document_score(
    "F",
    "F-score of the retrieved characters (2008-10: beta .25, 2007: 1)",
    params=(Param("beta", 0.25, positive, "a number above 0", positional=True),),
)
def f(view: TopicView, found: Articles, *, beta: float) -> Floats:
    """Return (1 + b²) P R / (b² P + R) over characters; 0 if no relevant text was retrieved."""
    retrieved, hit = found.retrieved.astype(np.float64), found.found.astype(np.float64)
    return f_score(ratio(hit, retrieved), ratio(hit, _relevant_characters(view, found)), beta)


@document_score("T2I", "precision of the text read up to N non-relevant characters", **_READ)
def t2i(view: TopicView, found: Articles, *, N: int, reading: str) -> Floats:
    """Return relevant / all characters read; reading stops after the N-th non-relevant character."""
    stop = _read(view, found, N, reading)
    return ratio(stop.relevant, stop.relevant + stop.other)


@document_score(
    "T2Irec",
    "share of the relevant characters that are read up to N non-relevant ones",
    **_READ,
    source="Arvola 2011, study VI, 3.1",
)
def t2i_recall(view: TopicView, found: Articles, *, N: int, reading: str) -> Floats:
    """Return relevant characters read / relevant characters of the document."""
    stop = _read(view, found, N, reading)
    return ratio(stop.relevant, _relevant_characters(view, found))


@document_score("T2If", "harmonic mean of T2I and T2Irec", **_READ, source="Arvola 2011, study VI, 3.1")
def t2i_f(view: TopicView, found: Articles, *, N: int, reading: str) -> Floats:
    """Return the F-score with beta 1 of T2I and T2Irec."""
    return f_score(t2i(view, found, N=N, reading=reading), t2i_recall(view, found, N=N, reading=reading), 1.0)


@document_score(
    "ChP",
    "precision of the first n characters read",
    cutoff="rank",
    params=(Param("n", 300, count, "a number of characters, from 1 on", positional=True), READING),
    source="Arvola 2011, study VI, 3.1",
)
def chp(view: TopicView, found: Articles, *, cutoff: int | None, n: int, reading: str) -> Floats:
    """Return the precision of the first min(n, length) characters in reading order."""
    stop = order.read_first(order.segments(view, found, reading), len(found.relevant), cutoff or n)
    return ratio(stop.relevant, stop.relevant + stop.other)


@document_score(
    "aveChP",
    "mean precision at every relevant character in reading order",
    params=(READING,),
    source="Arvola 2011, study VI, 3.1.2",
)
def ave_chp(view: TopicView, found: Articles, *, reading: str) -> Floats:
    """Return (1/NRC) Σ_{p relevant} precision at p; 0 for a non-relevant document."""
    return order.average_precision(order.segments(view, found, reading), len(found.relevant))


def _distances(view: TopicView, found: Articles, lost: float = np.inf) -> Floats:
    """Return |BEP - start| of each article, in characters; inf for non-relevant articles or an unknown entry point.

    ``lost`` is the start of an entry point of the run without offsets.
    """
    official = view.settings.official
    # Infinite distances score 0 in both measures without a special case.
    starts = np.where(found.passages.entries < 0, lost, found.passages.entries)
    beps = np.array([_entry_point(j, official) for j in found.passages.judged], np.float64)
    return np.where(found.relevant & (beps >= 0), np.abs(beps - starts), np.inf)


def _entry_point(judgement: DocumentJudgement | None, official: bool) -> float:
    """Return the best entry point of a document, -1 if it has none.

    The official tool ignores entry points of lines without passages [INEX 4.4]. The last of several lines counts.
    """
    if judgement is None:
        return -1.0
    if official:
        beps = [line.bep for line in judgement.lines if len(line.spans)]
        if not judgement.lines and len(judgement.intervals):
            beps = [judgement.bep]
        return next((float(bep) for bep in reversed(beps) if bep is not None), -1.0)
    return -1.0 if judgement.bep is None else float(judgement.bep)


@document_score(
    "BEP",
    "closeness to the best entry point: (n - distance)/n within n characters (2007: n = 1000)",
    params=(Param("n", 500, count, "a number of characters, from 1 on", positional=True),),
)
def bep(view: TopicView, found: Articles, *, n: int) -> Floats:
    """Return (n - d)/n for d = |BEP - start| <= n, else 0; 0 for a non-relevant article."""
    distance = _distances(view, found, OFFICIAL_UNKNOWN_START if view.settings.official else np.inf)
    return np.where(distance <= n, (n - np.minimum(distance, n)) / n, 0.0)


@document_score(
    "BEPD",
    "closeness to the best entry point of 2006: A L / (A L + distance)",
    params=(
        Param("A", 1.0, positive, "a number above 0 (2006: .01 .1 1 10 100)", positional=True),
        Param("L", None, not_negative, "the mean article length of the collection in characters"),
    ),
)
def bepd(view: TopicView, found: Articles, *, A: float, L: float | None) -> Floats:
    """Return A L / (A L + d), L the mean article length.

    L is the given value, else the mean of the index, else that of the judged documents.
    """
    mean = view.mean_length() if L is None else L
    if mean != mean:  # NaN: neither collection nor assessments know any length
        raise UsageError("BEPD needs the mean article length of the collection: BEPD(1,L=3000)")
    distance = _distances(view, found)
    return np.where(np.isfinite(distance), A * mean / (A * mean + np.where(np.isfinite(distance), distance, 0.0)), 0.0)
