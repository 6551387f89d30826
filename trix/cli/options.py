"""The search options as parameters of a command: written once, put on a function by a decorator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar, get_type_hints

import typer

from trix.cli.values import SEARCH_OPTIONS, SearchOption

P = ParamSpec("P")
R = TypeVar("R")

IndexPath = Annotated[str, typer.Argument(metavar="INDEX", help="The folder of an index.", show_default=False)]

IndexOrDefault = Annotated[
    str,
    typer.Argument(metavar="INDEX", envvar="TRIX_INDEX", help="The folder of an index.", show_default=False),
]
"""For commands that take nothing behind the index: left out, it is the one that the environment names."""


def takes_search_options(command: Callable[Concatenate[dict[str, Any], P], R]) -> Callable[P, R]:
    """Give a command all search options; it gets those that were given as a dict, its first argument.

    The dict has the names and values of `Index.search`. Options left out are not in it.
    """
    return _with_options(command, list(SEARCH_OPTIONS.values()))


def takes_options(
    helps: Mapping[str, str],
) -> Callable[[Callable[Concatenate[dict[str, Any], P], R]], Callable[P, R]]:
    """Give a command some of the search options, as `takes_search_options` does all.

    Parameters
    ----------
    helps
        Names of options, with another help text where their default is another one; else empty.
    """
    taken = [replace(SEARCH_OPTIONS[name], help=help or SEARCH_OPTIONS[name].help) for name, help in helps.items()]
    return lambda command: _with_options(command, taken)


def _with_options(
    command: Callable[Concatenate[dict[str, Any], P], R], taken: Sequence[SearchOption]
) -> Callable[P, R]:
    own = list(inspect.signature(command).parameters.values())[1:]
    hints = get_type_hints(command, include_extras=True)
    parameters = [
        *(parameter.replace(annotation=hints[parameter.name]) for parameter in own),
        *(_parameter(option) for option in taken),
    ]

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        options: dict[str, Any] = {}
        for option in taken:
            given = kwargs.pop(option.name, None)
            if given is not None and given != []:
                options[option.name] = _value(option, given)
        return command(options, *args, **kwargs)

    del wrapper.__wrapped__  # typer must see the longer signature
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapper


def _parameter(option: SearchOption) -> inspect.Parameter:
    """Return the keyword parameter of an option; texts are read by us, so that errors are ours."""
    flags = ["--top", "-n"] if option.name == "top" else [f"--{option.flag}"]
    kind: Any = str | None
    metavar: str | None = option.metavar
    if option.name == "open_phrases":
        kind, flags, metavar = bool | None, ["--open-phrases/--no-open-phrases"], None
    elif option.repeatable:
        kind = list[str] | None
    info = typer.Option(*flags, metavar=metavar, help=option.help, show_default=False)
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, info]
    )


def _value(option: SearchOption, given: Any) -> Any:
    if isinstance(given, bool):
        return given
    if option.repeatable:
        return [option.value(text) for text in given]
    return option.value(given)
