"""`trix add`, `delete`, `update`, `compact`, and what `index`, `info` and `check` have to do with them."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from trix.indexer.collection.source import document_id

ARTICLE = "<article><title>{0}</title><p>The tree of {0}.</p></article>"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name in ("one", "two", "three"):
        put(tmp_path / "docs" / f"{name}.xml", name)
    return tmp_path / "docs"


@pytest.fixture
def index(docs: Path, tmp_path: Path) -> Path:
    trix.build(docs, tmp_path / "i", jobs=1, profile="generic")
    return tmp_path / "i"


def put(path: Path, text: str, later: int = 0) -> Path:
    """Write an article, and give it a time some seconds from now: tests are quicker than clocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(ARTICLE.format(text))
    if later:
        os.utime(path, ns=(time.time_ns() + later * 10**9,) * 2)
    return path


def ids(path: Path) -> list[str]:
    opened = trix.open(path)
    return [opened.files.ids[number] for number in range(len(opened))]


def done(out: str) -> dict[str, Any]:
    """Return what a command did, of its JSON, but for nothing and time."""
    record: dict[str, Any] = json.loads(out)
    assert record.pop("seconds") >= 0
    return {name: value for name, value in record.items() if value}


def is_one_line(result: tuple[int, str, str], *words: str, code: int = 2) -> None:
    """Hold an error against its form: an exit code, nothing on standard output, one line without a traceback."""
    assert (result[0], result[1], result[2].count("\n")) == (code, "", 1), result
    assert all(word in result[2] for word in words), result[2]
    assert "bug" not in result[2]


# -- add ------------------------------------------------------------------------------------------------------------


def test_add_takes_folders_files_and_archives(index: Path, docs: Path, tmp_path: Path, run_cli: Cli) -> None:
    put(docs / "sub" / "four.xml", "four")
    put(tmp_path / "more" / "five.xml", "five")
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        archive.writestr("six.xml", ARTICLE.format("six"))
    code, out, err = run_cli("add", index, docs / "sub", tmp_path / "more", tmp_path / "old.zip")
    assert (code, err) == (0, "")
    assert out.startswith(f"{index}: 3 added; 6 documents in 2 segments, commit 2, ")
    assert out.count("\n") == 1
    assert ids(index) == ["one", "three", "two", "sub/four", "five", "six"]
    _, out, _ = run_cli("info", index, "--json")
    info = json.loads(out)
    assert info["collections"] == [str(docs), str(tmp_path / "more"), str(tmp_path / "old.zip")]
    assert (info["commit"], info["deleted"], [each["documents"] for each in info["segments"]]) == (2, 0, [3, 3])


def test_add_reports_as_json_and_names_what_it_skipped(index: Path, tmp_path: Path, run_cli: Cli) -> None:
    put(tmp_path / "more" / "four.xml", "four")
    (tmp_path / "more" / "bad.xml").write_text("<article>")
    code, out, err = run_cli("add", index, tmp_path / "more", "--json", "--quiet", "--jobs", 1)
    assert code == 3
    assert err.startswith("trix: skipped bad.xml: ") or "skipped bad.xml: " in err
    record = done(out)
    (skipped,) = record.pop("skipped")
    assert skipped["path"] == "bad.xml"
    assert record == {"added": 1, "commit": 2, "documents": 4, "segments": 2}
    before = ids(index)
    (tmp_path / "more" / "four.xml").rename(tmp_path / "more" / "five.xml")
    is_one_line(run_cli("add", index, tmp_path / "more", "--strict", "--quiet"), "bad.xml")
    assert ids(index) == before


def test_add_names_both_where_an_id_is_there_and_replaces_it_on_request(
    index: Path, docs: Path, tmp_path: Path, run_cli: Cli
) -> None:
    other = put(tmp_path / "other" / "two.xml", "a second two")
    put(tmp_path / "other" / "zoo.xml", "zoo")
    is_one_line(run_cli("add", index, tmp_path / "other"), str(other), str(docs / "two.xml"), "'two'", "--replace")
    assert ids(index) == ["one", "three", "two"]
    code, out, _ = run_cli("add", index, tmp_path / "other", "--replace", "--json")
    assert (code, done(out)) == (0, {"added": 1, "replaced": 1, "commit": 2, "documents": 4, "segments": 2})
    assert ids(index) == ["one", "three", "two", "zoo"]
    assert run_cli("show", index, "two")[1].count("second") == 2


