"""Study III: four contexts at three granularity levels [III]."""

from __future__ import annotations

from collections.abc import Iterator

from trix.eval.output.tables import StarredNumber
from trix.eval.studies import significance as sig
from trix.lab.report.tables import families_test
from trix.papers.base.collection import PaperCollection
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import ComparedTable, Printed, Statement, printed_rows

YEAR = 2005
LEVELS = {"Content": "content", "Minor": "minor", "Major": "major"}
CONTEXTS = {"Parent": "parent", "Root": "root", "2xRoot": "2xroot", "Tower": "tower"}

MAP = Printed(
    label="table 1",
    title="MAP at three levels",
    head=("level", "baseline", *CONTEXTS),
    rows=printed_rows("""
        Content | 0.102 0.115 0.116 0.108 0.127
        Minor   | 0.214 0.236 0.252 0.244 0.245
        Major   | 0.250 0.274 0.288 0.285 0.280
    """),
)
CHANGE = Printed(
    label="table 1",
    title="change against the baseline in percent, * differs by Friedman's test (p < 0.05)",
    head=("level", *CONTEXTS),
    rows=printed_rows("""
        Content | 13.25* 13.84* 6.08*  24.73*
        Minor   | 10.58* 17.98* 14.23* 14.65*
        Major   | 9.40   15.24* 13.80* 11.88*
    """),
)
SIZES = Printed(
    label="section 3",
    title="mean length of an element in characters",
    head=("level", "characters"),
    rows=printed_rows("""
        Content | 121
        Minor   | 2420
        Major   | 4243
    """),
)


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield the lengths at each level, table 1 in two halves, and the findings."""
    lengths = {name: [_mean_length(collection, level)] for name, level in LEVELS.items()}
    yield ComparedTable(SIZES, lengths, decimals=0)
    families = [{"name": name, "context": f"cscore:{form}"} for name, form in CONTEXTS.items()]
    levels = {name: (YEAR, level) for name, level in LEVELS.items()}
    data = collection.sweep("levels", "CO", levels, measures=["AP"], family=families)
    means, changes = dict[str, list[float]](), dict[str, list[float]]()
    for part in data.sweep.parts:
        values, stack = families_test(data, part, data.experiment.train_on)
        base, *rest = (each.mean for each in values)
        found = sig.friedman(stack)
        differ = {j for i, j in found.pairs if i == 0} if found.p < 0.05 else set()
        means[part.name] = [base, *rest]
        changes[part.name] = [
            StarredNumber(100 * (mean - base) / base if base else float("nan"), "*" if k in differ else "")
            for k, mean in enumerate(rest, 1)
        ]
    yield ComparedTable(MAP, means)
    yield ComparedTable(CHANGE, changes, decimals=2)
    gains = {name: dict(zip(CONTEXTS, row, strict=True)) for name, row in changes.items()}
    best = {name: max(row, key=lambda each, row=row: row[each]) for name, row in gains.items()}  # type: ignore[misc]
    highest = [gains[name][best[name]] for name in LEVELS]
    lowest = min(min(row.values()) for row in gains.values())
    yield Statement("every context improves every level", lowest > 0, f"least change {lowest:+.1f} %")
    yield Statement(
        "the smaller the elements, the more context helps",
        highest[0] > highest[1] > highest[2],
        ", ".join(f"{name} {gain:+.1f} %" for name, gain in zip(LEVELS, highest, strict=True)),
    )
    yield Statement("tower is best for content elements", best["Content"] == "Tower", best["Content"])
    sections = best["Minor"], best["Major"]
    yield Statement("root is best for minor and major sections", set(sections) == {"Root"}, ", ".join(sections))


def _mean_length(collection: PaperCollection, level: str) -> float:
    """Return the mean length of a level's elements in characters."""
    return float(collection.level_lengths(YEAR, level).mean())


PAPER = Paper(
    name="study-iii",
    title="Study III: contextualisation at three granularity levels",
    source="Arvola, Kekäläinen, Junkkari 2008",
    summary="four contexts at three levels of elements, Friedman's test (INEX 2005)",
    compute=compute,
    years=(YEAR,),
)
