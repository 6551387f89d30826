"""Results as a table for people, and as JSON lines or CSV for programs."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, TextIO

FIELDS = ("rank", "score", "doc", "label", "path", "tag", "offset", "length", "snippet")
"""The fields of a result, in the order in which they are printed."""

Explanations = Sequence[Any] | None


def record(result: Any) -> dict[str, Any]:
    """Return the fields of a result; the score is the full double."""
    return {name: getattr(result, name) for name in FIELDS}


def records(results: Iterable[Any], explanations: Explanations, as_text: bool = False) -> Iterator[dict[str, Any]]:
    """Return the fields of each result, with its explanation where there are any."""
    for result, explanation in zip(results, repeat(None) if explanations is None else explanations, strict=False):
        fields = record(result)
        if explanation is not None:
            fields["explanation"] = str(explanation) if as_text else explanation.to_json()
        yield fields


_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def json_line(fields: Mapping[str, Any]) -> str:
    """Return a JSON object on one line, for readers too that take more characters for line ends than JSON does.

    >>> json_line({"snippet": "é\u2028x"})
    '{"snippet": "é\\\\u2028x"}\\n'
    """
    return json.dumps(fields, ensure_ascii=False).translate(_LINE_ENDS) + "\n"


def write_jsonl(results: Iterable[Any], explanations: Explanations, out: TextIO) -> None:
    """Write a JSON object a line."""
    for fields in records(results, explanations):
        out.write(json_line(fields))


def write_csv(results: Iterable[Any], explanations: Explanations, out: TextIO) -> None:
    """Write a header and a row a result; explanations are texts."""
    names = [*FIELDS, "explanation"] if explanations is not None else FIELDS
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records(results, explanations, as_text=True))


WRITERS: dict[str, Callable[[Iterable[Any], Explanations, TextIO], None]] = {"jsonl": write_jsonl, "csv": write_csv}


def print_table(results: Any, explanations: Explanations = None, begin: int = 0) -> None:
    """Print results for people: rank, score, where the element is, and how it begins; from place `begin` on."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=shutil.get_terminal_size((120, 24)).columns)
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for number, result in enumerate(results[begin:], begin):
        where = Text.assemble((result.doc, "bold"), (result.path, "cyan"))
        lines = [where]
        if snippet := result.snippet:
            lines.append(Text(snippet, "dim"))
        if explanations is not None:
            lines.append(Text(str(explanations[number])))
        cell = Text("\n").join(lines)
        table.add_row(f"{result.rank}", f"{result.score:.4f}", cell)
    if len(results):
        console.print(table)
    console.print(Text(summary(results), "dim"))


def summary(results: Any) -> str:
    """Return how many results are shown of how many matching elements, and the time it took."""
    matched = f"{results.matched:,} matching element{'' if results.matched == 1 else 's'}"
    return f"{len(results):,} of {matched} in {1000 * results.seconds:.1f} ms"
