"""What a reader gets: the size of answers, how many of one document, no quiet parts; against literal readings."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trix
from tests.conftest import Cli
from tests.paths import ROOT
from tests.query.ranking.test_organise import forests
from trix.errors import ProfileError, UsageError
from trix.indexer.profile.profile import PRESETS, load_profile
from trix.presets import OF_MODEL
from trix.query.matching.candidates import Candidates
from trix.query.options import Options
from trix.query.ranking.overlap_filter import collapsed
from trix.query.ranking.returnable import SizeWindow, fitting, quiet_candidates
from trix.settings import PRESETS as READINGS
from trix.settings import SETTINGS, Occasion, settings_of

BOUNDS = st.one_of(st.none(), st.integers(1, 12))


def misses(length: int, window: SizeWindow) -> Fraction:
    """Return by which factor a length misses a window, 1 where it does not."""
    if window.low is not None and length < window.low:
        return Fraction(window.low, length)
    if window.high is not None and length > window.high:
        return Fraction(length, window.high)
    return Fraction(1)


def literally_fitting(root: list[int], length: list[int], window: SizeWindow, keep: list[bool]) -> list[bool]:
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
    window = SizeWindow(low, high if low is None or high is None or high >= low else low + high)
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
            [ord(r.doc[0]) for r in everything], [r.length for r in everything], SizeWindow(low, high), [True] * 99
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


def literally_quiet(candidates: Candidates, quiet: list[bool], loud: list[bool]) -> list[bool]:
    """Return what stands in a quiet part, or holds nothing that matches but in quiet parts."""
    parent = candidates.parent.tolist()

    def line(x: int) -> list[int]:
        return [x, *line(parent[x])] if x >= 0 else []

    def inside(x: int) -> bool:
        return next((quiet[y] for y in line(x) if quiet[y] or loud[y]), False)

    everything = range(len(parent))
    lowest = [x for x in everything if x not in parent]
    return [inside(x) or all(inside(y) for y in lowest if x in line(y)) for x in everything]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_candidate_is_quiet_where_it_stands_or_for_all_that_it_holds(data: st.DataObject) -> None:
    candidates = data.draw(forests())
    marks = st.lists(st.booleans(), min_size=len(candidates), max_size=len(candidates))
    quiet, loud = data.draw(marks), data.draw(marks)
    found = quiet_candidates(candidates, np.array(quiet), np.array(loud))
    assert found.tolist() == literally_quiet(candidates, quiet, loud)


ARTICLE = (
    "<article><front><title>Tree edits</title><name>Kay</name><abstract><p>How to measure.</p></abstract></front>"
    "<body><sec><title>Models</title><p>Edits of trees.</p></sec></body>"
    "<back><ref-list><ref>Kay: Distances in forests</ref><ref>Ray: Models of edits</ref></ref-list></back></article>"
)


@pytest.fixture(scope="module", params=["one segment", "two segments"])
def headed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of two articles with headers and references."""
    folder = tmp_path_factory.mktemp("headed")
    (folder / "a.xml").write_text(ARTICLE)
    (folder / "b.xml").write_text(ARTICLE.replace("Edits of trees", "Nothing of the kind").replace("Ray", "May"))
    sources = [folder / "a.xml", folder / "b.xml"]
    if request.param == "one segment":
        trix.build(sources, folder / "i", profile="jats", jobs=1)
    for source in sources if request.param == "two segments" else []:
        with trix.write(folder / "i", profile="jats", merge=False) as writer:
            writer.add(source)
    return folder / "i"


def tails(results: Any) -> set[str]:
    return {doc + path.removeprefix("/article[1]") for doc, path in paths(results)}


def test_quiet_parts_are_returned_only_where_there_is_nothing_else(headed: Path) -> None:
    asked: dict[str, Any] = {"strategy": "thorough", "top": "all", "quiet_parts": False}
    with trix.open(headed) as index:
        everything = index.search("edits", strategy="thorough", top="all")
        found = index.search("edits", **asked)
        paragraph = "a/body[1]/sec[1]/p[1]"
        section = {"a", "a/body[1]", "a/body[1]/sec[1]", paragraph, f"{paragraph}/text()[1]"}
        assert tails(found) == section < tails(everything)
        assert {each.score for each in found} <= {each.score for each in everything}
        assert found.matched == everything.matched
        assert len(found.notices) == 1 and "`quiet_parts` returns them" in found.notices[0]
        # what holds nothing but a reference that matches is quiet as well, such as back, and article b
        assert {"a/back[1]", "b", "a/front[1]"} <= tails(everything)
        assert tails(index.search("measure", **asked)) >= {"a", "a/front[1]/abstract[1]", "b"} - {"a/front[1]"}
        assert "a/front[1]" not in tails(index.search("measure", **asked))
        alone = index.search("kay distances", **asked)
        assert paths(alone) == paths(index.search("kay distances", strategy="thorough", top="all"))
        assert len(alone.notices) == 1 and "where there is anything else" in alone.notices[0]
        few = index.search("edits", strategy="thorough", top=10, quiet_parts=False)
        assert tails(few) == section and "`quiet_parts` returns them" in few.notices[0]
        assert index.search("zebra", **asked).notices == ("no document has zebra",)


