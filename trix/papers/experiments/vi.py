"""Study VI: measures of reading effort on Relevant in Context [VI]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from trix.eval.convert import whole_documents
from trix.eval.data.runs import Rankings
from trix.eval.measures.passages.effort import cumulated_effort, normalised_effort
from trix.eval.studies import significance as sig
from trix.eval.studies.compare import MATRIX, Matrix, matrix
from trix.papers.base.collection import PaperCollection
from trix.papers.base.examples import assessed_text, passage_list, value
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import ComparedTable, Printed, Statement, printed_rows
from trix.papers.base.systems import in_context_runs, is_focused

YEAR = 2008
F, AVE_CHP, T2I_300, T2I_2000, LE_300, LE_2000 = MATRIX
NAMES = {
    F: "MAgP\\F.25", AVE_CHP: "MAgP\\aveChP", T2I_300: "MAgP\\T2If(300)", T2I_2000: "MAgP\\T2If(2000)",
    LE_300: "MANCE\\LE(300)", LE_2000: "MANCE\\LE(2000)",
}  # fmt: skip
"""Measure -> its name in the paper."""
FIGURES = {
    "figure 5": (F, "gP with the F-score of retrieved text, beta .25"),
    "figure 6": (AVE_CHP, "gP with the average precision of characters"),
    "figure 7": (T2I_300, "gP with T2I F-score, tolerance 300"),
    "figure 8": (T2I_2000, "gP with T2I F-score, tolerance 2000"),
    "figure 9": (LE_300, "normalised cumulated effort, screen of 300 characters"),
    "figure 10": (LE_2000, "normalised cumulated effort, screen of 2000 characters"),
}
PRECISION_RANKS = (1, 2, 3, 5, 10, 15, 20, 25, 30, 40, 50)
EFFORT_RANKS = (1, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600)
DOC = "_doc"
"""Ending of the name of a twin of whole documents."""

MINI = Printed(
    label="section 4.1",
    title="mini document of 55 characters, 1 to 27 relevant",
    head=("retrieved", "aveChP", "F-score (beta 1)"),
    rows=printed_rows("""
        33 to 55  | 0.35 0
        24 to 45  | 0.53 0.16
        document  | 1 0.66
    """),
)
EFFORT = Printed(
    label="section 4.2",
    title="efforts 1, 2, 5, 1, 5 with three relevant documents, NR 5",
    head=("measure", "rank 1", "rank 2", "rank 3", "rank 4", "rank 5"),
    rows=printed_rows("""
        CE  | 0 1 5 5 9
        NCE | 0 1 5 4.2 4.2
    """),
)
APPENDIX = Printed(
    label="appendix 2",
    title="all runs, and their twins of whole documents",
    head=("run", *NAMES.values()),
    rows=printed_rows("""
        RICBest        | ? ? 0.187 ? ? ?
        GPX1CORICe     | ? ? 0.163 ? ? ?
        manualQEIndri  | ? ? 0.151 ? ? ?
        RICBest_doc    | ? ? 0.136 ? ? ?
        GPX1CORICe_doc | ? ? 0.133 ? ? ?
    """),
    note="The table of the paper is not in the scan; printed numbers are those of its section 5.1.",
)
GAINS = Printed(
    label="section 5.3",
    title="runs of elements or passages that are better than their twins of whole documents",
    head=("measure", "runs", "p (t-test)"),
    rows={
        NAMES[F]: ("19 of 25", "?"),
        NAMES[AVE_CHP]: ("21 of 25", "?"),
        NAMES[T2I_300]: ("15 of 25", "?"),
        NAMES[T2I_2000]: ("?", "?"),
        NAMES[LE_300]: ("25 of 25", "?"),
        NAMES[LE_2000]: ("25 of 25", "?"),
    },
    note="For T2I the paper says 15 without the tolerance. p is of the t-test over runs.",
)
TAU = Printed(
    label="table 2",
    title="Kendall's tau-b between measures in ranking the runs; doc: of twins of whole documents",
    head=("measure", *NAMES.values(), *(f"{name} doc" for name in NAMES.values())),
    note="The numbers of the paper's table are not in the scan.",
)


PENALTIES = (0, 100, 300)
PENALISED = Printed(
    label="section 6",
    title="MANCE, screen of 300 characters, with a penalty for each passage that is read",
    head=("run", *(f"{penalty} characters" for penalty in PENALTIES)),
    note="The paper proposes a penalty and prints no numbers.",
)


class Systems(NamedTuple):
    """Runs and twins by name, the matrix of measures, and the names of focused runs."""

    runs: Mapping[str, Rankings]
    twins: Mapping[str, Rankings]
    matrix: Matrix
    focused: list[str]

    def mean(self, measure: str, name: str, twin: bool = False) -> float:
        """Return the mean of a run, or of its twin, by a measure of `MATRIX`."""
        row = MATRIX.index(measure) + len(MATRIX) * twin
        return float(self.matrix.means[row, self.matrix.runs.index(name)])

    def best(self, names: list[str], measure: str = F) -> list[str]:
        """Return names of runs, best first."""
        return sorted(names, key=lambda name: -self.mean(measure, name))


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield the worked examples, figures 5 to 10, table 2, appendix 2, and the findings."""
    yield _mini_document()
    efforts = np.array([1.0, 2.0, 5.0, 1.0, 5.0])
    rows = {"CE": cumulated_effort(efforts, 1.0), "NCE": normalised_effort(efforts, 1.0, 3, 5.0)}
    yield ComparedTable(EFFORT, {name: each.tolist() for name, each in rows.items()}, example=True)
    systems = systems_of(collection)
    yield from _figures(collection, systems)
    tau = {NAMES.get(name, f"{NAMES.get(name.removesuffix(' twin'))} doc"): k for k, name in enumerate(_labels())}
    yield ComparedTable(TAU, {name: systems.matrix.tau[k].tolist() for name, k in tau.items()}, decimals=2)
    yield ComparedTable(APPENDIX, _appendix(systems), decimals=3)
    yield ComparedTable(GAINS, _gains(systems), decimals=4)
    yield _penalised(collection, systems)
    yield from _findings(collection, systems)


