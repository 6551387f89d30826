#!/usr/bin/env python3
"""Write docs/modules.md, each module with its first line, from the package; ``--check`` only compares."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "trix"
PAGE = ROOT / "docs" / "modules.md"

HEAD = """# Modules

Every module of the package with its first line, made by `scripts/docs modules`.
[ARCHITECTURE.md](../ARCHITECTURE.md) says what the folders are for.
"""


def first_line(path: Path) -> str:
    """Return the first line of a module's docstring."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]


def page() -> str:
    """Return the text of the page: a heading a folder, a line a module."""
    parts = [HEAD]
    for folder in sorted({path.parent for path in PACKAGE.rglob("*.py")}):
        name = folder.relative_to(ROOT).as_posix()
        front = folder / "__init__.py"
        parts.append(f"## [{name}](../{name})\n\n{first_line(front)}\n")
        modules = [path for path in sorted(folder.glob("*.py")) if path != front]
        rows = [f"- [{path.stem}](../{path.relative_to(ROOT).as_posix()}): {first_line(path)}\n" for path in modules]
        parts.append("".join(rows) + "\n" if rows else "")
    return "\n".join(part.rstrip("\n") + "\n" for part in parts if part)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text("utf-8") != text)
    PAGE.write_text(text, "utf-8")
