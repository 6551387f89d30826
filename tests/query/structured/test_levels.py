"""Granularity levels over small collections counted by hand, and as commands; presets' levels on real collections."""

from __future__ import annotations

import json
import math
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from tests.paths import DATA
from trix.errors import UsageError
from trix.indexer.profile.profile import PRESETS, load_profile
from trix.query.context.sums import DocumentSums
from trix.query.language.levels import parse_level
from trix.query.structured.levels import Levels

PAPER = """<article><fm><ti>A</ti></fm><bdy>
<sec><st>B</st><p>apple pear</p><ss1><st>C</st><p>apple</p></ss1><ss1><p>plum</p></ss1></sec>
<p>pear</p><sec><p>apple</p><list><item>plum</item></list></sec><fig><p>apple plum</p></fig></bdy>
<bm><p>pear</p></bm></article>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of an index of the paper above, twice, with an empty document between."""
    folder = tmp_path_factory.mktemp("levels")
    (folder / "docs").mkdir()
    for name, text in (("a", PAPER), ("b", "<article><bdy/></article>"), ("c", PAPER)):
        (folder / "docs" / f"{name}.xml").write_text(text)
    trix.build(folder / "docs", folder / "i", profile="ieee", stop="none", jobs=1)
    return str(folder / "i")


def paths(index: str, text: str, document: int = 0) -> list[str]:
    """Return the members of a level in one document, without /article[1]."""
    with trix.open(index) as opened:
        members = Levels(opened.files).level(text).members
        documents = opened.files.documents_of(members)
        found = members[documents == document]
        named = opened.now.namer.names(found, documents[documents == document])[1]
        return [path.removeprefix("/article[1]") for path in named]


def test_minor_takes_the_lowermost_and_major_the_uppermost_with_leftovers_for_the_rest(index: str) -> None:
    sections = ["/bdy[1]/sec[1]/ss1[1]", "/bdy[1]/sec[1]/ss1[2]"]
    rest = ["/bdy[1]/p[1]", "/bdy[1]/sec[2]", "/bdy[1]/fig[1]", "/bm[1]"]
    own = ["/bdy[1]/sec[1]/st[1]", "/bdy[1]/sec[1]/p[1]"]
    assert paths(index, "minor:sec") == ["/fm[1]", *own, *sections, *rest]  # ss1 is an alias of sec
    assert paths(index, "major:sec+ss1") == ["/fm[1]", "/bdy[1]/sec[1]", *rest]
    assert paths(index, "minor:sec") == paths(index, "minor:ss2", 2)
    assert paths(index, "major:sec", 1) == []
    assert paths(index, "document") == [""]
    assert paths(index, "major:absent") == [""]


def test_the_printed_levels_of_ieee_are_evaluated_and_minor_misses_text(index: str) -> None:
    rest = ["/bdy[1]/p[1]", "/bdy[1]/sec[2]", "/bdy[1]/fig[1]", "/bm[1]"]
    assert paths(index, "major") == ["/fm[1]", "/bdy[1]/sec[1]", *rest]
    assert paths(index, "minor") == ["/fm[1]", "/bdy[1]/sec[1]/ss1[1]", "/bdy[1]/sec[1]/ss1[2]", *rest]
    with trix.open(index) as opened:
        minor, major = opened.info("minor"), opened.info("major")
    assert (major["coverage"], major["overlap"], minor["overlap"]) == (1.0, 0, 0)
    # 1 + 1 + 10 + 1 + 5 + 4 + 4 + 5 + 4 + 10 + 4 characters, of which B and "apple pear" are outside
    assert minor["coverage"] == (49 - 11) / 49
    assert (minor["members"], minor["documents"], minor["leftovers"]) == (14, 2, 0)
    assert minor["tags"] == {"ss1": 4, "bm": 2, "fig": 2, "fm": 2, "p": 2, "sec": 2}
    assert minor["mean_content_elements"] == 9 / 7


def test_alternatives_in_parentheses_are_a_union(index: str) -> None:
    assert paths(index, "//(st|fig)") == paths(index, "//st | //fig") == paths(index, "(//fig | //st)[not(sec)]")
    assert paths(index, "//bdy/*[(p|st)]") == ["/bdy[1]/sec[1]", "/bdy[1]/sec[2]", "/bdy[1]/fig[1]"]


