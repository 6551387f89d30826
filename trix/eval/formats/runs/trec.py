"""TREC runs: ``TOPIC Q0 DOCID RANK SCORE RUNID``.

For an element the third column is the document id followed directly by the full path, with every ``[1]``:
``co/2001/r7022/article[1]/bdy[1]/sec[2]``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from trix.eval.formats.runs.columns import first_line_has, read_rows
from trix.eval.formats.runs.registry import RunFormat
from trix.eval.formats.runs.rows import RunRow, by_topic, column, double, write_lines


def write_trec(rows: Iterable[RunRow], stream: TextIO, run_id: str | None = None) -> None:
    """Write a run, a topic at a time.

    Parameters
    ----------
    rows
        Rows in output order.
    stream
        Text stream.
    run_id
        The last column; each row's own if left out.

    Examples
    --------
    >>> import sys
    >>> write_trec([RunRow("177", "co/2001/r7022", "/article[1]/bdy[1]", 1, 0.25)], sys.stdout, "trix")
    177 Q0 co/2001/r7022/article[1]/bdy[1] 1 0.25 trix
    """
    for topic, group in by_topic(rows):
        start = f"{column(topic)} Q0 "
        lines = (
            f"{start}{column(row.doc + (row.path or ''))} {row.rank} {double(row)} {name_column(row, run_id)}\n"
            for row in group
        )
        write_lines(stream, lines)


def name_column(row: RunRow, run_id: str | None) -> str:
    """Return the run's name as a column, never empty."""
    return column(run_id or row.run_id) or "trix"


FORMAT = RunFormat(
    recognises=lambda start: first_line_has(start, 1, 6),
    read=lambda path, options: read_rows(path, lenient=options.lenient, passage_end=options.passage_end),
    write=lambda rows, stream, options: write_trec(rows, stream, options.run_id),
    ranges=False,
    offsets=False,
)
