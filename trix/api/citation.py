"""Citations: what a document or an element is called, by whom, of when, and an address that lasts.

The address is made of the id that the element has in its source, or of its path. A label is never in it: labels change
when a profile does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from trix.errors import UsageError
from trix.indexer.places.spans import PlaceRange
from trix.query.display.breadcrumb import SEPARATOR, breadcrumb, titles_alone
from trix.support.element_path import lasting_id

if TYPE_CHECKING:
    from trix.api.answers import Answers

LONGEST = 300
"""Largest number of characters of a quotation."""

AUTHORS = ("author", "authors", "creator")
DATES = ("date", "published", "year")
CONTAINERS = ("journal", "series", "collection")
"""Profile fields with the authors, the date and the container of a document."""

_LOCATORS = ("book", "chapter", "column", "folio", "line", "page", "section", "verse")
"""Names of milestones that are locators in CSL."""

_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d)?)?")
_IN_BIBTEX = re.compile(r"[\\{}%$#&_~^]")
_BIBTEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


@dataclass(frozen=True, kw_only=True)
class Citation:
    """Citation of a document or an element.

    Attributes
    ----------
    doc, path
        Id of the document, and path of the element; empty for the document itself.
    id
        The element's id in its source, if it is unique; for a place its name, such as ``page=214``.
    title
        Title of the document; its id if it has none.
    sections
        Titles of the enclosing sections, outermost first.
    authors
        Names as written in the document.
    date
        ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; empty if unknown.
    container, publisher, doi, language
        Fields of the document; empty if it has none.
    places
        Pages, verses and lines of the element; empty for a document.
    quotation
        Quoted text.
    url
        Address to read it at, or empty.
    accessed
        Day of the citation, ``YYYY-MM-DD``, or empty.
    """

    doc: str
    path: str
    id: str
    title: str
    sections: tuple[str, ...]
    authors: tuple[str, ...]
    date: str
    container: str
    publisher: str
    doi: str
    language: str
    quotation: str
    places: tuple[PlaceRange, ...] = ()
    url: str = ""
    accessed: str = ""

    @property
    def address(self) -> str:
        """Document id, with ``#`` and the id of the element, or with its path; `Index.show` takes it."""
        return f"{self.doc}#{self.id}" if self.id else self.doc + self.path

    @property
    def year(self) -> str:
        """Year of the date."""
        return self.date[:4]

    @property
    def text(self) -> str:
        """The citation in one paragraph: authors (year). Title. Container. Sections, pages: “quotation”. Address."""
        year = f" ({self.year})" if self.year else ""
        who, title = ("; ".join(self.authors) + year, self.title) if self.authors else ("", self.title + year)
        parts = [who, title, self.container or self.publisher, self.note]
        sentences = " ".join(part if part[-1] in ".?!”" else f"{part}." for part in parts if part)
        day = f" ({self.accessed})" if self.accessed else ""
        return f"{sentences} {self.url or self.address}{day}"

    @property
    def note(self) -> str:
        """Sections, places and quotation."""
        where = ", ".join([*filter(None, [SEPARATOR.join(self.sections)]), *(place.text for place in self.places)])
        return ": ".join(filter(None, (where, self.quotation and f"“{self.quotation}”")))

    @property
    def pages(self) -> tuple[str, str]:
        """Numbers of the first and the last page; empty if pages are unknown."""
        return next(((of.first[-1], of.last[-1]) for of in self.places if of.name == "page"), ("", ""))

    def csl(self) -> dict[str, Any]:
        """Return the item in CSL-JSON, which citation managers read."""
        kind = "article-journal" if self.container else "book" if self.publisher else "document"
        item: dict[str, Any] = {"id": self.address, "type": kind, "title": self.title}
        item["author"] = [_csl_name(name) for name in self.authors]
        item["issued"] = _csl_date(self.date)
        item["container-title"], item["publisher"] = self.container, self.publisher
        item["DOI"], item["language"], item["URL"] = self.doi, self.language, self.url
        item["accessed"] = _csl_date(self.accessed)
        item["note"], item["page"] = self.note, "-".join(dict.fromkeys(filter(None, self.pages)))
        if self.places:
            place = self.places[-1]
            item["label"] = place.name if place.name in _LOCATORS else ""
            item["locator"] = place.text if len(place.first) > 1 else "-".join(dict.fromkeys(place.first + place.last))
        return {name: value for name, value in item.items() if value}

    def bibtex(self) -> str:
        """Return the entry in BibTeX, in Unicode; characters that mean something to TeX are written out."""
        kind = "article" if self.container else "book" if self.publisher else "misc"
        fields = {
            "author": " and ".join(f"{{{_tex(each)}}}" if " and " in each else _tex(each) for each in self.authors),
            "title": f"{{{_tex(self.title)}}}", "year": self.year, "journal": _tex(self.container),
            "publisher": _tex(self.publisher), "doi": _tex(self.doi), "url": self.url, "urldate": self.accessed,
            "pages": "--".join(dict.fromkeys(_tex(page) for page in self.pages)), "note": _tex(self.note),
        }  # fmt: skip
        lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value.strip("{}")]
        return f"@{kind}{{{self.key},\n{''.join(lines)}}}\n"

    def ris(self) -> str:
        """Return the record in RIS, whose lines end in CR and LF."""
        kind = "JOUR" if self.container else "BOOK" if self.publisher else "GEN"
        rows = [("TY", kind), *(("AU", name) for name in self.authors), ("TI", self.title), ("PY", self.year)]
        rows += [("DA", self.date.replace("-", "/")), ("JO", self.container), ("PB", self.publisher), ("DO", self.doi)]
        rows += [("SP", self.pages[0]), ("EP", self.pages[1])]
        rows += [("LA", self.language), ("UR", self.url), ("Y2", self.accessed.replace("-", "/")), ("N1", self.note)]
        lines = [f"{tag}  - {' '.join(value.split())}\r\n" for tag, value in rows if value]
        return "".join([*lines, "ER  - \r\n"])

    @property
    def key(self) -> str:
        """Key of the entry in BibTeX: first family name, year, and what the address has of plain characters."""
        first = self.authors[0] if self.authors else ""
        family = first.partition(",")[0] if "," in first else first.rpartition(" ")[2]
        where = re.sub(r"[^A-Za-z0-9]+", "-", self.address).strip("-")
        return "-".join(filter(None, (re.sub(r"[^A-Za-z]", "", family).lower(), self.year, where)))