def test_add_takes_patterns_and_lists(index: Path, tmp_path: Path, run_cli: Cli) -> None:
    put(tmp_path / "more" / "four.nxml", "four")
    put(tmp_path / "more" / "five.xml", "five")
    put(tmp_path / "lists" / "six.xml", "six")
    (tmp_path / "lists" / "all.txt").write_text("six.xml\n")
    code, _, _ = run_cli("add", index, tmp_path / "more", "--glob", "*.nxml", "-q")
    assert code == 0
    assert run_cli("add", index, f"@{tmp_path / 'lists' / 'all.txt'}", "-q")[:2] == (0, "")
    assert ids(index)[3:] == ["four.nxml", "six"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add", "{}.absent", "docs"), ("no such index", "trix index COLLECTION")),
        (("add", "docs", "docs"), ("not a Trix index",)),
        (("add", "{}", "absent"), ("absent: no such file",)),
        (("add", "{}", "docs", "--jobs", "0"), ("--jobs",)),
        (("add", "{}", "docs", "--wait", "-1"), ("--wait",)),
        (("add", "{}", "docs", "--wait", "soon"), ("--wait",)),
        (("delete", "{}.absent", "one"), ("no such index",)),
        (("delete", "{}", "@absent"), ("absent",)),
        (("update", "{}.absent"), ("no such index",)),
        (("update", "{}", "absent"), ("absent: no such file", "--allow-empty")),
        (("update", "{}", "--dry-run", "--watch"), ("--dry-run", "--watch")),
        (("compact", "{}.absent"), ("no such index",)),
        (("compact", "docs"), ("not a Trix index",)),
    ],
)
def test_a_wrong_argument_is_one_line_and_changes_nothing(
    arguments: tuple[str, ...], words: tuple[str, ...], index: Path, monkeypatch: pytest.MonkeyPatch, run_cli: Cli
) -> None:
    monkeypatch.chdir(index.parent)
    before = {path.name: path.read_bytes() for path in index.iterdir()}
    is_one_line(run_cli(*(each.format(index) for each in arguments)), *words)
    after = {path.name: path.read_bytes() for path in index.iterdir() if path.name != "lock"}
    assert after == before


# -- delete ---------------------------------------------------------------------------------------------------------


