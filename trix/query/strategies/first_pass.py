"""First pass of feedback: the first results of the plain query, and the expansion from them [RETRIEVAL, section 9]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trix.query.expand import Feedback, RelevanceModel
from trix.query.language.terms import Query
from trix.query.options import Options
from trix.query.search import Searcher
from trix.support.arrays import Floats, Int32s

if TYPE_CHECKING:
    from trix.query.feedback import Expansion
    from trix.query.relevance_model import ModelExpansion
    from trix.query.search import AnyQuery

    AnyExpansion = Expansion | ModelExpansion
    Ranked = tuple[Int32s, Floats]


def extended(query: AnyQuery, expansion: AnyExpansion) -> AnyQuery:
    """Append the keys of an expansion to a query."""
    if isinstance(query, Query):
        return expansion.extend(query)
    assert query.query is not None, "a query without words has no feedback"
    return query._replace(query=expansion.extend(query.query))


@lru_cache(maxsize=64)
def ranking_alone(options: Options) -> Options:
    """Return options for the first pass: all elements may be returned; for documents, the best element of each.

    Presentation is ignored: overlap, sizes, number of results and filters.

    >>> query = ranking_alone(Options.of(expand="3:10"))
    >>> query.top, query.per_document, query.strategy, query.where, query.quiet_parts
    (3, 1, 'thorough', None, True)
    """
    how = options.expand
    # Feedback reads documents, so the best element of each is enough; the relevance model reads elements.
    top, of_each = (how.documents, 1) if isinstance(how, Feedback) else (how and how.elements, None)
    shown: dict[str, Any] = {
        "expand": None, "top": top, "per_document": of_each, "spread": None, "strategy": "thorough", "overlap": "full",
        "size": None, "quiet_parts": True, "where": None, "facet": (), "sort": (), "group": None, "from_": 1,
    }  # fmt: skip
    # Settings of the first pass are not the preset's, so that nothing yields them as its defaults.
    preset = options.preset._replace(decides=options.preset.decides.difference(shown))
    return replace(options, preset=preset, **shown)


class FirstPass:
    """Expansion of queries over one index.

    Parameters
    ----------
    searcher
        Scores queries.
    ranked
        Returns the first elements of a query without feedback, and their scores.
    """

    def __init__(self, searcher: Searcher, ranked: Callable[[AnyQuery, Options], Ranked]) -> None:
        self._searcher, self._ranked = searcher, ranked
        self._last: tuple[tuple[AnyQuery, Options], AnyExpansion] | None = None

    def __call__(self, query: AnyQuery, options: Options) -> AnyExpansion | None:
        """Return the expansion; None if the options ask for none, or nothing holds a word of the query.

        Parameters
        ----------
        query, options
            The query, and its options as given.
        """
        if options.expand is None:
            return None
        last = self._last
        if last is not None and last[0] == (query, options):  # explanations ask the same again, result by result
            return last[1]
        words = query if isinstance(query, Query) else query.query
        if not words:
            return None
        # The same words with other options: the order of elements matters, and nothing of their presentation.
        first = ranking_alone(options)
        elements, scores = self._ranked(query, first)
        # An empty first list alone does not mean that nothing matches.
        if not elements.size and self._searcher.score(query, first) is None:
            return None
        expansion = self._expansion(words, elements, scores, options.expand)
        self._last = (query, options), expansion
        return expansion

    def _expansion(
        self, words: Query, elements: Int32s, scores: Floats, how: Feedback | RelevanceModel
    ) -> AnyExpansion:
        index = self._searcher.index
        if isinstance(how, RelevanceModel):
            from trix.query.relevance_model import relevance_model

            return relevance_model(index, elements, scores, how)
        from trix.query.feedback import expand

        return expand(index, words, index.documents_of(elements), how)
