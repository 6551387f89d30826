"""The plan of a query: which strategy answers it, and why no faster one does.

All conditions stand in one table, `RULES`. Some things only the search itself finds out, as how large scores may be;
then the next strategy answers, see `after`.
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
from trix.query.topk.prepared import Path
from trix.query.topk.ranking import LARGEST
from trix.query.topk.weighing import KINDS


class Strategy(Enum):
    """A way to answer a query; the fastest first."""

    CLUSTER = "cluster"
    TOP_K = "pruned top-k"
    IN_ORDER = "document order"
    ALL = "all candidates"

    @property
    def summary(self) -> str:
        """What the strategy does."""
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
"""Reasons for strategies that no condition has to lead to."""


class Plan(NamedTuple):
    """Which strategy answers a query.

    Attributes
    ----------
    strategy
        The strategy.
    reasons
        Why faster strategies do not answer it, each once.
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
        """Return the plan as a sentence without its full stop.

        >>> print(Plan(Strategy.ALL, ("results are sorted",)))
        all candidates (every matching element is scored), because results are sorted
        """
        return f"{self.strategy.value} ({self.strategy.summary}), because {self.reason}"


class Facts(NamedTuple):
    """What a plan depends on beside the query and its options.

    Attributes
    ----------
    deepest
        No element of the index is deeper.
    scores_all
        Whether pruning is switched off.
    on_cluster
        Whether workers hold the parts of the index.
    element_fields
        The fields of elements, and places, which filters can ask for.
    """

    deepest: int
    scores_all: bool = False
    on_cluster: bool = False
    element_fields: frozenset[str] = frozenset()


class Asked(NamedTuple):
    """What rules look at.

    Attributes
    ----------
    options
        As they fit the index and the query.
    structured
        Whether the query is structured.
    facts
        What else matters.
    query
        The words that are weighed; None for a query without words, and for rules on options.
    demanded
        What a result must hold by signs and operators; structured queries see to that in their conditions.
    terms
        Those of the query.
    """

    options: Options
    structured: bool
    facts: Facts
    query: Query | None = None
    demanded: Condition | None = None
    terms: tuple[Term, ...] = ()

    def of(self, query: Query | None, demanded: Condition | None = None) -> Asked:
        """Return the same for a query."""
        return Asked(*self[:3], query, demanded, () if query is None else query.terms)

    @property
    def strategy(self) -> str:
        """How results are organised."""
        return self.options.strategy or ("thorough" if self.structured else "focused")

    @property
    def overlap(self) -> str:
        """The rule of overlap."""
        return self.options.overlap or STRATEGIES[self.strategy]

    @property
    def grouped(self) -> bool:
        """Whether the results of a document are kept together."""
        return self.strategy in GROUPED

    @property
    def chooses(self) -> bool:
        """Whether matching elements are chosen by more than their words."""
        options = self.options
        chooses = options.match == "all" or options.level is not None or options.language is not None
        return self.structured or chooses or self.by_elements

    @property
    def by_elements(self) -> bool:
        """Whether a filter asks for what elements say."""
        return not self.facts.element_fields.isdisjoint(filtered(self.options))

    @property
    def counts_elements(self) -> bool:
        """Whether the values of fields of elements are counted."""
        return any(FacetAsked.of(each).name in self.facts.element_fields for each in self.options.facet)

    @property
    def says_few(self) -> bool:
        """Whether a notice may tell that a preset keeps results of a document back."""
        options = self.options
        if self.strategy not in LISTS or options.puts_off or options.per_document is None:
            return False
        return "per_document" in options.preset.decides

    @property
    def counts(self) -> bool:
        """Whether the values of fields are counted."""
        return bool(self.options.facet)

    @property
    def keys(self) -> set[Keys]:
        """The keys of these terms."""
        return {term.keys for term in self.terms}


class Rule(NamedTuple):
    """A condition under which some strategies cannot answer a query.

    Attributes
    ----------
    reason
        Completes "because ..."; empty where the strategy is not expected.
    refuses
        The strategies.
    holds
        The condition.
    """

    reason: str
    refuses: tuple[Strategy, ...]
    holds: Callable[[Asked], bool]


def _compiled(options: Options) -> bool:
    """Whether the compiled loop knows a model."""
    return options.model in KINDS and MODELS[options.model].combination(options.combine) != "einstein"


def _models_compiled(asked: Asked) -> bool:
    options = asked.options
    own = [options.of_form(form) for form in options.context.forms if isinstance(form, OwnModel)]
    return all(map(_compiled, [options, *own]))


def _many_demanded(asked: Asked) -> bool:
    return asked.demanded is not None and sum(1 for _ in terms_of(asked.demanded)) > many.MANY


def _hangs_on_candidates(asked: Asked) -> bool:
    required = asked.options.match == "all"
    return any((required or term.sign == "-") and own_spelling(term.keys) for term in asked.terms)


_C, _K, _O = Strategy.CLUSTER, Strategy.TOP_K, Strategy.IN_ORDER

_COUNTED = "fields are counted"

