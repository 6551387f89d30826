"""Statistics scope and global statistics: the texts over which N, m, cf and lengths are counted.

N, m and the mean length of BM25 are counted over texts. In the papers these are content elements; many of those are
names, numbers and headings. A search for paragraphs may want the statistics of paragraphs, and an article as context
those of articles. Then the members of a level are the texts: N members, m of them with a key, C keys in them, and cf
occurrences of a key in them.

A shard holds some of the documents. These numbers are sums over documents, and all else in a score is local to one
document. So a shard that scores with the sums over all shards gives the scores of the whole, to the bit.
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
class StatisticsScope:
    """The texts over which statistics are counted.

    Attributes
    ----------
    N
        Number of texts.
    C
        Number of keys in them.
    begin, end : (N,) ndarrays, or None
        Ascending, disjoint ranges of content elements, one a text; None if the texts are the content elements.
    documents
        Whether the texts are the documents.
    least
        Lower bound of the mean length, in keys.
    """

    N: int
    C: int
    begin: Int32s | None = None
    end: Int32s | None = None
    documents: bool = False
    least: int = 0

    @property
    def mean_length(self) -> float:
        """Mean number of keys; 0 without texts.

        >>> StatisticsScope(4, 100).mean_length, StatisticsScope(4, 100, least=30).mean_length
        (25.0, 30.0)
        """
        # Where most texts are headings and numbers, every other text would seem long: hence a lower bound.
        return max(self.C / self.N, float(self.least)) if self.N else 0.0

    def counts(self, of: TermList) -> tuple[int, Any]:
        """Return m and cf of a term."""
        # A list of some documents: statistics are those of all.
        if of.whole is not None:
            return self.counts_of_whole(of.whole)
        if self.begin is None or self.end is None:
            return of.m, of.cf
        # Texts are disjoint and ascending, as postings are, so one pass counts both.
        return count_texts(of.content_numbers, of.tf, self.begin, self.end)

    def counts_of_whole(self, of: DocPostings) -> tuple[int, Any]:
        """Return m and cf of a term from the documents that hold it."""
        if self.begin is None:
            return of.m, of.cf
        # Documents are listed already; for other texts the postings have to be read.
        return (of.documents.size, of.cf) if self.documents else self.counts(TermList(*of.everything()))


def content_units(index: IndexFiles) -> StatisticsScope:
    """Scope: the content elements."""
    return StatisticsScope(index.totals["content_elements"], index.totals["tokens"])


def document_units(index: IndexFiles) -> StatisticsScope:
    """Scope: the documents, including those without text."""
    begin = index.first_contents.astype(np.int32)
    # A document ends where the next begins; one without text is an empty range, which counts in N alone.
    end = np.append(begin[1:], np.int32(index.totals["content_elements"]))
    return StatisticsScope(index.totals["documents"], index.totals["tokens"], begin, end, documents=True)


def member_units(index: IndexFiles, members: Int32s) -> StatisticsScope:
    """Scope: the disjoint members of a level."""
    # Members are disjoint, so their keys add up.
    of = content_ranges(index, members, lengths=True)
    return StatisticsScope(int(members.size), int(of.keys.sum()), of.begin, of.end)


Name = Any
"""Cache key of a term's list: its keys, the setting of phrases, the weighted places."""


class Uncounted(LookupError):
    """Raised for a statistic that was not counted."""


@dataclass(frozen=True)
class GlobalStatistics:
    """Statistics of a collection, summed over its shards.

    Attributes
    ----------
    sizes
        Scope -> number of texts, and keys in them.
    m_of_all
        Name of a list -> content elements that hold the term.
    counts
        Scope and name -> texts that hold the term, and its occurrences in them.
    """

    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    m_of_all: Mapping[Name, int] = field(default_factory=dict)
    counts: Mapping[tuple[str, Name], tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Iterable[tuple[str, StatisticsScope, Iterable[TermList]]]) -> GlobalStatistics:
        """Count the statistics of one shard: the texts of each scope, and the lists counted in them."""
        sizes: dict[str, tuple[int, int]] = {}
        m_of_all: dict[Name, int] = {}
        counts: dict[tuple[str, Name], tuple[int, int]] = {}
        for text, own, lists in units:
            sizes[text] = own.N, own.C
            # A list that several terms share is counted once.
            for each in lists:
                m_of_all[each.name] = each.m
                if (text, each.name) not in counts:
                    m, cf = own.counts(each)
                    counts[text, each.name] = int(m), int(cf)
        return cls(sizes, m_of_all, counts)

    def units(self, text: str) -> GlobalScope:
        """Return the scope of a level.

        Raises
        ------
        Uncounted
            It was not counted.
        """
        if text not in self.sizes:
            raise Uncounted(text)
        return GlobalScope(*self.sizes[text], text=text, sums=self)


@dataclass(frozen=True, slots=True)
class GlobalScope(StatisticsScope):
    """Statistics scope of a whole collection, with counts from all shards."""

    text: str = ""
    sums: GlobalStatistics = field(default_factory=GlobalStatistics)

    def counts(self, of: TermList) -> tuple[int, Any]:
        """Return m and cf of a term."""
        if (self.text, of.name) not in self.sums.counts:
            raise Uncounted(of.name)
        return self.sums.counts[self.text, of.name]


def added(parts: Iterable[GlobalStatistics]) -> GlobalStatistics:
    """Add the statistics of all shards.

    >>> one = GlobalStatistics({"content": (3, 10)}, {"x": 2}, {("content", "x"): (2, 5)})
    >>> added([one, GlobalStatistics({"content": (1, 2)}, {"x": 0}, {("content", "x"): (0, 0)})])
    GlobalStatistics(sizes={'content': (4, 12)}, m_of_all={'x': 2}, counts={('content', 'x'): (2, 5)})
    """
    sizes: dict[str, tuple[int, int]] = {}
    counts: dict[tuple[str, Name], tuple[int, int]] = {}
    m_of_all: Counter[Name] = Counter()
    for part in parts:
        # A Counter adds; a plain dict would replace.
        m_of_all.update(part.m_of_all)
        for text, (n, c) in part.sizes.items():
            before = sizes.get(text, (0, 0))
            sizes[text] = before[0] + n, before[1] + c
        for name, (m, cf) in part.counts.items():
            # Shards share no document, so numbers of texts add up like occurrences.
            known = counts.get(name, (0, 0))
            counts[name] = known[0] + m, known[1] + cf
    return GlobalStatistics(sizes, dict(m_of_all), counts)
