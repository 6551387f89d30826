"""Names of the presets, and where they lie."""

from __future__ import annotations

from pathlib import Path

PRESETS = (
    *("generic", "ieee", "jats", "tei", "docbook", "mallard", "wikipedia", "laws", "shakespeare"),
    *("dita", "xhtml", "ead", "akomantoso", "epidoc"),
    *("pubmed", "trials", "ccda", "bits", "sts", "osis", "usfx", "freedict", "ubl"),
    *("mei", "musicxml"),
)
"""Names of the presets, the fallback first."""

FOLDER = Path(__file__).resolve().parent / "presets"
"""Where the presets lie, one TOML file each."""
