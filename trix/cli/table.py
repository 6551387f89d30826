"""Results as a table for people, on terminals of any width and in files."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice, repeat
from typing import Any

from trix.api.records import Explanations
from trix.cli.paging import broken, hanging
from trix.query.display.breadcrumb import located, on_one_line
from trix.query.display.highlight import mark

WIDEST = 110
"""Longest line of text in characters, for easy reading; paths may be longer."""

NARROW = 100
"""Width of a terminal below which only the first line of a result is indented past rank and score."""

PLAIN_MARKS = ("[", "]")
"""Marks around matching words where colours cannot be used."""


def terminal_marks() -> tuple[str, str] | None:
    """Return the escape codes around a matching word; None unless standard output is a capable terminal."""
    plain = os.environ.get("TERM", "dumb") == "dumb" or os.environ.get("NO_COLOR")
    return None if plain or not sys.stdout.isatty() else ("\x1b[1;33m", "\x1b[0m")


def print_table(
    results: Any, explanations: Explanations = None, begin: int = 0, highlight: bool = False, grouped: bool = False
) -> None:
    """Print results for people, see `table`."""
    from rich.console import Console

    console = Console(highlight=False)
    for text in table(console, results, explanations, begin, highlight, grouped):
        console.print(text, soft_wrap=True)


def table(
    console: Any,
    results: Any,
    explanations: Explanations = None,
    begin: int = 0,
    highlight: bool = False,
    grouped: bool = False,
) -> Iterator[Any]:
    """Yield results lazily: rank, score, title, sections, snippet, path.

    Matching words are bold on a terminal, and in brackets elsewhere if `highlight` is set. Lines fit the width of a
    terminal; without one, only snippets are wrapped.

    Parameters
    ----------
    console
        A rich console.
    results, explanations
        The results, and explanations of their scores.
    begin
        Index of the first result to show, from 0.
    highlight
        Mark words without colours, too.
    grouped
        Show a heading for each document, with its elements below.
    """
    from rich.text import Text

    score_width = max(map(len, map(short_score, map(float, results.scores[begin:]))), default=0)
    rank_width = len(str(results[len(results) - 1].rank)) if len(results) else 1
    indent = "  " if grouped else ""
    width = console.width if console.is_terminal and not console.is_dumb_terminal else None
    ahead = len(indent) + rank_width + score_width + 4
    margin = " " * (ahead if width is None or width >= NARROW else len(indent) + rank_width + 2)
    room = max(20, (console.width if console.is_terminal else 120) - len(margin))
    ahead -= len(margin)
    explained = repeat(None) if explanations is None else islice(explanations, begin, None)
    before = results[begin - 1].doc if 0 < begin < len(results) else None
    rest = islice(results, begin, None)
    documents = (list(members) for _, members in groupby(rest, lambda result: result.doc)) if grouped else [rest]
    for shown in documents:
        if isinstance(shown, list):
            yield _heading(shown, width, results.next, continued=shown[0].doc == before)
        for result, explanation in zip(shown, explained, strict=False):
            once = not isinstance(shown, list) or result is shown[0]
            field_lines = _field_lines(getattr(result, "mentioned", {}) if once else {}, min(room, WIDEST))
            text = Text(f"{indent}{result.rank:>{rank_width}}  {short_score(result.score):>{score_width}}  ")
            for at, line in enumerate(_lines(result, room, ahead, highlight, grouped, width is not None, field_lines)):
                text.append(f"\n{margin}" if at or len(line) > room - ahead else "")
                text.append_text(line)
            if explanations is not None and getattr(result, "known", None):
                text.append(f"\n{margin}first by known_items: {_OF_KNOWN[result.known]}")
            if explanation is not None:
                explained_text = hanging(str(explanation), room) if width else str(explanation)
                text.append("\n" + textwrap.indent(explained_text, margin))
            yield text
    yield Text(summary(results), "dim")
    if explanations is not None and getattr(results, "plan", None) is not None:
        yield Text(f"plan: {results.plan}", "dim")
    yield from _facets(getattr(results, "facets", {}), width)


_OF_KNOWN = {
    "place": "the query is a place in it",
    "title": "the query is its title",
    "section": "the query is its title",
    "number": "the query is its number",
    "id": "the query is its id",
    "field": "the query is its value of a field",
    "words": "its title has the words of the query",
}
"""Explanation of each way in which a query can name an element."""


def _lines(
    result: Any, room: int, ahead: int, highlight: bool, grouped: bool, fitted: bool, field_lines: Iterator[str]
) -> Iterator[Any]:
    """Yield the lines of a result: title, sections, fields named by the query, snippet, place.

    The first line is `ahead` columns shorter.
    """
    from rich.text import Text

    narrow = min(room, WIDEST)
    if result.title and not grouped:
        taken = " " * ahead
        for line in textwrap.wrap(result.title, narrow, max_lines=2, placeholder=" …", initial_indent=taken):
            yield Text(line.removeprefix(taken), "bold")
            taken = ""
    above = located(result)
    if above and above[-1] == result.snippet.rstrip(" .:"):
        above = above[:-1]  # it is the heading itself
    if above:
        yield Text(on_one_line(above, narrow), "cyan")
    for line in field_lines:
        yield Text(line, "magenta")
    yield from _snippet_lines(result, narrow, highlight, bool(terminal_marks()))
    if result.copies:
        yield Text(of_copies([each.address for each in result.copies]), "dim")
    where, named = (result.path, 0) if grouped else (result.doc + result.path, len(result.doc))
    at = 0
    for line in _parts_of_place(where, named, room) if fitted else [where]:
        text = Text(style="dim")
        text.append(line[: max(named - at, 0)], "" if result.title else "bold").append(line[max(named - at, 0) :])
        yield text
        at += len(line)


def of_copies(addresses: Sequence[str]) -> str:
    """Format the line on the copies of a result.

    >>> of_copies(["b/doc[1]/p[1]"]), of_copies([f"{name}/p[1]" for name in "bcdefg"])
    ('and 1 copy: b/doc[1]/p[1]', 'and 6 copies: b/p[1], c/p[1], d/p[1], e/p[1], f/p[1], …')
    """
    more = ", …" if len(addresses) > _SHOWN_COPIES else ""
    count = "1 copy" if len(addresses) == 1 else f"{len(addresses):,} copies"
    return f"and {count}: {', '.join(addresses[:_SHOWN_COPIES])}{more}"


_SHOWN_COPIES = 5
"""Copies whose addresses are shown."""


def _parts_of_place(where: str, named: int, room: int) -> list[str]:
    """Split a document id (`named` characters) and the path after it into lines, the path on its own.

    >>> _parts_of_place("laws/2009/271/act[1]/sec[8]", 13, 20)
    ['laws/2009/271', '/act[1]/sec[8]']
    """
    doc, path = where[:named], where[named:]
    if len(where) <= room:
        return [where]
    return [line for part in (doc, path) if part for line in broken(part, room)]


def _field_lines(values: Mapping[str, Any], room: int) -> Iterator[str]:
    """Yield a line with the values of the fields that the query names."""
    line = "; ".join(
        f"{name} {', '.join(map(str, value)) if isinstance(value, list) else value}" for name, value in values.items()
    )
    if line:
        yield line if len(line) <= room else f"{line[: room - 1]}…"


FACET_VALUES = 10
"""Values of a facet that are shown."""


def _facets(facets: Mapping[str, Any], width: int | None) -> Iterator[Any]:
    """Yield a heading for each facet, and a line for each value or range, with counts of documents and elements."""
    from rich.text import Text

    for name, counts in facets.items():
        text = Text("\n").append(name, "bold").append("  documents, elements" if counts else "  no values", "dim")
        ranges = counts.ranges()
        shown = ranges or counts[:FACET_VALUES]
        columns = [[f"{number:,}" for number in numbers] for _, *numbers in shown]
        widths = [max(map(len, column)) for column in zip(*columns, strict=True)]
        for count, numbers in zip(shown, columns, strict=True):
            left = "  ".join(f"{number:>{size}}" for number, size in zip(numbers, widths, strict=True))
            value = str(count.value)
            room = max(20, (width or 120) - len(left) - 4)
            text.append(f"\n  {left}  {value if len(value) <= room else value[: room - 1] + '…'}")
        if len(counts) > FACET_VALUES and not ranges:
            text.append(f"\n  and {len(counts) - FACET_VALUES:,} more", "dim")
        yield text


def _heading(members: Sequence[Any], width: int | None, unfit: Any, continued: bool) -> Any:
    """Format the heading of a document: title if it has one, id, number of results."""
    from rich.text import Text

    doc, title = members[0].doc, members[0].title
    whole = f" of {unfit.results:,}" if unfit is not None and unfit.cut and unfit.doc == doc else ""
    more = "more " if continued else ""
    count = f"{len(members):,}{whole} {more}result{'' if len(members) == 1 and not whole else 's'}"
    text = Text()
    named = (doc, "dim" if title else "bold", broken)
    for part, style, wrap in ((title, "bold", textwrap.wrap), named, (f"({count})", "dim", textwrap.wrap)):
        for line in wrap(part, max(20, width - 2)) if width else filter(None, [part]):
            last = len(text.plain.rpartition("\n")[2])
            if text:
                text.append("  " if width is None or last + 2 + len(line) <= width else "\n  ")
            text.append(line, style)
    return text


def _snippet_lines(result: Any, room: int, highlight: bool, styled: bool) -> Iterator[Any]:
    """Yield the lines of a snippet, with matching words in another style or in brackets."""
    from rich.text import Text

    snippet = result.snippet
    found = result.snippet_matches if styled or highlight else []
    if not styled:
        snippet, found = mark(snippet, found, *PLAIN_MARKS), []
    at = 0
    for line in textwrap.wrap(snippet, room, break_on_hyphens=False):
        at = snippet.index(line, at)
        text = Text(line)
        for begin, end in found:
            if begin < at + len(line) and end > at:
                text.stylize("bold yellow", max(begin - at, 0), min(end - at, len(line)))
        at += len(line)
        yield text


def short_score(score: float) -> str:
    """Format a score in a few characters; only 0 is printed as zero.

    >>> short_score(1 / 3), short_score(12.0), short_score(-1e-7), short_score(0.0)
    ('0.3333', '12.0000', '-1.0e-07', '0.0000')
    """
    return f"{score:.1e}" if 0 < abs(score) < 1e-4 else f"{score:.4f}"


def summary(results: Any) -> str:
    """Summarise results: how many are shown, how many elements match, the time, and why others are left out."""
    matched = f"{results.matched:,} matching element{'' if results.matched == 1 else 's'}"
    others = f"; {results.others}" if getattr(results, "others", "") else ""
    return f"{len(results):,} of {matched} in {1000 * results.seconds:.1f} ms{others}"
