"""The spelling that was asked for comes first.

Where *Müller* also finds *Muller*, the weight w of the term in an element becomes (w + 2·e·r) / 3, where e is 1 if
the element has the word as it was asked for, else 0, and r is the greatest weight in any candidate, less the least one
where that is negative. So for a query of one word every element with its own spelling is before all others, and within
both kinds the order is as it was. Where no candidate has that spelling, weights stay as they are: who types without
accents asks for no less.
"""

from __future__ import annotations

from typing import Any

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
