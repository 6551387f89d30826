"""Output of an experiment: text, and a folder with a report, figures and all values."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trix.eval.output.report import render
from trix.eval.output.tables import Table
from trix.lab.run.sweep import csv_text, write_file
from trix.papers.base.figure import PaperFigure
from trix.papers.base.paper import Reproduction
from trix.papers.base.printed import DIFFERENT, ComparedTable, statements_table
from trix.support.extras import install_hint
from trix.support.output import usable

FIGURES = "figures"


def head_lines(found: Reproduction) -> list[str]:
    """Return the lines above the tables: source, data, meaning of the marks."""
    lines = [f"{found.paper.title} [{found.paper.source}]", f"Data: {found.data}"]
    if found.synthetic:
        lines.append("These data are made, so numbers cannot agree with the printed ones; findings can.")
        if any(pair.printed for table in found.tables if table.example for row in table.pairs() for pair in row):
            lines.append(f"In worked examples they can: {DIFFERENT} marks what differs by more than rounding.")
    elif any(pair.printed for table in found.tables for row in table.pairs() for pair in row):
        lines.append(f"{DIFFERENT} marks a number that differs from the printed one by more than rounding.")
    return lines


def text(found: Reproduction, format: str = "table") -> str:
    """Format all tables and findings, in a format of `trix.eval.output.tables.FORMATS`."""
    tables = [each.table(marks=each.example or not found.synthetic) for each in found.tables]
    if found.statements:
        tables.append(statements_table(found.statements))
    if format == "csv":
        return csv_text(*_values(found))
    if format != "table":
        return render(tables, format, lambda: to_json(found))
    pieces = ["\n".join(head_lines(found)) + "\n"]
    notes = [_notes(each) for each in found.tables] + [""]
    for table, note in zip(tables, notes, strict=False):
        pieces.append(render([table], "table", dict) + note)
    if found.paper.missing:
        pieces.append("".join(["Not reproduced\n", *(f"- {each}\n" for each in found.paper.missing)]))
    return "\n".join(pieces)


def _notes(table: ComparedTable) -> str:
    return "".join(f"{note}\n" for note in (table.printed.note, table.note) if note)


def to_json(found: Reproduction) -> dict[str, Any]:
    """Return all values as plain data."""
    return {
        "experiment": found.paper.name,
        "title": found.paper.title,
        "source": found.paper.source,
        "data": found.data,
        "synthetic": found.synthetic,
        "tables": [
            {
                "table": table.label,
                "title": table.printed.title,
                "rows": [[pair._asdict() for pair in row] for row in table.pairs()],
            }
            for table in found.tables
        ],
        "findings": [
            {"finding": each.text, "holds": each.holds, "numbers": each.evidence} for each in found.statements
        ],
        "missing": list(found.paper.missing),
    }


def _values(found: Reproduction) -> tuple[list[str], list[list[Any]]]:
    """Return heads and rows of the file of values, a row a cell."""
    rows: list[list[Any]] = [
        [table.label, table.printed.title, pair.row, pair.column, _plain(pair.here), pair.printed]
        for table in found.tables
        for row in table.pairs()
        for pair in row
    ]
    return ["table", "title", "row", "column", "here", "printed"], rows


def _plain(value: float | str) -> float | str:
    return value if isinstance(value, str) else float(value)


def write(found: Reproduction, folder: str | Path) -> list[Path]:
    """Write ``report.md``, ``values.csv`` and the figures as SVG into a folder; return the files.

    Figures are left out where matplotlib is missing, which a notice says.

    Raises
    ------
    UsageError
        The folder cannot be written.
    """
    place = Path(folder)
    with usable(place):
        place.mkdir(parents=True, exist_ok=True)
    drawn = _draw(found, place / FIGURES)
    report, values = place / "report.md", place / "values.csv"
    write_file(report, markdown(found, drawn))
    write_file(values, csv_text(*_values(found)))
    return [report, values, *drawn.values()]


def _draw(found: Reproduction, folder: Path) -> dict[str, Path]:
    if not found.figures:
        return {}
    if find_spec("matplotlib") is None:
        found.notices.append(f"figures are left out, they need matplotlib: {install_hint('plot')}")
        return {}
    with usable(folder):
        folder.mkdir(exist_ok=True)
    return {each.label: each.draw(folder / f"{each.stem}.svg") for each in found.figures}


def markdown(found: Reproduction, drawn: dict[str, Path]) -> str:
    """Format the report, with links to the figures that were drawn."""
    pieces = [f"# {found.paper.title}\n", "\n\n".join(head_lines(found)[1:]) + "\n", f"Source: {found.paper.source}\n"]
    for part in found.parts:
        if isinstance(part, ComparedTable):
            pieces += _section(part, found)
        elif isinstance(part, PaperFigure):
            pieces.append(f"## {part.label.capitalize()}. {part.title}\n")
            if part.label in drawn:
                pieces.append(f"![{part.title}]({FIGURES}/{drawn[part.label].name})\n")
            for panel, numbers in zip(part.panels, part.tables(), strict=True):
                shown = _untitled(numbers, found)
                shown.title = "; ".join(filter(None, [panel.title, shown.title]))
                pieces.append(render([shown], "markdown", dict))
            pieces += [f"{part.note}\n"] if part.note else []
    if found.statements:
        table = statements_table(found.statements)
        pieces += [f"## {table.title}\n", render([Table("", table.head, table.rows)], "markdown", dict)]
    if found.paper.missing:
        pieces += ["## Not reproduced\n", "".join(f"- {each}\n" for each in found.paper.missing)]
    return "\n".join(pieces)


def _section(table: ComparedTable, found: Reproduction) -> list[str]:
    pieces = [
        f"## {table.label.capitalize()}. {table.printed.title}\n",
        render([_untitled(table, found)], "markdown", dict),
    ]
    return [*pieces, *(f"{note}\n" for note in (table.printed.note, table.note) if note)]


def _untitled(table: ComparedTable, found: Reproduction) -> Table:
    made = table.table(marks=table.example or not found.synthetic)
    made.title = "Here (printed)" if "here (printed)" in made.title else ""
    return made
