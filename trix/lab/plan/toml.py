"""Reader of experiments in TOML; everything is checked before the experiment runs.

::

    title = "Vertical contextualisation"
    measures = ["AP", "nDCG@10"]            # the first one trains

    [collection]                            # or [collections.NAME] for several
    index = "articles.index"
    topics = "topics.tsv"
    qrels = "judgements.qrels"

    [options]                               # of every variant: those of Index.search
    strategy = "thorough"

    [[family]]
    name = "vertical"
    context = "hierarchy:x={x},f={f}"       # a template
    grid.x = { from = -1.5, to = 1.5, by = 0.25 }
    grid.f = [0.5, 1, 2]

    [split]
    kind = "halves"
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trix.errors import FormatError, TrixError, UsageError, did_you_mean
from trix.eval.measures.core.registry import Measure, parse_measure
from trix.indexer.commit.index_names import below, several
from trix.lab.plan.experiment import (
    BASELINE,
    FIELD,
    Experiment,
    Family,
    JudgedCollection,
    LearningPlan,
    SplitRule,
    Variant,
    variant_at,
)
from trix.lab.plan.grid import ParameterAxis, Point, placeholders, points, read_axes, sample, value_text
from trix.lab.plan.tables import TableReader
from trix.settings import settings_of
from trix.support.input_files import read_input_text

SPLITS = ("none", "halves", "folds", "swap", "topics")
TABLES = (
    "title", "measures", "train_on", "sizes", "collection", "collections", "options", "baseline", "family", "split",
    "learn",
)  # fmt: skip
OWN_KEYS = ("name", "grid", "list", "sample", "seed")
LEARN_KEYS = ("name", "grid", "parts")


def read_experiment(
    path: str | os.PathLike[str],
    base: str | os.PathLike[str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Experiment:
    """Read an experiment.

    Parameters
    ----------
    path
        The TOML file.
    base
        Folder for relative paths; that of the file if left out.
    options
        Search options that override the table ``options``.

    Raises
    ------
    FormatError
        The file is not TOML.
    UsageError
        A key or a value is wrong. The message names it.
    """
    file = Path(path)
    try:
        text = read_input_text(file)
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(" ".join(str(error).split()), file) from None
    if options:
        table = TableReader(str(file), "", data).table("options")
        data["options"] = {**table.data, **options}
    return parse_experiment(data, file.parent if base is None else Path(base), str(file), text)


def parse_experiment(data: Mapping[str, Any], base: Path, file: str = "experiment", text: str = "") -> Experiment:
    """Parse and check the data of an experiment."""
    table = TableReader(file, "", data)
    table.only(TABLES)
    measures = _measures(table)
    shared = _options(table.table("options"), ())
    baseline = table.table("baseline")
    families = tuple(_family(inner, name, shared) for name, inner in _named(table, "family"))
    collections = _collections(table, base)
    return Experiment(
        title=table.text("title", Path(file).stem),
        collections=collections,
        baseline=_checked(baseline, BASELINE, (), {**shared, **_options(baseline, ())}),
        families=families,
        measures=measures,
        train_on=_train_on(table, measures),
        split=_split(table.table("split"), [each.name for each in collections]),
        sizes=table.whole("sizes", 0),
        text=text,
        plans=tuple(_plan(inner, name, shared) for name, inner in _named(table, "learn")),
    )


def _measures(table: TableReader) -> tuple[Measure, ...]:
    names = table.texts("measures", ("AP",))
    if not names:
        table.fail("measures: expected at least one")
    try:
        measures = tuple(dict.fromkeys(parse_measure(name) for name in names))
    except TrixError as error:
        table.fail(f"measures: {error}")
    for measure in measures:
        if measure.spec.finish is not None and not measure.spec.parts:
            table.fail(
                f"measures: {measure} is computed from the mean curves of all topics, but an experiment keeps single "
                f"values of topics; expected a measure such as CG@{measure.cutoff:g}"
            )
    return measures


def _train_on(table: TableReader, measures: tuple[Measure, ...]) -> Measure:
    name = table.text("train_on", repr(measures[0]))
    try:
        chosen = parse_measure(name)
    except TrixError as error:
        table.fail(f"train_on: {error}")
    if chosen not in measures:
        table.fail(f"train_on = {name!r}: expected one of the measures, {', '.join(map(repr, measures))}")
    return chosen


def _collections(table: TableReader, base: Path) -> tuple[JudgedCollection, ...]:
    if ("collection" in table.data) == ("collections" in table.data):
        table.fail("expected [collection], or [collections.NAME] for each of several")
    if "collection" in table.data:
        inner = table.table("collection")
        return (_collection(inner, inner.data.get("name"), base),)
    several = table.table("collections")
    if not several.data:
        several.fail("expected at least one collection")
    return tuple(_collection(several.table(name), name, base) for name in several.data)


def _collection(table: TableReader, name: Any, base: Path) -> JudgedCollection:
    table.only(("name", "index", "topics", "qrels", "field", "query_type", "granulate", "graded", "level", "sample"))
    table.need("qrels")
    qrels = table.texts("qrels")
    if not qrels:
        table.fail("qrels: expected a file")
    index = table.text("index")
    return JudgedCollection(
        name=",".join(Path(each).stem for each in several(index)) if name is None else str(name),
        index=below(base, index),
        topics=base / table.text("topics"),
        qrels=tuple(base / each for each in qrels),
        field=table.text("field", "title"),
        query_type=table.text("query_type") if "query_type" in table.data else "",
        granulate=table.text("granulate") if "granulate" in table.data else "",
        graded=table.switch("graded"),
        level=table.text("level") if "level" in table.data else "",
        sample=table.whole("sample", 0),
    )


def _options(table: TableReader, more: tuple[str, ...]) -> dict[str, Any]:
    """Return the search options of a table, and the field of topics; `more` are further allowed keys."""
    known = (*settings_of("experiment"), FIELD)
    table.only([*more, *known])
    if FIELD in table.data:
        table.text(FIELD)
    return {key: value for key, value in table.data.items() if key in known}


def _named(table: TableReader, key: str) -> Iterator[tuple[str, TableReader]]:
    """Yield (name, table) of a list of tables with distinct names."""
    tables = table.data.get(key, [])
    if not isinstance(tables, list):
        table.fail(f"{key}: expected [[{key}]], with two pairs of brackets")
    names = {BASELINE}
    for number, data in enumerate(tables, 1):
        inner = TableReader(table.file, f"[[{key}]] {number}", data)
        name = inner.text("name")
        inner.place = f"[[{key}]] {name}"
        if name in names or ":" in name:
            inner.fail(f"name = {name!r}: {'a colon is not allowed' if ':' in name else 'the name is taken'}")
        names.add(name)
        yield name, inner


def _plan(table: TableReader, name: str, shared: Mapping[str, Any]) -> LearningPlan:
    own = _options(table, LEARN_KEYS)
    template = {**shared, **own}
    axes = _axes(table, template, sampled=False)
    if not axes:
        table.fail("expected parameters, as grid.k1 = [1.2, 0.9, 0.6]")
    plan = LearningPlan(name, axes, json.dumps(template, sort_keys=True), _parts(table, axes))
    for place, axis in enumerate(axes):
        for value in axis.values:  # each value alone, since all combinations are too many
            _checked(table, name, (*plan.start[:place], (axis.name, value), *plan.start[place + 1 :]), template)
    return plan


def _parts(table: TableReader, axes: Sequence[ParameterAxis]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the parts of a plan: those of the table, and each remaining parameter as its own part."""
    inner, left = table.table("parts"), [axis.name for axis in axes]
    parts = {part: inner.texts(part) for part in inner.data}
    for part, names in parts.items():
        for axis in names:
            if axis not in left:
                known = [each.name for each in axes]
                why = "is in two parts" if axis in known else f"is no parameter{did_you_mean(axis, known)}"
                inner.fail(f"{part}: {axis} {why}")
            left.remove(axis)
    return (*parts.items(), *((axis, (axis,)) for axis in left))


