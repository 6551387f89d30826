"""What the forms of contextualisation have in common: their interface, their explanation and their text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trix.query.matching.candidates import Candidates
from trix.support.arrays import Floats, Int32s, Int64s, Mask

if TYPE_CHECKING:
    from trix.query.language.path_tree import Path, PathStep
    from trix.query.language.terms import Query
    from trix.query.matching.query_words import QueryWords
    from trix.query.matching.section_titles import SectionTitles


class ContextTerm(NamedTuple):
    """A member of a context: g·s of the formula.

    A member that is no candidate has an element number in the place of a place; ``members`` elements without either,
    all of score 0, share a term.
    """

    place: int | None
    weight: float
    score: float
    members: int = 1
    element: int | None = None
    word: str = ""
    """A word of the query, where words are what counts, and the score is 1; or what else is scored of the element."""
    numbers: Mapping[str, float] | None = None
    """Of a word, those that its weight w·(ln(N/m))^P is made of."""


class FormExplanation(NamedTuple):
    """The numbers behind one new score, which they give bit by bit as the form's ``apply`` does."""

    terms: tuple[ContextTerm, ...]
    numerator: float
    denominator: float
    f: float | None
    """Factor of the mean; None where the mean itself is the new score."""
    own: float
    """The score before."""

    @property
    def result(self) -> float:
        """The new score: the old one where the denominator is 0."""
        if self.denominator == 0.0:
            return self.own
        mean = self.numerator / self.denominator
        return mean + 0.0 if self.f is None else self.own + self.f * mean


class Form(Protocol):
    """What every form can do."""

    @property
    def all(self) -> bool:
        """Whether elements that do not match get a score too."""

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``; `around` are those that count for the context, None for `s`."""

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers behind the new score of one candidate."""

    def members(self, candidates: Candidates) -> Mask:
        """Return which candidates the form is applied to, ``(n,)``."""


class Ordinals(NamedTuple):
    """Where members of a level stand, ``(k,)`` each: their ordinals, and of their documents the first and the last."""

    own: Int32s
    first: Int32s
    last: Int32s


class Sides(NamedTuple):
    """Ordinals of members around some candidates, ``(k,)`` each.

    Of the members in a candidate's document those with the ordinals [first, before) end before it begins, those with
    [after, last) begin when it has ended.
    """

    first: Int32s
    before: Int32s
    after: Int32s
    last: Int32s


class SiblingRows(NamedTuple):
    """Where elements stand among the children of their parents, ``(k,)`` each.

    The rows of children are numbered through: the number of the element, and the range ``[begin, end)`` of its row.
    """

    own: Int32s
    begin: Int32s
    end: Int32s


