"""Rows of a run for all writers, and the formatting of their fields as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any, NamedTuple, TextIO

from trix.errors import UsageError


class RunRow(NamedTuple):
    """One result of one topic."""

    topic: str
    doc: str
    """Document id."""
    path: str | None
    """Element with every position, ``/article[1]/bdy[1]``; None for the whole document."""
    rank: int
    """From 1."""
    score: float
    run_id: str = ""
    offset: int | None = None
    """First character in the document's text, from 0."""
    length: int | None = None
    """Characters."""
    label: str | None = None
    """Dewey label."""
    tag: str | None = None
    snippet: str | None = None
    last: str = ""
    """Last element of a range of elements, or the end of a passage as an XPointer; `path` is then its beginning."""
    more: dict[str, Any] | None = None
    """Further fields of JSON lines: matches, an explanation."""
    title: str | None = None
    """Of the document."""


def column(text: str) -> str:
    """Escape an id as one column: white space, control characters and bytes that are not UTF-8 become ``%XX``.

    Columns are separated by white space, so a blank in a file name would shift the columns after it.

    >>> column("co/2001/r7022"), column("Moby Dick/ch 1"), column("caf\\udce9")
    ('co/2001/r7022', 'Moby%20Dick/ch%201', 'caf%E9')
    """
    return text if text.isprintable() and " " not in text else printable(text.replace(" ", "%20"), spaces=True)


def printable(text: str, spaces: bool = False) -> str:
    """Escape control characters and stray bytes of an id as ``%XX``; with `spaces`, also white space.

    >>> printable("a b\\x01")
    'a b%01'
    """
    if text.isprintable():
        return text
    return "".join(_escape(c) if _unfit(c) or (spaces and c.isspace()) else c for c in text)


def _unfit(character: str) -> bool:
    """Return whether a character is a control, a stray byte, or not allowed in XML."""
    return (
        character < " "
        or "\x7f" <= character < "\xa0"
        or "\ud800" <= character < "\ue000"
        or (character in "\ufffe\uffff")
    )


def _escape(character: str) -> str:
    stray = "\udc80" <= character <= "\udcff"
    data = character.encode("utf-8", "surrogateescape" if stray else "surrogatepass")
    return "".join(f"%{byte:02X}" for byte in data)


def double(row: RunRow) -> str:
    """Return the score as the shortest text that reads back as the same double.

    Raises
    ------
    UsageError
        The score is not finite; no reader would accept it.

    Examples
    --------
    >>> double(RunRow("1", "d", None, 1, 0.1 + 0.2))
    '0.30000000000000004'
    """
    score = float(row.score)
    if score - score != 0:  # not finite
        raise UsageError(f"topic {row.topic}, rank {row.rank}, {row.doc}{row.path or ''}: the score is {score}")
    return repr(score)


def write_lines(stream: TextIO, lines: Iterable[str]) -> None:
    """Write lines in chunks: a topic can have millions."""
    waiting = iter(lines)
    while some := "".join(islice(waiting, _LINES)):
        stream.write(some)


_LINES = 512
"""Number of lines in a chunk of output."""


def by_topic(rows: Iterable[RunRow]) -> Iterator[tuple[str, Iterator[RunRow]]]:
    """Group adjacent rows by topic."""
    return groupby(rows, key=lambda row: row.topic)
