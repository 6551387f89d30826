"""Ranking, overlap, strategies and the limit, as written [RETRIEVAL, section 6]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.oracle.reading import Label

DEFAULT_OVERLAP = {"thorough": "full"}


def rank_key(scores: Mapping[Label, float], x: Label) -> tuple[float, Label]:
    """Return the rank key: ascending order of it is the ranking."""
    return (-round(scores[x], 12), x)


def is_ancestor(x: Label, y: Label) -> bool:
    """Tell whether x is a proper ancestor of y."""
    return len(x) < len(y) and y[: len(x)] == x


def conflicts(x: Label, y: Label, overlap: str) -> bool:
    """Tell whether the rule forbids to keep both elements."""
    if overlap == "none":
        return is_ancestor(x, y) or is_ancestor(y, x)
    if overlap == "partial":
        return x == y[:-1] or y == x[:-1]
    return False


def outranked(ranking: Sequence[Label], x: Label) -> bool:
    """Tell whether the parent or a child of an element is ranked above it, whatever becomes of these."""
    above = ranking[: ranking.index(x)]
    return any(conflicts(x, y, "partial") for y in above)


def without_overlap(ranking: Sequence[Label], overlap: str) -> list[Label]:
    """Go down a ranking and keep what does not conflict with what has been kept."""
    if overlap == "partial-scored":
        return [x for x in ranking if not outranked(ranking, x)]
    kept: list[Label] = []
    for x in ranking:
        if not any(conflicts(x, y, overlap) for y in kept):
            kept.append(x)
    return kept


def organised(
    basic: Mapping[Label, float],
    scores: Mapping[Label, float],
    strategy: str = "focused",
    overlap: str | None = None,
    fetch: str = "root",
    top: int | None = None,
) -> list[Label]:
    """Return the results in order.

    Parameters
    ----------
    basic
        Uncontextualised scores of the matching elements.
    scores
        Contextualised scores of all elements that have one.
    """
    overlap = overlap or DEFAULT_OVERLAP.get(strategy, "none")
    ranking = sorted(scores, key=lambda x: rank_key(scores, x))
    if strategy in ("thorough", "focused"):
        return without_overlap(ranking, overlap)[:top]
    documents = sorted({x[0] for x in scores})
    if strategy == "best-in-context":
        best = [next(x for x in ranking if x[0] == i) for i in documents]
        return sorted(best, key=lambda x: rank_key(scores, x))[:top]
    returned = {i: without_overlap([x for x in ranking if x[0] == i], overlap) for i in documents}
    worth = {}
    for i, elements in returned.items():
        if fetch == "root":
            worth[i] = basic.get((i,), 0.0)
        elif fetch == "best":
            worth[i] = max(scores[x] for x in elements)
        else:
            worth[i] = sum(scores[x] for x in elements)
    listed: list[Label] = []
    for i in sorted(documents, key=lambda i: (-round(worth[i], 12), i)):
        elements, fits = returned[i], top is None or len(listed) + len(returned[i]) <= top
        if not fits and listed:
            return listed
        chosen = elements[:top]
        listed += sorted(chosen) if strategy == "relevant-in-context" else chosen
        if not fits:
            return listed
    return listed
