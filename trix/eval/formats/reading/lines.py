"""Numbered lines of files that may be compressed, and errors about bad lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from trix.errors import FormatError
from trix.support.input_files import open_input


@dataclass(slots=True)
class Faults:
    """Handler of bad lines and results: raises an error, or counts them in lenient mode.

    >>> faults = Faults("run.txt", lenient=True)
    >>> faults("the score is not a number: 'x'", 3)
    >>> faults.notices()
    ["run.txt: 1 result dropped, the first at line 3: the score is not a number: 'x'"]
    """

    source: str
    lenient: bool = False
    what: str = "result"
    dropped: int = 0
    first: tuple[str, int | None] | None = None
    seen: set[tuple[str, int | None]] = field(default_factory=set)

    def __call__(self, reason: str, line: int | None = None) -> None:
        reason = " ".join(reason.splitlines())
        if not self.lenient:
            raise FormatError(reason, self.source, line)
        if (reason, line) in self.seen:
            return
        self.seen.add((reason, line))
        self.dropped += 1
        if self.first is None:
            self.first = (reason, line)

    def notices(self) -> list[str]:
        """Return a notice about the dropped results; an empty list if there are none."""
        if self.first is None:
            return []
        reason, line = self.first
        where = f" at line {line}" if line else ""
        plural = "" if self.dropped == 1 else "s"
        return [f"{self.source}: {self.dropped} {self.what}{plural} dropped, the first{where}: {reason}"]


@dataclass(slots=True)
class Notices:
    """Counter of repairs, reported once for each kind.

    >>> notices = Notices("qrels")
    >>> notices.add("relevant characters above the length, clamped", 7)
    >>> notices.lines()
    ['qrels: relevant characters above the length, clamped (line 7)']
    """

    source: str
    seen: dict[str, tuple[int, int | None]] = field(default_factory=dict)

    def add(self, what: str, line: int | None = None) -> None:
        count, first = self.seen.get(what, (0, line))
        self.seen[what] = (count + 1, first)

    def lines(self) -> list[str]:
        """Return one line per kind of repair, with its count and first line."""
        return [f"{self.source}: {what} ({_where(*at)})" for what, at in self.seen.items()]


def _where(count: int, first: int | None) -> str:
    if first is None:
        return f"{count} times" if count > 1 else "once"
    return f"line {first}" if count == 1 else f"{count} times, first at line {first}"


LARGEST = 10**12
"""Largest rank, offset or size that readers accept, so that sums stay within int64."""


def in_range(*numbers: float) -> bool:
    """Return whether whole numbers are small enough to be summed in int64.

    >>> in_range(0, 10**12), in_range(3, -(10**13))
    (True, False)
    """
    return min(numbers) >= -LARGEST and max(numbers) <= LARGEST


def head(path: str | Path, size: int = 1 << 16) -> bytes:
    """Return the first bytes of the decompressed file."""
    with open_input(path) as file:
        return file.read(size)


def lines(path: str | Path, expected: str = "") -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers from 1.

    `expected` names the content for the error about a file without any. Text is UTF-8; a byte order mark is skipped. A
    line that is not UTF-8 is read as ISO-8859-1, as the ids of the older campaigns were.
    """
    with open_input(path) as file:
        number, empty = 0, True
        try:
            for raw in file:
                number += 1
                try:
                    text = raw.decode("utf-8")
                except UnicodeDecodeError:
                    text = raw.decode("iso-8859-1")
                if number == 1:
                    text = text.removeprefix("\ufeff")
                if text and not text.isspace():
                    empty = False
                    yield number, text
        except FormatError as error:
            raise FormatError(error.reason, error.path, number + 1) from None
    if empty and expected:
        raise FormatError(f"the file is empty; {expected} expected", path)
