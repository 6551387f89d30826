"""Highlighting measures of the Focused and Thorough tasks, 2007 to 2010 [INEX 5.7]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trix.eval.measures.core.parameters import Param, choice
from trix.eval.measures.core.ranks import ratio
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.documents.flat import BinaryRanking, binary, f_measure
from trix.eval.measures.passages.passages import new_text, passages, relevant_documents, without_overlap
from trix.support.arrays import Floats, Int64s

TASK = Param("task", "focused", choice("focused", "thorough"), "focused or thorough", positional=True)
_BOTH = ("focused", "thorough")


@dataclass(frozen=True, slots=True)
class TextByRank:
    """Amount of text that a ranked list of passages returns, rank by rank.

    Attributes
    ----------
    sizes, relevant
        (n,) retrieved and relevant retrieved characters of each rank.
    Trel
        Relevant characters of the topic.
    articles, relevant_articles, Nrel
        Number of articles retrieved, of relevant articles among them, and of relevant articles of the topic.
    """

    sizes: Int64s
    relevant: Int64s
    Trel: int
    articles: int
    relevant_articles: int
    Nrel: int


def declared_relevant(view: TopicView) -> tuple[int, int]:
    """Return Trel and Nrel: as declared in the file for the official tool, else summed over passages."""
    documents = view.judged.documents.values()
    if view.settings.official:
        stated = [size for d in documents for size in d.stated]  # repeated lines count again
        return sum(stated), sum(size > 0 for size in stated)
    return sum(d.relevant_length for d in documents), sum(d.relevant for d in documents)


def text_by_rank(view: TopicView, task: str) -> TextByRank:
    """Return the text that the ranking returns under a task; cached. Overlap is an error in the focused task."""

    def make() -> TextByRank:
        p = passages(view)
        if task == "focused":
            p = without_overlap(view, p)
            # Without overlap every character is new, so plain sums suffice.
            sizes, relevant = p.sizes, p.found(p.spans)
        else:
            sizes, relevant = new_text(view, p)
        Trel, Nrel = declared_relevant(view)
        found = int(relevant_documents(view, p).sum())
        return TextByRank(sizes, relevant, Trel, len(p.docs), found, Nrel)

    return view.memo(("reading", task), make)


def interpolate(precision: Floats, recall: Floats, points: int) -> Floats:
    """Interpolate precision at ``points`` recall levels 0..1, the maximum at the level and above, as the official tool.

    A point belongs to the level floor((points - 1) * recall), in doubles. Points of recall above 1 are ignored.

    >>> interpolate(np.array([1.0, 0.5]), np.array([0.5, 1.0]), 3).tolist()
    [1.0, 1.0, 0.5]
    """
    # Best precision per level, then a running maximum from the highest level down.
    level = np.floor((points - 1.0) * np.nan_to_num(recall)).astype(np.int64)
    legal = (level >= 0) & (level < points) & ~np.isnan(precision)
    buckets = np.zeros(points)
    np.maximum.at(buckets, level[legal], precision[legal])
    return np.maximum.accumulate(buckets[::-1])[::-1]


def sequential_sum(values: Floats) -> float:
    """Return the sum from first to last, with the rounding of the official tool.

    >>> sequential_sum(np.array([1e16, 1.0, 1.0])), sequential_sum(np.array([]))
    (1e+16, 0.0)
    """
    # np.sum adds pairwise, with other rounding; cumsum adds strictly in order.
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _curve(view: TopicView, task: str) -> Floats:
    return view.memo(("iP", task), lambda: interpolate(*_points(view, task), 101))


def _points(view: TopicView, task: str) -> tuple[Floats, Floats]:
    """Return P[r] and R[r] for every rank r [INEX 5.7]."""
    r = text_by_rank(view, task)
    found, sizes = np.cumsum(r.relevant).astype(np.float64), np.cumsum(r.sizes)
    # Cumulated over ranks: precision and recall of the text returned so far.
    precision = ratio(found, sizes)
    if r.Trel and view.settings.official and bool((found > r.Trel).any()):
        worst = int(np.floor(100.0 * found[-1] / r.Trel))
        view.notices.add(f"topic {view.topic}: text counts twice, recall point {worst} is impossible and left out")
    return precision, found / r.Trel if r.Trel else np.zeros(len(found))


@measure(
    "iP",
    "interpolated precision of characters at recall x; without x the curve of 101 points",
    groups=_BOTH,
    cutoff="recall",
    params=(TASK,),
    source="INEX 2007-2010",
)
def interpolated_precision(view: TopicView, *, cutoff: float | None, task: str) -> Floats | float:
    """Return iP[x], the maximum of P[r] over ranks with R[r] >= x, 0 if there is none.

    P[r] = Σ rsize / Σ size and R[r] = Σ rsize / Trel over the first r results.
    """
    curve = _curve(view, task)
    if cutoff is None:
        return curve
    level = round(100 * cutoff)  # a level of the curve of 101 points has the value of that curve
    if abs(level - 100 * cutoff) < 1e-9:
        return float(curve[level])
    # A level between two points has no official value: it is read from the ranks themselves.
    precision, recall = _points(view, task)
    return float(precision[recall >= cutoff].max(initial=0.0))


@measure(
    "AiP",
    "mean of iP over the 101 recall points; its mean is MAiP",
    groups=_BOTH,
    params=(TASK,),
    source="INEX 2007-2010",
)
def average_interpolated_precision(view: TopicView, *, cutoff: None, task: str) -> float:
    """Return (1/101) Σ iP[x], x = 0.00, 0.01, .. 1.00."""
    return sequential_sum(_curve(view, task)) / 101


def _ratio(a: int, b: int, view: TopicView) -> float:
    """Return a/b; if b is 0, NaN for the official tool, else 0."""
    return a / b if b else float("nan") if view.settings.official else 0.0


def _precision(view: TopicView, r: TextByRank, what: str) -> float:
    found, of = (int(r.relevant.sum()), int(r.sizes.sum())) if what == "char" else (r.relevant_articles, r.articles)
    return found / of if of else 0.0


def _recall(view: TopicView, r: TextByRank, what: str) -> float:
    if what == "char":
        return _ratio(int(r.relevant.sum()), r.Trel, view)
    return _ratio(r.relevant_articles, r.Nrel, view)


def _f1(view: TopicView, r: TextByRank, what: str) -> float:
    P, R = _precision(view, r, what), _recall(view, r, what)
    return f_measure(P, R) if R == R else 0.0  # without relevant text the official tool's recall is NaN


_SHARES: dict[str, Callable[[TopicView, TextByRank, str], float]] = {"prec": _precision, "rec": _recall, "f1": _f1}


def _share(name: str, summary: str) -> None:
    what, _, of = name.partition("_")

    @measure(name, summary, groups=_BOTH, params=(TASK,), source="INEX 2007-2010")
    def compute(view: TopicView, *, cutoff: None, task: str) -> float:
        return _SHARES[of](view, text_by_rank(view, task), what)


for _what, _long in (("char", "characters"), ("art", "articles")):
    _share(f"{_what}_prec", f"relevant {_long} retrieved / {_long} retrieved")
    _share(f"{_what}_rec", f"relevant {_long} retrieved / relevant {_long}")
    _share(f"{_what}_f1", f"harmonic mean of {_what}_prec and {_what}_rec")


def _count(
    name: str, summary: str, value: Callable[[TextByRank], int], of_units: Callable[[BinaryRanking], int] | None = None
) -> None:
    """Define a count; for plain grades `of_units` gives the count of trec_eval with the same name."""

    @measure(name, f"{summary}, summed over topics", params=(TASK,), aggregate="sum", source="INEX 2007-2010")
    def compute(view: TopicView, *, cutoff: None, task: str) -> float | None:
        if of_units is not None and view.judged.grades:
            units = binary(view, None, None)
            return None if units is None else float(of_units(units))
        return float(value(text_by_rank(view, task)))


_count("num_ret", "articles retrieved", lambda r: r.articles, lambda b: len(b.hits))
_count("num_rel", "relevant articles", lambda r: r.Nrel, lambda b: b.R)
_count("num_rel_ret", "relevant articles retrieved", lambda r: r.relevant_articles, lambda b: b.found)
_count("ret_size", "characters retrieved", lambda r: int(r.sizes.sum()))
_count("rel_size", "relevant characters", lambda r: r.Trel)
_count("rel_ret_size", "relevant characters retrieved", lambda r: int(r.relevant.sum()))
