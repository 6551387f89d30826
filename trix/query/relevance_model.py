"""Feedback by a relevance model, RM3 [RETRIEVAL, section 9].

    P(w|R) = Σ_e P(e|Q) · tf(w,e)/|e|         over the first elements e; P(e|Q) is e's share of their scores P'(w)  = λ
    · P(w|Q) + (1-λ) · P(w|R)      P(w|R) renormalised over the kept keys

P(w|Q) is the term's share of the weights of the query. Only the inverted file is read.

References
----------
[Lavrenko 2001]  Lavrenko, Croft: Relevance-Based Language Models. SIGIR. [Abdul-Jaleel 2004]  Abdul-Jaleel and others:
UMass at TREC 2004: Novelty and HARD.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.live import postings_inside
from trix.query.expand import RelevanceModel
from trix.query.language.terms import Query, Term
from trix.query.ranking.organise import best, rank_key
from trix.support.arrays import Floats, Int32s


@dataclass(frozen=True)
class ModelExpansion:
    """Feedback elements and the keys of their relevance model.

    Attributes
    ----------
    elements
        Numbers of the feedback elements, in order.
    share
        λ, the share of the original query.
    keys
        Key -> P(w|R), greatest first, with a sum of 1.
    """

    elements: tuple[int, ...]
    share: float
    keys: tuple[tuple[str, float], ...]

    def extend(self, query: Query) -> Query:
        """Return `query` with its weights scaled to λ, and the model's keys scaled to 1-λ at its end."""
        total = sum(term.weight for term in query.terms if term.sign != "-") or 1.0
        share = self.share if self.keys else 1.0
        scaled = tuple(replace(term, weight=share * term.weight / total) for term in query.terms)
        added = (Term((key,), weight=(1 - share) * p) for key, p in self.keys if share < 1)
        return replace(query, terms=scaled).with_added(added)

    def notice(self) -> str:
        """Describe the expansion in one line."""
        if not self.elements:
            return "feedback: there are no results to estimate a model from"
        where = f"model of {len(self.elements)} element{'' if len(self.elements) == 1 else 's'}"
        if not self.keys:
            return f"{where}: no key to add"
        return f"{where} adds {', '.join(f'{key} (P = {p:.4g})' for key, p in self.keys)}"

    def reasons(self) -> Iterator[tuple[float, str, dict[str, Any]]]:
        """Yield the reason for each key: a value, its meaning, and its letters."""
        if self.share < 1:
            for key, p in self.keys:
                what = f"weight of {key}, added by feedback, (1-λ)·P(w|R)"
                yield (1 - self.share) * p, what, {"λ": self.share, "P": p, "elements": len(self.elements)}


def relevance_model(index: IndexFiles, elements: Int32s, scores: Floats, settings: RelevanceModel) -> ModelExpansion:
    """Estimate a relevance model from the first elements of a query.

    Parameters
    ----------
    index
        The searched index.
    elements, scores
        The first elements in rank order, and their scores without feedback.
    settings
        Number of keys, and share of the query.
    """
    table = index.elements
    table.structure_of_elements(elements)
    begin = table.begin[elements]
    end = begin + table.contents[elements]
    lengths = table.tokens(begin, end)
    # Scores may be negative with minus terms; a probability may not.
    positive = np.maximum(scores, 0.0)
    total = float(positive.sum())
    shares = positive / total if total > 0 else np.full(elements.size, 1 / max(elements.size, 1))
    # Postings are read once for all elements: nested ones share content elements.
    contents = np.unique(np.concatenate([np.zeros(0, np.int32), *map(np.arange, begin, end)]))
    weight = np.zeros(contents.size)  # of an occurrence in each content element: those of nested elements add up
    for low, high, share, length in zip(begin, end, shares, lengths, strict=True):
        weight[slice(*np.searchsorted(contents, (low, high)))] += share / max(int(length), 1)
    keys, number, content, tf = postings_inside(index.live, contents)
    p = np.bincount(number, tf * weight[np.searchsorted(contents, content)], len(keys)).astype(np.float64)
    chosen = [place for place in best(rank_key(p), settings.keys).tolist() if p[place] > 0]  # keys come in order
    # In a fixed order, for the same bits everywhere.
    kept = 0.0
    for place in chosen:
        kept += float(p[place])
    model = tuple((keys[place], float(p[place]) / kept) for place in chosen)
    return ModelExpansion(tuple(elements.tolist()), settings.share, model)