def _family(table: TableReader, name: str, shared: Mapping[str, Any]) -> Family:
    own = _options(table, OWN_KEYS)
    sampled = "sample" in table.data
    template = {**shared, **own}
    axes = _axes(table, template, sampled)
    found = sample(axes, table.whole("sample", low=1), table.whole("seed", 1)) if sampled else points(axes)
    if "list" in table.data:
        if axes:
            table.fail("expected a grid or a list, not both")
        found = _listed(table)
        axes = tuple(
            ParameterAxis(key, tuple(dict.fromkeys(dict(point)[key] for point in found))) for key, _ in found[0]
        )
    variants = tuple(_checked(table, name, point, template) for point in found)
    return Family(name, axes, variants, json.dumps(template, sort_keys=True))


def _axes(table: TableReader, template: Mapping[str, Any], sampled: bool) -> tuple[ParameterAxis, ...]:
    grid = table.table("grid")
    grid.place = f"{table.place}, grid"
    axes = read_axes(grid, sampled)
    used = {place for value in template.values() for place in placeholders(value)}
    for axis in axes:
        if axis.name not in used and axis.name not in (*settings_of("experiment"), FIELD):
            grid.fail(f"{axis.name}: is no search option, and no template has {{{axis.name}}}")
    return axes


def _listed(table: TableReader) -> list[Point]:
    rows = table.data["list"]
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) and row for row in rows):
        table.fail("list: expected tables, as [{b = 0.1}, {b = 0.4}]")
    if any(list(row) != list(rows[0]) for row in rows):
        table.fail("list: expected the same keys in every table, in the same order")
    for value in (value for row in rows for value in row.values()):
        if not isinstance(value, str | int | float | bool):
            table.fail("list: expected texts and numbers as values")
    return [tuple(row.items()) for row in rows]


