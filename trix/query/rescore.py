"""Contextualisation of runs made by any system [RETRIEVAL, section 10; II].

Basic scores may come from anywhere: elements of a run have the scores of the run, and all other elements have s = 0,
which counts in denominators. Only elements of the run are returned, plus those that a form with ``all=1`` adds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_to_bytes

import numpy as np

from trix.errors import UsageError
from trix.indexer.store.files import IndexFiles
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import candidates_of, whole_documents
from trix.query.naming.names import Finder
from trix.query.options import Options
from trix.query.ranking.organise import organise
from trix.query.ranking.overlap_filter import collapsed
from trix.query.readable import PostFilter
from trix.query.restrict import Restriction
from trix.settings import SETTINGS
from trix.support.arrays import Floats, Int32s
from trix.support.element_path import cuts


@dataclass(frozen=True)
class RunScores:
    """Scores of a run for the elements of one topic.

    Attributes
    ----------
    elements : (k,) ndarray of int32
        Ascending element numbers.
    s : (k,) ndarray of float64
    """

    elements: Int32s
    s: Floats


@dataclass(frozen=True)
class RescoredTopic:
    """One topic's elements with contextualised scores.

    Attributes
    ----------
    candidates
        Elements of the run and their ancestors; with ``all=1`` whole documents.
    scores : (n,) ndarray places : ndarray of int32
        Indices of the results, in order.
    returned
        Number of elements with a score.
    """

    candidates: Candidates
    scores: Floats
    places: Int32s
    returned: int


def rescore(
    index: IndexFiles, given: RunScores, options: Options, restriction: Restriction | None = None
) -> RescoredTopic | None:
    """Contextualise and organise the elements of one topic; None if there are none.

    Parameters
    ----------
    index
        The index that holds the elements.
    given
        The scores of the run.
    options
        Only those of `trix.settings.RescoreSettings` are used.
    restriction
        Fields of documents, for options with a filter.
    """
    if not given.elements.size:
        return None
    # A run names elements; context needs their ancestors, too, which have a score of 0 then.
    candidates = candidates_of(index, given.elements)
    if options.context.all:
        candidates = whole_documents(index, candidates)
    # All elements of the run are candidates, so each is found.
    own = np.searchsorted(candidates.element, given.elements)
    s = np.zeros(len(candidates))
    s[own] = given.s
    in_run = np.zeros(len(candidates), bool)
    in_run[own] = True
    # Elements of the run match; the others do not, whatever their context.
    scores = options.context.apply(candidates, s, in_run)
    returned = options.context.scored(candidates, in_run)
    if options.where is not None:
        of_fields = restriction or Restriction(index)
        returned = returned & of_fields.holds(options.where, options.accents, candidates.element)
    keep = PostFilter(index, restriction or Restriction(index)).returned(candidates, returned, options)[0]

    def rank(top: int | None, of_each: int | None) -> Int32s:
        return organise(
            candidates,
            scores,
            strategy=options.strategy or SETTINGS["strategy"].default_on("rescore"),
            overlap=options.overlap,
            top=top,
            root_scores=s,
            fetch=options.fetch,
            keep=keep,
            per_document=of_each,
        )

    places = collapsed(rank, options.per_document, options.spread if options.puts_off else None, options.top)
    return RescoredTopic(candidates, scores, places, int(returned.sum()))


class RunReader:
    """Resolver of the elements of a run in an index.

    Parameters
    ----------
    index
        The index.
    run
        Topic -> ranking, as `trix.eval.data.runs.Rankings`.

    Attributes
    ----------
    notices : list of str
        Dropped or assumed results, one line each.
    dropped : int
        Number of results that name no element of the index.
    """

    def __init__(self, index: IndexFiles, run: Mapping[str, Any]) -> None:
        self.index, self.run = index, run
        self._finder = Finder(index)
        self.notices: list[str] = []
        self._lost: dict[str, tuple[int, str]] = {}  # reason -> rows that name no element, and the first of them
        self._documents: dict[str, int] = {}
        self.elements = {topic: np.full(len(ranking), -1, np.int64) for topic, ranking in run.items()}
        self._find()
        self.dropped = sum(count for count, _ in self._lost.values())
        for reason, (count, first) in self._lost.items():
            results = "1 result" if count == 1 else f"{count} results"
            self.notices.append(f"{results} dropped, {reason}; the first: {first}")

    def topics(self) -> Iterator[tuple[str, RunScores]]:
        """Yield the scores of each topic, in the order of the run."""
        unscored, below = [], []
        for topic, ranking in self.run.items():
            if ranking.scores is None:
                unscored.append(topic)
                scores = 1.0 / np.arange(1, len(ranking) + 1)
            else:
                scores = ranking.scores
            found = np.flatnonzero(self.elements[topic] >= 0)
            # A document and its root element are one: the better place counts.
            elements, first = np.unique(self.elements[topic][found], return_index=True)
            s = scores[found[first]]
            if not np.isfinite(s).all():
                raise UsageError(f"topic {topic}: a score is not finite; expected numbers")
            if (s < 0).any():
                below.append(topic)
            yield topic, RunScores(elements.astype(np.int32), s)
        if unscored:
            self.notices.append(f"no scores in {_topics(unscored)}; 1/rank stands for them")
        if below:
            where = _topics(below)
            self.notices.append(f"scores below 0 in {where}; elements that are not in the run have 0, which is more")

    def _find(self) -> None:
        """Find the element number of every row, document by document over all topics."""
        # Rows grouped by document: topics return to the same documents, whose blocks and children are then at hand.
        wanted: dict[int, list[tuple[str, int, str]]] = {}
        for topic, ranking in self.run.items():
            for row, doc in enumerate(ranking.docs):
                path = ranking.paths[row] if ranking.paths is not None else ""
                shown = f"topic {topic}, {doc}{path}"
                if not path and ranking.starts is not None and ranking.starts[row] != ranking.ends[row]:
                    self._lose("passages, not elements", shown)
                    continue
                if ranking.lasts is not None and ranking.lasts[row]:
                    self._lose("ranges of elements", shown)
                    continue
                document, rest = self._document(doc, path)
                if document < 0:
                    self._lose("their documents are not in the index", shown)
                else:
                    wanted.setdefault(document, []).append((topic, row, rest))
        for document in sorted(wanted):
            for topic, row, path in wanted[document]:
                number = self._finder.element(document, path)
                if number < 0:
                    where = f"topic {topic}, {self.index.ids[document]}{path}"
                    self._lose("their paths are not in the index", where)
                self.elements[topic][row] = number

    def _lose(self, reason: str, row: str) -> None:
        count, first = self._lost.get(reason, (0, row))
        self._lost[reason] = count + 1, first

    def _document(self, doc: str, path: str) -> tuple[int, str]:
        """Return (document number or -1, path) of a row; formats escape blanks and stray bytes of ids as ``%XX``."""
        if doc not in self._documents:
            number = self.index.document(doc)
            # As written first: an id may have a percent sign.
            if number < 0 and "%" in doc:
                number = self.index.document(unquote_to_bytes(doc).decode("utf-8", "surrogateescape"))
            self._documents[doc] = number
        if self._documents[doc] < 0 and not path and "/@" in doc:
            # An attribute's path ends without a position, by which readers of columns tell where a path begins.
            head, _, name = doc.rpartition("/@")
            # The shortest id that the index has; the rest is the path.
            for begin, rest in reversed(list(cuts(head))):
                if begin and rest and (number := self.index.document(begin)) >= 0:
                    return number, f"{rest}/@{name}[1]"
        return self._documents[doc], path


def _topics(topics: list[str]) -> str:
    return f"topic {topics[0]}" if len(topics) == 1 else f"{len(topics)} topics, the first {topics[0]}"
