"""Commits of an index: written twice, read by any number of readers, made by one writer at a time."""

from __future__ import annotations

import builtins
import io
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.living_samples import ARTICLE
from trix.errors import IndexError_, SourceError, UsageError
from trix.indexer.change import session
from trix.indexer.change.session import WriteSession
from trix.indexer.commit.commit import commit_numbers
from trix.indexer.commit.sections import SectionFile
from trix.indexer.store import live


def ids(index: trix.Index) -> list[str]:
    return [index.files.ids[number] for number in range(len(index))]


def held(folder: Path) -> dict[str, bytes]:
    """Return all that a folder holds, but for the lock, which stays."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def add(path: Path, name: str, **options: Any) -> None:
    with trix.write(path, jobs=1, **options) as writer:
        writer.add_document(ARTICLE.format(name), id=name)


# -- files ----------------------------------------------------------------------------------------------------------


def test_a_commit_and_its_copy_are_the_same_bytes_and_the_only_ones(index: Path) -> None:
    for number, name in enumerate(("four", "five"), 2):
        add(index, name)
        assert commit_numbers(index) == [number]
        path = index / f"commit-{number:06}.msgpack"
        assert path.read_bytes() == path.with_suffix(".copy").read_bytes()


@pytest.mark.parametrize("damage", ["missing", "cut", "empty", "flipped", "other"])
def test_a_damaged_commit_is_read_from_its_copy(damage: str, index: Path) -> None:
    with trix.write(index) as writer:
        writer.delete("two")
    path = index / "commit-000002.msgpack"
    data = path.read_bytes()
    path.write_bytes(
        {"cut": data[:-3], "flipped": data[:60] + bytes([data[60] ^ 4]) + data[61:], "other": b"x" * 200}.get(
            damage, b""
        )
    )
    if damage == "missing":
        path.unlink()
    assert ids(trix.open(index)) == ["one", "sub/three"]
    (fault,) = trix.check(index)
    assert str(path) in fault
    add(index, "four")
    assert trix.check(index) == []
    assert ids(trix.open(index)) == ["one", "sub/three", "four"]


def test_a_commit_damaged_twice_is_an_error_of_one_line(index: Path) -> None:
    for path in index.glob("commit-*"):
        path.write_bytes(path.read_bytes()[:-1])
    for use in (trix.open, trix.write):
        with pytest.raises(IndexError_, match=r"commit-000001.*damaged") as error:
            use(index)
        assert "\n" not in str(error.value)
    assert len(trix.check(index)) == 2


def test_what_a_killed_writer_left_behind_is_cleared_and_nothing_else(index: Path) -> None:
    before = held(index)
    waiting = index / ".writing" / "scratch"
    waiting.mkdir(parents=True)
    (waiting / "x").write_bytes(b"x")
    for name in ("ab.segment", "ab.states", "commit-000009.msgpack.new", "cd.segment.new"):
        (index / name).write_bytes(b"x")
    (index / "notes.txt").write_text("mine")
    assert ids(trix.open(index)) == ["one", "sub/three", "two"]
    with trix.write(index):
        pass
    assert held(index) == {**before, "notes.txt": b"mine"}


# -- readers --------------------------------------------------------------------------------------------------------


def test_refreshing_opens_no_file_when_nothing_is_new(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = trix.open(index)

    def refuse(*_: object, **__: object) -> Any:
        raise AssertionError("a file was opened")

    with monkeypatch.context() as patched:
        for module, name in ((builtins, "open"), (io, "open"), (os, "open"), (os, "stat")):
            patched.setattr(module, name, refuse)
        assert opened.refresh() is False
    add(index, "four")
    assert opened.refresh() is True
    assert opened.refresh() is False
    assert ids(opened) == ["one", "sub/three", "two", "four"]


def test_refreshing_opens_only_new_segments(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = trix.open(index)
    add(index, "four", merge=False)
    made = list[str]()
    original = SectionFile.__init__

    def told(self: SectionFile, path: Path, *rest: Any) -> None:
        made.append(path.name)
        original(self, path, *rest)

    monkeypatch.setattr(SectionFile, "__init__", told)
    assert opened.refresh()
    assert made == [opened.files.commit.segments[-1].file]


def test_a_reader_keeps_its_commit_while_its_files_go(index: Path) -> None:
    asked, fresh = trix.open(index), trix.open(index)
    before = [(each.doc, each.score, each.text) for each in asked.search("tree", strategy="thorough")]
    with trix.write(index, jobs=1) as writer:
        writer.delete("one")
        writer.compact()
    assert not any((index / entry.file).exists() for entry in asked.files.commit.segments)
    for old in (asked, fresh):  # one that has read its segment, and one that has only opened it
        assert [(each.doc, each.score, each.text) for each in old.search("tree", strategy="thorough")] == before
        assert ids(old) == ["one", "sub/three", "two"]
        assert old.refresh()
        assert ids(old) == ["sub/three", "two"]
        assert {each.doc for each in old.search("tree")} == {"sub/three", "two"}


def test_results_go_on_showing_what_was_found(index: Path) -> None:
    opened = trix.open(index)
    results = opened.search("tree", strategy="thorough")
    found = [each.doc for each in opened.search("tree", strategy="thorough")]
    with trix.write(index, jobs=1) as writer:
        writer.delete(["one", "two"])
        writer.compact()
    assert opened.refresh()
    assert [each.doc for each in results] == found
    assert all("tree" in each.text or each.doc in each.text for each in results)


def test_a_reader_that_opens_while_a_commit_takes_the_files_away_finds_the_newest(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, names = live.open_segment, iter(["four", "five"])

    def slow(folder: Path, entry: Any) -> Any:
        for name in names:  # another writer is quicker, twice
            with monkeypatch.context() as patched:
                patched.setattr(live, "open_segment", original)
                with trix.write(folder, jobs=1) as writer:
                    writer.add_document(ARTICLE.format(name), id=name)
                    writer.compact()
            break
        return original(folder, entry)

    monkeypatch.setattr(live, "open_segment", slow)
    assert ids(trix.open(index)) == ["one", "sub/three", "two", "four", "five"]


def test_a_missing_segment_is_an_error_that_names_it(index: Path) -> None:
    (segment,) = index.glob("*.segment")
    segment.unlink()
    with pytest.raises(IndexError_, match=rf"{segment.name}: the file is missing; .*repair"):
        trix.open(index)


@pytest.mark.slow
def test_readers_in_threads_see_whole_commits_while_one_writes(index: Path) -> None:
    """Each commit holds as many documents with `oak` as with `ash`; nobody ever sees another count."""
    errors, done = list[object](), threading.Event()

    def read() -> None:
        try:
            opened = trix.open(index)
            while not done.is_set():
                opened.refresh()
                oaks, ashes = (opened.search(word, top=None, strategy="thorough").matched for word in ("oak", "ash"))
                assert oaks == ashes
        except BaseException as error:
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    try:
        for number in range(8):
            with trix.write(index, jobs=1) as writer:
                writer.add_document("<a>oak</a>", id=f"oak{number}")
                writer.add_document("<a>ash</a>", id=f"ash{number}")
            if number % 3 == 2:
                with trix.write(index) as writer:
                    writer.delete([f"oak{number - 1}", f"ash{number - 1}"])
                    writer.compact()
    finally:
        done.set()
        for reader in readers:
            reader.join()
    assert not errors


def test_a_reader_learns_that_an_index_was_built_anew(docs: Path, index: Path) -> None:
    opened = trix.open(index)
    (docs / "one.xml").unlink()
    trix.build(docs, index, jobs=1, profile="generic", overwrite=True)
    assert opened.refresh()
    assert ids(opened) == ["sub/three", "two"]
    assert trix.check(index) == []


# -- writers --------------------------------------------------------------------------------------------------------


def test_a_second_writer_is_told_the_process_of_the_first(index: Path) -> None:
    with trix.write(index), pytest.raises(IndexError_, match=rf"process {os.getpid()} writes to it"):
        trix.write(index)
    add(index, "four")


def test_a_second_writer_waits(index: Path) -> None:
    first = trix.write(index, jobs=1)
    first.add_document(ARTICLE.format("four"), id="four")
    ending = threading.Timer(0.3, lambda: first.__exit__(None, None, None))
    ending.start()
    began = time.monotonic()
    add(index, "five", wait=60)
    assert time.monotonic() - began < 30
    ending.join()
    assert ids(trix.open(index))[-2:] == ["four", "five"]
    with trix.write(index), pytest.raises(IndexError_, match="writes to it"):
        trix.write(index, wait=0.1)
    with pytest.raises(UsageError, match="seconds"):
        trix.write(index, wait=-1)


def test_a_killed_writer_leaves_the_index_and_its_lock_free(index: Path) -> None:
    before = held(index)
    program = (
        f"import trix, time\nwriter = trix.write({str(index)!r}, jobs=1)\n"
        f"writer.delete('one')\nwriter.add_document('<a>tree</a>', id='four')\nwriter._flush()\n"
        "print('ready', flush=True)\ntime.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        with pytest.raises(IndexError_, match=rf"process {process.pid} writes to it"):
            trix.write(index)
        process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    assert trix.check(index) == []
    assert ids(trix.open(index)) == ["one", "sub/three", "two"]
    trix.write(index).close()
    assert held(index) == before


def test_building_anew_waits_for_no_writer_and_harms_none(docs: Path, index: Path) -> None:
    with trix.write(index, jobs=1) as writer:
        with pytest.raises(IndexError_, match="writes to it"):
            trix.build(docs, index, jobs=1, overwrite=True)
        writer.delete("one")
    assert ids(trix.open(index)) == ["sub/three", "two"]
    assert trix.check(index) == []


def test_a_writer_that_waited_for_an_index_to_be_replaced_writes_to_the_new_one(
    docs: Path, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock that it gets may be that of the folder that is gone."""
    from trix.indexer.commit import locks

    original, calls = locks.locked, list[Path]()

    def late(path: Path, **how: Any) -> int:
        handle = original(path, **how)
        calls.append(path)
        if len(calls) == 1:
            shutil.rmtree(index)
            shutil.copytree(other, index)
        return handle

    other = index.with_name("other")
    trix.build(docs / "two.xml", other, jobs=1, profile="generic")
    monkeypatch.setattr(locks, "locked", late)
    add(index, "four")
    assert len(calls) == 2
    assert ids(trix.open(index)) == ["two", "four"]
    assert trix.check(index) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_exception_leaves_all_as_it_was(error: type[BaseException], docs: Path, index: Path) -> None:
    before = held(index)
    with pytest.raises(error), trix.write(index, jobs=1) as writer:
        writer.add_document(ARTICLE.format("four"), id="four")
        writer.delete("one")
        writer.add(docs / "two.xml", replace=True)
        raise error
    assert held(index) == before
    assert not (index / ".writing").exists()
    with pytest.raises(IndexError_, match="in the index already"), trix.write(index, jobs=1) as writer:
        writer.delete("one")
        writer.add(docs / "two.xml")
    assert held(index) == before


