"""XQuAD: questions to paragraphs of Wikipedia in twelve languages, in the form of SQuAD."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.spans import JudgedSpan
from trix.datasets.sources.trees import XML_LANG, asked

LANGUAGES = ("en", "ar", "de", "el", "es", "hi", "ro", "ru", "th", "tr", "vi", "zh")


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write an article as a document with its paragraphs, and a part for each language that is there."""
    for language in LANGUAGES:
        path = base / f"xquad.{language}.json"
        if path.exists():
            given = json.loads(path.read_text(encoding="utf-8"))
            writer.part(language, list(_topics(given["data"], language, writer)), language)


def _topics(articles: list[dict[str, object]], language: str, writer: CollectionWriter) -> Iterator[JudgedTopic]:
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
    layouts=(("xquad.*.json",),),
    download="https://github.com/google-deepmind/xquad/archive/7d30520c717524000f0d9d2f9c10a069acd9d285.zip",
    known=(
        KnownFiles("xquad.ar.json", "abdabd7afed5c635d99cca0f3f0d0c9d9ed0bc77451e963c2e4e0638c29e486d"),
        KnownFiles("xquad.de.json", "990b5d746746ed65ed4702ea5f35f99ffa4e2f1c390c07d003642acd937916f9"),
        KnownFiles("xquad.el.json", "821cf0f88e73fa258fd2f548b19b6ec39f7025059e16f6f9fc8cd797c9c3663e"),
        KnownFiles("xquad.en.json", "e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29"),
        KnownFiles("xquad.es.json", "dcbae93ec3a9f4b9e78fd834a171d6f96c1a875e10e15b7530b7e4ef4971e37e"),
        KnownFiles("xquad.hi.json", "df2cce3532b37e9beb8979704b5c9a4bf874358f105395a298b89427b43b9d24"),
        KnownFiles("xquad.ro.json", "94f8d54e93ad2b7dd2e76dd921a666b5b8eff2d4379df9f179c42b445f09643f"),
        KnownFiles("xquad.ru.json", "208d5b1aa154c52b1b5c5eda16281e455e8fd198cdb9af3f469f0d6037d973bf"),
        KnownFiles("xquad.th.json", "5cdda11d0e1e075f7872abf4e6ae830388ce7f617964d542308e9ae4257e0f43"),
        KnownFiles("xquad.tr.json", "92179a564774b7696100d144c1e10870d0a966b6fccbdd254a65b9d2ab1971cc"),
        KnownFiles("xquad.vi.json", "f619a1eb11fb42d3ab0834259e488a65f585447ef6154437bfb7199d85161a04"),
        KnownFiles("xquad.zh.json", "691d0b3359bc6b8faa8de931dfdfe21d50a65861ae348e32a0d1a0190b0c8835"),
    ),
)
