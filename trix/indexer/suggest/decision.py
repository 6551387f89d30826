"""Decisions about a schema, with their certainty and the statistics they rest on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from trix.indexer.profile.selector import split_qname
from trix.indexer.suggest.counts import PathCounts, SampleCounts


class Certainty(IntEnum):
    """Certainty of a decision.

    ``auto`` uses `SURE` decisions, which cannot make answers worse. A draft also has `LIKELY` ones as rules: they
    change results, so a person should review them. `OPEN` ones are comments of the draft.
    """

    OPEN = 0
    LIKELY = 1
    SURE = 2


@dataclass(frozen=True)
class Decision:
    """Rule of a profile.

    Attributes
    ----------
    key
        Key of the profile, such as ``inline``, ``title``, ``fields`` or ``titles``.
    name
        Selector, or name in a table; empty for ``title`` and the like.
    level
        Certainty.
    reason
        Statistics, in words.
    value
        Value of the name: an XPath, forms of titles, or a field as in the profile's file; None for list entries.
    """

    key: str
    name: str
    level: Certainty
    reason: str
    value: object = None


class Names:
    """Converts the tags of a sample to selectors: local names, with the namespace if two tags share one."""

    def __init__(self, counts: SampleCounts) -> None:
        self._times: dict[str, int] = {}
        for tag in counts.tags:
            local = split_qname(tag)[1]
            self._times[local] = self._times.get(local, 0) + 1

    def selector(self, tag: str) -> str:
        """Convert a tag in the notation of lxml to a selector.

        >>> from trix.indexer.suggest.counts import TagCounts
        >>> tags = {tag: TagCounts(tag) for tag in ("{urn:a}p", "p", "q")}
        >>> names = Names(SampleCounts(tags=tags))
        >>> names.selector("{urn:a}p"), names.selector("p"), names.selector("q")
        ('{urn:a}p', '{}p', 'q')
        """
        namespace, local = split_qname(tag)
        return local if self._times.get(local, 1) == 1 else f"{{{namespace}}}{local}"


def percent(part: float, whole: float) -> str:
    """Format a share for people.

    >>> percent(1, 3), percent(1, 1000), percent(0, 0)
    ('33 %', '0.1 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    return f"{share:.1f} %" if 0 < share < 1 else f"{share:.0f} %"


def listed(names: Iterable[str], most: int = 4) -> str:
    """Format the first of some names for a sentence.

    >>> listed("abcdef"), listed("ab")
    ('a, b, c, d, ...', 'a, b')
    """
    found = list(names)
    return ", ".join(found[:most]) + (", ..." if len(found) > most else "")


KIND = 0.1
"""Share of documents with the same root tag from which they are a kind with fields of its own."""


def share_of(path: PathCounts, counts: SampleCounts) -> float:
    """Return the share of documents with a value at a path."""
    return len(path.values) / counts.documents if counts.documents else 0.0


def share_of_kind(path: PathCounts, counts: SampleCounts) -> float:
    """Return the share of documents with a value at a path, among all or among one kind by root.

    >>> path = PathCounts(("level",), values={0: ["1"]})
    >>> share_of_kind(path, SampleCounts(2)), share_of_kind(path, SampleCounts(2, root_of={0: "spell", 1: "item"}))
    (0.5, 1.0)
    """
    kinds = Counter(counts.root_of.values())
    having = Counter(counts.root_of[document] for document in path.values if document in counts.root_of)
    shares = [having[kind] / times for kind, times in kinds.items() if times >= KIND * counts.documents]
    return max([share_of(path, counts), *shares])


def is_code(value: str) -> bool:
    """Whether a value is a code: a number of five digits or more, or a word with a digit.

    >>> [is_code(each) for each in ("BJNR000010949", "20120625145816", "1949", "Bell", "Act 12")]
    [True, True, False, False, False]
    """
    return len(value) > 4 and any(map(str.isdigit, value)) and not re.search(r"[\s.]", value)
