"""What to measure in INEX: ideal recall bases, and four measures on simulated runs [KL05]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.ideal import ideal_base
from trix.eval.measures.elements.recall_base import recall_base
from trix.eval.studies.simulate import simulate
from trix.papers.base.collection import PaperCollection
from trix.papers.base.examples import DOC, TOPIC, assessed_tree, curve, element_list, value
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import ComparedTable, Printed, Statement, printed_rows
from trix.support.arrays import Floats

YEAR = 2004
RUNS = {"frb": "frb", "irb": "irb", "reverse_irb": "reverse", "lo": "lo"}
"""Name of a simulated run in the paper -> its kind in `trix.eval.studies.simulate`."""
RECALL = tuple(i / 20 for i in range(1, 21))
RANKS, MANY_RANKS = 10, 50

A, BODY = "/article[1]", "/article[1]/bdy[1]"
SEC4, SEC6 = f"{BODY}/sec[4]", f"{BODY}/sec[6]"
NODES = {
    A: (3, 1, 2028),
    BODY: (3, 1, 2011),
    SEC4: (2, 2, 266),
    f"{SEC4}/ip1[2]": (2, 3, 108),
    f"{SEC4}/p[1]": (2, 3, 38),
    f"{SEC4}/p[2]": (1, 2, 87),
    SEC6: (3, 3, 360),
    f"{SEC6}/ip1[2]": (2, 3, 125),
    f"{SEC6}/p[1]": (2, 3, 148),
    f"{SEC6}/p[2]": (2, 3, 65),
}
"""Relevant nodes of co/2001/r7022 for topic 163 [figure 1]: exhaustivity, specificity, words."""
TREE = assessed_tree({path: (e, s) for path, (e, s, _) in NODES.items()})
WORDS = {path: float(words) for path, (*_, words) in NODES.items()}
LEAVES = [f"{section}/{name}" for section in (SEC6, SEC4) for name in ("ip1[2]", "p[1]", "p[2]")]
"""The run lo in the order of table 3, where equal nodes are in another order than in the run frb."""
_SIZES = {(DOC, path): words for path, words in WORDS.items()}

_TREES: Mapping[str, Sequence[tuple[str, tuple[int, int]]]] = {
    "Tree a)": [("", (3, 1)), ("/bdy[1]", (3, 1)), ("/bdy[1]/sec[1]", (3, 3))],
    "Tree b)": [
        ("", (3, 1)), ("/bdy[1]", (3, 2)), ("/bdy[1]/sec[1]", (2, 3)), ("/bdy[1]/sec[2]", (1, 1)),
        ("/bdy[1]/sec[2]/p[1]", (1, 2)),
    ],
    "Tree c)": [
        ("", (3, 1)), ("/bdy[1]", (3, 1)), ("/bdy[1]/sec[1]", (3, 3)),
        *((f"/bdy[1]/sec[1]/p[{i}]", (3, 3) if i == 5 else (1, 3)) for i in range(1, 7)),
    ],
}  # fmt: skip
"""Figure 2: the nodes of three trees, numbered from 1 in this order."""

IDEAL = Printed(
    label="table 1",
    title="ideal nodes of the trees of figure 2, under sog",
    head=("method", *_TREES),
    rows={"Kazai": ("3.", "2.", "3."), "Piwowarski": ("3.", "3. and 5.", "4. to 9.")},
    note="The values of the first two nodes of tree c) are damaged in the scan; .25 each is assumed.",
)
IDEAL_163 = Printed(
    label="section 4.1",
    title="ideal nodes of topic 163 in co/2001/r7022, under sog",
    head=("method", "nodes"),
    rows={"Kazai": ("sec[4] sec[6]",), "Piwowarski": ("sec[4]/ip1[2] sec[4]/p[1] sec[4]/p[2] sec[6]",)},
)
_COLUMNS = ("rank", "i2 recall", "i2 precision", "i3 recall", "i3 precision", "nXCG")
TABLES = {
    "irb": Printed(
        label="table 4",
        title="the ideal run, rank by rank",
        head=_COLUMNS,
        rows=printed_rows("""
            1 | 0.14 1 0.27 1 1
            2 | 0.22 0.9 0.45 0.86 1
        """),
        note="The paper cuts digits: recall 1/6.75 = .148 is printed as .14.",
    ),
    "reverse_irb": Printed(
        label="table 5",
        title="the ideal run reversed, rank by rank",
        head=_COLUMNS,
        rows=printed_rows("""
            1 | 0.07 ? 0.18 0.67 0.5
            2 | 0.22 0.75 0.45 0.86 1
        """),
    ),
    "frb": Printed(
        label="table 6",
        title="all relevant nodes, rank by rank",
        head=_COLUMNS,
        rows=printed_rows("""
            1  | 0.14 1 0.27 1 1
            2  | 0.28 ? 0.45 1 1
            3  | ? 0.95 0.637 1 1
            4  | 0.54 0.937 0.637 1 1
            5  | 0.68 ? 0.637 1 1
            6  | 0.81 0.924 0.637 1 1
            7  | 0.88 0.90 0.72 0.936 1
            8  | 0.925 0.84 0.9 0.524 1
            9  | 0.96 0.77 0.9 0.524 1
            10 | 1 0.71 0.9 0.524 1
        """),
        note=(
            "The paper cuts digits, and weighs specificity 1 by .34 and 2 by .67 instead of 1/3 and 2/3: hence .524 "
            "for .519."
        ),
    ),
}


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield ideal nodes, the runs of topic 163 by four measures, and the runs of all topics of the year."""
    yield ComparedTable(IDEAL, {method: _ideal_numbers(method) for method in IDEAL.rows}, example=True)
    nodes = {method: [" ".join(map(_short, _ideal(TREE, method)))] for method in IDEAL_163.rows}
    yield ComparedTable(IDEAL_163, nodes, example=True)
    runs = {name: simulate(TREE, kind, quant="sog", ideal="kazai") for name, kind in RUNS.items()}
    runs["lo"] = element_list(LEAVES)
    for name, printed in TABLES.items():
        yield ComparedTable(printed, _rank_by_rank(runs[name]), example=True)
    single = {name: _curves(TREE, run, RANKS, sizes=_SIZES, elements=len(NODES)) for name, run in runs.items()}
    yield _figure("figure 3", "one tree (topic 163), sog", single)
    yield from _findings(single)
    qrels, resolver = collection.qrels(YEAR, "CO"), collection.resolver(YEAR)
    every = {name: simulate(qrels, kind, quant="sog", ideal="kazai") for name, kind in RUNS.items()}
    many = {name: _curves(qrels, run, MANY_RANKS, resolver=resolver) for name, run in every.items()}
    yield _figure("figure 4", f"all CO topics of {YEAR}, sog", many)
    ideal = {measure: float(values.mean()) for measure, values in many["irb"].items()}
    yield Statement(
        "over all topics the ideal run has 1 by XCG, and less by i2 and i3",
        abs(ideal["XCG"] - 1) < 1e-9 and max(ideal["i2"], ideal["i3"]) < 1 - 1e-9,
        ", ".join(f"{measure} {mean:.3f}" for measure, mean in ideal.items()),
    )


