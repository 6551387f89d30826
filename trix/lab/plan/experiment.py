"""An experiment as frozen dataclasses: collections, families of variants, training and test topics."""

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
from trix.lab.plan.grid import ParameterAxis, Point, substitute, value_text
from trix.lab.plan.sizes import size_names
from trix.query.options import Options
from trix.settings import SETTINGS, defaults

BASELINE = "baseline"
FIELD = "field"
"""Key of variants for the field of a topic that is the query."""


@dataclass(frozen=True, kw_only=True)
class JudgedCollection:
    """Test collection: an index, topics and assessments.

    Parameters
    ----------
    name
        Name in tables.
    index
        Its folder or URL; several, separated by commas, are searched as one.
    topics
        Topic file.
    qrels
        Assessments: files, or folders of them.
    field
        Field of a topic used as the query.
    query_type
        Type of the topics to use, such as ``CO``; empty for all.
    granulate
        Level to which the assessments are granulated [IV, section 3]; empty for none.
    graded
        Whether granulated assessments keep their grades.
    level
        Level to retrieve, which overrides that of the variants; empty to use theirs.
    sample
        Number of judged topics to use, spread evenly over their file; 0 for all.
    """

    name: str
    index: str | Path
    topics: Path
    qrels: tuple[Path, ...]
    field: str = "title"
    query_type: str = ""
    granulate: str = ""
    graded: bool = False
    level: str = ""
    sample: int = 0

    def absolute(self) -> JudgedCollection:
        """Return a copy with absolute paths."""
        qrels = tuple(each.absolute() for each in self.qrels)
        return replace(self, index=below(Path.cwd(), str(self.index)), topics=self.topics.absolute(), qrels=qrels)


@dataclass(frozen=True)
class Variant:
    """Named search options.

    Parameters
    ----------
    family
        Family to which it belongs.
    point
        Its parameters.
    settings
        Options, and the field of topics if it is given, as JSON with sorted keys; variants with equal settings give
        equal results.
    """

    family: str
    point: Point
    settings: str

    @property
    def name(self) -> str:
        """Return the family name, followed by the parameters if there are any."""
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
        """Return the options, validated."""
        return Options.of(**{name: value for name, value in json.loads(self.settings).items() if name != FIELD})

    @cached_property
    def field(self) -> str:
        """Return the field of topics that is the query; empty for that of the collection."""
        return str(json.loads(self.settings).get(FIELD, ""))


@dataclass(frozen=True)
class Family:
    """Variants with the same parameters.

    Parameters
    ----------
    name
        Name in tables.
    axes
        Its parameters.
    variants
        Variants in the order of the grid.
    template
        Options as JSON, with placeholders for the parameters.
    """

    name: str
    axes: tuple[ParameterAxis, ...]
    variants: tuple[Variant, ...]
    template: str = "{}"

    def at(self, point: Point) -> Variant:
        """Return the variant at any point of the parameter space."""
        return variant_at(self.name, point, json.loads(self.template))


@dataclass(frozen=True)
class LearningPlan:
    """Parameters to learn together.

    Parameters
    ----------
    name
        Name in tables.
    axes
        Parameters. The first value of each applies while it is not learned.
    template
        Options as JSON, with placeholders for the parameters.
    parts
        Name -> its parameters. Each part is learned alone and left out, to measure its gain. Each parameter is in one
        part.

    Examples
    --------
    >>> axes = (ParameterAxis("k1", (1.2, 0.6)), ParameterAxis("w", (0, 0.5, 1)))
    >>> plan = LearningPlan("a", axes, '{"model": "bm25", "context": "root:{w}"}', (("model", ("k1",)), ("w", ("w",))))
    >>> plan.start
    (('k1', 1.2), ('w', 0))
    >>> plan.at(plan.start).options.k1
    1.2
    """

    name: str
    axes: tuple[ParameterAxis, ...]
    template: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def start(self) -> Point:
        """The first value of each parameter."""
        return tuple((axis.name, axis.values[0]) for axis in self.axes)

    def at(self, point: Point) -> Variant:
        """Return the variant at any point of the parameter space."""
        return variant_at(self.name, point, json.loads(self.template))

    def free(self, parts: Names[str]) -> tuple[ParameterAxis, ...]:
        """Return the parameters of the given parts."""
        names = {name for part, axes in self.parts if part in parts for name in axes}
        return tuple(axis for axis in self.axes if axis.name in names)

    @property
    def fields(self) -> set[str]:
        """The fields of topics that its variants ask with; empty for that of the collection."""
        start = self.start
        points = [
            (*start[:place], (axis.name, value), *start[place + 1 :])
            for place, axis in enumerate(self.axes)
            for value in axis.values
        ]
        return {self.at(point).field for point in points}

    @property
    def probes(self) -> list[Variant]:
        """Distant variants: all parameters at their first or last values, except for one."""
        last = tuple((axis.name, axis.values[-1]) for axis in self.axes)
        points = {self.start: None, last: None}
        for place, axis in enumerate(self.axes):
            for whole, value in ((self.start, axis.values[-1]), (last, axis.values[0])):
                points[*whole[:place], (axis.name, value), *whole[place + 1 :]] = None
        return list({variant.settings: variant for variant in map(self.at, points)}.values())


