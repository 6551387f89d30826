"""Headings as topics: the words of a heading ask for its section, from which the heading is taken out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from trix.datasets.silver.words import SilverTopic, enough
from trix.datasets.sources.trees import Element, children, documents, named, path, tag, text


@dataclass(frozen=True)
class HeadingRules:
    """Rules of a schema: its headings, and the sections that they ask for.

    Parameters
    ----------
    sections
        Tags of what has a heading.
    heading
        Tag of the heading, a child of the section.
    others
        Tags of the level beside them: what has no heading, or none that is asked for.
    preset, drop
        The profile that the set's own extends, and what that leaves out: the headings, and tables of contents.
    """

    sections: tuple[str, ...]
    heading: str
    preset: str
    drop: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def level(self) -> str:
        """The lowermost sections; text outside them is the rest of the level."""
        return "minor:" + "+".join((*self.sections, *self.others))

    @property
    def profile(self) -> str:
        """The text of the profile without headings."""
        dropped = ", ".join(f'"{each}"' for each in self.drop)
        return (
            f"# {self.preset} without the headings that are asked as queries.\n"
            f'name = "headings"\nextends = "{self.preset}"\ndrop = ["...", {dropped}]\n'
        )


KINDS = {
    "mallard": HeadingRules(("page", "section"), "title", "mallard", ("title",)),
    "rfc": HeadingRules(("section",), "name", "generic", ("name", "toc"), ("abstract", "references")),
    "uslm": HeadingRules(("section",), "heading", "laws", ("section/heading", "toc", "headingItem", "referenceItem")),
    "canada": HeadingRules(("Section", "Subsection"), "MarginalNote", "laws", ("MarginalNote", "TableOfContents")),
    "tcp": HeadingRules(
        tuple(f"DIV{n}" for n in range(1, 8)),
        "HEAD",
        "tei",
        ("HEAD", *(f"DIV1[@TYPE='{kind}']" for kind in ("table of contents", "contents", "toc", "index"))),
    ),
    "tei": HeadingRules(("div", *(f"div{n}" for n in range(8))), "head", "tei", ("head",)),
}

QUOTED = frozenset(("P", "p", "NOTE", "note", "Paragraph"))
"""Tags of texts that hold sections of other texts; those are no sections of their own."""

LEAST = 150
"""Characters that a section has without its heading, at least."""

_NUMBER = re.compile(
    r"\W*(?:(?i:chapter|chap|book|act|scene|sect|section|part|letter|number|numb|canto|psalm|appendix)\b\W*"
    r"(?:[IVXLCDMivxlcdm]+\b|\d[\d.]*)[\W_]*|[IVXLCDM]+\.\s+|\d+(?:\.\d+)*[.)]?\s+)"
)


def topics(folder: Path, kind: HeadingRules) -> list[SilverTopic]:
    """Return the headings of a collection that are there once, as topics."""
    return enough([pair for doc, root in documents(folder) for pair in titled(doc, root, kind)])


def titled(doc: str, root: Element, kind: HeadingRules) -> Iterator[tuple[str, SilverTopic]]:
    """Yield each heading of a document with its topic; the topic has no unit where the section is not of the level."""
    tags = (*kind.sections, *kind.others)
    for section in named(root, kind.sections):
        heads = children(section, kind.heading)
        if not heads:
            continue
        title = text(heads[0])
        lowermost = next(named_below(section, tags), None) is None
        quoted = not QUOTED.isdisjoint(map(tag, section.iterancestors()))
        long = len(text(section)) - len(title) >= LEAST
        units = (doc + path(section),) if lowermost and long and not quoted else ()
        yield unnumbered(title), SilverTopic(unnumbered(title), units)


def named_below(section: Element, tags: tuple[str, ...]) -> Iterator[Element]:
    """Yield the elements below a section with one of some tags."""
    return (element for element in named(section, tags) if element is not section)


def unnumbered(title: str) -> str:
    """Return a heading without its number.

    >>> unnumbered("CHAPTER LXXIX. Diamonds Are Diamonds."), unnumbered("3.1 The header"), unnumbered("Civil war")
    ('Diamonds Are Diamonds.', 'The header', 'Civil war')
    """
    found = _NUMBER.match(title)
    return title[found.end() :] if found else title
