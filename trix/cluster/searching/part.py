"""Search within one part of an index: first its statistics, then its best results under global statistics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.query.language.nexi_tree import abouts
from trix.query.language.terms import Query
from trix.query.matching.matching import TermList
from trix.query.matching.query_words import words_of
from trix.query.options import NO_CONTEXT, Options
from trix.query.readable import ONLY_QUIET
from trix.query.scoring.statistics import GlobalStatistics, StatisticsScope
from trix.query.search import Searcher
from trix.query.structured.prepare import StructuredQuery

if TYPE_CHECKING:
    from trix.query.search import AnyQuery

Elements = NDArray[np.int64]
Scores = NDArray[np.float64]


def _no_list() -> tuple[Elements, Scores]:
    return np.zeros(0, np.int64), np.zeros(0)


@dataclass
class PartResults:
    """Best results of a part.

    Attributes
    ----------
    found
        Whether any element matches.
    matched
        Number of matching elements, as in `trix.query.display.results.Results`.
    returnable, outside
        Number of elements that may be returned, and number of these outside non-returnable parts.
    first, rest
        Ranked element numbers of the index with scores. `first` has the results. With field collapsing `first` has the
        collapsed results and `rest` all results.
    """

    found: bool = False
    matched: int = 0
    returnable: int = 0
    outside: int = 0
    first: tuple[Elements, Scores] = field(default_factory=_no_list)
    rest: tuple[Elements, Scores] = field(default_factory=_no_list)


def statistics_of(searcher: Searcher, query: AnyQuery, options: Options) -> GlobalStatistics:
    """Return the statistics of a part for a query, as far as its scores need them."""
    return GlobalStatistics.of(_counted(searcher, query, options))


def _counted(
    searcher: Searcher, parsed: AnyQuery, options: Options
) -> Iterator[tuple[str, StatisticsScope, Iterable[TermList]]]:
    scorer, context = searcher.scorer, searcher.bound(options.context)
    for query, own in _queries(parsed, options):
        lists = [scorer.list_of(keys, own) for keys in dict.fromkeys(term.keys for term in query.terms)]
        yield scorer.units_text(own), scorer.units(own), lists
        if own.context is NO_CONTEXT:
            continue
        if context.asks_words:
            words = [scorer.list_of_word(word) for word in words_of(query)]
            yield scorer.units_text(own), scorer.units(own), [*lists, *words]
        for form in context.own_models:
            by_form, its = own.of_form(form), form.query(query)
            exact = replace(own, phrases="exact")
            pairs = [scorer.list_of(term.keys, exact) for term in its.terms] if its is not query else lists
            yield scorer.units_text(by_form), scorer.units(by_form), pairs


def _queries(parsed: AnyQuery, options: Options) -> Iterator[tuple[Query, Options]]:
    """Yield the scored queries of terms, each with its options."""
    if not isinstance(parsed, StructuredQuery):
        yield parsed, options
        return
    if parsed.query is not None:
        yield parsed.query, options
    if options.context.wants_support:
        plain = replace(options, context=NO_CONTEXT, level=None)
        for step in parsed.steps[:-1]:
            weighed = [about for about in abouts(step.condition) if about not in parsed.filters]
            words = [term for about in weighed for term in parsed.words[about].terms]
            if words:
                yield Query(tuple(words)), plain


def best_of(searcher: Searcher, first: int, query: AnyQuery, options: Options, sums: GlobalStatistics) -> PartResults:
    """Return the best results of a part.

    Parameters
    ----------
    searcher
        Searcher of the part.
    first
        Number of the part's first element in the index.
    query, options
        The query, and its effective options.
    sums
        Global statistics.
    """
    searcher = searcher.as_part(sums)
    scored = searcher.score(query, options)
    if scored is None:
        return PartResults()
    scored = searcher.restriction.of(scored)
    candidates, before = scored.candidates, scored.returned
    found = PartResults(True, scored.found, _count(before, len(candidates)))
    readable = searcher.readable
    keep, notice = readable.returned(candidates, before, replace(options, size=None))
    found.outside = 0 if notice == ONLY_QUIET else _count(keep, len(candidates))
    keep, _ = readable.returned(candidates, keep, replace(options, quiet_parts=True))
    ready = replace(scored.options, size=None, quiet_parts=True, spread=None)

    def ranked(**changes: Any) -> tuple[Elements, Scores]:
        own = replace(scored, returned=keep, options=replace(ready, **changes))
        places = readable.rank(own)
        return candidates.element[places].astype(np.int64) + first, scored.scores[places]

    if options.puts_off:
        most = options.spread if options.top is None else min(options.spread or 0, options.top)
        found.first, found.rest = ranked(top=most), ranked(per_document=None)
    else:
        found.first = ranked()
    return found


def _count(mask: NDArray[np.bool_] | None, size: int) -> int:
    return size if mask is None else int(np.count_nonzero(mask))
