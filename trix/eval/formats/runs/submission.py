"""XML submissions, the run format of INEX 2002 to 2008 [INEX, section 3.1]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import TextIO
from xml.sax.saxutils import escape, quoteattr

from trix.errors import UsageError
from trix.eval.formats.runs.rows import RunRow, by_topic, double, printable, write_lines

TOPIC_FIELDS = ("title", "mmtitle", "castitle", "description", "narrative")

_TASKS = {
    "thorough": "Thorough",
    "focused": "Focused",
    "fetch-browse": "FetchBrowse",
    "relevant-in-context": "RelevantInContext",
    "best-in-context": "BestInContext",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Submission:
    """The head of a submission.

    Parameters
    ----------
    run_id
        Name of the run; that of the first row if left out.
    task
        As the campaign calls it, see `task_name`.
    participant
        Number or name of the participant.
    automatic
        Whether queries were made from topics without a human.
    result_type
        ``element`` or ``passage``; None leaves the attribute out, as before 2007.
    topic_fields
        Which parts of the topics were used.
    description
        What was done.
    collections
        Names of the collections searched.
    """

    run_id: str | None = None
    task: str = "Focused"
    participant: str = "0"
    automatic: bool = True
    result_type: str | None = "element"
    topic_fields: tuple[str, ...] = ("title",)
    description: str = "Trix"
    collections: tuple[str, ...] = ()


def task_name(strategy: str, cas: str | None = None, year: int | None = None) -> str:
    """Return what a campaign calls the task of a strategy.

    Parameters
    ----------
    strategy
        ``thorough``, ``focused``, ``fetch-browse``, ``relevant-in-context`` or ``best-in-context``.
    cas
        Reading of the structure (``SSCAS`` ...), None for content-only topics.
    year
        Campaign; the names of 2007 if left out.

    Examples
    --------
    >>> task_name("focused"), task_name("thorough", year=2005), task_name("thorough", "VVCAS", 2005)
    ('Focused', 'CO.Thorough', 'VVCAS')
    >>> task_name("relevant-in-context", year=2006), task_name("thorough", "SSCAS", 2003)
    ('AllInContext', 'SCAS')
    """
    if strategy not in _TASKS:
        raise UsageError(f"unknown; known are {', '.join(_TASKS)}", field="strategy", got=strategy)
    name = _TASKS[strategy]
    if year is not None and year <= 2004:
        if not cas:
            return "CO"
        return "CAS" if year <= 2002 else "SCAS" if year == 2003 and cas.upper().startswith("SS") else "VCAS"
    if year == 2005:
        return cas.upper() if cas else "CO." + name.replace("Focused", "Focussed")
    if year == 2006 and strategy == "relevant-in-context":
        return "AllInContext"
    return name


def write_submission(rows: Iterable[RunRow], stream: TextIO, head: Submission | None = None) -> None:
    """Write a run, a topic at a time; a row without a path is a result without one.

    The head says UTF-8, so that is what `stream` must write.

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
        first = next(group)  # of a group there is always one
        begin = "" if started else _head(head, head.run_id or first.run_id)
        begin += f"<topic topic-id={_quoted(topic)}>\n"
        write_lines(stream, chain((begin,), map(_result, chain((first,), group)), ("</topic>\n",)))
        started = True
    if not started:
        stream.write(_head(head, head.run_id or ""))
    stream.write("</inex-submission>\n")


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
    return escape(printable(text))


def _quoted(text: str) -> str:
    return quoteattr(printable(text))
