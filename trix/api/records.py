"""Results to take away: JSON lines, CSV and Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, TextIO

from trix.errors import UsageError
from trix.query.display.breadcrumb import SEPARATOR, located
from trix.support.output import json_line

FIELDS = ("rank", "score", "doc", "label", "path", "tag", "offset", "length", "title", "breadcrumb", "snippet", "marks")
"""The fields of a result, in the order in which they are printed."""

Explanations = Iterable[Any] | None


def record(result: Any, highlight: bool = False) -> dict[str, Any]:
    """Return the fields of a result; the score is the full double."""
    given = result.to_dict(matches=highlight)
    return {
        name: given[name]
        for name in (*FIELDS, "known", "places", "copies", "fields", "matched_fields", "matches")
        if name in given
    }


def explained(index: Any, query: str, results: Iterable[Any], options: dict[str, Any]) -> Iterator[Any]:
    """Yield the explanation of each result; None for one that the query names and no word of it finds."""
    for result in results:
        try:
            yield index.explain(query, result, **options)
        except UsageError:
            if not getattr(result, "known", ""):
                raise
            yield None


def records(
    results: Iterable[Any], explanations: Explanations, as_text: bool = False, highlight: bool = False
) -> Iterator[dict[str, Any]]:
    """Return the fields of each result, with its explanation if given."""
    for result, explanation in zip(results, repeat(None) if explanations is None else explanations, strict=False):
        fields = record(result, highlight)
        if explanation is not None:
            fields["explanation"] = str(explanation) if as_text else explanation.to_json()
        if as_text:
            fields.pop("known", None)
            fields.pop("matched_fields", None)
            fields["breadcrumb"] = SEPARATOR.join(fields["breadcrumb"])
            fields |= {
                name: json_line(fields[name]).strip()
                for name in ("marks", "places", "copies", "fields")
                if name in fields
            }
        yield fields


def write_jsonl(results: Any, explanations: Explanations, out: TextIO, highlight: bool = False) -> None:
    """Write a JSON object a line, with explanations also the plan; facets that were counted are the last one."""
    plan = None if explanations is None else getattr(results, "plan", None)
    for fields in records(results, explanations, highlight=highlight):
        if plan is not None:
            fields["plan"] = plan.to_json()
        out.write(json_line(fields))
    if facets := getattr(results, "facets", None):
        out.write(json_line(counted(facets)))


def counted(facets: Mapping[str, Any]) -> dict[str, Any]:
    """Return the counts of facets, and of their ranges if they have ranges."""
    ranges = {name: each for name, counts in facets.items() if (each := counts.ranges())}
    counts_of_kinds: dict[str, Any] = {"facets": facets} | ({"ranges": ranges} if ranges else {})
    return {
        kind: {name: [each._asdict() for each in counts] for name, counts in of.items()}
        for kind, of in counts_of_kinds.items()
    }


def write_csv(results: Any, explanations: Explanations, out: TextIO) -> None:
    """Write a header and a row a result; explanations and breadcrumbs are texts, fields of documents and marks JSON."""
    import csv

    has_fields = results.view is not None and results.view.has_fields
    has_places = results.view is not None and results.view.has_places
    names = [
        *FIELDS,
        *(["places"] if has_places else ()),
        *(["copies"] if results.copies else ()),
        *(["fields"] if has_fields else ()),
    ]
    names += ["explanation"] if explanations is not None else []
    writer = csv.DictWriter(out, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records(results, explanations, as_text=True))


def write_markdown(results: Any, out: TextIO) -> None:
    """Write a numbered list: the title and the sections, the words around what matched in bold, the address."""
    for result in results:
        where = [result.title or result.doc, *located(result)]
        out.write(f"{result.rank}. **{_plain(SEPARATOR.join(where))}**  \n")
        if result.snippet:
            out.write(f"   {_in_bold(result.snippet, result.snippet_matches)}  \n")
        out.write(f"   `{result.doc}{result.path}`\n")


WRITERS: Mapping[str, Callable[[Any, TextIO], None]] = {
    "jsonl": lambda results, out: write_jsonl(results, None, out),
    "csv": lambda results, out: write_csv(results, None, out),
    "markdown": write_markdown,
}
"""Format -> writer of results without explanations."""


def _in_bold(text: str, marks: Iterable[tuple[int, int]]) -> str:
    """Return a text in Markdown with ranges of its characters in bold.

    >>> _in_bold("a *b* c", [(6, 7)])
    'a \\\\*b\\\\* **c**'
    """
    parts, at = list[str](), 0
    for begin, end in marks:
        parts += [_plain(text[at:begin]), f"**{_plain(text[begin:end])}**"]
        at = end
    return "".join([*parts, _plain(text[at:])])


def _plain(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>#|~])", r"\\\1", text)
