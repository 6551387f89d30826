"""Parts of pages that are made from the code: replaced between two marks, or compared with what they should be."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[3] / "docs"


def replaced(page: str, name: str, text: str, by: str = "") -> str:
    """Return the text of a page with one marked part replaced.

    Parameters
    ----------
    page
        The text of the page.
    name
        The part: it stands between ``<!-- NAME, by scripts/docs NAME -->`` and ``<!-- end of NAME -->``.
    text
        The new part.
    by
        What writes it, in place of ``scripts/docs NAME``.
    """
    begin, end = f"<!-- {name}, by {by or f'scripts/docs {name}'} -->\n", f"<!-- end of {name} -->\n"
    head, rest = page.split(begin)
    return f"{head}{begin}\n{text.strip()}\n\n{end}{rest.split(end)[1]}"


def update(page: str, name: str, text: str) -> None:
    """Write a marked part of a page in docs/; with ``--check`` as argument only compare, exit code 1 if it differs."""
    path = DOCS / page
    before = path.read_text("utf-8")
    after = replaced(before, name, text)
    if "--check" in sys.argv:
        sys.exit(before != after)
    path.write_text(after, "utf-8")
