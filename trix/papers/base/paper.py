"""Declaration of an experiment of a paper, and the result of running it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from trix.papers.base.collection import PaperCollection
from trix.papers.base.figure import PaperFigure
from trix.papers.base.printed import ComparedTable, Statement

Part = ComparedTable | PaperFigure | Statement
"""A table, a figure or a finding of a paper."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """An experiment of a paper.

    Parameters
    ----------
    name
        Name for `trix.papers.reproduce.reproduce`.
    title, source
        Title and source of the paper.
    summary
        One line for the list of experiments.
    compute
        Function from the collection to the parts, in the order of the paper.
    years
        Campaigns of INEX that it needs; none if it needs no collection.
    schema
        Schema of the documents, a key of `trix.datasets.markup.SCHEMAS`.
    documents, topics
        Size of the synthetic collection.
    graded
        Whether it needs grades of documents, and no assessments of text.
    missing
        Tables and figures that are left out, each with the reason.
    """

    name: str
    title: str
    source: str
    summary: str
    compute: Callable[[PaperCollection], Iterable[Part]]
    years: tuple[int, ...] = ()
    schema: str = "ieee"
    documents: int = 200
    topics: int = 20
    graded: bool = False
    missing: tuple[str, ...] = ()


@dataclass
class Reproduction:
    """Tables, figures and findings of an experiment.

    Attributes
    ----------
    paper
        The experiment.
    synthetic
        Whether the data are synthetic, so that numbers cannot agree with the printed ones.
    data
        Description of the data in one line.
    parts
        Its parts, in the order of the paper.
    notices
        Messages for the user, one line each.
    """

    paper: Paper
    synthetic: bool
    data: str
    parts: list[Part]
    notices: list[str] = field(default_factory=list)

    @property
    def figures(self) -> list[PaperFigure]:
        """The figures."""
        return [part for part in self.parts if isinstance(part, PaperFigure)]

    @property
    def statements(self) -> list[Statement]:
        """The findings."""
        return [part for part in self.parts if isinstance(part, Statement)]

    @property
    def tables(self) -> list[ComparedTable]:
        """The tables, with those of the numbers of the figures, in the order of the paper."""
        found: list[ComparedTable] = []
        for part in self.parts:
            if isinstance(part, ComparedTable):
                found.append(part)
            elif isinstance(part, PaperFigure):
                found += part.tables()
        return found
