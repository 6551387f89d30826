"""A memory of what was worked out lately, which a server that is asked for anything must not let grow."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """Keeps the values that were asked for last.

    Parameters
    ----------
    make
        Works out the value of a key.
    size
        Greatest number of values.

    Examples
    --------
    >>> made = []
    >>> square = Recent(lambda x: made.append(x) or x * x, size=2)
    >>> [square(2), square(3), square(2), square(4), square(2), square(3)], made
    ([4, 9, 4, 16, 4, 9], [2, 3, 4, 3])
    """

    def __init__(self, make: Callable[[K], V], size: int = 32) -> None:
        self._make, self._size = make, size
        self._values: dict[K, V] = {}
        self._lock = Lock()

    def __call__(self, key: K) -> V:
        """Return the value of a key; what `make` raises is raised."""
        with self._lock:
            if key in self._values:
                value = self._values[key] = self._values.pop(key)  # the dict's order is that of use
                return value
        value = self._make(key)
        with self._lock:
            self._values[key] = value
            if len(self._values) > self._size:
                del self._values[next(iter(self._values))]
        return value
