"""Compare the profiles that the data suggests with the presets that were written by hand.

One row a collection beside the checkout, as a Markdown table: precision and recall of inline tags (those that stand in
text ten times or more in the sample), whether the draft's titles are the preset's, and its fields that have the values
of a field of the preset in 90 % of the documents that have either.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trix.errors import TrixError
from trix.indexer.collection.find import find_sources
from trix.indexer.collection.source import Source, read_many
from trix.indexer.document.parse import parse
from trix.indexer.profile.fields import FieldRule
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.profile.xpath import all_texts, first_value
from trix.indexer.suggest.decision import Certainty
from trix.indexer.suggest.draft import suggest
from trix.indexer.suggest.sample import count_sample, sampled
from trix.indexer.suggest.tags import FEWEST, all_inline

PRESETS = {
    "jats": "jats",
    "mallard": "mallard",
    "docbook": "docbook",
    "laws": "laws",
    "uslm": "laws",
    "tei": "tei",
    "tcp": "tei",
}
"""A part of a collection's name -> its preset."""

SAME = 0.9
"""Share of documents in which two fields, or two titles, need have the same value."""

READ = 40
"""Documents whose titles and fields are compared."""


@dataclass(frozen=True)
class Agreement:
    """How well a draft agrees with a preset; counts, of tags, documents and fields."""

    name: str
    preset: str
    documents: int
    inline: int
    inline_wanted: int
    inline_right: int
    titled: float
    fields: int
    fields_wanted: int
    fields_right: int

    def row(self) -> str:
        """Return a line of the table."""
        precision, recall = share(self.inline_right, self.inline), share(self.inline_right, self.inline_wanted)
        cells = [self.name, self.preset, f"{self.documents}", precision, recall, f"{100 * self.titled:.0f} %"]
        return f"| {' | '.join([*cells, f'{self.fields}', f'{self.fields_right} of {self.fields_wanted}'])} |"


def share(part: int, whole: int) -> str:
    """Return a share of few with both numbers.

    >>> share(3, 4), share(0, 0)
    ('0.75 (3/4)', '-')
    """
    return f"{part / whole:.2f} ({part}/{whole})" if whole else "-"


def same_values(some: list[Any], others: list[Any]) -> float:
    """Return the share of documents with the same value, of those in which either field has one.

    >>> same_values(["a", "b", None, None], ["a", "c", "d", None])
    0.3333333333333333
    """
    told = [(a, b) for a, b in zip(some, others, strict=True) if a is not None or b is not None]
    return sum(a == b for a, b in told) / len(told) if told else 0.0


def compare(name: str, preset: str, sources: list[Source]) -> Agreement:
    """Compare the draft of a collection with its preset."""
    counts = count_sample(sources)
    suggestion, wanted = suggest(counts), load_profile(preset)
    derived = suggestion.profile(Certainty.LIKELY)
    beside_text = {split_qname(tag)[1] for tag, each in counts.tags.items() if each.near >= FEWEST}
    inline = {split_qname(tag)[1] for tag in all_inline(counts)} & beside_text
    by_hand = {selector.tag for selector in (*wanted.inline, *wanted.unwrap)} & beside_text
    ours, theirs = read(derived, sampled(sources, READ)), read(wanted, sampled(sources, READ))
    right = sum(
        any(same_values(values, others) >= SAME for others in ours[1].values()) for values in theirs[1].values()
    )
    return Agreement(
        name,
        preset,
        counts.documents,
        len(inline),
        len(by_hand),
        len(inline & by_hand),
        same_values(ours[0], theirs[0]),
        len(ours[1]),
        len(theirs[1]),
        right,
    )


def read(profile: Profile, sources: list[Source]) -> tuple[list[Any], dict[str, list[Any]]]:
    """Return the titles of documents, and the values of each field that one of them has."""
    titles, fields = list[Any](), dict[str, list[Any]]()
    for number, root in enumerate(roots(sources)):
        titles.append(first_value(root, profile.title, profile.namespaces) if profile.title else None)
        for name, rule in profile.fields.items():
            value = field_value(root, rule, profile)
            if value is not None:
                fields.setdefault(name, [None] * number).append(value)
        for values in fields.values():
            values += [None] * (number + 1 - len(values))
    return titles, fields


def field_value(root: Any, rule: FieldRule, profile: Profile) -> Any:
    """Return the value of a field in a document, those of a field of many as a sorted tuple."""
    for path in rule.paths:
        found = [value for text in all_texts(root, path, profile.namespaces) if (value := rule.canonical(text))]
        if found:
            return tuple(sorted(set(found))) if rule.many else found[0]
    return None


def roots(sources: list[Source]) -> Iterator[Any]:
    """Yield the root of each file that can be read."""
    for source, data in read_many(sources):
        if isinstance(data, bytes):
            try:
                yield parse(data, source.id)
            except TrixError:
                continue


def table(found: list[Agreement]) -> str:
    """Return the comparison in Markdown."""
    head = "| collection | preset | documents | inline: precision | recall | same titles | fields | of the preset's |"
    return "\n".join([head, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |", *(each.row() for each in found)])


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="scripts/prove profiles", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a folder of unpacked collections, a folder each")
    given = parser.parse_args()
    found = []
    for folder in sorted(each for each in given.folder.iterdir() if each.is_dir()) if given.folder.is_dir() else []:
        preset = next((preset for part, preset in PRESETS.items() if part in folder.name), None)
        if preset is not None:
            sources = find_sources([str(folder)], warn=lambda _: None, unique=False)
            found.append(compare(folder.name, preset, sources))
            print(f"prove: {folder.name}", file=sys.stderr)
    if not found:
        print(f"prove: {given.folder}: no collection that a preset was written for", file=sys.stderr)
        return 2
    print(table(found))
    return 0
