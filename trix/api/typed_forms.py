"""Results with a word in the form that is typed, before those about as good with other forms [QUERY, section 21].

The index keeps stems. Which form stands in a result is read off its text, so few results are looked at, and none where
no word of the query has another form. A text that is read here is kept for the snippet.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from itertools import groupby
from operator import attrgetter

import numpy as np

from trix.errors import SourceError
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.words.characters import inside_words
from trix.indexer.words.spelling import plain_spelling
from trix.query.display.result import Result, ResultView
from trix.query.display.results import Results
from trix.query.display.snippet import candidates
from trix.query.matching.forms import REORDERED
from trix.support.arrays import Floats, Mask

MARGIN = 0.03
"""Largest relative bonus of a score: for a result that has all query words in their typed form."""

_reading_order = attrgetter("document", "element")


def typed_first(results: Results, words: Set[str], analyzer: Analyzer, accents: str, last: int) -> Results:
    """Return results with those first, of a few that are about as good, that have the words as they are typed.

    Known items stay where they are, and so does what follows a result with a lower score: results that were put off.

    Parameters
    ----------
    results
        From the first rank on, in order of rank.
    words
        In plain spelling.
    analyzer
        The chain of the index.
    accents
        ``fold`` or ``keep``, of the plain spelling.
    last
        The last rank that changes.
    """
    if results.view is None:
        return results
    begin = next((at for at, each in enumerate(results.elements.tolist()) if each not in results.known), len(results))
    end = _end(results.scores[: min(last, REORDERED)], begin)
    scores = results.scores[begin:end]
    close = near(scores)
    if not close.any():
        return results
    some = [result for result, is_close in zip(results.between(begin, end), close, strict=True) if is_close]
    shares = np.zeros(scores.size)
    shares[close] = _shares(some, words, results.view, analyzer, accents)
    order = ordered(scores, shares)
    if (order[:-1] < order[1:]).all():
        return results
    found = results.only(np.concatenate([np.arange(begin), begin + order, np.arange(end, len(results))]))
    found.__dict__.pop("run_scores", None)  # which follow from the order
    return found


def near(scores: Floats) -> Mask:
    """Flag the scores of a descending list that could change places with a neighbour.

    >>> near(np.array([9.0, 5.1, 5.0, 2.0])).tolist()
    [False, True, True, False]
    """
    pairs: Mask = raised(scores[1:], 1.0) > scores[:-1]
    found: Mask = np.append(pairs, False) | np.append(False, pairs)
    return found


def raised(scores: Floats, shares: Floats | float) -> Floats:
    """Return scores as they are compared: raised by the share of the words in the typed form."""
    return scores + MARGIN * np.abs(scores) * shares


def ordered(scores: Floats, shares: Floats) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the order of falling scores when they are raised; ties stay as they are.

    >>> ordered(np.array([5.1, 5.0, 5.0, 4.0]), np.array([0.0, 1.0, 0.0, 1.0])).tolist()
    [1, 0, 2, 3]
    """
    return np.argsort(-raised(scores, shares), kind="stable")


def _end(scores: Floats, begin: int) -> int:
    """Return the place from `begin` on before which scores do not rise.

    >>> _end(np.array([1.0, 5.0, 4.0, 3.0, 4.5]), 1)
    4
    """
    rises = np.flatnonzero(np.diff(scores[begin:]) > 0)
    return begin + int(rises[0]) + 1 if rises.size else scores.size


def _shares(
    results: Sequence[Result], words: Set[str], view: ResultView, analyzer: Analyzer, accents: str
) -> list[float]:
    """Return the share of the words that each result has as they are typed; 0 where its source cannot be read."""
    found: dict[int, float] = {}
    for _, some in groupby(sorted(results, key=_reading_order), key=attrgetter("document")):
        together = list(some)
        view.expect(together)
        for result in together:
            try:
                text = view.line(result)
            except SourceError:
                continue
            found[result.element] = len(there(text, words, analyzer, accents)) / len(words)
    return [found.get(result.element, 0.0) for result in results]


def there(text: str, words: Set[str], analyzer: Analyzer, accents: str) -> set[str]:
    """Return which words a text has, all in plain spelling.

    >>> there("MEDICAL equipment, and Medications", {"medications", "equipments"}, Analyzer(), "fold")
    {'medications'}
    """
    text = text.replace("_", " ")  # which parts words, while a pattern takes it for a letter
    if analyzer.join:
        return {plain for word in set(analyzer.words(text)) if (plain := plain_spelling(word, accents)) in words}
    found = set[str]()
    for match in candidates(frozenset(words), "none", inside_words(text)).finditer(text):
        found.update(each for each in _plain_words(match.group(), analyzer, accents) if each in words)
    return found


@lru_cache(maxsize=1 << 12)
def _plain_words(text: str, analyzer: Analyzer, accents: str) -> tuple[str, ...]:
    return tuple(plain_spelling(word, accents) for word in analyzer.words(text))
