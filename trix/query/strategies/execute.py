"""Execution of query plans: every strategy returns the same record, which the API turns into results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial, reduce
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trix.indexer.fields.facets import Facet, FacetAsked
from trix.query.candidate_scores import CandidateScores
from trix.query.language.terms import And, Condition, Not, Or, Query
from trix.query.matching.joins import member
from trix.query.naming.known_items import KnownItem, KnownItems
from trix.query.options import Options
from trix.query.plan import Facts, Plan, PlanInput, Refusals, Strategy, plan, refused_by_options
from trix.query.ranking.organise import GROUPED
from trix.query.readable import LEFT_OUT, ScoredRanking
from trix.query.restrict import Facets
from trix.query.search import Searcher, groups_of
from trix.query.strategies.answer import NOTHING_COUNTED, Answer
from trix.query.strategies.first_pass import FirstPass, extended
from trix.query.strategies.topk import TopK
from trix.query.topk.prepared import Prepared
from trix.query.topk.ranking import NOTHING_FOUND
from trix.query.topk.wanted import NOTHING_WANTED, Wanted
from trix.support.arrays import Floats, Int32s, Mask
from trix.support.deadline import check

if TYPE_CHECKING:
    from trix.query.language.nexi_tree import Condition as NexiCondition
    from trix.query.search import AnyQuery
    from trix.query.structured.prepare import StructuredQuery

    Score = Callable[[AnyQuery, Options], tuple[CandidateScores | None, object]]
    """Scores all candidates of a query."""


class _Ready(NamedTuple):
    """State computed once for the options of many queries."""

    request: PlanInput
    refused: Refusals
    prepared: Prepared | None
    chooses: bool


class Strategies:
    """The strategies over one index.

    Parameters
    ----------
    searcher
        Scores queries.
    score
        Scores all candidates.

    Attributes
    ----------
    scores_all
        Whether pruning is switched off, for tests and benchmarks.
    """

    scores_all = False

    def __init__(self, searcher: Searcher, score: Score) -> None:
        self._searcher, self._score, self._restriction = searcher, score, searcher.restriction
        self.topk = TopK(searcher.index, searcher.scorer, searcher.readable)
        self.expansion = FirstPass(searcher, self._first)
        self._ready = lru_cache(maxsize=64)(self._make_ready)
        self._known_items = KnownItems(searcher.index, lambda document: searcher.restriction.fields.of(document))

    def _make_ready(
        self, options: Options, structured: bool, named: bool, scores_all: bool, on_cluster: bool
    ) -> _Ready:
        fitted = self._searcher.fitting(options, named)
        of_elements = frozenset({*self._restriction.fields.of_elements, *self._restriction.places})
        facts = Facts(self._searcher.index.deepest, scores_all, on_cluster, of_elements)
        request = PlanInput(replace(fitted, context=self._searcher.bound(fitted.context)), structured, facts)
        refused = refused_by_options(request)
        prepared = None if Strategy.TOP_K in refused else self.topk.prepare(request)
        return _Ready(request, refused, prepared, request.chooses)

    def _request_of(self, query: AnyQuery, options: Options, on_cluster: bool = False) -> tuple[_Ready, PlanInput]:
        if isinstance(query, Query):
            ready = self._ready(options, False, False, self.scores_all, on_cluster)
            signs = ready.request.options.signs
            demanded = None if query.condition is None and signs != "must" else query.demands(signs)
            return ready, ready.request.of(query, demanded)
        ready = self._ready(options, True, query.names_target, self.scores_all, on_cluster)
        return ready, ready.request.of(query.query)

    def plan(self, query: AnyQuery, options: Options, *, on_cluster: bool = False) -> Plan:
        """Plan a query before anything is looked up.

        Parameters
        ----------
        query, options
            The query, and its options as given.
        on_cluster
            Whether workers hold the parts of the index.
        """
        ready, of = self._request_of(query, options, on_cluster)
        return plan(of, ready.refused)

    def names(self, text: str, options: Options) -> bool:
        """Whether a text that is no valid query names an element."""
        return options.known_items and options.like is None and bool(self._known_items.of(text))

    def known(self, text: str, query: AnyQuery, options: Options) -> list[KnownItem]:
        """Return the elements that a query of words names and that its options admit.

        Parameters
        ----------
        text, query
            The query as typed, and parsed.
        options
            As given.
        """
        if not options.known_items or options.sort or options.like is not None or not isinstance(query, Query):
            return []
        # A query that excludes something names nothing.
        if any(term.sign == "-" for term in query.terms) or (_negates(query.condition) and not text.isupper()):
            return []  # in a title in capitals operators are words
        items = self._known_items.of(text)
        if not items:
            return []
        from trix.query.strategies.promote import admitted

        return admitted(items, self._searcher, self._searcher.fitted(options, query))

    def execute(self, query: AnyQuery, options: Options, known: Sequence[KnownItem] = ()) -> Answer:
        """Answer a query by the first strategy that can, in this process.

        Parameters
        ----------
        query, options
            The query, and its options as given.
        known
            First results, see `known`.
        """
        if known:
            from trix.query.strategies.promote import promoted

            score = partial(self._score_of, query, options)
            return promoted(
                known, self._searcher.fitted(options, query), self._searcher, partial(self.execute, query), score
            )
        expansion = self.expansion(query, options)
        if expansion is None:
            return self._without_feedback(query, replace(options, expand=None) if options.expand else options)
        # The longer query is answered by the same plan as any other, without feedback of its own.
        found = self._without_feedback(extended(query, expansion), replace(options, expand=None))
        return found._replace(notices=(expansion.notice(), *found.notices), expansion=expansion)

    def _first(self, query: AnyQuery, options: Options) -> tuple[Int32s, Floats]:
        found = self._without_feedback(query, options)
        return found.elements, found.scores

    def _without_feedback(self, query: AnyQuery, options: Options) -> Answer:
        ready, of = self._request_of(query, options)
        made = plan(of, ready.refused)
        while True:
            check()
            if made.strategy is Strategy.TOP_K:
                found = self._top_k(made, query, of, ready, options)
            elif made.strategy is Strategy.IN_ORDER:
                found = self._in_order(made, query, of.options)
            else:
                return self._all(made, query, options)
            if isinstance(found, Answer):
                return found
            # The strategy gave up: plan again with its reason. Each round excludes one, and scoring all candidates
            # never gives up.
            made = plan(of, ready.refused, made, found)

    def _score_of(self, query: AnyQuery, options: Options, elements: Int32s, found: Answer) -> CandidateScores | None:
        """Score the documents of some elements, with all candidates if the answer used all."""
        if found.plan.strategy is not Strategy.TOP_K or not isinstance(query, Query):
            return self._score(query, options)[0] if query else None
        # The pruned search scored few documents; here only those of the elements are scored in full.
        lists = self.topk.lists(query, self._searcher.fitted(options, query), elements)
        return self._searcher.score(query, options, lists=lists)

    def count(self, query: AnyQuery, options: Options) -> int:
        """Count the matching elements, which looks at all of them."""
        scored = self._searcher.score(query, options)
        return 0 if scored is None else self._restriction.of(scored).found

    # -- one method a strategy: an answer, or why it gives up ---------------------------------------------------------

    def _top_k(self, made: Plan, parsed: AnyQuery, of: PlanInput, ready: _Ready, given: Options) -> Answer | str:
        """Return the first results by the compiled search."""
        options, query = of.options, of.query
        assert ready.prepared is not None and query is not None, "the plan has seen to it"
        wanted = self._wanted(parsed, of) if ready.chooses or of.demanded is not None else NOTHING_WANTED
        admitted = None if options.where is None else self._restriction.documents(options.where, options.accents)
        if not isinstance(parsed, Query) and parsed.steps:
            admitted = _both(admitted, self._may_answer(parsed, options))
        # Filters on documents prune before anything is scored; filters on elements are called by the kernel, batch by
        # batch.
        found = self.topk.search.first(query, ready.prepared, admitted, wanted)
        if isinstance(found, str):
            return found
        matched = partial(self.count, parsed, given) if found.matched is None else found.matched
        notices = (LEFT_OUT,) if found.left_out else ()
        facets: Facets = NOTHING_COUNTED
        if found.by_document is not None:
            facets = self._restriction.facets_by_document(found.by_document, options)
        # Where documents are ranked their results are still to be grouped.
        if options.strategy in GROUPED and found.elements.size:
            scored = self._searcher.score(parsed, given, lists=self.topk.lists(query, options, found.elements))
            if scored is None:
                return NOTHING_FOUND
            ranking = self._searcher.readable.ranking(self._restriction.of(scored))._replace(notice=None)
            return self._ranked(made, str(parsed), ranking, matched, notices)._replace(facets=facets)
        return Answer(
            made, found.elements, found.scores, found.own, matched, parsed, (query, options.phrases), notices, facets
        )

    def _may_answer(self, structured: StructuredQuery, options: Options) -> Mask | None:
        """Return the documents that may have an answer, by the words of its steps; None for all."""
        from trix.query.language.nexi_tree import About

        def may(condition: NexiCondition | None) -> Mask | None:
            if isinstance(condition, And | Or):
                return _joined(isinstance(condition, And), map(may, condition.parts))
            # What stands in attributes, and in elements below content elements, is in no list.
            if not isinstance(condition, About) or condition.path:
                return None
            terms = structured.words[condition].required
            return self.topk.search.holding(terms, options.phrases) if terms else None

        # That the target holds its own words is known already.
        steps = structured.steps[:-1] if isinstance(structured.steps[-1].condition, About) else structured.steps
        return _joined(True, (may(step.condition) for step in steps))

    def _wanted(self, query: AnyQuery, of: PlanInput) -> Wanted:
        """Return the Boolean clauses and filters on elements."""
        searcher, options, tests = self._searcher, of.options, list[Callable[[Int32s], Mask]]()
        if options.level is not None:
            tests.append(searcher.levels.apart(options.level).holds)
        if options.language is not None:
            language = options.language
            tests.append(lambda elements: searcher.index.in_language(elements, language))
        if options.where is not None and of.by_elements:
            tests.append(partial(self._restriction.holds, options.where, options.accents))
        if not isinstance(query, Query) and query.steps:
            from trix.query.structured.evaluate import Evaluation

            # Evaluated only for elements that the kernel scored: answers(steps, elements) looks at these and their
            # ancestors.
            steps = query.steps
            evaluation = Evaluation(searcher.index, query.words, options.phrases, options.match, options.signs)
            tests.append(lambda elements: member(elements, evaluation.answers(steps, elements)))
        groups = groups_of(query) if options.match == "all" else None
        return Wanted(groups, of.demanded, partial(_all_hold, tests) if tests else None)

    def _in_order(self, made: Plan, query: AnyQuery, options: Options) -> Answer:
        """Return the results of a query without words, in document order.

        All scores are 0 and nothing overlaps by rank, so no candidate is examined.
        """
        from trix.query.structured.evaluate import unweighed

        assert not isinstance(query, Query), "the plan has seen to it"
        searcher, restriction = self._searcher, self._restriction
        found = unweighed(searcher.index, query, options.phrases, options.match, options.signs)
        if options.level is not None:
            found = found[member(found, searcher.levels.apart(options.level).members)]
        if options.language is not None:
            found = found[searcher.index.in_language(found, options.language)]
        facets = restriction.facets_of(found, options) if options.facet else {}
        found = restriction.elements(found, options)
        count = int(found.size)
        # All are sorted before the list is cut.
        if options.sort:
            found = found[restriction.sorted(options.sort, found, np.zeros(count))]
        found = found if options.top is None else found[: max(options.top, 0)]
        zero = np.zeros(found.size)
        return Answer(made, found, zero, zero, count, str(query), facets=facets)

    def _all(self, made: Plan, query: AnyQuery, given: Options) -> Answer:
        """Rank all candidates."""
        scored, _ = self._score(query, given)
        if scored is None:
            none = np.zeros(0)
            facets = {FacetAsked.of(each).name: Facet() for each in given.facet}
            return Answer(made, np.zeros(0, np.int32), none, none, 0, str(query), facets=facets)
        return self.of_scores(made, str(scored.query if isinstance(query, Query) else query), scored)

    def of_scores(self, made: Plan, shown: str, scored: CandidateScores) -> Answer:
        """Rank scored candidates and count their facets."""
        facets, scored = self._restriction.facets(scored), self._restriction.of(scored)
        ranking = self._searcher.readable.ranking(scored)
        return self._ranked(made, shown, ranking, scored.found)._replace(facets=facets)

    def _ranked(
        self,
        made: Plan,
        shown: str,
        ranking: ScoredRanking,
        matched: int | Callable[[], int],
        notices: tuple[str, ...] = (),
    ) -> Answer:
        """Turn a ranking of candidates into an answer."""
        scored, places = ranking.scored, ranking.places
        element = scored.candidates.element
        of_ranking = (ranking.notice, self._searcher.readable.few_of_each(scored, places))
        unfit = tuple(cut._replace(root=int(element[cut.root])) for cut in ranking.unfit)
        return Answer(
            made, element[places], scored.scores[places], scored.s[places], matched, shown,
            (scored.query, scored.options.phrases), (*notices, *filter(None, of_ranking)), unfit=unfit,
        )  # fmt: skip


def _negates(condition: Condition | None) -> bool:
    """Whether a condition excludes elements that hold something."""
    return isinstance(condition, Not) or any(map(_negates, condition.parts if isinstance(condition, And | Or) else ()))


def _joined(every: bool, masks: Iterable[Mask | None]) -> Mask | None:
    """Combine masks of conditions by and (`every`) or by or; None stands for everything."""
    found = list(masks)
    # And: parts that are everything drop out. Or: one part that is everything makes it everything.
    known = [mask for mask in found if mask is not None]
    if every:
        return reduce(np.logical_and, known) if known else None
    return reduce(np.logical_or, known) if known and len(known) == len(found) else None


def _both(one: Mask | None, other: Mask | None) -> Mask | None:
    return _joined(True, (one, other))


def _all_hold(tests: list[Callable[[Int32s], Mask]], elements: Int32s) -> Mask:
    """Return which elements pass all tests; each test sees only the elements that passed the earlier ones."""
    found = tests[0](elements)
    for test in tests[1:]:
        found[found] = test(elements[found])
    return found
