"""Options of commands that are derived from `trix.settings`, and added to a function by a decorator.

Only options that are given are passed on, so the library alone decides on defaults.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar, cast, get_type_hints

import typer

from trix.cli.arguments import DEFAULT_INDEX
from trix.errors import UsageError
from trix.settings import Occasion, Setting, settings_of
from trix.support.setting_types import SettingType, Switch

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
G = TypeVar("G")

IndexPath = Annotated[
    str,
    typer.Argument(
        metavar="INDEX",
        envvar=DEFAULT_INDEX,
        help="Folder or URL of an index, or several with commas between",
        show_default=False,
    ),
]
"""An index; by default the one that the environment names, see `trix.cli.arguments.with_default`."""

Passages = Annotated[
    bool,
    typer.Option("--passages", help="Write offset and length in place of paths, in inex2009", rich_help_panel="Output"),
]
Output = Annotated[
    str | None, typer.Option("--output", metavar="FILE", help="Write to a file; .gz is compressed [default: stdout]")
]


def read_option(flag: str, text: str, kind: SettingType) -> Any:
    """Read the value of an option, or raise a UsageError that names it."""
    try:
        return kind.read(text)
    except ValueError as error:
        raise UsageError(f"{flag} {text}: {error}") from None


def takes(group: type[G]) -> Callable[[Callable[Concatenate[G, P], R]], Callable[P, R]]:
    """Add an option for each field of a dataclass; the command gets an instance as its first argument."""
    hints = get_type_hints(group, include_extras=True)
    more = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name])
        for each in fields(cast(Any, group))
    ]
    return lambda command: _widened(command, more, lambda given: group(**given))


def takes_settings(
    occasion: Occasion,
) -> Callable[[Callable[Concatenate[dict[str, Any], P], R]], Callable[P, R]]:
    """Add the settings of an occasion as options; the command gets a dict of those given as its first argument.

    The dict has the names and values of `Index.search`.
    """
    taken = settings_of(occasion)

    def options(given: dict[str, Any]) -> dict[str, Any]:
        return {name: _value(taken[name], value) for name, value in given.items() if value is not None and value != []}

    return lambda command: _widened(command, [_parameter(each, occasion) for each in taken.values()], options)


def _widened(
    command: Callable[Concatenate[T, P], R], more: Sequence[inspect.Parameter], first: Callable[[dict[str, Any]], T]
) -> Callable[P, R]:
    """Wrap a command: `more` parameters are added, and `first` makes its first argument from their values."""
    own = list(inspect.signature(command).parameters.values())[1:]
    hints = get_type_hints(command, include_extras=True)
    parameters = [*(parameter.replace(annotation=hints[parameter.name]) for parameter in own), *more]

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        given = {each.name: kwargs.pop(each.name) for each in more if each.name in kwargs}
        return command(first(given), *args, **kwargs)

    del wrapper.__wrapped__  # typer must see the longer signature
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapper


def _parameter(setting: Setting, occasion: Occasion) -> inspect.Parameter:
    """Return the keyword parameter of a setting; its text is parsed here, so that errors have our form."""
    kind: Any = list[str] | None if setting.repeatable else str | None
    flags = [f"--{setting.flag}"]
    metavar: str | None = setting.kind.metavar
    if isinstance(setting.kind, Switch):
        kind, flags, metavar = bool | None, [f"--{setting.flag}/--no-{setting.flag}"], None
    if setting.short:
        flags.append(setting.short)
    info = typer.Option(
        *flags, metavar=metavar, help=setting.help_on(occasion), show_default=False,
        rich_help_panel=None if setting.common else setting.panel,
    )  # fmt: skip
    return inspect.Parameter(
        setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, info]
    )


def _value(setting: Setting, given: Any) -> Any:
    if isinstance(given, bool):
        return given
    return [setting.read(text) for text in given] if setting.repeatable else setting.read(given)
