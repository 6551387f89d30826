"""Names of the presets, and their folder."""

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
"""Folder of the presets, one TOML file each."""