TOPIC = "<{0} id='x'><title>{1}</title><metadata><keyword>lamps</keyword></metadata>{2}</{0}>"


def test_a_document_is_never_quiet_whatever_its_root_is_called(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    inner = "<section><p>The oil of the lamps.</p><reference><p>Lamps, see oil.</p></reference></section>"
    for root in ("reference", "topic", "index", "metadata"):
        (docs / f"{root}.xml").write_text(TOPIC.format(root, "Trimming", inner))
    trix.build(docs, tmp_path / "i", profile="generic", jobs=1)
    (tmp_path / "own.toml").write_text('quiet = ["*[@id=\'x\']", "..."]\n')
    trix.build(docs, tmp_path / "j", profile=tmp_path / "own.toml", jobs=1)
    for path in (tmp_path / "i", tmp_path / "j"):
        with trix.open(path) as index:
            (one,) = index.search("trimming", top=1, quiet_parts=False)
            found = index.search("trimming", strategy="thorough", top="all", quiet_parts=False)
            roots = ("index", "metadata", "reference", "topic")
            assert tails_of(found) == {f"{doc}{x}" for doc in roots for x in ("", "/title[1]")}
            assert found.notices == () and one.path.endswith("/title[1]")
            lamps = index.search("lamps", strategy="thorough", top="all", quiet_parts=False)
            assert {each.rpartition("/")[2] for each in tails_of(lamps)} & {"reference[1]", "keyword[1]"} == set()
            assert len(lamps) == 12 and "`quiet_parts` returns them" in lamps.notices[0]


def tails_of(results: Any) -> set[str]:
    return {doc + path.removeprefix(f"/{doc}[1]") for doc, path in paths(results)}


def test_quiet_parts_satisfy_conditions_and_change_no_statistics(headed: Path) -> None:
    with trix.open(headed) as index:
        condition = "//article[about(.//ref, distances)]//*[about(., models)]"
        found = tails(index.search(condition, top="all", quiet_parts=False))
        assert found == {
            f"{x}{part}" for x in "ab" for part in ("/body[1]", "/body[1]/sec[1]", "/body[1]/sec[1]/title[1]")
        }
        result = index.search("models", quiet_parts=False)[0]
        assert str(index.explain("models", result)) == str(index.explain("models", result, quiet_parts=False))


def test_quiet_parts_change_nothing_in_an_index_but_its_settings(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(ARTICLE)
    (tmp_path / "own.toml").write_text(
        'name = "jats"\nextends = "jats"\nquiet = []\nloud = []\nabout = "JATS articles"\n'
    )
    for name, profile in (("i", "jats"), ("j", str(tmp_path / "own.toml"))):
        trix.build(tmp_path / "a.xml", tmp_path / name, profile=profile, jobs=1)
    one, other = ({path.name for path in (tmp_path / name).glob("*.seg*")} for name in "ij")
    assert one == other
    with trix.open(tmp_path / "j") as index:
        assert tails(index.search("kay", quiet_parts=False)) == tails(index.search("kay"))


@pytest.mark.parametrize("key", ["quiet", "loud"])
@pytest.mark.parametrize("wrong", ["a[b]", "a//b", "x:a", "a b"])
def test_a_profile_names_quiet_parts_by_selectors(tmp_path: Path, key: str, wrong: str) -> None:
    (tmp_path / "own.toml").write_text(f"{key} = ['{wrong}']\n")
    with pytest.raises(ProfileError, match=f"own.toml: {key}: "):
        load_profile(tmp_path / "own.toml")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_quiet_parts(preset: str) -> None:
    assert load_profile(preset).quiet


# -- presets ----------------------------------------------------------------------------------------------------------


def test_reading_is_a_table_of_defaults_and_each_option_overrides_it() -> None:
    reading, study = Options.of(preset="reading"), Options.of(preset="study")
    assert study == Options.of("run", top=10, open_phrases=False) and not study.preset.decides
    for name in set(SETTINGS) - {"preset"}:
        said = {name: READINGS["reading"].get(name, SETTINGS[name].default)}
        assert getattr(reading, name) == getattr(Options.of(preset="study", **said), name)
    assert reading.preset.decides == set(READINGS["reading"])
    own = Options.of(preset="reading", model="bm25", size="any", per_document="all", context="none")
    assert (own.model, own.size, own.per_document, str(own.context)) == ("bm25", None, None, "none")
    assert own.preset.decides == set(READINGS["reading"]) - OF_MODEL - {"model", "size", "per_document"}
    assert str(Options.of("rescore", preset="reading").size) == READINGS["reading"]["size"]
    assert Options.of("run", preset="reading").top == 1500
    assert (
        Options.of(preset="reading", model="bm25", k1=0.9).notices()
        == Options.of(preset="study", b=0.9).notices()
        == ()
    )
    with pytest.raises(UsageError, match="bm25 of the preset reading"):
        Options.of(preset="reading", combine="einstein")


def test_a_parameter_that_the_model_of_the_preset_has_no_use_for_is_named(headed: Path, run_cli: Cli) -> None:
    for flag in ("--b", "--v", "--lambda", "--a"):
        code, out, err = run_cli("search", headed, "models", "--preset", "reading", flag, "0.3", "--format", "jsonl")
        assert code == 0 and out and err.startswith(f"trix: {flag} means nothing to bm25"), err


@pytest.mark.reading
def test_people_search_with_reading_and_experiments_with_study(headed: Path, run_cli: Cli) -> None:
    assert [Options.of(each).preset.name for each in get_args(Occasion)] == ["reading", "standard", "study", "study"]
    with trix.open(headed) as index:
        for query in ("models edits", "//*[about(., edits)]", "+kay -models"):
            found = index.search(query)
            assert paths(found) == paths(index.search(query, preset="reading"))
            assert len(found) < len(index.search(query, preset="study", strategy="thorough"))
            assert [index.explain(query, result).value for result in found] == found.scores.tolist()
            assert paths(index.run({"1": query})["1"]) == paths(
                index.search(query, preset="standard", top=1500, open_phrases=True)
            )
    for preset, most in ((), 6), (("--preset", "study", "--strategy", "thorough"), 99):
        code, out, _ = run_cli("search", headed, "models", "edits", "--format", "jsonl", *preset)
        assert code == 0 and 0 < len(out.splitlines()) <= most
    code, out, _ = run_cli("search", "--help")
    assert "[default: reading]" in " ".join(out.split())


def test_a_named_target_and_a_level_are_answered_as_they_were_asked(headed: Path) -> None:
    with trix.open(headed) as index:
        references = index.search("//ref[about(., edits)]", preset="reading")
        assert {result.tag for result in references} == {"ref"} and len(references) == 2
        anything = index.search("//*[about(., edits)]", preset="reading")
        assert {result.tag for result in anything} <= {"article", "body", "sec", "p", "#text"}
        assert not index.search("//p[about(., edits)]", preset="reading", size="200:")[0].length > 200
        vague = index.search("//ref[about(., edits)]", preset="reading", cas="VVCAS-PATH")
        assert "ref" not in {result.tag for result in vague}
        many = "//article//*[about(., kay) or about(., edits) or about(., models)]"
        found = index.search(many, preset="reading", size="any", copies="keep", strategy="thorough", top=6)
        assert sum(doc == "a" for doc, _ in paths(found)) == READINGS["reading"]["per_document"] == len(found) / 2
        level = index.search("edits", preset="reading", level="//body//p")
        assert [result.tag for result in level] == ["p"] and level[0].length < 150


def test_a_list_is_not_short_for_want_of_documents_unless_it_says_so(tmp_path: Path) -> None:
    for name in "abcde":
        words = "tree edit distance " if name == "a" else "nothing of that kind "
        (tmp_path / f"{name}.xml").write_text(f"<a>{''.join(f'<p>{i} {words * 10}</p>' for i in range(20))}</a>")
    trix.build(tmp_path / "a.xml", tmp_path / "one", jobs=1)
    trix.build([tmp_path / f"{name}.xml" for name in "abcde"], tmp_path / "five", jobs=1)
    asked: dict[str, Any] = {"preset": "reading", "size": "100:300"}
    with trix.open(tmp_path / "one") as index:
        assert len(index.search("tree", **asked)) == 10
        assert len(index.search("tree", per_document=2, **asked)) == 2
    with trix.open(tmp_path / "five") as index:
        few = index.search("tree", **asked)
        assert len(few) == 10 and few.notices == ()
        grouped = index.search("tree", strategy="fetch-browse", **asked)
        assert len(grouped) == READINGS["reading"]["per_document"]
        assert "`per_document` all may give more" in grouped.notices[0]
        assert len(index.search("tree", per_document="all", **asked)) == 10
        assert index.search("tree", per_document=2, **asked).notices == ()


def test_an_index_without_positions_can_be_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(ARTICLE)
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, positions=False)
    with trix.open(tmp_path / "i") as index:
        assert index.check_options(preset="reading") == ()
        assert len(index.search('"edits trees"', preset="reading")) == 1
        with pytest.raises(UsageError, match="no positions"):
            index.search('"edits trees"', preset="reading", phrases="exact")


def test_an_explanation_is_of_the_score_that_was_shown(headed: Path) -> None:
    with trix.open(headed) as index:
        for preset in READINGS:
            result = index.search("models edits", preset=preset)[0]
            explained = index.explain("models edits", result, preset=preset)
            assert explained.value == result.score


def test_a_sweep_can_try_presets(headed: Path) -> None:
    with trix.open(headed) as index:
        for preset in READINGS:
            options = Options.of("experiment", preset=preset)
            found = index.run({"1": "models edits"}, preset=preset, strategy="thorough")["1"]
            given = {name: getattr(options, name) for name in settings_of("experiment")}
            given |= {"size": options.size or "any", "per_document": options.per_document or "all"}
            given |= {"spread": options.spread or "all"}
            assert paths(index.run({"1": "models edits"}, **given)["1"]) == paths(found)


# -- the measurement --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_answers_of_the_handbook_can_be_read_and_the_script_says_so() -> None:
    articles = ROOT / "trix" / "handbook" / "articles"

    def measured(*words: str | Path) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "scripts.parts.prove.readable", *words]
        return subprocess.run(line, cwd=ROOT, check=False, capture_output=True, text=True)

    study, reading = json.loads(measured(articles, "--profile", "auto", "--json").stdout)
    assert (study["preset"], reading["preset"], study["queries"]) == ("study", "reading", 24)
    assert 300 <= reading["median"] <= 4000 and reading["of one document"] <= 3
    assert reading["large"] == reading["quiet"] == 0 and reading["small"] <= 5
    missing = measured("nowhere")
    assert missing.returncode == 2 and "nowhere: not there" in missing.stderr