class Numbering(Protocol):
    """A granularity level among candidates."""

    def among(self, candidates: Candidates) -> Mask:
        """Return which candidates are members, ``(n,)``."""

    def ordinals(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return the ordinals of members."""

    def sides(self, candidates: Candidates, places: NDArray[np.intp]) -> Sides:
        """Return the members on both sides of some candidates, in their documents."""


class Surroundings(Protocol):
    """What forms may ask of an index besides the candidates; `trix.query.structured.levels.Levels` answers."""

    def reached(self, way: tuple[PathStep, ...], of: NDArray[Any]) -> tuple[Int64s, Int32s]:
        """Return pairs of a place among some elements (ascending) and an element that steps from it lead to."""

    def linked(self, direction: str) -> tuple[Int32s, Int32s]:
        """Return all links as two arrays: sources, ascending, and targets (``out``), or the reverse (``in``)."""

    def extent(self, of: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the first element number of each element's document, and one more than the last."""

    def at_level(self, text: str) -> Int32s:
        """Return the members of a granularity level, of those inside each other the outermost, ascending."""

    def apart(self, text: str) -> Numbering:
        """Return a granularity level, of members inside each other the outermost."""

    def selected(self, path: Path) -> Int32s:
        """Return the numbers of the elements that a path selects, ascending."""

    def siblings(self, candidates: Candidates, places: NDArray[np.intp]) -> SiblingRows:
        """Return where candidates stand among the indexed children of their parents.

        ``places`` are those of candidates that are no roots, by parent and in document order.
        """

    def documents(self, elements: Int32s) -> NDArray[np.intp]:
        """Return the document number of each element."""

    def ends(self, candidates: Candidates) -> Int32s:
        """Return one more than the number of each candidate's last descendant, ``(n,)``."""

    def contents(self, elements: Int32s) -> tuple[Int32s, Int32s]:
        """Return where the content elements of some elements begin and end, ``(k,)`` each."""

    def titles(self, tags: tuple[str, ...]) -> SectionTitles:
        """Return the titles of sections: elements with some tags, or what the profile says where none are given."""


@runtime_checkable
class Unbound(Protocol):
    """A form that needs an index before it can be applied."""

    def bind(self, surroundings: Surroundings) -> Form:
        """Return the form as it is over one index."""


@runtime_checkable
class OfWords(Protocol):
    """A form that needs the words of a query before it can be applied."""

    @property
    def all(self) -> bool:
        """Whether elements that do not match get a score too."""

    def of_query(self, words: QueryWords) -> Form:
        """Return the form as it is for one query."""


def asks_words(form: object) -> TypeGuard[OfWords]:
    """Whether a form is `OfWords`: asked at every query, for which the check of a protocol takes too long."""
    return hasattr(form, "of_query")


# Of other forms, too, a chain asks what they can do and not which they are, so that it need not import them all.


class Support(NamedTuple):
    """The elements that satisfy the support of a structured query.

    Attributes
    ----------
    elements : (m,) ndarray of int32
        Ascending.
    scores : (m,) ndarray of float64
        By the words of the step that the element satisfies; of several the outermost.
    """

    elements: Int32s
    scores: Floats


class OfSupport(Protocol):
    """A form that needs the support of a structured query before it can be applied."""

    def of_support(self, support: Support) -> Form:
        """Return the form as it is for one query."""


def asks_support(form: object) -> TypeGuard[OfSupport]:
    """Whether a form is `OfSupport`."""
    return hasattr(form, "of_support")


class ScoresAlone(Protocol):
    """A form that reads no scores but that of the element itself."""

    def apply_to(self, candidates: Candidates, s: Floats, places: NDArray[np.intp]) -> Floats:
        """Return the new scores, right for some candidates."""


def scores_alone(form: object) -> TypeGuard[ScoresAlone]:
    """Whether a form is `ScoresAlone`."""
    return hasattr(form, "apply_to")


class OfOwnQuery(Protocol):
    """A form whose scores are those of another query."""

    def query(self, query: Query) -> Query:
        """Return that query, made of the one that is asked."""


def asks_own_query(form: object) -> TypeGuard[OfOwnQuery]:
    """Whether a form is `OfOwnQuery`."""
    return hasattr(form, "query")


class MeanForm:
    """A form that adds the weighted mean of a context: RS(x) = s(x) + f·Σ g s / Σ g.

    Who inherits says what the sums are, and which terms they have.
    """

    __slots__ = ()
    f: float

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return Σ g s and Σ g of every candidate, ``(n,)`` each; where the second is 0, scores stay."""
        raise NotImplementedError

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of the sums of one candidate."""
        raise NotImplementedError

    def members(self, candidates: Candidates) -> Mask:
        """Return which candidates the form is applied to: all, ``(n,)``."""
        return np.ones(len(candidates), dtype=np.bool_)

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``."""
        numerator, denominator = self.sums(candidates, s if around is None else around)
        mean = np.divide(numerator, denominator, out=np.zeros(len(s)), where=denominator > 0)
        return np.where(denominator > 0, s + self.f * mean, s)

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers behind the new score of one candidate."""
        counted = s if around is None else around
        numerator, denominator = self.sums(candidates, counted)
        terms = self.context(candidates, counted, place)
        return FormExplanation(terms, float(numerator[place]), float(denominator[place]), self.f, float(s[place]))


def of_index(surroundings: Surroundings | None) -> Surroundings:
    """Return the index that a form is bound to; it is an error in the program to apply a form before it is bound."""
    if surroundings is None:
        raise RuntimeError("the form is not bound to an index")
    return surroundings


def format_number(number: float) -> str:
    """Write a number so that it reads back as the same double, without a needless ``.0``.

    >>> [format_number(x) for x in (1.0, 0.25, 1e-5, 1e100)]
    ['1', '0.25', '1e-05', '1e+100']
    """
    return repr(float(number)).removesuffix(".0")


def parameters(form: object, **defaults: float) -> list[str]:
    """Return as text the parameters of a form that differ from their defaults."""
    given = [(key, getattr(form, key)) for key, default in defaults.items() if getattr(form, key) != default]
    return [f"{key}={format_number(value)}" for key, value in given] + ["all=1"] * bool(getattr(form, "all", False))


def form_text(name: str, form: object, **defaults: float) -> str:
    """Write a form with the parameters that differ from their defaults."""
    return ":".join(filter(None, [name, ",".join(parameters(form, **defaults))]))
