"""Statistics of a level, weights of places and powers of idf, on a collection small enough to count by hand."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from tests.oracle.generate import STATISTICS, Case, cases, options, place_weights, queries
from tests.oracle.scoring import analysed
from tests.query.scoring.test_models import FILES
from tests.query.test_engine_against_oracle import EXAMPLES, build, compare, expected, relaxed
from trix.errors import ProfileError, UsageError
from trix.indexer.profile.profile import load_profile
from trix.query.language.element_weights import ElementWeights
from trix.query.matching.matching import TermList
from trix.query.scoring.element_weights import content_weights
from trix.query.scoring.statistics import document_units, member_units

PROFILE = """\
extends = "generic"
[weights]
"//s/p" = 2.5
"""
FIRST = "a/a[1]/s[1]"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder = tmp_path_factory.mktemp("statistics")
    (folder / "docs").mkdir()
    for name, text in FILES.items():
        (folder / "docs" / name).write_text(text)
    (folder / "p.toml").write_text(PROFILE)
    trix.build(folder / "docs", folder / "i", profile=str(folder / "p.toml"), stem="none", stop="none")
    with trix.open(folder / "i") as opened:
        yield opened


def score(index: trix.Index, query: str, path: str, **options: Any) -> float:
    results = index.search(query, **{"strategy": "thorough", "top": None} | options)
    return next(result.score for result in results if result.doc + result.path == path)


def bm25(kf: float, dl: int, avgdl: float, m: int, N: int) -> float:
    return kf * 2.2 / (kf + 1.2 * (0.25 + 0.75 * dl / avgdl)) * math.log(1 + (N - m + 0.5) / (m + 0.5))


def idf(m: int, N: int) -> float:
    return math.log(N / m) / math.log(N)


# -- statistics --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("statistics", "avgdl", "m", "N"),
    [
        (None, 22 / 8, 4, 8),
        ("content", 22 / 8, 4, 8),
        ("document", 22 / 4, 3, 4),
        ("//s", (6 + 2 + 3) / 3, 2, 3),  # the sections of a, and that of b; two of them hold "tree"
        ("minor:s", 22 / 6, 4, 6),  # those, a paragraph, and the two documents without sections; four hold it
    ],
)
def test_statistics_are_those_of_the_members_of_a_level(
    index: trix.Index, statistics: str | None, avgdl: float, m: int, N: int
) -> None:
    """ "tree" is twice in the first section, of 6 keys."""
    asked: dict[str, Any] = {"statistics": statistics}
    assert score(index, "tree", FIRST, model="bm25", **asked) == pytest.approx(bm25(2, 6, avgdl, m, N), rel=1e-13)
    trix2005 = 2 / (2 + 2 * (0.9 + 0.1 * 2 / 1)) * idf(m, N)
    assert score(index, "tree", FIRST, **asked) == pytest.approx(trix2005, rel=1e-13)
    explained = str(index.explain("tree", FIRST, model="bm25", **asked))
    assert f"m = {m}; N = {N}" in explained
    assert (f"statistics of {statistics}" in explained) is (statistics is not None)


def test_level_means_the_one_that_is_searched(index: trix.Index) -> None:
    at_level = score(index, "tree", FIRST, model="bm25", level="//s", statistics="level")
    assert at_level == pytest.approx(bm25(2, 6, 11 / 3, 2, 3), rel=1e-13)
    with pytest.raises(UsageError, match=r"^statistics level: there is no level whose statistics .* give `level`"):
        index.search("tree", statistics="level")


def test_the_model_of_2011_has_documents_of_its_own_and_any_level_else(index: trix.Index) -> None:
    def of_2011(n: int, N: int, avgdl: float) -> float:
        return 2 / (2 + 1.2 * (0.1 + 0.9 * 6 / avgdl)) * math.log((N - n + 0.5) / (n + 0.5))

    for statistics, wanted in (
        (None, of_2011(3, 4, 22 / 4)),
        ("document", of_2011(3, 4, 22 / 4)),
        ("content", of_2011(4, 8, 22 / 8)),
        ("//s", of_2011(2, 3, 11 / 3)),
    ):
        found = score(index, "tree", FIRST, model="bm25-2011", statistics=statistics)
        assert found == pytest.approx(wanted, rel=1e-13, abs=1e-15)


def test_a_key_that_no_member_holds_weighs_nothing_whatever_the_model(index: trix.Index) -> None:
    """ "image" is in no section, but in documents that are context."""
    for model in ("trix2005", "trix2004", "bm25", "bm25-2011", "tfidf", "lm-jm", "lm-dirichlet"):
        assert score(index, "image", "b/a[1]", model=model, statistics="//s") == 0.0
        explained = str(index.explain("image", "b/a[1]", model=model, statistics="//s"))
        assert re_zero(explained)


def re_zero(explained: str) -> bool:
    return any(f"0 where {letter} = 0" in explained for letter in ("m", "n", "cf"))


def test_levels_without_members_and_with_overlap(index: trix.Index) -> None:
    assert score(index, "tree", FIRST, model="bm25", statistics="//absent") == 0.0
    assert "avgdl = 0.0; m = 0; N = 0" in str(index.explain("tree", FIRST, model="bm25", statistics="//absent"))
    outermost = score(index, "tree", FIRST, model="bm25", statistics="//a")
    assert score(index, "tree", FIRST, model="bm25", statistics="//a | //s") == outermost
    said = index.search("tree", statistics="//a | //s").notices
    assert any("lie inside others; the outermost count" in notice for notice in said)
    with pytest.raises(UsageError, match=r"^statistics documnet: there is no such level .did you mean document"):
        index.search("tree", statistics="documnet")


def test_terms_are_counted_alike_whether_units_or_postings_are_fewer(index: trix.Index) -> None:
    files = index.files
    rng = np.random.default_rng(7)
    for units in (document_units(files), member_units(files, index.now.searcher.levels.apart("//s").members)):
        for size in (0, 1, 3, 8):
            numbers = np.sort(rng.choice(8, size, replace=False)).astype(np.int32)
            tf = rng.integers(1, 9, size).astype(np.int32)
            assert units.begin is not None and units.end is not None
            held = [tf[(numbers >= low) & (numbers < high)] for low, high in zip(units.begin, units.end, strict=True)]
            wanted = sum(bool(each.size) for each in held), sum(int(each.sum()) for each in held)
            assert units.counts(TermList(numbers, tf)) == wanted


# -- weights of places -------------------------------------------------------------------------------------------------


def test_occurrences_count_by_their_place_before_saturation(index: trix.Index) -> None:
    """In a, "tree" is twice in a paragraph of the first section, "edit" once there and once in the second section."""
    kf = 2 * 3.0
    assert score(index, "tree", FIRST, weights="s=3") == pytest.approx(
        kf / (kf + 2 * (0.9 + 0.1 * 2)) * idf(4, 8), rel=1e-13
    )
    assert score(index, "tree", FIRST, model="bm25", weights="s=3") == pytest.approx(
        bm25(kf, 6, 22 / 8, 4, 8), rel=1e-13
    )
    cf = 3 * 3 + 2  # three in sections, two outside
    assert score(index, "tree", FIRST, model="lm-jm", weights="//s/p=3") == pytest.approx(
        math.log(1 + kf * 22 / (6 * cf)), rel=1e-13
    )
    assert "kf = 6.0" in str(index.explain("tree", FIRST, weights="s=3"))
    assert "words weighted by s=3" in str(index.explain("tree", FIRST, weights="s=3"))
    assert score(index, "tree", FIRST, weights="p=0") == 0.0


def test_the_nearest_place_counts_and_of_several_at_one_element_the_first(index: trix.Index) -> None:
    for weights, wanted in {
        "s=3,p=2": 2.0,  # the paragraph is nearer
        "p=2,//s/p=3": 2.0,
        "//s/p=3,p=2": 3.0,
        "a=0.333": 0.333,
        "absent=9": 1.0,
        "profile": 2.5,
    }.items():
        explained = str(index.explain("tree", FIRST, weights=weights, model="tfidf"))
        assert f"kf = {2 * wanted}" in explained, weights


def test_equal_counts_give_equal_scores_to_the_last_bit_however_they_are_added(tmp_path: Path) -> None:
    """0.1 six times is 0.6, and 0.3 twice."""
    (tmp_path / "d.xml").write_text(
        "<a><s>" + "<x>tree b</x>" * 6 + "</s><s>" + "<y>tree b</y>" * 2 + "<z>b b</z>" * 4 + "</s></a>"
    )
    trix.build(tmp_path / "d.xml", tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        asked: dict[str, Any] = {"weights": "x=0.1,y=0.3", "model": "lm-jm", "strategy": "thorough"}
        first, second = (score(index, "tree", f"d/a[1]/s[{n}]", **asked) for n in (1, 2))
        assert first == second


def test_the_painted_weights_are_those_of_the_nearest_selected_ancestor(index: trix.Index) -> None:
    elements = index.files.elements
    elements.everything()
    rng = np.random.default_rng(3)
    for _ in range(50):
        places = [
            (np.sort(rng.choice(elements.parent.size, size, replace=False)).astype(np.int32), int(weight))
            for size, weight in zip(rng.integers(0, 9, 3), rng.integers(0, 5000, 3), strict=True)
        ]
        found = content_weights(index.files, places)
        for content, element in enumerate(elements.of_content.tolist()):
            wanted = 1000
            while element >= 0:
                here = [weight for selected, weight in places if element in selected]
                if here:
                    wanted = here[0]
                    break
                element = int(elements.parent[element])
            assert found[content] == wanted


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ("title", "'title' is not PLACE=WEIGHT"),
        ("profil", "did you mean profile"),
        ("title=", "title=: the weight is out of range"),
        ("title=x", "title=x: the weight is out of range; expected a number from 0 to 1000 with at most three"),
        ("title=0.0001", "at most three decimals"),
        ("title=1001", "from 0 to 1000"),
        ("title=-1", "from 0 to 1000"),
        ("=3", "'' is no tag and no path"),
        ("a b=3", "'a b' is no tag and no path"),
        ("//a[=3", "path, column"),
        ("a=1,a=2", "a is given twice"),
    ],
)
def test_mistakes_in_weights_are_one_line(index: trix.Index, weights: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        index.search("tree", weights=weights)
    assert caught.value.field == "weights" and said in str(caught.value) and "\n" not in str(caught.value)


def test_places_that_are_nowhere_are_named_and_the_command_line_says_the_same(index: trix.Index, run_cli: Cli) -> None:
    results = index.search("tree", weights="pp=3,s=2")
    assert "weights: no element is at pp (did you mean p?)" in results.notices
    code, _, err = run_cli("search", index.files.path, "tree", "--weights", "p=", "--statistics", "document")
    assert code == 2 and "--weights p=: p=: the weight is out of range" in err
    code, out, _ = run_cli(
        "search", index.files.path, "tree", "--weights", "s=3", "--statistics", "level", "--level", "//s"
    )
    assert code == 0 and '"path": "/a[1]/s[1]"' in out


def test_weights_of_a_profile(index: trix.Index, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(PROFILE)
    (tmp_path / "q.toml").write_text('extends = "p.toml"\n[weights]\np = 3\n')
    assert load_profile(tmp_path / "q.toml").weights == {"//s/p": 2.5, "p": 3}
    assert str(ElementWeights.of_table(load_profile(tmp_path / "q.toml").weights)) == "//s/p=2.5,p=3"
    for text in ("weights = 3", "[weights]\np = 'x'", "[weights]\np = -1", "[weights]\np = true"):
        (tmp_path / "r.toml").write_text(text)
        with pytest.raises(ProfileError, match="weights"):
            load_profile(tmp_path / "r.toml")
    (tmp_path / "d.xml").write_text("<a>tree</a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", jobs=1, profile="generic")
    with trix.open(tmp_path / "i") as plain, pytest.raises(UsageError, match=r"the profile generic .* has no weights"):
        plain.search("tree", weights="profile")


# -- powers of idf -----------------------------------------------------------------------------------------------------


def test_idf_is_raised_to_a_power_and_keeps_its_sign(index: trix.Index) -> None:
    tf = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 6 / 2.75))
    assert score(index, "tree", FIRST, model="bm25", idf_power=1.25) == pytest.approx(
        tf * math.log(1 + 4.5 / 4.5) ** 1.25, rel=1e-13
    )
    trix2005 = 2 / (2 + 2 * (0.9 + 0.2))
    assert score(index, "tree", FIRST, idf_power=3) == pytest.approx(trix2005 * idf(4, 8) ** 3, rel=1e-13)
    assert score(index, "tree", FIRST, idf_power=0) == pytest.approx(trix2005, rel=1e-13)
    below = 2 / (2 + 1.2 * (0.1 + 0.9 * 6 / 5.5)) * -(abs(math.log(1.5 / 3.5)) ** 2)
    assert score(index, "tree", FIRST, model="bm25-2011", idf_power=2) == pytest.approx(below, rel=1e-13)
    assert "(ln(1 + (N-m+.5)/(m+.5)))^p" in str(index.explain("tree", FIRST, model="bm25", idf_power=2))
    for model in ("lm-jm", "lm-dirichlet"):
        with pytest.raises(UsageError, match=r"^idf_power: expected 1 with `model` lm.*"):
            index.search("tree", model=model, idf_power=2)
        assert score(index, "tree", FIRST, model=model, idf_power=1) > 0


# -- the oracle --------------------------------------------------------------------------------------------------------


@settings(relaxed, max_examples=max(5, EXAMPLES // 4))
@given(cases(), st.data())
def test_both_backends_agree_with_the_oracle_on_levels_and_places(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(4):
            query = data.draw(queries(case.collection))
            if not analysed(query.terms, case.collection.chain):
                continue
            asked = data.draw(options(case.positions)) | {
                "statistics": data.draw(st.sampled_from(STATISTICS)),
                "weights": data.draw(place_weights()),
            }
            wanted = expected(case, query, asked)
            found = []
            found.append([result.score for result in compare(index, case, query.text, asked, *wanted)])
            assert all(scores == found[0] for scores in found)
