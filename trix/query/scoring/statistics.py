"""Global statistics: which texts of a collection count, and their sums over its parts.

N, m and the mean length of BM25 are those of texts. Content elements are the texts of the papers; many of them are
names, numbers and headings. A search for paragraphs may want those of paragraphs, and an article as context has those
of articles. Then the members of a level are taken for the collection: N of them, m that hold a key, C keys in them, and
cf occurrences of a key in them.

A part of a collection is some of its documents. Those numbers are sums over documents, and all else that a score is
made of lies within one document. So a part that scores with the sums of all parts scores as the whole does, to the bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from trix.core.match import count_texts
from trix.indexer.store.doc_postings import DocPostings
from trix.indexer.store.files import IndexFiles
from trix.query.matching.matching import TermList
from trix.query.matching.part import content_ranges
from trix.support.arrays import Int32s


@dataclass(frozen=True, slots=True)
class Units:
    """The texts of a collection.

    Attributes
    ----------
    N
        How many there are.
    C
        Keys in them.
    begin, end : (N,) ndarrays, or None
        The content elements of each as a range, ascending and apart; None where the texts are the content elements.
    documents
        Whether the texts are the documents.
    least
        A mean length, in keys; the texts have no smaller one.
    """

    N: int
    C: int
    begin: Int32s | None = None
    end: Int32s | None = None
    documents: bool = False
    least: int = 0

    @property
    def mean_length(self) -> float:
        """The mean number of keys; 0 where there are no texts.

        >>> Units(4, 100).mean_length, Units(4, 100, least=30).mean_length
        (25.0, 30.0)
        """
        return max(self.C / self.N, float(self.least)) if self.N else 0.0

    def counts(self, of: TermList) -> tuple[int, Any]:
        """Return m and cf of a term."""
        if of.whole is not None:
            return self.counts_of_whole(of.whole)
        if self.begin is None or self.end is None:
            return of.m, of.cf
        return count_texts(of.content_numbers, of.tf, self.begin, self.end)

    def counts_of_whole(self, of: DocPostings) -> tuple[int, Any]:
        """Return the same of a term by the documents that hold it."""
        if self.begin is None:
            return of.m, of.cf
        return (of.documents.size, of.cf) if self.documents else self.counts(TermList(*of.everything()))


def content_units(index: IndexFiles) -> Units:
    """Return the content elements."""
    return Units(index.totals["content_elements"], index.totals["tokens"])


def document_units(index: IndexFiles) -> Units:
    """Return the documents, also those without text."""
    begin = index.first_contents.astype(np.int32)
    end = np.append(begin[1:], np.int32(index.totals["content_elements"]))
    return Units(index.totals["documents"], index.totals["tokens"], begin, end, documents=True)


def member_units(index: IndexFiles, members: Int32s) -> Units:
    """Return the members of a level, which lie apart."""
    of = content_ranges(index, members, lengths=True)
    return Units(int(members.size), int(of.keys.sum()), of.begin, of.end)


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
