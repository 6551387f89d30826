"""From scores to what a reader gets: elements of a size to be read, so many of a document [QUERY, section 13].

It takes results away and changes nothing else: scores and statistics are those of all elements.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.matching.candidates import Candidates
from trix.query.options import Options
from trix.query.ranking.organise import CutDocument, organise
from trix.query.ranking.sizes import fitting
from trix.query.restrict import Restriction

Mask = NDArray[np.bool_]


class Readable:
    """Restricts what is returned of an index.

    Parameters
    ----------
    index
        The index.
    restriction
        Its filters and sort orders.
    """

    def __init__(self, index: IndexFiles, restriction: Restriction) -> None:
        self._index, self._restriction = index, restriction

    def rank(self, scored: CandidateScores, unfit: Callable[[CutDocument], None] | None = None) -> NDArray[np.int32]:
        """Return the places of the results in order; `unfit` is told which document did not fit."""
        scored = self._restriction.of(scored)
        options = scored.options
        places = organise(
            scored.candidates,
            scored.scores,
            strategy=options.strategy or ("thorough" if scored.structured else "focused"),
            overlap=options.overlap,
            top=None if options.sort else options.top,
            root_scores=scored.s,
            fetch=options.fetch,
            keep=self.returned(scored.candidates, scored.returned, options),
            unfit=unfit,
            per_document=options.per_document,
        )
        if not options.sort:
            return places  # else all were ranked, and the first ones of the new order are the results
        elements, scores = scored.candidates.element[places], scored.scores[places]
        return places[self._restriction.sorted(options.sort, elements, scores)][: options.top]

    def returned(self, candidates: Candidates, keep: Mask | None, options: Options) -> Mask | None:
        """Return which candidates may be returned, None for all.

        Parameters
        ----------
        candidates
            n elements.
        keep
            ``(n,)`` which of them may be returned for other reasons; None for all.
        options
            Their `size` counts.
        """
        if options.size is None:
            return keep
        table = self._index.elements
        table.printed_of(candidates.element)
        return fitting(candidates, table.length[candidates.element], options.size, keep)
