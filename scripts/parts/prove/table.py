"""The table of all sets: values, ratios to the best plain BM25, p-values, gains of context, and a row of minima."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from scripts.parts.prove.measure import Measured
from scripts.parts.prove.systems import USUAL, contextual, grid
from trix.eval.studies.significance import randomisation, stars

ROUNDS = 10_000
"""Rounds of a randomisation test."""


@dataclass(frozen=True)
class Cell:
    """A system on a set.

    Parameters
    ----------
    mean
        Mean value over the topics.
    of_best
        The mean as a ratio to that of the best plain BM25 of the grid.
    of_usual
        As a ratio to BM25 with k1 1.2 and B 0.75.
    p_best, p_usual
        p of the differences to both, by randomisation.
    gain
        Ratio to the same system without context, less 1; None for one that has none.
    p_gain
        p of that difference.
    """

    mean: float
    of_best: float
    of_usual: float
    p_best: float
    p_usual: float
    gain: float | None = None
    p_gain: float | None = None


@dataclass(frozen=True)
class Row:
    """A set: its best plain BM25, and a cell for each system."""

    set: str
    kind: str
    measure: str
    topics: int
    usual: float
    best: float
    best_name: str
    cells: Mapping[str, Cell]


def row(found: Measured) -> Row:
    """Return the row of a set."""
    values = found.values
    best = max((each.name for each in grid()), key=lambda name: float(values[name].mean()))
    alone = {each.name: each.alone.name for each in contextual()}
    cells = {}
    for name in ("study", *alone):
        a, b, usual = values[name], values[best], values[USUAL]
        gain = p_gain = None
        if name in alone:
            without = values[alone[name]]
            gain, p_gain = ratio(a.mean(), without.mean()) - 1, randomisation(a, without, ROUNDS)
        cells[name] = Cell(
            float(a.mean()), ratio(a.mean(), b.mean()), ratio(a.mean(), usual.mean()), randomisation(a, b, ROUNDS),
            randomisation(a, usual, ROUNDS), gain, p_gain,
        )  # fmt: skip
    of = found.set
    means = float(values[USUAL].mean()), float(values[best].mean())
    return Row(of.name, of.kind, of.measure, len(found.topics), *means, best.removeprefix("BM25 "), cells)


def ratio(a: float, b: float) -> float:
    """Return a / b; 1 where both are 0."""
    return float(a) / float(b) if b else 1.0 if not a else float("inf")


def table(rows: Sequence[Row]) -> str:
    """Return the table in Markdown."""
    names = list(rows[0].cells)
    lines = [
        "| set | topics | | BM25 1.2/.75 | best BM25 | k1/B | " + " | ".join(names) + " |",
        "|---|---:|---|---:|---:|---|" + "---:|" * len(names),
    ]
    for each in rows:
        cells = " | ".join(cell(each.cells[name]) for name in names)
        measure = "MAP" if each.measure == "ap" else "MRR"
        lines.append(
            f"| {each.set} | {each.topics} | {measure} | {short(each.usual)} {ratio(each.usual, each.best):.2f} | "
            f"{short(each.best)} | {each.best_name} | {cells} |"
        )
    lowest = " | ".join(f"**{least([each.cells[name].of_best for each in rows]):.2f}**" for name in names)
    usual = least([ratio(each.usual, each.best) for each in rows])
    lines.append(f"| least ratio | {sum(each.topics for each in rows)} | | {usual:.2f} | 1.00 | | {lowest} |")
    return "\n".join(lines)


def cell(found: Cell) -> str:
    """Return value, ratio, stars against the best plain BM25, and a sign against BM25 1.2/.75.

    >>> cell(Cell(0.5, 1.05, 1.1, 0.004, 0.03))
    '.500 1.05** ↑'
    """
    side = "" if found.p_usual >= 0.05 else " ↑" if found.of_usual > 1 else " ↓"
    return f"{short(found.mean)} {found.of_best:.2f}{stars(found.p_best)}{side}"


def short(value: float) -> str:
    """Return a value with three digits and without its 0.

    >>> short(0.12345), short(1)
    ('.123', '1.000')
    """
    return f"{value:.3f}".removeprefix("0")


def details(rows: Sequence[Row]) -> str:
    """Return p-values and gains of context in Markdown, a line a set and system."""
    lines = [
        "| set | system | of best | p | of 1.2/.75 | p | by context | p |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for each in rows:
        for name, found in each.cells.items():
            gain = "" if found.gain is None else f"{100 * found.gain:+.1f} %"
            lines.append(
                f"| {each.set} | {name} | {found.of_best:.3f} | {p_text(found.p_best)} | {found.of_usual:.3f} | "
                f"{p_text(found.p_usual)} | {gain} | {p_text(found.p_gain)} |"
            )
    return "\n".join(lines)


def p_text(p: float | None) -> str:
    """Return a p-value as it is printed.

    >>> p_text(0.0312), p_text(0.00005), p_text(None)
    ('0.031', '< 0.001', '')
    """
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def least(values: Iterable[float]) -> float:
    """Return the least of some values."""
    return min(values)


def plain(rows: Sequence[Row]) -> list[dict[str, object]]:
    """Return the rows for JSON."""
    return [asdict(each) for each in rows]
