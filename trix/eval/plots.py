"""Figures of an evaluation, as SVG or PNG; needs matplotlib (``pip install trix[plot]``).

Colours are Okabe and Ito's, told apart by every kind of eye; line styles and markers tell them apart in print.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.compare import Comparison
from trix.eval.density import Density
from trix.eval.measures.registry import Measure
from trix.eval.results import Result, Score

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D00")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

_LEVELS = {"iPR": 11, "iP": 101, "igP": 11}
_NAMES = {
    "iPR": "precision",
    "iP": "precision of characters",
    "igP": "generalised precision",
    "inex2002-curve": "precision",
    "ep": "effort-precision",
}


def pyplot() -> Any:
    """Return matplotlib's pyplot, set up to look as all our figures do.

    Raises
    ------
    UsageError
        matplotlib is missing.
    """
    try:
        import matplotlib
    except ImportError:
        raise UsageError("plots need matplotlib: pip install 'trix[plot]'") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(
        {
            "font.size": 9,
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
    """Raise UsageError if a name has another ending than .svg, .png or .pdf."""
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise UsageError(f"--plot {path}: the name must end in .svg, .png or .pdf")


def save(plt: Any, figure: Any, path: str | Path) -> Path:
    """Write a figure, the same bytes for the same figure, and close it.

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
        raise UsageError(f"--plot {path}: {error.strerror or error}") from None
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


def plot_curves(result: Result, path: str | Path, title: str = "") -> Path:
    """Draw every vector of a result, one panel per measure and one line per run.

    Ideal vectors (``CG(ideal=true)``, ``xCG(of=ideal)``) go into the panel of the vector they belong to. A title of
    the whole is optional.

    Raises
    ------
    UsageError
        Nothing in the result is a vector, matplotlib is missing, or the file cannot be written.
    """
    drawn = [m for m in result.measures if any(m in s and s[m].is_vector for s in result.scores.values())]
    ideals = {m: _of_ideal(m) for m in drawn}
    panels = [m for m in drawn if ideals[m] is None]
    if not panels:
        raise UsageError("nothing to plot: ask for vectors, such as iPR, nDCG, gP[F] or nxCG")
    plt = pyplot()
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(4.6 * columns, 3.3 * rows), squeeze=False, layout="constrained")
    for axis, measure in zip(axes.flat, panels, strict=False):
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
    handles, labels = axes.flat[0].get_legend_handles_labels()
    if len(labels) > 8:
        figure.legend(handles, labels, loc="outside right upper", fontsize=7)
    else:
        for axis in list(axes.flat)[: len(panels)]:
            axis.legend(fontsize=8)
    return save(plt, figure, path)


def _of_ideal(measure: Measure) -> Measure | None:
    """Return the measure whose ideal vector this is, None if it is none."""
    for name, value in (("ideal", True), ("of", "ideal")):
        if measure.params.get(name) is value or (name == "of" and measure.params.get(name) == value):
            rest = tuple(given for given in measure.given if given[0] != name)
            return Measure(measure.spec, rest, measure.slot, measure.cutoff)
    return None


def _line(axis: Any, score: Score, label: str, k: int) -> None:
    values = np.asarray(score.mean)
    x, _ = _x_of(score.measure, values)
    n = len(values)
    axis.plot(
        x,
        values,
        label=label,
        color=COLOURS[k % len(COLOURS)],
        lw=1.4,
        ls=STYLES[(k // len(COLOURS) + k) % len(STYLES)],
        marker=MARKERS[k % len(MARKERS)],
        ms=4,
        markevery=(min(k, n - 1), max(1, n // 8)),
    )


def _dress(axis: Any, measure: Measure, result: Result) -> None:
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


def plot_differences(result: Result, measure: Measure, run: str, baseline: str, path: str | Path) -> Path:
    """Draw the difference of two runs topic by topic, largest gain first.

    Raises
    ------
    UsageError
        The runs share no topic, the measure is a vector, matplotlib is missing, or the file cannot be written.
    """
    a, b = result[run, measure], result[baseline, measure]
    if a.is_vector:
        raise UsageError(f"{measure} is a vector; give a cut-off to plot differences")
    topics = [t for t in a.topics if t in b.topics]
    if not topics:
        raise UsageError(f"{run} and {baseline} share no topic")
    d = np.array([a.topics[t] for t in topics]) - np.array([b.topics[t] for t in topics])
    return plot_bars(d, topics, measure, f"{run} against {baseline}", path)


MOST_NAMED = 80
"""With more topics than this, bars carry no names."""


def plot_bars(d: Any, topics: Sequence[str], measure: Measure, title: str, path: str | Path) -> Path:
    """Draw differences of a measure, (n,), as bars topic by topic, the largest gain first."""
    plt = pyplot()
    gain = d if measure.spec.higher else -d
    order = np.argsort(-gain, kind="stable")
    named = len(d) <= MOST_NAMED
    width = max(4.6, 0.16 * len(d) + 1.5) if named else 8.0
    figure, axis = plt.subplots(figsize=(width, 3.3), layout="constrained")
    colours = [COLOURS[0] if gain[i] > 0 else COLOURS[1] for i in order]
    axis.bar(np.arange(len(d)), d[order], color=colours, width=0.8 if named else 1.0)
    axis.axhline(0, color="black", lw=0.8)
    axis.set_xlim(-1, len(d))
    mean = float(d.mean()) if len(d) else 0.0
    axis.axhline(mean, color="#555555", lw=1, ls="--", label=f"mean {mean:+.4f}")
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
    return save(plt, figure, path)


def plot_density(study: Density, path: str | Path) -> Path:
    """Draw recall, precision and share read by density decile, and where relevant text lies [VII].

    Raises
    ------
    UsageError
        matplotlib is missing, or the file cannot be written.
    """
    plt = pyplot()
    tolerances = sorted({N for d in study.deciles for N in d.run})
    figure, axes = plt.subplots(2, 2, figsize=(9.2, 6.6), layout="constrained")
    x = np.arange(1, len(study.deciles) + 1)
    for axis, (what, label) in zip(
        axes.flat,
        (("recall", "recall"), ("precision", "precision"), ("read", "share of the document read")),
        strict=False,
    ):
        for k, N in enumerate(tolerances):
            for side, style, marker in (("run", "-", "o"), ("twin", "--", "s")):
                values = [getattr(getattr(d, side)[N], what) if N in d.run else np.nan for d in study.deciles]
                name = study.name if side == "run" else "whole documents"
                axis.plot(
                    x,
                    values,
                    style,
                    marker=marker,
                    ms=4,
                    color=COLOURS[k % len(COLOURS)],
                    lw=1.4,
                    label=f"{name}, T2I({N})",
                )
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


def plot_comparison(result: Result, comparison: Comparison, path: str | Path) -> Path:
    """Draw the differences of the first pair of a comparison."""
    pair = comparison.pairs[0]
    return plot_differences(result, pair.measure, pair.run, pair.baseline, path)


def curve_names(form: str, groups: Sequence[str]) -> list[str]:
    """Return the vectors worth drawing for a form of assessments and the groups that fit.

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
