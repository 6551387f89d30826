"""Reader of a folder of results, without indexes or assessments."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

from trix.errors import FormatError, UsageError
from trix.eval.measures.core.registry import parse_measure
from trix.lab.plan.experiment import Experiment, Family, SplitRule, Variant
from trix.lab.plan.grid import ParameterAxis
from trix.lab.plan.split import SplitPart, TopicFold
from trix.lab.run.journal import Key, Values
from trix.lab.run.sweep import Sweep, TopicRow
from trix.lab.run.training import MeasureValues
from trix.support.output import usable


def load(folder: str | os.PathLike[str]) -> Sweep:
    """Read the results of a sweep from its folder.

    Raises
    ------
    UsageError
        The folder has no results.
    FormatError
        The files are not those of a sweep.
    """
    place = Path(folder)
    try:
        data = json.loads((place / "experiment.json").read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(f"{place}: no results of a sweep; expected the folder that `trix sweep` has written") from None
    except ValueError as error:
        raise FormatError(f"it is not JSON: {error}", place / "experiment.json") from None
    try:
        return _sweep(place, data)
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"not as trix sweep writes it: {error!r}", place / "experiment.json") from None


def _sweep(place: Path, data: dict[str, Any]) -> Sweep:
    variants = [_variant(each) for each in data["variants"]]
    families: dict[str, list[Variant]] = {}
    for variant in variants[1:]:
        families.setdefault(variant.family, []).append(variant)
    experiment = Experiment(
        title=data["title"],
        collections=(),
        baseline=variants[0],
        families=tuple(
            Family(name, _axes(group), tuple(group), json.dumps(data["families"][name], sort_keys=True))
            for name, group in families.items()
        ),
        measures=tuple(parse_measure(name) for name in data["measures"]),
        train_on=parse_measure(data["train_on"]),
        split=SplitRule(kind=data["split"]["kind"]),
        sizes=data["sizes"],
    )
    parts = [
        SplitPart(part["name"], tuple(TopicFold(_topics(f["train"]), _topics(f["test"])) for f in part["folds"]))
        for part in data["split"]["parts"]
    ]
    values, topics = _values(place / "topics.csv", {variant.name: variant for variant in variants})
    facts = {key: data[key] for key in ("versions", "collections")}
    return Sweep(experiment, place, topics, parts, MeasureValues(values), facts)


def _variant(data: dict[str, Any]) -> Variant:
    return Variant(data["family"], tuple(data["parameters"].items()), json.dumps(data["options"], sort_keys=True))


def _axes(variants: list[Variant]) -> tuple[ParameterAxis, ...]:
    names = [name for name, _ in variants[0].point]
    return tuple(ParameterAxis(name, tuple(dict.fromkeys(dict(v.point)[name] for v in variants))) for name in names)


def _topics(pairs: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((collection, topic) for collection, topic in pairs)


def _values(path: Path, variants: dict[str, Variant]) -> tuple[dict[Key, Values], list[tuple[str, str]]]:
    values: dict[Key, Values] = {}
    topics: dict[tuple[str, str], None] = {}
    with usable(path), path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        if tuple(next(rows, ())) != TopicRow._fields:
            raise FormatError(f"expected the columns {', '.join(TopicRow._fields)}", path, 1)
        for collection, topic, variant, measure, value in rows:
            topics.setdefault((collection, topic))
            key = (collection, topic, variants[variant].settings)
            values.setdefault(key, {})[measure] = float(value) if value else None
    return values, list(topics)
