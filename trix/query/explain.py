"""Explanation of one result's score: every number in it, computed beside the score and equal to it.

[RETRIEVAL, sections 4 and 5]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.indexer.store.files import IndexFiles
from trix.indexer.words.multi_key import exact
from trix.query.basic_scores import BasicScorer
from trix.query.candidate_scores import CandidateScores, TermWeights
from trix.query.context.form import FormExplanation
from trix.query.context.own_model import OwnModel
from trix.query.language.terms import Query
from trix.query.matching.matching import satisfied
from trix.query.options import Options
from trix.query.scoring.models import MODELS

if TYPE_CHECKING:
    from trix.query.feedback import Expansion
    from trix.query.relevance_model import ModelExpansion

Name = Callable[[int], str]


@dataclass(frozen=True)
class Explanation:
    """A number, its meaning, and the numbers it is computed from.

    Attributes
    ----------
    value
        The number.
    what
        Its meaning, one line.
    numbers
        The letters of the formula and their values.
    parts
        Explanations of the numbers it is computed from.
    term
        The term whose weight it is, or an empty string.
    """

    value: float
    what: str
    numbers: dict[str, Any] = field(default_factory=dict)
    parts: tuple[Explanation, ...] = ()
    term: str = ""

    def __str__(self) -> str:
        return "\n".join(self._lines(""))

    def _lines(self, indent: str) -> list[str]:
        numbers = "; ".join(f"{name} = {_shown(value)}" for name, value in self.numbers.items())
        lines = [f"{indent}{_shown(self.value)} = {self.what}" + (f": {numbers}" if numbers else "")]
        for part in self.parts:
            lines += part._lines(indent + "  ")
        return lines

    def _repr_html_(self) -> str:
        """Render for notebooks: a number with parts opens when it is clicked."""
        from trix.support.notebook import STYLE

        return f'<div class="trix"><style>{STYLE}</style>{"".join(self._opening(True))}</div>'

    def _opening(self, open_: bool = False) -> Iterator[str]:
        from trix.support.notebook import escaped

        numbers = "; ".join(f"{name} = {_shown(value)}" for name, value in self.numbers.items())
        shown = f"<b>{escaped(_shown(self.value))}</b> = {escaped(self.what)}"
        shown += f' <span class="w">{escaped(numbers)}</span>' if numbers else ""
        if not self.parts:
            yield f'<div class="p">{shown}</div>'
            return
        yield f'<details class="p"{" open" if open_ else ""}><summary>{shown}</summary>'
        for part in self.parts:
            yield from part._opening()
        yield "</details>"

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


def matched(
    index: IndexFiles, scored: CandidateScores | None, number: int, element: str, query: str
) -> tuple[CandidateScores, int]:
    """Score a query, and find an element among its candidates.

    Raises
    ------
    UsageError
        The element does not match.
    """
    # Candidates ascend: in the place of a missing element stands the next one, or none.
    place = -1 if scored is None else int(np.searchsorted(scored.candidates.element, number))
    if scored is None or place >= len(scored.candidates) or scored.candidates.element[place] != number:
        raise UsageError(f"{element}: the element does not match the query {query}")
    # A candidate may match the words and miss the structure.
    if scored.structured and scored.returned is not None and not scored.returned[place]:
        raise UsageError(f"{element}: the element does not satisfy the structure of the query {query}")
    # Not by `scored.returned`, which knows of levels too: an element outside the level can be explained.
    demanded = None if scored.structured else scored.query.demands(scored.options.signs)
    if demanded is not None:
        phrases = scored.options.phrases
        if not satisfied(index, scored.candidates, demanded, phrases, scored.lists)[place]:
            raise UsageError(f"{element}: the element does not hold what the query {query} demands")
    return scored, place


def explain(
    scored: CandidateScores,
    scorer: BasicScorer,
    place: int,
    name: Name,
    expansion: Expansion | ModelExpansion | None = None,
) -> Explanation:
    """Explain one candidate's score.

    Parameters
    ----------
    scored
        The query's scores.
    scorer
        Source of a candidate's term statistics.
    place
        Index of the candidate.
    name
        Maps element numbers to labels.
    expansion
        The feedback that added terms to the query.
    """
    context = scored.options.context
    basic = _basic(scored, scored.options, scorer.weighed(scored, place), place, float(scored.s[place]), expansion)
    # From the basic score outwards: the explanation of each form has the one before it as its first part.
    stages = context.explain(scored.candidates, scored.s, place, scored.matching)
    for form, numbers in stages:
        members: dict[int, Explanation] = {}
        if isinstance(form, OwnModel):
            options = scored.options.of_form(form)
            of = scorer.with_form_query(form, scored)
            offers = expansion if of is scored else None
            for term in numbers.terms:
                # Members are explained by the form's model. The element itself is explained already, unless the form
                # has a query of its own.
                if term.place is not None and of.query.terms and (term.place != place or of is not scored):
                    weighed = scorer.weighed(of, term.place, options)
                    members[term.place] = _basic(of, options, weighed, term.place, term.score, offers)
        basic = _contextualised(str(form), numbers, basic, scored.candidates.element, name, members)
    value = float(scored.scores[place])
    return Explanation(value, f"score of {name(int(scored.candidates.element[place]))}", {}, (basic,))


def _contextualised(
    form: str,
    numbers: FormExplanation,
    own: Explanation,
    elements: NDArray[np.int32],
    name: Name,
    members: Mapping[int, Explanation],
) -> Explanation:
    """Explain a form of context; `members` are context elements whose scores have a model of their own."""
    terms = []
    letters: dict[str, Any]
    for term in numbers.terms:
        if term.numbers is not None:
            terms.append(Explanation(term.weight, f"weight of {term.word}, w·(ln(N/m))^P", dict(term.numbers)))
            continue
        element = term.element if term.place is None else int(elements[term.place])
        who = f"{term.members} element(s) that do not match" if element is None else name(element)
        who += f" by its {term.word}" if term.word else ""
        letters = {"g": term.weight, "s": term.score}
        parts = () if term.place is None or term.place not in members else (members[term.place],)
        terms.append(Explanation(term.weight * term.score, f"weight · score of {who}", letters, parts))
    letters = {"Σ g·s": numbers.numerator, "Σ g": numbers.denominator}
    # A mean that includes the element is the new score; otherwise it is added to the old one.
    if numbers.f is None:
        what = f"context {form}: Σ g·s / Σ g"
    else:
        what = f"context {form}: s + f · Σ g·s / Σ g"
        letters = {"s": numbers.own, "f": numbers.f, **letters}
    if numbers.denominator == 0:
        what = f"context {form}: no context, s stays"
    return Explanation(numbers.result, what, letters, (own, *terms))


def _basic(
    scored: CandidateScores,
    options: Options,
    weighed: TermWeights,
    place: int,
    s: float,
    expansion: Expansion | ModelExpansion | None,
) -> Explanation:
    """Explain a candidate's basic score `s` under the options of the search or of a form."""
    model = MODELS[options.model]
    if scored.matching is not None and not scored.matching[place]:
        return Explanation(0.0, "basic weight s: 0, the element does not match")
    if not scored.query.terms:
        return Explanation(0.0, "basic weight s: 0, the query has no words")
    terms = []
    offers = _offers(expansion)
    # Terms from feedback stand at the end of the query, one for each offer.
    typed = len(scored.query.terms) - len(offers)
    for row, term in enumerate(scored.query.terms):
        each = weighed.statistics[term.keys]
        k = "pf" if term.is_phrase else "kf"
        letters: dict[str, Any] = {k: each.kf[0].item()} | model.letters(each, weighed.extent, 0)
        # A weight of 0 is shown as the letter that makes it 0: the formula would divide by it, or take its logarithm.
        nothing = next((letter for letter in (k, "m", "n", "cf") if letters.get(letter) == 0), None)
        formula = f"0 where {nothing} = 0" if nothing else model.printed(options.idf_power).replace("kf", k)
        what = f"{_SIGNS[model.bounded, term.sign]} weight of {term}, {formula}"
        first = term.keys[0]  # nearness is no key of several spellings, though it is printed with the same sign
        if not term.is_phrase and not scored.crowded and isinstance(first, str) and exact(first) != first:
            what += "; where some have the word as it was asked for, a third of that, and two thirds of the greatest"
        if term.weight != 1:
            letters["^"] = term.weight
        if term.words:
            letters["words"] = ", ".join(f"{word} ({count:,})" for word, count in term.words)
        offered = offers[row - typed : row - typed + 1] if row >= typed else ()
        terms.append(Explanation(float(weighed.weights[row, 0]), what, letters, offered, str(term).lstrip("+-")))
    how = {
        "average": f"average over {_counted(scored.query)} term(s)",
        "sum": f"sum over {len(terms)} term(s)",
        "einstein": "Einstein's sum, (x + y) / (1 + xy) from 0 on, 0 where 1 + xy = 0",
    }[model.combination(options.combine)]
    # Parameters belong to the whole score, letters to each term.
    parameters = {letter: getattr(options, name) for name, letter in model.parameters.items()}
    if options.idf_power != 1:
        parameters["p"] = options.idf_power
    if options.statistics is not None:
        how += f", statistics of {BasicScorer.units_text(options)}"
    if options.weights is not None:
        how += f", words weighted by {options.weights}"
    return Explanation(s, f"basic weight s: {how}", parameters, tuple(terms))


def _counted(query: Query) -> str:
    return f"{sum(term.weight for term in query.terms):.10g}"


def _offers(expansion: Expansion | ModelExpansion | None) -> tuple[Explanation, ...]:
    """Explain why each key joined the query."""
    return () if expansion is None else tuple(Explanation(*reason) for reason in expansion.reasons())


_SIGNS = {
    (True, ""): "plain",
    (True, "+"): "root of the",
    (True, "-"): "negative",
    (False, ""): "plain",
    (False, "+"): "double the",
    (False, "-"): "negative",
}
"""(whether the model's weights are bounded, prefix of a term) -> effect on the weight."""
