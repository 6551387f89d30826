"""User models of PRUM: the probability P(x -> y) that a user who sees x navigates to y [PRUM, 2.2; INEX 5.6]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trix.errors import FormatError, UsageError
from trix.eval.data import intervals as iv
from trix.eval.formats.reading.lines import lines
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.discovery import SeenIdeals
from trix.eval.measures.elements.recall_base import Node, RecallBase
from trix.support.element_path import holds, normal_path, parent, split_unit
from trix.support.setting_types import whole

Steps = Callable[[Node], Iterable[tuple[int, float]]]
"""Function of a node x that returns the numbers of the ideal elements y reachable from x, each with P(x -> y)."""


def user_model(name: str, view: TopicView, base: RecallBase, ideal: list[Node], direct: bool = False) -> Steps:
    """Return the steps of a user model: ``none``, ``hierarchical``, ``t2i:N``, ``t2i-inverse:N``, or a file.

    Raises
    ------
    UsageError
        The model or file does not exist, or the positions of elements are unknown.
    """
    place = {node: k for k, node in enumerate(ideal)}
    if name == "none":
        return lambda x: [(place[x], 1.0)] if x in place else []
    if name == "hierarchical":
        return _nested(place, view)
    kind, _, number = name.partition(":")
    if kind in ("t2i", "t2i-inverse"):
        if not (words := whole(number)):
            raise UsageError(f"user model {name!r}: a number of words is expected, such as {kind}:300")
        return _t2i(place, view, base, words, kind == "t2i-inverse")
    if Path(name).is_file():
        return _listed(place, read_probabilities(name, direct))
    raise UsageError(f"no user model {name!r}: neither a file nor none, hierarchical, t2i:N, t2i-inverse:N")


def _listed(place: Mapping[Node, int], table: Mapping[tuple[Node, Node], float]) -> Steps:
    found: dict[Node, dict[int, float]] = {}
    for (x, y), p in table.items():
        if y in place:
            found.setdefault(x, {})[place[y]] = p
    # An ideal element is always reached from itself, whether the file lists it or not.
    for node, k in place.items():
        found.setdefault(node, {})[k] = 1.0
    return lambda x: found.get(x, {}).items()


def _nested(place: Mapping[Node, int], view: TopicView) -> Steps:
    """Return the hierarchical model, in which a user reaches only ancestors and descendants."""
    # Two lookups per result, ancestors and descendants, avoid a comparison with every ideal element.
    ideals: dict[str, dict[str, Node]] = {}
    below: dict[str, dict[str, list[Node]]] = {}
    for node in place:
        doc, path = node
        ideals.setdefault(doc, {})[path] = node
        under = below.setdefault(doc, {})
        while path:
            path = parent(path)
            under.setdefault(path, []).append(node)
    size = cache(view.size)  # sizes are asked for again at every rank

    def steps(x: Node) -> list[tuple[int, float]]:
        doc, path = x
        tree = ideals.get(doc)
        if tree is None:
            return []
        near = [*below[doc].get(path, ()), *([tree[""]] if "" in tree else [])]
        while path:
            if path in tree:
                near.append(tree[path])
            path = parent(path)
        return [(place[y], hierarchical(x, y, size)) for y in near]

    return steps


def hierarchical(x: Node, y: Node, size: Callable[[str, str], float]) -> float:
    """Return the shorter length divided by the longer one if x and y are nested, else 0 [Gövert 2003].

    >>> lengths = {"/a[1]": 60.0, "/a[1]/b[1]": 40.0}
    >>> hierarchical(("d", "/a[1]"), ("d", "/a[1]/b[1]"), lambda doc, path: lengths[path]) == 40 / 60
    True
    """
    if x == y:  # without sizes, which may be unknown
        return 1.0
    if x[0] != y[0] or not (holds(x[1], y[1]) or holds(y[1], x[1])):
        return 0.0
    a, b = size(*x), size(*y)
    return min(a, b) / max(a, b) if a and b else 0.0


def _t2i(place: Mapping[Node, int], view: TopicView, base: RecallBase, N: int, inverse: bool) -> Steps:
    """Return the tolerance-to-irrelevance model.

    y is reached from x if it begins at or after x, with fewer than N non-relevant words between the two starts. The
    words of relevant elements without relevant descendants are relevant.
    """
    ideals: dict[str, list[Node]] = {}
    for node in place:
        ideals.setdefault(node[0], []).append(node)
    relevant: dict[str, iv.Intervals] = {}
    goals: dict[str, tuple[NDArray[np.int64], NDArray[np.int64]]] = {}

    def good(doc: str) -> iv.Intervals:
        if doc not in relevant:
            relevant[doc] = iv.merge(iv.as_intervals([view.position(doc, leaf) for leaf in base.leaves(doc)]))
        return relevant[doc]

    def others(doc: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first words of a document's ideal elements, and the number of relevant words before each."""
        if doc not in goals:
            starts = np.array([view.position(*node)[0] for node in ideals[doc]], np.int64)
            goals[doc] = starts, iv.covered_before(good(doc), starts)
        return goals[doc]

    def steps(x: Node) -> list[tuple[int, float]]:
        nodes = ideals.get(x[0], [])
        if not any(y != x for y in nodes):  # the answer does not depend on positions, which may be unknown
            return [(place[y], 1.0) for y in nodes]
        start = view.position(*x)[0]
        begins, before = others(x[0])
        # Words between the two starts, minus the relevant ones among them.
        d = begins - start - (before - iv.covered_before(good(x[0]), start))
        # The inverse model decreases linearly with the distance, the plain one is a threshold.
        P = np.maximum(0.0, 1 - d / N) if inverse else (d < N).astype(np.float64)
        P[begins < start] = 0.0  # users read forward
        found = [(place[y], p) for y, p in zip(nodes, P.tolist(), strict=True) if p > 0 and y != x]
        return [*found, (place[x], 1.0)] if x in place else found

    return steps


