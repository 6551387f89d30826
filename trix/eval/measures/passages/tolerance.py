"""Tolerance to irrelevance over a list: results are places where a user begins to read [de Vries 2004].

The user reads on from the start of a result until a relevant passage comes that was not seen before, or until N
characters were read in vain. Either way the next result follows. A seen passage is irrelevant from then on. The lengths
of results do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from trix.eval.measures.core.parameters import Param, count
from trix.eval.measures.core.ranks import continued, cumulated, rank_measure
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.passages.passages import passages
from trix.support.arrays import Floats, Mask

_N = Param("N", 300, count, "a number of characters that are read in vain, from 1 on", positional=True)
_COMMON: dict[str, Any] = {"params": (_N,), "source": "de Vries, Kazai & Lalmas 2004"}


@dataclass(frozen=True, slots=True)
class EntryReading:
    """Reading of a list from entry point to entry point.

    Attributes
    ----------
    hits
        (n,) whether each result leads to a relevant passage that was not seen before.
    vain
        (n,) characters that are read in vain after each result.
    passages
        Number of relevant passages of the topic.
    """

    hits: Mask
    vain: Floats
    passages: int


def entry_reading(view: TopicView, N: int) -> EntryReading | None:
    """Read the list with tolerance N; cached; None if nothing is relevant."""
    return view.memo(("entries", N), lambda: _entry_reading(view, N))


def _entry_reading(view: TopicView, N: int) -> EntryReading | None:
    total = sum(len(judged.intervals) for judged in view.judged.documents.values())
    if not total:
        return None
    p = passages(view)
    unseen = [[] if judged is None else judged.intervals.tolist() for judged in p.judged]
    resolver = view.settings.resolver
    lengths = [
        resolver.length(doc) if resolver and (judged is None or judged.length is None) else judged and judged.length
        for doc, judged in zip(p.docs, p.judged, strict=True)
    ]
    hits, vain = np.zeros(len(p.doc), np.bool_), np.zeros(len(p.doc))
    for row, (doc, start, placed) in enumerate(zip(p.doc.tolist(), p.starts.tolist(), p.placed.tolist(), strict=True)):
        if not placed:  # there is no place to begin
            continue
        ahead = next((passage for passage in unseen[doc] if passage[1] > start), None)
        # The passage is reached at its begin, or at once from a place inside it.
        distance = max(ahead[0] - start, 0) if ahead else N
        if ahead and distance < N:
            hits[row], vain[row] = True, distance
            unseen[doc].remove(ahead)
        else:
            length = lengths[doc]
            vain[row] = N if length is None else min(N, max(length - start, 0))
    return EntryReading(hits, vain, total)


@rank_measure("T2I-P", "share of the first k results that lead to unseen relevant text within N characters", **_COMMON)
def tolerance_precision(view: TopicView, n: int, *, N: int) -> Floats | None:
    """Return the hits among the first i results / i."""
    found = entry_reading(view, N)
    return None if found is None else cumulated(found.hits, n) / np.arange(1, n + 1)


@rank_measure("T2I-R", "share of the relevant passages that the first k results lead to", **_COMMON)
def tolerance_recall(view: TopicView, n: int, *, N: int) -> Floats | None:
    """Return the hits among the first i results / relevant passages."""
    found = entry_reading(view, N)
    return None if found is None else cumulated(found.hits, n) / found.passages


@measure("T2I-AP", "mean of T2I-P at every result that leads to unseen relevant text", cutoff="rank", **_COMMON)
def tolerance_average_precision(view: TopicView, *, cutoff: int | None, N: int) -> float | None:
    """Return (1/R) Σ_{hits i} T2I-P[i], R the relevant passages; those that no result leads to count 0."""
    found = entry_reading(view, N)
    if found is None:
        return None
    ranks = np.flatnonzero(found.hits[:cutoff]) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).sum()) / found.passages


@rank_measure("T2I-vain", "characters that are read in vain after the first k results", higher=False, **_COMMON)
def read_in_vain(view: TopicView, n: int, *, N: int) -> Floats | None:
    """Return the irrelevant characters read up to rank i, constant after the end of the list."""
    found = entry_reading(view, N)
    return None if found is None else continued(np.cumsum(found.vain), n)
