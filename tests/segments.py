"""Segments taken apart and put together again with checksums that hold, so that only invariants can tell."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from trix.indexer.commit.commit import newest_commit, write_commit
from trix.indexer.commit.sections import SectionFile, SectionWriter

Sections = dict[str, Any]
"""The sections of a segment: `numpy` arrays where they are numbers, else bytes."""

Change = Callable[[Sections, dict[str, Any]], object]
"""Changes the sections and the facts of a segment in place."""


def segment_path(folder: Path) -> Path:
    """Return the file of the only segment of an index."""
    (entry,) = newest_commit(folder).segments
    return folder / entry.file


def opened(folder: Path) -> SectionFile:
    """Return the only segment of an index."""
    (entry,) = newest_commit(folder).segments
    return SectionFile(folder / entry.file, entry.name, entry.size)


def facts_of(folder: Path) -> dict[str, Any]:
    """Return what the only segment of an index says of itself."""
    return opened(folder).facts


def sections_of(folder: Path) -> Sections:
    """Return the sections of the only segment of an index."""
    file = opened(folder)
    found: Sections = {}
    for name in file.sizes:
        array = name.endswith(".ends") or name in ARRAYS
        found[name] = file.array(name).copy() if array else bytes(file.section(name)[:])
    return found


ARRAYS = frozenset({"documents", "documents.by_id", "titles.documents", "sources", "copies.places", "by_document.keys"})
"""Sections of numbers, beside the ends of the frames of packed strings."""


def write_segment(folder: Path, sections: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Put another segment in the place of the only one of an index, in the same commit."""
    commit = newest_commit(folder)
    (entry,) = commit.segments
    with tempfile.TemporaryDirectory() as scratch:
        writer = SectionWriter(Path(scratch))
        for name, data in sections.items():
            if isinstance(data, np.ndarray):
                writer.array(name, data)
            else:
                writer.file(name).write(data)
        target = folder / "new.segment"
        name, size = writer.seal(target, facts)
    (folder / entry.file).unlink()
    target.rename(folder / f"{name}.segment")
    if (folder / entry.states).exists():
        (folder / entry.states).rename(folder / f"{name}.states")
    write_commit(folder, replace(commit, segments=(replace(entry, name=name, size=size),)))


def rewrite(folder: Path, change: Change) -> Path:
    """Change the only segment of an index; return its folder."""
    sections, facts = sections_of(folder), facts_of(folder)
    change(sections, facts)
    write_segment(folder, sections, facts)
    return folder


def flipped(data: bytes, place: int, bits: int = 0x41) -> bytes:
    """Return bytes of which one is another."""
    return data[:place] + bytes([data[place] ^ bits]) + data[place + 1 :]
