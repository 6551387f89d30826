"""HiXEval: highlighted text in elements or passages, by rank [Pehcevski 2005; INEX 5.5]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trix.eval.data import intervals as iv
from trix.eval.measures.core.parameters import Param, choice, share
from trix.eval.measures.core.ranks import at_rank, continued, padded, ranks, ratio
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.documents.flat import f_measure
from trix.eval.measures.elements.recall_base import ReadingHistory, results
from trix.eval.measures.passages.focused import declared_relevant
from trix.eval.measures.passages.passages import first_shown, passages
from trix.support.arrays import Floats


class HighlightedText(NamedTuple):
    """Sizes of every result, and Trel.

    Attributes
    ----------
    size, rsize : (n,) ndarrays
        Size of each result and of its highlighted text.
    seen : (n,) ndarray
        Proportion of each result that earlier results have shown.
    Trel
        Size of the highlighted text of the topic.
    """

    size: Floats
    rsize: Floats
    seen: Floats
    Trel: float


def text(view: TopicView) -> HighlightedText:
    """Return the sizes of every result; cached.

    Assessments with element sizes are evaluated by elements, all others by the characters of passages.
    """
    return view.memo("hixeval", lambda: _by_elements(view) if _sized(view) else _by_passages(view))


def _sized(view: TopicView) -> bool:
    return view.ranking.starts is None and any(e.size is not None for _, e in view.judged.elements())


def _by_elements(view: TopicView) -> HighlightedText:
    seen = ReadingHistory(view.size)
    sizes, relevant, shares = [], [], []
    for doc, path in results(view):
        document = view.judged.documents.get(doc)
        element = view.judged.element(doc, path)
        relevant.append(float(element.rsize or 0) if element is not None else 0.0)
        # The size of a result without relevant text does not matter: both numerators are 0.
        unjudged = document is None or not document.relevant
        sizes.append(1.0 if unjudged else view.size(doc, path))
        shares.append(0.0 if unjudged else seen.share((doc, path)))
        if not unjudged:
            seen.add((doc, path))
    Trel = float(declared_relevant(view)[0])
    return HighlightedText(np.array(sizes), np.array(relevant), np.array(shares), Trel)


def _by_passages(view: TopicView) -> HighlightedText:
    p = passages(view)
    lengths = p.ends - p.starts
    new, _ = first_shown(p)  # by character, so also partial overlap of passages counts
    shares = ratio(lengths - new, lengths)
    relevant = iv.covered(p.relevant, p.spans).astype(np.float64)
    return HighlightedText(p.sizes.astype(np.float64), relevant, shares, float(declared_relevant(view)[0]))


def curves(view: TopicView, alpha: float) -> tuple[Floats, Floats]:
    """Return P@r and R@r for every rank.

    P@r = (1/r) Σ l(e_i) rsize(e_i)/size(e_i) and R@r = (1/Trel) Σ l(e_i) rsize(e_i), l = 1 - α * (seen share of e_i).
    The paper's exact factor for partly seen elements was not available; Trix uses the unseen share. Text can then count
    twice in R, so R is limited to 1.
    """
    size, rsize, shares, Trel = text(view)
    weight = 1 - alpha * shares
    precision = np.cumsum(weight * ratio(rsize, size)) / np.arange(1, len(size) + 1)
    # Discounted text may still be counted twice, hence the limit.
    return precision, np.minimum(np.cumsum(weight * rsize) / Trel, 1.0) if Trel else np.zeros(len(size))


@measure(
    "HiXEval",
    "highlighted text by rank: AP, or P, R, F at rank r",
    groups=("focused",),
    cutoff="rank",
    params=(
        Param("of", "AP", choice("AP", "P", "R", "F"), "AP, P, R or F", positional=True),
        Param("alpha", 1.0, share, "a number in [0, 1]: the proportion that seen text loses (overlap off: 1)"),
    ),
    source="Pehcevski & Thom 2005",
)
def hixeval(view: TopicView, *, cutoff: int | None, of: str, alpha: float) -> float | Floats | None:
    """Return AP = Σ_r P@r (R@r - R@(r-1)), the mean precision over the relevant text; unreached text counts 0.

    ``HiXEval(P)@10``, ``(R)`` and ``(F)`` are values at a rank, or vectors without a rank.
    """
    precision, recall = curves(view, alpha)
    if of == "AP":
        # Each rank adds precision for the recall that it gains; unreached recall adds nothing.
        upto = cutoff or len(precision)
        return float((precision * np.diff(recall, prepend=0.0))[:upto].sum())
    n, m = ranks(view, cutoff), len(precision)
    P, R = padded(precision, n), continued(recall, n)
    if 0 < m < n:  # after the end of the list only the denominator r grows
        P[m:] = precision[m - 1] * m / np.arange(m + 1, n + 1)
    if of == "F":
        P = np.array([f_measure(p, r) for p, r in zip(P.tolist(), R.tolist(), strict=True)])
    return at_rank(R if of == "R" else P, cutoff)
