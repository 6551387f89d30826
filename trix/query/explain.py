"""Every number behind one result's score, built beside the score and equal to it [RETRIEVAL, sections 4 and 5]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.query.context_form import Explained
from trix.query.search import Scored
from trix.query.weights import idf

Name = Callable[[int], str]


@dataclass(frozen=True)
class Explanation:
    """A number, what it is, what it is made of.

    Attributes
    ----------
    value
        The number as a double.
    what
        One line.
    numbers
        The letters of the formula and their values.
    parts
        The explanations of the numbers it is computed from.
    """

    value: float
    what: str
    numbers: dict[str, Any] = field(default_factory=dict)
    parts: tuple[Explanation, ...] = ()

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> list[str]:
        numbers = "; ".join(f"{name} = {_shown(value)}" for name, value in self.numbers.items())
        lines = [f"{indent}{_shown(self.value)} = {self.what}" + (f": {numbers}" if numbers else "")]
        for part in self.parts:
            lines += part._lines(indent + "  ")
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the tree as plain data."""
        out: dict[str, Any] = {"value": self.value, "what": self.what}
        if self.numbers:
            out["numbers"] = dict(self.numbers)
        if self.parts:
            out["parts"] = [part.to_json() for part in self.parts]
        return out


def _shown(value: Any) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def explain(scored: Scored, place: int, N: int, name: Name) -> Explanation:
    """Return the explanation of one candidate's score.

    Parameters
    ----------
    scored
        The query's scores.
    place
        Of the element among the candidates.
    N
        Content elements of the collection.
    name
        Gives the label of an element by its number.
    """
    context = scored.options.context
    basic = _basic(scored, place, N)
    stages = context.explain(scored.candidates, scored.s, place, scored.matching)
    for form, numbers in stages:
        basic = _contextualised(str(form), numbers, basic, scored.candidates.element, name)
    value = float(scored.scores[place])
    return Explanation(value, f"score of {name(int(scored.candidates.element[place]))}", {}, (basic,))


def _contextualised(
    form: str, numbers: Explained, own: Explanation, elements: NDArray[np.int32], name: Name
) -> Explanation:
    terms = []
    letters: dict[str, Any]
    for term in numbers.terms:
        element = term.element if term.place is None else int(elements[term.place])
        who = f"{term.members} element(s) that do not match" if element is None else name(element)
        letters = {"g": term.weight, "s": term.score}
        terms.append(Explanation(term.weight * term.score, f"weight · score of {who}", letters))
    letters = {"Σ g·s": numbers.numerator, "Σ g": numbers.denominator}
    if numbers.f is None:
        what = f"context {form}: Σ g·s / Σ g"
    else:
        what = f"context {form}: s + f · Σ g·s / Σ g"
        letters = {"s": numbers.own, "f": numbers.f, **letters}
    if numbers.denominator <= 0:
        what = f"context {form}: no context, s stays"
    return Explanation(numbers.result, what, letters, (own, *terms))


def _basic(scored: Scored, place: int, N: int) -> Explanation:
    options, candidates = scored.options, scored.candidates
    xi_c = int(candidates.end[place] - candidates.begin[place])
    terms = []
    for row, term in enumerate(scored.query.terms):
        each = scored.statistics[term.keys]
        weight = float(scored.weights[row, place])
        letters: dict[str, Any] = {
            ("pf" if term.is_phrase else "kf"): int(each.kf[place]),
            "ξ_k": int(each.xi_k[place]),
            "ξ_c": xi_c,
            "m": each.m,
            "N": N,
            "idf": float(np.asarray(idf(each.m, N))),
        }
        terms.append(Explanation(weight, f"{_signed(term.sign)} weight of {term}, {_FORMULAS[options.model]}", letters))
    how = {
        "average": f"average over {len(terms)} term(s)",
        "sum": f"sum over {len(terms)} term(s)",
        "einstein": "Einstein's sum, (x + y) / (1 + xy) from 0 on",
    }[options.combine]
    return Explanation(
        float(scored.s[place]), f"basic weight s: {how}", {"v": options.v, "b": options.b}, tuple(terms)
    )


_FORMULAS = {
    "trix2005": "kf / (kf + v((1-b) + b ξ_c/ξ_k)) · idf",
    "trix2004": "kf / (kf + v((1-b) + b l)) · idf, l = 1 or ξ_c/√ξ_k",
}


def _signed(sign: str) -> str:
    return {"": "plain", "+": "root of the", "-": "negative"}[sign]
