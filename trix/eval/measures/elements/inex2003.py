"""inex_eval_ng: separate exhaustivity and specificity, with sizes and overlap [Gövert 2003; INEX 5.3]."""

from __future__ import annotations

import numpy as np

from trix.errors import UsageError
from trix.eval.data.qrels import TOO_SMALL, ElementJudgement
from trix.eval.measures.core.parameters import Param, choice
from trix.eval.measures.core.ranks import continued, rank_measure, ratio
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.recall_base import ReadingHistory, RecallBase, recall_base, results
from trix.support.arrays import Floats

_QUANT = Param(
    "quant",
    "thirds",
    choice("thirds", "gen", "strict"),
    "thirds (gen: e/3 and s/3) or strict (1 iff 3)",
    positional=True,
)
_OVERLAP = Param("overlap", "on", choice("on", "off"), "on (only unseen text counts) or off")
_BASE = Param("base", "unique", choice("unique", "all"), "unique (relevant leaves) or all (every element)")
_PARAMS = (_QUANT, _OVERLAP, _BASE)


def concepts(element: ElementJudgement, quant: str) -> tuple[float, float]:
    """Return e and s, each quantised to [0, 1].

    >>> concepts(ElementJudgement(path="/a[1]", e=3, s=1), "strict")
    (1.0, 0.0)
    """
    if element.coverage:
        raise UsageError("inex2003 needs exhaustivity and specificity; assessments of 2002 have relevance and coverage")
    top = 3.0 if element.s is not None else 2.0  # highest exhaustivity: 3 until 2004, 2 from 2005
    e = 0.0 if element.e is None or element.e == TOO_SMALL else element.e / top
    s = element.s / 3 if element.s is not None else element.density
    return (float(e == 1), float(s == 1)) if quant == "strict" else (e, s)


def curve(view: TopicView, quant: str, overlap: str, base: str) -> tuple[Floats, Floats] | None:
    """Return recall_o(k) and precision_o(k) for every rank k; cached [INEX 5.3].

    recall_o(k) = Σ e(c_i) |c'_i|/|c_i| / R and precision_o(k) = Σ s(c_i) |c'_i| / Σ |c'_i|, with |c'_i| the unseen size
    of result i. A zero denominator gives 0.
    """
    return view.memo(("inex2003", quant, overlap, base), lambda: _curve(view, quant, overlap, base))


def _curve(view: TopicView, quant: str, overlap: str, of: str) -> tuple[Floats, Floats] | None:
    base: RecallBase = recall_base(view, None)
    values = {node: concepts(element, quant) for node, element in base.judged.items()}
    if of == "all":
        R = sum(e for e, _ in values.values())
    else:
        leaves = ((doc, leaf) for doc in base.trees for leaf in base.leaves(doc))
        R = sum(values[leaf][0] for leaf in leaves if leaf in values)  # plain grades are not in `values`
    if R <= 0:
        return None
    # Per result: recall gained, relevant text, and text read, each scaled by the unseen share.
    seen = ReadingHistory(view.size)
    reached, good, read = [], [], []
    # With overlap=on a repeated element has no unseen share, so it needs no special treatment.
    for node in results(view if overlap == "on" else view.distinct()):
        size = view.size(*node)
        share = 1 - seen.share(node) if overlap == "on" else 1.0
        seen.add(node)
        e, s = values.get(node, (0.0, 0.0))
        reached.append(e * share)
        good.append(s * size * share)
        read.append(size * share)
    text = np.cumsum(read)
    return np.cumsum(reached) / R, ratio(np.cumsum(good), text)


def at_recall(x: Floats, recall: Floats, precision: Floats) -> Floats:
    """Interpolate precision at recall levels: linear between ranks, constant before the first point, 0 after the last.

    The highest precision counts at equal recall.

    >>> at_recall(np.array([0.25, 0.75, 1.0]), np.array([0.5, 0.5, 0.9]), np.array([1.0, 0.8, 0.5])).round(4).tolist()
    [1.0, 0.6875, 0.0]
    """
    if not len(recall) or recall[-1] <= 0:
        return np.zeros(len(x))
    # Recall may stay the same over several ranks: keep the best precision at each level.
    levels, place = np.unique(recall, return_inverse=True)
    best = np.zeros(len(levels))
    np.maximum.at(best, place, precision)
    if levels[0] == 0:
        levels, best = levels[1:], best[1:]  # precision at recall 0 is not a point of the curve
    return np.where(x <= levels[-1] + 1e-12, np.interp(x, levels, best), 0.0)


@measure(
    "inex2003",
    "inex_eval_ng: mean precision at recall .01, .02, .. 1, or precision at recall x",
    groups=("xcg",),
    cutoff="recall",
    params=_PARAMS,
    source="Gövert et al. 2003; INEX 2003",
)
def inex2003(view: TopicView, *, cutoff: float | None, quant: str, overlap: str, base: str) -> float | None:
    """Return the mean of the interpolated precision over 100 recall levels, or its value at recall x."""
    found = curve(view, quant, overlap, base)
    if found is None:
        return None
    levels = np.arange(1, 101) / 100 if cutoff is None else np.array([cutoff])
    return float(at_recall(levels, *found).mean())


@rank_measure(
    "inex2003-recall",
    "inex_eval_ng: recall at each rank, or at rank k; with base=unique it can exceed 1",
    params=_PARAMS,
    source="Gövert et al. 2003; INEX 2003",
)
def inex2003_recall(view: TopicView, n: int, *, quant: str, overlap: str, base: str) -> Floats | None:
    """Return recall_o(k).

    With base=all it is at most 1. With base=unique R counts only the relevant leaves. It then exceeds 1 for elements of
    higher exhaustivity than their leaves, or, with overlap=off, for the same text in several elements.
    """
    found = curve(view, quant, overlap, base)
    if found is not None and base == "unique" and len(found[0]) and found[0][-1] > 1 + 1e-9:
        view.notices.add(
            "inex2003-recall exceeds 1, because base=unique counts only relevant leaves and the run returns more "
            "(base=all stays within 1)"
        )
    return None if found is None else continued(found[0], n)


@rank_measure(
    "inex2003-precision",
    "inex_eval_ng: precision at each rank, or at rank k",
    params=_PARAMS,
    source="Gövert et al. 2003; INEX 2003",
)
def inex2003_precision(view: TopicView, n: int, *, quant: str, overlap: str, base: str) -> Floats | None:
    """Return precision_o(k); it is constant after the last rank."""
    found = curve(view, quant, overlap, base)
    return None if found is None else continued(found[1], n)
