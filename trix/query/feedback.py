"""Feedback: keys of the first documents join the query [V, 3.2; RETRIEVAL, section 9].

The inverted file is all that is needed: it tells of every key in how many documents it is, and in how many of the first
ones, see `trix.indexer.store.inverted.document_counts`. Sources are not opened.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.language.terms import Query, Term, plain
from trix.query.options import Feedback
from trix.query.ranking.organise import best, rank_key


@dataclass(frozen=True)
class Offer:
    """A key that joins the query.

    Attributes
    ----------
    key
        The key.
    r, n
        Feedback documents, and documents of the collection, that hold it.
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
        Ids of the feedback documents in order; R is their number.
    N
        Documents of the collection.
    offers
        The keys that join the query, best first.
    """

    documents: tuple[str, ...]
    N: int
    offers: tuple[Offer, ...]

    def extend(self, query: Query) -> Query:
        """Return `query` with the offered keys at its end, without signs."""
        return Query((*query.terms, *(Term((offer.key,)) for offer in self.offers)))

    def notice(self) -> str:
        """Say in one line what was added."""
        if not self.documents:
            return "feedback: nothing was found that keys could be taken from"
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


def first_documents(index: IndexFiles, scored: CandidateScores, count: int) -> NDArray[np.int64]:
    """Return the numbers of the first documents, in order of first appearance in the ranked elements.

    The ranking is the one before organisation: all scored elements by rank key, after contextualisation.
    """
    candidates = scored.candidates
    key = rank_key(scored.scores)
    if scored.returned is not None:
        key = np.where(scored.returned, key, -np.inf)
    roots = np.flatnonzero(candidates.parent < 0)
    greatest = np.maximum.reduceat(key, roots)
    found = best(greatest, min(count, int((greatest > -np.inf).sum())))
    return np.asarray(index.documents_of(candidates.element[roots[found]]), np.int64)


def expand(index: IndexFiles, scored: CandidateScores, feedback: Feedback) -> Expansion:
    """Choose the keys that join a query.

    Parameters
    ----------
    index
        The index asked.
    scored
        The query's scores without feedback; the keys of its terms, those of phrases and of minus terms too, are not
        offered again.
    feedback
        How much.
    """
    documents = first_documents(index, scored, feedback.documents)
    R, N = documents.size, len(index)
    if not R:
        return Expansion((), N, ())
    keys, n, r = index.document_counts(documents)
    asked = {key for term in scored.query.terms for keys in plain(term.keys) for key in keys}
    offers: list[Offer] = []
    pairs, pair_of = np.unique(np.stack((r, n)), axis=1, return_inverse=True)
    weights = np.array([offer_weight(a, b, R, N) for a, b in pairs.T.tolist()])
    weight = weights[pair_of.reshape(-1)]
    for place in np.argsort(-weight, kind="stable").tolist():  # keys come in order: ties stay sorted
        if len(offers) == feedback.keys or weight[place] <= 0:
            break
        if keys[place] not in asked:
            offers.append(Offer(keys[place], int(r[place]), int(n[place]), float(weight[place])))
    return Expansion(tuple(index.ids[int(document)] for document in documents), N, tuple(offers))