def _labels() -> list[str]:
    return [*MATRIX, *(f"{measure} twin" for measure in MATRIX)]


def _mini_document() -> ComparedTable:
    qrels, rows = assessed_text(55, [(0, 27)]), {}
    for name, span in {"33 to 55": (32, 55), "24 to 45": (23, 45), "document": (0, 55)}.items():
        run = passage_list([span])
        rows[name] = [value(qrels, run, f"gP[{score}]@1") for score in ("aveChP", "F(1)")]
    return ComparedTable(MINI, rows, example=True)


def systems_of(collection: PaperCollection) -> Systems:
    """Return all runs of the year with their twins, evaluated by the six measures."""
    qrels, resolver = collection.qrels(YEAR), collection.resolver(YEAR)
    runs = in_context_runs(collection, YEAR)
    twins = {name: whole_documents(run, qrels, resolver) for name, run in runs.items()}
    found = matrix(qrels, runs, resolver=resolver, lenient=True)
    collection.note(found.notices)
    return Systems(runs, twins, found, [name for name in runs if is_focused(runs[name], twins[name])])


def _chosen(systems: Systems) -> dict[str, Rankings]:
    """Return the runs of the figures: the two best focused ones, their twins, and the best of whole documents."""
    found: dict[str, Rankings] = {}
    for name in systems.best(systems.focused)[:2]:
        found |= {name: systems.runs[name], f"{name}{DOC}": systems.twins[name]}
    for name in systems.best([name for name in systems.runs if name not in systems.focused])[:1]:
        found[name] = systems.runs[name]
    return found


def _figures(collection: PaperCollection, systems: Systems) -> Iterator[PaperFigure]:
    chosen = _chosen(systems)
    asked = {
        label: {
            rank: f"{measure.replace('AgP', 'gP').replace('ANCE', 'NCE')}@{rank}"
            for rank in (PRECISION_RANKS if measure.startswith("AgP") else EFFORT_RANKS)
        }
        for label, (measure, _) in FIGURES.items()
    }
    names = [name for of in asked.values() for name in of.values()]
    found = collection.evaluate(YEAR, "", chosen, names)
    for label, (measure, title) in FIGURES.items():
        series = {run: [float(found[run, name].mean) for name in asked[label].values()] for run in chosen}
        effort = not measure.startswith("AgP")
        yield PaperFigure(
            label=label, title=title, kind="lines", x="rank", y="NCE" if effort else "gP",
            panels=[Panel(x=list(asked[label]), series=series)],
        )  # fmt: skip


