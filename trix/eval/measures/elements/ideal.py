"""Ideal recall bases: non-overlapping elements that a perfect system returns [KL05, 2.3, 4.1; INEX 5.4]."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from trix.errors import FormatError, UsageError
from trix.eval.formats.reading.lines import lines
from trix.eval.measures.elements.recall_base import Node, RecallBase
from trix.support.element_path import ancestors, holds, in_document_order, normal_path, split_unit

Order = Callable[[str], tuple[float, ...]]
NAMES = ("kazai", "piwowarski", "specific")


def kazai(base: RecallBase, doc: str, higher: bool = False) -> list[str]:
    """Return the ideal elements of a document by paths of relevant nodes [KL05, 4.1].

    Each path from the article to a relevant leaf contributes its node of highest q, if q is above 0. Ties go to the
    deepest node, or with ``higher`` to the outermost. Nodes with a kept ancestor are then removed.
    """

    def value(path: str) -> tuple[float, ...]:
        return (base.value((doc, path)),)

    return _by_paths(base, doc, value, lambda path: base.value((doc, path)) > 0, deepest=not higher)


def specific(base: RecallBase, doc: str, higher: bool = True) -> list[str]:
    """Return the ideal elements for the focused task: by s, then e, with full ties to the ancestor [KL05, 2.3].

    ``higher=False`` gives full ties to the descendant.
    """
    return _by_paths(base, doc, lambda path: specificity(base, (doc, path)), lambda path: True, deepest=not higher)


def specificity(base: RecallBase, node: Node) -> tuple[float, float]:
    """Return (s, e) of a relevant element, the sort key of the focused task."""
    element = base.judged.get(node)
    if element is None:
        return base.value(node), 0.0
    return element.s if element.s is not None else element.density, element.e or 0.0


def _by_paths(base: RecallBase, doc: str, value: Order, counts: Callable[[str], bool], deepest: bool) -> list[str]:
    # A kept node may lie inside another path's kept node; only the outermost ones stay.
    relevant = set(base.trees.get(doc, ()))
    kept = set()
    for leaf in base.leaves(doc):
        path = [leaf, *(a for a in ancestors(leaf) if a in relevant)]  # from the leaf up
        best = max(path if deepest else path[::-1], key=value)  # max keeps the first among equals
        if counts(best):
            kept.add(best)
    return [p for p in base.trees.get(doc, ()) if p in kept and not any(a in kept for a in ancestors(p))]


def piwowarski(base: RecallBase, doc: str, higher: bool = False) -> list[str]:
    """Return the ideal elements of a document by pairwise comparison [INEX 5.4].

    x is ideal iff q(x) > 0 and q(z) < q(x) for every descendant z. In addition every ancestor y must satisfy
    q(x) >= q(y) or have a descendant z with q(z) >= q(y).
    """
    paths = base.trees.get(doc, [])
    q = {path: base.value((doc, path)) for path in paths}
    best_below = dict.fromkeys(paths, -1.0)  # highest q among the descendants of each node
    for path in paths:
        for above in ancestors(path):
            if above in best_below:
                best_below[above] = max(best_below[above], q[path])
    # An ancestor of equal or higher value loses only to a descendant that is at least as good as itself.
    return [
        x
        for x in paths
        if q[x] > 0
        and best_below[x] < q[x]
        and all(q[x] >= q[y] or best_below[y] >= q[y] for y in ancestors(x) if y in q)
    ]


_RULES: dict[str, Callable[[RecallBase, str, bool], list[str]]] = {
    "kazai": kazai,
    "piwowarski": piwowarski,
    "specific": specific,
}


def ideal_base(base: RecallBase, name: str, topic: str, ties: str | None = None) -> dict[Node, float]:
    """Return the ideal elements of a topic with their values, best first, ties in document order.

    Parameters
    ----------
    base
        Relevant elements with their quantised values.
    name
        One of `NAMES`, or a file in the format of `read_ideal`.
    topic
        Topic id, for files.
    ties
        ``higher`` or ``deeper``; the default of the definition if None.

    Raises
    ------
    UsageError
        Neither a definition nor a file has that name.
    """
    if name in _RULES:
        rule = _RULES[name]
        higher = {"higher": True, "deeper": False}.get(ties or "", name == "specific")
        found = {(doc, path): base.value((doc, path)) for doc in base.trees for path in rule(base, doc, higher)}
        if name == "specific":  # its order is that of the task, not of the quantised values
            return dict(sorted(found.items(), key=lambda item: specificity(base, item[0]), reverse=True))
    elif Path(name).is_file():
        listed = read_ideal(name).get(topic, {})
        # Sorting by document order first makes the later stable sort by value deterministic.
        values = {node: base.value(node) if value is None else value for node, value in listed.items()}
        found = {node: values[node] for node in in_document_order(values)}
    else:
        raise UsageError(f"no ideal recall base {name!r}: neither a file nor one of {' '.join(NAMES)}")
    return dict(sorted(found.items(), key=lambda item: -item[1]))


@lru_cache(maxsize=4)
def read_ideal(path: str) -> dict[str, dict[Node, float | None]]:
    """Read an ideal recall base with lines ``TOPIC Q0 DOCID/PATH VALUE``, as TREC qrels.

    The value ``-`` stands for the quantised value.

    Raises
    ------
    FormatError
        A line is wrong, an element occurs twice or lies inside another of the same topic.
    """
    found: dict[str, dict[Node, float | None]] = {}
    for number, line in lines(path):
        columns = line.split()
        if len(columns) != 4:
            raise FormatError(f"4 columns expected (TOPIC Q0 DOCID/PATH VALUE), found {len(columns)}", path, number)
        doc, tail = split_unit(columns[2])
        try:
            node = (doc, normal_path(tail) if tail else "")
            value = None if columns[3] == "-" else float(columns[3])
        except ValueError as error:
            raise FormatError(f"not a number or not a path: {error}", path, number) from None
        topic = found.setdefault(columns[0], {})
        # Overlapping ideal elements would let a perfect run gain twice from one text.
        clash = next((p for d, p in topic if d == doc and (holds(p, node[1]) or holds(node[1], p))), None)
        if clash is not None:
            raise FormatError(f"{columns[2]} overlaps {doc}{clash}; ideal elements do not overlap", path, number)
        topic[node] = value
    return found


def write_ideal(topics: dict[str, dict[Node, float]]) -> str:
    """Format ideal recall bases as `read_ideal` reads them.

    >>> write_ideal({"1": {("d", "/a[1]"): 0.5}})
    '1 Q0 d/a[1] 0.5\\n'
    """
    return "".join(
        f"{topic} Q0 {doc}{path} {value!r}\n" for topic, nodes in topics.items() for (doc, path), value in nodes.items()
    )
