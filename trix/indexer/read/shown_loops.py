"""Compiled twin of what makes text for the eye; imported where numba is used."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel

_BLANK, _OPENS, _CLOSES = 1, 2, 4  # as in `trix.indexer.read.shown`
_CONTENT, _TAG, _VALUE, _LAST_MARK = 1, 2, 3, 4  # as in `trix.indexer.document.record`


@kernel
def _kind(kinds: Any, code: Any) -> Any:
    return kinds[code] if code < kinds.size else np.uint8(0)


@kernel
def shown_codes(codes: Any, skip: int, take: int, kinds: Any) -> Any:
    """Return the characters of a range of annotated text as it is shown, where nothing joins and nothing is missing.

    Parameters
    ----------
    codes
        Annotated text.
    skip, take
        The range: so many characters of the text are before it, and so many in it.
    kinds
        Of each character, whether it is white space, opens or closes.
    """
    written = np.empty(min(take, codes.size), np.uint32)
    tags = np.zeros(min(take, codes.size) + 1, np.uint8)  # before each character: 1 a tag, 2 where a block begins
    at = size = 0
    inside_value = False
    for code in codes:
        if code > _LAST_MARK:
            if inside_value:
                continue
            if at >= skip:
                if size == take:
                    break
                written[size] = code
                size += 1
            at += 1
        elif code == _VALUE:
            inside_value = not inside_value
        elif code == _CONTENT:
            tags[size] = 2
        elif code == _TAG and tags[size] == 0:
            tags[size] = 1
    out = np.empty(2 * size, np.uint32)
    end = 0
    below = high = 0
    for i in range(size):
        if i and tags[i]:
            added = 0
            before, here = _kind(kinds, written[i - 1]), _kind(kinds, written[i])
            last = i + 1 == size
            ends = last or _kind(kinds, written[i + 1]) & (_BLANK | _CLOSES) or tags[i + 1]
            if not (before & (_BLANK | _OPENS) or here & _BLANK or (here & _CLOSES and ends)):
                added = 32
            if tags[i] == 2 and (i > high or not below):
                high, broken = i, False
                while high < size and _kind(kinds, written[high]) & _BLANK:
                    broken |= written[high] == 10
                    high += 1
                low = i - 1
                while low >= below and _kind(kinds, written[low]) & _BLANK:
                    broken |= written[low] == 10
                    low -= 1
                if not broken:
                    added = 10
                below = i
            if added:
                out[end] = added
                end += 1
        out[end] = written[i]
        end += 1
    return out[:end]
