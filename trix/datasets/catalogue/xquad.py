"""XQuAD: questions to paragraphs of Wikipedia in twelve languages, in the form of SQuAD."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from trix.datasets.catalogue.record import DataSet, JudgedTopic, Writer
from trix.datasets.sources.archive import base_of
from trix.datasets.sources.spans import JudgedSpan
from trix.datasets.sources.trees import XML_LANG, asked

LANGUAGES = ("en", "ar", "de", "el", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")


def prepare(source: Path, writer: Writer) -> None:
    """Write an article as a document with its paragraphs, and a part for each language that is there."""
    base = base_of(source, "xquad.*.json")
    for language in LANGUAGES:
        path = base / f"xquad.{language}.json"
        if path.exists():
            given = json.loads(path.read_text(encoding="utf-8"))
            writer.part(language, list(_topics(given["data"], language, writer)), language)


def _topics(articles: list[dict[str, object]], language: str, writer: Writer) -> Iterator[JudgedTopic]:
    for number, article in enumerate(articles, 1):
        doc = f"{language}-{number:02}"
        root = etree.Element("article", {XML_LANG: language})
        title = etree.SubElement(root, "title", {XML_LANG: "en"})  # titles are not translated
        title.text = str(article["title"]).replace("_", " ")
        paragraphs: object = article["paragraphs"]
        assert isinstance(paragraphs, list)
        for place, paragraph in enumerate(paragraphs, 1):
            etree.SubElement(root, "p").text = paragraph["context"]
            path = f"/article[1]/p[{place}]"
            for question in paragraph["qas"]:
                spans = {
                    JudgedSpan(doc, path, answer["answer_start"], len(answer["text"])) for answer in question["answers"]
                }
                yield JudgedTopic(question["id"], asked(question["question"]), (doc + path,), tuple(spans))
        writer.document(doc, root, language)


RECORD = DataSet(
    name="xquad",
    title="XQuAD",
    about="questions to paragraphs of Wikipedia, the same in twelve languages",
    home="https://github.com/google-deepmind/xquad",
    licence="CC BY-SA 4.0; a prepared folder may be passed on under the same licence",
    citation="Artetxe, Ruder and Yogatama 2020, ACL; the questions are of SQuAD 1.1, Rajpurkar et al. 2016, EMNLP",
    size="48 articles and 1,190 questions in each of 12 languages",
    needs="a folder with xquad.en.json and the other languages",
    mapping="an article is a document; relevant is the paragraph (p) of the question, relevant text the marked answer",
    level="//p",
    stem="auto",
    prepare=prepare,
    download="https://github.com/google-deepmind/xquad/archive/7d30520c717524000f0d9d2f9c10a069acd9d285.zip",
    known=(),
)
