"""The table in a page of the documentation, between two marks."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from pathlib import Path

from scripts.parts.docs.marked import replaced
from scripts.parts.prove.table import Row, table
from trix.errors import TrixError

NAME, BY = "every collection", "scripts/prove --write"


def write(page: Path, rows: Sequence[Row]) -> None:
    """Replace what is between the marks of a page by the table, with date and machine."""
    try:
        text = replaced(page.read_text(encoding="utf-8"), NAME, section(rows), BY)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else f"expected the marks of `{NAME}`, by {BY}"
        raise TrixError(f"{page}: {why}") from None
    page.write_text(text, encoding="utf-8")


def section(rows: Sequence[Row], day: datetime.date | None = None) -> str:
    """Return the lines between the marks."""
    day = day or datetime.datetime.now(datetime.UTC).date()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return f"Measured on {day:%Y-%m-%d} ({machine}).\n\n{table(rows)}"
