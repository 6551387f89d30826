"""Size classes of results in characters [I, figure 1]."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

EDGES = (100, 1_000, 10_000, 100_000)
"""A class ends before each of these numbers of characters; the last one is open."""

CLASSES = ("below 100", "100 to 999", "1,000 to 9,999", "10,000 to 99,999", "100,000 or more")


def size_names(count: int) -> list[str]:
    """Return the names of the size classes among the first results.

    >>> size_names(100)[0]
    'size below 100 @100'
    """
    return [f"size {name} @{count}" for name in CLASSES]


def size_shares(lengths: NDArray[Any], count: int) -> dict[str, float | None]:
    """Return the proportion of each size class among the lengths of the first results; None without results.

    >>> [size_shares(np.array([5, 2000, 99, 100]), 10)[name] for name in size_names(10)]
    [0.5, 0.25, 0.25, 0.0, 0.0]
    """
    names = size_names(count)
    if not len(lengths):
        return dict.fromkeys(names)
    return {name: float(number) / len(lengths) for name, number in zip(names, class_counts(lengths), strict=True)}


def class_counts(lengths: ArrayLike) -> list[int]:
    """Return the number of lengths in each size class.

    >>> class_counts([5, 2000, 99, 100])
    [2, 1, 1, 0, 0]
    """
    places = np.searchsorted(EDGES, np.asarray(lengths, np.int64), side="right")
    counts: list[int] = np.bincount(places, minlength=len(CLASSES)).tolist()
    return counts
