"""The settings of a search as options of a command: put on a function by a decorator, from what `trix.settings` says.

An option that is not given is not passed on, so that its default is decided in one place, the library.
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
from trix.support.kinds import Kind, Switch

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
G = TypeVar("G")

IndexPath = Annotated[
    str,
    typer.Argument(
        metavar="INDEX",
        envvar=DEFAULT_INDEX,
        help="The folder or URL of an index; several with commas are one.",
        show_default=False,
    ),
]
"""Left out, it is the index that the environment names, see `trix.cli.arguments.with_default`."""


def read_option(flag: str, text: str, kind: Kind) -> Any:
    """Read the value of an option, or raise a UsageError that names it."""
    try:
        return kind.read(text)
    except ValueError as error:
        raise UsageError(f"{flag} {text}: {error}") from None


def takes(group: type[G]) -> Callable[[Callable[Concatenate[G, P], R]], Callable[P, R]]:
    """Give a command the options that a dataclass declares, a field each; it gets them as one, its first argument."""
    hints = get_type_hints(group, include_extras=True)
    more = [
        inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=hints[each.name])
        for each in fields(cast(Any, group))
    ]
    return lambda command: _widened(command, more, lambda given: group(**given))


def takes_settings(
    occasion: Occasion,
) -> Callable[[Callable[Concatenate[dict[str, Any], P], R]], Callable[P, R]]:
    """Give a command the settings of an occasion; it gets those that were given as a dict, its first argument.

    The dict has the names and values of `Index.search`. Settings left out are not in it.
    """
    taken = settings_of(occasion)

    def options(given: dict[str, Any]) -> dict[str, Any]:
        return {name: _value(taken[name], value) for name, value in given.items() if value is not None and value != []}

    return lambda command: _widened(command, [_parameter(each, occasion) for each in taken.values()], options)


def _widened(
    command: Callable[Concatenate[T, P], R], more: Sequence[inspect.Parameter], first: Callable[[dict[str, Any]], T]
) -> Callable[P, R]:
    """Return a command with more parameters, of whose values its first argument is made."""
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
    """Return the keyword parameter of a setting; texts are read by us, so that errors are ours."""
    kind: Any = list[str] | None if setting.repeatable else str | None
    flags = [f"--{setting.flag}"]
    metavar: str | None = setting.kind.metavar
    if isinstance(setting.kind, Switch):
        kind, flags, metavar = bool | None, [f"--{setting.flag}/--no-{setting.flag}"], None
    if setting.short:
        flags.append(setting.short)
    info = typer.Option(*flags, metavar=metavar, help=setting.help_on(occasion), show_default=False)
    return inspect.Parameter(
        setting.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, info]
    )


def _value(setting: Setting, given: Any) -> Any:
    if isinstance(given, bool):
        return given
    return [setting.read(text) for text in given] if setting.repeatable else setting.read(given)
