"""Figures of a report: heat maps, curves, bars; needs matplotlib (the extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trix.eval.output.plots import COLOURS, FAINT, INK, MARKERS, STYLES, plot_bars, pyplot, save
from trix.lab.plan.experiment import Family, Variant
from trix.lab.plan.grid import value_text
from trix.lab.plan.sizes import CLASSES, size_names
from trix.lab.plan.split import SplitPart, TopicKey
from trix.lab.report.grids import Grid, collections, curve_of, grid_of, grid_title
from trix.lab.report.tables import ReportData

WIDTH = 4.8
"""Width of every figure in inches, so that text has one size on the page."""

_ROOM = 0.36
"""Width in inches that the value in a heat map cell needs."""

# On a dark page text and axes are light and the background is transparent; the colours of the data stay.
DARK = """
@media (prefers-color-scheme: dark) {
svg { background: #1b1c1e }
[id^="patch_"] > path[style*="fill: #ffffff"] { fill: none !important }
[style*="fill: INK"] { fill: #dddddd !important }
[style*="stroke: INK"] { stroke: #dddddd !important }
[style*="stroke: FAINT"] { stroke: #aaaaaa !important }
}
""".replace("INK", INK).replace("FAINT", FAINT)


def figures(data: ReportData, folder: Path, suffix: str = ".svg") -> list[tuple[str, str]]:
    """Draw all figures of the results into a folder; return (file name, caption) of each.

    All have one width. SVG figures adapt to dark pages. A family that equals the baseline on every topic has no bars.

    Raises
    ------
    UsageError
        matplotlib is missing, or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    measure = data.experiment.train_on
    made = []
    for name, topics in collections(data):
        for family in data.experiment.families:
            stem = f"{_plain(family.name)}-{_plain(name)}"
            grid = grid_of(data, family, topics)
            if grid is not None:
                heat_map(data, grid, topics, folder / f"grid-{stem}{suffix}")
                caption = f"{grid_title(data, family, grid, name, topics)}. The frame is the best."
                made.append((f"grid-{stem}{suffix}", caption))
            elif curve_of(family):
                curve(data, family, topics, folder / f"curve-{stem}{suffix}")
                caption = f"{measure} of {family.name} by {family.axes[0].name} on {name}."
                if data.experiment.sizes:
                    caption += f" Below, the sizes of the first {data.experiment.sizes} results in characters."
                made.append((f"curve-{stem}{suffix}", caption))
    for part in data.sweep.parts:
        for family in data.experiment.families:
            if not data.differs(part, family):
                continue
            file = f"topics-{_plain(family.name)}-{_plain(part.name)}{suffix}"
            bars(data, family, part, folder / file)
            kind = "best tested" if part.tests else "best trained"
            made.append((file, f"Topic by topic: {family.name}, {kind}, against the baseline on {part.name}."))
    if suffix == ".svg":
        for file, _ in made:
            darken(folder / file)
    return made


def darken(path: Path) -> None:
    """Add colours for dark pages to an SVG figure of matplotlib."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('<style type="text/css">', f'<style type="text/css">{DARK}', 1), encoding="utf-8")


def _plain(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)


def heat_map(data: ReportData, grid: Grid, topics: Sequence[TopicKey], path: Path) -> Path:
    """Draw the means of a grid."""
    rows, columns, means = grid.rows.values, grid.columns.values, grid.means
    plt = pyplot()
    figure, axis = plt.subplots(figsize=(WIDTH, 1.3 + 0.32 * len(rows)), layout="constrained")
    written = _ROOM * len(columns) <= WIDTH - 1.6
    image = axis.imshow(means, cmap="cividis", aspect="auto", origin="upper")
    axis.grid(False)
    axis.set_xticks(range(len(columns)), [value_text(v) for v in columns])
    axis.set_yticks(range(len(rows)), [value_text(v) for v in rows])
    axis.set_xlabel(grid.columns.name)
    axis.set_ylabel(grid.rows.name)
    low, high = float(np.nanmin(means)), float(np.nanmax(means))
    for i in range(len(rows)):
        for j in range(len(columns)):
            value = means[i, j]
            if written and not np.isnan(value):
                dark = high == low or (value - low) / (high - low) < 0.55
                axis.text(
                    j, i, f"{value:.4f}", ha="center", va="center", fontsize=7, color="white" if dark else "black"
                )
    row, column = grid.best
    frame = plt.Rectangle((column - 0.5, row - 0.5), 1, 1, fill=False, edgecolor=COLOURS[1], lw=2.5, clip_on=False)
    axis.add_patch(frame)
    base = data.measured.mean(data.experiment.baseline, topics, data.experiment.train_on)
    axis.set_title(f"{data.experiment.train_on}, baseline {base:.4f}", fontsize=9)
    figure.colorbar(image, ax=axis, shrink=0.9)
    return save(plt, figure, path)


def curve(data: ReportData, family: Family, topics: Sequence[TopicKey], path: Path) -> Path:
    """Draw a measure against a parameter, and below it the sizes of the results if they were counted."""
    plt = pyplot()
    measure = data.experiment.train_on
    points = curve_of(family)
    x = [value for value, _ in points]
    y = [data.measured.mean(variant, topics, measure) for _, variant in points]
    sized = bool(data.experiment.sizes)
    figure, axes = plt.subplots(
        1 + sized, 1, figsize=(WIDTH, 3.0 + 2.2 * sized), squeeze=False, sharex=True, layout="constrained"
    )
    axis = axes[0][0]
    axis.plot(x, y, COLOURS[0], marker=MARKERS[0], ms=4, label=family.name)
    base = data.measured.mean(data.experiment.baseline, topics, measure)
    axis.axhline(base, color=FAINT, ls="--", lw=1, label="baseline")
    axis.set_ylabel(repr(measure))
    axis.legend()
    _scale(axis, x)
    if sized:
        _sizes(data, points, topics, axes[1][0])
    axes[-1][0].set_xlabel(family.axes[0].name)
    return save(plt, figure, path)


def _scale(axis: Any, x: Sequence[float]) -> None:
    if min(x) > 0 and max(x) / min(x) >= 20:
        axis.set_xscale("log")


def _sizes(data: ReportData, points: Sequence[tuple[float, Variant]], topics: Sequence[TopicKey], axis: Any) -> None:
    """Draw the proportions of the size classes as curves [I, figure 1]."""
    x = [value for value, _ in points]
    for k, (name, label) in enumerate(zip(size_names(data.experiment.sizes), CLASSES, strict=True)):
        shares = [100 * _mean(data.measured.column(v, topics, name)) for _, v in points]
        axis.plot(x, shares, COLOURS[k], ls=STYLES[k % len(STYLES)], marker=MARKERS[k], ms=4, label=label)
    axis.set_ylabel("share of results (%)")
    axis.set_ylim(bottom=0)
    axis.legend(fontsize=7, title="characters", title_fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _mean(values: Any) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def bars(data: ReportData, family: Family, part: SplitPart, path: Path) -> Path:
    """Draw the difference from the baseline per topic, largest gain first."""
    measure = data.experiment.train_on
    d = data.differences(part, family)
    known = ~np.isnan(d)
    names = [topic for (_, topic), there in zip(part.topics, known.tolist(), strict=True) if there]
    return plot_bars(d[known], names, measure, f"{family.name} against the baseline", path, WIDTH)
