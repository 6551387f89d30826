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
from pathlib import Path

from trix.datasets.silver.citations import PROFILE, Work, chosen, read
from trix.datasets.sources.trees import xml_files


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
    files = xml_files(given.collection)
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
