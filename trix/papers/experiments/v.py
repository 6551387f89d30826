"""Study V: TRIX at INEX 2005 [V]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from trix.eval.inputs import to_run
from trix.eval.scores import Scores
from trix.lab.stats.classes import class_shares
from trix.lab.stats.stats import run_statistics
from trix.papers.base.collection import PaperCollection
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import Cell, ComparedTable, Printed, Statement, printed_rows
from trix.query.context.chain import parse_context
from trix.query.matching.candidates import Candidates

YEAR = 2005
CLASSES = {"p": "p+", "sec": "sec+", "bdy": "bdy", "article": "article"}

SIZES = Printed(
    label="table 1",
    title="classes of the first 100 results without overlap, in percent; + with equivalent tags",
    head=("b", *CLASSES.values()),
    rows=printed_rows("""
        b=0.1 | 8.8  13.1 42.2 8.6
        b=0.9 | 31.7 14.1 19.3 0.4
    """),
    note="The scan has no name for the row of b = 0.9; it is the one with small elements, as the text says.",
)
ELEMENTS = {"1.1": 0.8, "1.2": 0.4, "1.1.1": 0.1, "1.1.2": 0.2, "1.2.1": 0.1, "1.2.2": 0.3}
"""Scores of figure 1 by label; that of the root follows from the printed ones."""
ROOT = 0.5
EXAMPLE = Printed(
    label="figure 1",
    title="scores of the worked example",
    head=("element", "root", "parent", "root+tower"),
    rows=printed_rows("""
        1.1   | ?    0.65 0.6
        1.2   | ?    0.45 0.46667
        1.1.1 | 0.34 0.45 ?
        1.1.2 | 0.38 0.5  ?
        1.2.1 | 0.34 0.25 ?
        1.2.2 | 0.42 0.35 ?
    """),
    note="Computed from the printed scores, without a collection. Numbers that are damaged in the scan are left out.",
)
FORMS = {"root": "root:1.5", "parent": "parent", "root+tower": "root+tower"}
FOCUSED = {"none": None, "root": "root:1.5", "root+tower": "root+tower"}
EARLY, EFFORT = "nxCG(quant=gen)@10", "MAep(quant=gen)"
PRECISION = Printed(
    label="section 3.2",
    title="CO.Focussed, generalised quantisation",
    head=("context", "nxCG@10", "MAep"),
    rows=printed_rows("""
        none       | 0.2401 ?
        root       | ?      ?
        root+tower | ?      ?
    """),
    note="The paper prints 0.1657 with context, and does not say with which.",
)
READINGS = ("SSCAS", "SVCAS", "VSCAS", "VVCAS")
CURVE, WITH_OVERLAP = "nxCG(quant=gen)", "nxCG(quant=gen,overlap=off)"
"""The curves of tasks without overlap, and of those whose results may overlap."""


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield the parts of the study in its order."""
    yield from _sizes(collection)
    yield ComparedTable(EXAMPLE, example())
    scores = _co(collection)
    rows = {name: [float(scores[name, EARLY].mean), float(scores[name, EFFORT].mean)] for name in FOCUSED}
    yield ComparedTable(PRECISION, rows)
    yield _figure("figure 11", "CO.Focussed by context", scores, FOCUSED)
    early = {name: values[0] for name, values in rows.items()}
    yield Statement(
        "without overlap, early precision is better without context",
        early["none"] > max(early["root"], early["root+tower"]),
        ", ".join(f"{name} {value:.4f}" for name, value in early.items()),
    )
    yield from _expansion(collection)
    yield from _structured(collection)


