"""Few results of one document among the first ones; what is put off follows [QUERY, section 13]."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int32]


def spread_out(
    rank: Callable[[int | None, int | None], Places], most: int | None, first: int | None, top: int | None
) -> Places:
    """Return a ranking whose first results are at most so many of one document, and after them the others in order.

    Parameters
    ----------
    rank
        Gives the ranking cut to a number of results, and to a number of each document; None for no limit.
    most
        The greatest number of results of one document; None for no limit.
    first
        Among how many. Where there are not as many, the others follow sooner; None for all, so that nothing follows.
    top
        Greatest number of results; None for no limit.

    Examples
    --------
    >>> documents = np.array([7, 7, 7, 8, 7])
    >>> def rank(top, of_each):
    ...     kept = [p for p in range(5) if of_each is None or sum(documents[:p] == documents[p]) < of_each]
    ...     return np.array(kept[:top], np.int32)
    >>> spread_out(rank, 1, 2, None).tolist(), spread_out(rank, 2, 10, 4).tolist()
    ([0, 3, 1, 2, 4], [0, 1, 3, 2])
    """
    if most is None or first is None:
        return rank(top, most)
    head = rank(first if top is None else min(first, top), most)
    if head.size == top:
        return head
    rest = rank(top, None)
    rest = rest[~np.isin(rest, head)]
    return np.concatenate([head, rest if top is None else rest[: top - head.size]])
