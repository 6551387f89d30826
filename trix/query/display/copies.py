"""Copies of the same text among results: which they are, and what tells that two texts are the same."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from trix.errors import SourceError
from trix.query.display.result import Copy, Result
from trix.query.display.results import Results

READ = 1000
"""Results that are compared: all from a later rank on are kept."""

DECIMALS = 9
"""Decimals of scores that are equal for the same words."""

_WORDS = re.compile(r"\w+")


def words_alone(text: str) -> str:
    """Return the words of a text, by which copies are known: white space, signs and case do not count.

    >>> words_alone("The  oak,\\n the ship.") == words_alone("the oak the ship")
    True
    """
    return " ".join(_WORDS.findall(text.casefold())) or text.strip()


def copies_among(results: Results) -> dict[int, list[int]]:
    """Return the places of copies by the place of the first result with the same text.

    The same words have the same score without context, so that only texts of results with equal scores are read.
    An element inside of another is no copy of it.
    """
    first: dict[tuple[float, str], Result] = {}
    found: dict[int, list[int]] = defaultdict(list)
    scores = results.own.round(DECIMALS).tolist()
    counts = Counter(scores)
    if len(counts) == len(scores):
        return {}
    for place, score in enumerate(scores[:READ]):
        if counts[score] == 1:
            continue
        result = results[place]
        try:
            words = words_alone(result.text)
        except SourceError:
            continue
        best = first.setdefault((score, words), result)
        if words and best is not result and not result.overlaps(best.document, best.offset, best.offset + best.length):
            found[best.rank - results.begin - 1].append(place)
    return dict(found)


def without_copies(results: Results) -> Results:
    """Fold copies under the first result that has their text; the results of a query without words stay."""
    if results.view is None or not results.view.asked[0]:
        return results
    copies = copies_among(results)
    if not copies:
        return results
    gone = [place for some in copies.values() for place in some]
    found = results.only(np.delete(np.arange(len(results)), gone))
    docs, paths = results.docs, results.paths
    found.folded = len(gone)
    found.copies = {
        int(results.elements[place]): [Copy(docs[each], paths[each]) for each in some] for place, some in copies.items()
    }
    return found
