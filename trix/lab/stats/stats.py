"""Statistics of a run: sizes, depths, tags and overlap of its results [I, V]."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.data.runs import Ranking, Rankings
from trix.lab.plan.sizes import CLASSES, class_counts
from trix.lab.run.units import UnitNumbers
from trix.support.element_path import ancestors, tag


@dataclass
class RunStatistics:
    """Distributions of a run's results.

    Attributes
    ----------
    name
        Name of the run.
    topics, results
        Number of topics and of results.
    unknown
        Number of results that are not elements of the index; the other fields ignore them.
    lengths
        Characters of each result.
    content_elements
        Number of content elements in each result.
    depths
        Depth -> number of results; roots have depth 1.
    tags
        Tag -> number of results, most frequent first.
    overlapping
        Number of results inside or around another result of the same topic.
    nested
        Number of results inside another.
    """

    name: str
    topics: int = 0
    results: int = 0
    unknown: int = 0
    lengths: list[int] = field(default_factory=list)
    content_elements: list[int] = field(default_factory=list)
    depths: Counter[int] = field(default_factory=Counter)
    tags: Counter[str] = field(default_factory=Counter)
    overlapping: int = 0
    nested: int = 0

    @property
    def known(self) -> int:
        """Return the number of results that are elements of the index."""
        return len(self.lengths)

    def to_json(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        sizes, depths, tags, _ = self.distributions().values()
        return {
            "run": self.name,
            "topics": self.topics,
            "results": self.results,
            "unknown": self.unknown,
            "characters": summary(self.lengths),
            "content_elements": summary(self.content_elements),
            "sizes": sizes,
            "depths": depths,
            "tags": tags,
            "overlapping": self.overlapping,
            "nested": self.nested,
        }

    def size_classes(self) -> list[int]:
        """Return the number of results in each class of sizes."""
        return class_counts(self.lengths)

    def distributions(self) -> dict[str, dict[str, int]]:
        """Return the four distributions: title -> class -> number of results."""
        tags = sorted(self.tags.items(), key=lambda item: (-item[1], item[0]))
        return {
            "Sizes in characters": dict(zip(CLASSES, self.size_classes(), strict=True)),
            "Depth (roots have 1)": {str(depth): self.depths[depth] for depth in sorted(self.depths)},
            "Tags": dict(tags),
            "Overlap within a topic": {
                "inside another result": self.nested,
                "inside or around another": self.overlapping,
            },
        }


def summary(values: list[int]) -> dict[str, float | None]:
    """Return mean, minimum, quartiles and maximum; None without values."""
    names = ("mean", "min", "q25", "median", "q75", "max")
    if not values:
        return dict.fromkeys(names)
    array = np.array(values, np.float64)
    return dict(zip(names, [float(array.mean()), *np.quantile(array, [0, 0.25, 0.5, 0.75, 1]).tolist()], strict=True))


def run_statistics(run: Rankings, index: Any, top: int | None = None) -> RunStatistics:
    """Compute the distributions of a run of elements.

    Parameters
    ----------
    run
        The run; a result without a path is the root of its document.
    index
        An open `trix.Index`.
    top
        Number of results of each topic that count; None for all.

    Raises
    ------
    UsageError
        No result is an element of the index, or results are passages.
    """
    files = index.files
    units, table = UnitNumbers(files), files.elements
    found = RunStatistics(run.name)
    for topic, ranking in run.rankings.items():
        if ranking.starts is not None and ranking.paths is None:
            name = run.source or run.name
            raise UsageError(f"{name}: topic {topic} has passages; `trix convert` with `paths` names elements")
        taken = ranking if top is None else ranking.take(range(min(top, len(ranking))))
        numbers = units.numbers(taken.units())
        found.topics += 1
        found.results += len(taken)
        found.unknown += sum(unit not in numbers for unit in taken.units())
        elements = np.array(list(numbers.values()), np.int32)
        if not elements.size:
            continue
        table.structure_of_elements(elements)
        table.printed_of(elements)
        found.lengths += table.length[elements].tolist()
        found.content_elements += table.contents[elements].tolist()
        found.depths.update((table.depth[elements] + 1).tolist())
        _count_paths(found, taken, numbers)
    if found.results and not found.known:
        raise UsageError(f"{run.source or run.name}: none of its results is an element of {files.path}")
    return found


def _count_paths(found: RunStatistics, ranking: Ranking, numbers: dict[str, int]) -> None:
    paths = ranking.paths or [""] * len(ranking)
    known = [(d, p) for d, p, u in zip(ranking.docs, paths, ranking.units(), strict=True) if u in numbers]
    rooted = [(doc, path if path.count("/") > 1 else "") for doc, path in known]
    there = set(rooted)
    inside: set[tuple[str, str]] = set()
    around: set[tuple[str, str]] = set()
    for doc, path in rooted:
        above = [(doc, a if a.count("/") > 1 else "") for a in ancestors(path)] if path else []
        holders = [unit for unit in above if unit in there]
        if holders:
            inside.add((doc, path))
            around.update(holders)
    found.nested += sum(unit in inside for unit in rooted)
    found.overlapping += sum(unit in inside or unit in around for unit in rooted)
    found.tags.update(tag(path) if path else "(document)" for _, path in known)
