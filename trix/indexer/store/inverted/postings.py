"""The inverted file: posting lists as bytes and back.

A posting list names the content elements that hold a key, ascending, with the occurrences tf in each [II,
section 3: only content elements are stored, ancestors are inferred]. It is coded as a sequence of variable-byte
integers (seven bits a byte, low bits first, the top bit says that more follow): for each posting the gap to the one
before, doubled, plus one if tf > 1; then, in that case, tf - 2. Position lists are coded alike: for each posting the
gaps between the key's ordinals in the content element, the first one counted from -1, each gap minus one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.core import damage_in
from trix.core.postings import decode_list, decode_position_list, encode_lists, encode_position_lists
from trix.support.arrays import Int32s, Int64s, Mask

Lists = tuple[Int32s, Int32s]


def encode_varints(values: Int64s) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the bytes of non-negative integers, and how many bytes each takes.

    >>> encode_varints(np.array([1, 127, 300]))[0].tolist()
    [1, 127, 172, 2]
    """
    values = values.astype(np.uint64, copy=False)
    sizes = np.ones(values.size, np.uint8)
    limit = 1 << 7
    largest = int(values.max()) if values.size else 0
    while largest >= limit:
        sizes += values >= np.uint64(limit)
        limit <<= 7
    ends = np.cumsum(sizes, dtype=np.int64)
    out = np.empty(int(ends[-1]) if values.size else 0, np.uint8)
    at, rest = ends - sizes, values
    while rest.size:
        more = rest >= 128
        out[at] = (rest & np.uint64(127)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        at, rest = at[more] + 1, rest[more] >> np.uint64(7)
    return out, sizes


def decode_varints(data: NDArray[np.uint8]) -> Int64s:
    """Return the integers that `encode_varints` wrote.

    >>> decode_varints(np.array([1, 127, 172, 2], np.uint8)).tolist()
    [1, 127, 300]
    """
    ends = np.flatnonzero(data < 128)
    starts = np.concatenate(([0], ends[:-1] + 1)) if ends.size else ends
    sizes = ends - starts + 1
    values = (data[starts] & 127).astype(np.int64)
    for byte in range(1, int(sizes.max()) if sizes.size else 0):
        longer = np.flatnonzero(sizes > byte)
        values[longer] |= (data[starts[longer] + byte] & 127).astype(np.int64) << (7 * byte)
    return values


def encode_postings(contents: Int64s, tf: Int64s, starts: Int64s) -> tuple[NDArray[np.uint8], Int64s]:
    """Code posting lists that lie one behind the other.

    Parameters
    ----------
    contents, tf : (n_postings,) ndarray
        Content element numbers, ascending within a list, and occurrences.
    starts : (n_keys,) ndarray
        Where each key's list begins; no list is empty.

    Returns
    -------
    data : ndarray of uint8
    sizes : (n_keys,) ndarray of int64
        Bytes of each list.
    """
    return encode_lists(contents, tf, starts)


def decode_postings(data: NDArray[np.uint8]) -> Lists:
    """Return (contents, tf), int32 each, of one posting list."""
    with damage_in("a posting list"):
        return decode_list(data)


def _gaps_and_tf(values: Int64s) -> tuple[Int64s, Int32s, Int64s]:
    """Return the gap and the occurrences of each posting, and the place of the gap among the integers."""
    places = np.flatnonzero(gap_places(values))
    codes = values[places]
    tf = np.ones(places.size, np.int32)
    several = (codes & 1).astype(bool)
    tf[several] = values[places[several] + 1] + 2
    return codes >> 1, tf, places


def decode_lists(data: NDArray[np.uint8], starts: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Decode posting lists that lie one behind the other.

    Parameters
    ----------
    data, starts
        The coded lists, and the byte where each begins.

    Returns
    -------
    contents, tf, first
        The postings, and the place where those of each list begin.
    """
    if not data.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    gaps, tf, places = _gaps_and_tf(decode_varints(data))
    first = np.searchsorted(places, np.searchsorted(np.flatnonzero(data < 128), starts))
    total = np.cumsum(gaps)
    before = np.where(first > 0, total[first - 1], 0)
    return total - np.repeat(before, np.diff(first, append=places.size)), tf.astype(np.int64), first


def gap_places(values: Int64s) -> Mask:
    """Tell of each integer of posting lists whether it is a gap; the others are occurrences.

    >>> gap_places(np.array([2, 5, 1, 3, 0])).tolist()
    [True, True, False, True, False]
    """
    # A value follows one whose low bit is set, unless that one is itself a follower: in a run of odd values the
    # first is a gap, the second its tf, and so on. A value's role is its distance from the last certain gap: behind an
    # even gap the next is a gap, behind an even tf as well.
    odd = (values & 1).astype(bool)
    place = np.arange(values.size)
    anchor = np.maximum.accumulate(np.where(np.concatenate(([True], ~odd[:-1])), place, 0)) if values.size else place
    found: Mask = ((place - anchor) & 1) == 0
    return found


def encode_positions(positions: Int64s, posting_starts: Int64s, key_starts: Int64s) -> tuple[NDArray[np.uint8], Int64s]:
    """Code position lists that lie one behind the other.

    Parameters
    ----------
    positions : (n_tokens,) ndarray
        Ordinals of key occurrences in their content elements, ascending within a posting.
    posting_starts : (n_postings,) ndarray
        Where each posting's positions begin.
    key_starts : (n_keys,) ndarray
        Where each key's positions begin.
    """
    return encode_position_lists(positions, posting_starts, key_starts)


def decode_positions(data: NDArray[np.uint8], tf: NDArray[Any]) -> Int64s:
    """Return the positions of one key, posting after posting."""
    with damage_in("a position list"):
        return decode_position_list(data, tf)


def united(lists: Sequence[Lists]) -> Lists:
    """Return the postings of several keys as those of one.

    >>> united([(np.array([1, 4]), np.array([2, 1])), (np.array([4, 7]), np.array([3, 1]))])
    (array([1, 4, 7], dtype=int32), array([2, 4, 1], dtype=int32))
    """
    contents, tf = (np.concatenate(columns) for columns in zip(*lists, strict=True))
    held, places = np.unique(contents, return_inverse=True)
    counts = np.bincount(places.reshape(-1), tf, held.size)
    return held.astype(np.int32), counts.astype(np.int32)


def united_positions(lists: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    """Return the postings of several keys with their positions as those of one; no two keys stand at one position.

    >>> one, other = np.array([4]), np.array([4])
    >>> united_positions([(one, np.array([2]), np.array([1, 9])), (other, np.array([1]), np.array([5]))])[2].tolist()
    [1, 5, 9]
    """
    contents, tf = united([(contents, tf) for contents, tf, _ in lists])
    owners = np.concatenate([np.repeat(contents, tf) for contents, tf, _ in lists])
    positions = np.concatenate([positions for *_, positions in lists])
    return contents, tf, positions[np.lexsort((positions, owners))]
