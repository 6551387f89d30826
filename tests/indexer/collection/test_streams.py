"""Files that users name may be compressed, whatever they are for and however they are called."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.lab_samples import EXPERIMENT
from trix.errors import FormatError, SourceError, TrixError
from trix.eval.data.quantisation import read_toml
from trix.eval.formats.read import read_qrels, read_run
from trix.eval.formats.topics.read import read_topics
from trix.indexer.collection.find import find_sources
from trix.indexer.document.preview import preview
from trix.indexer.profile.profile import load_profile
from trix.indexer.words.analyzer import Analyzer, read_stopwords
from trix.lab.plan.toml import read_experiment
from trix.support import input_files, streams

PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}


def _listed(path: Path) -> str:
    return find_sources([f"@{path}"])[0].id


READERS: dict[str, tuple[str, Callable[[Path], object], object]] = {
    "run": ("1 Q0 d 1 0.5 r\n", lambda path: read_run(path)["1"].docs, ["d"]),
    "run of XML": (
        '<inex-submission run-id="r"><topic topic-id="1"><result><file>d</file><path>/a[1]</path><rank>1</rank>'
        "</result></topic></inex-submission>",
        lambda path: read_run(path)["1"].docs,
        ["d"],
    ),
    "run of JSON": ('{"topic": "1", "doc": "d", "path": "/a[1]", "rank": 1}\n', lambda p: read_run(p)["1"].docs, ["d"]),
    "qrels": ("1 0 d 1\n", lambda path: list(read_qrels(path).topics), ["1"]),
    "topics": ("7\txml trees\n", lambda path: read_topics(path)[0].title, "xml trees"),
    "quantisation": ('[own]\nes = { "33" = 1 }\n', lambda path: list(read_toml(path)), ["own"]),
    "experiment": (EXPERIMENT, lambda path: read_experiment(path).title, "A small experiment"),
    "profile": ('inline = ["b"]\n', lambda path: load_profile(str(path)).to_dict()["inline"], ["b"]),
    "stop list": ("foo\n", lambda path: read_stopwords(str(path)), ["foo"]),
    "list of sources": ("a.xml\n", _listed, "a"),
    "document to try": (
        "<a>tree</a>",
        lambda path: "tree" in preview(str(path), load_profile("generic"), Analyzer()),
        True,
    ),
}


@pytest.mark.parametrize("what", READERS)
def test_whatever_a_user_names_may_be_compressed_under_any_name(what: str, tmp_path: Path) -> None:
    text, read, found = READERS[what]
    (tmp_path / "a.xml").write_text("<a/>")
    plain = tmp_path / "plain.toml"
    plain.write_text(text)
    assert read(plain) == found
    for ending, pack in PACK.items():
        for name in (f"named.toml{ending}", f"x{ending[1:]}.toml"):
            (tmp_path / name).write_bytes(pack(text.encode()))
            assert read(tmp_path / name) == found, name
    (tmp_path / "unpacked.toml.gz").write_text(text)  # as a browser leaves it
    assert read(tmp_path / "unpacked.toml.gz") == found


@pytest.mark.parametrize("what", READERS)
@pytest.mark.parametrize("ending", PACK)
def test_what_is_cut_short_or_damaged_is_named_in_one_line(what: str, ending: str, tmp_path: Path) -> None:
    text, read, _ = READERS[what]
    whole = PACK[ending](text.encode())
    path = tmp_path / "f"
    path.write_bytes(whole[:-3])
    with pytest.raises(TrixError, match=r"f\b.* the compressed data are (cut short|damaged)"):
        read(path)
    path.write_bytes(whole[:12] + bytes(255 - byte for byte in whole[12:]))
    with pytest.raises(TrixError, match=r"f\b.* the compressed data are (cut short|damaged)") as error:
        read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("ending", PACK)
def test_files_of_a_collection_are_told_by_name_and_else_by_content(ending: str, tmp_path: Path) -> None:
    for name in (f"a.xml{ending}", "b.xml"):
        (tmp_path / name).write_bytes(PACK[ending](b"<a/>"))
    assert [source.read() for source in find_sources([tmp_path])] == [b"<a/>", b"<a/>"]
    (tmp_path / f"a.xml{ending}").write_bytes(b"<a/>")
    with pytest.raises(SourceError, match=re.escape(f"a.xml{ending}: the compressed data are ")):
        find_sources([tmp_path / f"a.xml{ending}"])[0].read()


@pytest.mark.parametrize("ending", PACK)
def test_a_bomb_is_refused_while_it_is_read_and_never_held(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "RATIO_FROM", 1 << 20)
    monkeypatch.setattr(streams, "MAX_RATIO", 500)
    path = tmp_path / "run"
    limit = (80 if ending == ".zst" else 16) << 20  # one piece of zstd may grow to 64 MiB
    path.write_bytes(PACK[ending](bytes(limit + (8 << 20))))
    tracemalloc.start()
    try:
        with (
            pytest.raises(FormatError, match="run: looks like a decompression bomb"),
            input_files.open_input(path) as file,
        ):
            while file.read(1 << 16):
                pass
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def test_a_file_larger_than_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"abc")
    assert input_files.read_input(path, 3) == b"abc"
    with pytest.raises(FormatError, match="f: holds more than 2 bytes"):
        input_files.read_input(path, 2)


def test_text_that_is_no_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"\xef\xbb\xbfone\ntw\xf6\n")
    with pytest.raises(FormatError, match="f, line 2: is not text in UTF-8"):
        input_files.read_input_text(path)
    path.write_bytes(b"\xef\xbb\xbfone\n")
    assert input_files.read_input_text(path) == "one\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_once_however_often_it_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    for doc in "abc":
        data = f"1 Q0 {doc} 1 0.5 r\n".encode()
        writer = threading.Thread(target=path.write_bytes, args=(zstandard.compress(data) if doc == "b" else data,))
        writer.start()
        assert read_run(path)["1"].docs == [doc]  # its format is told before it is read
        writer.join()


def test_standard_input_may_be_compressed_and_is_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(zstandard.compress(b"1 Q0 d 1 0.5 r\n")))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_run("-")["1"].docs == ["d"]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"1 Q0 d 1 0.5 r\n")[:-9])))
    with pytest.raises(FormatError, match="standard input: the compressed data are cut short"):
        read_run("-")
