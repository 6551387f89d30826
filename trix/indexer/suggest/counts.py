"""Statistics of a sample by tag and by path, from which profile rules are derived.

Lengths are characters without surrounding white space. The statistics do not distinguish inline tags from others; the
rules decide that from these numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

LONG = 300
"""Characters from which a text is prose, not a value."""

DISTINCT = 2000
"""Distinct values stored per attribute."""

VALUES = 50
"""Values of a path stored per document."""

_KEYED = re.compile(r"^[^@].*\[@[^=]*='(.*)'\]$")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(
    r"(?:1[0-9]{3}|20[0-9]{2})(?:-(?:0?[1-9]|1[0-2])(?:-(?:0?[1-9]|[12][0-9]|3[01]))?(?:T[0-9:.]+)?(?:Z|[+-][0-9:]+)?)?"
    r"|(?:1[0-9]{3}|20[0-9]{2})(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
)


def kind_of(value: str) -> str:
    """Classify a value: ``date``, ``integer``, ``number`` or ``string``.

    >>> [kind_of(value) for value in ("2015-08-25", "20150825", "1999", "20159925", "1.5", "May 2015")]
    ['date', 'date', 'date', 'integer', 'number', 'string']
    """
    if _DATE.fullmatch(value):
        return "date"
    if _INTEGER.fullmatch(value):
        return "integer"
    return "number" if _NUMBER.fullmatch(value) else "string"


@dataclass
class AttributeCounts:
    """Statistics of an attribute on a tag: occurrences, values, values of several words, total characters."""

    times: int = 0
    values: Counter[str] = field(default_factory=Counter)
    phrases: int = 0
    length: int = 0

    def add(self, value: str) -> None:
        """Count one value."""
        self.times += 1
        self.length += len(value)
        self.phrases += len(value.split()) > 1
        if len(self.values) < DISTINCT or value in self.values:
            self.values[value] += 1


@dataclass
class TagCounts:
    """Statistics of the elements with one tag.

    Attributes
    ----------
    tag
        Tag in the notation of lxml.
    times, documents
        Number of elements, and of documents with one.
    filled, own, mixed
        Elements with text, with text of their own, and with such text beside child elements.
    parents
        Elements with child elements.
    alone
        Elements with text that are the only content of their parent.
    near, amid
        Elements with text that have text directly before or after, and on both sides.
    glued
        Borders of elements with text that are inside a word.
    touching
        Elements with text that another element follows directly.
    lengths
        Characters of each element, descendants included.
    outer
        Characters of elements that are not inside one with the same tag.
    first
        Elements at the begin of their parent.
    depth
        Sum of depths.
    holds, holds_one
        For each tag of children: number of elements with such children, and with exactly one.
    begins, goes_on
        Tags of first and second children.
    in_tags
        Tags of parents.
    attributes
        Statistics of attributes, by name.
    """

    tag: str
    times: int = 0
    documents: int = 0
    filled: int = 0
    own: int = 0
    mixed: int = 0
    parents: int = 0
    alone: int = 0
    near: int = 0
    amid: int = 0
    glued: int = 0
    touching: int = 0
    lengths: list[int] = field(default_factory=list)
    outer: int = 0
    first: int = 0
    depth: int = 0
    holds: Counter[str] = field(default_factory=Counter)
    holds_one: Counter[str] = field(default_factory=Counter)
    begins: Counter[str] = field(default_factory=Counter)
    goes_on: Counter[str] = field(default_factory=Counter)
    in_tags: Counter[str] = field(default_factory=Counter)
    attributes: dict[str, AttributeCounts] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """Median length of elements with text."""
        return median(found) if (found := [length for length in self.lengths if length]) else 0.0

    @property
    def mean(self) -> float:
        """Mean length of elements with text."""
        return sum(self.lengths) / self.filled if self.filled else 0.0


@dataclass
class PathCounts:
    """Statistics of the elements, or the attribute, at one path below the root.

    Attributes
    ----------
    steps
        Local names below the root; an attribute's begins with ``@``. One that an attribute tells apart has it as a
        predicate: ``field[@name='author']``.
    times, documents, once
        Number of elements, of documents with some, and of documents with exactly one.
    prose
        Elements with text longer than `LONG`.
    parts
        Elements with child elements.
    size
        Characters of text and attribute values in the elements.
    values
        First values, by document.
    order
        Rank of the path by first occurrence.
    below
        Paths one step further, by name.
    """

    steps: tuple[str, ...] = ()
    times: int = 0
    documents: int = 0
    once: int = 0
    prose: int = 0
    parts: int = 0
    size: int = 0
    values: dict[int, list[str]] = field(default_factory=dict)
    order: int = 0
    below: dict[str, PathCounts] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the last step without ``@``, or the value of the attribute that distinguishes it."""
        if not self.steps:
            return ""
        found = _KEYED.search(self.steps[-1])
        return found[1] if found else self.steps[-1].removeprefix("@")

    @property
    def local(self) -> str:
        """Local name of the last step."""
        return self.steps[-1].partition("[")[0].removeprefix("@") if self.steps else ""

    @property
    def is_attribute(self) -> bool:
        """Whether the path leads to an attribute."""
        return bool(self.steps) and self.steps[-1].startswith("@")

    @property
    def xpath(self) -> str:
        """XPath of the path, with any root."""
        return "/".join(["/*", *self.steps])

    def all_values(self) -> list[str]:
        """Return the values in all documents."""
        return [value for found in self.values.values() for value in found]

    def walk(self) -> Iterator[PathCounts]:
        """Yield this path and all paths below, by first occurrence."""
        yield self
        for each in self.below.values():
            yield from each.walk()


@dataclass
class SampleCounts:
    """Statistics of a sample.

    Attributes
    ----------
    documents
        Number of documents.
    cut
        Number of truncated documents.
    characters
        Characters of all text.
    tags
        Statistics of tags, by name in the notation of lxml.
    root
        Path of the roots, with all paths below.
    root_tags
        Local names of roots.
    root_of
        Local name of the root, by document.
    records
        Tags whose elements are the documents; empty if files are.
    keys
        Tags whose elements are distinguished by an attribute, with its name.
    stray
        Documents whose root has text of its own, less than a hundredth of all their text.
    languages
        Values of ``xml:lang`` and ``lang``.
    """

    documents: int = 0
    cut: int = 0
    characters: int = 0
    tags: dict[str, TagCounts] = field(default_factory=dict)
    root: PathCounts = field(default_factory=PathCounts)
    root_tags: Counter[str] = field(default_factory=Counter)
    root_of: dict[int, str] = field(default_factory=dict)
    records: tuple[str, ...] = ()
    keys: dict[str, str] = field(default_factory=dict)
    stray: int = 0
    languages: Counter[str] = field(default_factory=Counter)
