"""Values of all systems on the topics of a set: an index that is kept, a run a system, a value a topic."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import trix
from scripts.parts.prove.sets import Set
from scripts.parts.prove.systems import System, systems
from trix.errors import IndexError_
from trix.eval.studies.significance import Values
from trix.lab.plan.experiment import JudgedCollection, variant_at
from trix.lab.run.collection import CollectionEvaluator
from trix.lab.run.journal import Journal
from trix.lab.run.scoreboard import Grader, Scoreboard
from trix.lab.run.units import UnitNumbers
from trix.lab.run.workers import EvaluatorSet

TOP = 1000
"""Results a topic."""


@dataclass(frozen=True)
class Measured:
    """The values of systems on a set.

    Parameters
    ----------
    set
        The set.
    topics
        The ids of the topics, in order.
    values
        System -> a value a topic.
    lost
        Judged units that the index does not have.
    """

    set: Set
    topics: Sequence[str]
    values: Mapping[str, Values]
    lost: Sequence[str]


def measured(of: Set, cache: Path, most: int | None = None, jobs: int | None = None) -> Measured:
    """Measure all systems on a set.

    Parameters
    ----------
    of
        The set.
    cache
        Where indexes and values are kept.
    most
        Topics, at most; all if None.
    jobs
        Worker processes.
    """
    judged = of.qrels()
    topics = {key: words for key, words in of.topics(most).items() if any(judged.get(key, {}).values())}
    with indexed(of, cache / "indexes", jobs) as index:
        place = str(index.files.path)
        units = list(dict.fromkeys(unit for key in topics for unit in judged[key]))
        known = UnitNumbers(index.files).numbers(units)
    values = kept_values(place, of, topics, [each for each in systems() if not each.contextual], cache / "values", jobs)
    evaluator = CollectionEvaluator(collection(of, place, of.folder / "topics.tsv"), [of.as_measure])
    with evaluator.index:
        values |= {each.name: run_values(evaluator, of, topics, each, jobs) for each in systems() if each.contextual}
    return Measured(of, list(topics), values, [unit for unit in units if unit not in known])


def collection(of: Set, index: str, topics: Path) -> JudgedCollection:
    """Return a set as a collection of the laboratory, with topics of its own."""
    return JudgedCollection(name=of.name, index=index, topics=topics, qrels=(of.folder / "qrels.txt",), level=of.level)


def kept_values(
    index: str, of: Set, topics: Mapping[str, str], asked: Sequence[System], cache: Path, jobs: int | None
) -> dict[str, Values]:
    """Return the values of systems without context, from the cache: the preset ``study`` does not change them."""
    with trix.open(index) as opened:
        totals = opened.files.totals
    said = [index, totals, list(topics.items()), of.qrels(), of.level, of.measure, TOP]
    files = {}
    for each in asked:
        text = json.dumps([*said, dict(each.options), each.plain], default=str)
        files[each.name] = cache / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.npy"
    cache.mkdir(parents=True, exist_ok=True)
    for plain in (True, False):
        missing = [each for each in asked if each.plain is plain and not files[each.name].exists()]
        for name, values in (study_values(index, of, topics, missing, jobs) if missing else {}).items():
            np.save(files[name], values)
    return {name: np.load(file) for name, file in files.items()}


def study_values(
    index: str, of: Set, topics: Mapping[str, str], asked: Sequence[System], jobs: int | None
) -> dict[str, Values]:
    """Measure systems without context as the laboratory does: what they share is worked out once."""
    variants = [variant_at(each.name, (), {**each.options, "top": TOP}) for each in asked]
    with tempfile.TemporaryDirectory(prefix="trix-prove-") as scratch:
        file = Path(scratch) / "topics.tsv"
        lines = [f"{key}\t{words}\n" for key, words in asked[0].topics(topics).items()]
        file.write_text("".join(lines), encoding="utf-8")
        crew = EvaluatorSet({of.name: collection(of, index, file)}, [of.as_measure])
        grader, keys = Grader(crew, of.as_measure, ()), [(of.name, key) for key in topics]
        with Journal(Path(scratch) / "journal", {}) as journal, Scoreboard(grader, keys, journal, jobs) as board:
            board.measure(variants)
            found = {each.family: np.nan_to_num(board.of(each).values) for each in variants}
    return found


def run_values(
    evaluator: CollectionEvaluator, of: Set, topics: Mapping[str, str], system: System, jobs: int | None
) -> Values:
    """Return a system's value of each topic, by a run whose elements are judged by their numbers, without names."""
    run = evaluator.index.run(system.topics(topics), level=of.level, top=TOP, jobs=jobs, **system.options)
    name = repr(of.as_measure)
    return np.array([evaluator.values_of(key, run[key].elements)[name] or 0.0 for key in topics])


def indexed(of: Set, cache: Path, jobs: int | None = None) -> trix.Index:
    """Open the index of a set."""
    return kept(of.name, of.xml, cache, of.profile_or_file, of.stem, jobs)


def kept(
    name: str, xml: Path, cache: Path, profile: str = "auto", stem: str = "porter", jobs: int | None = None
) -> trix.Index:
    """Open the index of a collection, built where it is not in the cache yet."""
    file = Path(profile)
    rules = file.read_text(encoding="utf-8") if file.is_file() else profile
    digest = hashlib.sha256("\n".join((str(xml.resolve()), stem, rules)).encode()).hexdigest()
    path = cache / f"{name}-{digest[:12]}.index"
    try:
        return trix.open(path)
    except IndexError_:  # not there, or of an older format
        trix.build(xml, path, profile=profile, stem=stem, jobs=jobs, overwrite=True)
        return trix.open(path)
