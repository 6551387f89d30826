"""Structural joins over element numbers: who has an ancestor, a parent, a descendant, a child in a set [V, section 2].

A set of elements is a sorted array of their numbers. Elements are numbered in document order, so the descendants of an
element are the numbers behind its own, up to the last content element below it; that one has no indexed descendant.
Every join below is a few binary searches of one set in another; nothing walks a tree.

The columns `parent`, `contents`, `begin` and `of_content` must be ready for the documents of the sets; `named` and
`everything` see to it, see `trix.indexer.store.elements.Elements`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.indexer.store.elements import Elements, distinct
from trix.query.matching.part import Collection
from trix.support.arrays import Int32s, Int64s, Mask

ANY = "*"
"""The name test that every indexed element passes, attributes and runs of text included."""


def everything(index: Collection) -> Int32s:
    """Return all elements of a collection."""
    found = np.arange(index.totals["elements"], dtype=np.int32)
    index.elements.structure_of_elements(found)
    return found


def parted(name: str) -> tuple[str, str]:
    """Return the prefix of a name, and the name without it.

    >>> parted("m:sec"), parted("@xml:id"), parted("sec")
    (('m', 'sec'), ('xml', '@id'), ('', 'sec'))
    """
    attribute = "@" if name[:1] == "@" else ""
    prefix, _, local = name.removeprefix("@").rpartition(":")
    return prefix, attribute + local


def passing(index: Collection, name: str, *, aliases: bool = True) -> BitMap:
    """Return the elements that pass one name of a node test, through the profile's `aliases`.

    ``@name`` is an attribute; only an element's name has aliases. A prefix counts where the profile declares it.
    """
    prefix, local = parted(name)
    tags = index.profile.aliases(local) if aliases and local[:1] != "@" else (local,)
    found = BitMap.union(BitMap(), *map(index.tagged, tags))
    namespace = index.namespace(prefix)
    return found if namespace is None else found & index.in_namespace(namespace)


def named(index: Collection, names: Iterable[str], *, aliases: bool = True) -> Int32s:
    """Return the elements that pass a node test, with their structure ready.

    Parameters
    ----------
    index
        The index asked.
    names
        Alternatives: names, ``@name`` for attributes, `ANY`; see `passing`.
    aliases
        Whether the profile's aliases apply.
    """
    wanted = tuple(names)
    if ANY in wanted:
        return everything(index)
    found = numbers(BitMap.union(BitMap(), *(passing(index, name, aliases=aliases) for name in wanted)))
    index.elements.structure_of_elements(found)
    return found


def numbers(elements: BitMap) -> Int32s:
    """Return a bitmap's members as a sorted array."""
    return np.frombuffer(elements.to_array(), np.uint32).astype(np.int32) if elements else np.zeros(0, np.int32)


def ends(elements: Elements, of: Int32s) -> Int32s:
    """Return for each element one more than the number of its last descendant, or than its own if it has none."""
    last: Int32s = elements.of_content[elements.begin[of] + elements.contents[of] - 1]
    return last + np.int32(1)


def below(numbers: Int32s, *asked: Int32s) -> list[Int32s]:
    """Return, for each array in `asked`, how many of the ascending `numbers` are less than each of its numbers.

    Where much is asked in a narrow range, a table of the range costs less than a search for each.

    >>> [places.tolist() for places in below(np.array([2, 3, 9]), np.array([9, 3]), np.array([0, 10]))]
    [[2, 1], [0, 3]]
    """
    some = [each for each in asked if each.size]
    low, high = (min(int(each.min()) for each in some), max(int(each.max()) for each in some)) if some else (0, 0)
    if _SEARCHED * sum(each.size for each in some) <= high - low:
        return [np.searchsorted(numbers, each).astype(np.int32) for each in asked]
    first, last = np.searchsorted(numbers, (low, high))
    table = np.zeros(high - low + 1, np.int32)
    table[0] = first
    table[numbers[first:last] - low + 1] = 1
    np.cumsum(table, out=table)
    return [table[each - low] for each in asked]


