"""XML assessments of INEX: 2002 to 2004 (levels), 2005 (sizes), 2006/07 (passages, entry points, sizes) [INEX 4].

The writer puts one topic into each file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from trix.errors import FormatError, UsageError
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import TOO_SMALL, DocumentJudgement, ElementJudgement, Qrels, TopicJudgements
from trix.eval.formats.reading.lines import Faults, in_range
from trix.eval.formats.reading.xml_stream import attributes, release, stream
from trix.support.element_path import ancestors, normal_path, parent

Item = tuple[str, Mapping[str, object]]
"""A tag and its attributes."""


class PointerResolver(Protocol):
    """Resolver between offsets and XPointers of a document, such as `trix.api.resolver.Resolver`."""

    def pointer(self, doc: str, at: int, *, end: bool = False) -> str | None:
        """Return the XPointer of a position, or of the end of a passage; None if there is no such character."""

    def places(self, doc: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the elements of a document in order, with their offsets."""


def read_assessments(path: str | Path, *, lenient: bool = False) -> Qrels:
    """Read an XML assessment file, which usually has one topic.

    Sizes are those of the file and are not recounted. Elements marked unassessed (U) or inconsistent count as not
    relevant.

    Raises
    ------
    FormatError
        The XML is not well-formed, or an assessment is wrong. The message has the line.
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
    try:
        judged = _judge(path, found)
    except ValueError as error:
        faults(f"{path}: {error}", line)
        return
    if path in document.elements:
        faults(f"{document.doc}{path} is judged twice", line)
    else:
        document.elements[path] = judged


def _judge(path: str, found: dict[str, Any]) -> ElementJudgement:
    """Parse the attributes of a judgement; raise ValueError with the reason if they are wrong."""
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
    """Set the document's size and relevant characters from its root element.

    If the root is not listed, the relevant characters are those of the passages, or else of the outermost elements.
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


def write_passages(topic: str, judged: TopicJudgements, places: PointerResolver, collection: str) -> str:
    """Format the assessments of a topic as in 2007: entry points, passages and elements [INEX 4.3].

    Passages and entry points are XPointers. A passage ends after its last character. Every element with relevant
    characters is listed, with the exhaustivity 2 that was usual then.

    Raises
    ------
    UsageError
        A document does not have the characters of a passage.
    """
    files = {doc: _listed(topic, document, places) for doc, document in judged.documents.items()}
    return write_topic(topic, files, {"collection": collection}, {"version": 2, "whitespace-text-node": "keep"})


def write_topic(
    topic: str,
    files: Mapping[str, Iterable[Item]],
    of_files: Mapping[str, str] | None = None,
    of_root: Mapping[str, object] | None = None,
    name: str = "name",
) -> str:
    """Format the XML of a topic: a ``file`` for each document, empty if it has no relevant text.

    >>> print(write_topic("7", {"a": [("path", {"path": "/x[1]", "relevance": 3})], "b": []}, name="file"), end="")
    <?xml version="1.0" encoding="UTF-8"?>
    <assessments pool="7" topic="7">
      <file file="a">
        <path path="/x[1]" relevance="3"/>
      </file>
      <file file="b"/>
    </assessments>
    """
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<assessments{_attributes({'pool': topic, 'topic': topic, **(of_root or {})})}>",
    ]
    for doc, items in files.items():
        inside = [f"    <{tag}{_attributes(attributes)}/>" for tag, attributes in items]
        start = f"  <file{_attributes({**(of_files or {}), name: doc})}"
        lines += [start + ">", *inside, "  </file>"] if inside else [start + "/>"]
    return "\n".join([*lines, "</assessments>"]) + "\n"


def _listed(topic: str, document: DocumentJudgement, places: PointerResolver) -> list[Item]:
    passages = document.intervals.tolist()
    if not passages:
        return []

    def pointer(at: int, *, end: bool = False) -> str:
        found = places.pointer(document.doc, at, end=end)
        if found is None:
            raise UsageError(
                f"topic {topic}: {document.doc} has no character {at - end}; is the document the one that "
                "was judged, and the counting of text right (`text` inex, inex-bytes)?"
            )
        return found

    entry = document.bep if document.bep is not None else passages[0][0]
    items: list[Item] = [("best-entry-point", {"path": pointer(entry)})]
    items += [("passage", {"start": pointer(s), "end": pointer(e, end=True), "size": e - s}) for s, e in passages]
    elements = places.places(document.doc)
    relevant = iv.covered(document.intervals, iv.as_intervals([span for _, span in elements])).tolist()
    items += [
        ("element", {"path": path, "exhaustivity": 2, "size": end - start, "rsize": rsize})
        for (path, (start, end)), rsize in zip(elements, relevant, strict=True)
        if rsize
    ]
    return items


def _attributes(attributes: Mapping[str, object]) -> str:
    from xml.sax.saxutils import quoteattr  # imported late: it loads urllib, which only XML output needs

    return "".join(f" {name}={quoteattr(str(value))}" for name, value in attributes.items())
