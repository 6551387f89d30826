"""Recall base of a topic: assessed elements with their quantised values and their trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.data.qrels import ElementJudgement
from trix.eval.data.quantisation import Quantisation, default_for, quantisation
from trix.eval.measures.core.view import TopicView
from trix.support.element_path import ancestors, have_descendants, holds, in_document_order, split_unit

Node = tuple[str, str]
"""(document id, normal path): an element."""


@dataclass(slots=True)
class RecallBase:
    """Relevant elements of a topic, in document order, with values and assessments.

    Attributes
    ----------
    q
        Relevant element -> quantised value, in [0, 1] after division by `scale`. *Relevant* means e > 0 (or rsize > 0)
        before quantisation [INEX 5.4], so a value may be 0.
    judged
        Relevant element -> assessment; empty if the assessments are plain grades.
    scale
        Highest possible value of the quantisation.
    """

    q: dict[Node, float]
    judged: dict[Node, ElementJudgement]
    scale: float
    _trees: dict[str, list[str]] | None = None
    _children: dict[Node, list[str]] | None = None

    def value(self, node: Node) -> float:
        """Return the quantised value of any element, 0 for a non-relevant one."""
        return self.q.get(node, 0.0)

    @property
    def trees(self) -> dict[str, list[str]]:
        """Return document -> paths of its relevant elements, in document order."""
        if self._trees is None:
            self._trees = {}
            for doc, path in self.q:
                self._trees.setdefault(doc, []).append(path)
        return self._trees

    def leaves(self, doc: str) -> list[str]:
        """Return the relevant elements of a document without relevant descendants."""
        paths = self.trees.get(doc, [])
        inner = have_descendants(paths)
        return [path for path in paths if path not in inner]

    def children(self, node: Node) -> list[str]:
        """Return the relevant elements whose nearest relevant ancestor is the given element."""
        if self._children is None:
            self._children = {}
            for doc, paths in self.trees.items():
                known = set(paths)
                for path in paths:
                    # Non-relevant elements in between are skipped.
                    above = next((a for a in ancestors(path) if a in known), None)
                    if above is not None:
                        self._children.setdefault((doc, above), []).append(path)
        return self._children.get(node, [])


def quantisation_of(view: TopicView, name: str | None) -> Quantisation:
    """Return the named quantisation, or the default for the kind of assessments of the topic."""
    if name is not None:
        return quantisation(name, view.settings.quantisations)
    for _, element in view.judged.elements():
        return default_for(element.kind)
    return default_for("es")


def recall_base(view: TopicView, quant: str | None) -> RecallBase:
    """Return the recall base of a topic under a quantisation; cached.

    Plain grades are not quantised. Units without a path are documents.
    """

    def make() -> RecallBase:
        rule = quantisation_of(view, quant)
        if view.judged.grades:
            # Plain grades have neither assessments nor a known maximum: the values are used unscaled.
            graded = {split_unit(u): float(g) for u, g in view.judged.grades.items() if g > 0}
            return RecallBase({node: graded[node] for node in in_document_order(graded)}, {}, 1.0)
        judged = {(doc, e.path): e for doc, e in view.judged.elements() if e.relevant}
        if not judged and any(d.relevant for d in view.judged.documents.values()):
            raise UsageError("this measure needs assessed elements; the assessments have only passages")
        # Relevance is decided before quantisation, so the base may have elements of value 0 [INEX 5.4].
        scale = max((rule.scale(e.kind) for e in judged.values()), default=1.0)
        return RecallBase({node: rule(judged[node]) for node in in_document_order(judged)}, judged, scale)

    return view.memo(("recall base", quant), make)


def results(view: TopicView) -> list[Node]:
    """Return the ranking as elements; a row without a path becomes the root of its document."""

    def make() -> list[Node]:
        ranking = view.ranking
        if ranking.paths is None:
            # Runs of documents repeat ids, so the root is looked up once per document.
            roots = {doc: root(view, doc) for doc in set(ranking.docs)}
            return [(doc, roots[doc]) for doc in ranking.docs]
        return [(doc, path or root(view, doc)) for doc, path in zip(ranking.docs, ranking.paths, strict=True)]

    return view.memo("results", make)


def root(view: TopicView, doc: str) -> str:
    """Return the path of a document's root, from its assessed elements, else the empty path."""
    document = view.judged.documents.get(doc)
    if document is None or not document.elements:
        return ""
    # Paths of one document share their first step; ``/a[1]/b[1]`` splits into "", "a[1]" and the rest.
    return "/" + next(iter(document.elements)).split("/", 2)[1]


class ReadingHistory:
    """Elements that a reader has read, for the unseen share of the next one."""

    def __init__(self, size: Callable[[str, str], float]) -> None:
        self._size = size
        self._whole: dict[str, list[str]] = {}  # document -> outermost elements read, none inside another

    def wholly(self, node: Node) -> bool:
        """Return whether the element or an ancestor was read."""
        doc, path = node
        return any(holds(seen, path) for seen in self._whole.get(doc, ()))

    def inside(self, node: Node) -> list[str]:
        """Return the outermost descendants that were read."""
        doc, path = node
        return [seen for seen in self._whole.get(doc, ()) if holds(path, seen) and seen != path]

    def share(self, node: Node) -> float:
        """Return the proportion of the element that was read, by size."""
        if self.wholly(node):
            return 1.0
        inner = self.inside(node)
        if not inner:
            return 0.0
        doc, path = node
        # The read descendants are disjoint, so their sizes add up. Sizes from several sources may exceed the whole.
        return min(1.0, sum(self._size(doc, p) for p in inner) / self._size(doc, path))

    def add(self, node: Node) -> None:
        """Record an element as read."""
        if self.wholly(node):
            return
        doc, path = node
        # The element replaces its read descendants, which keeps the list disjoint.
        kept = [seen for seen in self._whole.get(doc, ()) if not holds(path, seen)]
        self._whole[doc] = [*kept, path]


def gains(view: TopicView, quant: str | None) -> NDArray[np.float64]:
    """Return the quantised value of each result, scaled to [0, 1], ignoring overlap."""
    base = recall_base(view, quant)
    return np.array([base.value(node) for node in results(view)], np.float64) / base.scale
