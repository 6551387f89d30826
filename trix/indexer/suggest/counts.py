"""Counts of a sample, by tag and by path: what the rules of a suggested profile decide from.

Lengths are characters without the white space around texts. A *block* of the counts is any element; whether a tag is
inline or a part of its own is decided elsewhere, from these numbers alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

LONG = 300
"""Characters from which on a text is no value, but prose."""

DISTINCT = 2000
"""Values of an attribute that are told apart; more are many."""

VALUES = 50
"""Values of a path that are kept of one document."""

_KEYED = re.compile(r"^[^@].*\[@[^=]*='(.*)'\]$")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?")
_DATE = re.compile(
    r"(?:1[0-9]{3}|20[0-9]{2})(?:-(?:0?[1-9]|1[0-2])(?:-(?:0?[1-9]|[12][0-9]|3[01]))?(?:T[0-9:.]+)?(?:Z|[+-][0-9:]+)?)?"
    r"|(?:1[0-9]{3}|20[0-9]{2})(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])"
)


def kind_of(value: str) -> str:
    """Return what a value looks like: ``date``, ``integer``, ``number`` or ``string``.

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
    """An attribute of a tag: how often it is there, its values, how many have two words or more, their characters."""

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
    """The elements of one tag.

    Attributes
    ----------
    tag
        As lxml names it.
    times, documents
        Elements, and documents that have one.
    filled, own, mixed
        Elements with text, with text of their own, and with text of their own beside element children.
    parents
        Elements with element children.
    alone
        Of the filled ones, those that are all that is in their parent.
    near, amid
        Of the filled ones, those with text directly before or after, and on both sides.
    glued
        Borders of filled ones that stand inside a word.
    touching
        Filled ones that an element follows without anything between.
    lengths
        Characters of each element, with all that is inside.
    outer
        Characters of those that are in no element of the same tag.
    first
        Elements that begin their parent.
    depth
        Sum of the levels above the elements.
    holds, holds_one
        For each tag of children: elements that have such children, and those that have one.
    begins, goes_on
        Tags of first and of second children.
    in_tags
        Tags of parents.
    attributes
        By name.
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
        """The middle one of the lengths of elements with text."""
        return median(found) if (found := [length for length in self.lengths if length]) else 0.0

    @property
    def mean(self) -> float:
        """The mean length of elements with text."""
        return sum(self.lengths) / self.filled if self.filled else 0.0


@dataclass
class PathCounts:
    """The elements, or the attribute, at one path below the root.

    Attributes
    ----------
    steps
        Local names below the root; an attribute's begins with ``@``. One that an attribute tells apart has it as a
        predicate: ``field[@name='author']``.
    times, documents, once
        How many there are, documents that have some, and documents that have one.
    prose
        Elements whose text is longer than `LONG`.
    parts
        Elements with element children.
    size
        Characters of text and of values of attributes in the elements.
    values
        Document -> its first values.
    order
        Which path it is, in the order in which they were met.
    below
        Paths one step down, by name.
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
        """What the last step is called: its name without ``@``, or the value of the attribute that tells it apart."""
        if not self.steps:
            return ""
        found = _KEYED.search(self.steps[-1])
        return found[1] if found else self.steps[-1].removeprefix("@")

    @property
    def local(self) -> str:
        """The local name of the last step."""
        return self.steps[-1].partition("[")[0].removeprefix("@") if self.steps else ""

    @property
    def is_attribute(self) -> bool:
        """Whether it is a path to an attribute."""
        return bool(self.steps) and self.steps[-1].startswith("@")

    @property
    def xpath(self) -> str:
        """The path as an XPath from the document, whatever its root is called."""
        return "/".join(["/*", *self.steps])

    def all_values(self) -> list[str]:
        """Return the values of all documents."""
        return [value for found in self.values.values() for value in found]

    def walk(self) -> Iterator[PathCounts]:
        """Yield this path and all below it, in the order of their first elements."""
        yield self
        for each in self.below.values():
            yield from each.walk()


@dataclass
class SampleCounts:
    """What a sample holds.

    Attributes
    ----------
    documents
        Documents that were counted.
    cut
        Documents of which only the beginning was read.
    characters
        Of all text.
    tags
        By name, as lxml writes it.
    root
        The roots, with all paths below.
    root_tags
        Local names of roots.
    root_of
        Document -> the local name of its root.
    records
        Tags whose elements are the documents; empty where files are.
    keys
        Tags whose elements are told apart by an attribute, with its name.
    stray
        Documents whose root has text of its own, and that as a share of all their text below a hundredth.
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
