"""Highlights the words of a query in a document that need not be a result of it."""

from __future__ import annotations

from trix.query.display.highlight import Highlighter
from trix.query.language.terms import Query
from trix.query.matching.matching import check_phrases
from trix.query.options import Options
from trix.query.search import Searcher
from trix.query.structured.prepare import StructuredQuery


def highlighter_of(searcher: Searcher, text: str, phrases: str) -> tuple[Highlighter, tuple[str, ...]]:
    """Return a highlighter of a query's words, and the notices on the query.

    Raises
    ------
    UsageError
        Exact phrases are asked of an index without positions, or there is no such reading of phrases.
    QueryError
        The query does not parse.
    """
    asked = Options.of(phrases=phrases)
    check_phrases(searcher.index, asked.phrases)
    query, notices = searcher.parse(text, asked)
    if isinstance(query, StructuredQuery):
        query = query.query or Query()
    return Highlighter(searcher.index, query, phrases), notices
