"""Known items first: elements that a query names go before the results of its words [QUERY, section 19]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from trix.query.matching.joins import ends
from trix.query.naming.known_items import KnownItem, notice_of
from trix.query.options import Options
from trix.query.ranking.organise import GROUPED, STRATEGIES
from trix.query.ranking.overlap_filter import Places, collapsed, running_count
from trix.query.search import Searcher
from trix.support.arrays import Floats, Int32s, Ints, Mask

if TYPE_CHECKING:
    from trix.query.candidate_scores import CandidateScores
    from trix.query.strategies.answer import Answer

MORE = 8
"""Number of extra results per known item, to replace those that overlap with it."""


def admitted(items: Sequence[KnownItem], searcher: Searcher, options: Options) -> list[KnownItem]:
    """Return the known items that options admit, without overlap among them if results must not overlap.

    A preset's limits on sizes and non-returnable parts do not apply: a query that names an element wants that
    element.
    """
    index = searcher.index
    elements = np.array([item.element for item in items], np.int32)
    # Tests of levels and filters want ascending elements; the items keep their own order.
    order = np.argsort(elements)
    ordered = elements[order]
    good = np.ones(elements.size, np.bool_)
    if options.where is not None:
        good &= searcher.restriction.holds(options.where, options.accents, ordered)
    if options.level is not None:
        good &= searcher.levels.apart(options.level).holds(ordered)
    if options.language is not None:
        good &= index.in_language(ordered, options.language)
    if options.size is not None and "size" not in options.preset.decides:
        index.elements.printed_of(ordered)
        good &= options.size.missing(index.elements.length[ordered]) <= 1
    fitting = {int(element) for element in ordered[good]}
    kept = list[KnownItem]()
    # Greedy, in the order of the names: an item that overlaps an earlier one is dropped.
    for item in items:
        if (
            item.element in fitting
            and not _overlapping(searcher, options, [each.element for each in kept], [item.element]).any()
        ):
            kept.append(item)
    return kept


def promoted(
    items: Sequence[KnownItem],
    options: Options,
    searcher: Searcher,
    answer: Callable[[Options], Answer],
    score: Callable[[Int32s, Answer], CandidateScores | None],
) -> Answer:
    """Return an answer with known items first.

    The others keep their order. Those that overlap a known item are dropped if results must not overlap, and known
    items count towards the results of their documents.

    Parameters
    ----------
    items
        At least one, see `admitted`.
    options, searcher
        Of the search.
    answer
        Returns the answer without known items, with other options.
    score
        Scores all elements of the documents of some known items.
    """
    top, more = options.top, MORE * len(items)
    known = np.array([item.element for item in items], np.int32)
    while True:
        # Overlapping results fall out, so some more are asked for. If too few are left, four times as many more, until
        # the answer has no further ones.
        ask = None if top is None else top + more
        found = answer(replace(options, top=ask))
        others = np.flatnonzero(~_overlapping(searcher, options, known.tolist(), found.elements))
        elements = np.concatenate([known, found.elements[others]])
        order = _limited(searcher, options, elements)
        if ask is None or top is None or found.elements.size < ask or order.size >= top:
            break
        more *= 4
    scores, own = _scores(known, found, score)
    order = order[:top]
    shown = len({*order.tolist()} & {*range(known.size)})
    matched = found.matched
    return found._replace(
        elements=elements[order],
        scores=np.concatenate([scores, found.scores[others]])[order],
        own=np.concatenate([own, found.own[others]])[order],
        matched=matched if callable(matched) else max(matched, known.size),
        notices=(*notice_of(items[:shown]), *found.notices),
        known=tuple(items[:shown]),
    )


def _overlapping(searcher: Searcher, options: Options, known: Sequence[int], elements: Int32s | Sequence[int]) -> Mask:
    """Return which elements overlap known items or are known items; only the latter if results may overlap."""
    found, table = np.asarray(elements, np.int32), searcher.index.elements
    lost = np.isin(found, known)
    rule = options.overlap or STRATEGIES[options.strategy or "focused"]
    if rule == "full" or not found.size or not len(known):
        return lost
    items = np.array(known, np.int32)
    ordered = np.sort(np.concatenate([found, items]))
    table.structure_of_elements(ordered)
    ended = ends(table, found)
    # Two ranges overlap if each begins before the other ends. Known items are few, so one pass for each.
    for item, end in zip(items.tolist(), ends(table, items).tolist(), strict=True):
        lost |= (found < end) & (ended > item)
    return lost


def _limited(searcher: Searcher, options: Options, elements: Int32s) -> Places:
    """Return the indices of results, in order, under the limits per document."""
    strategy, most, first = options.strategy, options.per_document, options.spread
    places = np.arange(elements.size, dtype=np.int32)
    # Documents are looked up for ascending elements.
    order = np.argsort(elements, kind="stable")
    documents = np.empty(elements.size, np.int32)
    documents[order] = searcher.index.documents_of(elements[order])
    if strategy in GROUPED:  # the documents of known items, and the others as they are
        firsts = {document: at for at, document in reversed([*enumerate(documents.tolist())])}
        return places[np.argsort([firsts[document] for document in documents.tolist()], kind="stable")]
    if strategy == "best-in-context":
        most, first = 1, None
    nth = running_count(documents)

    def rank(top: int | None, of_each: int | None) -> Places:
        return (places if of_each is None else places[nth < of_each])[:top]

    return collapsed(rank, most, first if options.puts_off else None, None)


def _scores(
    known: Int32s, found: Answer, score: Callable[[Int32s, Answer], CandidateScores | None]
) -> tuple[Floats, Floats]:
    """Return the scores of known items by the words of the query, with and without context; 0 if they hold none.

    Items among the results keep their scores; for the others, their documents are scored.
    """
    scores, own = np.zeros(known.size), np.zeros(known.size)
    order = np.argsort(found.elements)
    places, there = _sought(found.elements[order], known)
    scores[there], own[there] = found.scores[order][places], found.own[order][places]
    # Items beyond the results have no score yet.
    scored = None if there.all() else score(known[~there], found)
    if scored is not None:
        places, there = _sought(scored.candidates.element, known)
        scores[there], own[there] = scored.scores[places], scored.s[places]
    return scores, own


def _sought(elements: Int32s, known: Int32s) -> tuple[Ints, Mask]:
    """Return the indices of known items among ascending elements, and which of them are there."""
    places = np.searchsorted(elements, known)
    there = places < elements.size
    there[there] = elements[places[there]] == known[there]
    return places[there], there
