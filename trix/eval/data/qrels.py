"""In-memory relevance assessments, independent of their file format.

::

    Qrels                 topic -> TopicJudgements
      TopicJudgements     unit -> grade (TREC), and document -> DocumentJudgement (INEX)
        DocumentJudgement length, relevant characters, intervals, best entry point, elements
          ElementJudgement  (e, s), relevance with coverage, exhaustivity with sizes, or a plain grade

A *unit*, as flat measures rank it, is a document id or a document id directly followed by an element path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from trix.errors import UsageError
from trix.eval.data import intervals as iv
from trix.eval.data.values import as_id, numbers
from trix.support.element_path import split_unit

TOO_SMALL = -1.0
"""The exhaustivity ``?`` of 2005."""

Kind = Literal["es", "coverage", "size", "grade"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementJudgement:
    """Judgement of one element; the fields that are set depend on the form of the assessments.

    Attributes
    ----------
    path
        Normal element path.
    e, s
        Exhaustivity and specificity, 0 to 3 (2003, 2004); e alone is the relevance of 2002 or the exhaustivity of
        2005 and later (1, 2, or `TOO_SMALL`).
    coverage
        N, L, S or E (2002).
    size, rsize
        Characters, and highlighted characters, as the assessment file counts them (2005 on).
    share
        Specificity in [0, 1] where a file of 2005 has it instead of sizes.
    grade
        A plain grade.
    """

    path: str
    e: float | None = None
    s: float | None = None
    coverage: str = ""
    size: int | None = None
    rsize: int | None = None
    share: float | None = None
    grade: float | None = None

    @property
    def kind(self) -> Kind:
        """Return the form of the assessment, by the fields that are set."""
        if self.grade is not None:
            return "grade"
        if self.coverage:
            return "coverage"
        return "es" if self.s is not None else "size"

    @property
    def density(self) -> float:
        """Return the proportion of relevant characters, rsize/size.

        >>> ElementJudgement(path="/a[1]", e=2, size=10, rsize=4).density
        0.4
        """
        if self.share is not None:
            return self.share
        return self.rsize / self.size if self.rsize and self.size else 0.0

    @property
    def relevant(self) -> bool:
        """Return whether any of its text is relevant: e > 0 or rsize > 0, before any quantisation [INEX 5.4]."""
        if self.grade is not None:
            return self.grade > 0
        if self.coverage or self.s is not None:
            return (self.e or 0) > 0
        return self.density > 0


@dataclass(frozen=True, slots=True)
class QrelsLine:
    """One line of offset qrels.

    The official tool does not join several lines on one document, so the lines are kept.
    """

    relevant: int
    length: int
    bep: int | None
    spans: iv.Intervals
    """Passages as they are written: they may overlap, or go beyond the end of the document."""


@dataclass(slots=True)
class DocumentJudgement:
    """Judgement of one document.

    Attributes
    ----------
    doc
        Document id.
    length
        Characters, None if unknown.
    declared
        Number of relevant characters that the file states. The official tool takes the relevance of a document from it.
    intervals
        Relevant characters, disjoint.
    bep
        Offset of the best entry point, None if unknown.
    elements
        Path -> judgement.
    pointers
        Passages of 2006/07 as (start, end, size) XPointers, to be resolved with a source.
    bep_pointer
        Best entry point of 2006/07 as an XPointer.
    lines
        The lines of the file, if there are several or the passages of one were repaired.
    """

    doc: str
    length: int | None = None
    declared: int | None = None
    intervals: iv.Intervals = field(default_factory=lambda: iv.EMPTY)
    bep: int | None = None
    elements: dict[str, ElementJudgement] = field(default_factory=dict)
    pointers: list[tuple[str, str, int]] = field(default_factory=list)
    bep_pointer: str = ""
    lines: list[QrelsLine] = field(default_factory=list)

    @property
    def stated(self) -> list[int]:
        """Return the numbers of relevant characters that the lines of the file state, usually one."""
        if self.lines:
            return [line.relevant for line in self.lines]
        return [self.relevant_length if self.declared is None else self.declared]

    @property
    def relevant_length(self) -> int:
        """Return the number of relevant characters: of the intervals if any, else as declared, at most the length."""
        if len(self.intervals):
            return iv.length(self.intervals)
        declared = self.declared or 0
        return declared if self.length is None else min(declared, self.length)

    @property
    def relevant(self) -> bool:
        """Return whether any text of the document is relevant."""
        if self.relevant_length > 0:
            return True
        if self.declared is not None:
            return False
        return any(element.relevant for element in self.elements.values())

    @property
    def density(self) -> float:
        """Return the proportion of relevant characters [VII]; 0 if the length is unknown.

        >>> DocumentJudgement("d", 200, 50, iv.as_intervals([(0, 50)])).density
        0.25
        """
        return self.relevant_length / self.length if self.length else 0.0


@dataclass(slots=True)
class TopicJudgements:
    """Assessments of one topic: ``grades`` by unit, or ``documents`` by id."""

    grades: dict[str, float] = field(default_factory=dict)
    documents: dict[str, DocumentJudgement] = field(default_factory=dict)

    @property
    def relevant_documents(self) -> list[DocumentJudgement]:
        """Return the relevant documents, in file order."""
        return [document for document in self.documents.values() if document.relevant]

    @property
    def any_relevant(self) -> bool:
        """Return whether the topic has any relevant unit or document."""
        return any(grade > 0 for grade in self.grades.values()) or any(d.relevant for d in self.documents.values())

    def element(self, doc: str, path: str) -> ElementJudgement | None:
        """Return the judgement of the element at `path` in the document `doc`; None if it is not judged."""
        document = self.documents.get(doc)
        return document.elements.get(path) if document is not None else None

    def elements(self) -> Iterator[tuple[str, ElementJudgement]]:
        """Yield (document id, judgement) for every assessed element, in file order."""
        for document in self.documents.values():
            for element in document.elements.values():
                yield document.doc, element


Form = Literal["grades", "offsets", "elements"]


class JudgedUnit(NamedTuple):
    """Judgement in the form of ir_measures."""

    query_id: str
    doc_id: str
    relevance: int


@dataclass(slots=True)
class Qrels(Mapping[str, TopicJudgements]):
    """Assessments of a topic set.

    Attributes
    ----------
    topics
        Topic id -> judgements, in file order.
    name
        Name for reports.
    notices
        Repairs and omissions of the reader, one line each.

    Examples
    --------
    >>> qrels = Qrels.from_grades({"1": {"d1": 1, "d2": 0}})
    >>> qrels.form, qrels["1"].grades["d1"]
    ('grades', 1)
    """

    topics: dict[str, TopicJudgements] = field(default_factory=dict)
    name: str = "qrels"
    notices: list[str] = field(default_factory=list)

    @classmethod
    def from_grades(cls, grades: Mapping[str, Mapping[str, float]], name: str = "qrels") -> Qrels:
        """Return assessments with a plain grade per unit.

        Parameters
        ----------
        grades
            Topic id -> unit -> grade.
        name
            Name for reports.

        Raises
        ------
        UsageError
            A grade is not a number, or infinite.
        """
        return cls(
            {as_id(t): TopicJudgements(grades=_plain_grades(as_id(t), units)) for t, units in grades.items()}, name
        )

    def __getitem__(self, topic: str) -> TopicJudgements:
        return self.topics[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self.topics)

    def __len__(self) -> int:
        return len(self.topics)

    @property
    def form(self) -> Form:
        """Return the form of the assessments: graded units, character offsets, or elements."""
        offsets = False
        for topic in self.topics.values():
            if topic.grades:
                return "grades"
            for document in topic.documents.values():
                if document.elements:
                    return "elements"
                offsets = offsets or document.length is not None or len(document.intervals) > 0
        return "offsets" if offsets else "elements"

    columns: ClassVar = ("query_id", "doc_id", "relevance")

    def itertuples(self) -> Iterator[JudgedUnit]:
        """Yield a row per judged unit; with `columns`, the part of a data frame that ir_measures reads.

        Grades are whole numbers. For documents and elements 1 means that any text is relevant.
        """
        for topic, judged in self.topics.items():
            for unit, grade in judged.grades.items():
                yield JudgedUnit(topic, unit, int(grade) if grade == int(grade) else int(grade > 0))
            if judged.grades:
                continue
            for doc, document in judged.documents.items():
                for path, element in document.elements.items():
                    yield JudgedUnit(topic, doc + path, int(element.relevant))
                if not document.elements:
                    yield JudgedUnit(topic, doc, int(document.relevant))

    @property
    def unit_form(self) -> Literal["documents", "elements"]:
        """Return the type of the units of `grades`: elements if any unit ends in a path, else documents."""
        if self.form == "elements":
            return "elements"
        graded = (unit for topic in self.topics.values() for unit in topic.grades)
        return "elements" if any(unit[-1:] == "]" and split_unit(unit)[1] for unit in graded) else "documents"


def _plain_grades(topic: str, units: Mapping[str, float]) -> dict[str, float]:
    """Return the grades of a topic with units as str; plain numbers are not converted."""
    plain = units if isinstance(units, dict) else dict(units)
    if not all(type(unit) is str for unit in plain):
        plain = {as_id(u): g for u, g in plain.items()}
    names = list(plain)
    values = numbers(plain.values(), lambda i: f"topic {topic}: the grade of {names[i]}")
    if not bool(np.isfinite(values).all()):
        raise UsageError(f"topic {topic}: the grade of {names[int(np.isinf(values).argmax())]} is infinite")
    return plain if set(map(type, plain.values())) <= {int, float} else dict(zip(names, values.tolist(), strict=True))


def mean_length(qrels: Qrels) -> float:
    """Return the mean length of the judged documents, each counted once, in characters; NaN if none is known."""
    lengths = {d.doc: d.length for t in qrels.topics.values() for d in t.documents.values() if d.length is not None}
    return float(np.mean(list(lengths.values()))) if lengths else float("nan")
