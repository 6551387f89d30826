"""Extended cumulated gain: overlap and near misses paid once [KL05, 4; INEX 5.4]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.eval.measures.core.parameters import Param, choice, share, word
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import View
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import Node, RecallBase, Seen, recall_base, results
from trix.support.element_path import holds

Vector = NDArray[np.float64]

QUANT = Param("quant", None, word, "a quantisation (see below); without: gen, of highlighting alone s", positional=True)
ALPHA = Param("alpha", 1.0, share, "a number in [0, 1]: how much seen text loses")
IDEAL = Param("ideal", "kazai", word, "kazai, piwowarski, specific or a file")
TIES = Param("ties", None, choice("deeper", "higher"), "deeper or higher: which of equal nodes on a path is ideal")
CAP = Param(
    "cap",
    "ideal",
    choice("ideal", "none", "ancestors"),
    "ideal (results inside an ideal element share its value), none, or ancestors (and xCG never above xCI)",
)
OVERLAP = Param("overlap", "on", choice("on", "off"), "on, or off: gain = q, the ideal is the whole recall base")
PARAMS = (QUANT, ALPHA, IDEAL, TIES, CAP, OVERLAP)


class Gain:
    """The gain of results one after another.

    Parameters
    ----------
    base
        Relevant elements with their values.
    ideal
        Ideal element -> its budget.
    alpha
        How much seen text loses.
    size
        (document, path) -> size.
    cap
        Whether results inside an ideal element share its budget.
    """

    def __init__(self, base: RecallBase, ideal: dict[Node, float], alpha: float, view: View, cap: bool) -> None:
        self.base, self.alpha, self.view, self.cap = base, alpha, view, cap
        self.budget = dict(ideal)
        self.ideal_of: dict[str, list[str]] = {}
        for doc, path in ideal:
            self.ideal_of.setdefault(doc, []).append(path)
        self.seen = Seen(view.size)
        self.relevant_seen: set[Node] = set()

    def value(self, node: Node) -> float:
        """Return rv(c): q(c) unseen, (1 - α) q(c) wholly seen, in between the children's and (1 - α) q(c).

        rv(c) = α Σ_children rv(child) |child| / |c| + (1 - α) q(c) after a relevant descendant was returned; c's own
        text counts nothing.
        """
        q = self.base.value(node)
        if self.seen.wholly(node):
            return (1 - self.alpha) * q
        if node not in self.relevant_seen:
            return q
        doc, _ = node
        below = 0.0
        if self.alpha:
            children = self.base.children(node)
            below = sum(self.value((doc, c)) * self.view.size(doc, c) for c in children) / self.view.size(*node)
        return self.alpha * below + (1 - self.alpha) * q

    def take(self, node: Node) -> float:
        """Return the gain of the next result and take it as seen."""
        gain = self.value(node)
        doc, path = node
        if self.cap:
            inside = next((i for i in self.ideal_of.get(doc, ()) if holds(i, path)), None)
            if inside is not None:
                gain = max(0.0, min(gain, self.budget[doc, inside]))
                self.budget[doc, inside] -= gain
        self.seen.add(node)
        if node in self.base.q:
            for above in self.base.trees[doc]:
                if above != path and holds(above, path):
                    self.relevant_seen.add((doc, above))
        return gain


def gain_vectors(
    view: View, quant: str | None, alpha: float, ideal: str, ties: str | None, cap: str, overlap: str
) -> tuple[Vector, Vector] | None:
    """Return xG of the run and xI, the ideal gains in descending order; None where nothing has a gain."""

    def make() -> tuple[Vector, Vector] | None:
        base = recall_base(view, quant)
        if overlap == "off":
            best = dict(sorted(base.q.items(), key=lambda item: -item[1]))
            xG = np.array([base.value(node) for node in results(view.distinct())], np.float64)
        else:
            best = ideal_base(base, ideal, view.topic, ties)
            gain = Gain(base, best, alpha, view, cap != "none")
            xG = np.array([gain.take(node) for node in results(view)], np.float64)
        xI = np.sort(np.array([v for v in best.values() if v > 0], np.float64))[::-1]
        if not len(xI):
            return None
        if cap == "ancestors":
            n = max(len(xG), len(xI))
            clipped = np.minimum(cumulate(xG, n), cumulate(xI, n))[: len(xG)]
            xG = np.diff(clipped, prepend=0.0)
        return xG, xI

    return view.memo(("xG", quant, alpha, ideal, ties, cap, overlap), make)


def cumulate(gains: Vector, n: int) -> Vector:
    """Return the running sum of n gains, 0 after the last.

    >>> cumulate(np.array([2., 1.]), 4).tolist()
    [2.0, 3.0, 3.0, 3.0]
    """
    padded = np.zeros(n)
    padded[: min(n, len(gains))] = gains[:n]
    return np.cumsum(padded)


def normalised(xG: Vector, xI: Vector, n: int) -> Vector:
    """Return nxCG[i] = xCG[i] / xCI[i] for i = 1..n.

    >>> normalised(np.array([2., 1., 0., 0., 2., 1.]), np.array([2., 2., 2., 1., 1., 1.]), 6).round(4).tolist()
    [1.0, 0.75, 0.5, 0.4286, 0.625, 0.6667]
    """
    return cumulate(xG, n) / cumulate(xI, n)


def _depth(view: View, cutoff: int | None) -> int:
    return cutoff or view.depth or len(view.ranking)


def _at(vector: Vector, cutoff: int | None) -> Vector | float:
    return vector if cutoff is None else float(vector[cutoff - 1])


@measure(
    "nxCG",
    "extended cumulated gain divided by the ideal's; a vector over ranks or its value at i",
    groups=("xcg",),
    cutoff="rank",
    params=PARAMS,
    source="Kazai & Lalmas 2005",
)
def nxcg(view: View, *, cutoff: int | None, **params: object) -> Vector | float | None:
    """Return nxCG[i] = xCG[i] / xCI[i]; above 1 at times, as ancestors of ideals are neither capped nor charged."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    return None if found is None else _at(normalised(*found, _depth(view, cutoff)), cutoff)


