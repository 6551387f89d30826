"""PRUM: the worked examples of a user who navigates [PRUM]."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from trix.eval.data.qrels import Qrels
from trix.eval.measures.elements.prum import prum
from trix.eval.measures.elements.user_models import end_to_end, seen_ideals_of
from trix.papers.base.collection import PaperCollection
from trix.papers.base.examples import DOC, TOPIC, assessed_tree, curve, element_list, value
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import ComparedTable, Printed, Statement, printed_rows
from trix.support.arrays import Floats

A, B, C = "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]"
TREE = assessed_tree({A: (3, 2), B: (3, 2), C: (3, 3)})
"""Figure 6: of quantised value .75 are a and b, of value 1 is c."""
WORDS = {A: 60.0, B: 40.0, C: 10.0}
ENGINES = {"good: c, b, a": (C, B, A), "bad: a, b, c": (A, B, C)}

NAVIGATION = Printed(
    label="figure 2",
    title="navigation from x, of two and more steps",
    head=("to", "P(x -> y)"),
    rows=printed_rows("""
        y | 0.536
        z | 0.7
    """),
)
SEEN = Printed(
    label="figure 4",
    title="users who have seen the ideal element d",
    head=("after", "P(d is seen)"),
    rows=printed_rows("""
        a | 0.4
        b | 0.94
        c | 0.952
    """),
)
OVERPOPULATED = Printed(
    label="figure 3",
    title="recall of near misses (4.1.1)",
    head=("list and measure", "recall"),
    rows=printed_rows("""
        f, of all with near misses of .75 .75 .5 .5 | 0.286
        GRPng b, a | 1.27
        GRPng a, b | .66
    """),
    note="GRPng: a and b are worth 2/3, and b is a tenth of a. The paper cuts 2/3 to .66.",
)
SCENARIOS = Printed(
    label="table III",
    title="scenarios of the list c, d, a, b with ideals a and b",
    head=("ranks at which a, b are seen", "probability", "CL(1)", "C(1)", "CL(2)", "C(2)"),
    rows=printed_rows("""
        1, 1 | .16 1 1 1 1
        1, 2 | .096 1 1 2 2
        1, 4 | .144 1 1 2 4
        2, 1 | .144 1 1 2 2
        2, 2 | .0864 1 2 1 2
        2, 4 | .1296 1 2 2 4
        3, 1 | .096 1 1 2 3
        3, 2 | .0576 1 2 2 3
        3, 4 | .0864 1 3 2 4
        expected | 1 1 1.45 1.75 2.71
    """),
)
PRECISION = Printed(
    label="section 3.2",
    title="precision of the list c, d, a, b when one or two ideals are wanted",
    head=("measure", "r = 1", "r = 2"),
    rows=printed_rows("""
        all scenarios | 0.691 0.646
        PRUM, equation 5 | 0.691 0.636
        without navigation | 0.333 0.5
    """),
)
EXAMPLE_1 = Printed(
    label="section 4.2.1",
    title="two engines that return the same elements, of which c is ideal",
    head=("engine", "GRP", "GRPng precision", "GRPng recall", "PRUM"),
    rows=printed_rows("""
        good: c, b, a | 0.88 0.65 0.69 1
        bad: a, b, c | 0.83 0.67 0.33 0.41
    """),
    note=(
        "The paper's sum for the good engine, (10 + 30 · 3/4 + 20 · 1/3) / 60, weighs the new text of b and a by its "
        "share; by their specificity, 2/3 as for the bad engine, it is .72."
    ),
)
GAINS = Printed(
    label="section 4.2.1",
    title="xCG of the two engines, alpha 1",
    head=("engine", "rank 1", "rank 2", "rank 3"),
    rows=printed_rows("""
        good: c, b, a | 1 1 1
        bad: a, b, c | .75 .75 .75
    """),
)
STEPS = Printed(
    label="section 4.2.1",
    title="the bad engine rank by rank",
    head=("rank", "P(c is seen)", "P(F = 0) before", "P(new ideal)"),
    rows=printed_rows("""
        1 | 0.167 1 0.167
        2 | 0.375 0.833 0.25
        3 | 1 0.625 1
    """),
    note="Printed as fractions: 10/60, 3/8, 1; 1, 5/6, 5/8; 1/6, 1/4, 1.",
)
EXAMPLE_2 = Printed(
    label="section 4.2.2",
    title="an engine that returns only the best entry point of two ideals",
    head=("measure", "value"),
    rows=printed_rows("""
        GRP precision | 0.044
        GRPng precision | 1
        GRPng recall | 0.333
        xCG | 1
        xCG, normalised | 0.5
        PRUM | 1
    """),
    note="The recall of GRPng is printed as 1/3.",
)


def compute(_: PaperCollection) -> Iterator[Part]:
    """Yield the examples in the order of the paper."""
    x, y, z = ((name, "") for name in "xyz")
    reached = end_to_end({x: {y: 0.5, z: 0.3}, y: {z: 0.8}, z: {y: 0.12}}, x)
    yield ComparedTable(NAVIGATION, {"y": [reached[y]], "z": [reached[z]]})
    steps = {"a": 0.4, "b": 0.9, "c": 0.2}
    seen = seen_ideals_of([(name, "") for name in steps], 1, lambda node: [(0, steps[node[0]])])
    yield ComparedTable(SEEN, {name: [p] for name, p in zip(steps, seen.after.tolist(), strict=True)})
    yield ComparedTable(OVERPOPULATED, _overpopulated())
    yield from _scenarios()
    yield from _first_example()
    yield _second_example()


def _overpopulated() -> dict[str, list[float]]:
    """Return recall where near misses are in the recall base, and where only their unseen text counts."""
    first, *others = OVERPOPULATED.rows
    grades = {"/f[1]": 1.0, "/a[1]": 0.75, "/b[1]": 0.75, "/c[1]": 0.5, "/e[1]": 0.5}
    every = Qrels.from_grades({TOPIC: {DOC + path: grade for path, grade in grades.items()}}, "example")
    found = {first: [value(every, element_list(["/f[1]"]), "genR@1")]}
    # Exhaustivity 2 is worth 2/3, and the unique leaf f is worth 1. b is in a.
    a, b = "/a[1]", "/a[1]/b[1]"
    qrels = assessed_tree({a: (2, 2), b: (2, 2), "/f[1]": (3, 3)})
    sizes = {a: 100.0, b: 10.0, "/f[1]": 10.0}
    for name, ranked in zip(others, ((b, a), (a, b)), strict=True):
        # The recall base has two leaves, b (2/3) and f (1); the paper counts reached units, not their share.
        reached = value(qrels, element_list(ranked), "inex2003-recall@2", sizes) * (2 / 3 + 1)
        found[name] = [reached]
    return found


LINKS = {"c": (0.4, 0.4), "d": (0.6, 0.4), "a": (1.0, 0.0), "b": (0.0, 1.0)}
"""Figure 5: a document -> probabilities of reaching the ideals a and b."""


def _scenarios() -> Iterator[Part]:
    rows: dict[str, list[float]] = {}
    expected = np.zeros(5)
    reaches = np.array(list(LINKS.values()))
    for first_a, first_b in product((1, 2, 3), (1, 2, 4)):
        p = _first_at(reaches[:, 0], first_a) * _first_at(reaches[:, 1], first_b)
        nearer, farther = sorted((first_a, first_b))
        row = [p, 1.0, float(nearer), 1.0 + (nearer < farther), float(farther)]
        rows[f"{first_a}, {first_b}"] = row
        expected += np.array([p, *(p * each for each in row[1:])])
    yield ComparedTable(SCENARIOS, {**rows, "expected": expected.tolist()})
    seen = 1 - np.vstack((np.ones(2), np.cumprod(1 - reaches, axis=0)))
    unlinked = 1 - np.vstack((np.ones(2), np.cumprod(1 - np.floor(reaches), axis=0)))
    found = {
        "all scenarios": [float(expected[1] / expected[2]), float(expected[3] / expected[4])],
        "PRUM, equation 5": prum(seen, len(LINKS)).tolist(),
        "without navigation": prum(unlinked, len(LINKS)).tolist(),
    }
    yield ComparedTable(PRECISION, found)
    exact = prum(seen, len(LINKS), exact=True)
    yield Statement(
        "the equations are close to the enumeration of all scenarios",
        bool(np.allclose(exact, found["all scenarios"]) and max(abs(exact - prum(seen, len(LINKS)))) < 0.02),
        f"differences {', '.join(f'{each:.3f}' for each in abs(exact - prum(seen, len(LINKS))))}",
    )


def _first_at(p: Floats, rank: int) -> float:
    """Return the probability that an ideal is first seen at a rank."""
    return float(np.prod(1 - p[: rank - 1]) * p[rank - 1])


def _first_example() -> Iterator[Part]:
    scores, gains = {}, {}
    for name, paths in ENGINES.items():
        run = element_list(paths)
        of = [
            "inex2002(quant=gen)@1", "inex2003-precision(base=all)@3", "inex2003-recall(base=all)@3",
            "PRUM(hierarchical,quant=strict,N=3)@1",
        ]  # fmt: skip
        scores[name] = [value(TREE, run, measure, WORDS) for measure in of]
        gains[name] = curve(TREE, run, "xCG(quant=gen,cap=none)", WORDS).tolist()
    yield ComparedTable(EXAMPLE_1, scores)
    yield ComparedTable(GAINS, gains)
    steps = np.array([WORDS[C] / WORDS[A], WORDS[C] / WORDS[B], 1.0])
    unseen = np.concatenate(([1.0], np.cumprod(1 - steps)))
    table = [[1 - unseen[i + 1], unseen[i], (unseen[i] - unseen[i + 1]) / unseen[i]] for i in range(3)]
    yield ComparedTable(STEPS, {str(i + 1): row for i, row in enumerate(table)})
    users = {
        name: curve(TREE, element_list(paths), "GR(quant=strict)", WORDS).tolist() for name, paths in ENGINES.items()
    }
    yield PaperFigure(
        label="section 4.2.1",
        title="share of the ideal element that users have seen",
        kind="lines",
        x="rank",
        y="generalised recall",
        panels=[Panel(x=[1, 2, 3], series=users)],
        note="Not in the paper: the probabilities of the text as curves.",
    )
    good, bad = scores.values()
    yield Statement("PRUM is 1 for the good engine", abs(good[3] - 1) < 1e-12, f"{good[3]:.3f}")
    yield Statement(
        "PRUM separates the engines more than GRP does",
        good[3] - bad[3] > good[0] - bad[0],
        f"PRUM {good[3]:.2f} and {bad[3]:.2f}, GRP {good[0]:.2f} and {bad[0]:.2f}",
    )
    yield Statement(
        "GRPng finds more recall for the good order of the same elements",
        good[2] > bad[2],
        f"{good[2]:.2f} and {bad[2]:.2f}",
    )


def _second_example() -> ComparedTable:
    """Return the measures of a list that has only a, the parent of the ideals b and c."""
    a, b, c = "/a[1]", "/a[1]/b[1]", "/a[1]/c[1]"
    tree, run = assessed_tree({a: (3, 3), b: (3, 3), c: (3, 3)}), element_list([a])
    sizes = {a: 20.0, b: 10.0, c: 10.0}
    grades = Qrels.from_grades({TOPIC: {DOC + path: 1 for path in (a, b, c)}}, "example")
    seen = np.array([[0.0, 0.0], [1.0, 1.0]])  # all users go from a to b and to c
    values = {
        "GRP precision": value(grades, run, "inex2002(N=100)@1"),
        "GRPng precision": value(tree, run, "inex2003-precision(base=all)@1", sizes),
        "GRPng recall": value(tree, run, "inex2003-recall(base=all)@1", sizes),
        "xCG": value(tree, run, "xCG(quant=gen)@1", sizes),
        "xCG, normalised": value(tree, run, "nxCG(quant=gen)@2", sizes),
        "PRUM": float(prum(seen, 100)[-1]),
    }
    return ComparedTable(EXAMPLE_2, {name: [each] for name, each in values.items()})


PAPER = Paper(
    name="prum",
    title="PRUM: precision and recall of a user who navigates",
    source="Piwowarski, Gallinari, Dupret 2007",
    summary="worked examples of navigation, near misses and best entry points",
    compute=compute,
    missing=(
        "figures 1 to 7: drawings of documents, whose numbers are in the tables",
        "table IV: properties of measures, in docs/measures.md",
    ),
)
