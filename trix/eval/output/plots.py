"""Figures of an evaluation, as SVG or PNG; needs matplotlib (the extra ``plot``).

Colours are those of Okabe and Ito, distinct under all forms of colour blindness. Line styles and markers distinguish
lines in print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError
from trix.eval.measures.core.registry import Measure
from trix.eval.scores import Score, Scores
from trix.eval.studies.compare import RunComparison
from trix.eval.studies.density import Density
from trix.support.extras import install_hint

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D00")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, FAINT = "#222222", "#555555"
"""Colours of text and axes, and of reference lines. Data never have these colours, so a dark page can replace them."""

_LEVELS = {"iPR": 11, "iP": 101, "igP": 11}
_NAMES = {
    "iPR": "precision",
    "iP": "precision of characters",
    "igP": "generalised precision",
    "inex2002-curve": "precision",
    "ep": "effort-precision",
}


def pyplot() -> Any:
    """Return matplotlib's pyplot in the common style of all figures.

    Raises
    ------
    UsageError
        matplotlib is missing.
    """
    try:
        import matplotlib
    except ImportError:
        raise UsageError(f"plots need matplotlib: {install_hint('plot')}") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "font.size": 9,
            **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"), INK),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.alpha": 0.25,
            "axes.axisbelow": True,
            "legend.frameon": False,
            "svg.hashsalt": "trix",
            "figure.dpi": 150,
        }
    )
    return plt


def check_ending(path: Path) -> None:
    """Raise UsageError unless the name ends in .svg, .png or .pdf."""
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise UsageError("the name must end in .svg, .png or .pdf", field="plot", got=path)


def save(plt: Any, figure: Any, path: str | Path) -> Path:
    """Write a figure reproducibly, byte for byte, and close it.

    Raises
    ------
    UsageError
        The name has another ending than .svg, .png or .pdf, or the file cannot be written.
    """
    path = Path(path)
    check_ending(path)
    try:
        figure.savefig(path, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)
    except OSError as error:
        raise UsageError(str(error.strerror or error), field="plot", got=path) from None
    finally:
        plt.close(figure)
    return path


def _x_of(measure: Measure, values: Any) -> tuple[Any, str]:
    name = measure.spec.name
    if name in _LEVELS:
        return np.linspace(0, 1, len(values)), "generalised recall" if name == "igP" else "recall"
    if name in ("inex2002-curve", "ep"):
        return np.arange(1, len(values) + 1) / len(values), "gain-recall" if name == "ep" else "recall"
    return np.arange(1, len(values) + 1), "rank"


def plot_curves(result: Scores, path: str | Path, title: str = "") -> Path:
    """Draw a panel per measure of a result: vectors as a line per run, numbers as a row of dots per run.

    An ideal vector (``CG(ideal=true)``, ``xCG(of=ideal)``) is drawn in the panel of its vector; `ideals_of` returns
    those that are missing. `title` is that of the whole figure.

    Raises
    ------
    UsageError
        No measure has a value, matplotlib is missing, or the file cannot be written.
    """
    drawn = [m for m in result.measures if any(m in s and s[m].topics for s in result.scores.values())]
    ideals = {m: _of_ideal(m) for m in drawn}
    panels = [m for m in drawn if ideals[m] not in drawn]
    if not panels:
        raise UsageError("nothing to plot: no measure has a value")
    plt = pyplot()
    curves = {m for m in panels if any(m in s and s[m].is_vector for s in result.scores.values())}
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    height = max([3.3 if curves else 0.0, *(0.3 * len(result.scores) + 0.9 for m in panels if m not in curves)])
    figure, axes = plt.subplots(
        rows, columns, figsize=(4.6 * columns, height * rows), squeeze=False, layout="constrained"
    )
    for place, (axis, measure) in enumerate(zip(axes.flat, panels, strict=False)):
        if measure not in curves:
            _strip(axis, measure, result)
            if place % columns and panels[place - 1] not in curves:
                axis.set_yticklabels([])  # the panel beside it has the same rows
            continue
        for k, (run, scores) in enumerate(result.scores.items()):
            if measure in scores and scores[measure].is_vector:
                _line(axis, scores[measure], run, k)
        for ideal, of in ideals.items():
            if of == measure:
                score = next(s[ideal] for s in result.scores.values() if ideal in s)
                x, _ = _x_of(measure, score.mean)
                axis.plot(x, score.mean, color="#555555", lw=1, ls=(0, (1, 1)), label="ideal")
        _dress(axis, measure, result)
    for axis in list(axes.flat)[len(panels) :]:
        axis.set_visible(False)
    if title:
        figure.suptitle(title, fontsize=10)
    with_lines = [axis for axis, measure in zip(axes.flat, panels, strict=False) if measure in curves]
    if with_lines and len(result.scores) > 7:
        handles, labels = max((axis.get_legend_handles_labels() for axis in with_lines), key=lambda of: len(of[1]))
        figure.legend(handles, labels, loc="outside right upper", fontsize=7)
    else:
        for axis in with_lines:
            axis.legend(fontsize=8)
    return save(plt, figure, path)


def _strip(axis: Any, measure: Measure, result: Scores) -> None:
    scores = {run: s[measure] for run, s in result.scores.items() if measure in s}
    values = {run: np.array([v for v in s.topics.values() if v == v], np.float64) for run, s in scores.items()}
    means = {run: float(s.mean) for run, s in scores.items()}
    if measure.spec.aggregate == "sum":  # a sum would lie far outside the dots: mark the mean
        means = {run: float(of.mean()) if len(of) else float("nan") for run, of in values.items()}
    strip(axis, values, means, COLOURS)
    axis.set_title(repr(measure), fontsize=9)
    axis.set_xlabel(f"{measure}, a dot per topic")


def ideals_of(measures: Sequence[Measure]) -> list[Measure]:
    """Return the ideal vectors for the vectors among the measures, without those already present.

    >>> from trix.eval.measures.core.registry import parse_measure
    >>> ideals_of([parse_measure("CG"), parse_measure("DCG(b=10)"), parse_measure("CG@5"), parse_measure("AP")])
    [CG(ideal=true), DCG(b=10,ideal=true)]
    """
    found = []
    for measure in measures:
        params = measure.params
        if measure.cutoff is None and params.get("ideal") is False:
            found.append(measure(ideal=True))
        elif measure.cutoff is None and params.get("of") == "run":
            found.append(measure(of="ideal"))
    return [ideal for ideal in dict.fromkeys(found) if ideal not in measures]


def _of_ideal(measure: Measure) -> Measure | None:
    """Return the measure to which an ideal vector belongs; None for any other measure."""
    for name, value in (("ideal", True), ("of", "ideal")):
        if measure.params.get(name) == value:
            rest = tuple(written for written in measure.arguments if written[0] != name)
            return Measure(measure.spec, rest, measure.slot, measure.cutoff)
    return None


def _line(axis: Any, score: Score, label: str, k: int) -> None:
    values = np.asarray(score.mean)
    x, _ = _x_of(score.measure, values)
    n = len(values)
    line = {"color": COLOURS[k % len(COLOURS)], "ls": STYLES[(k // len(COLOURS) + k) % len(STYLES)], "lw": 1.4}
    marks = {"marker": MARKERS[k % len(MARKERS)], "ms": 4, "markevery": (min(k, n - 1), max(1, n // 8))}
    axis.plot(x, values, label=label, **line, **marks)


def _dress(axis: Any, measure: Measure, result: Scores) -> None:
    vector = next(np.asarray(s[measure].mean) for s in result.scores.values() if measure in s)
    _, x_name = _x_of(measure, vector)
    axis.set_xlabel(x_name)
    axis.set_ylabel(_NAMES.get(measure.spec.name, repr(measure)))
    axis.set_title(repr(measure), fontsize=9)
    if x_name != "rank":
        axis.set_xlim(0, 1)
    elif len(vector) > 200:
        axis.set_xscale("log")
        axis.set_xlim(1, len(vector))
        axis.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    lowest = min(float(np.min(s[measure].mean)) for s in result.scores.values() if measure in s)
    _, high = axis.get_ylim()
    axis.set_ylim(min(0.0, 1.05 * lowest), high)


MOST_NAMED = 80
"""With more topics than this, bars carry no names."""


def plot_bars(
    d: Any, topics: Sequence[str], measure: Measure, title: str, path: str | Path, width: float | None = None
) -> Path:
    """Draw the differences (n,) of a measure as a bar per topic, largest gain first.

    The figure is wide enough for the topics' names. With `width`, in inches, the names are drawn only if they fit.
    """
    plt = pyplot()
    figure, axis = plt.subplots(figsize=(width or _width(len(d)), 3.3), layout="constrained")
    _bars(axis, d, topics, measure, title, MOST_NAMED if width is None else int(9 * (width - 1)))
    return save(plt, figure, path)


def _width(topics: int) -> float:
    return max(4.6, 0.16 * topics + 1.5) if topics <= MOST_NAMED else 8.0


def _bars(axis: Any, d: Any, topics: Sequence[str], measure: Measure, title: str, most_named: int = MOST_NAMED) -> None:
    gain = d if measure.spec.higher else -d
    order = np.argsort(-gain, kind="stable")
    named = len(d) <= most_named
    colours = [COLOURS[0] if gain[i] > 0 else COLOURS[1] for i in order]
    axis.bar(np.arange(len(d)), d[order], color=colours, width=0.8 if named else 1.0)
    axis.axhline(0, color=INK, lw=0.8)
    axis.set_xlim(-1, len(d))
    mean = float(d.mean()) if len(d) else 0.0
    axis.axhline(mean, color=FAINT, lw=1, ls="--", label=f"mean {mean:+.4f}")
    if named:
        axis.set_xticks(np.arange(len(d)), [topics[i] for i in order], rotation=90, fontsize=6 if len(d) > 30 else 8)
        axis.set_xlabel("topic")
    else:
        axis.set_xticks([])
        axis.set_xlabel(f"{len(d)} topics, largest gain first")
    axis.grid(axis="x", visible=False)
    axis.set_ylabel(f"difference in {measure}")
    axis.set_title(title, fontsize=9)
    axis.legend()


def plot_density(study: Density, path: str | Path) -> Path:
    """Draw recall, precision and proportion read by density decile, and the distribution of relevant text [VII].

    Raises
    ------
    UsageError
        matplotlib is missing, or the file cannot be written.
    """
    plt = pyplot()
    tolerances = sorted({N for d in study.deciles for N in d.run})
    figure, axes = plt.subplots(2, 2, figsize=(9.2, 6.6), layout="constrained")
    x = np.arange(1, len(study.deciles) + 1)
    shown = (("recall", "recall"), ("precision", "precision"), ("read", "share of the document read"))
    for axis, (what, label) in zip(axes.flat, shown, strict=False):
        for k, N in enumerate(tolerances):
            for side, style, marker in (("run", "-", "o"), ("twin", "--", "s")):
                values = [getattr(getattr(d, side)[N], what) if N in d.run else np.nan for d in study.deciles]
                name = study.name if side == "run" else "whole documents"
                line = {"color": COLOURS[k % len(COLOURS)], "lw": 1.4, "marker": marker, "ms": 4}
                axis.plot(x, values, style, label=f"{name}, T2I({N})", **line)
        axis.set_xlabel("density decile (1 = sparsest)")
        axis.set_ylabel(label)
        axis.set_ylim(0, 1.03)
        axis.set_xticks(x)
    figure.legend(
        *axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2 * len(tolerances), fontsize=8
    )
    place = axes.flat[3]
    for k, row in enumerate(study.distribution):
        place.plot(
            np.arange(1, len(row) + 1), row, STYLES[k % len(STYLES)], color=COLOURS[k], lw=1.2, label=f"decile {k + 1}"
        )
    place.set_xlabel("place in the document (%)")
    place.set_ylabel("share of relevant characters")
    place.set_ylim(bottom=0)
    place.legend(fontsize=7)
    return save(plt, figure, path)


def plot_comparison(result: Scores, comparison: RunComparison, path: str | Path) -> Path:
    """Draw a panel per pair of a comparison with the difference of each topic; panels of a measure share their scale.

    Raises
    ------
    UsageError
        matplotlib is missing, or the file cannot be written.
    """
    differences = []
    for pair in comparison.pairs:
        a, b = (result[run, pair.measure].topics for run in (pair.run, pair.baseline))
        topics = [t for t in a if t in b]
        differences.append((pair, topics, np.array([a[t] - b[t] for t in topics], np.float64)))
    plt = pyplot()
    width = max(_width(len(topics)) for _, topics, _ in differences)
    columns = 1 if len(differences) == 1 else 2 if width <= 8 else 1
    rows = -(-len(differences) // columns)
    figure, axes = plt.subplots(
        rows, columns, figsize=(width * columns, 3.3 * rows), squeeze=False, layout="constrained"
    )
    panels: dict[Measure, list[Any]] = {}
    for axis, (pair, topics, d) in zip(axes.flat, differences, strict=False):
        _bars(axis, d, topics, pair.measure, f"{pair.run} against {pair.baseline}")
        panels.setdefault(pair.measure, []).append(axis)
    for of in panels.values():
        low, high = min(axis.get_ylim()[0] for axis in of), max(axis.get_ylim()[1] for axis in of)
        for axis in of:
            axis.set_ylim(low, high)
    for axis in list(axes.flat)[len(differences) :]:
        axis.set_visible(False)
    return save(plt, figure, path)


def curve_names(form: str, groups: Sequence[str]) -> list[str]:
    """Return the names of the default vectors for a form of assessments and its groups.

    >>> curve_names("grades", ["flat"])
    ['iPR', 'DCG', 'DCG(ideal=true)', 'nDCG']
    """
    if form == "grades":
        return ["iPR", "DCG", "DCG(ideal=true)", "nDCG"]
    if form == "offsets":
        focused = ["iP"] if "focused" in groups else ["iP(task=thorough)"] if "thorough" in groups else []
        context = ["gP[F]", "gP[aveChP]", "gP[T2If(300)]", "gP[T2If(2000)]", "NCE[LE(300)]", "NCE[LE(2000)]"]
        context = context if "ric" in groups else []
        return [*focused, *context, *(["gP[BEP]", "igP[BEP]"] if "bic" in groups else [])] or ["iPR"]
    return ["inex2002-curve", *(["nxCG", "ep"] if "xcg" in groups else [])]


Values = NDArray[np.float64]


def spread(n: int) -> Values:
    """Return the first n terms of the van der Corput sequence, shifted to [-0.5, 0.5).

    Consecutive terms are far apart, so that dots of similar values do not overlap.

    >>> spread(4).tolist()
    [-0.5, 0.0, -0.25, 0.25]
    """
    places = np.zeros(n)
    for i in range(n):
        k, part = i, 0.5
        while k:
            places[i] += part * (k & 1)
            k, part = k >> 1, part / 2
    return places - 0.5


def strip(axis: Any, values: Mapping[str, Values], means: Mapping[str, float], colours: Sequence[str]) -> None:
    """Draw a row per run into a panel: a dot per topic, a bar for the middle half, a line at the mean."""
    names = list(values)
    for row, name in enumerate(names):
        of, mean, colour = np.sort(values[name]), means[name], colours[row % len(colours)]
        axis.plot(
            of, row + 0.6 * spread(len(of)), "o", ms=3.5, mew=0, color=colour, alpha=0.35, clip_on=False, zorder=2
        )
        if len(of) > 3:
            low, high = np.quantile(of, [0.25, 0.75])
            axis.barh(row, high - low, left=low, height=0.72, color=colour, alpha=0.16, lw=0, zorder=1)
        if mean == mean:
            axis.plot([mean, mean], [row - 0.42, row + 0.42], color=colour, lw=2.4, solid_capstyle="butt", zorder=3)
            axis.annotate(f"{mean:.4f}", (1.03, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    axis.set_yticks(range(len(names)), names)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.grid(axis="y", visible=False)
    every = np.concatenate([*values.values(), np.array([m for m in means.values() if m == m])])
    low, high = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)
    room = 0.04 * ((high - min(low, 0.0)) or 1.0)
    axis.set_xlim(0.0 if low >= 0 else low - room, min(high + room, 1.0) if high <= 1 else high + room)
