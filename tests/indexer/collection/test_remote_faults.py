"""Indexes at URLs whose service is hostile, damaged, endless, silent or gone, and copies that were damaged since."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import trix
from tests import hostile_server as hostile
from tests.conftest import Cli
from tests.hostile_server import Fault, Served
from trix.errors import IndexError_, SourceError, TrixError, UsageError
from trix.indexer.commit import remote
from trix.indexer.commit.commit import SegmentEntry, commit_files, encode_commit, newest_commit
from trix.support import urls

if any(find_spec(each) is None for each in ("fsspec", "aiohttp")):
    pytest.skip("needs the extra cloud", allow_module_level=True)

ARTICLE = "<article><title>{0}</title><sec><p>The tree of {0}.</p><p>{1} edit</p></sec></article>"
NAMES = ["ash", "beech", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine"]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index whose segment has many pages."""
    base = tmp_path_factory.mktemp("remote")
    docs = base / "docs"
    docs.mkdir()
    for number, name in enumerate(NAMES):
        text = " ".join(f"{name}{word} {word * number}x" for word in range(120))
        (docs / f"{name}.xml").write_text(ARTICLE.format(name, text))
    trix.build(docs, base / "my.index", profile="generic", jobs=1)
    return base / "my.index"


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "my.index"))


