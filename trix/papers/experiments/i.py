"""Study I: b, overlap and the size of results at INEX 2004 [I]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trix.api.batch import Run
from trix.eval.inputs import to_run
from trix.eval.scores import Scores
from trix.eval.studies.ranks import run_ranks
from trix.lab.stats.classes import OTHER, class_shares
from trix.lab.stats.stats import run_statistics
from trix.papers.base.collection import PaperCollection
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import Cell, ComparedTable, Printed, Statement, printed_rows

YEAR = 2004
SCORING: dict[str, Any] = {"model": "trix2004", "v": 2}
OVERLAPS = {"none": "no overlap", "partial": "partial overlap", "full": "full overlap"}
CLASSES = {"article": "article", "sec": "section", "abs": "abstract", "p": "paragraph", OTHER: "other"}
QUANTISATIONS = ("strict", "gen", "sog", "s3_e321", "s3_e32", "e3_s321", "e3_s32")
ORIENTED = {"s3_e321": "specificity", "e3_s321": "exhaustivity"}
AGGREGATE = "aggregate2004"

CO = Printed(
    label="table 1",
    title="MAP and rank of CO runs",
    head=("run", "MAP", "rank"),
    rows=printed_rows("""
        no overlap, b=0.4      | 0.0198 45
        no overlap, b=0.1      | 0.0239 42
        partial overlap, b=0.4 | 0.0443 31
        partial overlap, b=0.1 | 0.0487 25
        full overlap, b=0.4    | ?      11
        full overlap, b=0.1    | 0.0957 10
    """),
    note="The MAP with full overlap and b = 0.4 cannot be read in the scan; its rank is from the text below the table.",
)
OFFICIAL = Printed(
    label="table 2",
    title="MAP of CO runs by quantisation, b = 0.4",
    head=("run", *QUANTISATIONS),
    rows=printed_rows("""
        CO_avrg              | 0.022 0.016 0.015 0.016 0.017 0.026 0.026
        CO_Einstein          | 0.023 0.016 0.015 0.014 0.017 0.034 0.029
        CO_avrg_part_overlap | 0.044 0.041 0.041 0.039 0.042 0.051 0.054
    """),
)
CAS = Printed(
    label="table 3",
    title="MAP and rank of VCAS runs",
    head=("run", "MAP", "rank"),
    rows=printed_rows("""
        no overlap, b=0.4      | ?     30
        no overlap, b=0.1      | ?     ?
        partial overlap, b=0.4 | 0.038 25
        partial overlap, b=0.1 | 0.042 ?
        full overlap, b=0.4    | 0.061 11
        full overlap, b=0.1    | 0.075 ?
    """),
    note="The scan has 0.269 without overlap at b = 0.4, perhaps for 0.0269. Two ranks and another MAP cannot be read.",
)
CURVES = Printed(
    label="figure 4",
    title="average precision and rank without overlap",
    head=("curve", "precision", "rank"),
    rows=printed_rows("""
        s3_e321, b=0.4 | 0.0156 39
        s3_e321, b=0.1 | 0.0092 46
        e3_s321, b=0.4 | 0.0257 45
        e3_s321, b=0.1 | 0.0485 39
    """),
    note="The name of the second quantisation is damaged in the scan; its averages are those of e3_s321 in table 2.",
)
SIZE_POINTS = tuple(round(0.1 * k, 1) for k in range(1, 9))


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield the parts of the study in its order."""
    yield from _sizes(collection)
    runs, scores = _runs(collection, "CO")
    yield _table(CO, scores)
    official = {
        "CO_avrg": runs["no overlap, b=0.4"],
        "CO_Einstein": collection.run(YEAR, "CO", "CO_Einstein", overlap="none", b=0.4, combine="einstein", **SCORING),
        "CO_avrg_part_overlap": runs["partial overlap, b=0.4"],
    }
    by_quantisation = collection.evaluate(YEAR, "CO", official, [AGGREGATE])
    rows = {name: [by_quantisation[name, AGGREGATE].details[q] for q in QUANTISATIONS] for name in official}
    yield ComparedTable(OFFICIAL, rows)
    yield _overlap_figure("figure 2", "CO", scores)
    yield from _findings("CO", scores)
    _, structured = _runs(collection, "CAS")
    yield _table(CAS, structured)
    yield _overlap_figure("figure 3", "VCAS", structured)
    yield from _findings("VCAS", structured)
    yield from _oriented(collection, runs)


def _sizes(collection: PaperCollection) -> Iterator[Part]:
    """Yield figure 1 and its finding."""
    index, panels = collection.index(YEAR), []
    profile = index.files.profile
    for overlap in ("none", "full"):
        shares = []
        for b in SIZE_POINTS:
            run = collection.run(YEAR, "CO", f"b={b}", overlap=overlap, b=b, top=100, **SCORING)
            statistics = run_statistics(to_run(run), index, 100)
            shares.append(class_shares(statistics, [name for name in CLASSES if name != OTHER], profile))
        series = {CLASSES[name]: [100 * each[name] for each in shares] for name in CLASSES}
        panels.append(Panel(title=f"first 100, {OVERLAPS[overlap]}", x=[str(b) for b in SIZE_POINTS], series=series))
    yield PaperFigure(
        label="figure 1", title="Classes of results by b", kind="stacks", x="b", y="share of results (%)",
        panels=panels, decimals=1,
    )  # fmt: skip
    moves = [(panel.series["paragraph"][0], panel.series["paragraph"][-1]) for panel in panels]
    yield Statement(
        "a large b promotes small elements, without and with overlap",
        all(low < high for low, high in moves),
        "; ".join(f"paragraphs {low:.0f} % at b=0.1, {high:.0f} % at b=0.8" for low, high in moves),
    )


