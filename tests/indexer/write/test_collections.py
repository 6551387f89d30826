"""The counts of real collections against an independent count: plain lxml, unicodedata, the rules read literally."""

from __future__ import annotations

import os
import tarfile
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from tests.oracle.reading import small
from tests.paths import DATA

EVERY = 1 if os.environ.get("TRIX_ALL_FILES") else 20
"""Of eLife every twentieth file is counted, with TRIX_ALL_FILES=1 every one (two minutes)."""

INLINE = (
    "b i u s em strong bold italic it tt sub sup sc scp small big font span code emph emphasis hi ref xref a ext-link "
    "named-content styled-content abbr acronym underline strike monospace overline roman"
)
INLINE_TAGS = frozenset(INLINE.split())


class Cut(dict[int, str | int | None]):
    """A table for `str.translate`: what is no part of a word becomes a blank."""

    def __missing__(self, code: int) -> str | int | None:
        self[code] = code if unicodedata.category(chr(code))[0] in "LMN" else " "
        return self[code]


CUT = Cut()
VANISHING = dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF])


def keys(text: str) -> list[str]:
    folded = map(small, unicodedata.normalize("NFKC", text.translate(VANISHING)))
    words = unicodedata.normalize("NFKC", "".join(folded)).translate(CUT).split()
    return [word for word in words if any(unicodedata.category(c)[0] in "LN" for c in word)]


def has_own_text(element: Any) -> bool:
    return any(text and not text.isspace() for text in (element.text, *(child.tail for child in element)))


def text_of(element: Any) -> str:
    parts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            border = "" if etree.QName(child).localname in INLINE_TAGS else "\n"
            parts += [border, text_of(child), border]
        parts.append(child.tail or "")
    return "".join(parts)


def content_elements(element: Any, counts: dict[str, int]) -> Iterator[str]:
    """Yield the text of each content element, and count the indexed elements."""
    if has_own_text(element):
        counts["elements"] += 1
        yield text_of(element)
        return
    before = counts["elements"]
    for child in element:
        if isinstance(child.tag, str):
            yield from content_elements(child, counts)
    counts["elements"] += counts["elements"] > before


def counted(folder: Path) -> dict[str, int]:
    counts = dict.fromkeys(("documents", "elements", "content_elements", "tokens", "postings", "xml_bytes"), 0)
    vocabulary: set[str] = set()
    for path in folder.rglob("*.xml"):
        counts["documents"] += 1
        counts["xml_bytes"] += path.stat().st_size
        for text in content_elements(etree.parse(path).getroot(), counts):
            found = keys(text)
            counts["content_elements"] += 1
            counts["tokens"] += len(found)
            counts["postings"] += len(set(found))
            vocabulary.update(found)
    return {**counts, "keys": len(vocabulary)}


def unpacked(name: str, folder: Path, every: int) -> Path:
    """Unpack every n-th XML file of a collection."""
    archive = DATA / "collections" / f"{name}.tar.xz"
    if not archive.is_file():
        pytest.skip(f"{archive} is not here; TRIX_DATA names the folder of the collections")
    place = 0
    with tarfile.open(archive, "r|xz") as tar:
        for member in tar:
            if member.isfile() and member.name.endswith(".xml"):
                if place % every == 0:
                    tar.extract(member, folder, filter="data")
                place += 1
    return folder


@pytest.mark.collection
@pytest.mark.parametrize(
    ("name", "every"),
    [("small-shakespeare", 1), pytest.param("medium-jats-elife", EVERY, marks=[pytest.mark.slow, pytest.mark.lengthy])],
)
def test_the_counts_of_a_build_are_those_of_an_independent_count(name: str, every: int, tmp_path: Path) -> None:
    docs = unpacked(name, tmp_path / "docs", every)
    summary = trix.build(docs, tmp_path / "i", profile="generic", stem="none", stop="none").to_json()
    expected = counted(docs)
    assert {count: summary[count] for count in expected} == expected
    assert expected["documents"] > 7
    assert expected["postings"] > 50_000
    with trix.open(tmp_path / "i") as index:
        facts = index.info()
    assert {count: facts[count] for count in expected} == expected
    assert trix.check(tmp_path / "i") == []
