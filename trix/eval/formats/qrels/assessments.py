"""Reads XML assessments: 2002 to 2004 (levels), 2005 (sizes), 2006/07 (passages, entry points, sizes) [INEX 4]."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from trix.errors import FormatError
from trix.eval.data.paths import ancestors, normal_path, parent
from trix.eval.data.qrels import TOO_SMALL, DocumentJudgement, ElementJudgement, Qrels, TopicJudgements
from trix.eval.formats.reading.lines import Faults, in_range
from trix.eval.formats.reading.xml_stream import attributes, release, stream


def read_assessments(path: str | Path, *, lenient: bool = False) -> Qrels:
    """Read one XML assessment file (usually one topic); sizes are taken as they stand, never counted again.

    Elements marked unassessed (U) or inconsistent count as not relevant.

    Raises
    ------
    FormatError
        The XML is not well-formed, or an assessment is wrong (with its line).
    """
    faults = Faults(str(path), lenient, "assessment")
    qrels = Qrels(name=Path(path).name)
    topic: TopicJudgements | None = None
    document: DocumentJudgement | None = None
    for event, name, element in stream(path, ("start", "end")):
        if event == "start":
            found = attributes(element)
            if name == "assessments":
                if not found.get("topic"):
                    raise FormatError("assessments without a topic attribute", path, element.sourceline)
                topic = qrels.topics.setdefault(found["topic"], TopicJudgements())
            elif name == "file" and topic is not None:
                doc = (found.get("name") or found.get("file") or "").removesuffix(".xml")
                if not doc:
                    raise FormatError("a file without a name", path, element.sourceline)
                document = topic.documents.setdefault(doc, DocumentJudgement(doc))
            continue
        if document is not None:
            if name in ("path", "element"):
                _element(document, attributes(element), faults, element.sourceline)
            elif name == "passage":
                found = attributes(element)
                size = found.get("size", "")
                if not (size.isdecimal() and len(size) < 13):
                    faults(f"the size of the passage is not a whole number: {size!r}", element.sourceline)
                else:
                    document.pointers.append((found.get("start", ""), found.get("end", ""), int(size)))
            elif name == "best-entry-point":
                document.bep_pointer = attributes(element).get("path", "")
            elif name == "file":
                _total(document)
                document = None
        if name in ("path", "element", "passage", "file", "inex-topic"):
            release(element)
    if topic is None:
        raise FormatError("no assessments element; XML assessments were expected", path)
    qrels.notices = faults.notices()
    return qrels


def _element(document: DocumentJudgement, found: dict[str, str], faults: Faults, line: int) -> None:
    try:
        path = normal_path(found.get("path", ""))
    except ValueError:
        faults(f"not an element path: {found.get('path', '')!r}", line)
        return
    reason = ""
    judged: ElementJudgement | None = None
    try:
        judged = _judge(path, found)
    except ValueError as error:
        reason = str(error)
    if judged is None:
        faults(f"{path}: {reason}", line)
    elif path in document.elements:
        faults(f"{document.doc}{path} is judged twice", line)
    else:
        document.elements[path] = judged


def _judge(path: str, found: dict[str, Any]) -> ElementJudgement:
    """Return the judgement that a set of attributes states; raise ValueError with the reason if it states none."""
    if "coverage" in found or "relevance" in found:
        coverage = str(found.get("coverage", "N")).upper()[:1]
        relevance = _level(found, "relevance")
        if coverage not in "NLSE":
            raise ValueError(f"coverage is N, L, S or E, not {found['coverage']!r}")
        return ElementJudgement(path=path, e=relevance, coverage=coverage or "N")
    if "exhaustivity" in found:
        text = found["exhaustivity"]
        e = TOO_SMALL if text == "?" else _number(text, "exhaustivity")
        if "specificity" in found:
            share = _number(found["specificity"], "specificity")
            if not 0 <= share <= 1:
                raise ValueError(f"specificity is a share in [0, 1], not {share}")
            return ElementJudgement(path=path, e=e, share=share)
        if "rsize" not in found and "size" not in found:
            raise ValueError("size and rsize are missing")
        size, rsize = (_whole(found.get(name, ""), name) for name in ("size", "rsize"))
        if not 0 <= rsize <= size:
            raise ValueError(f"rsize {rsize} is not between 0 and size {size}")
        return ElementJudgement(path=path, e=e, size=size, rsize=rsize)
    e, s = _level(found, "exhaustiveness"), _level(found, "specificity")
    unusable = "true" in (found.get("inconsistant"), found.get("inconsistent"))
    if unusable or e is None or s is None:
        e = s = 0.0
    return ElementJudgement(path=path, e=e, s=s)


def _level(found: dict[str, Any], name: str) -> float:
    text = found.get(name, "U")
    if text == "U":
        return 0.0
    if text not in ("0", "1", "2", "3"):
        raise ValueError(f"{name} is 0, 1, 2, 3 or U, not {text!r}")
    return float(text)


def _number(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{name} is not a number: {text!r}")
    return value


def _whole(text: str, name: str) -> int:
    value = int(_number(text, name))
    if not in_range(value):
        raise ValueError(f"{name} is too large: {text!r}")
    return value


def _total(document: DocumentJudgement) -> None:
    """Take the document's size and relevant characters from its root element.

    Where it is not listed the relevant characters are those of the passages, or else of the outermost elements.
    """
    sized = {path: element for path, element in document.elements.items() if element.rsize is not None}
    for path, element in sized.items():
        if not parent(path):
            document.length, document.declared = element.size, element.rsize
            return
    if document.pointers:
        document.declared = sum(size for _, _, size in document.pointers)
    elif sized:
        outermost = (e for path, e in sized.items() if not any(above in sized for above in ancestors(path)))
        document.declared = sum(e.rsize or 0 for e in outermost)
