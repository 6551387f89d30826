"""`trix sweep`: measure every variant of an experiment on every topic, choose, test, write it all down.

A folder of results holds

- ``topics.csv`` (and ``topics.parquet`` where pyarrow is installed): collection, topic, variant, measure, value;
- ``variants.csv``: part, side (train, test or all), family, variant, its parameters, measure, mean;
- ``experiment.json``: versions, indexes, topics, assessments, settings, what training chose;
- ``experiment.toml``: the experiment as it was given;
- ``journal``: what an interrupted sweep goes on with.

The same inputs give the same bytes: there are no times in these files, and their order is the experiment's.
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
from trix.lab.plan.split import Part, TopicKey, split
from trix.lab.run import provenance
from trix.lab.run.journal import Journal
from trix.lab.run.shelf import Shelf
from trix.lab.run.training import MeasureValues, TrainingChoice, train
from trix.lab.run.workers import Crew, Workers
from trix.support.output import usable
from trix.support.progress import Progress

JOURNAL = "journal"
SHELF = ".matched"
"""Where tuning and learning keep topics that have been matched, until they are done."""


@dataclass
class Sweep:
    """What a sweep found.

    Attributes
    ----------
    experiment
        What was done.
    folder
        Where it is written.
    parts
        Which topics trained and tested.
    measured
        All values.
    facts
        Versions, and what each collection's results depend on: see `trix.lab.run.provenance`.
    notices
        One line each.
    skipped
        Topics that could not be asked or measured, and why; they count as topics without results.
    """

    experiment: Experiment
    folder: Path
    topics: list[TopicKey]
    parts: list[Part]
    measured: MeasureValues
    facts: Mapping[str, Any]
    notices: list[str] = field(default_factory=list)
    skipped: dict[TopicKey, str] = field(default_factory=dict)

    def skip(self, skipped: Mapping[TopicKey, str]) -> None:
        """Take note of topics that could not be measured."""
        self.notices += skipped_notices(skipped)
        self.skipped.update(skipped)

    def trained(self, part: Part) -> dict[str, TrainingChoice]:
        """Return what training chose in a part, by family."""
        experiment = self.experiment
        return {
            family.name: train(self.measured, family.variants, part, experiment.train_on)
            for family in experiment.families
        }


class OpenSweep(NamedTuple):
    """A sweep that can be measured: what is to be found, who measures it, and where values are written."""

    sweep: Sweep
    crew: Crew
    journal: Journal


def open_sweep(experiment: Experiment, folder: str | os.PathLike[str], shelf: Shelf | None = None) -> OpenSweep:
    """Open the collections of an experiment, and the journal in a folder, which may already have some of the values.

    Who will ask for the same topics again gives a shelf.

    Raises
    ------
    TrixError
        An index, topics or assessments cannot be read, or the folder cannot be written.
    """
    place = Path(folder)
    with usable(place):
        place.mkdir(parents=True, exist_ok=True)
    crew = Crew({each.name: each for each in experiment.collections}, experiment.measures, experiment.sizes, shelf)
    topics: dict[str, list[str]] = {}
    notices: list[str] = []
    skipped: dict[TopicKey, str] = {}
    facts: dict[str, Any] = {"versions": provenance.versions(), "collections": {}}
    owner: dict[str, Any] = {"versions": facts["versions"], "collections": {}}
    for collection in experiment.collections:
        evaluator = crew.evaluator(collection.name)
        topics[collection.name] = evaluator.topics
        if not topics[collection.name]:
            raise UsageError(f"{collection.topics}: no topic has anything relevant in {evaluator.qrels.name}")
        notices += evaluator.notices(variant for family in experiment.families for variant in family.variants)
        skipped |= {(collection.name, topic): why for topic, why in evaluator.unasked.items()}
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
    return OpenSweep(found, crew, journal)


@contextmanager
def shelved(experiment: Experiment, folder: str | os.PathLike[str], folds: int) -> Iterator[OpenSweep]:
    """Open the results folder of an experiment whose topics are divided, with a shelf, for the time of a block."""
    with Shelf(Path(folder) / SHELF) as shelf:
        found = open_sweep(experiment, folder, shelf)
        with found.journal:
            topics = len(found.sweep.topics)
            if topics < folds:
                raise UsageError(f"{topics} judged topics cannot be divided into {folds} folds")
            yield found


def skipped_notices(skipped: Mapping[TopicKey, str]) -> list[str]:
    """Return a line for each topic that could not be asked or measured."""
    return [
        f"{collection}: topic {topic} dropped, it counts as one without results: {why}"
        for (collection, topic), why in skipped.items()
    ]


def skipped_summary(skipped: Mapping[TopicKey, str], most: int = 5) -> str:
    """Return one line on all topics that could not be asked or measured.

    >>> skipped_summary({("laws", "7"): "the query is empty"})
    'topic dropped, it counts as one without results: laws 7 (the query is empty)'
    >>> skipped_summary({("laws", str(topic)): "the quote is never closed" for topic in range(9)}, most=2)
    '9 topics dropped, they count as ones without results: laws 0 (the quote is never closed), laws 1, ... and 7 more'
    """
    said: dict[str, None] = {}
    named = []
    for (collection, topic), why in list(skipped.items())[:most]:
        reason = " ".join(why.split())
        named.append(f"{collection} {topic}" + ("" if reason in said else f" ({reason})"))
        said[reason] = None
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
    """Run an experiment, or go on with it, and write its results into a folder.

    Parameters
    ----------
    experiment
        See `trix.lab.plan.toml.read_experiment`.
    folder
        Where results go. What its journal has is not measured again.
    jobs
        Worker processes; None means as many as there are processors.
    progress
        Called with the number of (topic, variant) pairs done, and of all.
    client
        A `dask.distributed.Client`, whose workers measure then.

    Raises
    ------
    TrixError
        Something of the experiment is wrong.
    """
    found, crew, journal = open_sweep(experiment, folder)
    with journal, Workers(crew, journal, jobs, progress, client) as workers:
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


def sides(part: Part) -> list[tuple[str, tuple[TopicKey, ...]]]:
    """Return the sets of topics of a part by name; with folds every topic is tested, and that is all."""
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


def _chosen(found: Sweep, part: Part) -> dict[str, Any]:
    families = {
        name: {"best trained": trained.best.name, "chosen by training": [v.name for v in trained.chosen]}
        for name, trained in found.trained(part).items()
    }
    return {"part": part.name, "families": families}


def csv_text(head: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return CSV; numbers are written so that they read back as the same doubles, NaN is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([("" if isinstance(v, float) and v != v else v) for v in row] for row in rows)
    return out.getvalue()


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file beside its place and move it there, so that it is whole or not there.

    Raises
    ------
    UsageError
        It cannot be written.
    """
    data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
    beside = path.with_name(f".{path.name}.writing")
    with usable(path):
        beside.write_bytes(data)
        os.replace(beside, path)


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
