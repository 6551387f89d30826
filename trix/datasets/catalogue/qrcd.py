"""QRCD: questions to verses of the Qur'an."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lxml import etree

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.spans import JudgedSpan
from trix.datasets.sources.trees import XML_LANG, asked

PARTS = ("train", "test")
_PLACE = re.compile(r"(\d+):(\d+)-(\d+)$")
_VERSE = re.compile(r"[^.]+")
_Verse = tuple[int, int]


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write a chapter as a document with its verses, from the passages of all parts, and the questions of each."""
    verses: dict[_Verse, str] = {}
    marked: dict[str, dict[str, tuple[str, set[tuple[_Verse, int, int]]]]] = {}
    for part in PARTS:
        path = base / f"qrcd_v1.1_{part}.json"
        if path.exists():
            _read(json.loads(path.read_text(encoding="utf-8")), verses, marked.setdefault(part, {}))
    places: dict[_Verse, str] = {}
    for chapter in sorted({chapter for chapter, _ in verses}):
        root = etree.Element("chapter", {"n": str(chapter), XML_LANG: "ar"})
        numbers = sorted(verse for above, verse in verses if above == chapter)
        for place, verse in enumerate(numbers, 1):
            etree.SubElement(root, "verse", n=str(verse)).text = verses[chapter, verse]
            places[chapter, verse] = f"/chapter[1]/verse[{place}]"
        writer.document(_doc(chapter), root)
    for part, questions in marked.items():
        topics = []
        for key, (words, answers) in questions.items():
            units = dict.fromkeys(_doc(verse[0]) + places[verse] for verse, _, _ in sorted(answers))
            spans = tuple(
                JudgedSpan(_doc(verse[0]), places[verse], begin, size) for verse, begin, size in sorted(answers)
            )
            topics.append(JudgedTopic(key, asked(words), tuple(units), spans))
        writer.part(part, topics)


def _doc(chapter: int) -> str:
    return f"chapter-{chapter:03}"


def _read(
    given: dict[str, Any],
    verses: dict[_Verse, str],
    questions: dict[str, tuple[str, set[tuple[_Verse, int, int]]]],
) -> None:
    """Add the verses of a file, and its questions with the marked characters of each verse."""
    for article in given["data"]:
        place = _PLACE.search(article["title"])
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            found = [match for match in _VERSE.finditer(text) if match[0].strip()]
            pieces = [(match.end() - len(match[0].lstrip()), match.end()) for match in found]
            if place is None or len(pieces) != int(place[3]) - int(place[2]) + 1:
                raise ValueError(f"{article['title']}: the passage does not have the verses that its title names")
            chapter, first = int(place[1]), int(place[2])
            for number, (begin, end) in enumerate(pieces, first):
                if verses.setdefault((chapter, number), text[begin:end]) != text[begin:end]:
                    raise ValueError(f"verse {chapter}:{number} has two texts")
            for question in paragraph["qas"]:
                key = question["id"].split("\t")[-1]
                marks = questions.setdefault(key, (question["question"], set()))[1]
                for answer in question["answers"]:
                    start, stop = answer["answer_start"], answer["answer_start"] + len(answer["text"])
                    for number, (begin, end) in enumerate(pieces, first):
                        low, high = max(start, begin), min(stop, end)
                        if low < high:
                            marks.add(((chapter, number), low - begin, high - low))


RECORD = DataSet(
    name="qrcd",
    title="QRCD 1.1",
    about="questions in Arabic to verses of the Qur'an",
    home="https://github.com/RanaMalhas/QRCD",
    licence="CC BY-NC-ND 4.0; a prepared folder is for your own use, do not pass it on",
    citation="Malhas and Elsayed 2020, TALLIP 19(6); 2022, Information Processing and Management 59(6)",
    size="3,385 verses; 135 and 34 questions (train, test)",
    needs="the repository with dataset/qrcd_v1.1_train.json and qrcd_v1.1_test.json",
    mapping="the passages are put together to chapters of verses, as far as they go; relevant are the verses with "
    "marked text, over all passages of a question. Verses outside the passages are not there",
    level="//verse",
    stem="auto",
    prepare=prepare,
    layouts=(("qrcd_v1.1_train.json",),),
    known=(
        KnownFiles("qrcd_v1.1_train.json", "acb09705988eb5ca7b8c9223a0b214d819fe21c252a1fd4f5430eea3209b2011"),
        KnownFiles("qrcd_v1.1_test.json", "4948e10387de9e5673d415818e4d44b1f753013cfbc30cfc4c361c132b9fa982"),
    ),
    download="https://github.com/RanaMalhas/QRCD/archive/459f974b26afc2c839c0be33009687cc72615e2b.zip",
)
