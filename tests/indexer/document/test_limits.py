"""How large a document may be: refused before it takes memory, skipped where memory runs out all the same."""

from __future__ import annotations

import gzip
import io
import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from trix.errors import SourceError, UsageError
from trix.indexer.change.update import update as bring_up_to_date
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.document.parse import parse
from trix.indexer.write import from_sources, portion
from trix.indexer.write.builder import BatchBuilder

GOOD = "<article><title>{0}</title><sec><p>The tree of {0}.</p></sec></article>"
NAMES = ("ash", "beech", "cedar", "elm", "fir", "hazel", "larch")
MANY = b"<r>" + b"<a/>" * 5_000 + b"</r>"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in NAMES:
        (tmp_path / "docs" / f"{name}.xml").write_text(GOOD.format(name))
    return tmp_path / "docs"


def segments(index: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in index.glob("*.segment")}


def skipped(summary: trix.BuildSummary) -> list[tuple[str, str]]:
    return [(each.path, each.reason) for each in summary.skipped]


# -- what is counted ------------------------------------------------------------------------------------------------

TOO_MANY = [
    b"<r>" + b"<a/>" * 100 + b"</r>",
    b"<r>" + b"<a b='' c=''/>" * 40 + b"</r>",
    b"<r>" + b"<!---->" * 100 + b"</r>",
    b"<r>" + b"<?a?>" * 100 + b"</r>",
    b"<r>&nbsp;" + b"<a/>" * 100 + b"</r>",
    b"<!DOCTYPE r [<!ENTITY e '" + b"<a/>" * 10 + b"'>]><r>" + b"&e;" * 11 + b"</r>",
    b"\xef\xbb\xbf<!DOCTYPE r [<!ENTITY e '<a/><a/>'>]><r>" + b"&e;" * 50 + b"</r>",
    ('<?xml version="1.0" encoding="utf-16"?><r>' + "<a/>" * 100 + "</r>").encode("utf-16"),
    b"<r xml:id='a'>" + b"<a xml:id='a'/>" * 50 + b"</r>",
]


@pytest.mark.parametrize("data", TOO_MANY)
def test_elements_attributes_comments_and_what_entities_hold_count(data: bytes) -> None:
    with pytest.raises(SourceError, match=r"^a\.xml: holds more than 100 elements, attributes and comments"):
        DocumentLimits(100).check(data, "a.xml")
    DocumentLimits(1000).check(data, "a.xml")


@pytest.mark.parametrize(
    "data",
    [
        b"<r>" + b"<a/>" * 99 + b"</r>",
        b"<r>" + b"<a b=''/>" * 49 + b"</r>",
        b"<r><![CDATA[" + b"<a/>" * 500 + b"]]></r>",
        b"<r>" + b"&lt;a= " * 500 + b"</r>",
        b"<r>" + b"</a>" * 500,
        b"<!DOCTYPE r [<!ENTITY e 'ab'>]><r>" + b"&e;" * 500 + b"</r>",
        b"no XML" * 500,
    ],
)
def test_what_only_looks_like_markup_does_not_count(data: bytes) -> None:
    DocumentLimits(100).check(data, "a.xml")


def test_no_entities_expand_beyond_what_the_count_assumes() -> None:
    """Files that are too short for a count are bounded by libxml2's limit on entities."""
    for size, references in ((2000, 1200), (20_000, 60), (1, 47_000), (50_000, 5)):
        data = b"<!DOCTYPE r [<!ENTITY e '" + b"<a/>" * size + b"'>]><r>" + b"&e;" * references + b"</r>"
        try:
            found = sum(1 for _ in parse(data, "a.xml").iter())
        except SourceError as error:
            assert "expand to too much" in str(error)
            continue
        assert found <= (10 * len(data) + 1_000_000) / 4
        with pytest.raises(SourceError, match="max_elements"):
            DocumentLimits(found - 1 if found > 300_000 else 10).check(data, "a.xml") or DocumentLimits(10).check(
                data, "a.xml"
            )


# -- in a build -----------------------------------------------------------------------------------------------------


