"""inex_eval: precision as the probability that a viewed element is relevant [Raghavan 1989; INEX 5.2]."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trix.eval.data.quantisation import AGGREGATE_2004
from trix.eval.measures.core.parameters import Param, choice, not_negative, word
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.recall_base import gains, recall_base

QUANT = Param("quant", None, word, "a quantisation (see below); without: gen, of highlighting alone s", positional=True)
SIZE = Param("N", None, not_negative, "the number of elements in the collection (inf for no end)")
TIES = Param("ties", None, choice("rank", "score"), "rank or score: what makes results one level")
POINTS = np.arange(1, 101) / 100


def precall(
    x: ArrayLike, q: NDArray[np.float64], groups: NDArray[np.int64], n: float, N: float | None = None
) -> NDArray[np.float64]:
    """Return the precision at recall x: x n / (x n + j + s i / (r + 1)) [INEX 5.2].

    Parameters
    ----------
    x
        Recall levels in (0, 1].
    q
        (o,) quantised value of each result, in [0, 1].
    groups
        (o,) number of each result's tie group, ascending.
    n
        Sum of q over the whole recall base.
    N
        Elements of the collection. Elements that were not retrieved form one last group. Without N precision is 0
        there.

    Examples
    --------
    Topic 163 of Kazai and Lalmas, the ideal run (1, .5), n = 6.75:

    >>> precall([1 / 6.75, 1.5 / 6.75], np.array([1.0, 0.5]), np.arange(2), 6.75).round(12).tolist()
    [1.0, 0.9]

    One relevant element retrieved of 3, N = 100 [PRUM, 4.2.2]:

    >>> precall([1.0], np.array([1.0]), np.arange(1), 3.0, 100).round(6).tolist()
    [0.044335]
    """
    wanted = np.asarray(x, np.float64) * n  # relevant mass at each recall level
    # r and i: relevant and non-relevant mass of each tie group. A result of value q counts q to r and 1 - q to i.
    edges = np.flatnonzero(np.concatenate(([True], groups[1:] != groups[:-1])))[: len(groups)]
    r = np.add.reduceat(q, edges) if len(edges) else np.empty(0)
    i = np.add.reduceat(1 - q, edges) if len(edges) else np.empty(0)
    if N is not None:  # unretrieved elements of the collection are the last tie group
        rest = max(n - float(q.sum()), 0.0)
        r, i = np.append(r, rest), np.append(i, max(N - len(q) - rest, 0.0) if math.isfinite(N) else math.inf)
    # The group in which recall x is reached; j non-relevant elements lie in the groups before it.
    reached = np.cumsum(r)
    group = np.searchsorted(reached, wanted - 1e-9 * max(n, 1.0))
    values = np.zeros(len(wanted))
    for k, (target, at) in enumerate(zip(wanted.tolist(), group.tolist(), strict=True)):
        if at >= len(r) or target <= 0:  # never reached, or no recall at all
            continue
        j, s = float(i[:at].sum()), target - float(r[:at].sum())
        # Within a group of random order, i / (r + 1) non-relevant elements precede each relevant one.
        extra = s * float(i[at]) / (float(r[at]) + 1) if s > 0 else 0.0
        values[k] = target / (target + j + extra)
    return values


def _curve(
    view: TopicView, x: ArrayLike, quant: str | None, N: float | None, ties: str | None
) -> NDArray[np.float64] | None:
    view = view.distinct()
    base = recall_base(view, quant)
    n = sum(base.q.values()) / base.scale
    if n <= 0:
        return None
    groups = view.ranking.tie_groups("score" if (ties or view.settings.ties) == "score" else "rank")
    return precall(x, gains(view, quant), groups, n, view.settings.elements if N is None else N)


@measure(
    "inex2002",
    "inex_eval (precall): mean precision at recall .01, .02, .. 1, or precision at recall x",
    groups=("xcg",),
    cutoff="recall",
    params=(QUANT, SIZE, TIES),
    source="Raghavan et al. 1989; INEX 2002-2004",
)
def inex2002(
    view: TopicView, *, cutoff: float | None, quant: str | None, N: float | None, ties: str | None
) -> float | None:
    """Return the precision at recall x, or its mean over 100 levels.

    A topic with an empty recall base under the quantisation is left out.
    """
    values = _curve(view, POINTS if cutoff is None else [cutoff], quant, N, ties)
    return None if values is None else float(values.mean())


@measure(
    "inex2002-curve",
    "inex_eval: the precision at recall .01, .02, .. 1 (100 points)",
    cutoff="recall",
    params=(QUANT, SIZE, TIES),
    source="Raghavan et al. 1989; INEX 2002-2004",
)
def inex2002_curve(
    view: TopicView, *, cutoff: float | None, quant: str | None, N: float | None, ties: str | None
) -> NDArray[np.float64] | float | None:
    """Return the precisions that `inex2002` averages, or the one at recall x."""
    values = _curve(view, POINTS if cutoff is None else [cutoff], quant, N, ties)
    return values if values is None or cutoff is None else float(values[0])


def _mean_of_seven(values: NDArray[np.float64], _: int) -> tuple[float, dict[str, float]]:
    shown = dict(zip(AGGREGATE_2004, values.tolist(), strict=True))
    return float(np.nanmean(values)), shown  # a quantisation without any topic is NaN


@measure(
    "aggregate2004",
    "mean of inex2002 under the seven quantisations of 2004",
    groups=("xcg",),
    params=(SIZE, TIES),
    aggregate="nanmean",
    finish=_mean_of_seven,
    parts=AGGREGATE_2004,
    source="INEX 2004",
)
def aggregate2004(view: TopicView, *, cutoff: None, N: float | None, ties: str | None) -> NDArray[np.float64] | None:
    """Return the values under the seven quantisations, NaN for a quantisation that makes the recall base empty.

    Each quantisation is averaged over its own topics, and then the seven means are averaged.
    """
    found: list[float | None] = [inex2002(view, cutoff=None, quant=q, N=N, ties=ties) for q in AGGREGATE_2004]
    values = np.array([math.nan if value is None else value for value in found])
    return None if np.isnan(values).all() else values
