"""Tables of scores, comparisons and studies for the evaluation commands, and their content as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trix.eval.output.tables import FORMATS as FORMATS
from trix.eval.output.tables import PValue, StarredNumber
from trix.eval.output.tables import Table as Table
from trix.eval.output.tables import cell_text as cell_text
from trix.eval.output.tables import render as render
from trix.eval.scores import Score, Scores
from trix.support.output import finite

if TYPE_CHECKING:
    from trix.eval.measures.core.registry import Measure
    from trix.eval.studies.compare import Matrix, RunComparison
    from trix.eval.studies.density import Density


def result_tables(result: Scores, per_topic: bool = False, long: bool = False, by_run: bool = False) -> list[Table]:
    """Return the tables of a result: a row per measure and a column per run, or per topic a row per run and topic.

    ``long`` returns a single table with a row per value, for CSV. ``by_run`` has a row per run and a column per
    measure, as in papers. The best mean of a measure is marked if there are several runs.
    """
    if long:
        table = Table("", ["run", "measure", "topic", "value"], name="values")
        for run, scores in result.scores.items():
            for measure, score in scores.items():
                if per_topic:
                    table.rows += [[run, repr(measure), topic, value] for topic, value in score.topics.items()]
                table.rows.append([run, repr(measure), "all", score.mean])
            for of, counts in result.histograms.get(run, {}).items():
                table.rows += [[run, f"results by {of}", name, count] for name, count in counts.items()]
        return [table]
    tables = []
    if per_topic:
        for run, scores in result.scores.items():
            topics = list(dict.fromkeys(t for score in scores.values() for t in score.topics))
            table = Table(run, ["topic", *map(repr, scores)], name=run)
            for topic in topics:
                table.rows.append([topic, *(_cell(s, s.topics.get(topic, float("nan"))) for s in scores.values())])
            table.rows.append(["all", *(_cell(s, s.mean) for s in scores.values())])
            tables.append(table)
    else:
        tables.append(_means(result, by_run))
    return [*tables, *(_histogram(result, of) for of in ("tag", "depth") if result.histograms)]


def _means(result: Scores, by_run: bool) -> Table:
    measures, runs = result.measures, result.runs
    cells = []
    for measure in measures:
        found = [scores.get(measure) for scores in result.scores.values()]
        cells.append([float("nan") if s is None else _cell(s, s.mean) for s in found])
    best = {(i, k) for i, measure in enumerate(measures) for k in best_of(measure, cells[i])}
    table = Table("", ["measure", *runs], name="means", best={(i, k + 1) for i, k in best})
    table.rows = [[repr(measure), *cells[i]] for i, measure in enumerate(measures)]
    if by_run:
        table.head, table.best = ["run", *map(repr, measures)], {(k, i + 1) for i, k in best}
        table.rows = [[run, *(row[k] for row in cells)] for k, run in enumerate(runs)]
    return table


def best_of(measure: Measure, values: Sequence[Any]) -> list[int]:
    """Return the positions of the best values of a measure; none for equal values, vectors or sums.

    >>> from trix.eval.measures.core.registry import parse_measure
    >>> best_of(parse_measure("AP"), [0.5, 0.25, 0.5]), best_of(parse_measure("ESL"), [3.0, 2.0])
    ([0, 2], [1])
    """
    known = [v for v in values if isinstance(v, float) and v == v]
    if measure.spec.aggregate == "sum" or len(set(known)) < 2:
        return []
    top = max(known) if measure.spec.higher else min(known)
    return [k for k, v in enumerate(values) if isinstance(v, float) and v == top]


def _histogram(result: Scores, of: str) -> Table:
    shapes = [shape[of] for shape in result.histograms.values()]
    names = list(dict.fromkeys(name for shape in shapes for name in shape))
    table = Table(f"results by {of}", [of, *result.histograms], name=of)
    order = sorted(names, key=int) if of == "depth" else names
    table.rows = [[name, *(shape.get(name, 0) for shape in shapes)] for name in order]
    return table


def _cell(score: Score, value: Any) -> Any:
    """Convert counts to int."""
    return int(value) if score.measure.spec.aggregate == "sum" and value == value else value


def render_result(result: Scores, format: str = "table", per_topic: bool = False) -> str:
    """Format a result in one of `FORMATS`; JSON always includes the topics, and doubles have full precision."""
    return render(result_tables(result, per_topic, format == "csv", format == "latex"), format, result.to_dict)


_COMPARED = ["measure", "run", "baseline"]
_TESTS = ["mean", "of baseline", "diff", "diff %", "t", "Holm", ""]
_MORE_TESTS = ["Bonferroni", "BH", "Tukey", "Wilcoxon", "sign", "randomisation"]
_EFFECTS = ["d", "low", "high", "d>=5", "0<=d<5", "d<0"]


def comparison_tables(comparison: RunComparison, long: bool = False) -> list[Table]:
    """Return the tables of a comparison: runs with stars, pairs with tests, effects, and rank sums of Friedman's test.

    Stars are those of the t-test after Holm's correction. ``long`` merges the effects into the table of pairs.
    """
    from trix.eval.studies.significance import stars

    pairs = Table("", [*_COMPARED, *_TESTS, *_MORE_TESTS], name="pairs")
    effects = Table("Effects: Cohen's d, the 95 % interval of the difference, topics by gain", [*_COMPARED, *_EFFECTS])
    effects.name = "effects"
    for p in comparison.pairs:
        compared = [repr(p.measure), p.run, p.baseline]
        tests = [p.p["t"], p.adjusted["holm"], stars(p.adjusted["holm"])]
        more = [p.adjusted["bonferroni"], p.adjusted["benjamini-hochberg"], p.adjusted.get("tukey", math.nan)]
        more += [p.p["wilcoxon"], p.p["sign"], p.p["randomisation"]]
        tests = [PValue(v) if isinstance(v, float) else v for v in (*tests, *more)]
        pairs.rows.append([*compared, *p.means, p.difference, p.improvement, *tests])
        effects.rows.append([*compared, p.effect, *p.interval, *p.classes.values()])
    if long:
        pairs.head += _EFFECTS
        pairs.rows = [[*row, *more[len(_COMPARED) :]] for row, more in zip(pairs.rows, effects.rows, strict=True)]
    if len(comparison.runs) < 3:  # Tukey's test needs three
        _drop(pairs, "Tukey")
    tables = [pairs, *([] if long else [effects]), runs_table(comparison)]
    if comparison.friedman:
        many = Table("Friedman", ["measure", "p", "", "critical difference", *comparison.runs, "pairs that differ"])
        many.name = "friedman"
        for name, f in comparison.friedman.items():
            differ = ", ".join(f"{comparison.runs[i]}/{comparison.runs[j]}" for i, j in f.pairs) or "none"
            many.rows.append([name, PValue(f.p), stars(f.p), f.critical, *f.rank_sums, differ])
        tables.append(many)
    return tables


def _drop(table: Table, column: str) -> None:
    i = table.head.index(column)
    del table.head[i]
    for row in table.rows:
        del row[i]


def runs_table(comparison: RunComparison) -> Table:
    """Return a table with a row per run and a column per measure; stars mark differences from the baseline."""
    from trix.eval.studies.significance import stars

    against = f"t-test against {comparison.baseline}, Holm: * p < .05, ** p < .01, *** p < .001"
    measures = list(comparison.means)
    table = Table(against if comparison.baseline else "", ["run", *map(repr, measures)], name="runs")
    found = {(p.run, p.measure): stars(p.adjusted["holm"]) for p in comparison.pairs if comparison.baseline}
    for k, run in enumerate(comparison.runs):
        row = [StarredNumber(comparison.means[m][k], found.get((run, m), "")) for m in measures]
        table.rows.append([run, *row])
    for i, m in enumerate(measures):
        table.best |= {(k, i + 1) for k in best_of(m, comparison.means[m])}
    return table


def comparison_data(comparison: RunComparison) -> Any:
    """Return a comparison as plain data for JSON."""
    pairs = [
        {
            "measure": repr(p.measure), "run": p.run, "baseline": p.baseline,
            "mean": p.means[0], "baseline_mean": p.means[1], "difference": p.difference,
            "improvement": p.improvement, "p": p.p, "adjusted": p.adjusted,
            "effect": p.effect, "interval": list(p.interval), "classes": p.classes,
        }
        for p in comparison.pairs
    ]  # fmt: skip
    friedman = {}
    for name, f in comparison.friedman.items():
        differ = [[comparison.runs[i], comparison.runs[j]] for i, j in f.pairs]
        friedman[name] = {"p": f.p, "rank_sums": f.rank_sums, "critical": f.critical, "pairs": differ}
    means = {repr(m): dict(zip(comparison.runs, values, strict=True)) for m, values in comparison.means.items()}
    return finite({"runs": comparison.runs, "pairs": pairs, "friedman": friedman, "means": means})


def matrix_tables(matrix: Matrix) -> list[Table]:
    """Return Kendall's τ-b and τ_ap between measures, the means, and the runs that beat their twins [VI, table 2]."""
    from trix.eval.studies.significance import stars

    tables = []
    for name, title, values in (
        ("tau-b", "Kendall's tau-b", matrix.tau),
        ("tau-ap", "tau_ap, row against column", matrix.tau_ap),
    ):
        table = Table(title, ["measure", *(str(i + 1) for i in range(len(matrix.names)))], name=name)
        for i, measure in enumerate(matrix.names):
            table.rows.append([f"{i + 1} {measure}", *values[i].tolist()])
        tables.append(table)
    means = Table("means", ["run", *matrix.names], name="means")
    for k, run in enumerate(matrix.runs):
        means.rows.append([run, *matrix.means[:, k].tolist()])
    beats = Table("runs that beat their whole-document twin", ["measure", "runs", "of", "p (t)", ""])
    beats.name = "twins"
    for name, (count, total, p) in matrix.beats.items():
        beats.rows.append([name, count, total, PValue(p), stars(p)])
    return [*tables, means, beats]


