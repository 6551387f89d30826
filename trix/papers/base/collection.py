"""Collection of an experiment: documents, index, topics, assessments and runs of INEX, in one folder.

::

    FOLDER/documents/               the XML files, or FOLDER/YEAR/documents/ if they differ between years
    FOLDER/documents.index          their index (or FOLDER/YEAR/documents.index), made if it is missing
    FOLDER/YEAR/topics/             topics, a file or several; also FOLDER/YEAR/topics.xml
    FOLDER/YEAR/assessments/        assessments, in the form of the year; or FOLDER/YEAR/offsets.qrels
    FOLDER/YEAR/documents.qrels     grades of documents, where an experiment needs them
    FOLDER/YEAR/runs/               runs of all systems, for ranks among them; may be missing

`trix.datasets.inex` makes a synthetic collection of this form.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trix
from trix.api.batch import Run
from trix.api.index import Index
from trix.api.resolver import Resolver
from trix.datasets.inex import make
from trix.datasets.markup import SCHEMAS
from trix.errors import UsageError
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Rankings
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels, read_run
from trix.eval.formats.topics.read import Topic, read_topics
from trix.eval.scores import Scores
from trix.eval.studies.granulate import LevelRecallBase, granulate
from trix.lab.plan.toml import parse_experiment
from trix.lab.report.tables import ReportData
from trix.lab.run.sweep import sweep

README = "A synthetic INEX"
"""First line of the README of a synthetic collection."""


class PaperCollection:
    """Prepared data of an experiment; files are read when they are asked for.

    Parameters
    ----------
    folder
        Folder of the layout above.
    years
        Campaigns that the experiment needs.
    schema
        A schema of `trix.datasets.markup.SCHEMAS`.
    work
        Folder for results of sweeps.
    jobs
        Worker processes; None for one per processor.
    graded
        Whether grades of documents are needed, and no assessments of text.

    Attributes
    ----------
    synthetic
        Whether the collection was made by `trix.datasets.inex`.
    notices
        Messages for the user, one line each.

    Raises
    ------
    UsageError
        Something of the layout is missing.
    """

    def __init__(
        self,
        folder: Path,
        years: tuple[int, ...],
        schema: str,
        work: Path,
        jobs: int | None = None,
        *,
        graded: bool = False,
    ) -> None:
        self.folder, self.years, self.schema, self.work, self.jobs = folder, years, schema, work, jobs
        self.notices: list[str] = []
        if not folder.is_dir():
            raise UsageError(f"{folder}: no such folder; expected a collection, see docs/reproduce.md", field="data")
        readme = folder / "README.txt"
        self.synthetic = readme.is_file() and readme.read_text(encoding="utf-8", errors="replace").startswith(README)
        for year in years:
            self.topics_path(year), self._documents(year)
            self.document_grades_path(year) if graded else self.qrels_path(year)
        self._open: dict[int, Index] = {}
        self._read: dict[tuple[int, str], Any] = {}

    def note(self, notices: Iterable[str]) -> None:
        """Add messages for the user, each once; on synthetic data there is nothing to repair."""
        if self.synthetic:
            return
        self.notices += [line for line in dict.fromkeys(notices) if line not in self.notices]

    # -- layout ------------------------------------------------------------------------------------------------------

    def _first(self, what: str, *names: str) -> Path:
        for name in names:
            if (self.folder / name).exists():
                return self.folder / name
        raise UsageError(
            f"{self.folder}: no {what}; expected {' or '.join(names)}, see docs/reproduce.md", field="data"
        )

    def topics_path(self, year: int) -> Path:
        """Return the file or folder of topics of a year."""
        return self._first(f"topics of {year}", f"{year}/topics", f"{year}/topics.xml")

    def qrels_path(self, year: int) -> Path:
        """Return the file or folder of assessments of a year."""
        return self._first(f"assessments of {year}", f"{year}/assessments", f"{year}/offsets.qrels")

    def document_grades_path(self, year: int) -> Path:
        """Return the file of graded documents of a year, as TREC qrels."""
        return self._first(f"graded documents of {year}", f"{year}/documents.qrels")

    def _documents(self, year: int) -> Path:
        names = (f"{year}/documents.index", f"{year}/documents", "documents.index", "documents")
        return self._first(f"documents of {year}", *names)

    def index_path(self, year: int) -> Path:
        """Return the index of a year, made if it is missing.

        Raises
        ------
        UsageError
            The index cannot be written beside the documents.
        """
        documents = self._documents(year)
        if documents.suffix == ".index":
            return documents
        index = documents.with_suffix(".index")
        self.note([f"{documents}: indexed into {index}"])
        trix.build(documents, index, profile=SCHEMAS[self.schema].profile, stem="porter", jobs=self.jobs)
        return index

    def other_runs(self, year: int, kind: str = "") -> dict[str, Rankings]:
        """Return the runs of other systems by file, on the topics of a kind; those without any are left out."""
        folder = self.folder / str(year) / "runs"
        paths = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
        wanted, found = {topic.id for topic in self.topics(year, kind)}, {}
        for path in paths:
            run = read_run(path)
            run.rankings = {topic: ranking for topic, ranking in run.rankings.items() if topic in wanted}
            if run.rankings:
                found[path.name] = run
        return found

    def __enter__(self) -> PaperCollection:
        return self

    def __exit__(self, *_: object) -> None:
        for index in self._open.values():
            index.close()

    # -- readers -----------------------------------------------------------------------------------------------------

    def index(self, year: int) -> Index:
        """Return the open index of a year; it is closed with the collection."""
        if year not in self._open:
            self._open[year] = trix.open(self.index_path(year))
        return self._open[year]

    def resolver(self, year: int) -> Resolver:
        """Return the resolver of elements to offsets and lengths, from the index of a year."""
        return Resolver(self.index(year))

    def topics(self, year: int, kind: str = "") -> list[Topic]:
        """Return the topics of a year: content-only ones (``CO``), structured ones (``CAS``), or all.

        Raises
        ------
        UsageError
            There is none of this kind.
        """
        every = list(read_topics(self.topics_path(year)))
        if not kind:
            return every
        found = [topic for topic in every if topic.is_of(kind)]
        if not found:
            raise UsageError(f"{self.topics_path(year)}: no {kind} topics", field="data")
        return found

    def qrels(self, year: int, kind: str = "") -> Qrels:
        """Return the assessments of a year, of the topics of a kind or of all."""
        if (year, kind) not in self._read:
            judged = self.qrels(year) if kind else read_qrels(self.qrels_path(year))
            if kind:
                ids = {topic.id for topic in self.topics(year, kind)}
                topics = {id: each for id, each in judged.topics.items() if id in ids}
                judged = Qrels(topics, judged.name, judged.notices)
            self._read[year, kind] = judged
        found: Qrels = self._read[year, kind]
        return found

    def level_lengths(self, year: int, level: str) -> NDArray[np.int64]:
        """Return the length of each element of a level in characters, in document order."""
        index = self.index(year)
        members = index.now.searcher.levels.apart(level).members
        index.files.elements.printed_of(members)
        return np.asarray(index.files.elements.length[members], np.int64)

    def recall_base(self, year: int, kind: str, level: str) -> LevelRecallBase:
        """Return the assessments of a year, granulated to a level."""
        resolver = self.resolver(year)
        return granulate(self.qrels(year, kind), resolver.members(level), resolver=resolver)

    # -- experiments --------------------------------------------------------------------------------------------------

    def run(self, year: int, kind: str, name: str, field: str = "title", **options: Any) -> Run:
        """Answer the topics of a year, 1500 results each, with the papers' scoring unless options say otherwise."""
        given = {"preset": "study", "open_phrases": True, "top": 1500, "strategy": "thorough", **options}
        found = self.index(year).run(self.topics(year, kind), field=field, run_id=name, jobs=self.jobs, **given)
        self.note(f"{name}: topic {topic}: {why}; dropped" for topic, why in found.skipped.items())
        return found

    def evaluate(self, year: int, kind: str, runs: Any, measures: list[str]) -> Scores:
        """Evaluate runs, by name, on the assessed topics of a kind."""
        found = evaluate(self.qrels(year, kind), runs, measures, resolver=self.resolver(year), lenient=True)
        self.note(found.notices)
        return found

    def sweep(
        self, name: str, kind: str, levels: Mapping[str, tuple[int, str]], graded: bool = False, **experiment: Any
    ) -> ReportData:
        """Run an experiment of the laboratory.

        Parameters
        ----------
        name
            Its name, that of a folder in `work`.
        kind
            Kind of topics.
        levels
            Name of a collection -> year, and level to retrieve and to granulate; an empty level for none.
        graded
            Keep grades in granulated assessments.
        experiment
            All other tables of an experiment file, such as `measures`, `family` and `split`.
        """
        collections: dict[str, dict[str, Any]] = {}
        for label, (year, level) in levels.items():
            collections[label] = {
                "index": str(self.index_path(year).absolute()), "topics": str(self.topics_path(year).absolute()),
                "qrels": str(self.qrels_path(year).absolute()), "query_type": kind,
            }  # fmt: skip
            if level:
                collections[label] |= {"level": level, "granulate": level, "graded": graded}
        asked = parse_experiment({"title": name, "collections": collections, **experiment}, self.work, name)
        found = sweep(asked, self.work / name, jobs=self.jobs)
        self.note(found.notices)
        return ReportData(found)


def synthetic(folder: Path, years: tuple[int, ...], schema: str, documents: int, topics: int, seed: int = 2005) -> Path:
    """Make a synthetic collection in a new folder and return the folder.

    The maker gives all years the same needs. Several years are therefore made from a seed each, with their own
    documents, so that parameters trained on one are tested on another.
    """
    if len(years) == 1:
        make(folder, seed=seed, schema=schema, documents=documents, topics=topics)
        return folder
    for k, year in enumerate(years):
        whole = folder / f"{year}.whole"
        make(whole, seed=seed + k, schema=schema, documents=documents, topics=topics)
        (whole / str(year)).rename(folder / str(year))
        (whole / "documents").rename(folder / str(year) / "documents")
        (whole / "README.txt").replace(folder / "README.txt")
        shutil.rmtree(whole)
    return folder
