"""Extended cumulated gain: discounts for text seen before, partial gain for near misses [KL05; INEX 5.4]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from trix.eval.measures.core.parameters import Param, choice, share, word
from trix.eval.measures.core.ranks import Compute, at_rank, cumulated, padded, ranks
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import Node, ReadingHistory, RecallBase, recall_base, results
from trix.support.arrays import Floats
from trix.support.element_path import holds

QUANT = Param("quant", None, word, "a quantisation (see below); without: gen, of highlighting alone s", positional=True)
ALPHA = Param("alpha", 1.0, share, "a number in [0, 1]: the proportion of its gain that seen text loses")
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


class SimulatedReader:
    """Simulated reader who reads the results in order and gains from each.

    Parameters
    ----------
    base
        Relevant elements with their values.
    ideal
        Ideal element -> its budget.
    alpha
        Proportion of its gain that seen text loses.
    view
        The topic, for the sizes of elements.
    cap
        Whether results inside an ideal element share its budget.
    """

    def __init__(self, base: RecallBase, ideal: dict[Node, float], alpha: float, view: TopicView, cap: bool) -> None:
        self.base, self.alpha, self.view, self.cap = base, alpha, view, cap
        self.budget = dict(ideal)  # remaining gain of each ideal element
        self.ideal_of: dict[str, list[str]] = {}
        for doc, path in ideal:
            self.ideal_of.setdefault(doc, []).append(path)
        self.seen = ReadingHistory(view.size)
        self.relevant_seen: set[Node] = set()  # relevant elements with a returned relevant descendant

    def value(self, node: Node) -> float:
        """Return rv(c): q(c) if unseen, (1 - α) q(c) if fully seen, else a mixture with the children's values.

        After a relevant descendant was returned, rv(c) = α Σ_children rv(child) |child| / |c| + (1 - α) q(c). Text of c
        outside its children counts nothing.
        """
        q = self.base.value(node)
        if self.seen.wholly(node):
            return (1 - self.alpha) * q
        if node not in self.relevant_seen:  # non-relevant descendants do not reduce the value
            return q
        doc, _ = node
        # The unseen part of the value comes from the children, weighted by size; seen ones contribute less.
        below = 0.0
        if self.alpha:
            children = self.base.children(node)
            below = sum(self.value((doc, c)) * self.view.size(doc, c) for c in children) / self.view.size(*node)
        return self.alpha * below + (1 - self.alpha) * q

    def take(self, node: Node) -> float:
        """Read the next result and return its gain."""
        gain = self.value(node)
        doc, path = node
        if self.cap:
            inside = next((i for i in self.ideal_of.get(doc, ()) if holds(i, path)), None)
            if inside is not None:  # parts of an ideal element gain no more together than the element itself
                gain = max(0.0, min(gain, self.budget[doc, inside]))
                self.budget[doc, inside] -= gain
        # The result counts as seen even if it gained nothing.
        self.seen.add(node)
        if node in self.base.q:  # marks the ancestors as partly seen, so that `value` discounts them
            for above in self.base.trees[doc]:
                if above != path and holds(above, path):
                    self.relevant_seen.add((doc, above))
        return gain


@dataclass(frozen=True, slots=True)
class TopicGains:
    """Gains of a topic.

    Attributes
    ----------
    xG
        (results,) gain of each result.
    xI
        Gains of the ideal list, above 0, in descending order.
    capped
        Whether a mean of ratios to the ideal is limited to 1 (``cap=ancestors``).
    """

    xG: Floats
    xI: Floats
    capped: bool

    def normalised(self, n: int) -> Floats:
        """Return nxCG[i] = xCG[i] / xCI[i] for i = 1..n.

        >>> gains = TopicGains(np.array([2., 1., 0., 0., 2., 1.]), np.array([2., 2., 2., 1., 1., 1.]), False)
        >>> gains.normalised(6).round(4).tolist()
        [1.0, 0.75, 0.5, 0.4286, 0.625, 0.6667]
        """
        return cumulated(self.xG, n) / cumulated(self.xI, n)

    def mean(self, total: float, count: int) -> float:
        """Return total / count, limited to 1 if the gains are capped."""
        return min(total / count, 1.0) if self.capped else total / count


def gains(
    view: TopicView, quant: str | None, alpha: float, ideal: str, ties: str | None, cap: str, overlap: str
) -> TopicGains | None:
    """Return the gains of a topic; cached; None if no element has a gain."""

    def make() -> TopicGains | None:
        base = recall_base(view, quant)
        if overlap == "off":
            # Without overlap every relevant element can gain, so the recall base itself is the ideal list.
            best = dict(sorted(base.q.items(), key=lambda item: -item[1]))
            xG = np.array([base.value(node) for node in results(view.distinct())], np.float64)
        else:
            best = ideal_base(base, ideal, view.topic, ties)
            reader = SimulatedReader(base, best, alpha, view, cap != "none")
            xG = np.array([reader.take(node) for node in results(view)], np.float64)
        # An ideal element without gain would only lengthen the list.
        xI = np.sort(np.array([v for v in best.values() if v > 0], np.float64))[::-1]
        if not len(xI):
            return None
        if cap == "ancestors":
            # Limit xCG to xCI at every rank; the differences are the capped gains.
            n = max(len(xG), len(xI))
            xG = np.diff(np.minimum(cumulated(xG, n), cumulated(xI, n))[: len(xG)], prepend=0.0)
        return TopicGains(xG, xI, cap == "ancestors")

    return view.memo(("xG", quant, alpha, ideal, ties, cap, overlap), make)


def gain_measure(name: str, summary: str, **details: Any) -> Callable[[Compute], Compute]:
    """Decorator that registers a function of the `TopicGains` of a topic, the cut-off if any, and further parameters.

    With ``cutoff="rank"`` the function gets a number of ranks n, and returns the values at ranks 1 to n. The measure
    takes `PARAMS`, and is undefined for topics without any gain. The keywords are the fields of
    `trix.eval.measures.core.registry.Spec`.
    """
    details = {"groups": ("xcg",), "params": PARAMS, "source": "Kazai & Lalmas 2005; INEX 2005"} | details

    def register(value: Compute) -> Compute:
        @measure(name, summary, **details)
        @wraps(value)
        def compute(view: TopicView, *, cutoff: Any, **params: Any) -> Any:
            # Popped, so that `params` keeps only the measure's own parameters.
            found = gains(view, *(params.pop(param.name) for param in PARAMS))
            if found is None:
                return None
            if details.get("cutoff") == "rank":
                return at_rank(value(found, ranks(view, cutoff), **params), cutoff)
            return value(found, *([cutoff] if "cutoff" in details else []), **params)

        return value

    return register


@gain_measure(
    "nxCG",
    "extended cumulated gain divided by the ideal's; a vector over ranks or its value at i",
    cutoff="rank",
    source="Kazai & Lalmas 2005",
)
def nxcg(gains: TopicGains, n: int) -> Floats:
    """Return nxCG[i] = xCG[i] / xCI[i].

    It can exceed 1, since ancestors of ideal elements are neither capped nor charged for seen text.
    """
    return gains.normalised(n)


@gain_measure(
    "xCG",
    "extended cumulated gain; a vector over ranks or its value at i",
    cutoff="rank",
    params=(*PARAMS, Param("of", "run", choice("run", "ideal"), "run or ideal: whose vector")),
    source="Kazai & Lalmas 2005",
)
def xcg(gains: TopicGains, n: int, *, of: str) -> Floats:
    """Return xCG[i] = Σ_{j<=i} xG[j]."""
    return cumulated(gains.xI if of == "ideal" else gains.xG, n)


@gain_measure(
    "xG",
    "gain of each result, overlap paid once; a vector over ranks or its value at i",
    groups=(),
    cutoff="rank",
    source="Kazai & Lalmas 2005",
)
def xg(gains: TopicGains, n: int) -> Floats:
    """Return xG[i], 0 after the end of the run."""
    return padded(gains.xG, n)


@gain_measure("AnxCG", "mean of nxCG over the first i ranks; its mean is MAnxCG; a vector without i", cutoff="rank")
def anxcg(gains: TopicGains, n: int) -> Floats:
    """Return AnxCG[i] = (1/i) Σ_{j<=i} nxCG[j]."""
    return np.cumsum(gains.normalised(n)) / np.arange(1, n + 1)
