"""Runs with one JSON object a line: everything a result is known by, and its topic and run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from trix.eval.formats.runs.rows import RunRow, by_topic, double, write_lines


def write_jsonl(rows: Iterable[RunRow], stream: TextIO, run_id: str | None = None) -> None:
    """Write a run, a topic at a time; what a row does not know is null.

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
    double(row)  # refuses what JSON has no word for
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


_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def json_line(fields: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, for readers too that take more characters for line ends than JSON does.

    >>> json_line({"snippet": "é\u2028x"})
    '{"snippet": "é\\\\u2028x"}\\n'
    """
    line = json.dumps(fields, ensure_ascii=False).translate(_LINE_ENDS)
    try:
        line.encode()
    except UnicodeEncodeError:  # a file name that is not UTF-8: escaped, the line stays JSON
        line = json.dumps(fields)
    return line + "\n"