def test_a_search_at_a_level_returns_members_only_and_context_comes_from_everywhere(index: str) -> None:
    with trix.open(index) as opened:
        plain = opened.search("plum", strategy="thorough", top=None)
        found = opened.search("plum", level="major", context="root", strategy="thorough", top=None)
        everywhere = opened.search("plum", context="root", strategy="thorough", top=None)
        assert {result.tag for result in found} == {"sec", "fig"}
        assert (len(found), found.matched, plain.matched) == (6, 6, len(plain))
        scores = {result.label: result.score for result in everywhere}
        assert all(result.score == scores[result.label] for result in found)
        for strategy in ("focused", "fetch-browse", "relevant-in-context", "best-in-context"):
            whole = opened.search("plum", level="document", strategy=strategy)
            assert [result.label for result in whole] == ["1", "3"]


def test_a_structured_query_at_a_level_returns_those_of_its_targets_that_are_members(index: str) -> None:
    with trix.open(index) as opened:
        for query in ("//sec[about(., plum)]", "//bdy//*[about(.//p, plum apple)]", "//bdy/*"):
            every = opened.search(query, top=None)
            for level in ("major", "minor:sec", "content"):
                members = Levels(opened.files).level(level).members
                found = opened.search(query, level=level, top=None)
                assert found.elements.tolist() == [element for element in every.elements.tolist() if element in members]
                assert found.matched == len(found)
                assert len(found) > 0 or level == "content"


NESTED, APART = "//(sec|ss1)", "//(sec|ss1)[not(ancestor::sec or ancestor::ss1)]"
OVERLAP = f"level {NESTED}: 4 of its 8 elements lie inside others; the outermost count"


@pytest.mark.parametrize(
    "asked",
    [
        {"level": "LEVEL"}, {"context": "horizontal:gamma=1,level=LEVEL"}, {"context": "neighbours:level=LEVEL"},
        {"statistics": "LEVEL"}, {"context": "root(bm25,statistics=LEVEL)"}, {"context": "cscore:root,level=LEVEL"},
    ],
    ids=str,
)  # fmt: skip
def test_of_members_inside_each_other_the_outermost_count(asked: dict[str, str], index: str) -> None:
    with trix.open(index) as opened:
        for query in ("plum", "plum apple", "//bdy//*[about(., plum)]", "//bdy/*"):
            nested: dict[str, Any] = {name: text.replace("LEVEL", NESTED) for name, text in asked.items()}
            apart: dict[str, Any] = {name: text.replace("LEVEL", APART) for name, text in asked.items()}
            found, wanted = (opened.search(query, top=None, **each) for each in (nested, apart))
            assert len(found) and found.elements.tolist() == wanted.elements.tolist()
            assert found.scores.tolist() == wanted.scores.tolist()
            assert found.notices.count(OVERLAP) == 1 and not any("outermost" in each for each in wanted.notices)
            assert opened.run({"1": query}, **nested).notices.count(OVERLAP) == 1
        assert OVERLAP in opened.check_options(**nested)


def test_the_overlap_of_a_level_is_said_and_reported(index: str, run_cli: Cli) -> None:
    code, out, err = run_cli("search", index, "plum", "--level", NESTED, "--format", "trec")
    assert (code, f"trix: {OVERLAP}\n" in err) == (0, True) and out
    code, out, _ = run_cli("info", index, "--level", NESTED, "--json")
    facts = json.loads(out)
    assert (code, facts["members"], facts["overlap"], facts["outermost"]) == (0, 8, 4, 4)
    assert facts["overlap_example"].startswith("a/article[1]/bdy[1]/sec[1]/ss1[1] inside /article[1]/bdy[1]/sec[1]")


def test_where_a_tag_nests_the_notice_says_how_to_take_the_innermost(tmp_path: Path, run_cli: Cli) -> None:
    (tmp_path / "d.xml").write_text("<a><p><q>pear</q><p>plum</p></p><p>plum pear</p></a>")
    trix.build(tmp_path / "d.xml", tmp_path / "i", profile="generic", stop="none", jobs=1)
    said = "level //p: 1 of its 3 elements lie inside others; the outermost count; //p[not(.//p)] takes the innermost"
    with trix.open(tmp_path / "i") as opened:
        found = opened.search("plum", level="//p", preset="study", top=None)
        assert (sorted(found.paths), found.notices) == (["/a[1]/p[1]", "/a[1]/p[2]"], (said,))
        inner = opened.search("plum", level="//p[not(.//p)]", preset="study", top=None)
        assert sorted(inner.paths) == ["/a[1]/p[1]/p[1]", "/a[1]/p[2]"]
        resolver = trix.Resolver(opened)
        assert resolver.members("//p") == {"d": ["/a[1]/p[1]", "/a[1]/p[2]"]} and said in resolver.notices
    (tmp_path / "qrels").write_text("1 Q0 d 2 9 4 4:8\n")
    code, out, err = run_cli("granulate", tmp_path / "qrels", "--index", tmp_path / "i", "--level", "//p")
    assert code == 0 and f"trix: {said}\n" in err, err
    assert {line.split()[2] for line in out.splitlines()} == {"d/a[1]/p[1]", "d/a[1]/p[2]"}


