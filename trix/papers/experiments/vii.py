"""Study VII: focused access to sparsely and densely relevant documents [VII]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from trix.eval.studies.density import TOLERANCES, Decile, Density, density
from trix.papers.base.collection import PaperCollection
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import ComparedTable, Printed, Statement, printed_rows
from trix.papers.base.systems import in_context_runs

YEAR = 2008
SPARSE = 5
"""Number of deciles that the paper calls sparsely relevant."""

DOCUMENTS = Printed(
    label="section 2",
    title="relevant documents of all topics",
    head=("", "number"),
    rows=printed_rows("""
        topics | 70
        relevant documents | 4887
    """),
)
BOUNDARIES = Printed(
    label="section 2",
    title="lower boundaries of density, in percent of a document's text",
    head=("decile", "density"),
    rows=printed_rows("""
        dec 1  | 0.005
        dec 2  | 2.4
        dec 3  | 6.6
        dec 4  | 12.1
        dec 5  | 24.4
        dec 6  | 58.4
        dec 7  | 94.9
        dec 8  | 99.3
        dec 9  | 99.7
        dec 10 | 99.9
    """),
)
PARTS = {"recall": "a", "precision": "b", "read": "c"}
"""Value of `trix.eval.studies.density.DecileMeans` -> part of figure 2."""
TITLES = {"recall": "recall", "precision": "precision", "read": "browsed content"}


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield the deciles, the distribution of relevant text, figure 2 in three parts, and the findings."""
    qrels, resolver = collection.qrels(YEAR), collection.resolver(YEAR)
    runs = in_context_runs(collection, YEAR)
    scores = collection.evaluate(YEAR, "", runs, ["AgP[F]"])
    best = max(runs, key=lambda name: float(scores[name, "AgP[F]"].mean))
    found = density(qrels, runs[best], lenient=True, resolver=resolver)
    collection.note(found.notices)
    pairs = sum(decile.pairs for decile in found.deciles)
    topics = sum(judged.any_relevant for judged in qrels.topics.values())
    yield ComparedTable(DOCUMENTS, {"topics": [topics], "relevant documents": [pairs]}, decimals=0)
    names = [f"dec {number}" for number in range(1, len(found.deciles) + 1)]
    lower = {name: [100 * decile.lower] for name, decile in zip(names, found.deciles, strict=True)}
    yield ComparedTable(BOUNDARIES, lower)
    yield _distribution(found)
    yield from (_means(found.deciles, part, best) for part in PARTS)
    yield from _findings(found.deciles)


def _distribution(found: Density) -> PaperFigure:
    shares = found.distribution
    return PaperFigure(
        label="figure 1",
        title="average distribution of relevant text on the five smallest deciles",
        kind="lines",
        x="% of the document's text",
        y="precision",
        panels=[
            Panel(
                x=list(range(1, shares.shape[1] + 1)),
                series={f"dec {k + 1}": row.tolist() for k, row in enumerate(shares)},
            )
        ],
    )


def _series(deciles: Sequence[Decile], part: str) -> dict[str, list[float]]:
    """Return the means of a value by decile: the run (elem) and its twin (doc) at each tolerance."""

    def means(side: str, tolerance: int) -> list[float]:
        known = [getattr(decile, side).get(tolerance) for decile in deciles]
        return [float("nan") if each is None else float(getattr(each, part)) for each in known]

    sides = {"elem": "run", "doc": "twin"}
    return {f"{name} {N}": means(side, N) for N in TOLERANCES for name, side in sides.items()}


def _means(deciles: Sequence[Decile], part: str, run: str) -> PaperFigure:
    return PaperFigure(
        label=f"figure 2{PARTS[part]}",
        title=f"average {TITLES[part]} of the relevant documents on each decile, run {run}",
        kind="bars",
        x="decile",
        y=TITLES[part],
        panels=[Panel(x=[str(number + 1) for number in range(len(deciles))], series=_series(deciles, part))],
        note="elem is the run, doc reads each document from its beginning; 500 and 2000 are the tolerances.",
    )


def _findings(deciles: Sequence[Decile]) -> Iterator[Statement]:
    recall, precision, read = (_series(deciles, part) for part in PARTS)
    sparse, dense = slice(0, SPARSE), slice(SPARSE + 1, None)

    def gap(values: dict[str, list[float]], which: slice, tolerance: int = 500) -> float:
        """Return the mean difference of the run and its twin over some deciles; NaN if the run has none of them."""
        row = np.array(values[f"elem {tolerance}"])[which] - np.array(values[f"doc {tolerance}"])[which]
        row = row[~np.isnan(row)]
        return float(row.mean()) if len(row) else float("nan")

    for name, values in (("recall", recall), ("precision", precision)):
        yield Statement(
            f"in the five sparse deciles focused retrieval has more {name} (T2I 500)",
            gap(values, sparse) > 0,
            f"{gap(values, sparse):+.3f} on average",
        )
        yield Statement(
            f"in the four dense deciles it has no more {name} than documents (T2I 500)",
            abs(gap(values, dense)) < max(0.05, 0.25 * abs(gap(values, sparse))),
            f"{gap(values, dense):+.3f} on average",
        )
    yield Statement(
        "both read about as much of a sparse document (T2I 500)",
        abs(gap(read, sparse)) < 0.1,
        f"{gap(read, sparse):+.3f} of its text on average",
    )
    yield Statement(
        "recall gains more than precision",
        gap(recall, sparse) > gap(precision, sparse),
        f"recall {gap(recall, sparse):+.3f}, precision {gap(precision, sparse):+.3f}",
    )
    yield Statement(
        "the benefit is smaller for the more tolerant reader",
        gap(recall, sparse, 2000) < gap(recall, sparse),
        f"recall at T2I 500 {gap(recall, sparse):+.3f}, at 2000 {gap(recall, sparse, 2000):+.3f}",
    )
    lowest = [decile.lower for decile in deciles]
    yield Statement(
        "four of ten relevant documents are relevant for more than nine tenths of their text",
        len(lowest) > 6 and lowest[6] > 0.9,
        f"decile 7 begins at {lowest[6]:.1%}" if len(lowest) > 6 else "there are fewer deciles",
    )


PAPER = Paper(
    name="study-vii",
    title="Study VII: focused access to sparsely and densely relevant documents",
    source="Arvola, Kekäläinen, Junkkari 2010, SIGIR",
    summary="recall, precision and text read by density of relevance (INEX 2008)",
    compute=compute,
    years=(YEAR,),
    schema="wikipedia",
    documents=200,
    topics=20,
    missing=("numbers of figures 1 and 2: the paper prints bars and curves alone",),
)
