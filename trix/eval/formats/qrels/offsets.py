"""Reader of the offset qrels of INEX 2007 to 2010, in characters [INEX 4.4].

::

    TOPIC Q0 DOCID RELEVANT LENGTH [ BEP [ OFFSET:LENGTH ]+ ]
"""

from __future__ import annotations

from pathlib import Path
from sys import intern

import numpy as np

from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, QrelsLine, TopicJudgements
from trix.eval.formats.reading.lines import Faults, Notices, in_range, lines


def read_offset_qrels(path: str | Path, *, lenient: bool = False) -> Qrels:
    """Read offset qrels.

    The passages of a document are merged. A document judged twice in a topic is merged too: its declared sizes are
    added, and a notice reports it. The lines are kept for the behaviour of the official tool [INEX 5.8, 5].

    Raises
    ------
    FormatError
        A line is wrong (with its number), or the file is empty.
    """
    faults = Faults(str(path), lenient, "judgement")
    notices = Notices(str(path))
    qrels = Qrels(name=Path(path).name)
    for number, line in lines(path, "assessments were"):
        columns = line.split()
        if len(columns) < 5:
            faults(f"at least 5 columns expected (TOPIC Q0 DOCID RELEVANT LENGTH ...), found {len(columns)}", number)
            continue
        try:
            relevant, length = int(columns[3]), int(columns[4])
            bep = int(columns[5]) if len(columns) > 5 else None
        except ValueError:
            found = " ".join(columns[3:6])
            faults(f"whole numbers of characters expected for RELEVANT LENGTH BEP, found {found!r}", number)
            continue
        spans = []
        for column in columns[6:]:
            offset, colon, size = column.partition(":")
            if not (colon and offset.isdecimal() and size.isdecimal() and len(column) < 26):
                break
            spans.append((int(offset), int(offset) + int(size)))
        if len(spans) < len(columns) - 6:
            faults(f"a passage is OFFSET:LENGTH, found {columns[6 + len(spans)]!r}", number)
            continue
        if relevant < 0 or length < 0:
            faults(f"a negative number of characters: {min(relevant, length)}", number)
            continue
        if not in_range(relevant, length, bep or 0, *(end for _, end in spans)):
            faults(f"a number of characters is too large: {max(columns[3:], key=len)!r}", number)
            continue
        documents = qrels.topics.setdefault(columns[0], TopicJudgements()).documents
        _enter(documents, columns[2], relevant, length, bep, spans, notices, number)
    qrels.notices = notices.lines() + faults.notices()
    return qrels


def _enter(
    documents: dict[str, DocumentJudgement],
    doc: str,
    relevant: int,
    length: int,
    bep: int | None,
    spans: list[tuple[int, int]],
    notices: Notices,
    number: int,
) -> None:
    raw = iv.as_intervals(spans)
    disjoint = iv.merge(raw)
    if spans and max(end for _, end in spans) > length:
        notices.add("a passage ends after the end of the document, cut", number)
        disjoint = iv.clip(disjoint, length)
    if relevant > length:
        notices.add("relevant characters above the length, clamped", number)
    elif len(raw) and iv.length(disjoint) != relevant:
        notices.add("the passages do not add up to the relevant characters, the passages count", number)
    known = documents.get(doc)
    line = QrelsLine(relevant, length, bep, raw)
    if known is None:
        found = documents[intern(doc)] = DocumentJudgement(doc, length, relevant, disjoint, bep)
        if iv.length(raw) != iv.length(disjoint):
            found.lines = [line]
        return
    notices.add("a document judged twice in a topic, united", number)
    known.lines = [*(known.lines or [_line(known)]), line]
    known.declared = (known.declared or 0) + relevant
    known.length = max(known.length or 0, length)
    known.intervals = iv.merge(np.concatenate((known.intervals, disjoint)))
    known.bep = known.bep if known.bep is not None else bep


def _line(document: DocumentJudgement) -> QrelsLine:
    return QrelsLine(document.declared or 0, document.length or 0, document.bep, document.intervals)