def _runs(collection: PaperCollection, kind: str) -> tuple[dict[str, Run], Scores]:
    """Return the six runs of a kind of topics, and their scores with those of the other systems."""
    given: dict[str, Any] = (
        {"cas": "VVCAS"} if kind == "CAS" else {}
    )  # structure was neglected, all keys made a flat query
    runs = {
        f"{name}, b={b}": collection.run(YEAR, kind, f"{name}, b={b}", overlap=overlap, b=b, **SCORING, **given)
        for overlap, name in OVERLAPS.items()
        for b in (0.4, 0.1)
    }
    others = collection.other_runs(YEAR, kind)
    scores = collection.evaluate(YEAR, kind, {**runs, **others}, [AGGREGATE, "overlap%"])
    return runs, scores


def _own(scores: Scores) -> list[str]:
    return [name for name in scores.runs if name in CO.rows]


def _table(printed: Printed, scores: Scores) -> ComparedTable:
    own = _own(scores)
    ranks = run_ranks(scores, AGGREGATE, own)
    others = len(scores.runs) - len(own)
    rows: dict[str, list[Cell]] = {name: [float(scores[name, AGGREGATE].mean), str(ranks[name])] for name in own}
    return ComparedTable(printed, rows, note=f"Ranks are those among {others} runs of other systems.")


def _overlap_figure(label: str, kind: str, scores: Scores) -> PaperFigure:
    """Return MAP against the share of overlapping results."""
    own = _own(scores)
    shares = {name: f"{100 * float(scores[name, 'overlap%'].mean):.0f} %" for name in own}
    x = sorted(set(shares.values()), key=lambda text: int(text.split()[0]))
    means = {(name.partition(", ")[2], shares[name]): float(scores[name, AGGREGATE].mean) for name in own}
    series = {b: [means.get((b, at), float("nan")) for at in x] for b in ("b=0.4", "b=0.1")}
    printed = {"CO": "0 %, 40 % and 44 %, 63 % and 69 %", "VCAS": "0 %, 39 % and 42 %, 61 % and 67 %"}[kind]
    return PaperFigure(
        label=label, title=f"MAP of {kind} runs by overlap", kind="bars", x="overlap", y="MAP",
        panels=[Panel(x=x, series=series)], decimals=4,
        note=f"The paper has overlaps of {printed} without, with partial and with full overlap.",
    )  # fmt: skip


def _findings(kind: str, scores: Scores) -> Iterator[Statement]:
    def value(overlap: str, b: float) -> float:
        return float(scores[f"{overlap}, b={b}", AGGREGATE].mean)

    pairs = [(value(name, 0.4), value(name, 0.1)) for name in OVERLAPS.values()]
    yield Statement(
        f"{kind}: b = 0.1 is better than 0.4 at each overlap",
        all(small > large for large, small in pairs),
        ", ".join(f"{large:.4f} to {small:.4f}" for large, small in pairs),
    )
    for b in (0.4, 0.1):
        none, partial, full = (value(name, b) for name in OVERLAPS.values())
        yield Statement(
            f"{kind}: more overlap is better at b = {b}",
            none < partial < full,
            f"{none:.4f}, {partial:.4f}, {full:.4f}",
        )


def _oriented(collection: PaperCollection, runs: dict[str, Run]) -> Iterator[Part]:
    """Yield figures 4 and 5 with the averages printed in figure 4, and their findings."""
    measures = {q: f"inex2002(quant={q})" for q in ORIENTED}
    curves = {q: f"inex2002-curve(quant={q})" for q in ORIENTED}
    chosen = {name: run for name, run in runs.items() if not name.startswith("partial")}
    others = collection.other_runs(YEAR, "CO")
    scores = collection.evaluate(YEAR, "CO", {**chosen, **others}, [*measures.values(), *curves.values()])
    for label, overlap in (("figure 4", "no overlap"), ("figure 5", "full overlap")):
        panels = [
            Panel(
                title=f"{q}, {orientation}-oriented",
                x=[round(0.01 * k, 2) for k in range(1, 101)],
                series={f"b={b}": scores[f"{overlap}, b={b}", curves[q]].mean.tolist() for b in (0.4, 0.1)},
            )
            for q, orientation in ORIENTED.items()
        ]
        yield PaperFigure(
            label=label, title=f"Precision and recall of CO runs, {overlap}", kind="lines", x="recall", y="precision",
            panels=panels,
        )  # fmt: skip
    rows: dict[str, list[Cell]] = {}
    for q in ORIENTED:
        ranks = run_ranks(scores, measures[q], list(chosen))
        for b in (0.4, 0.1):
            name = f"no overlap, b={b}"
            rows[f"{q}, b={b}"] = [float(scores[name, measures[q]].mean), str(ranks[name])]
    yield ComparedTable(CURVES, rows)
    for q, orientation in ORIENTED.items():
        large, small = (rows[f"{q}, b={b}"][0] for b in (0.4, 0.1))
        assert isinstance(large, float) and isinstance(small, float)
        falls = orientation == "specificity"
        yield Statement(
            f"CO: {orientation}-oriented precision {'falls' if falls else 'rises'} from b = 0.4 to 0.1",
            small < large if falls else small > large,
            f"{large:.4f} to {small:.4f}",
        )


PAPER = Paper(
    name="study-i",
    title="Study I: TRIX at INEX 2004",
    source="Kekäläinen, Junkkari, Arvola, Aalto 2005",
    summary="b and the sizes of results, MAP by overlap and quantisation, ranks among runs (INEX 2004)",
    compute=compute,
    years=(YEAR,),
    topics=24,
    missing=(
        "figure 1: its bars cannot be read in the scan, and it prints no numbers",
        "figure 5: it is not in the scan",
    ),
)
