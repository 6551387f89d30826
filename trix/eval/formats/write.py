"""Writer of runs in any format; rows are streamed, a topic at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TextIO

from trix.errors import UsageError, did_you_mean
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.formats import RUN_FORMATS
from trix.eval.formats.runs.head import Submission
from trix.eval.formats.runs.registry import WriteOptions, run_format
from trix.eval.formats.runs.rows import RunRow


def write_run(
    rows: Iterable[RunRow],
    stream: TextIO,
    format: str = "trec",
    run_id: str | None = None,
    *,
    passages: bool = False,
    submission: Submission | None = None,
) -> None:
    """Write a run.

    Parameters
    ----------
    rows
        Results in output order; rows of a topic are adjacent.
    stream
        Text stream, UTF-8.
    format
        One of `RUN_FORMATS`.
    run_id
        Name of the run; the rows' own if left out.
    passages
        Write offsets and lengths in place of paths; ``inex2009`` only.
    submission
        Header of an ``inex`` submission.

    Raises
    ------
    UsageError
        The format is unknown, does not support `passages`, or cannot express a row.
    """
    if format not in RUN_FORMATS:
        hint = did_you_mean(format, RUN_FORMATS, 0.4)
        raise UsageError(f"unknown; known are {', '.join(RUN_FORMATS)}{hint}", field="format", got=format)
    declared = run_format(format)
    if passages and not declared.chooses:
        raise UsageError(f"goes with `format` inex2009, not with {format}", field="passages")
    declared.write(rows, stream, WriteOptions(run_id=run_id, passages=passages, submission=submission))


def rows_of(run: Rankings, format: str) -> Iterator[RunRow]:
    """Yield the rows of a run for a format.

    Missing ranks are counted from 1. Missing scores decrease with the rank.

    Raises
    ------
    UsageError
        A row is a passage or a range of elements that the format cannot express.
    """
    holds = run_format(format)
    for topic, ranking in run.rankings.items():
        n = len(ranking)
        spans = _spans(ranking)
        for i, doc in enumerate(ranking.docs):
            path = ranking.paths[i] if ranking.paths is not None else ""
            last = ranking.lasts[i] if ranking.lasts is not None else ""
            start, end = spans[i] if spans else (None, None)
            pathless = start is not None and not path
            if (last and not holds.ranges) or (pathless and not holds.offsets):
                raise UsageError(
                    f"topic {topic}: the {format} format holds no passages; use inex2009 or jsonl, "
                    "or turn them into elements: `offsets` `paths` `index` INDEX"
                )
            yield RunRow(
                topic, doc, path or None,
                i + 1 if ranking.ranks is None else int(ranking.ranks[i]),
                float(n - i) if ranking.scores is None else float(ranking.scores[i]),
                run.name, start, None if start is None or end is None else end - start,
                last=last,
            )  # fmt: skip


def _spans(ranking: Ranking) -> list[tuple[int | None, int | None]]:
    """Return begin and end of each row, both None if unknown; an empty list if no row has offsets."""
    if ranking.starts is None or ranking.ends is None:
        return []
    both = zip(ranking.starts.tolist(), ranking.ends.tolist(), strict=True)
    return [(start, end) if start >= 0 else (None, None) for start, end in both]
