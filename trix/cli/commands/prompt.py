"""The prompt: queries against an open index, one after another.

Lines that begin with a colon are commands (``:help`` lists them), all others are queries. Results stay at hand:
``:show 3`` and ``:explain 3`` speak of the last query's. When stdin is no terminal the lines are read without a prompt,
so that a session can be piped in.

The search options of the command line hold here under the same names: ``:set context tower``.
"""

from __future__ import annotations

import atexit
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from trix.cli.messages import did_you_mean, one_line, say, say_notices, told
from trix.cli.records import print_table, terminal_marks
from trix.errors import QueryError, TrixError, UsageError
from trix.query.display.highlight import mark
from trix.settings import SETTINGS, Setting

PROMPT = "trix> "
PAGE = 10
HISTORY_LENGTH = 1000


class Session:
    """A conversation with one index.

    Parameters
    ----------
    index
        An open `trix.Index`.
    options
        Search options to begin with, as `Index.search` takes them.
    explain
        Whether each result comes with every number of its score.
    """

    def __init__(self, index: Any, options: dict[str, Any] | None = None, explain: bool = False) -> None:
        self.index = index
        self.explain = explain
        self.options = dict(options or {})
        self.query = ""
        self.asked: dict[str, Any] = {}
        self.results: Any = None
        self.commands: dict[str, tuple[Callable[[str], bool], str, str]] = {
            "set": (self._set, "[NAME [VALUE...]]", "list the settings, show one, or change one"),
            "unset": (self._unset, "NAME", "back to the default"),
            "show": (self._show, "N", "the text of result N"),
            "xml": (self._xml, "N", "the XML of result N"),
            "explain": (self._explain, "N", "every number of the score of result N"),
            "more": (self._more, "", "further results of the last query"),
            "info": (self._info, "", "counts and settings of the index"),
            "help": (self._help, "", "this list"),
            "quit": (self._quit, "", "leave; so does Ctrl-D"),
        }

    def run(self) -> None:
        """Read lines and answer them until the input ends or `:quit`."""
        for line in _lines():
            try:
                if not self.answer(line):
                    return
            except KeyboardInterrupt:
                print(file=sys.stderr)

    def answer(self, line: str) -> bool:
        """Answer one line; return whether the session goes on.

        What the user did wrong is printed, with a caret under the column of a query.
        """
        text = line.strip()
        try:
            if text.startswith(":"):
                return self._command(text[1:])
            if text:
                self._ask(text, dict(self.options))
        except QueryError as error:
            print(error.caret(), file=sys.stderr)
            hint = f" ({error.hint})" if error.hint else ""
            say(f"error: column {error.column}: {one_line(error.reason)}{hint}")
        except (TrixError, OSError) as error:
            say(f"error: {told(error)}")
        return True

    def _command(self, text: str) -> bool:
        asked, _, argument = text.partition(" ")
        begun = [known for known in self.commands if known.startswith(asked)] if asked else []
        name = begun[0] if len(begun) == 1 else asked
        if name not in self.commands:
            near = did_you_mean(name, self.commands).replace("did you mean ", "did you mean :")
            raise UsageError(f":{name}: no such command{near or '; :help lists them'}")
        return self.commands[name][0](argument.strip())

    def _ask(self, query: str, options: dict[str, Any]) -> None:
        results = self.index.search(query, **options)
        self.query, self.asked, self.results = query, options, results
        say_notices(results.notices)
        self._print(0)
        say_notices(self.index.notices)
        self.index.notices.clear()

    def _print(self, begin: int) -> None:
        explanations = None
        if self.explain:
            explanations = [self.index.explain(self.query, result, **self.asked) for result in self.results]
        print_table(self.results, explanations, begin)

    def _set(self, argument: str) -> bool:
        name, _, value = argument.partition(" ")
        if not name:
            for setting in SETTINGS.values():
                print(f"{setting.flag:13} {self._shown(setting):24} {setting.help_on('search')}")
            return True
        setting = _setting(name)
        if not value.strip():
            print(f"{setting.flag} {self._shown(setting)}")
            return True
        self.options[setting.name] = _read(setting, value.strip())
        return True

    def _unset(self, argument: str) -> bool:
        self.options.pop(_setting(argument).name, None)
        return True

    def _shown(self, setting: Setting) -> str:
        return setting.kind.show(self.options[setting.name]) if setting.name in self.options else "-"

    def _show(self, argument: str) -> bool:
        result = self._result(argument)
        marks = terminal_marks()
        print(mark(result.text, result.matches, *marks) if marks else result.text)
        return True

    def _xml(self, argument: str) -> bool:
        result = self._result(argument)
        print(self.index.show(result.doc + result.path, xml=True))
        return True

    def _explain(self, argument: str) -> bool:
        result = self._result(argument)
        print(self.index.explain(self.query, result, **self.asked))
        return True

    def _more(self, _: str) -> bool:
        if self.results is None:
            raise UsageError(":more: nothing has been asked yet")
        shown, page = len(self.results), self.options.get("top", PAGE)
        if page is not None and self.asked.get("top", PAGE) is not None:
            self.asked = {**self.asked, "top": self.asked.get("top", PAGE) + page}
            self.results = self.index.search(self.query, **self.asked)
        if len(self.results) > shown:
            self._print(shown)
        else:
            print("no more results")
        return True

    def _info(self, _: str) -> bool:
        from trix.cli.commands.look import aligned

        print("\n".join(aligned(self.index.info())))
        return True

    def _help(self, _: str) -> bool:
        print('xml +retrieval -image "tree edit"   a query: words, +must, -not, "phrases"')
        print("//sec[about(., xml)]//p             a query of structure and words")
        for name, (_function, argument, help) in self.commands.items():
            print(f"{f':{name} {argument}':35} {help}")
        return True

    def _quit(self, _: str) -> bool:
        return False

    def _result(self, argument: str) -> Any:
        """Return the result of the last query that an argument numbers."""
        if self.results is None or not len(self.results):
            raise UsageError("there is no result to speak of; ask a query first")
        count = len(self.results)
        if not argument.isascii() or not argument.isdigit() or not 1 <= int(argument) <= count:
            raise UsageError(f"{argument or 'no number'}: expected the number of a result, 1 to {count}")
        return self.results[int(argument) - 1]


