"""Sources of data sets: archives, layouts, checksums as `sha256sum` prints them, trees."""

from __future__ import annotations

import hashlib
import tarfile
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from trix.datasets.sources.archive import KnownFiles, base_of, checksum, differences, opened_source
from trix.datasets.sources.trees import documents, path, paths
from trix.errors import UsageError


def test_checksums_of_several_files_are_those_of_the_list(tmp_path: Path) -> None:
    for name, text in {"b.txt": "two", "a.txt": "one", "c.xml": "three"}.items():
        (tmp_path / name).write_text(text)
    one, two = (hashlib.sha256(text).hexdigest() for text in (b"one", b"two"))
    listed = hashlib.sha256(f"{one}  a.txt\n{two}  b.txt\n".encode()).hexdigest()
    assert checksum(tmp_path, "*.txt") == listed and checksum(tmp_path, "a.txt") == one
    assert checksum(tmp_path, "*.json") is checksum(tmp_path, "gone") is None
    known = [KnownFiles("*.txt", listed), KnownFiles("a.txt", two), KnownFiles("gone", one)]
    expected = f"a.txt: not the version that was tried: SHA-256 {one[:12]}..., expected {two[:12]}..."
    assert differences(tmp_path, known) == [expected]


def test_a_layout_is_found_in_the_nearest_folder(tmp_path: Path) -> None:
    (tmp_path / "top/in/data").mkdir(parents=True)
    (tmp_path / "top/in/data/x.json").touch()
    assert base_of(tmp_path, [["data/*.json"]]) == tmp_path / "top/in"
    assert base_of(tmp_path, [["data/*.json", "more"], ["x.json"]]) == tmp_path / "top/in/data"
    assert base_of(tmp_path, [["y.json"]]) is None and base_of(tmp_path, []) == tmp_path


def test_an_archive_writes_nothing_outside_its_folder(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.write_text("text")
    with tarfile.open(tmp_path / "up.tar", "w") as packed:
        packed.add(inside, "../../outside")
    with pytest.raises(UsageError, match=r"the archive cannot be read: .*outside"), opened_source(tmp_path / "up.tar"):
        pass
    with zipfile.ZipFile(tmp_path / "up.zip", "w") as zipped:
        zipped.write(inside, "../../outside")
    with opened_source(tmp_path / "up.zip") as folder:
        assert [each.name for each in folder.rglob("*")] == ["outside"]
    assert not folder.exists()


def test_a_truncated_archive_is_an_error_of_one_line(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "whole.tar.gz", "w:gz") as packed:
        (tmp_path / "file").write_bytes(bytes(range(256)) * 400)
        packed.add(tmp_path / "file", "file")
    (tmp_path / "half.tar.gz").write_bytes((tmp_path / "whole.tar.gz").read_bytes()[:400])
    with pytest.raises(UsageError, match=r"half\.tar\.gz: .*archive") as error, opened_source(tmp_path / "half.tar.gz"):
        pass
    assert "\n" not in str(error.value)


def test_paths_of_a_tree_are_those_of_its_elements(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text('<a xmlns:n="n"><b/><!-- c --><n:b><b/></n:b><b>x</b><?p?></a>')
    (tmp_path / "b.xml").write_text("<a>")
    ((doc, root),) = documents(tmp_path)
    assert doc == "a" and list(paths(root).values()) == [path(each) for each in root.iter(etree.Element)]