@measure(
    "xCG",
    "extended cumulated gain; a vector over ranks or its value at i",
    groups=("xcg",),
    cutoff="rank",
    params=(*PARAMS, Param("of", "run", choice("run", "ideal"), "run or ideal: whose vector")),
    source="Kazai & Lalmas 2005",
)
def xcg(view: View, *, cutoff: int | None, of: str, **params: object) -> Vector | float | None:
    """Return xCG[i] = Σ_{j<=i} xG[j]."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    return None if found is None else _at(cumulate(found[of == "ideal"], _depth(view, cutoff)), cutoff)


@measure(
    "xG",
    "gain of each result, overlap paid once; a vector over ranks or its value at i",
    cutoff="rank",
    params=PARAMS,
    source="Kazai & Lalmas 2005",
)
def xg(view: View, *, cutoff: int | None, **params: object) -> Vector | float | None:
    """Return xG[i]; 0 past the end of the run."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    n = _depth(view, cutoff)
    padded = np.zeros(n)
    padded[: min(n, len(found[0]))] = found[0][:n]
    return _at(padded, cutoff)


@measure(
    "AnxCG",
    "mean of nxCG over the first i ranks; its mean is MAnxCG; a vector without i",
    groups=("xcg",),
    cutoff="rank",
    params=PARAMS,
    source="Kazai & Lalmas 2005; INEX 2005",
)
def anxcg(view: View, *, cutoff: int | None, **params: object) -> Vector | float | None:
    """Return AnxCG[i] = (1/i) Σ_{j<=i} nxCG[j]."""
    found = gain_vectors(view, **params)  # type: ignore[arg-type]
    if found is None:
        return None
    n = _depth(view, cutoff)
    return _at(np.cumsum(normalised(*found, n)) / np.arange(1, n + 1), cutoff)