def test_info_reports_a_level_in_text(index: str, run_cli: Cli) -> None:
    code, out, err = run_cli("info", index, "--level", "minor")
    assert (code, err) == (0, "")
    for line in ("members                14", "coverage               77.55 %", "overlap                0", "  ss1  4"):
        assert line in out.splitlines()


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("minro", "level minro: there is no such level \\(did you mean minor\\?\\); expected"),
        ("p", "level p: there is no such level; .*a path such as //p, or a name of the profile \\(minor, major\\)"),
        ("minr:sec", "did you mean minor"),
        ("minor:", "level minor:: a tag is missing"),
        ("minor:sec,ss1", "'sec,ss1' is no tag; expected tags joined by"),
        ("//sec[1]", "level //sec\\[1\\]: path, column 7: positions are not part"),
        ("  ", "level: it is empty"),
        (3, "level: expected the text of a level, as minor:sec\\+ss1; got 3"),
    ],
)
def test_a_wrong_level_is_named_with_what_was_expected(index: str, level: Any, message: str) -> None:
    with trix.open(index) as opened, pytest.raises(UsageError, match=message) as caught:
        opened.search("plum", level=level)
    assert "\n" not in str(caught.value)


def test_a_name_that_means_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="the profile says 'b', which is a name again"):
        parse_level("a", {"a": "b", "b": "//x"})


def test_a_user_is_told_of_text_and_tags_that_are_missing(index: str) -> None:
    with trix.open(index) as opened:
        assert opened.search("plum", level="major").notices == ()
        (covers,) = opened.search("plum", level="minor").notices
        assert covers == "level minor: it covers 77.5 % of the text; what is outside is not found at it"
        (missing,) = opened.search("plum", level="minor:secs").notices
        assert missing == "level minor:secs: no element has the tag secs (did you mean sec?)"
        (none,) = opened.search("plum", level="//fm/fig").notices
        assert none == "level //fm/fig: no element of the index is a member"
        (inside,) = opened.search("plum", context="horizontal:level=minor").notices
        assert inside == covers
        run = opened.run({"1": "plum", "2": "pear"}, level="minor", context="horizontal:level=minor")
        assert run.notices == [covers]  # once, not for every topic


def test_horizontal_context_counts_the_members_of_its_level(index: str) -> None:
    """The members of major in order: fm 0, sec with plum once, p 0, sec with plum, fig with plum, bm 0."""
    with trix.open(index) as opened:
        s = {result.label: result.score for result in opened.search("plum", strategy="thorough", top=None)}
        found = opened.search(
            "plum", strategy="thorough", top=None, context="horizontal:alpha=.25,gamma=1.25,f=2,level=major"
        )
        scores = {result.label: result.score for result in found}
    # g(1) = 1, g(2) = 0.25, g(3) < 0
    assert scores["1.2.1"] == pytest.approx(s["1.2.1"] + 2 * 0.25 * s["1.2.3"] / 2.25, abs=1e-15)
    assert scores["1.2.4"] == pytest.approx(s["1.2.4"] + 2 * s["1.2.3"] / 2.25, abs=1e-15)
    assert scores["1"] == s["1"]
    assert scores["1.2.1.4"] == s["1.2.1.4"]


