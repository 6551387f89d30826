"""`trix report`: a folder of results as one page, in Markdown and in HTML."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from trix.errors import UsageError
from trix.eval.output.report import render
from trix.lab.report.html import page_html
from trix.lab.report.page import Drawn, Page, page_of
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
        What `trix.lab.run.sweep.sweep` wrote.
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
        raise UsageError(f"figures need matplotlib: {install_hint('plot')}, or ask for none")
    found = ReportData(load(folder))
    place = found.sweep.folder
    drawn: list[Drawn] = []
    if figures:
        from trix.lab.report.figures import figures as draw

        drawn = draw(found, place / FIGURES)
    page = page_of(found, [(f"{FIGURES}/{file}", caption) for file, caption in drawn])
    paths = [place / "report.md", place / "report.html"]
    write_file(paths[0], markdown(page))
    write_file(paths[1], page_html(page))
    return [*paths, *(place / FIGURES / file for file, _ in drawn)]


def markdown(page: Page) -> str:
    """Return a report as Markdown."""
    pieces = [f"# {page.title}\n"]
    for section in page.sections:
        pieces.append(f"## {section.heading}\n")
        if section.text:
            pieces.append(f"{section.text}\n")
        pieces += [render([table], "markdown", dict) for table in section.tables]
        pieces += [f"![{caption}]({file})\n\n{caption}\n" for file, caption in section.figures]
    return "\n".join(pieces)
