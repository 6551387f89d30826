"""What is below content elements: what can be compared there, and how many elements of each tag have no number.

Nothing below a content element is a unit [RETRIEVAL, section 3]. Its attributes, and the elements that the profile's
``values`` name, are kept all the same, so that structured queries can test and compare them. All others are counted by
tag and by the content element that they are in, so that a query that asks for them can be told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from lxml import etree

from trix.indexer.attributes import BELOW, OWN
from trix.indexer.profile import Profile
from trix.indexer.record import document_text, text_with_blanks
from trix.indexer.rule_table import GONE, UNWRAP, RuleTable
from trix.indexer.selector import Selector, split_qname

if TYPE_CHECKING:
    from trix.indexer.reader import Walk

Counts = dict[str, dict[str, int]]
"""Tag -> tag of the content elements that its elements are in -> how many are."""

KEPT = 4
"""Tags of content elements, those with the most, that an index keeps for each tag."""

_tag = attrgetter("tag")


def add_counts(all_counts: Counts, counts: Counts) -> None:
    """Add counts to others."""
    for tag, holders in counts.items():
        into = all_counts.setdefault(tag, {})
        for holder, count in holders.items():
            into[holder] = into.get(holder, 0) + count


def kept_counts(counts: Counts) -> dict[str, tuple[int, dict[str, int]]]:
    """Return, for each tag, how many of its elements are below content elements, and the content elements with most.

    >>> kept_counts({"NOTE": {"P": 7, "L": 2}, "HI": {"P": 1}})
    {'HI': (1, {'P': 1}), 'NOTE': (9, {'P': 7, 'L': 2})}
    """
    kept = {}
    for tag, holders in sorted(counts.items()):
        most = sorted(holders.items(), key=lambda item: (-item[1], item[0]))[:KEPT]
        kept[tag] = sum(holders.values()), dict(most)
    return kept


class Below:
    """Reads what is below content elements, under one profile.

    Parameters
    ----------
    profile
        What tags mean.
    rules
        The same as a table.
    attribute
        Gives the name in the index of an attribute, as lxml names it.
    """

    def __init__(self, profile: Profile, rules: RuleTable, attribute: Callable[[str], str]) -> None:
        self.profile, self.rules, self.attribute = profile, rules, attribute
        self.counts: defaultdict[str, Counter[Any]] = defaultdict(Counter)
        self._asked = _filter([*profile.values, *(selector for selector, _ in profile.attributes)])
        self._gone = _filter([*profile.blank, *profile.drop])
        self._values: dict[str, tuple[Selector, ...]] = {}

    def read(self, walk: Walk, element: Any, place: int) -> None:
        """Read what is below a content element, and its own attributes.

        Parameters
        ----------
        walk
            Of its document; rows are added to its record.
        element
            The lxml element.
        place
            Its place in the record.
        """
        if len(element):
            self._count(element.tag, element)
        if self._asked:
            rows: dict[Any, int] = {}
            if attributes := self.rules[element.tag][3]:
                self._attributes(walk, element, attributes, place, OWN, None)
            for found in element.iterdescendants(*self._asked):
                self._read_one(walk, found, element, place, rows)

    def read_run(self, walk: Walk, container: Any, members: Iterable[Any], place: int) -> None:
        """Read what is below a run of text in a container, which has some elements of it."""
        rows: dict[Any, int] = {}
        for member in members:
            self.counts["#text"][member.tag] += 1
            if len(member):
                self._count("#text", member)
            if self._asked:
                for found in member.iter(*self._asked):
                    self._read_one(walk, found, container, place, rows)

    def taken(self) -> Counts:
        """Return what was counted since the last time."""
        taken: Counts = {}
        for holder, counter in self.counts.items():
            for tag, count in counter.items():
                if isinstance(tag, str) and count:
                    of = taken.setdefault(split_qname(tag)[1], {})
                    local = split_qname(holder)[1]
                    of[local] = of.get(local, 0) + count
        self.counts.clear()
        return taken

    def _count(self, holder: str, element: Any) -> None:
        counter = self.counts[holder]
        counter.update(map(_tag, element.iterdescendants()))
        if self._gone:
            for found in element.iterdescendants(*self._gone):
                if self._flags(found) & GONE and not any(self._flags(up) & GONE for up in _between(found, element)):
                    counter.subtract(map(_tag, found.iter()))

    def _flags(self, element: Any) -> int:
        _, flags, conditional, _, _ = self.rules[element.tag]
        return flags if conditional is None else conditional(element)

    def _read_one(self, walk: Walk, found: Any, holder: Any, place: int, rows: dict[Any, int]) -> None:
        if self._flags(found) & (GONE | UNWRAP):
            return
        above, kind = None, OWN
        for up in _between(found, holder):
            if up in rows:
                above = rows[up]
                break
            flags = self._flags(up)
            if flags & GONE:
                return
            if not flags & UNWRAP:
                kind = BELOW
        attributes, kind_of_attributes = self.rules[found.tag][3], BELOW
        if self._is_value(found) and (value := _value(walk, found)):
            qname = self.rules.declared(found.tag), split_qname(found.tag)[1]
            name = f"{{{qname[0]}}}{qname[1]}" if qname[0] else qname[1]
            above = self._add(walk, place, kind, name, value, above)
            rows[found] = above
            kind_of_attributes = OWN
        if attributes:
            self._attributes(walk, found, attributes, place, kind_of_attributes, above)

    def _attributes(
        self, walk: Walk, element: Any, attributes: Iterable[str], place: int, kind: int, above: int | None
    ) -> None:
        for attribute in attributes:
            value = element.get(attribute)
            if value and not value.isspace():
                self._add(walk, place, kind, self.attribute(attribute), value, above)

    @staticmethod
    def _add(walk: Walk, place: int, kind: int, name: str, value: str, above: int | None) -> int:
        """Add a row to the record and return its place there."""
        rows = walk.record.attributes
        rows.append((place, kind, name, value, 0 if above is None else len(rows) - above))
        return len(rows) - 1

    def _is_value(self, element: Any) -> bool:
        tag = element.tag
        if tag not in self._values:
            self._values[tag] = tuple(s for s in self.profile.values if s.names(*split_qname(tag)))
        return any(selector.accepts(element.attrib) for selector in self._values[tag])


def _filter(selectors: Iterable[Selector]) -> tuple[Any, ...]:
    """Return what lxml's iterators take for the elements that some selectors may name."""
    tags = dict.fromkeys(selector.tag for selector in selectors)
    return (etree.Element,) if "*" in tags else tuple(f"{{*}}{tag}" for tag in tags)


def _between(element: Any, above: Any) -> Iterator[Any]:
    """Yield the ancestors of an element from the inside, up to one that is left out."""
    up = element.getparent()
    while up is not above:
        yield up
        up = up.getparent()


def _value(walk: Walk, element: Any) -> str:
    """Return the text of an element inside a content element, as comparisons see it."""
    if not len(element):
        return (element.text or "").strip()
    annotated = walk.annotated_below(element)
    return text_with_blanks(annotated).strip() if document_text(annotated) else ""
