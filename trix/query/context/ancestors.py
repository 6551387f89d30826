"""Forms of contextualisation along the path to the root: one frozen dataclass each [RETRIEVAL, section 5].

A form computes new scores of all candidates from the scores it is given. ``str(form)`` is its canonical text, which
:func:`trix.query.context.parse.parse_form` reads back into an equal form.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trix.query.context import path_weights
from trix.query.context.form import ContextTerm, FormExplanation, form_text, format_number
from trix.query.context.path_weights import PathWeights, row_sum, weight_sum
from trix.query.matching.candidates import Candidates
from trix.support.arrays import Floats, Mask


class PathForm:
    """A form that reads the scores between the root and the element, and nothing else."""

    __slots__ = ()

    def weights(self) -> PathWeights:
        """The weights g."""
        raise NotImplementedError

    def apply(self, candidates: Candidates, s: Floats, around: Floats | None = None) -> Floats:
        """Return the new scores, ``(n,)``; `around` are the scores of ancestors, None for `s`."""
        return path_weights.path_scores(candidates, s, self.weights(), self.factor, around)

    def terms(self, candidates: Candidates, s: Floats, place: int, around: Floats | None = None) -> FormExplanation:
        """Return the numbers of one candidate's new score, from the root downwards."""
        weights = self.weights()
        # From the element up to the root; weights run from the root down, so the path is reversed below.
        path = [place]
        while candidates.parent[path[-1]] >= 0:
            path.append(int(candidates.parent[path[-1]]))
        row = weights.row(len(path) - 1)
        pairs = list(zip(reversed(path), row, strict=False))
        # A model of its own scores ancestors; the element itself keeps the score of the search.
        scores = [float(s[y] if around is None or y == place else around[y]) for y, _ in pairs]
        # In the order of the kernel, so that the explanation shows the same bits.
        numerator = row_sum([g * score for (_, g), score in zip(pairs, scores, strict=True)])
        terms = tuple(ContextTerm(y, g, score) for (y, g), score in zip(pairs, scores, strict=True) if g != 0.0)
        f = None if weights.own else self.factor  # a mean that includes the element replaces its score
        return FormExplanation(terms, numerator, weight_sum(row), f, float(s[place]))

    def members(self, candidates: Candidates) -> Mask:
        """Return the candidates that the form scores: all, ``(n,)``."""
        return np.ones(len(candidates), dtype=np.bool_)

    @property
    def factor(self) -> float:
        """Factor of the mean, if the element itself is not part of it."""
        return 1.0


@dataclass(frozen=True, slots=True)
class Vector(PathForm):
    """C(ξ,g) = Σ g[i]·s(δ_i(ξ)) / Σ g[i] with listed weights, which may be negative [II].

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
        """Whether the form also scores non-matching elements: never."""
        return False

    def weights(self) -> PathWeights:
        return PathWeights(self.head, 0.0, self.tail)

    def __str__(self) -> str:
        head, tail = (",".join(map(format_number, part)) for part in (self.head, self.tail))
        # A tail of 1 is the element itself, as most vectors have it, so it is not written.
        if tail == "1":
            if len(self.head) == 1:
                return "root" if head == "1" else f"root:{head}"
            return f"vector:{head}" if head else "none"
        return "parent" if (head, tail) == ("", "1,1") else f"vector:{head}|{tail}"


@dataclass(frozen=True, slots=True)
class Tower(PathForm):
    """The mean of all scores from the root to the element, the root's counted ``root`` times.

    ``tower`` has 1 [V, eq. 5], ``root+tower`` has 2 [V, eq. 6]. A root keeps its score.
    """

    root: int = 1

    @property
    def all(self) -> bool:
        """Whether the form also scores non-matching elements: never."""
        return False

    def weights(self) -> PathWeights:
        return PathWeights((float(self.root),), 1.0, ())

    def __str__(self) -> str:
        return "tower" if self.root == 1 else "root+tower"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vertical(PathForm):
    """RS(x) = s(x) + f·Σ g s / Σ g over the ancestors [IV, eq. 2].

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
        # The 0 of the tail is the element's own place. The root wins: the parent of an element at depth 1 is the root.
        return PathWeights((self.r,), self.a, (0.0, self.p), shared=True, tail_wins=False, own=False)

    @property
    def factor(self) -> float:
        return self.f

    def __str__(self) -> str:
        return form_text("vertical", self, f=1.0, p=1.0, a=1.0, r=1.0)


