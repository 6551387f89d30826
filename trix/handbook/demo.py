"""Demonstration: index, search and evaluate the handbook, with and without context, in a few seconds.

All input and output files are in one folder, so that a reader can continue by hand.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

import trix
from trix.errors import TrixError
from trix.eval.formats.read import read_qrels
from trix.eval.formats.runs.rows import RunRow
from trix.eval.formats.write import write_run
from trix.handbook import ARTICLES, ASSESSMENTS, TOPICS
from trix.support.output import usable

CONTEXTS = {
    "none": "none",
    "root": "root:1.5",
    "vertical": "vertical:f=1.75,p=0,a=0.25,r=0.75",
    "horizontal": "horizontal:alpha=1e-5,gamma=0.025",
}
"""Name in files and tables -> context: root as in [V], the others with the best values in training on 2004 [IV]."""

BASELINE = "none"
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class DemoTask:
    """A retrieval task: search options and measures.

    Attributes
    ----------
    name
        Name of its files.
    title
        Title in the table.
    options
        Options of `Index.run`.
    measures
        Column head -> measure.
    curve
        Measure of the drawn curve.
    """

    name: str
    title: str
    options: dict[str, Any]
    measures: dict[str, str]
    curve: str


TASKS = (
    DemoTask("focused", "focused", {"strategy": "focused", "b": 0.9}, {"iP[0.01]": "iP[0.01]", "MAiP": "AiP"}, "iP"),
    DemoTask(
        "thorough",
        "thorough",
        {"strategy": "thorough", "b": 0.1},
        {"MAiP": "AiP(task=thorough)"},
        "iP(task=thorough)",
    ),
    DemoTask(
        "fetch-browse",
        "fetch and browse",
        {"strategy": "fetch-browse", "b": 0.9},
        {"MAgP/F": "AgP[F]", "MAgP/T2I": "AgP[T2I(300)]"},
        "igP[T2I(300)]",
    ),
    DemoTask(  # the topics' castitles
        "structured",
        "structured",
        {"strategy": "thorough", "b": 0.1, "field": "castitle"},
        {"MAiP": "AiP(task=thorough)"},
        "iP(task=thorough)",
    ),
)
"""b = 0.1 for thorough retrieval and 0.9 for results without overlap, as in [V]."""


@dataclass
class Cell:
    """A mean over topics, and whether it differs significantly from the baseline."""

    mean: float
    significant: bool = False


@dataclass
class Demonstration:
    """Results of the demonstration.

    Attributes
    ----------
    folder
        Folder of all files.
    summary
        Summary of the build.
    topics
        Number of topics.
    cells
        (task name, column head) -> context -> value.
    figures
        Files of the figures.
    notices
        Notices of the runs.
    """

    folder: Path
    summary: Any
    topics: int
    cells: dict[tuple[str, str], dict[str, Cell]] = field(default_factory=dict)
    figures: list[Path] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    @property
    def index(self) -> Path:
        return self.folder / "handbook.index"


def demonstrate(folder: str | PathLike[str], progress: Callable[[str], None] | None = None) -> Demonstration:
    """Copy, index, search and evaluate the handbook, and draw figures.

    Parameters
    ----------
    folder
        Output folder; created if missing. Files of an earlier demonstration are replaced, all others are kept.
    progress
        Called with a short text for each step.

    Raises
    ------
    UsageError
        The folder cannot be written, or a needed name is taken by something else.
    """
    report = progress or (lambda _: None)
    place = Path(folder)
    report("copying the handbook")
    _copy(place)
    report("indexing it")
    summary = trix.build(place / "articles", place / "handbook.index", profile="jats", jobs=1, overwrite=True)
    topics = trix.read_topics(place / "topics.xml")
    shown = Demonstration(place, summary, len(list(topics)))
    qrels = read_qrels(place / "assessments" / "offsets.qrels")
    with trix.open(shown.index) as index:
        for task in TASKS:
            runs = {}
            for context, form in CONTEXTS.items():
                report(f"{task.title}, context {context}")
                run = index.run(topics, context=form, run_id=f"{task.name}-{context}", **task.options)
                _write(run, place / "runs" / f"{task.name}-{context}.run")
                shown.notices += run.notices
                runs[context] = run
            report(f"evaluating {task.title}")
            _measure(shown, task, qrels, runs)
    (place / "results.txt").write_text(table(shown) + "\n", encoding="utf-8")
    return shown


def _copy(place: Path) -> None:
    with usable(f"{place}: cannot write the demonstration there"):
        for name in ("runs", "figures"):
            (place / name).mkdir(parents=True, exist_ok=True)
        for source in [TOPICS, *ARTICLES.rglob("*"), *ASSESSMENTS.rglob("*")]:
            if source.is_file():  # copy only contents: read-only files of a package would prevent a second copy
                target = place / source.relative_to(TOPICS.parent)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def _write(run: Any, path: Path) -> None:
    """Write a run with offsets, so that it can be evaluated without the index."""
    rows = (
        RunRow(topic, r.doc, r.path, r.rank, score, run.run_id, r.offset, r.length)
        for topic, results in run.items()
        for r, score in zip(results, results.run_scores.tolist(), strict=True)
    )
    with path.open("w", encoding="utf-8", newline="\n") as out:
        write_run(rows, out, "inex2009", run.run_id, passages=True)


def _measure(shown: Demonstration, task: DemoTask, qrels: Any, runs: dict[str, Any]) -> None:
    from trix.eval.evaluate import evaluate
    from trix.eval.studies.significance import t_test

    result = evaluate(qrels, runs, [*task.measures.values(), task.curve])
    for head, measure in task.measures.items():
        base = result[BASELINE, measure]
        cells = {}
        for context in runs:
            score = result[context, measure]
            p = 1.0 if context == BASELINE else t_test(_values(score), _values(base))
            cells[context] = Cell(float(score.mean), p < SIGNIFICANT)
        shown.cells[task.name, head] = cells
    _draw(shown, result, task)


def _values(score: Any) -> Any:
    return np.array(list(score.topics.values()), np.float64)


def _draw(shown: Demonstration, result: Any, task: DemoTask) -> None:
    """Draw the curves of a task, if matplotlib is installed."""
    if find_spec("matplotlib") is None:
        return
    from trix.eval.output.plots import plot_curves

    path = shown.folder / "figures" / f"{task.name}.png"
    try:
        shown.figures.append(plot_curves(result, path, f"The handbook, {task.title}"))
    except TrixError as error:
        shown.notices.append(str(error))


def table(shown: Demonstration, emphasise: Callable[[str], str] = str) -> str:
    """Format the results: a row per context, a column per measure, with the best value of each emphasised."""
    columns = list(shown.cells)
    heads = [head for _, head in columns]
    widths = [max(8, len(head) + 1) for head in heads]
    for task in TASKS:  # widen the first column of a task if its title needs more room
        own = [i for i, (name, _) in enumerate(columns) if name == task.name]
        widths[own[0]] += max(0, len(task.title) + 1 - sum(widths[i] + 2 for i in own))
    first = max(map(len, CONTEXTS)) + 2
    top, below = " " * first, "context".ljust(first)
    for i, (name, head) in enumerate(columns):
        new = i == 0 or columns[i - 1][0] != name
        task = next(task for task in TASKS if task.name == name)
        span = sum(widths[k] + 2 for k, (other, _) in enumerate(columns) if other == name)
        if new:
            top += ("  " + task.title).ljust(span)
        below += "  " + head.ljust(widths[i])
    lines = [top.rstrip(), below.rstrip(), "-" * len(below.rstrip())]
    for context in CONTEXTS:
        line = context.ljust(first)
        for width, column in zip(widths, columns, strict=True):
            cell = shown.cells[column][context]
            best = max(other.mean for other in shown.cells[column].values())
            text = f"{cell.mean:.4f}{'*' if cell.significant else ''}"
            padding = " " * (width - len(text))
            line += "  " + (emphasise(text) if cell.mean == best else text) + padding
        lines.append(line.rstrip())
    return "\n".join(lines)
