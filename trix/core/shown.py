"""Annotated text on one line: white space becomes one blank, and a tag becomes a blank where words would touch.

The marks are those of `trix.indexer.document.record`.
"""

import cython
import numpy as np

_BLANK = cython.declare(cython.int, 1)
_OPENS = cython.declare(cython.int, 2)
_CLOSES = cython.declare(cython.int, 4)

_CONTENT = cython.declare(cython.int, 1)
_TAG = cython.declare(cython.int, 2)
_VALUE = cython.declare(cython.int, 3)
_LAST_MARK = cython.declare(cython.int, 4)

_IN_BLOCK = cython.declare(cython.int, 1)
_BLOCK = cython.declare(cython.int, 2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(-1)
def _kind(kinds: cython.const[cython.uchar][::1], code: cython.uint) -> cython.int:
    return kinds[code] if code < cython.cast(cython.size_t, kinds.shape[0]) else 0


def line_codes(
    codes: cython.const[cython.uint][::1],
    skip: cython.Py_ssize_t,
    take: cython.Py_ssize_t,
    kinds: cython.const[cython.uchar][::1],
):
    """Return the characters of a range of annotated text as one line.

    Parameters
    ----------
    codes : ndarray of uint32
        Annotated text.
    skip, take
        Characters of the text before the range, and in it.
    kinds : ndarray of uint8
        Bits by character: white space, opens, closes.

    Returns
    -------
    ndarray of uint32
    """
    room: cython.Py_ssize_t = min(take, codes.shape[0])
    written: cython.uint[::1] = np.empty(room, np.uint32)
    tags: cython.uchar[::1] = np.zeros(room + 1, np.uint8)  # what stands before each character
    line = np.empty(2 * room, np.uint32)
    out: cython.uint[::1] = line
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    code: cython.uint
    here: cython.int
    ends: cython.bint
    blank: cython.bint = False  # one is due before the next character
    inside_value: cython.bint = False
    with cython.nogil:
        # Characters of the range, and the tags between them; values below content elements are no text.
        for i in range(codes.shape[0]):
            code = codes[i]
            # Codes above the marks are characters; tags[k] is the strongest tag before character k.
            if code > cython.cast(cython.uint, _LAST_MARK):
                if inside_value:
                    continue
                if at >= skip:
                    if size == take:
                        break
                    written[size] = code
                    size += 1
                at += 1
            elif code == cython.cast(cython.uint, _VALUE):
                inside_value = not inside_value
            elif code == cython.cast(cython.uint, _CONTENT):
                tags[size] = _BLOCK
            elif code == cython.cast(cython.uint, _TAG) and tags[size] == 0:
                tags[size] = _IN_BLOCK
        # A tag is a blank, but not after what opens, and not before what closes a word.
        for i in range(size):
            here = _kind(kinds, written[i])
            if here & _BLANK:
                blank = True
                continue
            if i and tags[i]:
                ends = i + 1 == size or _kind(kinds, written[i + 1]) & (_BLANK | _CLOSES) != 0 or tags[i + 1] != 0
                if tags[i] == _BLOCK or not (
                    _kind(kinds, written[i - 1]) & _OPENS != 0 or (here & _CLOSES != 0 and ends)
                ):
                    blank = True
            if blank and end:
                out[end] = 32
                end += 1
            blank = False
            out[end] = written[i]
            end += 1
    return line[:end]
