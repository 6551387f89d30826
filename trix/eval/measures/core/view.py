"""View of one topic of one run for measures: judgements, ranking, settings and cached results."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from trix.errors import UsageError
from trix.eval.data.qrels import TopicJudgements
from trix.eval.data.quantisation import Quantisation
from trix.eval.data.runs import Ranking
from trix.eval.formats.reading.lines import Faults, Notices

T = TypeVar("T")


class DocumentResolver(Protocol):
    """Resolver of elements to offsets and word counts, such as an index or a folder of sources."""

    def span(self, doc: str, path: str) -> tuple[int, int] | None:
        """Return the offsets of an element, or of an XPointer, in characters, half open; None if unknown."""

    def length(self, doc: str) -> int | None:
        """Return the length of a document in characters; None if unknown."""

    def words(self, doc: str, path: str) -> int | None:
        """Return the number of words in an element; None if unknown."""

    def word_span(self, doc: str, path: str) -> tuple[int, int] | None:
        """Return the word positions of an element in its document, half open; None if unknown."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of an evaluation, for all topics.

    Attributes
    ----------
    official
        Behave as the official INEX tool, including its quirks [INEX 5.8].
    trec_ties
        Sort as trec_eval: score descending, then unit descending.
    ties
        Treat results of equal rank, or of equal score, as tied.
    resolver
        Source of offsets, lengths and words.
    sizes
        (document, path) -> words, if assessments and resolver have none.
    positions
        (document, path) -> (first word, word after the last) in the document.
    elements
        Number of elements (or units) in the collection, N.
    mean_length
        Mean length of the judged documents in characters, for BEPD; NaN if unknown.
    quantisations
        The user's own quantisations by name.
    unit_form
        Type of the units of plain grades.
    """

    official: bool = False
    trec_ties: bool = False
    ties: Literal["rank", "score"] = "rank"
    resolver: DocumentResolver | None = None
    sizes: Mapping[tuple[str, str], float] | None = None
    positions: Mapping[tuple[str, str], tuple[int, int]] | None = None
    elements: float | None = None
    mean_length: float = float("nan")
    quantisations: Mapping[str, Quantisation] = field(default_factory=dict)
    unit_form: Literal["documents", "elements"] = "documents"


@dataclass(slots=True, eq=False)
class TopicView:
    """One topic of one run.

    Attributes
    ----------
    topic
        Topic id.
    judged, ranking
        Its assessments and results.
    settings
        Settings of the evaluation.
    depth
        Length of vectors over ranks: that of the run's longest ranking.
    faults
        Handler of results that a measure cannot use.
    notices
        Repairs by measures.
    """

    topic: str
    judged: TopicJudgements
    ranking: Ranking
    settings: Settings = field(default_factory=Settings)
    depth: int = 0
    faults: Faults = field(default_factory=lambda: Faults("run"))
    notices: Notices = field(default_factory=lambda: Notices("run"))
    _done: dict[Hashable, Any] = field(default_factory=dict)

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the cached value of a key; `make` computes it on first use."""
        if key not in self._done:
            self._done[key] = make()
        value: T = self._done[key]
        return value

    def distinct(self) -> TopicView:
        """Return the topic without repeated elements; each of them is reported as a fault."""
        return self.memo("distinct", self._distinct) or self

    def _distinct(self) -> TopicView | None:
        ranking = self.ranking
        if ranking.paths is None:
            return None
        lasts, units = ranking.lasts or [""] * len(ranking), ranking.units()
        first: dict[tuple[str, str], int] = {}
        kept = []
        for row, key in enumerate(zip(units, lasts, strict=True)):
            passage = ranking.starts is not None and not ranking.paths[row]
            if passage or first.setdefault(key, row) == row:
                kept.append(row)
                continue
            line = ranking.line(first[key])
            where = f" (first at line {line})" if line else ""
            self.faults(f"topic {self.topic}: {key[0]} is returned twice{where}", ranking.line(row))
        if len(kept) == len(ranking):
            return None
        return TopicView(
            self.topic, self.judged, ranking.take(kept), self.settings, self.depth, self.faults, self.notices
        )

    def size(self, doc: str, path: str) -> float:
        """Return the size of an element: as assessed, else from the settings, else its number of words in the document.

        Raises
        ------
        UsageError
            The size is not known.
        """
        element = self.judged.element(doc, path)
        if element is not None and element.size is not None:
            return float(element.size)
        known = (self.settings.sizes or {}).get((doc, path))
        if known is None and (span := (self.settings.positions or {}).get((doc, path))):
            known = span[1] - span[0]
        if known is None and self.settings.resolver is not None:
            known = self.settings.resolver.words(doc, path)
        if known is None:
            raise UsageError(
                f"topic {self.topic}: the size of {doc}{path} is not known; "
                "give sizes (document, path, words) or an index"
            )
        return float(known)

    def mean_length(self) -> float:
        """Return the mean length of a document in characters, of the collection, else of the judged documents."""
        of_collection = getattr(self.settings.resolver, "mean_length", None)
        return self.settings.mean_length if of_collection is None else float(of_collection())

    def position(self, doc: str, path: str) -> tuple[int, int]:
        """Return the word positions of an element in its document, half open.

        Raises
        ------
        UsageError
            The position is not known.
        """
        known = (self.settings.positions or {}).get((doc, path))
        if known is None and self.settings.resolver is not None:
            known = self.settings.resolver.word_span(doc, path)
        if known is None:
            raise UsageError(
                f"topic {self.topic}: the position of {doc}{path} is not known; "
                "give positions (document, path, first word, word after the last) or an index"
            )
        return known
