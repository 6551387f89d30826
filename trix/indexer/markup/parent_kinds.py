"""Kinds of elements that depend on their parents, computed from markup."""

from __future__ import annotations

import numpy as np

from trix.core.markup import kinds_in_parents
from trix.indexer.document.kinds import ElementKinds
from trix.indexer.markup.names import DocumentAttributes, ElementClass
from trix.indexer.profile.selector import NO_PARENTS, Parents


class KindsInParents:
    """Computes kinds under profiles with parent selectors such as ``expan/abbr``.

    The *state* of an element is the set of parent selectors that it matches. The class of an element and the state of
    its parent decide its kind, and the kind decides its own state. One pass over the events from the root down
    therefore finds all kinds. States are few; the kinds of each class and state are cached for all documents.

    Parameters
    ----------
    kinds
        Kinds of a profile.
    """

    def __init__(self, kinds: ElementKinds) -> None:
        self._kinds = kinds
        self._states: dict[Parents, int] = {NO_PARENTS: 0}

    def correct(self, attrs: DocumentAttributes, levels: int) -> None:
        """Replace the kinds of a document by those that hold in their parents.

        Parameters
        ----------
        attrs
            Attributes of the document; its kinds are changed in place.
        levels
            Depth of the tree.
        """
        if not any(self._kinds[each.tag].in_parents for each in attrs.classes):
            return
        states = 0
        while states < len(self._states):  # kinds of new states may lead to further states: iterate to a fixed point
            states = len(self._states)
            for each in attrs.classes:
                self._complete(each)
        of_classes = np.array([each.kinds[:states] for each in attrs.classes], np.int32)
        # State that each kind leads to, for its children.
        after = np.array([self._states.get(kind.fits, 0) for kind in self._kinds.all], np.int32)
        kinds_in_parents(attrs.event_classes, attrs.tags, of_classes, after, levels, attrs.kinds)

    def _complete(self, element_class: ElementClass) -> None:
        """Add the kinds of a class in new states, and the states of these kinds."""
        choose = self._kinds[element_class.tag].choose
        for state in [*self._states][len(element_class.kinds) :]:
            element_class.kinds.append(
                element_class.kinds[0] if choose is None else choose(element_class.values, state)
            )
        for kind in element_class.kinds:
            self._states.setdefault(self._kinds.all[kind].fits, len(self._states))
