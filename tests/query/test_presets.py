"""The presets for people and for runs: one chain, the statistics of what is searched, and what a named model means."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import pytest

import trix
from tests.conftest import Cli
from trix.presets import CHAIN, PRESETS, SHORTEST_MEAN
from trix.query.options import Options

pytestmark = pytest.mark.reading

LONG = " ".join(["filler"] * 70)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of two documents with sections of several lengths."""
    folder = tmp_path_factory.mktemp("presets")
    (folder / "xml").mkdir()
    (folder / "xml" / "a.xml").write_text(
        f"<a><sec><p>harbour pilots</p><p>{LONG}</p></sec><sec><p>harbour</p></sec></a>", encoding="utf-8"
    )
    (folder / "xml" / "b.xml").write_text(f"<a><sec><p>{LONG} pilots</p></sec></a>", encoding="utf-8")
    trix.build(folder / "xml", folder / "i", profile="generic", stem="none", stop="none", jobs=1)
    return folder / "i"


def bm25(kf: int, dl: int, avgdl: float, m: int, N: int, k1: float, B: float) -> float:
    """Weigh one term as the formula is printed."""
    return kf * (k1 + 1) / (kf + k1 * (1 - B + B * dl / avgdl)) * log(1 + (N - m + 0.5) / (m + 0.5))


def test_a_run_scores_as_a_search_and_limits_nothing() -> None:
    run, reading, study = Options.of("run"), Options.of("search"), Options.of("run", preset="study")
    assert run.preset.name == "standard" and run.preset.decides == set(CHAIN)
    for name, value in PRESETS["standard"].items():
        assert getattr(run, name) == getattr(reading, name) and (name == "context" or getattr(run, name) == value)
    differing = {name for name in Options.__dataclass_fields__ if getattr(run, name) != getattr(study, name)}
    assert differing == {"preset", *CHAIN}


def test_at_a_level_its_members_are_counted(built: Path) -> None:
    """Three sections of 72, 1 and 71 keys; their mean is 48."""
    with trix.open(built) as index:
        found = index.run({"1": "harbour"}, level="//sec", context="none")["1"]
        k1, B = CHAIN["k1"], CHAIN["B"]
        wanted = sorted((bm25(1, dl, 48, 2, 3, k1, B) for dl in (72, 1)), reverse=True)
        assert found.scores.tolist() == pytest.approx(wanted)


def test_without_a_level_content_elements_are_counted_and_the_mean_has_a_floor(built: Path) -> None:
    """Four paragraphs of 2, 70, 1 and 71 keys: their mean is 36; in front of them three headings would make it 24."""
    with trix.open(built) as index:
        found = index.run({"1": "harbour"}, context="none", strategy="thorough")["1"]
        k1, B = CHAIN["k1"], CHAIN["B"]
        assert max(found.scores) == pytest.approx(bm25(1, 1, 36, 2, 4, k1, B))


def test_short_texts_are_taken_for_longer_ones(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>harbour</p><p>pilots of ships</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", stem="none", stop="none", jobs=1)
    with trix.open(tmp_path / "i") as index:
        for level in (None, "//p"):
            found = index.run({"1": "harbour"}, level=level, context="none", strategy="thorough")["1"]
            wanted = bm25(1, 1, SHORTEST_MEAN, 1, 2, CHAIN["k1"], CHAIN["B"])
            assert max(found.scores) == pytest.approx(wanted)
            plain = index.run({"1": "harbour"}, level=level, model="bm25", preset="study", strategy="thorough")["1"]
            assert max(plain.scores) == pytest.approx(bm25(1, 1, 2, 1, 2, 1.2, 0.75))


def test_a_named_model_is_the_model_as_it_is(built: Path) -> None:
    for preset in ("standard", "reading"):
        named = Options.of(preset=preset, model="bm25")
        assert (named.k1, named.B, str(named.context), named.statistics) == (1.2, 0.75, "none", "searched")
        assert not named.notices() and Options.of(preset=preset, model="bm25", k1=0.9).k1 == 0.9
    assert Options.of(preset="study", model="bm25").statistics is None
    with trix.open(built) as index:
        one = index.run({"1": "harbour pilots"}, level="//sec", model="bm25")["1"]
        other = index.run({"1": "harbour pilots"}, level="//sec", model="bm25", statistics="level", preset="study")["1"]
        assert one.scores.tolist() == other.scores.tolist()


def test_the_score_is_that_of_the_chain_and_is_explained(built: Path) -> None:
    with trix.open(built) as index:
        for level in ("//sec", None):
            chain: dict[str, Any] = {name: str(value) if name == "context" else value for name, value in CHAIN.items()}
            named = index.search("harbour pilots", preset="study", top=5, level=level, **chain)
            found = index.search("harbour pilots", preset="standard", top=5, level=level)
            assert found.scores.tolist() == named.scores.tolist()
            assert found.plan.strategy.value == "pruned top-k"
            assert index.explain("harbour pilots", found[0], preset="standard", level=level).value == found[0].score


def test_without_positions_the_chain_has_no_form_that_asks_for_them(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a><p>harbour pilots</p><p>of ships</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", profile="generic", positions=False, jobs=1)
    with trix.open(tmp_path / "i") as index:
        document = str(CHAIN["context"]).partition(">")[0].strip()
        found = index.search("harbour pilots")
        assert found.notices == () and len(found)
        assert found.scores.tolist() == index.search("harbour pilots", context=document).scores.tolist()


def test_options_of_the_original_mean_study(built: Path, run_cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\tharbour pilots\n")
    topics = tmp_path / "topics.tsv"
    standard = run_cli("run", built, topics)
    for original in (("-o",), ("b=0.1",), ("v=2",)):
        code, out, err = run_cli("run", built, topics, *original)
        named = ["--overlap", "full"] if original == ("-o",) else []
        assert (code, out, err) == run_cli("run", built, topics, "--preset", "study", *named) and out != standard[1]
    assert run_cli("run", built, topics, "b=0.1", "--preset", "standard")[1] == standard[1]
