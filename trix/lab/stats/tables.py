"""Tables and a figure of the distributions of runs [I, figure 1]."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from trix.errors import UsageError
from trix.eval.output.report import Table
from trix.lab.stats.stats import RunStatistics, summary

SHOWN_TAGS = 12
"""Number of tags with their own row; the others are joined."""

FIRST_COLUMNS = {
    "Sizes in characters": "size",
    "Depth (roots have 1)": "depth",
    "Tags": "tag",
    "Overlap within a topic": "",
}


def tables(found: Sequence[RunStatistics]) -> list[Table]:
    """Return the distributions as tables: counts and percentages of one run, or percentages of several side by side."""
    made = [_overview(each) for each in found]
    for title, counts in distributions(found).items():
        head = ["results", "share"] if len(found) == 1 else [each.name for each in found]
        table = Table(title, [FIRST_COLUMNS[title], *head])
        for name, numbers in counts.items():
            shares = [_share(number, each.known) for number, each in zip(numbers, found, strict=True)]
            table.rows.append([name, *(numbers if len(found) == 1 else []), *shares])
        made.append(table)
    return made


def distributions(found: Sequence[RunStatistics], most_tags: int = SHOWN_TAGS) -> dict[str, dict[str, list[int]]]:
    """Return title -> class -> number of results of each run; rare tags are joined."""
    made: dict[str, dict[str, list[int]]] = {}
    for title in found[0].distributions():
        each = [one.distributions()[title] for one in found]
        names = list(dict.fromkeys(name for counts in each for name in counts))
        made[title] = {name: [counts.get(name, 0) for counts in each] for name in names}
    depths, tags = made["Depth (roots have 1)"], made["Tags"]
    made["Depth (roots have 1)"] = {depth: depths[depth] for depth in sorted(depths, key=int)}
    ordered = sorted(tags, key=lambda name: (-sum(tags[name]), name))
    made["Tags"] = {name: tags[name] for name in ordered[:most_tags]}
    if rest := ordered[most_tags:]:
        made["Tags"][f"{len(rest)} others"] = np.sum([tags[name] for name in rest], axis=0).tolist()
    return made


def _overview(found: RunStatistics) -> Table:
    table = Table(
        f"{found.name}: {found.results:,} results of {found.topics:,} topics"
        + (f", {found.unknown:,} unknown to the index" if found.unknown else ""),
        ["", "mean", "least", "quarter", "median", "three quarters", "most"],
    )
    for name, values in (("characters", found.lengths), ("content elements", found.content_elements)):
        table.rows.append([name, *("-" if v is None else f"{v:,.1f}" for v in summary(values).values())])
    return table


def _share(count: int, known: int) -> str:
    return f"{100 * count / known:.1f} %" if known else "-"


def plot(found: Sequence[RunStatistics], path: str | Path) -> Path:
    """Draw sizes, depths, tags and overlap, a panel each, in percent of each run's results.

    Raises
    ------
    UsageError
        matplotlib is missing, there are more runs than colours, or the file cannot be written.
    """
    from trix.eval.output.plots import COLOURS, pyplot, save

    if len(found) > len(COLOURS):
        raise UsageError(f"{len(found)} runs; a figure has colours for {len(COLOURS)}", field="plot")
    plt = pyplot()
    figure, axes = plt.subplots(2, 2, figsize=(8.4, 6.2), layout="constrained")
    for axis, (title, counts) in zip(axes.flat, distributions(found, 8).items(), strict=True):
        places = np.arange(len(counts))
        height = 0.8 / len(found)
        for k, each in enumerate(found):
            shares = [100 * numbers[k] / max(each.known, 1) for numbers in counts.values()]
            axis.barh(places + (k - (len(found) - 1) / 2) * height, shares, height, color=COLOURS[k], label=each.name)
        axis.set_yticks(places, [name.replace(" another", "\nanother") for name in counts])
        axis.invert_yaxis()
        axis.grid(axis="y", visible=False)
        axis.set_title(title, fontsize=10, loc="left")
        axis.set_xlabel("share of results (%)")
    if len(found) > 1:
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=min(len(found), 4))
    else:
        figure.suptitle(f"{found[0].name}: {found[0].known:,} elements of {found[0].topics:,} topics", fontsize=10)
    return save(plt, figure, path)
