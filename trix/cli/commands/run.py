"""`trix run`: a run of many topics."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from trix.cli.app import BatchCommand, command
from trix.cli.messages import say_notices
from trix.cli.options import IndexPath, Output, Passages, read_option, takes_settings
from trix.cli.sources import Dask, Jobs, cluster, workers
from trix.errors import ExitCode, UsageError
from trix.eval.formats import RUN_FORMATS
from trix.settings import defaults
from trix.support.setting_types import Choice


@command(
    """
trix run articles.index topics.xml --output base.run
trix run articles.index topics.xml --context tower --output tower.run
trix run articles.index -e -o b=0.1 queries2004co.txt > original.run
""",
    parser=BatchCommand,
)
@takes_settings("run")
def run(
    options: dict[str, Any],
    index: IndexPath,
    topics: Annotated[
        str,
        typer.Argument(
            metavar="TOPICS", help="INEX or TREC topics, or lines of ID<TAB>QUERY; - is stdin", show_default=False
        ),
    ],
    output: Output = None,
    format: Annotated[str, typer.Option("--format", metavar="|".join(RUN_FORMATS), help="Format of the run")] = "trec",
    field: Annotated[
        str, typer.Option("--field", metavar="title|castitle|...", help="Field of the topics to use as query")
    ] = "title",
    einstein: Annotated[
        bool, typer.Option("-e", help="Same as --combine einstein --preset study", rich_help_panel="Original TRIX")
    ] = False,
    full: Annotated[
        bool, typer.Option("-o", help="Same as --overlap full --preset study", rich_help_panel="Original TRIX")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add how each score is made up, in jsonl", rich_help_panel="Output")
    ] = False,
    highlight: Annotated[
        bool,
        typer.Option("--highlight", help="Add ranges of words that match, in jsonl", rich_help_panel="Output"),
    ] = False,
    run_id: Annotated[str, typer.Option("--run-id", metavar="NAME", help="Name of the run")] = "trix",
    passages: Passages = False,
    jobs: Jobs = None,
    dask: Dask = None,
) -> int:
    """Search for all topics of a file and write a run.

    As in the original TRIX, b=NUMBER, v=NUMBER, -e and -o are options; each of them implies --preset study.
    """
    from trix.cli import runs
    from trix.support.output import replacing

    form = read_option("--format", format, Choice(*RUN_FORMATS))
    if explain and form != "jsonl":
        raise UsageError(f"--explain: only the format jsonl holds explanations; got --format {form}")
    if highlight and form != "jsonl":
        raise UsageError(f"--highlight: only the format jsonl holds matches; got --format {form}")
    _put(options, "combine", "einstein", "-e", einstein)
    _put(options, "overlap", "full", "-o", full)
    layout = runs.RunLayout(
        form, run_id, passages, options.get("strategy"), options.get("cas"), options.get("level"), field
    )
    processes = workers(jobs)
    import trix

    with replacing(output) as out:  # first, so that a wrong place is known before a long run
        parsed_topics = trix.read_topics(topics)
        say_notices(parsed_topics.notices)
        with cluster(dask) as client, trix.open(index, client=client) as opened:
            batch = opened.run(parsed_topics, field=field, run_id=run_id, jobs=processes, **options)
            say_notices(batch.notices)
            known = {**defaults("run"), **options}

            def explained(topic: str, result: Any) -> Any:
                of = parsed_topics[topic]
                return opened.explain(of.query(field), result, lenient=True, slash_descends=of.slash_descends, **known)

            runs.write(batch, layout, out, explained if explain else None, highlight)
            say_notices(opened.notices)
    return ExitCode.SKIPPED if batch.skipped else ExitCode.DONE


def _put(options: dict[str, Any], name: str, value: str, flag: str, given: bool) -> None:
    """Set the option that a flag of the original stands for; with it the preset is that of the papers."""
    if given and options.setdefault(name, value) != value:
        raise UsageError(f"{flag} means --{name} {value}, but --{name} {options[name]} is given; expected one of both")
    if given:
        options.setdefault("preset", "study")
