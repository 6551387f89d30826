"""Tables for people and programs: ``table``, ``csv``, ``json``, ``latex``, ``markdown`` [EVALUATION 7]."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.errors import UsageError
from trix.eval.measures.registry import specs
from trix.eval.results import Result, Score

if TYPE_CHECKING:
    from trix.eval.compare import Comparison, Matrix
    from trix.eval.density import Density

FORMATS = ("table", "csv", "json", "latex", "markdown")


@dataclass(slots=True)
class Table:
    """A title, column heads and rows of cells; numbers are formatted when the table is printed."""

    title: str
    head: list[str]
    rows: list[list[Any]] = field(default_factory=list)


def shown(value: Any, digits: int = 4) -> str:
    """Return a cell as text: four decimals, vectors as their first values.

    >>> shown(0.5), shown(3), shown(float("nan")), shown(np.array([1.0, 0.5]))
    ('0.5000', '3', '-', '1.0000 0.5000')
    """
    if isinstance(value, np.ndarray):
        if len(value) > 11:
            return " ".join(shown(v, digits) for v in value[:4].tolist()) + f" .. {shown(float(value[-1]), digits)}"
        return " ".join(shown(v, digits) for v in value.tolist())
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.{digits}f}"
    return str(value)


def _exact(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return " ".join(repr(v) for v in value.tolist())
    return repr(value) if isinstance(value, float) else str(value)


def render(tables: Sequence[Table], format: str, data: Callable[[], Any]) -> str:
    """Return tables in one of `FORMATS`; ``data`` gives what JSON holds."""
    if format not in FORMATS:
        raise UsageError(f"--format {format}: expected one of {', '.join(FORMATS)}")
    if format == "json":
        return json.dumps(data(), ensure_ascii=False, indent=1) + "\n"
    writer = {"table": _plain, "csv": _csv, "latex": _latex, "markdown": _markdown}[format]
    return "\n".join(writer(table) for table in tables)


def _plain(table: Table) -> str:
    cells = [[shown(c) for c in row] for row in table.rows]
    widths = [max(len(row[i]) for row in [table.head, *cells]) for i in range(len(table.head))]
    left = [all(isinstance(row[i], str) for row in table.rows) for i in range(len(table.head))]

    def line(row: list[str]) -> str:
        return "  ".join(c.ljust(w) if ll else c.rjust(w) for c, w, ll in zip(row, widths, left, strict=True)).rstrip()

    title = [table.title] if table.title else []
    return "\n".join([*title, line(table.head), "  ".join("-" * w for w in widths), *map(line, cells)]) + "\n"


def _csv(table: Table) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.head)
    writer.writerows([_exact(c) for c in row] for row in table.rows)
    return text.getvalue()


def _latex(table: Table) -> str:
    def escape(text: str) -> str:
        for plain, safe in (
            ("\\", r"\textbackslash "),
            ("&", r"\&"),
            ("%", r"\%"),
            ("_", r"\_"),
            ("#", r"\#"),
            ("$", r"\$"),
            ("{", r"\{"),
            ("}", r"\}"),
            ("~", r"\textasciitilde "),
            ("^", r"\^{}"),
        ):
            text = text.replace(plain, safe) if plain != "\\" else text.replace("\\", "\0")
        return text.replace("\0", r"\textbackslash{}")

    kinds = "".join("l" if all(isinstance(row[i], str) for row in table.rows) else "r" for i in range(len(table.head)))
    body = [" & ".join(escape(shown(c)) for c in row) + r" \\" for row in table.rows]
    title = [f"% {table.title}"] if table.title else []
    return (
        "\n".join(
            [
                *title,
                rf"\begin{{tabular}}{{{kinds}}}",
                r"\hline",
                " & ".join(map(escape, table.head)) + r" \\",
                r"\hline",
                *body,
                r"\hline",
                r"\end{tabular}",
            ]
        )
        + "\n"
    )


def _markdown(table: Table) -> str:
    def line(row: list[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"

    sides = ["---" if all(isinstance(row[i], str) for row in table.rows) else "---:" for i in range(len(table.head))]
    title = [f"**{table.title}**", ""] if table.title else []
    return "\n".join([*title, line(table.head), line(sides), *(line([shown(c) for c in r]) for r in table.rows)]) + "\n"


def result_tables(result: Result, per_topic: bool = False, long: bool = False) -> list[Table]:
    """Return the tables of a result: a row per measure and a column per run; per topic a row per run and topic.

    ``long`` gives one table with a row per value instead, for CSV.
    """
    if long:
        table = Table("", ["run", "measure", "topic", "value"])
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
            table = Table(run, ["topic", *map(repr, scores)])
            for topic in topics:
                table.rows.append([topic, *(_cell(s, s.topics.get(topic, float("nan"))) for s in scores.values())])
            table.rows.append(["all", *(_cell(s, s.mean) for s in scores.values())])
            tables.append(table)
    else:
        table = Table("", ["measure", *result.runs])
        for measure in result.measures:
            found = [scores.get(measure) for scores in result.scores.values()]
            table.rows.append([repr(measure), *(float("nan") if s is None else _cell(s, s.mean) for s in found)])
        tables.append(table)
    return [*tables, *(_histogram(result, of) for of in ("tag", "depth") if result.histograms)]


def _histogram(result: Result, of: str) -> Table:
    shapes = [shape[of] for shape in result.histograms.values()]
    names = list(dict.fromkeys(name for shape in shapes for name in shape))
    table = Table(f"results by {of}", [of, *result.histograms])
    order = sorted(names, key=int) if of == "depth" else names
    table.rows = [[name, *(shape.get(name, 0) for shape in shapes)] for name in order]
    return table


def _cell(score: Score, value: Any) -> Any:
    """Return counts as whole numbers."""
    return int(value) if score.measure.spec.aggregate == "sum" and value == value else value


def render_result(result: Result, format: str = "table", per_topic: bool = False) -> str:
    """Return a result in one of `FORMATS`; JSON always has the topics, doubles are written in full."""
    return render(result_tables(result, per_topic, format == "csv"), format, result.to_dict)


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the pairs with their tests, and the rank sums of Friedman's test."""
    from trix.eval.significance import stars

    table = Table(
        "",
        [
            "measure",
            "run",
            "baseline",
            "mean",
            "of baseline",
            "diff",
            "diff %",
            "t",
            "Wilcoxon",
            "sign",
            "randomisation",
            "Holm",
            "Bonferroni",
            "",
            "d",
            "low",
            "high",
            "d>=5",
            "0<=d<5",
            "d<0",
        ],
    )
    for p in comparison.pairs:
        table.rows.append(
            [
                repr(p.measure),
                p.run,
                p.baseline,
                *p.means,
                p.difference,
                p.improvement,
                p.p["t"],
                p.p["wilcoxon"],
                p.p["sign"],
                p.p["randomisation"],
                p.adjusted["holm"],
                p.adjusted["bonferroni"],
                stars(p.p["t"]),
                p.effect,
                *p.interval,
                *p.classes.values(),
            ]
        )
    tables = [table]
    if comparison.friedman:
        many = Table("Friedman", ["measure", "p", "", "critical difference", *comparison.runs, "pairs that differ"])
        for name, f in comparison.friedman.items():
            pairs = ", ".join(f"{comparison.runs[i]}/{comparison.runs[j]}" for i, j in f.pairs) or "none"
            many.rows.append([name, f.p, stars(f.p), f.critical, *f.rank_sums, pairs])
        tables.append(many)
    return tables


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data."""
    pairs = [
        {
            "measure": repr(p.measure),
            "run": p.run,
            "baseline": p.baseline,
            "mean": p.means[0],
            "baseline_mean": p.means[1],
            "difference": p.difference,
            "improvement": _finite(p.improvement),
            "p": {k: _finite(v) for k, v in p.p.items()},
            "adjusted": {k: _finite(v) for k, v in p.adjusted.items()},
            "effect": _finite(p.effect),
            "interval": list(p.interval),
            "classes": p.classes,
        }
        for p in comparison.pairs
    ]
    friedman = {
        name: {
            "p": f.p,
            "rank_sums": f.rank_sums,
            "critical": _finite(f.critical),
            "pairs": [[comparison.runs[i], comparison.runs[j]] for i, j in f.pairs],
        }
        for name, f in comparison.friedman.items()
    }
    return {"runs": comparison.runs, "pairs": pairs, "friedman": friedman}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def matrix_tables(matrix: Matrix) -> list[Table]:
    """Return Kendall's τ-b and τ_ap between measures, the means, and who beats their twins [VI, table 2]."""
    from trix.eval.significance import stars

    tables = []
    for title, values in (("Kendall's tau-b", matrix.tau), ("tau_ap, row against column", matrix.tau_ap)):
        table = Table(title, ["measure", *(str(i + 1) for i in range(len(matrix.names)))])
        for i, name in enumerate(matrix.names):
            table.rows.append([f"{i + 1} {name}", *values[i].tolist()])
        tables.append(table)
    means = Table("means", ["run", *matrix.names])
    for k, run in enumerate(matrix.runs):
        means.rows.append([run, *matrix.means[:, k].tolist()])
    beats = Table("runs that beat their whole-document twin", ["measure", "runs", "of", "p (t)", ""])
    for name, (count, total, p) in matrix.beats.items():
        beats.rows.append([name, count, total, p, stars(p)])
    return [*tables, means, beats]


