"""Evidence Inference: questions on clinical trials to the paragraphs in which doctors marked the answer."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.trees import asked, parsed, path, text
from trix.errors import UsageError

ARTICLES, ANNOTATIONS = "annotations/xml_files", ("annotations_merged.csv", "v2_annotations.csv")
ASKED = ("Outcome", "Intervention", "Comparator")
"""Columns of a prompt that are its query."""

_BLANK = re.compile(r"[\W_]+")


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write the articles as they are, and a topic for each prompt with a marked span that a second doctor accepted.

    A folder with ``articles``, ``topics.tsv`` and ``qrels.txt``, in which spans are mapped already, is taken as it is.
    """
    if (base / "qrels.txt").exists():
        _mapped(base, writer)
    else:
        _annotated(base, writer)


def _mapped(base: Path, writer: CollectionWriter) -> None:
    for file in sorted((base / "articles").glob("*.xml")):
        writer.document(file.stem, file.read_bytes())
    units = defaultdict[str, list[str]](list)
    for line in (base / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, unit, grade = line.split()
        if int(grade) > 0:
            units[topic].append(unit)
    lines = (base / "topics.tsv").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("\t", 1) for line in lines if line.strip())
    writer.part("", [JudgedTopic(key, words, tuple(units[key])) for key, words in pairs])


def _annotated(base: Path, writer: CollectionWriter) -> None:
    folder = base / ARTICLES
    for file in sorted(folder.glob("*.nxml")):
        writer.document(file.stem, file.read_bytes())
    prompts = {row["PromptID"]: row for row in _rows(base / "annotations/prompts_merged.csv")}
    name = next((name for name in ANNOTATIONS if (base / "annotations" / name).exists()), None)
    if name is None:
        raise UsageError(f"{base}: expected annotations/{' or '.join(ANNOTATIONS)}")
    units = defaultdict[str, dict[str, None]](dict)
    accepted = lost = 0
    rows = (row for row in _rows(base / "annotations" / name) if row["Valid Label"] == row["Valid Reasoning"] == "True")
    for row in sorted(rows, key=lambda row: row["PMCID"]):  # by article, since few are kept
        accepted += 1
        doc, span = f"PMC{row['PMCID']}", letters(row["Annotations"])
        holding = [] if not span else [(len(own), unit) for own, unit in paragraphs(folder, doc) if span in own]
        lost += not holding
        if holding:
            units[row["PromptID"]][min(holding)[1]] = None
    if lost:
        writer.notice(f"{lost} of {accepted} marked spans are in no paragraph; most of these are in tables")
    topics = [
        JudgedTopic(key, asked(" ".join(row[name] for name in ASKED)), tuple(units[key]))
        for key, row in prompts.items()
        if key in units
    ]
    writer.part("", topics)


@lru_cache(maxsize=8)
def paragraphs(folder: Path, doc: str) -> list[tuple[str, str]]:
    """Return the letters of the paragraphs of an article, each with its document id and path; none without a file."""
    file = folder / f"{doc}.nxml"
    if not file.exists():
        return []
    return [(letters(text(paragraph)), doc + path(paragraph)) for paragraph in parsed(file).iter("p")]


def letters(words: str) -> str:
    """Return the letters and digits of a text in lower case.

    >>> letters("P = 0.03, n.s.")
    'p003ns'
    """
    return _BLANK.sub("", words).casefold()


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        yield from csv.DictReader(stream)


RECORD = DataSet(
    name="evidence-inference",
    title="Evidence Inference 2.0",
    about="outcomes, interventions and comparators of clinical trials to paragraphs with the evidence",
    home="https://github.com/jayded/evidence-inference",
    licence="MIT (the repository); each article names its own in its permissions",
    citation="Lehman et al. 2019, NAACL; DeYoung et al. 2020, BioNLP",
    size="4,470 articles; 624 questions in the half that was tried",
    needs="the repository with annotations/xml_files, prompts_merged.csv and annotations_merged.csv (or "
    "v2_annotations.csv); or a folder with articles, topics.tsv and qrels.txt",
    mapping="relevant is the smallest paragraph (p) with all letters of a span that a doctor marked and a second one "
    "accepted; only the article of a prompt was read",
    level="//p[not(.//p)]",
    profile="jats",
    prepare=prepare,
    layouts=(
        ("annotations/prompts_merged.csv", f"{ARTICLES}/*.nxml"),
        ("topics.tsv", "qrels.txt", "articles/*.xml"),
    ),
    known=(
        KnownFiles(
            "annotations/prompts_merged.csv", "0d70d9e1e78d113fdbbd4919310eab7768d6a328368f7d8f9d5a3b48f99c25d3"
        ),
        KnownFiles(
            "annotations/v2_annotations.csv", "aa77fa384dac276d3f0be1d40e914422ca4298c7fd1c5e5fe79703acab99127a"
        ),
    ),
    download="https://github.com/jayded/evidence-inference/archive/b9831b6c59b52ac2d277f757d413ececf0949a8d.zip",
    tried="half of the articles: 700 with 624 questions of version 2",
)
