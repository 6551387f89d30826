"""Query plan: which strategy answers a query, and why no faster one does.

All conditions are in one table, `RULES`. Some facts only the search itself finds out, such as the range of scores. A
strategy may then give up, and the next one answers: see `after`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from trix.indexer.fields.facets import FacetAsked
from trix.query.context.own_model import OwnModel
from trix.query.language.terms import Condition, Keys, Query, Term, own_spelling, terms_of
from trix.query.options import Options
from trix.query.ranking.organise import GROUPED, LISTS, STRATEGIES
from trix.query.restrict import filtered
from trix.query.scoring import many
from trix.query.scoring.models import MODELS
from trix.query.topk.prepared import ContextPath
from trix.query.topk.ranking import LARGEST
from trix.query.topk.weighing import KINDS


class Strategy(Enum):
    """Ways to answer a query, fastest first."""

    CLUSTER = "cluster"
    TOP_K = "pruned top-k"
    IN_ORDER = "document order"
    ALL = "all candidates"

    @property
    def summary(self) -> str:
        """One line on the strategy."""
        return _SUMMARIES[self]


_SUMMARIES = {
    Strategy.CLUSTER: "each worker ranks its part of the index",
    Strategy.TOP_K: "a compiled loop scores documents, best bound first, until no other can have a result",
    Strategy.IN_ORDER: "nothing is scored",
    Strategy.ALL: "every matching element is scored",
}
_USUAL = {
    Strategy.CLUSTER: "the parts of the index are on workers",
    Strategy.TOP_K: "bounds are known for all that is asked",
    Strategy.IN_ORDER: "the query has no words",
}
"""Reasons for default strategies, which need no condition."""


class Plan(NamedTuple):
    """The chosen strategy and the reasons.

    Attributes
    ----------
    strategy
        The strategy.
    reasons
        Why faster strategies do not apply, each once.
    """

    strategy: Strategy
    reasons: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why this strategy answers the query."""
        return ", and ".join(self.reasons) or _USUAL.get(self.strategy, "")

    def to_json(self) -> dict[str, str]:
        """Return the plan as plain data."""
        return {"strategy": self.strategy.value, "reason": self.reason}

    def __str__(self) -> str:
        """The plan as a sentence without a full stop.

        >>> print(Plan(Strategy.ALL, ("results are sorted",)))
        all candidates (every matching element is scored), because results are sorted
        """
        return f"{self.strategy.value} ({self.strategy.summary}), because {self.reason}"


class Facts(NamedTuple):
    """Facts that a plan depends on, beside the query and its options.

    Attributes
    ----------
    deepest
        Maximum depth of the index.
    scores_all
        Whether pruning is switched off.
    on_cluster
        Whether workers hold the parts of the index.
    element_fields
        Fields of elements, and places, that filters can use.
    """

    deepest: int
    scores_all: bool = False
    on_cluster: bool = False
    element_fields: frozenset[str] = frozenset()


