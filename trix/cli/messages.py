"""What is said on stderr: notices, errors, and lists of either."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Sequence


def say(text: str) -> None:
    """Print one line on stderr, marked as ours."""
    if sys.stderr is not None:  # closed by the shell
        print(f"trix: {text}", file=sys.stderr, flush=True)


def say_notices(notices: Iterable[str]) -> None:
    """Print notices, a line each."""
    for notice in notices:
        say(one_line(notice))


def one_line(text: str) -> str:
    """Return the text with all white space, line ends above all, made single blanks.

    >>> one_line("a\\n  b")
    'a b'
    """
    return " ".join(text.split())


def shortened(lines: Sequence[str], limit: int, rest: str) -> list[str]:
    """Return the first lines, and one for how many more there are.

    >>> shortened(["a", "b", "c", "d"], 2, "see the log")
    ['a', 'b', '... and 2 more: see the log']
    """
    more = len(lines) - limit
    return list(lines) if more <= 0 else [*lines[:limit], f"... and {more:,} more: {rest}"]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean ...?"`` for the names like the given one, nothing where there is none.

    >>> did_you_mean("trix205", ["trix2004", "trix2005", "bm25"])
    '; did you mean trix2005?'
    >>> did_you_mean("x", ["bm25"])
    ''
    """
    by_folded = {candidate.casefold(): candidate for candidate in known}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1)
    return f"; did you mean {by_folded[close[0]]}?" if close else ""
