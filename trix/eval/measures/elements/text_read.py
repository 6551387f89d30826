"""Extended cumulated gain against the text that is read, instead of the number of results [KL05, 6.1].

A rank costs the same whether it holds a word or an article. Here the x-axis is the text of the results, each piece of
text once. The gain of a result accrues evenly over its unseen text.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.measures.core.parameters import Param, choice
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import Node, ReadingHistory, recall_base, results
from trix.eval.measures.elements.xcg import PARAMS, gains
from trix.support.arrays import Floats


def gain_after(gains: Floats, sizes: Floats, n: float) -> float:
    """Return the gain after n characters of results with these gains and sizes.

    >>> gain_after(np.array([2.0, 1.0]), np.array([100.0, 50.0]), 125)
    2.5
    >>> gain_after(np.array([2.0, 1.0]), np.array([100.0, 0.0]), 100), gain_after(np.array([2.0]), np.array([10.0]), 99)
    (3.0, 2.0)
    """
    x, y = np.concatenate(([0.0], np.cumsum(sizes))), np.concatenate(([0.0], np.cumsum(gains)))
    place = int(np.searchsorted(x, n, side="right")) - 1
    if place == len(x) - 1:
        return float(y[-1])
    return float(y[place] + (y[place + 1] - y[place]) * (n - x[place]) / (x[place + 1] - x[place]))


def _size(view: TopicView, node: Node) -> float:
    """Return the size of an element: characters of the index if there is one, else the size as assessed."""
    doc, path = node
    resolver = view.settings.resolver
    if resolver is None:
        return view.size(doc, path)
    span = resolver.span(doc, path) if path else (0, resolver.length(doc) or 0)
    if span is None:
        raise UsageError(f"topic {view.topic}: the index has no element {doc}{path}")
    return float(span[1] - span[0])


def _new_text(view: TopicView, nodes: list[Node]) -> Floats:
    """Return the unseen text of each of some elements that are read one after another."""
    seen = ReadingHistory(lambda doc, path: _size(view, (doc, path)))
    found = np.zeros(len(nodes))
    for row, node in enumerate(nodes):
        if not seen.wholly(node):
            found[row] = _size(view, node) * (1 - seen.share(node))
            seen.add(node)
    return found


def _curve(view: TopicView, of: str, params: dict[str, Any]) -> tuple[Floats, Floats] | None:
    """Return the gains and the new text of each result, or of the ideal elements, the densest in gain first."""
    quant, ideal, ties, overlap = (params[name] for name in ("quant", "ideal", "ties", "overlap"))
    run = gains(view, **params)
    if run is None:
        return None
    if of == "run":
        return run.xG, _new_text(view, results(view.distinct() if overlap == "off" else view))
    base = recall_base(view, quant)
    values = base.q if overlap == "off" else ideal_base(base, ideal, view.topic, ties)
    values = {node: value for node, value in values.items() if value > 0}
    order = sorted(values, key=lambda node: -values[node] / max(_size(view, node), 1.0))
    return np.array([values[node] for node in order]), _new_text(view, order)


def _after(view: TopicView, n: int, of: str, params: dict[str, Any]) -> float | None:
    key = ("text read", of, *params.values())
    curve = view.memo(key, lambda: _curve(view, of, params))
    return None if curve is None else gain_after(*curve, n)


_COMMON: dict[str, Any] = {"cutoff": "rank", "cutoff_needed": True, "source": "Kazai & Lalmas 2005, 6.1 (our formula)"}


@measure(
    "xCG-read",
    "extended cumulated gain after n characters of results (of words where the assessments count words)",
    params=(*PARAMS, Param("of", "run", choice("run", "ideal"), "run or ideal: whose gain")),
    **_COMMON,
)
def xcg_read(view: TopicView, *, cutoff: int, of: str, **params: Any) -> float | None:
    """Return the gain after n characters, text that was read before not counted again."""
    return _after(view, cutoff, of, params)


@measure(
    "nxCG-read",
    "xCG-read divided by the most that n characters can gain",
    params=PARAMS,
    **_COMMON,
)
def nxcg_read(view: TopicView, *, cutoff: int, **params: Any) -> float | None:
    """Return xCG-read[n] of the run / that of the ideal elements in the order of their gain per character."""
    run, best = (_after(view, cutoff, of, params) for of in ("run", "ideal"))
    return None if run is None or not best else run / best