class PlanInput(NamedTuple):
    """What the rules of the plan look at.

    Attributes
    ----------
    options
        Effective options, for this index and query.
    structured
        Whether the query is structured.
    facts
        Facts on the index and the searcher.
    query
        The scored words; None for a query without words, and for rules on options.
    demanded
        Boolean clauses of the query; structured queries have them in their conditions.
    terms
        Terms of these clauses.
    """

    options: Options
    structured: bool
    facts: Facts
    query: Query | None = None
    demanded: Condition | None = None
    terms: tuple[Term, ...] = ()

    def of(self, query: Query | None, demanded: Condition | None = None) -> PlanInput:
        """Return a copy for a query."""
        return PlanInput(*self[:3], query, demanded, () if query is None else query.terms)

    @property
    def strategy(self) -> str:
        """The strategy of presentation."""
        return self.options.strategy or ("thorough" if self.structured else "focused")

    @property
    def overlap(self) -> str:
        """The overlap rule."""
        return self.options.overlap or STRATEGIES[self.strategy]

    @property
    def grouped(self) -> bool:
        """Whether results are grouped by document."""
        return self.strategy in GROUPED

    @property
    def chooses(self) -> bool:
        """Whether matching elements are selected by more than their words."""
        options = self.options
        chooses = options.match == "all" or options.level is not None or options.language is not None
        return self.structured or chooses or self.by_elements

    @property
    def by_elements(self) -> bool:
        """Whether the filter uses fields of elements."""
        return not self.facts.element_fields.isdisjoint(filtered(self.options))

    @property
    def counts_elements(self) -> bool:
        """Whether facets count fields of elements."""
        return any(FacetAsked.of(each).name in self.facts.element_fields for each in self.options.facet)

    @property
    def says_few(self) -> bool:
        """Whether a notice may report results that the preset leaves out per document."""
        options = self.options
        if self.strategy not in LISTS or options.puts_off or options.per_document is None:
            return False
        return "per_document" in options.preset.decides

    @property
    def counts(self) -> bool:
        """Whether facets are counted."""
        return bool(self.options.facet)

    @property
    def keys(self) -> set[Keys]:
        """Keys of these terms."""
        return {term.keys for term in self.terms}


class PlanRule(NamedTuple):
    """A condition under which some strategies cannot answer a query.

    Attributes
    ----------
    reason
        Completes "because ..."; empty if no one expects the strategy.
    refuses
        The strategies that it excludes.
    holds
        The condition.
    """

    reason: str
    refuses: tuple[Strategy, ...]
    holds: Callable[[PlanInput], bool]


def _compiled(options: Options) -> bool:
    """Whether the compiled search has the model."""
    return options.model in KINDS and MODELS[options.model].combination(options.combine) != "einstein"


def _models_compiled(request: PlanInput) -> bool:
    options = request.options
    own = [options.of_form(form) for form in options.context.forms if isinstance(form, OwnModel)]
    return all(map(_compiled, [options, *own]))


def _many_demanded(request: PlanInput) -> bool:
    return request.demanded is not None and sum(1 for _ in terms_of(request.demanded)) > many.MANY


def _hangs_on_candidates(request: PlanInput) -> bool:
    required = request.options.match == "all"
    return any((required or term.sign == "-") and own_spelling(term.keys) for term in request.terms)


_C, _K, _O = Strategy.CLUSTER, Strategy.TOP_K, Strategy.IN_ORDER

_COUNTED = "fields are counted"

OF_OPTIONS = (
    PlanRule("", (_C,), lambda request: not request.facts.on_cluster),
    PlanRule("pruning is switched off", (_K,), lambda request: request.facts.scores_all),
    PlanRule("results are like an element", (_C, _K), lambda request: request.options.like is not None),
    PlanRule("feedback adds words", (_C,), lambda request: request.options.expand is not None),
    PlanRule("results are sorted", (_C, _K), lambda request: bool(request.options.sort)),
    PlanRule(_COUNTED, (_C,), lambda request: bool(request.options.facet)),
    PlanRule("results are grouped by document", (_C,), lambda request: request.grouped),
    PlanRule("the context follows links", (_C,), lambda request: request.options.context.leaves_document),
    PlanRule("all results are wanted", (_K,), lambda request: request.options.top is None),
    PlanRule("no results are wanted", (_K,), lambda request: request.options.top == 0),
    PlanRule(f"more than {LARGEST:,} results are wanted", (_K,), lambda request: (request.options.top or 0) > LARGEST),
    PlanRule("the context is the support", (_K,), lambda request: request.options.context.wants_support),
    PlanRule(
        "documents are ranked by all their results", (_K,),
        lambda request: request.grouped and request.options.fetch == "sum",
    ),
    PlanRule(_COUNTED, (_K,), lambda request: request.chooses and request.counts),
    PlanRule("fields of elements are counted", (_K,), lambda request: request.counts_elements),
    PlanRule("results may overlap in part", (_K,), lambda request: request.overlap not in ("full", "none")),
    PlanRule("the preset lets documents have few results each", (_K,), lambda request: request.says_few),
    PlanRule(
        "results have no size", (_K,),
        lambda request: request.options.size is not None and request.options.size.high == 0,
    ),
    PlanRule(
        "the context is not one path to the root, then sentences, titles or pairs", (_K,),
        lambda request: ContextPath.of(request.options.context, request.facts.deepest) is None,
    ),
    PlanRule("the model has no compiled loop", (_K,), lambda request: not _models_compiled(request)),
    PlanRule("", (_O,), lambda request: not request.structured),
    PlanRule(
        "", (_O,),
        lambda request: request.strategy != "thorough" or request.overlap != "full" or request.options.chooses,
    ),
)  # fmt: skip
"""Conditions on options, evaluated once for many queries."""

