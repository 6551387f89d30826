"""Frozen dataclasses that a process has quickly.

`dataclasses.dataclass` writes six functions for each frozen class and compiles them, a third of a millisecond; a search
is a process of its own and loads a hundred classes. Here one function is written for each class, ``__init__``; what
compares, hashes and shows its values is shared. That nobody assigns to them is held by the type checker, to which this
is the decorator of the standard library. What users get from the library is made by that one.

It is used like that one:

>>> @dataclass(frozen=True)
... class Place:
...     tag: str
...     number: int = 1
>>> Place("sec"), Place("sec") == Place("sec", 1), len({Place("sec"), Place("sec", 1), Place("p")})
(Place(tag='sec', number=1), True, 2)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        *, frozen: bool, eq: bool = True, slots: bool = False, kw_only: bool = False
    ) -> Callable[[type], type]:
        """Return what makes a class a frozen dataclass."""
        if not frozen:
            raise TypeError("trix.values.dataclass: frozen=True is expected")

        def made(cls: type) -> type:
            return _shared(dataclasses.dataclass(eq=False, repr=False, slots=slots, kw_only=kw_only)(cls), eq)

        return made


def _shared(cls: Any, eq: bool) -> type:
    """Give a dataclass what compares, hashes and shows its values, as far as it has none of its own."""
    written = cls.__dict__
    if "__repr__" not in written:
        cls.__repr__ = _shown
    if eq:
        own = _values([field.name for field in dataclasses.fields(cls) if field.compare])

        def same(self: object, other: object) -> Any:
            return own(self) == own(other) if other.__class__ is self.__class__ else NotImplemented

        def hashed(self: object) -> int:
            return hash(own(self))

        if "__eq__" not in written:
            cls.__eq__ = same
        if written.get("__hash__") is None:
            cls.__hash__ = hashed
    return cls  # type: ignore[no-any-return]


def _values(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return what takes some values from an object; as a tuple also where there is one, or none."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda self: ()
    one = attrgetter(*names)
    return lambda self: (one(self),)


def _shown(self: Any) -> str:
    shown = (f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"
