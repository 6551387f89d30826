"""The forms of contextualisation: one frozen dataclass each [RETRIEVAL, section 5].

A form gives new scores to all candidates and reads only the scores it is given. ``str(form)`` is its canonical text,
which :func:`trix.query.context_parse.parse_form` reads back into an equal form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from trix.query import context_horizontal, context_path
from trix.query.candidates import Candidates
from trix.query.context_path import PathWeights, row_sum


@dataclass(frozen=True, slots=True)
class Term:
    """A member of a context: g·s of the formula. ``members`` elements without a place, all of score 0, share a term."""

    place: int | None
    weight: float
    score: float
    members: int = 1


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


class _PathForm:
    """A form that reads the scores between the root and the element, and nothing else."""

    __slots__ = ()

    def weights(self) -> PathWeights:
        raise NotImplementedError

    def apply(self, candidates: Candidates, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the new scores, ``(n,)``."""
        return context_path.path_scores(candidates, s, self.weights(), self._factor())

    def terms(self, candidates: Candidates, s: NDArray[np.float64], place: int) -> Explained:
        """Return the numbers behind the new score of one candidate, from the root downwards."""
        weights = self.weights()
        path = [place]
        while candidates.parent[path[-1]] >= 0:
            path.append(int(candidates.parent[path[-1]]))
        row = weights.row(len(path) - 1)
        pairs = list(zip(reversed(path), row, strict=False))
        numerator = row_sum([g * float(s[y]) for y, g in pairs])
        terms = tuple(Term(y, g, float(s[y])) for y, g in pairs if g != 0.0)
        f = None if weights.own else self._factor()
        return _explained(terms, numerator, row_sum(row), f, float(s[place]))

    def members(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which candidates the form is applied to: all, ``(n,)``."""
        return np.ones(len(candidates), dtype=np.bool_)

    def _factor(self) -> float:
        return 1.0


def _explained(terms: tuple[Term, ...], numerator: float, denominator: float, f: float | None, own: float) -> Explained:
    if denominator <= 0.0:
        result = own
    elif f is None:
        result = numerator / denominator
    else:
        result = own + f * (numerator / denominator)
    return Explained(terms, numerator, denominator, f, own, result)


@dataclass(frozen=True, slots=True)
class Vector(_PathForm):
    """C(ξ,g) = Σ g[i]·s(δ_i(ξ)) / Σ g[i] with listed weights [Arvola CIKM 2005].

    Parameters
    ----------
    head
        Weights from the root downwards.
    tail
        Weights from the element itself upwards; they hold where both lists reach a position.

    Examples
    --------
    >>> [str(form) for form in (Vector(), Vector(tail=(1, 1)), Vector(head=(1,)), Vector((1.5,)), Vector((0, 2)))]
    ['none', 'parent', 'root', 'root:1.5', 'vector:0,2']
    """

    head: tuple[float, ...] = ()
    tail: tuple[float, ...] = (1.0,)

    @property
    def all(self) -> bool:
        """Vectors belong to matching elements."""
        return False

    def weights(self) -> PathWeights:
        return PathWeights(self.head, 0.0, self.tail)

    def __str__(self) -> str:
        head, tail = (",".join(map(format_number, part)) for part in (self.head, self.tail))
        if tail == "1":
            if len(self.head) == 1:
                return "root" if head == "1" else f"root:{head}"
            return f"vector:{head}" if head else "none"
        return "parent" if (head, tail) == ("", "1,1") else f"vector:{head}|{tail}"


@dataclass(frozen=True, slots=True)
class Tower(_PathForm):
    """The mean of all scores from the root to the element, the root's counted ``root`` times.

    ``tower`` has 1 [Arvola INEX 2005, eq. 5], ``root+tower`` has 2 [Arvola INEX 2005, eq. 6]. A root keeps its score.
    """

    root: int = 1

    @property
    def all(self) -> bool:
        """Vectors belong to matching elements."""
        return False

    def weights(self) -> PathWeights:
        return PathWeights((float(self.root),), 1.0, ())

    def __str__(self) -> str:
        return "tower" if self.root == 1 else "root+tower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vertical(_PathForm):
    """RS(x) = s(x) + f·Σ g s / Σ g over the ancestors [Arvola 2011, eq. 2].

    Parameters
    ----------
    f
        Factor of the context.
    p, a, r
        Weight of the parent, of the ancestors between, which share it, and of the root.
    all
        Score elements that do not match, too.

    Examples
    --------
    >>> str(Vertical(f=1.75, p=0, a=0.25))
    'vertical:f=1.75,p=0,a=0.25'
    """

    f: float = 1.0
    p: float = 1.0
    a: float = 1.0
    r: float = 1.0
    all: bool = False

    def weights(self) -> PathWeights:
        return PathWeights((self.r,), self.a, (0.0, self.p), shared=True, tail_wins=False, own=False)

    def _factor(self) -> float:
        return self.f

    def __str__(self) -> str:
        return _text("vertical", self, f=1.0, p=1.0, a=1.0, r=1.0)


@dataclass(frozen=True, slots=True)
class CScore(_PathForm):
    """RS(x) = s(x) + w·mean of s over the parent, the root or all ancestors [Arvola 2008]."""

    kind: str
    all: bool = False

    def weights(self) -> PathWeights:
        if self.kind == "parent":
            return PathWeights((), 0.0, (0.0, 1.0), own=False)
        if self.kind == "tower":
            return PathWeights((), 1.0, (), own=False)
        return PathWeights((1.0,), 0.0, (), own=False)

    def _factor(self) -> float:
        return 2.0 if self.kind == "2xroot" else 1.0

    def __str__(self) -> str:
        return f"cscore:{self.kind}" + (",all=1" if self.all else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy(_PathForm):
    """Vertical with one slider for (p, a, r), from the parent (negative) to the root [Arvola 2011, section 4.2].

    >>> [Hierarchy(x=x).parts() for x in (-0.5, 0.0, 1.0)]
    [(1.0, 1.0, 0.5), (1.0, 1.0, 1.0), (0.0, 0.5, 1.0)]
    """

    x: float = 0.0
    f: float = 1.0
    all: bool = False

    def parts(self) -> tuple[float, float, float]:
        """Return p, a and r: the overlaps of [x-1, x+1] with [-1, 0], [-0.5, 0.5] and [0, 1]."""
        low, high = self.x - 1.0, self.x + 1.0
        return (
            max(0.0, min(high, 0.0) - max(low, -1.0)),
            max(0.0, min(high, 0.5) - max(low, -0.5)),
            max(0.0, min(high, 1.0) - max(low, 0.0)),
        )

    def weights(self) -> PathWeights:
        p, a, r = self.parts()
        return PathWeights((r,), a, (0.0, p), shared=True, tail_wins=False, own=False)

    def _factor(self) -> float:
        return self.f

    def __str__(self) -> str:
        return _text("hierarchy", self, x=0.0, f=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy2(_PathForm):
    """The slider between parent and root alone, a = 0 [Arvola 2011, tables 7 and 8].

    >>> [Hierarchy2(x=x).parts() for x in (-0.5, 0.0, 1.0)]
    [(1.0, 0.0, 0.5), (1.0, 0.0, 1.0), (0.0, 0.0, 1.0)]
    """

    x: float = 0.0
    f: float = 1.0
    all: bool = False

    def parts(self) -> tuple[float, float, float]:
        """Return p, 0 and r."""
        p, _, r = Hierarchy(x=self.x).parts()
        return p, 0.0, r

    def weights(self) -> PathWeights:
        p, a, r = self.parts()
        return PathWeights((r,), a, (0.0, p), shared=True, tail_wins=False, own=False)

    def _factor(self) -> float:
        return self.f

    def __str__(self) -> str:
        return _text("hierarchy2", self, x=0.0, f=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Horizontal:
    """RS(x) = s(x) + f·Σ g s / Σ g over the other members of a level in x's document [Arvola 2011, eq. 3].

    g = max(-α d² + γ, 0) falls with the distance d in document order. Only members of the level get a new score.
    """

    alpha: float = 1e-5
    gamma: float = 0.025
    f: float = 1.0
    all: bool = False
    level: str = "content"

    def apply(self, candidates: Candidates, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the new scores, ``(n,)``."""
        out = s.copy()
        members, ordinal, first, last = self._level(candidates)
        g = self._g(first, last)
        if not len(g):
            return out
        numerator = context_horizontal.window_sums(ordinal, first, last, s[members], g, self.alpha, self.gamma)
        denominator = context_horizontal.window_weights(ordinal, first, last, g)
        mean = np.divide(numerator, denominator, out=np.zeros(len(members)), where=denominator > 0)
        out[members] = np.where(denominator > 0, s[members] + self.f * mean, s[members])
        return out

    def terms(self, candidates: Candidates, s: NDArray[np.float64], place: int) -> Explained:
        """Return the numbers behind the new score of one candidate: left neighbours, right ones, then the silent."""
        own = float(s[place])
        members, ordinal, first, last = self._level(candidates)
        g = self._g(first, last)
        if not candidates.content[place] or not len(g):
            return Explained((), 0.0, 0.0, self.f, own, own)
        i = int(np.searchsorted(members, place))
        near = np.flatnonzero((ordinal >= first[i]) & (ordinal <= last[i]) & (np.abs(ordinal - ordinal[i]) < len(g)))
        left, right = near[near < i][::-1], near[near > i]
        silent = []
        for side, room in ((left, ordinal[i] - first[i]), (right, last[i] - ordinal[i])):
            distances = np.arange(1, min(int(room), len(g) - 1) + 1)
            silent += g[np.setdiff1d(distances, np.abs(ordinal[side] - ordinal[i]))].tolist()
        terms = [
            Term(int(members[j]), float(g[abs(ordinal[j] - ordinal[i])]), float(s[members[j]])) for j in (*left, *right)
        ]
        if silent:
            terms.append(Term(None, row_sum(silent), 0.0, len(silent)))
        numerator = context_horizontal.window_sums(ordinal, first, last, s[members], g, self.alpha, self.gamma)[i]
        denominator = context_horizontal.window_weights(ordinal, first, last, g)[i]
        return _explained(tuple(terms), float(numerator), float(denominator), self.f, own)

    def members(self, candidates: Candidates) -> NDArray[np.bool_]:
        """Return which candidates the form is applied to: those of the level, ``(n,)``."""
        return candidates.content

    def _level(
        self, candidates: Candidates
    ) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Return places and ordinals of the level's candidates, and the ordinals at the ends of their documents.

        The one place that knows what a level is: another level needs other ordinals, and nothing else.
        """
        members = np.flatnonzero(candidates.content)
        root = candidates.root[members]
        return members, candidates.begin[members], candidates.begin[root], candidates.end[root] - np.int32(1)

    def _g(self, first: NDArray[np.int32], last: NDArray[np.int32]) -> NDArray[np.float64]:
        longest = int((last - first).max(initial=0))
        return context_horizontal.distance_weights(self.alpha, self.gamma, longest)

    def __str__(self) -> str:
        text = _text("horizontal", self, alpha=1e-5, gamma=0.025, f=1.0)
        if self.level == "content":
            return text
        return f"{text}{',' if ':' in text else ':'}level={self.level}"


def format_number(number: float) -> str:
    """Write a number so that it reads back as the same double, without a needless ``.0``.

    >>> [format_number(x) for x in (1.0, 0.25, 1e-5, 1e100)]
    ['1', '0.25', '1e-05', '1e+100']
    """
    return repr(float(number)).removesuffix(".0")


def _text(name: str, form: object, **defaults: float) -> str:
    """Write a form with the parameters that differ from their defaults."""
    parts = [
        f"{key}={format_number(getattr(form, key))}" for key, value in defaults.items() if getattr(form, key) != value
    ]
    if getattr(form, "all"):  # noqa: B009
        parts.append("all=1")
    return f"{name}:{','.join(parts)}" if parts else name
