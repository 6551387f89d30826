"""INEX runs of 2009 and 2010: TREC's six columns and the part of the document [INEX, section 3.2].

::

    TOPIC Q0 DOCID RANK SCORE RUNID PATH             an element
    TOPIC Q0 DOCID RANK SCORE RUNID PATH PATH        a range of elements, first and last
    TOPIC Q0 DOCID RANK SCORE RUNID OFFSET LENGTH    a passage, in characters of the document's text

The columns of a line determine the form of its result.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from trix.eval.formats.runs.columns import first_line_has, read_rows
from trix.eval.formats.runs.registry import RunFormat
from trix.eval.formats.runs.rows import RunRow, by_topic, column, double, write_lines
from trix.eval.formats.runs.trec import name_column


def write_inex2009(
    rows: Iterable[RunRow], stream: TextIO, run_id: str | None = None, *, passages: bool = False
) -> None:
    """Write a run, a topic at a time.

    Parameters
    ----------
    rows
        Rows in output order. A row without a path (a document) gets six columns.
    stream
        Text stream.
    run_id
        The sixth column; each row's own if left out.
    passages
        Write offset and length in place of the path, the only form that the official evaluator reads. A row without
        offsets keeps its path. A row with neither gets ``X X``, as in the organisers' tools.

    Examples
    --------
    >>> import sys
    >>> row = RunRow("2009001", "1528075", "/article[1]/bdy[1]", 1, 0.5, offset=9760, length=1848)
    >>> write_inex2009([row], sys.stdout, "trix")
    2009001 Q0 1528075 1 0.5 trix /article[1]/bdy[1]
    >>> write_inex2009([row], sys.stdout, "trix", passages=True)
    2009001 Q0 1528075 1 0.5 trix 9760 1848
    """
    for topic, group in by_topic(rows):
        start = f"{column(topic)} Q0 "
        lines = (
            f"{start}{column(row.doc)} {row.rank} {double(row)} {name_column(row, run_id)}{_place(row, passages)}\n"
            for row in group
        )
        write_lines(stream, lines)


def _place(row: RunRow, passages: bool) -> str:
    if passages and row.offset is not None and row.length is not None:
        return f" {row.offset} {row.length}"
    if row.path:
        return f" {column(row.path)} {column(row.last)}" if row.last else f" {column(row.path)}"
    return " X X" if passages else ""


FORMAT = RunFormat(
    recognises=lambda start: first_line_has(start, 7),
    read=lambda path, options: read_rows(path, lenient=options.lenient, passage_end=options.passage_end),
    write=lambda rows, stream, options: write_inex2009(rows, stream, options.run_id, passages=options.passages),
    chooses=True,
)
