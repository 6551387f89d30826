"""Thread-safe caches: LRU caches of bounded size, and properties computed once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from threading import Lock, RLock
from typing import Any, Generic, Self, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")


class LruCache(Generic[K, V]):
    """LRU cache of values.

    Parameters
    ----------
    size
        Largest number of values, or largest sum of their weights.
    weigh
        Returns the weight of a value.
    """

    def __init__(self, size: int = 32, weigh: Callable[[V], int] = lambda _: 1) -> None:
        self._size, self._weigh, self._sum = size, weigh, 0
        self._values: dict[K, V] = {}
        self._lock = Lock()

    def known(self, key: K) -> V | None:
        """Return the value of a key, and mark it as used; None if it is not cached."""
        with self._lock:
            if key not in self._values:
                return None
            value = self._values[key] = self._values.pop(key)  # the dict's order is that of use
            return value

    def keep(self, key: K, value: V) -> None:
        """Store a value, unless another thread was faster."""
        with self._lock:
            if key not in self._values:
                self._sum += self._weigh(value)
                self._values[key] = value
            while self._sum > self._size and len(self._values) > 1:
                self._sum -= self._weigh(self._values.pop(next(iter(self._values))))


class LruFunction(LruCache[K, V]):
    """LRU cache of a function.

    Parameters
    ----------
    make
        Computes the value of a key.
    size
        Largest number of values, or largest sum of their weights.
    weigh
        Returns the weight of a value.

    Examples
    --------
    >>> made = []
    >>> square = LruFunction(lambda x: made.append(x) or x * x, size=2)
    >>> [square(2), square(3), square(2), square(4), square(2), square(3)], made
    ([4, 9, 4, 16, 4, 9], [2, 3, 4, 3])
    >>> letters = LruFunction(lambda letter: 2 * letter, size=6, weigh=len)
    >>> [letters(each) for each in ("ab", "c", "d")], letters.known("ab"), letters.known("d")
    (['abab', 'cc', 'dd'], None, 'dd')
    """

    def __init__(self, make: Callable[[K], V], size: int = 32, weigh: Callable[[V], int] = lambda _: 1) -> None:
        super().__init__(size, weigh)
        self._make = make

    def __call__(self, key: K) -> V:
        """Return the value of a key, from the cache or computed. Errors of `make` are passed on."""
        with self._lock:
            if key in self._values:
                value = self._values[key] = self._values.pop(key)
                return value
        value = self._make(key)
        self.keep(key, value)
        return value


class OnceProperty(cached_property[V]):
    """``functools.cached_property`` whose value is computed once, even if several threads ask for it at once.

    From Python 3.12 on the standard one has no lock, and each thread may get a value of its own. Use this one for
    objects that are filled later, so that all threads see what one of them fills in.

    Examples
    --------
    >>> class Table:
    ...     @OnceProperty
    ...     def rows(self):
    ...         return []
    >>> table = Table()
    >>> table.rows is table.rows, table.rows
    (True, [])
    """

    def __init__(self, func: Callable[[Any], V]) -> None:
        super().__init__(func)
        self._once = RLock()

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> V: ...
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Self | V:
        """Return the value, computing it under a lock if it is missing."""
        # After the first time the instance's dictionary answers, and this method is not called.
        with self._once:
            return super().__get__(instance, owner)
