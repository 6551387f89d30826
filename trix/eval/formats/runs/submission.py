"""XML submissions, the run format of INEX 2002 to 2008 and of its efficiency and snippet tracks [INEX 3.1, 3.2]."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from trix.errors import FormatError
from trix.eval.data.runs import Rankings
from trix.eval.formats.reading.lines import Faults
from trix.eval.formats.reading.xml_stream import attributes, normal_tag, release, root_name, stream, text_of
from trix.eval.formats.runs.builder import RunBuilder
from trix.eval.formats.runs.columns import pointer
from trix.eval.formats.runs.head import TOPIC_FIELDS, Submission
from trix.eval.formats.runs.registry import RunFormat, WriteOptions
from trix.eval.formats.runs.rows import RunRow, by_topic, column, double, printable, write_lines

ROOTS = ("inex-submission", "efficiency-submission", "inex-snippet-submission")


def write_submission(rows: Iterable[RunRow], out: TextIO, head: Submission | None = None) -> None:
    """Write a run, a topic at a time; a row without a path becomes a result without one.

    The XML declares UTF-8, so `out` must encode as UTF-8.

    Examples
    --------
    >>> import sys
    >>> write_submission([RunRow("289", "10003", "/article[1]", 1, 0.5, "r")], sys.stdout)
    <?xml version="1.0" encoding="UTF-8"?>
    <inex-submission participant-id="0" run-id="r" task="Focused" query="automatic" result-type="element">
    <topic-fields title="yes" mmtitle="no" castitle="no" description="no" narrative="no"/>
    <description>Trix</description>
    <collections/>
    <topic topic-id="289">
    <result><file>10003</file><path>/article[1]</path><rank>1</rank><rsv>0.5</rsv></result>
    </topic>
    </inex-submission>
    """
    head = head or Submission()
    started = False
    for topic, group in by_topic(rows):
        first = next(group)  # a group is never empty
        begin = "" if started else _head(head, head.run_id or first.run_id)
        begin += f"<topic topic-id={_quoted(topic)}>\n"
        write_lines(out, chain((begin,), map(_result, chain((first,), group)), ("</topic>\n",)))
        started = True
    if not started:
        out.write(_head(head, head.run_id or ""))
    out.write("</inex-submission>\n")


def _head(head: Submission, run_id: str) -> str:
    kind = f" result-type={_quoted(head.result_type)}" if head.result_type else ""
    names = (*TOPIC_FIELDS, *(name for name in head.topic_fields if name not in TOPIC_FIELDS))
    used = " ".join(f'{name.replace("-", "_")}="{"yes" if name in head.topic_fields else "no"}"' for name in names)
    collections = "".join(f"<collection>{_text(name)}</collection>" for name in head.collections)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<inex-submission participant-id={_quoted(head.participant)} run-id={_quoted(run_id or 'trix')}"
        f' task={_quoted(head.task)} query="{"automatic" if head.automatic else "manual"}"{kind}>\n'
        f"<topic-fields {used}/>\n<description>{_text(' '.join(head.description.split()))}</description>\n"
        + (f"<collections>{collections}</collections>\n" if collections else "<collections/>\n")
    )


def _result(row: RunRow) -> str:
    place = f"<path>{_text(row.path)}</path>" if row.path else ""
    if row.last:
        place = f"<passage start={_quoted(row.path or '')} end={_quoted(row.last)}/>"
    order = f"<rank>{int(row.rank)}</rank><rsv>{double(row)}</rsv>"
    return f"<result><file>{_text(row.doc)}</file>{place}{order}</result>\n"


def _text(text: str) -> str:
    from xml.sax.saxutils import escape  # imported late: it loads urllib, which only XML output needs

    inside = text.strip()  # readers strip white space at both ends, so it is escaped there
    before, _, after = text.partition(inside) if inside else (text, "", "")
    return escape(column(before) + printable(inside) + column(after))


def _quoted(text: str) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(printable(text))


def read_submission(path: str | Path, *, lenient: bool = False) -> Rankings:
    """Read an XML submission.

    A result has a ``file``, a ``path`` or a ``passage``, and a ``rank``, an ``rsv`` or both. Results are sorted by rank
    if every result of a topic has one, else by rsv. Ties keep file order. A topic that appears again is continued.

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
            fields = _found(element) if name == "result" else _snippet(element)
            highest[topic] = max(highest[topic], _enter(builder, faults, topic, base, fields, element.sourceline))
            release(element)
        elif name == "topic":
            release(element)
            topic = ""
    if not topics:
        raise FormatError("no topic element; an XML submission was expected", path)
    return builder.finish()


def _found(result: Any) -> dict[str, str]:
    fields = {}
    for child in result:
        name = normal_tag(str(child.tag))
        if name == "passage":
            for key, value in attributes(child).items():
                fields["from" if key == "start" else key] = value
        else:
            fields[name] = text_of(child)
    return fields


def _snippet(snippet: Any) -> dict[str, str]:
    found = attributes(snippet)
    return {"file": found.get("doc-id", ""), "rsv": found.get("rsv", ""), "rank": found.get("rank", "")}


def _enter(builder: RunBuilder, faults: Faults, topic: str, base: int, fields: dict[str, str], line: int) -> int:
    """Add one result; return the next rank, or 0 if the result has no rank.

    `base` is added to the rank, so that a continued topic is ranked after its earlier results.
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


def _write(rows: Iterable[RunRow], stream: TextIO, options: WriteOptions) -> None:
    head = options.submission or Submission()
    write_submission(rows, stream, replace(head, run_id=options.run_id) if options.run_id else head)


FORMAT = RunFormat(
    recognises=lambda start: start[:1] == b"<" and root_name(start) in ROOTS,
    read=lambda path, options: read_submission(path, lenient=options.lenient),
    write=_write,
    offsets=False,
)
