"""Long answers and checks need memory for a part of them, and say what they would say all at once."""

from __future__ import annotations

import io
import itertools
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.segments import Sections, opened, rewrite, sections_of, segment_path
from trix.api import records
from trix.cli import runs
from trix.indexer.checking import index as check_module
from trix.indexer.checking import postings as postings_check
from trix.indexer.read.texts import SourceTexts
from trix.indexer.store import elements
from trix.indexer.store.elements import Elements
from trix.indexer.store.inverted.postings import encode_postings
from trix.indexer.store.segment import Segment
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.write import segment_writer
from trix.query.display import read_ahead, results
from trix.query.display.results import Results
from trix.query.display.snippet import head_snippet, snippet
from trix.query.language.levels import parse_level
from trix.query.naming import names
from trix.query.naming.names import Addresses, ElementNames
from trix.query.options import Options
from trix.query.structured.levels import Level
from trix.query.structured.members import examined

DOCUMENTS = 40
PLAIN = Analyzer("none", "none")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return an index of many small blocks."""
    folder = tmp_path_factory.mktemp("memory")
    for number in range(DOCUMENTS):
        secs = "".join(
            f"<sec><title>tree {n}</title><p>{'tree ' * ((7 * n + number) % 11 + 1)}word{n}</p>"
            "<sec><p>leaf</p></sec></sec>"
            for n in range(number % 5 + 1)
        )
        (folder / f"{number:02}.xml").write_text(f'<article id="a{number}">{secs}</article>')
    before, segment_writer.BLOCK_ELEMENTS = segment_writer.BLOCK_ELEMENTS, 30
    try:
        trix.build(folder, folder / "i", jobs=1, positions=True, profile="generic")
    finally:
        segment_writer.BLOCK_ELEMENTS = before
    yield folder / "i"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a part be a block, and a block of results four at the most."""
    monkeypatch.setattr(elements, "PART_BLOCKS", 1)
    monkeypatch.setattr(postings_check, "RANGE_BYTES", 16)
    monkeypatch.setattr(postings_check, "RANGE_KEYS", 3)
    monkeypatch.setattr(names, "FEW", 2)
    monkeypatch.setattr(results, "FEW", 2)
    monkeypatch.setattr(results, "FIRST_BLOCK", 3)
    monkeypatch.setattr(results, "LARGEST_BLOCK", 4)


# -- reading ahead ----------------------------------------------------------------------------------------------------