@dataclass(frozen=True, slots=True)
class CScore(PathForm):
    """RS(x) = s(x) + w·mean of s over the parent, the root, both, or all ancestors [III].

    Parameters
    ----------
    kind
        ``parent``, ``root``, ``parent+root``, ``tower``, or ``2xroot``, which is the root with w = 2.
    all
        Score elements that do not match, too.
    w
        Weight of the context.

    Examples
    --------
    >>> [str(CScore(kind, w=w)) for kind, w in (("root", 1.0), ("root", 2.0), ("parent+root", 1.5))]
    ['cscore:root', 'cscore:2xroot', 'cscore:parent+root,w=1.5']
    """

    kind: str
    all: bool = False
    w: float = 1.0

    def __post_init__(self) -> None:
        if self.kind == "2xroot" or (self.kind == "root" and self.w == 2.0):  # one form has one text
            object.__setattr__(self, "kind", "2xroot")
            object.__setattr__(self, "w", 2.0)

    def weights(self) -> PathWeights:
        # No lists: every ancestor has the middle weight.
        if self.kind == "tower":
            return PathWeights((), 1.0, (), own=False)
        # Where parent and root are one element, it counts once, with the weight of the tail.
        head = (1.0,) if "root" in self.kind else ()
        tail = (0.0, 1.0) if "parent" in self.kind else ()
        return PathWeights(head, 0.0, tail, own=False)

    @property
    def factor(self) -> float:
        return self.w

    def __str__(self) -> str:
        w = "" if self.w == 1.0 or self.kind == "2xroot" else f",w={format_number(self.w)}"
        return f"cscore:{self.kind}{w}" + (",all=1" if self.all else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy(PathForm):
    """Vertical with one slider for (p, a, r), from the parent (negative) to the root [IV, section 4.2].

    Parameters
    ----------
    x
        The slider.
    f
        Factor of the context.
    all
        Score elements that do not match, too.
    between
        Let the ancestors between parent and root count: ``hierarchy``; ``hierarchy2`` leaves them out, a = 0
        [IV, tables 7 and 8].

    Examples
    --------
    >>> [Hierarchy(x=x).parts() for x in (-0.5, 0.0, 1.0)]
    [(1.0, 1.0, 0.5), (1.0, 1.0, 1.0), (0.0, 0.5, 1.0)]
    >>> Hierarchy(x=1.0, between=False).parts()
    (0.0, 0.0, 1.0)
    """

    x: float = 0.0
    f: float = 1.0
    all: bool = False
    between: bool = True

    def parts(self) -> tuple[float, float, float]:
        """Return p, a and r: the overlaps of [x-1, x+1] with [-1, 0], [-0.5, 0.5] and [0, 1]."""
        # A window of width 2 slides along the line: the shares of the three parts are its overlaps with theirs.
        low, high = self.x - 1.0, self.x + 1.0
        return (
            max(0.0, min(high, 0.0) - max(low, -1.0)),
            max(0.0, min(high, 0.5) - max(low, -0.5)) if self.between else 0.0,
            max(0.0, min(high, 1.0) - max(low, 0.0)),
        )

    def weights(self) -> PathWeights:
        # One slider, three weights: the form is `vertical` with these.
        p, a, r = self.parts()
        return Vertical(p=p, a=a, r=r).weights()

    @property
    def factor(self) -> float:
        return self.f

    def __str__(self) -> str:
        return form_text("hierarchy" if self.between else "hierarchy2", self, x=0.0, f=1.0)
