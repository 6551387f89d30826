"""The walk of a document's tree, its tags in a row with the text after each, and what the columns made of it mean.

All that depends on the tree and on a profile is made of it: records, layouts, text nodes, previews. An *event* is a
start tag or an end tag with the text up to the next one. `trix.core.markup.index_elements` makes columns of events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.kinds import ENTITY, GONE, Kinds
from trix.indexer.profile.selector import NO_PARENTS, Parents
from trix.indexer.words.analyzer import has_word

SOLID, WORD = 1, 2
"""Bits of a text: there is something besides white space in it; there is a word in it."""

HIDDEN = 8
"""A mark: the text behind the tag is none of the document's."""

DEEPEST = 512
"""Levels of elements; twice what the parser lets through."""

_WIDE = 0x40000
"""Behind the last character that can be part of a word."""

_BLOCK = 8
"""Bits of a character's place in its block of `CharacterBits`."""


@dataclass(slots=True)
class Outline:
    """The tags of a document in order, one entry each in the parallel lists; all that is no text is between tags.

    Attributes
    ----------
    kinds : list of int
        At a start tag the number of the element's kind in `Kinds`; -1 at an end tag. A reference to an entity, a
        comment, and an instruction have both, with nothing between.
    same : list of int
        At a start tag the element's place among its siblings of the same local name.
    texts : list of str
        What stands between the tag and the next one.
    nodes : list
        The lxml element.
    """

    kinds: list[int] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    nodes: list[Any] = field(default_factory=list)


def outline(root: Any, kinds: Kinds, *, whole: bool = False, above: Parents = NO_PARENTS) -> Outline:
    """Walk a document.

    Parameters
    ----------
    root
        Its lxml element; its tail is no part of it.
    kinds
        What tags mean.
    whole
        Also walk what is in blank and dropped elements, which is otherwise left out.
    above
        Of an element inside a document: which selectors of parents its parent fits, see `Kinds.above`.

    Examples
    --------
    >>> from lxml import etree
    >>> from trix.indexer.profile.profile import Profile
    >>> root = etree.fromstring("<a>one<b/>two<b>three</b></a>")
    >>> found = outline(root, Kinds(Profile(name="none")))
    >>> found.kinds, found.same, found.texts
    ([0, 1, -1, 1, -1, -1], [1, 1, 0, 2, 0, 0], ['one', '', 'two', 'three', '', ''])
    """
    made = Outline()
    add = (made.kinds.append, made.same.append, made.texts.append, made.nodes.append)
    add_kind, add_same, add_text, add_node = add
    kind = kinds.of_root(kinds.of(root, above))
    add_kind(kind)
    add_same(1)
    add_node(root)
    add_text(root.text or "")
    _walk(root, kinds.all[kind].fits, kinds, ENTITY if whole else ENTITY | GONE, add)
    add_kind(-1)
    add_same(0)
    add_node(root)
    add_text("")
    return made


def _walk(parent: Any, fits: Parents, kinds: Kinds, closed: int, add: tuple[Callable[[Any], None], ...]) -> None:
    """Add what is in an element, whose own tags are the caller's; trees are 256 deep at most, see `parse`."""
    add_kind, add_same, add_text, add_node = add
    actions, every = kinds.actions, kinds.all
    seen: dict[str, int] = {}
    for child in parent:
        kind, name, _, choose, _ = kinds[child.tag]
        if choose is not None:
            kind = choose(child.attrib, fits)
        number = seen[name] = seen.get(name, 0) + 1
        add_kind(kind)
        add_same(number)
        add_node(child)
        if actions[kind] & closed:
            add_text("")
        else:
            add_text(child.text or "")
            if len(child):
                _walk(child, every[kind].fits, kinds, closed, add)
        add_kind(-1)
        add_same(0)
        add_node(child)
        add_text(child.tail or "")


def starts(walked: Outline) -> dict[Any, int]:
    """Return the start tag of each lxml element, by its place."""
    return {node: at for at, (kind, node) in enumerate(zip(walked.kinds, walked.nodes, strict=True)) if kind >= 0}


def extents(walked: Outline, elements: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where elements (lxml) of a document begin and end in its text.

    An element inside a blank or dropped one is where that begins.
    """
    numbers, closing = starts(walked), closing_events(np.array(walked.kinds) < 0)
    offsets = np.array([*accumulate(map(len, walked.texts), initial=0)], np.int64)
    firsts, lasts = list[int](), list[int]()
    for element in elements:
        walks = element
        while walks not in numbers:
            walks = walks.getparent()
        firsts.append(numbers[walks])
        lasts.append(int(closing[firsts[-1]]) if walks is element else firsts[-1])
    return offsets[firsts], offsets[lasts]


def closing_events(ends: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the end tag of each start tag, given for each tag whether it is an end tag; -1 for end tags.

    >>> closing_events(np.array([False, False, True, False, True, True])).tolist()
    [5, 2, -1, 4, -1, -1]
    """
    levels = np.cumsum(np.where(ends, -1, 1)) + ends  # both tags of an element have the same
    pairs = np.argsort(levels, kind="stable").reshape(-1, 2)
    closing = np.full(ends.size, -1, np.int64)
    closing[pairs[:, 0]] = pairs[:, 1]
    return closing


@cache
def character_bits(every: int) -> CharacterBits:
    """Return the table for some bits that the readers of this process share."""
    return CharacterBits(every)


class CharacterBits:
    """The bits of characters: SOLID of all but white space, WORD of those that make a text hold a word.

    A text holds a word, see `has_word`, if one of its characters does. To look at all characters takes as long as a
    search, and documents have few of them. So they are looked at in blocks, each when a document first needs it.

    Parameters
    ----------
    every
        The bits that are wanted.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._bits = np.zeros(_WIDE, np.uint8)
        self._known = np.zeros(0x110000 >> _BLOCK, np.bool_)
        self._known[_WIDE >> _BLOCK :] = True  # no words there: see `survey`, which takes them to be solid
        self._fill(0)

    def table_for(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Return the bits by character; they are filled in for these characters at least.

        >>> bits = CharacterBits(SOLID | WORD).table_for(np.array([0x3042, 0x2014], np.uint32))
        >>> bits[[ord(" "), 0x3042, 0x2014]].tolist() == [0, SOLID | WORD, SOLID]
        True
        """
        blocks = codes[codes >> _BLOCK > 0] >> _BLOCK
        for block in set(blocks[~self._known[blocks]].tolist()):
            self._fill(block)
        return self._bits

    def _fill(self, block: int) -> None:
        """Look at the characters of a block; threads that do it at the same time write the same."""
        begin = block << _BLOCK
        for code in range(begin, begin + (1 << _BLOCK)):
            character = chr(code)
            self._bits[code] = self._every & (WORD * has_word(character) | SOLID * (not character.isspace()))
        self._known[block] = True
