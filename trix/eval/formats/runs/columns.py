"""Reader of runs in columns: TREC (6), and INEX 2009/10 with elements, ranges, passages or entry points (7 or 8).

::

    TOPIC Q0 DOCID      RANK SCORE RUNID                    a document
    TOPIC Q0 DOCID/PATH RANK SCORE RUNID                    an element
    TOPIC Q0 DOCID      RANK SCORE RUNID PATH               an element
    TOPIC Q0 DOCID      RANK SCORE RUNID PATH PATH          a range of elements
    TOPIC Q0 DOCID      RANK SCORE RUNID OFFSET LENGTH      a passage, in characters
    TOPIC Q0 DOCID      RANK SCORE RUNID OFFSET             an entry point
    TOPIC Q0 DOCID      RANK SCORE RUNID X|-1 ...           a passage without offsets [INEX 5.8, 4]

The columns of a line determine the form of its result.
"""

from __future__ import annotations

from pathlib import Path

from trix.eval.data.runs import UNKNOWN, Rankings
from trix.eval.formats.reading.lines import Faults, lines
from trix.eval.formats.runs.builder import RunBuilder
from trix.eval.formats.runs.uniform import read_uniform_rows
from trix.support.element_path import normal_path, split_unit


def read_rows(path: str | Path, *, lenient: bool = False, passage_end: bool = False) -> Rankings:
    """Read a run in columns; the columns of each line determine the type of its result.

    Parameters
    ----------
    path
        The file; it may be compressed (gzip, bzip2, xz, zstd).
    lenient
        Drop and count bad lines.
    passage_end
        Column 8 holds the end of the passage, not its length.

    Raises
    ------
    FormatError
        A line is wrong (with its number), or the file has no results.
    """
    faults = Faults(str(path), lenient)
    simple = read_uniform_rows(path, faults, passage_end=passage_end)
    if simple is not None:
        return simple
    builder = RunBuilder(faults)
    add = builder.add
    for number, line in lines(path, "a run was"):
        columns = line.split()
        n = len(columns)
        if not 6 <= n <= 8:
            faults(f"6, 7 or 8 columns expected (TOPIC Q0 DOCID RANK SCORE RUNID ...), found {n}", number)
            continue
        try:
            rank = int(columns[3])
        except ValueError:
            faults(f"the rank is not a whole number: {columns[3]!r}", number)
            continue
        try:
            score = float(columns[4])
        except ValueError:
            score = float("nan")
        if score != score:
            faults(f"the score is not a number: {columns[4]!r}", number)
            continue
        builder.name = builder.name or columns[5]
        topic, doc = columns[0], columns[2]
        if n == 6:
            element = ""
            if doc.endswith("]"):
                doc, element = split_unit(doc)
            add(topic, doc, path=element, score=score, rank=rank, line=number)
            continue
        seventh, eighth = columns[6], columns[7] if n == 8 else ""
        if seventh[0] == "/":
            try:
                first, last = pointer(seventh), pointer(eighth) if eighth else ""
            except ValueError as error:
                faults(f"not an element path: {error}", number)
                continue
            add(topic, doc, path=first, last=last if last != first else "", score=score, rank=rank, line=number)
            continue
        if seventh in ("X", "-1"):
            add(topic, doc, start=UNKNOWN, end=UNKNOWN, score=score, rank=rank, line=number)
            continue
        try:
            start, size = int(seventh), int(eighth or 0)
        except ValueError:
            found = " ".join(columns[6:])
            faults(f"a path, or an offset and a length in characters, expected, found {found!r}", number)
            continue
        if passage_end and eighth:
            size -= start
        if start < 0 or size < 0:
            what = "offset" if start < 0 else "length"
            faults(f"the {what} of the passage is negative: {start if start < 0 else size}", number)
            continue
        add(topic, doc, start=start, end=start + size, score=score, rank=rank, line=number)
    return builder.finish()


def pointer(text: str) -> str:
    """Return the normal form of an element path; XPointers into text (``PATH/text()[i].K``) are not changed.

    >>> pointer("/article/bdy[1]"), pointer("/article[1]/p[1]/text()[1].30")
    ('/article[1]/bdy[1]', '/article[1]/p[1]/text()[1].30')
    """
    return text if "text()" in text else normal_path(text)


def first_line_has(start: bytes, fewest: int, most: int | None = None) -> bool:
    """Return whether the first line has a number of columns in the given range, and the text is neither XML nor JSON.

    >>> first_line_has(b"1 Q0 d 1 0.5 run", 1, 6), first_line_has(b"{", 1)
    (True, False)
    """
    if start[:1] in (b"<", b"{"):
        return False
    columns = len(start.splitlines()[0].split())
    return fewest <= columns and (most is None or columns <= most)
