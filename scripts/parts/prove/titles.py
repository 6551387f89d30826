"""Titles of sections that occur once in a collection, and the numbers and ids that lead to one element."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from trix.datasets.silver.words import SilverTopic, normal, once
from trix.datasets.sources.trees import Element, children, documents, path, tag, text

HEADINGS = ("title", "head", "heading", "name", "MarginalNote", "HEAD", "TITLE")
"""Tags of headings."""

SECTIONS = re.compile(
    r"sec|section|subsection|sect[1-5]|refsect[1-3]|refsection|simplesect|chapter|appendix|preface|article|page|part|"
    r"Section|Subsection|div[0-7]?|DIV[1-8]|ACT|SCENE|app|ack|boxed-text"
)
"""Tags of what has one."""

NUMBERS = ("num", "Label")
_ID = "{http://www.w3.org/XML/1998/namespace}id"


def titles(folder: Path) -> list[SilverTopic]:
    """Return the titles of sections that occur once and have 3 telling words; the answer is the section."""
    return once(pair for doc, root in documents(folder) for pair in titled(doc, root))


def titled(doc: str, root: Element) -> Iterator[tuple[str, SilverTopic]]:
    """Yield each title of a document, whatever has it; with the section where it is one's."""
    for element in root.iter():
        if tag(element) not in HEADINGS:
            continue
        title, above = text(element), element.getparent()
        if title and above is not None:
            section = SECTIONS.fullmatch(tag(above)) is not None
            yield title, SilverTopic(title, (doc + path(above),) if section else ())


def numbers(folder: Path) -> list[SilverTopic]:
    """Return the numbers of sections that occur once, as ``§ 303`` or ``Article 12``."""
    found: list[tuple[str, str]] = []
    for doc, root in documents(folder):
        for section in root.iter():
            if SECTIONS.fullmatch(tag(section)):
                for number in (each for name in NUMBERS for each in children(section, name)):
                    found.append((text(number), doc + path(section)))
    return single(
        (words, unit) for words, unit in found if re.search(r"\d", words) and not words.strip("().").isdigit()
    )


def ids(folder: Path) -> list[SilverTopic]:
    """Return the ids of sections that occur once."""
    return single(
        (name, doc + path(element))
        for doc, root in documents(folder)
        for element in root.iter()
        if SECTIONS.fullmatch(tag(element)) and (name := element.get("id") or element.get(_ID) or "")
    )


def single(found: Iterable[tuple[str, str]]) -> list[SilverTopic]:
    """Return the texts that lead to one unit only."""
    pairs = list(found)
    often = Counter(normal(words) for words, _ in pairs)
    return [SilverTopic(words, (unit,)) for words, unit in pairs if normal(words) and often[normal(words)] == 1]
