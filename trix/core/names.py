"""Dewey labels and XPaths of many elements, written as lines of UTF-8 bytes.

Columns of the element table come from a file, so every access is checked. A parent that does not precede its element,
or a path deeper than 255, is an IndexError.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.trix.core.steps import in_time
else:
    from trix.core.steps import in_time

_FEW = cython.declare(cython.Py_ssize_t, (1 << 12) - 1)
"""Mask of elements: the deadline is checked when all these bits of the counter are 1."""
_DEEPEST = cython.declare(cython.int, 255)
"""The greatest depth of an element in an index."""


@cython.final
@cython.cclass
class _Lines:
    """Growing byte buffer."""

    bytes: cython.uchar[::1]
    end: cython.Py_ssize_t

    def __init__(self, room: cython.Py_ssize_t):
        self.bytes = np.empty(room, np.uint8)
        self.end = 0

    @cython.cfunc
    def reserve(self, room: cython.Py_ssize_t) -> cython.int:
        """Grow the buffer by at least `room` bytes."""
        if self.end + room > self.bytes.shape[0]:
            self.bytes = np.resize(np.asarray(self.bytes), 2 * (self.bytes.shape[0] + room))
        return 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def put(self, byte: cython.int) -> cython.int:
        self.bytes[self.end] = cython.cast(cython.uchar, byte)
        self.end += 1
        return 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def put_number(self, number: cython.longlong) -> cython.int:
        """Append the digits of a number that is 0 or more."""
        digits: cython.int = 1
        rest: cython.longlong = number
        place: cython.Py_ssize_t
        while rest >= 10:
            rest //= 10
            digits += 1
        place = self.end + digits
        self.end = place
        while digits:
            place -= 1
            digits -= 1
            self.bytes[place] = cython.cast(cython.uchar, 48 + number % 10)
            number //= 10
        return 0

    def written(self):
        return np.asarray(self.bytes)[: self.end]


@cython.cfunc
@cython.exceptval(-1)
def _path(element: cython.Py_ssize_t, rows: cython.const[cython.int][:, ::1], path: cython.longlong[::1]) -> cython.int:
    """Fill in the elements from one up to its root; return their number."""
    steps: cython.int = 0
    x: cython.Py_ssize_t = element
    above: cython.Py_ssize_t
    while True:
        path[steps] = x
        steps += 1
        above = rows[x, 0]
        if above < 0:
            return steps
        if above >= x or steps > _DEEPEST:
            raise IndexError("the parent of an element does not lie before it")
        x = above


def write_labels(
    elements: cython.const[cython.int][::1],
    documents: cython.const[cython.longlong][::1],
    rows: cython.const[cython.int][:, ::1],
    position: cython.const[cython.int][::1],
):
    """Write the Dewey label of each element, one a line, without a final line feed.

    Parameters
    ----------
    elements : (n,) ndarray of int32 documents : (n,) ndarray of int64
        Document of each element.
    rows : (n_elements, 4) ndarray of int32
        The element table, parent first; see `trix.indexer.store.elements.Elements`.
    position : (n_elements,) ndarray of int32
        Position among the siblings.

    Returns
    -------
    ndarray of uint8
    """
    lines: _Lines = _Lines(32 * elements.shape[0] + 64)
    path: cython.longlong[::1] = np.empty(_DEEPEST + 1, np.int64)
    i: cython.Py_ssize_t
    steps: cython.int
    for i in range(elements.shape[0]):
        if i & _FEW == _FEW:
            in_time()
        steps = _path(elements[i], rows, path)
        lines.reserve(21 + 12 * steps)
        if i:
            lines.put(10)
        lines.put_number(documents[i] + 1)
        while steps > 1:  # the root has no number of its own
            steps -= 1
            lines.put(46)
            lines.put_number(position[path[steps - 1]])
    return lines.written()


def write_paths(
    elements: cython.const[cython.int][::1],
    rows: cython.const[cython.int][:, ::1],
    step: cython.const[cython.int][::1],
    same: cython.const[cython.int][::1],
    names: cython.const[cython.uchar][::1],
    ends: cython.const[cython.longlong][::1],
):
    """Write the XPath of each element, one a line, without a final line feed.

    Parameters
    ----------
    elements : (n,) ndarray of int32 rows : (n_elements, 4) ndarray of int32
        The element table, parent first.
    step, same : (n_elements,) ndarrays of int32
        Path step, and position among siblings of the same name; 0: none is written.
    names, ends
        ``names[ends[k]:ends[k + 1]]`` is path step k with its slash.

    Returns
    -------
    ndarray of uint8
    """
    lines: _Lines = _Lines(96 * elements.shape[0] + 64)
    path: cython.longlong[::1] = np.empty(_DEEPEST + 1, np.int64)
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    x: cython.Py_ssize_t
    place: cython.int
    steps: cython.int
    length: cython.Py_ssize_t
    for i in range(elements.shape[0]):
        if i & _FEW == _FEW:
            in_time()
        steps = _path(elements[i], rows, path)
        length = 1
        for place in range(steps):
            x = step[path[place]]
            length += ends[x + 1] - ends[x] + 13
        lines.reserve(length)
        if i:
            lines.put(10)
        while steps:
            steps -= 1
            x = path[steps]
            for k in range(ends[step[x]], ends[step[x] + 1]):
                lines.put(names[k])
            if same[x]:
                lines.put(91)
                lines.put_number(same[x])
                lines.put(93)
    return lines.written()


def write_addresses(
    elements: cython.const[cython.int][::1],
    first_elements: cython.const[cython.longlong][::1],
    first_of_blocks: cython.const[cython.longlong][::1],
    is_there: cython.const[cython.uchar][::1],
    rows: cython.const[cython.int][:, ::1],
    step: cython.const[cython.int][::1],
    same: cython.const[cython.int][::1],
    names: cython.const[cython.uchar][::1],
    ends: cython.const[cython.longlong][::1],
):
    """Find the document of each element, and write the XPaths as `write_paths` does.

    Parameters
    ----------
    elements : (n,) ndarray of int32 first_elements, first_of_blocks : ndarrays of int64
        First element of each document, and of each block of the element table.
    is_there : ndarray of uint8
        By block, whether its columns are decompressed.
    rows, step, same, names, ends
        Columns of `write_paths`.

    Returns
    -------
    documents : (n,) ndarray of int64 paths : ndarray of uint8, or None
        None if columns are missing.
    """
    documents = np.empty(elements.shape[0], np.int64)
    found: cython.longlong[::1] = documents
    i: cython.Py_ssize_t
    for i in range(elements.shape[0]):
        found[i] = _last_at_most(first_elements, elements[i])
        if not is_there[_last_at_most(first_of_blocks, elements[i])]:
            return documents, None
    return documents, write_paths(elements, rows, step, same, names, ends)


@cython.cfunc
@cython.nogil
@cython.exceptval(-2)
def _last_at_most(numbers: cython.const[cython.longlong][::1], number: cython.longlong) -> cython.Py_ssize_t:
    """Index of the last of ascending numbers that is at most `number`."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = numbers.shape[0]
    middle: cython.Py_ssize_t
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] <= number:
            low = middle + 1
        else:
            high = middle
    return low - 1