def matrix_data(matrix: Matrix) -> dict[str, Any]:
    """Return a matrix as plain data."""

    def plain(values: Any) -> list[list[float | None]]:
        return [[_finite(v) for v in row] for row in values.tolist()]

    return {
        "measures": matrix.names,
        "runs": matrix.runs,
        "tau_b": plain(matrix.tau),
        "tau_ap": plain(matrix.tau_ap),
        "means": plain(matrix.means),
        "beats": {k: {"runs": n, "of": of, "p": _finite(p)} for k, (n, of, p) in matrix.beats.items()},
    }


def density_tables(study: Density) -> list[Table]:
    """Return the deciles, and the distribution of relevant text over the document."""
    tolerances = sorted({N for d in study.deciles for N in d.run})
    head = ["decile", "density from", "pairs", "retrieved"]
    for N in tolerances:
        head += [f"{what} {side} {N}" for what in ("recall", "precision", "read") for side in ("run", "twin")]
    table = Table(study.name, head)
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
    )
    for b in range(study.distribution.shape[1]):
        spread.rows.append([b + 1, *study.distribution[:, b].tolist()])
    return [table, spread]


def density_data(study: Density) -> dict[str, Any]:
    """Return a density study as plain data."""

    def side(readings: dict[int, Any]) -> dict[str, Any]:
        return {str(N): {"recall": r.recall, "precision": r.precision, "read": r.read} for N, r in readings.items()}

    return {
        "run": study.name,
        "distribution": study.distribution.tolist(),
        "deciles": [
            {
                "lower": _finite(d.lower),
                "pairs": d.pairs,
                "retrieved": d.retrieved,
                "run": side(d.run),
                "twin": side(d.twin),
            }
            for d in study.deciles
        ],
    }


def measures_table() -> Table:
    """Return every measure with its parameters, for ``trix eval --measures`` and the docs."""
    table = Table("", ["measure", "groups", "what it is", "source"])
    for kind, mark in (("measure", ""), ("document score", "AgP[..] "), ("effort", "ANCE[..] ")):
        for spec in specs(kind):
            params = ",".join(p.name for p in spec.params)
            slot = "[..]" if spec.slot else ""
            cutoff = {"rank": "@k", "recall": "@x"}.get(spec.cutoff or "", "")
            table.rows.append(
                [
                    f"{spec.name}{f'({params})' if params else ''}{slot}{cutoff}",
                    " ".join(spec.groups) or mark.strip(),
                    spec.summary,
                    spec.source,
                ]
            )
    return table
