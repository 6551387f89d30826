"""The kinds of elements that depend on their parents, found in the markup of a document."""

from __future__ import annotations

import numpy as np

from trix.core.markup import kinds_in_parents
from trix.indexer.document.kinds import Kinds
from trix.indexer.markup.names import Alike, Told
from trix.indexer.profile.selector import NO_PARENTS, Parents


class KindsInParents:
    """Finds the kinds of elements that depend on their parents, under profiles with selectors such as ``expan/abbr``.

    The *state* of an element is the set of the profile's selectors of parents that it fits. Class and state of the
    parent decide the kind of an element, and the kind its own state. So one pass over the events of a document, from
    the root down, finds all kinds. There are few states. The kinds of a class in each are remembered for all documents.

    Parameters
    ----------
    kinds
        Of a profile.
    """

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds
        self._states: dict[Parents, int] = {NO_PARENTS: 0}

    def correct(self, told: Told, levels: int) -> None:
        """Change the kinds of a document to those that its elements have in their parents.

        Parameters
        ----------
        told
            Of the document; its kinds are changed.
        levels
            How deep elements are nested.
        """
        if not any(self._kinds[each.tag].in_parents for each in told.classes):
            return
        states = 0
        while states < len(self._states):  # the kinds in one state may lead to others
            states = len(self._states)
            for each in told.classes:
                self._complete(each)
        of_classes = np.array([each.kinds[:states] for each in told.classes], np.int32)
        after = np.array([self._states.get(kind.fits, 0) for kind in self._kinds.all], np.int32)
        kinds_in_parents(told.alike, told.tags, of_classes, after, levels, told.kinds)

    def _complete(self, alike: Alike) -> None:
        """Add the kinds of a class in states that are new to it, and the states of these kinds."""
        choose = self._kinds[alike.tag].choose
        for state in [*self._states][len(alike.kinds) :]:
            alike.kinds.append(alike.kinds[0] if choose is None else choose(alike.values, state))
        for kind in alike.kinds:
            self._states.setdefault(self._kinds.all[kind].fits, len(self._states))
