"""Granulated recall bases: the members of a level as documents, for any flat measure [III, IV; EVALUATION 1]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trix.errors import UsageError
from trix.eval import intervals as iv
from trix.eval.inputs import to_qrels
from trix.eval.judgements import TOO_SMALL, DocumentJudgement, ElementJudgement
from trix.eval.measures.view import Resolver
from trix.eval.paths import normal_path

Members = Mapping[str, Iterable[str]]
"""Document id -> paths of its elements at the level."""


@dataclass(slots=True)
class Granulated:
    """A recall base at one level.

    Attributes
    ----------
    grades
        Topic -> unit (document id directly followed by the path) -> grade; the members of judged documents.
    relevant
        Topic -> (relevant members, documents that hold any).
    members
        Elements at the level.
    """

    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    relevant: dict[str, tuple[int, int]] = field(default_factory=dict)
    members: int = 0


def granulate(qrels: Any, members: Members, graded: bool = False, resolver: Resolver | None = None) -> Granulated:
    """Return the assessments of the members of a level.

    Binary: 1 where e > 0 or rsize > 0. Graded: e * s (2004); exhaustivity, with ? 1, 1 as 2 and 2 as 3, times density
    rsize / size (2005). With offset qrels the density of the member's characters counts; these need a resolver.
    Members that nobody assessed are not relevant.

    Raises
    ------
    UsageError
        The assessments are plain grades, or offsets that nobody can place.
    """
    judged = to_qrels(qrels)
    if judged.form == "grades":
        raise UsageError(f"{judged.name}: plain grades cannot be granulated; element or offset assessments are needed")
    found = Granulated()
    paths = {doc: [normal_path(p) if p else "" for p in group] for doc, group in members.items()}
    found.members = sum(len(group) for group in paths.values())
    for topic, judgements in judged.topics.items():
        grades: dict[str, float] = {}
        documents = set()
        count = 0
        for doc, document in judgements.documents.items():
            for path in paths.get(doc, ()):
                grade = _grade(document, path, graded, resolver)
                grades[doc + path] = grade
                if grade > 0:
                    documents.add(doc)
                    count += 1
        found.grades[topic] = grades
        found.relevant[topic] = (count, len(documents))
    return found


def _grade(document: DocumentJudgement, path: str, graded: bool, resolver: Resolver | None) -> float:
    if not path:
        return _document_grade(document, graded)
    element = document.elements.get(path)
    if element is not None:
        return graded_value(element) if graded else float(element.relevant)
    if document.elements or not document.relevant:
        return 0.0
    span = resolver.span(document.doc, path) if resolver is not None else None
    if span is None:
        if resolver is None:
            raise UsageError(f"the place of {document.doc}{path} is not known; give an index")
        return 0.0
    rsize = iv.common_length(document.intervals, iv.merge(iv.as_intervals([span])))
    if not graded:
        return float(rsize > 0)
    return rsize / (span[1] - span[0]) if rsize else 0.0


def _document_grade(document: DocumentJudgement, graded: bool) -> float:
    """Return the grade of a whole document: that of its root where elements were assessed, else by its characters."""
    if not graded:
        return float(document.relevant)
    if document.elements:
        return max((graded_value(e) for path, e in document.elements.items() if path.count("/") == 1), default=0.0)
    return document.density


def graded_value(element: ElementJudgement) -> float:
    """Return e * s (2004), or exhaustivity (? = 1, 1 = 2, 2 = 3) times density (2005).

    >>> graded_value(ElementJudgement(path="/a[1]", e=3.0, s=2.0))
    6.0
    >>> graded_value(ElementJudgement(path="/a[1]", e=TOO_SMALL, size=10, rsize=5))
    0.5
    """
    if not element.relevant:
        return 0.0
    if element.grade is not None:
        return float(element.grade)
    e = element.e or 0.0
    if element.s is not None:
        return e * element.s
    if element.coverage:
        return e
    return (1.0 if e == TOO_SMALL else e + 1) * element.density
