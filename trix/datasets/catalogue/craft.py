"""CRAFT: names of concepts to the paragraphs of articles in which people marked the concept."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.trees import Element, asked, flat, parsed, paths, text

LEAST, ARTICLES, MOST = 3, 2, 100
"""Paragraphs and articles of a concept at least, and its paragraphs at most: a concept in more is in most articles."""

_OUTSIDE = {"back", "ref-list"}


@dataclass
class Concept:
    """A class of an ontology and the paragraphs in which it is marked.

    Attributes
    ----------
    label
        Its name.
    units
        Paragraph (document id and path) -> document id.
    """

    label: str = ""
    units: dict[str, str] = field(default_factory=dict)


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write the articles as they are, and a topic for each concept that is marked in enough paragraphs."""
    concepts = defaultdict[str, Concept](Concept)
    marked = lost = 0
    for file, doc in sorted(_articles(base), key=lambda pair: pair[1]):
        content = file.read_bytes()
        writer.document(doc, content)
        plain = (base / "articles" / "txt" / f"{doc}.txt").read_text(encoding="utf-8")
        places = Paragraphs(doc, parsed(file), plain)
        for key, label, begin in _annotations(base / "concept-annotation", doc):
            unit = places.at(begin)
            marked += 1
            lost += unit is None
            if unit is not None:
                concept = concepts[key]
                concept.label = concept.label or label
                concept.units[unit] = doc
    writer.notice(f"{lost} of {marked} annotations are outside paragraphs: titles, and texts that differ")
    chosen = {
        key: concept
        for key, concept in sorted(concepts.items())
        if LEAST <= len(concept.units) <= MOST and len(set(concept.units.values())) >= ARTICLES
    }
    writer.part(
        "",
        [
            JudgedTopic(key, asked(concept.label.replace("_", " ")), tuple(concept.units))
            for key, concept in chosen.items()
            if any(map(str.isalnum, concept.label))
        ],
    )


def _articles(base: Path) -> Iterator[tuple[Path, str]]:
    for line in (base / "articles/ids/craft-idmappings.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, number = line.split("\t")
            if (file := base / "articles" / "nxml" / name).exists():
                yield file, number.strip()


class Paragraphs:
    """Paragraphs of an article at the places of its plain text.

    Both texts are compared without white space. A paragraph is looked for after the one before it, then anywhere.

    Parameters
    ----------
    doc
        Document id.
    root
        The article.
    plain
        The plain text, to which annotations refer.
    """

    def __init__(self, doc: str, root: Element, plain: str) -> None:
        whole = flat(plain)
        self._before = [0, *accumulate(not character.isspace() for character in plain)]
        places = paths(root)
        found = []
        cursor = 0
        for paragraph in root.iter("p"):
            own = flat(text(paragraph))
            outside = any(above.tag in _OUTSIDE for above in paragraph.iterancestors())
            if not own or outside or paragraph.find(".//p") is not None:
                continue
            at = whole.find(own, cursor)
            if at < 0:
                at = whole.find(own)
            if at >= 0:
                cursor = max(cursor, at + len(own))
                found.append((at, at + len(own), doc + places[paragraph]))
        self._found = sorted(found)
        self._begins = [begin for begin, _, _ in self._found]

    def at(self, position: int) -> str | None:
        """Return the paragraph, document id and path, at a character of the plain text; None outside paragraphs."""
        place = self._before[min(position, len(self._before) - 1)]
        row = bisect_right(self._begins, place) - 1
        return self._found[row][2] if row >= 0 and place < self._found[row][1] else None


def _annotations(folder: Path, doc: str) -> Iterator[tuple[str, str, int]]:
    """Yield concept, label and first character of the annotations of an article, without the extension classes."""
    for ontology in sorted(each for each in folder.iterdir() if each.is_dir()):
        yield from knowtator(ontology / ontology.name / "knowtator" / f"{doc}.txt.knowtator.xml")
        yield from knowtator2(ontology / f"{ontology.name}_without_genotype_annotations/knowtator-2/{doc}.xml")


def knowtator(file: Path) -> Iterator[tuple[str, str, int]]:
    """Yield concept, label and first character of the annotations in a file of Knowtator, if it is there."""
    if not file.exists():
        return
    root = parsed(file)
    classes = {}
    for each in root.iter("classMention"):
        of = each.find("mentionClass")
        if of is not None:
            classes[each.get("id")] = of.get("id", ""), (of.text or "").strip()
    for annotation in root.iter("annotation"):
        mention, span = annotation.find("mention"), annotation.find("span")
        if mention is not None and span is not None and mention.get("id") in classes:
            yield *classes[mention.get("id")], int(span.get("start", ""))


def knowtator2(file: Path) -> Iterator[tuple[str, str, int]]:
    """Yield concept, label and first character of the annotations in a file of Knowtator 2, if it is there."""
    if not file.exists():
        return
    for annotation in parsed(file).iter("annotation"):
        of, span = annotation.find("class"), annotation.find("span")
        if of is not None and span is not None:
            key = of.get("id", "").rpartition("/")[2].replace("_", ":")
            yield key, of.get("label", "").strip("'"), int(span.get("start", ""))


RECORD = DataSet(
    name="craft",
    title="CRAFT 5",
    about="names of biomedical concepts to the paragraphs in which the concept is marked, in whatever words",
    home="https://github.com/UCDenver-ccp/CRAFT",
    licence="CC BY 3.0 (annotations); each article names its own in its permissions",
    citation="Bada et al. 2012, BMC Bioinformatics 13:161; Cohen et al. 2017, Handbook of Linguistic Annotation",
    size="97 articles, 1,483 concepts",
    needs="the repository with articles and concept-annotation",
    mapping=f"a topic is the name of a concept of ten ontologies that is marked in {LEAST} to {MOST} paragraphs of "
    f"{ARTICLES} articles or more; relevant are the paragraphs (p) with a mark, found by their text in the plain text",
    level="//p[not(.//p)]",
    profile="jats",
    prepare=prepare,
    layouts=(("articles/nxml/*.nxml", "articles/ids/craft-idmappings.txt", "concept-annotation"),),
    known=(
        KnownFiles("articles/nxml/*.nxml", "81cbbefd2e3e7aa646f35e7698d01b2111bf01c86906a451a4584b5a7be8a487"),
        KnownFiles("articles/txt/*.txt", "4f22efbaf627a99948e39a41a0084fcc5e9f1273263208f806eb68df88b4b61f"),
        KnownFiles(
            "concept-annotation/*/*/knowtator/*.xml", "9f7bcb9581bc60b72c25391d17b74a44f735e002dcde891a2721c24708c52054"
        ),
        KnownFiles(
            "concept-annotation/MONDO/MONDO_without_genotype_annotations/knowtator-2/*.xml",
            "f63955533388a405e841dfe13015c34a2874ac0a14a22ec43c7067c6bee97797",
        ),
    ),
    download="https://github.com/UCDenver-ccp/CRAFT/archive/2abe82b8bb8089448b84937d5f61d8c218011322.zip",
)
