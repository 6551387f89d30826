"""What a reader gets: the size of answers, how many of one document, no quiet parts; against literal readings."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from tests.test_organise import forests
from trix.errors import UsageError
from trix.query.ranking.sizes import Window, fitting

BOUNDS = st.one_of(st.none(), st.integers(1, 12))


def misses(length: int, window: Window) -> Fraction:
    """Return by which factor a length misses a window, 1 where it does not."""
    if window.low is not None and length < window.low:
        return Fraction(window.low, length)
    if window.high is not None and length > window.high:
        return Fraction(length, window.high)
    return Fraction(1)


def literally_fitting(root: list[int], length: list[int], window: Window, keep: list[bool]) -> list[bool]:
    """Return what fits; of a document of which nothing does, what is nearest."""
    found = [False] * len(root)
    for document in set(root):
        members = [x for x in range(len(root)) if root[x] == document and keep[x]]
        inside = [x for x in members if misses(length[x], window) == 1]
        nearest = min((misses(length[x], window) for x in members), default=Fraction(1))
        for x in inside or [x for x in members if misses(length[x], window) == nearest]:
            found[x] = True
    return found


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_what_fits_is_returned_and_else_what_is_nearest(data: st.DataObject) -> None:
    candidates = data.draw(forests())
    n = len(candidates)
    length = data.draw(st.lists(st.integers(1, 30), min_size=n, max_size=n))
    low, high = data.draw(BOUNDS), data.draw(BOUNDS)
    window = Window(low, high if low is None or high is None or high >= low else low + high)
    keep = data.draw(st.one_of(st.none(), st.lists(st.booleans(), min_size=n, max_size=n)))
    found = fitting(candidates, np.array(length, np.int32), window, None if keep is None else np.array(keep))
    assert found.tolist() == literally_fitting(candidates.root.tolist(), length, window, keep or [True] * n)


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of articles with short and long parts."""
    folder = tmp_path_factory.mktemp("articles")
    said = "xml retrieval of elements "
    (folder / "a.xml").write_text(
        f"<a><title>xml</title><s><p>{said * 3}</p><p>{said * 40}</p></s><s><p>{said}</p><p>{said}</p></s></a>"
    )
    (folder / "b.xml").write_text(f"<a><title>xml</title><p>{'another thing altogether ' * 100}</p></a>")
    (folder / "c.xml").write_text("<a><title>xml</title></a>")
    trix.build([folder / f"{name}.xml" for name in "abc"], folder / "i", jobs=1)
    return folder / "i"


def paths(results: Any) -> list[tuple[str, str]]:
    return [(result.doc, result.path) for result in results]


@pytest.mark.parametrize("strategy", ["thorough", "focused", "fetch-browse", "relevant-in-context", "best-in-context"])
@pytest.mark.parametrize("size", ["60:1200", "60:", ":60", "30:100", "any"])
@pytest.mark.parametrize("per_document", ["all", 1, 2])
def test_a_search_returns_what_fits_and_at_most_so_many_of_a_document(
    articles: Path, strategy: str, size: str, per_document: Any
) -> None:
    with trix.open(articles) as index:
        everything = index.search("xml", strategy="thorough", top="all")
        low, high = (int(bound) if bound else None for bound in (":" if size == "any" else size).split(":"))
        fits = literally_fitting(
            [ord(r.doc[0]) for r in everything], [r.length for r in everything], Window(low, high), [True] * 99
        )
        wanted = [each for each, fit in zip(paths(everything), fits, strict=True) if fit]
        options: dict[str, Any] = {"strategy": strategy, "size": size, "top": "all"}
        without = paths(index.search("xml", **options))
        assert set(without) == set(wanted) if strategy == "thorough" else set(without) <= set(wanted)
        assert {doc for doc, _ in without} == {doc for doc, _ in wanted} == {"a", "b", "c"}
        results = index.search("xml", per_document=per_document, **options)
        if strategy != "relevant-in-context":
            most = 99 if per_document == "all" else per_document
            assert paths(results) == [
                each for place, each in enumerate(without)
                if sum(doc == each[0] for doc, _ in without[:place]) < most
            ]  # fmt: skip
        assert results.matched == everything.matched


def test_too_large_and_too_small_elements_hide_nothing(articles: Path) -> None:
    with trix.open(articles) as index:
        found = paths(index.search("xml", size="40:1000", b=0.0, overlap="none", strategy="focused"))
        assert ("a", "/a[1]") not in found and ("a", "/a[1]/title[1]") not in found
        assert {each for each in found if each[0] == "a"} == {("a", "/a[1]/s[1]/p[1]"), ("a", "/a[1]/s[2]")}
        # nothing of b fits: neither its title of 3 characters nor the article of 2,500; the article is nearer
        assert ("b", "/a[1]") in found and ("c", "/a[1]") in found


def test_a_rescored_run_is_restricted_as_a_search_is(articles: Path) -> None:
    with trix.open(articles) as index:
        run = index.run({"1": "xml retrieval"}, strategy="thorough")
        asked: dict[str, Any] = {"size": "20:200", "per_document": 2}
        again = index.rescore(run, **asked)["1"]
        assert paths(again) == paths(index.run({"1": "xml retrieval"}, strategy="thorough", **asked)["1"])
        assert 0 < len(again) <= 6 and max(sum(doc == r.doc for doc, _ in paths(again)) for r in again) == 2


def test_sizes_that_are_none_are_told(articles: Path, run_cli: Cli) -> None:
    for wrong in ("10", "a:b", "9:8", "0:5", "-1:", ""):
        code, out, err = run_cli("search", articles, "xml", "--size", wrong)
        assert (code, out) == (2, "") and err.startswith("trix: error: --size") and "LOW:HIGH" in err, err
    with trix.open(articles) as index, pytest.raises(UsageError, match="characters"):
        index.search("xml", size=150)  # type: ignore[arg-type]
    code, out, _ = run_cli("search", articles, "xml", "--size", "30:100", "--per-document", "1", "--format", "jsonl")
    assert code == 0 and len(out.splitlines()) == 3


def test_a_query_without_words_is_restricted_too(articles: Path) -> None:
    with trix.open(articles) as index:
        assert [path for _, path in paths(index.search("//p", top="all", size="30:100"))] == [
            "/a[1]/s[1]/p[1]",
            "/a[1]/p[1]",
        ]
        assert paths(index.search("//p", per_document=1)) == [("a", "/a[1]/s[1]/p[1]"), ("b", "/a[1]/p[1]")]
