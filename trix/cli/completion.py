"""What a shell offers after Tab: values of options, presets, measures, chapters, levels and ids of the index named.

Whatever goes wrong, nothing is offered and nothing is said: a message would land in the line that is being typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

MOST = 60
"""Document ids offered at a time."""


def complete(parameter: Any) -> Any:
    """Make an argument or option of a command offer its values, if they can be known; return it."""
    offer = _BY_NAME.get(parameter.name) or _BY_METAVAR.get(parameter.metavar or "")
    if offer is None and "|" in (parameter.metavar or ""):
        values = [value for value in parameter.metavar.split("|") if value.islower() or value[0].isdigit()]
        values += [value for value in parameter.metavar.split("|") if value.isupper() and "CAS" in value]
        offer = lambda *_: values  # noqa: E731
    if offer is not None and getattr(parameter, "_custom_shell_complete", None) is None:
        parameter._custom_shell_complete = _quietly(offer, last=parameter.name == "measure")
    return parameter


def _quietly(offer: Callable[[Any, str], Iterable[str]], last: bool) -> Callable[..., list[Any]]:
    """Return an offer as the shell wants it: what begins as typed; of a list of words the `last` one counts."""

    def offered(context: Any, parameter: Any, incomplete: str) -> list[Any]:
        before, _, begun = incomplete.rpartition(" ") if last else ("", "", incomplete)
        found: list[Any] = []
        with suppress(Exception):
            item = _item()
            found = [
                item(f"{before} {value}".lstrip()) for value in offer(context, begun) if str(value).startswith(begun)
            ]
        return found

    return offered


def _item() -> Any:
    """Return the class of an offered value, from typer's own copy of click or from click."""
    try:
        from typer._click.shell_completion import CompletionItem
    except ImportError:  # an older typer
        from click.shell_completion import CompletionItem  # type: ignore[no-redef,import-not-found,unused-ignore]
    return CompletionItem


def _profiles(_: Any, begun: str) -> list[str]:
    from trix.indexer.profile.profile import PRESETS

    return ["auto", *PRESETS]


def _measures(_: Any, begun: str) -> list[str]:
    from trix.eval.measures.core.groups import GROUP_MEMBERS
    from trix.eval.measures.core.registry import specs

    members = {member for group in GROUP_MEMBERS.values() for member in group}
    return [*GROUP_MEMBERS, *sorted({spec.name for spec in specs()} | members)]


def _stemmers(_: Any, begun: str) -> list[str]:
    import Stemmer

    return ["none", *Stemmer.algorithms()]


def _chapters(_: Any, begun: str) -> list[str]:
    from trix.handbook.contents import chapters

    return [chapter.name for chapter in chapters()]


def _levels(context: Any, begun: str) -> list[str]:
    import trix

    with trix.open(context.params["index"]) as index:
        return ["content", "document", *index.files.profile.levels]


def _documents(context: Any, begun: str) -> list[str]:
    import trix

    with trix.open(context.params["index"]) as index:
        return index.files.ids_from(begun, MOST)


def _contexts(_: Any, begun: str) -> Iterable[str]:
    from trix.query.context.parse import FORMS

    return FORMS


_BY_NAME: dict[str, Callable[[Any, str], Iterable[str]]] = {
    "profile": _profiles,
    "measure": _measures,
    "level": _levels,
    "context": _contexts,
    "unit": _documents,
    "ids": _documents,
}
_BY_METAVAR: dict[str, Callable[[Any, str], Iterable[str]]] = {
    "NAME|FILE.toml": _profiles,
    "[CHAPTER|WORDS...]": _chapters,
    "porter|none|LANGUAGE": _stemmers,
    "default|none|FILE": lambda *_: ("default", "none"),
    "title|castitle|...": lambda *_: ("title", "castitle", "description", "narrative", "keywords", "phrasetitle"),
}
