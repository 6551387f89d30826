"""Matching: posting lists to candidates, frequencies and satisfied conditions [RETRIEVAL, section 3].

Only content elements have postings; their ancestors match by inference. The frequencies of an element come from its
content elements in one of two ways. Summing upwards touches each candidate once. Differences of running sums at the
ends of its range of content elements serve any set of elements.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in
from trix.core import match as kernel
from trix.core.match import count_upwards, followed, lift
from trix.errors import UsageError
from trix.indexer.store.doc_postings import DocPostings
from trix.indexer.store.elements import Elements
from trix.indexer.store.files import IndexFiles
from trix.query.language.terms import Alternatives, And, Condition, Keys, Near, Not, Term
from trix.query.matching import joins
from trix.query.matching.candidates import Candidates
from trix.support.arrays import Int32s, Int64s
from trix.support.deadline import check
from trix.support.lru_cache import LruFunction

Frequencies = NDArray[Any]
"""Counts with 32 bits; weighted counts, in thousandths, have 64 bits."""


class TermList(NamedTuple):
    """Posting list of a term: the ascending content elements that hold it, and its occurrences.

    For a phrase these are pf and the content elements with all its words. The name identifies the list in global
    statistics. A list may cover some documents only: then `whole` is the list of all documents, which gives the
    statistics.
    """

    content_numbers: Int32s
    tf: NDArray[Any]
    name: Hashable = None
    whole: DocPostings | None = None

    @property
    def m(self) -> int:
        """Number of content elements that hold the term, in the documents of the list."""
        return int(self.content_numbers.size)

    @property
    def m_of_all(self) -> int:
        """Number of content elements of all documents that hold the term."""
        return self.m if self.whole is None else self.whole.m

    @property
    def cf(self) -> int:
        """Occurrences of the term in the list."""
        return int(self.tf.sum())


KEPT_POSTINGS = 1 << 22
"""Largest number of postings in the cache of merged lists."""


class ListReader:
    """Reader of posting lists of an index. It caches lists made of several, which a search needs twice."""

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._kept: LruFunction[tuple[Keys, str], TermList] = LruFunction(
            lambda of: term_list(index, Term(of[0]), of[1]),
            KEPT_POSTINGS,
            lambda found: found.m + 1,
        )

    def __call__(self, keys: Keys, phrases: str = "content") -> TermList:
        """Return the list of `term_list`."""
        if len(keys) == 1 and isinstance(keys[0], str):
            return term_list(self._index, Term(keys))
        return self._kept((keys, phrases))


def check_phrases(index: IndexFiles, phrases: str) -> None:
    """Refuse exact phrases if the index has no positions."""
    if phrases == "exact" and not index.has_positions:
        raise UsageError("the index has no positions; build it with `positions`", field="phrases", got=phrases)


def term_list(index: IndexFiles, term: Term, phrases: str = "content") -> TermList:
    """Return a term's posting list.

    Parameters
    ----------
    index
        The searched index.
    term
        A key, a phrase or alternatives.
    phrases
        ``"content"``: all keys in one content element, pf their least tf [II]; ``"exact"``: adjacent and in order.

    Raises
    ------
    UsageError
        Exact phrases need positions, which the index does not have.
    """
    check()
    first = term.keys[0]
    if isinstance(first, Alternatives):
        return _union(index, [term_list(index, Term(keys), phrases) for keys in first.keys])
    if isinstance(first, Near):
        if not index.has_positions:
            raise UsageError(f"{first}: the index has no positions, which nearness needs; build it with `positions`")
        return _near_in_order(index, first) if first.ordered else _near(index, first)
    if len(term.keys) == 1:
        return TermList(*index.postings(first))
    check_phrases(index, phrases)
    if phrases == "exact":
        return _exact_phrase(index, [str(key) for key in term.keys])
    # A key that a phrase repeats is read once: the least tf is the same.
    lists = [TermList(*index.postings(str(key))) for key in dict.fromkeys(term.keys)]
    content_numbers = reduce(
        lambda a, b: np.intersect1d(a, b, assume_unique=True), (each.content_numbers for each in lists)
    )
    # All hold every common element, so the search finds each at its own place.
    tf = [each.tf[np.searchsorted(each.content_numbers, content_numbers)] for each in lists]
    return TermList(content_numbers, np.minimum.reduce(tf))


def _union(index: IndexFiles, lists: Sequence[TermList]) -> TermList:
    """Return the content elements that hold any alternative, with the occurrences of all of them."""
    if len(lists) == 1:
        return lists[0]
    content_numbers = np.concatenate([np.zeros(0, np.int32), *(each.content_numbers for each in lists)])
    tf = np.concatenate([np.zeros(0, np.int32), *(each.tf for each in lists)])
    if content_numbers.size > index.totals["content_elements"] // 16:  # then a table is filled sooner than sorted
        sums = np.bincount(content_numbers, tf, index.totals["content_elements"])
        numbers = np.flatnonzero(sums)
        return TermList(numbers.astype(np.int32), sums[numbers].astype(np.int32))
    distinct_numbers, places = np.unique(content_numbers, return_inverse=True)
    return TermList(distinct_numbers, np.bincount(places.reshape(-1), tf, distinct_numbers.size).astype(np.int32))


def _exact_phrase(index: IndexFiles, keys: Sequence[str]) -> TermList:
    read = {key: index.positions(key) for key in dict.fromkeys(keys)}
    # Begin with the rarest key and keep its occurrences that have each other key at the right distance.
    rarest, *others = sorted(range(len(keys)), key=lambda place: read[keys[place]][2].size)
    found = read[keys[rarest]]
    for place in others:
        with damage_in(f"{index.path}: a position list"):
            found = followed(*found, *read[keys[place]], place - rarest)
    return TermList(*found[:2])


def _positions(index: IndexFiles, keys: Sequence[str]) -> tuple[dict[str, tuple[Any, Any, Any]], Int32s]:
    """Return the postings and positions of each key, and the content elements that hold all of them."""
    read = {key: index.positions(key) for key in dict.fromkeys(keys)}
    lists: list[Int32s] = sorted((contents for contents, *_ in read.values()), key=len)
    return read, reduce(lambda few, many: few[joins.member(few, many)], lists)


def _where(contents: Any, tf: Any, positions: Any, within: Int32s) -> tuple[Int64s, Int64s]:
    """Return the occurrences of a key in some content elements, as packed numbers and as positions."""
    chosen = joins.member(contents, within)
    inside = np.repeat(chosen, tf)
    positions = positions[inside]
    return (np.repeat(contents[chosen].astype(np.int64), tf[chosen]) << 32) + positions, positions


def _near(index: IndexFiles, near: Near) -> TermList:
    """Count the shortest stretches of each content element that hold all keys; see `stretches` for the definition.

    A stretch that ends at an occurrence begins at the least recent of the keys' last occurrences. Of all stretches
    that begin at one place, the first to end is a shortest one.
    """
    read, common = _positions(index, near.keys)
    places = [_where(*of, common)[0] for of in read.values()]
    # All occurrences of all keys, in text order, each as content element and position in one number.
    every = np.concatenate(places)
    of = np.repeat(np.arange(len(places)), [each.size for each in places])
    order = np.argsort(every, kind="stable")
    every, of = every[order], of[order]
    # For each occurrence: the last occurrence of each key so far; the earliest of these begins a stretch with all keys.
    begin = np.minimum.reduce(
        [np.maximum.accumulate(np.where(of == number, every, -1)) for number in range(len(places))]
    )
    # Of the stretches with one begin, only the first to end is shortest. -1 means that some key has not occurred yet;
    # the upper halves differ if the stretch leaves its content element.
    first = np.concatenate([[True], begin[1:] != begin[:-1]]) if begin.size else np.zeros(0, np.bool_)
    whole = first & (begin >= 0) & (begin >> 32 == every >> 32) & (every - begin <= near.within)
    found, counts = np.unique(every[whole] >> 32, return_counts=True)
    return TermList(found.astype(np.int32), counts.astype(np.int32))


def _near_in_order(index: IndexFiles, near: Near) -> TermList:
    """Count the shortest stretches of each content element that hold all keys in order; see `stretches`.

    From key to key each occurrence keeps the latest begin of a stretch that ends there. Among occurrences that end a
    stretch these begins ascend with the text, so the nearest occurrence before has the latest.
    """
    read, held = _positions(index, near.keys)
    places = {key: np.sort(_where(*of, held)[0]) for key, of in read.items()}
    ends = begins = places[near.keys[0]]
    for key in near.keys[1:]:
        here = places[key]
        before = np.searchsorted(ends, here) - 1
        # Packed numbers of two content elements are farther apart than any distance of a query.
        reached = before >= 0
        reached[reached] = here[reached] - ends[before[reached]] <= near.within
        ends, begins = here[reached], begins[before[reached]]
    # Of the stretches with one begin, only the first to end is shortest.
    found, counts = np.unique(np.unique(begins) >> 32, return_counts=True)
    return TermList(found.astype(np.int32), counts.astype(np.int32))


class Match(NamedTuple):
    """The candidates of some lists, and the frequencies (T, n) of each list in each candidate."""

    candidates: Candidates
    kf: Frequencies
    xi_k: Frequencies


def match(index: IndexFiles, lists: Sequence[TermList]) -> Match:
    """Return the elements that hold a posting of any list, with their frequencies."""
    elements = index.elements
    # All lists one after another, with the offset of each: one kernel call lifts them together.
    content_numbers = np.concatenate([each.content_numbers for each in lists])
    offsets = np.cumsum([0, *(each.m for each in lists)])
    # Decompress the blocks of the element table that the postings need, before the kernel reads them.
    elements.structure_of_contents(content_numbers)
    with damage_in(f"{index.path}: a posting list or the element table"):
        columns, is_content, place = lift(content_numbers, offsets, elements.content_rows, elements.rows)
    check()
    tf = np.concatenate([each.tf for each in lists])
    kf, xi_k = count_upwards(place, tf, offsets, columns[1])
    element, parent, root, depth, begin, end = columns
    return Match(Candidates(element, parent, root, depth, begin, end, is_content), kf, xi_k)


def frequencies(candidates: Candidates, lists: Sequence[TermList]) -> tuple[Frequencies, Frequencies]:
    """Return kf and ξ_k, (T, n) each, for any candidates: running sums at the ends of their ranges."""
    # The widest type among the lists: weighted counts have 64 bits.
    kind = np.result_type(np.int32, *(each.tf for each in lists))
    kf, xi_k = np.empty((len(lists), len(candidates)), kind), np.empty((len(lists), len(candidates)), np.int32)
    for t, each in enumerate(lists):
        kernel.frequencies(each.content_numbers, each.tf, candidates.begin, candidates.end, kf[t], xi_k[t])
    return kf, xi_k


def whole_documents(index: IndexFiles, candidates: Candidates) -> Candidates:
    """Return all indexed elements of the candidates' documents."""
    documents = index.documents_of(candidates.element[candidates.depth == 0])
    ranges = [index.document_range(int(document)) for document in documents]
    found = np.concatenate([np.arange(low, high, dtype=np.int32) for low, high in ranges])
    index.elements.structure_of_elements(found)
    return _candidates(index.elements, found)


