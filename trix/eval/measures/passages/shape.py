"""Descriptive statistics of a run: overlap, size, depth and tags of its results [I]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from trix.errors import UsageError
from trix.eval.data.runs import Rankings
from trix.eval.measures.core.registry import measure
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.passages.passages import passages
from trix.support.element_path import ancestors, holds, tag


def _nested(view: TopicView) -> tuple[list[bool], list[bool]]:
    """Return, per result, whether it overlaps a result ranked above it, and any other result."""

    def make() -> tuple[list[bool], list[bool]]:
        ranking = view.ranking
        if ranking.paths is None and ranking.starts is not None:
            return _meeting(view)
        if ranking.paths is None:
            return [False] * len(ranking), [False] * len(ranking)
        above: list[bool] = []
        returned: dict[str, dict[str, int]] = {}
        holding: dict[tuple[str, str], int] = {}  # ancestor of a returned element -> row of that element
        anywhere = [False] * len(ranking)
        for row, (doc, path) in enumerate(zip(ranking.docs, ranking.paths, strict=True)):
            rows = returned.setdefault(doc, {})
            # One walk up the ancestors per result: outer results by `rows`, inner ones by `holding`.
            hit = (doc, path) in holding or path in rows
            for outer in (*ancestors(path), ""):
                if outer in rows and outer != path:
                    hit = True
                    anywhere[rows[outer]] = True
            # A returned element may contain earlier results, which now overlap as well.
            if hit and (doc, path) in holding:
                for inner, other in rows.items():
                    if holds(path, inner):
                        anywhere[other] = True
            above.append(hit)
            anywhere[row] = anywhere[row] or hit
            rows.setdefault(path, row)
            for outer in (*ancestors(path), ""):
                if outer != path:
                    holding.setdefault((doc, outer), row)
        return above, anywhere

    return view.memo("nested", make)


def _meeting(view: TopicView) -> tuple[list[bool], list[bool]]:
    p = passages(view)
    n = len(p.doc)
    above, anywhere = [False] * n, [False] * n
    for number in range(len(p.docs)):
        rows = np.flatnonzero(p.doc == number)
        # All pairs within a document; documents have few passages, so the square is small.
        meets = (p.starts[rows][:, None] < p.ends[rows][None, :]) & (p.ends[rows][:, None] > p.starts[rows][None, :])
        np.fill_diagonal(meets, False)  # a passage does not overlap itself
        for k, row in enumerate(rows.tolist()):
            above[row], anywhere[row] = bool(meets[k, :k].any()), bool(meets[k].any())
    return above, anywhere


@measure(
    "overlap%",
    "share of results with an ancestor or descendant ranked above",
    higher=False,
    source="Arvola 2011, study I",
)
def overlap_percentage(view: TopicView, *, cutoff: None) -> float | None:
    """Return the proportion of results that overlap an earlier one; topics without results are left out."""
    above, _ = _nested(view)
    return sum(above) / len(above) if above else None


@measure("set-overlap", "share of results that overlap any other result", higher=False, source="Arvola 2011, study I")
def set_overlap(view: TopicView, *, cutoff: None) -> float | None:
    """Return the proportion of results with an ancestor or descendant anywhere in the list."""
    _, anywhere = _nested(view)
    return sum(anywhere) / len(anywhere) if anywhere else None


@measure("size", "mean size of a result in characters", source="Arvola 2011, study I")
def mean_size(view: TopicView, *, cutoff: None) -> float | None:
    """Return the mean size of a result in characters, or for assessed elements as counted in the file."""
    ranking = view.ranking
    if not len(ranking):
        return None
    if ranking.starts is not None or ranking.paths is None or view.settings.resolver is not None:
        return float(passages(view).sizes.mean())
    sizes = []
    for doc, path in zip(ranking.docs, ranking.paths, strict=True):
        element = view.judged.element(doc, path)
        if element is not None and element.size is not None:
            sizes.append(float(element.size))
    if not sizes:
        raise UsageError("the sizes of the elements are not known; give an index")
    if len(sizes) < len(ranking):
        view.notices.add("elements that are not assessed have no known size and are left out of the mean size")
    return float(np.mean(sizes))


def histogram(run: Rankings, of: str = "tag") -> dict[str, int]:
    """Count the results of a run by tag, or by depth: a root has depth 1, a whole document 0.

    Passages without a path have no depth and are not counted by depth.

    >>> from trix.eval.data.runs import Ranking
    >>> run = Rankings({"1": Ranking(["d", "d"], ["/a[1]", "/a[1]/b[2]"])})
    >>> histogram(run), histogram(run, "depth")
    ({'a': 1, 'b': 1}, {'1': 1, '2': 1})
    """
    counted: Counter[str] = Counter()
    for ranking in run.rankings.values():
        bare = "(document)" if ranking.starts is None else "(passage)"
        for path in _paths(ranking.paths, len(ranking)):
            if of == "tag":
                counted[tag(path) if path else bare] += 1
            elif path or ranking.starts is None:
                counted[str(path.count("/"))] += 1
    return {k: counted[k] for k in sorted(counted, key=int)} if of == "depth" else dict(counted.most_common())


def _paths(paths: list[str] | None, n: int) -> Iterable[str]:
    return [""] * n if paths is None else paths


@measure("depth", "mean depth of a result: 1 for a root, 0 for a whole document", source="Arvola 2011, study I")
def depth(view: TopicView, *, cutoff: None) -> float | None:
    """Return the mean number of steps in the paths of the results."""
    depths = [path.count("/") for path in _paths(view.ranking.paths, len(view.ranking))]
    return float(np.mean(depths)) if depths else None