def _checked(table: TableReader, family: str, point: Point, template: Mapping[str, Any]) -> Variant:
    try:
        variant = variant_at(family, point, template)
        _ = variant.options
    except TrixError as error:
        at = ", ".join(f"{name} = {value_text(value)}" for name, value in point)
        wrong = error.about(f"{error.field} =") if isinstance(error, UsageError) and error.field else str(error)
        table.fail(f"{at + ': ' if at else ''}{wrong}")
    return variant


def _split(table: TableReader, collections: list[str]) -> SplitRule:
    table.only(("kind", "folds", "order", "seed", "train", "test", "pairs"))
    rule = SplitRule(
        kind=table.text("kind", "none", SPLITS),
        folds=table.whole("folds", 5, low=2),
        order=table.text("order", "alternate", ("alternate", "random")),
        seed=table.whole("seed", 1),
        train=table.texts("train"),
        test=table.texts("test"),
        pairs=_pairs(table, collections),
    )
    if rule.kind == "topics":
        if not rule.train or not rule.test:
            table.fail("kind = 'topics': expected lists of topic ids, train and test")
        both = set(rule.train) & set(rule.test)
        if both:
            table.fail(f"topic {min(both)} is in both train and test")
    elif rule.train or rule.test:
        table.fail(f"train and test belong to kind = 'topics', not to {rule.kind!r}")
    return rule


def _pairs(table: TableReader, collections: list[str]) -> tuple[tuple[str, str], ...]:
    if table.data.get("kind") != "swap":
        if "pairs" in table.data:
            table.fail("pairs belong to kind = 'swap'")
        return ()
    pairs = table.data.get("pairs", [collections] if len(collections) == 2 else None)
    if pairs is None:
        table.fail(f"kind = 'swap': expected two collections, or pairs = [[A, B], ...]; there are {len(collections)}")
    if not isinstance(pairs, list) or any(not isinstance(pair, list) or len(pair) != 2 for pair in pairs):
        table.fail("pairs: expected lists of two collections, as [[A, B]]")
    names = [name for pair in pairs for name in pair]
    for name in names:
        if name not in collections:
            table.fail(f"pairs: there is no collection {name}{did_you_mean(str(name), collections)}")
    if len(set(names)) < len(names):
        table.fail("pairs: a collection appears twice")
    return tuple((a, b) for a, b in pairs)
