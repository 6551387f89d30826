"""Messages on stderr: notices and errors."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence

from trix.errors import QueryError, UsageError

ARGUMENTS = (
    "a", "allow_empty", "B", "b", "cas", "characters", "context", "debug", "elements", "format", "fractions", "glob",
    "ignore_missing", "index", "jobs", "k1", "lambda_", "level", "max_bytes", "max_elements", "measures", "model",
    "norm", "offsets", "operators", "overwrite", "passage_end", "paths", "per_document", "phrases", "positions",
    "preset", "quiet_parts", "recover", "repair", "replace", "scale", "sort", "stop", "store", "strategy", "text",
    "ties", "to", "trec_ties", "update", "url", "v", "wait",
)  # fmt: skip
"""Arguments in messages of the library that are flags on the command line."""

_ARGUMENT = re.compile(f"`({'|'.join(ARGUMENTS)})`")


def flag(argument: str) -> str:
    """Return the flag of an argument of the library.

    >>> flag("lambda_"), flag("open_phrases")
    ('--lambda', '--open-phrases')
    """
    return f"--{argument.strip('_').replace('_', '-')}"


def error_line(error: Exception) -> str:
    """Format an error of the library in one line, with flags for its arguments.

    A query or filter that does not parse is followed by a similar one that does.

    >>> error_line(UsageError("expected a whole number of 1 or more", field="top", got=0))
    '--top 0: expected a whole number of 1 or more'
    >>> error_line(QueryError("the quote is never closed", 'xml "tree', 5))
    'query, column 5: the quote is never closed: xml "tree; this works: xml "tree"'
    """
    text = error.about(flag(error.field)) if isinstance(error, UsageError) and error.field else str(error)
    if isinstance(error, QueryError):
        from trix.api.mended import working

        text += f"; this works: {example}" if (example := working(error)) else ""
    return _with_flags(one_line(text))


def _with_flags(text: str) -> str:
    return _ARGUMENT.sub(lambda found: flag(found[1]), text)


def say(text: str) -> None:
    """Print one line on stderr with our prefix; arguments in backticks become flags."""
    if sys.stderr is not None:  # closed by the shell
        print(f"trix: {_with_flags(text)}", file=sys.stderr, flush=True)


def say_notices(notices: Iterable[str]) -> None:
    """Print notices, a line each."""
    for notice in notices:
        say(one_line(notice))


def one_line(text: str) -> str:
    """Replace all white space, including line ends, by single blanks.

    >>> one_line("a\\n  b")
    'a b'
    """
    return " ".join(text.split())


def shortened(lines: Sequence[str], limit: int, rest: str) -> list[str]:
    """Return the first lines, and one with the number of those left out.

    >>> shortened(["a", "b", "c", "d"], 2, "see the log")
    ['a', 'b', '... and 2 more: see the log']
    """
    more = len(lines) - limit
    return list(lines) if more <= 0 else [*lines[:limit], f"... and {more:,} more: {rest}"]