def test_ad_hoc_context_takes_the_first_weight_and_leaves_out_what_is_below(index: str) -> None:
    """Plum is in the second ss1, in the item of the second sec and in fig; st and p of other places stay silent."""
    form = "adhoc://(sec|ss1)=3,//fig,//ss1=9,//bdy=0.5,f=2"
    with trix.open(index) as opened:
        s = {result.label: result.score for result in opened.search("plum", strategy="thorough", top=None)}
        found = opened.search("plum", strategy="thorough", top=None, context=form)
        scores = {result.label: result.score for result in found}
        explanation = opened.explain("plum", "1.2.3", context=form)
    # D of the second sec: sec and its two ss1 (3 each, the first weight counts), fig (1), bdy (0.5)
    above = 3 * s["1.2.1"] + 3 * s["1.2.1.4"] + s["1.2.4"] + 0.5 * s["1.2"]
    assert scores["1.2.3"] == pytest.approx(s["1.2.3"] + 2 * above / (3 * 3 + 1 + 0.5), abs=1e-15)
    assert scores["1"] == s["1"]  # all is below the root
    assert scores["1.2.3"] == scores["3.2.3"]
    assert explanation.value == scores["1.2.3"]
    assert "3.0 = 3.0" not in str(explanation)
    assert "1 element(s) that do not match" in str(explanation)
    assert f"Σ g = {3 * 3 + 1 + 0.5}" in str(explanation)


values = st.floats(-1e3, 1e3) | st.sampled_from([0.1, 0.2, 0.3, 1e16, -1e16])


@given(st.lists(st.tuples(st.integers(0, 3), values), max_size=30), st.randoms())
def test_sums_of_documents_are_rounded_once(pairs: list[tuple[int, float]], random: Any) -> None:
    pairs.sort(key=lambda pair: pair[0])
    document, values = np.array([d for d, _ in pairs], int), np.array([v for _, v in pairs], float)
    own = np.array([random.randrange(4) for _ in range(8)])
    begin, end = (np.searchsorted(document, own, side=side).tolist() for side in ("left", "right"))
    low = np.array([random.randint(b, e) for b, e in zip(begin, end, strict=True)], int)
    high = np.array([random.randint(m, e) for m, e in zip(low.tolist(), end, strict=True)], int)
    sums = DocumentSums(values, document).outside(low, high, own)
    for i in range(8):
        literal = math.fsum([*values[begin[i] : low[i]], *values[high[i] : end[i]]])
        assert sums[i] == pytest.approx(literal, rel=1e-15, abs=1e-13)


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7, 1 / 3, 1e-9, 1e9]), min_size=2, max_size=12), st.randoms())
def test_equal_contexts_give_equal_sums_to_the_last_bit(values: list[float], random: Any) -> None:
    """Without its own value in front, in the middle or at the end, a document's sum is the same."""
    sums = set()
    for place in range(len(values)):
        others = list(values)
        random.shuffle(others)
        array = np.array([*others[:place], 123.456, *others[place:]])
        only = np.array([place])
        sums.add(float(DocumentSums(array, np.zeros(array.size, int)).outside(only, only + 1, np.zeros(1, int))[0]))
    assert sums == {math.fsum(values)}


def test_the_levels_of_all_presets_can_be_read() -> None:
    for preset in PRESETS:
        levels = load_profile(preset).levels
        for name in levels:
            definition = parse_level(name, levels)
            assert parse_level(str(definition)) == definition


@pytest.mark.parametrize(
    ("collection", "profile"),
    [
        ("small-shakespeare", "shakespeare"),
        pytest.param("odd-mallard-gnome", "mallard", marks=pytest.mark.slow),
        pytest.param("odd-tei-eltec-eng-sample", "tei", marks=pytest.mark.slow),
        pytest.param("odd-tcp-evans-ecco-sample", "tei", marks=pytest.mark.slow),
        pytest.param("odd-laws-canada-sample", "laws", marks=pytest.mark.slow),
    ],
)
def test_the_levels_of_presets_cover_real_collections_without_overlap(
    tmp_path: Path, collection: str, profile: str
) -> None:
    archive = DATA / "collections" / f"{collection}.tar.xz"
    if not archive.is_file():
        pytest.skip(f"{archive} is not there; set TRIX_DATA")
    with tarfile.open(archive) as tar:
        files = [member for member in tar if member.name.endswith(".xml")][:40]
        tar.extractall(tmp_path / "docs", files, filter="data")
    trix.build(tmp_path / "docs", tmp_path / "i", profile=profile, jobs=1)
    with trix.open(tmp_path / "i") as opened:
        for name in ["content", "document", *load_profile(profile).levels]:
            report = opened.info(name)
            assert (name, report["coverage"], report["overlap"]) == (name, 1.0, 0)
            assert report["documents"] == opened.info("document")["members"]
