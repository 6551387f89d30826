"""An experiment as frozen dataclasses: collections, variants in families, what trains and what tests."""

from __future__ import annotations

import json
from collections.abc import Collection as Names
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from trix.errors import UsageError, did_you_mean
from trix.eval.measures.core.registry import Measure
from trix.indexer.commit.index_names import below
from trix.lab.plan.grid import Axis, Point, fill, value_text
from trix.lab.plan.sizes import size_names
from trix.query.options import Options
from trix.settings import SETTINGS, defaults

BASELINE = "baseline"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """An index, what it is asked, and what is relevant.

    Parameters
    ----------
    name
        As it is called in tables.
    index
        Its folder or URL; several with commas are one.
    topics
        Their file.
    qrels
        Assessments: files, or folders of them.
    field
        The field of a topic that is its query.
    granulate
        Level at whose members the assessments are made flat [IV, section 3]; empty to leave them as they are.
    graded
        Whether granulated assessments keep their grades.
    level
        Level that is retrieved, whatever a variant says; empty to leave that to the variants.
    sample
        How many of the judged topics are asked, evenly over their file; 0 for all.
    """

    name: str
    index: str | Path
    topics: Path
    qrels: tuple[Path, ...]
    field: str = "title"
    granulate: str = ""
    graded: bool = False
    level: str = ""
    sample: int = 0

    def absolute(self) -> Collection:
        """Return the same by paths that hold in any folder."""
        qrels = tuple(each.absolute() for each in self.qrels)
        return replace(self, index=below(Path.cwd(), str(self.index)), topics=self.topics.absolute(), qrels=qrels)


@dataclass(frozen=True)
class Variant:
    """Search options with a name.

    Parameters
    ----------
    family
        The family among which it is chosen.
    point
        Its parameters.
    settings
        Options as JSON, sorted: what makes two variants equal in effect.
    """

    family: str
    point: Point
    settings: str

    @property
    def name(self) -> str:
        """Return the family, and the parameters where there are any."""
        return f"{self.family}:{self.parameters}" if self.point else self.family

    @property
    def parameters(self) -> str:
        """Return the parameters as text.

        >>> Variant("vertical", (("x", -0.5), ("f", 2)), "{}").parameters
        'x=-0.5,f=2'
        """
        return ",".join(f"{name}={value_text(value)}" for name, value in self.point)

    @cached_property
    def options(self) -> Options:
        """Return the options, checked."""
        return Options.of(**json.loads(self.settings))


@dataclass(frozen=True)
class Family:
    """Variants with the same parameters.

    Parameters
    ----------
    name
        As it is called in tables.
    axes
        Its parameters.
    variants
        In the order of the grid.
    template
        Its options before the parameters are put in, as JSON.
    """

    name: str
    axes: tuple[Axis, ...]
    variants: tuple[Variant, ...]
    template: str = "{}"

    def at(self, point: Point) -> Variant:
        """Return the variant at any point of the parameters' space."""
        return variant_at(self.name, point, json.loads(self.template))


@dataclass(frozen=True)
class LearningPlan:
    """Parameters to be learned together.

    Parameters
    ----------
    name
        As it is called in tables.
    axes
        The parameters. The first value of each is what holds without it.
    template
        The options before the parameters are put in, as JSON.
    parts
        Name -> its parameters: what is left out or taken alone to see what it gains. Each parameter is in one part.

    Examples
    --------
    >>> axes = (Axis("k1", (1.2, 0.6)), Axis("w", (0, 0.5, 1)))
    >>> plan = LearningPlan("a", axes, '{"model": "bm25", "context": "root:{w}"}', (("model", ("k1",)), ("w", ("w",))))
    >>> plan.start
    (('k1', 1.2), ('w', 0))
    >>> plan.at(plan.start).options.k1
    1.2
    """

    name: str
    axes: tuple[Axis, ...]
    template: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def start(self) -> Point:
        """What holds without any part: the first value of each parameter."""
        return tuple((axis.name, axis.values[0]) for axis in self.axes)

    def at(self, point: Point) -> Variant:
        """Return the variant at any point of the parameters' space."""
        return variant_at(self.name, point, json.loads(self.template))

    def free(self, parts: Names[str]) -> tuple[Axis, ...]:
        """Return the parameters of some parts."""
        names = {name for part, axes in self.parts if part in parts for name in axes}
        return tuple(axis for axis in self.axes if axis.name in names)

    @property
    def probes(self) -> list[Variant]:
        """Variants that are far from each other: all at the first or the last values, but for one parameter."""
        last = tuple((axis.name, axis.values[-1]) for axis in self.axes)
        points = {self.start: None, last: None}
        for place, axis in enumerate(self.axes):
            for whole, value in ((self.start, axis.values[-1]), (last, axis.values[0])):
                points[*whole[:place], (axis.name, value), *whole[place + 1 :]] = None
        return list({variant.settings: variant for variant in map(self.at, points)}.values())


