"""One panel of a figure: the values of a measure topic by topic, a row per run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


def spread(n: int) -> Values:
    """Return n places in [-0.5, 0.5] that neighbours share with nobody near: the van der Corput sequence.

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
    """Draw a row per run into a panel: a dot for each topic, a bar over the middle half of them, a line at the mean."""
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