OF_OPTIONS = (
    Rule("", (_C,), lambda asked: not asked.facts.on_cluster),
    Rule("pruning is switched off", (_K,), lambda asked: asked.facts.scores_all),
    Rule("results are like an element", (_C, _K), lambda asked: asked.options.like is not None),
    Rule("feedback adds words", (_C,), lambda asked: asked.options.expand is not None),
    Rule("results are sorted", (_C, _K), lambda asked: bool(asked.options.sort)),
    Rule(_COUNTED, (_C,), lambda asked: bool(asked.options.facet)),
    Rule("results are grouped by document", (_C,), lambda asked: asked.grouped),
    Rule("the context follows links", (_C,), lambda asked: asked.options.context.leaves_document),
    Rule("all results are wanted", (_K,), lambda asked: asked.options.top is None),
    Rule("no results are wanted", (_K,), lambda asked: asked.options.top == 0),
    Rule(f"more than {LARGEST:,} results are wanted", (_K,), lambda asked: (asked.options.top or 0) > LARGEST),
    Rule("the context is the support", (_K,), lambda asked: asked.options.context.wants_support),
    Rule(
        "documents are ranked by all their results", (_K,),
        lambda asked: asked.grouped and asked.options.fetch == "sum",
    ),
    Rule(_COUNTED, (_K,), lambda asked: asked.chooses and asked.counts),
    Rule("fields of elements are counted", (_K,), lambda asked: asked.counts_elements),
    Rule("results may overlap in part", (_K,), lambda asked: asked.overlap not in ("full", "none")),
    Rule("the preset lets documents have few results each", (_K,), lambda asked: asked.says_few),
    Rule(
        "results have no size", (_K,),
        lambda asked: asked.options.size is not None and asked.options.size.high == 0,
    ),
    Rule(
        "the context is not one path to the root, then sentences, titles or pairs", (_K,),
        lambda asked: Path.of(asked.options.context, asked.facts.deepest) is None,
    ),
    Rule("the model has no compiled loop", (_K,), lambda asked: not _models_compiled(asked)),
    Rule("", (_O,), lambda asked: not asked.structured),
    Rule("", (_O,), lambda asked: asked.strategy != "thorough" or asked.overlap != "full" or asked.options.chooses),
)  # fmt: skip
"""Conditions on options: they are tried once for many queries."""

OF_QUERY = (
    Rule("the query has no words", (_C,), lambda asked: asked.query is None),
    Rule("the query has no words", (_K,), lambda asked: not asked.terms),
    Rule("", (_O,), lambda asked: asked.query is not None),
    Rule("all words have a minus", (_K,), lambda asked: all(term.sign == "-" for term in asked.terms)),
    Rule("the query has many words", (_K,), lambda asked: len(asked.terms) > many.MANY),
    Rule("a word has no weight", (_K,), lambda asked: any(term.weight <= 0 for term in asked.terms)),
    Rule("the query has many conditions", (_K,), lambda asked: _many_demanded(asked)),
    Rule(_COUNTED, (_K,), lambda asked: asked.counts and asked.demanded is not None),
    # Their weights hang on all candidates, which are others where words are required, or the word itself makes none.
    Rule("a word with several spellings is required, or has a minus", (_K,), lambda asked: _hangs_on_candidates(asked)),
    # Their weights hang on the greatest in the whole index.
    Rule("a word has several spellings", (_C,), lambda asked: any(own_spelling(keys) for keys in asked.keys)),
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
"""Of strategies that cannot answer, the first reason."""


def _refusal(asked: Asked, rules: tuple[tuple[str, Callable[[Asked], bool]], ...]) -> str | None:
    for reason, holds in rules:
        if holds(asked):
            return reason
    return None


def refused_by_options(asked: Asked) -> Refusals:
    """Return which strategies the options of a search refuse, whatever the query."""
    reasons = {strategy: _refusal(asked, rules) for strategy, (rules, _) in _BY_STRATEGY.items()}
    return {strategy: reason for strategy, reason in reasons.items() if reason is not None}


def plan(asked: Asked, by_options: Refusals | None = None, after: Plan | None = None, gave_up: str = "") -> Plan:
    """Return the plan of a query: the first strategy that no rule refuses.

    Parameters
    ----------
    asked
        The query, its options, and the index.
    by_options
        What `refused_by_options` returns for it, if that is known.
    after, gave_up
        The plan whose strategy gave up, and why.

    Examples
    --------
    >>> asked = Asked(Options.of(preset="study"), False, Facts(5)).of(Query((Term(("tree",)),)))
    >>> plan(asked).strategy.value, plan(asked._replace(facts=Facts(5, scores_all=True))).strategy.value
    ('pruned top-k', 'all candidates')
    """
    if by_options is None:
        by_options = refused_by_options(asked)
    reasons = () if after is None else (*after.reasons, gave_up)
    passed = after is None
    for strategy in Strategy:
        if not passed:
            passed = after is not None and strategy is after.strategy
            continue
        reason = by_options.get(strategy)
        if reason is None:
            reason = _refusal(asked, _BY_STRATEGY[strategy][1])
        if reason is None:
            return Plan(strategy, tuple(dict.fromkeys(filter(None, reasons))))
        reasons = (*reasons, reason)
    raise AssertionError("no rule refuses to score all candidates")
