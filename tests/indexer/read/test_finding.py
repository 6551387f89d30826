"""Elements by their paths."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import trix
from trix.indexer.store.files import IndexFiles
from trix.query.naming.names import Finder, Namer

PROFILE = """extends = "generic"
container = ["p"]
attributes = ["fig/@alt"]
"""


@pytest.fixture
def index(tmp_path: Path) -> IndexFiles:
    folder = tmp_path / "xml"
    folder.mkdir()
    (folder / "a.xml").write_text(
        '<a><s><t>one</t><p>run <i>of</i> text<fig alt="picture"><c>two</c></fig>another run</p></s>'
        "<s><t>three</t></s></a>"
    )
    (folder / "b.xml").write_text("<b/>")
    (folder / "c.xml").write_text("<a><s><t>four</t></s></a>")
    (tmp_path / "profile.toml").write_text(PROFILE)
    trix.build(folder, tmp_path / "index", profile=tmp_path / "profile.toml", jobs=1)
    return IndexFiles(tmp_path / "index")


def test_every_element_is_found_at_its_path(index: IndexFiles) -> None:
    elements = np.arange(index.totals["elements"], dtype=np.int32)
    documents = index.documents_of(elements)
    paths = Namer(index).names(elements, documents)[1]
    assert "/a[1]/s[1]/p[1]/text()[2]" in paths and "/a[1]/s[1]/p[1]/fig[1]/@alt" in paths
    finder = Finder(index)
    assert [finder.element(d, path) for d, path in zip(documents, paths, strict=True)] == elements.tolist()
    assert finder.element(0, "/a[1]/s[1]/p[1]/fig[1]/@alt[1]") == paths.index("/a[1]/s[1]/p[1]/fig[1]/@alt")


def test_an_empty_path_is_the_root(index: IndexFiles) -> None:
    finder = Finder(index)
    assert [finder.element(d, "") for d in range(3)] == [0, -1, finder.element(2, "/a[1]")]


@pytest.mark.parametrize(
    "path", ["/b[1]", "/a[1]/s[3]", "/a[1]/s[2]/p[1]", "/a[1]/s[2]/t[1]/u[1]", "/a[2]", "a", "/", "//s[1]"]
)
def test_other_paths_find_nothing(index: IndexFiles, path: str) -> None:
    assert Finder(index).element(0, path) == -1
    assert Finder(index).element(1, path) == -1
