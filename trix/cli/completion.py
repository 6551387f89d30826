"""Completion in shells and in `trix shell`: values of options, presets, measures, levels, ids.

Errors are ignored, since a message would appear in the line that is being typed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from typing import Any

from typer.models import ParameterInfo

MOST = 60
"""Document ids offered at a time."""


Opens = Callable[[], AbstractContextManager[Any]]
"""Opens the index of the command; only some completions need it."""


def values(name: str, metavar: str, index: Opens, begun: str = "") -> Iterable[str]:
    """Return known values of an argument or option, including those that do not begin as typed.

    Parameters
    ----------
    name
        The argument or option, as in Python.
    metavar
        Its metavar in help texts.
    index
        Opens the index of the command.
    begun
        The beginning of the value.

    Examples
    --------
    >>> values("format", "table|jsonl|FILE", lambda: None), values("run_id", "TEXT", lambda: None)
    (['table', 'jsonl'], [])
    """
    offer = _BY_NAME.get(name) or _BY_METAVAR.get(metavar)
    if offer is not None:
        return offer(index, begun)
    words = metavar.split("|") if "|" in metavar else []
    return [word for word in words if word.islower() or word[0].isdigit() or (word.isupper() and "CAS" in word)]


def complete_values(command: Callable[..., Any]) -> None:
    """Add completers to the arguments and options of a command, whose annotations are evaluated for that."""
    signature = inspect.signature(command, eval_str=True)
    for name, parameter in signature.parameters.items():
        for info in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(info, ParameterInfo):
                metavar = info.metavar or ""
                if name in _BY_NAME or metavar in _BY_METAVAR or "|" in metavar:  # typer completes the others
                    info.autocompletion = _completer(name, metavar)
    command.__signature__ = signature  # type: ignore[attr-defined]


def _completer(name: str, metavar: str) -> Callable[[Any, str], list[str]]:
    """Return a completer for typer; in a list of measures the last one is completed."""

    def complete(ctx: Any, incomplete: str) -> list[str]:
        import trix

        before, _, begun = incomplete.rpartition(" ") if name == "measure" else ("", "", incomplete)
        found: list[str] = []
        with suppress(Exception):
            offered = values(name, metavar, lambda: trix.open(ctx.params["index"]), begun)
            found = [f"{before} {value}".lstrip() for value in offered if value.startswith(begun)]
        return found

    return complete


def _profiles(_: Opens, begun: str) -> list[str]:
    from trix.indexer.profile.profile import PRESETS

    return ["auto", *PRESETS]


def _measures(_: Opens, begun: str) -> list[str]:
    from trix.eval.measures.core.defaults import GROUP_MEMBERS
    from trix.eval.measures.core.registry import specs

    members = {member for group in GROUP_MEMBERS.values() for member in group}
    return [*GROUP_MEMBERS, *sorted({spec.name for spec in specs()} | members)]


def _stemmers(_: Opens, begun: str) -> list[str]:
    import Stemmer

    return ["none", "auto", *Stemmer.algorithms()]


def _chapters(_: Opens, begun: str) -> list[str]:
    from trix.handbook.contents import chapters

    return [chapter.name for chapter in chapters()]


def _levels(index: Opens, begun: str) -> list[str]:
    with index() as opened:
        return ["content", "document", *opened.files.profile.levels]


def _documents(index: Opens, begun: str) -> list[str]:
    with index() as opened:
        ids: list[str] = opened.files.ids_from(begun, MOST)
        return ids


def _contexts(_: Opens, begun: str) -> Iterable[str]:
    from trix.query.context.parse import FORMS

    return FORMS


_BY_NAME: dict[str, Callable[[Opens, str], Iterable[str]]] = {
    "profile": _profiles,
    "measure": _measures,
    "level": _levels,
    "statistics": lambda index, begun: ["searched", "level", *_levels(index, begun)],
    "context": _contexts,
    "top": lambda *_: ("all",),
    "unit": _documents,
    "ids": _documents,
}
_BY_METAVAR: dict[str, Callable[[Opens, str], Iterable[str]]] = {
    "[NAME|FILE.toml]": _profiles,
    "[CHAPTER|WORDS...]": _chapters,
    "porter|none|auto|LANGUAGE": _stemmers,
    "default|none|FILE": lambda *_: ("default", "none"),
    "title|castitle|...": lambda *_: ("title", "castitle", "description", "narrative", "keywords", "phrasetitle"),
}
