"""Simulated runs of perfect and imperfect systems, made from a recall base [KL05; EVALUATION 5]."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.data.quantisation import Quantisation
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.inputs import to_qrels
from trix.eval.measures.core.view import Settings, TopicView
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import Node, RecallBase, recall_base

KINDS = {
    "frb": "all relevant elements by q",
    "irb": "the ideal base by q",
    "reverse": "irb reversed",
    "lo": "relevant elements without relevant descendants by q",
}


def simulate(
    qrels: Any,
    kind: str = "irb",
    quant: str | None = None,
    ideal: str = "kazai",
    ties: str | None = None,
    quantisations: dict[str, Quantisation] | None = None,
) -> Rankings:
    """Return a simulated run; ties are in document order, elements of value 0 are left out.

    Parameters
    ----------
    qrels
        Assessed elements.
    kind
        One of `KINDS`.
    quant, ideal, ties
        As for the xCG measures.

    Raises
    ------
    UsageError
        The kind is unknown, or no topic has relevant elements.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown simulated run {kind!r}: known: {' '.join(KINDS)}")
    judged = to_qrels(qrels)
    run = Rankings(name=f"{kind}-{quant}" if quant else kind)
    for topic, judgements in judged.topics.items():
        view = TopicView(topic, judgements, Ranking.empty(), Settings(quantisations=quantisations or {}))
        nodes = _nodes(recall_base(view, quant), kind, ideal, ties, topic)
        if nodes:
            run.rankings[topic] = Ranking(
                [doc for (doc, _) in nodes],
                [path for (_, path) in nodes],
                scores=np.arange(len(nodes), 0, -1, dtype=np.float64)
                if kind == "reverse"
                else np.array(list(nodes.values()), np.float64),
                ranks=np.arange(1, len(nodes) + 1, dtype=np.int64),
            )
    if not run.rankings:
        raise UsageError(f"{judged.name}: no topic has relevant elements under this quantisation")
    return run


def _nodes(base: RecallBase, kind: str, ideal: str, ties: str | None, topic: str) -> dict[Node, float]:
    if kind in ("irb", "reverse"):
        found = {node: value for node, value in ideal_base(base, ideal, topic, ties).items() if value > 0}
        return dict(reversed(found.items())) if kind == "reverse" else found
    if kind == "lo":
        chosen = [(doc, path) for doc in base.trees for path in base.leaves(doc)]
    else:
        chosen = list(base.q)
    valued = {node: base.value(node) for node in chosen if base.value(node) > 0}
    return dict(sorted(valued.items(), key=lambda item: -item[1]))
