#!/usr/bin/env python3
"""Writes the assessments of the handbook in every format, from the passages quoted in assessments.toml.

    scripts/docs assessments            writes trix/handbook/assessments/
    scripts/docs assessments --check    says which files are not up to date, exit code 1 if any

Assessors of a passage say nothing of elements. Those forms are derived, see `trix.datasets.elements`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

import trix
from trix.api.resolver import Resolver
from trix.datasets.elements import FORMS, Spans, write_elements
from trix.eval.convert import write_offset_qrels
from trix.eval.formats.qrels.assessments import write_passages
from trix.eval.formats.qrels.trec import write_grades
from trix.handbook import ARTICLES, ASSESSMENTS
from trix.handbook import assessments as source
from trix.query.naming.names import Namer


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
                    files[f"elements-{year}/{name}"] = write_elements(topic, year, found, "handbook")
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


if __name__ == "__main__":
    sys.exit(main())
