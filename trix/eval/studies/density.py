"""Density study: the benefit of focused access on sparsely and densely relevant documents [VII]."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.convert import whole_documents
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Rankings
from trix.eval.formats.topics.topic import natural
from trix.eval.inputs import to_qrels, to_run
from trix.eval.measures.core.view import DocumentResolver, Settings, TopicView
from trix.eval.measures.passages.in_context import articles
from trix.eval.measures.passages.reading_order import read_until, segments

PARTS = 10
BINS = 100
TOLERANCES = (500, 2000)


@dataclass(frozen=True, slots=True)
class DecileMeans:
    """Means over the documents of one decile, read until N non-relevant characters."""

    recall: float
    precision: float
    read: float


@dataclass(slots=True)
class Decile:
    """A tenth of the relevant documents, by density.

    Attributes
    ----------
    lower
        Lowest density in the decile.
    pairs, retrieved
        Number of (topic, document) pairs in the decile, and of those that the run retrieved.
    run, twin
        Tolerance -> means over the retrieved pairs, for the run and for its whole-document twin.
    """

    lower: float
    pairs: int
    retrieved: int = 0
    run: dict[int, DecileMeans] = field(default_factory=dict)
    twin: dict[int, DecileMeans] = field(default_factory=dict)


@dataclass(slots=True)
class Density:
    """Density study of one run.

    Attributes
    ----------
    deciles
        Deciles by ascending density.
    distribution
        (5, 100) mean proportion of relevant characters in each hundredth of the document, for the five lowest deciles.
    """

    name: str
    deciles: list[Decile]
    distribution: NDArray[np.float64]
    notices: list[str] = field(default_factory=list)


def density(
    qrels: Any,
    run: Any,
    tolerances: tuple[int, ...] = TOLERANCES,
    *,
    lenient: bool = False,
    resolver: DocumentResolver | None = None,
) -> Density:
    """Study a run by the density of its relevant documents.

    All (topic, document) pairs of relevant documents are sorted by density = relevant / length, ties by topic and id,
    and split into ten nearly equal parts. Each part has mean recall, precision and proportion of text read at each
    tolerance, for the run and its whole-document twin. Only documents that the run retrieved are included.

    Raises
    ------
    UsageError
        The assessments have no relevant documents of known length.
    """
    judged, one = to_qrels(qrels, lenient=lenient), to_run(run, lenient=lenient)
    pairs = _pairs(judged)
    if not pairs:
        raise UsageError(f"{judged.name}: no relevant documents with a known length; offset qrels are needed")
    notices = [*judged.notices, *one.notices]
    own, messages = _readings(judged, one, tolerances, resolver)
    twin, _ = _readings(judged, whole_documents(one, judged, resolver), tolerances, resolver)
    deciles = []
    for part in np.array_split(np.arange(len(pairs)), PARTS):
        keys = [pairs[i][1:] for i in part.tolist()]
        found = [key for key in keys if key in own]
        decile = Decile(pairs[part[0]][0] if len(part) else float("nan"), len(keys), len(found))
        for N in tolerances if found else ():
            for side, values in ((decile.run, own), (decile.twin, twin)):
                means = np.array([values[key][N] for key in found]).mean(axis=0).tolist()
                side[N] = DecileMeans(*means)
        deciles.append(decile)
    return Density(one.name, deciles, distribution(judged), [*notices, *messages])


def _pairs(qrels: Qrels) -> list[tuple[float, str, str]]:
    """Return (density, topic, document) of the relevant documents, ascending."""
    found = (
        (d.density, topic, d.doc)
        for topic, judged in qrels.topics.items()
        for d in judged.relevant_documents
        if d.length
    )
    return sorted(found, key=lambda pair: (pair[0], natural(pair[1]), pair[2]))


Readings = dict[tuple[str, str], dict[int, tuple[float, float, float]]]


def _readings(
    qrels: Qrels, run: Rankings, tolerances: tuple[int, ...], resolver: DocumentResolver | None
) -> tuple[Readings, list[str]]:
    """Return (recall, precision, proportion read) of every relevant document that the run retrieved."""
    found: Readings = {}
    settings = Settings(resolver=resolver)
    messages: list[str] = []
    for topic, judged in qrels.topics.items():
        if topic not in run.rankings:
            continue
        view = TopicView(topic, judged, run.rankings[topic], settings)
        view.faults.source = view.notices.source = run.source or run.name
        arts = articles(view)
        s = segments(view, arts)
        stops = {N: read_until(s, len(arts.relevant), N) for N in tolerances}
        for number in np.flatnonzero(arts.relevant).tolist():
            document = arts.passages.judged[number]
            if document is None or not document.length:
                continue
            values = {}
            for N, stop in stops.items():
                good, read = float(stop.relevant[number]), float(stop.relevant[number] + stop.other[number])
                values[N] = (good / document.relevant_length, good / read if read else 0.0, read / document.length)
            found[topic, document.doc] = values
        messages += [n for n in view.notices.lines() if n not in messages]
    return found, messages


def distribution(qrels: Qrels, lowest: int = 5) -> NDArray[np.float64]:
    """Return the mean proportion of relevant characters in each of 100 equal parts of a document, per density decile.

    In documents shorter than 100 characters a part is a fraction of a character.
    """
    pairs = _pairs(qrels)
    rows = np.zeros((lowest, BINS))
    for k, part in enumerate(np.array_split(np.arange(len(pairs)), PARTS)[:lowest]):
        shares = [
            bins(qrels.topics[t].documents[d].intervals, qrels.topics[t].documents[d].length or 1)
            for _, t, d in (pairs[i] for i in part.tolist())
        ]
        if shares:
            rows[k] = np.mean(shares, axis=0)
    return rows


def bins(relevant: iv.Intervals, length: int, n: int = BINS) -> NDArray[np.float64]:
    """Return the proportion of relevant characters in each of n equal parts of a document.

    >>> bins(iv.as_intervals([(0, 3)]), 8, 4).tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    edges = np.arange(n + 1) * (length / n)
    whole = np.floor(edges).astype(np.int64)
    before = iv.covered_before(relevant, whole)
    inside = iv.covered_before(relevant, whole + 1) - before
    values: NDArray[np.float64] = np.diff(before + inside * (edges - whole)) / (length / n)
    return values
