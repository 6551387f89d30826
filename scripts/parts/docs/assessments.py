#!/usr/bin/env python3
"""Writes the assessments of the handbook in every format, from the passages quoted in assessments.toml.

    scripts/docs assessments            writes trix/handbook/assessments/
    scripts/docs assessments --check    says which files are not up to date, exit code 1 if any

Assessors of a passage say nothing of elements. Those forms are derived: an element has the relevant characters inside
it; its exhaustivity is that of its article (2007: 2 for all), in 2004 and 2002 in proportion to its part of the
article's relevant text; its specificity is its share of relevant characters, in 2004 in thirds, never above the best of
its children, in 2002 a coverage: too large below two thirds, too small below 20 relevant characters, else exact.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

import trix
from trix.api.resolver import Resolver
from trix.eval.convert import write_offset_qrels
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement
from trix.eval.formats.qrels.assessments import write_passages, write_topic
from trix.eval.formats.qrels.trec import write_grades
from trix.handbook import ARTICLES, ASSESSMENTS
from trix.handbook import assessments as source
from trix.query.naming.names import Namer
from trix.support.element_path import ancestors

TOO_SMALL = 20
"""Relevant characters below which an element is too small to be judged by itself, the ``?`` of 2005."""

Attributes = dict[str, object]
Spans = dict[str, tuple[int, int]]
"""Element path -> first character and character after the last, in document order."""


def main() -> int:
    """Write or check the files."""
    parser = argparse.ArgumentParser(prog="scripts/docs assessments", description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say what is not up to date")
    check = parser.parse_args().check
    wanted = made()
    for name in stale(wanted):
        if check:
            print(f"not up to date: {ASSESSMENTS / name}", file=sys.stderr)
        else:
            (ASSESSMENTS / name).parent.mkdir(parents=True, exist_ok=True)
            (ASSESSMENTS / name).write_text(wanted[name], encoding="utf-8")
    for path in superfluous(wanted):
        if check:
            print(f"does not belong here: {path}", file=sys.stderr)
        else:
            path.unlink()
    return 1 if check and (stale(wanted) or superfluous(wanted)) else 0


def made() -> dict[str, str]:
    """Return the text of every file by its name in the folder."""
    judged = source.read()
    qrels = source.offsets(judged, source.texts(ARTICLES))
    grades = {
        topic: {doc: docs.get(doc, 0) for doc in qrels[topic].documents}
        for topic, docs in source.exhaustivity(judged).items()
    }
    files = {"offsets.qrels": write_offset_qrels(qrels), "documents.qrels": write_grades(grades)[0]}
    with tempfile.TemporaryDirectory() as scratch:
        trix.build(ARTICLES, Path(scratch) / "handbook.index", profile="jats", jobs=1)
        with trix.open(Path(scratch) / "handbook.index") as index:
            elements, resolver = indexed_elements(index), Resolver(index)
            for topic, judgements in qrels.items():
                name = f"topic-{topic}.xml"
                files[f"passages-2007/{name}"] = write_passages(topic, judgements, resolver, "handbook")
                for year, form in FORMS.items():
                    found = {
                        doc: form(document, elements[doc], grades[topic][doc])
                        for doc, document in judgements.documents.items()
                    }
                    files[f"elements-{year}/{name}"] = _xml(topic, year, found)
    return files


def stale(wanted: dict[str, str]) -> list[str]:
    """Return the names of files that are missing or hold something else."""

    def shown(name: str) -> str | None:
        path = ASSESSMENTS / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return [name for name, text in wanted.items() if shown(name) != text]


def superfluous(wanted: dict[str, str]) -> list[Path]:
    """Return the files in the folder that nobody wants there."""
    return [
        path
        for path in sorted(ASSESSMENTS.rglob("*"))
        if path.is_file() and str(path.relative_to(ASSESSMENTS)) not in wanted and path.name != "README.md"
    ]


def indexed_elements(index: trix.Index) -> dict[str, Spans]:
    """Return the indexed elements of each article with their characters; runs of a paragraph are no elements."""
    files, namer = index.files, Namer(index.files)
    table, found = files.elements, {}
    for number in range(len(files)):
        numbers = np.arange(*files.document_range(number), dtype=np.int32)
        _, paths = namer.names(numbers, np.full(numbers.size, number))
        starts, lengths = table.start[numbers].tolist(), table.length[numbers].tolist()
        found[files.ids[number]] = {
            path: (start, start + length)
            for path, start, length in zip(paths, starts, lengths, strict=True)
            if "text()" not in path
        }
    return found


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


def _xml(topic: str, year: int, files: dict[str, list[Attributes]]) -> str:
    tag = "element" if year == 2005 else "path"
    items = {doc: [(tag, attributes) for attributes in elements] for doc, elements in files.items()}
    if year == 2005:
        return write_topic(topic, items, {"collection": "handbook"}, {"version": 2})
    return write_topic(topic, items, name="file")


if __name__ == "__main__":
    sys.exit(main())
