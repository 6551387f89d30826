"""Interface of the forms of contextualisation, their explanation and their text."""

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

    A member that is no candidate has an element number instead of an index. ``members`` elements with score 0 share a
    term.
    """

    place: int | None
    weight: float
    score: float
    members: int = 1
    element: int | None = None
    word: str = ""
    """Query word, if the term counts words (its score is then 1); or another scored part of the element."""
    numbers: Mapping[str, float] | None = None
    """Factors of a word's weight w·(ln(N/m))^P."""


class FormExplanation(NamedTuple):
    """The numbers of one new score, equal bit by bit to those of the form's ``apply``."""

    terms: tuple[ContextTerm, ...]
    numerator: float
    denominator: float
    f: float | None
    """Factor of the mean; None if the mean itself is the new score."""
    own: float
    """Score before this form."""

    @property
    def result(self) -> float:
        """The new score: the old one if the denominator is 0."""
        if self.denominator == 0.0:
            return self.own
        mean = self.numerator / self.denominator
        return mean + 0.0 if self.f is None else self.own + self.f * mean


class Form(Protocol):
    """Protocol of all forms."""

    @property
    def all(self) -> bool:
        """Whether elements that do not match get a score, too."""

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``; `around` are the scores of the context, None for `s`."""

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers of one candidate's new score."""

    def members(self, candidates: Candidates) -> Mask:
        """Return the candidates that the form scores, ``(n,)``."""


class Ordinals(NamedTuple):
    """Ordinals of members of a level, and the first and last ordinal of their documents, ``(k,)`` each."""

    own: Int32s
    first: Int32s
    last: Int32s


class Sides(NamedTuple):
    """Ordinals of members around some candidates, ``(k,)`` each.

    In a candidate's document, the members [first, before) end before it begins, and the members [after, last) begin
    after it ends.
    """

    first: Int32s
    before: Int32s
    after: Int32s
    last: Int32s


class SiblingRows(NamedTuple):
    """Positions of elements among the children of their parents, ``(k,)`` each.

    The rows of children are numbered through: the number of the element, and the range ``[begin, end)`` of its row.
    """

    own: Int32s
    begin: Int32s
    end: Int32s


