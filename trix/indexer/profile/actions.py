"""What can be done with an element: the actions of a profile, and what holds when several are named for one tag."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from trix.errors import ProfileError
from trix.indexer.profile.selector import NO_PARENTS, Parents, Selector


class Action(enum.IntFlag):
    """What is done with an element."""

    INLINE = 1
    """Its boundaries do not separate words."""
    UNWRAP = 2
    """It vanishes, its content stays."""
    BLANK = 4
    """Its text is nowhere; its elements keep their labels."""
    DROP = 8
    """It vanishes with its content."""
    UNIT = 16
    """It is a content element as a whole."""
    CONTAINER = 32
    """It is never a content element; its runs of text are."""
    JOIN = 64
    """It vanishes, and what is before and after it is one word."""


_A = Action
CONTRADICTIONS: tuple[tuple[Action, Action], ...] = (
    *((_A.DROP, other) for other in (_A.JOIN, _A.BLANK, _A.UNWRAP, _A.UNIT, _A.CONTAINER, _A.INLINE)),
    *((_A.JOIN, other) for other in (_A.BLANK, _A.UNWRAP, _A.UNIT, _A.CONTAINER, _A.INLINE)),
    *((_A.BLANK, other) for other in (_A.UNWRAP, _A.UNIT, _A.CONTAINER)),
    *((_A.UNWRAP, other) for other in (_A.UNIT, _A.CONTAINER)),
    *((_A.UNIT, other) for other in (_A.CONTAINER, _A.INLINE)),
    (_A.CONTAINER, _A.INLINE),
)
"""Pairs of actions that cannot be meant together; of two that meet by different selectors, the first is taken."""

_PAIRS = tuple((int(stronger), int(weaker)) for stronger, weaker in CONTRADICTIONS)  # a flag's operators are slow


def settle(flags: int) -> int:
    """Return the actions without the weaker of each contradictory pair.

    >>> settle(Action.DROP | Action.INLINE) == Action.DROP
    True
    """
    for stronger, weaker in _PAIRS:
        if flags & stronger and flags & weaker:
            flags &= ~weaker
    return int(flags)


def overlay(general: int, special: int) -> int:
    """Return the actions of a special selector with those of a general one that do not contradict them."""
    for pair in _PAIRS:
        for mine, other in (pair, pair[::-1]):
            if special & mine:
                general &= ~other
    return int(general | special)


class Rule(NamedTuple):
    """All that a profile says of one tag.

    Attributes
    ----------
    name
        Local name.
    flags
        Actions that need no condition.
    conditional
        The selectors with an attribute or a parent, each with its actions; the specific ones last.
    attributes
        Attributes (as lxml names them) to index on this tag, in the profile's order.
    """

    name: str
    flags: int
    conditional: tuple[tuple[Selector, int], ...]
    attributes: tuple[str, ...]

    def actions(self, attrib: Mapping[str, str], parent: Parents = NO_PARENTS) -> int:
        """Return the actions for an element with these attributes, in a parent that fits these selectors.

        Selectors that fit add up; where their actions exclude each other, those of the more specific one hold.
        """
        flags = self.flags
        for _, alike in groupby(self.conditional, key=lambda each: each[0].rank):
            special = 0
            for selector, actions in alike:
                special |= actions if selector.accepts(attrib, parent) else 0
            flags = overlay(flags, settle(special)) if special else flags
        return flags


@dataclass(frozen=True, kw_only=True)
class Clue:
    """What the root of a document must look like for a preset to be picked by itself.

    Attributes
    ----------
    root
        Local names, one of which the root has; empty for any.
    namespace
        Namespaces, one of which the root is in; empty for any.
    declares
        Namespaces, one of which the root declares; empty for any.
    child
        Local names, at least one of which a child of the root has; empty for any.
    path
        Paths of local names from below the root, one of which leads to an element, as ``text/body/entry``.
    """

    root: tuple[str, ...] = ()
    namespace: tuple[str, ...] = ()
    declares: tuple[str, ...] = ()
    child: tuple[str, ...] = ()
    path: tuple[str, ...] = ()


ACTIONS = {
    "inline": Action.INLINE,
    "unwrap": Action.UNWRAP,
    "blank": Action.BLANK,
    "drop": Action.DROP,
    "unit": Action.UNIT,
    "container": Action.CONTAINER,
    "join": Action.JOIN,
}
"""The key of a profile that names each action."""


def join_characters(entries: Iterable[str], where: str) -> tuple[list[str], str]:
    """Part the characters from the selectors; a lone ASCII letter is a tag."""
    selectors, characters = [], ""
    for entry in entries:
        character = entry
        if entry[:2].upper() == "U+" and len(entry) > 2 and set(entry[2:].lower()) <= set("0123456789abcdef"):
            code = int(entry[2:], 16)
            if code > 0x10FFFF:
                raise ProfileError(f"{where}: join: '{entry}': no such character")
            character = chr(code)
        if len(character) != 1 or (character.isascii() and character.isalpha()):
            selectors.append(entry)
            continue
        if character.isspace():
            raise ProfileError(f"{where}: join: {entry!r}: white space separates words and cannot vanish inside them")
        characters += character if character not in characters else ""
    return selectors, characters
