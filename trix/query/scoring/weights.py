"""Weights of terms in elements, as pure functions of arrays [RETRIEVAL, sections 4 and 10].

The letters are the papers': for a key k and an element ξ

========  ==========================================================================================
``kf``    occurrences of k in ξ; of a phrase pf, the smallest count among its keys per content element
``xi_c``  ξ_c, the number of content elements in ξ (1 for a content element)
``xi_k``  ξ_k, how many of them contain k
``m``     content elements of the collection that contain k, or other texts, see `trix.query.scoring.statistics`
``N``     content elements of the collection, or other texts; ``n`` and ``N`` of bm25-2011 are documents
``dl``    keys in ξ; ``avgdl`` is their mean over the texts of the collection
``cf``    occurrences of k in the collection
``C``     keys in the collection
========  ==========================================================================================

Every weight is 0 where kf = 0. Counts may be arrays of any integer type, or numbers; results are float64.

References
----------
[I]  Kekäläinen, Junkkari, Arvola, Aalto: TRIX 2004 - Struggling with the Overlap. INEX 2004.
[II]  Arvola, Junkkari, Kekäläinen: Generalized Contextualization Method for XML Information Retrieval.
[V]  Arvola, Kekäläinen, Junkkari: Query Evaluation with Structural Indices. INEX 2005.
[IV]  Arvola, Kekäläinen, Junkkari: Contextualization Models for XML Retrieval. IP&M 2011.
[Arvola thesis]  Arvola: The Role of Context in Matching and Evaluation of XML Information Retrieval. Tampere 2011.
[Robertson 2009]  Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond.
[Zhai 2004]  Zhai, Lafferty: A Study of Smoothing Methods for Language Models. TOIS.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from trix.errors import UsageError
from trix.settings import names_of
from trix.support.arrays import Floats

COMBINATIONS = names_of("combine")


def idf(m: ArrayLike, N: int) -> Floats:
    """Return log(N/m)/log(N): 1 for a key of one content element, 0 for a key of all [II].

    It is 1 when N = 1, and 0 for a key that no content element contains.

    >>> idf([1, 10, 100, 0], 100).tolist()
    [1.0, 0.5, 0.0, 0.0]
    >>> idf(1, 1).tolist()
    1.0
    """
    counts = _floats(m)
    # No division by 0: a key without content elements gets 0.
    occurs = counts > 0
    if N <= 1:
        return np.where(occurs, 1.0, 0.0)
    share = np.divide(float(N), counts, out=np.ones_like(counts), where=occurs)
    return np.asarray(np.log(share) / np.log(float(N)), dtype=np.float64)


def raised(idf: ArrayLike, power: float = 1.0) -> Floats:
    """Return an inverse frequency to a power; one below 0 keeps its sign.

    >>> raised([0.5, -4.0], 1.0).tolist(), raised([0.5, -4.0], 2.0).tolist()
    ([0.5, -4.0], [0.25, -16.0])
    """
    factor = _floats(idf)
    return factor if power == 1 else np.asarray(np.copysign(np.abs(factor) ** power, factor), dtype=np.float64)


@lru_cache(maxsize=4096)
def idf_of_one(m: int, N: int, power: float = 1.0) -> float:
    """Return ``raised(idf(m, N), power)`` of one key, without arrays of one number.

    >>> idf_of_one(10, 100), idf_of_one(10, 100, 2.0), idf_of_one(0, 100), idf_of_one(1, 1)
    (0.5, 0.25, 0.0, 1.0)
    """
    # The same operations on single numpy numbers: Python's logarithm may differ from numpy's in the last bit.
    found = np.float64(0.0)
    if m:
        found = np.float64(1.0) if N <= 1 else np.log(np.float64(N / m)) / np.log(np.float64(N))
    return float(found if power == 1 else raised(found, power))


@lru_cache(maxsize=4096)
def bm25_idf_of_one(m: int, N: int, power: float = 1.0) -> float:
    """Return the inverse frequency of BM25 of one key, to a power.

    >>> bm25_idf_of_one(1, 10) == float(np.log(1.0 + 9.5 / 1.5))
    True
    """
    return float(raised(np.log(1.0 + (N - m + 0.5) / (m + 0.5)), power))


def trix2005(kf: ArrayLike, xi_c: ArrayLike, xi_k: ArrayLike, idf: ArrayLike, v: float = 2.0, b: float = 0.1) -> Floats:
    """Return kf/(kf + v((1-b) + b ξ_c/ξ_k)) · idf [V, eq. 1; IV, eq. 4].

    Parameters
    ----------
    kf, xi_c, xi_k, idf
        Arrays that broadcast; ``xi_k`` is at least 1 where kf > 0.
    v
        Weight of the length part, 0 or more.
    b
        Between 0, which favours large elements, and 1, which favours small ones.

    Examples
    --------
    3/(3 + 2(0.9 + 0.1·6/2)) · 0.5 = 3/5.4 · 0.5:

    >>> trix2005(3, 6, 2, 0.5).round(6).tolist()
    0.277778
    >>> trix2005([0, 1], [4, 1], [0, 1], 1.0, v=1.0).tolist()
    [0.0, 0.5]
    """
    kf, xi_k = _floats(kf), _floats(xi_k)
    # ξ_k is 0 only where kf is, and so is the weight; 1 keeps the quotient defined.
    length = _floats(xi_c) / np.maximum(xi_k, 1.0)
    return _saturate(kf, length, v, b) * _floats(idf)


def trix2004(
    kf: ArrayLike,
    xi_c: ArrayLike,
    xi_k: ArrayLike,
    content: ArrayLike,
    idf: ArrayLike,
    v: float = 2.0,
    b: float = 0.1,
) -> Floats:
    """Return kf/(kf + v((1-b) + b l)) · idf, l = 1 for a content element, else ξ_c/√ξ_k [I, eq. 1, 2].

    Parameters
    ----------
    kf
        For a phrase, the smallest kf among its keys [I, eq. 3, 4].
    xi_c, xi_k, idf
        Arrays that broadcast. The weight is 0 where ``xi_k`` is 0.
    content
        Whether ξ is a content element.
    v, b
        As in :func:`trix2005`.

    Examples
    --------
    3/(3 + 2(0.9 + 0.1·6/√4)) · 0.5 = 3/5.4 · 0.5, and 3/(3 + 2):

    >>> trix2004([3, 3], [6, 1], [4, 1], [False, True], [0.5, 1.0]).round(6).tolist()
    [0.277778, 0.6]
    """
    xi_k = _floats(xi_k)
    # A phrase's least kf may be above 0 where no content element holds all its keys.
    kf = np.where(xi_k > 0, _floats(kf), 0.0)
    length = np.where(content, 1.0, _floats(xi_c) / np.sqrt(np.maximum(xi_k, 1.0)))
    return _saturate(kf, length, v, b) * _floats(idf)


def _saturate(kf: Floats, length: Floats, v: float, b: float) -> Floats:
    # Where kf is 0 the quotient may be 0/0, with v = 0: such elements are left out of the division.
    below = kf + v * ((1.0 - b) + b * length)
    kf, below = np.broadcast_arrays(kf, below)
    return np.asarray(np.divide(kf, below, out=np.zeros(kf.shape), where=kf > 0), dtype=np.float64)


def signed(weight: ArrayLike, sign: str) -> Floats:
    """Apply a term's prefix: √w for ``+``, -w for ``-``, w without [I, eq. 5, 6].

    >>> [signed(0.25, sign).tolist() for sign in ("", "+", "-")]
    [0.25, 0.5, -0.25]
    """
    w = _floats(weight)
    if sign == "+":
        # A root raises a weight below 1, and keeps it below 1.
        return np.asarray(np.sqrt(w), dtype=np.float64)
    return np.negative(w) if sign == "-" else w


def doubled(weight: ArrayLike, sign: str) -> Floats:
    """Apply a prefix to a weight that has no upper bound: 2w for ``+``, -w for ``-``.

    For `bm25`, `bm25_2011`, `tfidf`, `lm_jm` and `lm_dirichlet`; a root would make weights above 1 smaller.

    >>> [doubled(3.0, sign).tolist() for sign in ("", "+", "-")]
    [3.0, 6.0, -3.0]
    """
    w = _floats(weight)
    return w * 2.0 if sign == "+" else np.negative(w) if sign == "-" else w


def times(weight: ArrayLike, count: float, how: str = "average") -> Floats:
    """Return the signed weights of a term that counts as if it were written `count` times.

    Under Einstein's sum, x ⊕ x ⊕ .. of n times x is tanh(n·artanh x).

    >>> times([0.5], 2.0, "sum").tolist(), times([0.5, 1.0], 2.0, "einstein").round(12).tolist()
    ([1.0], [0.8, 1.0])
    >>> einstein(0.5, 0.5).tolist()
    0.8
    """
    w = _floats(weight)
    if count == 1:
        return w
    if how != "einstein":
        return w * count
    with np.errstate(divide="ignore"):  # artanh 1 is infinite, and its tanh 1 again
        return np.asarray(np.tanh(count * np.arctanh(w)))


def combine(weights: ArrayLike, how: str = "average", counts: Sequence[float] | None = None) -> Floats:
    """Combine the weights of the query's terms into one score for each element.

    Parameters
    ----------
    weights
        ``(T, n)`` signed weights, a row for each term in written order; a term that matches nothing has a row, too.
    how
        ``average`` [I, eq. 7], ``sum`` [IV, eq. 5], or ``einstein``: the fold of
        x ⊕ y = (x+y)/(1+xy) from 0 [I, eq. 8, 9], with x ⊕ y = 0 where 1 + xy = 0.
    counts
        How often each term counts, which `times` has applied already: an average is over their sum. Once each if None.

    Returns
    -------
    ndarray
        ``(n,)`` scores. Rows are added one after the other, so that equal rows give equal sums on every machine.

    Raises
    ------
    UsageError
        If ``how`` is unknown.

    Examples
    --------
    >>> combine([[0.5, 1.0], [0.5, -1.0]]).tolist()
    [0.5, 0.0]
    >>> combine([[0.5, 1.0], [0.5, -1.0]], "einstein").tolist()
    [0.8, 0.0]
    >>> combine([[0.5, 1.0], [0.5, -1.0]], "sum").tolist()
    [1.0, 0.0]
    """
    if how not in COMBINATIONS:
        raise UsageError(f"combine '{how}' is unknown; expected {', '.join(COMBINATIONS)}")
    rows = _floats(weights)
    total = np.zeros(rows.shape[1:])
    # One row after another: the order of additions is fixed, and with it the bits.
    for row in rows:
        total = einstein(total, row) if how == "einstein" else total + row
    # An average is over all terms, also over those that an element lacks.
    return total / (len(rows) if counts is None else sum(counts)) if how == "average" and len(rows) else total


def einstein(x: ArrayLike, y: ArrayLike) -> Floats:
    """Return (x+y)/(1+xy), and 0 where 1 + xy = 0 [I, eq. 8].

    >>> einstein([0.5, 1.0, -1.0], [0.5, 0.25, 1.0]).tolist()
    [0.8, 1.0, 0.0]
    """
    x, y = _floats(x), _floats(y)
    above, below = np.broadcast_arrays(x + y, 1.0 + x * y)
    return np.asarray(np.divide(above, below, out=np.zeros(above.shape), where=below != 0), dtype=np.float64)


def bm25(
    kf: ArrayLike,
    dl: ArrayLike,
    avgdl: float,
    m: ArrayLike,
    N: int,
    k1: float = 1.2,
    B: float = 0.75,
    power: float = 1.0,
) -> Floats:
    """Return kf(k1+1)/(kf + k1(1-B + B·dl/avgdl)) · ln(1 + (N-m+.5)/(m+.5)) [Robertson 2009].

    2·2.2/(2 + 1.2(0.25 + 0.75·20/10)) · ln(1 + 9.5/1.5) = 4.4/4.1 · ln 7.3333:

    >>> bm25(2, 20, 10.0, 1, 10).round(6).tolist()
    2.138218
    """
    kf, m = _floats(kf), _floats(m)
    below = kf + k1 * (1.0 - B + B * _floats(dl) / avgdl)
    # Arguments may have different shapes; a division with a mask needs one.
    above, below = np.broadcast_arrays(kf * (k1 + 1.0), below)
    part = np.divide(above, below, out=np.zeros(above.shape), where=above > 0)
    return np.asarray(part * raised(np.log(1.0 + (N - m + 0.5) / (m + 0.5)), power), dtype=np.float64)


def bm25_2011(
    kf: ArrayLike, dl: ArrayLike, avgdl: float, n: int, N: int, a: float = 1.2, b: float = 0.1, power: float = 1.0
) -> Floats:
    """Return kf/(kf + a(b + (1-b)·dl/avgdl)) · log((N-n+.5)/(n+.5)) [D, 3.3.1, eq. 1, but for q].

    N and n count documents, and avgdl is the mean length of documents; dl is the element's. The weight of a key in
    more than half of the documents is below 0, as it is printed.

    2/(2 + 1.2(0.25 + 0.75·5/10)) · ln(9.5/1.5) = 2/2.75 · 1.845827:

    >>> bm25_2011(2, 5, 10.0, 1, 10, b=0.25).round(6).tolist()
    1.342419
    """
    kf, dl = np.broadcast_arrays(_floats(kf), _floats(dl))
    below = kf + a * (b + (1.0 - b) * dl / avgdl)
    # As above, an element without the key is not divided.
    part = np.divide(kf, below, out=np.zeros(kf.shape), where=kf > 0)
    return np.asarray(part * raised(np.log((N - n + 0.5) / (n + 0.5)), power), dtype=np.float64)


def tfidf(kf: ArrayLike, dl: ArrayLike, m: ArrayLike, N: int, power: float = 1.0) -> Floats:
    """Return max(0, 1 + ln kf)·ln(N/m)/√dl; kf is below 1 where occurrences count less.

    (1 + ln 1)·ln(100/10)/√4 = 1.151293:

    >>> tfidf([1, 0], [4, 4], 10, 100).round(6).tolist()
    [1.151293, 0.0]
    """
    kf, dl, m = np.broadcast_arrays(_floats(kf), _floats(dl), _floats(m))
    # The logarithm of 0 is never taken: absent keys get 1 in its place, and weigh 0 at the end.
    found = kf > 0
    grown = np.maximum(1.0 + np.log(np.where(found, kf, 1.0)), 0.0)
    part = grown * raised(np.log(N / np.where(found, m, 1.0)), power) / np.sqrt(np.maximum(dl, 1.0))
    return np.where(found, part, 0.0)


def lm_jm(kf: ArrayLike, dl: ArrayLike, cf: ArrayLike, C: int, lambda_: float = 0.5) -> Floats:
    """Return ln(1 + λ·kf·C/((1-λ)·dl·cf)): Jelinek-Mercer smoothing, as a sum over matching terms [Zhai 2004].

    ln(1 + 0.5·2·1000/(0.5·20·10)) = ln 11:

    >>> lm_jm(2, 20, 10, 1000).round(6).tolist()
    2.397895
    """
    kf, dl, cf = np.broadcast_arrays(_floats(kf), _floats(dl), _floats(cf))
    # It is 0 for an empty element or an unknown key, where kf is 0 and nothing is divided.
    below = (1.0 - lambda_) * dl * cf
    # The sum runs over matching terms: kf = 0 gives ln 1 = 0.
    ratio = np.divide(lambda_ * kf * C, below, out=np.zeros(kf.shape), where=kf > 0)
    return np.asarray(np.log1p(ratio), dtype=np.float64)


def lm_dirichlet(kf: ArrayLike, dl: ArrayLike, cf: ArrayLike, C: int, mu: float = 2000.0) -> Floats:
    """Return max(0, ln(1 + kf·C/(μ·cf)) + ln(μ/(μ+dl))): Dirichlet smoothing [Zhai 2004].

    ln(1 + 2·1000/(100·10)) + ln(100/150) = ln 3 - ln 1.5:

    >>> lm_dirichlet(2, 50, 10, 1000, mu=100.0).round(6).tolist()
    0.693147
    """
    kf, dl, cf = np.broadcast_arrays(_floats(kf), _floats(dl), _floats(cf))
    # An occurrence implies cf > 0, so the divisor is above 0 where kf is.
    ratio = np.divide(kf * C, mu * cf, out=np.zeros(kf.shape), where=kf > 0)
    # The second part is a loss by length, of each matching term.
    part = np.log1p(ratio) + np.log(mu / (mu + dl))
    return np.where(kf > 0, np.maximum(part, 0.0), 0.0)


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)
