"""Cumulated effort: text read before the first relevant character, document by document [VI 4.2].

A system that returns single words would have the reader find relevant text at once. Against that, a penalty can be
added for every passage that is read [VI 6].
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trix.eval.measures.core.parameters import Param, count, not_negative, pairs, positive
from trix.eval.measures.core.ranks import padded, rank_measure
from trix.eval.measures.core.registry import Measure, measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.passages.in_context import Articles, articles
from trix.eval.measures.passages.reading_order import READING, first_relevant, segments
from trix.support.arrays import Floats

Table = tuple[tuple[float, float], ...]

_LE = Param("LE", None, pairs, "a table of positions and efforts, such as 300:1,600:2,inf:3")
_NR = Param("NR", 5.0, positive, "the effort of a non-relevant document")


@measure(
    "LE",
    "effort to find the first relevant character, by screens read",
    kind="effort",
    params=(
        Param("screen", 300, count, "characters on a screen, such as 300 or 2000", positional=True),
        Param("table", None, pairs, "a table of positions and efforts, such as 300:1,600:2,inf:3", positional=True),
        READING,
        Param("penalty", 0.0, not_negative, "characters that are added for each retrieved passage that is begun"),
    ),
    source="Arvola 2011, study VI, 5",
)
def localising_effort(positions: Floats, *, screen: int, table: Table | None) -> Floats:
    """Return 1, 2, 3 for positions on the first, second, third screen, else 4; or look the effort up in a table.

    `efforts` adds the penalty to the positions.

    >>> localising_effort(np.array([1.0, 300.0, 301.0, 901.0]), screen=300, table=None).tolist()
    [1.0, 1.0, 2.0, 4.0]
    >>> localising_effort(np.array([301.0, 700.0]), screen=300, table=((300, 1), (600, 2), (np.inf, 3))).tolist()
    [2.0, 3.0]
    """
    # The first limit that is not below the position gives the effort.
    steps = effort_table(screen, table)
    limits, efforts = np.array([s[0] for s in steps]), np.array([s[1] for s in steps], np.float64)
    return efforts[np.minimum(np.searchsorted(limits, positions, side="left"), len(efforts) - 1)]


def effort_table(screen: int, table: Table | None) -> Table:
    """Return the table of an LE function, by ascending position.

    Positions after the last entry cost as much as the last entry.
    """
    if table is None:
        return ((screen, 1.0), (2 * screen, 2.0), (3 * screen, 3.0), (np.inf, 4.0))
    return tuple(sorted(table))


class Efforts(NamedTuple):
    """Effort ES of every article of the run, least effort of LE, and Trel, the number of relevant articles."""

    ES: Floats
    least: float
    Trel: int


def efforts(view: TopicView, slot: Measure, LE: Table | None, NR: float) -> Efforts:
    """Return the efforts of a reader of the run; cached."""

    def make() -> Efforts:
        params = slot.params
        table = LE if LE is not None else params["table"]
        found = articles(view)
        n = len(found.relevant)
        positions = first_relevant(segments(view, found, params["reading"]), n)
        if params["penalty"] and params["reading"] not in ("doc", "bep"):  # which ignore passages
            positions += params["penalty"] * passages_begun(found, positions)
        # Articles without relevant text cost NR, whatever was read of them.
        reached = np.isfinite(positions)
        ES = np.full(n, NR)
        ES[reached] = localising_effort(positions[reached], screen=params["screen"], table=table)
        return Efforts(ES, min(e for _, e in effort_table(params["screen"], table)), found.Nrel)

    return view.memo(("ES", slot, LE, NR), make)


def passages_begun(found: Articles, positions: Floats) -> Floats:
    """Return how many retrieved passages of each article a reader has begun up to a position in reading order.

    Parameters
    ----------
    found
        The n articles.
    positions
        (n,) characters read, from 1 on; inf for all.
    """
    p = found.passages
    order = np.lexsort((p.starts, p.doc))
    doc, sizes = p.doc[order], p.sizes[order]
    # Exclusive running sums of the sizes, minus their value at the first passage of each article.
    running = np.cumsum(sizes) - sizes
    first = np.concatenate(([True], doc[1:] != doc[:-1])) if len(doc) else np.zeros(0, np.bool_)
    before = running - np.maximum.accumulate(np.where(first, running, 0))
    begun = (before < positions[doc]) & (sizes > 0)
    return np.bincount(doc[begun], minlength=len(positions)).astype(np.float64)


def cumulated_effort(ES: Floats, least: float) -> Floats:
    """Return CE[i] = Σ_{j<=i} (ES(d_j)/minES - 1).

    >>> cumulated_effort(np.array([1., 2., 5., 1., 5.]), 1.0).tolist()
    [0.0, 1.0, 5.0, 5.0, 9.0]
    """
    return np.cumsum(ES / least - 1)


def normalised_effort(ES: Floats, least: float, Trel: int, NR: float) -> Floats:
    """Return NCE[i] = Σ_{j<=i} (ES(d_j)/IE[j] - 1), IE the least effort Trel times, then NR.

    >>> normalised_effort(np.array([1., 2., 5., 1., 5.]), 1.0, 3, 5.0).round(12).tolist()
    [0.0, 1.0, 5.0, 4.2, 4.2]
    """
    # The ideal list has all relevant documents first, each with the least effort.
    return np.cumsum(ES / padded(np.full(Trel, least), len(ES), NR) - 1)


_COMMON: dict[str, Any] = {
    "groups": ("reading",),
    "params": (_LE, _NR),
    "slot": "effort",
    "default_slot": "LE",
    "higher": False,
    "source": "Arvola 2011, study VI, 4.2.2",
}


@rank_measure("CE", "cumulated effort, a vector over ranks or its value at i", **_COMMON)
def ce(view: TopicView, n: int, *, LE: Table | None, NR: float, slot: Measure) -> Floats:
    """Return CE[i] = Σ_{j<=i} (ES(d_j)/minES - 1); a shorter list is padded with non-relevant documents."""
    ES, least, _ = efforts(view, slot, LE, NR)
    return cumulated_effort(padded(ES, n, NR), least)


@rank_measure("NCE", "cumulated effort above the ideal list's, a vector over ranks or its value at i", **_COMMON)
def nce(view: TopicView, n: int, *, LE: Table | None, NR: float, slot: Measure) -> Floats:
    """Return NCE[i] = Σ_{j<=i} (ES(d_j)/IE[j] - 1); a shorter list is padded as for CE."""
    ES, least, Trel = efforts(view, slot, LE, NR)
    return normalised_effort(padded(ES, n, NR), least, Trel, NR)


@measure("ANCE", "mean of NCE over the first i ranks (600); its mean is MANCE", cutoff="rank", **_COMMON)
def ance(view: TopicView, *, cutoff: int | None, **params: Any) -> float:
    """Return ANCE[i] = (1/i) Σ_{j<=i} NCE[j]."""
    return float(nce(view, cutoff or 600, **params).mean())