def _sizes(collection: PaperCollection) -> Iterator[Part]:
    index = collection.index(YEAR)
    rows: dict[str, list[Cell]] = {}
    for b in (0.1, 0.9):
        run = collection.run(YEAR, "CO", f"b={b}", overlap="none", b=b, top=100)
        shares = class_shares(run_statistics(to_run(run), index, 100), list(CLASSES), index.files.profile)
        rows[f"b={b}"] = [100 * shares[name] for name in CLASSES]
    yield ComparedTable(SIZES, rows)
    (small, *_, article), (small9, *_, article9) = ([float(x) for x in rows[name]] for name in rows)
    yield Statement(
        "small values of b give more large elements, large values more small ones",
        small < small9 and article > article9,
        f"paragraphs {small:.1f} % and {small9:.1f} %, articles {article:.1f} % and {article9:.1f} %",
    )


def example() -> dict[str, list[Cell]]:
    """Return the contextualised scores of figure 1, a row an element."""
    labels = sorted(["1", *ELEMENTS])
    scores = np.array([ELEMENTS.get(label, ROOT) for label in labels])
    parents = [labels.index(label.rpartition(".")[0]) if "." in label else -1 for label in labels]
    leaves = [label for label in labels if label.count(".") == 2]
    contents = [leaves.index(label) if label in leaves else -1 for label in labels]
    candidates = Candidates.of_tree(parents, contents)
    found = {name: parse_context(form).apply(candidates, scores) for name, form in FORMS.items()}
    return {label: [float(found[name][labels.index(label)]) for name in FORMS] for label in ELEMENTS}


def _co(collection: PaperCollection) -> Scores:
    runs = {
        name: collection.run(YEAR, "CO", name, strategy="focused", b=0.9, context=form)
        for name, form in FOCUSED.items()
    }
    return collection.evaluate(YEAR, "CO", runs, [EARLY, EFFORT, CURVE])


def _figure(label: str, title: str, scores: Scores, names: Mapping[str, Any], curve: str = CURVE) -> PaperFigure:
    """Return the curves of nxCG over rank."""
    series = {name: np.asarray(scores[name, curve].mean, np.float64).tolist() for name in names}
    length = max(map(len, series.values()))
    series = {name: [*values, *[values[-1]] * (length - len(values))] for name, values in series.items()}
    panel = Panel(x=list(range(1, length + 1)), series=series)
    return PaperFigure(
        label=label, title=f"nxCG, generalised: {title}", kind="lines", x="rank", y="nxCG", panels=[panel]
    )


def _expansion(collection: PaperCollection) -> Iterator[Part]:
    options: dict[str, dict[str, Any]] = {"root": {}, "root, expanded": {"expand": "7:5"}}
    runs = {
        name: collection.run(YEAR, "CO", name, strategy="thorough", b=0.1, context="root:1.5", **more)
        for name, more in options.items()
    }
    effort = EFFORT.replace(")", ",overlap=off)")
    scores = collection.evaluate(YEAR, "CO", runs, [effort, WITH_OVERLAP])
    title = "CO.Thorough, 5 expansion words of 7 documents"
    yield _figure("figure 10", title, scores, options, WITH_OVERLAP)
    plain, expanded = (float(scores[name, effort].mean) for name in options)
    yield Statement("expansion improves a run slightly", expanded > plain, f"MAep {plain:.4f} to {expanded:.4f}")


def _structured(collection: PaperCollection) -> Iterator[Part]:
    """Yield figures 6 to 9 as one: the four readings of structured queries, all against the same assessments."""
    runs = {name: collection.run(YEAR, "CAS", name, field="castitle", cas=name) for name in READINGS}
    scores = collection.evaluate(YEAR, "CAS", runs, [WITH_OVERLAP])
    readings = dict.fromkeys(READINGS)
    yield _figure("figures 6 to 9", "readings of structured queries", scores, readings, WITH_OVERLAP)


PAPER = Paper(
    name="study-v",
    title="Study V: TRIX at INEX 2005",
    source="Arvola, Kekäläinen, Junkkari 2006",
    summary="sizes by b, root and tower, expansion, readings of structured queries (INEX 2005)",
    compute=compute,
    years=(YEAR,),
    missing=(
        "figures 6 to 11: the curves of other systems, which are not in the scan",
        "figures 6 to 9: the recall bases of 2005 for each reading of structured queries; one serves all",
    ),
)
