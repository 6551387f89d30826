"""Building: the same bytes whoever built, whole or not at all, and every bad file named."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from tests.conftest import SETTLED
from tests.oracle.postings import coded
from tests.paths import ROOT
from tests.segments import sections_of
from trix.cli import main
from trix.errors import IndexError_, SourceError, TrixError, UsageError
from trix.indexer import build as building
from trix.indexer.commit import folder as folders
from trix.indexer.commit import sections
from trix.indexer.store.inverted.postings import decode_postings, encode_postings
from trix.indexer.write import from_sources
from trix.support.pool import interrupts_deferred
from trix.support.streams import ENDINGS

SHARES = (0.3, 0.9) if SETTLED else (0.02, 0.3, 0.6, 0.8, 0.9, 0.97)  # of a build
SOME = "tree edit distance xml retrieval context élément Straße 日本語 42 of the and naïve H2O user-centred index"
WORDS = SOME.split()


def collection(folder: Path, documents: int, seed: int = 1, paragraphs: int = 12) -> Path:
    """Write articles of random words, with mixed content, lists, empty elements and entities."""
    chance = random.Random(seed)

    def some(low: int, high: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(low, high)))

    for number in range(documents):
        sections = []
        for _ in range(chance.randint(1, 4)):
            inside = "".join(
                chance.choice(
                    (
                        f"<p>{some(2, 20)} <b>{some(1, 2)}</b>{some(1, 5)}</p>",
                        f"<list><item>{some(1, 3)}</item><item/><item>{some(1, 3)}</item></list>",
                        f"<fig id='f{number}'><label>{some(1, 1)}</label><caption>{some(1, 6)}</caption></fig>",
                        f"<p>{some(1, 4)}&nbsp;{some(1, 2)}</p>",
                        "<empty/>",
                    )
                )
                for _ in range(chance.randint(0, paragraphs))
            )
            sections.append(f"<sec><title>{some(1, 4)}</title>{inside}</sec>")
        path = folder / f"d{number % 7}" / f"a{number}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<article><title>{some(1, 5)}</title><body>{''.join(sections)}</body></article>")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "lock"}


def hidden(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(".")]


@pytest.fixture(scope="module")
def docs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collection(tmp_path_factory.mktemp("docs"), 60)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_sources, "BATCH_BYTES", 10_000)


# -- the same bytes -------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="plain", marks=pytest.mark.slow),
        pytest.param({"positions": True, "store": True}, id="positions-store"),
    ],
)
def test_an_index_is_bit_identical_for_any_number_of_jobs(docs: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    built = []
    for jobs in (1, 2, 3):
        trix.build(docs, tmp_path / f"{jobs}", jobs=jobs, **options)
        built.append(contents(tmp_path / f"{jobs}"))
        assert trix.check(tmp_path / f"{jobs}") == []
    assert built[0] == built[1] == built[2]


def test_the_size_of_a_batch_changes_no_count_and_no_result(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for number, size in enumerate((1, 5_000, 1 << 30)):
        monkeypatch.setattr(from_sources, "BATCH_BYTES", size)
        summary = trix.build(docs, tmp_path / f"{number}", jobs=1).to_json()
        for name in ("seconds", "index_bytes"):
            del summary[name]
        with trix.open(tmp_path / f"{number}") as index:
            found.append((summary, [r.to_dict() for r in index.search("tree 日本語", top=None, context="tower")]))
    assert found[0] == found[1] == found[2]


@pytest.mark.slow
def test_compressed_files_and_archives_give_the_index_of_the_folder(docs: Path, tmp_path: Path) -> None:
    import bz2
    import gzip
    import lzma

    import zstandard

    pack: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard.ZstdCompressor().compress,
    }  # fmt: skip
    assert {f".{name}" for name in pack} == set(ENDINGS)
    given: dict[str, Path | str] = {"plain": docs}
    for ending, packed in pack.items():
        for path in docs.rglob("*.xml"):
            copy = tmp_path / ending / path.relative_to(docs)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.with_name(f"{path.name}.{ending}").write_bytes(packed(path.read_bytes()))
        given[ending] = tmp_path / ending
    with zipfile.ZipFile(tmp_path / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(docs.rglob("*.xml"), reverse=True):
            archive.write(path, path.relative_to(docs))
    for ending in ("", ".gz", ".bz2", ".xz"):
        mode: Any = f"w:{ending[1:]}"
        with tarfile.open(tmp_path / f"all.tar{ending}", mode) as tar:
            for path in sorted(docs.rglob("*.xml"), key=lambda p: p.name[::-1]):
                tar.add(path, str(path.relative_to(docs)))
    plain = (tmp_path / "all.tar").read_bytes()
    (tmp_path / "all.tar.zst").write_bytes(pack["zst"](plain))
    given |= {path.name: path for path in tmp_path.glob("all.*")}
    listed = docs / "list.txt"
    listed.write_text("# all of them\n" + "\n".join(str(p.relative_to(docs)) for p in docs.rglob("*.xml")) + "\n")
    given["@list"] = f"@{listed}"
    expected = None
    for name, source in given.items():
        summary = trix.build(source, tmp_path / f"{name}.index", jobs=1)
        sections = sections_of(tmp_path / f"{name}.index")
        kept = {section: bytes(data) for section, data in sections.items() if not section.startswith("sources")}
        counts = {
            k: v for k, v in summary.to_json().items() if k not in ("seconds", "index_bytes", "notices", "ignored")
        }
        with trix.open(tmp_path / f"{name}.index") as index:
            shown = [(r.doc, r.path, r.snippet, r.text) for r in index.search("tree context", context="tower")]
        expected = expected or (kept, counts, shown)
        assert (kept, counts, shown) == expected, name
        assert len(shown) == 10
    listed.unlink()


# -- bad files ------------------------------------------------------------------------------------------------------


def test_a_bad_file_is_skipped_with_path_line_and_reason(tmp_path: Path) -> None:
    docs = collection(tmp_path / "docs", 3)
    (docs / "bad.xml").write_text("<a>\n<<<<<<< HEAD\n</a>")
    (docs / "deep.xml").write_text("<a>" * 10_000 + "</a>" * 10_000)
    (docs / "empty.xml").write_text("")
    (docs / "cut.xml.gz").write_bytes(b"\x1f\x8b\x08\x00")
    summary = trix.build(docs, tmp_path / "i", jobs=1)
    reasons = {skipped.path: skipped.reason for skipped in summary.skipped}
    assert summary.documents == 3
    assert set(reasons) == {"bad.xml", "deep.xml", "empty.xml", "cut.xml.gz"}
    assert reasons["bad.xml"].startswith("line 2: ")
    assert "nested deeper" in reasons["deep.xml"]
    assert trix.check(tmp_path / "i") == []
    with trix.open(tmp_path / "i") as index:
        assert sorted(entry["path"] for entry in index.info()["skipped"]) == sorted(reasons)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_strict_stops_at_the_first_bad_file_and_leaves_nothing(
    jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(from_sources, "BATCH_BYTES", 5_000)
    docs = collection(tmp_path / "docs", 20)
    (docs / "d3" / "bad.xml").write_text("<a>\n\n<b></a>")
    (docs / "d5" / "worse.xml").write_text("<a")
    assert main(["index", str(docs), str(tmp_path / "i"), "--strict", "--jobs", jobs, "-q"]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "d3/bad.xml, line 3: " in captured.err
    assert os.listdir(tmp_path) == ["docs"]
    assert main(["index", str(docs), str(tmp_path / "i"), "--jobs", jobs, "--json", "-q"]) == 3
    captured = capsys.readouterr()
    assert [entry["path"] for entry in json.loads(captured.out)["skipped"]] == ["d3/bad.xml", "d5/worse.xml"]
    assert captured.err.count("trix: skipped ") == 2


@pytest.mark.parametrize("case", ["empty folder", "no such", "only bad", "nothing", "not xml"])
def test_a_collection_without_a_document_is_an_error_in_one_line(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    docs = tmp_path / "docs"
    if case != "no such":
        docs.mkdir()
    if case == "only bad":
        (docs / "a.xml").write_text("<a>\n<b>")
        (docs / "b.xml").write_text("")
    if case == "not xml":
        (docs / "a.txt").write_text("x")
    given = [] if case == "nothing" else [str(docs)]
    assert main(["index", *given, str(tmp_path / "i"), "-q"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert str(docs) in err or case == "nothing"
    assert case != "only bad" or "a.xml: line 2: " in err
    assert "i" not in os.listdir(tmp_path)


def test_documents_without_text_make_an_index_all_the_same(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.xml").write_text("<a><b/></a>")
    summary = trix.build(docs, tmp_path / "i")
    assert (summary.documents, summary.elements) == (1, 0)
    assert trix.check(tmp_path / "i") == []
    with trix.open(tmp_path / "i") as index:
        assert len(index.search("anything")) == 0
        assert index.show("a") == ""


def test_a_collection_given_twice_is_an_error_that_names_both_files(docs: Path, tmp_path: Path) -> None:
    with pytest.raises(TrixError, match=r"a0\.xml.* same document id \(d0/a0\) as .*a0\.xml"):
        trix.build([docs, docs], tmp_path / "i")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.xml").write_text("<a>b</a>")
    (tmp_path / "x" / "a.xml.gz").write_bytes(__import__("gzip").compress(b"<a>c</a>"))
    with pytest.raises(TrixError, match=r"a\.xml.*same document id.*a\.xml"):
        trix.build(tmp_path / "x", tmp_path / "i")
    assert not (tmp_path / "i").exists()


# -- whole or not at all --------------------------------------------------------------------------------------------


def test_an_index_inside_its_collection_is_not_indexed(tmp_path: Path) -> None:
    docs = collection(tmp_path / "docs", 5)
    first = trix.build(docs, docs / "own.index", glob=["*"], jobs=1)
    again = trix.build(docs, docs / "own.index", glob=["*"], overwrite=True, jobs=1)
    assert (first.documents, first.skipped) == (again.documents, again.skipped) == (5, [])
    assert hidden(docs) == []


def test_what_is_no_index_is_never_replaced(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "thesis.txt").write_text("mine")
    (tmp_path / "nowhere").symlink_to(tmp_path / "gone")
    for name in ("file", "folder", "nowhere"):
        for overwrite in (False, True):
            with pytest.raises(IndexError_, match=f"{name}: exists and is not a Trix index"):
                trix.build(docs, tmp_path / name, overwrite=overwrite)
    assert (tmp_path / "folder" / "thesis.txt").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    trix.build(docs, tmp_path / "empty", jobs=1)
    with pytest.raises(IndexError_, match="run trix update to bring it up to date, or pass `overwrite` to rebuild it"):
        trix.build(docs, tmp_path / "empty")
    with pytest.raises(UsageError, match=r"jobs: expected .*; got 0"):
        trix.build(docs, tmp_path / "other", jobs=0)


def test_a_target_that_cannot_be_written_is_an_error_in_one_line(docs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(IndexError_, match="cannot write there: Not a directory"):
        trix.build(docs, tmp_path / "file" / "below" / "x.index")


def test_overwriting_leaves_a_reader_of_the_old_index_at_work(tmp_path: Path) -> None:
    trix.build(collection(tmp_path / "old", 30), tmp_path / "i", jobs=1, store=True)
    trix.build(collection(tmp_path / "new", 5, seed=2), tmp_path / "j", jobs=1, store=True)
    with trix.open(tmp_path / "i") as index:
        expected = [r.to_dict() for r in index.search("tree context", top=None)]
    with trix.open(tmp_path / "i") as index:
        index.search("distance")
        trix.build(tmp_path / "new", tmp_path / "i", jobs=1, store=True, overwrite=True)
        new, alone = ({p.name: p.read_bytes() for p in (tmp_path / name).glob("*.segment")} for name in "ij")
        assert new == alone
        assert [r.to_dict() for r in index.search("tree context", top=None)] == expected
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("number", [None, errno.ENOSPC, pytest.param(errno.EIO, marks=pytest.mark.slow)])
def test_a_disk_that_fails_leaves_the_old_index_and_says_so_in_one_line(
    number: int | None, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trix.build(docs, tmp_path / "i", jobs=1)
    before = contents(tmp_path / "i")
    failing: list[tuple[Any, str]] = [
        (os, "fsync"), (from_sources, "write_postings"), (sections.SectionWriter, "seal"), (building, "write_states"),
        (building, "write_commit"),
    ]  # fmt: skip
    for module, name in failing:

        def fail(*_: object, **__: object) -> None:
            raise OSError(number, os.strerror(number)) if number else OSError("100 requested and 7 written")

        with monkeypatch.context() as patch:
            patch.setattr(module, name, fail)
            with pytest.raises(IndexError_, match="nothing was changed"):
                trix.build(docs, tmp_path / "i", jobs=1, overwrite=True)
        assert contents(tmp_path / "i") == before
        assert hidden(tmp_path) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Any:
    """Return a disk of 200 kB, if this machine lets us have one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if (
        not mount
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("mounting a small disk is not allowed here")
    yield disk
    subprocess.run(["umount", disk], check=True)


def test_a_full_disk_leaves_the_old_index(
    small_disk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.xml").write_text("<a>one document</a>")
    trix.build(tmp_path / "a.xml", small_disk / "i", jobs=1)
    before = contents(small_disk / "i")
    monkeypatch.setattr(from_sources, "BATCH_BYTES", 20_000)
    docs = collection(tmp_path / "docs", 120)
    for jobs in ("1", "2"):
        assert main(["index", str(docs), str(small_disk / "i"), "--overwrite", "--store", "-j", jobs]) == 2
        err = capsys.readouterr().err
        assert err == f"trix: error: {small_disk / 'i'}: no space left on the device; nothing was changed\n"
        assert contents(small_disk / "i") == before
        assert hidden(small_disk) == []


def descendants(pid: int) -> set[int]:
    """Return the processes that descend from one, by /proc."""
    found: set[int] = set()
    todo = [pid]
    while todo:
        parent = todo.pop()
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            numbers = {int(number) for number in children.read_text().split()}
            todo += numbers - found
            found |= numbers
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
def test_a_build_killed_at_any_moment_harms_nothing(tmp_path: Path) -> None:
    docs = collection(tmp_path / "docs", 400, paragraphs=30)
    old = trix.build(docs / "d0", tmp_path / "i", jobs=1)
    before = contents(tmp_path / "i")
    code = (
        "from trix.indexer import build; from trix.indexer.write import from_sources as making\n"
        "making.BATCH_BYTES = 20_000\n"
        f"build.build({str(docs)!r}, {str(tmp_path / 'i')!r}, jobs=2, overwrite=True)"
    )

    def start() -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen([sys.executable, "-c", code], env=environment, cwd=tmp_path, start_new_session=True)

    began = time.monotonic()
    undisturbed = start()
    while undisturbed.poll() is None and not hidden(tmp_path):
        time.sleep(0.005)
    building_from = time.monotonic()
    assert undisturbed.wait() == 0
    whole = contents(tmp_path / "i")
    span, lead = time.monotonic() - building_from, building_from - began
    assert whole != before
    killed = 0
    for share in SHARES:
        shutil.rmtree(tmp_path / "i")
        trix.build(docs / "d0", tmp_path / "i", jobs=1)
        assert hidden(tmp_path) == []  # what the kill before left behind has been cleared away
        process = start()
        time.sleep(lead)
        while process.poll() is None and not hidden(tmp_path):
            time.sleep(0.002)
        time.sleep(share * span)
        workers = descendants(process.pid)
        process.kill()  # unless it was through before
        killed += process.wait() == -signal.SIGKILL
        assert contents(tmp_path / "i") in (before, whole)
        assert trix.check(tmp_path / "i") == []
        for _ in range(500):
            if not any(map(alive, workers)):
                break
            time.sleep(0.01)
        assert not any(map(alive, workers)), "a worker lives on without its parent"
    assert killed
    assert trix.build(docs / "d0", tmp_path / "i", jobs=1, overwrite=True).documents == old.documents
    assert sorted(os.listdir(tmp_path)) == ["docs", "i"]


def test_a_second_build_leaves_a_running_one_alone(docs: Path, tmp_path: Path) -> None:
    with folders.building(tmp_path / "i") as folder:
        (folder / "half.bin").write_bytes(b"x")
        trix.build(docs, tmp_path / "i", jobs=1)
        assert (folder / "half.bin").exists()
    assert hidden(tmp_path) == []


def test_errors_of_workers_come_back_whole(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(from_sources, "BATCH_BYTES", 5_000)
    bad = shutil.copytree(docs, tmp_path / "docs")
    (bad / "d2" / "zz.xml").write_text("<a>\n<b>")
    with pytest.raises(SourceError) as caught:
        trix.build(bad, tmp_path / "i", jobs=2, strict=True)
    assert (caught.value.path, caught.value.line) == ("d2/zz.xml", 2)


def test_a_word_of_which_the_stemmer_leaves_nothing_is_its_own_key(tmp_path: Path) -> None:
    """Porter's stemmer makes nothing of "s"; an empty key would shift the posting lists of all others."""
    (tmp_path / "d.xml").write_text("<a><p>the reader's word</p><p>zebra s</p></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", stem="porter", stop="none")
    assert trix.check(tmp_path / "i") == []
    with trix.open(tmp_path / "i") as index:
        assert [result.path for result in index.search("zebra", top=1)] == ["/a[1]/p[2]"]
        found = {result.path for result in index.search("s", strategy="thorough")}
        assert found == {"/a[1]", "/a[1]/p[1]", "/a[1]/p[2]"}


POSTINGS = st.dictionaries(st.integers(0, 2**31 - 1), st.integers(1, 2**31 - 1) | st.integers(1, 3), min_size=1)


@given(st.lists(POSTINGS, max_size=8))
def test_posting_lists_are_coded_as_the_format_says_and_come_back(lists: list[dict[int, int]]) -> None:
    contents = np.array([content for each in lists for content in sorted(each)], np.int64)
    tf = np.array([each[content] for each in lists for content in sorted(each)], np.int64)
    starts = np.cumsum([0, *map(len, lists)])[:-1].astype(np.int64)
    data, sizes = encode_postings(contents, tf, starts)
    assert [data[end - size : end].tobytes() for end, size in zip(np.cumsum(sizes), sizes, strict=True)] == [
        coded(each) for each in lists
    ]
    for each, end, size in zip(lists, np.cumsum(sizes), sizes, strict=True):
        numbers, counts = decode_postings(data[end - size : end])
        assert dict(zip(numbers.tolist(), counts.tolist(), strict=True)) == each


def test_an_interrupt_while_the_loops_are_loaded_comes_when_they_are() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    reached = []
    try:
        with pytest.raises(KeyboardInterrupt), interrupts_deferred():
            os.kill(os.getpid(), signal.SIGINT)
            reached.append(signal.getsignal(signal.SIGINT))
        assert len(reached) == 1 and reached != [signal.default_int_handler]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