FORMATS: Mapping[str, Callable[[Citation], str | dict[str, Any]]] = {
    "text": lambda cited: cited.text,
    "csl": Citation.csl,
    "bibtex": Citation.bibtex,
    "ris": Citation.ris,
}
"""Forms of a citation by name."""


def cite(now: Answers, unit: str, quotation: str | None = None, base: str = "", accessed: str = "") -> Citation:
    """Cite a document or an element.

    Parameters
    ----------
    now
        The index state to cite from.
    unit
        A document id, alone, with a path, or with ``#`` and an id; or a label.
    quotation
        Text to quote; None for the beginning of the element, and for nothing of a document.
    base
        Address of a server of the index, such as ``https://example.org/``.
    accessed
        See `Citation`.

    Raises
    ------
    UsageError
        There is no such document or element, or `accessed` is no date.
    SourceError
        The source has moved or changed.
    """
    if accessed and not _is_date(accessed):
        raise UsageError("expected a date, as 2026-11-28", field="accessed", got=accessed)
    viewer, files = now.viewer, now.files
    document, path = viewer.unit(unit)
    placed = viewer.place(unit)
    element = path.partition("/@")[0] if "/@" in path else re.sub(r"/[^/]*\(\)(?:\[\d+\])?$", "", path)
    root = viewer.texts.document(document).root
    node = viewer.source_node(document, element, root) if element.count("/") > 1 else None
    name = unit.rpartition("#")[2] if placed else "" if node is None else lasting_id(node)
    if quotation is None:
        quotation = _begun(now.viewer.text(unit)) if node is not None else ""
    fields = now.searcher.restriction.fields.of(document)
    title = " ".join(files.titles[document].split()) or files.ids[document]
    place = ""
    if base:
        where = f"?id={_quoted(name)}" if name else f"?at={_quoted(element)}" if node is not None else ""
        where = f"?place={_quoted(name)}" if placed else where
        place = f"{base.rstrip('/')}/read/{_quoted(files.ids[document])}{where}"
    return Citation(
        doc=files.ids[document], path="" if node is None else element, id=name, title=title,
        sections=() if node is None else _sections(viewer.texts.headings.above(node, root), element, title),
        authors=_all(fields, AUTHORS), date=_date(fields), container=_first(fields, CONTAINERS),
        places=() if node is None else tuple(
            files.places(document).among(*(placed or viewer.stretch(document, path)))
        ),
        publisher=_first(fields, ("publisher",)), doi=_first(fields, ("doi",)), language=_first(fields, ("language",)),
        quotation=" ".join(quotation.split()), url=place, accessed=accessed,
    )  # fmt: skip


def _quoted(name: str) -> str:
    """Percent-encode a name for an address; file names need not be UTF-8."""
    return quote(name, errors="surrogateescape")


def _sections(titles: Sequence[str], path: str, title: str) -> tuple[str, ...]:
    return tuple(titles_alone(breadcrumb(titles, path, title), path))


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _begun(text: str) -> str:
    """Return the beginning of a text, cut after a word.

    >>> _begun("one two"), len(_begun("word " * 100)), _begun("word " * 100)[-8:]
    ('one two', 295, 'rd word…')
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rpartition(' ')[0]}…"


def _all(fields: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, ...]:
    values = next((fields[name] for name in names if fields.get(name)), ())
    return tuple(str(each) for each in values) if isinstance(values, list | tuple) else (str(values),)


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next(iter(_all(fields, names)), "")


def _date(fields: Mapping[str, Any]) -> str:
    dates = (_DATE.match(_first(fields, (name,))) for name in DATES)
    return next((date[0] for date in dates if date), "")


def _csl_name(name: str) -> dict[str, str]:
    family, comma, given = (part.strip() for part in name.partition(","))
    return {"family": family, "given": given} if comma else {"literal": name}


def _csl_date(date: str) -> dict[str, list[list[int]]]:
    return {"date-parts": [[int(part) for part in date.split("-")]]} if date else {}


def _tex(text: str) -> str:
    return _IN_BIBTEX.sub(lambda found: _BIBTEX.get(found[0], f"\\{found[0]}"), text)
