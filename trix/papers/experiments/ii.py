"""Study II: parent, root and tower as contexts [II]."""

from __future__ import annotations

from collections.abc import Iterator

from trix.eval.output.tables import StarredNumber
from trix.eval.studies import significance as sig
from trix.lab.report.tables import families_test
from trix.papers.base.collection import PaperCollection
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import Cell, ComparedTable, Printed, Statement, printed_rows

YEAR = 2004
CONTEXTS = {"Parent": "parent", "Root": "root", "Tower": "tower"}
NAMES = ("Baseline", *CONTEXTS)
HEAD = ("run", "MAP", "to baseline", "to parent", "to root")
NOTE = "* p < 0.05, ** p < 0.001 (Friedman's test)"
MEASURES = {
    "aggregate2004": Printed(
        label="table 1",
        title="aggregate MAP, and differences",
        head=HEAD,
        rows=printed_rows("""
            Baseline | 0.106 ?       ?       ?
            Parent   | 0.129 0.023*  ?       ?
            Root     | 0.152 0.046** 0.023** ?
            Tower    | 0.147 0.041** 0.018   -0.005
        """),
        note=NOTE,
    ),
    "inex2002(quant=gen)": Printed(
        label="table 1",
        title="generalised MAP, and differences",
        head=HEAD,
        rows=printed_rows("""
            Baseline | 0.080 ?       ?       ?
            Parent   | 0.106 0.026** ?       ?
            Root     | 0.134 0.055** 0.028** ?
            Tower    | 0.126 0.047** 0.020   -0.008*
        """),
        note=NOTE,
    ),
    "inex2002(quant=sog)": Printed(
        label="table 1",
        title="specificity-oriented MAP, and differences",
        head=HEAD,
        rows=printed_rows("""
            Baseline | 0.069 ?       ?       ?
            Parent   | 0.100 0.031** ?       ?
            Root     | 0.139 0.070** 0.039** ?
            Tower    | 0.134 0.065** 0.034   -0.005**
        """),
        note=NOTE,
    ),
}
CURVES = {"figure 1": ("gen", "generalised"), "figure 2": ("sog", "specificity-oriented")}


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield table 1, a part for each measure, the two figures, and the findings."""
    families = [{"name": name, "context": form} for name, form in CONTEXTS.items()]
    data = collection.sweep("contexts", "CO", {"2004": (YEAR, "")}, measures=[*MEASURES], family=families)
    (part,) = data.sweep.parts
    best, significant = [], []
    for measure in data.experiment.measures:
        values, stack = families_test(data, part, measure)
        means, stars = [each.mean for each in values], sig.friedman_stars(stack)
        rows: dict[str, list[Cell]] = {}
        for j, name in enumerate(NAMES):
            differences = [StarredNumber(means[j] - means[i], stars[i, j]) for i in range(j)]
            rows[name] = [means[j], *differences, *[""] * (len(NAMES) - 1 - j)]
        yield ComparedTable(MEASURES[repr(measure)], rows)
        best.append(NAMES[means.index(max(means))])
        significant.append(all(means[j] > means[0] and stars[0, j] for j in range(1, len(NAMES))))
    yield from _curves(collection)
    yield Statement(
        "each context is significantly better than none, by each measure",
        all(significant),
        f"by {sum(significant)} of {len(significant)} measures",
    )
    yield Statement("root is the best, by each measure", set(best) == {"Root"}, ", ".join(best))


def _curves(collection: PaperCollection) -> Iterator[Part]:
    runs = {name: collection.run(YEAR, "CO", name, context=CONTEXTS.get(name)) for name in NAMES}
    names = {label: f"inex2002-curve(quant={quant})" for label, (quant, _) in CURVES.items()}
    scores = collection.evaluate(YEAR, "CO", runs, list(names.values()))
    for label, (_, title) in CURVES.items():
        series = {name: scores[name, names[label]].mean.tolist() for name in NAMES}
        panel = Panel(x=[round(0.01 * k, 2) for k in range(1, 101)], series=series)
        yield PaperFigure(
            label=label, title=f"Precision and recall, {title}", kind="lines", x="recall", y="precision", panels=[panel]
        )


PAPER = Paper(
    name="study-ii",
    title="Study II: generalized contextualization method for XML information retrieval",
    source="Arvola, Junkkari, Kekäläinen 2005",
    summary="parent, root and tower as contexts by three measures, Friedman's test (INEX 2004)",
    compute=compute,
    years=(YEAR,),
    topics=30,
    missing=("the values of b that were tuned on the topics of 2003: the paper does not print them",),
)
