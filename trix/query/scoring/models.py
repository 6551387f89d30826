"""Scoring models by name: statistics needed, weight function, prefixes [RETRIEVAL, sections 4 and 10].

A model weighs one term in all candidates at once. It reads the term's `Statistics` and the elements' `Extent`.
Contextualisation, overlap and explanation do not depend on the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trix.core import topk
from trix.indexer.store.files import IndexFiles
from trix.query.matching.candidates import Candidates
from trix.query.scoring import weights
from trix.query.scoring.statistics import StatisticsScope
from trix.query.scoring.weights import doubled, idf, raised, signed
from trix.support.arrays import Floats, Int32s, Int64s, Mask

Counts = Int32s


@dataclass(frozen=True)
class Statistics:
    """Statistics of one distinct term; arrays over the candidates, (n,).

    Attributes
    ----------
    kf
        Occurrences, weighted with weighted places; for a phrase pf, and in ``trix2004`` the smallest kf of its keys.
    xi_k
        Content elements of the element that hold the term.
    m
        Texts of the statistics scope that hold the term.
    cf
        Occurrences in the collection, weighted as kf.
    """

    kf: NDArray[Any]
    xi_k: Counts
    m: int
    cf: float

    def at(self, places: Any) -> Statistics:
        """Return the statistics of some candidates."""
        return replace(self, kf=self.kf[places], xi_k=self.xi_k[places])


@dataclass(frozen=True)
class Extent:
    """Sizes of the candidates and of the collection.

    Attributes
    ----------
    xi_c : (n,) ndarray
        Content elements of each candidate.
    content : (n,) ndarray of bool
        Whether a candidate is a content element.
    dl : (n,) ndarray, or None
        Keys of each candidate; None for a model that does not read it.
    N, C
        Number of texts of the statistics scope, and of keys in them.
    avgdl
        Mean number of keys of these texts.
    """

    xi_c: NDArray[Any]
    content: Mask
    dl: Int64s | None
    N: int
    C: int
    avgdl: float

    def at(self, places: Any) -> Extent:
        """Return the sizes of some candidates."""
        dl = None if self.dl is None else self.dl[places]
        return replace(self, xi_c=self.xi_c[places], content=self.content[places], dl=dl)

    @property
    def lengths(self) -> Int64s:
        """Keys of each candidate."""
        if self.dl is None:
            raise ValueError("the model does not say that it reads lengths")
        return self.dl


def extent_of(index: IndexFiles, candidates: Candidates, units: StatisticsScope, bounded: bool) -> Extent:
    """Return the sizes of candidates and collection; a `bounded` model needs no lengths in keys."""
    return Extent(
        (candidates.end - candidates.begin).astype(np.float64),
        candidates.content,
        None if bounded else index.elements.tokens(candidates.begin, candidates.end),
        units.N,
        units.C,
        units.mean_length,
    )


class Letters(Protocol):
    """Parameters of all formulas by their letters, from the options of a search."""

    @property
    def v(self) -> float: ...
    @property
    def b(self) -> float: ...
    @property
    def a(self) -> float: ...
    @property
    def k1(self) -> float: ...
    @property
    def B(self) -> float: ...
    @property
    def lambda_(self) -> float: ...
    @property
    def mu(self) -> float: ...
    @property
    def idf_power(self) -> float: ...


@dataclass(frozen=True)
class Model:
    """A scoring model.

    Attributes
    ----------
    weight
        Computes the unsigned weights of a term, (n,).
    formula
        Text for explanations; the factor that may be raised to a power stands between ‹ and ›.
    letters
        Numbers of the formula for one candidate, except kf or pf.
    parameters
        Option -> letter of the formula.
    bounded
        Whether weights lie between 0 and 1, so that ``+`` is a root, and Einstein's sum and the average are defined.
    statistics
        Default statistics scope: the level whose members are the texts of the collection.
    needs
        The field of `Statistics` that must be above 0: a key without it weighs nothing.
    """

    weight: Callable[[Statistics, Extent, Letters], Floats]
    formula: str
    letters: Callable[[Statistics, Extent, int], dict[str, Any]]
    parameters: dict[str, str]
    bounded: bool = False
    statistics: str = "content"
    needs: Literal["m", "cf"] = "m"

    def weigh(self, term: Statistics, extent: Extent, letters: Letters) -> Floats:
        """Return the unsigned weights of a term, (n,)."""
        # Without a text that holds the term, idf has no value; the formulas need not ask.
        if not getattr(term, self.needs):
            return np.zeros(term.kf.size)
        return self.weight(term, extent, letters)

    @property
    def has_idf(self) -> bool:
        """Whether the formula has an inverse document frequency as a factor, which may be raised to a power."""
        return "‹" in self.formula

    def printed(self, power: float) -> str:
        """Return the formula with its inverse document frequency raised to a power.

        >>> MODELS["tfidf"].printed(1), MODELS["tfidf"].printed(2)
        ('max(0, 1 + ln kf) · ln(N/m) / √dl', 'max(0, 1 + ln kf) · (ln(N/m))^p / √dl')
        """
        begin, end = ("", "") if power == 1 else ("(", ")^p")
        return self.formula.replace("‹", begin).replace("›", end)

    def signed(self, weight: ArrayLike, sign: str) -> Floats:
        """Apply a term's prefix."""
        return signed(weight, sign) if self.bounded else doubled(weight, sign)

    def combination(self, chosen: str) -> str:
        """Return the combination of terms; for an unbounded model, the average means the sum."""
        # A mean of unbounded weights ranks as their sum does, and the published formulas are sums.
        return chosen if self.bounded else "sum"


