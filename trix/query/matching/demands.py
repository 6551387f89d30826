"""What signs and operators demand of an element: a condition on the terms that it holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.language.logic import And
from trix.query.language.terms import Condition, Not, Term
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import frequencies, term_list


def satisfied(index: IndexFiles, candidates: Candidates, condition: Condition, phrases: str) -> NDArray[np.bool_]:
    """Return at which candidates a condition holds; exact or not, phrases as in the options of a search."""
    if isinstance(condition, Term):
        return np.asarray(frequencies(candidates, [term_list(index, condition, phrases)])[1][0] > 0)
    if isinstance(condition, Not):
        return ~satisfied(index, candidates, condition.condition, phrases)
    join = np.logical_and if isinstance(condition, And) else np.logical_or
    return np.asarray(join.reduce([satisfied(index, candidates, part, phrases) for part in condition.parts]))
