"""Input line of `trix shell`: editing, a persistent history, and completion.

All of it comes from readline; where Python lacks it, lines are read plainly.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, TextIO

from trix.cli.completion import values

PROMPT = "trix> "
HISTORY_LENGTH = 1000
WORDS = 12
"""Words of the index that completion offers, at most."""

Offers = Callable[[str], Iterable[str]]
"""Maps a line up to the cursor to completions of its last word."""


def lines(offers: Offers, greeting: str = "", stream: TextIO | None = None) -> Iterator[str]:
    """Yield the lines of stdin, on a terminal with prompt, history and completion."""
    source = sys.stdin if stream is None else stream
    if not source.isatty():
        yield from source
        return
    keep = _use_readline(offers)
    if greeting:
        print(greeting)
    while True:
        try:
            line = input(PROMPT)
        except KeyboardInterrupt:
            print()
            continue
        except EOFError:
            print()
            return
        keep(line)
        yield line


def history_path() -> Path:
    """Return the file of the history, in the state folder of the XDG base directories."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state") / "trix" / "history"


def _use_readline(offers: Offers) -> Callable[[str], None]:
    """Load the history and set up completion; return a function that saves a line. Failures are ignored."""
    try:
        import readline
    except ImportError:
        return lambda line: None
    path = history_path()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LENGTH)
    readline.set_completer_delims(" \t\n")
    readline.set_completer(completer(offers, lambda: readline.get_line_buffer()[: readline.get_endidx()]))
    libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")

    def keep(line: str) -> None:
        """Append a line at once, so that parallel or killed sessions lose nothing."""
        with suppress(OSError, AttributeError):
            if line.strip():
                readline.append_history_file(1, path)

    return keep


def completer(offers: Offers, typed: Callable[[], str]) -> Callable[[str, int], str | None]:
    """Return a completer for readline: from a word and a count from 0 to one completion, and None after the last.

    Errors are ignored, since a message would appear in the line that is being typed.
    """
    found: list[str] = []

    def complete(word: str, state: int) -> str | None:
        if state == 0:
            found.clear()
            with suppress(Exception):
                found.extend(each for each in offers(typed()) if each.startswith(word))
        return found[state] if state < len(found) else None

    return complete


def words_of(index: Any, line: str) -> Iterable[str]:
    """Complete the last word of a query with words of the index, the most frequent first."""
    last = line.rpartition(" ")[2]
    if sum(map(str.isalnum, last)) < 2:
        return []
    words = [each.text for each in index.suggest(last, WORDS) if each.kind == "word"]
    # The typed letters stay, with their capitals, so words with another beginning cannot be offered.
    alike = [word for word in words if word[: len(last)].casefold() == last.casefold()]
    return [f"{last}{word[len(last) :]} " for word in alike]


def offers_of(session: Any) -> Offers:
    """Return completions for a session: commands, settings, their values, levels, ids."""
    from trix.settings import SETTINGS

    flags = {option.flag: option for option in SETTINGS.values()}

    def opened() -> AbstractContextManager[Any]:
        return nullcontext(session.index)

    def offered(line: str) -> Iterable[str]:
        if not line.startswith(":"):
            return words_of(session.index, line)
        *before, last = line[1:].split(" ")
        before = list(filter(None, before))
        if not before:
            taking = {name: bool(argument) for name, (_, argument, _) in session.commands.items()}
            names = {**dict.fromkeys(flags, True), **taking}
            return (f":{name}{' ' if takes else ''}" for name, takes in names.items())
        name, *given = before
        if name in ("set", "unset") and not given:
            return (f"{flag}{' ' if name == 'set' else ''}" for flag in flags)
        if name in ("show", "xml", "explain", "like") and not given:
            return values("unit", "", opened, last)
        flag = given[0] if name == "set" else name
        option = flags.get(flag)
        if option is None or (name != "set" and name in session.commands):
            return ()
        if not option.repeatable and len(given) > (name == "set"):
            return ()
        return values(option.name, option.kind.metavar, opened, last)

    return offered