def _trix2005(term: Statistics, extent: Extent, o: Letters) -> Floats:
    # The compiled formula, which the pruned search uses, too: both give the same bits.
    factor = float(raised(idf(term.m, extent.N), o.idf_power))
    return topk.trix2005(term.kf, extent.xi_c, term.xi_k, factor, o.v, o.b)


def _trix2004(term: Statistics, extent: Extent, o: Letters) -> Floats:
    return weights.trix2004(
        term.kf, extent.xi_c, term.xi_k, extent.content, raised(idf(term.m, extent.N), o.idf_power), o.v, o.b
    )


def _bm25(term: Statistics, extent: Extent, o: Letters) -> Floats:
    factor = weights.bm25_idf_of_one(term.m, extent.N, o.idf_power)
    return topk.bm25(term.kf, extent.lengths, extent.avgdl, factor, o.k1, o.B)


def _bm25_2011(term: Statistics, extent: Extent, o: Letters) -> Floats:
    return weights.bm25_2011(term.kf, extent.lengths, extent.avgdl, term.m, extent.N, o.a, o.b, o.idf_power)


def _tfidf(term: Statistics, extent: Extent, o: Letters) -> Floats:
    return weights.tfidf(term.kf, extent.lengths, term.m, extent.N, o.idf_power)


def _lm_jm(term: Statistics, extent: Extent, o: Letters) -> Floats:
    return weights.lm_jm(term.kf, extent.lengths, term.cf, extent.C, o.lambda_)


def _lm_dirichlet(term: Statistics, extent: Extent, o: Letters) -> Floats:
    return weights.lm_dirichlet(term.kf, extent.lengths, term.cf, extent.C, o.mu)


def _of_content(term: Statistics, extent: Extent, place: int) -> dict[str, Any]:
    return {
        "ξ_k": int(term.xi_k[place]),
        "ξ_c": int(extent.xi_c[place]),
        "m": term.m,
        "N": extent.N,
        "idf": float(idf(term.m, extent.N)),
    }


def _of_length(term: Statistics, extent: Extent, place: int) -> dict[str, Any]:
    letters = _of_content(term, extent, place)
    return {**letters, "l": 1.0 if extent.content[place] else letters["ξ_c"] / math.sqrt(max(letters["ξ_k"], 1))}


def _of_bm25(term: Statistics, extent: Extent, place: int) -> dict[str, Any]:
    return {"dl": int(extent.lengths[place]), "avgdl": extent.avgdl, "m": term.m, "N": extent.N}


def _of_bm25_2011(term: Statistics, extent: Extent, place: int) -> dict[str, Any]:
    return {"dl": int(extent.lengths[place]), "avgdl": extent.avgdl, "n": term.m, "N": extent.N}


def _of_tfidf(term: Statistics, extent: Extent, place: int) -> dict[str, Any]:
    return {"dl": int(extent.lengths[place]), "m": term.m, "N": extent.N}


def _of_language(term: Statistics, extent: Extent, place: int) -> dict[str, Any]:
    return {"dl": int(extent.lengths[place]), "cf": term.cf, "C": extent.C}


_V_B = {"v": "v", "b": "b"}

MODELS: dict[str, Model] = {
    "trix2005": Model(_trix2005, "kf / (kf + v((1-b) + b ξ_c/ξ_k)) · ‹idf›", _of_content, _V_B, bounded=True),
    "trix2004": Model(
        _trix2004,
        "kf / (kf + v((1-b) + b l)) · ‹idf›, l = 1 in a content element, else ξ_c/√ξ_k",
        _of_length,
        _V_B,
        bounded=True,
    ),
    "bm25": Model(
        _bm25, "kf(k1+1) / (kf + k1(1-B + B·dl/avgdl)) · ‹ln(1 + (N-m+.5)/(m+.5))›", _of_bm25, {"k1": "k1", "B": "B"}
    ),
    "bm25-2011": Model(
        _bm25_2011,
        "kf / (kf + a(b + (1-b)·dl/avgdl)) · ‹ln((N-n+.5)/(n+.5))›",
        _of_bm25_2011,
        {"a": "a", "b": "b"},
        statistics="document",
    ),
    "tfidf": Model(_tfidf, "max(0, 1 + ln kf) · ‹ln(N/m)› / √dl", _of_tfidf, {}),
    "lm-dirichlet": Model(
        _lm_dirichlet, "max(0, ln(1 + kf·C/(μ·cf)) + ln(μ/(μ+dl)))", _of_language, {"mu": "μ"}, needs="cf"
    ),
    "lm-jm": Model(_lm_jm, "ln(1 + λ·kf·C/((1-λ)·dl·cf))", _of_language, {"lambda_": "λ"}, needs="cf"),
}
"""Every model by its name."""
