"""Queries of plain words, as most are: of each word the term is kept, so that nothing is read letter by letter."""

from __future__ import annotations

from functools import lru_cache

from trix.query.language.keywords import PLAIN, QueryAnalyzer, Vocabulary, parse
from trix.query.language.terms import Query, Term

_KEPT = 1 << 12
"""Words whose terms are kept."""


class PlainWords:
    """Reads queries of plain words, and leaves all others to `parse`.

    Parameters
    ----------
    analyzer, vocabulary
        See `trix.query.language.keywords.parse`.

    Examples
    --------
    >>> from trix.indexer.words.analyzer import Analyzer
    >>> words = PlainWords(Analyzer(stem="none", stopwords=["the"]))
    >>> print(words.query("Tree  edit distance"))
    tree edit distance
    >>> words.query("the tree"), words.query("tree AND edit"), words.query("+tree"), words.query(" ")
    (None, None, None, None)
    """

    def __init__(self, analyzer: QueryAnalyzer, vocabulary: Vocabulary | None = None) -> None:
        self._analyzer, self._vocabulary = analyzer, vocabulary
        self._term = lru_cache(_KEPT)(self._read)

    def query(self, text: str) -> Query | None:
        """Return the query that a text stands for; None where it is more than words, or more is to be said of one."""
        if not PLAIN.fullmatch(text):
            return None
        terms = list[Term]()
        for word in text.split():
            term = self._term(word)
            if term is None:  # then no other word is read: each that no document has takes its time
                return None
            terms.append(term)
        return Query(tuple(terms)) if terms else None

    def _read(self, word: str) -> Term | None:
        """Return the term that a word stands for; None where it has another number of keys than one, or a notice."""
        query, notices = parse(word, self._analyzer, lenient=True, vocabulary=self._vocabulary)
        one = len(query.terms) == 1 and not query.terms[0].is_phrase and not notices
        return query.terms[0] if one else None
