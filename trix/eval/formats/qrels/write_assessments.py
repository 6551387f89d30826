"""Writes XML assessments, of which each file holds one topic [INEX 4]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol
from xml.sax.saxutils import quoteattr

from trix.errors import UsageError
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, TopicJudgements

Item = tuple[str, Mapping[str, object]]
"""A tag and its attributes."""


class Pointing(Protocol):
    """Knows the places of a document's source, as `trix.api.resolver.Resolver` does."""

    def pointer(self, doc: str, at: int, *, end: bool = False) -> str | None:
        """Return the XPointer of a position, or of the end of a passage; None if there is no such character."""

    def places(self, doc: str) -> list[tuple[str, tuple[int, int]]]:
        """Return the elements of a document in order, with their positions."""


def write_passages(topic: str, judged: TopicJudgements, places: Pointing, collection: str) -> str:
    """Return the assessments of a topic in the form of 2007: entry points, passages and elements [INEX 4.3].

    Passages and entry points are XPointers; a passage ends behind its last character. Every element that holds
    relevant characters is listed, with the exhaustivity 2 that those years gave it.

    Raises
    ------
    UsageError
        A document has no such characters.
    """
    files = {doc: _items(topic, document, places) for doc, document in judged.documents.items()}
    return write_topic(topic, files, {"collection": collection}, {"version": 2, "whitespace-text-node": "keep"})


def write_topic(
    topic: str,
    files: Mapping[str, Iterable[Item]],
    of_files: Mapping[str, str] | None = None,
    of_root: Mapping[str, object] | None = None,
    name: str = "name",
) -> str:
    """Return the XML of a topic: a ``file`` for each document, empty where nothing was found relevant.

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
        f"<assessments{_said({'pool': topic, 'topic': topic, **(of_root or {})})}>",
    ]
    for doc, items in files.items():
        inside = [f"    <{tag}{_said(attributes)}/>" for tag, attributes in items]
        start = f"  <file{_said({**(of_files or {}), name: doc})}"
        lines += [start + ">", *inside, "  </file>"] if inside else [start + "/>"]
    return "\n".join([*lines, "</assessments>"]) + "\n"


def _items(topic: str, document: DocumentJudgement, places: Pointing) -> list[Item]:
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


def _said(attributes: Mapping[str, object]) -> str:
    return "".join(f" {name}={quoteattr(str(value))}" for name, value in attributes.items())
