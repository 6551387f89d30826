"""`trix eval`, `trix compare` and `trix density`: evaluation of runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.eval_options import (
    MEASURING,
    OFFICIAL,
    EvaluationOptions,
    Format,
    Index,
    Lenient,
    MeasureNames,
    Official,
    Output,
    OutputOrFolder,
    Plot,
    Qrels,
    Runs,
    TableName,
    Text,
    emit,
    emit_tables,
    measure_names,
    resolver,
    say,
    say_failed,
)
from trix.cli.options import takes
from trix.errors import ExitCode, TrixError, UsageError

if TYPE_CHECKING:
    from trix.eval.data.qrels import Qrels as Judged
    from trix.eval.measures.core.registry import Measure
    from trix.eval.scores import Scores


def _show_measures() -> None:
    from trix.eval.output.measures import measure_tables
    from trix.eval.output.tables import render

    emit(render(measure_tables(), "table", dict), None)
    raise typer.Exit(ExitCode.DONE)


@command("""
trix eval qrels.txt run1.txt run2.txt -m AP -m "nDCG@10 P@10"
trix eval qrels.txt run.txt --index articles.index --per-topic
trix run articles.index topics.xml | trix eval qrels.txt -
""")
@takes(EvaluationOptions)
def evaluate(
    shared: EvaluationOptions,
    qrels: Annotated[Path | None, typer.Argument(metavar="QRELS", help="Assessments, in any format")] = None,
    runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN...", help="Runs, in any format; - is stdin")] = None,
    measure: MeasureNames = None,
    measures: Annotated[bool, typer.Option("--measures", help="List all measures and exit")] = False,
    per_topic: Annotated[bool, typer.Option("--per-topic", "-q", help="Print a value for each topic, too")] = False,
    official: Official = False,
    task: Annotated[
        str | None,
        typer.Option(
            "--task", metavar="f|t|r|b|i", help="Print the report of the tool for a task", rich_help_panel=OFFICIAL
        ),
    ] = None,
    irr: Annotated[
        int | None,
        typer.Option(
            "--irr",
            metavar="N",
            help="With --task i: stop after N non-relevant characters [default: 300]",
            rich_help_panel=OFFICIAL,
        ),
    ] = None,
    distance: Annotated[
        int | None,
        typer.Option(
            "--distance",
            "-n",
            metavar="N",
            help="With --task b: farthest entry point, in characters [default: 500]",
            rich_help_panel=OFFICIAL,
        ),
    ] = None,
    beta: Annotated[
        float | None,
        typer.Option(
            "--beta",
            metavar="NUMBER",
            help="With --task r: weight of recall in F [default: 0.25]",
            rich_help_panel=OFFICIAL,
        ),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option("--complete", "-c", help="Average over all topics (the default)", rich_help_panel=OFFICIAL),
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if there are notices")] = False,
    format: Format = "table",
    output: Output = None,
    plot: Plot = None,
    histograms: Annotated[
        bool,
        typer.Option("--histograms", help="Count tags and depths of results, too", rich_help_panel=MEASURING),
    ] = False,
) -> int:
    """Evaluate runs with measures of INEX and TREC."""
    if measures:
        _show_measures()
    if qrels is None or not runs:
        raise UsageError("QRELS and at least one RUN are needed; --measures lists the measures")
    if task is not None and not official:
        raise UsageError("--task belongs to --official")
    tuned = _tuned(task, irr, distance, beta)
    known = shared.known()
    options = shared.options(known, official=official)
    if task is not None:
        without = {
            "--measure": measure,
            "--format": format != "table",
            "--plot": plot,
            "--ties": shared.ties != "rank",
            "--trec-ties": shared.trec_ties,
            "--elements": shared.elements,
            "--sizes": shared.sizes,
            "--quantisations": shared.quantisations,
            "--histograms": histograms,
        }
        if idle := [name for name, given in without.items() if given]:
            raise UsageError(f"{', '.join(idle)}: without effect on the report of --task; leave out one or the other")
        judged = shared.judged(qrels)
        conduct = {**tuned, "complete": complete and not shared.only_shared, "per_topic": per_topic}
        notices, failed = _report(judged, runs, task, options, conduct, output)
        say(notices, known)
        return _code(failed, strict, notices)
    from trix.eval.evaluate import evaluate
    from trix.eval.output.report import render_result

    judged = shared.judged(qrels)
    names = measure_names(measure)
    chosen = [m for name in names for m in _expanded(name)] if names is not None else None
    result = evaluate(judged, [*runs], chosen, histograms=histograms, keep_going=True, **options)
    emit(render_result(result, format, per_topic), output)
    if plot is not None:
        good = [path for place, path in enumerate(runs) if place not in result.failed]
        _draw(result, judged, good, chosen, options, plot)
    say(result.notices, known)
    if judged.form == "grades":
        say(_form_of_ndcg(result.measures))
    say_failed(result.failed, runs)
    return _code(result.failed, strict, result.notices)


def _code(failed: object, strict: bool = False, notices: object = ()) -> ExitCode:
    """Return the exit code: failures count, and notices too if `strict`."""
    if strict and (notices or failed):
        return ExitCode.CHECK_FAILED
    return ExitCode.SKIPPED if failed else ExitCode.DONE


def _draw(
    result: Scores,
    judged: Judged,
    runs: list[Path],
    chosen: list[Measure] | None,
    options: dict[str, Any],
    plot: Path,
) -> None:
    """Draw the chosen measures; by default the curves that fit the assessments.

    Gain vectors are drawn with those of the ideal ranking.
    """
    from trix.eval.evaluate import evaluate
    from trix.eval.measures.core.defaults import GROUP_MEMBERS, expand
    from trix.eval.measures.core.registry import parse_measure
    from trix.eval.output.plots import curve_names, ideals_of, plot_curves

    if chosen is None:
        groups = [g for g in GROUP_MEMBERS if set(expand(g)) <= set(result.measures)]
        more = [parse_measure(name) for name in curve_names(judged.form, groups)]
        plot_curves(evaluate(judged, [*runs], more, **options), plot)
        return
    ideals = ideals_of(result.measures)
    if ideals:
        drawn = evaluate(judged, [*runs], [*result.measures, *ideals], **options)
        plot_curves(drawn, plot)
    else:
        plot_curves(result, plot)


def _form_of_ndcg(measures: list[Measure]) -> list[str]:
    """Return a notice if nDCG is measured without a choice between its two common definitions."""
    for measure in measures:
        if measure.spec.name == "nDCG" and not {"form", "b"} & {name for name, _, _ in measure.arguments}:
            cutoff = f"@{measure.cutoff:g}" if measure.cutoff else ""
            return [f"{measure} is its authors' (ranks 1 and 2 count in full); that of trec_eval is nDCG(trec){cutoff}"]
    return []


def _report(
    judged: Judged,
    runs: list[Path],
    task: str,
    options: dict[str, Any],
    conduct: dict[str, Any],
    output: Path | None,
) -> tuple[list[str], bool]:
    """Print the official report of each run; return notices, and whether any run failed."""
    from trix.eval.formats.read import read_run
    from trix.eval.studies.official import check_task, official_report

    check_task(task)
    reports: list[str] = []
    notices: list[str] = []
    failed: dict[int, TrixError] = {}
    for place, path in enumerate(runs):
        try:
            run = read_run(
                path, format=options["run_format"], lenient=options["lenient"], passage_end=options["passage_end"]
            )
            reports.append(
                official_report(
                    judged,
                    run,
                    task,
                    **conduct,
                    notices=notices,
                    lenient=options["lenient"],
                    resolver=options["resolver"],
                )
            )
        except TrixError as error:
            failed[place] = error
    if reports:
        emit(reports, output)
    if not reports:
        say_failed(dict(list(failed.items())[:-1]), runs)
        raise failed[max(failed)]
    say_failed(failed, runs)
    return notices, bool(failed)


def _tuned(task: str | None, irr: int | None, n: int | None, beta: float | None) -> dict[str, Any]:
    """Return the given parameters of the official tool; each belongs to one task."""
    from trix.eval.studies.official import check_task

    if task is not None:
        check_task(task)
    given = {}
    for name, flag, value, of in (
        ("irr", "--irr", irr, "i"),
        ("n", "--distance", n, "b"),
        ("beta", "--beta", beta, "r"),
    ):
        if value is None:
            continue
        if task != of:
            raise UsageError(f"{flag} belongs to --official --task {of}")
        if not 0 < value < math.inf:
            raise UsageError(f"{flag} {value}: expected a number above 0")
        given[name] = value
    return given


def _expanded(name: str) -> list[Measure]:
    from trix.eval.measures.core.defaults import expand

    try:
        return expand(name)
    except UsageError as error:
        raise UsageError(f"--measure {name}: {error}") from None


@command("""
trix compare qrels.txt baseline.txt better.txt -m AP
trix compare qrels.txt run1.txt run2.txt --matrix
""")
@takes(EvaluationOptions)
def compare(
    shared: EvaluationOptions,
    qrels: Qrels,
    runs: Runs,
    measure: MeasureNames = None,
    matrix: Annotated[
        bool, typer.Option("--matrix", help="Correlate measures instead, over the runs and their whole documents")
    ] = False,
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="RUN-ID", help="Run to compare with [default: the first]")
    ] = None,
    all_pairs: Annotated[bool, typer.Option("--all-pairs", help="Compare every pair of runs")] = False,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", help="Seed of randomisation and bootstrap", rich_help_panel=MEASURING),
    ] = 1,
    format: Format = "table",
    table: TableName = None,
    output: OutputOrFolder = None,
    plot: Plot = None,
) -> int:
    """Test whether runs differ, topic by topic.

    Tables: pairs, effects, runs, friedman; with --matrix tau-b, tau-ap, means, twins.
    """
    from trix.eval.evaluate import evaluate
    from trix.eval.output import report
    from trix.eval.studies import compare as comparing

    known = shared.known()
    options = shared.options(known)
    judged = shared.judged(qrels)
    wanted = measure_names(measure)
    if matrix:
        names = tuple(repr(m) for name in wanted for m in _expanded(name)) if wanted else comparing.MATRIX
        found = comparing.matrix(judged, [*runs], names, keep_going=True, **options)
        more = emit_tables(
            report.matrix_tables(found), "tau-b", format, lambda: report.matrix_data(found), output, table
        )
        say([*found.notices, *more], known)
        say_failed(found.failed, runs)
        return _code(found.failed)
    default = {"grades": "AP", "offsets": "AgP[F]", "elements": "inex2002"}[judged.form]
    chosen = [m for name in wanted or [default] for m in _expanded(name)]
    result = evaluate(judged, [*runs], chosen, keep_going=True, **options)
    if result.failed and (len(result.scores) < 2 or (0 in result.failed and baseline is None)):
        raise next(iter(result.failed.values()))  # without a baseline, or anything to compare with it
    pairs = comparing.compare(result, baseline, all_pairs, seed)
    tables = report.comparison_tables(pairs, long=format == "csv")
    main = "runs" if format == "latex" and not all_pairs else "pairs"
    more = emit_tables(tables, main, format, lambda: report.comparison_data(pairs), output, table)
    if plot is not None:
        from trix.eval.output.plots import plot_comparison

        plot_comparison(result, pairs, plot)
    say([*result.notices, *more], known)
    say_failed(result.failed, runs)
    return _code(result.failed)


@command("""
trix density qrels.txt run.txt --plot density.svg
trix density qrels.txt run.txt --tolerance 500 --format csv
""")
def density(
    qrels: Qrels,
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run of the task fetch-and-browse")],
    tolerance: Annotated[
        list[int] | None, typer.Option("--tolerance", metavar="N", help="Tolerance to irrelevance; repeatable")
    ] = None,
    lenient: Lenient = False,
    format: Format = "table",
    table: TableName = None,
    output: OutputOrFolder = None,
    plot: Plot = None,
    index: Index = None,
    text: Text = "trix",
) -> None:
    """Measure a run on sparsely and on densely relevant documents.

    Tables: deciles, distribution.
    """
    from trix.eval.output import report
    from trix.eval.studies.density import TOLERANCES, density

    known = resolver(index, text)
    study = density(qrels, run, tuple(tolerance or TOLERANCES), lenient=lenient, resolver=known)
    more = emit_tables(
        report.density_tables(study), "deciles", format, lambda: report.density_data(study), output, table
    )
    if plot is not None:
        from trix.eval.output.plots import plot_density

        plot_density(study, plot)
    say([*study.notices, *more], known)
