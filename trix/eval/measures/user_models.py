"""User models of PRUM: the probability P(x -> y) that who sees x navigates to y [PRUM, 2.2; INEX 5.6]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trix.errors import FormatError, UsageError
from trix.eval import intervals as iv
from trix.eval.formats.reading import lines
from trix.eval.measures.recall_base import Node, RecallBase
from trix.eval.measures.view import View
from trix.eval.paths import holds, normal_path, split_unit

UserModel = Callable[[Node, Node], float]


def user_model(name: str, view: View, base: RecallBase, direct: bool = False) -> UserModel:
    """Return P(x -> y) of a model: ``none``, ``hierarchical``, ``t2i:N``, ``t2i-inverse:N``, or a file.

    Raises
    ------
    UsageError
        There is no such model or file, or the positions of elements are not known.
    """
    if name == "none":
        return lambda x, y: float(x == y)
    if name == "hierarchical":
        return lambda x, y: hierarchical(x, y, view.size)
    kind, _, number = name.partition(":")
    if kind in ("t2i", "t2i-inverse"):
        if not number.isdigit() or int(number) < 1:
            raise UsageError(f"user model {name!r}: a number of words is expected, such as {kind}:300")
        return _t2i(view, base, int(number), kind == "t2i-inverse")
    if Path(name).is_file():
        table = read_probabilities(name, direct)
        return lambda x, y: 1.0 if x == y else table.get((x, y), 0.0)
    raise UsageError(f"no user model {name!r}: neither a file nor none, hierarchical, t2i:N, t2i-inverse:N")


def hierarchical(x: Node, y: Node, size: Callable[[str, str], float]) -> float:
    """Return the shorter length divided by the longer one where x and y are nested, else 0 [Gövert et al. 2003].

    >>> lengths = {"/a[1]": 60.0, "/a[1]/b[1]": 40.0}
    >>> hierarchical(("d", "/a[1]"), ("d", "/a[1]/b[1]"), lambda doc, path: lengths[path]) == 40 / 60
    True
    """
    if x == y:
        return 1.0
    if x[0] != y[0] or not (holds(x[1], y[1]) or holds(y[1], x[1])):
        return 0.0
    a, b = size(*x), size(*y)
    return min(a, b) / max(a, b) if a and b else 0.0


def _t2i(view: View, base: RecallBase, N: int, inverse: bool) -> UserModel:
    """Return the tolerance model: y begins at or after x, with fewer than N non-relevant words between the starts.

    Relevant words are those of the relevant elements without relevant descendants.
    """
    relevant: dict[str, iv.Intervals] = {}

    def good(doc: str) -> iv.Intervals:
        if doc not in relevant:
            spans = [view.position(doc, leaf) for leaf in base.leaves(doc)]
            relevant[doc] = iv.merge(iv.as_intervals(spans))
        return relevant[doc]

    def probability(x: Node, y: Node) -> float:
        if x == y:
            return 1.0
        if x[0] != y[0]:
            return 0.0
        start, goal = view.position(*x)[0], view.position(*y)[0]
        if goal < start:
            return 0.0
        d = goal - start - int(iv.covered(good(x[0]), iv.as_intervals([(start, goal)]))[0])
        return max(0.0, 1 - d / N) if inverse else float(d < N)

    return probability


@lru_cache(maxsize=4)
def read_probabilities(path: str, direct: bool = False) -> Mapping[tuple[Node, Node], float]:
    """Read a file of three columns, x y P(x -> y).

    The probabilities are end to end; with ``direct`` they are single steps, and the products along all simple paths
    from x to y are summed: x to y .5 and x to z .3, y to z .8 and z to y .12 give .536 and .7 [PRUM, figure 2].

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
    return {(x, y): min(1.0, p) for x in steps for y, p in end_to_end(steps, x).items()}


def _node(text: str) -> Node:
    doc, path = split_unit(text)
    return doc, normal_path(path) if path else ""


def end_to_end(steps: Mapping[Node, Mapping[Node, float]], x: Node) -> dict[Node, float]:
    """Return, for every y, the sum over simple paths from x to y of the product of their steps.

    >>> x, y, z = ("x", ""), ("y", ""), ("z", "")
    >>> found = end_to_end({x: {y: 0.5, z: 0.3}, y: {z: 0.8}, z: {y: 0.12}}, x)
    >>> round(found[y], 12), round(found[z], 12)
    (0.536, 0.7)
    """
    found: dict[Node, float] = {}

    def walk(at: Node, p: float, seen: frozenset[Node]) -> None:
        for to, step in steps.get(at, {}).items():
            if to not in seen:
                found[to] = found.get(to, 0.0) + p * step
                walk(to, p * step, seen | {to})

    walk(x, 1.0, frozenset((x,)))
    return found


def sight(ranking: list[Node], ideal: list[Node], model: UserModel, same_document: bool) -> NDArray[np.float64]:
    """Return P(x in S_i) for i = 0..o and every ideal x: 1 - Π_{j<=i} (1 - P(y_j -> x)) [PRUM, eq. 6].

    >>> steps = {("a", "x"): 0.4, ("b", "x"): 0.9, ("c", "x"): 0.2}
    >>> found = sight([("a", ""), ("b", ""), ("c", "")], [("x", "")], lambda y, x: steps[y[0], x[0]], False)
    >>> found[:, 0].round(6).tolist()
    [0.0, 0.4, 0.94, 0.952]
    """
    unseen = np.ones((len(ranking) + 1, len(ideal)))
    by_doc: dict[str, list[int]] = {}
    for k, (doc, _) in enumerate(ideal):
        by_doc.setdefault(doc, []).append(k)
    everything = list(range(len(ideal)))
    for i, y in enumerate(ranking):
        unseen[i + 1] = unseen[i]
        for k in by_doc.get(y[0], []) if same_document else everything:
            unseen[i + 1, k] *= 1 - model(y, ideal[k])
    return 1 - unseen