def _ideal(tree: Qrels, method: str) -> list[str]:
    """Return the paths of the ideal nodes of a tree under sog, in document order."""
    view = TopicView(TOPIC, tree[TOPIC], Ranking.empty())
    found = {path for _, path in ideal_base(recall_base(view, "sog"), method.lower(), TOPIC)}
    return [path for path in tree[TOPIC].documents[DOC].elements if path in found]


def _ideal_numbers(method: str) -> list[str]:
    """Return the numbers of the ideal nodes of each tree as the paper writes them."""
    cells = []
    for nodes in _TREES.values():
        tree = {A + path: es for path, es in nodes}
        paths = list(tree)
        numbers = [paths.index(path) + 1 for path in _ideal(assessed_tree(tree), method)]
        whole = len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1))
        shown = [numbers[0], numbers[-1]] if whole else numbers
        cells.append((" to " if whole else " and ").join(f"{number}." for number in shown))
    return cells


def _short(path: str) -> str:
    return path.removeprefix(BODY + "/")


def _rank_by_rank(run: Rankings) -> dict[str, list[float]]:
    """Return recall and precision of inex-2002 and inex-2003 and nXCG at each rank."""
    ranking = run.rankings[TOPIC]
    base = recall_base(TopicView(TOPIC, TREE[TOPIC], ranking), "sog")
    reached = np.cumsum([base.value((DOC, path)) for path in ranking.paths or []]) / sum(base.q.values())
    recall, precision, gain = (
        curve(TREE, run, measure, WORDS) for measure in ("inex2003-recall", "inex2003-precision", "nxCG(sog)")
    )
    return {
        str(k + 1): [x, value(TREE, run, f"inex2002(quant=sog)@{x!r}"), recall[k], precision[k], gain[k]]
        for k, x in enumerate(reached.tolist())
    }


