#!/usr/bin/env python3
"""Write the table of settings into docs/searching.md from their declarations; ``--check`` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trix.settings import SETTINGS, Setting
from trix.support.kinds import OneOf

PAGE = Path(__file__).resolve().parent.parent / "docs" / "searching.md"
BEGIN, END = "<!-- settings, by scripts/settings_table.py -->\n", "<!-- end of settings -->\n"


def table() -> str:
    """Return the table: a row a setting."""
    rows = ["| option | in Python | letter | values | default | |", "|---|---|---|---|---|---|"]
    return "\n".join([*rows, *map(_row, SETTINGS.values())]) + "\n"


def page() -> str:
    """Return the text of the page with the table as it has to be."""
    head, rest = PAGE.read_text("utf-8").split(BEGIN)
    return f"{head}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def _row(setting: Setting) -> str:
    flags = ", ".join(f"`{flag}`" for flag in (f"--{setting.flag}", setting.short) if flag)
    kind = setting.kind
    values = ", ".join(f"`{name}`" for name in kind.names) if isinstance(kind, OneOf) else kind.expected
    default = setting.default_text() or "none"
    others: dict[str, list[str]] = {}
    for occasion in setting.elsewhere:
        others.setdefault(setting.default_text(occasion), []).append(f"`{occasion}`")
    default += "".join(f"; {text} in {', '.join(where)}" for text, where in others.items())
    default += "".join(f"; {text} in *{name}*" for name, text in setting.preset_texts().items())
    return f"| {flags} | `{setting.name}` | {setting.letter} | {values} | {default} | {setting.help} |"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text("utf-8") != page())
    PAGE.write_text(page(), "utf-8")
