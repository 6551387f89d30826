"""Posting lists as bytes: encoding and decoding.

A posting list has the content elements with a key, ascending, and the frequency tf in each [II, section 3: only content
elements are stored, ancestors are inferred]. It is a sequence of variable-byte integers (seven bits per byte, low bits
first, top bit set if more follow). A posting is the gap to the one before, doubled, plus one if tf > 1; then, in that
case, tf - 2. Position lists are encoded alike: for each posting the gaps between positions in the content element,
counted from -1, each minus one.
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
    """Encode non-negative integers; also return the bytes of each.

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
    # Write the n-th byte of all values that have one, one round per byte.
    while rest.size:
        more = rest >= 128
        out[at] = (rest & np.uint64(127)).astype(np.uint8) | (more.astype(np.uint8) << 7)
        at, rest = at[more] + 1, rest[more] >> np.uint64(7)
    return out, sizes


def decode_varints(data: NDArray[np.uint8]) -> Int64s:
    """Decode variable-byte integers; inverse of `encode_varints`.

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
    """Encode concatenated posting lists.

    Parameters
    ----------
    contents, tf : (n_postings,) ndarray
        ``(n_postings,)`` content elements, ascending within a list, and frequencies.
    starts : (n_keys,) ndarray
        ``(n_keys,)`` begin of each list; no list is empty.

    Returns
    -------
    data : ndarray of uint8
    sizes : (n_keys,) ndarray of int64
        Bytes of each list.
    """
    return encode_lists(contents, tf, starts)


def decode_postings(data: NDArray[np.uint8]) -> Lists:
    """Decode one posting list into (contents, tf), int32 each."""
    with damage_in("a posting list"):
        return decode_list(data)


def _gaps_and_tf(values: Int64s) -> tuple[Int64s, Int32s, Int64s]:
    """Return the gap and frequency of each posting, and the index of the gap among the integers."""
    places = np.flatnonzero(gap_places(values))
    codes = values[places]
    tf = np.ones(places.size, np.int32)
    several = (codes & 1).astype(bool)
    tf[several] = values[places[several] + 1] + 2
    return codes >> 1, tf, places


def decode_lists(data: NDArray[np.uint8], starts: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """Decode concatenated posting lists.

    Parameters
    ----------
    data, starts
        Encoded lists, and the first byte of each.

    Returns
    -------
    contents, tf, first
        Postings, and the index of each list's first one.
    """
    if not data.size:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    gaps, tf, places = _gaps_and_tf(decode_varints(data))
    first = np.searchsorted(places, np.searchsorted(np.flatnonzero(data < 128), starts))
    # One running sum over all lists; subtract its value before each list.
    total = np.cumsum(gaps)
    before = np.where(first > 0, total[first - 1], 0)
    return total - np.repeat(before, np.diff(first, append=places.size)), tf.astype(np.int64), first


def gap_places(values: Int64s) -> Mask:
    """Flag the gaps among the integers of posting lists; the others are frequencies.

    >>> gap_places(np.array([2, 5, 1, 3, 0])).tolist()
    [True, True, False, True, False]
    """
    # An odd gap is followed by its tf. After an even value the next one is always a gap: an even gap has no tf, and
    # an even tf ends its posting. From such a certain gap on, gaps and tfs alternate while values are odd, so the
    # parity of the distance from the last certain gap decides.
    odd = (values & 1).astype(bool)
    place = np.arange(values.size)
    anchor = np.maximum.accumulate(np.where(np.concatenate(([True], ~odd[:-1])), place, 0)) if values.size else place
    found: Mask = ((place - anchor) & 1) == 0
    return found


def encode_positions(positions: Int64s, posting_starts: Int64s, key_starts: Int64s) -> tuple[NDArray[np.uint8], Int64s]:
    """Encode concatenated position lists.

    Parameters
    ----------
    positions : (n_tokens,) ndarray
        ``(n_tokens,)`` positions in content elements, ascending within a posting.
    posting_starts : (n_postings,) ndarray
        ``(n_postings,)`` begin of each posting's positions.
    key_starts : (n_keys,) ndarray
        ``(n_keys,)`` begin of each key's positions.
    """
    return encode_position_lists(positions, posting_starts, key_starts)


def decode_positions(data: NDArray[np.uint8], tf: NDArray[Any]) -> Int64s:
    """Decode the positions of one key, posting by posting."""
    with damage_in("a position list"):
        return decode_position_list(data, tf)


def united(lists: Sequence[Lists]) -> Lists:
    """Merge the postings of several keys into one list; frequencies are added.

    >>> united([(np.array([1, 4]), np.array([2, 1])), (np.array([4, 7]), np.array([3, 1]))])
    (array([1, 4, 7], dtype=int32), array([2, 4, 1], dtype=int32))
    """
    contents, tf = (np.concatenate(columns) for columns in zip(*lists, strict=True))
    # Equal content elements become one posting.
    distinct, places = np.unique(contents, return_inverse=True)
    # As sums of floats: exact below 2^53.
    counts = np.bincount(places.reshape(-1), tf, distinct.size)
    return distinct.astype(np.int32), counts.astype(np.int32)


def united_positions(lists: Sequence[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    """Merge the postings and positions of several keys; keys never share a position.

    >>> one, other = np.array([4]), np.array([4])
    >>> united_positions([(one, np.array([2]), np.array([1, 9])), (other, np.array([1]), np.array([5]))])[2].tolist()
    [1, 5, 9]
    """
    contents, tf = united([(contents, tf) for contents, tf, _ in lists])
    # Sort all positions by content element, then by position.
    owners = np.concatenate([np.repeat(contents, tf) for contents, tf, _ in lists])
    positions = np.concatenate([positions for *_, positions in lists])
    return contents, tf, positions[np.lexsort((positions, owners))]