def test_a_document_above_a_limit_is_skipped_with_its_reason_and_the_others_are_kept(
    docs: Path, tmp_path: Path
) -> None:
    trix.build(docs, tmp_path / "good", jobs=1, profile="generic")
    (docs / "bomb.xml.gz").write_bytes(gzip.compress(MANY))
    (docs / "long.xml").write_bytes(b"<r>" + b"a" * 50_000 + b"</r>")
    (docs / "packed.xml.gz").write_bytes(gzip.compress(b"<r>" + b"a" * 50_000 + b"</r>"))
    how: dict[str, Any] = {"jobs": 2, "profile": "generic", "max_elements": 1000, "max_bytes": 40_000}
    summary = trix.build(docs, tmp_path / "i", **how)
    assert skipped(summary) == [
        ("bomb.xml.gz", "holds more than 1,000 elements, attributes and comments (`max_elements`)"),
        ("long.xml", "holds more than 40,000 bytes (`max_bytes`)"),
        ("packed.xml.gz", "holds more than 40,000 bytes (`max_bytes`)"),
    ]
    assert segments(tmp_path / "i") == segments(tmp_path / "good")
    with pytest.raises(SourceError, match="holds more than 1,000 elements"):
        trix.build(docs, tmp_path / "j", strict=True, **how)
    trix.build(docs, tmp_path / "j", profile="generic", jobs=1)  # the picked profile reads such documents no sooner
    assert len(trix.open(tmp_path / "j")) == len(NAMES) + 3


