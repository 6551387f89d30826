"""ObliQA: questions of compliance to the provisions of financial regulations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from lxml import etree

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.trees import Element, allowed, asked

_COMPONENT = re.compile(r"\([^)]*\)\.?|[^.(]+\.?")


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write a regulation as a document with nested provisions, and the questions for development."""
    places: dict[tuple[int, str], list[tuple[str, str]]] = {}
    for path in sorted((base / "StructuredRegulatoryDocuments").glob("*.json"), key=lambda path: int(path.stem)):
        passages = json.loads(path.read_text(encoding="utf-8"))
        doc = f"regulation-{int(path.stem):02}"
        root, units = tree(passages)
        for passage, unit in zip(passages, units, strict=True):
            key = passage["DocumentID"], passage["PassageID"]
            places.setdefault(key, []).append((passage["Passage"], doc + unit))
        writer.document(doc, root)
    given = json.loads((base / "ObliQA_dev.json").read_text(encoding="utf-8"))
    lost = 0
    topics = []
    for question in given:
        units = []
        for passage in question["Passages"]:
            there = places.get((passage["DocumentID"], passage["PassageID"]), [])
            same = [unit for text, unit in there if text == passage["Passage"]] or [unit for _, unit in there]
            lost += not same
            units += same[:1]
        topics.append(JudgedTopic(question["QuestionID"], asked(question["Question"]), tuple(dict.fromkeys(units))))
    if lost:
        writer.notice(f"{lost} judged passages are not in the documents")
    writer.part("", topics)


def tree(passages: Sequence[dict[str, Any]]) -> tuple[Element, list[str]]:
    """Return a regulation as a tree, and the path of the text of each passage.

    A passage is a ``provision`` with number and paragraph. It is inside the provision whose number begins its own.
    """
    root = etree.Element("regulation")
    above: list[tuple[tuple[str, ...], Element, str]] = [((), root, "/regulation[1]")]
    units = []
    for passage in passages:
        parts = components(passage["PassageID"])
        while len(above[-1][0]) >= len(parts) or parts[: len(above[-1][0])] != above[-1][0]:
            if len(above) == 1:
                break
            above.pop()
        _, parent, path = above[-1]
        element = etree.SubElement(parent, "provision", n=allowed(passage["PassageID"]))
        place = f"{path}/provision[{sum(1 for _ in parent.iterchildren('provision'))}]"
        if text := allowed(passage["Passage"]).strip():
            etree.SubElement(element, "p").text = text
        above.append((parts, element, place))
        units.append(f"{place}/p[1]" if text else place)
    return root, units


def components(number: str) -> tuple[str, ...]:
    """Return the components of the number of a provision.

    >>> components("Part 12.Chapter 1.134.(2)"), components("1.1."), components("3)")
    (('Part 12', 'Chapter 1', '134', '(2)'), ('1', '1'), ('3)',))
    """
    found: Iterable[str] = _COMPONENT.findall(number)
    return tuple(part.strip().rstrip(".") for part in found)


RECORD = DataSet(
    name="obliqa",
    title="ObliQA, development questions",
    about="questions of compliance to provisions of financial regulations",
    home="https://github.com/RegNLP/ObliQADataset",
    licence="none is named in the repository; the regulations are those of Abu Dhabi Global Market",
    citation="Gokhan, Wang, Gurevych and Briscoe 2024, arXiv:2409.05677",
    size="40 regulations, 2,788 questions",
    needs="the repository with StructuredRegulatoryDocuments and ObliQA_dev.json",
    mapping="a passage is a provision, inside the one whose number begins its own; relevant is its paragraph (p). "
    "The questions are a language model's, each checked by a model of inference against its passages",
    level="//p",
    judges="model",
    prepare=prepare,
    layouts=(("ObliQA_dev.json", "StructuredRegulatoryDocuments/*.json"),),
    known=(
        KnownFiles("ObliQA_dev.json", "cf6584f892c2ddde2da380fadfadea2008be7667f50085c27135b2dd29c14e20"),
        KnownFiles(
            "StructuredRegulatoryDocuments/*.json", "a917bc668304093fc054324680e599141f46861a192eee7db1ccfaad1493b2e7"
        ),
    ),
    download="https://github.com/RegNLP/ObliQADataset/archive/c1b2c3c04aee1f6ce75f76106ce13af672d48e02.zip",
)
