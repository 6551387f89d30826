"""What the commands of the evaluator share: their arguments and options, where documents come from, output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.messages import say_notices, told
from trix.cli.options import read_option
from trix.errors import TrixError, UsageError
from trix.eval.formats import QRELS_FORMATS, RUN_FORMATS
from trix.support.kinds import OneOf
from trix.support.output import replacing, usable

if TYPE_CHECKING:
    from trix.api.resolver import Resolver
    from trix.eval.data.qrels import Qrels as Judged
    from trix.eval.data.runs import Rankings
    from trix.eval.output.tables import Table


def either(names: Sequence[str]) -> str:
    """Return names as a choice.

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    return f"{', '.join(names[:-1])} or {names[-1]}"


Qrels = Annotated[Path, typer.Argument(metavar="QRELS", help="Assessments: a file, or a folder of XML files.")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs, in any format; - is stdin.")]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", help="A measure or group; may be repeated, or hold several, separated by blanks."),
]
Format = Annotated[str, typer.Option("--format", "-f", help="table, csv, json, latex or markdown.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Where to; .gz is compressed [default: stdout]")]


def _drawable(path: Path | None) -> Path | None:
    """Refuse a figure of an unknown kind before anything is worked out."""
    if path is not None:
        from trix.eval.output.plots import check_ending

        check_ending(path)
    return path


Plot = Annotated[
    Path | None, typer.Option("--plot", callback=_drawable, help="Draw a figure into FILE.svg, .png or .pdf.")
]
Lenient = Annotated[bool, typer.Option("--lenient", help="Drop and count bad lines instead of stopping.")]
Index = Annotated[
    str | None, typer.Option("--index", help="Index (or sources), a folder or URL, that knows the documents.")
]
Text = Annotated[str, typer.Option("--text", help="How characters are counted: trix, inex or inex-bytes.")]
Official = Annotated[bool, typer.Option("--official", help="Conduct of the official INEX tool, quirks included.")]
OnlyShared = Annotated[bool, typer.Option("--only-shared", help="Leave out topics that the run lacks.")]
TrecTies = Annotated[bool, typer.Option("--trec-ties", help="Order of trec_eval: score, then id, both descending.")]
RunFormat = Annotated[str | None, typer.Option("--run-format", help=f"{either(RUN_FORMATS)}; else by content.")]
QrelsFormat = Annotated[str | None, typer.Option("--qrels-format", help=f"{either(QRELS_FORMATS)}; else by content.")]
PassageEnd = Annotated[bool, typer.Option("--passage-end", help="Column 8 of passages is their end, not their length.")]
Ties = Annotated[str, typer.Option("--ties", help="What makes results one level: rank or score.")]
Elements = Annotated[float | None, typer.Option("--elements", "-N", help="Number of elements in the collection.")]
Sizes = Annotated[Path | None, typer.Option("--sizes", help="File of element sizes: DOCID/PATH WORDS a line.")]
Quantisations = Annotated[Path | None, typer.Option("--quantisations", help="TOML file of own quantisations.")]


def resolver(index: str | None, text: str) -> Resolver | None:
    """Return what knows the documents; None without ``--index``."""
    text = read_option("--text", text, OneOf("trix", "inex", "inex-bytes"))
    if index is None:
        return None
    from trix.api.resolver import Resolver

    return Resolver(index, text)


@dataclass(frozen=True)
class Evaluating:
    """How files are read and runs are measured: the options that commands share."""

    only_shared: OnlyShared = False
    trec_ties: TrecTies = False
    ties: Ties = "rank"
    lenient: Lenient = False
    run_format: RunFormat = None
    qrels_format: QrelsFormat = None
    passage_end: PassageEnd = False
    index: Index = None
    text: Text = "trix"
    elements: Elements = None
    sizes: Sizes = None
    quantisations: Quantisations = None

    def known(self) -> Resolver | None:
        """Return what knows the documents, if an index is given."""
        return resolver(self.index, self.text)

    def judged(self, path: Path) -> Judged:
        """Read assessments."""
        from trix.eval.formats.read import read_qrels

        return read_qrels(path, format=self.qrels_format, lenient=self.lenient)

    def options(self, known: Resolver | None, **more: Any) -> dict[str, Any]:
        """Return the keyword arguments of `evaluate` that are not the command's own."""
        from trix.eval.data.quantisation import read_toml

        same = ("only_shared", "trec_ties", "lenient", "run_format", "passage_end", "elements")
        return {
            "resolver": known,
            "ties": read_option("--ties", self.ties, OneOf("rank", "score")),
            "sizes": _sizes(self.sizes),
            "quantisations": read_toml(self.quantisations) if self.quantisations else None,
            **{name: getattr(self, name) for name in same},
            **more,
        }


