"""The searcher: a query and options in, ranked places among candidates out [RETRIEVAL, sections 3 to 6]."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from trix.indexer.index import IndexFiles
from trix.query.candidates import Candidates
from trix.query.co import Query, Term, parse
from trix.query.matching import Match, TermList, frequencies, match, term_list, whole_documents
from trix.query.models import MODELS, Extent, Statistics
from trix.query.options import Options
from trix.query.organise import organise
from trix.query.weights import combine

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
        Which candidates have a score; None where all do.
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


class Searcher:
    """Answers queries over one index.

    Parameters
    ----------
    index
        The files of the index.
    """

    def __init__(self, index: IndexFiles) -> None:
        self.index = index

    def parse(self, text: str, options: Options, *, lenient: bool = False) -> tuple[Query, tuple[str, ...]]:
        """Return a query and the notices on it.

        Raises
        ------
        QueryError
            The query does not parse.
        """
        parsed = parse(text, self.index.analyzer, open_phrases=options.open_phrases, lenient=lenient)
        notices = parsed.notices
        if parsed.query and all(term.sign == "-" for term in parsed.query.terms):
            notices = (*notices, "the query has only minus terms, which by themselves find nothing")
        return parsed.query, notices

    def score(self, query: Query, options: Options) -> Scored | None:
        """Score every matching element; None when there is none."""
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
        scores = options.context.apply(candidates, s, matching)
        returned = None if matching is None else options.context.scored(candidates, matching)
        return Scored(query, options, candidates, statistics, extent, weights, s, scores, matching, returned)

    def rank(self, scored: Scored) -> NDArray[np.int32]:
        """Return the places of the results in order."""
        options = scored.options
        return organise(
            scored.candidates,
            scored.scores,
            strategy=options.strategy or "focused",
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
