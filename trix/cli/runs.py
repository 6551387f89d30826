"""Runs made from results, for the writers of `trix.eval.formats`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TextIO

from trix.errors import UsageError
from trix.eval.formats.runs.head import Submission, task_name
from trix.eval.formats.runs.rows import RunRow
from trix.eval.formats.write import write_run
from trix.query.display.results import Results

Run = Mapping[str, Results]
"""Topic id -> its results in order."""


@dataclass(frozen=True)
class RunLayout:
    """Format of a run, see `trix.eval.formats.write.write_run`."""

    format: str
    run_id: str = "trix"
    passages: bool = False
    strategy: str | None = None
    cas: str | None = None
    level: str | None = None
    """At the level ``document``, results of a trec run are documents without paths."""
    field: str = "title"

    def __post_init__(self) -> None:
        if self.passages and self.format != "inex2009":
            raise UsageError(f"--passages: only --format inex2009 has offsets; got --format {self.format}")


def write(
    run: Run, layout: RunLayout, out: TextIO, explain: Callable[[str, Any], Any] | None = None, highlight: bool = False
) -> None:
    """Write a run in one of `trix.eval.formats.RUN_FORMATS`.

    ``jsonl`` has explanations if `explain` is given, which maps a topic id and a result to one, and matches with
    `highlight`.
    """
    strategy = layout.strategy or ("thorough" if layout.field == "castitle" else "focused")
    head = Submission(task=task_name(strategy, layout.cas), topic_fields=(layout.field,))
    rows = _rows(run, layout, explain, highlight)
    write_run(rows, out, layout.format, layout.run_id, passages=layout.passages, submission=head)


def _rows(run: Run, layout: RunLayout, explain: Callable[[str, Any], Any] | None, highlight: bool) -> Iterator[RunRow]:
    """Yield the rows of a run; snippets are read from the sources only if they are printed."""
    full = layout.format == "jsonl"
    documents = layout.level == "document" and layout.format == "trec"
    for topic, results in run.items():
        for r, score in zip(results, results.run_scores.tolist(), strict=True):
            more: dict[str, Any] = {}
            if full and score != r.score:
                more["model_score"] = r.score
            if highlight:
                more["matches"] = [list(each) for each in r.matches]
            if explain is not None:
                more["explanation"] = explain(topic, r).to_json()
            yield RunRow(
                topic, r.doc, None if documents else r.path, r.rank, score, layout.run_id, r.offset, r.length,
                r.label, r.tag, r.snippet if full else None, more=more, title=r.title if full else None,
            )  # fmt: skip
