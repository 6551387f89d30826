"""Reading order: the characters of a document, first the retrieved ones, then the rest [VI].

The list of characters is never created. Documents are cut at every begin and end of a relevant or retrieved passage
into *segments* with uniform properties. Segments are sorted in reading order, and every measure is a cumulated sum over
them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trix.eval.data import intervals as iv
from trix.eval.measures.core.parameters import Param, choice
from trix.eval.measures.core.ranks import ratio
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.passages.in_context import Articles
from trix.support.arrays import Floats, Int64s, Mask

ORDERS = ("natural", "worst", "best", "doc", "bep")
READING = Param(
    "reading",
    "natural",
    choice(*ORDERS),
    "natural (retrieved passages, then the rest), worst and best (the rest with what is not relevant, or is, first), "
    "doc (from the start, passages ignored), bep (from the entry point to the end, then the beginning)",
)


@dataclass(frozen=True, slots=True)
class Segments:
    """Relevant articles of a list, cut into m segments in reading order.

    Attributes
    ----------
    article
        (m,) number of the article in the list, ascending.
    lengths
        (m,) characters.
    relevant
        (m,) whether the segment is relevant.
    begins
        (articles with segments,) first segment of each such article.
    numbers
        Numbers of these articles in the list.
    """

    article: Int64s
    lengths: Int64s
    relevant: Mask
    begins: Int64s
    numbers: Int64s

    def read_before(self, values: Int64s) -> Int64s:
        """Return, for every segment, the sum of values over the earlier segments of its article."""
        # Exclusive cumulated sums over all articles, minus their value at the start of each article.
        running = np.cumsum(values) - values
        return running - np.repeat(running[self.begins], np.diff(np.append(self.begins, len(values))))


def segments(view: TopicView, found: Articles, order: str = "natural") -> Segments:
    """Return the segments of the relevant articles; cached per order.

    ``natural`` has the retrieved passages by offset, then the rest by offset. ``worst`` has the non-relevant rest
    first, ``best`` the relevant rest. ``doc`` reads from the start and ignores passages. ``bep`` reads from the run's
    entry point (the start of its first passage) to the end, then from the start.
    """
    return view.memo(("segments", id(found), order), lambda: _segments(view, found, order))


def _segments(view: TopicView, found: Articles, order: str) -> Segments:
    p = found.passages
    numbers = np.flatnonzero(found.relevant)
    starts = p.bases[numbers]
    rows = found.relevant[p.doc]
    retrieved = iv.merge(p.spans[rows])
    ends = starts + np.array([_end(view, found, int(n)) for n in numbers], np.int64)
    # The tool reads passages to their end, even beyond the end of the document.
    if view.settings.official and len(numbers):
        reach = np.zeros(len(p.docs), np.int64)
        np.maximum.at(reach, p.doc, p.ends)
        ends = np.maximum(ends, starts + reach[numbers])
    # Only order `bep` starts inside a passage, so only it needs a cut at the entry point.
    entries = p.entries if order == "bep" else np.full(len(p.docs), -1, np.int64)
    entered = (entries + p.bases)[entries >= 0]
    # Cuts at every boundary make each piece uniform: relevant or not, retrieved or not.
    cuts = np.unique(np.concatenate((starts, ends, p.relevant.ravel(), retrieved.ravel(), entered)))
    left, right = cuts[:-1], cuts[1:]
    # Drop pieces outside relevant articles: the gaps between documents and all non-relevant ones.
    place = np.searchsorted(starts, left, side="right") - 1
    inside = (place >= 0) & (left < ends[np.maximum(place, 0)]) if len(starts) else np.zeros(len(left), np.bool_)
    left, right, place = left[inside], right[inside], place[inside]
    # A segment is uniform, so its first character decides whether it is relevant and retrieved.
    one = np.column_stack((left, left + 1))
    relevant, kept = iv.covered(p.relevant, one) > 0, iv.covered(retrieved, one) > 0
    article = numbers[place]
    if order == "doc":
        later = np.zeros(len(left), np.int64)
    elif order == "bep":
        later = (left - p.bases[article] < entries[article]).astype(np.int64)
    elif order == "natural":
        later = (~kept).astype(np.int64)
    else:
        later = np.where(kept, 0, np.where(relevant == (order == "best"), 1, 2))
    # Sort by article, then by reading class (0 to 2); the stable sort keeps offsets ascending within a class.
    by = np.argsort(article * 3 + later, kind="stable")
    article, lengths, relevant = article[by], (right - left)[by], relevant[by]
    begins = np.flatnonzero(np.concatenate(([True], article[1:] != article[:-1]))) if len(article) else article
    return Segments(article, lengths, relevant, begins, article[begins])


def _end(view: TopicView, found: Articles, number: int) -> int:
    judgement = found.passages.judged[number]
    if judgement is None:
        return 0
    if view.settings.official and judgement.lines:
        return judgement.lines[0].length
    if judgement.length is not None:
        return judgement.length
    known = view.settings.resolver.length(judgement.doc) if view.settings.resolver is not None else None
    return known or (int(judgement.intervals[-1, 1]) if len(judgement.intervals) else 0)


@dataclass(frozen=True, slots=True)
class TextRead:
    """Amount of text read of each article when reading stops: (n,) relevant and other characters."""

    relevant: Floats
    other: Floats


def read_until(s: Segments, n: int, tolerance: int) -> TextRead:
    """Return the text read up to the ``tolerance``-th non-relevant character, or to the end."""
    other = np.where(s.relevant, 0, s.lengths)
    good = s.lengths - other
    # A segment that begins before the limit is read; a non-relevant one may be cut at the limit.
    reads = s.read_before(other) < tolerance
    got_good, got_bad = np.zeros(n), np.zeros(n)
    np.add.at(got_good, s.article[reads], good[reads])
    np.add.at(got_bad, s.article[reads], other[reads])
    return TextRead(got_good, np.minimum(got_bad, tolerance))


def read_first(s: Segments, n: int, characters: int) -> TextRead:
    """Return the text read within the first min(characters, length) characters."""
    before = s.read_before(s.lengths)
    part = np.clip(characters - before, 0, s.lengths)  # the last segment is read in part
    got_good, got_bad = np.zeros(n), np.zeros(n)
    np.add.at(got_good, s.article, np.where(s.relevant, part, 0))
    np.add.at(got_bad, s.article, np.where(s.relevant, 0, part))
    return TextRead(got_good, got_bad)


_EXACT = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, 64))))


def harmonic_span(n: Int64s, m: Int64s) -> Floats:
    """Return H(n + m) - H(n), the sum of 1/k over n < k <= n + m, to full precision.

    >>> harmonic_span(np.array([0, 2]), np.array([2, 1])).tolist()
    [1.5, 0.33333333333333326]
    >>> float(abs(harmonic_span(np.array([100]), np.array([3]))[0] - (1 / 101 + 1 / 102 + 1 / 103))) < 1e-16
    True
    """
    # Exact sums for k < 64. The rest is an asymptotic series of differences, since H(n + m) - H(n) would cancel digits.
    low = np.minimum(n + m, len(_EXACT) - 1)
    start = np.minimum(n, low)
    small: Floats = _EXACT[low] - _EXACT[start]
    from_ = np.maximum(n, low).astype(np.float64)
    rest = (n + m - np.maximum(n, low)).astype(np.float64)
    a, b = np.maximum(from_, 1.0), np.maximum(from_ + rest, 1.0)
    # H(b) - H(a) = ln(b / a) + (1/b - 1/a) / 2 + further terms; log1p keeps small differences exact.
    tail = np.log1p(rest / a) - rest / (2 * a * b) + _series(a) - _series(b)
    return small + np.where(rest > 0, tail, 0.0)


def _series(x: Floats) -> Floats:
    """Return the terms of the asymptotic expansion of ln x - H(x) + γ + 1/(2x)."""
    y: Floats = 1 / (x * x)
    return y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y / 240)))


def average_precision(s: Segments, n: int) -> Floats:
    """Return, per article, the mean precision at its relevant characters (aveChP).

    A relevant segment of L characters follows N characters, of which R are relevant. Its precisions (R + k) / (N + k),
    k = 1..L, sum to L - (N - R) (H(N + L) - H(N)).
    """
    good = np.where(s.relevant, s.lengths, 0)
    before, good_before = s.read_before(s.lengths), s.read_before(good)
    # Closed form of the docstring, so the cost depends on segments and not on characters.
    sums = good - (before - good_before) * harmonic_span(before, good)
    total, characters = np.zeros(n), np.zeros(n)
    np.add.at(total, s.article, np.where(s.relevant, sums, 0.0))
    np.add.at(characters, s.article, good)
    return ratio(total, characters)


def first_relevant(s: Segments, n: int) -> Floats:
    """Return, per article, the position (from 1) of the first relevant character; inf if there is none."""
    position = np.full(n, np.inf)
    before = s.read_before(s.lengths)
    np.minimum.at(position, s.article[s.relevant], before[s.relevant] + 1.0)
    return position
