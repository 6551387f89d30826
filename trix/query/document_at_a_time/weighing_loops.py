"""The compiled loops over the models that `trix.query.document_at_a_time.weighing` knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.query.document_at_a_time.weighing import KINDS
from trix.query.matching.loops import HALF, ONE_ELEMENT
from trix.query.open_lists.impacts_loops import impact_of
from trix.query.scoring.weights_loops import bm25_of_one, trix2005_of_one
from trix.support.backend import kernel

TRIX2005, BM25 = KINDS["trix2005"], KINDS["bm25"]


@kernel
def unpacked(numbers: Any, models: Any) -> Any:
    """Return spans of lists, terms, the model, and that of the context, as other loops take them.

    Parameters
    ----------
    numbers
        See `query_numbers`.
    models
        What `Weighing.numbers` says of both.

    Returns
    -------
    spans : (K, 4) ndarray
    terms : tuple of ndarrays
        Of each term its key, its sign, its weight, and the key of its own spelling.
    model, around : tuple
        The kind, idf by key, letters, logarithms, what a sum is divided by, and r by term.
    """
    whole, real = numbers
    (kind, letters, tables, divisor), (kind_around, letters_around, tables_around, divisor_around) = models
    keys = whole[0]
    ends = 1 + 4 * keys
    terms = (whole.size - ends) // 3
    spans = whole[1:ends].reshape(keys, 4)
    key_of, sign, own_of = whole[ends : ends + terms], whole[ends + terms : ends + 2 * terms], whole[ends + 2 * terms :]
    weight, r, r_around = real[:terms], real[terms : 2 * terms], real[2 * terms : 3 * terms]
    idf, idf_around = real[3 * terms : 3 * terms + keys], real[3 * terms + keys :]
    return (
        spans,
        (key_of, sign, weight, own_of),
        (kind, idf, letters, tables, divisor, r),
        (kind_around, idf_around, letters_around, tables_around, divisor_around, r_around),
    )


@kernel
def preferred(weight: float, own: bool, r: float) -> float:
    """Return a weight by which elements with the spelling that was asked for come first.

    Twin: `trix.query.term_weights.prefer_own`.
    """
    return (weight + (2.0 * r if own else 0.0)) / 3.0


@kernel
def basic(model: Any, terms: Any, counts: Any, sizes: Any, depth: Any, deepest: Any) -> Any:
    """Return the scores of candidates by themselves, ``(n,)``; 0 below a depth, where nobody asks.

    Parameters
    ----------
    model, terms
        As `Weighing` gives them.
    counts
        kf and ξ_k by candidate and key, see `ONE_ELEMENT`.
    sizes
        ξ_c of the candidates, and the keys in each.
    depth, deepest
        Of the candidates, and that down to which scores are wanted.
    """
    kind, idf, (v, b, _, k1, B, avgdl), (logs, starts, lengths), divisor, r = model
    key_of, plus, weight, own_of = terms
    xi_c, dl = sizes
    n = xi_c.size
    s = np.zeros(n)
    for term in range(key_of.size):
        t, times, doubled = key_of[term], weight[term], plus[term] != 0
        own, prefers = max(own_of[term], 0), r[term] > 0.0
        if kind == TRIX2005:
            for i in range(n):
                kf, xi_k = counts[i, t] & (ONE_ELEMENT - 1), counts[i, t] >> HALF
                if kf and depth[i] <= deepest:
                    one = trix2005_of_one(kf, xi_c[i], xi_k, idf[t], v, b)
                    if prefers:
                        one = preferred(one, counts[i, own] > 0, r[term])
                    s[i] += (np.sqrt(one) if doubled else one) * times
        elif kind == BM25:
            for i in range(n):
                kf = counts[i, t] & (ONE_ELEMENT - 1)
                if kf and depth[i] <= deepest:
                    one = bm25_of_one(kf, dl[i], avgdl, idf[t], k1, B)
                    if prefers:
                        one = preferred(one, counts[i, own] > 0, r[term])
                    s[i] += (one * 2.0 if doubled else one) * times
        else:
            for i in range(n):
                kf = counts[i, t] & (ONE_ELEMENT - 1)
                if kf and depth[i] <= deepest:
                    one = max(logs[starts[t] + kf] + lengths[dl[i]], 0.0)
                    if prefers:
                        one = preferred(one, counts[i, own] > 0, r[term])
                    s[i] += (one * 2.0 if doubled else one) * times
    for i in range(n):
        s[i] /= divisor
    return s


@kernel
def impact_factors(model: Any, terms: Any, keys: int) -> Any:
    """Return by what the impacts of each key are multiplied, and by what the square roots of these, (K, 2).

    Parameters
    ----------
    model, terms
        As for `basic`; trix2005 whose words have one spelling each.
    keys
        How many there are.
    """
    _, idf, _, _, divisor, _ = model
    key_of, plus, weight, _ = terms
    factors = np.zeros((keys, 2))
    for term in range(key_of.size):
        t = key_of[term]
        if plus[term]:
            factors[t, 1] += weight[term] * np.sqrt(idf[t]) / divisor
        else:
            factors[t, 0] += weight[term] * idf[t] / divisor
    return factors


@kernel
def add_bounds(model: Any, terms: Any, lists: Any, sizes: Any, root: Any, rest: Any) -> None:
    """Add to 0 what the root of each document, and any other element of it, can score at most by itself.

    It goes list by list, whose rows lie behind one another, and not document by document.

    Parameters
    ----------
    model, terms
        As for `basic`.
    lists
        The rows of all lists, and the spans of these; where each document stands among those that hold any term,
        counted from 1; and of each of these its row in the list of each term, -1 where it is not there.
    sizes
        The content elements and the keys of documents; of the latter fewer may be told, since less is more.
    root, rest
        Of documents.
    """
    kind, idf, (v, b, share, k1, B, avgdl), (logs, starts, lengths), divisor, r = model
    key_of, plus, weight, own_of = terms
    listed, spans, slot, rows = lists
    contents, keys = sizes
    last = lengths.size - 1
    for term in range(key_of.size):
        t, times, doubled, prefers = key_of[term], weight[term], plus[term] != 0, r[term] > 0.0
        for row in range(spans[t, 0], spans[t, 1]):
            i = slot[listed[row, 0]] - 1
            if i < 0:
                continue
            n = np.int64(listed[row, 3])
            if kind == TRIX2005:
                most, whole = impact_of(listed[row, 1], listed[row, 2], n, contents[i], v, b, share)
                most, whole = most * idf[t], whole * idf[t]
            else:
                dl = max(n, keys[i])
                if kind == BM25:
                    most, whole = bm25_of_one(n, n, avgdl, idf[t], k1, B), bm25_of_one(n, dl, avgdl, idf[t], k1, B)
                else:
                    most = max(logs[starts[t] + n] + lengths[min(n, last)], 0.0)
                    whole = max(logs[starts[t] + n] + lengths[min(dl, last)], 0.0)
            if prefers:
                has_own = rows[i, own_of[term]] >= 0
                most, whole = preferred(most, has_own, r[term]), preferred(whole, has_own, r[term])
            if doubled and kind == TRIX2005:
                most, whole = np.sqrt(most), np.sqrt(whole)
            elif doubled:
                most, whole = most * 2.0, whole * 2.0
            rest[i] += most * times
            root[i] += whole * times
    for i in range(root.size):
        root[i], rest[i] = root[i] / divisor, rest[i] / divisor