def test_what_an_interrupted_clearing_leaves_is_cleared_when_the_writer_is_closed(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clear, calls = session.clear, list[Path]()

    def interrupted(folder: Path, *rest: Any, **options: Any) -> None:
        calls.append(folder)
        if len(calls) == 2:  # the first is that of opening
            raise KeyboardInterrupt
        clear(folder, *rest, **options)

    monkeypatch.setattr(session, "clear", interrupted)
    with pytest.raises(KeyboardInterrupt), trix.write(index) as writer:
        writer.delete("two")
    assert ids(trix.open(index)) == ["one", "sub/three"]
    assert commit_numbers(index) == [2]
    assert {path.suffix for path in index.iterdir()} == {"", ".msgpack", ".copy", ".segment", ".states"}
    assert len(held(index)) == 4


def test_a_commit_that_changes_nothing_is_none(index: Path) -> None:
    before = held(index)
    with trix.write(index) as writer:
        assert writer.commit() is False
        assert writer.compact() is False
        assert writer.delete("absent", ignore_missing=True) == 0
    assert held(index) == before
    assert writer.changes.commit == 1


def test_an_index_made_by_a_writer_that_fails_is_not_there(tmp_path: Path, docs: Path) -> None:
    with pytest.raises(SourceError), trix.write(tmp_path / "new", profile="generic") as writer:
        writer.add(docs)
        writer.add(docs / "absent")
    assert not (tmp_path / "new").exists()
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "x").write_text("x")
    with pytest.raises(IndexError_, match="not a Trix index"):
        trix.write(tmp_path / "text")
    assert [path.name for path in (tmp_path / "text").iterdir()] == ["x"]