def _curves(qrels: Qrels, run: Rankings, ranks: int, **known: Any) -> dict[str, Floats]:
    """Return the curves of the four measures: over levels of recall, XCG over ranks."""
    of = {
        "i2": [f"inex2002(quant=sog)@{x}" for x in RECALL],
        "i3": [f"inex2003@{x}" for x in RECALL],
        "XCG": [f"nxCG(sog)@{k}" for k in range(1, ranks + 1)],
        "PRUM": [f"PRUM(hierarchical,quant=sog,ideal=kazai)@{x}" for x in RECALL],
    }
    found = evaluate(qrels, run, [name for names in of.values() for name in names], lenient=True, **known)
    return {measure: np.array([found[name].mean for name in names]) for measure, names in of.items()}


def _figure(label: str, title: str, runs: Mapping[str, Mapping[str, Floats]]) -> PaperFigure:
    panels = []
    for measure in ("i2", "i3", "XCG", "PRUM"):
        series = {name: curves[measure].tolist() for name, curves in runs.items()}
        x = list(range(1, len(series["irb"]) + 1)) if measure == "XCG" else list(RECALL)
        panels.append(Panel(title=f"{measure} by {'rank' if measure == 'XCG' else 'recall'}", x=x, series=series))
    return PaperFigure(label=label, title=title, kind="lines", x="recall or rank", y="precision or gain", panels=panels)


def _findings(runs: Mapping[str, Mapping[str, Floats]]) -> Iterator[Statement]:
    """Yield what section 6.2 says of the runs of one tree."""
    means = {measure: {name: float(runs[name][measure].mean()) for name in runs} for measure in ("i2", "i3", "PRUM")}

    def order(measure: str) -> list[str]:
        return sorted(means[measure], key=lambda name: -means[measure][name])

    def told(measure: str) -> str:
        return ", ".join(f"{name} {means[measure][name]:.3f}" for name in order(measure))

    yield Statement(
        "i2 ranks the full recall base first, then leaves, the ideal run, its reverse",
        order("i2") == ["frb", "lo", "irb", "reverse_irb"],
        told("i2"),
    )
    yield Statement(
        "i3 ranks the leaves first, then the full recall base, the ideal run, its reverse",
        order("i3") == ["lo", "frb", "irb", "reverse_irb"],
        told("i3"),
    )
    gain = {name: curves["XCG"] for name, curves in runs.items()}
    yield Statement(
        "XCG gives the ideal run and the full recall base 1 at every rank, leaves begin at .9",
        bool(np.allclose(gain["irb"], 1) and np.allclose(gain["frb"], 1)) and abs(gain["lo"][0] - 0.9) < 1e-9,
        f"irb {gain['irb'].min():.3f}, frb {gain['frb'].min():.3f}, lo {gain['lo'][0]:.3f} at rank 1",
    )
    best = means["PRUM"]
    yield Statement(
        "PRUM ranks the ideal run and the full recall base best, leaves worst",
        abs(best["irb"] - best["frb"]) < 1e-9 and min(best, key=lambda name: best[name]) == "lo",
        told("PRUM"),
    )


PAPER = Paper(
    name="kl05",
    title="What to measure in INEX: four measures on simulated runs",
    source="Kazai, Lalmas 2005",
    summary="ideal recall bases; inex-2002, inex-2003, XCG, PRUM on simulated runs (INEX 2004)",
    compute=compute,
    years=(YEAR,),
    documents=120,
    topics=10,
    missing=(
        "figure 1: a drawing, whose nodes and sizes are in table 6",
        "table 2: requirements of measures, in docs/measures.md",
        "table 3: the elements of the simulated runs, which are read here",
        "PRUM with graded ideal nodes: the version of EvalJ took values as probabilities; here each node counts 1",
    ),
)