@given(data=st.data())
def test_what_a_document_has_beyond_its_share_is_put_off(data: st.DataObject) -> None:
    """The literal reading: take the first results one by one, put off what its document has had enough of."""
    documents = data.draw(st.lists(st.integers(0, 3), max_size=12))
    most, first = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 12))
    top = data.draw(st.one_of(st.none(), st.integers(0, 12)))

    def rank(limit: int | None, of_each: int | None) -> Any:
        kept = [p for p, d in enumerate(documents) if of_each is None or documents[:p].count(d) < of_each]
        return np.array(kept[:limit], np.int32)

    head: list[int] = []
    for place, document in enumerate(documents):
        if len(head) < first and [documents[p] for p in head].count(document) < most:
            head.append(place)
    expected = head + [place for place in range(len(documents)) if place not in head]
    assert collapsed(rank, most, first, top).tolist() == expected[:top]


def test_a_search_spreads_its_first_results(articles: Path) -> None:
    with trix.open(articles) as index:
        asked: dict[str, Any] = {"strategy": "thorough", "top": "all"}
        every = paths(index.search("xml", **asked))
        spread = paths(index.search("xml", per_document=1, spread=3, **asked))
        assert sorted(spread) == sorted(every) and spread != every
        assert [doc for doc, _ in spread[:3]] == sorted({doc for doc, _ in spread[:3]}, key=[d for d, _ in every].index)
        rest = [each for each in every if each not in spread[:3]]
        assert spread[3:] == rest
        assert paths(index.search("xml", per_document=1, spread=3, strategy="thorough", top=5)) == spread[:5]
        run = index.run({"1": "xml"}, per_document=1, spread=3, **asked)
        assert paths(run["1"]) == spread
        assert paths(index.rescore(run, per_document=1, spread=3)["1"])[:3] == spread[:3]
