"""A row of a run, as all writers take it, and how its fields become columns; the rows of a `Rankings`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from typing import Any, NamedTuple, TextIO

from trix.errors import UsageError
from trix.eval.data.runs import Ranking, Rankings


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


def rows_of(run: Rankings, format: str) -> Iterator[RunRow]:
    """Yield the rows of a run that was read or made, to be written in a format.

    Where it has no ranks they are counted from 1, where it has no scores they fall with the rank.

    Raises
    ------
    UsageError
        A row is a passage, or a range of elements, that the format cannot hold.
    """
    for topic, ranking in run.rankings.items():
        n = len(ranking)
        spans = _spans(ranking)
        for i, doc in enumerate(ranking.docs):
            path = ranking.paths[i] if ranking.paths is not None else ""
            last = ranking.lasts[i] if ranking.lasts is not None else ""
            start, end = spans[i] if spans else (None, None)
            pathless = start is not None and not path
            if (format == "trec" and (last or pathless)) or (format == "inex" and pathless):
                raise UsageError(
                    f"topic {topic}: the {format} format holds no passages; use inex2009 or jsonl, "
                    "or turn them into elements: `offsets` `paths` `index` INDEX"
                )
            yield RunRow(
                topic, doc, path or None,
                i + 1 if ranking.ranks is None else int(ranking.ranks[i]),
                float(n - i) if ranking.scores is None else float(ranking.scores[i]),
                run.name, start, None if start is None or end is None else end - start,
                last=last,
            )  # fmt: skip


def _spans(ranking: Ranking) -> list[tuple[int | None, int | None]]:
    """Return begin and end of each row, both None where it has no place; empty where no row can have one."""
    if ranking.starts is None or ranking.ends is None:
        return []
    both = zip(ranking.starts.tolist(), ranking.ends.tolist(), strict=True)
    return [(start, end) if start >= 0 else (None, None) for start, end in both]


def column(text: str) -> str:
    """Return an id as one column: white space, control characters and bytes that are not UTF-8 as ``%XX``.

    Columns are separated by white space, so a blank in a file name would shift all that follow.

    >>> column("co/2001/r7022"), column("Moby Dick/ch 1"), column("caf\\udce9")
    ('co/2001/r7022', 'Moby%20Dick/ch%201', 'caf%E9')
    """
    return text if text.isprintable() and " " not in text else printable(text.replace(" ", "%20"), spaces=True)


def printable(text: str, spaces: bool = False) -> str:
    """Return an id with control characters and stray bytes as ``%XX``; with `spaces`, white space too.

    >>> printable("a b\\x01")
    'a b%01'
    """
    if text.isprintable():
        return text
    return "".join(_escape(c) if _unfit(c) or (spaces and c.isspace()) else c for c in text)


def _unfit(character: str) -> bool:
    """Tell whether a character is a control, a stray byte, or none of XML's."""
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
        When the score is no finite number: no reader would take it.

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
    """Write lines, some at a time: a topic can have millions."""
    waiting = iter(lines)
    while some := "".join(islice(waiting, _LINES)):
        stream.write(some)


_LINES = 512
"""Lines that are written at a time."""


def by_topic(rows: Iterable[RunRow]) -> Iterator[tuple[str, Iterator[RunRow]]]:
    """Group rows as they come."""
    return groupby(rows, key=lambda row: row.topic)
