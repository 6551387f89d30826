"""What the forms of contextualisation have in common: their interface, their explanation and their text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from trix.query.language.path_tree import Path, Step
from trix.query.matching.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Term:
    """A member of a context: g·s of the formula.

    A member that is no candidate has an element number in the place of a place; ``members`` elements without either,
    all of score 0, share a term.
    """

    place: int | None
    weight: float
    score: float
    members: int = 1
    element: int | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """The numbers behind one new score.

    ``result`` is ``numerator / denominator``, or with an f ``own + f * (numerator / denominator)``; it is ``own``
    where the denominator is 0. It equals the number that the form's ``apply`` gives, bit by bit.
    """

    terms: tuple[Term, ...]
    numerator: float
    denominator: float
    f: float | None
    own: float
    result: float


class Form(Protocol):
    """What every form can do."""

    @property
    def all(self) -> bool:
        """Whether elements that do not match get a score too."""

    def apply(self, candidates: Candidates, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the new scores, ``(n,)``."""

    def terms(self, candidates: Candidates, s: NDArray[np.float64], place: int) -> Explained:
        """Return the numbers behind the new score of one candidate."""

    def members(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which candidates the form is applied to, ``(n,)``."""


Sides = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
Ordinals = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]


class Numbering(Protocol):
    """A granularity level among candidates."""

    def among(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which candidates are members, ``(n,)``."""

    def ordinals(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return the ordinals of members, and those of the first and last members of their documents, ``(k,)`` each."""

    def sides(self, candidates: Candidates) -> Sides:
        """Return first, before, after, last, ``(n,)`` each.

        Of the members in a candidate's document those with the ordinals [first, before) end before it begins, those
        with [after, last) begin when it has ended.
        """


class Surroundings(Protocol):
    """What forms may ask of an index besides the candidates; `trix.query.structured.levels.Levels` answers."""

    def reached(self, way: tuple[Step, ...], of: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return pairs of a place among some elements (ascending) and an element that steps from it lead to."""

    def linked(self, direction: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return all links of the index by what begins them, ascending, and what is at their other ends.

        With ``out`` sources begin them, with ``in`` targets.
        """

    def extent(self, of: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the first element of each element's document, and the number behind the last."""

    def at_level(self, text: str) -> NDArray[np.int32]:
        """Return the members of a granularity level, which has no overlap, ascending."""

    def apart(self, text: str) -> Numbering:
        """Return a granularity level, which has no overlap."""

    def selected(self, path: Path) -> NDArray[np.int32]:
        """Return the numbers of the elements that a path selects, ascending."""

    def siblings(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return where candidates stand among the indexed children of their parents.

        ``places`` are those of candidates that are no roots, by parent and in document order. The rows of children
        are numbered through; what is returned are the numbers of the candidates, of the first of their rows, and
        behind the last, ``(k,)`` each.
        """

    def documents(self, elements: NDArray[np.int32]) -> NDArray[np.intp]:
        """Return the document number of each element."""

    def ends(self, candidates: Candidates) -> NDArray[np.int32]:
        """Return the number behind the last descendant of each candidate, ``(n,)``."""


@runtime_checkable
class Unbound(Protocol):
    """A form that needs an index before it can be applied."""

    def bind(self, surroundings: Surroundings) -> Form:
        """Return the form as it is over one index."""


def explained(terms: tuple[Term, ...], numerator: float, denominator: float, f: float | None, own: float) -> Explained:
    """Put the numbers together, as `Explained` says."""
    if denominator == 0.0:
        result = own
    elif f is None:
        result = numerator / denominator + 0.0
    else:
        result = own + f * (numerator / denominator)
    return Explained(terms, numerator, denominator, f, own, result)


def format_number(number: float) -> str:
    """Write a number so that it reads back as the same double, without a needless ``.0``.

    >>> [format_number(x) for x in (1.0, 0.25, 1e-5, 1e100)]
    ['1', '0.25', '1e-05', '1e+100']
    """
    return repr(float(number)).removesuffix(".0")


def form_text(name: str, form: object, **defaults: float) -> str:
    """Write a form with the parameters that differ from their defaults."""
    parts = [
        f"{key}={format_number(getattr(form, key))}" for key, value in defaults.items() if getattr(form, key) != value
    ]
    if getattr(form, "all"):  # noqa: B009
        parts.append("all=1")
    return f"{name}:{','.join(parts)}" if parts else name