@dataclass(frozen=True, kw_only=True)
class SplitRule:
    """Which topics train, and which test.

    Parameters
    ----------
    kind
        ``none``; ``halves`` of each collection; ``folds``, each tested by the others; ``swap``, of two collections
        each tested by the other; ``topics``, as listed.
    folds
        How many.
    order
        ``alternate``: topic by topic in turn; ``random``: shuffled first.
    seed
        Of the shuffling.
    train, test
        Topic ids, where they are listed.
    pairs
        Names of collections that are swapped; empty for the two that there are.
    """

    kind: str = "none"
    folds: int = 5
    order: str = "alternate"
    seed: int = 1
    train: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What a file of an experiment says.

    Parameters
    ----------
    title
        For the report.
    collections
        One or more.
    baseline
        What all are compared with.
    families
        What training chooses from.
    measures
        All that is measured.
    train_on
        The measure that training optimises.
    split
        Which topics train.
    sizes
        How many of the first results are counted by size; 0 for none.
    text
        The file, for provenance.
    plans
        What learning chooses from.
    """

    title: str
    collections: tuple[Collection, ...]
    baseline: Variant
    families: tuple[Family, ...]
    measures: tuple[Measure, ...]
    train_on: Measure
    split: SplitRule = field(default_factory=SplitRule)
    sizes: int = 0
    text: str = ""
    plans: tuple[LearningPlan, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names of all that is measured, parts of measures and shares of sizes included."""
        names = [name for measure in self.measures for name in columns(measure)]
        return [*names, *(size_names(self.sizes) if self.sizes else [])]

    @property
    def variants(self) -> list[Variant]:
        """Return all variants, the baseline first."""
        return [self.baseline, *(variant for family in self.families for variant in family.variants)]

    def family(self, name: str) -> Family:
        """Return a family by its name."""
        for family in self.families:
            if family.name == name:
                return family
        names = [family.name for family in self.families]
        raise UsageError(f"there is no family {name}{did_you_mean(name, names)}; families: {', '.join(names)}")

    def plan(self, name: str | None) -> LearningPlan:
        """Return what is learned under a name, which may be left out where there is one only.

        Raises
        ------
        UsageError
            There is none, or several.
        """
        names = [plan.name for plan in self.plans]
        if name is None and len(names) != 1:
            raise UsageError(
                f"expected the name of a [[learn]] table; there are: {', '.join(names) or 'none'}", field="name"
            )
        for plan in self.plans:
            if name in (None, plan.name):
                return plan
        near = did_you_mean(str(name), names)
        raise UsageError(f"there is no [[learn]] {name}{near}; there are: {', '.join(names) or 'none'}")


def columns(measure: Measure) -> list[str]:
    """Return the names of the values that are kept of a measure: its own, and those of its parts.

    >>> from trix.eval.measures.core.registry import parse_measure
    >>> columns(parse_measure("AP")), columns(parse_measure("aggregate2004"))[:3]
    (['AP'], ['aggregate2004', 'aggregate2004:strict', 'aggregate2004:gen'])
    """
    return [repr(measure), *(f"{measure!r}:{part}" for part in measure.spec.parts)]


def variant_at(family: str, point: Point, template: Mapping[str, Any]) -> Variant:
    values = dict(point)
    options = {**defaults("experiment"), **{key: fill(value, values) for key, value in template.items()}}
    options |= {name: value for name, value in point if name in SETTINGS}
    if options["top"] == "all":
        options["top"] = None
    return Variant(family, point, json.dumps(options, sort_keys=True))
