"""Runs as files: a topic batch in the formats of INTERFACE, written a topic at a time [INEX, section 3]."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from trix.cli.records import json_line, record
from trix.errors import UsageError

RUN_FORMATS = ("trec", "inex2009", "inex", "jsonl")

_TASKS = {
    "thorough": "Thorough",
    "focused": "Focused",
    "fetch-browse": "FetchBrowse",
    "relevant-in-context": "RelevantInContext",
    "best-in-context": "BestInContext",
}


@dataclass(frozen=True)
class Layout:
    """How a run is written."""

    format: str
    run_id: str = "trix"
    passages: bool = False
    strategy: str | None = None
    whole_documents: bool = False

    def __post_init__(self) -> None:
        if self.passages and self.format != "inex2009":
            raise UsageError(f"--passages: only the format inex2009 has offsets; got --format {self.format}")
        if self.format in ("trec", "inex2009"):
            _solid("--run-id", self.run_id)


def write(run: Mapping[str, Sequence[Any]], layout: Layout, out: TextIO, explain: Any = None) -> None:
    """Write a run.

    Parameters
    ----------
    run
        Topic id -> results in order.
    layout
        Format and names.
    out
        Where to.
    explain
        Called with a topic and a result, returns an explanation for the format jsonl.
    """
    if layout.format == "inex":
        out.write(_inex_head(layout))
    for topic, results in run.items():
        if layout.format == "inex":
            out.writelines(_inex_topic(topic, results))
        elif layout.format == "jsonl":
            out.writelines(_json_lines(topic, results, layout, explain))
        else:
            out.writelines(_columns(topic, results, layout))
    if layout.format == "inex":
        out.write("</inex-submission>\n")


def _columns(topic: str, results: Sequence[Any], layout: Layout) -> Iterator[str]:
    """Return the lines of `trec` and `inex2009`."""
    _solid("topic", topic)
    checked = ""
    for result in results:
        doc = result.doc
        if doc != checked:
            checked = _solid("document id", doc, "; only the formats jsonl and inex can hold it")
        element = "" if layout.whole_documents else result.path
        third, end = doc, ""
        if layout.format == "trec":
            third = f"{doc}{element}"
        elif layout.passages:
            end = f" {result.offset} {result.length}"
        else:
            end = f" {result.path}"
        yield f"{topic} Q0 {third} {result.rank} {result.score!r} {layout.run_id}{end}\n"


def _json_lines(topic: str, results: Sequence[Any], layout: Layout, explain: Any) -> Iterator[str]:
    for result in results:
        fields = {"topic": topic, "run": layout.run_id, **record(result)}
        if explain is not None:
            fields["explanation"] = explain(topic, result).to_json()
        yield json_line(fields)


def _inex_head(layout: Layout) -> str:
    task = _TASKS.get(layout.strategy or "focused", "Focused")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<inex-submission participant-id="0" run-id={quoteattr(layout.run_id)} task="{task}" query="automatic" '
        'result-type="element">\n'
        '<topic-fields title="yes" mmtitle="no" castitle="no" description="no" narrative="no"/>\n'
        "<description>trix</description>\n<collections><collection>trix</collection></collections>\n"
    )


def _inex_topic(topic: str, results: Sequence[Any]) -> Iterator[str]:
    yield f"<topic topic-id={quoteattr(topic)}>\n"
    for result in results:
        yield (
            f"<result><file>{escape(result.doc)}</file><path>{escape(result.path)}</path>"
            f"<rank>{result.rank}</rank><rsv>{result.score!r}</rsv></result>\n"
        )
    yield "</topic>\n"


def _solid(what: str, text: str, advice: str = "") -> str:
    """Return a text that can stand in a column, or raise a UsageError."""
    if not text or text.split() != [text]:
        raise UsageError(f"{what} {text!r}: a column of a run holds no white space and is not empty{advice}")
    return text


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
    if target.exists() and not target.is_file():
        if target.is_dir():
            raise UsageError(f"--output {path}: is a folder; expected a file")
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
