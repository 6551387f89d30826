"""Builder of a `Rankings` from result rows: columns per topic, sorted by rank, without repeated documents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from sys import intern

import numpy as np

from trix.eval.data.runs import UNKNOWN, Ranking, Rankings, join, order_by_rank
from trix.eval.formats.reading.lines import Faults, in_range


@dataclass(slots=True)
class _Columns:
    docs: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    lasts: dict[int, str] = field(default_factory=dict)
    parts: list[Ranking] = field(default_factory=list)
    located: bool = False
    pathed: bool = False

    def drop(self, rows: set[int]) -> None:
        kept = [row for row in range(len(self.docs)) if row not in rows]
        self.lasts = {at: self.lasts[row] for at, row in enumerate(kept) if row in self.lasts}
        for name in ("docs", "paths", "starts", "ends", "scores", "ranks", "lines", "blocks"):
            column = getattr(self, name)
            column[:] = [column[row] for row in kept]


class RunBuilder:
    """Collects rows in file order, topic by topic or mixed; `finish` returns the run.

    Parameters
    ----------
    faults
        Handler of bad rows.
    name
        Run id; the first row's id if empty.
    """

    def __init__(self, faults: Faults, name: str = "") -> None:
        self.faults, self.name = faults, name
        self._topics: dict[str, _Columns] = {}
        self._ids: dict[str, str] = {}
        self._last = ""
        self._block: dict[str, int] = {}
        self._current: _Columns | None = None
        self._current_block = 0

    def topic(self, topic: str) -> None:
        """Add a topic, even if it has no rows."""
        self._enter(topic)

    def _enter(self, topic: str) -> _Columns:
        columns = self._topics.get(topic)
        if columns is None:
            columns = self._topics[topic] = _Columns()
        if topic != self._last or self._current is None:
            self._block[topic] = self._current_block = self._block.get(topic, -1) + 1
            self._last, self._current = topic, columns
        return columns

    def add(
        self,
        topic: str,
        doc: str,
        *,
        path: str = "",
        last: str = "",
        start: int | None = None,
        end: int | None = None,
        score: float = float("nan"),
        rank: int | None = None,
        line: int = 0,
    ) -> None:
        """Add one row; offsets are in characters, half open. ``start == end == -1`` is a passage without offsets."""
        columns = self._current if topic == self._last and self._current is not None else self._enter(topic)
        columns.docs.append(self._ids.setdefault(doc, doc))
        columns.scores.append(score)
        columns.ranks.append(-1 if rank is None else rank)
        columns.lines.append(line)
        columns.blocks.append(self._current_block)
        if last:
            columns.lasts[len(columns.paths)] = last
        columns.pathed = columns.pathed or path != ""
        columns.paths.append(intern(path))
        if start is None or end is None:
            start = end = UNKNOWN
        else:
            columns.located = True
        columns.starts.append(start)
        columns.ends.append(end)

    def extend(self, topic: str, part: Ranking) -> None:
        """Add consecutive rows of one topic; a run is built by `extend` alone or by `add` alone."""
        columns = self._enter(topic)
        part.docs = list(map(self._ids.setdefault, part.docs, part.docs))
        part.blocks = np.full(len(part), self._current_block, np.int64)
        columns.parts.append(part)

    def finish(self) -> Rankings:
        """Return the run, sorted by rank, with notices about moved and dropped rows."""
        run = Rankings(name=self.name or "run", source=self.faults.source)
        reasons: dict[str, int] = {}
        scattered = sum(blocks > 0 for blocks in self._block.values())
        if scattered:
            topics = f"{scattered} topic{'s' * (scattered > 1)}"
            run.notices.append(f"{run.source}: {topics} in several blocks of lines, joined")
        for topic, columns in self._topics.items():
            self._limit(topic, columns)
            ranking = self._without_duplicates(topic, _ranking(columns))
            ordered = order_by_rank(ranking)
            if ordered.file_order is not None:
                run.file_order[topic] = ordered.file_order
            for reason in ordered.notices:
                reasons[reason] = reasons.get(reason, 0) + 1
            run.rankings[topic] = ordered.ranking
        for reason, count in reasons.items():
            run.order_notices.append(f"{run.source}: {count} topic{'s' * (count > 1)}: {reason}")
        run.notices.extend(run.order_notices)
        run.notices.extend(self.faults.notices())
        return run

    def _limit(self, topic: str, columns: _Columns) -> None:
        """Report rows with ranks or offsets that are too large, and drop them."""
        if not columns.docs:
            return
        numbers = (columns.ranks, columns.starts, columns.ends)
        if all(in_range(min(column), max(column)) for column in numbers):
            return
        bad = [row for row, found in enumerate(zip(*numbers, strict=True)) if not in_range(*found)]
        for row in bad:
            self.faults(f"topic {topic}: a rank, an offset or a length is too large", columns.lines[row])
        columns.drop(set(bad))

    def _without_duplicates(self, topic: str, ranking: Ranking) -> Ranking:
        """Report repeated documents and drop them.

        Repeated parts of documents are left to the measures [INEX 5.4, 5.8].
        """
        keys = ranking.docs
        parts = ranking.paths is not None or ranking.starts is not None or ranking.lasts is not None
        if parts or len(set(keys)) == len(keys):
            return ranking
        seen: dict[str, int] = {}
        kept = []
        for row, key in enumerate(keys):
            if key in seen:
                first = ranking.line(seen[key])
                self.faults(f"topic {topic}: {key} is returned twice (first at line {first})", ranking.line(row))
            else:
                seen[key] = row
                kept.append(row)
        return ranking.take(kept)


def _ranking(columns: _Columns) -> Ranking:
    if columns.parts:
        joined = join(columns.parts)
        return joined if joined.blocks is not None and joined.blocks[-1] > 0 else replace(joined, blocks=None)
    ranks = np.array(columns.ranks, np.int64)
    scores = np.array(columns.scores, np.float64)
    blocks = np.array(columns.blocks, np.int64)
    return Ranking(
        columns.docs,
        columns.paths if columns.pathed else None,
        np.array(columns.starts, np.int64) if columns.located else None,
        np.array(columns.ends, np.int64) if columns.located else None,
        None if bool(np.isnan(scores).any()) else scores,
        None if bool((ranks < 0).any()) else ranks,
        np.array(columns.lines, np.int64),
        blocks if len(blocks) and blocks[-1] > 0 else None,
        [columns.lasts.get(row, "") for row in range(len(columns.docs))] if columns.lasts else None,
    )
