"""Tables as plain text, CSV, LaTeX or Markdown [EVALUATION 7]."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trix.errors import UsageError

FORMATS = ("table", "csv", "json", "latex", "markdown")
ENDINGS = {"table": "txt", "csv": "csv", "latex": "tex", "markdown": "md"}


class PValue(float):
    """A probability, printed as ``<0.0001`` below that limit, but exactly in CSV and JSON."""


class StarredNumber(float):
    """A number followed by significance stars, which CSV and JSON leave out."""

    stars: str

    def __new__(cls, value: float, stars: str) -> StarredNumber:
        made = super().__new__(cls, value)
        made.stars = stars
        return made


@dataclass(slots=True)
class Table:
    """A title, column heads and rows of cells; numbers are formatted when the table is printed.

    Attributes
    ----------
    name
        Its name for ``--table``, and as a file.
    best
        (row, column) of the cells in bold; only LaTeX prints them so.
    """

    title: str
    head: list[str]
    rows: list[list[Any]] = field(default_factory=list)
    name: str = ""
    best: set[tuple[int, int]] = field(default_factory=set)


def cell_text(value: Any, digits: int = 4) -> str:
    """Format a cell with four decimals; long vectors are abbreviated.

    >>> cell_text(0.5), cell_text(3), cell_text(float("nan")), cell_text(np.array([1.0, 0.5]))
    ('0.5000', '3', '-', '1.0000 0.5000')
    >>> cell_text(PValue(0.00002)), cell_text(PValue(0.03)), cell_text(StarredNumber(0.25, "**"))
    ('<0.0001', '0.0300', '0.2500**')
    """
    if isinstance(value, np.ndarray):
        if len(value) > 11:
            return (
                " ".join(cell_text(v, digits) for v in value[:4].tolist())
                + f" .. {cell_text(float(value[-1]), digits)}"
            )
        return " ".join(cell_text(v, digits) for v in value.tolist())
    if isinstance(value, PValue) and value < 10**-digits:
        return f"<{10**-digits:.{digits}f}"
    if isinstance(value, StarredNumber) and value == value:
        return f"{value:.{digits}f}{value.stars}"
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.{digits}f}"
    return str(value)


def _exact(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return " ".join(repr(v) for v in value.tolist())
    return repr(float(value)) if isinstance(value, float) else str(value)


def render(tables: Sequence[Table], format: str, data: Callable[[], Any]) -> str:
    """Format tables in one of `FORMATS`; ``data`` returns the content for JSON."""
    if format not in FORMATS:
        raise UsageError(f"expected one of {', '.join(FORMATS)}", field="format", got=format)
    if format == "json":
        return json.dumps(data(), ensure_ascii=False, indent=1) + "\n"
    return "\n".join(_WRITERS[format](table) for table in tables)


def chosen(tables: Sequence[Table], name: str | None) -> list[Table]:
    """Return the table with the given name, or all tables if it is None.

    Raises
    ------
    UsageError
        There is no table with that name.
    """
    if name is None:
        return list(tables)
    found = [table for table in tables if table.name == name]
    if not found:
        raise UsageError(f"expected one of {', '.join(table.name for table in tables)}", field="table", got=name)
    return found


def _left(table: Table) -> list[bool]:
    return [all(isinstance(row[i], str) for row in table.rows) for i in range(len(table.head))]


def _plain(table: Table) -> str:
    cells = [[cell_text(c) for c in row] for row in table.rows]
    for i in range(len(table.head)):
        starred = [len(row[i].stars) for row in table.rows if isinstance(row[i], StarredNumber)]
        if starred:  # pad after the stars, so that decimals are aligned
            for row, values in zip(cells, table.rows, strict=True):
                row[i] += " " * (max(starred) - (len(values[i].stars) if isinstance(values[i], StarredNumber) else 0))
    widths = [max(len(row[i]) for row in [table.head, *cells]) for i in range(len(table.head))]
    left = _left(table)

    def line(row: list[str]) -> str:
        return "  ".join(c.ljust(w) if ll else c.rjust(w) for c, w, ll in zip(row, widths, left, strict=True)).rstrip()

    title = [table.title] if table.title else []
    return "\n".join([*title, line(table.head), "  ".join("-" * w for w in widths), *map(line, cells)]) + "\n"


def _csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(name or "stars" for name in table.head)
    writer.writerows([_exact(c) for c in row] for row in table.rows)
    return text.getvalue()


_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        **{character: f"\\{character}" for character in "&%_#${}"},
    }
)


def latex_text(text: str) -> str:
    r"""Escape a text for LaTeX.

    >>> print(latex_text("a_b\\c{50%} <~^>"))
    a\_b\textbackslash{}c\{50\%\} \textless{}\textasciitilde{}\textasciicircum{}\textgreater{}
    """
    return text.translate(_LATEX)


def _latex_cell(value: Any, best: bool) -> str:
    if isinstance(value, StarredNumber):
        text = latex_text(cell_text(float(value))) + (f"$^{{{value.stars}}}$" if value.stars else "")
    elif isinstance(value, float):
        text = cell_text(value)
        text = "--" if text == "-" else f"${text}$" if text[0] in "-<" else text
    else:
        text = latex_text(cell_text(value))
    text = rf"\textbf{{{text}}}" if best else text
    return "{}" + text if text[:1] in ("[", "*") else text  # else an argument of the line end before


def _latex(table: Table) -> str:
    kinds = "".join("l" if left else "r" for left in _left(table))
    body = [
        " & ".join(_latex_cell(cell, (r, c) in table.best) for c, cell in enumerate(row)) + r" \\"
        for r, row in enumerate(table.rows)
    ]
    title = [f"% {' '.join(table.title.split())}"] if table.title else []
    head = " & ".join(_latex_cell(name, False) for name in table.head) + r" \\"
    lines = [*title, rf"\begin{{tabular}}{{{kinds}}}", r"\hline", head, r"\hline", *body, r"\hline", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _markdown(table: Table) -> str:
    def line(row: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"

    def cell(value: Any) -> str:
        return cell_text(value).replace("*", "\\*") if isinstance(value, StarredNumber) else cell_text(value)

    sides = ["---" if left else "---:" for left in _left(table)]
    title = [f"**{table.title}**", ""] if table.title else []
    rows = [line([cell(c) for c in row]) for row in table.rows]
    return "\n".join([*title, line(table.head), line(sides), *rows]) + "\n"


_WRITERS: Mapping[str, Callable[[Table], str]] = {
    "table": _plain,
    "csv": _csv,
    "latex": _latex,
    "markdown": _markdown,
}
