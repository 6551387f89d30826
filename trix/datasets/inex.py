"""Synthetic INEX: a whole test collection in a folder, the same bytes for the same arguments.

::

    README.txt                 the model, the arguments, commands to try
    documents/                 the XML files
    YEAR/topics/               topics in the format of the year
    YEAR/assessments/          assessments of elements, to 2007, a file for each topic
    YEAR/offsets.qrels         assessments of passages, from 2008
    YEAR/documents.qrels       grades of documents, as TREC qrels
    YEAR/runs/                 runs of three imagined systems: good, middle and poor

The needs are the same in each year, under the ids of the year. `trix.datasets.model` says where relevant text lies. Its
characters are located by the reader of the index, so offsets agree. An assessor sees relevant documents and mentions.
The grade of a document is 1, 2 from 600 relevant characters, or 3 from 1500.

Documents are written one at a time. What stays in memory are the judged documents, about 90 for each topic.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path

from trix.datasets import model, systems
from trix.datasets.elements import FORMS, write_elements
from trix.datasets.markup import SCHEMAS, InexSchema, plain
from trix.datasets.systems import SYSTEMS, Place, answers, draw_results
from trix.datasets.topics import MOST, topic_files, topic_id
from trix.datasets.vocabulary import Draws
from trix.errors import UsageError, did_you_mean
from trix.eval.convert import write_offset_qrels
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, TopicJudgements
from trix.eval.formats.qrels.assessments import write_passages
from trix.eval.formats.qrels.trec import write_grades
from trix.eval.formats.runs.head import Submission
from trix.eval.formats.runs.rows import RunRow
from trix.eval.formats.write import write_run
from trix.indexer.document.kinds import ElementKinds
from trix.indexer.document.layout import Counting, TextLayout, lay_out
from trix.indexer.document.parse import parse
from trix.indexer.profile.profile import load_profile
from trix.support.element_path import tag
from trix.support.lru_cache import LruFunction
from trix.support.output import usable
from trix.support.progress import Progress

GRADES = (600, 1500)
"""Relevant characters from which the grade of a document is 2 and 3."""

_KEPT = 512  # layouts in memory
_OFFSETS, _COLUMNS = 2008, 2009  # first years of offset qrels, and of runs in columns


@dataclass(frozen=True, slots=True)
class SyntheticInex:
    """Summary of a collection that was made.

    Attributes
    ----------
    folder
        Its folder.
    schema
        Name of its schema.
    documents, topics
        Their numbers.
    years
        Campaigns with topics, assessments and runs.
    relevant
        Pairs of a topic and a relevant document.
    passages
        Relevant passages.
    """

    folder: Path
    schema: str
    documents: int
    topics: int
    years: tuple[int, ...]
    relevant: int
    passages: int


def make(
    folder: str | PathLike[str],
    *,
    seed: int = 2005,
    schema: str = "ieee",
    documents: int = 200,
    topics: int = 20,
    progress: Progress | None = None,
) -> SyntheticInex:
    """Make a synthetic test collection.

    Parameters
    ----------
    folder
        A new or empty folder.
    seed
        Whole number; the same arguments give the same bytes.
    schema
        ``ieee`` (years 2002 to 2005), ``wikipedia`` (2006 to 2008) or ``wikipedia-2009`` (2009 and 2010).
    documents, topics
        How many of each; at most 60 topics.
    progress
        Called after each document.

    Raises
    ------
    UsageError
        An argument is out of range, the folder is not empty, or it cannot be written.
    """
    if schema not in SCHEMAS:
        hint = did_you_mean(schema, SCHEMAS)
        raise UsageError(f"expected one of {', '.join(SCHEMAS)}{hint}", field="schema", got=schema)
    if documents < 1:
        raise UsageError("expected a whole number of 1 or more", field="documents", got=documents)
    if not 1 <= topics <= MOST:
        raise UsageError(f"expected a whole number from 1 to {MOST}", field="topics", got=topics)
    place = Path(fspath(folder))
    with usable(place):
        place.mkdir(parents=True, exist_ok=True)
        if any(place.iterdir()):
            raise UsageError(f"{place}: the folder is not empty; name a new one")
        return _Maker(place, seed, schema, documents, topics).make(progress)


class _Maker:
    """Writes one collection."""

    def __init__(self, folder: Path, seed: int, schema: str, documents: int, topics: int) -> None:
        self._folder, self._seed, self._documents = folder, seed, documents
        self._name, self._schema = schema, SCHEMAS[schema]
        self._needs = model.draw_needs(seed, topics)
        self._pools: list[dict[str, DocumentJudgement | None]] = [{} for _ in self._needs]
        """For each need: document id -> judgement, None for strays."""
        self._places = SourceLayouts(folder / "documents", self._schema)

    def make(self, progress: Progress | None) -> SyntheticInex:
        """Write all files."""
        for number in range(self._documents):
            self._write_document(number)
            if progress is not None:
                progress(number + 1, self._documents)
        for year in self._schema.years:
            for name, text in topic_files(self._needs, year, self._schema).items():
                self._write(f"{year}/topics/{name}", text)
            self._write_assessments(year)
        for system in SYSTEMS:
            results = [self._results(system, need) for need in self._needs]
            for year in self._schema.years:
                self._write_run(results, system, year)
        relevant = [d for pool in self._pools for d in pool.values() if d is not None and d.relevant]
        made = SyntheticInex(
            self._folder,
            self._name,
            self._documents,
            len(self._needs),
            self._schema.years,
            len(relevant),
            sum(len(d.intervals) for d in relevant),
        )
        self._write("README.txt", readme(made, self._seed))
        return made

    def _write(self, name: str, text: str) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")

    def _write_document(self, number: int) -> None:
        draft = model.draw_document(self._seed, number, self._documents, self._needs)
        doc = self._schema.document_id(number)
        self._write(f"documents/{doc}.xml", self._schema.write(draft))
        if draft.highlights or draft.mentions:
            layout = self._places.layout(doc)
            for need in (*draft.highlights, *draft.mentions):
                relevant = iv.merge(iv.as_intervals(relevant_spans(draft, layout, draft.highlights.get(need, ()))))
                entry = int(relevant[0, 0]) if len(relevant) else None
                self._pools[need][doc] = DocumentJudgement(doc, layout.length, iv.length(relevant), relevant, entry)
        for need in draft.strays:
            self._pools[need][doc] = None

    def _write_assessments(self, year: int) -> None:
        judged = {
            topic_id(need, year): {doc: judgement for doc, judgement in pool.items() if judgement is not None}
            for need, pool in zip(self._needs, self._pools, strict=True)
        }
        grades = {topic: {doc: grade(each) for doc, each in docs.items()} for topic, docs in judged.items()}
        self._write(f"{year}/documents.qrels", write_grades(grades)[0])
        folder, collection = f"{year}/assessments", self._schema.collection
        if year >= _OFFSETS:
            topics = {topic: TopicJudgements(documents=docs) for topic, docs in judged.items()}
            self._write(f"{year}/offsets.qrels", write_offset_qrels(Qrels(topics)))
            return
        form = FORMS.get(2004 if year == 2003 else year)
        for topic, docs in judged.items():
            if form is None:
                text = write_passages(topic, TopicJudgements(documents=docs), self._places, collection)
            else:
                elements = {
                    doc: form(each, dict(self._places.places(doc)), grades[topic][doc]) if each.relevant else []
                    for doc, each in docs.items()
                }
                text = write_elements(topic, year, elements, collection)
            self._write(f"{folder}/topic-{topic}.xml", text)

    def _results(self, system: str, need: model.Need) -> list[RunRow]:
        seen = {doc: (self._places.answers(doc), judged) for doc, judged in self._pools[need.number].items()}
        return draw_results(system, seen, Draws(self._seed, "run", system, need.number))

    def _write_run(self, results: list[list[RunRow]], system: str, year: int) -> None:
        rows = (
            row._replace(topic=topic_id(need, year))
            for need, found in zip(self._needs, results, strict=True)
            for row in found
        )
        text = io.StringIO()
        if year >= _COLUMNS:
            write_run(rows, text, "inex2009", system, passages=True)
        else:
            head = Submission(
                run_id=system,
                result_type="element" if year >= 2007 else None,
                description=f"Synthetic system, {system}",
                collections=(self._schema.collection,),
            )
            write_run(rows, text, "inex", submission=head)
        self._write(f"{year}/runs/{system}.{run_ending(year)}", text.getvalue())


class SourceLayouts:
    """Layouts of the documents in a folder, in characters of the index's text."""

    def __init__(self, folder: Path, schema: InexSchema) -> None:
        self._folder = folder
        self._counting = Counting(kinds=ElementKinds(load_profile(schema.profile)))
        self._names: dict[str, int] = {}
        self._layouts: LruFunction[str, TextLayout] = LruFunction(self._lay_out, _KEPT)
        self._listed: LruFunction[str, list[Place]] = LruFunction(lambda doc: self.layout(doc).places(), _KEPT)
        self._answers: LruFunction[str, list[Place]] = LruFunction(lambda doc: answers(self.places(doc)), _KEPT)

    def layout(self, doc: str) -> TextLayout:
        """Return the layout of a document."""
        return self._layouts(doc)

    def places(self, doc: str) -> list[Place]:
        """Return the elements of a document in order, with their offsets."""
        return self._listed(doc)

    def answers(self, doc: str) -> list[Place]:
        """Return the elements of a document that systems return."""
        return self._answers(doc)

    def pointer(self, doc: str, at: int, *, end: bool = False) -> str | None:
        """Return the XPointer of a position, or of the end of a passage."""
        return self.layout(doc).pointer(at, end=end)

    def _lay_out(self, doc: str) -> TextLayout:
        path = self._folder / f"{doc}.xml"
        return lay_out(parse(path.read_bytes(), str(path), verbatim=True), self._counting, self._names)


