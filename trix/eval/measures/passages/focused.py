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
    """The text that a ranked list of passages returns, rank by rank.

    Attributes
    ----------
    sizes, relevant
        (n,) retrieved and retrieved relevant characters of each rank.
    Trel
        Relevant characters of the topic.
    articles, relevant_articles, Nrel
        Articles retrieved, relevant ones among them, relevant ones of the topic.
    """

    sizes: Int64s
    relevant: Int64s
    Trel: int
    articles: int
    relevant_articles: int
    Nrel: int


def declared_relevant(view: TopicView) -> tuple[int, int]:
    """Return Trel and Nrel: as the file declares them for the official conduct, else as the passages add up."""
    documents = view.judged.documents.values()
    if view.settings.official:
        stated = [size for d in documents for size in d.stated]  # a line that comes again counts again
        return sum(stated), sum(size > 0 for size in stated)
    return sum(d.relevant_length for d in documents), sum(d.relevant for d in documents)


def text_by_rank(view: TopicView, task: str) -> TextByRank:
    """Return what the ranking brings under a task, worked out once. Overlap is an error in the focused task."""

    def make() -> TextByRank:
        p = passages(view)
        if task == "focused":
            p = without_overlap(view, p)
            sizes, relevant = p.sizes, p.found(p.spans)
        else:
            sizes, relevant = new_text(view, p)
        Trel, Nrel = declared_relevant(view)
        found = int(relevant_documents(view, p).sum())
        return TextByRank(sizes, relevant, Trel, len(p.docs), found, Nrel)

    return view.memo(("reading", task), make)


def interpolate(precision: Floats, recall: Floats, points: int) -> Floats:
    """Return precision at ``points`` recall levels 0..1: the best of the level and above, as the official tool has it.

    A point falls into the level floor((points - 1) * recall), in doubles; recall above 1 is no point at all.

    >>> interpolate(np.array([1.0, 0.5]), np.array([0.5, 1.0]), 3).tolist()
    [1.0, 1.0, 0.5]
    """
    level = np.floor((points - 1.0) * np.nan_to_num(recall)).astype(np.int64)
    legal = (level >= 0) & (level < points) & ~np.isnan(precision)
    buckets = np.zeros(points)
    np.maximum.at(buckets, level[legal], precision[legal])
    return np.maximum.accumulate(buckets[::-1])[::-1]


def in_turn(values: Floats) -> float:
    """Return the sum of values, added from the first to the last as the official tool does, with the same rounding.

    >>> in_turn(np.array([1e16, 1.0, 1.0])), in_turn(np.array([]))
    (1e+16, 0.0)
    """
    return float(np.cumsum(values)[-1]) if len(values) else 0.0


def _curve(view: TopicView, task: str) -> Floats:
    return view.memo(("iP", task), lambda: interpolate(*_points(view, task), 101))


def _points(view: TopicView, task: str) -> tuple[Floats, Floats]:
    """Return P[r] and R[r] [INEX 5.7]."""
    r = text_by_rank(view, task)
    found, sizes = np.cumsum(r.relevant).astype(np.float64), np.cumsum(r.sizes)
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
    """Return iP[x] = max of P[r] over ranks with R[r] >= x, 0 if there is none.

    P[r] = Σ rsize / Σ size and R[r] = Σ rsize / Trel over the first r results.
    """
    curve = _curve(view, task)
    if cutoff is None:
        return curve
    level = round(100 * cutoff)
    if abs(level - 100 * cutoff) < 1e-9:
        return float(curve[level])
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
    return in_turn(_curve(view, task)) / 101


def _ratio(a: int, b: int, view: TopicView) -> float:
    """Return a/b; where b is 0 the official tool has NaN, we have 0."""
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
    return f_measure(P, R) if R == R else 0.0  # where nothing is relevant the official tool's recall is NaN


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
    """Define a count; `of_units` is what trec_eval prints under its name, where the assessments are plain grades."""

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
