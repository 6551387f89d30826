"""Parameters of a family as a two-dimensional grid or a single axis [IV, tables 6 to 12]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trix.eval.output.report import Table
from trix.lab.plan.experiment import Family, Variant
from trix.lab.plan.grid import ParameterAxis, Point, Value, value_text
from trix.lab.plan.split import TopicKey
from trix.lab.report.tables import ReportData


@dataclass(frozen=True)
class Grid:
    """Means of the training measure over two parameters.

    Parameters
    ----------
    rows, columns
        The two parameters.
    fixed
        The other parameters, with their values in the family's best variant.
    means
        (rows, columns) means, NaN without a variant.
    best
        Row and column of the best.
    """

    rows: ParameterAxis
    columns: ParameterAxis
    fixed: Point
    means: NDArray[np.float64]
    best: tuple[int, int]

    @property
    def at(self) -> str:
        """Return the fixed parameters as text, empty without any."""
        return ", ".join(f"{name} = {value_text(value)}" for name, value in self.fixed)


def collections(data: ReportData) -> list[tuple[str, tuple[TopicKey, ...]]]:
    """Return the topics of each collection."""
    found: dict[str, list[TopicKey]] = {}
    for topic in data.sweep.topics:
        found.setdefault(topic[0], []).append(topic)
    return [(name, tuple(topics)) for name, topics in found.items()]


def grid_of(data: ReportData, family: Family, topics: Sequence[TopicKey]) -> Grid | None:
    """Return a family as a grid; None without two parameters to show.

    Of more than two parameters the grid shows those with the most values, later ones on ties. The others have their
    values in the best variant. A random sample has no grid, since most cells would be empty.
    """
    axes = [axis for axis in family.axes if len(axis.values) > 1]
    if len(axes) < 2:
        return None
    widest = sorted(range(len(axes)), key=lambda k: (-len(axes[k].values), -k))[:2]
    rows, columns = (axes[k] for k in sorted(widest))
    measure = data.experiment.train_on
    point = data.measured.best(family.variants, topics, measure).point
    others = {axis.name for axis in axes} - {rows.name, columns.name}
    fixed = tuple((name, value) for name, value in point if name in others)
    means = np.full((len(rows.values), len(columns.values)), np.nan)
    for variant in family.variants:
        values = dict(variant.point)
        if all(values[name] == value for name, value in fixed):
            cell = rows.values.index(values[rows.name]), columns.values.index(values[columns.name])
            means[cell] = data.measured.mean(variant, topics, measure)
    known = ~np.isnan(means)
    if 2 * np.count_nonzero(known) < means.size:
        return None
    place = int(np.nanargmax(means if measure.spec.higher else -means))
    return Grid(rows, columns, fixed, means, divmod(place, means.shape[1]))


def grid_title(data: ReportData, family: Family, grid: Grid, name: str, topics: Sequence[TopicKey]) -> str:
    """Return the title of a grid."""
    at = f" with {grid.at}" if grid.fixed else ""
    return f"{data.experiment.train_on} of {family.name}{at} on {name}, all {len(topics)} topics"


def grid_table(data: ReportData, family: Family, name: str, topics: Sequence[TopicKey]) -> Table | None:
    """Return a family as a table, with the best value marked."""
    grid = grid_of(data, family, topics)
    if grid is None:
        return None
    table = Table(
        f"{grid_title(data, family, grid, name, topics)}; best marked >",
        [f"{grid.rows.name} \\ {grid.columns.name}", *map(value_text, grid.columns.values)],
    )
    for row, (value, means) in enumerate(zip(grid.rows.values, grid.means.tolist(), strict=True)):
        cells = [_cell(mean, (row, column) == grid.best) for column, mean in enumerate(means)]
        table.rows.append([value_text(value), *cells])
    return table


def _cell(mean: float, best: bool) -> str:
    return "-" if np.isnan(mean) else f"{'>' if best else ''}{mean:.4f}"


def curve_of(family: Family) -> list[tuple[float, Variant]]:
    """Return (value, variant) of a family with one numeric parameter, ascending; empty for other families."""
    axes = [axis for axis in family.axes if len(axis.values) > 1]
    if len(axes) != 1 or not numeric(axes[0].values):
        return []
    return sorted(((float(dict(v.point)[axes[0].name]), v) for v in family.variants), key=lambda pair: pair[0])


def numeric(values: Sequence[Value]) -> bool:
    """Return whether all values are numbers."""
    return all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
