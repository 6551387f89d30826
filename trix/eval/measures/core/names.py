"""Parser of measure names, the grammar of input and output.

::

    measure   := NAME [ "(" arguments ")" ] [ "[" measure "]" ] [ "@" NUMBER ]
    arguments := argument { "," argument }
    argument  := VALUE | KEY "=" VALUE | KEY ">=" VALUE

A value may contain commas if its parts contain colons: ``nDCG(gain=0:0,1:1,2:10)``. A number in square brackets is a
cut-off, as in the INEX papers: ``iP[0.01]`` is ``iP@0.01``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trix.errors import UsageError

_NAME = re.compile(r"[A-Za-z][\w%-]*")
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+")


@dataclass(frozen=True, slots=True)
class MeasureName:
    """Parsed name of a measure, not yet looked up in the registry.

    Attributes
    ----------
    name
        Without parameters.
    arguments
        (key, operator, value) in the order written; the key of a bare value is empty.
    slot
        The measure in square brackets.
    cutoff
        The number after ``@`` or in square brackets, as written.
    """

    name: str
    arguments: tuple[tuple[str, str, str], ...] = ()
    slot: MeasureName | None = None
    cutoff: str | None = None


def parse_name(text: str) -> MeasureName:
    """Parse a measure name; raise UsageError with the position of the error.

    >>> parse_name("gP[T2I(300)]@10").slot
    MeasureName(name='T2I', arguments=(('', '', '300'),), slot=None, cutoff=None)
    >>> parse_name("nDCG(b=2,gain=0:0,1:10)@5").arguments
    (('b', '=', '2'), ('gain', '=', '0:0,1:10'))
    """
    name, end = _measure(text, 0)
    if end != len(text):
        raise _error(text, end, "nothing more was expected")
    return name


def _error(text: str, place: int, reason: str) -> UsageError:
    found = repr(text[place]) if place < len(text) else "the end"
    return UsageError(f"measure {text!r}, character {place + 1}: {reason}, found {found}")


def _measure(text: str, at: int) -> tuple[MeasureName, int]:
    match = _NAME.match(text, at)
    if match is None:
        raise _error(text, at, "a measure name was expected")
    at = match.end()
    arguments: tuple[tuple[str, str, str], ...] = ()
    slot = cutoff = None
    if text[at : at + 1] == "(":
        arguments, at = _arguments(text, at + 1)
    if text[at : at + 1] == "[":
        number = _NUMBER.match(text, at + 1)
        if number is not None and text[number.end() : number.end() + 1] == "]":
            cutoff, at = number[0], number.end()
        else:
            slot, at = _measure(text, at + 1)
        if text[at : at + 1] != "]":
            raise _error(text, at, "']' was expected")
        at += 1
    if text[at : at + 1] == "@":
        number = _NUMBER.match(text, at + 1)
        if number is None:
            raise _error(text, at + 1, "a cut-off was expected")
        if cutoff is not None:
            raise _error(text, at, "there is a cut-off already; nothing more was expected")
        cutoff, at = number[0], number.end()
    return MeasureName(match[0], arguments, slot, cutoff), at


def _arguments(text: str, at: int) -> tuple[tuple[tuple[str, str, str], ...], int]:
    depth, start, pieces = 1, at, []
    while at < len(text):
        character = text[at]
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        if depth == 0 or (character == "," and depth == 1):
            pieces.append(text[start:at].strip())
            start = at + 1
        at += 1
        if depth == 0:
            break
    else:
        raise _error(text, at, "')' was expected")
    # A piece like 1:10 continues the list of pairs before it; its comma did not separate arguments.
    joined: list[str] = []
    for piece in pieces:
        if joined and ":" in piece and "=" not in piece and ":" in joined[-1].partition("=")[2] + joined[-1]:
            joined[-1] += "," + piece
        elif piece:
            joined.append(piece)
        elif len(pieces) > 1:
            raise _error(text, start - 1, "an empty argument")
    return tuple(_argument(piece) for piece in joined), at


def _argument(piece: str) -> tuple[str, str, str]:
    for operator in (">=", "="):
        key, found, value = piece.partition(operator)
        if found and _NAME.fullmatch(key.strip()):
            return key.strip(), operator, value.strip()
    return "", "", piece
