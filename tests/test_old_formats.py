"""Indexes that earlier versions wrote are still read, and answer as they did.

`data/format-N.zip` holds an index of format N as it was built then (documents, sources, positions, attributes, a
namespace), `data/format-N.json` the answers that it gave. None of them is ever built anew.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import trix

DATA = Path(__file__).parent / "data"
FORMATS = sorted(int(path.stem.rpartition("-")[2]) for path in DATA.glob("format-*.zip"))


@pytest.fixture(params=FORMATS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """Return an old index, and what it answered."""
    with zipfile.ZipFile(DATA / f"format-{request.param}.zip") as archive:
        archive.extractall(tmp_path)
    return tmp_path / "golden.index", json.loads((DATA / f"format-{request.param}.json").read_text("utf-8"))


def test_an_old_index_answers_as_it_did(golden: tuple[Path, dict[str, Any]]) -> None:
    path, known = golden
    with trix.open(path) as index:
        for asked in known["answers"]:
            results = index.search(asked["query"], **asked["options"])
            found = [[r.label, r.doc, r.path, r.score, r.offset, r.length] for r in results]
            assert found == asked["results"], asked["query"]
            assert found


def test_an_old_index_shows_its_texts_and_is_sound(golden: tuple[Path, dict[str, Any]]) -> None:
    path, known = golden
    with trix.open(path) as index:
        for unit, text in known["texts"].items():
            assert "".join(index.show(unit).split()) == "".join(text.split())  # how it is laid out may change
    assert trix.check(path) == []
