"""Reads XML submissions of 2002 to 2008, of the efficiency track and of the snippet track [INEX 3.1, 3.2]."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from trix.errors import FormatError
from trix.eval.data.runs import Run
from trix.eval.formats.reading.lines import Faults
from trix.eval.formats.reading.xml_stream import attributes, local, release, stream, text_of
from trix.eval.formats.runs.builder import RunBuilder
from trix.eval.formats.runs.columns import pointer

ROOTS = ("inex-submission", "efficiency-submission", "inex-snippet-submission")


def read_submission(path: str | Path, *, lenient: bool = False) -> Run:
    """Read an XML submission.

    A result has a ``file``, a ``path`` or a ``passage``, and a ``rank``, an ``rsv`` or both. The order is by rank where
    every result of a topic has one, else by rsv, ties in file order; topics that come back are continued.

    Raises
    ------
    FormatError
        The XML is not well-formed or a result is wrong (with the line), or there are no topics.
    """
    faults = Faults(str(path), lenient)
    builder = RunBuilder(faults)
    topic, base, highest = "", 0, {"": 0}
    topics = 0
    for event, name, element in stream(path, ("start", "end")):
        if event == "start":
            if name in ROOTS:
                builder.name = builder.name or attributes(element).get("run-id", "")
            elif name == "topic":
                topic = attributes(element).get("topic-id") or attributes(element).get("id", "")
                if not topic:
                    raise FormatError("a topic without topic-id", path, element.sourceline)
                topics += 1
                base = highest.setdefault(topic, 0)
                builder.topic(topic)
            continue
        if name in ("result", "snippet") and topic:
            fields = _fields(element) if name == "result" else _snippet(element)
            highest[topic] = max(highest[topic], _add(builder, faults, topic, base, fields, element.sourceline))
            release(element)
        elif name == "topic":
            release(element)
            topic = ""
    if not topics:
        raise FormatError("no topic element; an XML submission was expected", path)
    return builder.finish()


def _fields(result: Any) -> dict[str, str]:
    fields = {}
    for child in result:
        name = local(str(child.tag))
        if name == "passage":
            for key, value in attributes(child).items():
                fields["from" if key == "start" else key] = value
        else:
            fields[name] = text_of(child)
    return fields


def _snippet(snippet: Any) -> dict[str, str]:
    found = attributes(snippet)
    return {"file": found.get("doc-id", ""), "rsv": found.get("rsv", ""), "rank": found.get("rank", "")}


def _add(builder: RunBuilder, faults: Faults, topic: str, base: int, fields: dict[str, str], line: int) -> int:
    """Add one result; return its rank, 0 if it has none.

    Ranks of a topic that comes back go on from the highest so far where they start anew.
    """
    if not fields.get("file"):
        faults(f"topic {topic}: a result without a file", line)
        return 0
    rank: int | None = None
    score = float("nan")
    if fields.get("rank"):
        try:
            rank = int(fields["rank"])
        except ValueError:
            faults(f"the rank is not a whole number: {fields['rank']!r}", line)
            return 0
        rank += base
    if fields.get("rsv"):
        with contextlib.suppress(ValueError):
            score = float(fields["rsv"])
        if score != score:
            faults(f"the rsv is not a number: {fields['rsv']!r}", line)
            return 0
    try:
        first = fields.get("path") or fields.get("from", "")
        first, last = pointer(first) if first else "", pointer(fields["end"]) if fields.get("end") else ""
    except ValueError as error:
        faults(f"not an element path: {error}", line)
        return 0
    doc = fields["file"].removesuffix(".xml")
    builder.add(topic, doc, path=first, last=last if last != first else "", score=score, rank=rank, line=line)
    return rank + 1 if rank is not None else 0
