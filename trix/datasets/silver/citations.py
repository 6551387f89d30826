"""Citations: titles of cited works ask for the paragraphs of a JATS collection that cite them.

A topic is the title, of at least 4 words, of a work that at least 6 paragraphs of at least 3 articles cite. Relevant
are the paragraphs (``p`` below a ``body``, not inside captions, tables, boxes or other paragraphs) that cite it. A
paragraph that discusses the work without a citation counts as not relevant.

The reference lists must not be indexed, or the titles themselves match: `PROFILE` drops them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from trix.datasets.silver.words import SilverTopic, drawn, normal
from trix.datasets.sources.trees import Element, document_id, parsed, xml_files
from trix.datasets.sources.trees import path as path_of

NOT_IN = {"caption", "table-wrap", "boxed-text", "p"}

PROFILE = """\
# The text of articles without their reference lists, for judgements that come from citations.
name = "silver"
extends = "generic"
drop = ["...", "ref-list"]
"""


LEVEL = "//body//p[not(ancestor::caption or ancestor::table-wrap or ancestor::boxed-text or ancestor::p)]"
"""The paragraphs that are judged, as a level."""


@dataclass
class Work:
    """A cited work: its title as it is written first, and the paragraphs that cite it."""

    title: str = ""
    paragraphs: dict[str, str] = field(default_factory=dict)
    """Unit (document id and path) -> document id, in order."""

    @property
    def documents(self) -> int:
        """Return how many articles cite it."""
        return len(set(self.paragraphs.values()))


def topics(folder: Path) -> list[SilverTopic]:
    """Return the titles of works that are cited often enough, at most 500 of them."""
    works, _ = read(xml_files(folder), folder)
    return drawn([SilverTopic(work.title, tuple(work.paragraphs)) for work in chosen(works.values(), 6, 3, 4)])


def read(files: Iterable[Path], folder: Path) -> tuple[dict[str, Work], list[tuple[Path, str]]]:
    """Return the cited works by normalised title, and the files that are no XML."""
    works: dict[str, Work] = defaultdict(Work)
    skipped = []
    for path in files:
        try:
            root = parsed(path)
        except etree.XMLSyntaxError as error:
            skipped.append((path, str(error)))
            continue
        doc = document_id(path, folder)
        titles = cited_titles(root)
        for key, title in titles.values():
            works[key].title = works[key].title or title
        for paragraph, targets in referring(root, "bibr"):
            unit = doc + path_of(paragraph)
            for key in dict.fromkeys(titles[target][0] for target in targets if target in titles):
                works[key].paragraphs[unit] = doc
    return works, skipped


def cited_titles(root: Element) -> dict[str, tuple[str, str]]:
    """Return id of a reference -> (normalised title, title)."""
    found = {}
    for ref in root.iter("ref"):
        title = next(ref.iter("article-title"), None)
        text = "" if title is None else " ".join("".join(map(str, title.itertext())).split())
        key = normal(text)
        if key and ref.get("id"):
            found[ref.get("id", "")] = key, text
    return found


def referring(root: Element, kind: str) -> Iterator[tuple[Element, list[str]]]:
    """Yield the paragraphs of the body with the ids that their references of a kind (``ref-type``) lead to."""
    for paragraph in root.iter("p"):
        above = {ancestor.tag for ancestor in paragraph.iterancestors()}
        if "body" not in above or above & NOT_IN:
            continue
        targets = [
            target
            for xref in paragraph.iter("xref")
            if xref.get("ref-type") == kind
            for target in xref.get("rid", "").split()
        ]
        if targets:
            yield paragraph, targets


def chosen(works: Iterable[Work], paragraphs: int, documents: int, words: int) -> list[Work]:
    """Return the works cited often enough, those of many articles first."""
    enough = [
        work
        for work in works
        if len(work.paragraphs) >= paragraphs
        and work.documents >= documents
        and len(work.title.split()) >= words  # shorter ones are names of programs
    ]
    return sorted(enough, key=lambda work: (-work.documents, -len(work.paragraphs), work.title))
