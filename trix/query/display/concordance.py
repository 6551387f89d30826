"""Concordance (KWIC): every occurrence of the query's words in matching elements, one line each, in context.

An occurrence lies in one content element, so nested results do not repeat it. Documents are opened one by one while
lines are taken.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

from trix.errors import SourceError
from trix.indexer.words.analyzer import split_words
from trix.query.candidate_scores import CandidateScores
from trix.query.display.highlight import Highlighter, Hit
from trix.query.display.viewer import Viewer
from trix.query.naming.names import Namer
from trix.support.output import json_line

SORTS = ("document", "left", "right")
"""Sort orders of a concordance: by document, or by the words before or after the occurrence."""

AROUND = 100
"""Number of characters shown before and after an occurrence."""


class ConcordanceLine(NamedTuple):
    """An occurrence in context.

    Attributes
    ----------
    doc, title
        Id and title of the document.
    path
        The content element.
    offset, length
        Characters in the document's text.
    left, hit, right
        The text before, the word or phrase, and the text after, each on one line.
    """

    doc: str
    title: str
    path: str
    offset: int
    length: int
    left: str
    hit: str
    right: str


class Lines(Iterator[ConcordanceLine]):
    """Iterator over the lines of a concordance.

    Parameters
    ----------
    lines
        The lines.
    notices
        Notices on the query, one line each.
    corrected
        The query with corrected words; empty if none was replaced.
    """

    def __init__(self, lines: Iterable[ConcordanceLine], notices: Sequence[str] = (), corrected: str = "") -> None:
        self._lines, self.notices, self.corrected = iter(lines), tuple(notices), corrected

    def __next__(self) -> ConcordanceLine:
        return next(self._lines)


class Concordance:
    """Concordance of one query.

    Parameters
    ----------
    viewer, namer
        Of the index.
    highlighter
        Finds the words.
    notices
        Receives notices on unreadable documents.
    """

    def __init__(self, viewer: Viewer, namer: Namer, highlighter: Highlighter, notices: list[str]) -> None:
        self._viewer, self._namer, self._highlighter, self._notices = viewer, namer, highlighter, notices

    def lines(self, scored: CandidateScores) -> Iterator[ConcordanceLine]:
        """Yield the occurrences in the elements that may be returned, in document order."""
        files, candidates = self._viewer.files, scored.candidates
        own = np.flatnonzero(candidates.content)
        matching = np.intersect1d(self._highlighter.contents, candidates.begin[own], assume_unique=True)
        contents = covered(matching, *_ranges(scored))
        elements = candidates.element[own[np.searchsorted(candidates.begin[own], contents)]]
        documents = files.documents_of(elements).tolist()
        for document, some in groupby(zip(documents, contents.tolist(), elements.tolist(), strict=True), _first):
            together = list(some)
            try:
                yield from self._of_document(document, [each[1] for each in together], [each[2] for each in together])
            except SourceError as error:
                self._viewer.missing.add(files.ids[document], error, self._notices)

    def _of_document(
        self, document: int, contents: Sequence[int], elements: Sequence[int]
    ) -> Iterator[ConcordanceLine]:
        files, read = self._viewer.files, self._viewer.texts.document(document)
        first = int(files.first_contents[document])
        title = " ".join(files.titles[document].split())
        paths = self._namer.names(np.array(elements, np.int32), np.full(len(elements), document))[1]
        for content, path in zip(contents, paths, strict=True):
            hits = self._highlighter.hits(read, first, content, content + 1)
            for begin, end in joined([hit for hit in hits if not hit.in_attribute], self._highlighter.phrases):
                low = max(0, begin - AROUND)
                shown = read.shown(low, min(len(read.text), end + AROUND))
                at, to = shown.place(begin - low, end - low)
                left, hit, right = (
                    " ".join(part.split()) for part in (shown.text[:at], shown.text[at:to], shown.text[to:])
                )
                left = left.partition(" ")[2] if low else left
                right = right.rpartition(" ")[0] if end + AROUND < len(read.text) else right
                left += " " * shown.text[:at][-1:].isspace()
                right = " " * shown.text[to : to + 1].isspace() + right
                yield ConcordanceLine(files.ids[document], title, path, begin, end - begin, left, hit, right)


def _first(row: tuple[int, int, int]) -> int:
    return row[0]


def _ranges(scored: CandidateScores) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the range of content elements of each returnable element."""
    candidates, wanted = scored.candidates, slice(None) if scored.returned is None else scored.returned
    return candidates.begin[wanted], candidates.end[wanted]


