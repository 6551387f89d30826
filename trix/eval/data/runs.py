"""In-memory run: for each topic a ranked list of documents, elements or passages.

A `Ranking` stores columns: ids as lists of strings, with repeated ids shared, and numbers as numpy arrays. The order of
the rows is the order of the ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1
"""Start and end of a passage without offsets."""


@dataclass(slots=True)
class Ranking:
    """Results of one topic, n rows.

    Attributes
    ----------
    docs
        Document ids.
    paths
        Normal element paths, empty for whole documents; None if no row has one.
    lasts
        Path of the last element if a row is a range of elements, or the end of a passage as an XPointer, else empty.
        None if no row has one.
    starts, ends
        (n,) int64 character offsets, half open. None if no row has them; a single row without them has `UNKNOWN` in
        both.
    scores, ranks
        (n,) float64 and int64, None if the source has none.
    lines
        (n,) int64 lines of the file, None if the run comes from memory.
    blocks
        (n,) int64 number of the row's block among the blocks of lines of this topic; None if there is one block.
    """

    docs: list[str]
    paths: list[str] | None = None
    starts: NDArray[np.int64] | None = None
    ends: NDArray[np.int64] | None = None
    scores: NDArray[np.float64] | None = None
    ranks: NDArray[np.int64] | None = None
    lines: NDArray[np.int64] | None = None
    blocks: NDArray[np.int64] | None = None
    lasts: list[str] | None = None
    _numbers: NDArray[np.int64] | None = field(default=None, init=False, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.docs)

    @classmethod
    def empty(cls) -> Ranking:
        """Return a ranking without results."""
        return cls([])

    def take(self, rows: NDArray[np.int64] | Sequence[int]) -> Ranking:
        """Return the given `rows`, in that order."""
        index = np.asarray(rows, np.int64)
        picks = index.tolist()

        def of(column: Any) -> Any:
            return [column[i] for i in picks] if isinstance(column, list) else None if column is None else column[index]

        return Ranking(**{name: of(getattr(self, name)) for name in COLUMNS})

    def units(self) -> list[str]:
        """Return the unit ids: each document id, directly followed by the path if there is one."""
        if self.paths is None:
            return self.docs
        return [doc + path for doc, path in zip(self.docs, self.paths, strict=True)]

    def numbers(self) -> NDArray[np.int64]:
        """Return the number of each row's document, from 0 in the order of first appearance; cached.

        >>> Ranking(["b", "a", "b"]).numbers().tolist()
        [0, 1, 0]
        """
        if self._numbers is None:
            number = dict(zip(dict.fromkeys(self.docs), range(len(self.docs)), strict=False))
            self._numbers = np.fromiter(map(number.__getitem__, self.docs), np.int64, len(self.docs))
            self._numbers.flags.writeable = False
        return self._numbers

    def line(self, row: int) -> int | None:
        """Return the line of the file for the row numbered `row`; None for a run from memory."""
        return None if self.lines is None else int(self.lines[row])

    def tie_groups(self, ties: Literal["rank", "score"] = "rank") -> NDArray[np.int64]:
        """Return the number of each row's tie group, from 0: rows of equal rank, or of equal score, as `ties` selects.

        Only adjacent rows can be tied. Without ranks (or scores) every row is its own group.

        >>> Ranking(["a", "b", "c"], ranks=np.array([1, 1, 2])).tie_groups().tolist()
        [0, 0, 1]
        """
        key: NDArray[np.generic] | None = self.ranks if ties == "rank" else self.scores
        if key is None or not len(self):
            return np.arange(len(self), dtype=np.int64)
        return np.concatenate(([0], np.cumsum(key[1:] != key[:-1]))).astype(np.int64)


COLUMNS = tuple(column.name for column in fields(Ranking) if column.init)
"""The columns of a ranking."""


def join(parts: Sequence[Ranking]) -> Ranking:
    """Concatenate rankings; a column that only some have is filled with -1 or the empty string.

    >>> join([Ranking(["a"], ["/x[1]"]), Ranking(["b"], scores=np.array([0.5]))]).paths
    ['/x[1]', '']
    """

    def column(name: str) -> Any:
        found = [getattr(part, name) for part in parts]
        if all(values is None for values in found):
            return None
        if any(isinstance(values, list) for values in found):
            return [text for part, texts in zip(parts, found, strict=True) for text in texts or [""] * len(part)]
        pairs = zip(parts, found, strict=True)
        return np.concatenate([np.full(len(part), -1) if values is None else values for part, values in pairs])

    return Ranking(**{name: column(name) for name in COLUMNS})


class ScoredUnit(NamedTuple):
    """Result in the form of ir_measures."""

    query_id: str
    doc_id: str
    score: float


@dataclass(slots=True)
class Rankings(Mapping[str, Ranking]):
    """A run: topic id -> ranking, in file order.

    Attributes
    ----------
    rankings
        Topic id -> ranking.
    name
        Run id.
    source
        Its file, for messages; empty for a run from memory.
    notices
        Repairs and omissions of the reader, one line each.
    file_order
        Topic id -> rows in the order of the file, for topics that the reader sorted by rank.
    order_notices
        The notices about the order of results.
    """

    rankings: dict[str, Ranking] = field(default_factory=dict)
    name: str = "run"
    source: str = ""
    notices: list[str] = field(default_factory=list)
    file_order: dict[str, NDArray[np.int64]] = field(default_factory=dict)
    order_notices: list[str] = field(default_factory=list)

    def __getitem__(self, topic: str) -> Ranking:
        return self.rankings[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rankings)

    def __len__(self) -> int:
        return len(self.rankings)

    columns: ClassVar = ("query_id", "doc_id", "score")

    def itertuples(self) -> Iterator[ScoredUnit]:
        """Yield a row per result; with `columns`, the part of a data frame that ir_measures reads.

        Only the first of several passages of a document counts. Without scores, they are derived from the order.
        """
        for topic, ranking in self.rankings.items():
            n, seen = len(ranking), set[str]()
            scores = range(n, 0, -1) if ranking.scores is None else ranking.scores.tolist()
            for unit, score in zip(ranking.units(), scores, strict=True):
                if unit not in seen:
                    seen.add(unit)
                    yield ScoredUnit(topic, unit, float(score))

    @property
    def form(self) -> Literal["documents", "elements", "passages"]:
        """Return the type of the results: passages if any has offsets, elements if any has a path, else documents."""
        rankings = self.rankings.values()
        if any(ranking.starts is not None for ranking in rankings):
            return "passages"
        return "elements" if any(ranking.paths is not None for ranking in rankings) else "documents"


class OrderedRanking(NamedTuple):
    """A ranking sorted by rank.

    Attributes
    ----------
    ranking
        The ranking.
    file_order
        The permutation back to the order of its file; None if no row moved.
    notices
        Notices about its order.
    """

    ranking: Ranking
    file_order: NDArray[np.int64] | None = None
    notices: tuple[str, ...] = ()


def order_by_rank(ranking: Ranking) -> OrderedRanking:
    """Sort a ranking by its ranks.

    Rows of equal rank are tied and keep file order. A column with a single rank may be meaningless: its rows stay tied,
    but are sorted by descending score for measures that ignore ties.
    """
    n = len(ranking)
    ranks, scores = ranking.ranks, ranking.scores
    if n < 2:
        return OrderedRanking(ranking)
    same = ranks is not None and bool((ranks == ranks[0]).all())
    if ranks is not None and not same:
        order, why = np.argsort(ranks, kind="stable"), SORTED.format("rank")
    elif scores is not None and bool((scores != scores[0]).any()):
        order, why = np.argsort(-scores, kind="stable"), SAME_RANKS if same else SORTED.format("score")
    else:
        return OrderedRanking(ranking)
    moved = bool((order != np.arange(n)).any())
    sorted_ = ranking.take(order) if moved else ranking
    messages = ((why,) if moved or same else ()) + ((CONTRADICTED,) if _contradicted(sorted_) else ())
    return OrderedRanking(sorted_, np.argsort(order) if moved else None, messages)


def _contradicted(ranking: Ranking) -> bool:
    """Return whether scores rise with the ranks in a ranking whose documents are not grouped.

    In a ranking grouped by document, in reading order, scores may rise. Nearly equal scores may rise too, since
    trec_eval does not see their last digits in single precision.
    """
    scores, ranks = ranking.scores, ranking.ranks
    if scores is None or ranks is None:
        return False
    rising = (scores[1:] > scores[:-1]) & (ranks[1:] > ranks[:-1])
    if not bool(rising.any()) or bool(np.isclose(scores[1:], scores[:-1], rtol=1e-6, atol=0)[rising].all()):
        return False
    docs = ranking.docs
    groups = 1 + sum(doc != before for doc, before in zip(docs[1:], docs, strict=False))
    return groups == len(docs) or groups != len(set(docs))


CONTRADICTED = "the scores contradict the ranks; the ranks count (trec_eval uses the scores: `trec_ties`)"
SORTED = "the lines were not in order, sorted by {}"
SAME_RANKS = "the ranks are all the same: one level, sorted by score (levels of equal scores: `ties` score)"
