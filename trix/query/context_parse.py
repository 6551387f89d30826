"""Context forms from text: ``NAME[:ARGS]``, chains ``A>B``, lists of forms [RETRIEVAL, section 5]."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import NoReturn

from trix.errors import UsageError
from trix.query.context_adhoc import AdHoc
from trix.query.context_form import Form, format_number
from trix.query.context_forms import CScore, Hierarchy, Tower, Vector, Vertical
from trix.query.context_horizontal import Horizontal
from trix.query.context_nexi import NexiSupport
from trix.query.levels_parse import parse_level
from trix.query.paths import Path
from trix.query.paths_parse import parse_path

LARGEST = 1e12
"""Numbers stay below this, so that sums and products of weights and scores cannot overflow."""

KINDS = ("parent", "root", "2xroot", "tower")

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def parse_form(text: str) -> Form:
    """Read one form.

    Raises
    ------
    UsageError
        If the name or a key is unknown, a key comes twice, or a value is not a number or out of its range.

    Examples
    --------
    >>> parse_form("vertical:f=1.75,p=0,a=0.25,r=0.75")
    Vertical(f=1.75, p=0.0, a=0.25, r=0.75, all=False)
    >>> str(parse_form("vector:1.5|1"))
    'root:1.5'
    """
    text = " ".join(text.split())
    name, colon, args = text.partition(":")
    name = name.strip()
    reader = _READERS.get(name)
    if reader is None:
        if not text:
            raise UsageError("--context: a form is empty; expected NAME[:ARGS], or 'none' for no context")
        raise UsageError(f"--context {text}: unknown form '{name}'; {_suggest(name, list(_READERS))}")
    form = _Text(text, name, args.strip())
    if colon and not form.args:
        form.fail("nothing follows the colon", f"expected {_USAGE[name]}")
    return reader(form)


class _Text:
    """A form being read: its text, for messages, and its arguments."""

    def __init__(self, text: str, name: str, args: str) -> None:
        self.text, self.name, self.args = text, name, args

    def fail(self, what: str, expected: str) -> NoReturn:
        raise UsageError(f"--context {self.text}: {what}; {expected}")

    def number(self, key: str, text: str, low: float = 0.0, high: float = LARGEST) -> float:
        """Read a number between low and high."""
        shown = f"{key}={text}" if key else f"'{text}'"
        limits = f"from {format_number(low)} to {'1e12' if high == LARGEST else format_number(high)}"
        if not _NUMBER.fullmatch(text):
            self.fail(f"{shown} is not a number", f"expected a number {limits}, such as 1.5 or 1e-5")
        value = float(text)
        if not low <= value <= high:
            self.fail(f"{shown} is out of range", f"expected a number {limits}")
        return value + 0.0  # -0 and 0 are one value, with one text

    def numbers(self, text: str) -> tuple[float, ...]:
        """Read a list with commas."""
        return tuple(self.number("", part.strip()) for part in text.split(","))

    def pairs(self, *keys: str) -> dict[str, str]:
        """Read KEY=VALUE,... in any order, each key once."""
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
                self.fail(what, _suggest(key, list(keys)))
            if not equals or not value:
                self.fail(f"{key} has no value", f"expected {key}=NUMBER")
            if key in found:
                self.fail(f"{key} is given twice", "expected each key once")
            found[key] = value
        return found

    def switch(self, pairs: dict[str, str]) -> bool:
        """Read all=0|1."""
        value = pairs.pop("all", "0")
        if value not in ("0", "1"):
            self.fail(f"all={value} is no switch", "expected all=0 or all=1")
        return value == "1"


def _plain(form: Form) -> Callable[[_Text], Form]:
    def read(text: _Text) -> Form:
        if text.args:
            text.fail(f"{text.name} takes no arguments, got '{text.args}'", f"expected {text.name}")
        return form

    return read


def _root(text: _Text) -> Form:
    return Vector(head=(text.number("", text.args) if text.args else 1.0,))


def _vector(text: _Text) -> Form:
    head, bar, tail = (part.strip() for part in text.args.partition("|"))
    if not head and not bar:
        text.fail("the weights are missing", f"expected {_USAGE['vector']}")
    return Vector(text.numbers(head) if head else (), text.numbers(tail) if bar else (1.0,))


def _vertical(text: _Text) -> Form:
    pairs = text.pairs("f", "p", "a", "r", "all")
    return Vertical(all=text.switch(pairs), **{key: text.number(key, value) for key, value in pairs.items()})


def _slider(widest: float, between: bool) -> Callable[[_Text], Form]:
    def read(text: _Text) -> Form:
        pairs = text.pairs("x", "f", "all")
        switch = text.switch(pairs)
        x = text.number("x", pairs.get("x", "0"), -widest, widest)
        return Hierarchy(x=x, f=text.number("f", pairs.get("f", "1")), all=switch, between=between)

    return read


def _cscore(text: _Text) -> Form:
    kind, comma, rest = (part.strip() for part in text.args.partition(","))
    if kind not in KINDS:
        text.fail(f"unknown kind '{kind}'" if kind else "the kind is missing", _suggest(kind, list(KINDS)))
    if comma and not rest:
        text.fail("nothing follows the comma", "expected all=1")
    options = _Text(text.text, text.name, rest)
    return CScore(kind, all=options.switch(options.pairs("all")))


def _horizontal(text: _Text) -> Form:
    pairs = text.pairs("alpha", "gamma", "f", "all", "level")
    level = _level(text, pairs.pop("level", "content"))
    switch = text.switch(pairs)
    alpha, gamma, f = (text.number(key, pairs.get(key, usual)) for key, usual in _PARABOLA.items())
    return Horizontal(alpha=alpha, gamma=gamma, f=f, all=switch, level=level)


_PARABOLA = {"alpha": "1e-5", "gamma": "0.025", "f": "1"}


def _level(text: _Text, level: str) -> str:
    """Return a level's canonical text; what is no definition is a name, known to the profile of the index."""
    if not level.startswith(("/", "(", "minor:", "major:")):
        return level
    try:
        return str(parse_level(level))
    except UsageError as error:
        raise UsageError(f"--context {text.text}: {str(error).removeprefix('--')}") from None


