"""An index on disk: damaged, newer, without its sources, or with a copy of them."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgpack
import pytest

import trix
from tests.conftest import Cli
from tests.segments import flipped
from trix.errors import IndexError_, OtherFormatError, SourceError, TrixError
from trix.indexer.change.update import update
from trix.indexer.commit.commit import FORMAT, newest_commit

ARTICLE = """<article><title>{title}</title><body>
<sec><title>Trees &amp; more</title><p>The <i>tree edit</i> distance of XML documents.</p><p>Retrieval.</p></sec>
<sec><list><item>an edit</item><item>a tree of {title}</item></list></sec></body></article>"""
LENGTHY = [pytest.mark.slow, pytest.mark.lengthy]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.xml").write_text(ARTICLE.format(title=name))
    return folder


@pytest.fixture
def index(docs: Path, tmp_path: Path) -> Path:
    trix.build(docs, tmp_path / "i", jobs=1, positions=True)
    return tmp_path / "i"


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    for name in ("one", "two"):
        (folder / f"{name}.xml").write_text(ARTICLE.format(title=name))
    trix.build(folder, folder / "i", jobs=1, positions=True, store=True)
    return folder / "i"


def everything(path: Path) -> list[Any]:
    """Use all that an index has; return what it says."""
    found: list[Any] = []
    with trix.open(path) as index:
        asked: tuple[dict[str, Any], ...]
        asked = ({}, {"phrases": "exact"}, {"context": "horizontal:all=1", "strategy": "thorough"})
        for options in asked:
            results = index.search('"tree edit" retrieval of', top=None, **options)
            found += [(result.to_dict(), result.snippet, result.text) for result in results]
        found.append(index.show("one/article[1]/body[1]/sec[1]", xml=True))
        found.append(str(index.explain("tree", "1.2")))
        info = index.info()
        found.append({name: info[name] for name in ("documents", "elements", "keys", "postings", "tags")})
        found.append(index.info("content"))
    return found


def rescore(path: Path) -> list[Any]:
    """Use what rescoring needs; return the scores."""
    run = {"t": {"one": 0.5, "one/article[1]/body[1]/sec[2]/list[1]/item[1]": 1.0, "two/article[1]/title[1]": 0.2}}
    with trix.open(path) as index:
        return [result.to_dict() for result in index.rescore(run, context=["tower", "horizontal:all=1"])["t"]]


# -- damage ---------------------------------------------------------------------------------------------------------


def test_the_files_of_an_index_are_its_commit_and_what_that_names(sound: Path) -> None:
    (entry,) = newest_commit(sound).segments
    expected = {"commit-000001.msgpack", "commit-000001.copy", entry.file, f"{entry.name}.states"}
    assert {path.name for path in sound.iterdir()} == expected
    everything(sound)


def damaged(data: bytes, damage: str) -> bytes:
    return {"cut": data[:-1], "longer": data + b"\0", "empty": b""}[damage]


@pytest.mark.parametrize("damage", ["missing", "cut", "longer", "empty"])
def test_a_segment_missing_or_of_another_size_is_said_in_one_line(
    damage: str, sound: Path, tmp_path: Path, run_cli: Cli
) -> None:
    folder = shutil.copytree(sound, tmp_path / "i")
    (path,) = folder.glob("*.segment")
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(damaged(path.read_bytes(), damage))
    with pytest.raises(IndexError_, match="damaged"):
        trix.open(folder)
    for arguments in (["search", str(folder), "tree"], ["check", str(folder)]):
        code, out, err = run_cli(*arguments)
        assert code in (1, 2)
        assert (out + err).count("\n") == 1
        assert "bug" not in err
        assert path.name in out + err


@pytest.mark.parametrize("damage", ["missing", "cut", "longer", "empty"])
def test_one_of_both_files_of_a_commit_is_enough(damage: str, sound: Path, tmp_path: Path, run_cli: Cli) -> None:
    folder = shutil.copytree(sound, tmp_path / "i")
    for path in sorted(folder.glob("commit-*")):
        data = path.read_bytes()
        if damage == "missing":
            path.unlink()
        else:
            path.write_bytes(damaged(data, damage))
        everything(folder)
        code, out, err = run_cli("check", str(folder))
        assert (code, err) == (1, "")
        assert out.count("\n") == 1
        assert path.name in out
        path.write_bytes(data)
    for path in folder.glob("commit-*"):
        path.write_bytes(damaged(path.read_bytes(), damage) if damage != "missing" else b"x")
    with pytest.raises(IndexError_, match="damaged"):
        trix.open(folder)
    code, out, err = run_cli("search", str(folder), "tree")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "commit-000001.msgpack" in err


def test_times_of_sources_that_are_lost_or_damaged_lose_nothing(sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / "i")
    (path,) = folder.glob("*.states")
    for data in (b"", b"\0", bytes(range(256)), None):
        path.unlink() if data is None else path.write_bytes(data)
        everything(folder)
        assert len(trix.check(folder)) == 1
        with trix.write(folder) as writer:
            update(writer)
        assert trix.check(folder) == []
        done = writer.changes
        assert (done.added, done.replaced, done.deleted, done.unchanged) == (0, 0, 0, 2)


@pytest.mark.parametrize("use", [everything, rescore])
@pytest.mark.parametrize("tenth", [0, 1, *(pytest.param(tenth, marks=LENGTHY) for tenth in range(2, 10))])
def test_an_index_with_a_flipped_byte_gives_its_answer_or_one_line(
    tenth: int, use: Callable[[Path], list[Any]], sound: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(sound, tmp_path / "i")
    expected = use(folder)
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        places = [0, 7, 40, len(data) - 1, *range(0, len(data), max(1, len(data) // 80))]
        for number, place in enumerate(dict.fromkeys(places)):
            if number % 10 != tenth or not 0 <= place < len(data):
                continue
            for flip in (1, 0x80):
                path.write_bytes(flipped(data, place, flip))
                try:
                    assert use(folder) == expected
                except TrixError as error:
                    assert "\n" not in str(error)
                    assert path.name in str(error)
        path.write_bytes(data)


def sealed(**record: Any) -> bytes:
    """Return the bytes of a commit that another version of Trix may have written."""
    body: bytes = msgpack.packb(record)
    return b"TRIX commit\n" + hashlib.blake2b(body, digest_size=16).digest() + body


def of_format(index: Path, number: Any, **record: Any) -> None:
    for path in index.glob("commit-*"):
        path.write_bytes(sealed(format=number, **record))


EVERY_COMMAND = (
    "info {0}", "search {0} tree", "check {0}", "check {0} --repair", "show {0} one", "passages {0} tree",
    "suggest {0} t", "online {0}", "serve {0} --port 0", "mcp {0}", "run {0} {1}/topics", "update {0}",
    "compact {0}", "add {0} {1}/docs", "delete {0} one", "search {0},{0}2 tree",
    "rescore {1}/run {0}",
    "density {1}/qrels {1}/run --index {0}", "eval {1}/qrels {1}/run --index {0}",
)  # fmt: skip


def test_an_index_of_another_format_is_one_line_with_the_way_to_build_it_anew(
    index: Path, docs: Path, tmp_path: Path, run_cli: Cli
) -> None:
    (tmp_path / "topics").write_text("1 tree\n")
    (tmp_path / "run").write_text("1 Q0 one 1 0.5 r /article[1]\n")
    (tmp_path / "qrels").write_text("1 Q0 one 3 0 3\n")
    shutil.copytree(index, f"{index}2")
    for number, first in ((FORMAT - 1, ""), (FORMAT + 1, "update Trix, or ")):
        of_format(index, number, origins={"collections": [str(docs)], "glob": []}, more=None)
        line = (
            f"{index}: index format {number}, this Trix reads {FORMAT}; {first}build it anew with its options and "
            f"`overwrite`: trix index {docs} {index}"
        )
        for command in EVERY_COMMAND if not first else ("info {0}",):
            code, out, err = run_cli(*command.format(index, tmp_path).split())
            assert (code, out, err) == (2, "", f"trix: error: {line}\n".replace("`overwrite`", "--overwrite")), command
        for call in (trix.open, trix.check, trix.write, lambda path: trix.write(path).close()):
            with pytest.raises(OtherFormatError) as caught:
                call(index)
            assert str(caught.value) == line
    assert run_cli(*f"index {docs} {index} --overwrite -q".split()) == (0, "", "")
    assert trix.check(index) == []


def test_the_sources_of_another_format_are_named_if_they_are_few_and_known(index: Path, tmp_path: Path) -> None:
    def said() -> str:
        with pytest.raises(OtherFormatError) as caught:
            trix.open(index)
        return str(caught.value).partition("trix index ")[2]

    target = str(index)
    of_format(index, 3, origins={"collections": ["/my plays", "@/a list"]})
    assert said() == f"'/my plays' '@/a list' {target}"
    strange: tuple[Any, ...] = ({"collections": list("abcde")}, {"collections": []}, {"collections": 5}, {}, 5, None)
    for origins in strange:
        of_format(index, "x", origins=origins)
        assert said() == f"COLLECTION... {target}"
    of_format(index, 9)
    assert said() == f"COLLECTION... {target}"
    for path in index.glob("commit-*"):
        path.unlink()
    (index / "manifest.msgpack").write_bytes(b"TRIX index\n")
    assert said() == f"COLLECTION... {target}"
    with pytest.raises(OtherFormatError, match=f"index format 2, this Trix reads {FORMAT}; build it anew"):
        trix.check(index)
    for change in (trix.write, lambda path: trix.write(path).close()):
        with pytest.raises(OtherFormatError):
            change(index)
    trix.build(index.parent / "docs", index, overwrite=True, jobs=1)
    assert trix.check(index) == []
    assert not (index / "manifest.msgpack").exists()


def test_an_index_of_another_format_at_a_url_is_named_by_its_url(
    index: Path, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec")
    monkeypatch.setenv("TRIX_CACHE", str(tmp_path / "cache"))
    of_format(index, 3)
    url = f"file://{index}"
    for _ in range(2):
        with pytest.raises(OtherFormatError, match=f"^{url}: index format 3, .* COLLECTION... {url}$"):
            trix.open(url)
    trix.build(docs, url, overwrite=True, jobs=1)
    with trix.open(url) as opened:
        assert len(opened) == 3


def test_a_format_that_one_of_two_copies_names_is_no_damage(index: Path) -> None:
    (copy,) = index.glob("commit-*.copy")
    copy.with_suffix(".msgpack").write_bytes(b"damaged")
    copy.write_bytes(sealed(format=3))
    with pytest.raises(OtherFormatError):
        trix.open(index)


def test_no_index_at_all_says_what_to_do(tmp_path: Path, run_cli: Cli) -> None:
    for path, said in ((tmp_path / "no", "no such index"), (tmp_path, "not a Trix index")):
        code, out, err = run_cli("info", str(path))
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err


# -- sources --------------------------------------------------------------------------------------------------------


def test_a_stored_copy_serves_texts_snippets_and_xml_without_the_sources(docs: Path, tmp_path: Path) -> None:
    shown = []
    for store in (False, True):
        trix.build(docs, tmp_path / f"{store}", jobs=1, store=store)
    for gone in (False, True):
        if gone:
            shutil.rmtree(docs)
        for store in (False, True):
            if gone and not store:
                continue
            with trix.open(tmp_path / f"{store}") as index:
                results = index.search("tree edit", top=None, strategy="thorough")
                shown.append((
                    [(r.snippet, r.text, index.show(r.doc + r.path, xml=True)) for r in results],
                    index.show("two"), index.show("two", xml=True), index.notices,
                ))  # fmt: skip
    assert shown[0] == shown[1] == shown[2]
    assert len(shown[0][0]) > 5
    assert shown[0][0][0][2].startswith("<")
    assert shown[0][3] == []


@pytest.mark.parametrize("what", ["gone", "changed", "same size", "not xml", "a folder"])
def test_sources_that_are_not_what_was_indexed_leave_results_without_snippets(
    what: str, docs: Path, index: Path, run_cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [json.loads(line) for line in run_cli("search", str(index), "tree", "edit")[1].splitlines()]
    for path in docs.iterdir():
        data = path.read_bytes()
        path.unlink()
        if what == "a folder":
            path.mkdir()
        elif what != "gone":
            other = {"changed": data + b"\n", "same size": data.replace(b"tree", b"free"), "not xml": b"x"}
            path.write_bytes(other[what])
    said = "has moved or cannot be read" if what in ("gone", "a folder") else "has changed since it was indexed"
    topics = tmp_path / "t.tsv"
    topics.write_text("1\ttree edit\n2\tretrieval\n")
    searching = ["search", str(index), "tree", "edit"]
    for arguments in (searching, [*searching, "--format", "csv"], [*searching, "--format", "table"],
                      [*searching, "--explain"], ["run", str(index), str(topics), "--format", "jsonl"]):  # fmt: skip
        code, out, err = run_cli(*arguments)
        assert code == 0
        assert err.count("\n") == 1
        assert said in err
        assert out
        if arguments == searching:
            found = [json.loads(line) for line in out.splitlines()]
            assert [{**line, "snippet": "", "marks": []} for line in expected] == found
    for arguments in ([*searching, "--format", "trec"], ["run", str(index), str(topics)]):
        assert run_cli(*arguments)[2] == ""  # nothing was to be read
    code, out, err = run_cli("show", str(index), "two")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert "two.xml" in err
    assert "--store" in err
    monkeypatch.setattr("sys.stdin", io.StringIO("tree\n:show 1\n:xml 1\n:explain 1\n"))
    code, out, err = run_cli("online", str(index))
    assert code == 0
    assert "score of" in out
    assert [line.startswith("trix: error: ") for line in err.splitlines()] == [False, True, True]
    assert all(said in line for line in err.splitlines())


def test_a_source_in_an_archive_that_was_replaced_is_noticed(docs: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", docs)
    trix.build(archive, tmp_path / "i", jobs=1)
    (docs / "one.xml").write_text(ARTICLE.format(title="onx"))
    shutil.make_archive(str(tmp_path / "all"), "zip", docs)
    with trix.open(tmp_path / "i") as index:
        assert "tree of two" in index.show("two")
        with pytest.raises(SourceError, match="has changed since it was indexed"):
            index.show("one")


@pytest.mark.parametrize(
    ("sources", "index"),
    [("c", "c.index"), ("xml/deep/c", "indexes/c.index"), ("c", "c/c.index"), ("c.zip", "i"), ("c.tar.gz", "i")],
)
@pytest.mark.parametrize("way", ["moved", "copied, and the originals changed"])
def test_sources_that_were_moved_together_with_the_index_are_found(
    sources: str, index: str, way: str, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old", tmp_path / "elsewhere" / "new"
    (old / sources).parent.mkdir(parents=True)
    (old / index).parent.mkdir(parents=True, exist_ok=True)
    kind = {".zip": "zip", ".gz": "gztar"}.get(Path(sources).suffix)
    if kind is None:
        shutil.copytree(docs, old / sources, dirs_exist_ok=True)
    else:
        shutil.make_archive(str(old / "c"), kind, docs)
    trix.build(old / sources, old / index, jobs=1)
    with trix.open(old / index) as opened:
        expected = [(r.snippet, r.text) for r in opened.search("tree edit")]
    new.parent.mkdir()
    if way == "moved":
        old.rename(new)
    else:
        shutil.copytree(old, new)
        for path in [old / sources] if kind else (old / sources).glob("*.xml"):
            path.write_bytes(b"<other/>")
    monkeypatch.chdir(new)
    for path in (new / index, Path(index)):
        with trix.open(path) as opened:
            assert [(r.snippet, r.text) for r in opened.search("tree edit")] == expected
            assert "tree of two" in opened.show("two")
            assert opened.notices == []
    assert trix.check(new / index) == []


def test_another_file_of_the_name_beside_the_index_is_not_taken_for_a_source(docs: Path, tmp_path: Path) -> None:
    trix.build(docs, tmp_path / "old" / "i", jobs=1)
    (tmp_path / "old").rename(tmp_path / "new")
    docs.rename(tmp_path / "new" / "docs")
    (tmp_path / "new" / "docs" / "two.xml").write_text("<a>another two</a>")
    with trix.open(tmp_path / "new" / "i") as index:
        assert "tree of one" in index.show("one")
        with pytest.raises(SourceError, match=r"two\.xml: .*not beside the index either"):
            index.show("two")


def test_a_wrong_path_is_answered_with_itself_and_the_index_that_was_meant(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    (tmp_path / "xml" / "a.xml").write_text("<a>word</a>")
    trix.build(tmp_path / "xml", tmp_path / "letters.index")
    for wrong in ("letters", "leters.index"):
        with pytest.raises(IndexError_) as caught:
            trix.open(tmp_path / wrong)
        assert f"did you mean {tmp_path / 'letters.index'}?" in str(caught.value)
        assert f"trix index COLLECTION {tmp_path / wrong} builds one" in str(caught.value)
    with pytest.raises(IndexError_) as caught:
        trix.open(tmp_path / "xml")
    assert "did you mean" not in str(caught.value)


def test_the_facts_of_an_index_name_its_levels(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a>word</a>")
    (tmp_path / "my.toml").write_text('name = "mine"\n[levels]\nparagraph = "//p"\n')
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile=tmp_path / "my.toml")
    with trix.open(tmp_path / "i") as index:
        assert list(index.info()["levels"]) == ["content", "document", "paragraph"]