def _sizes(path: Path | None) -> dict[tuple[str, str], float] | None:
    if path is None:
        return None
    from trix.errors import FormatError
    from trix.eval.formats.reading.lines import lines
    from trix.support.element_path import split_unit

    found = {}
    for number, line in lines(path):
        columns = line.split()
        try:
            unit, words = columns
            found[split_unit(unit)] = float(words)
        except ValueError:
            raise FormatError("DOCID/PATH WORDS expected", path, number) from None
    return found


OutputOrFolder = Annotated[
    str | None,
    typer.Option("--output", "-o", help="Where to; FOLDER/ takes a file for each table [default: stdout]"),
]
TableName = Annotated[str | None, typer.Option("--table", help="Print one table alone, by its name.")]


def emit_tables(
    tables: list[Table], main: str, format: str, data: Callable[[], Any], output: str | None, name: str | None
) -> list[str]:
    """Write tables to standard output, a file, or a file each into a folder; return what else there would be.

    A CSV or LaTeX file holds one table: the one that is asked for, else the main one.
    """
    from trix.eval.output.tables import ENDINGS, chosen, render

    wanted = chosen(tables, name)
    if format == "json" and name is not None:
        raise UsageError("--table: JSON holds all tables; leave out one or the other")
    if output is not None and (output.endswith(("/", os.sep)) or Path(output).is_dir()):
        if format not in ENDINGS:
            raise UsageError(f"--output {output}: is a folder; expected a file for --format {format}")
        with usable(f"--output {output}"):
            Path(output).mkdir(parents=True, exist_ok=True)
        for table in wanted:
            emit(render([table], format, data), Path(output) / f"{table.name}.{ENDINGS[format]}")
        return []
    left: list[str] = []
    if format in ("csv", "latex") and name is None:
        wanted, left = chosen(tables, main), [table.name for table in tables if table.name != main]
    emit(render(wanted, format, data), None if output is None else Path(output))
    return [f"further tables: {' '.join(left)} (--table NAME, or --output FOLDER/ for all)"] if left else []


def say_failed(failed: Mapping[int, TrixError], runs: Sequence[Path]) -> None:
    """Print why runs were left out, on stderr."""
    for place, error in failed.items():
        path = str(runs[place])
        say([f"error: {told(error)}" if path in str(error) else f"error: {path}: {told(error)}"])


def emit_run(run: Rankings, format: str, output: Path | None) -> None:
    """Write a run, in inex2009 with the passages that it has, to a file or to stdout."""
    from trix.eval.formats.runs.head import Submission
    from trix.eval.formats.write import rows_of, write_run

    passages = run.form == "passages" and format == "inex2009"
    head = Submission(task="Thorough", description="")  # nothing else is known of it
    with replacing(output) as out:
        write_run(rows_of(run, format), out, format, passages=passages, submission=head)


def emit(text: str | Iterable[str], output: Path | None) -> None:
    """Write text to a file, whole or not at all, or to standard output."""
    with replacing(output) as out:
        out.writelines([text] if isinstance(text, str) else text)


def measure_names(measures: list[str] | None) -> list[str] | None:
    """Return the names of measures, which may hold several, separated by blanks; None if there are none."""
    return None if not measures else [name for text in measures for name in text.split()]


def say(notices: Iterable[str], known: Resolver | None = None) -> None:
    """Print notices on stderr, each once, those on the documents first."""
    say_notices(dict.fromkeys([*(known.notices if known is not None else ()), *notices]))
