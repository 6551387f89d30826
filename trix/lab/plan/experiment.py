"""An experiment as frozen dataclasses: collections, variants in families, what trains and what tests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from trix.errors import UsageError
from trix.eval.measures.core.registry import Measure
from trix.lab.plan.grid import Axis, Point, fill, value_text
from trix.lab.plan.sizes import size_names
from trix.query.options import Options
from trix.settings import SETTINGS, defaults
from trix.support.near import did_you_mean

BASELINE = "baseline"


@dataclass(frozen=True, kw_only=True)
class Collection:
    """An index, what it is asked, and what is relevant.

    Parameters
    ----------
    name
        As it is called in tables.
    index, topics
        Where they are.
    qrels
        Files of assessments.
    field
        The field of a topic that is its query.
    granulate
        Level at whose members the assessments are made flat [IV, section 3]; empty to leave them as they are.
    graded
        Whether granulated assessments keep their grades.
    level
        Level that is retrieved, whatever a variant says; empty to leave that to the variants.
    """

    name: str
    index: Path
    topics: Path
    qrels: tuple[Path, ...]
    field: str = "title"
    granulate: str = ""
    graded: bool = False
    level: str = ""


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

    @property
    def names(self) -> list[str]:
        """Return the names of all that is measured, shares of sizes included."""
        return [*map(repr, self.measures), *(size_names(self.sizes) if self.sizes else [])]

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


def variant_at(family: str, point: Point, template: Mapping[str, Any]) -> Variant:
    values = dict(point)
    options = {**defaults("experiment"), **{key: fill(value, values) for key, value in template.items()}}
    options |= {name: value for name, value in point if name in SETTINGS}
    if options["top"] == "all":
        options["top"] = None
    return Variant(family, point, json.dumps(options, sort_keys=True))