_SEARCHED = 2
"""Numbers of a range that a table counts in the time of one search."""


def member(of: NDArray[Any], others: NDArray[Any], place: Int32s | None = None) -> Mask:
    """Return for each number whether it is in a sorted array.

    `place` is what `below` returned for the numbers, if they have been searched for before.

    >>> member(np.array([1, 5, 7]), np.array([0, 5, 6])).tolist()
    [False, True, False]
    """
    if not others.size:
        return np.zeros(of.size, np.bool_)
    at = np.searchsorted(others, of) if place is None else place
    found: Mask = others[np.minimum(at, others.size - 1)] == of
    return found


def count_ancestors(elements: Elements, of: Int32s, others: Int32s) -> NDArray[np.intp]:
    """Return how many proper ancestors of each element are among others (sorted).

    Those that begin before it, less those that have ended by then.
    """
    ended = np.sort(ends(elements, others))
    before = np.searchsorted(others, of, side="left") - np.searchsorted(ended, of, side="right")
    return np.asarray(before, dtype=np.intp)


def ancestors(elements: Elements, of: Int32s) -> Int32s:
    """Return all proper ancestors of some elements, sorted."""
    parents = elements.parent[of]
    return with_ancestors(elements, parents[parents >= 0])


def with_ancestors(elements: Elements, of: Int32s) -> Int32s:
    """Return some elements and all their ancestors, sorted."""
    found = [distinct(of)]
    while found[-1].size:
        parents = elements.parent[found[-1]]
        found.append(distinct(parents[parents >= 0]))
    return distinct(np.concatenate(found))


def document_ranges(index: Collection, documents: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the first element number of each document, and one more than the last."""
    return index.first_elements[documents], np.append(index.first_elements, index.totals["elements"])[documents + 1]


def in_documents(index: Collection, of: Int32s) -> Int32s:
    """Return all elements of the documents that some elements (ascending) belong to, ascending."""
    if not of.size:
        return of
    documents = distinct(np.searchsorted(index.first_elements, of, side="right") - 1)
    begins, behind = document_ranges(index, documents)
    return spread(begins, behind - begins)[1].astype(np.int32)


def children(index: Collection, of: Int32s) -> tuple[Int32s, Int32s]:
    """Return the children of some elements (ascending), by parent and in document order, and the parent of each."""
    inside = in_documents(index, of)
    parents = index.elements.parent[inside]
    chosen = np.flatnonzero(member(parents, of))
    chosen = chosen[np.argsort(parents[chosen], kind="stable")]
    return inside[chosen], parents[chosen]


def paired(first: NDArray[Any], second: NDArray[Any]) -> Int64s:
    """Pack each pair of numbers into one; packed pairs sort by the first number, then by the second."""
    return (np.asarray(first, np.int64) << 32) | np.asarray(second, np.int64)


def spread(begins: NDArray[Any], sizes: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of all ranges, one range after the other, and before them the place of each number's range.

    >>> [part.tolist() for part in spread(np.array([5, 0, 1]), np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [5, 6, 1, 2, 3]]
    """
    place = np.repeat(np.arange(len(sizes)), sizes)
    return place, np.arange(place.size) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)


def has_ancestor(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return for each element whether a proper ancestor is among others (sorted)."""
    return count_ancestors(elements, of, others) > 0


def has_parent(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return for each element whether its parent is among others (sorted); a root has none."""
    return member(elements.parent[of], others)


def descendants(elements: Elements, of: Int32s, others: Int32s) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the range of places among others (sorted) that holds the proper descendants of each element."""
    return np.searchsorted(others, of, side="right"), np.searchsorted(others, ends(elements, of), side="left")


def has_descendant(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return for each element whether a proper descendant is among others (sorted)."""
    low, high = descendants(elements, of, others)
    return high > low


def has_child(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return for each element (sorted or not) whether a child is among others."""
    return member(of, distinct(elements.parent[others]))
