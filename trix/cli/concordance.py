"""A concordance on a terminal, the occurrences one below the other, or as JSON lines or CSV."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable
from typing import Any, TextIO

from trix.query.display.concordance import ConcordanceLine
from trix.support.jsonl import json_line

WIDTH = 120
"""Characters of a line where there is no terminal."""

_NARROW = 76
"""Below this width documents are not named: the words around are worth more."""


def aligned(line: Any, width: int, marks: tuple[str, str] = ("", "")) -> str:
    """Return a line in which the occurrence begins in the middle, with its document behind it where there is room.

    >>> print(aligned(ConcordanceLine("d7", "", "/a[1]", 9, 4, "under the old ", "tree", " they slept, and woke"), 40))
     under the old tree they slept, and woke
    """
    name = ""
    if width >= _NARROW:
        room = min(28, width // 5)
        name = "  " + (line.doc if len(line.doc) <= room else f"…{line.doc[1 - room :]}").ljust(room)
        width -= len(name)
    half = width // 2 - 5  # of a word that is not long the middle is in the middle
    left = line.left if len(line.left) <= half else line.left[-half:].partition(" ")[2]
    right = line.right[: max(0, width - half - len(line.hit))]
    if len(right) < len(line.right) and " " in right[1:]:
        right = right[: right.rindex(" ")]
    before, after = marks
    text = f"{left:>{half}}{before}{line.hit}{after}{right}"
    blank = width - half - len(line.hit) - len(right)
    return (text + " " * max(0, blank) + name).rstrip() if name else text


def write(lines: Iterable[Any], form: str, out: TextIO, marks: tuple[str, str] = ("", "")) -> int:
    """Write lines as a table, as JSON lines or as CSV; return how many they were."""
    count = 0
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    table = csv.writer(out, lineterminator="\n")
    if form == "csv":
        table.writerow(ConcordanceLine._fields)
    for line in lines:
        count += 1
        if form == "csv":
            table.writerow(line)
        else:
            out.write(json_line(line._asdict()) if form == "jsonl" else aligned(line, width, marks) + "\n")
    return count
