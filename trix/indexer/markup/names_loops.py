"""Compiled loops that read attributes; see `trix.indexer.markup.names`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.markup.loops import ENTITY_TAG
from trix.support.backend import kernel

CHOOSES, SAYS = 1, 2
"""Of an attribute: what an element is depends on it; what it says is asked for."""


@kernel
def find_attributes(
    data: Any,
    tags: Any,
    heads: Any,
    asked: Any,
    names: Any,
    name_ends: Any,
    meant: Any,
    alike: Any,
    told: Any,
    found: Any,
) -> Any:
    """Find attributes, and tell apart the elements of a tag by what some of these say.

    Parameters
    ----------
    data, tags, heads
        As in `scan_markup`.
    asked
        Of each tag and each attribute `CHOOSES`, `SAYS`, both or neither.
    names, name_ends, meant
        The bytes of the names of attributes, one after another, where each ends, and which attribute it is.
    alike
        As `tags`; where an attribute chooses, the class of the element is put in, behind `ENTITY_TAG`.
    told
        To fill with a row for each class: the class, or the tag, of elements without the last attribute that chooses,
        the number of that attribute, first byte and end of its value. Its size is a power of two.
    found
        To fill with a row for each attribute that says something: event, number of the attribute, first byte and end
        of the value.

    Returns
    -------
    tuple
        How many attributes there are, and how many classes; -1: there is no room for them.
    """
    slots = np.zeros(2 * len(told), np.int32)
    count = 0
    known = 0
    for event in range(tags.size):
        tag = tags[event]
        if tag < 0 or tag == ENTITY_TAG:
            continue
        own = np.int64(tag)
        at = heads[event]
        while data[at] == 32:
            begin = at + 1
            at = begin
            while data[at] != 61:  # =
                at += 1
            size = at - begin
            quote = data[at + 1]
            first = at + 2
            at = first
            while data[at] != quote:
                at += 1
            name_begin = 0
            for name in range(name_ends.size):
                use = asked[tag, meant[name]]
                if use and name_ends[name] - name_begin == size:
                    i = 0
                    while i < size and names[name_begin + i] == data[begin + i]:
                        i += 1
                    if i == size:
                        if count == len(found) or known == len(told):
                            return -1, -1
                        if use & CHOOSES:
                            row = _class_row(data, own, meant[name], first, at, slots, told, known)
                            known += row == known
                            own = np.int64(ENTITY_TAG + 1 + row)
                        if use & SAYS:
                            found[count, 0] = event
                            found[count, 1] = meant[name]
                            found[count, 2] = first
                            found[count, 3] = at
                            count += 1
                        break
                name_begin = name_ends[name]
            at += 1
        alike[event] = own
    return count, known


@kernel
def _class_row(data: Any, above: Any, number: Any, first: Any, end: Any, slots: Any, told: Any, known: Any) -> Any:
    """Return the row of a class, put in as the row `known` where it is new."""
    value = np.uint32(above * 31 + number) * np.uint32(16777619)
    for at in range(first, end):
        value = (value ^ data[at]) * np.uint32(16777619)
    slot = (value ^ (value >> np.uint32(15))) & np.uint32(slots.size - 1)
    while slots[slot] > 0:
        row = slots[slot] - 1
        same = told[row, 0] == above and told[row, 1] == number and told[row, 3] - told[row, 2] == end - first
        i = 0
        while same and first + i < end:
            same = data[told[row, 2] + i] == data[first + i]
            i += 1
        if same:
            return np.int64(row)
        slot = (slot + np.uint32(1)) & np.uint32(slots.size - 1)
    told[known, 0] = above
    told[known, 1] = number
    told[known, 2] = first
    told[known, 3] = end
    slots[slot] = known + 1
    return np.int64(known)


@kernel
def kinds_in_parents(alike: Any, tags: Any, of_classes: Any, after: Any, levels: Any, kinds: Any) -> None:
    """Find the kind of each element by its class and by the state of its parent; see `trix.indexer.markup.parents`.

    Parameters
    ----------
    alike
        As `find_attributes` fills it.
    tags
        How many tags there are.
    of_classes
        Of each tag, then of each class, the kind of its elements in each state of the parent.
    after
        Of each kind the state of its elements.
    levels
        How deep elements are nested.
    kinds
        To fill; what is no element keeps the kind that it has.
    """
    states = np.zeros(levels + 2, np.int32)  # of the element that is open at each level; the first is that of none
    depth = 0
    for at in range(alike.size):
        row = alike[at]
        if row < 0:
            depth -= 1
            continue
        if row != ENTITY_TAG:
            kinds[at] = of_classes[row if row < ENTITY_TAG else row - ENTITY_TAG - 1 + tags, states[depth]]
        depth += 1
        states[depth] = after[kinds[at]]
