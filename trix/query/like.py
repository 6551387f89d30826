"""More like this: a query of the keys that tell an element from the rest of the collection.

The keys are chosen as feedback chooses them, by their offer weight [V, 3.2; RETRIEVAL, section 9], where the element's
content elements take the place of the feedback documents. A key counts there as often as it occurs, since a single
paragraph would otherwise offer nothing but its rarest words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.feedback import Offer, offer_weight

KEYS = 20
"""Keys of the query."""

LOOKED_AT = 200
"""Keys whose content elements are counted: those that are frequent in the element and in few documents."""


def telling(index: IndexFiles, document: int, contents: Sequence[Counter[str]], most: int = KEYS) -> list[Offer]:
    """Return the keys that tell an element from others, best first; all of them occur outside of it as well.

    Parameters
    ----------
    index
        The index.
    document
        Number of the element's document.
    contents
        How often each key is in each of the element's content elements.
    most
        How many at the most.
    """
    occurrences: Counter[str] = Counter()
    held: Counter[str] = Counter()
    for counts in contents:
        occurrences.update(counts)
        held.update(counts.keys())
    keys, documents, _ = index.document_counts(np.array([document]))
    rare = np.log((len(index) + 1) / documents)
    known = [(-occurrences[key] * weight, key) for key, weight in zip(keys, rare.tolist(), strict=True)]
    R, N = len(contents), index.totals["content_elements"]
    offers = []
    for _, key in sorted(each for each in known if each[1] in occurrences and len(each[1]) > 1)[:LOOKED_AT]:
        r, n = held[key], int(index.postings(key)[0].size)
        if n > r:
            offers.append(Offer(key, r, n, offer_weight(r, n, R, N) * occurrences[key] / r))
    return sorted((offer for offer in offers if offer.weight > 0), key=lambda offer: (-offer.weight, offer.key))[:most]


def elsewhere(scored: CandidateScores, begin: int, end: int) -> CandidateScores:
    """Return scores of which nothing may be returned that overlaps with the content elements ``[begin, end)``."""
    candidates = scored.candidates
    apart = (candidates.end <= begin) | (candidates.begin >= end)
    return replace(scored, returned=apart if scored.returned is None else scored.returned & apart, chosen=True)