@dataclass(frozen=True, kw_only=True)
class SplitRule:
    """Rule that divides topics into training and test topics.

    Parameters
    ----------
    kind
        ``none``; ``halves`` of each collection; ``folds``, each tested by the others; ``swap``, of two collections
        each tested by the other; ``topics``, as listed.
    folds
        Number of folds.
    order
        ``alternate``: topic by topic in turn; ``random``: shuffled first.
    seed
        Seed of the shuffling.
    train, test
        Topic ids, for ``topics``.
    pairs
        Names of the collections to swap; empty if there are only two.
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
    """Content of an experiment file.

    Parameters
    ----------
    title
        Title of the report.
    collections
        One or more.
    baseline
        Variant with which all others are compared.
    families
        Families from which training selects.
    measures
        Measures to compute.
    train_on
        Measure that training optimises.
    split
        Rule for training and test topics.
    sizes
        Number of first results that are counted by size; 0 for none.
    text
        Text of the file, for provenance.
    plans
        Plans for learning.
    """

    title: str
    collections: tuple[JudgedCollection, ...]
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
        """Return the names of all recorded values, including parts of measures and size classes."""
        names = [name for measure in self.measures for name in columns(measure)]
        return [*names, *(size_names(self.sizes) if self.sizes else [])]

    @property
    def variants(self) -> list[Variant]:
        """Return all variants, the baseline first."""
        return [self.baseline, *(variant for family in self.families for variant in family.variants)]

    def fields(self, collection: JudgedCollection) -> list[str]:
        """Return the fields of a collection's topics that are queries, sorted."""
        asked = {variant.field for variant in self.variants}.union(*(plan.fields for plan in self.plans))
        return sorted({field or collection.field for field in asked})

    def family(self, name: str) -> Family:
        """Return the family with the given name."""
        for family in self.families:
            if family.name == name:
                return family
        names = [family.name for family in self.families]
        raise UsageError(f"there is no family {name}{did_you_mean(name, names)}; families: {', '.join(names)}")

    def plan(self, name: str | None) -> LearningPlan:
        """Return the learning plan with the given name, or the only one if it is None.

        Raises
        ------
        UsageError
            The name is unknown, or missing with several plans.
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
    """Return the names of the recorded values of a measure: its own, and those of its parts.

    >>> from trix.eval.measures.core.registry import parse_measure
    >>> columns(parse_measure("AP")), columns(parse_measure("aggregate2004"))[:3]
    (['AP'], ['aggregate2004', 'aggregate2004:strict', 'aggregate2004:gen'])
    """
    return [repr(measure), *(f"{measure!r}:{part}" for part in measure.spec.parts)]


def variant_at(family: str, point: Point, template: Mapping[str, Any]) -> Variant:
    values = dict(point)
    options = {**defaults("experiment"), **{key: substitute(value, values) for key, value in template.items()}}
    options |= {name: value for name, value in point if name in SETTINGS or name == FIELD}
    if options["top"] == "all":
        options["top"] = None
    return Variant(family, point, json.dumps(options, sort_keys=True))
