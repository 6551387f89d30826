"""Granulated recall bases: elements of one level as documents, for any flat measure [III, IV; EVALUATION 1]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trix.errors import UsageError
from trix.eval.convert import relevant_spans
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import TOO_SMALL, DocumentJudgement, ElementJudgement
from trix.eval.inputs import to_qrels
from trix.eval.measures.core.view import DocumentResolver
from trix.support.element_path import ancestors, normal_path

Members = Mapping[str, Iterable[str]]
"""Document id -> paths of its elements at the level."""


@dataclass(slots=True)
class LevelRecallBase:
    """Recall base at one level of elements.

    Attributes
    ----------
    grades
        Topic -> unit (document id directly followed by the path) -> grade, for the members of judged documents.
    relevant
        Topic -> (number of relevant members, number of documents that contain any).
    members
        Number of elements at the level.
    notices
        Notices, one line each.
    """

    grades: dict[str, dict[str, float]] = field(default_factory=dict)
    relevant: dict[str, tuple[int, int]] = field(default_factory=dict)
    members: int = 0
    notices: list[str] = field(default_factory=list)


def granulate(
    qrels: Any, members: Members, graded: bool = False, resolver: DocumentResolver | None = None
) -> LevelRecallBase:
    """Return the assessments of the members of a level.

    A binary grade is 1 if e > 0 or rsize > 0. A graded one is e * s (2004), or exhaustivity times density rsize / size
    (2005), where exhaustivity ? is 1, 1 is 2 and 2 is 3. With offset qrels it is the density of the member's
    characters, which needs a resolver. Members without an assessment are not relevant.

    Assessors did not judge runs of text (``text()[i]``). The passages of 2006 and 2007 determine their relevant
    characters, which also needs a resolver. Their exhaustivity is that of the nearest assessed ancestor. Without
    passages they have the grade of that ancestor if all of it is relevant, else 0.

    Raises
    ------
    UsageError
        The assessments are plain grades, or offsets in the documents are unknown.
    """
    judged = to_qrels(qrels)
    if judged.form == "grades":
        raise UsageError(f"{judged.name}: plain grades cannot be granulated; element or offset assessments are needed")
    found = LevelRecallBase()
    paths = {doc: [normal_path(p) if p else "" for p in group] for doc, group in members.items()}
    found.members = sum(len(group) for group in paths.values())
    lost, undetermined = 0, 0
    for topic, judgements in judged.topics.items():
        grades: dict[str, float] = {}
        documents = set()
        count = 0
        for doc, document in judgements.documents.items():
            one = _Document(document, graded, resolver)
            for path in paths.get(doc, ()):
                grade = one.grade(path)
                grades[doc + path] = grade
                if grade > 0:
                    documents.add(doc)
                    count += 1
            lost += one.lost
            undetermined += one.undetermined
        found.grades[topic] = grades
        found.relevant[topic] = (count, len(documents))
    if lost:
        found.notices.append(f"{judged.name}: {lost} place{'s' * (lost > 1)} not found in the documents")
    if undetermined:
        found.notices.append(
            f"{judged.name}: {undetermined} run{'s' * (undetermined > 1)} of text (text()[i]) in elements that "
            "are relevant in part: not relevant, since the assessments have no passages"
        )
    return found


class _Document:
    """Grades of the members of one document."""

    def __init__(self, judgement: DocumentJudgement, graded: bool, resolver: DocumentResolver | None) -> None:
        self.judgement, self.graded, self.resolver = judgement, graded, resolver
        self.lost = 0
        """Number of passages that the resolver does not find."""
        self.undetermined = 0
        """Number of runs of text with unknown relevance."""
        self._passages: iv.Intervals | None = None

    def grade(self, path: str) -> float:
        judgement = self.judgement
        if not path:
            return _document_grade(judgement, self.graded)
        element = judgement.elements.get(path)
        if element is not None:
            return graded_value(element) if self.graded else float(element.relevant)
        if not judgement.relevant:
            return 0.0
        if not judgement.elements:
            return self._density(path)
        if "text()" not in path:
            return 0.0
        around = next((judgement.elements[above] for above in ancestors(path) if above in judgement.elements), None)
        if around is None or not around.relevant:
            return 0.0
        if judgement.pointers:
            density = self._density(path)
            return exhaustivity(around) * density if self.graded else density
        if not _wholly(around):
            self.undetermined += 1
            return 0.0
        return graded_value(around) if self.graded else 1.0

    def _density(self, path: str) -> float:
        """Return the proportion of relevant characters of an element; if binary, 1 for any."""
        if self.resolver is None:
            raise UsageError(f"the offsets of {self.judgement.doc}{path} are unknown; give an index (`index`)")
        span = self.resolver.span(self.judgement.doc, path)
        if span is None:
            return 0.0
        rsize = int(iv.covered(self._relevant(self.resolver), iv.merge(iv.as_intervals([span]))).sum())
        if not self.graded:
            return float(rsize > 0)
        return rsize / (span[1] - span[0]) if rsize else 0.0

    def _relevant(self, resolver: DocumentResolver) -> iv.Intervals:
        if self._passages is None:
            spans, self.lost = relevant_spans(self.judgement, resolver)
            self._passages = iv.merge(iv.as_intervals(spans))
        return self._passages


def _wholly(element: ElementJudgement) -> bool:
    """Return whether all text of an element is relevant."""
    if element.s is not None:
        return element.s == 3
    return element.coverage in "ES" if element.coverage else element.density == 1  # exact, or too small


def _document_grade(document: DocumentJudgement, graded: bool) -> float:
    """Return the grade of a whole document: that of its root if elements were assessed, else by its characters."""
    if not graded:
        return float(document.relevant)
    if document.elements:
        return max((graded_value(e) for path, e in document.elements.items() if path.count("/") == 1), default=0.0)
    return document.density


def exhaustivity(element: ElementJudgement) -> float:
    """Return the exhaustivity of 2005 as a factor: ? is 1, 1 is 2, 2 is 3."""
    e = element.e or 0.0
    return 1.0 if e == TOO_SMALL else e + 1


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
    if element.s is not None:
        return (element.e or 0.0) * element.s
    if element.coverage:
        return element.e or 0.0
    return exhaustivity(element) * element.density
