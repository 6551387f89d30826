"""What is counted in a whole collection, where an index is a part of it: two parts are added, and nothing is lost.

A part is some of the documents. How many texts there are, how many hold a term and how often, are sums over documents;
all else that a score is made of lies within one. So a part that is told the sums scores as the whole does, to the bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from trix.query.matching.matching import TermList
from trix.query.scoring.units import Units

Name = Any
"""Of a term's list: the keys, how phrases are read, which places have weights."""


class Uncounted(LookupError):
    """A sum is asked for that nobody has counted."""


@dataclass(frozen=True)
class Sums:
    """Numbers of a collection.

    Attributes
    ----------
    sizes
        Level of the texts that count -> how many there are, and keys in them.
    held
        Name of a list -> content elements that hold the term.
    counts
        Level and name -> texts that hold the term, and its occurrences in them.
    """

    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    held: Mapping[Name, int] = field(default_factory=dict)
    counts: Mapping[tuple[str, Name], tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Iterable[tuple[str, Units, Iterable[TermList]]]) -> Sums:
        """Return the sums of an index: of each level its texts, and the lists that are counted in them."""
        sizes: dict[str, tuple[int, int]] = {}
        held: dict[Name, int] = {}
        counts: dict[tuple[str, Name], tuple[int, int]] = {}
        for text, own, lists in units:
            sizes[text] = own.N, own.C
            for each in lists:
                held[each.name] = each.m
                if (text, each.name) not in counts:
                    m, cf = own.counts(each)
                    counts[text, each.name] = int(m), int(cf)
        return cls(sizes, held, counts)

    def units(self, text: str) -> UnitsOfAll:
        """Return the texts of a level.

        Raises
        ------
        Uncounted
            Nobody has counted them.
        """
        if text not in self.sizes:
            raise Uncounted(text)
        return UnitsOfAll(*self.sizes[text], text=text, sums=self)


@dataclass(frozen=True, slots=True)
class UnitsOfAll(Units):
    """The texts of a whole collection, in which terms are counted already."""

    text: str = ""
    sums: Sums = field(default_factory=Sums)

    def counts(self, of: TermList) -> tuple[int, Any]:
        """Return m and cf of a term."""
        if (self.text, of.name) not in self.sums.counts:
            raise Uncounted(of.name)
        return self.sums.counts[self.text, of.name]


def added(parts: Iterable[Sums]) -> Sums:
    """Return the sums of all parts.

    >>> one = Sums({"content": (3, 10)}, {"x": 2}, {("content", "x"): (2, 5)})
    >>> added([one, Sums({"content": (1, 2)}, {"x": 0}, {("content", "x"): (0, 0)})])
    Sums(sizes={'content': (4, 12)}, held={'x': 2}, counts={('content', 'x'): (2, 5)})
    """
    sizes: dict[str, tuple[int, int]] = {}
    counts: dict[tuple[str, Name], tuple[int, int]] = {}
    held: Counter[Name] = Counter()
    for part in parts:
        held.update(part.held)
        for text, (n, c) in part.sizes.items():
            before = sizes.get(text, (0, 0))
            sizes[text] = before[0] + n, before[1] + c
        for name, (m, cf) in part.counts.items():
            known = counts.get(name, (0, 0))
            counts[name] = known[0] + m, known[1] + cf
    return Sums(sizes, dict(held), counts)
