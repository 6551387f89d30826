"""Long output on a terminal: lines wrapped between words, and the user's pager for more than a screen.

If standard output is not a terminal, text is printed unchanged.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

WIDEST = 100
"""Widest running text in columns, on any terminal; longer lines are hard to read."""

_STYLES = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal() -> bool:
    """Whether standard input and output are a terminal, so that a pager can be used."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def page(pieces: Iterable[str], screens: int = 1) -> None:
    """Print pieces of text, each on its own lines, through a pager if they fill more than `screens` screens.

    Pieces are consumed lazily. Leaving the pager early stops the iteration and is not an error.
    """
    command = pager() if on_terminal() else []
    if not command:
        for piece in pieces:
            print(piece)
        return
    width, height = shutil.get_terminal_size()
    coming, buffered, rows = iter(pieces), list[str](), 0
    for piece in coming:
        buffered.append(piece)
        rows += sum(max(1, -(-_columns(line) // width)) for line in piece.split("\n"))
        if rows >= screens * height:
            _through(command, chain(buffered, coming))
            return
    for piece in buffered:
        print(piece)


def pager() -> list[str]:
    """Return the command of the pager, from ``PAGER`` or less; empty if there is none or none is wanted."""
    if os.environ.get("TERM", "dumb") == "dumb":
        return []
    with suppress(ValueError):
        command = shlex.split(os.environ.get("PAGER", "less"), posix=os.name != "nt")
        if command and command[0] != "cat" and shutil.which(command[0]):
            return [*command, "-R"] if os.path.basename(command[0]) == "less" else command
    return []


def _through(command: Sequence[str], pieces: Iterable[str]) -> None:
    import subprocess  # a search without a pager starts faster

    # As in git: text stays on the screen after leaving, and colours work.
    env = {"LESS": "FRX", "LESSCHARSET": "utf-8", **os.environ}
    sys.stdout.flush()
    try:
        reader = subprocess.Popen(command, stdin=subprocess.PIPE, env=env, encoding="utf-8", errors="replace")
    except OSError:
        for piece in pieces:
            print(piece)
        return
    assert reader.stdin is not None
    with suppress(BrokenPipeError, KeyboardInterrupt):
        for piece in pieces:
            reader.stdin.write(f"{piece}\n")
    with suppress(BrokenPipeError):
        reader.stdin.close()
    while True:  # Ctrl-C is for the pager; if it ran on alone, the terminal would be in a wrong state
        with suppress(KeyboardInterrupt):
            reader.wait()
            return


def _columns(line: str) -> int:
    """Count the columns of a line, without its escape codes.

    >>> _columns("\\x1b[1mbold\\x1b[0m"), _columns("漢字")
    (4, 4)
    """
    from rich.cells import cell_len

    return cell_len(_STYLES.sub("", line))


def wrapped(text: str, matches: Sequence[tuple[int, int]] = (), style: str = "bold yellow") -> Iterator[str]:
    """Yield the lines of a text, wrapped to the terminal, with ranges of characters in a style."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    width, begin, following = min(console.width, WIDEST), 0, 0
    for line in text.split("\n"):
        end = begin + len(line)
        styled = Text(line)
        while following < len(matches) and matches[following][1] <= begin:
            following += 1
        for first, last in matches[following:]:
            if first >= end:
                break
            styled.stylize(style, max(first - begin, 0), min(last, end) - begin)
        parts = styled.wrap(console, width)
        for part in parts:
            part.rstrip()
        yield from rendered(console, parts)
        begin = end + 1


def rendered(console: Any, texts: Iterable[Any]) -> Iterator[str]:
    """Yield rich texts with the escape codes of the terminal."""
    for text in texts:
        with console.capture() as capture:
            console.print(text, soft_wrap=True)
        yield capture.get().removesuffix("\n")


def hanging(text: str, room: int, hang: int = 4) -> str:
    """Wrap the lines of an indented text with a hanging indent of `hang` characters.

    >>> print(hanging("a\\n  bb cc dd", 9))
    a
      bb cc
          dd
    """
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        body = textwrap.wrap(
            line.strip(), max(room, len(indent) + 20 if room > 24 else room), initial_indent=indent,
            subsequent_indent=indent + " " * hang, break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip
        lines += body or [""]
    return "\n".join(lines)


def broken(path: str, room: int) -> list[str]:
    """Split a path before slashes into lines of at most `room` characters; longer steps are cut.

    >>> broken("co/2001/article[1]/bdy[1]", 12)
    ['co/2001', '/article[1]', '/bdy[1]']
    >>> broken("abcdefgh", 5)
    ['abcde', 'fgh']
    """
    lines = [""]
    for step in re.findall(r"/?[^/]*", path):
        if lines[-1] and len(lines[-1]) + len(step) > room:
            lines.append("")
        lines[-1] += step
        while len(lines[-1]) > room:
            lines[-1:] = [lines[-1][:room], lines[-1][room:]]
    return lines
