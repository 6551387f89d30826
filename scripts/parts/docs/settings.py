#!/usr/bin/env python3
"""Write the table of settings into docs/searching.md from their declarations; ``--check`` only compares."""

from __future__ import annotations

from scripts.parts.docs.marked import update
from trix.settings import SETTINGS, Setting
from trix.support.setting_types import Choice


def table() -> str:
    """Return the table: a row a setting."""
    rows = ["| option | in Python | letter | values | default | |", "|---|---|---|---|---|---|"]
    return "\n".join([*rows, *map(_row, SETTINGS.values())]) + "\n"


def _row(setting: Setting) -> str:
    flags = ", ".join(f"`{flag}`" for flag in (f"--{setting.flag}", setting.short) if flag)
    kind = setting.kind
    values = ", ".join(f"`{name}`" for name in kind.names) if isinstance(kind, Choice) else kind.expected
    default = setting.default_text() or "none"
    others: dict[str, list[str]] = {}
    for occasion in setting.elsewhere:
        others.setdefault(setting.default_text(occasion), []).append(f"`{occasion}`")
    default += "".join(f"; {text} in {', '.join(where)}" for text, where in others.items())
    default += "".join(f"; {text} in *{name}*" for name, text in setting.preset_texts().items())
    return f"| {flags} | `{setting.name}` | {setting.letter} | {values} | {default} | {setting.help} |"


if __name__ == "__main__":
    update("searching.md", "settings", table())
