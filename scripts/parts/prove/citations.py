"""Titles of cited works as topics: they ask for the paragraphs that cite the work, by the recipe of `silver`."""

from __future__ import annotations

from pathlib import Path

from scripts.parts.prove.xml import files

from scripts.parts.prove.sets import Topic, drawn
from scripts.parts.prove.silver import PROFILE, chosen, read

__all__ = ["PROFILE", "topics"]

LEVEL = "//body//p[not(ancestor::caption or ancestor::table-wrap or ancestor::boxed-text or ancestor::p)]"
"""The paragraphs that are judged, as a level."""


def topics(folder: Path) -> list[Topic]:
    """Return the titles of works that are cited often enough."""
    works, _ = read(files(folder), folder)
    return drawn([Topic(work.title, tuple(work.paragraphs)) for work in chosen(works.values(), 6, 3, 4)])