class LevelNumbering(Protocol):
    """A granularity level among candidates."""

    def among(self, candidates: Candidates) -> Mask:
        """Return the candidates that are members, ``(n,)``."""

    def ordinals(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return the ordinals of members."""

    def sides(self, candidates: Candidates, places: NDArray[np.intp]) -> Sides:
        """Return the members before and after some candidates, in their documents."""


class Surroundings(Protocol):
    """What forms may read of an index besides the candidates, implemented by `trix.query.structured.levels.Levels`."""

    def reached(self, way: tuple[PathStep, ...], of: NDArray[Any]) -> tuple[Int64s, Int32s]:
        """Return pairs of an index into ascending elements and an element that a path leads to from there."""

    def linked(self, direction: str) -> tuple[Int32s, Int32s]:
        """Return all links as two arrays: sources, ascending, and targets (``out``), or the reverse (``in``)."""

    def extent(self, of: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the first element number of each element's document, and one more than the last."""

    def at_level(self, text: str) -> Int32s:
        """Return the ascending members of a granularity level; of nested ones the outermost."""

    def apart(self, text: str) -> LevelNumbering:
        """Return a granularity level; of nested members the outermost."""

    def selected(self, path: Path) -> Int32s:
        """Return the numbers of the elements that a path selects, ascending."""

    def siblings(self, candidates: Candidates, places: NDArray[np.intp]) -> SiblingRows:
        """Return the positions of candidates among the indexed children of their parents.

        ``places`` are indices of candidates that are no roots, by parent and in document order.
        """

    def documents(self, elements: Int32s) -> NDArray[np.intp]:
        """Return the document number of each element."""

    def ends(self, candidates: Candidates) -> Int32s:
        """Return one more than the number of each candidate's last descendant, ``(n,)``."""

    def contents(self, elements: Int32s) -> tuple[Int32s, Int32s]:
        """Return the range of content elements of some elements, ``(k,)`` each."""

    def titles(self, tags: tuple[str, ...]) -> SectionTitles:
        """Return the titles of sections: elements with given tags, or those of the profile without tags."""


@runtime_checkable
class Unbound(Protocol):
    """A form that must be bound to an index before it can be applied."""

    def bind(self, surroundings: Surroundings) -> Form:
        """Bind the form to an index."""


@runtime_checkable
class OfWords(Protocol):
    """A form that needs the words of the query before it can be applied."""

    @property
    def all(self) -> bool:
        """Whether elements that do not match get a score, too."""

    def of_query(self, words: QueryWords) -> Form:
        """Return the form for the words of one query."""


def asks_words(form: object) -> TypeGuard[OfWords]:
    """Whether a form is `OfWords`. Called for every query, where an isinstance check of a protocol is too slow."""
    return hasattr(form, "of_query")


# Of other forms, too, a chain asks what they can do and not which they are, so that it need not import them all.


class Support(NamedTuple):
    """Elements that satisfy the support of a structured query.

    Attributes
    ----------
    elements : (m,) ndarray of int32
        Ascending.
    scores : (m,) ndarray of float64
        Scores by the words of the step that the element satisfies; of several, the outermost.
    """

    elements: Int32s
    scores: Floats


class OfSupport(Protocol):
    """A form that needs the support of a structured query before it can be applied."""

    def of_support(self, support: Support) -> Form:
        """Return the form for one query's support."""


def asks_support(form: object) -> TypeGuard[OfSupport]:
    """Whether a form is `OfSupport`."""
    return hasattr(form, "of_support")


class ScoresAlone(Protocol):
    """A form that reads only the score of the element itself."""

    def apply_to(self, candidates: Candidates, s: Floats, places: NDArray[np.intp]) -> Floats:
        """Return new scores that are right for some candidates."""


def scores_alone(form: object) -> TypeGuard[ScoresAlone]:
    """Whether a form is `ScoresAlone`."""
    return hasattr(form, "apply_to")


class OfOwnQuery(Protocol):
    """A form whose scores are those of another query."""

    def query(self, query: Query) -> Query:
        """Derive that query from the main query."""


def asks_own_query(form: object) -> TypeGuard[OfOwnQuery]:
    """Whether a form is `OfOwnQuery`."""
    return hasattr(form, "query")


class MeanForm:
    """Base of forms that add the weighted mean of a context: RS(x) = s(x) + f·Σ g s / Σ g.

    Subclasses define the sums and their terms.
    """

    __slots__ = ()
    f: float

    def sums(self, candidates: Candidates, s: Floats) -> tuple[Floats, Floats]:
        """Return Σ g s and Σ g of every candidate, ``(n,)`` each; if the second is 0, the score stays."""
        raise NotImplementedError

    def context(self, candidates: Candidates, s: Floats, place: int) -> tuple[ContextTerm, ...]:
        """Return the terms of the sums of one candidate."""
        raise NotImplementedError

    def members(self, candidates: Candidates) -> Mask:
        """Return the candidates that the form scores: all, ``(n,)``."""
        return np.ones(len(candidates), dtype=np.bool_)

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``."""
        numerator, denominator = self.sums(candidates, s if around is None else around)
        # An empty context has no mean: the score stays.
        mean = np.divide(numerator, denominator, out=np.zeros(len(s)), where=denominator > 0)
        return np.where(denominator > 0, s + self.f * mean, s)

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers of one candidate's new score."""
        # The same scores as in `apply`, so that the explanation adds up.
        counted = s if around is None else around
        numerator, denominator = self.sums(candidates, counted)
        terms = self.context(candidates, counted, place)
        return FormExplanation(terms, float(numerator[place]), float(denominator[place]), self.f, float(s[place]))


def of_index(surroundings: Surroundings | None) -> Surroundings:
    """Return the index that a form is bound to. An unbound form is a programming error."""
    if surroundings is None:
        raise RuntimeError("the form is not bound to an index")
    return surroundings


def format_number(number: float) -> str:
    """Write a number so that it reads back as the same double, without a needless ``.0``.

    >>> [format_number(x) for x in (1.0, 0.25, 1e-5, 1e100)]
    ['1', '0.25', '1e-05', '1e+100']
    """
    return repr(float(number)).removesuffix(".0")  # repr is the shortest text of a double


def parameters(form: object, **defaults: float) -> list[str]:
    """Return the non-default parameters of a form as text."""
    # Defaults are left out, so that a form has one text.
    given = [(key, getattr(form, key)) for key, default in defaults.items() if getattr(form, key) != default]
    return [f"{key}={format_number(value)}" for key, value in given] + ["all=1"] * bool(getattr(form, "all", False))


def form_text(name: str, form: object, **defaults: float) -> str:
    """Write a form with its non-default parameters."""
    return ":".join(filter(None, [name, ",".join(parameters(form, **defaults))]))
