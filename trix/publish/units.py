"""Units of a static search: the elements that a browser ranks, as columns [SITE, section 2].

A unit is an element of at least `SHORTEST` characters outside quiet parts. One that says the same as the unit around it
and has no title of its own is left out: it has the same score, and of equal ones the outer one is returned.

Content elements that are no units count in the nearest unit around them. Those in quiet parts count in a quiet row of
that unit, which is never returned.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.matching.joins import numbers
from trix.query.matching.section_titles import SectionTitles
from trix.support.arrays import Int32s, Int64s, Ints, Mask

SHORTEST = 300
"""Characters of the shortest unit, as in the preset `static`; a shorter document is a unit as a whole."""


class Units(NamedTuple):
    """Units of an index, ancestors before descendants; quiet rows follow what they belong to.

    Attributes
    ----------
    element
        ``(n,)`` element numbers; that of the nearest unit for a quiet row.
    parent
        ``(n,)`` row of the parent; -1 for a document.
    is_returned
        ``(n,)`` whether the row may be a result.
    is_quiet
        ``(n,)`` whether it is a quiet row: its words are found only together with others.
    keys
        ``(n,)`` keys in the content elements of the row itself.
    row_of
        ``(n_contents,)`` row of each content element.
    documents
        ``(n_documents,)`` row of each document, -1 for one without text.
    """

    element: Int32s
    parent: Int32s
    is_returned: Mask
    is_quiet: Mask
    keys: Int64s
    row_of: Int32s
    documents: Int32s


def quiet_elements(files: IndexFiles) -> Mask:
    """Return which elements are in quiet parts: the nearest mark on the path decides, ``(n_elements,)``."""
    files.elements.everything()
    parent = files.elements.parent
    own = np.arange(parent.size, dtype=np.int32)
    quiet, marked = np.zeros(parent.size, np.bool_), np.zeros(parent.size, np.bool_)
    quiet[numbers(files.marked("quiet"))] = True
    marked[numbers(files.marked("loud"))] = True
    decides = np.where(quiet | marked | (parent < 0), own, parent)
    while not np.array_equal(further := decides[decides], decides):
        decides = further
    found: Mask = quiet[decides]
    return found


def units_of(files: IndexFiles, titles: SectionTitles, quiet: Mask) -> Units:
    """Return the units of an index with its titles and its `quiet_elements`."""
    table = files.elements
    table.everything()
    parent, length = np.asarray(table.parent), np.asarray(table.length)
    document = np.cumsum(parent < 0) - 1
    size = length[np.flatnonzero(parent < 0)]
    # A short document has no element that is long enough: those as long as itself take their place.
    is_unit = ~quiet & (length >= np.minimum(SHORTEST, size[document] if size.size else 0))
    is_unit |= parent < 0
    is_unit &= ~_repeats(files, is_unit, titles)
    holds = _with_ancestors(is_unit, parent)  # quiet elements with units inside carry titles down to these
    chosen = np.flatnonzero(holds)
    nearest = _nearest(holds, parent)
    # Content elements: in the nearest unit, or in a quiet row of it.
    of_content = np.asarray(table.of_content)[: files.totals["content_elements"]]
    home, is_hidden = nearest[of_content], quiet[of_content]
    with_quiet = np.unique(home[is_hidden])
    rows = np.sort(np.concatenate([2 * chosen.astype(np.int64), 2 * with_quiet.astype(np.int64) + 1]))
    element, is_quiet = (rows >> 1).astype(np.int32), (rows & 1).astype(np.bool_)
    place = np.full(parent.size, -1, np.int32)
    place[element[~is_quiet]] = np.flatnonzero(~is_quiet)
    up = parent[element]
    around = np.where(is_quiet, place[element], np.where(up >= 0, place[nearest[np.maximum(up, 0)]], -1))
    row_of = np.searchsorted(rows, 2 * home.astype(np.int64) + is_hidden).astype(np.int32)
    every = np.arange(of_content.size)
    keys = np.bincount(row_of, weights=table.tokens(every, every + 1), minlength=rows.size).astype(np.int64)
    roots = np.full(len(files.ids), -1, np.int32)
    roots[files.documents_of(np.flatnonzero(parent < 0))] = place[np.flatnonzero(parent < 0)]
    return Units(element, around.astype(np.int32), is_unit[element] & ~is_quiet, is_quiet, keys, row_of, roots)


def _repeats(files: IndexFiles, is_unit: Mask, titles: SectionTitles) -> Mask:
    """Return which elements have the content elements of their parent, a unit, and the same titles."""
    table = files.elements
    begin, contents, parent = (np.asarray(column) for column in (table.begin, table.contents, table.parent))
    around = np.maximum(parent, 0)
    same: Mask = (parent >= 0) & is_unit[around] & (begin == begin[around]) & (contents == contents[around])
    same[titles.above] = False
    same[titles.child[titles.child >= 0]] = False
    return same


def _with_ancestors(chosen: Mask, parent: Int32s) -> Mask:
    found = chosen.copy()
    layer = np.flatnonzero(chosen)
    while layer.size:
        layer = np.unique(parent[layer])
        layer = layer[layer >= 0]
        layer = layer[~found[layer]]
        found[layer] = True
    return found


def _nearest(chosen: Mask, parent: Int32s) -> Int32s:
    """Return the nearest chosen element around each, itself included; roots are chosen."""
    at = np.where(chosen, np.arange(parent.size, dtype=np.int32), parent)
    while not chosen[at].all():
        at = np.where(chosen[at], at, at[at])
    return at


def in_titles(files: IndexFiles, units: Units, titles: SectionTitles) -> Mask:
    """Return which rows are titles or in titles, whose words do not count for them, ``(n,)``."""
    found = np.zeros(units.element.size, np.bool_)
    if not titles.begin.size:
        return found
    table, inside = files.elements, np.flatnonzero(titles.child >= 0)
    # The deepest element that a title counts for is its parent, and the child on the way is the title itself.
    deepest = np.full(titles.begin.size, -1, np.int64)
    np.maximum.at(deepest, titles.title[inside], titles.child[inside])
    own = np.flatnonzero(deepest >= 0)
    last = np.asarray(table.of_content)[titles.end[own] - 1]
    for begin, end in zip(*np.searchsorted(units.element, (deepest[own], last + 1)), strict=True):
        found[begin:end] = True
    return found


class TitleRows(NamedTuple):
    """Titles of an index, and the rows that each counts for.

    Attributes
    ----------
    begin, end
        ``(n,)`` ascending, disjoint ranges of content elements, one a title.
    first
        ``(n + 1,)`` beginning of the rows of each title.
    row
        ``(m,)`` the rows, by title.
    """

    begin: Ints
    end: Ints
    first: Ints
    row: Ints


def titles_of(files: IndexFiles, units: Units, titles: SectionTitles) -> TitleRows:
    """Return the titles that count in units and all below them, as the form ``titles:own=1`` takes them."""
    place = np.full(files.totals["elements"], -1, np.int64)
    real = np.flatnonzero(~units.is_quiet)
    place[units.element[real]] = real
    row = place[titles.above]
    pairs = np.unique((titles.title[row >= 0].astype(np.int64) << 32) + row[row >= 0])
    first = np.searchsorted(pairs, np.arange(titles.begin.size + 1, dtype=np.int64) << 32)
    return TitleRows(titles.begin, titles.end, first, (pairs & 0xFFFFFFFF).astype(np.int64))
