#!/usr/bin/env python3
"""Write docs/measures.md from the registry and the two texts around it; ``--check`` only compares."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from trix.eval.output.measures import measure_tables
from trix.eval.output.tables import render

ROOT = Path(__file__).resolve().parent.parent


def page() -> str:
    """Return the text of the page."""
    head, tail = ((ROOT / "docs" / f"measures.{part}.md").read_text("utf-8") for part in ("head", "tail"))
    return head + render(measure_tables(), "markdown", dict) + tail


if __name__ == "__main__":
    target = ROOT / "docs" / "measures.md"
    if "--check" in sys.argv:
        sys.exit(target.read_text("utf-8") != page())
    target.write_text(page(), "utf-8")
