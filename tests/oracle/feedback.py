"""Feedback, as printed [RETRIEVAL, section 9]."""

from __future__ import annotations

import math
from collections.abc import Collection as Keys
from collections.abc import Sequence

from tests.oracle.reading import Collection, Label


def offers(
    collection: Collection, documents: int, ranking: Sequence[Label], d: int, t: int, asked: Keys[str]
) -> list[tuple[str, float]]:
    """Return the keys that join a query, best first, with their offer weights.

    Parameters
    ----------
    documents
        Documents of the collection.
    ranking
        All scored elements by contextualised rank key.
    asked
        Every key of the query.
    """
    feedback: list[int] = []
    for x in ranking:
        if x[0] not in feedback and len(feedback) < d:
            feedback.append(x[0])
    held: dict[int, set[str]] = {}
    for x, node in collection.nodes.items():
        held.setdefault(x[0], set()).update(node.keys)
    R = len(feedback)
    weights = {}
    for key in set().union(*(held[i] for i in feedback)):
        r = sum(key in held[i] for i in feedback)
        n = sum(key in keys for keys in held.values())
        odds = ((r + 0.5) * (documents - n - R + r + 0.5)) / ((n - r + 0.5) * (R - r + 0.5))
        weights[key] = r * math.log(odds)
    good = sorted((-weight, key) for key, weight in weights.items() if weight > 0 and key not in asked)
    return [(key, -weight) for weight, key in good[:t]]
