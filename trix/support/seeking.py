"""A place among ascending numbers, for compiled loops that ask for one after the other."""

from __future__ import annotations

from typing import Any

from trix.support.backend import kernel


@kernel
def seek(numbers: Any, at: Any, least: Any) -> Any:
    """Return the place of the first of ascending numbers that is not below another, beginning to look at a place."""
    size = numbers.size
    low, high = at, at
    if at > 0 and numbers[at - 1] >= least:  # it lies behind
        step = 1
        while low > 0 and numbers[low - 1] >= least:
            high = low - 1
            low = max(low - step, 0)
            step *= 2
    else:
        step = 1
        while high < size and numbers[high] < least:
            low = high + 1
            high = min(high + step, size)
            step *= 2
    while low < high:
        middle = (low + high) // 2
        if numbers[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low
