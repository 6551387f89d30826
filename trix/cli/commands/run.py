"""`trix run`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from trix.cli.app import BatchCommand, command
from trix.cli.messages import say_notices
from trix.cli.options import IndexPath, read_option, takes_settings
from trix.cli.sources import Dask, Jobs, cluster, workers
from trix.errors import ExitCode, UsageError
from trix.eval.formats import RUN_FORMATS
from trix.settings import defaults
from trix.support.kinds import OneOf


@command(
    """
trix run articles.index topics.xml --context vertical:f=0.25 --output context.run
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
            metavar="TOPICS", help="INEX or TREC topics, or ID<TAB>QUERY lines; - is stdin.", show_default=False
        ),
    ],
    output: Annotated[
        str | None, typer.Option("--output", metavar="RUN", help="Where to; .gz is compressed [default: stdout]")
    ] = None,
    format: Annotated[str, typer.Option("--format", metavar="|".join(RUN_FORMATS), help="Format.")] = "trec",
    field: Annotated[
        str, typer.Option("--field", metavar="title|castitle|...", help="Which field of a topic is asked.")
    ] = "title",
    einstein: Annotated[bool, typer.Option("-e", help="Einstein's sum: --combine einstein.")] = False,
    full: Annotated[bool, typer.Option("-o", help="Full overlap: --overlap full.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Every number of the scores, in jsonl.")] = False,
    highlight: Annotated[
        bool, typer.Option("--highlight", help="The words that matched, as character ranges, in jsonl.")
    ] = False,
    run_id: Annotated[str, typer.Option("--run-id", help="Name of the run.")] = "trix",
    passages: Annotated[bool, typer.Option("--passages", help="Offset and length for the path in inex2009.")] = False,
    jobs: Jobs = None,
    dask: Dask = None,
) -> int:
    """Run a batch of topics; bare b=NUMBER and v=NUMBER are options and, as -e and -o, mean --preset study."""
    from trix.cli import runs
    from trix.support.output import replacing

    form = read_option("--format", format, OneOf(*RUN_FORMATS))
    if explain and form != "jsonl":
        raise UsageError(f"--explain: only the format jsonl holds explanations; got --format {form}")
    if highlight and form != "jsonl":
        raise UsageError(f"--highlight: only the format jsonl holds matches; got --format {form}")
    _put(options, "combine", "einstein", "-e", einstein)
    _put(options, "overlap", "full", "-o", full)
    layout = runs.Layout(
        form, run_id, passages, options.get("strategy"), options.get("cas"), options.get("level"), field
    )
    processes = workers(jobs)
    import trix

    with replacing(output) as out:  # first, so that a wrong place is known before a long run
        asked = trix.read_topics(topics)
        say_notices(asked.notices)
        with cluster(dask) as client, trix.open(index, client=client) as opened:
            batch = opened.run(asked, field=field, run_id=run_id, jobs=processes, **options)
            say_notices(batch.notices)
            known = {**defaults("run"), **options}

            def explained(topic: str, result: Any) -> Any:
                of = asked[topic]
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
