"""Post-filter from scores to reading results: sizes, returnable parts, results per document [QUERY, section 13].

It only removes results: scores and statistics are those of all elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.matching.candidates import Candidates
from trix.query.matching.joins import member, numbers
from trix.query.options import Options
from trix.query.ranking.organise import STRATEGIES, CutDocument, organise
from trix.query.ranking.overlap_filter import collapsed
from trix.query.ranking.returnable import fitting, quiet_candidates
from trix.query.restrict import Restriction
from trix.support.arrays import Int32s, Ints, Mask
from trix.support.lru_cache import LruFunction

ONLY_QUIET = "found only in parts that are not returned where there is anything else, as headers and references"
FEW_OF_EACH = "of one document no more than {} results are shown; `per_document` all may give more"
LEFT_OUT = "headers, references and the like match, too; `quiet_parts` returns them"


def of_quiet_parts(found: int, returnable: int, top: int | None) -> str | None:
    """Notice for results hidden in non-returnable parts."""
    if not returnable:
        return ONLY_QUIET if found else None
    # No notice where the list is full without them.
    return LEFT_OUT if returnable < (found if top is None else min(found, top)) else None


def few_of_each(options: Options, shown: int, counts: Callable[[], Ints]) -> str | None:
    """Notice for a short list, caused by the preset's limit per document.

    `counts` has the number of results shown by document.
    """
    most, top = options.per_document, options.top
    if most is None or options.puts_off or "per_document" not in options.preset.decides:
        return None
    # A list of the requested length lacks nothing.
    if top is not None and shown >= top:
        return None
    return FEW_OF_EACH.format(most) if (counts() >= most).any() else None


def reasons(options: Options, *, has_quiet: bool, is_structured: bool) -> tuple[str, ...]:
    """Return the reasons that can keep a matching element out of the results, at any length of the list.

    Parameters
    ----------
    options
        Options of the search.
    has_quiet
        Whether the profile has non-returnable parts.
    is_structured
        Whether the query names elements, so that results may overlap by default.
    """
    strategy = options.strategy or ("thorough" if is_structured else "focused")
    # Only limits that really hold are named.
    rule = STRATEGIES[strategy] if options.overlap is None else options.overlap
    limits = {
        "are larger or smaller": options.size is not None,
        "overlap": rule != "full",
        "lie in references or headers": has_quiet and not options.quiet_parts,
        "are further ones of their documents": strategy == "best-in-context"
        or (options.per_document is not None and not options.puts_off),
    }
    return tuple(reason for reason, holds in limits.items() if holds)


def of_others(shown: int, matched: int, reasons: Sequence[str]) -> str:
    """Explain in one line why matching elements are not shown; empty without such elements or reasons.

    >>> of_others(45, 477, ("are larger or smaller", "overlap", "lie in references or headers"))
    'the others are larger or smaller, overlap, or lie in references or headers'
    >>> of_others(45, 46, ("overlap", "are copies")), of_others(45, 45, ("overlap",))
    ('the others overlap, or are copies', '')
    """
    if matched <= shown or not reasons:
        return ""
    *most, last = reasons
    return f"the others {', '.join([*most, f'or {last}']) if most else last}"


class ScoredRanking(NamedTuple):
    """Ranked elements.

    Attributes
    ----------
    scored
        The scores after the post-filter.
    places
        Indices of the results among the candidates, in order.
    notice
        Notice on results that are left out; None for none.
    unfit
        Under grouping by document, the document that did not fit into the list.
    """

    scored: CandidateScores
    places: Int32s
    notice: str | None
    unfit: tuple[CutDocument, ...]


class PostFilter:
    """Post-filter over one index.

    Parameters
    ----------
    index
        The index.
    restriction
        Its filters and sort orders.

    Attributes
    ----------
    marks
        Ascending elements that begin (``quiet``) or end (``loud``) a non-returnable part.
    """

    def __init__(self, index: IndexFiles, restriction: Restriction) -> None:
        self._index, self._restriction = index, restriction
        self.marks: LruFunction[str, Int32s] = LruFunction(self._elements_of)

    def _elements_of(self, mark: str) -> Int32s:
        return numbers(self._index.marked(mark))

    def of(self, scored: CandidateScores) -> tuple[CandidateScores, str | None]:
        """Apply the post-filter of the options to scores; return them and a notice."""
        if scored.options.quiet_parts and scored.options.size is None:
            return scored, None
        keep, notice = self.returned(scored.candidates, scored.returned, scored.options)
        done = replace(scored.options, size=None, quiet_parts=True)
        return replace(scored, returned=keep, options=done), notice

    def ranking(self, scored: CandidateScores) -> ScoredRanking:
        """Rank scored elements after the post-filter."""
        unfit: list[CutDocument] = []
        scored, notice = self.of(self._restriction.of(scored))
        return ScoredRanking(scored, self.rank(scored, unfit.append), notice, tuple(unfit))

    def rank(self, scored: CandidateScores, unfit: Callable[[CutDocument], None] | None = None) -> Int32s:
        """Return the indices of the results, in order; `unfit` receives the document that did not fit."""
        # Both filters leave the options when they are applied, so a second call changes nothing.
        scored, _ = self.of(self._restriction.of(scored))
        options = scored.options

        def rank(top: int | None, of_each: int | None) -> Int32s:
            return organise(
                scored.candidates,
                scored.scores,
                strategy=options.strategy or ("thorough" if scored.structured else "focused"),
                overlap=options.overlap,
                top=top,
                root_scores=scored.s,
                fetch=options.fetch,
                keep=scored.returned,
                unfit=unfit,
                per_document=of_each,
            )

        # With a sort order all results are ranked, since any may come first.
        top = None if options.sort else options.top
        places = collapsed(rank, options.per_document, options.spread if options.puts_off else None, top)
        if not options.sort:
            return places  # else all were ranked, and the first ones of the new order are the results
        elements, scores = scored.candidates.element[places], scored.scores[places]
        return places[self._restriction.sorted(options.sort, elements, scores)][: options.top]

    def few_of_each(self, scored: CandidateScores, places: Int32s) -> str | None:
        """Return the notice for a list that is short because of the limit per document; None for none."""
        return few_of_each(scored.options, len(places), lambda: np.bincount(scored.candidates.root[places]))

    def returned(self, candidates: Candidates, keep: Mask | None, options: Options) -> tuple[Mask | None, str | None]:
        """Select the candidates that may be returned, None for all; return a notice on the others.

        Parameters
        ----------
        candidates
            n elements.
        keep
            ``(n,)`` candidates that may be returned so far; None for all.
        options
            Only `quiet_parts` and `size` are used.
        """
        notice = None
        if not options.quiet_parts and self._index.profile.quiet:
            # Where nothing else matches, the parts themselves are returned: better than no result.
            returnable = ~quiet_candidates(
                candidates, self._marked(candidates, "quiet"), self._marked(candidates, "loud")
            )
            returnable = returnable if keep is None else returnable & keep
            # Counted before the filter of sizes, which has no notice of its own.
            found, count = len(candidates) if keep is None else np.count_nonzero(keep), np.count_nonzero(returnable)
            notice = of_quiet_parts(int(found), int(count), options.top)
            keep = returnable if count else keep
        if options.size is not None:
            table = self._index.elements
            table.printed_of(candidates.element)
            # After the parts: the nearest size of a document is that of its returnable candidates.
            keep = fitting(candidates, table.length[candidates.element], options.size, keep)
        return keep, notice

    def _marked(self, candidates: Candidates, mark: str) -> Mask:
        return member(candidates.element, self.marks(mark))
