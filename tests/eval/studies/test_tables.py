"""What the evaluator's commands print and draw: one table a file, p-values, stars, LaTeX, figures of what was asked."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest

from tests.eval.studies.test_tools import call
from tests.paths import ROOT
from trix.cli import main
from trix.errors import TrixError
from trix.eval.evaluate import evaluate
from trix.eval.output.plots import ideals_of
from trix.eval.output.report import comparison_tables
from trix.eval.output.tables import PValue, Table, render
from trix.eval.studies.compare import compare
from trix.eval.studies.significance import holm, stars


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Return a folder with assessments of 30 topics and four runs, each a little better than the last."""
    random = np.random.default_rng(3)
    with (tmp_path / "qrels").open("w") as out:
        out.writelines(f"{t} 0 d{i} {int(i % 3 == 0)}\n" for t in range(30) for i in range(30))
    for number, name in enumerate(("base", "same_1", "better", "best")):
        with (tmp_path / name).open("w") as out:
            for t in range(30):
                scores = random.random(30) + [(i % 3 == 0) * (0.01, 0.04, 0.3, 0.8)[number] for i in range(30)]
                for rank, i in enumerate(np.argsort(-scores)):
                    out.write(f"{t} Q0 d{i} {rank + 1} {scores[i]} {name}\n")
    (tmp_path / "bad").write_text("1 Q0\n")
    (tmp_path / "offsets").write_text("1 Q0 d 5 20 0 0:5\n2 Q0 d 9 20 3 3:9\n")
    (tmp_path / "passages").write_text("1 Q0 d 1 2 p 0 6\n2 Q0 d 1 2 p 0 9\n")
    return tmp_path


RUNS = ("base", "same_1", "better", "best")


def rows(text: str) -> list[list[str]]:
    """Return the rows of a CSV text; fail if they are not of one table."""
    found = list(csv.reader(io.StringIO(text)))
    assert len({len(row) for row in found}) == 1, text
    return found


def test_a_csv_file_holds_one_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["compare", place / "qrels", *(place / r for r in RUNS), "-m", "AP P@5", "-f", "csv"]
    pairs = rows(call(*given))
    assert len(pairs) == 7 and {"Holm", "stars", "BH", "Tukey", "d", "d<0"} <= set(pairs[0])
    assert "further tables: runs friedman (--table NAME, or --output FOLDER/ for all)" in capsys.readouterr().err
    assert rows(call(*given, "--table", "friedman"))[0][:2] == ["measure", "p"]
    assert "further" not in capsys.readouterr().err
    assert call(*given, "-o", f"{place}/all/") == ""
    assert {f.name for f in (place / "all").iterdir()} == {"pairs.csv", "runs.csv", "friedman.csv"}
    assert rows((place / "all" / "pairs.csv").read_text()) == pairs
    call(*given, "-o", place / "one.csv", "--table", "runs")
    assert rows((place / "one.csv").read_text())[0] == ["run", "AP", "P@5"]
    study = ["density", place / "offsets", place / "passages", "-f", "csv"]
    assert len(rows(call(*study))) == 11 and len(rows(call(*study, "--table", "distribution"))) == 101
    with pytest.raises(TrixError, match="table: expected one of deciles, distribution; got x"):
        call(*study, "--table", "x")
    with pytest.raises(TrixError, match="JSON holds all tables"):
        call("density", place / "offsets", place / "passages", "-f", "json", "--table", "deciles")
    matrix = ["compare", place / "offsets", place / "passages", place / "passages", "--matrix", "-f", "csv"]
    assert len(rows(call(*matrix))) == 13 and rows(call(*matrix, "--table", "twins"))[0][0] == "measure"


def test_stars_are_those_of_the_corrected_test_and_small_values_say_so(place: Path) -> None:
    runs = {name: place / name for name in RUNS}
    found = compare(evaluate(place / "qrels", runs, ["AP"]))
    plain = [pair.p["t"] for pair in found.pairs]
    table = comparison_tables(found)[0]
    column = table.head.index("Holm")
    assert [row[column] for row in table.rows] == holm(plain)
    assert [row[column + 1] for row in table.rows] == [stars(p) for p in holm(plain)]
    assert [stars(p) for p in plain] != [stars(p) for p in found.pairs[0].adjusted.values()] or plain[0] > 0.05
    text = render([table], "table", dict)
    assert "<0.0001  ***" in text and "0.0000" not in text
    by_run = next(t for t in comparison_tables(found) if t.name == "runs")
    assert [row[1].stars for row in by_run.rows] == ["", *(stars(p) for p in holm(plain))]
    assert "e-" in render([table], "csv", dict)  # programs read the number


@pytest.mark.slow
def test_a_pair_that_is_significant_only_before_correction_has_no_star() -> None:
    qrels = {str(t): {"a": 1, "b": 0} for t in range(12)}
    lists = {True: {"a": 2.0, "b": 1.0}, False: {"b": 2.0, "a": 1.0}}
    wins = {"x": 7, "y": 5, "z": 0}
    runs = {"base": dict.fromkeys(qrels, lists[False])}
    runs |= {n: {t: lists[int(t) < k] for t in qrels} for n, k in wins.items()}
    runs["w"] = {t: lists[int(t) < 4] for t in qrels}
    found = compare(evaluate(qrels, runs, ["P@1"]))
    pair = next(p for p in found.pairs if p.run == "w")
    assert pair.p["t"] < 0.05 <= pair.adjusted["bonferroni"]
    table = comparison_tables(found)[0]
    row = next(r for r in table.rows if r[1] == "w")
    assert row[table.head.index("Holm") + 1] == stars(pair.adjusted["holm"]) == ""


