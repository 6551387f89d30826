"""Segments of a living index: what goes into them, how they are merged, and that their bytes depend on nothing else."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lxml import etree

import trix
from tests.living_samples import ARTICLE, segment_bytes
from trix.errors import IndexError_, SourceError, TrixError, UsageError
from trix.indexer.change.policy import DEAD, FANOUT, SMALLEST, tier, to_merge
from trix.indexer.change.session import WriteSession
from trix.indexer.write import from_sources, segment_writer


def ids(path: Path) -> list[str]:
    opened = trix.open(path)
    return [opened.files.ids[number] for number in range(len(opened))]


# -- documents from memory ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "xml",
    [
        "<memo>Grüße, <b>tree</b></memo>",
        '\ufeff<?xml version="1.0" encoding="latin-1"?><memo>Grüße, <b>tree</b></memo>',
        "<memo>Grüße, <b>tree</b></memo>".encode(),
        '<?xml version="1.0" encoding="utf-16"?><memo>Grüße, <b>tree</b></memo>'.encode("utf-16"),
        bytearray("<memo>Grüße, <b>tree</b></memo>".encode()),
        etree.fromstring("<memo>Grüße, <b>tree</b></memo>"),
        etree.fromstring("<all><memo>Grüße, <b>tree</b></memo> tail</all>")[0],
    ],
    ids=["text", "declared text", "bytes", "utf-16", "bytearray", "tree", "branch"],
)
def test_documents_from_memory_are_stored_and_shown(xml: Any, index: Path) -> None:
    with trix.write(index) as writer:
        writer.add_document(xml, id="memos/7")
    assert writer.changes.added == 1
    with trix.write(index, jobs=1) as writer:
        writer.compact()
    opened = trix.open(index)
    assert opened.show("memos/7") == "Grüße, tree"
    assert "<b>tree</b></memo>" in opened.show("memos/7", xml=True)
    assert [each.snippet for each in opened.search("Grüße")] == ["Grüße, tree"]
    assert opened.notices == []
    assert trix.check(index) == []


@pytest.mark.parametrize(
    ("xml", "document_id", "error", "words"),
    [
        ("<memo>", "m", SourceError, "document m"),
        ("", "m", SourceError, "document m"),
        (7, "m", UsageError, "got int"),
        ("<memo/>", "", UsageError, "a document id"),
        ("<memo/>", " ", UsageError, "a document id"),
        ("<memo/>", "one", IndexError_, "'one' is in the index already"),
    ],
)
def test_what_is_no_document_is_refused_where_it_is_given(
    xml: Any, document_id: str, error: type[TrixError], words: str, index: Path
) -> None:
    with trix.write(index) as writer, pytest.raises(error, match=words) as raised:
        writer.add_document(xml, id=document_id)
    assert "\n" not in str(raised.value)
    assert len(ids(index)) == 3


def test_one_id_given_twice_is_refused_and_replaced_in_one_writer_too(index: Path) -> None:
    with trix.write(index) as writer:
        writer.add_document("<memo>first</memo>", id="m")
        with pytest.raises(IndexError_, match="'m' is in the index already"):
            writer.add_document("<memo>second</memo>", id="m")
        writer.add_document("<memo>third</memo>", id="m", replace=True)
        writer.add_document("<memo>fourth</memo>", id="n", replace=True)
    assert ids(index) == ["one", "sub/three", "two", "m", "n"]
    assert trix.open(index).show("m") == "third"
    assert (writer.changes.added, writer.changes.replaced) == (2, 1)


def test_many_documents_from_memory_are_written_before_they_fill_it(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trix.indexer.change import writer as module

    monkeypatch.setattr(module, "AT_ONCE", 40)
    with trix.write(index, merge=False) as writer:
        for number in range(4):
            writer.add_document("<memo>tree</memo>", id=str(number))
        assert len(writer.session.staged) == 2  # what was built, and three of them
        writer.delete("1")
    assert ids(index)[3:] == ["0", "2", "3"]


def test_a_file_of_many_documents_from_memory(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('document = "article"\n')
    two = "<all><article>a tree</article><article>two trees</article></all>"
    with trix.write(tmp_path / "i", profile=tmp_path / "own.toml") as writer:
        writer.add_document(two, id="m")
        writer.add_document("<article>alone</article>", id="n")
    assert ids(tmp_path / "i") == ["m#1", "m#2", "n"]
    with pytest.raises(IndexError_, match=r"'m#1'.*in the index already"), trix.write(tmp_path / "i") as writer:
        writer.add_document(two, id="m")
    with trix.write(tmp_path / "i") as writer:
        writer.add_document(two.replace("trees", "oaks"), id="m", replace=True)
    assert ids(tmp_path / "i") == ["n", "m#1", "m#2"]
    assert trix.open(tmp_path / "i").show("m#2") == "two oaks"


# -- ids ------------------------------------------------------------------------------------------------------------


def test_a_file_inside_a_collection_that_the_index_knows_has_the_id_that_it_has_there(docs: Path, index: Path) -> None:
    (docs / "sub" / "four.xml").write_text(ARTICLE.format("four"))
    (docs / "new").mkdir()
    (docs / "new" / "five.xml").write_text(ARTICLE.format("five"))
    with trix.write(index) as writer:
        writer.add([docs / "sub" / "four.xml", docs / "new"])
    assert ids(index)[3:] == ["sub/four", "new/five"]
    assert trix.open(index).info()["collections"] == [str(docs)]


def test_an_id_that_is_there_names_both_sources(docs: Path, index: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "one.xml"
    other.parent.mkdir()
    other.write_text(ARTICLE.format("another"))
    with pytest.raises(IndexError_) as error, trix.write(index) as writer:
        writer.add(other)
    assert str(other) in str(error.value)
    assert str(docs / "one.xml") in str(error.value)
    with trix.write(index) as writer:
        writer.add(other, replace=True)
    assert ids(index) == ["sub/three", "two", "one"]
    assert "another" in trix.open(index).show("one")
    assert (writer.changes.added, writer.changes.replaced, writer.changes.deleted) == (0, 1, 0)


# -- merging --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["one size", "many sizes", "large and small in turn", "large ones last"])
def test_segments_stay_few_and_are_written_a_few_times_only(kind: str) -> None:
    """About FANOUT segments of each tier stay, and each key is written about once a tier."""
    random, commits = Random(7), 2000
    own = {
        "one size": [SMALLEST] * commits,
        "many sizes": [int(10 ** random.uniform(1, 6)) for _ in range(commits)],
        "large and small in turn": [10**5, 10] * (commits // 2),
        "large ones last": sorted(int(10 ** random.uniform(1, 6)) for _ in range(commits)),
    }[kind]
    sizes, written, most = list[int](), 0, 0
    for size in own:
        sizes.append(size)
        while (found := to_merge([(each, 0.0) for each in sizes])) is not None:
            low, high = found
            assert high - low >= FANOUT
            written += sum(sizes[low:high])
            sizes[low:high] = [sum(sizes[low:high])]
        most = max(most, len(sizes))
    assert sum(sizes) == sum(own)
    levels = tier(sum(own)) + 1
    assert most <= (FANOUT - 1) * levels
    assert written <= sum(own) * levels


def test_segments_of_which_half_is_deleted_are_written_anew() -> None:
    assert to_merge([(10, 0.0), (10**9, DEAD), (10, 0.0)]) == (1, 2)
    assert to_merge([(10, 0.0), (10**9, DEAD - 0.01), (10, 0.0)]) is None
    assert to_merge([]) is None


def test_documents_added_one_by_one_are_merged_and_in_order(tmp_path: Path) -> None:
    for number in range(2 * FANOUT):
        with trix.write(tmp_path / "i", profile="generic", jobs=1) as writer:
            writer.add_document(ARTICLE.format(number), id=f"{number:02}")
        assert writer.changes.segments < FANOUT
    assert ids(tmp_path / "i") == [f"{number:02}" for number in range(2 * FANOUT)]
    with trix.write(tmp_path / "i", merge=False) as writer:
        for number in range(2 * FANOUT):
            writer.add_document("<a/>", id=f"no{number}")
            writer.commit()
    assert writer.changes.segments > 2 * FANOUT
    assert trix.check(tmp_path / "i") == []


def documents(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        secs = "".join(
            f'<sec id="s{n}"><title>tree {n}</title><p>{"tree " * (n % 5 + 1)} word{(number * n) % 97}</p>'
            f'<p><xref to="s{n - 1}"/><b>{n}</b></p></sec>'
            for n in range(number % 9 + 3)
        )
        (folder / f"{number:03}.xml").write_text(f"<article>{secs}</article>")
    return folder


PROFILE = 'container = ["p"]\nvalues = ["b"]\nattributes = ["@id"]\n[links]\ntarget = "//@to"\nid = "//@id"\n'


@pytest.mark.slow
def test_the_bytes_of_a_segment_depend_on_neither_jobs_nor_batches_nor_merging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own.toml"
    own.write_text(PROFILE)
    settings: dict[str, Any] = {"profile": own, "positions": True, "store": True}
    monkeypatch.setattr(segment_writer, "BLOCK_ELEMENTS", 120)  # many blocks
    folder = documents(tmp_path / "docs", 40)
    trix.build(folder, tmp_path / "whole", jobs=1, **settings)
    expected = segment_bytes(tmp_path / "whole")
    assert len(trix.open(tmp_path / "whole").files.blocks) > 5
    for size in (1, 3000, 11_000):
        monkeypatch.setattr(from_sources, "BATCH_BYTES", size)
        for jobs in (1, 3):
            trix.build(folder, tmp_path / "other", jobs=jobs, overwrite=True, **settings)
            assert segment_bytes(tmp_path / "other") == expected
    files = sorted(folder.iterdir())
    with trix.write(tmp_path / "grown", jobs=1, merge=False, **settings) as writer:
        for low in range(0, 40, 8):
            writer.add(files[low : low + 8])
            writer.commit()
        writer.add(files[3], replace=True)
        writer.delete("003")
        writer.session.merge_range(1, 4)
        writer.add(files[3])
        writer.compact()
    order = [*files[:3], *files[4:], files[3]]
    trix.build(order, tmp_path / "ordered", jobs=1, **settings)
    assert segment_bytes(tmp_path / "grown") == segment_bytes(tmp_path / "ordered")
    assert trix.check(tmp_path / "grown") == []


def peak_of_merging(folder: Path, count: int) -> int:
    """Return the most memory that Python and numpy had while two segments were merged."""
    files = sorted(documents(folder / "docs", count).iterdir())
    with trix.write(folder / "i", jobs=1, merge=False, profile="generic", positions=True, store=True) as writer:
        writer.add(files[::2])
        writer.commit()
        writer.add(files[1::2])
    session = WriteSession(folder / "i")
    tracemalloc.start()
    try:
        session.merge_range(0, 2)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        session.close()


@pytest.mark.slow
def test_merging_needs_memory_for_a_block_and_not_for_the_segments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_writer, "BLOCK_ELEMENTS", 300)
    monkeypatch.setattr("trix.indexer.write.inverted.writer.RANGE_POSTINGS", 1000)
    (tmp_path / "few").mkdir()
    (tmp_path / "many").mkdir()
    peak_of_merging(tmp_path / "few", 100)  # whatever is kept for good
    few = peak_of_merging(tmp_path / "many", 100)
    (tmp_path / "more").mkdir()
    assert peak_of_merging(tmp_path / "more", 500) < 2.5 * few


@pytest.mark.parametrize("kept", [0, 1])
def test_segments_without_keys_are_merged_too(kept: int, tmp_path: Path) -> None:
    with trix.write(tmp_path / "i", profile="generic", jobs=1, merge=False) as writer:
        for number, xml in enumerate(["<a>the</a>", "<a>tree</a>"[: 11 * kept] or "<a/>", "<a><b/></a>"]):
            writer.add_document(xml, id=str(number))
            writer.commit()
        writer.compact()
    assert trix.check(tmp_path / "i") == []
    assert trix.open(tmp_path / "i").search("tree").docs == ["1"] * kept


def test_an_index_of_which_all_is_deleted_has_no_segments(index: Path) -> None:
    with trix.write(index) as writer:
        writer.delete(["one", "two", "sub/three"])
    assert writer.changes.segments == 0
    assert list(index.glob("*.segment")) == []
    assert trix.check(index) == []
    with trix.write(index) as writer:
        writer.add_document(ARTICLE.format("one"), id="one")
    assert trix.open(index).search("tree").docs == ["one"]
