"""A memory of what was worked out lately, which a server that is asked for anything must not let grow."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Keeps the values that were asked for last.

    Parameters
    ----------
    size
        Greatest number of values, or greatest sum of what `weigh` says of them.
    weigh
        How much of the size a value takes.
    """

    def __init__(self, size: int = 32, weigh: Callable[[V], int] = lambda _: 1) -> None:
        self._size, self._weigh, self._sum = size, weigh, 0
        self._values: dict[K, V] = {}
        self._lock = Lock()

    def known(self, key: K) -> V | None:
        """Return the value of a key if it is kept, as one that was asked for."""
        with self._lock:
            if key not in self._values:
                return None
            value = self._values[key] = self._values.pop(key)  # the dict's order is that of use
            return value

    def keep(self, key: K, value: V) -> None:
        """Keep a value, unless another thread was faster."""
        with self._lock:
            if key not in self._values:
                self._sum += self._weigh(value)
                self._values[key] = value
            while self._sum > self._size and len(self._values) > 1:
                self._sum -= self._weigh(self._values.pop(next(iter(self._values))))


class Recent(Kept[K, V]):
    """Keeps the values that were asked for last, and works out those that it does not have.

    Parameters
    ----------
    make
        Works out the value of a key.
    size
        Greatest number of values, or greatest sum of what `weigh` says of them.
    weigh
        How much of the size a value takes.

    Examples
    --------
    >>> made = []
    >>> square = Recent(lambda x: made.append(x) or x * x, size=2)
    >>> [square(2), square(3), square(2), square(4), square(2), square(3)], made
    ([4, 9, 4, 16, 4, 9], [2, 3, 4, 3])
    >>> letters = Recent(lambda letter: 2 * letter, size=6, weigh=len)
    >>> [letters(each) for each in ("ab", "c", "d")], letters.known("ab"), letters.known("d")
    (['abab', 'cc', 'dd'], None, 'dd')
    """

    def __init__(self, make: Callable[[K], V], size: int = 32, weigh: Callable[[V], int] = lambda _: 1) -> None:
        super().__init__(size, weigh)
        self._make = make

    def __call__(self, key: K) -> V:
        """Return the value of a key; what `make` raises is raised."""
        with self._lock:
            if key in self._values:
                value = self._values[key] = self._values.pop(key)
                return value
        value = self._make(key)
        self.keep(key, value)
        return value
