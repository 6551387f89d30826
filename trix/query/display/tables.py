"""Results as tables: HTML for notebooks, a frame for pandas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.query.display.breadcrumb import located, on_one_line
from trix.support.extras import pandas
from trix.support.notebook import breakable, cell, escaped, table

if TYPE_CHECKING:
    from trix.query.display.result import NamedResults, Range, Result, ResultTable

SHOWN = 20
"""Rows in a notebook; a frame has all."""

LONGEST_TITLE = 100
"""Largest number of characters of a title in a notebook."""

FIELD = "fields."
"""Prefix of the columns of fields in a frame."""


def results_html(results: ResultTable) -> str:
    """Return the first results as a table: rank, score, where, and the words around what matched; text is escaped.

    A text that cannot be read leaves its cell empty.
    """
    more = len(results) - SHOWN
    summary = f"{len(results):,} results, {results.matched:,} matching elements" if len(results) else "no results"
    if more > 0:
        summary += f"; {more:,} more are not shown"
    columns = (("n r", "rank"), ("n s", "score"), ("e", "element"), ("x", "text"))
    return table(results.typed, summary, columns, map(_row, results[:SHOWN]))


def _row(result: Result) -> tuple[str, ...]:
    try:
        snippet = _marked(result.snippet, result.snippet_matches)
    except Exception:  # a source that has gone: a notebook shows the rest
        snippet = ""
    place = where(result.title, located(result), result.doc + result.path)
    return str(result.rank), f"{result.score:.4f}", place, snippet


def where(title: str, breadcrumb: Sequence[str], address: str) -> str:
    """Format the table cell with an element's position: the document's title, the sections, the address."""
    lines = [f'<span class="t" dir="auto">{cell(title, LONGEST_TITLE)}</span> '] if title else []
    if above := on_one_line(tuple(breadcrumb), LONGEST_TITLE):
        lines.append(f'<span class="b" dir="auto">{escaped(above)}</span> ')
    return "".join([*lines, f'<span class="w">{breakable(address)}</span>'])


def _marked(text: str, matches: list[Range]) -> str:
    """Return a text escaped, with ``<mark>`` around ranges of its characters.

    >>> _marked("a < b", [(4, 5)])
    'a &lt; <mark>b</mark>'
    """
    parts, at = [], 0
    for begin, end in matches:
        parts += [escaped(text[at:begin]), f"<mark>{escaped(text[begin:end])}</mark>"]
        at = end
    return "".join([*parts, escaped(text[at:])])


def frame(results: NamedResults, qid: str, titles: bool, texts: bool) -> Any:
    """Return a pandas frame of results, see `Results.to_frame`."""
    columns: dict[str, Any] = {
        "qid": qid,
        "docno": [doc + path for doc, path in zip(results.docs, results.paths, strict=True)],
        "score": results.scores,
        "rank": np.arange(results.begin + 1, results.begin + len(results) + 1),
        "doc": results.docs,
        "path": results.paths,
        "label": results.labels,
        "tag": results.tags,
        "offset": np.array(results.offsets, np.int64),
        "length": np.array(results.lengths, np.int64),
    }
    if results.reranked:
        columns["first_stage"] = results.first_stage
    if titles:
        columns["title"] = [each.title for each in results]
        columns["breadcrumb"] = [list(each.breadcrumb) for each in results]
    if texts:
        columns["text"] = [each.text for each in results]
    if results.view is not None and results.view.has_fields:
        columns |= _columns_of([each.fields for each in results])
    return pandas().DataFrame(columns)


def _columns_of(fields: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield a column a field: a value, a list where the field can have many, or None.

    >>> dict(_columns_of([{"year": 1999}, {"author": ["Ann", "Bo"]}]))
    {'fields.year': [1999, None], 'fields.author': [None, ['Ann', 'Bo']]}
    """
    for name in dict.fromkeys(name for each in fields for name in each):
        yield f"{FIELD}{name}", [each.get(name) for each in fields]
