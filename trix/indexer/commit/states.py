"""Times and sizes of the sources of a segment, by which `trix update` knows most files as unchanged without reading.

They stand beside the segment, not in it: a file that was touched is no other document. Whoever loses them reads once.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import msgpack

from trix.indexer.commit.commit import STATES, SegmentEntry
from trix.indexer.commit.disk import write_durably

State = tuple[int, int]
"""Time of the last change in nanoseconds, and bytes, of the file or archive that a source lies in."""

UNKNOWN: State = (0, -1)


def write_states(folder: Path, entry: SegmentEntry, states: Sequence[State]) -> None:
    """Write the states of the sources of a segment, in order."""
    body: bytes = msgpack.packb(list(states))
    write_durably(folder / (entry.states), zlib.crc32(body).to_bytes(4, "little") + body)


def read_states(path: Path, count: int) -> tuple[list[State], str]:
    """Return the states of the sources of a segment, and what is wrong with their file, nothing where it is sound.

    They are unknown where the file is gone or damaged.

    Parameters
    ----------
    path
        The file of the segment, or that of the states beside it.
    count
        How many sources the segment has.
    """
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
    _, fault = read_states(folder / entry.states, count)
    sources = f"{count:,} source{'' if count == 1 else 's'}"
    after = f"no document is lost: the next trix update reads {sources} once and writes it again"
    return f"{folder / entry.states}: the file {fault}; {after}" if fault else ""