def covered(numbers: NDArray[Any], begins: NDArray[Any], ends: NDArray[Any]) -> NDArray[Any]:
    """Return the ascending numbers that lie in a range ``[begin, end)``; the begins ascend.

    >>> covered(np.array([0, 2, 3, 5, 9]), np.array([1, 2, 9]), np.array([6, 3, 10])).tolist()
    [2, 3, 5, 9]
    """
    if not begins.size:
        return numbers[:0]
    last = np.searchsorted(begins, numbers, side="right") - 1
    reach = np.maximum.accumulate(ends)
    return numbers[(last >= 0) & (reach[np.maximum(last, 0)] > numbers)]


def joined(hits: Sequence[Hit], phrases: Iterable[Sequence[str]]) -> list[tuple[int, int]]:
    """Return the ranges of hits; the adjacent words of a phrase become one range.

    >>> hits = [Hit(0, 4, "tree", False), Hit(5, 9, "edit", False), Hit(30, 34, "tree", False)]
    >>> joined(hits, [("tree", "edit")])
    [(0, 9), (30, 34)]
    """
    found: list[tuple[int, int]] = []
    at = 0
    ordered = sorted(phrases, key=len, reverse=True)
    while at < len(hits):
        size = 1
        for phrase in ordered:
            run = hits[at : at + len(phrase)]
            near = all(later.begin - one.end <= 2 for one, later in pairwise(run))
            if near and tuple(hit.key for hit in run) == tuple(phrase):
                size = len(phrase)
                break
        if not found or hits[at].begin >= found[-1][1]:
            found.append((hits[at].begin, hits[at + size - 1].end))
        at += size
    return found


def in_order(lines: Iterable[ConcordanceLine], sort: str) -> Iterable[ConcordanceLine]:
    """Sort lines by one of `SORTS`; they are in document order already."""
    if sort == "left":
        return sorted(lines, key=lambda line: split_words(line.left)[::-1])
    if sort == "right":
        return sorted(lines, key=lambda line: split_words(line.right))
    return lines


WIDTH = 120
"""Width of a line without a terminal."""

_NARROW = 76
"""Smallest width at which lines name their documents; below it, all room is for the words."""


def aligned(line: Any, width: int, marks: tuple[str, str] = ("", "")) -> str:
    """Format a line with the occurrence centred, and the document at the end if it fits.

    >>> print(aligned(ConcordanceLine("d7", "", "/a[1]", 9, 4, "under the old ", "tree", " they slept, and woke"), 40))
     under the old tree they slept, and woke
    """
    name = ""
    if width >= _NARROW:
        room = min(28, width // 5)
        name = "  " + (line.doc if len(line.doc) <= room else f"…{line.doc[1 - room :]}").ljust(room)
        width -= len(name)
    half = width // 2 - 5  # of a word that is not long the middle is in the middle
    left = line.left if len(line.left) <= half else line.left[-half:].partition(" ")[2]
    right = line.right[: max(0, width - half - len(line.hit))]
    if len(right) < len(line.right) and " " in right[1:]:
        right = right[: right.rindex(" ")]
    before, after = marks
    text = f"{left:>{half}}{before}{line.hit}{after}{right}"
    blank = width - half - len(line.hit) - len(right)
    return (text + " " * max(0, blank) + name).rstrip() if name else text


def write(lines: Iterable[Any], form: str, out: TextIO, marks: tuple[str, str] = ("", "")) -> int:
    """Write lines as a table, JSON lines or CSV; return their number."""
    count = 0
    width = shutil.get_terminal_size((WIDTH, 24)).columns
    table = csv.writer(out, lineterminator="\n")
    if form == "csv":
        table.writerow(ConcordanceLine._fields)
    for line in lines:
        count += 1
        if form == "csv":
            table.writerow(line)
        else:
            out.write(json_line(line._asdict()) if form == "jsonl" else aligned(line, width, marks) + "\n")
    return count
