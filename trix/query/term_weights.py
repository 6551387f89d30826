"""Weights of a query's terms in each candidate: model, signs, and preference for the exact spelling.

Where *Müller* also finds *Muller*, the weight w of the term becomes (w + 2·e·r) / 3. e is 1 if the element has the
exact spelling, else 0. r is the greatest weight in any candidate, less the least one if that is negative. So for a
query of one word, every element with the exact spelling comes before all others, and the order within both groups
stays. If no candidate has the exact spelling, weights stay as they are: a reader who types without accents wants all
spellings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.language.terms import Keys, Query, Term, own_spelling
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList, frequencies, term_list
from trix.query.options import Options
from trix.query.scoring.models import MODELS, Extent, Statistics
from trix.query.scoring.weights import times
from trix.support.arrays import Floats, Mask


def prefer_own(weights: Floats, own: Mask, r: float | None = None) -> Floats:
    """Boost elements that contain the exact spelling.

    Parameters
    ----------
    weights : (n,) ndarray
        Weights without a sign.
    own : (n,) ndarray of bool
        Elements with the exact spelling.
    r
        r over all candidates, if the weights are only some of theirs; None to compute it from the weights.

    Examples
    --------
    >>> prefer_own(np.array([0.8, 0.2, 0.6]), np.array([False, True, True])).round(3).tolist()
    [0.267, 0.6, 0.733]
    """
    # Without accents the typed spelling is in no document: all spellings are as good.
    if r is None and not own.any():
        return weights
    found: Floats = (weights + 2 * own * (span_of(weights) if r is None else r)) / 3
    return found


def span_of(weights: Floats) -> float:
    """Return r: the greatest weight, less the least one if that is negative."""
    return float(weights.max(initial=0.0) - weights.min(initial=0.0))


Spelt = Mapping[Keys, tuple[Mask, float | None]]
"""Term with several spellings -> candidates with the typed spelling, and r (see `prefer_own`)."""


def own_spellings(
    index: IndexFiles,
    terms: Mapping[Keys, TermList],
    candidates: Candidates,
    r: Callable[[Keys], float | None] | None = None,
) -> Spelt:
    """Return the candidates with the exact spelling, for single words that also match others.

    Parameters
    ----------
    index, terms, candidates
        The index, the posting lists of the terms, and candidates that hold any of them.
    r
        r by word, if these are not all candidates; None for a word whose exact spelling no candidate has.
    """
    found: dict[Keys, tuple[Mask, float | None]] = {}
    for keys in terms:
        if own := own_spelling(keys):
            # r is that of all candidates: the weights of a few must not depend on which few.
            of_all = r(keys) if r else None
            if r is None or of_all is not None:
                found[keys] = frequencies(candidates, [term_list(index, Term(own))])[0][0] > 0, of_all
    return found


def signed_weights(
    query: Query, options: Options, statistics: Mapping[Keys, Statistics], extent: Extent, spelt: Spelt | None = None
) -> Floats:
    """Return the signed weights of the terms, in written order, in some candidates."""
    model = MODELS[options.model]
    made = {keys: model.weigh(each, extent, options) for keys, each in statistics.items()}
    # Before signs: a root or a minus applies to the preferred weight.
    made |= {keys: prefer_own(made[keys], *own) for keys, own in (spelt or {}).items()}
    how = model.combination(options.combine)
    # A row a term in written order, so that sums add in the same order as everywhere.
    rows = [times(model.signed(made[term.keys], term.sign), term.weight, how) for term in query.terms]
    return np.stack(rows) if rows else np.zeros((0, extent.xi_c.size))
