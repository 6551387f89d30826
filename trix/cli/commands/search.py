"""`trix search`, `trix passages`, `trix shell`, and `trix mcp` for language models."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from trix.cli.app import QueryCommand, command
from trix.cli.messages import say_notices
from trix.cli.options import IndexPath, Passages, read_option, takes_settings
from trix.cli.sources import Dask, cluster
from trix.errors import ExitCode, UsageError
from trix.support.extras import needed
from trix.support.output import json_line
from trix.support.setting_types import Choice, Whole

LINES = 100
"""Default number of lines of a concordance."""

SEARCH_FORMATS = ("table", "jsonl", "csv", "markdown", "trec", "inex2009", "inex")
"""A table, CSV, Markdown and `trix.eval.formats.RUN_FORMATS`, repeated here so that a search imports no evaluator."""


@command(
    """
trix search articles.index '+"tree edit distance" +xml -image'
trix search articles.index xml retrieval --where 'year >= 2001' --sort -year
trix search articles.index '//sec[about(., trees)]' -n 20 --format jsonl
""",
    parser=QueryCommand,
)
@takes_settings("search")
def search(
    options: dict[str, Any],
    index: IndexPath,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY...", help='Words, +must -not, "a phrase", or NEXI', show_default=False),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="|".join(SEARCH_FORMATS),
            help="Output format [default: table on a terminal, else jsonl]",
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score is made up")] = False,
    highlight: Annotated[
        bool, typer.Option("--highlight", help="Mark words that match: brackets in a table, matches in jsonl")
    ] = False,
    kwic: Annotated[
        bool, typer.Option("--kwic", help="Print a concordance: a line for each occurrence, N lines in all")
    ] = False,
    kwic_sort: Annotated[
        str | None,
        typer.Option(
            "--kwic-sort",
            metavar="document|left|right",
            help="Sort a concordance by document, preceding or following words [default: document]",
            rich_help_panel="Output",
        ),
    ] = None,
    run_id: Annotated[
        str,
        typer.Option(
            "--run-id", metavar="NAME", help="Name of the run in trec, inex2009 and inex", rich_help_panel="Output"
        ),
    ] = "trix",
    passages: Passages = False,
    dask: Dask = None,
) -> int:
    """Search an index and print ranked elements."""
    form = ("table" if sys.stdout.isatty() else "jsonl") if format is None else format
    form = read_option("--format", form, Choice(*SEARCH_FORMATS))
    if explain and form not in ("table", "jsonl", "csv"):
        raise UsageError(f"--explain: only the formats table, jsonl and csv hold explanations; got --format {form}")
    if highlight and form not in ("table", "jsonl"):
        raise UsageError(f"--highlight: only the formats table and jsonl hold matches; got --format {form}")
    import trix
    from trix.api import records

    text = " ".join(query or ())
    if not query and "like" not in options:
        raise UsageError("missing argument 'QUERY' (see trix search --help)")
    if kwic or kwic_sort is not None:
        return _concordance(index, text, {"top": LINES, **options}, kwic_sort or "document", form, dask)
    with cluster(dask) as client, trix.open(index, client=client) as opened:
        results = opened.search(text, **options)
        say_notices(results.notices)
        explanations = records.explained(opened, text, results, options) if explain else None
        if form == "table":
            from trix.cli import table

            grouped = getattr(results, "grouped", False)
            table.print_table(results, explanations, highlight=highlight, grouped=grouped)
        elif form == "jsonl":
            records.write_jsonl(results, explanations, sys.stdout, highlight)
        elif form == "csv":
            records.write_csv(results, explanations, sys.stdout)
        elif form == "markdown":
            records.write_markdown(results, sys.stdout)
        else:
            from trix.cli import runs

            layout = runs.RunLayout(
                form, run_id, passages, options.get("strategy"), options.get("cas"), options.get("level")
            )
            runs.write({"1": results}, layout, sys.stdout)
        say_notices(opened.notices)
    return ExitCode.DONE


def _concordance(index: str, query: str, options: dict[str, Any], sort: str, form: str, dask: str | None) -> int:
    import trix
    from trix.cli.table import terminal_marks
    from trix.query.display import concordance

    if form not in ("table", "jsonl", "csv"):
        raise UsageError(f"--kwic: only the formats table, jsonl and csv hold lines; got --format {form}")
    with cluster(dask) as client, trix.open(index, client=client) as opened:
        lines = opened.concordance(query, kwic_sort=sort, **options)
        say_notices(lines.notices)
        concordance.write(lines, form, sys.stdout, terminal_marks() or ("", ""))
        say_notices(opened.notices)
    return ExitCode.DONE


@command(
    """
trix passages articles.index 'how are trees edited' --characters 3000
trix passages articles.index xml retrieval --around 200 --format jsonl
""",
    parser=QueryCommand,
)
@takes_settings("search")
def passages(
    options: dict[str, Any],
    index: IndexPath,
    query: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUERY...", help='Words, +must -not, "a phrase", or NEXI', show_default=False),
    ] = None,
    characters: Annotated[
        str, typer.Option("--characters", metavar="N", help="Total length of all passages, at most N characters")
    ] = "6000",
    around: Annotated[
        str | None,
        typer.Option("--around", metavar="N", help="Add paragraphs before and after each passage, up to N characters"),
    ] = None,
    sentences: Annotated[
        bool, typer.Option("--sentences/--no-sentences", help="Cut long passages after a sentence, or after a word")
    ] = True,
    format: Annotated[
        str, typer.Option("--format", metavar="text|jsonl", help="Output for a prompt, or for programs")
    ] = ("text"),
) -> None:
    """Print the best passages that fit a length, in reading order."""
    form = read_option("--format", format, Choice("text", "jsonl"))
    if not query and "like" not in options:
        raise UsageError("missing argument 'QUERY' (see trix passages --help)")
    import trix

    with trix.open(index) as opened:
        found = opened.passages(
            " ".join(query or ()),
            read_option("--characters", characters, Whole()),
            around=0 if around in (None, "0") else read_option("--around", str(around), Whole()),
            sentences=sentences,
            **options,
        )
        if form == "jsonl":
            for each in found:
                sys.stdout.write(json_line(each.to_dict()))
        elif found:
            print(found.text)
        say_notices([*found.notices, *opened.notices])


@command("""
trix shell articles.index
trix articles.index --context vertical:f=0.25
TRIX_INDEX=articles.index trix
""")
@takes_settings("search")
def shell(
    options: dict[str, Any],
    index: IndexPath,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score is made up")] = False,
) -> int:
    """Search an index interactively; :help lists the commands."""
    import trix
    from trix.cli.commands.session import ShellSession

    with trix.open(index) as opened:
        say_notices(opened.check_options(**options))
        ShellSession(opened, options, explain).run()
    return ExitCode.DONE


@command("""
trix mcp articles.index
trix mcp articles.index --web https://articles.example.org
""")
def mcp(
    index: IndexPath,
    web: Annotated[
        str | None,
        typer.Option("--web", metavar="URL", help="Address of its pages [default: http://127.0.0.1:8474]"),
    ] = None,
) -> None:
    """Serve an index to language models (Model Context Protocol).

    Requests come on standard input, and answers go to standard output.
    """
    needed("trix mcp", "mcp", "mcp.server.mcpserver")
    import trix
    from trix.integrations.mcp import SERVED, server

    with trix.open(index) as opened:
        server(opened, web or SERVED).run("stdio")
