"""The errors of Trix, and the suggestion of the known name that a mistyped one is most like.

::

    TrixError                    a user's mistake or a damaged file; one line, exit code 2
      x UsageError               an option or an argument is wrong; knows which
          x ProfileError         a profile is wrong
          x NoDocumentError      an index has no such document; a KeyError, too
      x QueryError               a query does not parse; knows the column
      x FormatError              a topic, run or assessment file is wrong; knows file and line
      x SourceError              an XML source cannot be read
      x IndexError_              an index is missing, damaged or in the way
          x OtherFormatError     an index is of another format
      x TooLongError             an answer took longer than it may
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import Any


class ExitCode(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    CHECK_FAILED = 1
    USAGE = 2
    SKIPPED = 3
    INTERRUPTED = 130


class TrixError(Exception):
    """Base of all expected errors: one line with the fault, its place, and the remedy."""

    exit_code = ExitCode.USAGE

    def __str__(self) -> str:
        """Return the message as one line, whatever a library, a file or a name put into it.

        >>> str(TrixError("Char 0x0 out of allowed range\\n, line 1"))
        'Char 0x0 out of allowed range , line 1'
        """
        return " ".join(Exception.__str__(self).splitlines())  # that of KeyError quotes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by state: an error crosses from a worker process whole."""
        return _rebuild, (type(self), self.args, self.__dict__)


def _rebuild(kind: type[TrixError], args: tuple[Any, ...], state: dict[str, Any]) -> TrixError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class UsageError(TrixError):
    """An option or an argument is wrong.

    Parameters
    ----------
    reason
        The fault and what was expected. Another argument is named between backticks, by its Python name: the command
        line turns it into a flag.
    field
        The argument's Python name; empty if the error is about something else.
    got
        Its value, as text or any object; None if it is missing or empty.

    Examples
    --------
    >>> error = UsageError("expected a whole number of 1 or more", field="top", got=0)
    >>> print(error)
    top: expected a whole number of 1 or more; got 0
    >>> error.about("--top")
    '--top 0: expected a whole number of 1 or more'
    """

    def __init__(self, reason: str, *, field: str = "", got: Any = None) -> None:
        self.reason, self.field, self.got = reason, field, None if got is None else str(got)
        if not field:
            message = reason
        elif got is not None and reason.startswith("expected"):
            message = f"{field}: {reason}; got {got}"
        else:
            message = self.about(field)
        super().__init__(message)

    def about(self, name: str) -> str:
        """Return the message with `name` in place of the argument's own."""
        return f"{name}: {self.reason}" if self.got is None else f"{name} {self.got}: {self.reason}"


class QueryError(TrixError):
    """A query or a filter does not parse.

    Parameters
    ----------
    reason
        The fault and what was expected.
    query
        The whole query.
    column
        1-based column of the faulty character.
    hint
        A correction.
    what
        ``query`` or ``where``.
    example
        A query that works, if the caller knows a better one than the parser.

    Examples
    --------
    >>> error = QueryError("the quote is never closed", 'xml "tree', 5)
    >>> print(error)
    query, column 5: the quote is never closed: xml "tree
    >>> print(error.caret())
    xml "tree
        ^
    """

    def __init__(
        self, reason: str, query: str, column: int, hint: str = "", what: str = "query", example: str = ""
    ) -> None:
        self.reason, self.query, self.column, self.hint = reason, query, column, hint
        self.what, self.example = what, example
        shown = " ".join(query.split())
        if len(shown) > 120:
            shown = shown[:117] + "..."
        super().__init__(f"{what}, column {column}: {reason}: {shown}" + (f" ({hint})" if hint else ""))

    def caret(self) -> str:
        """Return the query with a caret under the column, on two lines."""
        line = "".join(" " if c.isspace() else c for c in self.query)
        return f"{line}\n{' ' * (self.column - 1)}^"


class ProfileError(UsageError):
    """A profile is wrong."""


class NoDocumentError(UsageError, KeyError):
    """An index has no document with an id."""


class FormatError(TrixError):
    """A file that a user names is wrong: topics, a run, assessments, settings.

    >>> print(FormatError("the score is not a number: 'x'", "runs/a.txt", 12))
    runs/a.txt, line 12: the score is not a number: 'x'
    """

    def __init__(self, reason: str, path: str | Path, line: int | None = None) -> None:
        self.reason, self.path, self.line = reason, str(path), line
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}")


class SourceError(TrixError):
    """An XML source cannot be read.

    >>> print(SourceError("mismatched tag", "a/b.xml", 3))
    a/b.xml, line 3: mismatched tag
    """

    def __init__(self, reason: str, path: str | Path, line: int | None = None) -> None:
        self.reason, self.path, self.line = reason, str(path), line
        super().__init__(f"{path}, line {line}: {reason}" if line else f"{path}: {reason}")


class IndexError_(TrixError):
    """An index is missing, damaged, of another format, or in the way."""


class OtherFormatError(IndexError_):
    """An index is of another format than the one that this Trix reads; the message says how to build it anew."""


class TooLongError(TrixError):
    """An answer took longer than it may, see `trix.support.deadline`."""


def did_you_mean(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return `` (did you mean X?)`` for the most similar known name, empty if none is similar.

    It can follow the word as well as the list of expected names.

    >>> did_you_mean("trix205", ["trix2004", "trix2005", "bm25"])
    ' (did you mean trix2005?)'
    >>> did_you_mean("x", ["bm25"])
    ''
    """
    return offer(next(iter(nearest(word, known, likeness)), ""))


def offer(name: str) -> str:
    """Return the words that offer a name; nothing for an empty one.

    >>> offer("old.index"), offer("")
    (' (did you mean old.index?)', '')
    """
    return f" (did you mean {name}?)" if name else ""


def nearest(word: str, known: Iterable[str], likeness: float = 0.6, most: int = 1) -> list[str]:
    """Return similar known names, most similar first, ignoring case.

    Parameters
    ----------
    word
        The word as typed.
    known
        The known names.
    likeness
        Threshold from 0 (anything) to 1 (the same letters).
    most
        Largest number of names.

    Examples
    --------
    >>> nearest("ndgc", ["nDCG", "MAP"]), nearest("sections", ["section", "sec", "p"], most=2)
    (['nDCG'], ['section'])
    """
    from difflib import get_close_matches  # only a mistake needs it

    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    return [folded[near] for near in get_close_matches(word.casefold(), folded, most, likeness)]
