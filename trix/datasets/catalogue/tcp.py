"""Printed indexes of books of the Text Creation Partnership: entries to the pages that they name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lxml import etree

from trix.datasets.catalogue.record import CollectionWriter, DataSet, JudgedTopic
from trix.datasets.sources.spans import JudgedSpan
from trix.datasets.sources.trees import Element, flat, named, parsed, paths, tag, text, xml_files
from trix.errors import UsageError

DIVISIONS = tuple(f"DIV{number}" for number in range(1, 8))
_PAGES = re.compile(r"\b(\d{1,4})(?:\s*[-–—]\s*(\d{1,4}))?\b")
_SEE = re.compile(r"\bSee\b.*", re.DOTALL)
_MARKS = re.compile(r"\b(?:pages?|p|note|n|et|seq|ibid)\b\.?|&|\d+", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’]\w+)*")
MOST, WORDS = 10, 3
"""Entries of a book at most, and words of an entry at least: shorter ones are in many books."""

HALF = 0.5
"""Share of a page in a paragraph, or of a paragraph on the pages, from which the paragraph is relevant."""

_DROPPED = ", ".join(f"\"{name}[@TYPE='index']\"" for name in DIVISIONS)

PROFILE = f"""\
# Books without their printed indexes, which are asked as queries.
name = "tcp-indexes"
extends = "tei"
drop = ["...", {_DROPPED}]
"""


@dataclass
class PrintedPage:
    """A printed page: where it begins and ends, and how many letters of each paragraph it has.

    Attributes
    ----------
    begin, end
        Paths of its page break, and of the next one or of the root.
    size
        Letters on it.
    paragraphs
        Path of a paragraph -> its letters on the page.
    """

    begin: str
    end: str
    size: int = 0
    paragraphs: Counter[str] = field(default_factory=Counter)


def prepare(base: Path, writer: CollectionWriter) -> None:
    """Write the books that have an index as they are, and a topic for each entry that names a page of its book."""
    topics: list[JudgedTopic] = []
    others = broken = 0
    for doc, file in {file.stem: file for file in xml_files(base)}.items():
        content = file.read_bytes()
        if b'TYPE="index"' not in content:
            others += 1
            continue
        try:
            root = parsed(file)
        except etree.XMLSyntaxError:
            broken += 1
            continue
        found = spread(entries(doc, root, [each for each in named(root, DIVISIONS) if each.get("TYPE") == "index"]))
        if found:
            writer.document(doc, content)
            topics += found
        else:
            others += 1
    if not topics:
        raise UsageError("expected books of the Text Creation Partnership (XML) with an index; none was found")
    if others or broken:
        writer.notice(f"{others} books without entries that name a page and {broken} broken files were left out")
    writer.part("", topics)


def entries(doc: str, root: Element, indexes: list[Element]) -> Iterator[JudgedTopic]:
    """Yield the entries of a book's indexes that have words and name pages of the book."""
    pages = pages_of(root)
    sizes = Counter[str]()
    for page in pages.values():
        sizes.update(page.paragraphs)
    items = [item for index in indexes for item in named(index, ["ITEM"]) if item.find(".//ITEM") is None]
    for number, item in enumerate(items, 1):
        entry = _SEE.sub("", text(item))
        wanted = [page for page in map(pages.get, page_numbers(entry)) if page is not None and page.size]
        words = _WORD.findall(_MARKS.sub(" ", entry))
        there = sum((page.paragraphs for page in wanted), Counter[str]())
        units = [
            doc + place
            for place, letters in there.items()
            if letters >= HALF * sizes[place] or any(page.paragraphs[place] >= HALF * page.size for page in wanted)
        ]
        if len(words) >= WORDS and units:
            spans = tuple(JudgedSpan(doc, page.begin, last=page.end) for page in wanted)
            yield JudgedTopic(f"{doc}-{number}", " ".join(words), tuple(units), spans)


def spread(topics: Iterable[JudgedTopic]) -> list[JudgedTopic]:
    """Return at most `MOST` topics of a book, at even distances."""
    found = list(topics)
    count = min(MOST, len(found))
    return [found[place * len(found) // count] for place in range(count)]


def page_numbers(entry: str) -> list[str]:
    """Return the numbers in an entry, ranges of at most 20 pages written out.

    >>> page_numbers("Gospel, its moral duties, 7. Is the law of liberty, 24, & seq. 30-32")
    ['7', '24', '30', '31', '32']
    """
    found: dict[str, None] = {}
    for first, last in _PAGES.findall(entry):
        pages = range(int(first), int(last or first) + 1)
        found |= dict.fromkeys(map(str, pages if 0 < len(pages) <= 20 else (int(first),)))
    return list(found)


def pages_of(root: Element) -> dict[str, PrintedPage]:
    """Return the pages of a book by their printed numbers; a number that is there twice is left out."""
    found: dict[str, list[PrintedPage]] = defaultdict(list)
    page: PrintedPage | None = None
    paragraph, inside = "", 0
    places = paths(root)
    whole = places[root]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name = tag(element)
        if event == "start" and name == "PB":
            place = places[element]
            if page is not None:
                page.end = place
            page = PrintedPage(place, whole)
            found[element.get("N", "")].append(page)
        elif name == "P":
            inside += 1 if event == "start" else -1
            if not paragraph or not inside:
                paragraph = places[element] if inside else ""
        piece = element.text if event == "start" and name else element.tail if event == "end" else None
        if page is not None and piece and element is not root:
            size = len(flat(piece))
            page.size += size
            if paragraph:
                page.paragraphs[paragraph] += size
    return {number: pages[0] for number, pages in found.items() if number and len(pages) == 1}


RECORD = DataSet(
    name="tcp-indexes",
    title="Printed indexes of the Text Creation Partnership",
    about="entries of the printed index of a book to the pages that they name",
    home="https://github.com/Text-Creation-Partnership/ECCO-TCP",
    licence="CC0 1.0",
    citation="Text Creation Partnership 2014, releases of ECCO-TCP and Evans-TCP",
    size=f"133 books with an index in ECCO-TCP, at most {MOST} entries of each",
    needs="a folder of books with the upper-case tags of the TCP (ETS, DIV1, PB); of ECCO-TCP ecco_all/ecco/XML",
    mapping=f"an entry of {WORDS} words or more asks for the pages that it names; relevant text is these pages, "
    "relevant are the paragraphs (P) that have half of a page, or lie by half on the pages. Indexes are not searched; "
    f"of a book {MOST} entries at most are taken, at even distances",
    level="//P[not(ancestor::P)]",
    profile=PROFILE,
    prepare=prepare,
    tried="the 166 XML files of ECCO-TCP with an index, and a sample of 40 books",
)