def test_an_index_may_have_no_documents(tmp_path: Path) -> None:
    with trix.write(tmp_path / "new", profile="generic", stem="none"):
        pass
    assert trix.check(tmp_path / "new") == []
    opened = trix.open(tmp_path / "new")
    assert len(opened) == 0
    assert list(opened.search("tree")) == []
    assert list(opened.search("//*[about(., tree)]", strategy="thorough", context="tower")) == []
    assert opened.info()["settings"]["stem"] == "none"
    add(tmp_path / "new", "one")
    assert opened.refresh()
    assert opened.search("tree").docs == ["one"]


def test_a_writer_makes_an_index_with_the_settings_given(tmp_path: Path, docs: Path) -> None:
    with trix.write(tmp_path / "new", profile="jats", stem="none", stop="none", positions=True, store=True) as writer:
        writer.add(docs)
    info = trix.open(tmp_path / "new").info()["settings"]
    given = {"profile": "jats", "stem": "none", "stop": "none", "stopwords": 0, "positions": True, "store": True}
    assert {name: info[name] for name in given} == given
    trix.build(docs, tmp_path / "built", profile="jats", stem="none", stop="none", positions=True, store=True, jobs=1)
    assert held(tmp_path / "new") == held(tmp_path / "built")


@pytest.mark.parametrize(
    "settings", [{"profile": "jats"}, {"stem": "none"}, {"stop": "none"}, {"positions": False}, {"store": True}]
)
def test_other_settings_than_those_of_the_index_are_refused(settings: dict[str, Any], index: Path) -> None:
    with pytest.raises(UsageError, match="build a new index") as error:
        trix.write(index, **settings)
    assert error.value.field == next(iter(settings))
    same = {"profile": "generic", "stem": "porter", "stop": "default", "positions": True, "store": False}
    add(index, "four", **same)


def test_a_session_tells_whether_there_was_anything_to_publish(index: Path) -> None:
    session = WriteSession(index)
    assert session.publish() is False
    assert session.delete("absent") is False
    assert session.delete("one") is True
    assert session.find("one") is None
    assert session.publish() is True
    session.close()
    session.close()
    assert ids(trix.open(index)) == ["sub/three", "two"]
