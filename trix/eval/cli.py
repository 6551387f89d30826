"""The commands of the evaluator: ``eval compare density granulate simulate convert``, thin over the library.

`register` puts them on an application. What needs documents (``--index``) comes from two functions that the
application passes in: one makes a `Resolver` of an index or source folder, one lists the members of a level.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from trix.errors import ExitCode, UsageError

MakeResolver = Callable[[str, str], Any]
"""(index or source folder, counting rule of text) -> resolver."""

ListMembers = Callable[[str, str], Any]
"""(index, level) -> document id -> paths."""


class _Hooks(NamedTuple):
    resolver: MakeResolver | None = None
    members: ListMembers | None = None


_hooks = _Hooks()

Qrels = Annotated[Path, typer.Argument(metavar="QRELS", help="Assessments: a file, or a folder of XML files.")]
Runs = Annotated[list[Path], typer.Argument(metavar="RUN...", help="Runs, in any format.")]
MeasureNames = Annotated[list[str] | None, typer.Option(
    "--measure", "-m", help="A measure or group; may be repeated, or hold several, separated by blanks.")]
Format = Annotated[str, typer.Option("--format", "-f", help="table, csv, json, latex or markdown.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write; standard output if left out.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw the curves into FILE.svg, .png or .pdf.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Drop and count bad lines instead of stopping.")]
Index = Annotated[str | None, typer.Option("--index", help="Index (or folder of sources) that knows the documents.")]
Text = Annotated[str, typer.Option("--text", help="How characters are counted: trix, inex or inex-bytes.")]
Official = Annotated[bool, typer.Option("--official", help="Conduct of the official INEX tool, quirks included.")]
OnlyShared = Annotated[bool, typer.Option("--only-shared", help="Leave out topics that the run lacks.")]
TrecTies = Annotated[bool, typer.Option("--trec-ties", help="Order of trec_eval: score, then id, both descending.")]
RunFormat = Annotated[str | None, typer.Option("--run-format", help="trec, inex2009, inex or jsonl; else by content.")]
QrelsFormat = Annotated[str | None, typer.Option(
    "--qrels-format", help="trec, offsets or assessments; else by content.")]
PassageEnd = Annotated[bool, typer.Option("--passage-end", help="Column 8 of passages is their end, not their length.")]
Elements = Annotated[float | None, typer.Option("--elements", "-N", help="Number of elements in the collection.")]
Sizes = Annotated[Path | None, typer.Option("--sizes", help="File of element sizes: DOCID/PATH WORDS a line.")]
Quantisations = Annotated[Path | None, typer.Option("--quantisations", help="TOML file of own quantisations.")]


def register(app: typer.Typer, resolver: MakeResolver | None = None, members: ListMembers | None = None) -> None:
    """Put the commands of the evaluator on an application."""
    global _hooks
    _hooks = _Hooks(resolver, members)
    app.command("eval", no_args_is_help=True)(eval_command)
    app.command("compare", no_args_is_help=True)(compare_command)
    app.command("density", no_args_is_help=True)(density_command)
    app.command("granulate", no_args_is_help=True)(granulate_command)
    app.command("simulate", no_args_is_help=True)(simulate_command)
    app.command("convert", no_args_is_help=True)(convert_command)


def _resolver(index: str | None, text: str) -> Any:
    if text not in ("trix", "inex", "inex-bytes"):
        raise UsageError(f"--text {text}: known: trix inex inex-bytes")
    if index is None:
        return None
    if _hooks.resolver is None:
        raise UsageError("--index: this program cannot open indexes")
    return _hooks.resolver(index, text)


def _emit(text: str | Iterable[str], output: Path | None) -> None:
    pieces = [text] if isinstance(text, str) else text
    if output is None:
        for piece in pieces:
            sys.stdout.write(piece)
        return
    try:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
    except OSError as error:
        raise UsageError(f"--output {output}: {error.strerror or error}") from None


def _say(notices: Iterable[str]) -> None:
    for notice in dict.fromkeys(notices):
        sys.stderr.write(f"note: {notice}\n")


def _names(measures: list[str] | None) -> list[str] | None:
    return None if not measures else [name for text in measures for name in text.split()]


def _sizes(path: Path | None) -> dict[tuple[str, str], float] | None:
    if path is None:
        return None
    from trix.errors import FormatError
    from trix.eval.formats.reading import lines
    from trix.eval.paths import split_unit

    found = {}
    for number, line in lines(path):
        columns = line.split()
        try:
            unit, words = columns
            found[split_unit(unit)] = float(words)
        except ValueError:
            raise FormatError("DOCID/PATH WORDS expected", path, number) from None
    return found


def _show_measures() -> None:
    from trix.eval.report import measures_table, render

    _emit(render([measures_table()], "table", dict), None)
    raise typer.Exit(ExitCode.DONE)


def eval_command(
    qrels: Annotated[Path | None, typer.Argument(metavar="QRELS", help="Assessments, in any format.")] = None,
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN...", help="Runs, in any format.")] = None,
    measure: MeasureNames = None,
    measures: Annotated[bool, typer.Option("--measures", help="List all measures and leave.")] = False,
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Show every topic.")] = False,
    official: Official = False,
    task: Annotated[str | None, typer.Option(
        "--task", help="With --official: print what the tool prints, for f, t, r, b or i.")] = None,
    complete: Annotated[bool, typer.Option("--complete", "-c", help="Mean over all topics (the default).")] = False,
    only_shared: OnlyShared = False, trec_ties: TrecTies = False,
    ties: Annotated[str, typer.Option("--ties", help="What makes results one level: rank or score.")] = "rank",
    lenient: Lenient = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if there is anything to note.")] = False,
    format: Format = "table", output: Output = None, plot: Plot = None, run_format: RunFormat = None,
    qrels_format: QrelsFormat = None, passage_end: PassageEnd = False, index: Index = None, text: Text = "trix",
    elements: Elements = None, sizes: Sizes = None, quantisations: Quantisations = None,
) -> None:
    """Evaluate runs.

    Example: trix eval qrels.txt run1.txt run2.txt -m AP -m "nDCG@10 P@10"
    """
    if measures:
        _show_measures()
    if qrels is None or not runs:
        raise UsageError("QRELS and at least one RUN are needed; --measures lists the measures")
    if ties not in ("rank", "score"):
        raise UsageError(f"--ties {ties}: known: rank score")
    if task is not None:
        if not official:
            raise UsageError("--task belongs to --official")
        from trix.eval.official import official_report

        _emit([official_report(qrels, run, task, complete=complete and not only_shared, per_topic=per_topic)
               for run in runs], output)
        return
    from trix.eval.evaluate import evaluate
    from trix.eval.formats.read import read_qrels
    from trix.eval.measures.registry import GROUP_MEMBERS, expand, parse_measure
    from trix.eval.quantisation import read_toml
    from trix.eval.report import render_result

    judged = read_qrels(qrels, format=qrels_format, lenient=lenient)
    options: dict[str, Any] = {
        "official": official, "only_shared": only_shared, "trec_ties": trec_ties, "ties": ties, "lenient": lenient,
        "resolver": _resolver(index, text), "sizes": _sizes(sizes), "elements": elements,
        "quantisations": read_toml(quantisations) if quantisations else None, "run_format": run_format,
        "passage_end": passage_end,
    }
    asked = _names(measure)
    chosen = [m for name in asked for m in expand(name)] if asked is not None else None
    result = evaluate(judged, [*runs], chosen, **options)
    _emit(render_result(result, format, per_topic), output)
    if plot is not None:
        from trix.eval.plots import curve_names, plot_curves

        if not any(score.is_vector for scores in result.scores.values() for score in scores.values()):
            groups = [g for g in GROUP_MEMBERS if set(expand(g)) <= set(result.measures)]
            names = [parse_measure(name) for name in curve_names(judged.form, groups)]
            plot_curves(evaluate(judged, [*runs], names, **options), plot)
        else:
            plot_curves(result, plot)
    _say(result.notices)
    if strict and result.notices:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def compare_command(
    qrels: Qrels, runs: Runs, measure: MeasureNames = None,
    matrix: Annotated[bool, typer.Option("--matrix", help="Correlate measures over the runs and their twins.")] = False,
    baseline: Annotated[str | None, typer.Option("--baseline", help="Run id to compare with; the first run's.")] = None,
    all_pairs: Annotated[bool, typer.Option("--all-pairs", help="Compare every pair of runs.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="For randomisation and bootstrap.")] = 1,
    only_shared: OnlyShared = False, trec_ties: TrecTies = False, lenient: Lenient = False, format: Format = "table",
    output: Output = None, plot: Plot = None, index: Index = None, text: Text = "trix",
) -> None:
    """Compare runs topic by topic: tests, corrections, effect sizes, gain classes.

    Example: trix compare qrels.txt baseline.txt better.txt -m AP
    """
    from trix.eval import compare as comparing
    from trix.eval import report
    from trix.eval.evaluate import evaluate
    from trix.eval.formats.read import read_qrels

    judged = read_qrels(qrels, lenient=lenient)
    options: dict[str, Any] = {"only_shared": only_shared, "trec_ties": trec_ties, "lenient": lenient,
                               "resolver": _resolver(index, text)}
    asked = _names(measure)
    if matrix:
        found = comparing.matrix(judged, [*runs], tuple(asked or comparing.MATRIX), **options)
        _emit(report.render(report.matrix_tables(found), format, lambda: report.matrix_data(found)), output)
        _say(found.notices)
        return
    default = {"grades": "AP", "offsets": "AgP[F]", "elements": "inex2002"}[judged.form]
    result = evaluate(judged, [*runs], asked or [default], **options)
    pairs = comparing.compare(result, baseline, all_pairs, seed)
    _emit(report.render(report.comparison_tables(pairs), format, lambda: report.comparison_data(pairs)), output)
    if plot is not None:
        from trix.eval.plots import plot_comparison

        plot_comparison(result, pairs, plot)
    _say(result.notices)


def density_command(
    qrels: Qrels, run: Annotated[Path, typer.Argument(metavar="RUN", help="A fetch-and-browse run.")],
    tolerance: Annotated[list[int] | None, typer.Option("--tolerance", help="Tolerance to irrelevance.")] = None,
    lenient: Lenient = False, format: Format = "table", output: Output = None, plot: Plot = None, index: Index = None,
    text: Text = "trix",
) -> None:
    """Study what a run gains on sparsely and densely relevant documents.

    Example: trix density qrels.txt run.txt --plot density.svg
    """
    from trix.eval import report
    from trix.eval.density import TOLERANCES, density

    study = density(qrels, run, tuple(tolerance or TOLERANCES), lenient=lenient, resolver=_resolver(index, text))
    _emit(report.render(report.density_tables(study), format, lambda: report.density_data(study)), output)
    if plot is not None:
        from trix.eval.plots import plot_density

        plot_density(study, plot)
    _say(study.notices)


def granulate_command(
    qrels: Qrels, index: Index = None,
    level: Annotated[str, typer.Option("--level", help="Granularity level.")] = "content",
    members: Annotated[Path | None, typer.Option("--members", help="File of DOCID/PATH, instead of an index.")] = None,
    graded: Annotated[bool, typer.Option("--graded", help="Grades instead of 0 and 1.")] = False,
    stats: Annotated[bool, typer.Option("--stats", help="Print the relevant members per topic instead.")] = False,
    text: Text = "trix", format: Format = "table", output: Output = None,
) -> None:
    """Write TREC qrels with the members of a level as documents.

    Example: trix granulate assessments/ --index my.index --level minor:p --graded
    """
    from trix.eval import report
    from trix.eval.convert import write_grades
    from trix.eval.formats.reading import lines
    from trix.eval.granulate import granulate
    from trix.eval.paths import split_unit

    group: Any = {}
    if members is not None:
        for _, line in lines(members):
            doc, path = split_unit(line.split()[0])
            group.setdefault(doc, []).append(path)
    elif index is None or _hooks.members is None:
        raise UsageError("an index (--index) or a file of members (--members) is needed")
    else:
        group = _hooks.members(index, level)
    found = granulate(qrels, group, graded, _resolver(index, text))
    if stats:
        table = report.Table(f"{found.members} elements at the level", ["topic", "relevant elements", "documents"])
        table.rows = [[t, *counts] for t, counts in found.relevant.items()]
        data = {"members": found.members,
                "topics": {t: {"elements": e, "documents": d} for t, (e, d) in found.relevant.items()}}
        _emit(report.render([table], format, lambda: data), output)
        return
    _emit(write_grades(found.grades), output)


def simulate_command(
    qrels: Qrels,
    kind: Annotated[str, typer.Option("--kind", "-k", help="frb, irb, reverse or lo.")] = "irb",
    quant: Annotated[str | None, typer.Option("--quant", help="Quantisation.")] = None,
    ideal: Annotated[str, typer.Option("--ideal", help="kazai, piwowarski, specific or a file.")] = "kazai",
    write_ideal: Annotated[Path | None, typer.Option("--write-ideal", help="Write the ideal base here, too.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="trec, inex2009, inex or jsonl.")] = "trec",
    quantisations: Quantisations = None, output: Output = None,
) -> None:
    """Write the run that a perfect (or a perfectly wrong) system would return.

    Example: trix simulate assessments/ --kind irb --quant sog --output irb.txt
    """
    from trix.eval.formats.read import read_qrels
    from trix.eval.formats.write_run import write_run
    from trix.eval.measures import ideal as bases
    from trix.eval.quantisation import read_toml
    from trix.eval.simulate import simulate

    judged = read_qrels(qrels)
    own = read_toml(quantisations) if quantisations else {}
    run = simulate(judged, kind, quant, ideal, quantisations=own)
    _emit(write_run(run, format), output)
    if write_ideal is not None:
        best = simulate(judged, "irb", quant, ideal, quantisations=own)
        nodes = {t: dict(zip(zip(r.docs, r.paths or [], strict=True), r.scores.tolist() if r.scores is not None else [],
                             strict=True)) for t, r in best.rankings.items()}
        _emit(bases.write_ideal(nodes), write_ideal)


TARGETS = ("trec", "inex2009", "inex", "jsonl", "offset-qrels", "trec-qrels")


def convert_command(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="A run, or assessments.")],
    to: Annotated[str, typer.Option("--to", help=" ".join(TARGETS))] = "trec",
    offsets: Annotated[bool, typer.Option("--offsets", help="Turn paths into offsets.")] = False,
    paths: Annotated[bool, typer.Option("--paths", help="Turn offsets into paths.")] = False,
    whole_documents: Annotated[bool, typer.Option("--whole-documents", help="The twin: every document whole.")] = False,
    documents: Annotated[bool, typer.Option("--documents", help="Every document once, without passages.")] = False,
    qrels: Annotated[Path | None, typer.Option("--qrels", help="Assessments that know document lengths.")] = None,
    lenient: Lenient = False, passage_end: PassageEnd = False, index: Index = None, text: Text = "trix",
    output: Output = None,
) -> None:
    """Turn a run or assessments into another format.

    Example: trix convert run.xml --to inex2009 --offsets --index my.index
    """
    from trix.eval import convert
    from trix.eval.formats.read import read_qrels, read_run
    from trix.eval.formats.write_run import write_run

    if to not in TARGETS:
        raise UsageError(f"--to {to}: known: {' '.join(TARGETS)}")
    known = _resolver(index, text)
    if to.endswith("-qrels"):
        judged = read_qrels(source, lenient=lenient)
        if to == "offset-qrels":
            if judged.form == "elements":
                judged = convert.resolve_qrels(judged, _needed(known))
            _emit(convert.write_offset_qrels(judged), output)
        else:
            _emit(convert.write_grades(_grades(judged)), output)
        _say(judged.notices)
        return
    run = read_run(source, lenient=lenient, passage_end=passage_end)
    if offsets:
        run = convert.to_offsets(run, _needed(known))
    if paths:
        run = convert.to_paths(run, _needed(known))
    if whole_documents:
        run = convert.whole_documents(run, read_qrels(qrels) if qrels is not None else None, known)
    if documents:
        run = convert.documents_only(run)
    _emit(write_run(run, to), output)
    _say(run.notices)


def _needed(resolver: Any) -> Any:
    if resolver is None:
        raise UsageError("turning paths and offsets into each other needs the documents: --index INDEX")
    return resolver


def _grades(qrels: Any) -> dict[str, dict[str, float]]:
    from trix.eval.measures.flat import unit_grades
    from trix.eval.measures.view import Settings, View
    from trix.eval.runs import Ranking

    settings = Settings(unit_form=qrels.unit_form)
    return {t: unit_grades(View(t, judged, Ranking.empty(), settings)) for t, judged in qrels.topics.items()}
