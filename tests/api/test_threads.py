"""One index, asked by eight threads at once: the answers are those that one thread gets."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from trix.api.index import Index
from trix.errors import SourceError
from trix.indexer.read.missing_sources import MissingSources
from trix.indexer.store import elements, values
from trix.indexer.store.files import IndexFiles
from trix.indexer.words.analyzer import Analyzer
from trix.indexer.write import segment_writer
from trix.query.display import read_ahead
from trix.query.display.results import Result, Results

THREADS = 8
SECONDS = 0.0 if os.environ.get("TRIX_TESTS") == "fast" else 2.0
"""For the mixed questions of one backend; so many rounds as fit, at least two."""

ASKED = 10
"""Questions that a thread asks in a round."""

TEXT = "tree edit distance xml retrieval element context index score query ranked passage running runs"
WORDS = TEXT.split()
PROFILE = """
name = "threads"
unit = ["fig"]
inline = ["i"]
attributes = ["article/@year", "sec/@kind", "p/@id"]
values = ["day"]
title = "article/title"
[levels]
sections = "minor:sec"
[links]
target = "//ref/@to"
id = "//p/@id"
"""

Answer = Callable[[Index], Any]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index of many small blocks; half of its sources are in a zip."""
    folder = tmp_path_factory.mktemp("threads")
    (folder / "xml").mkdir()
    draw = random.Random(7)

    def text(most: int) -> str:
        return " ".join(draw.choice(WORDS) for _ in range(draw.randint(2, most)))

    with zipfile.ZipFile(folder / "rest.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(40):
            sections = "".join(
                f'<sec kind="k{draw.randint(1, 3)}"><title>{text(4)}</title>'
                + "".join(
                    f'<p id="p{number}-{s}-{p}">{text(9)} <i>{text(2)}</i>{text(30)} <day>{draw.randint(1, 28)}</day>'
                    f'<ref to="p{draw.randrange(40)}-0-0"/></p>'
                    for p in range(draw.randint(1, 4))
                )
                + "</sec>"
                for s in range(draw.randint(1, 4))
            )
            xml = f'<article year="{1990 + number}"><title>{text(5)}</title>{sections}</article>'
            if number % 2:
                archive.writestr(f"z{number}.xml", xml)
            else:
                (folder / "xml" / f"a{number}.xml").write_text(xml)
    (folder / "p.toml").write_text(PROFILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segment_writer, "BLOCK_ELEMENTS", 60)
        sources = [folder / "xml", folder / "rest.zip"]
        trix.build(sources, folder / "i", profile=folder / "p.toml", positions=True, jobs=1)
    assert len(IndexFiles(folder / "i").blocks) > 6
    return folder


@pytest.fixture
def hurried() -> Iterator[None]:
    """Let threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a block take a while to read, so that others come while it is read."""
    real = elements.unpack

    def unpack(data: Any, dtype: str) -> Any:
        found = real(data, dtype)
        time.sleep(0.0002)
        return found

    monkeypatch.setattr(elements, "unpack", unpack)


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """Return what eight threads that begin together make."""
    barrier = threading.Barrier(THREADS)

    def begin(place: int) -> Any:
        barrier.wait()
        return work(place)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def search(query: str, **options: Any) -> Answer:
    def ask(index: Index) -> Any:
        results = index.search(query, **options)
        shown = [(each.snippet, each.matches, each.text) for each in results[:6]]
        rows = [(each.doc, each.path, each.label, each.tag, each.offset, each.length) for each in results]
        return results.query, results.matched, results.notices, rows, results.scores.tolist(), results.paths, shown

    return ask


QUESTIONS: list[Answer] = [
    search("tree edit", top=None, strategy="thorough"),
    search('+"edit distance" xml -score', context="root:1.5"),
    search("running element", context="tower", model="bm25"),
    search("xml retrieval", model="bm25-2011", top=50),
    search("query passage", model="lm-dirichlet", level="sections"),
    search("query context", context="horizontal:all=1", strategy="thorough"),
    search("retrieval index", context="links:f=2,direction=both"),
    search("index element", context="adhoc://sec/title=0.5"),
    search('"tree edit"', phrases="exact"),
    search("tree", expand="2:3"),
    search("distance", expand="3:2", match="all"),
    search(TEXT, strategy="fetch-browse"),
    search("//sec[about(., tree edit)]//p[about(., xml)]", cas="VVCAS"),
    search("//article[./@year > 2000]//p[about(., retrieval) and .//day = 7]"),
    search("//sec[./@kind = 'k2' and about(./title, tree)]"),
    search("//p[. = 'nothing']"),
    search("//title", top=None),
    lambda index: str(index.explain("tree edit", "39", context="root:1.5", model="tfidf")),
    lambda index: str(index.explain("tree", "5", expand="2:3")),
    lambda index: index.show("a4", highlight="tree edit"),
    lambda index: index.show("z7/article[1]/sec[1]", xml=True, highlight="tree"),
    lambda index: index.show("z9/article[1]/sec[1]/@kind"),
    lambda index: (index.info()["tags"], index.info("sections"), index.info("content")),
    lambda index: {
        topic: list(zip(of.paths, of.scores.tolist(), strict=True))
        for topic, of in index.run({"1": "tree", "2": "//p[about(., edit)]", "3": "xml"}, top=40).items()
    },
    lambda index: {
        topic: list(zip(of.docs, of.paths, of.scores.tolist(), strict=True))
        for topic, of in index.rescore(
            {"1": {"a4/article[1]/sec[1]": 2.0, "z7/article[1]": 1.0, "a10/article[1]/title[1]": 0.5}},
            context="root:1.5",
        ).items()
    },
]  # fmt: skip


@pytest.mark.slow
def test_eight_threads_get_the_answers_of_one(place: Path, hurried: None, slow: None) -> None:
    with trix.open(place / "i") as alone:
        expected = [ask(alone) for ask in QUESTIONS]
    assert sum(len(rows) > 5 for _, _, _, rows, _, _, _ in expected[:17]) > 10  # there is something to be compared
    ends, rounds = time.monotonic() + SECONDS, 0
    while rounds < 2 or time.monotonic() < ends:
        with trix.open(place / "i") as index:

            def work(place: int, index: Index = index, first: int = rounds) -> list[tuple[int, Any]]:
                draw = random.Random(100 * first + place // 2)  # two threads each ask the same
                order = draw.sample(range(len(QUESTIONS)), ASKED)
                return [(number, QUESTIONS[number](index)) for number in order]

            for answers in at_once(work):
                for number, answer in answers:
                    assert answer == expected[number], number
            assert index.notices == []
        rounds += 1


@pytest.mark.slow
def test_one_list_of_results_is_read_by_eight_threads(
    place: Path, hurried: None, slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_ahead, "LONGEST", 16)
    monkeypatch.setattr("trix.query.display.results.FIRST_BLOCK", 8)

    def row(result: Result) -> Any:
        return result.label, result.path, result.snippet, result.matches

    with trix.open(place / "i") as alone:
        expected = [row(result) for result in alone.search("tree", top=60)]
    for _ in range(2):
        with trix.open(place / "i") as index:
            shared = index.search("tree", top=60)

            def work(place: int, shared: Results = shared) -> list[Any]:
                if place == 0:
                    return [row(result) for result in shared]
                order = range(len(shared)) if place % 2 else range(len(shared) - 1, -1, -1)
                found = {at: row(shared[at]) for at in order}
                return [found[at] for at in range(len(shared))]

            assert all(found == expected for found in at_once(work))


def test_sums_of_keys_are_made_by_one_thread_of_many(
    place: Path, hurried: None, slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = IndexFiles(place / "i").totals["content_elements"]
    begin = np.arange(n)
    expected = IndexFiles(place / "i").elements.tokens(begin, begin + 1)
    real = np.empty

    def empty(*asked: Any) -> Any:
        time.sleep(0.001)
        return real(*asked)

    for _ in range(5):
        table = IndexFiles(place / "i").elements
        monkeypatch.setattr(np, "empty", empty)
        for found in at_once(lambda _, table=table: table.tokens(begin, begin + 1)):  # type: ignore[misc]
            assert (found == expected).all()
        monkeypatch.setattr(np, "empty", real)


def test_a_block_is_decoded_once(place: Path, hurried: None, monkeypatch: pytest.MonkeyPatch) -> None:
    files = IndexFiles(place / "i")
    read: list[tuple[str, int]] = []
    real = elements.Elements._column

    def column(self: elements.Elements, name: str, block: elements.Block) -> Any:
        read.append((name, block.element))
        time.sleep(0.0002)
        return real(self, name, block)

    monkeypatch.setattr(elements.Elements, "_column", column)
    table = files.elements
    at_once(lambda _: table.everything())
    assert len(read) == len(set(read)) > 0


@pytest.mark.slow
def test_values_of_more_blocks_than_are_kept(
    place: Path, hurried: None, slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "_KEPT", 2)
    everything = np.arange(IndexFiles(place / "i").totals["elements"])
    expected = IndexFiles(place / "i").values_of(everything)
    for _ in range(3):
        files = IndexFiles(place / "i")
        files.attributes.units  # noqa: B018
        parts = [everything[at:] for at in range(0, 8 * 40, 40)]
        found = at_once(lambda number: files.values_of(parts[number]))  # noqa: B023
        assert all(each == expected[40 * number :] for number, each in enumerate(found))


def test_the_notice_of_missing_documents_grows_from_eight_threads(hurried: None) -> None:
    for _ in range(20):
        missing, notices = MissingSources(), list[str]()

        def work(place: int, missing: MissingSources = missing, notices: list[str] = notices) -> None:
            for number in range(30):
                missing.add(f"d{place}-{number}", SourceError("has gone", "x.xml"), notices)

        at_once(work)
        assert len(notices) == 1 and "and 237 more documents" in notices[0]


def test_the_documents_in_memory_can_be_let_go_of_while_they_are_read(place: Path, hurried: None) -> None:
    with trix.open(place / "i") as index:
        results = index.search("tree", top=20)
        expected = [each.text for each in results]

        def work(place: int) -> list[str]:
            if place:
                return [each.text for each in results]
            for _ in range(200):
                index.close()
            return expected

        assert all(found == expected for found in at_once(work))


def test_each_thread_stems_for_itself(hurried: None) -> None:
    analyzer = Analyzer()
    stemmers = at_once(lambda _: analyzer._stemmer.stemmed)
    assert len({id(each.__self__) for each in stemmers}) > 1
    assert analyzer.key("retrieval") == "retriev"
