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
def line_codes(codes: Any, skip: int, take: int, kinds: Any) -> Any:
    """Return the characters of a range of annotated text as it is shown on one line, where nothing joins or is missing.

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
    blank = False  # one is due before the next character
    for i in range(size):
        here = _kind(kinds, written[i])
        if here & _BLANK:
            blank = True
            continue
        if i and tags[i]:
            ends = i + 1 == size or _kind(kinds, written[i + 1]) & (_BLANK | _CLOSES) or tags[i + 1]
            blank |= tags[i] == 2 or not (_kind(kinds, written[i - 1]) & _OPENS or (here & _CLOSES and ends))
        if blank and end:
            out[end] = 32
            end += 1
        blank = False
        out[end] = written[i]
        end += 1
    return out[:end]
