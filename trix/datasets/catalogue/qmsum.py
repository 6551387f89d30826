"""QMSum: questions about meetings, answered by spans of their turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.spans import JudgedSpan
from trix.datasets.sources.trees import Element, allowed, asked

PARTS = ("train", "val", "test")


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write a meeting as a document with its turns, and the questions of each part of the source."""
    topics: dict[str, list[JudgedTopic]] = {}
    for part in PARTS:
        for path in sorted((base / "data/ALL" / part).glob("*.json")):
            meeting = json.loads(path.read_text(encoding="utf-8"))
            writer.document(path.stem, tree(meeting))
            topics.setdefault(part, []).extend(questions(path.stem, meeting))
    for part, asked_there in topics.items():
        writer.part(part, asked_there)


def tree(meeting: dict[str, Any]) -> Element:
    """Return a meeting as a tree: a ``turn`` for each contribution, with its speaker and number from 0."""
    root = etree.Element("meeting")
    for number, turn in enumerate(meeting["meeting_transcripts"]):
        element = etree.SubElement(root, "turn", n=str(number), who=allowed(turn["speaker"]))
        element.text = allowed(turn["content"])
    return root


def questions(doc: str, meeting: dict[str, Any]) -> Iterator[JudgedTopic]:
    """Yield the specific questions about a meeting; the general ones have no spans."""
    for number, question in enumerate(meeting["specific_query_list"], 1):
        ranges = [(int(first), int(last)) for first, last in question["relevant_text_span"]]
        turns = sorted({turn for first, last in ranges for turn in range(first, last + 1)})
        yield JudgedTopic(
            f"{doc}-{number}",
            asked(question["query"]),
            tuple(f"{doc}{_path(turn)}" for turn in turns),
            tuple(JudgedSpan(doc, _path(first), last=_path(last)) for first, last in ranges),
        )


def _path(turn: int) -> str:
    return f"/meeting[1]/turn[{turn + 1}]"


RECORD = DataSet(
    name="qmsum",
    title="QMSum",
    about="questions about meetings to the turns of speakers that answer",
    home="https://github.com/Yale-LILY/QMSum",
    licence="MIT (the repository); the transcripts come from AMI and ICSI (CC BY 4.0) and from parliaments",
    citation="Zhong et al. 2021, NAACL",
    size="232 meetings; 1,095, 237 and 244 questions (train, val, test)",
    needs="the repository with data/ALL/train, val and test",
    mapping="a meeting is a document, a contribution a turn; relevant are the turns in the spans of a question, "
    "relevant text is the spans; questions on the whole meeting are left out",
    level="//turn",
    prepare=prepare,
    layouts=(("data/ALL/val/*.json",),),
    known=(
        KnownFiles("data/ALL/train/*.json", "97cb1088ebaea758bb14d699c236a266726b25db01ca0e07c81402a554fbf504"),
        KnownFiles("data/ALL/val/*.json", "ca43e587de6836cd2f6c6bbe3d0ef583d2e2744a3e634beb686d5b224cd81243"),
        KnownFiles("data/ALL/test/*.json", "6a9279c1eea254f021fe15638664516318740c4140741b03827b5b45c9545080"),
    ),
    download="https://github.com/Yale-LILY/QMSum/archive/83d7768c1f2b4dfeb091385d3dc7e239b8e5bb7e.zip",
)
