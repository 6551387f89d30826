"""`trix rescore`: runs of other systems, scored with context."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.messages import say_notices
from trix.cli.options import IndexPath, Output, Passages, read_option, takes_settings
from trix.errors import ExitCode
from trix.eval.formats import RUN_FORMATS
from trix.support.setting_types import Choice


@command(
    """
trix rescore indri.run articles.index --context root:0.5 --output new.run
trix rescore run.xml articles.index --strategy focused --format inex2009
"""
)
@takes_settings("rescore")
def rescore(
    options: dict[str, Any],
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="Run of elements, in any format; - is stdin", show_default=False),
    ],
    index: IndexPath,
    output: Output = None,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(RUN_FORMATS), help="Format of the new run")
    ] = "trec",
    run_format: Annotated[
        str | None, typer.Option("--run-format", metavar="FORMAT", help="Format of RUN [default: detected]")
    ] = None,
    lenient: Annotated[bool, typer.Option("--lenient", help="Skip and count bad lines of RUN")] = False,
    run_id: Annotated[
        str, typer.Option("--run-id", metavar="NAME", help="Name of the new run [default: that of RUN]")
    ] = "",
    passages: Passages = False,
) -> int:
    """Rescore the elements of any run with their context.

    Elements that are not in the run count as 0. All elements of the run are kept unless --strategy says otherwise.
    Results that are not elements of the index are dropped and counted; the exit code is then 3.
    """
    from trix.cli import runs
    from trix.support.output import replacing

    form = read_option("--format", format, Choice(*RUN_FORMATS))
    if run_format is not None:
        run_format = read_option("--run-format", run_format, Choice(*RUN_FORMATS))
    import trix

    with replacing(output) as out, trix.open(index) as opened:
        rescored = opened.rescore(run, run_id=run_id, run_format=run_format, lenient=lenient, **options)
        say_notices(rescored.notices)
        layout = runs.RunLayout(form, rescored.run_id, passages, options.get("strategy", "thorough"))
        runs.write(rescored, layout, out)
        say_notices(opened.notices)
    return ExitCode.SKIPPED if rescored.dropped else ExitCode.DONE
