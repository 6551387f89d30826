"""The weights of a query's terms in each candidate, by the model and the signs, and by how words are spelt there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.indexer.words.joint import exact
from trix.query.language.terms import Keys, Query, Term
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList, frequencies, term_list
from trix.query.options import Options
from trix.query.scoring.models import MODELS, Extent, Statistics
from trix.query.scoring.weights import times
from trix.support.arrays import Floats, Mask


def prefer_own(weights: Floats, own: Mask) -> Floats:
    """Return weights by which those who have the spelling that was asked for come first.

    Parameters
    ----------
    weights : (n,) ndarray
        Without a sign.
    own : (n,) ndarray of bool
        Which candidates have the word as it was asked for.

    Examples
    --------
    >>> prefer_own(np.array([0.8, 0.2, 0.6]), np.array([False, True, True])).round(3).tolist()
    [0.267, 0.6, 0.733]
    """
    if not own.any():
        return weights
    span: Any = weights.max(initial=0.0) - weights.min(initial=0.0)
    found: Floats = (weights + 2 * own * span) / 3
    return found


Spelt = Mapping[Keys, Mask]
"""Of terms that have several spellings: which candidates have the one that was asked for."""


def own_spellings(index: IndexFiles, terms: Mapping[Keys, TermList], candidates: Candidates) -> Spelt:
    """Return which candidates have the spelling that was asked for, of single words that have others too."""
    found: dict[Keys, Mask] = {}
    for keys in terms:
        if len(keys) == 1 and isinstance(keys[0], str) and exact(keys[0]) != keys[0]:
            own = term_list(index, Term((exact(keys[0]),)))
            found[keys] = frequencies(candidates, [own])[0][0] > 0
    return found


def signed_weights(
    query: Query, options: Options, statistics: Mapping[Keys, Statistics], extent: Extent, spelt: Spelt | None = None
) -> Floats:
    """Return the signed weights of the terms, in written order, in some candidates."""
    model = MODELS[options.model]
    made = {keys: model.weigh(each, extent, options) for keys, each in statistics.items()}
    made |= {keys: prefer_own(made[keys], own) for keys, own in (spelt or {}).items()}
    how = model.combination(options.combine)
    rows = [times(model.signed(made[term.keys], term.sign), term.weight, how) for term in query.terms]
    return np.stack(rows) if rows else np.zeros((0, extent.xi_c.size))
