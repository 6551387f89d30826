"""`trix handbook`: the documentation in a terminal, as search results, and as web pages."""

from __future__ import annotations

import os
import shutil
import sys
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer

from trix.cli.app import command
from trix.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from trix.handbook.text import Style


@command("""
trix handbook
trix handbook overlap
trix handbook contextualisation
trix handbook --html pages
""")
def handbook(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CHAPTER|WORDS...]", help="Name of a chapter, or words to search for"),
    ] = None,
    html: Annotated[
        str | None, typer.Option("--html", metavar="FOLDER", help="Write the handbook as web pages")
    ] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Open the handbook in a browser")] = False,
    top: Annotated[int, typer.Option("-n", "--top", metavar="N", min=1, help="Number of results")] = 5,
) -> int:
    """Read or search the handbook."""
    typed = " ".join(words or []).strip()
    if html is not None or browser:
        _web(typed, html, browser)
        return ExitCode.DONE
    from trix.handbook.contents import find

    if not typed:
        _whole()
    elif chapter := find(typed):
        from trix.handbook.text import render

        _show(render(chapter, _width(), _style()))
    else:
        _search(typed, top)
    return ExitCode.DONE


def _whole() -> None:
    """Show the whole handbook in the pager on a terminal; elsewhere list the chapters."""
    from trix.handbook.contents import chapters
    from trix.handbook.text import render

    if not sys.stdout.isatty():
        print(contents(), end="")
        return
    rule = "\n" + "─" * min(_width(), 88) + "\n\n"
    _show(contents() + rule + rule.join(render(chapter, _width(), _style()) for chapter in chapters()))


def contents() -> str:
    """List the chapters by part, a line each."""
    from trix.handbook.contents import chapters

    known = chapters()
    width = max(len(chapter.name) for chapter in known)
    lines = ["The Trix handbook", ""]
    for part, members in groupby(known, lambda chapter: chapter.part):
        lines += [part, *(f"  {chapter.name:{width}}  {chapter.title}" for chapter in members), ""]
    lines.append("Show a chapter with trix handbook NAME; search all of them with trix handbook WORDS.")
    return "\n".join(lines) + "\n"


def _search(words: str, top: int) -> None:
    """Print the best places, each with heading, snippet and chapter."""
    import textwrap

    from trix.cli.messages import say_notices
    from trix.handbook.search import search

    places, notices = search(words, top)
    say_notices(notices)
    if not places:
        raise UsageError(f"{words}: not found in the handbook; trix handbook lists the chapters")
    style, width = _style(), min(_width(), 88)
    for number, place in enumerate(places, 1):
        heading = " › ".join(place.headings)
        print(f"{number}  {style(heading, 'heading')}")
        print(textwrap.indent(textwrap.fill(place.snippet, width - 3), "   "))
        print("   " + style(f"trix handbook {place.chapter}", "code") + "\n")


def _web(words: str, folder: str | None, browser: bool) -> None:
    from trix.handbook import html
    from trix.handbook.contents import chapter

    page = f"{chapter(words).name}.html" if words else "index.html"
    if folder is None:
        from trix.handbook.search import pages_folder

        index = html.write(pages_folder())
    else:
        index = html.write(folder)
    place = index.with_name(page)
    print(place)
    if browser:
        import webbrowser

        if not webbrowser.open(place.resolve().as_uri()):
            raise UsageError(f"--browser: found no browser; open {place} yourself")


def _show(text: str) -> None:
    """Print a text, on a terminal through the pager."""
    if not sys.stdout.isatty():
        print(text, end="")
        return
    import pydoc

    os.environ.setdefault("LESS", "-RF")  # colours; no waiting where all fits on the screen
    pydoc.pager(text)


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 80


def _style() -> Style:
    from trix.handbook.text import no_style, terminal_style

    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return no_style if plain else terminal_style
