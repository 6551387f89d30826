"""Reader of the arguments of a context form, with errors that name the form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from trix.errors import UsageError, did_you_mean
from trix.query.context.form import format_number
from trix.query.language.levels import parse_level
from trix.support.setting_types import whole

LARGEST = 1e12
"""Numbers stay below this, so that sums and products of weights and scores cannot overflow."""

VECTOR = 1e300
"""Largest absolute weight of a vector, so that sums of weights stay finite."""

ADHOC = "adhoc:PATH=WEIGHT,PATH,...,f=F"
"""How a context of paths is written."""

_MOST = 1_000_000_000
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class FormText:
    """A form being read: its text, for messages, and its arguments."""

    def __init__(self, text: str, name: str, args: str) -> None:
        self.text, self.name, self.args = text, name, args

    def fail(self, what: str, expected: str) -> NoReturn:
        raise UsageError(f"{what}; {expected}", field="context", got=self.text)

    def fail_of(self, error: UsageError) -> NoReturn:
        """Raise the error of a level or path inside the form."""
        reason = error.about(error.field) if error.field else error.reason
        raise UsageError(reason, field="context", got=self.text) from None

    def number(self, key: str, text: str, low: float = 0.0, high: float = LARGEST) -> float:
        """Read a number between low and high."""
        shown = f"{key}={text}" if key else f"'{text}'"
        limits = f"from {_shown(low)} to {_shown(high)}"
        if not _NUMBER.fullmatch(text):
            self.fail(f"{shown} is not a number", f"expected a number {limits}, such as 1.5 or 1e-5")
        # The pattern comes first: float() would also read words such as inf and nan.
        value = float(text)
        if not low <= value <= high:
            self.fail(f"{shown} is out of range", f"expected a number {limits}")
        return value + 0.0  # -0 and 0 are one value, with one text

    def weights(self, text: str) -> tuple[float, ...]:
        """Read the weights of a vector, with commas; they may be negative."""
        return tuple(self.number("", part.strip(), -VECTOR, VECTOR) for part in text.split(","))

    def pairs(self, *keys: str) -> dict[str, str]:
        """Read KEY=VALUE,... in any order, each key once."""
        # Pairs in written order. A level is the last: its text may have commas and equal signs of its own.
        found: dict[str, str] = {}
        for part in self.args.split(",") if self.args else ():
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if key == "level" and key in keys:
                found["level"] = self.args[self.args.index("level") :].partition("=")[2].strip()
                if not found["level"]:
                    self.fail("level has no value", "expected level=LEVEL, as level=minor:sec+ss1")
                break
            if key not in keys:
                what = f"unknown key '{key}'" if equals else f"'{part.strip()}' is not KEY=NUMBER"
                self.fail(what + did_you_mean(key, keys), one_of(keys))
            if not equals or not value:
                self.fail(f"{key} has no value", f"expected {key}=NUMBER")
            if key in found:
                self.fail(f"{key} is given twice", "expected each key once")
            found[key] = value
        return found

    def values(self, args: str | None = None, **readers: Reader) -> dict[str, Any]:
        """Read KEY=VALUE,... in any order, each value by the reader of its key.

        >>> FormText("vertical:f=2,all=1", "vertical", "f=2,all=1").values(f=number(), p=number(), all=switch)
        {'all': True, 'f': 2.0}
        """
        form = self if args is None else FormText(self.text, self.name, args)
        given = form.pairs(*readers)
        # Errors come in a fixed order, whatever the order of the keys.
        order = [*(key for key in ("level", "all") if key in readers), *readers]
        return {key: readers[key](form, key, given[key]) for key in dict.fromkeys(order) if key in given}


Reader = Callable[[FormText, str, str], Any]
"""Makes a value of a key and its text, or fails as `FormText.fail` does."""


def number(low: float = 0.0, high: float = LARGEST) -> Reader:
    """Return the reader of a number between low and high."""
    return lambda form, key, text: form.number(key, text, low, high)


def count(form: FormText, key: str, text: str, low: int = 0) -> int:
    """Read a number of elements."""
    # Bounded, so that sums of ordinals cannot overflow.
    number = whole(text)
    if number is None or not low <= number <= _MOST:
        shown = f"{key}={text}" if key else f"'{text}'"
        form.fail(f"{shown} is no number of elements", f"expected a whole number from {low}")
    return number


def switch(form: FormText, key: str, text: str) -> bool:
    """Read 0 or 1."""
    if text not in ("0", "1"):
        form.fail(f"{key}={text} is no switch", f"expected {key}=0 or {key}=1")
    return text == "1"


def level(form: FormText, key: str, text: str) -> str:
    """Read a level as its canonical text; any other text is a name that the profile of the index may define."""
    # Names are resolved when the form is bound to an index.
    if not text.startswith(("/", "(", "minor:", "major:")):
        return text
    try:
        return str(parse_level(text))
    except UsageError as error:
        form.fail_of(error)


def _shown(limit: float) -> str:
    return format_number(limit).replace("e+", "e") if limit != LARGEST else "1e12"


def one_of(known: Sequence[str]) -> str:
    """Format the expected choices.

    >>> one_of(["none", "root", "tower"])
    'expected none, root or tower'
    """
    *most, last = known
    return f"expected {', '.join(most)}{' or ' if most else ''}{last}"
