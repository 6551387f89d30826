"""Runs as JSON lines: topic, run, document, rank and score, with the paths and offsets of elements and passages."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from trix.eval.data.runs import Rankings
from trix.eval.formats.reading.lines import Faults, in_range, lines
from trix.eval.formats.runs.builder import RunBuilder
from trix.eval.formats.runs.columns import pointer
from trix.eval.formats.runs.registry import RunFormat
from trix.eval.formats.runs.rows import RunRow, by_topic, double, write_lines
from trix.support.output import json_line


def write_jsonl(rows: Iterable[RunRow], stream: TextIO, run_id: str | None = None) -> None:
    """Write a run, a topic at a time; missing fields are null.

    Examples
    --------
    >>> import sys
    >>> write_jsonl([RunRow("1", "d", "/a[1]", 1, 0.5, offset=0, length=7, label="3", tag="a")], sys.stdout, "r")
    {"topic": "1", "run": "r", "rank": 1, "score": 0.5, "doc": "d", "label": "3", "path": "/a[1]", "tag": "a", \
"offset": 0, "length": 7, "title": null, "snippet": null}
    """
    for _, group in by_topic(rows):
        write_lines(stream, (_line(row, run_id) for row in group))


def _line(row: RunRow, run_id: str | None) -> str:
    double(row)  # raises for scores that JSON cannot express
    fields = {
        "topic": row.topic,
        "run": run_id or row.run_id,
        "rank": int(row.rank),
        "score": float(row.score),
        "doc": row.doc,
        "label": row.label,
        "path": row.path,
        "tag": row.tag,
        "offset": None if row.offset is None else int(row.offset),
        "length": None if row.length is None else int(row.length),
        "title": row.title,
        "snippet": row.snippet,
    }
    if row.last:
        fields["last"] = row.last
    return json_line({**fields, **(row.more or {})})


def read_jsonl(path: str | Path, *, lenient: bool = False) -> Rankings:
    """Read a jsonl run; every line needs ``topic`` and ``doc``, all other fields are optional.

    Raises
    ------
    FormatError
        A line is wrong (with its number), or the file has no results.
    """
    faults = Faults(str(path), lenient)
    builder = RunBuilder(faults)
    for number, line in lines(path, "a run was"):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults(f"not a JSON object: {error}", number)
            continue
        reason = _enter(builder, row, number)
        if reason:
            faults(reason, number)
    return builder.finish()


def _enter(builder: RunBuilder, row: Any, number: int) -> str:
    """Add a row; return an error message, empty if the row is valid."""
    if not isinstance(row, dict) or row.get("topic") is None or row.get("doc") is None:
        return 'an object with at least "topic" and "doc" expected'
    score, rank, offset, length = (row.get(key) for key in ("score", "rank", "offset", "length"))
    for key, value, kinds in (
        ("score", score, (int, float)),
        ("rank", rank, int),
        ("offset", offset, int),
        ("length", length, int),
    ):
        if value is not None and (isinstance(value, bool) or not isinstance(value, kinds) or value != value):
            return f"{key} is not a number: {value!r}"
    if not in_range(*(value or 0 for value in (rank, offset, length))):
        return "the rank, the offset or the length is too large"
    try:
        score = math.nan if score is None else float(score)
    except OverflowError:
        return "the score is too large for a number of double precision"
    if (offset or 0) < 0 or (length or 0) < 0:
        return "the offset or the length of the passage is negative"
    try:
        path, last = (pointer(str(row[key])) if row.get(key) else "" for key in ("path", "last"))
    except ValueError as error:
        return f"not an element path: {error}"
    builder.name = builder.name or str(row.get("run") or "")
    builder.add(
        str(row["topic"]),
        str(row["doc"]),
        path=path,
        last=last if last != path else "",
        start=offset,
        end=None if offset is None else offset + (length or 0),
        score=score,
        rank=rank,
        line=number,
    )
    return ""


FORMAT = RunFormat(
    recognises=lambda start: start[:1] == b"{",
    read=lambda path, options: read_jsonl(path, lenient=options.lenient),
    write=lambda rows, stream, options: write_jsonl(rows, stream, options.run_id),
)
