"""Times and sizes of the sources of a segment, by which `trix update` knows most files as unchanged without reading.

They stand beside the segment, not in it: a file that was touched is no other document. Whoever loses them reads once.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import msgpack

from trix.indexer.collection.source import Source
from trix.indexer.commit.commit import SegmentEntry
from trix.indexer.commit.disk import write_durably
from trix.indexer.write.batch import SourceEntry

State = tuple[int, int]
"""Time of the last change in nanoseconds, and bytes, of the file or archive that a source lies in."""

UNKNOWN: State = (0, -1)


def state_of(source: Source) -> State:
    """Return the state of a source as it was found."""
    return source.mtime_ns, source.stored_size


def write_states(folder: Path, entry: SegmentEntry, sources: Sequence[SourceEntry | State]) -> None:
    """Write the states of the sources of a segment, in order."""
    rows = [(s.mtime_ns, s.stored_size) if isinstance(s, SourceEntry) else s for s in sources]
    body: bytes = msgpack.packb(rows)
    write_durably(folder / (entry.states), zlib.crc32(body).to_bytes(4, "little") + body)


def read_states(folder: Path, entry: SegmentEntry, count: int) -> tuple[list[State], str]:
    """Return the states of the sources of a segment, and what is wrong with their file, nothing where it is sound.

    They are unknown where the file is gone or damaged.
    """
    try:
        return _rows((folder / entry.states).read_bytes(), count), ""
    except FileNotFoundError:
        fault = "is missing"
    except OSError as error:
        fault = f"cannot be read: {error.strerror}"
    except ValueError as error:
        fault = f"is damaged ({error})"
    return [UNKNOWN] * count, fault


def _rows(data: bytes, count: int) -> list[State]:
    """Return the states that a file holds.

    Raises
    ------
    ValueError
        It is damaged; says how.
    """
    if zlib.crc32(data[4:]) != int.from_bytes(data[:4], "little"):
        raise ValueError("its checksum does not hold")
    try:
        rows = [(int(mtime), int(size)) for mtime, size in msgpack.unpackb(data[4:], use_list=False)]
    except (TypeError, ValueError, msgpack.UnpackException):
        raise ValueError("it holds something else") from None
    if len(rows) != count:
        raise ValueError(f"it is about {len(rows):,} sources, not about {count:,}")
    return rows


def states_fault(folder: Path, entry: SegmentEntry, count: int) -> str:
    """Return what is wrong with the file of the states of a segment, and what that means; nothing where it is sound."""
    _, fault = read_states(folder, entry, count)
    sources = f"{count:,} source{'' if count == 1 else 's'}"
    after = f"no document is lost: the next trix update reads {sources} once and writes it again"
    return f"{folder / entry.states}: the file {fault}; {after}" if fault else ""


def skipped_row(source: Source, reason: str) -> tuple[str, str, str, str, int, int]:
    """Return what a commit says of a source that could not be read."""
    return source.path, reason, source.location, source.member or "", *state_of(source)
