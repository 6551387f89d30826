"""Report of `trix report`: a folder of results as Markdown and as self-contained HTML."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trix.errors import UsageError
from trix.eval.output.report import Table, cell_text, render
from trix.lab.report.page import DrawnFigure, ReportPage, ReportSection, page_of
from trix.lab.report.tables import ReportData
from trix.lab.run.load import load
from trix.lab.run.sweep import write_file
from trix.support.extras import install_hint

FIGURES = "figures"


def report(folder: str | os.PathLike[str], figures: bool = True) -> list[Path]:
    """Write ``report.md``, ``report.html`` and figures into a folder of results.

    Parameters
    ----------
    folder
        Folder written by `trix.lab.run.sweep.sweep`.
    figures
        Whether to draw; needs matplotlib.

    Returns
    -------
    list of Path
        The files that were written.

    Raises
    ------
    UsageError, FormatError
        There are no results, they are damaged, or matplotlib is missing for figures.
    """
    if figures and find_spec("matplotlib") is None:
        raise UsageError(f"figures need matplotlib: {install_hint('plot')}, or turn figures off")
    found = ReportData(load(folder))
    place = found.sweep.folder
    drawn: list[DrawnFigure] = []
    if figures:
        from trix.lab.report.figures import figures as draw

        drawn = draw(found, place / FIGURES)
    page = page_of(found, [(f"{FIGURES}/{file}", caption) for file, caption in drawn])
    paths = [place / "report.md", place / "report.html"]
    write_file(paths[0], markdown(page))
    write_file(paths[1], page_html(page))
    return [*paths, *(place / FIGURES / file for file, _ in drawn)]


def markdown(page: ReportPage) -> str:
    """Format a report as Markdown."""
    pieces = [f"# {page.title}\n"]
    for section in page.sections:
        pieces.append(f"## {section.heading}\n")
        if section.text:
            pieces.append(f"{section.text}\n")
        pieces += [render([table], "markdown", dict) for table in section.tables]
        pieces += [f"![{caption}]({file})\n\n{caption}\n" for file, caption in section.figures]
    return "\n".join(pieces)


STYLE = """\
:root { color-scheme: light dark; --ink: #222; --ground: #fff; --soft: #555; --faint: #8a8a8a; --line: #ddd;
  --strong: #999; --link: #0b5a8f; --best: #fdf1d6; --shade: rgba(0, 0, 0, .22) }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ddd; --ground: #1b1c1e; --soft: #aaa; --faint: #888; --line: #3a3c40; --strong: #777;
    --link: #7fbfe8; --best: #4a3a14; --shade: rgba(160, 190, 220, .3) }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 72rem;
  margin: 2rem auto; padding: 0 1.2rem; overflow-wrap: break-word }
h1 { font-size: 1.7rem; line-height: 1.25 } h2 { font-size: 1.3rem; margin: 2.6rem 0 .6rem }
p { max-width: 50rem }
nav { font-size: .9rem; line-height: 1.9 } nav a { display: inline-block; margin-right: 1.2rem }
a { color: var(--link) }
.title { font-weight: 600; font-size: .9rem; margin: 1rem 0 .2rem }
/* A shadow lies over the side at which more of a table is hidden: the covers scroll with the table, it does not. */
.scroll { overflow-x: auto; margin: 0 0 1.8rem; width: fit-content; max-width: 100%;
  background: linear-gradient(to right, var(--ground) 40%, transparent) 0 0 / 3rem 100% no-repeat local,
    linear-gradient(to left, var(--ground) 40%, transparent) 100% 0 / 3rem 100% no-repeat local,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 1.1rem 100% no-repeat scroll,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 1.1rem 100% no-repeat scroll }
.scroll:focus-visible { outline: 2px solid var(--link) }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top;
  min-width: 2.5rem }
th { border-bottom: 2px solid var(--strong); vertical-align: bottom } .n { text-align: right; white-space: nowrap }
td:not(.n) { max-width: 26rem }
.again { color: var(--faint) } .best { font-weight: 700; background: var(--best) }
.stars { display: inline-block; width: 1.5em; text-align: left }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 1.4rem 2rem;
  align-items: start }
figure { margin: 0; max-width: 36rem } img { display: block; width: 100%; height: auto }
figcaption { font-size: .9rem; color: var(--soft) }
@media print { nav { display: none } figure, tr { break-inside: avoid } .scroll { background: none } }
"""

_NUMBER = re.compile(r"[<>+-]?\d|-?$")


def page_html(page: ReportPage) -> str:
    """Format a report as HTML."""
    title = html.escape(page.title)
    links = "".join(f'<a href="#{_anchor(s.heading)}">{html.escape(s.heading)}</a>\n' for s in page.sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<nav>\n{links}</nav>\n"
        f"{''.join(map(_section, page.sections))}</body>\n</html>\n"
    )


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _section(section: ReportSection) -> str:
    text = f"<p>{html.escape(section.text)}</p>\n" if section.text else ""
    tables = "".join(map(table_html, section.tables))
    heading = f'<h2 id="{_anchor(section.heading)}">{html.escape(section.heading)}</h2>\n'
    return f"{heading}{text}{tables}{_figures(section.figures)}"


def _figures(drawn: Sequence[DrawnFigure]) -> str:
    if not drawn:
        return ""
    pieces = []
    for file, caption in drawn:
        described = html.escape(caption)
        picture = f'<img src="{html.escape(file)}" alt="{described}" loading="lazy">'
        pieces.append(f"<figure>{picture}<figcaption>{described}</figcaption></figure>\n")
    return f'<div class="figures">\n{"".join(pieces)}</div>\n'


def table_html(table: Table) -> str:
    """Format a table as HTML: numbers right-aligned, a repeated first cell in grey."""
    rows = [[cell_text(cell) for cell in row] for row in table.rows]
    columns = range(len(table.head))
    numeric = [
        k > 0 and all(_is_number(row[k], source[k]) for row, source in zip(rows, table.rows, strict=True))
        for k in columns
    ]
    starred = [any(row[k].endswith("*") for row in rows) for k in columns]
    head = "".join(f"<th{_class(['n'] if numeric[k] else [])}>{html.escape(table.head[k])}</th>" for k in columns)
    body = []
    for above, row in zip([[""] * len(columns), *rows], rows, strict=False):
        cells = []
        for k, text in enumerate(row):
            classes = ["n"] * numeric[k] + ["again"] * (k == 0 and text == above[0] != "")
            classes += ["best"] * (numeric[k] and text.startswith(">"))
            cells.append(f"<td{_class(classes)}>{_cell(text, numeric[k], starred[k])}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>\n")
    described = html.escape(table.title)
    title = f'<p class="title">{described}</p>\n' if described else ""
    return (
        f'{title}<div class="scroll" role="region" tabindex="0" aria-label="{described or "table"}">'
        f"<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{''.join(body)}</tbody>\n</table></div>\n"
    )


def _is_number(text: str, source: Any) -> bool:
    return not isinstance(source, str) or _NUMBER.match(text) is not None


def _class(names: list[str]) -> str:
    return f' class="{" ".join(names)}"' if names else ""


def _cell(text: str, numeric: bool, starred: bool) -> str:
    """Format a cell; stars have a fixed width, so that decimals stay aligned."""
    if not (numeric and starred):
        return html.escape(text)
    number = text.rstrip("*")
    return f'{html.escape(number)}<span class="stars">{text[len(number) :]}</span>'
