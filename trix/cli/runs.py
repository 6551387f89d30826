"""Runs out of results: rows for the writers of `trix.eval.formats`, and files that appear whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from trix.cli.records import json_line, record
from trix.errors import UsageError
from trix.eval.formats.rows import RunRow
from trix.eval.formats.runs import write_run
from trix.eval.formats.submission import Submission, task_name

RUN_FORMATS = ("trec", "inex2009", "inex", "jsonl")

Results = Mapping[str, Sequence[Any]]
"""Topic id -> its results in order."""


@dataclass(frozen=True)
class Layout:
    """How a run is written: see `trix.eval.formats.runs.write_run`."""

    format: str
    run_id: str = "trix"
    passages: bool = False
    strategy: str | None = None
    cas: str | None = None
    level: str | None = None
    """With the level ``document``, results are documents and have no path."""
    field: str = "title"

    def __post_init__(self) -> None:
        if self.passages and self.format != "inex2009":
            raise UsageError(f"--passages: only --format inex2009 has offsets; got --format {self.format}")


def write(run: Results, layout: Layout, out: TextIO) -> None:
    """Write a run in one of `RUN_FORMATS`."""
    strategy = layout.strategy or ("thorough" if layout.field == "castitle" else "focused")
    head = Submission(task=task_name(strategy, layout.cas), topic_fields=(layout.field,))
    write_run(_rows(run, layout), out, layout.format, layout.run_id, passages=layout.passages, submission=head)


def _rows(run: Results, layout: Layout) -> Iterator[RunRow]:
    """Return the rows of a run; snippets, which are read from the sources, only where they are printed."""
    full = layout.format == "jsonl"
    documents = layout.level == "document" and not full
    for topic, results in run.items():
        for r in results:
            path = None if documents else r.path
            snippet = r.snippet if full else None
            yield RunRow(
                topic, r.doc, path, r.rank, r.score, layout.run_id, r.offset, r.length, r.label, r.tag, snippet
            )


def write_records(
    run: Results, run_id: str, out: TextIO, explain: Callable[[str, Any], Any] | None, highlight: bool
) -> None:
    """Write a run as JSON lines with matches or explanations; `explain` makes one of a topic id and a result."""
    for topic, results in run.items():
        for result in results:
            fields = {"topic": topic, "run": run_id, **record(result, highlight)}
            if explain is not None:
                fields["explanation"] = explain(topic, result).to_json()
            out.write(json_line(fields))


@contextmanager
def replacing(path: str | None) -> Iterator[TextIO]:
    """Open a file to write that appears at its place when it is whole; None and ``-`` are stdout.

    Written beside its place under a temporary name, compressed if it ends in ``.gz``; removed again on any error.
    What is no regular file, as a pipe, is written directly.
    """
    if path is None or path == "-":
        yield sys.stdout
        return
    target = Path(path)
    if target.is_dir():
        raise UsageError(f"--output {path}: is a folder; expected a file")
    if target.exists() and not target.is_file():
        with target.open("w", encoding="utf-8") as stream:
            yield stream
        return
    target = target.resolve()
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        handle = temporary.open("xb")
    except OSError as error:
        raise UsageError(f"--output {path}: cannot write there: {error.strerror}") from None
    try:
        with handle:
            packed = gzip.GzipFile("", "wb", fileobj=handle, mtime=0) if target.suffix == ".gz" else handle
            text = io.TextIOWrapper(packed, encoding="utf-8", errors="surrogateescape", newline="\n")
            yield text
            text.flush()
            text.detach()
            if packed is not handle:
                packed.close()
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