def _setting(name: str) -> Setting:
    """Return a setting by its name in the library or on the command line."""
    by_flag = {setting.flag: setting for setting in SETTINGS.values()}
    found = by_flag.get(name) or SETTINGS.get(name)
    if found is None:
        raise UsageError(f":set {name}: no such setting{did_you_mean(name, by_flag) or '; :set lists them'}")
    return found


def _read(setting: Setting, text: str) -> Any:
    """Read the value of a setting; the forms of a repeatable one are parted by blanks."""
    try:
        read = [setting.kind.read(value) for value in (shlex.split(text) if setting.repeatable else [text])]
    except ValueError as error:
        raise UsageError(f":set {setting.flag} {text}: {error}") from None
    return read if setting.repeatable else read[0]


def _lines(stream: TextIO | None = None) -> Iterator[str]:
    """Return the lines of stdin: with prompt and history on a terminal, plainly otherwise."""
    source = sys.stdin if stream is None else stream
    if not source.isatty():
        yield from source
        return
    _use_history()
    while True:
        try:
            yield input(PROMPT)
        except KeyboardInterrupt:
            print()
        except EOFError:
            print()
            return


def history_path() -> Path:
    """Return where the history is kept, under the state folder of the XDG base directories."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state") / "trix" / "history"


def _use_history() -> None:
    """Load the history of earlier sessions and keep this one's; a session without is better than none."""
    try:
        import readline
    except ImportError:
        return
    path = history_path()
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LENGTH)
    atexit.register(_keep_history, path)


def _keep_history(path: Path) -> None:
    import readline

    with suppress(OSError):
        readline.write_history_file(path)
