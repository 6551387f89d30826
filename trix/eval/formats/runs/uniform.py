"""Fast path of `read_rows` and `read_trec_qrels`, for lines of equal columns separated by one blank or tab.

Such a file is split into words a block at a time. Its numeric columns are parsed as arrays, without a string for each
word. Any other file, and any file with an error, is left to the line reader, which reports the error.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from sys import intern

import numpy as np
from numpy.typing import NDArray

from trix.errors import FormatError
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.formats.reading.lines import Faults
from trix.eval.formats.runs.builder import RunBuilder
from trix.support.arrays import Floats, Int64s
from trix.support.element_path import normal_path, split_unit
from trix.support.input_files import open_input

Bytes = NDArray[np.uint8]

_UNREADABLE = (ValueError, FormatError, OSError)
"""The line reader meets these errors again and reports the line."""
BLOCK = 1 << 18
"""Bytes in a block: few enough to stay in the processor's cache."""
_NEWLINE, _BLANK, _TAB, _ZERO, _SLASH, _BRACKET = b"\n \t0/]"
_POINT = ord(".") - _ZERO
_POWERS = 10.0 ** np.arange(17)


def read_uniform_rows(path: str | Path, faults: Faults, *, passage_end: bool = False) -> Rankings | None:
    """Return the run, or None if the file needs the line reader."""
    builder = RunBuilder(faults)
    line = 1
    try:
        for block in _blocks(path):
            words = cut(block)
            if words is None or not _add(builder, words, line, passage_end):
                return None
            line += len(words[1])
    except _UNREADABLE:
        return None
    return builder.finish() if line > 1 else None


def read_uniform_grades(path: str | Path) -> dict[str, dict[str, float]] | None:
    """Return topic -> unit -> grade of TREC qrels, or None if the file needs the line reader."""
    found: dict[str, dict[str, float]] = {}
    count = 0
    try:
        for block in _blocks(path):
            words = cut(block, 4, 4)
            if words is None:
                return None
            data, begin, end = words
            text = data.tobytes().decode("ascii")
            grades = numbers(data, begin[:, 3], end[:, 3], text)
            if not bool(np.isfinite(grades).all()):
                return None
            whole = bool((grades == np.trunc(grades)).all()) and bool((np.abs(grades) < 2**53).all())
            values = (grades.astype(np.int64) if whole else grades).tolist()
            if not whole:
                values = [int(grade) if grade.is_integer() else grade for grade in values]
            units = list(map(intern, _strings(text, begin[:, 2], end[:, 2])))
            for a, b in pairwise([*_changes(data, begin[:, 0], end[:, 0]), len(begin)]):
                found.setdefault(text[begin[a, 0] : end[a, 0]], {}).update(zip(units[a:b], values[a:b], strict=True))
            count += len(begin)
    except _UNREADABLE:
        return None
    return found if count and sum(map(len, found.values())) == count else None  # no unit is judged twice


def _blocks(path: str | Path) -> Iterator[bytes]:
    """Yield the file in blocks of complete lines."""
    with open_input(path) as file:
        rest = b""
        while data := file.read(BLOCK):
            end = data.rfind(b"\n") + 1
            if end:
                yield rest + data[:end]
                rest = data[end:]
            elif len(rest) < BLOCK:
                rest += data
            else:
                raise ValueError("a line of several blocks")
        if rest:
            yield rest + b"\n"


def cut(block: bytes, fewest: int = 6, most: int = 8) -> tuple[Bytes, Int64s, Int64s] | None:
    """Split a block into words; return the bytes and the begin and end of each word, a row per line, a column per word.

    Return None if the lines differ in their number of words, or words are not separated by one blank or tab.

    >>> begin, end = cut(b"1 Q0 a 1 .5 r\\n1 Q0 b 2 .4 r\\n")[1:]
    >>> begin[:, 2].tolist(), (end - begin)[0].tolist()
    ([5, 19], [1, 2, 1, 1, 2, 1])
    >>> cut(b"1  Q0 a 1 .5 r\\n") is cut(b"1 Q0 a 1 .5 r\\n1 Q0 b 2 .4 r 5 9\\n") is None
    True
    """
    if not block.isascii():
        return None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    n = len(block[: block.index(b"\n")].split())
    data = np.frombuffer(block, np.uint8)
    separators = np.flatnonzero(data <= _BLANK)
    if not fewest <= n <= most or len(separators) % n or bool((np.diff(separators, prepend=-1) < 2).any()):
        return None
    kinds = data[separators].reshape(-1, n)
    inside = kinds[:, :-1]
    if bool((kinds[:, -1] != _NEWLINE).any()) or not bool(((inside == _BLANK) | (inside == _TAB)).all()):
        return None
    begins = np.concatenate(([0], separators[:-1] + 1))
    return data, begins.reshape(-1, n), separators.reshape(-1, n)


