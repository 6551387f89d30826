"""What signs and operators demand of an element: a condition on the terms that it holds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from trix.indexer.store.files import IndexFiles
from trix.query.language.logic import And
from trix.query.language.terms import Condition, Keys, Not, Term
from trix.query.matching.candidates import Candidates
from trix.query.matching.matching import TermList, frequencies, term_list


def satisfied(
    index: IndexFiles, candidates: Candidates, condition: Condition, phrases: str, known: Mapping[Keys, TermList]
) -> NDArray[np.bool_]:
    """Return at which candidates a condition holds.

    Parameters
    ----------
    index, candidates, condition
        Where, of what, and what is asked.
    phrases
        As in the options of a search.
    known
        Lists of terms that need not be looked up.
    """
    if isinstance(condition, Term):
        of = known.get(condition.keys) or term_list(index, condition, phrases)
        return np.asarray(frequencies(candidates, [of])[1][0] > 0)
    if isinstance(condition, Not):
        return ~satisfied(index, candidates, condition.condition, phrases, known)
    join = np.logical_and if isinstance(condition, And) else np.logical_or
    return np.asarray(join.reduce([satisfied(index, candidates, part, phrases, known) for part in condition.parts]))
