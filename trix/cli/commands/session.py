"""Session of `trix shell`: queries and commands against one open index.

Lines that begin with a colon are commands (``:help`` lists them), all others are queries. ``:show 3`` and
``:explain 3`` refer to the results of the last query. If stdin is not a terminal, lines are read without a prompt,
so that a session can be piped in.

Search options have the same names as on the command line: ``:set context vertical:f=0.25``, or
``:context vertical:f=0.25``. `trix.cli.prompt` reads lines, and `trix.cli.paging` shows long output.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable
from typing import Any

from trix.cli.messages import error_line, one_line, say, say_notices
from trix.cli.paging import hanging, on_terminal, page, rendered, wrapped
from trix.cli.prompt import history_path, lines, offers_of
from trix.cli.table import table, terminal_marks
from trix.errors import QueryError, TrixError, UsageError, did_you_mean, nearest, offer
from trix.settings import SETTINGS, Setting
from trix.support.setting_types import whole

__all__ = ["ShellSession", "history_path"]

PAGE = 10

OTHER_WORDS = {
    "next": "more", "n": "more", "further": "more", "continue": "more",
    "exit": "quit", "bye": "quit", "leave": "quit", "close": "quit",
    "open": "show", "view": "show", "read": "show", "text": "show", "cat": "show", "print": "show", "get": "show",
    "why": "explain", "score": "explain", "source": "xml", "raw": "xml",
    "settings": "set", "options": "set", "option": "set", "let": "set",
    "reset": "unset", "clear": "unset", "default": "unset",
    "stats": "info", "index": "info", "status": "info",
    "?": "help", "commands": "help", "man": "help", "usage": "help",
}  # fmt: skip
"""Other words for commands, for suggestions."""

QUERY_WORDS = ("search", "query", "find", "ask", "q")


class ShellSession:
    """Session with one index.

    Parameters
    ----------
    index
        An open `trix.Index`.
    options
        Search options to begin with, as `Index.search` takes them.
    explain
        Whether to explain the score of each result.
    """

    def __init__(self, index: Any, options: dict[str, Any] | None = None, explain: bool = False) -> None:
        self.index = index
        self.explain = explain
        self.options = dict(options or {})
        self.query = ""
        self.last_options: dict[str, Any] = {}
        self.results: Any = None
        self.ended = False
        self.commands: dict[str, tuple[Callable[[str], None], str, str]] = {
            "set": (self._set, "[NAME [VALUE...]]", "list all settings, show one, or change one"),
            "unset": (self._unset, "NAME", "reset a setting to its default"),
            "show": (self._show, "N|DOCID[PATH]", "show the text of result N, a document or an element"),
            "xml": (self._xml, "N|DOCID[PATH]", "show its XML"),
            "explain": (self._explain, "N", "show how the score of result N is made up"),
            "like": (self._like, "N|DOCID[PATH]", "find more like result N, a document or an element"),
            "more": (self._more, "", "show more results of the last query"),
            "info": (self._info, "", "show counts and settings of the index"),
            "help": (self._help, "", "show this list"),
            "quit": (self._quit, "", "leave, as Ctrl-D does"),
        }

    def run(self) -> None:
        """Read lines and answer them until the input ends or `:quit`."""
        totals = getattr(self.index, "files", None) and self.index.files.totals
        greeting = f"{totals['documents']:,} documents; :help lists commands, Tab completes them" if totals else ""
        for line in lines(offers_of(self), greeting):
            try:
                if not self.answer(line):
                    return
            except KeyboardInterrupt:
                print(file=sys.stderr)

    def answer(self, line: str) -> bool:
        """Answer one line, and return whether the session goes on.

        Mistakes are printed, with a caret under the column of a wrong query.
        """
        text = line.strip()
        try:
            if text.startswith(":"):
                self._command(text[1:])
            elif text:
                self._ask(text, dict(self.options))
        except QueryError as error:
            print(error.caret(), file=sys.stderr)
            hint = f" ({error.hint})" if error.hint else ""
            _say(f"error: column {error.column}: {error.reason}{hint}")
        except (TrixError, OSError) as error:
            _say(f"error: {error_line(error)}")
        return not self.ended

    def _command(self, text: str) -> None:
        found = re.fullmatch(r"([^\s=]*)(?:\s*=|\s)?\s*(.*)", text.strip(), re.DOTALL)
        word, argument = (found[1], found[2]) if found else (text, "")
        if word not in _FLAGS:
            word = word.casefold()
        begun = [known for known in self.commands if known.startswith(word)] if word else []
        name = begun[0] if len(begun) == 1 else word
        if word == "n" and argument and name not in self.commands:
            word = "top"  # as -n on the command line
        if name in self.commands:
            self.commands[name][0](argument.strip())
        elif word not in _FLAGS and word not in SETTINGS:
            raise UsageError(f":{name}: no such command{self._instead(name, argument) or '; :help lists them'}")
        elif argument:
            self._set(f"{word} {argument}")
        else:
            option = _option(word)
            usage = f":set {option.flag} {option.kind.metavar} changes it ({option.help_on('search')})"
            _page(f"{option.flag} {self._shown(option)}; {usage}")

    def _instead(self, name: str, argument: str) -> str:
        """Suggest an existing command or setting for an unknown one; empty if none is similar."""
        if name in QUERY_WORDS and argument:
            return f"; type a query without a command: {argument}"
        if name in OTHER_WORDS:
            return offer(f":{OTHER_WORDS[name]}")
        begun = [flag for flag in _FLAGS if len(name) > 1 and flag.startswith(name)]
        if begun:
            return offer(f":set {begun[0]}")
        near = nearest(name, [*self.commands, *_FLAGS, *OTHER_WORDS])
        meant = OTHER_WORDS.get(near[0], near[0]) if near else ""
        return offer(f":{'set ' if meant in _FLAGS else ''}{meant}") if meant else ""

    def _not_a_command(self, query: str) -> None:
        """Print a notice if a query looks like a command without its colon."""
        word, _, rest = query.casefold().partition(" ")
        meant = word if word in self.commands else OTHER_WORDS.get(word, "")
        of_result = meant in ("show", "xml", "explain") and rest.isdigit()
        if of_result or query.casefold() in ("quit", "exit", "help", "more", "next", "?"):
            _say(f"{query}: searched as a query; commands begin with a colon: :{f'{meant} {rest}'.strip()}")

    def _ask(self, query: str, options: dict[str, Any]) -> None:
        self._not_a_command(query)
        results = self.index.search(query, **options)
        self.query, self.last_options, self.results = query, options, results
        self._tell(0)

    def _tell(self, begin: int) -> None:
        """Print the results from a place on, and their notices."""
        unfit = self.results.next
        known = () if unfit is None else (unfit.notice(f"-n {unfit.top}"),)
        for notice in self.results.notices:
            if not begin and notice not in known:
                _say(notice)
        self._print(begin)
        if unfit is not None:
            _say(unfit.notice(":more"))
        for notice in self.index.notices:
            _say(notice)
        self.index.notices.clear()

    def _print(self, begin: int) -> None:
        from rich.console import Console

        from trix.api.records import explained

        explanations = None
        if self.explain:
            explanations = explained(self.index, self.query, self.results, self.last_options)
        console, grouped = Console(highlight=False), getattr(self.results, "grouped", False)
        # Ten results are printed without a pager; only output of many screens goes through it.
        page(rendered(console, table(console, self.results, explanations, begin, grouped=grouped)), screens=4)

    def _set(self, argument: str) -> None:
        name, value = (*re.split(r"[\s=]+", argument.strip(), maxsplit=1), "")[:2]
        if not name:
            listed = (
                f"{option.flag:13} {self._shown(option):24} {option.help_on('search')}" for option in SETTINGS.values()
            )
            _page("\n".join(listed), hang=39)
            return
        option = _option(name)
        if not value.strip():
            print(f"{option.flag} {self._shown(option)}")
            return
        options = {**self.options, option.name: _read(option, value.strip())}
        say_notices(self.index.check_options(**options))
        self.options = options

    def _unset(self, argument: str) -> None:
        self.options.pop(_option(argument).name, None)

    def _shown(self, option: Setting) -> str:
        return option.kind.show(self.options[option.name]) if option.name in self.options else "-"

    def _show(self, argument: str) -> None:
        result = self._result(argument, units=True)
        text, matches = (self.index.show(argument), ()) if result is None else (result.text, result.matches)
        page(wrapped(text, matches if terminal_marks() else ()) if on_terminal() else [text])

    def _xml(self, argument: str) -> None:
        result = self._result(argument, units=True)
        page([self.index.show(argument if result is None else result.doc + result.path, xml=True)])

    def _like(self, argument: str) -> None:
        result = self._result(argument, units=True)
        self._ask("", {**self.options, "like": argument if result is None else result.doc + result.path})

    def _explain(self, argument: str) -> None:
        result = self._result(argument)
        _page(str(self.index.explain(self.query, result, **self.last_options)))

    def _more(self, _: str) -> None:
        if self.results is None:
            raise UsageError(":more: there are no results yet; type a query first")
        before, size = self.results, self.options.get("top", PAGE)
        shown, unfit, top = len(before), before.next, self.last_options.get("top", PAGE)
        if size is not None and top is not None:
            top = top + size if unfit is None else max(top + size, unfit.top)
            while True:
                self.last_options = {**self.last_options, "top": top}
                self.results = self.index.search(self.query, **self.last_options)
                if len(self.results) > shown or self.results.next is None:
                    break
                top = self.results.next.top  # a document with more results than a page has
        if len(self.results) > shown:
            # If a document was cut, further results may belong between those that are shown: print all again.
            goes_on = unfit is None or not unfit.cut or _same(before, self.results)
            self._tell(shown if goes_on else 0)
        else:
            print("no more results")

    def _info(self, _: str) -> None:
        from trix.cli.commands.look import aligned

        _page("\n".join(aligned(self.index.info())))

    def _help(self, _: str) -> None:
        print('xml +retrieval -image "tree edit"   a query: words, +must, -not, "phrases"')
        print("//sec[about(., xml)]//p             a query of structure and words")
        for name, (_function, argument, help) in self.commands.items():
            print(f"{f':{name} {argument}':35} {help}")
        print(f"{':SETTING VALUE':35} the same as :set SETTING VALUE, as :context tower")

    def _quit(self, _: str) -> None:
        self.ended = True

    def _result(self, argument: str, units: bool = False) -> Any:
        """Return result N of the last query; None if `units` and the argument names a document or an element."""
        number = whole(argument)
        if units and argument and number is None:
            return None
        if self.results is None or not len(self.results):
            raise UsageError("there are no results; type a query first")
        first, last = self.results[0].rank, self.results[len(self.results) - 1].rank
        if number is None or not first <= number <= last:
            raise UsageError(f"{argument or 'no number'}: expected the number of a result, {first} to {last}")
        return self.results[number - first]


_FLAGS = {option.flag: option for option in SETTINGS.values()}


def _same(before: Any, after: Any) -> bool:
    """Whether the results of one list begin the other."""
    pairs = zip(before, after, strict=False)
    return all((one.doc, one.path) == (other.doc, other.path) for one, other in pairs)


def _page(text: str, hang: int = 4) -> None:
    """Print lines, on a terminal wrapped, and through the pager if they are many."""
    columns = shutil.get_terminal_size().columns
    page(hanging(text, columns, hang if columns > 2 * hang else 4).split("\n") if on_terminal() else [text])


def _say(text: str) -> None:
    """Print a line on stderr, wrapped on a terminal."""
    columns = shutil.get_terminal_size().columns - len("trix: ")
    say(hanging(one_line(text), columns) if sys.stderr.isatty() else one_line(text))


def _option(name: str) -> Setting:
    """Return a setting by its name in the library or on the command line."""
    plain = name.lstrip("-")
    found = _FLAGS.get(plain) or SETTINGS.get(plain) or (_FLAGS["top"] if plain == "n" else None)
    if found is None:
        raise UsageError(f":set {name}: no such setting{did_you_mean(plain, _FLAGS) or '; :set lists them'}")
    return found


def _read(option: Setting, text: str) -> Any:
    """Parse the value of a setting; values of a repeatable one are separated by blanks."""
    try:
        read = [option.kind.read(value) for value in (shlex.split(text) if option.repeatable else [text])]
    except ValueError as error:
        raise UsageError(f":set {option.flag} {text}: {error}") from None
    return read if option.repeatable else read[0]
