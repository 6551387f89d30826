"""Copies among results: elements with the same text, folded under the first."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import numpy as np

from trix.errors import SourceError
from trix.query.display.result import Copy, Result
from trix.query.display.results import Results

READ = 1000
"""Number of first results that are compared; results at later ranks are never folded."""

DECIMALS = 9
"""Decimals to which scores are compared; texts with the same words have equal scores."""

_WORDS = re.compile(r"\w+")


def words_alone(text: str) -> str:
    r"""Normalise a text for comparison: white space, punctuation and case are ignored.

    >>> words_alone("The  oak,\n the ship.") == words_alone("the oak the ship")
    True
    """
    return " ".join(_WORDS.findall(text.casefold())) or text.strip()


def copies_among(results: Results) -> dict[int, list[int]]:
    """Return the indices of copies by the index of the first result with the same text.

    Copies have equal scores without context, so only results with equal scores are read. A nested element is no
    copy.
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
    """Fold copies under the first result with their text; results of a query without words stay."""
    if results.view is None or not results.view.query_and_phrases[0]:
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
