"""The compiled loop of `trix.indexer.write.values`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel


@kernel
def encode_segments(codes: Any, borders: Any, blanks: Any, white: Any, short: int) -> Any:
    """Make the streams of a document; twin: `trix.indexer.write.values.encode_values_plainly`.

    Parameters
    ----------
    codes
        The annotated text.
    borders
        Of its segments, in characters of the document.
    blanks
        The characters with a blank before them.
    white
        Of each character up to the last that is white space, whether it is.
    short
        Characters that are kept of a segment.

    Returns
    -------
    tuple
        The bytes of short segments, of long ones that are short without their edges, and of the others without theirs;
        edges; where each of the others ends, and its blanks.
    """
    longs = 0
    room = 1
    for segment in range(borders.size - 1):
        size = borders[segment + 1] - borders[segment]
        longs += size > short
        room += min(size, short)
    kept, padded = np.empty(5 * room, np.uint8), np.empty(5 * room, np.uint8)  # four a character at most, and a blank
    long = np.empty(5 * codes.size, np.uint8)
    edges, ends, counts = np.empty(2 * longs, np.int64), np.empty(longs, np.int64), np.empty(longs, np.int64)
    kept_size = padded_size = long_size = edge = count = 0
    at = place = blank = 0
    for segment in range(borders.size - 1):
        first, last = borders[segment], borders[segment + 1]
        before = blank
        begin = end = long_size
        while place < last:
            due = blanks[blank] if blank < blanks.size else last  # the next character with a blank before it
            if place == due and place < last:
                blank += 1
                long[end] = 2
                end += 1
                due = blanks[blank] if blank < blanks.size else last
            due = min(due, last)
            while place < due:
                code = codes[at]
                at += 1
                if code < 128:
                    if code > 4:
                        long[end] = code
                        end += 1
                        place += 1
                    elif code == 3:  # an attribute, which is none of the text
                        while codes[at] != 3:
                            at += 1
                        at += 1
                else:
                    end = _write_wide(long, end, code)
                    place += 1
        if last - first <= short:
            for i in range(begin, end):
                kept[kept_size + i - begin] = long[i]
            kept_size += end - begin
            continue
        lead = trail = 0
        while begin < end:
            code, behind = _read(long, begin)
            if code >= white.size or not white[code]:
                break
            begin = behind
            lead += 1
        while begin < end:
            start = end - 1
            while long[start] & 192 == 128:
                start -= 1
            code, _ = _read(long, start)
            if code >= white.size or not white[code]:
                break
            end = start
            trail += 1
        edges[edge], edges[edge + 1] = lead, trail
        edge += 2
        if last - first - lead - trail <= short:
            for i in range(begin, end):
                padded[padded_size + i - begin] = long[i]
            padded_size += end - begin
            continue
        if lead:
            for i in range(begin, end):
                long[long_size + i - begin] = long[i]
        long_size += end - begin
        ends[count], counts[count] = long_size, blank - before
        count += 1
    return (
        kept[:kept_size].copy(), padded[:padded_size].copy(), long[:long_size],
        edges, ends[:count], counts[:count].copy(),
    )  # fmt: skip


@kernel
def _write_wide(into: Any, at: Any, code: Any) -> Any:
    """Write a character behind ASCII in UTF-8; return the place behind it."""
    if code < 0x800:
        into[at] = 192 | code >> 6
    elif code < 0x10000:
        into[at] = 224 | code >> 12
        into[at + 1] = 128 | code >> 6 & 63
        at += 1
    else:
        into[at] = 240 | code >> 18
        into[at + 1] = 128 | code >> 12 & 63
        into[at + 2] = 128 | code >> 6 & 63
        at += 2
    into[at + 1] = 128 | code & 63
    return at + 2


@kernel
def _read(data: Any, at: Any) -> Any:
    """Return the character of up to 16 bits at a place in UTF-8, a large number for others, and the place behind."""
    byte = np.int64(data[at])
    if byte < 128:
        return byte, at + 1
    if byte < 224:
        return (byte & 31) << 6 | (data[at + 1] & 63), at + 2
    if byte < 240:
        return (byte & 15) << 12 | np.int64(data[at + 1] & 63) << 6 | (data[at + 2] & 63), at + 3
    return np.int64(1 << 16), at + 4
