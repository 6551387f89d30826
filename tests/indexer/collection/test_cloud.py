"""Collections and indexes in buckets, which a local server of S3 holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from trix.errors import IndexError_, SourceError, TrixError, UsageError
from trix.indexer.commit import remote
from trix.support import urls

if any(find_spec(each) is None for each in ("s3fs", "moto")):
    pytest.skip("needs the extra cloud, and moto[server]", allow_module_level=True)
pytestmark = [
    pytest.mark.slow,
    # what the server, the service's library and Dask leave open, and what they say of their own versions
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

ARTICLE = "<article><title>{0}</title><sec><p>The tree of {0}.</p><p>{1} edit</p></sec></article>"
NAMES = ["ash", "beech", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine"]


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """Return a bucket of a server that is started for it."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        import s3fs

        s3fs.S3FileSystem.clear_instance_cache()
        s3fs.S3FileSystem().mkdir("trees")
        yield "s3://trees"
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep copies in a folder of the test."""
    monkeypatch.setenv(remote.VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Return a folder of articles."""
    (tmp_path / "docs" / "sub").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        folder = tmp_path / "docs" / ("sub" if number % 3 else "")
        (folder / f"{name}.xml").write_text(ARTICLE.format(name, NAMES[number // 2]))
    (tmp_path / "docs" / "read.me").write_text("no document")
    return tmp_path / "docs"


def filled(docs: Path, url: str) -> str:
    """Put a folder to a URL."""
    for path in docs.rglob("*.*"):
        urls.put(path, f"{url}/{path.relative_to(docs)}")
    return url


def told(index: trix.Index) -> list[Any]:
    """Return what an index answers to some queries."""
    runs = index.run({"1": "tree ash", "2": "//p[about(., edit)]", "3": "elm"}, jobs=1)
    return [(r.paths, r.docs, r.scores.tolist(), r.matched, [each.snippet for each in r]) for r in runs.values()]


def test_a_collection_in_a_bucket_is_read(bucket: str, docs: Path, tmp_path: Path) -> None:
    where = filled(docs, f"{bucket}/read")
    plain = trix.build(docs, tmp_path / "plain", jobs=1, profile="generic")
    built = trix.build(where, tmp_path / "i", jobs=1, profile="generic")
    assert (built.documents, built.tokens, built.ignored) == (len(NAMES), plain.tokens, {".me": 1})
    with trix.open(tmp_path / "plain") as one, trix.open(tmp_path / "i") as other:
        assert told(one) == told(other), "snippets are read from the bucket"
    two = trix.build(where, tmp_path / "two", jobs=2, profile="generic")
    assert two.documents == len(NAMES)
    urls.put(docs / "ash.xml", f"{where}/new.xml")
    urls.remove(f"{where}/ash.xml")
    from trix.indexer.change.update import update

    with trix.write(tmp_path / "i", jobs=1) as writer:
        update(writer)
    assert (writer.changes.added, writer.changes.deleted, writer.changes.unchanged) == (1, 1, len(NAMES) - 1)


def test_an_index_in_a_bucket_is_published_by_its_commit(
    bucket: str, docs: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = f"{bucket}/published.index"
    trix.build(docs, tmp_path / "plain", jobs=1, profile="generic")
    put, put_new, order = remote.put, remote.put_new, list[str]()
    monkeypatch.setattr(remote, "put", lambda path, url: order.append(path.suffix) or put(path, url))
    monkeypatch.setattr(remote, "put_new", lambda data, url: order.append(url[url.rindex(".") :]) or put_new(data, url))
    trix.build(docs, where, jobs=1, profile="generic")
    assert order == [".segment", ".states", ".msgpack", ".copy"]
    with trix.open(where) as index, trix.open(tmp_path / "plain") as plain:
        assert told(index) == told(plain)
        assert not index.refresh()
        with pytest.raises(IndexError_, match=r"s3://.*published.index: the index exists; pass `overwrite` to rebuild"):
            trix.build(docs, where, jobs=1)
        (docs / "ash.xml").unlink()
        trix.build(docs, where, jobs=1, profile="generic", overwrite=True)
        assert told(index) == told(plain), "who reads goes on reading"
        assert index.refresh() and len(index) == len(NAMES) - 1
        with trix.open(where) as again:
            assert told(again) == told(index)
    assert len([each for each in urls.names_in(where) if each.endswith(".segment")]) == 1, "the old one has gone"
    assert [path.name for path in cache.iterdir()] == [remote.copy_of(where).name]


def test_a_build_that_fails_leaves_the_bucket_as_it_was(
    bucket: str, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = f"{bucket}/failing.index"
    trix.build(docs, where, jobs=1, profile="generic")
    before = urls.names_in(where)

    def fails(data: bytes, url: str) -> bool:
        raise SourceError("cannot be written", url)

    (docs / "ash.xml").unlink()
    monkeypatch.setattr(remote, "put_new", fails)
    with pytest.raises(SourceError, match="cannot be written"):
        trix.build(docs, where, jobs=1, profile="generic", overwrite=True)
    assert urls.names_in(where) == before
    with trix.open(where) as index:
        assert len(index) == len(NAMES)


@pytest.mark.slow
@pytest.mark.lengthy
def test_a_cluster_reads_builds_and_searches_in_a_bucket(
    bucket: str, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs the extra dask")
    from trix.cluster.making import segments

    monkeypatch.setattr(segments, "SMALLEST", 300)
    source, where = filled(docs, f"{bucket}/sources"), f"{bucket}/clustered.index"
    trix.build(docs, tmp_path / "plain", jobs=1, profile="generic")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs="CRITICAL",
            local_directory=str(tmp_path / "workers"),
            env={remote.VARIABLE: str(tmp_path / "copies")},
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        built = trix.build(source, where, profile="generic", client=client)
        assert built.documents == len(NAMES)
        with trix.open(where, client=client) as index, trix.open(tmp_path / "plain") as plain:
            assert len(index.files.live) >= 3
            assert told(index) == told(plain)
        with trix.write(where, client=client) as writer:
            writer.delete("ash")
            writer.add(source, replace=True)
        assert (writer.changes.deleted, writer.changes.added, writer.changes.replaced) == (1, 1, len(NAMES) - 1)
        with trix.open(where, client=client) as index:
            assert len(index) == len(NAMES)
        copied = {path.name for path in (tmp_path / "copies").rglob("*.segment")}
        assert copied >= {each for each in urls.names_in(where) if each.endswith(".segment")}, "by the workers"


def test_an_index_in_a_bucket_is_changed_as_one_on_a_disk(
    bucket: str, docs: Path, tmp_path: Path, cache: Path, run_cli: Cli
) -> None:
    where, disk = f"{bucket}/changed.index", str(tmp_path / "plain")
    for place in (where, disk):
        trix.build(docs, place, jobs=1, profile="generic")
    before = trix.open(where)
    answers = told(before)

    def both(*arguments: str) -> str:
        said = []
        for place in (where, disk):
            code, out, err = run_cli(arguments[0], place, *arguments[1:])
            assert code == 0, err
            said.append(out.partition(": ")[2].rpartition(", commit ")[0])
        assert said[0] == said[1]
        with trix.open(where) as changed, trix.open(disk) as plain:
            assert told(changed) == told(plain)
        return said[0]

    new = tmp_path / "new"
    new.mkdir()
    (new / "yew.xml").write_text(ARTICLE.format("yew", "ash"))
    assert both("add", str(new), "--no-merge").startswith("1 added; 11 documents in 2 segments")
    assert both("delete", "elm").startswith("1 deleted; 10 documents")
    assert both("update").startswith("1 added, 10 unchanged; 11 documents"), "times of sources are known"
    (docs / "ash.xml").write_text(ARTICLE.format("ash", "elm"))
    assert both("update").startswith("1 replaced, 10 unchanged; 11 documents")
    assert both("compact").startswith("compacted; 11 documents in 1 segment")
    assert both("compact").startswith("nothing to do")
    for place in (where, disk):
        with trix.write(place, jobs=1) as writer:
            writer.add_document("<article><p>A tree given from memory</p></article>", id="memo")
        assert writer.changes.added == 1
    with trix.open(where) as index, trix.open(disk) as plain:
        assert told(index) == told(plain) and len(index) == 12
    assert told(before) == answers, "who reads goes on reading"
    assert before.refresh() and len(before) == 12
    kept = urls.names_in(where)
    assert len([each for each in kept if each.endswith((".msgpack", ".copy"))]) == 2, "older commits have gone"
    assert [path.name for path in cache.iterdir()] == [remote.copy_of(where).name], "and working copies"


def test_of_two_writers_at_a_url_the_second_loses_nothing_and_destroys_nothing(bucket: str, docs: Path) -> None:
    where = f"{bucket}/contended.index"
    trix.build(docs, where, jobs=1, profile="generic")
    first, second = trix.write(where, jobs=1), trix.write(where, jobs=1)
    first.delete("elm")
    second.delete("ash")
    first.commit()
    with pytest.raises(IndexError_, match=r"contended.index: another writer has published commit 2 in the meantime"):
        second.commit()
    for writer in (first, second):
        writer.close()
    with trix.open(where) as index:
        assert {"ash", "elm"} & {index.files.ids[number] for number in range(len(index))} == {"ash"}
    with trix.write(where, jobs=1) as third:
        third.delete("ash")
        third.commit()
        third.delete("larch")
    assert third.changes.commit == 4
    with trix.open(where) as index:
        assert len(index) == len(NAMES) - 3


def test_a_change_that_fails_leaves_the_bucket_as_it_was(
    bucket: str, docs: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = f"{bucket}/unchanged.index"
    trix.build(docs, where, jobs=1, profile="generic")
    before = urls.names_in(where)
    with pytest.raises(IndexError_, match=r"the document id 'ash' .* is in the index already"), trix.write(where) as it:
        it.add(docs)
    assert urls.names_in(where) == before

    def fails(data: bytes, url: str) -> bool:
        raise SourceError("cannot be written: no room", url)

    monkeypatch.setattr(remote, "put_new", fails)
    with pytest.raises(SourceError, match="no room"), trix.write(where) as it:
        it.delete("ash")
    with trix.open(where) as index:
        assert len(index) == len(NAMES)
    forgotten = cache / "writing-x"
    forgotten.mkdir()
    os.utime(forgotten, (0, 0))
    trix.write(where).close()
    assert not forgotten.exists()


def test_what_a_user_does_wrong_is_one_line(bucket: str, docs: Path, tmp_path: Path, run_cli: Cli) -> None:
    with pytest.raises(SourceError, match="s3://trees/nowhere: no such file or folder"):
        trix.build(f"{bucket}/nowhere", tmp_path / "i")
    with pytest.raises(TrixError, match="s3://nobody/x: "):
        trix.build("s3://nobody/x", tmp_path / "i")
    with pytest.raises(IndexError_, match=r"s3://trees/nowhere.index: not a Trix index"):
        trix.open(f"{bucket}/nowhere.index")
    with pytest.raises(UsageError, match=r"unheard://x/y: .*unheard"):
        trix.build("unheard://x/y", tmp_path / "i")
    for command in (["add", f"{bucket}/i", docs], ["compact", f"{bucket}/i"], ["delete", f"{bucket}/i", "elm"]):
        code, _, err = run_cli(*command)
        assert code == 2 and err.count("\n") == 1 and f"{bucket}/i: not a Trix index" in err
    assert os.listdir(tmp_path) == ["docs"] or sorted(os.listdir(tmp_path)) == ["cache", "docs"]
