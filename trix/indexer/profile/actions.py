"""Actions of a profile on elements, and the resolution of conflicts."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from trix.errors import ProfileError
from trix.indexer.profile.selector import NO_PARENTS, Parents, Selector


class Action(enum.IntFlag):
    """Treatment of an element."""

    INLINE = 1
    """Its tags do not separate words."""
    UNWRAP = 2
    """The element is removed, its content stays."""
    BLANK = 4
    """Its text is removed; its elements keep their labels."""
    DROP = 8
    """The element is removed with its content."""
    UNIT = 16
    """It is a single content element."""
    CONTAINER = 32
    """It is never a content element; its runs of text are."""
    JOIN = 64
    """The element is removed, and the text on both sides becomes one word."""


_A = Action
CONTRADICTIONS: tuple[tuple[Action, Action], ...] = (
    *((_A.DROP, other) for other in (_A.JOIN, _A.BLANK, _A.UNWRAP, _A.UNIT, _A.CONTAINER, _A.INLINE)),
    *((_A.JOIN, other) for other in (_A.BLANK, _A.UNWRAP, _A.UNIT, _A.CONTAINER, _A.INLINE)),
    *((_A.BLANK, other) for other in (_A.UNWRAP, _A.UNIT, _A.CONTAINER)),
    *((_A.UNWRAP, other) for other in (_A.UNIT, _A.CONTAINER)),
    *((_A.UNIT, other) for other in (_A.CONTAINER, _A.INLINE)),
    (_A.CONTAINER, _A.INLINE),
)
"""Contradictory pairs of actions; if they meet by different selectors, the first one wins."""

_PAIRS = tuple((int(stronger), int(weaker)) for stronger, weaker in CONTRADICTIONS)  # operators of IntFlag are slow


def settle(flags: int) -> int:
    """Drop the weaker action of each contradictory pair.

    >>> settle(Action.DROP | Action.INLINE) == Action.DROP
    True
    """
    for stronger, weaker in _PAIRS:
        if flags & stronger and flags & weaker:
            flags &= ~weaker
    return int(flags)


def overlay(general: int, special: int) -> int:
    """Combine the actions of a special selector with those of a general one that do not contradict them."""
    for pair in _PAIRS:
        for mine, other in (pair, pair[::-1]):
            if special & mine:
                general &= ~other
    return int(general | special)


class Rule(NamedTuple):
    """Rules of a profile for one tag.

    Attributes
    ----------
    name
        Local name.
    flags
        Actions without a condition.
    conditional
        Selectors with a condition on an attribute or a parent, with their actions; the most specific last.
    attributes
        Attributes to index, in the notation of lxml, in the profile's order.
    """

    name: str
    flags: int
    conditional: tuple[tuple[Selector, int], ...]
    attributes: tuple[str, ...]

    def actions(self, attrib: Mapping[str, str], parent: Parents = NO_PARENTS) -> int:
        """Return the actions for an element with some attributes, whose parent matches some selectors.

        The actions of all matching selectors are combined. If they contradict each other, the more specific selector
        wins.
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
    """Condition on the root of a document, under which a preset is chosen automatically.

    Attributes
    ----------
    root
        Local names of the root; empty for any.
    namespace
        Namespaces of the root; empty for any.
    declares
        Namespaces of which the root declares one; empty for any.
    child
        Local names of which a child of the root has one; empty for any.
    path
        Paths of local names below the root, of which one must lead to an element, such as ``text/body/entry``.
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
"""Action by profile key."""


def join_characters(entries: Iterable[str], where: str) -> tuple[list[str], str]:
    """Separate characters from selectors; a single ASCII letter is a tag."""
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
