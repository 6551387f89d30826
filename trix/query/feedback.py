"""Relevance feedback by offer weights, and queries for "more like this" [V, 3.2; RETRIEVAL, section 9].

Feedback reads the inverted file alone: the document frequency of each key, and the keys of the first documents (see
`trix.indexer.store.inverted.by_document`). Sources are not opened. "More like this" takes the content elements of one
element as feedback documents. There a key counts as often as it occurs, since a single paragraph would otherwise offer
only its rarest words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.expand import Feedback
from trix.query.language.terms import Query, Term, plain
from trix.support.arrays import Ints


@dataclass(frozen=True)
class Offer:
    """A key that joins the query.

    Attributes
    ----------
    key
        The key.
    r, n
        Numbers of feedback documents, and of documents of the collection, that hold it.
    weight
        Its offer weight.
    """

    key: str
    r: int
    n: int
    weight: float


@dataclass(frozen=True)
class Expansion:
    """The feedback documents, and the keys that join the query.

    Attributes
    ----------
    documents
        Ids of the R feedback documents, in order.
    N
        Number of documents of the collection.
    offers
        Keys that join the query, best first.
    """

    documents: tuple[str, ...]
    N: int
    offers: tuple[Offer, ...]

    def extend(self, query: Query) -> Query:
        """Append the offered keys to `query`, without signs."""
        return query.with_added(Term((offer.key,)) for offer in self.offers)

    def reasons(self) -> Iterator[tuple[float, str, dict[str, Any]]]:
        """Yield, for each key, its offer weight, a text with the formula, and the values of the variables."""
        for offer in self.offers:
            what = f"offer weight of {offer.key}, added by feedback, r·ln(((r+.5)(N-n-R+r+.5))/((n-r+.5)(R-r+.5)))"
            yield offer.weight, what, {"r": offer.r, "n": offer.n, "R": len(self.documents), "N": self.N}

    def notice(self) -> str:
        """Describe the expansion in one line."""
        if not self.documents:
            return "feedback: there are no results to take keys from"
        where = f"feedback from {len(self.documents)} document{'' if len(self.documents) == 1 else 's'}"
        if not self.offers:
            return f"{where}: no key to add"
        keys = ", ".join(
            f"{offer.key} (r = {offer.r}, n = {offer.n}, offer weight {offer.weight:.4g})" for offer in self.offers
        )
        return f"{where} adds {keys}"


def offer_weight(r: int, n: int, R: int, N: int) -> float:
    """Return r·ln(((r+.5)(N-n-R+r+.5))/((n-r+.5)(R-r+.5))) [V, 3.2; after Robertson].

    2·ln((2.5·7.5)/(1.5·0.5)) = 2·ln 25:

    >>> round(offer_weight(2, 3, 2, 10), 6)
    6.437752
    """
    return r * math.log(((r + 0.5) * (N - n - R + r + 0.5)) / ((n - r + 0.5) * (R - r + 0.5)))


def expand(index: IndexFiles, query: Query, documents: Ints, feedback: Feedback) -> Expansion:
    """Choose the keys that join a query.

    Parameters
    ----------
    index
        The searched index.
    query
        Keys of its terms, also of phrases and of minus terms, are not offered again.
    documents
        Numbers of the feedback documents, in order.
    feedback
        Amount of feedback.
    """
    R, N = documents.size, len(index)
    if not R:
        return Expansion((), N, ())
    keys, n, r = index.document_counts(documents)
    # Keys that the query has in any form would only repeat it.
    query_keys = {key for term in query.terms for keys in plain(term.keys) for key in keys}
    offers: list[Offer] = []
    # Many keys have the same r and n, which decide the weight: compute it once for each pair.
    pairs, pair_of = np.unique(np.stack((r, n)), axis=1, return_inverse=True)
    weights = np.array([offer_weight(a, b, R, N) for a, b in pairs.T.tolist()])
    weight = weights[pair_of.reshape(-1)]
    for place in np.argsort(-weight, kind="stable").tolist():  # keys come in order: ties stay sorted
        # A weight of 0 or less says that the key is no more frequent here than elsewhere.
        if len(offers) == feedback.keys or weight[place] <= 0:
            break
        if keys[place] not in query_keys:
            offers.append(Offer(keys[place], int(r[place]), int(n[place]), float(weight[place])))
    return Expansion(tuple(index.ids[int(document)] for document in documents), N, tuple(offers))


KEYS = 20
"""Number of keys of the feedback query."""

LOOKED_AT = 200
"""Number of candidate keys whose content elements are counted: frequent in the element, rare in documents."""


def distinctive(index: IndexFiles, document: int, contents: Sequence[Counter[str]], most: int = KEYS) -> list[Offer]:
    """Return the keys that set an element apart, best first; all of them occur outside of it as well.

    Parameters
    ----------
    index
        The index.
    document
        Number of the element's document.
    contents
        Keys and their frequencies in each content element of the element.
    most
        Largest number of keys.
    """
    occurrences: Counter[str] = Counter()
    contents_with: Counter[str] = Counter()
    for counts in contents:
        occurrences.update(counts)
        contents_with.update(counts.keys())
    # Counting content elements of a key reads its list, so candidates are chosen first by numbers that cost nothing.
    keys, documents, _ = index.document_counts(np.array([document]))
    rare = np.log((len(index) + 1) / documents)
    known = [(-occurrences[key] * weight, key) for key, weight in zip(keys, rare.tolist(), strict=True)]
    R, N = len(contents), index.totals["content_elements"]
    offers = []
    for _, key in sorted(each for each in known if each[1] in occurrences and len(each[1]) > 1)[:LOOKED_AT]:
        r, n = contents_with[key], int(index.postings(key)[0].size)
        # A key of this element alone finds nothing else.
        if n > r:
            offers.append(Offer(key, r, n, offer_weight(r, n, R, N) * occurrences[key] / r))
    return sorted((offer for offer in offers if offer.weight > 0), key=lambda offer: (-offer.weight, offer.key))[:most]


def elsewhere(scored: CandidateScores, begin: int, end: int) -> CandidateScores:
    """Exclude candidates that overlap the content elements ``[begin, end)`` from the results."""
    candidates = scored.candidates
    # Ranges of content elements that are apart: neither ancestors nor descendants.
    apart = (candidates.end <= begin) | (candidates.begin >= end)
    return replace(scored, returned=apart if scored.returned is None else scored.returned & apart, chosen=True)
