"""Help texts in sections: the usual options in ``--help``, all of them in ``--help-all``.

An option with a ``rich_help_panel`` is a rarer one, and the panel is the heading under which ``--help-all`` shows it.
Typer draws panels with rich alone. Here they are plain text, so that no help waits for rich.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

COLUMN = 30
"""Width of the column of options, at most; help for longer ones begins on the next line."""


def usage(parameters: Iterable[Any]) -> list[str]:
    """Return the pieces of the usage line: ``[OPTIONS]``, and the arguments as they are declared."""
    return ["[OPTIONS]", *(_argument(each) for each in parameters if each.param_type_name == "argument")]


def write_parameters(parameters: list[Any], context: Any, formatter: Any, everything: bool = False) -> None:
    """Write arguments and options; of a long list the usual ones, or everything by headings."""
    short = not any(each.name == "help_all" for each in parameters)
    sections: dict[str, list[tuple[str, str]]] = {}
    for each in parameters:
        heading = "Arguments" if each.param_type_name == "argument" else "" if short else each.rich_help_panel or ""
        record = each.get_help_record(context)
        if record is not None and (everything or heading in ("", "Arguments")):
            name = _argument(each).strip("[]") if heading == "Arguments" else record[0]
            sections.setdefault(heading or "Options", []).append((name, _plain(record[1])))
    write_sections(sections, formatter)


def write_sections(sections: dict[str, list[tuple[str, str]]], formatter: Any) -> None:
    """Write names and texts under headings, all in the same two columns."""
    names = [name for rows in sections.values() for name, _ in rows if len(name) <= COLUMN]
    width = max(map(len, names), default=0)
    for heading, rows in sections.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=width)


def write_examples(lines: str, formatter: Any) -> None:
    """Write the lines of examples as they are."""
    with formatter.section("Examples"):
        for line in lines.splitlines():
            formatter.write(f"  {line}\n")


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _plain(text: str) -> str:
    """Drop what the usage line says already, and the full stop at the end.

    >>> _plain("Show this.  [default: 3]"), _plain("A run  [required]"), _plain("Show this.")
    ('Show this [default: 3]', 'A run', 'Show this')
    """
    text = text.replace("; required]", "]").removesuffix("[required]").rstrip()
    return re.sub(r"\.?\s+(?=\[(?:default|env var))", " ", text).removesuffix(".")