def elements_of(index: IndexFiles, content_numbers: Int32s) -> Int32s:
    """Return the ascending elements that are, or contain, one of some content elements."""
    index.elements.structure_of_contents(content_numbers)
    return joins.with_ancestors(index.elements, index.elements.of_content[content_numbers])


def candidates_of(index: IndexFiles, elements: Int32s) -> Candidates:
    """Return some elements and all their ancestors."""
    index.elements.structure_of_elements(elements)
    found = joins.with_ancestors(index.elements, elements)
    return _candidates(index.elements, found)


def _candidates(elements: Elements, found: Int32s) -> Candidates:
    """Return the columns of elements that include all their ancestors."""
    depth: Any = elements.depth[found]
    parent = elements.parent[found]
    begin = elements.begin[found]
    places = np.arange(found.size, dtype=np.int32)
    return Candidates(
        element=found,
        # The set is closed under ancestors, so the number of elements below a parent's is the parent's place.
        parent=np.where(parent < 0, np.int32(-1), joins.below(found, parent)[0]),
        # Documents follow each other: the last root so far is that of the element.
        root=np.maximum.accumulate(np.where(depth == 0, places, 0)),
        depth=depth,
        begin=begin,
        end=begin + elements.contents[found],
        content=elements.is_content[found],
    )


def satisfied(
    index: IndexFiles, candidates: Candidates, condition: Condition, phrases: str, known: Mapping[Keys, TermList]
) -> NDArray[np.bool_]:
    """Return which candidates satisfy a condition.

    Parameters
    ----------
    index, candidates, condition
        The index, the candidates, and the condition.
    phrases
        Kind of phrases, as in the options of a search.
    known
        Lists of terms that are already read.
    """
    if isinstance(condition, Term):
        of = known.get(condition.keys) or term_list(index, condition, phrases)
        return np.asarray(frequencies(candidates, [of])[1][0] > 0)
    if isinstance(condition, Not):
        return ~satisfied(index, candidates, condition.condition, phrases, known)
    join = np.logical_and if isinstance(condition, And) else np.logical_or
    return np.asarray(join.reduce([satisfied(index, candidates, part, phrases, known) for part in condition.parts]))
