"""Content and order of a report; `report` formats it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trix.eval.output.report import Table
from trix.eval.studies import significance as sig
from trix.lab.plan.grid import ParameterAxis, value_text
from trix.lab.plan.split import SplitPart
from trix.lab.report.grids import collections, grid_table
from trix.lab.report.tables import (
    ReportData,
    chosen_table,
    classes_table,
    differences_table,
    friedman_table,
    improvement,
    main_table,
    measures_table,
    p_text,
    pairs_table,
    robustness_table,
)

STARS = "Stars: t-test against the baseline, * p < 0.05, ** p < 0.01, *** p < 0.001."

SPLITS = {
    "none": "No topics are held out: every value is what training on the same topics reaches.",
    "halves": "Parameters are trained on one half of the topics and tested on the other.",
    "folds": "Each fold of the topics is tested with the parameters trained on the others.",
    "swap": "Each collection is tested with the parameters trained on the other.",
    "topics": "Parameters are trained on listed topics and tested on others.",
}

DrawnFigure = tuple[str, str]
"""File of a figure, and its caption."""


@dataclass(frozen=True)
class ReportSection:
    """A section of a report: heading, text, tables and figures."""

    heading: str
    text: str = ""
    tables: Sequence[Table] = ()
    figures: Sequence[DrawnFigure] = ()


@dataclass(frozen=True)
class ReportPage:
    """A report."""

    title: str
    sections: Sequence[ReportSection]


def page_of(data: ReportData, drawn: Sequence[DrawnFigure]) -> ReportPage:
    """Return the report of a sweep with its figures."""
    return ReportPage(data.experiment.title, list(_sections(data, drawn)))


def _sections(data: ReportData, drawn: Sequence[DrawnFigure]) -> Iterator[ReportSection]:
    experiment, parts = data.experiment, data.sweep.parts
    bars = [each for each in drawn if "/topics-" in each[0]]
    rest = [each for each in drawn if each not in bars]
    best = " ".join(f"{_best(data, part)} {_same(data, part)}".strip() for part in parts)
    yield ReportSection(
        "Against the baseline", f"{best} {STARS}".lstrip(), [main_table(data, part) for part in parts], bars
    )
    if data.trains:
        yield ReportSection("What was chosen", tables=[chosen_table(data)])
        if any(part.tests for part in parts):
            text = "Where best trained and best tested do not differ, training is robust."
            yield ReportSection("Robustness", text, [robustness_table(data)])
    side_by_side = friedman_table(data)
    if side_by_side is not None:
        differences = [table for part in parts if (table := differences_table(data, part)) is not None]
        yield ReportSection(
            "Families side by side",
            tables=[side_by_side, *(pairs_table(data, part) for part in parts), *differences],
        )
    if len(experiment.measures) > 1:
        yield ReportSection("All measures", STARS, [measures_table(data, part) for part in parts])
    yield ReportSection("Topics that gain and lose", tables=[classes_table(data, part) for part in parts])
    grids = [
        table
        for name, topics in collections(data)
        for family in experiment.families
        if (table := grid_table(data, family, name, topics)) is not None
    ]
    if grids or rest:
        yield ReportSection("Parameters", "On all topics, those that train and those that test.", grids, rest)
    yield ReportSection("What was run", _run(data), [_collections_table(data), _families_table(data)])


def _best(data: ReportData, part: SplitPart) -> str:
    """Return a sentence about the best family and its gain."""
    families, measure = data.experiment.families, data.experiment.train_on
    if not families:
        return ""
    values = [data.values(data.of(part, family), measure) for family in families]
    base = data.baseline(part, measure)
    means = [each.mean for each in values]
    p = sig.holm(data.p_values(part))
    pick = max if measure.spec.higher else min
    k = pick(range(len(means)), key=lambda i: means[i])
    old = base.mean
    if pick(means[k], old) == old:
        return f"No family does better on {part.name} than the baseline, {measure} {old:.4f}."
    gain = f", {improvement(means[k], old, 1.0)} %" if old else ""
    many = f", corrected for {len(families)} families" if len(families) > 1 else ""
    return (
        f"{families[k].name} does best on {part.name}: {measure} {means[k]:.4f} against {old:.4f}{gain} "
        f"(randomisation test, p {p_text(p[k]).replace('<', '< ')}{many})."
    )


def _same(data: ReportData, part: SplitPart) -> str:
    """Return a sentence about the families that equal the baseline on every topic."""
    families = data.experiment.families
    same = [family.name for family in families if not data.differs(part, family)]
    if not same or len(same) == len(families):
        return f"No family differs from it on any topic of {part.name}." if same else ""
    return f"As the baseline on every topic of {part.name}: {', '.join(same)}."


def _run(data: ReportData) -> str:
    experiment = data.experiment
    versions = ", ".join(f"{name} {number}" for name, number in data.sweep.facts["versions"].items())
    return (
        f"{len(experiment.variants)} variants, trained by {experiment.train_on}. {SPLITS[experiment.split.kind]} "
        f"Made with {versions}. Checksums and every variant's options are in experiment.json."
    )


def _collections_table(data: ReportData) -> Table:
    table = Table(
        "Collections",
        ["collection", "documents", "elements", "content elements", "keys", "profile", "stem", "level", "topics"],
    )
    judged = {name: len(topics) for name, topics in collections(data)}
    for name, facts in data.sweep.facts["collections"].items():
        index = facts["index"]
        counts = [f"{index[key]:,}" for key in ("documents", "elements", "content_elements", "keys")]
        table.rows.append([name, *counts, index["profile"], index["stem"], facts["level"] or "all", judged[name]])
    return table


def _families_table(data: ReportData) -> Table:
    """Return a table of the families with their parameters, and the options that differ from the baseline."""
    experiment = data.experiment
    base = json.loads(experiment.baseline.settings)
    table = Table("Families", ["family", "variants", "options", "parameters"])
    table.rows.append(["baseline", 1, _options(base), ""])
    for family in experiment.families:
        own = {key: value for key, value in json.loads(family.template).items() if base.get(key) != value}
        parameters = "; ".join(map(_axis, family.axes))
        table.rows.append([family.name, len(family.variants), _options(own), parameters])
    return table


def _options(options: dict[str, object]) -> str:
    return ", ".join(f"{key}={value}" for key, value in options.items())


def _axis(axis: ParameterAxis) -> str:
    values = [value_text(value) for value in axis.values]
    shown = values if len(values) <= 9 else [*values[:3], "...", *values[-1:]]
    return f"{axis.name}: {' '.join(shown)}"
