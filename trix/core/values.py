"""Encoder of a document's comparable texts as byte streams, see `trix.indexer.store.values`."""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.trix.core.steps import in_time
else:
    from trix.core.steps import in_time

_FEW = cython.declare(cython.Py_ssize_t, (1 << 16) - 1)
"""Mask of segments: the deadline is checked when all these bits of the counter are 1."""

# Marks of annotated text, see `trix.indexer.document.record`.
_VALUE = cython.declare(cython.uint, 3)
_LAST_MARK = cython.declare(cython.uint, 4)


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _write_utf8(into: cython.uchar[::1], at: cython.Py_ssize_t, code: cython.uint) -> cython.Py_ssize_t:
    """Write a non-ASCII character in UTF-8; return the position after it."""
    if code < 0x800:
        into[at] = cython.cast(cython.uchar, 192 | (code >> 6))
    elif code < 0x10000:
        into[at] = cython.cast(cython.uchar, 224 | (code >> 12))
        into[at + 1] = cython.cast(cython.uchar, 128 | ((code >> 6) & 63))
        at += 1
    else:
        into[at] = cython.cast(cython.uchar, 240 | (code >> 18))
        into[at + 1] = cython.cast(cython.uchar, 128 | ((code >> 12) & 63))
        into[at + 2] = cython.cast(cython.uchar, 128 | ((code >> 6) & 63))
        at += 2
    into[at + 1] = cython.cast(cython.uchar, 128 | (code & 63))
    return at + 2


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _size_utf8(data: cython.const[cython.uchar][::1], at: cython.Py_ssize_t) -> cython.int:
    """Number of bytes of the UTF-8 character at a position."""
    byte: cython.int = data[at]
    return 1 if byte < 128 else 2 if byte < 224 else 3 if byte < 240 else 4


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _is_white(
    data: cython.const[cython.uchar][::1], at: cython.Py_ssize_t, white: cython.const[cython.uchar][::1]
) -> cython.int:
    """Whether the UTF-8 character at a position is white space."""
    size: cython.int = _size_utf8(data, at)
    code: cython.Py_ssize_t = data[at]
    if size == 2:
        code = ((code & 31) << 6) | (cython.cast(cython.int, data[at + 1]) & 63)
    elif size == 3:
        code = (code & 15) << 12
        code |= ((cython.cast(cython.int, data[at + 1]) & 63) << 6) | (cython.cast(cython.int, data[at + 2]) & 63)
    elif size == 4:
        return 0
    return code < white.shape[0] and white[code] != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _move(
    source: cython.uchar[::1],
    begin: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    target: cython.uchar[::1],
    at: cython.Py_ssize_t,
) -> cython.int:
    i: cython.Py_ssize_t
    for i in range(begin, end):
        target[at + i - begin] = source[i]
    return 0


def encode_segments(codes: cython.const[cython.uint][::1], borders, blanks, white, short: cython.Py_ssize_t):
    """Encode the text segments of a document.

    Parameters
    ----------
    codes : ndarray of uint32
        The annotated text.
    borders
        Borders of the segments, in characters of the document.
    blanks
        Characters with a blank before them.
    white : ndarray of bool
        By character, up to the last white one, whether it is white space.
    short
        Number of characters that are kept of a segment.

    Returns
    -------
    tuple
        Three byte streams: short segments; long segments that are short without the white space at their ends; other
        long segments without it. Then three arrays: sizes of this white space; ends of the segments in the third
        stream; their numbers of blanks.
    """
    limits: cython.const[cython.longlong][::1] = np.ascontiguousarray(borders, np.int64)
    gaps: cython.const[cython.longlong][::1] = np.ascontiguousarray(blanks, np.int64)
    is_white: cython.const[cython.uchar][::1] = np.ascontiguousarray(white).view(np.uint8)
    segments: cython.Py_ssize_t = limits.shape[0] - 1
    longs: cython.Py_ssize_t = 0
    room: cython.Py_ssize_t = 1
    segment: cython.Py_ssize_t
    for segment in range(segments):
        longs += limits[segment + 1] - limits[segment] > short
        room += min(limits[segment + 1] - limits[segment], short)
    # Four bytes a character at most, and a blank.
    own_kept, own_padded = np.empty(5 * room, np.uint8), np.empty(5 * room, np.uint8)
    own_long = np.empty(5 * codes.shape[0] + 1, np.uint8)
    own_edges, own_ends, own_counts = (
        np.empty(2 * longs, np.int64),
        np.empty(longs, np.int64),
        np.empty(longs, np.int64),
    )
    kept: cython.uchar[::1] = own_kept
    padded: cython.uchar[::1] = own_padded
    long: cython.uchar[::1] = own_long
    edges: cython.longlong[::1] = own_edges
    ends: cython.longlong[::1] = own_ends
    counts: cython.longlong[::1] = own_counts
    kept_size: cython.Py_ssize_t = 0
    padded_size: cython.Py_ssize_t = 0
    long_size: cython.Py_ssize_t = 0
    edge: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t = 0
    place: cython.longlong = 0
    blank: cython.Py_ssize_t = 0
    before: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    end: cython.Py_ssize_t
    start: cython.Py_ssize_t
    first: cython.longlong
    last: cython.longlong
    due: cython.longlong
    lead: cython.longlong
    trail: cython.longlong
    code: cython.uint
    with cython.nogil:
        for segment in range(segments):
            if segment & _FEW == _FEW:
                in_time()
            first, last = limits[segment], limits[segment + 1]
            before = blank
            begin = end = long_size
            # The characters of the segment, with a mark for each blank.
            while place < last:
                due = gaps[blank] if blank < gaps.shape[0] else last  # the next character with a blank before it
                if place == due and place < last:
                    blank += 1
                    long[end] = 2
                    end += 1
                    due = gaps[blank] if blank < gaps.shape[0] else last
                due = min(due, last)
                while place < due:
                    code = codes[at]
                    at += 1
                    if code < 128:
                        if code > _LAST_MARK:
                            long[end] = cython.cast(cython.uchar, code)
                            end += 1
                            place += 1
                        elif code == _VALUE:  # an attribute, which is none of the text
                            while codes[at] != _VALUE:
                                at += 1
                            at += 1
                    else:
                        end = _write_utf8(long, end, code)
                        place += 1
            if last - first <= short:
                _move(long, begin, end, kept, kept_size)
                kept_size += end - begin
                continue
            # White space at both edges is counted and left out.
            lead = trail = 0
            while begin < end and _is_white(long, begin, is_white):
                begin += _size_utf8(long, begin)
                lead += 1
            while begin < end:
                start = end - 1
                while start > begin and (long[start] & 192) == 128:
                    start -= 1
                if not _is_white(long, start, is_white):
                    break
                end = start
                trail += 1
            edges[edge], edges[edge + 1] = lead, trail
            edge += 2
            if last - first - lead - trail <= short:
                _move(long, begin, end, padded, padded_size)
                padded_size += end - begin
                continue
            if lead:
                _move(long, begin, end, long, long_size)
            long_size += end - begin
            ends[count], counts[count] = long_size, blank - before
            count += 1
    return (
        own_kept[:kept_size].copy(), own_padded[:padded_size].copy(), own_long[:long_size],
        own_edges, own_ends[:count], own_counts[:count].copy(),
    )  # fmt: skip
