"""Reads runs of one JSON object a line: ``topic, run, doc, rank, score``, and places of elements and passages."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from trix.errors import FormatError
from trix.eval.data.runs import Run
from trix.eval.formats.reading.lines import Faults, in_range, lines
from trix.eval.formats.runs.builder import RunBuilder
from trix.eval.formats.runs.columns import pointer


def read_jsonl(path: str | Path, *, lenient: bool = False) -> Run:
    """Read a jsonl run; needs ``topic`` and ``doc`` in every line, the rest as far as it is there.

    Raises
    ------
    FormatError
        A line is wrong (with its number), or the file has no results.
    """
    faults = Faults(str(path), lenient)
    builder = RunBuilder(faults)
    number = 0
    for number, line in lines(path):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            faults(f"not a JSON object: {error}", number)
            continue
        reason = _add(builder, row, number)
        if reason:
            faults(reason, number)
    if not number:
        raise FormatError("the file is empty; a run was expected", path)
    return builder.finish()


def _add(builder: RunBuilder, row: Any, number: int) -> str:
    """Add a row, or return what is wrong with it."""
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
