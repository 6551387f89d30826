"""`trix sweep`, `tune`, `learn`, `report` and `stats`: experiments; `trix reproduce`: those of the papers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.arguments import DEFAULT_INDEX
from trix.cli.eval_options import Format, Plot
from trix.cli.messages import say, say_notices
from trix.cli.options import read_option, takes_settings
from trix.cli.sources import Dask, cluster, workers
from trix.errors import ExitCode, UsageError
from trix.support.output import json_text
from trix.support.setting_types import Choice, Whole

if TYPE_CHECKING:
    from trix.lab.learn import Learned
    from trix.lab.run.sweep import Sweep
    from trix.lab.tune import Tuning

ExperimentFile = Annotated[
    str, typer.Argument(metavar="EXPERIMENT.toml", help="Experiment: what to vary and measure", show_default=False)
]
OutputFolder = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Folder for results [default: the name of the experiment + .results]",
        show_default=False,
    ),
]
Base = Annotated[
    str | None,
    typer.Option(
        "--base",
        metavar="FOLDER",
        help="Folder of relative paths [default: that of the experiment]",
        show_default=False,
    ),
]
Jobs = Annotated[
    str | None,
    typer.Option("--jobs", "-j", metavar="N", help="Worker processes [default: all cores]", show_default=False),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress and summary")]


def _say_skipped(found: Sweep | Tuning | Learned, quiet: bool) -> ExitCode:
    """Print the notices of an experiment, if `quiet` only on skipped topics; return the exit code."""
    from trix.lab.run.sweep import skipped_summary

    if not quiet:
        say_notices(found.notices)
    elif found.skipped:
        say(skipped_summary(found.skipped))
    return ExitCode.SKIPPED if found.skipped else ExitCode.DONE


def _folder(experiment: str, output: str | None) -> Path:
    return Path(output) if output is not None else Path(f"{Path(experiment).stem}.results")


@command("""
trix sweep examples/study-iv-content.toml --output content.results
trix sweep experiment.toml --jobs 2       # continues where it was interrupted
trix sweep experiment.toml --model bm25   # overrides its [options]
""")
@takes_settings("experiment")
def sweep(
    options: dict[str, Any],
    experiment: ExperimentFile,
    output: OutputFolder = None,
    base: Base = None,
    jobs: Jobs = None,
    dask: Dask = None,
    quiet: Quiet = False,
) -> int:
    """Measure all variants of an experiment, with cross-validation."""
    from trix.eval.output.report import render
    from trix.lab.plan.toml import read_experiment
    from trix.lab.report.tables import ReportData, main_table
    from trix.lab.run.sweep import sweep as run_sweep
    from trix.support.progress import progress_bar

    asked = read_experiment(experiment, base, options)
    processes = workers(jobs)
    with cluster(dask) as client, progress_bar("measuring", shown=not quiet) as progress:
        found = run_sweep(asked, _folder(experiment, output), jobs=processes, progress=progress, client=client)
    code = _say_skipped(found, quiet)
    if not quiet:
        tables = [main_table(ReportData(found), part) for part in found.parts]
        print(render(tables, "table", dict), end="")
        print(f"\n{len(asked.variants)} variants on {len(found.topics)} topics in {found.folder}")
    return code


@command("""
trix tune experiment.toml --family vertical
trix tune experiment.toml --restarts 5 --folds 10 --output tuned
""")
def tune(
    experiment: ExperimentFile,
    family: Annotated[
        str | None, typer.Option("--family", metavar="NAME", help="Family of variants to tune", show_default=False)
    ] = None,
    restarts: Annotated[str, typer.Option("--restarts", metavar="N", help="Random starts beside the first one")] = "3",
    folds: Annotated[str, typer.Option("--folds", metavar="K", help="Folds of the cross-validation")] = "5",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Seed of the random starts")] = "1",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
    output: OutputFolder = None,
    base: Base = None,
    jobs: Jobs = None,
    dask: Dask = None,
    quiet: Quiet = False,
) -> int:
    """Search for the best parameters, and test how much they help."""
    from trix.lab.plan.toml import read_experiment
    from trix.lab.tune import describe
    from trix.lab.tune import tune as run_tune
    from trix.support.progress import progress_bar

    asked = read_experiment(experiment, base)
    processes = workers(jobs)
    with cluster(dask) as client, progress_bar("measuring", shown=not quiet) as progress:
        tuned = run_tune(
            asked, _folder(experiment, output), family=family,
            restarts=read_option("--restarts", restarts, Whole()), folds=read_option("--folds", folds, Whole()),
            seed=read_option("--seed", seed, Whole()), jobs=processes, progress=progress, client=client,
        )  # fmt: skip
    code = _say_skipped(tuned, quiet)
    print(json_text(tuned.to_json()) if as_json else describe(tuned))
    return code


@command("""
trix learn experiment.toml                # continues where it was interrupted
trix learn experiment.toml --name lm --folds 10 --output learned
""")
def learn(
    experiment: ExperimentFile,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of a [[learn]] table of the experiment", show_default=False),
    ] = None,
    restarts: Annotated[str, typer.Option("--restarts", metavar="N", help="Random starts beside the first one")] = "2",
    folds: Annotated[str, typer.Option("--folds", metavar="K", help="Folds of the cross-validation")] = "5",
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Seed of the random starts")] = "1",
    ceiling: Annotated[
        bool, typer.Option("--ceiling", help="Compare with LambdaMART on the same scores; needs LightGBM")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON")] = False,
    output: OutputFolder = None,
    base: Base = None,
    jobs: Jobs = None,
    quiet: Quiet = False,
) -> int:
    """Learn the weights of a model and its contexts together."""
    from trix.lab.learn import describe
    from trix.lab.learn import learn as run_learn
    from trix.lab.parameter_search import silent
    from trix.lab.plan.toml import read_experiment
    from trix.support.progress import on_a_terminal, progress_bar

    asked = read_experiment(experiment, base)
    processes = workers(jobs)
    with progress_bar("learning", shown=not quiet) as progress:
        learned = run_learn(
            asked, _folder(experiment, output), name=name, restarts=read_option("--restarts", restarts, Whole()),
            folds=read_option("--folds", folds, Whole()), seed=read_option("--seed", seed, Whole()), ceiling=ceiling,
            jobs=processes, progress=progress, stage=silent if quiet or on_a_terminal() else say,
        )  # fmt: skip
    code = _say_skipped(learned, quiet)
    print(json_text(learned.to_json()) if as_json else describe(learned))
    return code


@command("""
trix report content.results
trix report content.results --no-figures
""")
def report(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Results of a sweep", show_default=False)],
    figures: Annotated[bool, typer.Option("--figures/--no-figures", help="Draw figures; needs matplotlib")] = True,
) -> int:
    """Write a report on a sweep, in Markdown and HTML."""
    from trix.lab.report.report import report as write_report

    for path in write_report(folder, figures):
        print(path)
    return ExitCode.DONE


@command("""
trix stats run.txt articles.index
trix stats b01.txt b04.txt articles.index --top 100 --plot sizes.svg
trix stats run.txt articles.index --classes sec,p,article
""")
def stats(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN... INDEX",
            help="Runs of elements, in any format, and their index [default: $TRIX_INDEX]",
            show_default=False,
        ),
    ],
    top: Annotated[
        str | None,
        typer.Option(
            "--top", "-n", metavar="N", help="Count only the first N results of each topic", show_default=False
        ),
    ] = None,
    classes: Annotated[
        str | None,
        typer.Option(
            "--classes",
            metavar="TAG,...",
            help="Also count classes of elements: tags with their equivalents in the profile",
            show_default=False,
        ),
    ] = None,
    format: Format = "table",
    plot: Plot = None,
) -> int:
    """Describe the results of runs: sizes, depths, tags, overlap."""
    default = os.environ.get(DEFAULT_INDEX)
    if default and (len(paths) < 2 or os.path.isfile(paths[-1])):
        paths = [*paths, default]
    if len(paths) < 2:
        raise UsageError(f"stats: expected RUN... INDEX, a run and its index; got only {paths[0]}")
    import trix
    from trix.eval.formats.read import read_run
    from trix.eval.output.report import FORMATS, render
    from trix.lab.stats import tables
    from trix.lab.stats.classes import class_counts_of, classes_table
    from trix.lab.stats.stats import run_statistics

    shape = read_option("--format", format, Choice(*FORMATS))
    count = None if top is None else read_option("--top", top, Whole())
    given = [read_run(path) for path in paths[:-1]]
    with trix.open(paths[-1]) as opened:
        found = [run_statistics(run, opened, count) for run in given]
        profile = opened.files.profile
    for run in given:
        say_notices(run.notices)
    named = [] if classes is None else [tag.strip() for tag in classes.split(",") if tag.strip()]
    shown = [*tables.tables(found), *([classes_table(found, named, profile)] if named else [])]

    def data() -> Any:
        more = [{"classes": class_counts_of(each, named, profile)} if named else {} for each in found]
        every = [each.to_json() | beside for each, beside in zip(found, more, strict=True)]
        return every[0] if len(every) == 1 else every

    print(render(shown, shape, data), end="")
    if plot is not None:
        tables.plot(found, plot)
    return ExitCode.DONE


@command("""
trix reproduce
trix reproduce study-iv --output study-iv
trix reproduce study-i --data inex       # docs/reproduce.md: the folder
""")
def reproduce(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Experiment; without it, list them", show_default=False)
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FOLDER", help="Folder with an INEX collection [default: a synthetic one]"),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for a report, figures, and values as CSV"),
    ] = None,
    documents: Annotated[
        str | None, typer.Option("--documents", metavar="N", help="Documents of the synthetic collection")
    ] = None,
    topics: Annotated[str | None, typer.Option("--topics", metavar="N", help="Topics of it, up to 60")] = None,
    seed: Annotated[str, typer.Option("--seed", metavar="N", help="Seed of it")] = "2005",
    format: Format = "table",
    jobs: Annotated[str | None, typer.Option("--jobs", "-j", metavar="N", help="Worker processes")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Hide notices")] = False,
) -> int:
    """Compute the tables and figures of a paper anew."""
    from trix.eval.output.tables import FORMATS
    from trix.papers.base import report
    from trix.papers.catalogue import papers
    from trix.papers.reproduce import reproduce as run

    if name is None:
        every = papers()
        width = max(len(each.name) for each in every)
        for each in every:
            print(f"{each.name:{width}}  {each.summary}")
        return ExitCode.DONE
    shape = read_option("--format", format, Choice(*FORMATS))
    documents_, topics_ = (
        None if number is None else read_option(flag, number, Whole())
        for flag, number in (("--documents", documents), ("--topics", topics))
    )
    seed_ = read_option("--seed", seed, Whole())
    found = run(name, data, documents=documents_, topics=topics_, seed=seed_, jobs=workers(jobs))
    written = [] if output is None else report.write(found, output)
    print(report.text(found, shape), end="")
    if not quiet:
        say_notices(found.notices)
        count = len(found.figures)
        figures = f"{count} figure{'' if count == 1 else 's'}"
        if written:
            say(f"written: {', '.join(str(path) for path in written[:2])}{f', {figures}' if written[2:] else ''}")
        elif count:
            say(f"{figures} not drawn; --output FOLDER writes them with a report")
    return ExitCode.DONE
