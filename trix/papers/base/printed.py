"""Tables as papers print them, and the computed values beside them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trix.eval.output.tables import StarredNumber, Table

Cell = float | str
"""A computed value, or a text such as ``12 (35%)``. NaN is a value that is not defined."""

UNKNOWN = "?"
"""Printed cell that cannot be read with certainty, or that the paper leaves out."""

DIFFERENT = "≠"
"""Mark of a value that differs from the printed one by more than rounding."""

_NUMBER = re.compile(r"[-+]?(\d+(?:,\d{3})*(?:\.(\d+))?|\.(\d+))")


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A table of a paper, or the numbers of a figure.

    Parameters
    ----------
    label
        Its name in the paper, such as ``table 1``.
    title
        Its title in a few words.
    head
        Heads of the columns, the first one that of the row names.
    rows
        Name of a row -> cells as printed; `UNKNOWN` where a number is not certain. Empty if the paper prints none.
    note
        Remark for the reader, such as where the scan is damaged.
    """

    label: str
    title: str
    head: tuple[str, ...]
    rows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""


def printed_rows(text: str) -> dict[str, tuple[str, ...]]:
    """Parse rows of a table: a name, ``|``, and cells between blanks.

    Raises
    ------
    ValueError
        Rows have different numbers of cells.

    >>> printed_rows('''
    ... baseline | 0.106 ?
    ... no overlap, b 0.1 | 0.129 0.023*
    ... ''')
    {'baseline': ('0.106', '?'), 'no overlap, b 0.1': ('0.129', '0.023*')}
    """
    rows = {}
    for line in filter(str.strip, text.splitlines()):
        name, _, cells = line.partition("|")
        rows[name.strip()] = tuple(cells.split())
    if len(set(map(len, rows.values()))) > 1:
        raise ValueError(f"rows of {', '.join(f'{name}: {len(cells)}' for name, cells in rows.items())} cells")
    return rows


class PrintedNumber(NamedTuple):
    """A printed number with its number of decimals."""

    value: float
    decimals: int

    def agrees(self, value: float) -> bool:
        """Whether a value is the printed one, up to rounding.

        >>> PrintedNumber(0.12, 2).agrees(0.1249), PrintedNumber(0.12, 2).agrees(0.126)
        (True, False)
        """
        return abs(value - self.value) <= 0.5 * 10.0**-self.decimals + 1e-9


def number_of(cell: str) -> PrintedNumber | None:
    """Parse the number at the beginning of a printed cell; None if it has none.

    >>> number_of("0.046**"), number_of("4,528,958"), number_of("?")
    (PrintedNumber(value=0.046, decimals=3), PrintedNumber(value=4528958.0, decimals=0), None)
    """
    found = _NUMBER.match(cell)
    if not found:
        return None
    return PrintedNumber(float(found[0].replace(",", "")), len(found[2] or found[3] or ""))


class ValuePair(NamedTuple):
    """One cell of a table: its row and column, the computed and the printed value; empty where there is none."""

    row: str
    column: str
    here: Cell
    printed: str

    @property
    def differs(self) -> bool:
        """Whether the computed number is another than the printed one."""
        number = number_of(self.printed)
        mine = _as_number(self.here)
        return number is not None and mine is not None and not number.agrees(mine)


def _as_number(cell: Cell) -> float | None:
    if isinstance(cell, str):
        number = number_of(cell)
        return None if number is None else number.value
    return None if math.isnan(cell) else float(cell)


@dataclass
class ComparedTable:
    """A table of a paper with computed values.

    Parameters
    ----------
    printed
        The table of the paper.
    rows
        Name of a row -> computed cells, one for each column but the first. Rows of the paper alone are shown too.
    decimals
        Decimals of columns for which nothing is printed.
    note
        Remark on the computed values.
    example
        Whether the values come from a worked example of the paper, so that differences are marked on any data.
    """

    printed: Printed
    rows: Mapping[str, Sequence[Cell]]
    decimals: int = 4
    note: str = ""
    example: bool = False

    @property
    def label(self) -> str:
        """Name in the paper."""
        return self.printed.label

    def pairs(self) -> list[list[ValuePair]]:
        """Return the cells of each row."""
        columns = self.printed.head[1:]
        found = []
        for name in dict.fromkeys([*self.rows, *self.printed.rows]):
            here = self.rows.get(name, [""] * len(columns))
            there = self.printed.rows.get(name, ("",) * len(columns))
            found.append([ValuePair(name, *each) for each in zip(columns, here, there, strict=True)])
        return found

    def table(self, marks: bool) -> Table:
        """Return the table to print, each cell a computed value and the printed one in parentheses.

        Parameters
        ----------
        marks
            Add `DIFFERENT` to values that differ; for data on which they could agree.
        """
        found = self.pairs()
        decimals = [
            max((n.decimals for row in found if (n := number_of(row[k].printed))), default=self.decimals)
            for k in range(len(self.printed.head) - 1)
        ]
        beside = ": here (printed)" if any(pair.printed for row in found for pair in row) else ""
        table = Table(f"{self.label[:1].upper()}{self.label[1:]}. {self.printed.title}{beside}", [*self.printed.head])
        for row in found:
            cells = [_text(pair, places, marks) for pair, places in zip(row, decimals, strict=True)]
            table.rows.append([row[0].row if row else "", *cells])
        return table


def value_text(value: Cell, decimals: int) -> str:
    """Format a computed value.

    >>> value_text(0.25, 3), value_text(float("nan"), 3), value_text(StarredNumber(0.25, "*"), 1)
    ('0.250', '-', '0.2*')
    """
    if isinstance(value, str):
        return value or "-"
    if math.isnan(value):
        return "-"
    return f"{value:,.{decimals}f}{value.stars if isinstance(value, StarredNumber) else ''}"


def _text(pair: ValuePair, decimals: int, marks: bool) -> str:
    if pair.here == "" and pair.printed in ("", UNKNOWN):
        return ""
    printed = number_of(pair.printed)
    text = value_text(pair.here, printed.decimals if printed else decimals)
    if not pair.printed:
        return text
    return f"{text} ({pair.printed}){f' {DIFFERENT}' if marks and pair.differs else ''}"


@dataclass(frozen=True)
class Statement:
    """A finding that a paper states in words, checked on the computed values.

    Parameters
    ----------
    text
        The finding.
    holds
        Whether it holds here.
    evidence
        The numbers that decide it.
    """

    text: str
    holds: bool
    evidence: str


def statements_table(statements: Sequence[Statement]) -> Table:
    """Return the findings as a table."""
    table = Table("Findings of the paper", ["finding", "here", "numbers"])
    table.rows = [[each.text, "yes" if each.holds else "no", each.evidence] for each in statements]
    return table
