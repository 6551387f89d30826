"""Members of a level by its definition: structural joins over a slice of an index."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trix.query.language.levels import Definition
from trix.query.matching import joins
from trix.query.matching.part import ElementSource
from trix.support.arrays import Int32s, Mask


class LevelFacts(NamedTuple):
    """Members and statistics of a level, or of a slice of it."""

    members: Int32s
    """Element numbers, ascending."""
    leftovers: int = 0
    """How many of the members are leftovers of a tag set."""
    overlapping: Int32s = np.zeros(0, np.int32)
    """Members that lie inside other members."""
    covered: int = 1
    """Characters of content elements inside members."""
    characters: int = 1
    """Characters of all content elements."""


def examined(index: ElementSource, definition: Definition) -> LevelFacts:
    """Compute a level with tags or a path, of an index or of a slice of it."""
    elements = index.elements
    own, left = members(index, definition)
    overlapping = own[joins.has_ancestor(elements, own, own)]
    elements.everything()
    inside = np.zeros(elements.of_content.size + 1, np.int64)
    # +1 where a member begins and -1 where it ends: the running sum is above 0 inside of members, also of nested ones.
    np.add.at(inside, elements.begin[own], 1)
    np.subtract.at(inside, elements.begin[own] + elements.contents[own], 1)
    lengths = elements.length[elements.of_content].astype(np.int64)
    covered = int(lengths[np.cumsum(inside)[:-1] > 0].sum())
    return LevelFacts(own, left, overlapping, covered, int(lengths.sum()))


def members(index: ElementSource, definition: Definition) -> tuple[Int32s, int]:
    """Return the ascending members of a level, and the number of leftovers among them."""
    if definition.path is not None:
        from trix.query.structured.paths import evaluate

        return evaluate(index, definition.path), 0
    everything = joins.everything(index)
    if definition.kind == "content":
        return index.elements.of_content, 0
    tagged = joins.named(index, definition.tags)
    if definition.kind == "minor":
        chosen = tagged[~joins.has_descendant(index.elements, tagged, tagged)]
    else:
        chosen = tagged[~joins.has_ancestor(index.elements, tagged, tagged)]
    left = leftovers(index, everything, tagged, chosen)
    return np.union1d(chosen, left).astype(np.int32), int(left.size)


def leftovers(index: ElementSource, everything: Int32s, tagged: Int32s, chosen: Int32s) -> Int32s:
    """Return the uppermost elements outside the chosen that neither are nor contain a tagged one, ascending."""
    elements, n = index.elements, everything.size
    tags_before = _counted(tagged, n)
    # No tagged element between an element and its end: it neither is one nor contains one.
    free = tags_before[joins.ends(elements, everything)] == tags_before[:-1]
    free &= ~_inside(index, chosen, n)
    parent = elements.parent
    upper = (parent < 0) | ~free[parent]  # all below a free element is free, so its parent tells
    left: Int32s = everything[free & upper]
    return left


def _counted(of: Int32s, n: int) -> Int32s:
    """Return, for each of 0, ..., n, how many numbers are below it."""
    counts = np.zeros(n + 1, np.int32)
    counts[of + 1] = 1
    return np.asarray(np.cumsum(counts, dtype=np.int32))


def _inside(index: ElementSource, chosen: Int32s, n: int) -> Mask:
    """Return which elements are chosen or below a chosen one."""
    depth = np.zeros(n + 1, np.int32)
    # As above, by element numbers.
    np.add.at(depth, chosen, 1)
    np.subtract.at(depth, joins.ends(index.elements, chosen), 1)
    return np.cumsum(depth)[:-1] > 0
