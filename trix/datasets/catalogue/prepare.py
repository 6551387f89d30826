"""Preparation of a data set: the user's files become XML documents, topics and judgements in a new folder.

::

    README.txt                 where it comes from, licence, counts, commands to try
    dataset.json               the same for programs, with checksums
    profile.toml               rules of the index, where no preset has them
    documents/                 the XML files, in subfolders where parts have their own
    PART/topics.tsv            id TAB query
    PART/elements.qrels        relevant elements, as TREC qrels
    PART/passages.qrels        relevant text in characters, as the offset qrels of INEX, where the source judges text

A data set with one part has these files in the folder itself. The folder appears when it is complete.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from lxml import etree

import trix.datasets.sources.archive as archive
from trix.datasets.catalogue.record import DataSet, JudgedTopic
from trix.datasets.sources.spans import FolderLayouts
from trix.datasets.sources.trees import Element
from trix.errors import UsageError
from trix.eval.convert import write_offset_qrels
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, TopicJudgements
from trix.eval.formats.qrels.trec import write_grades
from trix.support.output import json_text, usable
from trix.support.progress import Progress

DESCRIPTION, PROFILE, DOCUMENTS = "dataset.json", "profile.toml", "documents"
TOPICS, ELEMENTS, PASSAGES = "topics.tsv", "elements.qrels", "passages.qrels"


def prepare(
    of: DataSet, source: str | PathLike[str], folder: str | PathLike[str], *, progress: Progress | None = None
) -> dict[str, Any]:
    """Prepare a data set from the user's files and return its description, that of ``dataset.json``.

    Parameters
    ----------
    of
        The data set.
    source
        Folder or archive with the files of the data set.
    folder
        A new or empty folder.
    progress
        Called after each document, with their number so far.

    Raises
    ------
    UsageError
        The source is not that of the data set, the folder is not empty, or something cannot be read or written.
    """
    place = Path(fspath(folder))
    with usable(place):
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise UsageError(f"{place}: the folder is not empty; name a new one")
        place.parent.mkdir(parents=True, exist_ok=True)
    scratch = place.parent / f".{place.name}.{secrets.token_hex(4)}.tmp"
    with archive.opened_source(fspath(source)) as given:
        base = archive.base_of(given, of.layouts)
        if base is None:
            raise UsageError(f"{source}: expected {' and '.join(of.layouts[0])}; {of.title} is {of.needs}")
        try:
            with usable(place):
                scratch.mkdir()
            writer = FolderWriter(of, scratch, progress)
            try:
                of.prepare(base, writer)
                described = writer.finish(base)
            except UsageError as error:
                raise UsageError(f"{source}: {error}") from None
            except (UnicodeDecodeError, KeyError, TypeError, ValueError, etree.XMLSyntaxError, OSError) as error:
                raise UsageError(f"{source}: cannot be read as {of.title}: {_reason(error)}") from None
            with usable(place):
                if place.exists():
                    place.rmdir()
                scratch.rename(place)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return described


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split()) or type(error).__name__
    return f"{text} is missing" if isinstance(error, KeyError) else text


class FolderWriter:
    """Writes documents, topics and judgements of one data set.

    Parameters
    ----------
    of
        The data set.
    folder
        An empty folder.
    progress
        Called after each document.
    """

    def __init__(self, of: DataSet, folder: Path, progress: Progress | None = None) -> None:
        self._of, self._folder, self._progress = of, folder, progress
        self._parts: list[dict[str, Any]] = []
        self._notices: list[str] = []
        self._documents: dict[str, set[str]] = {}
        (folder / DOCUMENTS).mkdir()
        self.rules(of.level, of.profile)

    @property
    def documents(self) -> int:
        """Number of documents written."""
        return sum(map(len, self._documents.values()))

    def document(self, doc: str, tree: Element | bytes, folder: str = "") -> None:
        """Write a document, see `trix.datasets.catalogue.record.CollectionWriter`."""
        there = self._documents.setdefault(folder, set())
        if doc in there:
            raise UsageError(f"the document {doc} is there twice")
        there.add(doc)
        path = self._folder / DOCUMENTS / folder / f"{doc}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            tree if isinstance(tree, bytes) else etree.tostring(tree, encoding="UTF-8", xml_declaration=True)
        )
        if self._progress is not None:
            self._progress(self.documents, None)

    def rules(self, level: str, profile: str) -> None:
        """Set level and profile, see `trix.datasets.catalogue.record.CollectionWriter`."""
        self._of = replace(self._of, level=level, profile=profile)
        if "\n" in profile:
            self._write(self._folder / PROFILE, profile)

    def notice(self, text: str) -> None:
        """Add a notice."""
        self._notices.append(text)

    def part(self, name: str, topics: Iterable[JudgedTopic], folder: str = "") -> None:
        """Write a part, see `trix.datasets.catalogue.record.CollectionWriter`."""
        judged = [topic for topic in topics if topic.units]
        if not judged:
            raise UsageError(f"no judged topic was found{f' for {name}' if name else ''}")
        where = self._folder / name
        where.mkdir(exist_ok=True)
        self._write(where / TOPICS, "".join(f"{topic.id}\t{topic.words}\n" for topic in judged))
        grades = {topic.id: dict.fromkeys(topic.units, 1) for topic in judged}
        self._write(where / ELEMENTS, write_grades(grades)[0])
        counts = {
            "documents": len(self._documents.get(folder, ())),
            "topics": len(judged),
            "elements": sum(map(len, grades.values())),
        }
        described = {"name": name, "documents": f"{DOCUMENTS}/{folder}" if folder else DOCUMENTS, "counts": counts}
        if any(topic.spans for topic in judged):
            counts["passages"] = self._write_passages(where / PASSAGES, judged, folder)
        self._parts.append(described)

    def _write_passages(self, path: Path, topics: list[JudgedTopic], folder: str) -> int:
        profile = self._folder / PROFILE
        layouts = FolderLayouts(
            self._folder / DOCUMENTS / folder, str(profile) if profile.exists() else self._of.profile
        )
        found: dict[tuple[str, str], list[tuple[int, int]]] = {}
        lengths: dict[str, int] = {}
        placed = [(span, topic.id) for topic in topics for span in topic.spans]
        for span, key in sorted(placed, key=lambda each: each[0].doc):  # one layout is kept
            place = layouts.range(span)
            if place is None:
                raise UsageError(f"{span.doc}{span.path}: the element is not in the text")
            found.setdefault((key, span.doc), []).append(place)
            lengths[span.doc] = layouts.layout(span.doc).length
        judged: dict[str, TopicJudgements] = {}
        for topic in topics:
            documents = {}
            for doc in dict.fromkeys(span.doc for span in topic.spans):
                relevant = iv.merge(iv.as_intervals(found[topic.id, doc]))
                entry = int(relevant[0, 0]) if len(relevant) else None
                documents[doc] = DocumentJudgement(doc, lengths[doc], iv.length(relevant), relevant, entry)
            judged[topic.id] = TopicJudgements(documents=documents)
        self._write(path, write_offset_qrels(Qrels(judged)))
        return sum(len(each.intervals) for topic in judged.values() for each in topic.documents.values())

    def finish(self, source: Path) -> dict[str, Any]:
        """Write description and README; return the description."""
        if not self._parts:
            raise UsageError("no topics were found")
        of = self._of
        notices = [*archive.differences(source, of.known), *self._notices]
        names = [
            path.relative_to(self._folder).as_posix()
            for part in self._parts
            for path in sorted((self._folder / part["name"]).glob("*.*"))
            if path.name in (TOPICS, ELEMENTS, PASSAGES)
        ]
        described = {
            "name": of.name,
            "title": of.title,
            "home": of.home,
            "licence": of.licence,
            "citation": of.citation,
            "judges": of.judges,
            "mapping": of.mapping,
            "level": of.level,
            "profile": PROFILE if "\n" in of.profile else of.profile,
            "stem": of.stem,
            "documents": self.documents,
            "parts": self._parts,
            "sha256": {
                "documents/**/*.xml": archive.checksum(self._folder, "documents/**/*.xml"),
                **{name: archive.sha256(self._folder / name) for name in names},
            },
            "notices": notices,
        }
        self._write(self._folder / DESCRIPTION, json_text(described) + "\n")
        self._write(self._folder / "README.txt", readme(described))
        return described

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, encoding="utf-8", newline="\n")


def commands(described: dict[str, Any], part: dict[str, Any], into: str = "") -> list[str]:
    """Return the commands that index, run and evaluate a part, to be given in the prepared folder.

    Parameters
    ----------
    described
        Description of the data set.
    part
        One of its parts.
    into
        Beginning of the names of index and runs, such as ``../``.
    """
    at = f"{part['name']}/" if part["name"] else ""
    level = f"--level '{described['level']}'"
    plain = "--preset study --model bm25 --k1 1.2 --B 0.75 --statistics level"
    return [
        f"trix index {part['documents']} {into}my.index --profile {described['profile']} --stem {described['stem']}",
        f"trix run {into}my.index {at}{TOPICS} {level} --top 1000 {plain} --run-id bm25 --output {into}bm25.run",
        f"trix run {into}my.index {at}{TOPICS} {level} --top 1000 --run-id standard --output {into}standard.run",
        f"trix eval {at}{ELEMENTS} {into}bm25.run {into}standard.run -m AP -m RR -m P@10",
    ]


def counted(counts: dict[str, int]) -> str:
    """Return counts as a phrase.

    >>> counted({"documents": 1, "topics": 20})
    '1 document, 20 topics'
    """
    return ", ".join(f"{count:,} {name[:-1] if count == 1 else name}" for name, count in counts.items())


def readme(described: dict[str, Any]) -> str:
    """Return the text of the README of a prepared folder."""
    parts = "".join(
        f"    {part['name'] or described['name']}: {counted(part['counts'])}\n" for part in described["parts"]
    )
    lines = "".join(f"    {line}\n" for line in commands(described, described["parts"][0]))
    return f"""{described["title"]}
{"=" * len(described["title"])}

Prepared by Trix from files of {described["home"]}

Licence:   {described["licence"]}
Citation:  {described["citation"]}
Mapping:   {described["mapping"]}

{described["documents"]} documents; documents, topics, relevant elements and passages of the parts:

{parts}
Try it
------

{lines}"""


def read_description(folder: str | PathLike[str]) -> dict[str, Any]:
    """Read the description of a prepared folder.

    Raises
    ------
    UsageError
        The folder was not prepared by Trix.
    """
    path = Path(fspath(folder)) / DESCRIPTION
    try:
        described: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        parts = described["parts"]
        if not all(isinstance(part["name"], str) for part in parts):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{folder}: is not a prepared data set; see trix datasets prepare") from None
    return described
