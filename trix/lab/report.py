"""`trix report`: a folder of results as one page, in Markdown and in HTML."""

from __future__ import annotations

import html
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from trix.errors import UsageError
from trix.eval.report import Table, render, shown
from trix.lab.load import load
from trix.lab.report_tables import (
    Shown,
    chosen_table,
    classes_table,
    collections,
    friedman_table,
    grid_table,
    main_table,
    measures_table,
    pairs_table,
    robustness_table,
)
from trix.lab.sweep import Sweep, write_file

FIGURES = "figures"

STARS = "Stars: t-test against the baseline, * p < 0.05, ** p < 0.01, *** p < 0.001."


@dataclass
class Page:
    """A report: headings with tables and figures below them.

    Attributes
    ----------
    title
        Of the experiment.
    sections
        (heading, text, tables, [(file, caption)]).
    """

    title: str
    sections: list[tuple[str, str, list[Table], list[tuple[str, str]]]]


def report(folder: str | os.PathLike[str], figures: bool = True) -> list[Path]:
    """Write ``report.md``, ``report.html`` and figures into a folder of results.

    Parameters
    ----------
    folder
        What `trix.lab.sweep.sweep` wrote.
    figures
        Whether to draw; needs matplotlib.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    UsageError, FormatError
        There are no results, or they are damaged; figures are wanted without matplotlib.
    """
    if figures and find_spec("matplotlib") is None:
        raise UsageError("figures need matplotlib: pip install 'trix[plot]', or ask for none")
    found = load(folder)
    drawn: list[tuple[str, str]] = []
    if figures:
        from trix.lab.figures import figures as draw

        drawn = draw(Shown(found), found.folder / FIGURES)
    page = page_of(found, drawn)
    paths = [found.folder / "report.md", found.folder / "report.html"]
    write_file(paths[0], markdown(page))
    write_file(paths[1], page_html(page))
    return [*paths, *(found.folder / FIGURES / file for file, _ in drawn)]


def page_of(sweep: Sweep, drawn: list[tuple[str, str]]) -> Page:
    """Return the sections of a report."""
    it = Shown(sweep)
    experiment = sweep.experiment
    parts = sweep.parts
    kinds = {
        "none": "No topics are held out: every figure is what training on the same topics reaches.",
        "halves": "Parameters are trained on one half of the topics and tested on the other.",
        "folds": "Each fold of the topics is tested with the parameters trained on the others.",
        "swap": "Each collection is tested with the parameters trained on the other.",
        "topics": "Parameters are trained on listed topics and tested on others.",
    }
    intro = f"{len(experiment.variants)} variants, trained by {experiment.train_on}. {kinds[experiment.split.kind]}"
    sections = [
        ("Against the baseline", f"{intro} {STARS}", [main_table(it, part) for part in parts],
         [f for f in drawn if f[0].startswith("topics-")]),
        ("What was chosen", "", [chosen_table(it)], []),
    ]
    if len(experiment.measures) > 1:
        sections.append(("All measures", STARS, [measures_table(it, part) for part in parts], []))
    sections.append(("Topics that gain and lose", "", [classes_table(it, part) for part in parts], []))
    if any(part.tests for part in parts):
        text = "Where best trained and best tested do not differ, training is robust."
        sections.append(("Robustness", text, [robustness_table(it)], []))
    side_by_side = friedman_table(it)
    if side_by_side is not None:
        pairs = [pairs_table(it, part) for part in parts]
        sections.append(("Families side by side", "", [side_by_side, *pairs], []))
    grids = [
        table
        for name, topics in collections(it)
        for family in experiment.families
        if (table := grid_table(it, family, name, topics)) is not None
    ]
    rest = [f for f in drawn if not f[0].startswith("topics-")]
    if grids or rest:
        sections.append(("Parameters", "", grids, rest))
    return Page(experiment.title, sections)


def markdown(page: Page) -> str:
    """Return a report as Markdown."""
    pieces = [f"# {page.title}\n"]
    for heading, text, tables, drawn in page.sections:
        pieces.append(f"## {heading}\n")
        if text:
            pieces.append(f"{text}\n")
        pieces += [render([table], "markdown", dict) for table in tables]
        pieces += [f"![{caption}]({FIGURES}/{file})\n\n{caption}\n" for file, caption in drawn]
    return "\n".join(pieces)


STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 68rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; margin: 1rem 0 2rem; font-size: .9rem; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { padding: .2rem .7rem; border-bottom: 1px solid #ddd; text-align: right }
th:first-child, td:first-child { text-align: left }
thead th { border-bottom: 2px solid #888 }
figure { margin: 1.5rem 0 } img { max-width: 100% } figcaption { font-size: .9rem; color: #555 }
.scroll { overflow-x: auto }
"""


def page_html(page: Page) -> str:
    """Return a report as HTML: one file, figures beside it."""
    title = html.escape(page.title)
    pieces = [
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n'
        f"</head>\n<body>\n<h1>{title}</h1>\n"
    ]
    for heading, text, tables, drawn in page.sections:
        pieces.append(f"<h2>{html.escape(heading)}</h2>\n")
        if text:
            pieces.append(f"<p>{html.escape(text)}</p>\n")
        pieces += map(table_html, tables)
        for file, caption in drawn:
            said = html.escape(caption)
            pieces.append(
                f'<figure><img src="{FIGURES}/{html.escape(file)}" alt="{said}">'
                f"<figcaption>{said}</figcaption></figure>\n"
            )
    return "".join([*pieces, "</body>\n</html>\n"])


def table_html(table: Table) -> str:
    """Return a table as HTML."""

    def row(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>\n"

    body = "".join(row([shown(cell) for cell in cells], "td") for cells in table.rows)
    caption = f"<caption>{html.escape(table.title)}</caption>\n" if table.title else ""
    return f'<div class="scroll"><table>\n{caption}<thead>{row(table.head, "th")}</thead>\n{body}</table></div>\n'
