"""The table of commands, and its typer application.

A command is a function in a module of its own, named in `GROUPS`; a new one needs a line there and nothing else.
Only the module of the current command is imported, since building the parsers of all commands would take longer than
a search.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from trix.cli.arguments import DEFAULT_INDEX, Flags, separate_query, settings_to_options, with_default
from trix.cli.groups import ALIASES, COMMANDS, GROUPS
from trix.cli.messages import one_line
from trix.errors import ExitCode, UsageError, did_you_mean, nearest, offer

_USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
# Typer came with its own copy of click at some version; this is the class of either, without importing one of them.


class _AsGiven:
    """Converter of texts, paths, lists of these and switches, without typer's validators.

    Parameters
    ----------
    build
        Returns typer's own converter, for all other types.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self._build = build

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a value as typer would."""
        kind = param.type_descriptor.annotation
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        if kind in (Path, list[Path]):
            return [Path(item) for item in value] if several else Path(value)
        if kind in (str, bool, list[str]):
            return list(value) if several else value
        return self._build().coerce(value, param=param, ctx=ctx)


def _take_as_given(parameter: Any) -> Any:
    """Avoid the import of a validator (50 ms) for values that need none; older versions of typer have none."""
    checked = getattr(getattr(parameter, "type_descriptor", None), "parameter_info", None)
    if (
        hasattr(parameter, "get_runtime_param")
        and "get_runtime_param" not in vars(parameter)
        and not any(getattr(checked, name, None) for name in ("parser", "exists", "resolve_path", "writable"))
    ):
        reader = _AsGiven(parameter.get_runtime_param)
        parameter.get_runtime_param = lambda: reader
    return parameter


FEW = 16
"""Options that ``--help`` shows in any case. Only a command with more of them has ``--help-all``."""

_ALL = "trix.help_all"  # key in the context of a command: show all options


def _help_all(shown: Any, count: int) -> Any:
    """Return the option ``--help-all`` of a command with `count` options, a copy of ``--help``."""
    option = copy.copy(shown)
    option.name, option.opts, option.help = "help_all", ["--help-all"], f"Show all {count} options and exit"

    def show(context: Any, parameter: Any, value: bool) -> None:
        context.meta[_ALL] = value
        shown.callback(context, parameter, value)

    option.callback = show
    return option


class Group(TyperGroup):
    """The table of commands, in sections."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options before the command."""
        return [_take_as_given(parameter) for parameter in super().get_params(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, or by an older one."""
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by their groups, then the options."""
        from trix.cli.help import write_parameters, write_sections

        sections: dict[str, list[tuple[str, str]]] = {}
        width = formatter.width - 6 - max(map(len, self.commands))
        commands: dict[str, Any] = dict(self.commands)
        for name, each in commands.items():
            sections.setdefault(each.rich_help_panel, []).append(
                (name, each.get_short_help_str(width).removesuffix("."))
            )
        write_sections(sections, formatter)
        write_parameters(self.get_params(ctx), ctx, formatter)


class Command(TyperCommand):
    """A command, with its help in sections and its examples as they are written."""

    _help_all: Any = None  # one object, by which the parser recognises the option

    def get_params(self, ctx: Any) -> list[Any]:
        """Return its arguments and options."""
        parameters = super().get_params(ctx)
        options: list[Any] = [each for each in parameters if each.param_type_name == "option"]
        if len(options) > FEW and any(each.rich_help_panel for each in options):
            if self._help_all is None:
                self._help_all = _help_all(options[-1], len(options) + 1)
            parameters = [*parameters, self._help_all]
        return [_take_as_given(parameter) for parameter in parameters]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return options and arguments for the usage line."""
        from trix.cli.help import usage

        return usage(self.params)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        from trix.cli.help import write_parameters

        write_parameters(self.get_params(ctx), ctx, formatter, everything=ctx.meta.get(_ALL, False))

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        from trix.cli.help import write_examples

        write_examples(self.epilog or "", formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; during completion, without a last option that has no value yet."""
        if ctx.resilient_parsing:
            if args and args[-1] in self.flags(ctx).valued:
                args = args[:-1]
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, self._with_default_index(ctx, args))

    def _with_default_index(self, ctx: Any, args: list[str]) -> list[str]:
        """Add the default index from the environment if the index is missing."""
        index = os.environ.get(DEFAULT_INDEX)
        needed = [each.name for each in self.get_params(ctx) if each.param_type_name == "argument" and each.required]
        if not index or "index" not in needed:
            return args
        return with_default(args, self.flags(ctx), len(needed), needed.index("index"), index)

    def flags(self, context: Any) -> Flags:
        """Return the names of its options."""
        options = [parameter for parameter in self.get_params(context) if parameter.param_type_name == "option"]
        return Flags(
            valued=_names(option for option in options if not getattr(option, "is_flag", False)),
            plain=_names(option for option in options if getattr(option, "is_flag", False)),
        )


class QueryCommand(Command):
    """`search`: unknown options belong to the query; the index is the first argument or the default."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Sort the arguments before parsing, except during completion."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        sorted_arguments = separate_query(args, self.flags(ctx))
        index, at = os.environ.get(DEFAULT_INDEX), sorted_arguments.index("--") + 1
        if index and not (sorted_arguments[at:] and _names_an_index(sorted_arguments[at])):
            sorted_arguments.insert(at, index)
        return super().parse_args(ctx, sorted_arguments)


class BatchCommand(Command):
    """`run`: bare ``NAME=NUMBER`` are options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Rewrite the settings before parsing, except during completion."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        from trix.settings import SETTINGS
        from trix.support.setting_types import Number

        numbers = [setting.flag for setting in SETTINGS.values() if isinstance(setting.kind, Number)]
        return super().parse_args(ctx, settings_to_options(args, self.flags(ctx), numbers))


@dataclass(frozen=True)
class Registration:
    """Examples of a command, and the class that parses its arguments."""

    examples: str
    parser: type[Command] = field(default=Command)


def command(examples: str, parser: type[Command] = Command) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as a command, with two or three examples for the end of its help text."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.registration = Registration(examples.strip(), parser)  # type: ignore[attr-defined]
        return function

    return mark


EPILOG = """\b
trix COMMAND --help explains a command; trix handbook explains the rest.
trix INDEX means trix shell INDEX. TRIX_INDEX names an index to use where none
is given; with it, trix alone opens the shell.
Exit codes: 0 done, 1 a check failed, 2 wrong command line or file, 3 done but
something was skipped, 130 interrupted."""


def build(names: Iterable[str], completing: bool = False) -> typer.Typer:
    """Build the application with the named commands, if `completing` with completers of their values."""
    app = typer.Typer(rich_markup_mode=None, context_settings={"help_option_names": ["-h", "--help"]})
    app.callback(epilog=EPILOG, cls=Group)(_trix)
    for name in names:
        module, _, function_name = COMMANDS[name].partition(":")
        function = getattr(import_module(module), function_name)
        registration: Registration = function.registration
        if completing:
            from trix.cli.completion import complete_values

            complete_values(function)
        group = next(group for group, members in GROUPS.items() if name in members)
        app.command(name, cls=registration.parser, epilog=registration.examples, rich_help_panel=group)(function)
    return app


def dispatch(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit code.

    Raises
    ------
    UsageError
        When the command line is wrong.
    """
    words = list(arguments) or _default()
    completing = "_TRIX_COMPLETE" in os.environ
    if words[0] not in COMMANDS.keys() | ALIASES.keys() and not words[0].startswith("-") and not completing:
        words = ["shell", *_index_or_nothing(words)]
    name = ALIASES.get(words[0], words[0])
    wanted = [name] if name in COMMANDS else [] if name == "--version" else COMMANDS
    group = typer.main.get_command(build(_in_the_line() if completing else wanted, completing))
    if completing:
        group.main(words, prog_name="trix")
        return ExitCode.DONE
    try:
        with group.make_context("trix", words) as context:
            code = group.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except _USAGE_ERROR as error:
        raise UsageError(_explain(error)) from error
    return ExitCode.DONE if code is None else int(code)


def _in_the_line() -> Iterable[str]:
    """Return the commands needed to complete a line of a shell: the one on the line, or all."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS", "")
    _, *words = line.split() or [""]
    written = len(words) > 1 or line[-1:].isspace()  # else the command itself is being completed
    name = ALIASES.get(words[0], words[0]) if words else ""
    return [name] if written and name in COMMANDS else COMMANDS


def _default() -> list[str]:
    """Return the arguments that `trix` alone stands for: the shell on the default index, else the help."""
    index = os.environ.get(DEFAULT_INDEX)
    if index and not _are_there(index):
        raise UsageError(f"{DEFAULT_INDEX}: {index}: no such index; expected the folder or URL of an index")
    return ["shell"] if index else ["--help"]


def _are_there(index: str) -> bool:
    """Whether each index of a list with commas exists on disk or is a URL, which is not requested."""
    from trix.support.urls import is_url

    return Path(index).exists() or all(is_url(each) or Path(each).exists() for each in index.split(","))


def _names_an_index(word: str) -> bool:
    """Whether the first word of a query command can only be the name of an index."""
    from trix.indexer.commit.commit import is_index
    from trix.indexer.commit.index_names import several
    from trix.support.urls import is_url

    names = several(word)
    return bool(names) and all(is_url(each) or each.endswith(".index") or is_index(each) for each in names)


def _index_or_nothing(words: list[str]) -> list[str]:
    """Return the words if the first can be an index, for `trix INDEX`."""
    word = words[0]
    if _are_there(word):
        return words
    if not _is_path(word):
        near = did_you_mean(word, COMMANDS)
        raise UsageError(f"{word}: no such command or index{near}; trix --help lists the commands")
    raise UsageError(f"{word}: no such index{_near_index(Path(word))}; expected the folder or URL of an index")


def _is_path(word: str) -> bool:
    """Whether a word can only be meant as the path or URL of an index."""
    from trix.support.urls import is_url

    return is_url(word) or os.sep in word or "/" in word or word.endswith(".index")


def _near_index(path: Path) -> str:
    """Offer the index beside a mistyped path that is named most like it."""
    from trix.indexer.commit.commit import is_index

    try:
        beside = [each.name for each in path.parent.iterdir() if is_index(str(each))]
    except OSError:
        return ""
    near = nearest(path.name, beside)
    return offer(str(path.with_name(near[0]))) if near else ""


def _explain(error: Exception) -> str:
    """Format a message of click as one line, with a pointer to the help."""
    message = one_line(getattr(error, "format_message", error.__str__)())
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "trix"
    message = (message[:1].lower() + message[1:]).rstrip(".")
    return f"{message} (see {path} --help)"


def _names(options: Iterable[Any]) -> frozenset[str]:
    return frozenset(name for option in options for name in (*option.opts, *option.secondary_opts))


def _print_version(wanted: bool) -> None:
    if wanted:
        from trix import __version__

        print(f"trix {__version__}")
        raise typer.Exit


def _trix(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors; works with every command")] = False,
) -> None:
    """Search XML of any schema: ranked elements of any size, scored with their context."""