def test_latex_is_a_row_per_run_with_the_best_in_bold_and_every_character_safe(place: Path) -> None:
    text = call("compare", place / "qrels", *(place / r for r in RUNS), "-m", "AP ESL", "-f", "latex")
    assert text.count(r"\begin{tabular}") == 1 and text.splitlines()[1] == r"\begin{tabular}{lrr}"
    lines = text.splitlines()[5:9]
    assert [line.split(" & ")[0] for line in lines] == ["base", r"same\_1", "better", "best"]
    assert r"\textbf{0." in lines[3] and r"$^{***}$" in lines[3] and r"\textbf" not in lines[0]
    lowest = min(lines, key=lambda line: float(re.findall(r"\d+\.\d+", line)[1]))
    assert lowest.count(r"\textbf") == (2 if lowest is lines[3] else 1)
    table = Table("", ["run", "d>=5"], [["[a]^~\\{%}#&$_<|>", -0.5], ["*", PValue(1e-9)]])
    body = render([table], "latex", dict).splitlines()
    assert body[2] == r"run & d\textgreater{}=5 \\"
    assert body[4] == (
        r"{}[a]\textasciicircum{}\textasciitilde{}\textbackslash{}\{\%\}\#\&\$\_"
        r"\textless{}\textbar{}\textgreater{} & $-0.5000$ \\"
    )
    assert body[5] == r"{}* & $<0.0001$ \\"
    pairs = call("compare", place / "qrels", *(place / r for r in RUNS), "-m", "AP", "-f", "latex", "--all-pairs")
    assert len([line for line in pairs.splitlines() if line.startswith("AP &")]) == 6


def test_one_bad_run_does_not_take_the_table_of_the_others(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        out, err = capsys.readouterr()
        return code, out, err

    good = [place / "base", place / "bad", place / "best"]
    code, out, err = run("eval", place / "qrels", *good, "-m", "AP")
    assert code == 3 and out.splitlines()[0].split() == ["measure", "base", "best"]
    assert err.count("\n") == 1 and err.startswith(f"trix: error: {place}/bad, line 1: ")
    assert run("eval", place / "qrels", *good, "-m", "AP", "--strict")[0] == 1
    code, out, err = run("compare", place / "qrels", *good, "-m", "AP")
    assert code == 3 and "best" in out and "bad, line 1" in err
    code, out, err = run("compare", place / "qrels", place / "bad", *good, "-m", "AP")
    assert code == 2 and not out and "bad, line 1" in err  # the baseline
    assert run("eval", place / "qrels", place / "bad", "-m", "AP")[0] == 2
    code, out, err = run(
        "compare", place / "offsets", place / "passages", place / "bad", place / "passages", "--matrix"
    )
    assert code == 3 and "tau-b" in out and "bad, line 1" in err
    given = ["eval", place / "offsets", place / "bad", place / "passages", "--official", "--task", "r"]
    code, out, err = run(*given)
    assert code == 3 and "<eval" in out and "bad, line 1" in err
    with pytest.raises(TrixError, match="line 1"):
        evaluate(place / "qrels", good, ["AP"])
    result = evaluate(place / "qrels", good, ["AP"], keep_going=True)
    assert list(result.failed) == [1] and result.runs == ["base", "best"]


def texts(path: Path) -> list[str]:
    """Return the texts of an SVG that matplotlib wrote."""
    return re.findall(r"<!-- (.*?) -->", path.read_text())


@pytest.mark.slow
def test_figures_show_what_was_asked_for(place: Path) -> None:
    pytest.importorskip("matplotlib")
    target = place / "f.svg"
    call("eval", place / "qrels", *(place / r for r in RUNS), "-m", "AP P@5", "--plot", target)
    found = texts(target)
    assert {"AP", "P@5", "AP, a dot per topic", "best"} <= set(found) and "nDCG" not in found
    call("eval", place / "qrels", place / "base", "-m", "CG DCG", "--plot", target)
    assert texts(target).count("ideal") == 2 and "CG" in texts(target)
    call("eval", place / "qrels", place / "base", "-m", "CG AP DCG(ideal=true)", "--plot", target)
    assert texts(target).count("ideal") == 1 and "DCG(ideal=true)" in texts(target)
    call("eval", place / "qrels", place / "base", "--plot", target)
    assert "iPR" in texts(target)
    call("compare", place / "qrels", *(place / r for r in RUNS), "-m", "AP P@5", "--all-pairs", "--plot", target)
    titles = [text for text in texts(target) if " against " in text]
    assert len(titles) == 12 and len(set(titles)) == 6 and "best against base" in titles
    call("compare", place / "qrels", *(place / r for r in RUNS), "-m", "AP", "--plot", target)
    assert len([text for text in texts(target) if " against base" in text]) == 3


def test_only_vectors_have_an_ideal_one() -> None:
    from trix.eval.measures.core.registry import parse_measure

    asked = [parse_measure(name) for name in ("CG", "DCG(b=10)", "xCG", "CG@5", "AP", "nDCG", "DCG(b=10,ideal=true)")]
    assert [repr(m) for m in ideals_of(asked)] == ["CG(ideal=true)", "xCG(of=ideal)"]


def test_every_value_of_a_parameter_is_listed() -> None:
    listed = call("eval", "--measures")
    for value in ("genLifted", "s3_e321", "natural", "worst", "t2i:N", "specific", "jk00", "exp-log2", "all_trec"):
        assert value in listed, value
    page = (ROOT / "docs" / "measures.md").read_text("utf-8")
    assert all(value in page for value in ("genLifted", "s3_e321", "natural (retrieved", "ndcg_cut_10"))