def whole_numbers(data: Bytes, begin: Int64s, end: Int64s) -> Int64s | None:
    """Parse words as whole numbers of at most 18 digits; return None if any word is something else.

    >>> whole_numbers(np.frombuffer(b"12 345", np.uint8), np.array([0, 3]), np.array([2, 6])).tolist()
    [12, 345]
    """
    lengths = end - begin
    longest = int(lengths.max())
    if longest > 18:
        return None
    values, power = np.zeros(len(begin), np.int64), 1
    for k in range(1, longest + 1):
        digits = data[np.maximum(end - k, 0)].astype(np.int64) - _ZERO
        digits[lengths < k] = 0
        if bool(((digits < 0) | (digits > 9)).any()):
            return None
        values += digits * power
        power *= 10
    return values


def numbers(data: Bytes, begin: Int64s, end: Int64s, text: str) -> Floats:
    """Parse words as doubles, bit for bit as `float` does; raise ValueError if a word is not a number.

    A decimal fraction of at most 15 digits is the quotient of two whole numbers that are exact as doubles.

    >>> numbers(np.frombuffer(b"0.35 -1e3", np.uint8), np.array([0, 5]), np.array([4, 9]), "0.35 -1e3").tolist()
    [0.35, -1000.0]
    """
    lengths = end - begin
    mantissa, places = np.zeros(len(begin), np.int64), np.zeros(len(begin), np.int64)
    points, odd = np.zeros(len(begin), np.int64), lengths > 16
    power = np.ones(len(begin), np.int64)
    for k in range(1, min(int(lengths.max()), 16) + 1):
        there = lengths >= k
        digits = data[np.maximum(end - k, 0)].astype(np.int64) - _ZERO
        point, digit = there & (digits == _POINT), there & (digits >= 0) & (digits <= 9)
        odd |= there & ~(point | digit)
        places[point] = k - 1
        points += point
        mantissa += np.where(digit, digits * power, 0)
        power = np.where(digit, power * 10, power)
    odd |= (points > 1) | (lengths - points > 15) | (lengths == points)
    values: Floats = mantissa / _POWERS[places]
    for row in np.flatnonzero(odd).tolist():
        values[row] = float(text[begin[row] : end[row]])
    return values


def _strings(text: str, begin: Int64s, end: Int64s) -> list[str]:
    return [text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]


def _changes(data: Bytes, begin: Int64s, end: Int64s) -> list[int]:
    """Return the rows whose word differs from the row before; the first row is always included."""
    lengths = end - begin
    changed = lengths[1:] != lengths[:-1]
    for k in range(1, int(lengths.max()) + 1):
        letters = np.where(lengths >= k, data[np.maximum(end - k, 0)], 0)
        changed |= letters[1:] != letters[:-1]
    return [0, *(np.flatnonzero(changed) + 1).tolist()]


def _add(builder: RunBuilder, block: tuple[Bytes, Int64s, Int64s], line: int, passage_end: bool) -> bool:
    """Add the rows of a block; return False or raise ValueError if the block needs the line reader."""
    data, begin, end = block
    n, text = begin.shape[1], data.tobytes().decode("ascii")

    ranks, scores = whole_numbers(data, begin[:, 3], end[:, 3]), numbers(data, begin[:, 4], end[:, 4], text)
    if ranks is None or bool(np.isnan(scores).any()):
        return False
    docs, paths, starts, ends = _strings(text, begin[:, 2], end[:, 2]), None, None, None
    if n == 6:
        if bool((data[end[:, 2] - 1] == _BRACKET).any()):
            pairs = [split_unit(doc) for doc in docs]
            docs, paths = [doc for doc, _ in pairs], [intern(path) for _, path in pairs]
    elif data[begin[0, 6]] == _SLASH:
        if n == 8 or bool((data[begin[:, 6]] != _SLASH).any()) or "text()" in text:
            return False
        paths = [intern(normal_path(path)) for path in _strings(text, begin[:, 6], end[:, 6])]
    else:
        starts = whole_numbers(data, begin[:, 6], end[:, 6])
        ends = starts if n == 7 else whole_numbers(data, begin[:, 7], end[:, 7])
        if starts is None or ends is None:
            return False
        if n == 8 and not passage_end:
            ends = starts + ends
        if bool((ends < starts).any()):
            return False
    builder.name = builder.name or text[begin[0, 5] : end[0, 5]]
    edges = [*_changes(data, begin[:, 0], end[:, 0]), len(begin)]
    for a, b in pairwise(edges):
        part = Ranking(
            docs[a:b],
            paths[a:b] if paths is not None and any(paths[a:b]) else None,
            None if starts is None else starts[a:b],
            None if ends is None else ends[a:b],
            scores[a:b],
            ranks[a:b],
            np.arange(line + a, line + b),
        )
        builder.extend(text[begin[a, 0] : end[a, 0]], part)
    return True
