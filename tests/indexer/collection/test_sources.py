"""Where documents come from."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import random
import tarfile
import tempfile
import tracemalloc
import zipfile
from collections import Counter
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import trix
from trix.errors import SourceError
from trix.indexer.collection import tars, walk
from trix.indexer.collection.find import Source, document_id, find_sources, read_many
from trix.indexer.collection.globs import Globs, counted
from trix.indexer.collection.source import utf8
from trix.support import streams

PACK = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
TAR_MODES = {
    ".tar": "",
    ".tar.gz": ".gz",
    ".tgz": ".gz",
    ".tar.bz2": ".bz2",
    ".tbz2": ".bz2",
    ".tar.xz": ".xz",
    ".txz": ".xz",
    ".tar.zst": ".zst",
    ".tzst": ".zst",
}


def make(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def tar_bytes(files: list[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def make_zip(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def paths(found: list[Source]) -> list[str]:
    return [source.path for source in found]


FILES = {"b.xml": b"<b/>", "a/z.xml": b"<z/>", "a.xml": b"<a/>", "a/a.xml.gz": gzip.compress(b"<aa/>"), "n.txt": b"no"}


def test_a_folder_is_searched_recursively_in_order_of_the_bytes_of_the_path(tmp_path: Path) -> None:
    found = find_sources([make(tmp_path, FILES)])
    assert paths(found) == ["a.xml", "a/a.xml.gz", "a/z.xml", "b.xml"]  # "." is 2E, "/" is 2F
    assert [source.id for source in found] == ["a", "a/a", "a/z", "b"]
    assert [source.read() for source in found] == [b"<a/>", b"<aa/>", b"<z/>", b"<b/>"]


def test_order_is_by_utf8_bytes_not_by_code_units_or_locale(tmp_path: Path) -> None:
    names = ["Z.xml", "a.xml", "é.xml", "\uffee.xml", "\U0001f600.xml"]
    make(tmp_path, dict.fromkeys(reversed(names), b"<a/>"))
    assert paths(find_sources([tmp_path])) == names


@given(st.lists(st.text("ab.é\uffee\U0001f600", min_size=1, max_size=6), min_size=1, unique=True))
def test_order_does_not_depend_on_the_order_in_an_archive(names: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        archive = make_zip(Path(folder) / "c.zip", {f"d/x{name}.xml": b"" for name in names})
        expected = sorted((f"d/x{name}.xml" for name in names), key=str.encode)
        assert paths(find_sources([archive])) == expected


def test_collections_are_numbered_one_after_the_other_as_given(tmp_path: Path) -> None:
    make(tmp_path, {"two/a.xml": b"<a/>", "one/b.xml": b"<b/>"})
    found = find_sources([tmp_path / "two", tmp_path / "one"])
    assert [(source.path, source.collection) for source in found] == [("a.xml", 0), ("b.xml", 1)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("co/2001/r7022.xml", "co/2001/r7022"),
        ("a.xml.gz", "a"),
        ("a.tei.xml.ZST", "a.tei"),
        ("a.d/b", "a.d/b"),
        ("a.d/b.gz", "a.d/b"),
        (".xml", ".xml"),
        ("a/.gz", "a/.gz"),
        ("a.v1.2.xml", "a.v1.2"),
        ("PMC1.nxml", "PMC1.nxml"),
        ("PMC1.nxml.gz", "PMC1.nxml"),
        ("glossary.dita", "glossary.dita"),
        ("glossary.ditamap.XZ", "glossary.ditamap"),
        ("a.XML", "a"),
        ("a.xml.xml", "a.xml"),
    ],
)
def test_document_id_is_the_path_without_xml_and_compression(path: str, expected: str) -> None:
    assert document_id(path) == expected


def test_files_with_one_stem_and_other_endings_are_documents_whose_ids_do_not_depend_on_neighbours(
    tmp_path: Path,
) -> None:
    make(tmp_path, {"c/glossary.dita": b"<a>word</a>", "c/glossary.ditamap": b"<a>map</a>", "d/glossary.dita": b"<a/>"})
    both = find_sources([tmp_path / "c"], glob=["*.dita", "*.ditamap"])
    assert [source.id for source in both] == ["glossary.dita", "glossary.ditamap"]
    assert [source.id for source in find_sources([tmp_path / "d"], glob=["*.dita"])] == ["glossary.dita"]
    trix.build(tmp_path / "c", tmp_path / "i", glob=["*.dita", "*.ditamap"], jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert [result.doc for result in index.search("map")] == ["glossary.ditamap"]


def test_only_files_whose_names_differ_by_xml_or_compression_alone_have_one_id(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": b"<a/>", "a.xml.gz": PACK[".gz"](b"<a/>")})
    with pytest.raises(SourceError, match=r"has the same document id \(a\) as .*a\.xml"):
        find_sources([tmp_path])


@pytest.mark.parametrize("ending", PACK)
def test_a_single_file_of_any_name_is_a_collection(tmp_path: Path, ending: str) -> None:
    make(tmp_path, {"sub/text.tei" + ending: PACK[ending](b"<TEI/>")})
    (found,) = find_sources([str(tmp_path / ("sub/text.tei" + ending))])
    assert (found.path, found.id, found.read()) == ("text.tei" + ending, "text.tei", b"<TEI/>")


@pytest.mark.parametrize("ending", TAR_MODES)
def test_every_kind_of_tar_gives_the_documents_of_the_folder(tmp_path: Path, ending: str) -> None:
    archive = tmp_path / ("c" + ending)
    archive.write_bytes(PACK[TAR_MODES[ending]](tar_bytes(list(FILES.items()))))
    found = find_sources([archive])
    assert paths(found) == ["a.xml", "a/a.xml.gz", "a/z.xml", "b.xml"]
    assert [source.read() for source in found] == [b"<a/>", b"<aa/>", b"<z/>", b"<b/>"]
    assert {source.path: data for source, data in read_many(found)} == {
        "a.xml": b"<a/>", "a/a.xml.gz": b"<aa/>", "a/z.xml": b"<z/>", "b.xml": b"<b/>",
    }  # fmt: skip


def test_packed_documents_of_a_plain_tar_are_read_again_from_an_index(tmp_path: Path) -> None:
    texts = {f"{k}.xml{ending}": f"<a><p>{'word ' * 40 * k}end {k}</p></a>".encode() for k, ending in enumerate(PACK)}
    files = [(name, PACK["".join(Path(name).suffixes[1:])](text)) for name, text in texts.items()]
    (tmp_path / "c.tar").write_bytes(tar_bytes(files))
    trix.build(tmp_path / "c.tar", tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        assert [index.show(str(k)).split()[-1] for k in range(len(PACK))] == list("01234")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_gives_the_documents_of_the_folder_by_every_method(tmp_path: Path, method: int) -> None:
    long = bytes(random.Random(1).choices(b"<abc />", k=300_000))
    found = find_sources([make_zip(tmp_path / "c.zip", {**FILES, "long.xml": long}, method)])
    assert [data for _, data in read_many(found)] == [b"<a/>", b"<aa/>", b"<z/>", b"<b/>", long]


@pytest.mark.slow
def test_a_zip_entry_never_grows_beyond_bounds_in_memory(tmp_path: Path) -> None:
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        path = make_zip(tmp_path / "c.zip", {"a.xml": bytes(64 << 20)}, method)
        data = path.read_bytes()
        for at in (data.index(b"PK\x03\x04") + 22, data.index(b"PK\x01\x02") + 24):  # claim 9 bytes
            data = data[:at] + (9).to_bytes(4, "little") + data[at + 4 :]
        path.write_bytes(data)
        (found,) = find_sources([path])
        tracemalloc.start()
        with pytest.raises(SourceError, match="holds more than 100 bytes"):
            found.read(max_bytes=100)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 16 << 20


def test_sources_are_picklable_and_read_the_same_elsewhere(tmp_path: Path) -> None:
    for source in find_sources([make_zip(tmp_path / "c.zip", FILES)]):
        assert pickle.loads(pickle.dumps(source)).read() == source.read()


def test_glob_replaces_the_default_patterns(tmp_path: Path) -> None:
    make(tmp_path, {"a.tei": b"", "b.xml": b"", "x/c.tei": b"", "x/y/d.nxml": b""})
    assert paths(find_sources([tmp_path], glob=["*.tei", "x/**/*.nxml"])) == ["a.tei", "x/c.tei", "x/y/d.nxml"]
    assert paths(find_sources([tmp_path], glob=["x/*"])) == ["x/c.tei"]
    assert paths(find_sources([tmp_path], glob=["x/**"])) == ["x/c.tei", "x/y/d.nxml"]


def test_files_of_pubmed_central_are_read_without_a_pattern(tmp_path: Path) -> None:
    named = {
        "PMC1.nxml": b"<a/>",
        "x/PMC2.NXML.gz": gzip.compress(b"<a/>"),
        "y/c.xml": b"<a/>",
        "z.nxm": b"",
        "nxml": b"",
    }
    make(tmp_path / "f", named)
    expected = ["PMC1.nxml", "x/PMC2.NXML.gz", "y/c.xml"]
    assert paths(find_sources([tmp_path / "f"])) == expected
    assert paths(find_sources([make_zip(tmp_path / "f.zip", named)])) == expected
    assert paths(find_sources([tmp_path / "f"], glob=["*.xml"])) == ["y/c.xml"]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.xml", "a/b/c.xml", True),
        ("*.xml", "a/b/.c.xml", False),
        (".*.xml", "a/b/.c.xml", True),
        ("a/*.xml", "a/b/c.xml", False),
        ("a/**/*.xml", "a/c.xml", True),
        ("**/b/*.xml", "a/b/c.xml", True),
        ("**/.git/*.xml", "a/.git/c.xml", True),
        ("**/*.xml", "a/.git/c.xml", False),
        ("./a/?.xml", "a/c.xml", True),
        ("[ab].xml", "c/b.xml", True),
        ("**/**/**/**/**/**/**/**/x", "a/" * 40 + "y", False),
    ],
)
def test_globs_match_like_a_shell(pattern: str, path: str, expected: bool) -> None:
    assert Globs([pattern]).match(path) is expected


UPPER = {"a.xml": b"<a/>", "b.XML": b"<b/>", "c.Xml.GZ": gzip.compress(b"<c/>"), "d/e.XML.xz": lzma.compress(b"<e/>")}
BESIDE = {"s.xsl": b"", "d/t.XSL": b"", "d/u.pdf": b"", "README": b"", "v.tar.GZ": b"", ".hidden": b"", ".git/x.y": b""}


def test_endings_are_matched_without_regard_to_case(tmp_path: Path) -> None:
    expected = ["a.xml", "b.XML", "c.Xml.GZ", "d/e.XML.xz"]
    archives = [make_zip(tmp_path / "c.ZIP", UPPER), tmp_path / "d.TAR.XZ"]
    archives[1].write_bytes(lzma.compress(tar_bytes(list(UPPER.items()))))
    for place in [make(tmp_path / "f", UPPER), *archives]:
        found = find_sources([place])
        assert paths(found) == expected and [source.id for source in found] == ["a", "b", "c", "d/e"]
        assert [source.read() for source in found] == [b"<a/>", b"<b/>", b"<c/>", b"<e/>"]
    assert paths(find_sources([tmp_path / "f"], glob=["d/*.xml.XZ", "?.Xml"])) == ["a.xml", "b.XML", "d/e.XML.xz"]
    assert not Globs(["A.xml"]).match("a.xml") and Globs(["[ab].xml"]).match("a.XML")


def test_what_lies_beside_the_documents_is_counted_by_ending(tmp_path: Path) -> None:
    expected = {".xsl": 2, ".pdf": 1, "": 1, ".tar.gz": 1}
    for place in (make(tmp_path / "f", FILES | BESIDE), make_zip(tmp_path / "c.zip", FILES | BESIDE)):
        ignored: Counter[str] = Counter()
        find_sources([place, place], ignored=ignored, unique=False)
        assert ignored == {ending: 2 * count for ending, count in (expected | {".txt": 1}).items()}
    with pytest.raises(SourceError, match=r"\(it has 2 \.xsl, 1 without ending, 1 \.pdf, 1 \.tar\.gz; see `glob`\)"):
        find_sources([make(tmp_path / "none", BESIDE)])
    assert counted({f".{n}": n for n in range(1, 12)}).endswith(", 4 .4, 6 with 3 more endings")


def test_names_beginning_with_a_dot_stay_out_of_folders_and_archives(tmp_path: Path) -> None:
    files = {"a.xml": b"", "._a.xml": b"", ".git/b.xml": b"", "__MACOSX/._c.xml": b""}
    assert paths(find_sources([make_zip(tmp_path / "c.zip", files)])) == ["a.xml"]
    assert paths(find_sources([make(tmp_path / "f", files)])) == ["a.xml"]
    assert paths(find_sources([tmp_path / "f"], glob=["*.xml", "**/.git/*.xml"])) == [".git/b.xml", "a.xml"]


def test_a_list_names_files_folders_and_archives_relative_to_itself(tmp_path: Path) -> None:
    make(tmp_path, {"data/one.xml": b"<one/>", "data/more/two.xml": b"<two/>", "lists/own.xml": b"<own/>"})
    make_zip(tmp_path / "data/z.zip", {"zipped.xml": b"<zipped/>"})
    lines = f"\ufeff# what to read\r\n\n  ../data/more  \n{tmp_path}/data/one.xml\n../data/z.zip\nown.xml\n"
    (tmp_path / "lists/all.txt").write_bytes(lines.encode())
    found = find_sources([f"@{tmp_path}/lists/all.txt"])
    assert paths(found) == ["../data/more/two.xml", "../data/one.xml", "own.xml", "zipped.xml"]
    assert found[1].id == "../data/one"
    assert [s.read() for s in found] == [b"<two/>", b"<one/>", b"<own/>", b"<zipped/>"]


def test_a_folder_listed_as_dot_gives_paths_relative_to_the_list(tmp_path: Path) -> None:
    make(tmp_path, {"a/b.xml": b"", "list": b"."})
    assert paths(find_sources([f"@{tmp_path}/list"])) == ["a/b.xml"]


def test_a_line_of_a_list_that_does_not_exist_is_named_with_its_number(tmp_path: Path) -> None:
    make(tmp_path, {"a.xml": b"", "list.txt": b"a.xml\n\nnone.xml\n"})
    with pytest.raises(SourceError, match=r"list\.txt, line 3: none\.xml: no such file or folder$"):
        find_sources([f"@{tmp_path}/list.txt"])


@pytest.mark.parametrize("content", [b"", b"# nothing\n\n"])
def test_a_list_without_a_path_is_an_error(tmp_path: Path, content: bytes) -> None:
    make(tmp_path, {"list": content})
    with pytest.raises(SourceError, match="lists no path"):
        find_sources([f"@{tmp_path}/list"])


@pytest.mark.parametrize("collection", ["none", "@none", "none.zip", "a\0b"])
def test_a_missing_collection_is_an_error_that_names_it(tmp_path: Path, collection: str) -> None:
    with pytest.raises(SourceError, match=r"no such file|No such file|embedded null"):
        find_sources([collection])


def test_binary_rubbish_as_a_list_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, {"list": b"\0\xff\xfe\n"})
    with pytest.raises(SourceError, match="line 1"):
        find_sources([f"@{tmp_path}/list"])


def test_a_collection_without_documents_is_an_error_that_names_the_patterns(tmp_path: Path) -> None:
    make(tmp_path / "f", {"a.txt": b""})
    make_zip(tmp_path / "c.zip", {"a.txt": b""})
    for name in ("f", "c.zip"):
        with pytest.raises(
            SourceError,
            match=r"has no file that matches \*\.xml, \*\.dita, .* endings of documents, also compressed \(.*`glob`",
        ):
            find_sources([tmp_path / name])


def test_a_duplicate_id_names_both_files(tmp_path: Path) -> None:
    make(tmp_path, {"one/a.xml": b"", "two/a.xml.gz": b""})
    with pytest.raises(SourceError, match=r"two/a\.xml\.gz: has the same document id \(a\) as .*one/a\.xml"):
        find_sources([tmp_path / "one", tmp_path / "two"])
    assert len(find_sources([tmp_path / "one", tmp_path / "two"], unique=False)) == 2


def test_links_are_followed_and_loops_reported(tmp_path: Path) -> None:
    make(tmp_path, {"real/a.xml": b"<a/>", "c/b.xml": b"<b/>"})
    (tmp_path / "c/linked").symlink_to(tmp_path / "real")
    (tmp_path / "c/loop").symlink_to(tmp_path / "c")
    (tmp_path / "c/file.xml").symlink_to(tmp_path / "real/a.xml")
    told: list[str] = []
    assert paths(find_sources([tmp_path / "c"], warn=told.append)) == ["b.xml", "file.xml", "linked/a.xml"]
    assert told == [f"{tmp_path}/c/loop: is a link to a folder that contains it"]


def test_a_dangling_link_is_a_source_that_fails_when_read(tmp_path: Path) -> None:
    (tmp_path / "a.xml").symlink_to("nowhere.xml")
    (found,) = find_sources([tmp_path])
    with pytest.raises(SourceError, match="No such file"):
        found.read()


def test_a_folder_that_cannot_be_read_is_skipped_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.xml": b"", "closed/b.xml": b""})
    scandir = os.scandir

    def closed(path: str) -> object:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(walk.os, "scandir", closed)
    skipped: list[SourceError] = []
    assert paths(find_sources([tmp_path], skip=skipped.append)) == ["a.xml"]
    assert [str(error) for error in skipped] == [f"{tmp_path}/closed: the folder cannot be read: Permission denied"]
    with pytest.raises(SourceError, match="Permission denied"):
        find_sources([tmp_path / "closed"])


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.xml")
    make(tmp_path, {"a.xml": b""})
    told: list[str] = []
    assert paths(find_sources([tmp_path], warn=told.append)) == ["a.xml"]
    assert told == [f"{tmp_path}/pipe.xml: is not a regular file"]
    with pytest.raises(SourceError, match="neither a folder nor a regular file"):
        find_sources([tmp_path / "pipe.xml"])


def test_names_that_are_not_utf8_are_read_and_ordered_by_their_bytes(tmp_path: Path) -> None:
    names = [b"a\xe9.xml", b"a\xff.xml", b"b.xml"]
    for name in names:
        with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
            file.write(name)
    found = find_sources([tmp_path])
    assert [utf8(source.path) for source in found] == names
    assert [source.read() for source in found] == names
    (tmp_path / "c.tar").write_bytes(tar_bytes([(os.fsdecode(name), name) for name in names]))
    assert paths(find_sources([tmp_path / "c.tar"])) == paths(found)


@pytest.mark.parametrize("ending", [e for e in PACK if e])
@pytest.mark.parametrize("damage", ["cut", "bent", "other"])
def test_a_damaged_compressed_file_is_an_error_that_names_it(tmp_path: Path, ending: str, damage: str) -> None:
    data = PACK[ending](bytes(random.Random(0).choices(b"<abc/>", k=50_000)))
    bent = data[:100] + bytes(byte ^ 0xFF for byte in data[100:200]) + data[200:]
    make(tmp_path, {"a.xml" + ending: {"cut": data[:-9], "bent": bent, "other": b"<not-compressed/>"}[damage]})
    (found,) = find_sources([tmp_path])
    with pytest.raises(SourceError, match=rf"a\.xml\{ending}: the compressed data are (cut|damaged)"):
        found.read()


def test_several_compressed_members_in_one_file_are_joined(tmp_path: Path) -> None:
    for ending in (".gz", ".bz2", ".xz", ".zst"):
        make(tmp_path, {"a.xml" + ending: PACK[ending](b"<a>") + PACK[ending](b"</a>")})
        (found,) = find_sources([tmp_path / ("a.xml" + ending)])
        assert found.read() == b"<a></a>"


@pytest.mark.parametrize("ending", [".bz2", ".xz", ".zst", ".gz"])
def test_a_decompression_bomb_is_refused(tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RATIO_FROM", 1 << 20)
    monkeypatch.setattr(streams, "MAX_RATIO", 500)
    bomb = PACK[ending](bytes(8 << 20))
    make(tmp_path, {"a.xml" + ending: bomb})
    make_zip(tmp_path / "in.zip", {"a.xml" + ending: bomb})
    (tmp_path / "in.tar").write_bytes(tar_bytes([("a.xml" + ending, bomb)]))
    for place in ("a.xml" + ending, "in.zip", "in.tar"):
        (found,) = find_sources([tmp_path / place])
        with pytest.raises(SourceError, match="looks like a decompression bomb"):
            found.read()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_in_a_zip_is_refused(tmp_path: Path, method: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "RATIO_FROM", 1 << 20)
    monkeypatch.setattr(streams, "MAX_RATIO", 500)
    (found,) = find_sources([make_zip(tmp_path / "c.zip", {"a.xml": bytes(8 << 20)}, method)])
    with pytest.raises(SourceError, match=r"c\.zip:a\.xml: looks like a decompression bomb"):
        found.read()


def test_a_tar_that_grows_like_a_bomb_is_refused_while_it_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "RATIO_FROM", 1 << 20)
    (tmp_path / "c.tar.xz").write_bytes(lzma.compress(tar_bytes([("a.xml", bytes(32 << 20))])))
    with pytest.raises(SourceError, match="looks like a decompression bomb"):
        find_sources([tmp_path / "c.tar.xz"])


def test_a_document_larger_than_allowed_is_refused_wherever_it_lies(tmp_path: Path) -> None:
    data = b"<a>" + b"x" * 2000 + b"</a>"
    make(tmp_path, {"f/a.xml": data, "g/a.xml.gz": gzip.compress(data)})
    make_zip(tmp_path / "c.zip", {"a.xml": data})
    (tmp_path / "c.tar").write_bytes(tar_bytes([("a.xml", data)]))
    (tmp_path / "c.tgz").write_bytes(gzip.compress(tar_bytes([("a.xml", data)])))
    for place in ("f", "g", "c.zip", "c.tar", "c.tgz"):
        (found,) = find_sources([tmp_path / place])
        with pytest.raises(SourceError, match="holds more than 1,000 bytes"):
            found.read(max_bytes=1000)
        ((_, result),) = read_many([found], max_bytes=1000)
        assert isinstance(result, SourceError)
        assert found.read(max_bytes=len(data)) == data


def test_member_names_cannot_leave_the_archive(tmp_path: Path) -> None:
    make_zip(
        tmp_path / "c.zip", {"../../up.xml": b"1", "/etc/abs.xml": b"2", "w\\in.xml": b"3", "./x/../dot.xml": b"4"}
    )
    found = find_sources([tmp_path / "c.zip"])
    assert {s.path: s.read() for s in found} == {"dot.xml": b"4", "etc/abs.xml": b"2", "up.xml": b"1", "w/in.xml": b"3"}


def test_an_encrypted_member_is_refused_and_the_others_are_read(tmp_path: Path) -> None:
    data = bytearray(make_zip(tmp_path / "c.zip", {"a.xml": b"<a/>", "b.xml": b"<b/>"}).read_bytes())
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    (tmp_path / "c.zip").write_bytes(data)
    results = [result for _, result in read_many(find_sources([tmp_path / "c.zip"]))]
    assert isinstance(results[0], SourceError)
    assert "c.zip:a.xml: is encrypted" in str(results[0])
    assert results[1] == b"<b/>"


def test_a_zip_with_a_wrong_checksum_or_no_zip_at_all_is_an_error(tmp_path: Path) -> None:
    data = bytearray(make_zip(tmp_path / "c.zip", {"a.xml": b"<a>text</a>"}, zipfile.ZIP_STORED).read_bytes())
    data[data.index(b"text")] ^= 1
    make(tmp_path, {"c.zip": bytes(data), "d.zip": b"rubbish"})
    (found,) = find_sources([tmp_path / "c.zip"])
    with pytest.raises(SourceError, match=r"c\.zip:a\.xml: the archive is damaged: Bad CRC"):
        found.read()
    with pytest.raises(SourceError, match=r"d\.zip: the archive is damaged"):
        find_sources([tmp_path / "d.zip"])


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_a_cut_tar_is_an_error(tmp_path: Path, ending: str) -> None:
    noise = random.Random(2)
    whole = tar_bytes([(f"{i}.xml", noise.randbytes(3000)) for i in range(9)])
    packed = PACK[ending](whole[: 9 * 3584])
    make(tmp_path, {"c.tar" + ending: packed[: len(packed) // 2 + 700]})
    with pytest.raises(SourceError, match=r"c\.tar.*(cut short|damaged)"):
        find_sources([tmp_path / ("c.tar" + ending)])


def test_a_tar_with_a_damaged_header_in_the_middle_is_an_error_not_a_short_list(tmp_path: Path) -> None:
    data = bytearray(tar_bytes([("a.xml", b"a" * 600), ("b.xml", b"b"), ("c.xml", b"c")]))
    data[data.index(b"b.xml") + 120] ^= 0x55
    make(tmp_path, {"c.tar": bytes(data), "c.tar.gz": gzip.compress(bytes(data))})
    for name in ("c.tar", "c.tar.gz"):
        with pytest.raises(SourceError, match=r"damaged at byte 1536"):
            find_sources([tmp_path / name])


def test_links_in_a_tar_lead_to_the_member_they_name(tmp_path: Path) -> None:
    buffer = io.BytesIO(tar_bytes([("d/a.xml", b"<a/>")]))
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        for name, kind, target in [
            ("hard.xml", tarfile.LNKTYPE, "d/a.xml"),
            ("d/soft.xml", tarfile.SYMTYPE, "a.xml"),
            ("twice.xml", tarfile.SYMTYPE, "d/soft.xml"),
            ("out.xml", tarfile.SYMTYPE, "/etc/passwd"),
            ("self.xml", tarfile.SYMTYPE, "self.xml"),
        ]:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)
    for name, ending in [("c.tar", ""), ("c.tar.xz", ".xz")]:
        (tmp_path / name).write_bytes(PACK[ending](buffer.getvalue()))
        found = find_sources([tmp_path / name])
        assert paths(found) == ["d/a.xml", "d/soft.xml", "hard.xml", "twice.xml"]
        assert {data for _, data in read_many(found)} == {b"<a/>"}
        assert [source.read() for source in found] == [b"<a/>"] * 4


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_of_several_members_with_one_name_the_last_counts(tmp_path: Path, ending: str) -> None:
    (tmp_path / "c.tar").write_bytes(tar_bytes([("a.xml", b"old"), ("b.xml", b"b"), ("a.xml", b"new")]))
    make(tmp_path, {"c.tar" + ending: PACK[ending]((tmp_path / "c.tar").read_bytes())})
    found = find_sources([tmp_path / ("c.tar" + ending)])
    assert [source.read() for source in found] == [b"new", b"b"]
    assert [data for _, data in sorted(read_many(found), key=lambda pair: pair[0].path)] == [b"new", b"b"]


def test_long_member_names_are_kept_whole(tmp_path: Path) -> None:
    long = "/".join(["folder" * 10] * 5) + "/é.xml"
    (tmp_path / "c.tar").write_bytes(tar_bytes([(long, b"<a/>")]))
    (found,) = find_sources([tmp_path / "c.tar"])
    assert (found.path, found.read()) == (long, b"<a/>")


def test_a_solid_archive_is_decompressed_once_for_many_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c.tar.xz").write_bytes(lzma.compress(tar_bytes([(f"{i:03}.xml", b"%d" % i) for i in range(200)])))
    found = find_sources([tmp_path / "c.tar.xz"])
    opened: list[str] = []
    decompressed = tars.open_decompressed

    def counted(raw: io.BufferedReader, ending: str) -> object:
        opened.append(ending)
        return decompressed(raw, ending)

    monkeypatch.setattr(tars, "open_decompressed", counted)
    backwards = list(reversed(found))
    assert [(source.path, data) for source, data in read_many(backwards)] == [
        (f"{i:03}.xml", b"%d" % i) for i in range(200)
    ]
    assert opened == [".xz"]


def test_reading_on_after_an_archive_was_replaced_gives_errors_not_other_documents(tmp_path: Path) -> None:
    for name in ("c.tar", "c.tar.gz"):
        ending = ".gz" if name.endswith(".gz") else ""
        (tmp_path / name).write_bytes(PACK[ending](tar_bytes([("a.xml", b"a" * 2000), ("b.xml", b"b")])))
        found = find_sources([tmp_path / name])
        assert [source.fault() for source in found] == [None, None]
        (tmp_path / name).write_bytes(PACK[ending](tar_bytes([("b.xml", b"b"), ("x.xml", b"x" * 3000)])))
        assert {source.fault() for source in found} == {"the file has changed"}
        assert all(isinstance(result, SourceError) for _, result in read_many(found))
        with pytest.raises(SourceError, match="is not in the archive any more"):
            found[1].read()
        (tmp_path / name).unlink()
        assert found[0].fault() == "the file has gone"
        assert all(isinstance(result, SourceError) for _, result in read_many(found))


def test_a_changed_zip_is_opened_anew(tmp_path: Path) -> None:
    (found,) = find_sources([make_zip(tmp_path / "c.zip", {"a.xml": b"old"})])
    assert found.read() == b"old"
    make_zip(tmp_path / "c.zip", {"b.xml": b"longer than before", "a.xml": b"new"})
    assert found.read() == b"new"
    make_zip(tmp_path / "c.zip", {"b.xml": b"only"})
    with pytest.raises(SourceError, match=r"c\.zip:a\.xml: is not in the archive any more"):
        found.read()


def test_a_list_may_come_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"a.xml": b""})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a.xml\n")))
    assert paths(find_sources(["@-"])) == ["a.xml"]


def test_a_path_given_relative_is_kept_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, {"c/a.xml": b"<a/>"})
    monkeypatch.chdir(tmp_path)
    (found,) = find_sources(["c"])
    monkeypatch.chdir("/")
    assert found.read() == b"<a/>"
