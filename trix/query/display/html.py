"""Results as a small HTML table, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trix.query.display.result import Ranked, Result

SHOWN = 20
"""Rows in a notebook; whoever wants more takes the frame."""

LONGEST = 200
"""Characters of a cell."""


def results_html(results: Ranked) -> str:
    """Return the first results as a table: rank, score, where, and how it begins; all text is escaped.

    A text that cannot be read leaves its cell empty.
    """
    rows = "".join(_row(result) for result in results[:SHOWN])
    more = len(results) - SHOWN
    said = f"{len(results):,} results, {results.matched:,} matching elements" if len(results) else "no results"
    if more > 0:
        said += f"; {more:,} more are not shown"
    head = "".join(f"<th>{name}</th>" for name in ("rank", "score", "element", "text"))
    return (
        f"<table><caption>{_cell(results.query)}: {said}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _row(result: Result) -> str:
    try:
        snippet = result.snippet
    except Exception:  # a source that has gone: a notebook shows the rest
        snippet = ""
    cells = (str(result.rank), f"{result.score:.4f}", result.doc + result.path, snippet)
    return f"<tr>{_cells(cells)}</tr>"


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"<td>{_cell(text)}</td>" for text in texts)


def _cell(text: str) -> str:
    """Return a text escaped and cut.

    >>> _cell('<b> & "c"')
    '&lt;b&gt; &amp; &quot;c&quot;'
    """
    line = " ".join(str(text).split())
    shown = line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
    return html.escape(shown.encode("utf-8", "replace").decode())


def safe_html(results: Ranked) -> str:
    """Return the table, or the plain representation where anything goes wrong: a notebook's display never raises."""
    try:
        return results_html(results)
    except Exception:
        return f"<pre>{html.escape(object.__repr__(results))}</pre>"
