"""Derive topics and judgements from the citations of a JATS collection.

A topic is the title, of at least 4 words, of a work that at least 6 paragraphs of at least 3 articles cite. Relevant
are the paragraphs (``p`` below a ``body``, not inside captions, tables, boxes or other paragraphs) that cite it. These
are silver judgements, not human ones: citing is a sign of relevance, and a paragraph that discusses the work without
citing it counts as not relevant. They serve to compare settings of one system and to train the parameters of
contextualisation. Say so wherever a figure from them is shown.

The reference lists must not be indexed, or the titles themselves match: ``silver.profile.toml`` is a profile that drops
them. Written into the folder: ``topics.tsv`` (id, title), ``qrels`` (TREC, document id and path) and the profile.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree
from scripts.parts.prove.xml import Element, document_id, parsed
from scripts.parts.prove.xml import files as files_of
from scripts.parts.prove.xml import path as path_of

from scripts.parts.prove.sets import normal

NOT_IN = {"caption", "table-wrap", "boxed-text", "p"}

PROFILE = """\
# The text of articles without their reference lists, for judgements that come from citations.
name = "silver"
extends = "generic"
drop = ["...", "ref-list"]
"""


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


def main() -> int:
    """Read the command line and write the files."""
    parser = argparse.ArgumentParser(
        prog="scripts/prove silver", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("collection", type=Path, help="a folder of JATS files")
    parser.add_argument("folder", type=Path, help="where topics.tsv, qrels and silver.profile.toml go")
    parser.add_argument("--paragraphs", type=int, default=6, help="citing paragraphs, at least [default: 6]")
    parser.add_argument("--documents", type=int, default=3, help="citing articles, at least [default: 3]")
    parser.add_argument("--words", type=int, default=4, help="words in a title, at least [default: 4]")
    given = parser.parse_args()
    files = files_of(given.collection)
    if not files:
        parser.error(f"{given.collection}: no *.xml file is there")
    works, skipped = read(files, given.collection)
    topics = chosen(works.values(), given.paragraphs, given.documents, given.words)
    write(topics, given.folder)
    judged = sum(len(work.paragraphs) for work in topics)
    print(f"{len(files) - len(skipped)} articles, {len(works)} works cited, {len(topics)} topics, {judged} judgements")
    for path, reason in skipped:
        print(f"silver: skipped {path}: {reason}", file=sys.stderr)
    return 0 if topics else 1


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


def write(topics: list[Work], folder: Path) -> None:
    """Write topics, judgements and the profile."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{number}\t{work.title}\n" for number, work in enumerate(topics, 1)]
    (folder / "topics.tsv").write_text("".join(lines), encoding="utf-8")
    judged = [f"{number} 0 {unit} 1\n" for number, work in enumerate(topics, 1) for unit in sorted(work.paragraphs)]
    (folder / "qrels").write_text("".join(judged), encoding="utf-8")
    (folder / "silver.profile.toml").write_text(PROFILE, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
