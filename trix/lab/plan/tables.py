"""Strict reader of TOML tables: unknown keys and wrong types are one-line errors with the table and key."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

from trix.errors import UsageError, did_you_mean


class TableReader:
    """Reader of one table of an experiment file.

    Parameters
    ----------
    file
        File name for messages.
    place
        The table's name, as ``[split]``; empty for the file itself.
    data
        Content of the table.

    Examples
    --------
    >>> table = TableReader("a.toml", "[split]", {"kind": "folds", "folds": 5})
    >>> table.text("kind", "none", known=("none", "folds")), table.whole("folds", 2, low=2)
    ('folds', 5)
    """

    def __init__(self, file: str, place: str, data: Any) -> None:
        self.file, self.place = file, place
        if not isinstance(data, Mapping):
            self.fail(f"expected a table, found {_shown(data)}")
        self.data: Mapping[str, Any] = data

    def fail(self, what: str) -> NoReturn:
        """Raise a UsageError that names file and table."""
        raise UsageError(f"{self.file}{': ' if self.place else ''}{self.place}: {what}")

    def only(self, known: Collection[str]) -> None:
        """Raise UsageError for unknown keys."""
        for key in self.data:
            if key not in known:
                self.fail(f"unknown key {key}{did_you_mean(key, known)}; known are {', '.join(known)}")

    def need(self, key: str) -> Any:
        """Return a required value."""
        if key not in self.data:
            self.fail(f"the key {key} is missing")
        return self.data[key]

    def _value(self, key: str, default: Any, holds: Callable[[Any], bool], expected: str) -> Any:
        """Return a value that satisfies the check; a key without a default is required."""
        value = self.need(key) if default is None else self.data.get(key, default)
        if not holds(value):
            self.fail(f"{key} = {_shown(value)}: expected {expected}")
        return value

    def text(self, key: str, default: str | None = None, known: Collection[str] = ()) -> str:
        """Return a text; if `known` is given, one of these."""
        value: str = self._value(key, default, _is_text, "a text")
        if known and value not in known:
            self.fail(f"{key} = {_shown(value)}: expected one of {', '.join(known)}{did_you_mean(value, known)}")
        return value

    def texts(self, key: str, default: Collection[str] = ()) -> tuple[str, ...]:
        """Return a text or a list of texts as a tuple."""
        texts = self._value(
            key,
            list(default),
            lambda value: _is_text(value) or (isinstance(value, list) and all(map(_is_text, value))),
            "a text or a list of texts",
        )
        return (texts,) if isinstance(texts, str) else tuple(texts)

    def whole(self, key: str, default: int | None = None, low: int = 0) -> int:
        """Return a whole number of at least ``low``."""
        number: int = self._value(key, default, lambda value: type(value) is int and value >= low, _WHOLE.format(low))
        return number

    def switch(self, key: str, default: bool = False) -> bool:
        """Return true or false."""
        value: bool = self._value(key, default, lambda value: isinstance(value, bool), "true or false")
        return value

    def number(self, key: str) -> float:
        """Return a finite number."""
        return float(self._value(key, None, is_number, "a number"))

    def table(self, key: str) -> TableReader:
        """Return a nested table; an empty one if it is missing."""
        return TableReader(self.file, f"{self.place[:-1]}.{key}]" if self.place else f"[{key}]", self.data.get(key, {}))


_WHOLE = "a whole number, {} or more"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != ""


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _shown(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."