def test_delete_takes_ids_and_lists(index: Path, tmp_path: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone.txt").write_text("# withdrawn\none\n\n  one\n")
    code, out, err = run_cli("delete", index, f"@{tmp_path / 'gone.txt'}")
    assert (code, err) == (0, "")
    assert out.startswith(f"{index}: 1 deleted; 2 documents in 1 segment, commit 2, ")

    class Given:
        buffer = io.BytesIO(b"two\n")

    monkeypatch.setattr(sys, "stdin", Given)
    code, out, _ = run_cli("delete", index, "-", "--json")
    assert (code, done(out)) == (
        0,
        {"deleted": 1, "commit": 4, "documents": 1, "segments": 1},
    )  # and merged, as half is
    assert ids(index) == ["three"]


def test_delete_names_what_is_not_there_and_does_nothing(index: Path, run_cli: Cli) -> None:
    is_one_line(run_cli("delete", index, "one", "absent", "none"), "'absent'", "1 more", "--ignore-missing")
    assert ids(index) == ["one", "three", "two"]
    code, out, _ = run_cli("delete", index, "one", "absent", "--ignore-missing", "--quiet", "--no-merge", "--wait", "1")
    assert (code, out) == (0, "")
    assert ids(index) == ["three", "two"]
    code, out, _ = run_cli("delete", index, "absent", "--ignore-missing")
    assert code == 0
    assert "nothing" in out


# -- update ---------------------------------------------------------------------------------------------------------


def change(docs: Path) -> None:
    """Add a file, change one, remove one, and touch none."""
    put(docs / "sub" / "four.xml", "four")
    put(docs / "two.xml", "another two", later=60)
    (docs / "one.xml").unlink()


def test_update_makes_the_index_say_what_the_sources_say(index: Path, docs: Path, run_cli: Cli) -> None:
    change(docs)
    code, out, err = run_cli("update", index)
    assert (code, err) == (0, "")
    assert out.startswith(f"{index}: 1 added, 1 replaced, 1 deleted, 1 unchanged; 3 documents in ")
    assert ids(index) == ["three", "sub/four", "two"]
    assert "another two" in run_cli("show", index, "two")[1]
    commit = trix.open(index).files.commit
    code, out, _ = run_cli("update", index, "--json")
    counts = {"unchanged": 3, "commit": commit.number, "documents": 3, "segments": len(commit.segments)}
    assert (code, done(out)) == (0, counts)


def test_files_of_pubmed_central_are_found_as_those_that_end_in_xml(docs: Path, tmp_path: Path, run_cli: Cli) -> None:
    put(docs / "PMC1.nxml", "one of many")
    assert run_cli("index", docs, tmp_path / "i", "--profile", "generic", "-q")[0] == 0
    put(docs / "PMC2.nxml", "another of many")
    put(tmp_path / "more" / "PMC3.nxml", "a third of many")
    assert run_cli("update", tmp_path / "i", "-q")[0] == run_cli("add", tmp_path / "i", tmp_path / "more", "-q")[0] == 0
    assert [each for each in ids(tmp_path / "i") if "PMC" in each] == [
        document_id(f"PMC{number}.nxml") for number in (1, 2, 3)
    ]


def test_update_reads_no_file_that_is_as_it_was(
    index: Path, docs: Path, run_cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of another time is read once, found as it was, and not read again."""
    from trix.indexer.collection.source import Source

    original, read = Source.read, list[str]()

    def told(self: Source, *rest: Any) -> bytes:
        read.append(self.path)
        return original(self, *rest)

    monkeypatch.setattr(Source, "read", told)
    assert run_cli("update", index, "-q")[0] == 0
    put(docs / "two.xml", "two", later=60)
    for _ in range(2):
        code, out, _ = run_cli("update", index, "--json")
        assert (code, done(out)["unchanged"]) == (0, 3)
    assert read == ["two.xml"]
    assert trix.open(index).files.commit.number == 1


def test_update_prints_its_plan_and_does_nothing(index: Path, docs: Path, run_cli: Cli) -> None:
    change(docs)
    before = {path.name: path.read_bytes() for path in index.iterdir()}
    code, out, err = run_cli("update", index, "--dry-run")
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        f"add {docs / 'sub' / 'four.xml'}",
        f"replace {docs / 'two.xml'}",
        "delete one",
        "1 to add, 1 to replace, 1 to delete; 1 unchanged",
    ]
    code, out, _ = run_cli("update", index, "--dry-run", "--json")
    assert (code, json.loads(out)) == (
        0,
        {
            "add": [str(docs / "sub" / "four.xml")],
            "replace": [str(docs / "two.xml")],
            "delete": ["one"],
            "unchanged": 1,
            "notices": [],
        },
    )
    assert {path.name: path.read_bytes() for path in index.iterdir() if path.name != "lock"} == before
    run_cli("update", index, "-q")
    assert run_cli("update", index, "--dry-run")[1] == "0 to add, 0 to replace, 0 to delete; 3 unchanged\n"


@pytest.mark.parametrize("how", ["vanished", "empty"])
def test_a_collection_that_has_vanished_is_an_error_and_no_deletion(
    how: str, index: Path, docs: Path, run_cli: Cli
) -> None:
    shutil.rmtree(docs)
    if how == "empty":
        docs.mkdir()
    is_one_line(run_cli("update", index, "-q"), str(docs), "nothing was changed", "--allow-empty")
    assert ids(index) == ["one", "three", "two"]
    code, out, _ = run_cli("update", index, "--allow-empty", "--json")
    assert (code, done(out)) == (0, {"deleted": 3, "commit": 2})
    assert ids(index) == []


def test_update_of_some_collections_leaves_the_others(index: Path, docs: Path, tmp_path: Path, run_cli: Cli) -> None:
    more = put(tmp_path / "more" / "four.xml", "four").parent
    code, out, _ = run_cli("update", index, more, "--json")  # a collection that it does not know yet
    assert (code, done(out)["added"]) == (0, 1)
    (docs / "one.xml").unlink()
    put(more / "five.xml", "five")
    assert done(run_cli("update", index, more, "--json")[1])["added"] == 1
    assert ids(index) == ["one", "three", "two", "four", "five"]
    assert done(run_cli("update", index, docs, "--json")[1])["deleted"] == 1
    shutil.rmtree(more)
    is_one_line(run_cli("update", index, "-q"), str(more))
    assert ids(index) == ["three", "two", "four", "five"]


def test_update_tells_of_an_unreadable_file_once_and_reads_it_when_it_changes(
    index: Path, docs: Path, run_cli: Cli
) -> None:
    (docs / "bad.xml").write_text("<article>")
    code, _, err = run_cli("update", index)
    assert (code, err.count("\n")) == (3, 1)
    assert "bad.xml" in err
    assert run_cli("update", index)[::2] == (0, "")
    put(docs / "bad.xml", "no longer bad", later=60)
    assert done(run_cli("update", index, "--json")[1])["added"] == 1
    assert trix.open(index).info()["skipped"] == []


def test_update_leaves_documents_from_memory_and_needs_a_collection(tmp_path: Path, run_cli: Cli) -> None:
    with trix.write(tmp_path / "i", profile="generic") as writer:
        writer.add_document(ARTICLE.format("memo"), id="memo")
    is_one_line(run_cli("update", tmp_path / "i", "-q"), "remembers no collection")
    put(tmp_path / "docs" / "one.xml", "one")
    assert done(run_cli("update", tmp_path / "i", tmp_path / "docs", "--json")[1])["added"] == 1
    (tmp_path / "docs" / "one.xml").unlink()
    put(tmp_path / "docs" / "two.xml", "two")
    run_cli("update", tmp_path / "i", "-q")
    assert ids(tmp_path / "i") == ["memo", "two"]


def test_commands_wait_for_a_writer_or_name_it(index: Path, docs: Path, run_cli: Cli) -> None:
    with trix.write(index):
        for arguments in (
            ("add", index, docs),
            ("delete", index, "one"),
            ("update", index),
            ("update", index, "--dry-run"),
            ("compact", index),
            ("compact", index, "--wait", "0.1"),
        ):
            is_one_line(run_cli(*arguments, "-q"), f"process {os.getpid()} writes to it", "--wait")
    assert run_cli("compact", index, "--wait", "1", "-q") == (0, "", "")


# -- watch ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_watch_follows_files_until_it_is_interrupted(index: Path, docs: Path) -> None:
    pytest.importorskip("watchfiles")
    command = [sys.executable, "-m", "trix", "update", str(index), "--watch", "--jobs", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        assert process.stderr.readline() == f"trix: {index}: watching; press Ctrl-C to stop\n"
        with trix.open(index) as opened:
            awaited = [
                (lambda: put(docs / "four.xml", "four"), {"one", "two", "three", "four"}),
                (lambda: put(docs / "two.xml", "another two", later=60), {"one", "two", "three", "four"}),
                (lambda: (docs / "one.xml").unlink(), {"two", "three", "four"}),
            ]
            for act, expected in awaited:
                time.sleep(1)  # until the watch has begun again
                act()
                until = time.monotonic() + 60
                while not opened.refresh():
                    assert time.monotonic() < until, "the change was not seen"
                    assert process.poll() is None
                    time.sleep(0.05)
                opened.refresh()
                assert {opened.files.ids[number] for number in range(len(opened))} == expected
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert err == "trix: stopped watching\n"
    lines = out.splitlines()
    assert len(lines) == 3
    assert all(
        line.startswith(f"{index}: 1 {what}")
        for line, what in zip(lines, ("added", "replaced", "deleted"), strict=True)
    )
    assert not (index / ".writing").exists()
    assert trix.check(index) == []


# -- compact, index, check ------------------------------------------------------------------------------------------


def test_compact_makes_one_segment_with_the_bytes_of_an_index_built_at_once(
    index: Path, docs: Path, run_cli: Cli
) -> None:
    put(docs / "zoo.xml", "zoo")
    assert run_cli("add", index, docs / "zoo.xml", "-q") == (0, "", "")
    assert run_cli("delete", index, "one", "--no-merge", "-q") == (0, "", "")
    code, out, err = run_cli("compact", index)
    assert (code, err) == (0, "")
    assert "3 documents in 1 segment, commit 4, " in out
    (docs / "one.xml").unlink()
    trix.build(docs, index.with_name("fresh"), jobs=1, profile="generic")
    segments = [
        {path.name: path.read_bytes() for path in at.glob("*.segment")} for at in (index, index.with_name("fresh"))
    ]
    assert segments[0] == segments[1]
    code, out, _ = run_cli("compact", index, "--json")
    assert (code, done(out)) == (0, {"commit": 4, "documents": 3, "segments": 1})


def test_index_on_an_index_names_update_and_overwrite(index: Path, docs: Path, run_cli: Cli) -> None:
    is_one_line(run_cli("index", docs, index, "-q"), str(index), "trix update", "--overwrite")
    put(docs / "four.xml", "four")
    assert run_cli("index", docs, index, "--overwrite", "-q", "--jobs", 1)[0] == 0
    assert ids(index) == ["four", "one", "three", "two"]
    assert trix.open(index).files.commit.number == 2


def test_info_tells_of_commits_segments_and_deleted_documents(index: Path, docs: Path, run_cli: Cli) -> None:
    run_cli("add", index, put(docs / "four.xml", "four"), "-q")
    run_cli("delete", index, "one", "--no-merge", "-q")
    info = json.loads(run_cli("info", index, "--json")[1])
    assert (info["commit"], info["documents"], info["deleted"]) == (3, 3, 1)
    assert [(each["documents"], each["deleted"]) for each in info["segments"]] == [(2, 1), (1, 0)]
    lines = {tuple(line.split()) for line in run_cli("info", index)[1].splitlines()}
    assert {("commit", "3"), ("segments", "2"), ("deleted", "1"), ("documents", "3")} <= lines


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is forbidden to root")
def test_an_index_that_cannot_be_written_to_is_said_in_one_line(index: Path, run_cli: Cli) -> None:
    index.chmod(0o500)
    try:
        is_one_line(run_cli("delete", index, "one", "-q"), str(index), "cannot be written")
        assert run_cli("search", index, "tree")[0] == 0
    finally:
        index.chmod(0o700)
