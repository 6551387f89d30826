"""Element assessments in the forms of 2002, 2004 and 2005, derived from relevant passages.

Assessors of passages say nothing of elements. An element has the relevant characters inside it. Its exhaustivity is
the grade of its document; in 2002 and 2004 it is in proportion to its part of the document's relevant text. Its
specificity is its share of relevant characters. In 2004 that is in thirds, and not above the best of its children.
In 2002 it is a coverage: too large below two thirds, too small below `TOO_SMALL` relevant characters, else exact.
"""

from __future__ import annotations

from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement
from trix.eval.formats.qrels.assessments import write_topic
from trix.support.element_path import ancestors

TOO_SMALL = 20
"""Relevant characters below which an element is too small to be judged by itself, the ``?`` of 2005."""

Attributes = dict[str, object]
Spans = dict[str, tuple[int, int]]
"""Element path -> first character and character after the last, in document order."""


def relevant_sizes(document: DocumentJudgement, spans: Spans) -> dict[str, tuple[int, int]]:
    """Return size and relevant characters of the elements that have any."""
    if not len(document.intervals):
        return {}
    counts = iv.covered(document.intervals, iv.as_intervals(spans.values()))
    return {
        path: (end - start, int(count))
        for (path, (start, end)), count in zip(spans.items(), counts.tolist(), strict=True)
        if count
    }


def form_2005(document: DocumentJudgement, spans: Spans, grade: int) -> list[Attributes]:
    """Return the attributes of the relevant elements in the form of 2005."""
    return [
        {"path": path, "exhaustivity": "?" if relevant < TOO_SMALL else min(grade, 2), "size": size, "rsize": relevant}
        for path, (size, relevant) in relevant_sizes(document, spans).items()
    ]


def form_2004(document: DocumentJudgement, spans: Spans, grade: int) -> list[Attributes]:
    """Return the attributes of the relevant elements in the form of 2004."""
    sizes = relevant_sizes(document, spans)
    total = document.relevant_length
    specific = {
        path: 1 + int(3 * relevant >= size) + int(3 * relevant >= 2 * size) for path, (size, relevant) in sizes.items()
    }
    best: dict[str, int] = {}
    for path in reversed(list(sizes)):  # children before their parents
        specific[path] = min(specific[path], best.get(path, 3))
        above = next(ancestors(path), "")
        best[above] = max(best.get(above, 0), specific[path])
    return [
        {"path": path, "exhaustiveness": part(relevant, total, grade), "specificity": specific[path]}
        for path, (_, relevant) in sizes.items()
    ]


def form_2002(document: DocumentJudgement, spans: Spans, grade: int) -> list[Attributes]:
    """Return the attributes of the relevant elements in the form of 2002."""

    def coverage(size: int, relevant: int) -> str:
        if 3 * relevant < 2 * size:
            return "L"
        return "S" if relevant < TOO_SMALL else "E"

    return [
        {
            "path": path,
            "relevance": part(relevant, document.relevant_length, grade),
            "coverage": coverage(size, relevant),
        }
        for path, (size, relevant) in relevant_sizes(document, spans).items()
    ]


def part(relevant: int, total: int, grade: int) -> int:
    """Return the grade of an element by its part of the article's relevant characters, at least 1."""
    return max(1, int(grade * relevant / total + 0.5))


FORMS = {2005: form_2005, 2004: form_2004, 2002: form_2002}


def write_elements(topic: str, year: int, files: dict[str, list[Attributes]], collection: str) -> str:
    """Format the element assessments of a topic as XML, in the form of a year of `FORMS`."""
    tag = "element" if year == 2005 else "path"
    items = {doc: [(tag, attributes) for attributes in elements] for doc, elements in files.items()}
    if year == 2005:
        return write_topic(topic, items, {"collection": collection}, {"version": 2})
    return write_topic(topic, items, name="file")
