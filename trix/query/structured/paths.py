"""The elements that a path expression selects, for a whole collection at once [RETRIEVAL, section 8].

A path's steps are semi-joins of sorted arrays of element numbers. Positions are no part of the grammar, so a condition
is a property of an element wherever it is met: its path is followed backwards, from where it leads to.
"""

from __future__ import annotations

import numpy as np

from trix.query.language.path_tree import Axis, Condition, Exists, Not, Path, PathStep
from trix.query.language.terms import And, Or
from trix.query.matching import joins
from trix.query.matching.part import Collection
from trix.support.arrays import Int32s, Mask

INVERSE = {
    Axis.CHILD: Axis.PARENT,
    Axis.PARENT: Axis.CHILD,
    Axis.DESCENDANT: Axis.ANCESTOR,
    Axis.ANCESTOR: Axis.DESCENDANT,
    Axis.SELF: Axis.SELF,
    Axis.DESCENDANT_OR_SELF: Axis.ANCESTOR_OR_SELF,
    Axis.ANCESTOR_OR_SELF: Axis.DESCENDANT_OR_SELF,
}
"""x is on an axis from y where y is on the inverse axis from x."""


def evaluate(index: Collection, path: Path) -> Int32s:
    """Return the numbers of the elements that a path selects, ascending.

    Parameters
    ----------
    index
        The index whose elements are asked for, or a part of it. Names mean themselves: the profile's aliases do not
        apply, or a level printed in a paper would be another one.
    path
        The path, from the top of each document.
    """
    evaluator = _Evaluator(index)
    found = [evaluator.way(way) for way in path.ways]
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found))


def passing(index: Collection, step: PathStep) -> Int32s | None:
    """Return the elements that pass a step's name test and its conditions, ascending; None for all elements."""
    evaluator = _Evaluator(index)
    return evaluator.filtered(evaluator.named(step.names), step)


class _Evaluator:
    """Evaluates paths with sorted arrays of element numbers; None is the set of all, which is never written out."""

    def __init__(self, index: Collection) -> None:
        self.index, self.elements = index, index.elements

    def way(self, steps: tuple[PathStep, ...]) -> Int32s:
        """Return what one way selects, from the top of the documents down."""
        first, *others = steps
        found: Int32s | None
        if first.axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF):
            found = self.named(first.names)
        elif first.axis == Axis.CHILD:
            found = self.listed(self.named(first.names))
            found = found[joins.member(found, self.index.first_elements)]
        else:  # above the root there is nothing
            found = np.zeros(0, np.int32)
        found = self.filtered(found, first)
        for step in others:
            reached = self.listed(self.named(step.names))
            found = self.filtered(reached[self.reaches(reached, INVERSE[step.axis], found)], step)
        return self.listed(found)

    def named(self, names: tuple[str, ...]) -> Int32s | None:
        return joins.named(self.index, names, aliases=False) if names else None

    def listed(self, found: Int32s | None) -> Int32s:
        return joins.everything(self.index) if found is None else found

    def filtered(self, found: Int32s | None, step: PathStep) -> Int32s | None:
        for condition in step.filters:
            found = self.satisfying(found, condition)
        return found

    def satisfying(self, found: Int32s | None, condition: Condition) -> Int32s | None:
        """Return those of some elements for which a condition holds."""
        if isinstance(condition, And):
            for part in condition.parts:
                found = self.satisfying(found, part)
            return found
        if isinstance(condition, Or):
            parts = [self.listed(self.satisfying(found, part)) for part in condition.parts]
            return np.unique(np.concatenate(parts))
        if isinstance(condition, Not):
            listed = self.listed(found)
            return listed[~joins.member(listed, self.listed(self.satisfying(found, condition.condition)))]
        first, targets = condition.steps[0], self.targets(condition)
        if first.axis == Axis.SELF and (found is None or targets is None):
            return targets if found is None else found
        listed = self.listed(found)
        return listed[self.reaches(listed, first.axis, targets)]

    def targets(self, condition: Exists) -> Int32s | None:
        """Return the elements at a condition's first step from which its other steps lead somewhere."""
        found: Int32s | None = None
        axis: Axis | None = None
        for step in reversed(condition.steps):
            here = self.filtered(self.named(step.names), step)
            if axis:
                here = self.listed(here)
                here = here[self.reaches(here, axis, found)]
            found, axis = here, step.axis
        return found

    def reaches(self, of: Int32s, axis: Axis, targets: Int32s | None) -> Mask:
        """Return for each element whether a target is on an axis from it."""
        if targets is None:
            return self.has_any(of, axis)
        found: Mask = np.zeros(of.size, np.bool_)
        if axis in (Axis.SELF, Axis.DESCENDANT_OR_SELF, Axis.ANCESTOR_OR_SELF):
            found |= joins.member(of, targets)
        if axis == Axis.CHILD:
            found |= joins.has_child(self.elements, of, targets)
        elif axis == Axis.PARENT:
            found |= joins.has_parent(self.elements, of, targets)
        elif axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF):
            found |= joins.has_descendant(self.elements, of, targets)
        elif axis in (Axis.ANCESTOR, Axis.ANCESTOR_OR_SELF):
            found |= joins.has_ancestor(self.elements, of, targets)
        return found

    def has_any(self, of: Int32s, axis: Axis) -> Mask:
        """Return for each element whether its axis is not empty: content elements have none below, roots none above."""
        found: Mask = np.ones(of.size, np.bool_)
        if axis in (Axis.CHILD, Axis.DESCENDANT):
            found = ~self.elements.is_content[of]
        elif axis in (Axis.PARENT, Axis.ANCESTOR):
            found = self.elements.depth[of] > 0
        return found