def _adhoc(text: _Text) -> Form:
    paths: list[tuple[Path, float]] = []
    rest = []
    for part in text.args.split(","):
        if not part.strip().startswith("/"):
            rest.append(part)
            continue
        path, equals, weight = (piece.strip() for piece in part.partition("="))
        try:
            paths.append((parse_path(path), text.number("", weight) if equals else 1.0))
        except UsageError as error:
            if str(error).startswith("path"):
                raise UsageError(f"--context {text.text}: {str(error).removeprefix('--')}") from None
            raise
    if not paths:
        text.fail("there is no path", f"expected {_USAGE['adhoc']}, each PATH with / in front")
    options = _Text(text.text, text.name, ",".join(rest))
    pairs = options.pairs("f", "all")
    switch = options.switch(pairs)
    return AdHoc(tuple(paths), f=text.number("f", pairs.get("f", "1")), all=switch)


def _nexi(text: _Text) -> Form:
    return NexiSupport(f=text.number("f", text.pairs("f").get("f", "1")))


_READERS: dict[str, Callable[[_Text], Form]] = {
    "none": _plain(Vector()),
    "parent": _plain(Vector(tail=(1.0, 1.0))),
    "root": _root,
    "tower": _plain(Tower(1)),
    "root+tower": _plain(Tower(2)),
    "vector": _vector,
    "vertical": _vertical,
    "cscore": _cscore,
    "hierarchy": _slider(1.5, between=True),
    "hierarchy2": _slider(1.0, between=False),
    "horizontal": _horizontal,
    "adhoc": _adhoc,
    "nexi": _nexi,
}

_USAGE = {
    "none": "none",
    "parent": "parent",
    "root": "root or root:W",
    "tower": "tower",
    "root+tower": "root+tower",
    "vector": "vector:HEAD or vector:HEAD|TAIL, lists of numbers with commas",
    "vertical": "vertical:f=F,p=P,a=A,r=R",
    "cscore": "cscore:parent, cscore:root, cscore:2xroot or cscore:tower",
    "hierarchy": "hierarchy:x=X,f=F",
    "hierarchy2": "hierarchy2:x=X,f=F",
    "horizontal": "horizontal:alpha=A,gamma=G,f=F,level=LEVEL",
    "nexi": "nexi:f=F",
    "adhoc": "adhoc:PATH=WEIGHT,PATH,...,f=F",
}

FORMS = tuple(_USAGE)
"""The names of all forms."""


def _suggest(word: str, known: list[str]) -> str:
    """Say what was expected, with the nearest known word where one is near.

    >>> _suggest("Root", ["root", "tower"])
    "did you mean 'root'? expected root or tower"
    """
    near = get_close_matches(word.lower(), known, n=1)
    return (f"did you mean '{near[0]}'? " if near else "") + f"expected {_one_of(known)}"


def _one_of(words: list[str] | dict[str, Callable[[_Text], Form]]) -> str:
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
