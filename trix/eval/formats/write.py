"""Writes runs in any format; rows stream through, a topic at a time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TextIO

from trix.errors import UsageError
from trix.eval.formats import RUN_FORMATS
from trix.eval.formats.runs.inex2009 import write_inex2009
from trix.eval.formats.runs.jsonl import write_jsonl
from trix.eval.formats.runs.rows import RunRow
from trix.eval.formats.runs.submission import Submission, write_submission
from trix.eval.formats.runs.trec import write_trec
from trix.support.near import did_you_mean


def write_run(
    rows: Iterable[RunRow],
    stream: TextIO,
    format: str = "trec",
    run_id: str | None = None,
    *,
    passages: bool = False,
    submission: Submission | None = None,
) -> None:
    """Write a run.

    Parameters
    ----------
    rows
        Results in the order to be written, those of a topic together.
    stream
        Text stream, UTF-8.
    format
        One of `RUN_FORMATS`.
    run_id
        Name of the run; the rows' own if left out.
    passages
        ``inex2009`` with offsets and lengths in place of paths.
    submission
        Head of an ``inex`` submission.

    Raises
    ------
    UsageError
        When the format is unknown, `passages` does not go with it, or a row cannot be written in it.
    """
    if format not in RUN_FORMATS:
        hint = did_you_mean(format, RUN_FORMATS, 0.4)
        raise UsageError(f"unknown; known are {', '.join(RUN_FORMATS)}{hint}", field="format", got=format)
    if passages and format != "inex2009":
        raise UsageError(f"goes with `format` inex2009, not with {format}", field="passages")
    if format == "trec":
        write_trec(rows, stream, run_id)
    elif format == "inex2009":
        write_inex2009(rows, stream, run_id, passages=passages)
    elif format == "jsonl":
        write_jsonl(rows, stream, run_id)
    else:
        head = submission or Submission()
        write_submission(rows, stream, replace(head, run_id=run_id) if run_id else head)
