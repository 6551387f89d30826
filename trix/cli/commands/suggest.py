"""`trix suggest`: what a text that is being typed can become, for people and for the completion of other programs."""

from __future__ import annotations

from typing import Annotated

import typer

from trix.cli.app import command
from trix.cli.messages import say_notices
from trix.cli.options import IndexPath, read_option
from trix.support.jsonl import json_line
from trix.support.kinds import Whole


@command("""
trix suggest articles.index contex
trix suggest articles.index 'structured re' --top 20
trix suggest articles.index met --json
""")
def suggest(
    index: IndexPath,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What is typed so far; its last word goes on.", show_default=False)
    ],
    top: Annotated[str, typer.Option("--top", "-n", metavar="N", help="At most so many.")] = "10",
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
) -> None:
    """Print what a text can become: words, titles of documents and of sections, how often each is, and where first."""
    most = read_option("--top", top, Whole())
    import trix

    with trix.open(index) as opened:
        found = opened.suggest(text, most)
        if as_json:
            for each in found:
                print(json_line(each.as_dict()), end="")
        else:
            counts = [f"{each.frequency:,}" for each in found]
            wide = max(map(len, counts), default=0)
            for each, count in zip(found, counts, strict=True):
                print(f"{count:>{wide}}  {each.kind:<7}  {each.text}{f'  {each.doc}{each.path}' if each.doc else ''}")
        say_notices(opened.notices)
