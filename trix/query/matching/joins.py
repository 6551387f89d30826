"""Structural joins over element numbers: ancestors, parents, descendants and children in a set [V, section 2].

A set of elements is a sorted array of their numbers. Elements are numbered in document order, so the descendants of
an element are the numbers after its own, up to its last content element, which has no indexed descendant. Each join
is a few binary searches of one set in another; nothing walks a tree.

The columns `parent`, `contents`, `begin` and `of_content` must be ready for the documents of the sets, which `named`
and `everything` ensure; see `trix.indexer.store.elements.Elements`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.indexer.store.elements import Elements, distinct
from trix.query.matching.part import ElementSource
from trix.support.arrays import Int32s, Int64s, Mask

ANY = "*"
"""The name test that every indexed element passes, attributes and runs of text included."""


def everything(index: ElementSource) -> Int32s:
    """Return all elements of a collection."""
    found = np.arange(index.totals["elements"], dtype=np.int32)
    index.elements.structure_of_elements(found)
    return found


def parted(name: str) -> tuple[str, str]:
    """Split a name into its prefix and local name.

    >>> parted("m:sec"), parted("@xml:id"), parted("sec")
    (('m', 'sec'), ('xml', '@id'), ('', 'sec'))
    """
    attribute = "@" if name[:1] == "@" else ""
    prefix, _, local = name.removeprefix("@").rpartition(":")
    return prefix, attribute + local


def passing(index: ElementSource, name: str, *, aliases: bool = True) -> BitMap:
    """Return the elements that match one name of a node test, through the profile's `aliases`.

    ``@name`` is an attribute; only names of elements have aliases. A prefix counts if the profile declares it.
    """
    prefix, local = parted(name)
    tags = index.profile.aliases(local) if aliases and local[:1] != "@" else (local,)
    found = BitMap.union(BitMap(), *map(index.tagged, tags))
    namespace = index.namespace(prefix)
    return found if namespace is None else found & index.in_namespace(namespace)


def named(index: ElementSource, names: Iterable[str], *, aliases: bool = True) -> Int32s:
    """Return the elements that match a node test, with their structure ready.

    Parameters
    ----------
    index
        The searched index.
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
    """Return, for each element, one more than the number of its last descendant-or-self."""
    # The last content element is the last of all: nothing below it is indexed.
    last: Int32s = elements.of_content[elements.begin[of] + elements.contents[of] - 1]
    return last + np.int32(1)


def below(numbers: Int32s, *values: Int32s) -> list[Int32s]:
    """Return, for each array in `values`, the number of ascending `numbers` below each of its values.

    For many values in a narrow range, a table of the range is cheaper than binary searches.

    >>> [places.tolist() for places in below(np.array([2, 3, 9]), np.array([9, 3]), np.array([0, 10]))]
    [[2, 1], [0, 3]]
    """
    some = [each for each in values if each.size]
    low, high = (min(int(each.min()) for each in some), max(int(each.max()) for each in some)) if some else (0, 0)
    # Few values in a wide range: search each.
    if _SEARCHED * sum(each.size for each in some) <= high - low:
        return [np.searchsorted(numbers, each).astype(np.int32) for each in values]
    # Else a table over the range: 1 at the place after each number, so that its running sum counts the numbers below.
    first, last = np.searchsorted(numbers, (low, high))
    table = np.zeros(high - low + 1, np.int32)
    table[0] = first
    table[numbers[first:last] - low + 1] = 1
    np.cumsum(table, out=table)
    return [table[each - low] for each in values]


_SEARCHED = 2
"""Width of a range, per searched value, up to which a table is cheaper than binary searches."""


def member(of: NDArray[Any], others: NDArray[Any], place: Int32s | None = None) -> Mask:
    """Return which numbers are in a sorted array.

    `place` is the result of `below` for the numbers, if it is known.

    >>> member(np.array([1, 5, 7]), np.array([0, 5, 6])).tolist()
    [False, True, False]
    """
    if not others.size:
        return np.zeros(of.size, np.bool_)
    # A number greater than all others would fall off the end; comparing it with the last one gives False as well.
    at = np.searchsorted(others, of) if place is None else place
    found: Mask = others[np.minimum(at, others.size - 1)] == of
    return found


