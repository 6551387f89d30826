"""Pruned documents: score whole documents, those with the greatest upper bounds first.

A document can reach no more than a bound that follows from how often it holds the terms (`trix.query.upper_bounds`). So
the documents with the greatest bounds are scored, by themselves but with the statistics of the collection, exactly as
all would be; then every other document whose bound is not below the last result's score; and the answer is that of all.
Where there is no bound, or it leaves too many documents, all candidates are scored.

Plain words under the usual models take the compiled loop of `trix.core.topk` instead, see `trix.query.plan`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.basic_scores import BasicScorer, Groups, TermLists
from trix.query.candidate_scores import CandidateScores
from trix.query.language.terms import Condition, Query
from trix.query.options import Options
from trix.query.plan import FEW_POSTINGS, MANY_DOCUMENTS, NO_BOUND
from trix.query.ranking.organise import GROUPED, rank_key
from trix.query.readable import ONLY_QUIET, Ranking
from trix.query.restrict import Restriction
from trix.query.scoring.models import MODELS
from trix.query.upper_bounds.contexts import in_context
from trix.query.upper_bounds.documents import Spans, basic_spans
from trix.query.upper_bounds.held_terms import HeldTerms
from trix.support.arrays import Floats, Ints

FEW = 1500
"""Postings below which all documents are scored sooner than the best of them are found."""

PER_RESULT = 2
"""Postings for each result that the documents scored first have together."""

FEW_FOR_RESULTS = 16
"""How many times as many the terms have to have."""

FIRST = 512
"""Postings that the documents scored first have together, at the least."""

HEAD = 64
"""Documents among which the best are looked for at first."""

GROWTH = 8
"""How many times as many postings are looked at next where these give too few results."""

SHARE = 0.7
"""The share of all postings up to which it pays to score some documents by themselves."""


class DocumentPruning:
    """Answers queries from the best documents of one index.

    Parameters
    ----------
    index
        The index.
    scorer
        Knows the texts whose statistics count.
    restriction
        Knows which documents a filter lets through.
    contents
        How many content elements each document has.
    """

    def __init__(
        self, index: IndexFiles, scorer: BasicScorer, restriction: Restriction, contents: Callable[[], Ints]
    ) -> None:
        self._index, self._scorer, self._restriction, self._contents = index, scorer, restriction, contents

    def lists(self, query: Query, options: Options, elements: Ints) -> TermLists:
        """Return the lists of a query's terms in the documents that some elements are of."""
        documents = np.unique(self._index.documents_of(np.sort(elements)))
        lists = self._held(query, options).lists(documents)
        if options.weights is None:
            return lists
        content = self._scorer.places.content(options.weights)
        return {keys: content.weighted(each) for keys, each in lists.items()}

    def _held(self, query: Query, options: Options) -> HeldTerms:
        terms = dict.fromkeys(term.keys for term in query.terms)
        return HeldTerms(self._index, self._scorer.lists, terms, options.phrases)

    def answer(
        self,
        query: Query,
        options: Options,
        groups: Groups,
        rank: Callable[[TermLists], Ranking | None],
        demanded: Condition | None = None,
    ) -> Ranking | str:
        """Return the ranking of enough documents, or why the search gives up.

        Parameters
        ----------
        query
            The terms that are weighed.
        options
            As they fit the index and the query, the context bound.
        groups
            Which terms are required together where all are.
        rank
            Scores and ranks the elements of some documents, by the lists of the terms in them.
        demanded
            What a returned element must hold.
        """
        held = self._held(query, options)
        if held.total() < max(FEW, PER_RESULT * FEW_FOR_RESULTS * (options.top or 0)):
            return FEW_POSTINGS
        bound = self._bounds(query, options, held)
        if bound is None:
            return NO_BOUND
        documents = np.flatnonzero(self._candidates(query, options, groups, held, demanded))
        postings = held.postings()[documents]
        found = _Search(self._index, held, documents, bound[documents], postings, options).best(rank)
        return MANY_DOCUMENTS if found is None else found

    def _candidates(
        self, query: Query, options: Options, groups: Groups, held: HeldTerms, demanded: Condition | None
    ) -> NDArray[np.bool_]:
        """Return which documents may have a result."""
        found = held.holding_any(term.keys for term in query.terms if term.sign != "-")
        if options.match == "all":
            wanted = [held.holding_all(group) for group in groups if group and set(group) <= held.of.keys()]
            if len(wanted) == len(groups):
                found &= np.logical_or.reduce(wanted)
        may = None if demanded is None else held.may_satisfy(demanded)
        if may is not None:
            found &= may
        return found if options.where is None else found & self._restriction.documents(options.where, options.accents)

    def _bounds(self, query: Query, options: Options, held: HeldTerms) -> Floats | None:
        """Return the most that a result, or a document where these are ranked, can score in each document."""
        steps = 16 + 8 * len(query.terms)
        spans = self._basic(query, options, held)
        if spans is None:
            return None
        if options.strategy in GROUPED and options.fetch == "root":
            spans = Spans(spans.root, spans.root, spans.low)
        else:
            deepest, forms = self._index.deepest, options.context.forms
            spans = in_context(
                forms, spans, deepest, lambda form: self._basic(query, options.of_form(form), held)
            )  # fmt: skip
            steps += 8 * (deepest + 1) * len(forms)
        high = None if spans is None else spans.high(steps)
        return high if high is not None and np.isfinite(high).all() else None

    def _basic(self, query: Query, options: Options, held: HeldTerms) -> Spans | None:
        model = options.model, MODELS[options.model]
        units = self._scorer.units(options)
        return basic_spans(query.terms, held.of, self._contents(), model, options, options.combine, units)


