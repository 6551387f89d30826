"""Arguments, options and output shared by the commands of the evaluator."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.messages import error_line, say_notices
from trix.cli.options import read_option
from trix.errors import TrixError, UsageError
from trix.eval.formats import QRELS_FORMATS, RUN_FORMATS
from trix.support.output import replacing, usable
from trix.support.setting_types import Choice

if TYPE_CHECKING:
    from trix.api.resolver import Resolver
    from trix.eval.data.qrels import Qrels as Judged
    from trix.eval.data.runs import Rankings
    from trix.eval.output.tables import Table


def either(names: Sequence[str]) -> str:
    """Join names by commas and a last "or".

    >>> either(["a", "b", "c"])
    'a, b or c'
    """
    return f"{', '.join(names[:-1])} or {names[-1]}"


Qrels = Annotated[Path, typer.Argument(metavar="QRELS", help="Assessments: a file, or a folder of XML files")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs, in any format; - is stdin")]
MeasureNames = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", metavar="MEASURE", help="Measure or group, or several with blanks; repeatable"),
]
Format = Annotated[str, typer.Option("--format", "-f", metavar="table|csv|json|latex|markdown", help="Output format")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to a file; .gz is compressed [default: stdout]"),
]


def _drawable(path: Path | None) -> Path | None:
    """Check the ending of a figure's file before any computation."""
    if path is not None:
        from trix.eval.output.plots import check_ending

        check_ending(path)
    return path


Plot = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", callback=_drawable, help="Draw a figure: .svg, .png or .pdf")
]
Lenient = Annotated[bool, typer.Option("--lenient", help="Skip and count bad lines instead of stopping")]
Index = Annotated[
    str | None,
    typer.Option("--index", metavar="INDEX", help="Index or collection of the documents, to resolve paths"),
]
MEASURING, FILES, OFFICIAL = "Measuring", "Reading files", "Official INEX tool"  # headings of --help-all

Text = Annotated[
    str,
    typer.Option(
        "--text", metavar="trix|inex|inex-bytes", help="How to count characters of the text", rich_help_panel=FILES
    ),
]
Official = Annotated[
    bool,
    typer.Option("--official", help="Do as the official INEX tool does, quirks included", rich_help_panel=OFFICIAL),
]
OnlyShared = Annotated[bool, typer.Option("--only-shared", help="Leave out topics that are not in the run")]
TrecTies = Annotated[
    bool,
    typer.Option(
        "--trec-ties", help="Sort as trec_eval does: by score, then id, both descending", rich_help_panel=MEASURING
    ),
]
RunFormat = Annotated[
    str | None,
    typer.Option(
        "--run-format",
        metavar="|".join(RUN_FORMATS),
        help="Format of the runs [default: detected]",
        rich_help_panel=FILES,
    ),
]
QrelsFormat = Annotated[
    str | None,
    typer.Option(
        "--qrels-format",
        metavar="|".join(QRELS_FORMATS),
        help="Format of the assessments [default: detected]",
        rich_help_panel=FILES,
    ),
]
PassageEnd = Annotated[
    bool,
    typer.Option(
        "--passage-end", help="Read column 8 of passages as their end, not as their length", rich_help_panel=FILES
    ),
]
Ties = Annotated[
    str,
    typer.Option(
        "--ties", metavar="rank|score", help="Treat results as tied by rank or by score", rich_help_panel=MEASURING
    ),
]
Elements = Annotated[
    float | None,
    typer.Option(
        "--elements", "-N", metavar="N", help="Number of elements in the collection", rich_help_panel=MEASURING
    ),
]
Sizes = Annotated[
    Path | None,
    typer.Option(
        "--sizes",
        metavar="FILE",
        help="Sizes of elements, in lines of DOCID/PATH WORDS",
        rich_help_panel=MEASURING,
    ),
]
Quantisations = Annotated[
    Path | None,
    typer.Option(
        "--quantisations", metavar="FILE.toml", help="Definitions of more quantisations", rich_help_panel=MEASURING
    ),
]


def resolver(index: str | None, text: str) -> Resolver | None:
    """Open the documents of ``--index``; None without it."""
    text = read_option("--text", text, Choice("trix", "inex", "inex-bytes"))
    if index is None:
        return None
    from trix.api.resolver import Resolver

    return Resolver(index, text)


@dataclass(frozen=True)
class EvaluationOptions:
    """Shared options that control how files are read and runs are measured."""

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
        """Open the documents, if an index is given."""
        return resolver(self.index, self.text)

    def judged(self, path: Path) -> Judged:
        """Read assessments."""
        from trix.eval.formats.read import read_qrels

        return read_qrels(path, format=self.qrels_format, lenient=self.lenient)

    def options(self, known: Resolver | None, **more: Any) -> dict[str, Any]:
        """Return the keyword arguments of `evaluate` that these options set."""
        from trix.eval.data.quantisation import read_toml

        same = ("only_shared", "trec_ties", "lenient", "run_format", "passage_end", "elements")
        return {
            "resolver": known,
            "ties": read_option("--ties", self.ties, Choice("rank", "score")),
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
    typer.Option(
        "--output", "-o", metavar="FILE|FOLDER/", help="Write to a file, or a file for each table [default: stdout]"
    ),
]
TableName = Annotated[str | None, typer.Option("--table", metavar="NAME", help="Print only this table")]


def emit_tables(
    tables: list[Table], main: str, format: str, data: Callable[[], Any], output: str | None, name: str | None
) -> list[str]:
    """Write tables to standard output, to a file, or to a file each; return a notice on tables left out.

    A CSV or LaTeX file holds one table: the named one, else the main one.
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
    """Print on stderr why runs were left out."""
    for place, error in failed.items():
        path = str(runs[place])
        say([f"error: {error_line(error)}" if path in str(error) else f"error: {path}: {error_line(error)}"])


def emit_run(run: Rankings, format: str, output: Path | None) -> None:
    """Write a run to a file or to stdout, with its passages in inex2009."""
    from trix.eval.formats.runs.head import Submission
    from trix.eval.formats.write import rows_of, write_run

    passages = run.form == "passages" and format == "inex2009"
    head = Submission(task="Thorough", description="")  # the run has no other metadata
    with replacing(output) as out:
        write_run(rows_of(run, format), out, format, passages=passages, submission=head)


def emit(text: str | Iterable[str], output: Path | None) -> None:
    """Write text to standard output, or atomically to a file."""
    with replacing(output) as out:
        out.writelines([text] if isinstance(text, str) else text)


def measure_names(measures: list[str] | None) -> list[str] | None:
    """Split names of measures at blanks; None if there are none."""
    return None if not measures else [name for text in measures for name in text.split()]


def say(notices: Iterable[str], known: Resolver | None = None) -> None:
    """Print notices on stderr, each once, those about the documents first."""
    say_notices(dict.fromkeys([*(known.notices if known is not None else ()), *notices]))
