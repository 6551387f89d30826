"""The searcher: a query and options in, ranked places among candidates out [RETRIEVAL, sections 3 to 6]."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trix.indexer.index import IndexFiles
from trix.query import cas
from trix.query.candidates import Candidates
from trix.query.co import Query, Term, parse
from trix.query.context import Chain
from trix.query.levels import Levels
from trix.query.matching import Match, TermList, frequencies, match, term_list, whole_documents
from trix.query.models import MODELS, Extent, Statistics
from trix.query.nexi import is_structured
from trix.query.options import Options
from trix.query.organise import organise
from trix.query.structured import Structured, prepare, unanswerable
from trix.query.weights import combine
from trix.recent import Recent

Asked = Query | Structured
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scored:
    """A query's candidates and all that their scores are made of.

    Attributes
    ----------
    query
        The terms that were weighed.
    statistics
        By term, its sign apart.
    extent
        How large the candidates are.
    weights : (T, n) ndarray
        Signed weights in written order.
    s : (n,) ndarray
        Combined basic weights.
    scores : (n,) ndarray
        Contextualised.
    matching : (n,) ndarray of bool, or None
        Which candidates match; None where all do.
    returned : (n,) ndarray of bool, or None
        Which candidates may be returned: they have a score, answer a structured query, and belong to the level that
        is asked; None where all do.
    structured
        Whether a structured query was asked.
    """

    query: Query
    options: Options
    candidates: Candidates
    statistics: dict[tuple[str, ...], Statistics]
    extent: Extent
    weights: Floats
    s: Floats
    scores: Floats
    matching: NDArray[np.bool_] | None
    returned: NDArray[np.bool_] | None
    structured: bool = False

    @property
    def found(self) -> int:
        """Number of elements that match, satisfy the structure of a structured query, and belong to the level."""
        mask = self.returned if self.structured or self.options.level is not None else self.matching
        return len(self.candidates) if mask is None else int(np.count_nonzero(mask))


class Searcher:
    """Answers queries over one index.

    Parameters
    ----------
    index
        The files of the index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = index
        self.levels = Levels(index)
        self._bound: Recent[Chain, Chain] = Recent(lambda chain: chain.bind(self.levels))

    def notices(self, options: Options) -> tuple[str, ...]:
        """Return what a user should know of the levels that options name, one line each.

        Raises
        ------
        UsageError
            There is no such level, or it has overlap.
        """
        forms = self.bound(options.context).forms
        asked = [options.level, *filter(None, (getattr(form, "level", None) for form in forms))]
        levels = [self.levels.apart(level) for level in dict.fromkeys(asked) if level is not None]
        return tuple(notice for level in levels for notice in level.notices())

    def bound(self, chain: Chain) -> Chain:
        """Return a chain with its forms bound to this index."""
        if chain.bound:
            return chain
        return self._bound(chain)

    def parse(
        self, text: str, options: Options, *, lenient: bool = False, slash_descends: bool = False
    ) -> tuple[Asked, tuple[str, ...]]:
        """Return a query, content-only or structured, and the notices on it.

        Raises
        ------
        QueryError
            The query does not parse.
        """
        if is_structured(text):
            structured, said = prepare(
                text, self.index.analyzer, options.cas or "SSCAS", open_phrases=options.open_phrases, lenient=lenient,
                slash_descends=slash_descends,
            )  # fmt: skip
            return structured, (*said, *unanswerable(self.index, structured))
        parsed = parse(text, self.index.analyzer, open_phrases=options.open_phrases, lenient=lenient)
        notices = parsed.notices
        if parsed.query and all(term.sign == "-" for term in parsed.query.terms):
            notices = (*notices, "the query has only minus terms, which by themselves find nothing")
        return parsed.query, notices

    def score(self, asked: Asked, options: Options) -> Scored | None:
        """Score every matching element; None when there is none.

        Raises
        ------
        UsageError
            A level is not there, or has overlap.
        """
        if isinstance(asked, Structured):
            return cas.score(self, asked, options)
        return self.score_terms(asked, options)

    def score_terms(self, query: Query, options: Options) -> Scored | None:
        """Score every element that matches some terms; None when there is none."""
        basic = self.basic(query, options)
        return None if basic is None else self.contextualise(basic, options)

    def basic(self, query: Query, options: Options) -> Scored | None:
        """Score every element that matches some terms by itself; None when there is none.

        Of the context only `Chain.all` counts: a form with it needs more candidates.
        """
        lists = {
            keys: term_list(self.index, Term(keys), options.phrases)
            for keys in dict.fromkeys(term.keys for term in query.terms)
        }
        positive = list(dict.fromkeys(term.keys for term in query.terms if term.sign != "-" and lists[term.keys].m))
        if not positive:
            return None
        found = match(self.index, [lists[keys] for keys in positive])
        candidates = found.candidates
        matching: NDArray[np.bool_] | None = None
        if options.context.all:
            candidates = whole_documents(self.index, candidates)
            matching = np.isin(candidates.element, found.candidates.element, assume_unique=True)
            found = Match(candidates, *frequencies(candidates, [lists[keys] for keys in positive]))
        statistics = {
            keys: Statistics(found.kf[t], found.xi_k[t], lists[keys].m, lists[keys].cf)
            for t, keys in enumerate(positive)
        }
        for keys, each in lists.items():
            if keys not in statistics:
                kf, xi_k = frequencies(candidates, [each])
                statistics[keys] = Statistics(kf[0], xi_k[0], each.m, each.cf)
        if options.model == "trix2004":
            statistics = {keys: self._least(keys, each, candidates) for keys, each in statistics.items()}
        extent = self._extent(candidates, options)
        weights = _weights(query, options, statistics, extent)
        s = combine(weights, MODELS[options.model].combination(options.combine))
        if matching is not None:
            s = np.where(matching, s, 0.0)
        return Scored(query, options, candidates, statistics, extent, weights, s, s, matching, matching)

    def contextualise(self, basic: Scored, options: Options) -> Scored:
        """Return basic scores in a context and at a level; many contexts can share them.

        Parameters
        ----------
        basic
            What `basic` returned, for options that differ at most in what follows the basic scores.
        options
            The options that hold from here on.

        Raises
        ------
        UsageError
            A level is not there, or has overlap.
        """
        options = replace(options, context=self.bound(options.context))
        candidates, matching = basic.candidates, basic.matching
        returned = None if matching is None else options.context.scored(candidates, matching)
        return replace(
            basic,
            options=options,
            scores=options.context.apply(candidates, basic.s, matching),
            returned=self._at_level(candidates, returned, options),
        )

    def unscored(self, candidates: Candidates, found: NDArray[np.int32], options: Options) -> Scored:
        """Return candidates that no words weigh; only those found are returned, with a score of 0."""
        zero = np.zeros(len(candidates))
        options = replace(options, context=self.bound(options.context))
        returned = self._at_level(candidates, np.isin(candidates.element, found, assume_unique=True), options)
        extent, weights = self._extent(candidates, options), np.zeros((0, zero.size))
        return Scored(Query(), options, candidates, {}, extent, weights, zero, zero, None, returned, True)

    def _at_level(
        self, candidates: Candidates, returned: NDArray[np.bool_] | None, options: Options
    ) -> NDArray[np.bool_] | None:
        """Return which of the candidates that may be returned belong to the level that is asked."""
        if options.level is None:
            return returned
        members = self.levels.apart(options.level).among(candidates)
        return members if returned is None else returned & members

    def rank(self, scored: Scored) -> NDArray[np.int32]:
        """Return the places of the results in order."""
        options = scored.options
        return organise(
            scored.candidates,
            scored.scores,
            strategy=options.strategy or ("thorough" if scored.structured else "focused"),
            overlap=options.overlap,
            top=options.top,
            root_scores=scored.s,
            fetch=options.fetch,
            keep=scored.returned,
        )

    def _least(self, keys: tuple[str, ...], of: Statistics, candidates: Candidates) -> Statistics:
        """Return a phrase's numbers with min(p, ξ), the smallest kf of its keys [Kekäläinen 2004, eq. 3, 4]."""
        if len(keys) == 1:
            return of
        lists = [TermList(*self.index.postings(key)) for key in dict.fromkeys(keys)]
        return replace(of, kf=frequencies(candidates, lists)[0].min(axis=0))

    def _extent(self, candidates: Candidates, options: Options) -> Extent:
        index = self.index
        return Extent(
            (candidates.end - candidates.begin).astype(np.float64),
            candidates.content,
            None if MODELS[options.model].bounded else index.elements.tokens(candidates.begin, candidates.end),
            index.totals["content_elements"],
            index.totals["tokens"],
        )


def _weights(query: Query, options: Options, statistics: dict[tuple[str, ...], Statistics], extent: Extent) -> Floats:
    model = MODELS[options.model]
    made = {keys: model.weight(each, extent, options) for keys, each in statistics.items()}
    return np.stack([model.signed(made[term.keys], term.sign) for term in query.terms])
