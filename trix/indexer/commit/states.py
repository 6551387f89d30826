"""States of sources: times and sizes by which `trix update` skips unchanged files without reading them.

They are stored beside the segment: a touched file is not another document. If they are lost, sources are read once.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import msgpack

from trix.indexer.commit.commit import STATES, SegmentEntry
from trix.indexer.commit.disk import write_durably

State = tuple[int, int]
"""Modification time in nanoseconds, and bytes, of the file or archive with a source."""

UNKNOWN: State = (0, -1)


def write_states(folder: Path, entry: SegmentEntry, states: Sequence[State]) -> None:
    """Write the states of a segment's sources, in order."""
    body: bytes = msgpack.packb(list(states))
    write_durably(folder / (entry.states), zlib.crc32(body).to_bytes(4, "little") + body)


def read_states(path: Path, count: int) -> tuple[list[State], str]:
    """Read the states of a segment's sources, and the fault of their file; empty if there is none.

    States are unknown if the file is missing or damaged.

    Parameters
    ----------
    path
        File of the segment, or of the states beside it.
    count
        Number of sources in the segment.
    """
    # Any fault only costs time: unknown states make an update read the sources.
    try:
        return _rows(path.with_suffix(STATES).read_bytes(), count), ""
    except FileNotFoundError:
        fault = "is missing"
    except OSError as error:
        fault = f"cannot be read: {error.strerror}"
    except ValueError as error:
        fault = f"is damaged ({error})"
    return [UNKNOWN] * count, fault


def _rows(data: bytes, count: int) -> list[State]:
    """Decode and verify the states in a file.

    Raises
    ------
    ValueError
        The file is damaged.
    """
    if zlib.crc32(data[4:]) != int.from_bytes(data[:4], "little"):
        raise ValueError("wrong checksum")
    try:
        rows = [(int(mtime), int(size)) for mtime, size in msgpack.unpackb(data[4:], use_list=False)]
    except (TypeError, ValueError, msgpack.UnpackException):
        raise ValueError("unknown content") from None
    if len(rows) != count:
        raise ValueError(f"it has {len(rows):,} sources, expected {count:,}")
    return rows


def states_fault(folder: Path, entry: SegmentEntry, count: int) -> str:
    """Describe the fault of a states file and its consequence; empty if there is none."""
    _, fault = read_states(folder / entry.states, count)
    sources = f"{count:,} source{'' if count == 1 else 's'}"
    after = f"no document is lost: the next trix update reads {sources} once and writes it again"
    return f"{folder / entry.states}: the file {fault}; {after}" if fault else ""
