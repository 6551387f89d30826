"""Tiny sources in the format of each data set; all words are our own."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON."""
    write(path, json.dumps(value, ensure_ascii=False))


def write_table(path: Path, *rows: dict[str, str]) -> None:
    """Write rows as CSV with a byte order mark."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def xquad(folder: Path) -> None:
    """Two languages, an article of two paragraphs each."""
    for language, words in {
        "en": ["A snail climbs the wall.", "At noon it sleeps."],
        "de": ["Eine Schnecke erklimmt die Mauer.", "Mittags schläft sie."],
    }.items():
        answer = {"en": "the wall", "de": "die Mauer"}[language]
        question = {"id": "q1", "question": 'What does "it" climb?'}
        question |= {"answers": [{"text": answer, "answer_start": words[0].index(answer)}]}  # type: ignore[dict-item]
        paragraphs = [{"context": words[0], "qas": [question]}, {"context": words[1], "qas": []}]
        article = {"title": "Garden_snail", "paragraphs": paragraphs}
        write_json(folder / f"xquad.{language}.json", {"version": "1", "data": [article]})


def qmsum(folder: Path) -> None:
    """A meeting in two of the parts."""
    turns = [{"speaker": f"Clerk {n}", "content": f"Turn {n} about gravel."} for n in range(5)]
    turns[4]["content"] = "The bell\x0c rings."
    for part, name in (("train", "quarry"), ("val", "pit")):
        questions = [
            {"query": "What was said about gravel?", "answer": "", "relevant_text_span": [["1", "2"], ["4", "4"]]},
            {"query": "Nothing at all?", "answer": "", "relevant_text_span": []},
        ]
        meeting = {"meeting_transcripts": turns, "specific_query_list": questions, "general_query_list": []}
        write_json(folder / "data" / "ALL" / part / f"{name}.json", meeting)


def obliqa(folder: Path) -> None:
    """A rulebook with nested provisions, one number of them twice."""
    passages = [
        ("1.", "GATES"), ("1.1", "Painting of gates"), ("1.1.1.(1)", "A gate must be green."),
        ("1.1.1.(2)", "A blue gate is no gate."), ("2.", "FENCES"), ("2.", "Fences are grey."), ("2.1", ""),
    ]  # fmt: skip
    rows = [
        {"ID": str(n), "DocumentID": 3, "PassageID": key, "Passage": text} for n, (key, text) in enumerate(passages)
    ]
    write_json(folder / "StructuredRegulatoryDocuments" / "3.json", rows)
    asked = [
        {"QuestionID": "a", "Question": "Which gate?", "Passages": [rows[2], rows[3]], "Group": 1},
        {"QuestionID": "b", "Question": "Which fence?", "Passages": [rows[5]], "Group": 1},
        {"QuestionID": "c", "Question": "Lost?", "Passages": [{"DocumentID": 9, "PassageID": "1", "Passage": "x"}]},
    ]
    write_json(folder / "ObliQA_dev.json", asked)


def qrcd(folder: Path) -> None:
    """Two passages of one chapter that share a verse; one question asks both."""
    first, second = "one fish. two fish swim. red bird", "red bird. blue bird."

    def paragraph(title: str, text: str, answer: str) -> dict[str, Any]:
        marked = {"text": answer, "answer_start": text.index(answer)}
        question = {"id": f"{title.split()[1]}\t7", "question": "Which fish swim?", "answers": [marked]}
        return {"title": title, "paragraphs": [{"context": text, "qas": [question]}]}

    data = [paragraph("Made-up 5:2-4", first, "fish swim. red"), paragraph("Made-up 5:4-5", second, "blue")]
    write_json(folder / "dataset" / "qrcd_v1.1_train.json", {"data": data, "version": "1"})


ARTICLE = (
    "<article><front><article-meta><title-group><article-title>Tea and {0}</article-title></title-group></article-meta>"
    "</front><body><sec><title>Results</title><p>Tea <!-- never --> made the {0}<sup>2</sup> calmer (P = 0.03).</p>"
    "<p>Water did not. <fig><caption><p>Calm {0} in a row.</p></caption></fig></p></sec></body></article>"
)


def evidence(folder: Path) -> None:
    """Two articles in the layout of the repository, with spans that count and others that do not."""
    for number, animal in (("1", "geese"), ("2", "ducks")):
        write(folder / f"annotations/xml_files/PMC{number}.nxml", ARTICLE.format(animal))
    prompt = {"Outcome": "calm", "Intervention": "tea", "Comparator": "water"}
    write_table(
        folder / "annotations/prompts_merged.csv",
        *({"PromptID": str(n), "PMCID": "1" if n < 3 else "2", **prompt} for n in range(1, 5)),
    )
    spans = [
        ("1", "1", "made the geese2 calmer (P = 0.03)", "True", "True"),
        ("1", "1", "Calm geese in a  row", "True", "True"),
        ("2", "1", "in a table", "True", "True"),
        ("3", "2", "Water did not", "True", "False"),
        ("4", "2", "Water did not", "True", "True"),
    ]
    write_table(
        folder / "annotations/v2_annotations.csv",
        *(
            {"PromptID": key, "PMCID": doc, "Annotations": span, "Valid Label": label, "Valid Reasoning": reasoning}
            for key, doc, span, label, reasoning in spans
        ),
    )


def mapped_evidence(folder: Path) -> None:
    """An article with topics and judgements that are mapped already."""
    write(folder / "articles/PMC1.xml", ARTICLE.format("geese"))
    write(folder / "topics.tsv", "1\tcalm tea\n")
    write(folder / "qrels.txt", "1 0 PMC1/article[1]/body[1]/sec[1]/p[1] 1\n")


def craft(folder: Path) -> None:
    """Two articles in which concepts of two ontologies are marked."""
    lines = ["#Format: names"]
    for doc in ("11", "12"):
        paragraphs = [f"The liver  of cat {n} is large." for n in range(2)]
        body = "".join(f"<p>{each}</p>" for each in paragraphs)
        write(
            folder / f"articles/nxml/J Cats-1-{doc}.nxml",
            f"<article><body><sec><title>Liver</title>{body}</sec></body></article>",
        )
        plain = "Liver\n\n" + "\n\n".join(each.replace("  ", " ") for each in paragraphs) + "\n"
        write(folder / f"articles/txt/{doc}.txt", plain)
        lines.append(f"J Cats-1-{doc}.nxml\tPMC{doc}\t{doc}")
        organs = [plain.index("Liver"), *(at for at in range(len(plain)) if plain.startswith("liver", at))]
        marks = "".join(
            f'<annotation><mention id="m{at}"/><annotator id="x">A</annotator><span start="{at}" end="{at + 5}"/>'
            "<spannedText>liver</spannedText></annotation>"
            for at in organs
        )
        classes = "".join(
            f'<classMention id="m{at}"><mentionClass id="UBERON:0002107">liver_organ</mentionClass></classMention>'
            for at in organs
        )
        of_uberon = folder / f"concept-annotation/UBERON/UBERON/knowtator/{doc}.txt.knowtator.xml"
        write(of_uberon, f'<annotations textSource="{doc}.txt">{marks}{classes}</annotations>')
        at = plain.index("large")
        write(
            folder / f"concept-annotation/MONDO/MONDO_without_genotype_annotations/knowtator-2/{doc}.xml",
            f'<knowtator-project><document id="{doc}"><annotation id="a"><class id="http://x.org/MONDO_0001" '
            f'label="\'large liver\'"/><span start="{at}" end="{at + 5}">large</span></annotation></document>'
            "</knowtator-project>",
        )
    write(folder / "articles/ids/craft-idmappings.txt", "\n".join(lines) + "\n")


def tcp(folder: Path) -> None:
    """A book of three pages with an index, and one without."""
    body = (
        '<BODY><DIV1><PB N="1"/><P>Of bees and of the ho∣ney that they keep.</P><PB N="2"/><P>Of wasps, who keep '
        '<PB N="3"/>none of it at all and are not loved for it by anybody.</P><P>Of flies.</P></DIV1></BODY>'
    )
    index = (
        '<BACK><DIV1 TYPE="index"><LIST><ITEM><HI>Bees,</HI> their love of honey, 1.</ITEM><ITEM>Wasps want all honey, '
        "page 2 <HI>note,</HI> 3, &amp; seq. See <HI>Bees.</HI></ITEM><ITEM>Ants, and their queens, 77</ITEM>"
        "<ITEM>Flies, 3.</ITEM></LIST></DIV1></BACK>"
    )
    write(folder / "books/K1.xml", f"<ETS><EEBO><TEXT>{body}{index}</TEXT></EEBO></ETS>")
    write(folder / "books/K2.xml", f"<ETS><EEBO><TEXT>{body}</TEXT></EEBO></ETS>")


def citations(folder: Path) -> None:
    """Three articles that cite one work in two paragraphs each, and refer to a figure."""
    paragraphs = "".join(
        f'<p>Walls {n} hold <xref ref-type="bibr" rid="b1">1</xref>, see <xref ref-type="fig" rid="f1">1</xref>.</p>'
        for n in range(2)
    )
    work = '<ref id="b1"><article-title>How dry stone walls are built</article-title></ref>'
    for number, city in enumerate(("Lisbon", "Kyoto", "Bergen")):
        title = f"<caption><title>Cracked walls number {number} in rainy {city}</title></caption>"
        body = f'<body><sec>{paragraphs}</sec><fig id="f1">{title}</fig></body>'
        back = f"<back><ref-list>{work}</ref-list></back>"
        write(folder / f"a{number}.xml", f"<article>{body}{back}</article>")


def headed(folder: Path) -> None:
    """Two pages of a manual with headings that occur once."""
    text = "Some words that fill the section with enough letters to be worth a search. " * 3
    for number, heading in enumerate(("Sharpen garden shears", "Oil wooden handles")):
        write(
            folder / f"p{number}.xml",
            f'<page xmlns="http://projectmallard.org/1.0/"><title>Tools</title><section><title>{heading}</title>'
            f"<p>{text}</p></section></page>",
        )


SOURCES: dict[str, Callable[[Path], None]] = {
    "xquad": xquad,
    "qmsum": qmsum,
    "obliqa": obliqa,
    "qrcd": qrcd,
    "evidence-inference": evidence,
    "craft": craft,
    "tcp-indexes": tcp,
    "silver-citations": citations,
    "silver-captions": citations,
    "silver-headings": headed,
}
"""Name of a data set -> function that writes a tiny source into a folder."""
