"""Term-at-a-time scoring of queries with many terms.

The usual scorer has a row of all candidates for every term. That is fast for the few terms that people type, but its
cost grows with their square: ten thousand terms would take tens of gigabytes. Here each term is weighed only in the
elements that hold it, so time and memory are linear in the postings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core.match import lift_each
from trix.indexer.store.files import IndexFiles
from trix.query.language.terms import Keys, Query, Sign
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList, candidates_of, elements_of
from trix.query.scoring.models import Model
from trix.query.scoring.weights import einstein, times
from trix.support.arrays import Floats, Int32s

MANY = 64
"""Largest number of distinct terms for which a row of all candidates per term is faster."""

AT_ONCE = 1 << 18
"""Number of postings lifted to ancestors together."""


class TermPlaces(NamedTuple):
    """Candidates that hold a term, by index and each once, with the frequencies there."""

    places: Int32s
    kf: NDArray[Any]
    xi_k: Int32s


def candidates(index: IndexFiles, lists: Sequence[TermList]) -> Candidates:
    """Return the elements that hold a posting of any of the lists."""
    # A flag a content element: with thousands of lists cheaper than merging them.
    holds = np.zeros(index.totals["content_elements"], np.bool_)
    for each in lists:
        holds[each.content_numbers] = True
    return candidates_of(index, elements_of(index, np.flatnonzero(holds).astype(np.int32)))


def holding_all(index: IndexFiles, lists: Sequence[TermList]) -> Int32s:
    """Return the ascending elements that hold all terms, intersecting from the rarest term on."""
    # The rarest term gives the fewest elements; every other term then only removes some.
    first, *others = sorted(lists, key=lambda each: each.m)
    found = elements_of(index, first.content_numbers)
    begin, counts = index.elements.begin, index.elements.contents
    for each in others:
        low = np.searchsorted(each.content_numbers, begin[found])
        found = found[np.searchsorted(each.content_numbers, begin[found] + counts[found]) > low]
    return found


def holders(index: IndexFiles, among: Candidates, lists: Sequence[TermList]) -> Iterator[TermPlaces]:
    """Yield the candidates that hold each list."""
    # From a content element to its candidate, in one look-up a posting.
    place_of = np.full(index.totals["content_elements"], -1, np.int32)
    own = np.flatnonzero(among.content)
    place_of[among.begin[own]] = own
    begun = 0
    # Batches of lists with a bounded number of postings, so that memory does not grow with the query.
    while begun < len(lists):
        end, postings = begun, 0
        while end < len(lists) and (end == begun or postings + lists[end].m <= AT_ONCE):
            postings += lists[end].m
            end += 1
        yield from _lifted(index, among, place_of, lists[begun:end])
        begun = end


def _lifted(index: IndexFiles, among: Candidates, place_of: Int32s, lists: Sequence[TermList]) -> Iterator[TermPlaces]:
    content_numbers = np.concatenate([each.content_numbers for each in lists])
    tf = np.concatenate([each.tf for each in lists])
    term = np.repeat(np.arange(len(lists)), [each.m for each in lists])
    place = place_of[content_numbers]
    # Content elements that are no candidates themselves: their postings count for the nearest candidate above.
    lost = np.flatnonzero(place < 0)
    place[lost] = _nearest(index, among, content_numbers[lost])
    inside = place >= 0
    place, tf, term = place[inside], tf[inside], term[inside]
    offsets = np.searchsorted(term, np.arange(len(lists) + 1))
    room = int((among.depth[place].astype(np.int64) + 1).sum())
    cut, places, kf, xi_k = lift_each(place, tf, offsets, among.parent, room)
    for t in range(len(lists)):
        here = slice(cut[t], cut[t + 1])
        yield TermPlaces(places[here], kf[here], xi_k[here])


def _nearest(index: IndexFiles, among: Candidates, content_numbers: Int32s) -> Int32s:
    """Return the index of each content element's nearest ancestor among the candidates; -1 for none."""
    place = np.full(content_numbers.size, -1, np.int32)
    if not content_numbers.size:
        return place
    index.elements.structure_of_contents(content_numbers)
    element = index.elements.of_content[content_numbers]
    open_ = np.arange(element.size)
    # Climb one level for all content elements that have not met a candidate yet.
    while open_.size:
        at = np.minimum(np.searchsorted(among.element, element[open_]), len(among) - 1)
        there = among.element[at] == element[open_]
        place[open_[there]] = at[there]
        element[open_] = index.elements.parent[element[open_]]
        open_ = open_[~there]
        open_ = open_[element[open_] >= 0]
    return place


def score(
    query: Query,
    model: Model,
    how: str,
    size: int,
    weighed: Callable[[Sequence[Keys]], Iterator[tuple[Int32s, Floats]]],
) -> Floats:
    """Return the combined weights of all terms, ``(size,)``.

    Parameters
    ----------
    query
        The terms. Under `average` and `sum`, equal terms are merged at the place of the first.
    model
        Applies the signs.
    how
        Combination of weights, see `trix.query.scoring.weights.combine`.
    size
        Number of candidates.
    weighed
        Yields the indices of a term's candidates and its unsigned weights there.
    """
    total = np.zeros(size)
    if how == "einstein":  # here the order matters
        kept = dict(zip(_distinct(query), weighed(_distinct(query)), strict=True))
        for term in query.terms:
            places, weights = kept[term.keys]
            signed = times(model.signed(weights, term.sign), term.weight, how)
            total[places] = einstein(total[places], signed)
        return total
    signs: Mapping[Keys, dict[Sign, float]] = {keys: {} for keys in _distinct(query)}
    for term in query.terms:
        signs[term.keys][term.sign] = signs[term.keys].get(term.sign, 0) + term.weight
    for keys, (places, weights) in zip(signs, weighed(list(signs)), strict=True):
        for sign, count in signs[keys].items():
            total[places] += count * np.asarray(model.signed(weights, sign))
    return total / sum(term.weight for term in query.terms) if how == "average" else total


def _distinct(query: Query) -> list[Keys]:
    return list(dict.fromkeys(term.keys for term in query.terms))