def _appendix(systems: Systems) -> dict[str, list[float]]:
    rows = {}
    for name in systems.best(list(systems.runs)):
        rows[name] = [systems.mean(measure, name) for measure in MATRIX]
        if name in systems.focused:
            rows[f"{name}{DOC}"] = [systems.mean(measure, name, twin=True) for measure in MATRIX]
    return rows


def _gains(systems: Systems) -> dict[str, list[float | str]]:
    rows: dict[str, list[float | str]] = {}
    for measure in MATRIX:
        own, twin = (np.array([systems.mean(measure, name, of) for name in systems.focused]) for of in (False, True))
        better = own < twin if measure.startswith("ANCE") else own > twin
        p = sig.t_test(own, twin) if len(own) > 1 else float("nan")
        rows[NAMES[measure]] = [f"{int(better.sum())} of {len(own)}", p]
    return rows


def _penalised(collection: PaperCollection, systems: Systems) -> ComparedTable:
    measures = [f"ANCE[LE(300,penalty={penalty})]" for penalty in PENALTIES]
    runs = {name: systems.runs[name] for name in systems.best(systems.focused)}
    rows: dict[str, list[float]] = {}
    if runs:
        found = collection.evaluate(YEAR, "", runs, measures)
        rows = {name: [float(found[name, measure].mean) for measure in measures] for name in runs}
    return ComparedTable(PENALISED, rows, decimals=2)


def _findings(collection: PaperCollection, systems: Systems) -> Iterator[Statement]:
    if not systems.focused:
        return
    best = systems.best(systems.focused, T2I_300)[0]
    pair = {best: systems.runs[best], DOC: systems.twins[best]}
    found = collection.evaluate(YEAR, "", pair, list(MATRIX))
    own = {measure: systems.mean(measure, best) for measure in MATRIX}
    twin = {measure: systems.mean(measure, best, twin=True) for measure in MATRIX}
    p = {}
    for measure in (AVE_CHP, T2I_300, T2I_2000, LE_300, LE_2000):
        topics = list(found[best, measure].topics)
        values = [np.array([found[run, measure].topics[topic] for topic in topics]) for run in pair]
        p[measure] = sig.t_test(*values)
    characters, efforts = (AVE_CHP, T2I_300, T2I_2000), (LE_300, LE_2000)
    for text, measures, better in (
        ("the best focused run beats its documents by measures of characters", characters, np.greater),
        ("it takes less effort than its documents on both screens", efforts, np.less),
    ):
        means = ", ".join(f"{own[m]:.2f} and {twin[m]:.2f}" for m in measures)
        yield Statement(
            f"{text} (p < 0.001)",
            all(bool(better(own[m], twin[m])) and p[m] < 0.001 for m in measures),
            f"{best}: {means}; p {max(p[m] for m in measures):.4f}",
        )
    gain = {m: own[m] / twin[m] - 1 if twin[m] else float("nan") for m in (T2I_300, T2I_2000)}
    yield Statement(
        "the less tolerant the reader, the more focused access helps",
        gain[T2I_300] > gain[T2I_2000],
        f"tolerance 300 {gain[T2I_300]:+.1%}, 2000 {gain[T2I_2000]:+.1%}",
    )
    saved = {m: 1 - own[m] / twin[m] if twin[m] else float("nan") for m in (LE_300, LE_2000)}
    yield Statement(
        "the smaller the screen, the more effort is saved",
        saved[LE_300] > saved[LE_2000],
        f"screen 300 {saved[LE_300]:.1%}, 2000 {saved[LE_2000]:.1%} of the twin's effort",
    )
    less = sum(systems.mean(LE_300, name) < systems.mean(LE_300, name, twin=True) for name in systems.focused)
    yield Statement(
        "all focused runs take less effort than their twins on a small screen",
        less == len(systems.focused),
        f"{less} of {len(systems.focused)}",
    )


PAPER = Paper(
    name="study-vi",
    title="Study VI: expected reading effort in focused retrieval",
    source="Arvola, Kekäläinen, Junkkari 2010",
    summary="character precision and recall, cumulated effort, runs against whole documents (INEX 2008)",
    compute=compute,
    years=(YEAR,),
    schema="wikipedia",
    documents=200,
    topics=20,
    missing=(
        "figures 1 to 4: drawings of a reading order and of a user interface",
        "table 1: the characters of the mini document, which are read here",
        "table 3: a list of symbols",
    ),
)
