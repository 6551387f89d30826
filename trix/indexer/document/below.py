"""What is below content elements: what can be compared there, and how many elements of each tag have no number.

Nothing below a content element is a unit [RETRIEVAL, section 3]. Its attributes, and the elements that the profile's
``values`` name, are kept all the same, so that structured queries can test and compare them. All others are counted by
tag and by the content element that they are in, so that a query that asks for them can be told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from trix.indexer.document.collector import Collector
from trix.indexer.document.record import BELOW, OWN, document_text, text_with_blanks
from trix.indexer.document.rule_table import GONE, UNWRAP, RuleTable
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import Selector, split_qname

Counts = dict[str, dict[str, int]]
"""Tag -> tag of the content elements that its elements are in -> how many are."""

KEPT = 4
"""Tags of content elements, those with the most, that an index keeps for each tag."""


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
        self.rules, self.attribute = rules, attribute
        self.counts: defaultdict[str, Counter[Any]] = defaultdict(Counter)
        self._interests = _Interests(profile, rules)
        self._asks = bool(profile.values or profile.attributes or profile.blank or profile.drop)

    def read(self, walk: Collector, element: Any, place: int) -> None:
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
        if attributes := self.rules[element.tag][3]:
            self._attributes(walk, element, attributes, place, OWN, None)
        if len(element):
            self._read(walk, element.tag, [*element.iterdescendants()], element, place)

    def read_run(self, walk: Collector, container: Any, members: list[Any], place: int) -> None:
        """Read what is below a run of text in a container, which has some elements of it."""
        below = list[Any]()
        for member in members:
            if len(member):
                below += member.iter()
            else:
                below.append(member)
        self._read(walk, "#text", below, container, place)

    def _read(self, walk: Collector, holder_tag: str, below: list[Any], holder: Any, place: int) -> None:
        tags = [element.tag for element in below]
        counted = Counter(tags)
        walk.below.append((holder_tag, counted))
        if not self._asks:
            return
        interests = self._interests
        rows: dict[Any, int] = {}
        for found, tag in zip(below, tags, strict=True):
            if interest := interests[tag]:
                if interest.gone and self._flags(found) & GONE:
                    self._take_off(counted, found, holder)
                elif interest.name or interest.attributes:
                    self._read_one(walk, found, interest, holder, place, rows)

    def count(self, below: list[tuple[str, Counter[Any]]]) -> None:
        """Add what was counted in one document: the tag of each content element, and what is below it."""
        for holder, counted in below:
            self.counts[holder].update(counted)

    def taken(self) -> Counts:
        """Return what was counted since the last time."""
        taken: Counts = {}
        for holder, counter in self.counts.items():
            for tag, count in counter.items():
                if isinstance(tag, str) and count and not self._vanishes(tag):
                    of = taken.setdefault(split_qname(tag)[1], {})
                    local = split_qname(holder)[1]
                    of[local] = of.get(local, 0) + count
        self.counts.clear()
        return taken

    def _vanishes(self, tag: str) -> bool:
        """Tell whether every element of a tag is unwrapped: what is no element for queries is not counted."""
        _, flags, conditional, *_ = self.rules[tag]
        return conditional is None and bool(flags & UNWRAP)

    def _take_off(self, counted: Counter[Any], found: Any, holder: Any) -> None:
        """Count an element no more that is blank or dropped, with all that it holds."""
        up = found.getparent()
        while up is not holder:
            if self._flags(up) & GONE:
                return
            up = up.getparent()
        counted.subtract([element.tag for element in found.iter()])

    def _flags(self, element: Any) -> int:
        _, flags, conditional, _, _ = self.rules[element.tag]
        return flags if conditional is None else conditional(element)

    def _read_one(
        self, walk: Collector, found: Any, interest: _Interest, holder: Any, place: int, rows: dict[Any, int]
    ) -> None:
        if self._flags(found) & (GONE | UNWRAP):
            return
        above, kind = None, OWN
        up = found.getparent()
        while up is not holder:
            if up in rows:
                above = rows[up]
                break
            flags = self._flags(up)
            if flags & GONE:
                return
            if not flags & UNWRAP:
                kind = BELOW
            up = up.getparent()
        kind_of_attributes = BELOW
        if interest.is_value(found) and (value := _value(walk, found)):
            above = self._add(walk, place, kind, interest.name, value, above)
            rows[found] = above
            kind_of_attributes = OWN
        if interest.attributes:
            self._attributes(walk, found, interest.attributes, place, kind_of_attributes, above)

    def _attributes(
        self, walk: Collector, element: Any, attributes: Iterable[str], place: int, kind: int, above: int | None
    ) -> None:
        for attribute in attributes:
            value = element.get(attribute)
            if value and not value.isspace():
                self._add(walk, place, kind, self.attribute(attribute), value, above)

    @staticmethod
    def _add(walk: Collector, place: int, kind: int, name: str, value: str, above: int | None) -> int:
        """Add a row to the record and return its place there."""
        rows = walk.record.attributes
        rows.append((place, kind, name, value, 0 if above is None else len(rows) - above))
        return len(rows) - 1


@dataclass(frozen=True)
class _Interest:
    """What is to be read of the elements of a tag.

    Attributes
    ----------
    gone
        Some are blank or dropped.
    name
        In the index, where some can be compared; else empty.
    selectors
        Of those that can be compared.
    attributes
        To be read.
    """

    gone: bool
    name: str
    selectors: tuple[Selector, ...]
    attributes: tuple[str, ...]

    def is_value(self, element: Any) -> bool:
        """Tell whether an element can be compared."""
        return any(selector.accepts(element.attrib) for selector in self.selectors)


class _Interests(dict[Any, _Interest | None]):
    """Tag as lxml names it -> what is to be read of its elements, None where nothing is."""

    def __init__(self, profile: Profile, rules: RuleTable) -> None:
        super().__init__()
        self._profile, self._rules = profile, rules

    def __missing__(self, tag: Any) -> _Interest | None:
        made = None
        if isinstance(tag, str):
            qname, declared = split_qname(tag), self._rules.declared(tag)
            selectors = tuple(selector for selector in self._profile.values if selector.names(*qname))
            gone = any(s.names(*qname) for s in (*self._profile.blank, *self._profile.drop))
            name = (f"{{{declared}}}{qname[1]}" if declared else qname[1]) if selectors else ""
            attributes = self._rules[tag][3]
            if gone or name or attributes:
                made = _Interest(gone, name, selectors, attributes)
        self[tag] = made
        return made


def _value(walk: Collector, element: Any) -> str:
    """Return the text of an element inside a content element, as comparisons see it."""
    if not len(element):
        return (element.text or "").strip()
    annotated = walk.annotated_below(element)
    return text_with_blanks(annotated).strip() if document_text(annotated) else ""