@pytest.fixture
def served(index: Path) -> Iterator[Served]:
    with hostile.serving(index) as served:
        yield served


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(remote.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv(urls.PATIENCE, "30")  # whoever else keeps the machine busy
    return tmp_path / "cache"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(urls.PATIENCE, "0.4")


def answers(index: trix.Index) -> object:
    results = index.search("tree edit", top=None)
    return results.paths, results.scores.tolist()


def right(path: Path) -> object:
    with trix.open(path) as opened:
        return answers(opened)


def segment_of(folder: Path) -> Path:
    (path,) = folder.rglob("*.segment")
    return path


def kept(cache: Path) -> list[str]:
    """Return the names of what is in the copies, without what says where they come from."""
    return sorted(path.name for path in cache.rglob("*") if path.is_file() and path.name != remote.ORIGIN)


def outside(folder: Path, cache: Path) -> list[Path]:
    """Return what is in a folder, without copies and locks."""
    return sorted(path for path in folder.rglob("*") if cache not in (path, *path.parents) and path.name != "lock")


def with_commit(index: Path, **changes: object) -> None:
    """Write the newest commit anew, with a right checksum, as nobody honest would."""
    commit = newest_commit(index)
    entry = replace(commit.segments[0], **changes)  # type: ignore[arg-type]
    for path in commit_files(index, commit.number):
        path.write_bytes(encode_commit(replace(commit, segments=(entry,))))


EVIL = (
    "../../evil",
    "/evil",
    "a/b",
    "",
    "A" * 32,
    "0" * 31,
    "0" * 33,
    "0" * 32 + "\n",
    "..\\evil",
    "0" * 32 + "\0",
)


@pytest.mark.parametrize("name", EVIL)
def test_a_segment_that_is_called_like_a_path_is_refused_wherever_the_index_is(
    name: str, index: Path, served: Served, cache: Path, tmp_path: Path, run_cli: Cli
) -> None:
    with_commit(index, name=name)
    before = outside(tmp_path, cache)
    for place in (served.url, index):
        with pytest.raises(
            IndexError_, match=r"this is not a valid commit: expected a segment name of 32 hexadecimal digits"
        ):
            trix.open(place)
        for command in (("search", place, "tree"), ("check", place), ("info", place), ("compact", place)):
            code, out, err = run_cli(*command)
            assert code in (1, 2) and "32 hexadecimal digits" in out + err and (out + err).count("\n") <= 2, (out, err)
    assert outside(tmp_path, cache) == before
    assert kept(cache) == []


@pytest.mark.parametrize("changes", [{"size": -1}, {"size": "9"}, {"totals": {}}, {"totals": {"documents": -1}}])
def test_a_commit_with_numbers_that_are_none_is_one_line(changes: dict[str, object], index: Path) -> None:
    with_commit(index, **changes)
    with pytest.raises(IndexError_, match=r"commit-\d+.msgpack: this is not a valid commit"):
        trix.open(index)


@pytest.mark.parametrize("fault", [hostile.flipped, hostile.cut, hostile.broken_off, hostile.endless])
@pytest.mark.parametrize("times", [1, 2])
def test_a_file_that_arrives_damaged_is_fetched_again(fault: Fault, times: int, served: Served, index: Path) -> None:
    served.faults[".segment"] = fault, times
    with trix.open(served.url) as opened:
        assert answers(opened) == right(index)
    assert served.asked[segment_of(index).name] == times + 1
    assert trix.check(remote.copy_of(served.url)) == []


@pytest.mark.parametrize("fault", [hostile.flipped, hostile.cut, hostile.broken_off, hostile.endless])
def test_a_file_that_is_damaged_at_its_url_never_stays_in_the_copy(
    fault: Fault, served: Served, index: Path, cache: Path
) -> None:
    served.faults[".segment"] = fault, 1000
    with pytest.raises(IndexError_, match=rf"{served.url}/\w+.segment: the file is damaged \(.*; fetched 3 times\)"):
        trix.open(served.url)
    assert kept(cache) == []
    served.faults.clear()
    with trix.open(served.url) as opened:
        assert answers(opened) == right(index)


def test_the_copy_of_a_commit_is_read_where_its_file_is_damaged_or_gone(served: Served, index: Path) -> None:
    file, _ = commit_files(index, 1)
    served.faults[".msgpack"] = hostile.flipped, 1
    with trix.open(served.url) as opened:
        assert answers(opened) == right(index)
    shutil.rmtree(remote.copies())
    file.unlink()
    with trix.open(served.url) as opened:
        assert len(opened) == len(NAMES)


@pytest.mark.parametrize("how", ["a page", "the directory", "shorter", "gone", "the commit"])
def test_a_copy_that_was_damaged_since_is_fetched_anew(how: str, served: Served, index: Path) -> None:
    with trix.open(served.url) as opened:
        expected = answers(opened)
    copy = remote.copy_of(served.url)
    path = segment_of(copy)
    data = bytearray(path.read_bytes())
    if how == "a page":  # all pages, whichever are asked for
        for at in range(100, len(data) * 3 // 4, 4096):
            data[at] ^= 1
        path.write_bytes(data)
    elif how == "the directory":
        data[-40] ^= 1
        path.write_bytes(data)
    elif how == "shorter":
        path.write_bytes(data[: len(data) // 2])
    elif how == "gone":
        path.unlink()
    else:
        for each in copy.glob("commit-*"):
            each.write_bytes(each.read_bytes()[:-3])
    with trix.open(served.url) as opened:
        assert answers(opened) == expected
    assert trix.check(copy) == []


def test_a_copy_that_is_damaged_while_it_is_open_is_mended_in_its_place(served: Served, index: Path) -> None:
    with trix.open(served.url) as opened:
        path = segment_of(remote.copy_of(served.url))
        with path.open("r+b") as file:
            for at in range(100, path.stat().st_size * 3 // 4, 4096):
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 1]))
        assert answers(opened) == right(index)
    assert trix.check(remote.copy_of(served.url)) == []


def test_a_segment_that_is_not_there_is_said_after_a_few_requests(served: Served, index: Path, cache: Path) -> None:
    name = segment_of(index).name
    segment_of(index).unlink()
    with pytest.raises(IndexError_, match=rf"{served.url}: {name} is missing; the index is damaged there"):
        trix.open(served.url)
    assert served.asked.total() <= 8 and served.asked[name] <= 2
    assert kept(cache) == []


@pytest.mark.parametrize("what", ["/", ".msgpack", ".segment"])
@pytest.mark.parametrize("fault", [hostile.silent, hostile.then_silent])
def test_a_service_that_falls_silent_is_given_up(
    what: str, fault: Fault, served: Served, cache: Path, run_cli: Cli, impatient: None
) -> None:
    served.faults[what] = fault, 1000
    began = time.monotonic()
    code, _, err = run_cli("search", served.url, "tree")
    assert time.monotonic() - began < 20
    assert code == 2 and err.count("\n") == 1
    assert served.url in err and "the service sent nothing for 0.4 s and was given up; TRIX_URL_SECONDS sets" in err
    assert kept(cache) == []


def test_a_service_without_an_end_is_given_up_at_what_a_file_may_have(
    served: Served, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(urls, "SMALL", 1 << 20)
    served.faults = {".msgpack": (hostile.endless, 1000), ".copy": (hostile.endless, 1000)}
    with pytest.raises(SourceError, match=r"commit-000001.msgpack: the service sends more than 1,048,576 bytes"):
        trix.open(served.url)
    assert kept(cache) == []


def test_a_document_without_an_end_is_skipped_like_any_that_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "ash.xml").write_text("<a>ash</a>")
    from trix.indexer.collection.source import Source

    with hostile.serving(docs) as served:
        served.faults[".xml"] = hostile.endless, 1
        source = Source("ash.xml", f"{served.url}/ash.xml", None, 10, 0, 10)
        with pytest.raises(SourceError, match=r"ash.xml: holds more than 5,000 bytes"):
            source.read(5000)
        assert source.read(5000) == b"<a>ash</a>"
        served.faults[".xml"] = hostile.then_silent, 1
        monkeypatch.setenv(urls.PATIENCE, "0.4")
        with pytest.raises(SourceError, match=r"ash.xml: the service sent nothing"):
            source.read(5000)


def test_what_a_disk_has_no_room_for_is_not_begun(
    served: Served, index: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    with pytest.raises(IndexError_, match=rf"{served.url}: needs [\d,]+ bytes in .*, where 1,000 are free"):
        trix.open(served.url)
    assert served.asked[segment_of(index).name] == 0 and kept(cache) == []


def test_a_service_that_speaks_no_coroutines_is_bounded_too(
    built: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library copies files of this machine in one call, which tells nothing of its progress."""
    from fsspec.implementations.local import LocalFileSystem

    def silent(self: object, path1: str, path2: str, callback: object = None, **more: object) -> None:
        time.sleep(30)

    def endless(self: object, path1: str, path2: str, callback: object = None, **more: object) -> None:
        with open(path2, "wb") as out, suppress(OSError):
            for _ in range(300):
                out.write(bytes(1 << 16))
                out.flush()
                time.sleep(0.001)

    url = f"file://{built}"
    copied = LocalFileSystem.get_file
    for method, said, seconds in ((silent, "sent nothing for", "0.4"), (endless, "sends more than", "30")):
        monkeypatch.setenv(urls.PATIENCE, seconds)

        def get_file(self: object, a: str, b: str, method: Any = method, **more: Any) -> None:
            (method if a.endswith(".segment") else copied)(self, a, b, **more)

        monkeypatch.setattr(LocalFileSystem, "get_file", get_file)
        with pytest.raises(TrixError, match=said):
            trix.open(url)
        assert kept(cache) == []


def test_seconds_that_are_none_are_one_line(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    for said in ("soon", "0", "-1", "inf", "nan"):
        monkeypatch.setenv(urls.PATIENCE, said)
        with pytest.raises(UsageError, match=f"TRIX_URL_SECONDS: {said}: expected seconds, a number above 0"):
            trix.open(served.url)


def test_an_entry_of_another_size_is_no_segment(served: Served, index: Path, tmp_path: Path) -> None:
    """What a worker of a cluster fetches for its part is verified as well."""
    (entry,) = newest_commit(index).segments
    target = tmp_path / "fetched"
    remote.fetch_verified(served.url, entry, target)
    assert target.read_bytes() == segment_of(index).read_bytes()
    other = SegmentEntry(entry.name, entry.size - 1, entry.totals)
    with pytest.raises(IndexError_, match="the file is damaged"):
        remote.fetch_verified(served.url, other, tmp_path / "other")
    assert sorted(os.listdir(tmp_path)) == ["fetched", "my.index"]


def test_a_silent_service_of_documents_is_given_up_before_they_are_listed(
    tmp_path: Path, impatient: None, run_cli: Cli
) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "ash.xml").write_text("<a>ash</a>")
    with hostile.serving(tmp_path / "docs") as served:
        served.faults["/"] = hostile.silent, 1000
        began = time.monotonic()
        code, _, err = run_cli("index", served.url, tmp_path / "i")
        assert time.monotonic() - began < 20
        assert code == 2 and "the service sent nothing for 0.4 s" in err and not (tmp_path / "i").exists()
