"""Shares of classes of elements, such as sections, among the results of runs [I, figure 1; V, table 1]."""

from __future__ import annotations

from collections.abc import Sequence

from trix.errors import UsageError
from trix.eval.output.report import Table
from trix.indexer.profile.profile import Profile
from trix.lab.stats.stats import RunStatistics

OTHER = "other"
"""Name of the class of all further elements."""


def class_counts_of(found: RunStatistics, classes: Sequence[str], profile: Profile) -> dict[str, int]:
    """Count the results of each class.

    Parameters
    ----------
    found
        Statistics of a run, of the first results only if so computed.
    classes
        A tag for each class. Tags that the profile declares equivalent (``alias``) belong to it, too.
    profile
        Profile of the index.

    Returns
    -------
    dict
        Class -> number of results, with `OTHER` at the end.

    Raises
    ------
    UsageError
        Two classes have a tag in common.
    """
    owner: dict[str, str] = {}
    for name in classes:
        for tag in profile.aliases(name):
            if owner.setdefault(tag, name) != name:
                raise UsageError(f"{owner[tag]} and {name} are one class of the profile", field="classes")
    counts = dict.fromkeys([*classes, OTHER], 0)
    for tag, number in found.tags.items():
        counts[owner.get(tag.rpartition(":")[2], OTHER)] += number
    return counts


def class_shares(found: RunStatistics, classes: Sequence[str], profile: Profile) -> dict[str, float]:
    """Return the share of each class, in [0, 1]; NaN without results. See `class_counts_of`."""
    counts = class_counts_of(found, classes, profile)
    return {name: number / found.known if found.known else float("nan") for name, number in counts.items()}


def classes_table(found: Sequence[RunStatistics], classes: Sequence[str], profile: Profile) -> Table:
    """Return a table with a row a class: results and share of one run, or the shares of several side by side."""
    head = ["results", "share"] if len(found) == 1 else [each.name for each in found]
    table = Table("Classes of elements, with their equivalents", ["class", *head])
    counts = [class_counts_of(each, classes, profile) for each in found]
    for name in [*classes, OTHER]:
        cells: list[object] = [counts[0][name]] if len(found) == 1 else []
        cells += [
            f"{100 * c[name] / each.known:.1f} %" if each.known else "-" for c, each in zip(counts, found, strict=True)
        ]
        table.rows.append([name, *cells])
    return table