class _Search:
    """The search for the documents that are needed.

    Parameters
    ----------
    index, held
        The index, and the documents that hold the terms.
    documents, bound, postings
        Those that may have a result, ascending, what each can reach, and how many postings of the terms each has.
    options
        Those of the query.
    """

    def __init__(
        self, index: IndexFiles, held: HeldTerms, documents: Ints, bound: Floats, postings: Ints, options: Options
    ) -> None:
        self._index, self._held, self._documents = index, held, documents
        self._bound, self._postings, self._options = bound, postings, options

    def best(self, rank: Callable[[TermLists], Ranking | None]) -> Ranking | None:
        """Return the ranking of documents beside which no other matters; None where these are too many."""
        limit = SHARE * int(self._postings.sum())
        everything = np.arange(self._documents.size)
        wanted = max(FIRST, PER_RESULT * (self._options.top or 0))
        chosen = self._first(everything, wanted)
        while (spent := int(self._postings[chosen].sum())) <= limit:
            ranking = rank(self._held.lists(self._documents[chosen]))
            needed = None if ranking is None else self._needed(ranking)
            if needed is None and chosen.size == everything.size:
                break
            if needed is None:  # there are too few results yet
                chosen = self._first(everything, GROWTH * spent)
            elif self._lacks(chosen, needed):  # then for the last time: more documents only raise the last score
                chosen = needed
            else:
                return ranking
        return None

    def _lacks(self, chosen: Ints, needed: Ints) -> bool:
        """Return whether needed documents are not among the chosen ones."""
        inside = np.zeros(self._documents.size, np.bool_)
        inside[chosen] = True
        return not inside[needed].all()

    def _first(self, places: Ints, postings: int) -> Ints:
        """Return those with the greatest bounds that have so many postings together, ascending."""
        if int(self._postings[places].sum()) <= postings:
            return places
        bound, some = -self._bound[places], HEAD
        while True:  # so few are wanted as a rule that sorting all of them would take longest
            head = np.arange(places.size)
            if some < places.size:
                head = np.flatnonzero(bound <= np.partition(bound, some)[some])
            order = places[head[np.argsort(bound[head], kind="stable")]]
            total = np.cumsum(self._postings[order])
            if total[-1] >= postings or order.size == places.size:
                return np.sort(order[: int(np.searchsorted(total, postings)) + 1])
            some *= 8

    def _needed(self, ranking: Ranking) -> Ints | None:
        """Return the documents that may have a result among the first, or come before one; None where any may."""
        scored, places, options = ranking.scored, ranking.places, self._options
        returned = len(scored.candidates) if scored.returned is None else int(np.count_nonzero(scored.returned))
        if ranking.notice == ONLY_QUIET or returned < (options.top or 0) or not places.size:
            return None
        grouped = options.strategy in GROUPED
        if not grouped and (places.size < (options.top or 0) or self._head_is_short(scored, places)):
            return None
        if grouped:
            if not ranking.unfit and places.size < (options.top or 0):
                return None
            root = ranking.unfit[-1].root if ranking.unfit else int(scored.candidates.root[places[-1]])
            reached = np.array([self._document_score(scored, root)])
        else:
            reached = scored.scores[places]
        keys = rank_key(np.concatenate([reached, self._bound]))
        least, key = keys[: reached.size].min(), keys[reached.size :]
        if grouped or options.puts_off:
            return np.flatnonzero(key >= least)
        place = places[keys[: reached.size] == least].max()
        last = self._index.documents_of(scored.candidates.element[[place]])[0]
        return np.flatnonzero((key > least) | ((key == least) & (self._documents <= last)))

    def _head_is_short(self, scored: CandidateScores, places: Ints) -> bool:
        """Return whether results were put off and still stand among the first, since there are no others yet."""
        options = self._options
        if not options.puts_off or options.per_document is None or options.spread is None:
            return False
        head = scored.candidates.root[places[: options.spread]]
        return bool((np.bincount(head) > options.per_document).any())

    def _document_score(self, scored: CandidateScores, root: int) -> float:
        """Return the score by which a document is ranked."""
        if self._options.fetch == "root":
            return float(scored.s[root])
        inside = scored.candidates.root == root
        if scored.returned is not None:
            inside &= scored.returned
        return float(scored.scores[inside].max())
