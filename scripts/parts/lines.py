#!/usr/bin/env python3
"""Counts the lines of the package: all, and those of code (without blank lines, comments and docstrings), by folder.

scripts/lines [FOLDER]     default: trix
"""

from __future__ import annotations

import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

NOTHING = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


def code_lines(text: str) -> int:
    """Return how many lines hold code; a string that stands alone is a docstring and is none."""
    lines: set[int] = set()
    alone = True  # nothing but a string in this statement so far
    pending: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        spanned = set(range(token.start[0], token.end[0] + 1))
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            if not alone:
                lines |= pending
            alone, pending = True, set()
        elif token.type not in NOTHING:
            pending |= spanned
            alone = alone and token.type == tokenize.STRING
    return len(lines)


def main() -> None:
    """Print a line for each folder, and the sum."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "trix")
    if not root.is_dir():
        sys.exit(f"lines: error: {root}: no such folder; expected a folder of Python modules")
    modules: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    code: Counter[str] = Counter()
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        folder = path.parent.relative_to(root.parent).as_posix()
        modules[folder] += 1
        lines[folder] += len(text.splitlines())
        code[folder] += code_lines(text)
    print(f"{'folder':<36} {'modules':>8} {'lines':>8} {'code':>8}")
    for folder in sorted(modules):
        print(f"{folder:<36} {modules[folder]:>8} {lines[folder]:>8,} {code[folder]:>8,}")
    print(f"{'all':<36} {modules.total():>8} {lines.total():>8,} {code.total():>8,}")


if __name__ == "__main__":
    main()