OF_QUERY = (
    PlanRule("the query has no words", (_C,), lambda request: request.query is None),
    PlanRule("the query has no words", (_K,), lambda request: not request.terms),
    PlanRule("", (_O,), lambda request: request.query is not None),
    PlanRule("all words have a minus", (_K,), lambda request: all(term.sign == "-" for term in request.terms)),
    PlanRule("the query has many words", (_K,), lambda request: len(request.terms) > many.MANY),
    PlanRule("a word has no weight", (_K,), lambda request: any(term.weight <= 0 for term in request.terms)),
    PlanRule("the query has many conditions", (_K,), lambda request: _many_demanded(request)),
    PlanRule(_COUNTED, (_K,), lambda request: request.counts and request.demanded is not None),
    # Their weights hang on all candidates, which are others where words are required, or the word itself makes none.
    PlanRule("a word with several spellings is required, or has a minus", (_K,), _hangs_on_candidates),
    # Their weights hang on the greatest in the whole index.
    PlanRule("a word has several spellings", (_C,), lambda request: any(own_spelling(keys) for keys in request.keys)),
)  # fmt: skip
"""Conditions on the words of a query."""

RULES = OF_OPTIONS + OF_QUERY

_BY_STRATEGY = {
    strategy: tuple(
        tuple((rule.reason, rule.holds) for rule in rules if strategy in rule.refuses)
        for rules in (OF_OPTIONS, OF_QUERY)
    )
    for strategy in Strategy
}

Refusals = dict[Strategy, str]
"""Strategy that cannot answer -> the first reason."""


def _refusal(request: PlanInput, rules: tuple[tuple[str, Callable[[PlanInput], bool]], ...]) -> str | None:
    for reason, holds in rules:
        if holds(request):
            return reason
    return None


def refused_by_options(request: PlanInput) -> Refusals:
    """Return the strategies that the options exclude for every query."""
    reasons = {strategy: _refusal(request, rules) for strategy, (rules, _) in _BY_STRATEGY.items()}
    return {strategy: reason for strategy, reason in reasons.items() if reason is not None}


def plan(request: PlanInput, by_options: Refusals | None = None, after: Plan | None = None, gave_up: str = "") -> Plan:
    """Choose the first strategy that no rule excludes.

    Parameters
    ----------
    request
        The query, its options, and the index.
    by_options
        Result of `refused_by_options`, if known.
    after, gave_up
        The plan whose strategy gave up, and the reason.

    Examples
    --------
    >>> request = PlanInput(Options.of(preset="study"), False, Facts(5)).of(Query((Term(("tree",)),)))
    >>> plan(request).strategy.value, plan(request._replace(facts=Facts(5, scores_all=True))).strategy.value
    ('pruned top-k', 'all candidates')
    """
    if by_options is None:
        by_options = refused_by_options(request)
    reasons = () if after is None else (*after.reasons, gave_up)
    passed = after is None
    for strategy in Strategy:
        if not passed:
            passed = after is not None and strategy is after.strategy
            continue
        reason = by_options.get(strategy)
        if reason is None:
            reason = _refusal(request, _BY_STRATEGY[strategy][1])
        if reason is None:
            return Plan(strategy, tuple(dict.fromkeys(filter(None, reasons))))
        reasons = (*reasons, reason)
    raise AssertionError("no rule refuses to score all candidates")