@lru_cache(maxsize=4)
def read_probabilities(path: str, direct: bool = False) -> Mapping[tuple[Node, Node], float]:
    """Read a file of three columns, x y P(x -> y).

    The probabilities are end to end. With ``direct`` they are single steps, and the products along all simple paths
    from x to y are summed [PRUM, figure 2].

    Raises
    ------
    FormatError
        A line is wrong, with its number.
    """
    steps: dict[Node, dict[Node, float]] = {}
    for number, line in lines(path):
        columns = line.split()
        if len(columns) != 3:
            raise FormatError(f"3 columns expected (x y P), found {len(columns)}", path, number)
        try:
            x, y, p = _node(columns[0]), _node(columns[1]), float(columns[2])
        except ValueError as error:
            raise FormatError(f"not a number or not a path: {error}", path, number) from None
        if not 0 <= p <= 1:
            raise FormatError(f"a probability is between 0 and 1, not {p}", path, number)
        steps.setdefault(x, {})[y] = p
    if not direct:
        return {(x, y): p for x, row in steps.items() for y, p in row.items()}
    # Sums over alternative paths are no true probabilities and can exceed 1.
    return {(x, y): min(1.0, p) for x in steps for y, p in end_to_end(steps, x).items()}


def _node(text: str) -> Node:
    doc, path = split_unit(text)
    return doc, normal_path(path) if path else ""


def end_to_end(steps: Mapping[Node, Mapping[Node, float]], x: Node) -> dict[Node, float]:
    """Return, for every y, the sum over simple paths from x to y of the product of their steps [PRUM, figure 2].

    >>> x, y, z = ("x", ""), ("y", ""), ("z", "")
    >>> found = end_to_end({x: {y: 0.5, z: 0.3}, y: {z: 0.8}, z: {y: 0.12}}, x)
    >>> round(found[y], 12), round(found[z], 12)
    (0.536, 0.7)
    """
    found: dict[Node, float] = {}

    def walk(at: Node, p: float, seen: frozenset[Node]) -> None:
        for to, step in steps.get(at, {}).items():
            if to not in seen:  # simple paths only, so that cycles end
                found[to] = found.get(to, 0.0) + p * step
                walk(to, p * step, seen | {to})

    walk(x, 1.0, frozenset((x,)))
    return found


def seen_ideals_of(ranking: list[Node], t: int, steps: Steps) -> SeenIdeals:
    """Return P(x in S_i) = 1 - Π_{j<=i} (1 - P(y_j -> x)) for i = 0..o and t ideals x [PRUM, eq. 6].

    >>> p = {"a": 0.4, "b": 0.9, "c": 0.2}
    >>> found = seen_ideals_of([("a", ""), ("b", ""), ("c", "")], 1, lambda y: [(0, p[y[0]])])
    >>> found.after.round(6).tolist()
    [0.4, 0.94, 0.952]
    """
    unseen = [1.0] * t  # Π (1 - P(y_j -> x)) so far, for each ideal x
    rows: list[tuple[int, int, float, float]] = []
    for i, y in enumerate(ranking, 1):
        for k, p in steps(y):
            old = unseen[k]
            new = unseen[k] = old * (1 - p)
            if 1 - new > 1 - old:  # only changes are stored; tiny steps vanish in rounding
                rows.append((i, k, 1 - old, 1 - new))
    rank, which, before, after = zip(*rows, strict=True) if rows else ((), (), (), ())
    return SeenIdeals(
        t, len(ranking),
        np.array(rank, np.int64), np.array(which, np.int64), np.array(before, np.float64), np.array(after, np.float64),
    )  # fmt: skip
