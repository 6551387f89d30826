"""Figures of papers: panels of lines, bars or stacked shares, drawn with matplotlib or printed as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from trix.eval.output.plots import COLOURS, MARKERS, STYLES, pyplot, save
from trix.papers.base.printed import Cell, ComparedTable, Printed

_SHOWN = 11
"""Largest number of points of a line that its table lists; longer lines are sampled evenly."""


@dataclass(frozen=True, kw_only=True)
class Panel:
    """One panel of a figure.

    Parameters
    ----------
    title
        Title of the panel; empty if the figure has only one.
    x
        Positions: numbers of lines, or names of bars and stacks.
    series
        Name -> a value for each position.
    printed
        Name -> values that the paper prints, as text; for those with numbers.
    """

    title: str = ""
    x: Sequence[float | str]
    series: Mapping[str, Sequence[float]]
    printed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PaperFigure:
    """A figure of a paper with computed values.

    Parameters
    ----------
    label
        Its name in the paper, such as ``figure 1``.
    title
        Its title in a few words.
    kind
        ``lines`` over numbers, ``bars`` side by side, or ``stacks`` of shares.
    x, y
        Labels of the axes.
    panels
        Its panels, side by side.
    decimals
        Decimals of the table.
    note
        Remark for the reader.
    """

    label: str
    title: str
    kind: Literal["lines", "bars", "stacks"]
    x: str
    y: str
    panels: Sequence[Panel]
    decimals: int = 3
    note: str = ""

    @property
    def stem(self) -> str:
        """Name of its file, without the ending."""
        return "".join(c if c.isalnum() else "-" for c in self.label)

    def tables(self) -> list[ComparedTable]:
        """Return the numbers of the figure, a table a panel; long lines at evenly spaced points."""
        made = []
        for panel in self.panels:
            count = len(panel.x)
            shown = range(count)
            if count > _SHOWN:
                shown = dict.fromkeys(np.linspace(0, count - 1, _SHOWN).round().astype(int).tolist())  # type: ignore[assignment]
            head = (self.x, *(_position(panel.x[k]) for k in shown))
            rows: dict[str, Sequence[Cell]] = {
                name: [float(values[k]) for k in shown] for name, values in panel.series.items()
            }
            printed = {name: tuple(cells[k] for k in shown) for name, cells in panel.printed.items()}
            title = f"{self.title}{': ' if panel.title else ''}{panel.title} ({self.y})"
            table = Printed(label=self.label, title=title, head=head, rows=printed)
            note = self.note if panel is self.panels[-1] else ""
            made.append(ComparedTable(table, rows, self.decimals, note))
        return made

    def draw(self, path: Path) -> Path:
        """Draw the figure into a file.

        Raises
        ------
        UsageError
            matplotlib is missing, or the file cannot be written.
        """
        plt = pyplot()
        count = len(self.panels)
        columns = min(count, 2)
        rows = -(-count // columns)
        figure, axes = plt.subplots(
            rows, columns, figsize=(4.6 * columns, 3.1 * rows), layout="constrained", squeeze=False
        )
        for axis, panel in zip(axes.flat, self.panels, strict=False):
            {"lines": _lines, "bars": _bars, "stacks": _stacks}[self.kind](axis, panel)
            axis.set(xlabel=self.x, ylabel=self.y)
            axis.set_title(panel.title, fontsize=10, loc="left")
        for axis in list(axes.flat)[count:]:
            axis.set_visible(False)
        handles = axes[0, 0].get_legend_handles_labels()
        if len(handles[0]) > 1:
            figure.legend(*handles, loc="outside lower center", ncols=min(len(handles[0]), 5))
        return save(plt, figure, path)


def _position(x: float | str) -> str:
    return x if isinstance(x, str) else f"{x:g}"


def _lines(axis: Any, panel: Panel) -> None:
    for k, (name, values) in enumerate(panel.series.items()):
        axis.plot(
            list(panel.x), values, STYLES[k % len(STYLES)], color=COLOURS[k % len(COLOURS)], label=name,
            marker=MARKERS[k % len(MARKERS)] if len(panel.x) <= 2 * _SHOWN else None, markersize=4,
        )  # fmt: skip


def _bars(axis: Any, panel: Panel) -> None:
    width = 0.8 / max(len(panel.series), 1)
    for k, (name, values) in enumerate(panel.series.items()):
        places = np.arange(len(panel.x)) + (k - (len(panel.series) - 1) / 2) * width
        axis.bar(places, values, width, color=COLOURS[k % len(COLOURS)], label=name)
    axis.set_xticks(range(len(panel.x)), [_position(x) for x in panel.x])
    axis.grid(axis="x", visible=False)


def _stacks(axis: Any, panel: Panel) -> None:
    below = np.zeros(len(panel.x))
    for k, (name, values) in enumerate(panel.series.items()):
        axis.bar(range(len(panel.x)), values, 0.8, below, color=COLOURS[k % len(COLOURS)], label=name)
        below = below + np.asarray(values, np.float64)
    axis.set_xticks(range(len(panel.x)), [_position(x) for x in panel.x])
    axis.grid(axis="x", visible=False)
