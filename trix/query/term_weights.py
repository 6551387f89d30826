"""The weights of a query's terms in each candidate, by the model and the signs, and by how words are spelt there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import Floats
from trix.query.language.terms import Keys, Query, Term, own_spelling
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList, frequencies, term_list
from trix.query.options import Options
from trix.query.scoring.models import MODELS, Extent, Statistics
from trix.query.scoring.spelling import prefer_own
from trix.query.scoring.weights import times

Spelt = Mapping[Keys, NDArray[np.bool_]]
"""Of terms that have several spellings: which candidates have the one that was asked for."""


def own_spellings(index: IndexFiles, terms: Mapping[Keys, TermList], candidates: Candidates) -> Spelt:
    """Return which candidates have the spelling that was asked for, of single words that have others too."""
    found: dict[Keys, NDArray[np.bool_]] = {}
    for keys in terms:
        if own := own_spelling(keys):
            found[keys] = frequencies(candidates, [term_list(index, Term(own))])[0][0] > 0
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
