"""`trix passages`."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from trix.cli.app import QueryCommand, command
from trix.cli.messages import say_notices
from trix.cli.options import IndexPath, read_option, takes_settings
from trix.errors import UsageError
from trix.support.jsonl import json_line
from trix.support.kinds import OneOf, Whole


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
        typer.Argument(metavar="QUERY", help='Words, +must -not, "phrases"; or NEXI.', show_default=False),
    ] = None,
    characters: Annotated[
        str, typer.Option("--characters", metavar="N", help="Characters of all passages together, at the most.")
    ] = "6000",
    around: Annotated[
        str | None,
        typer.Option(
            "--around", metavar="N", help="Characters of the paragraphs before and behind each passage, at the most."
        ),
    ] = None,
    sentences: Annotated[
        bool, typer.Option("--sentences/--no-sentences", help="Whole sentences where a passage is cut, or words.")
    ] = True,
    format: Annotated[str, typer.Option("--format", metavar="text|jsonl", help="For a prompt, or for programs.")] = (
        "text"
    ),
) -> None:
    """Print the best passages that fit into so much text, in reading order."""
    form = read_option("--format", format, OneOf("text", "jsonl"))
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
