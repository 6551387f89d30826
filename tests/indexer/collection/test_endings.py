"""Which endings are read without being asked for, which files are opened as archives, and what is said of the rest."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

import trix
from tests.conftest import Cli
from trix.errors import SourceError
from trix.indexer.change.origins import Origins
from trix.indexer.collection import find
from trix.indexer.collection.find import find_sources, read_many
from trix.indexer.collection.first_bytes import beginning_of
from trix.indexer.collection.globs import DEFAULT_GLOBS, FIRST_GLOBS, Globs
from trix.indexer.commit.commit import Commit, newest_commit, write_commit

OF_SCHEMAS = ["xml", "nxml", "dita", "ditamap", "mei", "tei", "xhtml", "musicxml", "fodt", "osis", "usfx", "akn", "fb2"]
OF_SCHEMAS += ["xlf", "tmx"]
BY_GLOB = ("html", "svg", "rdf", "gpx", "page", "xsl")

XHTML = b'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>%s</p></body></html>'


def make(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


BOOK = zipped(
    {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": b"<container/>",
        "OPS/book.opf": b"<package/>",
        "OPS/toc.ncx": b"<ncx/>",
        "OPS/one.xhtml": XHTML % b"one whale",
        "OPS/two.HTML": b"<?xml version='1.0'?>\n" + XHTML % b"two whales",
        "OPS/old.html": b"<html><body><p>tag soup<br></body></html>",
        "OPS/data.xml": b"<data>no text of the book</data>",
        "OPS/._one.xhtml": b"",
    }
)
LETTER = zipped(
    {"content.xml": b"<office><p>a letter</p></office>", "meta.xml": b"<m>me</m>", "Object 1/content.xml": b"<x/>"}
)
SCORE = zipped(
    {
        "META-INF/container.xml": b'<container><rootfiles><rootfile full-path="b.xml"/></rootfiles></container>',
        "a.xml": b"<other/>",
        "b.xml": b"<score><words>a score</words></score>",
    }
)
PACKAGES = {"b/book.epub": BOOK, "letter.ODT": LETTER, "score.mxl": SCORE}


def paths(collection: Path, glob: tuple[str, ...] = ()) -> list[str]:
    return [source.path for source in find_sources([collection], glob)]


def test_endings_of_schemas_are_read_in_any_case_and_compressed_and_others_by_a_pattern_alone(tmp_path: Path) -> None:
    files = {f"a.{ending}": b"<a/>" for ending in (*OF_SCHEMAS, *BY_GLOB)}
    files |= {f"b.{ending.upper()}.GZ": gzip.compress(b"<a/>") for ending in OF_SCHEMAS}
    expected = sorted([f"a.{ending}" for ending in OF_SCHEMAS] + [f"b.{ending.upper()}.GZ" for ending in OF_SCHEMAS])
    folder = make(tmp_path / "f", files)
    (tmp_path / "f.zip").write_bytes(zipped(files))
    (tmp_path / "f.tar.gz").write_bytes(tarred(files))
    for place in (folder, tmp_path / "f.zip", tmp_path / "f.tar.gz"):
        assert paths(place) == expected
    assert [paths(folder, (f"*.{ending}",)) for ending in BY_GLOB] == [[f"a.{ending}"] for ending in BY_GLOB]
    # What is matched at once by its ending is what a pattern matches.
    for pattern in DEFAULT_GLOBS:
        assert all(Globs([pattern]).match(name) == Globs([f"**/{pattern}"]).match(name) for name in files)


def test_ids_keep_every_ending_but_xml(tmp_path: Path) -> None:
    folder = make(tmp_path, {f"a.{ending}": b"<a/>" for ending in OF_SCHEMAS})
    ids = [source.id for source in find_sources([folder])]
    assert sorted(ids) == sorted(["a", *(f"a.{ending}" for ending in OF_SCHEMAS[1:])])


def test_packages_in_a_folder_hold_documents_and_are_read_again(tmp_path: Path) -> None:
    folder = make(tmp_path / "f", PACKAGES | {"c.xml": b"<c>plain</c>"})
    found = find_sources([folder])
    book = ["b/book.epub/OPS/one.xhtml", "b/book.epub/OPS/two.HTML"]
    assert [source.path for source in found] == [*book, "c.xml", "letter.ODT", "score.mxl"]
    assert [source.id for source in found] == [*book, "c", "letter.ODT", "score.mxl"]
    assert [data for _, data in read_many(found)][-2:] == [
        b"<office><p>a letter</p></office>", b"<score><words>a score</words></score>",
    ]  # fmt: skip
    trix.build(folder, tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert [result.doc for result in index.search("whales", preset="study")] != []
        assert {result.doc for result in index.search("whale whales")} == set(book)
        assert index.show("letter.ODT") == "a letter" and index.show("score.mxl") == "a score"


def test_a_package_named_by_itself_or_in_a_list_or_added_has_the_paths_that_it_has_in_its_folder(
    tmp_path: Path, run_cli: Cli
) -> None:
    folder = make(tmp_path / "f", PACKAGES)
    one, two = "book.epub/OPS/one.xhtml", "book.epub/OPS/two.HTML"
    assert paths(folder / "b/book.epub") == [one, two]
    assert paths(folder / "score.mxl") == ["score.mxl"]
    (tmp_path / "list").write_text("f/b/book.epub\nf/letter.ODT\n")
    assert [source.path for source in find_sources([f"@{tmp_path / 'list'}"])] == [
        f"f/b/{one}",
        f"f/b/{two}",
        "f/letter.ODT",
    ]
    (folder / "c.xml").write_bytes(b"<c>plain</c>")
    (folder / "b/book.epub").rename(tmp_path / "book.epub")
    trix.build(folder, tmp_path / "i", jobs=1)
    (tmp_path / "book.epub").rename(folder / "b/book.epub")
    with trix.write(tmp_path / "i") as writer:
        writer.add(folder / "b/book.epub")
    code, out, _ = run_cli("update", tmp_path / "i")
    assert code == 0 and "5 unchanged" in out
    os.remove(folder / "b/book.epub")
    code, out, _ = run_cli("update", tmp_path / "i")
    assert code == 0 and "2 deleted" in out


def test_patterns_choose_packages_and_members(tmp_path: Path) -> None:
    folder = make(tmp_path, PACKAGES)
    assert paths(folder, ("*.odt",)) == ["letter.ODT"]
    assert paths(folder, ("*.epub",)) == ["b/book.epub/OPS/one.xhtml", "b/book.epub/OPS/two.HTML"]


def test_a_damaged_package_or_one_without_documents_is_skipped_and_the_others_are_read(
    tmp_path: Path, run_cli: Cli
) -> None:
    bad = {"cut.epub": BOOK[:200], "empty.odt": zipped({"x": b""}), "a.xml": b"<a>well</a>"}
    folder = make(tmp_path / "f", bad)
    skipped: list[SourceError] = []
    assert [source.path for source in find_sources([folder], skip=skipped.append)] == ["a.xml"]
    assert sorted(os.path.basename(error.path) for error in skipped) == ["cut.epub", "empty.odt"]
    code, _, err = run_cli("index", folder, tmp_path / "i", "-q")
    assert code == 3 and "cut.epub: the archive is damaged" in err and "has no document, unlike a valid odt" in err
    for name in ("cut.epub", "empty.odt"):
        with pytest.raises(SourceError):
            find_sources([folder / name])
    with pytest.raises(SourceError, match=r"cut\.epub: the archive is damaged"):
        find_sources([make(tmp_path / "g", {"cut.epub": BOOK[:200]})])  # not that it holds none


@pytest.mark.slow
@pytest.mark.lengthy
def test_packages_have_the_bounds_of_archives(tmp_path: Path) -> None:
    bomb = zipped({"a.xhtml": XHTML % bytes(200_000_000).replace(b"\0", b" ")})
    make(tmp_path / "f", {"bomb.epub": bomb, "a.xml": b"<a>well</a>"})
    (found,) = find_sources([tmp_path / "f" / "bomb.epub"])
    with pytest.raises(SourceError, match="holds more than 1,000 bytes"):
        found.read(1000)
    with pytest.raises(SourceError, match="decompression bomb"):
        found.read()


def test_packages_in_archives_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "c.zip").write_bytes(zipped({"a.xml": b"<a/>", "book.epub": BOOK}))
    assert paths(tmp_path / "c.zip") == ["a.xml"]


def noticed(collection: Path, glob: tuple[str, ...] = ()) -> list[str]:
    said: list[str] = []
    find_sources([collection], glob, warn=said.append)
    return said


def test_a_notice_says_what_to_type_where_more_xml_is_ignored_than_read(tmp_path: Path, run_cli: Cli) -> None:
    pages = {f"p/{n}.page": b"\xef\xbb\xbf <!-- help --> <page>x</page>" for n in range(5)}
    files = pages | {
        "a.xml": b"<a/>",
        "b.tei.gz": gzip.compress(b"<b/>"),
        "n.md": b"<p align=center>",
        "x.svg": b"<svg/>",
    }
    folder = make(tmp_path / "f", files)
    (tmp_path / "f.zip").write_bytes(zipped(files))
    (tmp_path / "f.tar.gz").write_bytes(tarred(files))
    said = (
        "more XML is ignored than read: 5 .page, beside 1 .tei.gz, 1 .xml that are read; "
        "`glob` '*.tei.gz' `glob` '*.xml' `glob` '*.page' reads all of it"
    )
    for place in (folder, tmp_path / "f.zip", tmp_path / "f.tar.gz"):
        assert noticed(place) == [said]
    assert noticed(folder, ("*.xml",)) == []  # chosen by somebody
    code, _, err = run_cli("index", folder, tmp_path / "i")
    assert code == 0 and "--glob '*.tei.gz' --glob '*.xml' --glob '*.page' reads all of it" in err
    code, out, _ = run_cli("index", folder, tmp_path / "j", "--glob", "*.tei.gz", "--glob", "*.xml", "--glob", "*.page")
    assert code == 0 and "7 documents" in out
    for n in range(4):  # as many are read as not
        (folder / f"{n}.dita").write_bytes(b"<a/>")
    assert noticed(folder) == []


def test_an_error_says_what_to_type_where_nothing_is_read(tmp_path: Path, run_cli: Cli) -> None:
    files = {"a.page": gzip.compress(b"<page/>"), "b.page": b"<?xml version='1.0'?>", "c.page": "<a/>".encode("utf-16"),
             "d.png": b"\x89PNG", "e.htm": b"<html>"}  # fmt: skip
    code, _, err = run_cli("index", make(tmp_path / "f", files), tmp_path / "i")
    assert code == 2 and "(it has 3 .page, 1 .htm, 1 .png; --glob '*.page' reads the XML)" in err
    code, _, err = run_cli("index", make(tmp_path / "g", {"d.png": b"\x89PNG"}), tmp_path / "i")
    assert code == 2 and "(it has 1 .png; see --glob)" in err


def test_pipes_and_closed_files_are_no_xml_and_few_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(make(tmp_path, {"a.xml": b"<a/>"}) / "pipe.page")
    for number in range(1000):
        (tmp_path / f"{number}.page").write_bytes(b"<page/>")
    looked: list[str] = []
    monkeypatch.setattr(find, "beginning_of", lambda path: looked.append(path) or beginning_of(path))
    assert noticed(tmp_path) != [] and len(looked) <= 10


def as_before(index: Path) -> None:
    """Make an index look as one that was written when patterns were not kept."""
    commit = newest_commit(index)
    origins = dict(commit.origins) | {"glob": []}
    write_commit(index, Commit(commit.number + 1, commit.settings, commit.segments, origins, commit.skipped))


def test_an_index_keeps_the_endings_it_was_built_with(tmp_path: Path, run_cli: Cli) -> None:
    folder = make(
        tmp_path / "f", {"a.xml": b"<a>one</a>", "b.nxml": b"<a>two</a>", "c.dita": b"<a>three</a>", "d.epub": BOOK}
    )
    trix.build(folder, tmp_path / "old", glob=["*.xml", "*.nxml"], jobs=1)
    as_before(tmp_path / "old")
    for _ in range(2):
        code, out, _ = run_cli("update", tmp_path / "old")
        assert code == 0 and "2 unchanged" in out and "added" not in out and "deleted" not in out
    (folder / "e.xml").write_bytes(b"<a>four</a>")
    (folder / "f.tei").write_bytes(b"<a>five</a>")
    code, out, _ = run_cli("update", tmp_path / "old")
    assert code == 0 and "1 added, 2 unchanged" in out
    assert Origins.read(newest_commit(tmp_path / "old").origins).glob == FIRST_GLOBS
    make(tmp_path / "more", {"g.mei": b"<a>six</a>", "h.xml": b"<a>seven</a>"})
    code, out, _ = run_cli("add", tmp_path / "old", tmp_path / "more")
    assert code == 0 and "1 added; 4 documents" in out
    code, out, _ = run_cli("update", tmp_path / "old", "--glob", "*.dita", "--glob", "*.xml", "--glob", "*.nxml")
    assert code == 0 and "1 added, 4 unchanged" in out


def test_a_new_index_keeps_its_patterns_and_update_follows_them(tmp_path: Path, run_cli: Cli) -> None:
    folder = make(tmp_path / "f", {"a.dita": b"<a>one</a>"})
    trix.build(folder, tmp_path / "i", jobs=1)
    assert newest_commit(tmp_path / "i").origins["glob"] == [*DEFAULT_GLOBS]
    (folder / "b.tei").write_bytes(b"<a>two</a>")
    code, out, _ = run_cli("update", tmp_path / "i")
    assert code == 0 and "1 added, 1 unchanged" in out
    with trix.write(tmp_path / "w") as writer:
        writer.add(folder)
    assert newest_commit(tmp_path / "w").origins["glob"] == [*DEFAULT_GLOBS]
