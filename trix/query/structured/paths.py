"""Path expressions: the elements that a path selects, for a whole collection at once [RETRIEVAL, section 8].

The steps of a path are semi-joins of sorted arrays of element numbers. The grammar has no positions, so a condition
is a property of an element, whatever the context: its path is followed backwards, from its targets.
"""

from __future__ import annotations

import numpy as np

from trix.query.language.path_tree import Condition, Path, PathExists, PathNot, PathStep, StepAxis
from trix.query.language.terms import And, Or
from trix.query.matching import joins
from trix.query.matching.part import ElementSource
from trix.support.arrays import Int32s, Mask

INVERSE = {
    StepAxis.CHILD: StepAxis.PARENT,
    StepAxis.PARENT: StepAxis.CHILD,
    StepAxis.DESCENDANT: StepAxis.ANCESTOR,
    StepAxis.ANCESTOR: StepAxis.DESCENDANT,
    StepAxis.SELF: StepAxis.SELF,
    StepAxis.DESCENDANT_OR_SELF: StepAxis.ANCESTOR_OR_SELF,
    StepAxis.ANCESTOR_OR_SELF: StepAxis.DESCENDANT_OR_SELF,
}
"""x is on an axis from y where y is on the inverse axis from x."""


def evaluate(index: ElementSource, path: Path) -> Int32s:
    """Return the ascending numbers of the elements that a path selects.

    Parameters
    ----------
    index
        The index, or a slice of it. The profile's aliases do not apply: they would change levels printed in papers.
    path
        The path, from the root of each document.
    """
    evaluator = _PathEvaluator(index)
    found = [evaluator.way(way) for way in path.ways]
    return found[0] if len(found) == 1 else np.unique(np.concatenate(found))


def passing(index: ElementSource, step: PathStep) -> Int32s | None:
    """Return the ascending elements that match a step's name test and conditions; None for all elements."""
    evaluator = _PathEvaluator(index)
    return evaluator.filtered(evaluator.named(step.names), step)


class _PathEvaluator:
    """Evaluator of paths on sorted arrays of element numbers; None stands for all elements."""

    def __init__(self, index: ElementSource) -> None:
        self.index, self.elements = index, index.elements

    def way(self, steps: tuple[PathStep, ...]) -> Int32s:
        """Evaluate one path from the roots down."""
        # None stands for all elements: they are listed only where a join needs them.
        first, *others = steps
        found: Int32s | None
        if first.axis in (StepAxis.DESCENDANT, StepAxis.DESCENDANT_OR_SELF):
            found = self.named(first.names)
        elif first.axis == StepAxis.CHILD:
            found = self.listed(self.named(first.names))
            found = found[joins.member(found, self.index.first_elements)]
        else:  # above the root there is nothing
            found = np.zeros(0, np.int32)
        found = self.filtered(found, first)
        for step in others:
            # From the targets backwards: which of the named elements have one found so far on the inverse axis.
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
        """Keep the elements that satisfy a condition."""
        if isinstance(condition, And):
            # Each condition sees what the earlier ones left.
            for part in condition.parts:
                found = self.satisfying(found, part)
            return found
        if isinstance(condition, Or):
            parts = [self.listed(self.satisfying(found, part)) for part in condition.parts]
            return np.unique(np.concatenate(parts))
        if isinstance(condition, PathNot):
            listed = self.listed(found)
            return listed[~joins.member(listed, self.listed(self.satisfying(found, condition.condition)))]
        first, targets = condition.steps[0], self.targets(condition)
        # On the self axis a side that stands for all leaves the other as it is.
        if first.axis == StepAxis.SELF and (found is None or targets is None):
            return targets if found is None else found
        listed = self.listed(found)
        return listed[self.reaches(listed, first.axis, targets)]

    def targets(self, condition: PathExists) -> Int32s | None:
        """Return the elements at a condition's first step from which its other steps lead somewhere."""
        found: Int32s | None = None
        axis: StepAxis | None = None
        # From the last step to the first: those from which the rest of the path leads somewhere.
        for step in reversed(condition.steps):
            here = self.filtered(self.named(step.names), step)
            if axis:
                here = self.listed(here)
                here = here[self.reaches(here, axis, found)]
            found, axis = here, step.axis
        return found

    def reaches(self, of: Int32s, axis: StepAxis, targets: Int32s | None) -> Mask:
        """Return which elements have a target on an axis."""
        if targets is None:
            return self.has_any(of, axis)
        found: Mask = np.zeros(of.size, np.bool_)
        if axis in (StepAxis.SELF, StepAxis.DESCENDANT_OR_SELF, StepAxis.ANCESTOR_OR_SELF):
            found |= joins.member(of, targets)
        # The other axes besides self, which `found` has already.
        if axis == StepAxis.CHILD:
            found |= joins.has_child(self.elements, of, targets)
        elif axis == StepAxis.PARENT:
            found |= joins.has_parent(self.elements, of, targets)
        elif axis in (StepAxis.DESCENDANT, StepAxis.DESCENDANT_OR_SELF):
            found |= joins.has_descendant(self.elements, of, targets)
        elif axis in (StepAxis.ANCESTOR, StepAxis.ANCESTOR_OR_SELF):
            found |= joins.has_ancestor(self.elements, of, targets)
        return found

    def has_any(self, of: Int32s, axis: StepAxis) -> Mask:
        """Return which elements have a non-empty axis: content elements have nothing below, roots nothing above."""
        found: Mask = np.ones(of.size, np.bool_)
        if axis in (StepAxis.CHILD, StepAxis.DESCENDANT):
            found = ~self.elements.is_content[of]
        elif axis in (StepAxis.PARENT, StepAxis.ANCESTOR):
            found = self.elements.depth[of] > 0
        return found