def relevant_spans(
    draft: model.Draft, layout: TextLayout, highlights: Iterable[model.Highlight]
) -> list[tuple[int, int]]:
    """Return the characters of highlights."""
    places = [(path, span) for path, span in layout.places() if path.split("/")[2:3] and "/sec" in path]
    sections = [span for path, span in places if path.count("/") == 3 and tag(path) in ("sec", "section")]
    paragraphs = [span for path, span in places if tag(path) in ("p", "ip1")]
    drafted = [paragraph for section in draft.sections for paragraph in section.paragraphs]
    found = []
    for highlight in highlights:
        start = paragraphs[highlight.first][0]
        if highlight.section is not None:
            start = sections[highlight.section][0]
        elif highlight.second_sentence:
            start += len(plain(drafted[highlight.first].sentences[0])) + 1
        found.append((start, paragraphs[highlight.last][1]))
    return found


def run_ending(year: int) -> str:
    """Return the ending of the runs of a year."""
    return "run" if year >= _COLUMNS else "xml"


def grade(judged: DocumentJudgement) -> int:
    """Return the grade of a document, 0 to 3."""
    relevant = judged.relevant_length
    return (relevant > 0) + sum(relevant >= fewest for fewest in GRADES)


def readme(made: SyntheticInex, seed: int) -> str:
    """Return the text of the README of a collection."""
    year = made.years[-1]
    judged = f"{year}/{'offsets.qrels' if year >= _OFFSETS else 'assessments'}"
    return f"""A synthetic INEX
================

Made by Trix; no text, topic or judgement is a person's. Use it to try software, not to compare systems.

    trix datasets make inex FOLDER --seed {seed} --schema {made.schema} --documents {made.documents} \
--topics {made.topics}

It has {made.documents} documents and {made.topics} topics, {made.relevant} relevant documents of these topics, and \
{made.passages} relevant passages.

{__doc__.partition("::")[2].strip(chr(10))}

The model
---------

{model.__doc__}
{systems.__doc__}
Try it
------


    trix index documents my.index
    trix run my.index {year}/topics --output my.run
    trix eval {judged} my.run {year}/runs/*.{run_ending(year)} --index my.index
"""
