"""Pruned top-k strategy: prepares the compiled loop of `trix.core.topk` for the options of a search."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from trix.indexer.store.doc_postings import DocPostings, doc_postings_of_list
from trix.indexer.store.files import IndexFiles
from trix.query.basic_scores import BasicScorer, TermLists
from trix.query.context.own_model import OwnModel
from trix.query.language.element_weights import UNIT, ElementWeights
from trix.query.language.terms import Keys, Query
from trix.query.matching.matching import TermList
from trix.query.options import Options
from trix.query.plan import PlanInput
from trix.query.ranking.organise import GROUPED
from trix.query.readable import PostFilter
from trix.query.scoring.models import MODELS
from trix.query.topk.additions import AdditiveForm
from trix.query.topk.prepared import BY_BEST, BY_ROOT, ELEMENTS, ContextPath, Prepared, Showing, places_of
from trix.query.topk.ranking import PrunedSearcher
from trix.query.topk.weighing import Weighing
from trix.support.arrays import Ints
from trix.support.lru_cache import LruFunction

KEPT_COUNTS = 1 << 14
"""Number of keys with cached counts in the members of levels."""

RANKED_BY = {"root": BY_ROOT, "best": BY_BEST}
"""Value of `fetch` -> ranking of the documents under grouping strategies."""


class TopK:
    """Pruned top-k strategy over one index.

    Parameters
    ----------
    index
        The index.
    scorer
        Provides the statistics scopes.
    readable
        Provides the non-returnable parts.

    Attributes
    ----------
    search
        The compiled search.
    """

    def __init__(self, index: IndexFiles, scorer: BasicScorer, readable: PostFilter) -> None:
        self._index, self._scorer = index, scorer
        self.search, self._marks = PrunedSearcher(index, scorer.lists, scorer.sentences), readable.marks
        self._counts: LruFunction[tuple[Keys, str, ElementWeights | None, str], tuple[int, int]] = LruFunction(
            self._count, KEPT_COUNTS
        )

    def lists(self, query: Query, options: Options, elements: Ints) -> TermLists:
        """Return the posting lists of a query's terms, limited to the documents of some elements."""
        # Whole documents: scores of elements depend on their ancestors and descendants.
        documents = np.unique(self._index.documents_of(np.sort(elements)))
        lists = dict[Keys, TermList]()
        for keys in dict.fromkeys(term.keys for term in query.terms):
            postings = self._doc_postings(keys, options.phrases)
            lists[keys] = TermList(*postings.postings(documents), whole=postings)
        if options.weights is None:
            return lists
        content = self._scorer.places.content(options.weights)
        return {keys: content.weighted(each) for keys, each in lists.items()}

    def _doc_postings(self, keys: Keys, phrases: str) -> DocPostings:
        # A single key has a list by document; others have to be merged, which the cache of lists has done.
        if len(keys) == 1 and isinstance(keys[0], str):
            return self._index.doc_postings(keys[0])
        # Decoded already, so it is only grouped by document.
        found = self._scorer.lists(keys, phrases)
        return doc_postings_of_list(found.content_numbers, found.tf, self._index.first_contents)

    def prepare(self, request: PlanInput) -> Prepared:
        """Prepare scoring and ranking for options that the plan does not refuse."""
        options, overlap, grouped = request.options, request.overlap, request.strategy in GROUPED
        # The plan has refused contexts without bounds.
        path = ContextPath.of(options.context, self._index.deepest)
        assert path is not None, "another context is refused"
        around = None if path.own_model is None else self._weighing(options.of_form(path.own_model))
        hushed = not options.quiet_parts and bool(self._index.profile.quiet)
        # Three numbers: results a document in the head, length of the head, results a document in all; 0 for no limit.
        if request.strategy == "best-in-context":
            of_each = 0, 0, 1
        elif options.puts_off:
            of_each = options.per_document or 0, options.spread or 0, 0
        else:
            of_each = 0, 0, 0 if grouped else options.per_document or 0
        ranked = RANKED_BY[options.fetch] if grouped else ELEMENTS
        showing = Showing(overlap == "full", options.size, hushed, *of_each, ranked)
        more = options.top or 0, bool(options.facet), options.phrases, partial(self._r, options, path.own_model)
        additions = tuple(
            AdditiveForm(form, self._weighing(options.of_form(form)) if isinstance(form, OwnModel) else None)
            for form in path.additions
        )
        weights, content = options.weights, self._scorer.places.content
        # A function, not the arrays: prepared options are cached, and the arrays are as long as the index.
        places = None if weights is None else lambda: places_of(weights, content(weights))
        prepared = self._weighing(options), path, around, showing, self._marks, *more
        return Prepared(*prepared, additions, places)

    def _r(self, options: Options, form: OwnModel | None, keys: Keys) -> tuple[float, float]:
        """Return r of a word, see `trix.query.term_weights`; under the model, and under that of the path's form."""
        r = self._scorer.r_of(options, keys) or 0.0
        return r, r if form is None else self._scorer.r_of(options.of_form(form), keys) or 0.0

    def _weighing(self, options: Options) -> Weighing:
        """Return the compiled model of the options."""
        how, scorer = MODELS[options.model].combination(options.combine), self._scorer
        units, weights = scorer.units(options), options.weights
        counts = None
        if units.begin is not None and not units.documents:
            text = scorer.units_text(options)
            counts = lambda keys, phrases: self._counts((keys, phrases, weights, text))  # noqa: E731
        unit = 1 if weights is None else UNIT
        return Weighing(options.model, options, units, how == "average", unit, counts)

    def _count(self, counted: tuple[Keys, str, ElementWeights | None, str]) -> tuple[int, int]:
        """Return a counter of m and cf over the members of a level."""
        keys, phrases, weights, text = counted
        options = Options.of(preset="study", phrases=phrases, statistics=text)
        m, cf = self._scorer.units(options).counts(self._scorer.list_of(keys, replace(options, weights=weights)))
        return int(m), int(cf)
