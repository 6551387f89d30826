"""The fields of the presets on real collections, against plain lxml and the headers read literally."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from tests.conftest import FEW
from tests.paths import DATA

PARSER = etree.XMLParser(load_dtd=False, resolve_entities=False, huge_tree=True, recover=True)


def local(element: Any) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def below(element: Any, *names: str) -> list[Any]:
    """Return the elements that a path of children leads to."""
    found = [element]
    for name in names:
        found = [child for each in found for child in each if local(child) == name]
    return found


def text(element: Any) -> str:
    """Return all text of an element, elements apart by blanks."""
    return " ".join(" ".join(element.itertext()).split())


def whole(found: str | None) -> int | None:
    """Return the first number of a text."""
    number = re.search(r"\d+", found or "")
    return int(number[0]) if number else None


def article(root: Any) -> dict[str, Any]:
    """Return what a JATS article says."""
    meta = below(root, "front", "article-meta")
    dates = [date for each in meta for date in below(each, "pub-date")]
    first = [d for d in dates if "epub" in d.get("pub-type", "") or "pub" in d.get("date-type", "")]
    years = [y for ds in (first, dates) for d in ds for y in below(d, "year")]
    contribs = [c for each in meta for c in below(each, "contrib-group", "contrib")]
    authors = [c for c in contribs if c.get("contrib-type") == "author"]
    names = [text(n) for c in authors for n in c if local(n) in ("name", "collab")]
    titles = [t for each in below(root, "front", "journal-meta") for t in each.iter() if local(t) == "journal-title"]
    return {
        "year": whole(text(years[0])) if years else None,
        "journal": text(titles[0]) if titles else None,
        "type": root.get("article-type"),
        "author": names,
    }


def tei(root: Any) -> dict[str, Any]:
    """Return what a play of DraCor says."""
    stmt = below(root, "teiHeader", "fileDesc", "titleStmt")[0]
    events = [e for each in below(root, "standOff", "listEvent", "event") for e in [each.get("when")] if e]
    persons = [text(p) for p in below(stmt, "author", "persName")] or [text(a) for a in below(stmt, "author")]
    return {
        "year": whole(events[0]) if events else None,
        "language": root.get("{http://www.w3.org/XML/1998/namespace}lang"),
        "title": text(below(stmt, "title")[0]),
        "author": persons,
    }


def law(root: Any) -> dict[str, Any]:
    """Return what a law of Canada says."""
    about = below(root, "Identification")[0]
    registered = below(about, "RegistrationDate", "Date", "YYYY")
    read = below(about, "BillHistory", "Stages")[-1:]
    years = registered or [y for s in read for y in below(s, "Date", "YYYY")]
    years = years or below(about, "Chapter", "AnnualStatuteId", "YYYY")
    return {
        "year": whole(text(years[0])) if years else None,
        "language": root.get("{http://www.w3.org/XML/1998/namespace}lang"),
    }


def page(root: Any) -> dict[str, Any]:
    """Return what a page of Mallard says."""
    credits = [c for c in below(root, "info", "credit") if "author" in c.get("type", "").split()]
    last = below(root, "info", "revision")[-1:]
    return {
        "type": root.get("type"),
        "author": [text(n) for c in credits for n in below(c, "name")],
        "year": whole(last[0].get("date")) if last else None,
        "title": text(below(root, "title")[0]),
    }


def play(root: Any) -> dict[str, Any]:
    """Return what a play of Shakespeare says."""
    people = below(root, "PERSONAE")[0]
    return {"title": text(below(root, "TITLE")[0]), "character": [text(p) for p in people.iter("PERSONA")]}


COLLECTIONS: list[tuple[str, str, Callable[[Any], dict[str, Any]], int]] = [
    ("medium-jats-europepmc-sample", "jats", article, 12),
    ("odd-tei-amdracor", "tei", tei, 8),
    ("odd-tei-gerdracor-sample", "tei", tei, 12),
    ("odd-laws-canada-sample", "laws", law, 1),
    ("odd-mallard-gnome", "mallard", page, 12),
    ("small-shakespeare", "shakespeare", play, 1),
]
LENGTHY = [pytest.mark.slow, pytest.mark.lengthy]
SLOW = {"medium-jats-europepmc-sample", "odd-laws-canada-sample", "odd-tei-amdracor"}  # quicker TEI is there, too


def letters(value: Any) -> Any:
    """Return a value without what blanks and marks of joined words differ in."""
    if isinstance(value, list):
        return list(dict.fromkeys(map(letters, value)))
    return re.sub(r"\W", "", value) if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("name", "preset", "oracle", "every"),
    [pytest.param(*each, id=each[0], marks=LENGTHY if each[0] in SLOW else ()) for each in COLLECTIONS],
)
def test_fields_are_what_the_headers_say(
    tmp_path: Path, name: str, preset: str, oracle: Callable[[Any], dict[str, Any]], every: int
) -> None:
    archive = DATA / "collections" / f"{name}.tar.xz"
    if not archive.exists():
        pytest.skip("the shared collections are not here")
    said: dict[str, dict[str, Any]] = {}
    with trix.write(tmp_path / "i", profile=preset) as writer, tarfile.open(archive) as tar:
        members = [each for each in tar if each.isfile() and each.name.endswith(".xml")]
        for member in members[::every][: 6 if FEW else None]:
            data = tar.extractfile(member).read()
            root = etree.parse(io.BytesIO(data), PARSER).getroot()
            said[member.name] = oracle(root)
            writer.add_document(data, id=member.name)
    assert len(said) > 4
    with trix.open(tmp_path / "i") as index:
        for number in range(len(index)):
            found = index.fields.of(number)
            for field, value in said[index.files.ids[number]].items():
                assert letters(found.get(field)) == (letters(value) or None), (index.files.ids[number], field)
        if preset != "shakespeare":
            years = sorted(value["year"] for value in said.values() if value["year"])
            middle = years[len(years) // 2]
            found_docs = {r.doc for r in index.search("//*", top="all", where=f"year >= {middle}")}
            empty = {index.files.ids[n] for n in range(len(index)) if len(range(*index.files.document_range(n))) == 0}
            assert found_docs == {d for d, v in said.items() if v["year"] and v["year"] >= middle} - empty
            facet = index.search("//*", top=1, facet="year").facets["year"]
            counted = {y: sum(v["year"] == y and d not in empty for d, v in said.items()) for y in years}
            assert {count.value: count.documents for count in facet} == {y: n for y, n in counted.items() if n}
