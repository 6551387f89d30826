"""Conversion of files, dicts, frames, search results and ir_measures objects to `Qrels` and `Rankings`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.data.values import as_id, missing, number, numbers, whole
from trix.eval.formats.read import read_qrels, read_run
from trix.eval.formats.reading.lines import Faults
from trix.eval.formats.runs.builder import RunBuilder
from trix.support.element_path import split_unit

_TOPIC = ("qid", "query_id", "topic")
_UNIT = ("docno", "doc_id")
_GRADE = ("label", "relevance", "rel", "grade")


def is_frame(thing: object) -> bool:
    """Return whether an object is a pandas frame, without importing pandas."""
    return hasattr(thing, "columns") and hasattr(thing, "itertuples")


def _objects(source: Any, value: str) -> list[Any] | None:
    """Return ir_measures objects, which have query_id, doc_id and a value; None for any other source."""
    if isinstance(source, Mapping | str | Path) or is_frame(source) or not isinstance(source, Iterable):
        return None
    try:
        rows = list(source)
    except TypeError:  # an array without dimensions
        return None
    return rows if rows and all(hasattr(rows[0], name) for name in ("query_id", "doc_id", value)) else None


def to_qrels(source: Any, *, format: str | None = None, lenient: bool = False) -> Qrels:
    """Convert a `Qrels`, a file or files, a dict of dicts, a frame, or ir_measures objects to assessments.

    Raises
    ------
    UsageError
        The source has another type, or a frame lacks a column.
    """
    if isinstance(source, Qrels):
        return source
    if isinstance(source, str | Path):
        return read_qrels(source, format=format, lenient=lenient)
    if is_frame(source):
        return _frame_qrels(source)
    if isinstance(source, Mapping):
        for topic, units in source.items():
            if not isinstance(units, Mapping):
                raise UsageError(
                    f"assessments as a dict are topic -> unit -> grade; topic {topic!r} has {type(units).__name__}"
                )
        return Qrels.from_grades(source)
    if isinstance(source, Sequence) and source and all(isinstance(s, str | Path) for s in source):
        return read_qrels(source, format=format, lenient=lenient)
    judged = _objects(source, "relevance")
    if judged is not None:
        return _graded(((row.query_id, row.doc_id, row.relevance) for row in judged), "assessments")
    raise UsageError(f"assessments are a Qrels, a file, a dict or a frame, not {type(source).__name__}")


def _column(frame: Any, names: tuple[str, ...], what: str) -> str:
    for name in names:
        if name in frame.columns:
            return name
    raise UsageError(f"{what}: a column {' or '.join(names)} is missing (found {', '.join(map(str, frame.columns))})")


def _frame_qrels(frame: Any) -> Qrels:
    names = [_column(frame, n, "frame of assessments") for n in (_TOPIC, _UNIT, _GRADE)]
    return _graded(zip(*(frame[name].tolist() for name in names), strict=True), "frame of assessments")


def _graded(rows: Iterable[tuple[Any, Any, Any]], what: str) -> Qrels:
    grades: dict[str, dict[str, float]] = {}
    for topic, unit, grade in rows:
        units = grades.setdefault(as_id(topic), {})
        if as_id(unit) in units:
            raise UsageError(f"{what}: topic {topic}: {unit} is judged twice")
        units[as_id(unit)] = grade
    return Qrels.from_grades(grades)


def to_runs(
    source: Any, *, format: str | None = None, lenient: bool = False, passage_end: bool = False
) -> Iterator[tuple[str | None, Callable[[], Rankings]]]:
    """Yield each run as a pair of its name and a function that loads it.

    One run at a time is in memory. The name is None where the run has its own. A dict of runs or a list of files gives
    several.

    Raises
    ------
    UsageError
        The source is not a run.
    """

    def one(thing: Any, name: str | None = None) -> tuple[str | None, Callable[[], Rankings]]:
        return name, lambda: to_run(thing, format=format, lenient=lenient, passage_end=passage_end)

    scored = _objects(source, "score")
    if scored is not None:
        yield one(scored)
        return
    if isinstance(source, Mapping) and not isinstance(source, Rankings) and not hasattr(source, "run_id"):
        if source and all(_is_run(value) for value in source.values()):
            for name, thing in source.items():
                yield one(thing, str(name))
            return
    elif isinstance(source, Sequence) and not isinstance(source, str) and not is_frame(source):
        for thing in source:
            yield one(thing)
        return
    yield one(source)


def _is_run(value: Any) -> bool:
    if isinstance(value, Rankings | str | Path) or is_frame(value) or hasattr(value, "run_id"):
        return True
    if isinstance(value, Sequence) and _objects(value, "score") is not None:
        return True
    return isinstance(value, Mapping) and any(isinstance(v, Mapping | Sequence) for v in value.values())


def to_run(source: Any, *, format: str | None = None, lenient: bool = False, passage_end: bool = False) -> Rankings:
    """Convert a file, a dict topic -> unit -> score (or ranked units), a frame, or search results to rankings.

    ir_measures objects, which have query_id, doc_id and score, are ranked by score. Ties keep the given order.

    Raises
    ------
    UsageError
        The source has another type, or a score is not a number.
    """
    if isinstance(source, Rankings):
        return source
    if isinstance(source, str | Path):
        return read_run(source, format=format, lenient=lenient, passage_end=passage_end)
    faults = Faults("run", lenient)
    if is_frame(source):
        return _frame_run(source, faults)
    if isinstance(source, Mapping):
        run = Rankings(name=str(getattr(source, "run_id", "") or "run"))
        for topic, results in source.items():
            run.rankings[as_id(topic)] = _ranking(as_id(topic), results, faults)
        return run
    rows = _objects(source, "score")
    if rows is not None:
        topics: dict[str, dict[str, float]] = {}
        for row in rows:
            units = topics.setdefault(as_id(row.query_id), {})
            if as_id(row.doc_id) in units:
                raise UsageError(f"topic {row.query_id}: {row.doc_id} is returned twice")
            units[as_id(row.doc_id)] = row.score
        return Rankings({topic: _scored(topic, units) for topic, units in topics.items()})
    found = type(source).__name__
    raise UsageError(f"a run is Rankings, a file, a dict, a frame or the results of Index.run, not {found}")


def _ranking(topic: str, results: Any, faults: Faults) -> Ranking:
    if isinstance(results, Ranking):
        return results
    if isinstance(results, Mapping):
        return _scored(topic, results)
    if isinstance(results, Iterable) and not isinstance(results, str) and getattr(results, "ndim", 1) > 0:
        rows = list(results)
        if all(isinstance(row, str) for row in rows):
            ranking = _split(rows)
            if ranking.paths is None and len(set(rows)) < len(rows):
                twice = next(row for i, row in enumerate(rows) if row in rows[:i])
                raise UsageError(f"topic {topic}: {twice} is returned twice")
            return ranking
        builder = RunBuilder(faults)
        scores = getattr(results, "run_scores", None)  # the scores that a file of the same run would have
        known = [getattr(row, "score", None) for row in rows] if scores is None else scores.tolist()
        for row, score in zip(rows, known, strict=True):
            if not hasattr(row, "doc"):
                raise UsageError(f"topic {topic}: a result needs at least a doc, found {type(row).__name__}")
            offset, length, rank = (getattr(row, name, None) for name in ("offset", "length", "rank"))
            _add(builder, topic, as_id(row.doc), getattr(row, "path", None), offset, length, score, rank)
        run = builder.finish()
        return run.rankings.get(topic, Ranking.empty())
    raise UsageError(f"topic {topic}: results are a dict unit -> score or a list, not {type(results).__name__}")


def _scored(topic: str, results: Mapping[Any, Any]) -> Ranking:
    """Rank units by descending score; ties keep the given order."""
    units = list(results)
    scores = numbers(results.values(), lambda i: f"topic {topic}: the score of {units[i]}")
    order = np.argsort(-scores, kind="stable")
    ranking = _split([as_id(units[i]) for i in order.tolist()])
    ranking.scores = scores[order]
    return ranking


def _split(units: list[str]) -> Ranking:
    """Return units as documents, or as elements if any unit ends in a path."""
    if not any(unit[-1:] == "]" for unit in units):
        return Ranking(units)
    pairs = [split_unit(unit) for unit in units]
    return Ranking([doc for doc, _ in pairs], [path for _, path in pairs])


def _add(builder: RunBuilder, topic: str, doc: str, path: Any, offset: Any, length: Any, score: Any, rank: Any) -> None:
    """Add a result, any of whose fields may be missing."""
    path = "" if missing(path) else as_id(path)
    of = f"of {doc}{path}"
    start = None if missing(offset) else whole(offset, f"topic {topic}: the offset {of}", 0)
    size = 0 if missing(length) else whole(length, f"topic {topic}: the length {of}", 0)
    builder.add(
        topic,
        doc,
        path=path,
        start=start,
        end=None if start is None else start + size,
        score=float("nan") if missing(score) else number(score, f"topic {topic}: the score {of}"),
        rank=None if missing(rank) else whole(rank, f"topic {topic}: the rank {of}"),
    )


def _frame_run(frame: Any, faults: Faults) -> Rankings:
    topics = frame[_column(frame, _TOPIC, "run frame")].tolist()
    n = len(topics)

    def column(name: str) -> list[Any]:
        return frame[name].tolist() if name in frame.columns else [None] * n

    units = frame[_column(frame, _UNIT if "doc" not in frame.columns else (*_UNIT, "doc"), "run frame")].tolist()
    docs, paths = column("doc"), column("path")
    builder = RunBuilder(faults)
    for topic, unit, doc, path, offset, length, score, rank in zip(
        topics, units, docs, paths, column("offset"), column("length"), column("score"), column("rank"), strict=True
    ):
        cut, tail = split_unit(as_id(unit))
        document = cut if missing(doc) or doc is unit else as_id(doc)
        _add(builder, as_id(topic), document, tail if missing(path) else path, offset, length, score, rank)
    run = builder.finish()
    run.source = ""
    return run
