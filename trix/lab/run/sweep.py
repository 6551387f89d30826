"""Sweep of `trix sweep`: every variant of an experiment on every topic, with training, testing and output files.

A folder of results contains

- ``topics.csv`` (and ``topics.parquet`` where pyarrow is installed): collection, topic, variant, measure, value;
- ``variants.csv``: part, side (train, test or all), family, variant, its parameters, measure, mean;
- ``experiment.json``: versions, indexes, topics, assessments, settings, training choices;
- ``experiment.toml``: a copy of the experiment file;
- ``journal``: finished values, from which an interrupted sweep continues.

The same inputs give the same bytes: the files have no dates, and their order is that of the experiment.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from trix.errors import UsageError
from trix.lab.plan.experiment import Experiment
from trix.lab.plan.split import SplitPart, TopicKey, split
from trix.lab.run import provenance
from trix.lab.run.array_cache import ArrayCache
from trix.lab.run.journal import Journal
from trix.lab.run.training import MeasureValues, TrainingChoice, train
from trix.lab.run.workers import EvaluatorSet, SweepWorkers
from trix.support.output import replace_file, usable
from trix.support.progress import Progress

JOURNAL = "journal"
CACHE = ".matched"
"""Folder for the matched topics of tuning and learning, removed at the end."""


@dataclass
class Sweep:
    """Result of a sweep.

    Attributes
    ----------
    experiment
        The experiment.
    folder
        Folder of results.
    parts
        Training and test topics.
    measured
        All measured values.
    facts
        Versions and the provenance of each collection (`trix.lab.run.provenance`).
    notices
        Notices, one line each.
    skipped
        Topic -> reason, for topics that could not be searched or measured; they count as topics without results.
    """

    experiment: Experiment
    folder: Path
    topics: list[TopicKey]
    parts: list[SplitPart]
    measured: MeasureValues
    facts: Mapping[str, Any]
    notices: list[str] = field(default_factory=list)
    skipped: dict[TopicKey, str] = field(default_factory=dict)

    def skip(self, skipped: Mapping[TopicKey, str]) -> None:
        """Record topics that could not be measured."""
        self.notices += skipped_notices(skipped)
        self.skipped.update(skipped)

    def trained(self, part: SplitPart) -> dict[str, TrainingChoice]:
        """Return the training choice in a part, by family."""
        experiment = self.experiment
        return {
            family.name: train(self.measured, family.variants, part, experiment.train_on)
            for family in experiment.families
        }


class OpenSweep(NamedTuple):
    """An open sweep: its result so far, the evaluators, and the journal."""

    sweep: Sweep
    evaluators: EvaluatorSet
    journal: Journal


def open_sweep(experiment: Experiment, folder: str | os.PathLike[str], cache: ArrayCache | None = None) -> OpenSweep:
    """Open the collections of an experiment and the journal in a folder, which may already have values.

    A cache speeds up repeated measurements of the same topics.

    Raises
    ------
    TrixError
        An index, topics or assessments cannot be read, or the folder cannot be written.
    """
    place = Path(folder)
    with usable(place):
        place.mkdir(parents=True, exist_ok=True)
    evaluators = EvaluatorSet(
        {each.name: each for each in experiment.collections}, experiment.measures, experiment.sizes, cache
    )
    topics: dict[str, list[str]] = {}
    notices: list[str] = []
    skipped: dict[TopicKey, str] = {}
    facts: dict[str, Any] = {"versions": provenance.versions(), "collections": {}}
    owner: dict[str, Any] = {"versions": facts["versions"], "collections": {}}
    for collection in experiment.collections:
        evaluator = evaluators.evaluator(collection.name)
        topics[collection.name] = evaluator.topics
        if not topics[collection.name]:
            raise UsageError(f"{collection.topics}: no topic has anything relevant in {evaluator.qrels.name}")
        notices += evaluator.notices(variant for family in experiment.families for variant in family.variants)
        for asked in experiment.fields(collection):
            skipped |= {(collection.name, topic): why for topic, why in evaluator.unusable(asked).items()}
        depends = provenance.of_collection(collection, evaluator.index.files)
        facts["collections"][collection.name] = depends
        owner["collections"][collection.name] = provenance.owner(depends, evaluator.index.files)
    parts = split(topics, experiment.split)
    journal = Journal(place / JOURNAL, owner)
    if journal.notice:
        notices.append(journal.notice)
    everything = [(name, topic) for name, ids in topics.items() for topic in ids]
    found = Sweep(experiment, place, everything, parts, MeasureValues(journal.done), facts, notices)
    found.skip(skipped)
    return OpenSweep(found, evaluators, journal)


@contextmanager
def open_cached(experiment: Experiment, folder: str | os.PathLike[str], folds: int) -> Iterator[OpenSweep]:
    """Context manager that opens an experiment with an array cache; raise UsageError for fewer topics than folds."""
    with ArrayCache(Path(folder) / CACHE) as cache:
        found = open_sweep(experiment, folder, cache)
        with found.journal:
            topics = len(found.sweep.topics)
            if topics < folds:
                raise UsageError(f"{topics} judged topics cannot be divided into {folds} folds")
            yield found


def skipped_notices(skipped: Mapping[TopicKey, str]) -> list[str]:
    """Return a line for each topic that could not be searched or measured."""
    return [
        f"{collection}: topic {topic} dropped, it counts as one without results: {why}"
        for (collection, topic), why in skipped.items()
    ]


def skipped_summary(skipped: Mapping[TopicKey, str], most: int = 5) -> str:
    """Return one line about all topics that could not be searched or measured.

    >>> skipped_summary({("laws", "7"): "the query is empty"})
    'topic dropped, it counts as one without results: laws 7 (the query is empty)'
    >>> skipped_summary({("laws", str(topic)): "the quote is never closed" for topic in range(9)}, most=2)
    '9 topics dropped, they count as ones without results: laws 0 (the quote is never closed), laws 1, ... and 7 more'
    """
    seen: dict[str, None] = {}
    named = []
    for (collection, topic), why in list(skipped.items())[:most]:
        reason = " ".join(why.split())
        named.append(f"{collection} {topic}" + ("" if reason in seen else f" ({reason})"))
        seen[reason] = None
    if len(skipped) > most:
        named.append(f"... and {len(skipped) - most:,} more")
    count = f"{len(skipped):,} topics dropped, they count as ones"
    count = "topic dropped, it counts as one" if len(skipped) == 1 else count
    return f"{count} without results: {', '.join(named)}"


def sweep(
    experiment: Experiment,
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Sweep:
    """Run an experiment, or continue it, and write its results into a folder.

    Parameters
    ----------
    experiment
        Result of `trix.lab.plan.toml.read_experiment`.
    folder
        Folder of results. Values in its journal are not measured again.
    jobs
        Number of worker processes; None for one per processor.
    progress
        Called with the number of finished (topic, variant) pairs and their total.
    client
        A `dask.distributed.Client`; its workers measure.

    Raises
    ------
    TrixError
        The experiment is wrong or cannot be run.
    """
    found, evaluators, journal = open_sweep(experiment, folder)
    with journal, SweepWorkers(evaluators, journal, jobs, progress, client) as workers:
        workers.measure(found.topics, experiment.variants, experiment.names)
    found.skip(workers.skipped)
    _write(found)
    return found


def _write(found: Sweep) -> None:
    folder, experiment = found.folder, found.experiment
    write_file(folder / "topics.csv", csv_text(TopicRow._fields, topic_rows(found)))
    _write_parquet(folder / "topics.parquet", found)
    parameters = list(dict.fromkeys(axis.name for family in experiment.families for axis in family.axes))
    head = ["part", "side", "family", "variant", *parameters, "measure", "topics", "mean"]
    write_file(folder / "variants.csv", csv_text(head, _variant_rows(found, parameters)))
    write_file(folder / "experiment.json", json.dumps(_summary(found), ensure_ascii=False, indent=1) + "\n")
    if experiment.text:
        write_file(folder / "experiment.toml", experiment.text)


class TopicRow(NamedTuple):
    """A row of ``topics.csv``: the value of a measure for a variant on a topic of a collection."""

    collection: str
    topic: str
    variant: str
    measure: str
    value: float


def topic_rows(found: Sweep) -> Iterator[TopicRow]:
    """Yield the rows of ``topics.csv``."""
    for variant in found.experiment.variants:
        for topic in found.topics:
            for name in found.experiment.names:
                yield TopicRow(*topic, variant.name, name, found.measured.value(variant, topic, name))


def _variant_rows(found: Sweep, parameters: Sequence[str]) -> Iterator[list[Any]]:
    for part in found.parts:
        for side, topics in sides(part):
            for variant in found.experiment.variants:
                point = dict(variant.point)
                values = [point.get(name, "") for name in parameters]
                for measure in found.experiment.measures:
                    mean = found.measured.mean(variant, topics, measure)
                    yield [part.name, side, variant.family, variant.name, *values, repr(measure), len(topics), mean]


def sides(part: SplitPart) -> list[tuple[str, tuple[TopicKey, ...]]]:
    """Return the topic sets of a part by name: all, test, or train and test."""
    if not part.tests:
        return [("all", part.topics)]
    if len(part.folds) > 1:
        return [("test", part.topics)]
    return [("train", part.folds[0].train), ("test", part.folds[0].test)]


def _summary(found: Sweep) -> dict[str, Any]:
    experiment = found.experiment
    return {
        "title": experiment.title,
        **found.facts,
        "measures": [repr(measure) for measure in experiment.measures],
        "train_on": repr(experiment.train_on),
        "sizes": experiment.sizes,
        "split": {
            "kind": experiment.split.kind,
            "parts": [
                {"name": part.name, "folds": [{"train": list(f.train), "test": list(f.test)} for f in part.folds]}
                for part in found.parts
            ],
        },
        "families": {family.name: json.loads(family.template) for family in experiment.families},
        "variants": [
            {"name": v.name, "family": v.family, "parameters": dict(v.point), "options": json.loads(v.settings)}
            for v in experiment.variants
        ],
        "training": [_chosen(found, part) for part in found.parts],
    }


def _chosen(found: Sweep, part: SplitPart) -> dict[str, Any]:
    families = {
        name: {"best trained": trained.best.name, "chosen by training": [v.name for v in trained.chosen]}
        for name, trained in found.trained(part).items()
    }
    return {"part": part.name, "families": families}


def csv_text(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Format rows as CSV; numbers read back as the same doubles, NaN is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([("" if isinstance(v, float) and v != v else v) for v in row] for row in rows)
    return out.getvalue()


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file atomically: to a temporary name, then rename it.

    Raises
    ------
    UsageError
        The file cannot be written.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    with usable(path):
        replace_file(path, data)


def _write_parquet(path: Path, found: Sweep) -> None:
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]
        import pyarrow.parquet  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return
    columns = list(zip(*topic_rows(found), strict=True))
    table = pyarrow.table({name: list(values) for name, values in zip(TopicRow._fields, columns, strict=True)})
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(table, sink, compression="zstd")
    write_file(path, sink.getvalue().to_pybytes())