def test_each_document_is_opened_once_a_stretch(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = list[int]()
    read = SourceTexts._read
    monkeypatch.setattr(SourceTexts, "_read", lambda self, number: opened.append(number) or read(self, number))
    with trix.open(path) as index:
        found = index.search("tree", top=None, strategy="thorough")
        documents = found.documents
        assert (
            sum(a != b for a, b in itertools.pairwise(documents)) > len(documents) / 2
        )  # in rank order they alternate
        lines = [result.snippet for result in found]
    sizes = list(itertools.takewhile(lambda size: size < len(found), (8**n for n in itertools.count())))
    most = sum(min(size, DOCUMENTS) for size in sizes) + DOCUMENTS
    assert DOCUMENTS <= len(opened) <= most < len(found)
    last = opened[-DOCUMENTS:]
    assert max(Counter(last).values()) <= 2  # the borders of stretches are nowhere else
    with trix.open(path) as index:
        again = index.search("tree", top=None, strategy="thorough")
        assert [again[place].snippet for place in reversed(range(len(again)))][::-1] == lines


def test_who_looks_at_one_result_waits_for_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = list[int]()
    read = SourceTexts._read
    monkeypatch.setattr(SourceTexts, "_read", lambda self, number: opened.append(number) or read(self, number))
    with trix.open(path) as index:
        found = index.search("tree", top=None, strategy="thorough")
        assert found[7].snippet
        assert found[0].snippet
        assert len(opened) <= 2


def test_a_result_that_cannot_be_read_fails_when_it_is_asked_for(path: Path) -> None:
    class Failing:
        def expect(self, of: Any) -> None: ...

        def snippet(self, result: Any) -> str:
            if result.rank == 7:
                raise ValueError("no")
            return f"{result.rank}"

        matches = snippet

    with trix.open(path) as index:
        found = index.search("tree", top=20, strategy="thorough")
        found.view = Failing()  # type: ignore[assignment]
        assert [found[place].snippet for place in range(6)] == list("123456")
        with pytest.raises(ValueError, match="no"):
            _ = found[6].snippet
        assert found[7].snippet == "8"


# -- results in blocks ------------------------------------------------------------------------------------------------


def test_names_are_made_in_blocks_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    class Namer:
        def all_names(self, elements: np.ndarray[Any, Any]) -> ElementNames:
            asked.append(elements.size)
            texts = [str(number) for number in elements.tolist()]
            return ElementNames(elements.tolist(), texts, texts, texts, texts, elements.tolist(), elements.tolist())

        def addresses(self, elements: np.ndarray[Any, Any]) -> Addresses:
            raise AssertionError("who goes through results sees all of their names")

    monkeypatch.setattr(results, "FIRST_BLOCK", 8)
    monkeypatch.setattr(results, "LARGEST_BLOCK", 64)
    found = Results(elements=np.arange(1000, dtype=np.int32), scores=np.zeros(1000), namer=Namer())
    assert len(found) == 1000 and not asked
    assert next(iter(found)).doc == "0" and asked == [8]
    asked.clear()
    assert [int(result.doc) for result in found] == list(range(1000))
    assert max(asked) == 64 and sum(asked) == 1000
    assert "_names" not in vars(found)
    asked.clear()
    assert [found[place].path for place in (0, 7, -1, 998)] == ["0", "7", "999", "998"]
    assert asked == [8, 8]
    assert [result.rank for result in found[5:9]] == [6, 7, 8, 9]
    with pytest.raises(IndexError):
        _ = found[1000]


def written(path: Path, query: str, form: str, **options: Any) -> str:
    out = io.StringIO()
    with trix.open(path) as index:
        found = index.search(query, **{"top": None, **options})
        if form == "jsonl":
            records.write_jsonl(found, None, out, highlight=True)
        elif form == "csv":
            records.write_csv(found, None, out)
        else:
            runs.write({"1": found}, runs.RunLayout(form), out)
    return out.getvalue()


QUERIES: list[tuple[str, dict[str, Any]]] = [
    ("tree", {"strategy": "thorough"}), ("tree -leaf word1", {}), ("//sec//p", {}), ("//*", {"top": 50}),
    ("//*[about(., leaf)]", {"level": "//sec[not(.//sec)]"}),
]  # fmt: skip


@pytest.mark.parametrize(
    "form", ["trec", *(pytest.param(form, marks=pytest.mark.slow) for form in ("jsonl", "csv", "inex2009", "inex"))]
)
def test_in_blocks_and_at_once_the_same_is_written(form: str, path: Path, request: pytest.FixtureRequest) -> None:
    whole = [written(path, query, form, **options) for query, options in QUERIES]
    request.getfixturevalue("small")
    request.getfixturevalue("monkeypatch").setattr(read_ahead, "LONGEST", 4)
    assert [written(path, query, form, **options) for query, options in QUERIES] == whole
    assert all(whole)


@pytest.mark.usefixtures("small")
def test_names_by_block_are_those_of_the_whole_table(path: Path) -> None:
    with trix.open(path) as index:
        elements = np.arange(index.files.totals["elements"], dtype=np.int32)[::-1].copy()
        by_block = index.now.namer.all_names(elements)
        assert not index.files.elements.printable.any()
        labels, paths = index.now.namer.names(elements, index.files.documents_of(elements))
        table = index.files.elements
        assert (by_block.labels, by_block.paths) == (labels, paths)
        assert by_block.offsets == table.start[elements].tolist()
        assert by_block.lengths == table.length[elements].tolist()


@pytest.mark.usefixtures("small")
def test_addresses_are_those_of_all_names(path: Path) -> None:
    with trix.open(path) as index, trix.open(path) as other:
        every = np.arange(index.files.totals["elements"], dtype=np.int32)
        for elements in (every[:0], every[-1:], every[5:0:-1], every[::-3].copy()):
            addresses = index.now.namer.addresses(elements)
            names = other.now.namer.all_names(elements)
            assert addresses == (names.documents, names.docs, names.paths)
            if elements.size == 1:
                assert not index.files.elements.printable.all()


def test_who_has_seen_all_names_needs_no_addresses(path: Path) -> None:
    with trix.open(path) as index:
        found, other = index.search("tree", top=20), index.search("tree", top=20)
        assert found.labels and found.docs is found._names.docs
        assert (other.docs, other.paths, other.documents) == (found.docs, found.paths, found.documents)
        assert "_names" not in vars(other) and other.tags == found.tags
        found.names_from(None)
        assert found.docs == found.labels == []


# -- structure and levels ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("query", ["//*", "//sec//p", "/article", "//p", "//(sec|p)", "//nosuch"])
@pytest.mark.parametrize("options", [{}, {"level": "//p"}, {"top": 3}])
def test_bare_structure_is_listed_as_it_would_be_ranked(query: str, options: dict[str, Any], path: Path) -> None:
    with trix.open(path) as index:
        found = index.search(query, **{"top": None, **options})
        assert not index.files.elements.structured.any()
        asked = Options.of(**{"top": None, **options})
        scored = index.now.searcher.score(index.now.searcher.parse(query, asked)[0], asked)
        ranked = [] if scored is None else scored.candidates.element[index.now.searcher.rank(scored)].tolist()
        assert found.elements.tolist() == ranked
        assert found.matched == (0 if scored is None else scored.found)


LEVELS = ["//p", "//sec", "//sec[not(.//sec)]", "minor:sec", "major:sec", "//article/sec | //title", "//*[not(p)]"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("text", [*LEVELS, "content", "document"])
def test_levels_by_part_are_those_of_the_whole(text: str, path: Path) -> None:
    with trix.open(path) as index:
        level = Level(index.files, text, parse_level(text))
        level.notices()
        members, overlapping, coverage = level.members, level.overlapping, level.coverage
        report = level.report()
        assert not index.files.elements.structured.any() or level.overlapping.size  # whose names are an example
        if text not in ("content", "document"):
            whole = examined(index.files, level.definition)
            assert (members.tolist(), overlapping.tolist()) == (whole.members.tolist(), whole.overlapping.tolist())
            assert coverage == whole.covered / whole.characters
        table = index.files.elements
        table.everything()
        assert report["mean_characters"] == pytest.approx(table.length[members].mean())
        assert sum(report["tags"].values()) == members.size


# -- checks -----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("small")
def test_a_check_holds_a_part_of_the_index_at_a_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled, decoded, released = list[int](), list[int](), list[int]()
    everything, read, release = Elements.everything, postings_check._read, Segment.release
    monkeypatch.setattr(Elements, "everything", lambda t: filled.append(t.parent.size) or everything(t))
    monkeypatch.setattr(postings_check, "_read", lambda d, *more: decoded.append(d.size) or read(d, *more))
    monkeypatch.setattr(Segment, "release", lambda index: released.append(1) or release(index))
    assert trix.check(path) == []
    with trix.open(path) as index:
        blocks, elements = len(index.files.blocks) - 1, index.files.totals["elements"]
        size = index.files.section_sizes()["postings"]
    assert blocks > 5
    assert sum(filled) >= elements and max(filled) < 4 * elements / blocks
    assert sum(decoded) == size and max(decoded) <= 16
    assert len(released) > len(decoded)


def changed(path: Path, folder: Path, name: str, change: Any) -> list[str]:
    def of(sections: Sections, facts: dict[str, Any]) -> None:
        data = bytearray(sections[name])
        change(data)
        sections[name] = bytes(data)

    copied = rewrite(shutil.copytree(path, folder / "i"), of)
    return [fault.removeprefix(f"{segment_path(copied)}: ") for fault in check_module.check(copied)]


@pytest.mark.usefixtures("small")
def test_an_occurrence_in_another_content_element_is_found(path: Path, tmp_path: Path) -> None:
    sections = sections_of(path)
    data, ends = sections["postings"], Segment(opened(path)).posting_ends.tolist()
    number = next(n for n in range(1, len(ends)) if not data[ends[n - 1]] & 1 and 2 < data[ends[n - 1]] < 120)
    place = ends[number - 1]

    def to_the_one_before(data: bytearray) -> None:
        data[place] -= 2

    faults = changed(path, tmp_path, "postings", to_the_one_before)
    assert faults[-1] == "elements: a number of keys is not that of the postings" or "list by document" in faults[-1]


@pytest.mark.usefixtures("small")
def test_the_key_of_a_torn_list_is_named(path: Path, tmp_path: Path) -> None:
    segment = Segment(opened(path))
    end = int(segment.posting_ends[segment.keys.find("tree")])

    def cut(data: bytearray) -> None:
        data[end - 1] |= 0x80

    assert any("'tree'" in fault for fault in changed(path, tmp_path, "postings", cut))


postings = st.lists(st.tuples(st.integers(1, 400), st.integers(1, 300)), min_size=1, max_size=60)


@given(st.lists(postings, min_size=1, max_size=5), st.integers(6, 40))
@settings(deadline=None)
def test_lists_in_slices_are_the_lists(lists: list[list[tuple[int, int]]], size: int) -> None:
    contents = [np.cumsum([gap for gap, _ in each]) - 1 for each in lists]
    tf = [np.array([count for _, count in each]) for each in lists]
    starts = np.cumsum([0, *map(len, lists[:-1])])
    data, sizes = encode_postings(np.concatenate(contents), np.concatenate(tf), starts)
    read = postings_check._read(data, np.cumsum(sizes) - sizes, -1)
    assert not isinstance(read, int)
    assert read[0].tolist() == np.concatenate(contents).tolist()
    assert read[1].tolist() == np.concatenate(tf).tolist()
    assert read[2].tolist() == starts.tolist()
    own, found, before, at = data[: sizes[0]], list[int](), -1, 0
    while at < own.size:
        part = own[at : at + size]
        if at + size < own.size:
            part = part[: postings_check.whole_postings(part)]
        piece = postings_check._read(part, np.zeros(1, np.int64), before)
        assert not isinstance(piece, int)
        found += piece[0].tolist()
        before, at = found[-1], at + part.size
    assert found == contents[0].tolist()


# -- snippets ---------------------------------------------------------------------------------------------------------

words = st.sampled_from(["a", "bee", "ceede", "deer", "eel\n", "x" * 30])


@given(st.lists(words, min_size=1, max_size=120), st.sets(st.sampled_from(["a", "bee", "deer", "owl"])), st.data())
@settings(deadline=None)
def test_the_beginning_of_a_text_gives_the_snippet_or_none(text: list[str], keys: set[str], data: Any) -> None:
    whole = "  ".join(text)
    head = whole[: data.draw(st.integers(0, len(whole)))]
    shown = head_snippet(head, keys, PLAIN, width=40)
    assert shown is None or shown == snippet(whole, keys, PLAIN, width=40)


def test_the_beginning_is_enough_where_all_keys_are_in_it() -> None:
    whole = "one tree " * 200
    assert head_snippet(whole[:900], {"tree"}, PLAIN) == snippet(whole, {"tree"}, PLAIN)
    assert head_snippet(whole[:900], {"tree", "other"}, PLAIN) is None
