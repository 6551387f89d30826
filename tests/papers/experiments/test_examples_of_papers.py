"""Experiments VI, VII, JK00, KL05 and PRUM: worked examples have the printed numbers, figures follow from the data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import trix
from trix.api.resolver import Resolver
from trix.datasets.inex import make
from trix.errors import UsageError
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels, read_run
from trix.papers.base.figure import PaperFigure
from trix.papers.base.paper import Reproduction
from trix.papers.base.printed import ComparedTable
from trix.papers.experiments.jk00 import TYPES, query_types
from trix.papers.reproduce import reproduce


@pytest.fixture(scope="module")
def wikipedia(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wikipedia") / "inex"
    make(folder, schema="wikipedia", documents=30, topics=3, seed=5)
    return folder


def differing(tables: Sequence[ComparedTable]) -> list[tuple[str, str, str]]:
    return [
        (table.label, pair.row, pair.column)
        for table in tables
        for row in table.pairs()
        for pair in row
        if pair.differs
    ]


def table(found: Reproduction, label: str) -> ComparedTable:
    return next(each for each in found.tables if each.label == label)


def figure(found: Reproduction, label: str) -> PaperFigure:
    return next(each for each in found.figures if each.label == label)


def test_prum_has_the_printed_numbers_but_two() -> None:
    found = reproduce("prum")
    assert not found.synthetic and len(found.tables) == 10
    assert sum(bool(pair.printed) for each in found.tables for row in each.pairs() for pair in row) > 80
    assert differing(found.tables) == [
        ("figure 3", "GRPng a, b", "recall"),  # 2/3 is printed as .66
        ("section 4.2.1", "good: c, b, a", "GRPng precision"),  # the paper weighs by the share of new text
    ]
    assert all(each.holds for each in found.statements)


def test_kl05_differs_from_the_tables_by_digits_that_are_cut() -> None:
    found = reproduce("kl05", documents=30, topics=2, jobs=1)
    examples = [each for each in found.tables if each.example]
    assert [each.label for each in examples] == ["table 1", "section 4.1", "table 4", "table 5", "table 6"]
    assert {label for label, *_ in differing(examples)} == {"table 4", "table 6"}
    for each in examples[2:]:
        for row in each.pairs():
            for pair in row:
                if pair.differs:
                    assert abs(float(pair.here) - float(pair.printed)) < 0.011
    assert [each.holds for each in found.statements[:3]] == [True, True, True]
    panels = {panel.title: panel.series for panel in figure(found, "figure 3").panels}
    assert panels["XCG by rank"]["irb"] == [1.0] * 10 and panels["XCG by rank"]["reverse_irb"][0] == 0.5
    assert panels["XCG by rank"]["lo"][:2] == pytest.approx([0.9, 1 / 1.5])


def test_study_vi_compares_runs_with_their_twins(wikipedia: Path) -> None:
    found = reproduce("study-vi", wikipedia, jobs=1)
    assert found.synthetic and differing([each for each in found.tables if each.example]) == []
    rows = table(found, "appendix 2").rows
    focused = [name for name in rows if f"{name}_doc" in rows]
    assert set(focused) == {"good", "middle", "poor", "trix", "trix vertical"} and "bm25 documents" in rows
    better = [rows[name][2] > rows[f"{name}_doc"][2] for name in focused]  # type: ignore[operator]
    assert table(found, "section 5.3").rows["MAgP\\T2If(300)"][0] == f"{sum(better)} of 5"
    scores = evaluate(
        read_qrels(wikipedia / "2008" / "offsets.qrels"), {"own": found_run(wikipedia)}, ["gP[F]@5", "NCE[LE(300)]@50"]
    )
    series = figure(found, "figure 5").panels[0].series["good"]
    assert series[3] == pytest.approx(scores["own", "gP[F]@5"].mean)
    effort = figure(found, "figure 9").panels[0]
    assert effort.series["good"][1] == pytest.approx(scores["own", "NCE[LE(300)]@50"].mean) and effort.x[1] == 50
    penalised = np.array(list(table(found, "section 6").rows.values()), float)
    assert bool((np.diff(penalised, axis=1) >= 0).all()) and bool((np.diff(penalised, axis=1) > 0).any())


def found_run(folder: Path) -> Rankings:
    """Return the run of the system `good` as passages, grouped by hand: articles by first result, each by offset."""
    made: dict[str, Ranking] = {}
    with trix.open(folder / "documents.index") as index:
        resolver = Resolver(index)
        for topic, ranking in read_run(folder / "2008" / "runs" / "good.xml").rankings.items():
            documents: dict[str, list[tuple[int, int]]] = {}
            for doc, path in zip(ranking.docs, ranking.paths or [], strict=True):
                documents.setdefault(doc, []).append(resolver.span(doc, path) or (0, 0))
            flat = [(doc, *span) for doc, spans in documents.items() for span in sorted(spans)]
            starts, ends = (np.array([row[column] for row in flat], np.int64) for column in (1, 2))
            made[topic] = Ranking([row[0] for row in flat], starts=starts, ends=ends)
    return Rankings(made)


def test_study_vii_reads_the_best_run_by_density(wikipedia: Path) -> None:
    found = reproduce("study-vii", wikipedia, jobs=1)
    lower = [row[0] for row in table(found, "section 2").rows.values()]
    boundaries = [each for each in found.tables if each.label == "section 2"][1]
    densities = [float(row[0]) for row in boundaries.rows.values()]
    assert lower[0] == 3 and densities == sorted(densities) and densities[0] > 0 and densities[-1] < 100
    recall, read = (figure(found, f"figure 2{part}").panels[0] for part in "ac")
    assert list(recall.series) == ["elem 500", "doc 500", "elem 2000", "doc 2000"] and len(recall.x) == 10
    # The more tolerant reader reads no less, and finds no less.
    for panel in (recall, read):
        for side in ("elem", "doc"):
            less, more = (np.array(panel.series[f"{side} {N}"]) for N in (500, 2000))
            assert bool((less <= more + 1e-9)[~np.isnan(less)].all())


def test_jk00_asks_topics_by_their_fields_or_by_the_words_of_the_narrative(tmp_path: Path) -> None:
    make(tmp_path / "inex", schema="wikipedia-2009", documents=30, topics=3, seed=5)
    found = reproduce("jk00", tmp_path / "inex", jobs=1)
    assert differing([each for each in found.tables if each.example]) == []
    rows = table(found, "table 1").rows
    assert list(rows) == ["1 u", "1 e", "2 u", "2 e", "3 u", "3 e"]
    # The same topics with written queries: a column for each type.
    topics = list(trix.read_topics(tmp_path / "inex" / "2010" / "topics"))
    names = [kind.lower().replace("-", "_").replace("/", "_") for kind in TYPES]
    lines = ["\t".join(["id", "title", *names])]
    for topic in topics:
        written = query_types(topic)
        lines.append(
            "\t".join([topic.id, topic.title, *(written[kind if kind != "WSYN/e" else "SUM/u"] for kind in TYPES)])
        )
    (tmp_path / "inex" / "2010" / "topics" / "topics.xml").write_text("\n".join(lines))
    again = table(reproduce("jk00", tmp_path / "inex", jobs=1), "table 1").rows
    for level in "123":
        assert again[f"{level} u"] == rows[f"{level} u"]
        assert again[f"{level} e"] == [*rows[f"{level} e"][:2], rows[f"{level} u"][0]]
    (tmp_path / "inex" / "2010" / "documents.qrels").unlink()
    with pytest.raises(UsageError, match=r"no graded documents of 2010; expected 2010/documents\.qrels"):
        reproduce("jk00", tmp_path / "inex", jobs=1)
