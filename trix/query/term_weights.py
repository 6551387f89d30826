"""The weights of a query's terms in each candidate, by the model and the signs, and by how words are spelt there.

Where *Müller* also finds *Muller*, the weight w of the term in an element becomes (w + 2·e·r) / 3, where e is 1 if
the element has the word as it was asked for, else 0, and r is the greatest weight in any candidate, less the least one
where that is negative. So for a query of one word every element with its own spelling is before all others, and within
both kinds the order is as it was. Where no candidate has that spelling, weights stay as they are: who types without
accents asks for no less.
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
    """Return weights by which those who have the spelling that was asked for come first.

    Parameters
    ----------
    weights : (n,) ndarray
        Without a sign.
    own : (n,) ndarray of bool
        Which of these have the word as it was asked for.
    r
        That of all candidates, of which one has that spelling, where these are only some; None where they are all.

    Examples
    --------
    >>> prefer_own(np.array([0.8, 0.2, 0.6]), np.array([False, True, True])).round(3).tolist()
    [0.267, 0.6, 0.733]
    """
    if r is None and not own.any():
        return weights
    found: Floats = (weights + 2 * own * (span_of(weights) if r is None else r)) / 3
    return found


def span_of(weights: Floats) -> float:
    """Return r: the greatest weight, less the least one where that is negative."""
    return float(weights.max(initial=0.0) - weights.min(initial=0.0))


Spelt = Mapping[Keys, tuple[Mask, float | None]]
"""Of terms that have several spellings: which candidates have the one that was asked for; r, see `prefer_own`."""


def own_spellings(
    index: IndexFiles,
    terms: Mapping[Keys, TermList],
    candidates: Candidates,
    r: Callable[[Keys], float | None] | None = None,
) -> Spelt:
    """Return which candidates have the spelling that was asked for, of single words that have others too.

    Parameters
    ----------
    index, terms, candidates
        The index, the lists of the terms, and candidates that hold any of them.
    r
        Gives r of a word, None where no candidate has its own spelling; where these are not all candidates.
    """
    found: dict[Keys, tuple[Mask, float | None]] = {}
    for keys in terms:
        if own := own_spelling(keys):
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
    made |= {keys: prefer_own(made[keys], *own) for keys, own in (spelt or {}).items()}
    how = model.combination(options.combine)
    rows = [times(model.signed(made[term.keys], term.sign), term.weight, how) for term in query.terms]
    return np.stack(rows) if rows else np.zeros((0, extent.xi_c.size))
