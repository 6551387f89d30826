"""Writes a `Run` as lines: ``trec``, ``inex2009``, ``inex`` (XML of 2002 to 2008) or ``jsonl``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from trix.errors import UsageError
from trix.eval.runs import Ranking, Run

FORMATS = ("trec", "inex2009", "inex", "jsonl")


@dataclass(frozen=True, slots=True)
class _Row:
    doc: str
    path: str
    last: str
    rank: int
    score: float
    start: int | None
    end: int | None


def _rows(ranking: Ranking) -> Iterator[_Row]:
    n = len(ranking)
    for i in range(n):
        placed = ranking.starts is not None and ranking.ends is not None and int(ranking.starts[i]) >= 0
        yield _Row(
            ranking.docs[i], ranking.paths[i] if ranking.paths is not None else "",
            ranking.lasts[i] if ranking.lasts is not None else "",
            i + 1 if ranking.ranks is None else int(ranking.ranks[i]),
            float(n - i) if ranking.scores is None else float(ranking.scores[i]),
            int(ranking.starts[i]) if placed and ranking.starts is not None else None,
            int(ranking.ends[i]) if placed and ranking.ends is not None else None,
        )


def write_run(run: Run, format: str = "trec") -> Iterator[str]:
    """Yield the lines of a run, each with its end.

    ``inex2009`` writes offset and length where a row has them, else its path (or both paths of a range), else ``X``
    for a passage without a place. Scores are written in full.

    Raises
    ------
    UsageError
        There is no such format, or ``trec`` was asked for passages that have no path.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown run format {format!r}: known: {' '.join(FORMATS)}")
    if format == "inex":
        yield from _xml(run)
        return
    name = "_".join(run.name.split()) or "run"
    for topic, ranking in run.rankings.items():
        for row in _rows(ranking):
            if format == "jsonl":
                yield _json(topic, name, row)
                continue
            head = f"{topic} Q0 {row.doc}{row.path if format == 'trec' else ''} {row.rank} {row.score!r} {name}"
            if format == "trec":
                if row.start is not None and not row.path:
                    raise UsageError("the trec format holds documents and elements, no passages; use inex2009 or jsonl")
                yield f"{head}\n"
            elif row.start is not None and row.end is not None:
                yield f"{head} {row.start} {row.end - row.start}\n"
            elif row.path:
                yield f"{head} {row.path}{f' {row.last}' if row.last else ''}\n"
            else:
                yield f"{head} X X\n" if ranking.starts is not None else f"{head}\n"


def _json(topic: str, name: str, row: _Row) -> str:
    data: dict[str, object] = {"topic": topic, "run": name, "rank": row.rank, "score": row.score, "doc": row.doc}
    if row.path:
        data["path"] = row.path
    if row.start is not None and row.end is not None:
        data |= {"offset": row.start, "length": row.end - row.start}
    return json.dumps(data, ensure_ascii=False) + "\n"


def _xml(run: Run) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield (f'<inex-submission participant-id="0" run-id={quoteattr(run.name)} task="Thorough" query="automatic" '
           'result-type="element">\n')
    yield '<topic-fields title="yes" castitle="no" description="no" narrative="no"/>\n<description/>\n'
    for topic, ranking in run.rankings.items():
        yield f"<topic topic-id={quoteattr(topic)}>\n"
        for row in _rows(ranking):
            if row.last:
                place = f"<passage start={quoteattr(row.path)} end={quoteattr(row.last)}/>"
            elif row.path or row.start is None:
                place = f"<path>{escape(row.path or '/article[1]')}</path>"
            else:
                raise UsageError("the inex format holds elements; convert passages to paths first (--index)")
            yield (f"<result><file>{escape(row.doc)}</file>{place}<rank>{row.rank}</rank><rsv>{row.score!r}</rsv>"
                   "</result>\n")
        yield "</topic>\n"
    yield "</inex-submission>\n"