def test_members_of_archives_have_the_same_limits(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "archives").mkdir()
    files = {"good.xml": GOOD.format("oak").encode(), "many.xml": MANY, "packed.xml.gz": gzip.compress(b"a" * 50_000)}
    with zipfile.ZipFile(tmp_path / "archives" / "z.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(f"z/{name}", data)
        archive.writestr("z/long.xml", b"a" * 50_000)
    with tarfile.open(tmp_path / "archives" / "t.tar.gz", "w:gz") as packed:
        for name, data in (*files.items(), ("long.xml", b"a" * 50_000)):
            info = tarfile.TarInfo(f"t/{name}")
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    archives = sorted((tmp_path / "archives").iterdir())
    summary = trix.build(archives, tmp_path / "i", jobs=1, max_elements=1000, max_bytes=40_000)
    assert summary.documents == 2
    many, long = "1,000 elements, attributes and comments (`max_elements`)", "40,000 bytes (`max_bytes`)"
    assert sorted(skipped(summary)) == sorted(
        (f"{of}/{name}", f"holds more than {what}")
        for of in "tz"
        for name, what in (("long.xml", long), ("many.xml", many), ("packed.xml.gz", long))
    )


def test_an_index_remembers_its_limits_and_update_reads_again_what_was_too_large(docs: Path, tmp_path: Path) -> None:
    (docs / "many.xml").write_bytes(MANY)
    index = tmp_path / "i"
    trix.build(docs, index, jobs=1, profile="generic", max_elements=1000, max_bytes=60_000)
    settings = trix.open(index).info()["settings"]
    assert (settings["max_elements"], settings["max_bytes"]) == (1000, 60_000)

    def update(**more: Any) -> tuple[int, list[str], int]:
        with trix.write(index, jobs=1, **more) as writer:
            bring_up_to_date(writer)
        return writer.changes.added, [path for path, _ in writer.changes.skipped], writer.changes.commit

    assert update() == (0, [], 1)  # it is as it was, and left alone
    assert update(max_bytes=50_000) == (0, ["many.xml"], 2)
    (docs / "other.xml").write_bytes(MANY)
    assert update() == (0, ["other.xml"], 3)
    with trix.write(index, jobs=1) as writer, pytest.raises(SourceError, match=r"^document x: holds more than 1,000"):
        writer.add_document(MANY, id="x")
    assert update(max_elements=6000) == (2, [], 4)
    assert update(max_elements=6000) == (0, [], 4)
    settings = trix.open(index).info()["settings"]
    assert (settings["max_elements"], settings["max_bytes"]) == (6000, 50_000)


def test_the_commands_take_the_limits(docs: Path, tmp_path: Path, run_cli: Cli) -> None:
    (docs / "many.xml").write_bytes(MANY)
    index = tmp_path / "i"
    code, _, err = run_cli("index", docs, index, "--max-elements", "1000", "-q")
    assert (code, err) == (
        3,
        "trix: skipped many.xml: holds more than 1,000 elements, attributes and comments (--max-elements)\n",
    )
    assert run_cli("update", index, "-q") == (0, "", "")
    assert run_cli("update", index, "--max-bytes", "19k", "-q")[2].endswith("19,000 bytes (--max-bytes)\n")
    assert run_cli("add", index, docs / "many.xml", "--max-bytes", "30k", "--max-elements", "6000", "-q")[0] == 0
    assert len(trix.open(index)) == len(NAMES) + 1
    for name, value, said in (
        ("elements", "0", "expected a whole number of 1 or more"),
        ("elements", "many", "expected a whole number of 1 or more"),
        ("bytes", "0", "expected a number of bytes, 1 or more, as 300M"),
        ("bytes", "5X", "expected a number of bytes, 1 or more, as 300M"),
        ("bytes", "2000000000", "expected at most 1073741824"),
    ):
        for command in (("index", docs, tmp_path / "j"), ("update", index)):
            code, out, err = run_cli(*command, f"--max-{name}", value)
            assert (code, out, err) == (2, "", f"trix: error: --max-{name} {value}: {said}\n")


def test_limits_that_are_none_are_refused(docs: Path, tmp_path: Path) -> None:
    for limit in ({"max_elements": 0}, {"max_elements": 1.5}, {"max_bytes": -1}, {"max_bytes": (1 << 30) + 1}):
        with pytest.raises(UsageError, match=r"^max_"):
            trix.build(docs, tmp_path / "i", **limit)
        with pytest.raises(UsageError, match=r"^max_"):
            trix.write(tmp_path / "i", **limit)
        assert not (tmp_path / "i").exists()


# -- batches --------------------------------------------------------------------------------------------------------


@pytest.fixture(params=[1, 200, 400, 10**9])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches end early."""
    monkeypatch.setattr(portion, "MOST_BYTES", request.param)
    monkeypatch.setattr(portion, "_WAITING_BYTES", request.param // 2)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("jobs", [1, 2])
def test_batches_that_end_early_change_no_byte(docs: Path, tmp_path: Path, jobs: int, monkeypatch: Any) -> None:
    for number in range(30):
        (docs / f"{number}.xml.gz").write_bytes(gzip.compress(GOOD.format(f"w{number}").encode() + b" " * 5 * number))
    monkeypatch.setattr(from_sources, "BATCH_BYTES", 4000)
    summary = trix.build(docs, tmp_path / "i", jobs=jobs, profile="generic")
    assert summary.documents == len(NAMES) + 30
    monkeypatch.undo()
    trix.build(docs, tmp_path / "whole", jobs=1, profile="generic")
    assert segments(tmp_path / "i") == segments(tmp_path / "whole")


@pytest.mark.usefixtures("small")
def test_a_tar_in_another_order_gives_the_same_documents(tmp_path: Path) -> None:
    texts = {f"{number:02}.xml.gz": gzip.compress(GOOD.format(f"w{number}").encode()) for number in range(20)}
    for name, order in (("up", sorted(texts)), ("down", sorted(texts, reverse=True))):
        with tarfile.open(tmp_path / f"{name}.tar", "w") as archive:
            for each in order:
                info = tarfile.TarInfo(f"t/{each}")
                info.size = len(texts[each])
                archive.addfile(info, io.BytesIO(texts[each]))
        trix.build(tmp_path / f"{name}.tar", tmp_path / name, jobs=1, profile="generic")
    with trix.open(tmp_path / "up") as up, trix.open(tmp_path / "down") as down:
        ids = [[index.files.ids[number] for number in range(len(index))] for index in (up, down)]
        assert ids[0] == ids[1] and len(ids[0]) == 20
        for query in ("tree", "w7", "w11 tree"):
            assert [r.to_dict() for r in up.search(query)] == [r.to_dict() for r in down.search(query)]


# -- where memory runs out ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["_trees_of", "_numbered", "_invert", "finish"])
@pytest.mark.parametrize("name", [NAMES[0], NAMES[3], NAMES[-1]])
def test_a_document_that_does_not_fit_into_memory_is_named_and_the_others_are_kept(
    step: str, name: str, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = getattr(BatchBuilder, step)

    def failing(self: BatchBuilder, *given: Any) -> Any:
        documents = [entry.id for each in self._sources for entry in each.documents]
        found = original(self, *given)
        if given[-1:] == (f"{name}.xml",) or (step != "_trees_of" and name in documents):
            raise MemoryError
        return found

    with monkeypatch.context() as patch:
        patch.setattr(BatchBuilder, step, failing)
        summary = trix.build(docs, tmp_path / "i", jobs=1, profile="generic")
        assert skipped(summary) == [(f"{name}.xml", portion.NO_MEMORY)]
        with pytest.raises(SourceError, match=f"{name}.xml: {portion.NO_MEMORY}"):
            trix.build(docs, tmp_path / "j", jobs=1, profile="generic", strict=True)
    (docs / f"{name}.xml").unlink()
    trix.build(docs, tmp_path / "rest", jobs=1, profile="generic")
    assert segments(tmp_path / "i") == segments(tmp_path / "rest")


def test_where_a_worker_is_killed_the_largest_file_under_way_is_named(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "huge.xml").write_text(GOOD.format("large " * 2000))
    original = BatchBuilder.add

    def killed(self: BatchBuilder, source: Any, data: Any) -> None:
        if source.path == "huge.xml":
            os.kill(os.getpid(), signal.SIGKILL)
        original(self, source, data)

    monkeypatch.setattr(from_sources, "BATCH_BYTES", 1)
    monkeypatch.setattr(BatchBuilder, "add", killed)
    with pytest.raises(UsageError) as caught:
        trix.build(docs, tmp_path / "i", jobs=2, profile="generic")
    assert str(caught.value) == (
        f"a worker process was ended from outside (out of memory? the largest file under way was {docs}/huge.xml); try "
        "fewer `jobs`, or smaller `max_bytes` and `max_elements`"
    )
    assert not (tmp_path / "i").exists()


UNDER_LIMIT = """
import resource, sys
import trix
from trix.indexer.write import from_sources
from_sources.BATCH_BYTES = 1  # each document is a part, as large ones are
if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
    jobs, most = map(int, sys.argv[4:])
    summary = trix.build(sys.argv[2], sys.argv[3], jobs=jobs, profile="generic", max_elements=most)
    print(summary.documents, [(each.path, each.reason) for each in summary.skipped])
"""


def under_limit(docs: Path, index: Path, room: int, jobs: int, elements: int) -> str:
    """Return what a build says in a process that may have so many bytes."""
    program = index.with_name("program.py")
    program.write_text(UNDER_LIMIT)
    command = [sys.executable, *map(str, (program, room, docs, index, jobs, elements))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_build_under_a_limit_of_the_system_keeps_what_fits(docs: Path, tmp_path: Path, jobs: int) -> None:
    data = b"<r>" + b"<a b='c'>d</a>" * 600_000 + b"</r>"
    (docs / "cobweb.xml.gz").write_bytes(gzip.compress(data))
    room = 600 << 20
    said = under_limit(docs, tmp_path / "i", room, jobs, 10**7)
    assert said == f"{len(NAMES)} {[('cobweb.xml.gz', portion.NO_MEMORY)]}"
    assert trix.check(tmp_path / "i") == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes")
def test_six_million_elements_in_a_few_kilobytes_do_not_fill_five_gigabytes(docs: Path, tmp_path: Path) -> None:
    (docs / "bomb.xml.gz").write_bytes(gzip.compress(b"<r>" + b"<a/>" * 6_000_000 + b"</r>"))
    assert (docs / "bomb.xml.gz").stat().st_size < 70_000
    said = under_limit(docs, tmp_path / "i", 5_000_000 << 10, 2, DEFAULTS.elements)
    reason = "holds more than 2,000,000 elements, attributes and comments (`max_elements`)"
    assert said == f"{len(NAMES)} {[('bomb.xml.gz', reason)]}"


@pytest.mark.slow
@pytest.mark.lengthy
@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes")
def test_a_document_at_both_limits_fits_into_two_gigabytes(tmp_path: Path) -> None:
    text = " ".join(f"word{number % 997}" for number in range(14))
    line = "".join(f'<p id="x{number}">{text} {number}</p>\n' for number in range(970_000))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.xml").write_text(f"<r>{line[: DEFAULTS.size - 1000].rpartition('<p')[0]}</r>")
    assert DEFAULTS.size * 0.9 < (tmp_path / "docs" / "a.xml").stat().st_size < DEFAULTS.size
    program = (
        "import sys, resource, trix\n"
        "print(trix.build(sys.argv[1], sys.argv[2], jobs=1, profile='generic').documents)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    command = [sys.executable, "-c", program, f"{tmp_path}/docs", f"{tmp_path}/i"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    documents, peak = map(int, done.stdout.split())
    assert (documents, peak < 2_000_000) == (1, True), peak