def matrix_data(matrix: Matrix) -> Any:
    """Return a matrix as plain data for JSON."""

    data = {
        "measures": matrix.names,
        "runs": matrix.runs,
        "tau_b": matrix.tau.tolist(),
        "tau_ap": matrix.tau_ap.tolist(),
        "means": matrix.means.tolist(),
        "beats": {k: {"runs": n, "of": of, "p": p} for k, (n, of, p) in matrix.beats.items()},
    }
    return finite(data)


def density_tables(study: Density) -> list[Table]:
    """Return the tables of the deciles and of the distribution of relevant text over the document."""
    tolerances = sorted({N for d in study.deciles for N in d.run})
    head = ["decile", "density from", "pairs", "retrieved"]
    for N in tolerances:
        head += [f"{what} {side} {N}" for what in ("recall", "precision", "read") for side in ("run", "twin")]
    table = Table(study.name, head, name="deciles")
    nothing = float("nan")
    for k, d in enumerate(study.deciles):
        row: list[Any] = [k + 1, d.lower, d.pairs, d.retrieved]
        for N in tolerances:
            for what in ("recall", "precision", "read"):
                row += [getattr(side[N], what) if N in side else nothing for side in (d.run, d.twin)]
        table.rows.append(row)
    spread = Table(
        "share of relevant characters by place in the document, lowest five deciles",
        ["place", *(f"decile {k + 1}" for k in range(len(study.distribution)))],
        name="distribution",
    )
    for b in range(study.distribution.shape[1]):
        spread.rows.append([b + 1, *study.distribution[:, b].tolist()])
    return [table, spread]


def density_data(study: Density) -> Any:
    """Return a density study as plain data for JSON."""
    deciles = [asdict(decile) for decile in study.deciles]
    return finite({"run": study.name, "distribution": study.distribution.tolist(), "deciles": deciles})
