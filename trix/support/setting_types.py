"""Types of settings: validation, parsing and formatting of values, with one wording for errors.

A type takes the value that a program passes and reads the text that a user types. Both raise ValueError with a message
that begins with "expected"; the caller adds the name of the setting.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from numbers import Real
from typing import Any, NoReturn

from trix.errors import did_you_mean


def whole(text: str) -> int | None:
    """Parse a whole number of up to 15 digits; return None for any other text.

    `str.isdigit` is not sufficient before `int`, since it accepts superscripts and thousands of digits.

    >>> whole("15"), whole("²"), whole(""), whole("9" * 5000)
    (15, None, None, None)
    """
    return int(text) if re.fullmatch(r"[0-9]{1,15}", text) else None


class SettingType:
    """Base class of the types.

    Attributes
    ----------
    expected
        Description of legal values, for messages.
    metavar
        Placeholder of the value in help texts.
    """

    expected: str
    metavar: str

    def take(self, value: Any) -> Any:
        """Validate a value that a program passes, and return it in its normal form."""
        raise NotImplementedError

    def read(self, text: str) -> Any:
        """Parse a text."""
        return self.take(text)

    def show(self, value: Any) -> str:
        """Format a value so that `read` can parse it."""
        return str(value)

    def fail(self, hint: str = "") -> NoReturn:
        """Raise ValueError with the description of legal values."""
        raise ValueError(f"expected {self.expected}{hint}")


class Choice(SettingType):
    """One of several names, in any case.

    >>> Choice("SSCAS", "VVCAS").read("vvcas")
    'VVCAS'
    >>> Choice("average", "sum").read("sun")
    Traceback (most recent call last):
    ValueError: expected one of average, sum (did you mean sum?)
    """

    def __init__(self, *names: str) -> None:
        self.names = names
        self.expected = f"one of {', '.join(names)}"
        self.metavar = "|".join(names)

    def take(self, value: Any) -> str:
        """Return the matching name."""
        folded = {name.casefold(): name for name in self.names}
        name = str(value).casefold()
        if name not in folded:
            self.fail(did_you_mean(name, self.names))
        return folded[name]


class Number(SettingType):
    """A finite number of a range, including its ends unless `inside` is set.

    >>> Number(0, 1).read("0.1")
    0.1
    >>> Number(0, 1).take(1.5)
    Traceback (most recent call last):
    ValueError: expected a number from 0 to 1
    >>> Number(0, inside=True).expected, Number(0, 1e12).expected
    ('a number above 0', 'a number from 0 to 1e12')
    """

    metavar = "NUMBER"

    def __init__(self, low: float, high: float = math.inf, *, inside: bool = False) -> None:
        self.low, self.high, self.inside = low, high, inside
        if high < math.inf:
            between, to = ("between", "and") if inside else ("from", "to")
            self.expected = f"a number {between} {low:g} {to} {high:g}".replace("e+", "e")
        else:
            self.expected = f"a number above {low:g}" if inside else f"a number of {low:g} or more"

    def take(self, value: Any) -> int | float:
        """Return a Python number, also for numpy numbers."""
        number = value.item() if isinstance(value, Real) and hasattr(value, "item") else value
        if not isinstance(number, int | float) or isinstance(number, bool) or not abs(number) <= sys.float_info.max:
            self.fail()
        if not (self.low < number < self.high if self.inside else self.low <= number <= self.high):
            self.fail()
        return number

    def read(self, text: str) -> float:
        """Parse a number without the underscores that Python allows."""
        try:
            number = float(text) if "_" not in text else math.nan
        except ValueError:
            number = math.nan
        return self.take(number)

    def show(self, value: Any) -> str:
        """Return the shortest form of the number."""
        return f"{value:g}"


class Whole(SettingType):
    """A whole number of 1 or more; with `limitless`, also ``all``, which becomes None.

    >>> Whole().read("5"), Whole(limitless=True).read("all")
    (5, None)
    >>> Whole(limitless=True).take(0)
    Traceback (most recent call last):
    ValueError: expected a whole number of 1 or more, or all
    """

    metavar = "N"

    def __init__(self, *, limitless: bool = False) -> None:
        self.limitless = limitless
        self.expected = f"a whole number of 1 or more{', or all' if limitless else ''}"

    def take(self, value: Any) -> int | None:
        """Return a Python number, also for numpy numbers."""
        if self.limitless and (value is None or value == "all"):
            return None
        number = value.item() if isinstance(value, Real) and hasattr(value, "item") else value
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            self.fail()
        return number

    def read(self, text: str) -> int | None:
        """Parse digits, or ``all``."""
        return self.take(text if (number := whole(text.removeprefix("+"))) is None else number)

    def show(self, value: Any) -> str:
        """Return the number, or ``all``."""
        return "all" if value is None else str(value)


class Size(Whole):
    """A number of bytes, also with ``k``, ``M`` or ``G`` for powers of 1000.

    >>> Size().read("300M"), Size().read("1.5G"), Size().read("4096")
    (300000000, 1500000000, 4096)
    """

    metavar = "SIZE"

    def __init__(self) -> None:
        super().__init__()
        self.expected = "a number of bytes, 1 or more, as 300M"

    def read(self, text: str) -> int | None:
        """Parse digits and a unit."""
        found = _SIZE.fullmatch(text)
        return self.take(round(float(found[1]) * _UNITS[found[2].lower()]) if found else text)


_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([kKmMgG]?)B?")


_SWITCHES = {"on": True, "yes": True, "true": True, "1": True, "off": False, "no": False, "false": False, "0": False}


class Switch(SettingType):
    """On or off.

    >>> Switch().read("Yes"), Switch().take(False)
    (True, False)
    """

    expected = "on or off"
    metavar = "on|off"

    def take(self, value: Any) -> bool:
        """Return a bool, also for numpy values and words such as ``yes``."""
        given = str(value).casefold()
        if given not in _SWITCHES:
            self.fail()
        return _SWITCHES[given]

    def show(self, value: Any) -> str:
        """Return on or off."""
        return "on" if value else "off"


class Text(SettingType):
    """Any non-empty text; the user of the setting interprets it."""

    def __init__(self, metavar: str, expected: str) -> None:
        self.metavar, self.expected = metavar, expected

    def take(self, value: Any) -> Any:
        """Return the text unchanged."""
        return value if isinstance(value, str) else self.fail()

    def read(self, text: str) -> str:
        """Return the text; reject blank ones."""
        return text if text.strip() else self.fail()


class TextList(Text):
    """One text or several; each is interpreted separately.

    >>> TextList("FORM", "a form or a list of forms").take(("root", "tower"))
    ['root', 'tower']
    """

    def take(self, value: Any) -> str | list[str]:
        """Return a text, or a list of texts."""
        if isinstance(value, str):
            return value
        texts = list(value) if isinstance(value, Iterable) else [value]
        return texts if all(isinstance(text, str) for text in texts) else self.fail()

    def show(self, value: Any) -> str:
        """Join the texts with blanks."""
        return value if isinstance(value, str) else " ".join(value)


class NameList(SettingType):
    """Names separated by commas, or a list of names.

    >>> NameList("NAME,...", "names").take("year, -score"), NameList("NAME,...", "names").show(["year", "journal"])
    (['year', '-score'], 'year,journal')
    >>> NameList("NAME,...", "names").read("year,,score")
    Traceback (most recent call last):
    ValueError: expected names
    """

    def __init__(self, metavar: str, expected: str) -> None:
        self.metavar, self.expected = metavar, expected

    def take(self, value: Any) -> list[str]:
        """Return a list of names."""
        given = value.split(",") if isinstance(value, str) else value
        if not isinstance(given, Iterable):
            self.fail()
        names = [name.strip() if isinstance(name, str) else "" for name in given]
        return names if names and all(names) else self.fail()

    def show(self, value: Any) -> str:
        """Join the names with commas."""
        return ",".join(self.take(value))


class ExpansionType(SettingType):
    """Query expansion: ``D:T``, or ``rm3:E:T:SHARE``; whole numbers from 1 to 500, the share from 0 to 1.

    >>> ExpansionType().take((7, 5)), ExpansionType().read("7:05"), ExpansionType().read("rm3:10:030:.50")
    ('7:5', '7:5', 'rm3:10:30:0.5')
    """

    metavar = "D:T"
    MOST = 500
    expected = (
        "D:T, feedback documents and new keys, as 7:5, or rm3:E:T:SHARE, elements, keys, weight of the query; "
        f"numbers up to {MOST}"
    )

    def take(self, value: Any) -> str:
        """Return the normal form of a text or of two numbers."""
        if isinstance(value, tuple | list) and len(value) == 2 and all(type(number) is int for number in value):
            value = "{}:{}".format(*value)
        whole = r"0*([1-9][0-9]{0,8})"
        spelt = re.fullmatch(rf"{whole}:{whole}|rm3:{whole}:{whole}:(0*1(?:\.0*)?|0*\.[0-9]+|0+\.?)", str(value))
        if not isinstance(value, str) or spelt is None:
            self.fail()
        if any(int(number) > self.MOST for number in spelt.groups()[:4] if number):
            self.fail()
        if spelt[1]:
            return f"{spelt[1]}:{spelt[2]}"
        return f"rm3:{spelt[3]}:{spelt[4]}:{float(spelt[5])!r}".removesuffix(".0")


class Range(SettingType):
    """Two whole numbers of 1 or more separated by a colon, one of which may be missing; ``any`` for no bounds.

    >>> Range("characters, as 150:6000").take((150, None)), Range("").read("0150:6000"), Range("").read("any")
    ('150:', '150:6000', ':')
    >>> Range("characters, as 150:6000").read("9:7")
    Traceback (most recent call last):
    ValueError: expected LOW:HIGH, characters, as 150:6000, either side may be empty; or any
    """

    metavar = "LOW:HIGH"

    def __init__(self, of: str) -> None:
        self.expected = f"LOW:HIGH, {of}, either side may be empty; or any"

    def take(self, value: Any) -> str:
        """Return the normal form of a text or of two numbers, one of which may be None."""
        if isinstance(value, tuple | list) and len(value) == 2:
            value = ":".join("" if bound is None else str(bound) for bound in value)
        if value == "any":
            return ":"
        spelt = (
            re.fullmatch(r"(?:0*([1-9][0-9]{0,8}))?:(?:0*([1-9][0-9]{0,8}))?", value)
            if isinstance(value, str)
            else None
        )
        if not spelt or (spelt[1] and spelt[2] and int(spelt[1]) > int(spelt[2])):
            self.fail()
        return f"{spelt[1] or ''}:{spelt[2] or ''}"

    def show(self, value: Any) -> str:
        """Return the bounds, or ``any``."""
        return "any" if value == ":" else str(value)