def count_ancestors(elements: Elements, of: Int32s, others: Int32s) -> NDArray[np.intp]:
    """Count the proper ancestors of each element among others (sorted): those begun before it, less those ended by
    then.
    """
    # Elements are nested or disjoint. Of the others that began before an element, those that have not ended contain it.
    ended = np.sort(ends(elements, others))
    before = np.searchsorted(others, of, side="left") - np.searchsorted(ended, of, side="right")
    return np.asarray(before, dtype=np.intp)


def ancestors(elements: Elements, of: Int32s) -> Int32s:
    """Return all proper ancestors of some elements, sorted."""
    parents = elements.parent[of]
    return with_ancestors(elements, parents[parents >= 0])


def with_ancestors(elements: Elements, of: Int32s) -> Int32s:
    """Return some elements and all their ancestors, sorted."""
    # One level a round, for all elements at once; joined branches continue as one.
    found = [distinct(of)]
    while found[-1].size:
        parents = elements.parent[found[-1]]
        found.append(distinct(parents[parents >= 0]))
    return distinct(np.concatenate(found))


def document_ranges(index: ElementSource, documents: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the first element number of each document, and one more than the last."""
    return index.first_elements[documents], np.append(index.first_elements, index.totals["elements"])[documents + 1]


def in_documents(index: ElementSource, of: Int32s) -> Int32s:
    """Return all elements of the documents of some ascending elements, ascending."""
    if not of.size:
        return of
    # A document is a range of numbers, so its elements need no look-up.
    documents = distinct(np.searchsorted(index.first_elements, of, side="right") - 1)
    begins, behind = document_ranges(index, documents)
    return spread(begins, behind - begins)[1].astype(np.int32)


def children(index: ElementSource, of: Int32s) -> tuple[Int32s, Int32s]:
    """Return the children of some ascending elements, by parent and in document order, and the parent of each."""
    inside = in_documents(index, of)
    parents = index.elements.parent[inside]
    chosen = np.flatnonzero(member(parents, of))
    # Stable: under each parent the children stay in document order.
    chosen = chosen[np.argsort(parents[chosen], kind="stable")]
    return inside[chosen], parents[chosen]


def paired(first: NDArray[Any], second: NDArray[Any]) -> Int64s:
    """Pack each pair of numbers into one; packed pairs sort by the first number, then by the second."""
    return (np.asarray(first, np.int64) << 32) | np.asarray(second, np.int64)


def spread(begins: NDArray[Any], sizes: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of all ranges, concatenated, and the index of each number's range.

    >>> [part.tolist() for part in spread(np.array([5, 0, 1]), np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [5, 6, 1, 2, 3]]
    """
    place = np.repeat(np.arange(len(sizes)), sizes)
    return place, np.arange(place.size) + np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)


def has_ancestor(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return which elements have a proper ancestor among others (sorted)."""
    return count_ancestors(elements, of, others) > 0


def has_parent(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return which elements have their parent among others (sorted)."""
    return member(elements.parent[of], others)


def descendants(elements: Elements, of: Int32s, others: Int32s) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return, for each element, the range of indices of its proper descendants among others (sorted)."""
    # The side "right" leaves out the element itself; its end is one more than its last descendant.
    return np.searchsorted(others, of, side="right"), np.searchsorted(others, ends(elements, of), side="left")


def has_descendant(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return which elements have a proper descendant among others (sorted)."""
    low, high = descendants(elements, of, others)
    return high > low


def has_child(elements: Elements, of: Int32s, others: Int32s) -> Mask:
    """Return which elements (in any order) have a child among others."""
    return member(of, distinct(elements.parent[others]))
