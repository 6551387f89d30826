"""Both readers on real collections, each under the preset that knows it: the same index, byte for byte."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

import trix
from tests.paths import DATA
from trix.indexer.document.reader import DocumentReader
from trix.indexer.markup.reader import MarkupReader
from trix.indexer.write import builder

MOST = 2_000_000
"""Bytes that are taken of a collection, or all with TRIX_ALL_FILES=1."""

COLLECTIONS = {
    "medium-jats-elife": "jats",
    "medium-jats-europepmc-sample": "jats",
    "odd-docbook-php-raw-sample": "docbook",
    "odd-laws-canada-sample": "laws",
    "odd-mallard-gnome": "mallard",
    "odd-tcp-evans-ecco-sample": "tei",
    "odd-tei-amdracor": "tei",
    "odd-tei-perseus-latin-sample": "tei",
    "odd-uslm": "laws",
    "small-shakespeare": "shakespeare",
}


@pytest.mark.slow
@pytest.mark.collection
@pytest.mark.parametrize("name", COLLECTIONS)
def test_an_index_is_the_same_byte_for_byte(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = DATA / "collections" / f"{name}.tar.xz"
    if not archive.exists():
        pytest.skip(f"{archive} is not here; TRIX_DATA names the folder of the collections")
    taken = 0
    with tarfile.open(archive, "r|xz") as packed:
        for member in packed:
            if taken > MOST and not os.environ.get("TRIX_ALL_FILES"):
                break
            if member.isfile() and member.name.endswith(".xml"):
                packed.extract(member, tmp_path / "xml", filter="data")
                taken += member.size
    built = []
    for folder, reader in (("markup", MarkupReader), ("trees", DocumentReader)):
        monkeypatch.setattr(builder, "reader_for", reader)
        trix.build(tmp_path / "xml", tmp_path / folder, profile=COLLECTIONS[name], stem="auto", jobs=1)
        built.append({path.name: path.read_bytes() for path in (tmp_path / folder).glob("*.segment")})
    assert built[0] == built[1] and len(built[0]) == 1
