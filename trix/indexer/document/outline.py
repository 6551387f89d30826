"""Outline of a document: its tags in order, each with the text after it.

Records, layouts, text nodes and previews are all made from it. An *event* is a start tag or an end tag with the text up
to the next one. `trix.core.markup.index_elements` turns events into columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.kinds import ENTITY, GONE, ElementKinds
from trix.indexer.profile.selector import NO_PARENTS, Parents
from trix.indexer.words.analyzer import has_word

SOLID, WORD = 1, 2
"""Bits of a text: it has more than white space; it has a word."""

HIDDEN = 8
"""Mark: the text after the tag is not part of the document's text."""

DEEPEST = 512
"""Depth limit of elements; twice the parser's."""

_WIDE = 0x40000
"""End of the code points that can be part of a word."""

_BLOCK = 8
"""Number of low bits of a code point that index its block in `CharacterBits`."""


@dataclass(slots=True)
class Outline:
    """Tags of a document in order, as parallel lists.

    Attributes
    ----------
    kinds : list of int
        At a start tag, number of the element's kind; -1 at an end tag. Entity references, comments and processing
        instructions have both, with nothing in between.
    same : list of int
        At a start tag, position among siblings of the same local name.
    texts : list of str
        Text between the tag and the next one.
    nodes : list
        The lxml element.
    """

    kinds: list[int] = field(default_factory=list)
    same: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    nodes: list[Any] = field(default_factory=list)


def outline(root: Any, kinds: ElementKinds, *, whole: bool = False, above: Parents = NO_PARENTS) -> Outline:
    """Walk a document.

    Parameters
    ----------
    root
        Root element (lxml); its tail is ignored.
    kinds
        Kinds of the profile.
    whole
        Also walk blank and dropped elements, which are skipped otherwise.
    above
        For an element inside a document: parent selectors that its parent matches (see `ElementKinds.above`).

    Examples
    --------
    >>> from lxml import etree
    >>> from trix.indexer.profile.profile import Profile
    >>> root = etree.fromstring("<a>one<b/>two<b>three</b></a>")
    >>> found = outline(root, ElementKinds(Profile(name="none")))
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


def _walk(parent: Any, fits: Parents, kinds: ElementKinds, closed: int, add: tuple[Callable[[Any], None], ...]) -> None:
    """Add the content of an element; the caller adds its tags.

    Recursion is safe, since trees are at most 256 levels deep (see `parse`).
    """
    add_kind, add_same, add_text, add_node = add
    actions, every = kinds.actions, kinds.all
    seen: dict[str, int] = {}
    for child in parent:
        kind, name, _, choose, _ = kinds[child.tag]
        if choose is not None:
            kind = choose(child.attrib, fits)
        # Position among siblings of the same local name.
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
    """Return the start event of each lxml element."""
    return {node: at for at, (kind, node) in enumerate(zip(walked.kinds, walked.nodes, strict=True)) if kind >= 0}


def extents(walked: Outline, elements: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the begin and end of lxml elements in the document's text.

    An element inside a blank or dropped one collapses to the begin of that.
    """
    numbers, closing = starts(walked), closing_events(np.array(walked.kinds) < 0)
    # Offset of the text after each tag.
    offsets = np.array([*accumulate(map(len, walked.texts), initial=0)], np.int64)
    firsts, lasts = list[int](), list[int]()
    for element in elements:
        walks = element
        # Elements that were not walked have no event: use the ancestor that was.
        while walks not in numbers:
            walks = walks.getparent()
        firsts.append(numbers[walks])
        lasts.append(int(closing[firsts[-1]]) if walks is element else firsts[-1])
    return offsets[firsts], offsets[lasts]


def closing_events(ends: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the end tag of each start tag; -1 for end tags.

    >>> closing_events(np.array([False, False, True, False, True, True])).tolist()
    [5, 2, -1, 4, -1, -1]
    """
    levels = np.cumsum(np.where(ends, -1, 1)) + ends  # equal for both tags of an element
    # At one level start and end tags alternate, so a stable sort by level puts each pair side by side.
    pairs = np.argsort(levels, kind="stable").reshape(-1, 2)
    closing = np.full(ends.size, -1, np.int64)
    closing[pairs[:, 0]] = pairs[:, 1]
    return closing


@cache
def character_bits(every: int) -> CharacterBits:
    """Return the table for some bits, shared by the readers of this process."""
    return CharacterBits(every)


class CharacterBits:
    """Bits of characters: SOLID for all but white space, WORD for those that make a word.

    A text has a word if one of its characters does (see `has_word`). Classifying all of Unicode takes as long as a
    search, and documents use little of it. Blocks of characters are therefore classified at first use.

    Parameters
    ----------
    every
        Bits that are wanted.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._bits = np.zeros(_WIDE, np.uint8)
        self._known = np.zeros(0x110000 >> _BLOCK, np.bool_)
        self._known[_WIDE >> _BLOCK :] = True  # no words there; `survey` treats them as solid
        self._fill(0)

    def table_for(self, codes: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """Return the bits by character, filled in at least for these characters.

        >>> bits = CharacterBits(SOLID | WORD).table_for(np.array([0x3042, 0x2014], np.uint32))
        >>> bits[[ord(" "), 0x3042, 0x2014]].tolist() == [0, SOLID | WORD, SOLID]
        True
        """
        blocks = codes[codes >> _BLOCK > 0] >> _BLOCK
        # Only blocks of characters that the document uses and that are unknown.
        for block in set(blocks[~self._known[blocks]].tolist()):
            self._fill(block)
        return self._bits

    def _fill(self, block: int) -> None:
        """Classify the characters of a block. Concurrent threads write the same values."""
        begin = block << _BLOCK
        for code in range(begin, begin + (1 << _BLOCK)):
            character = chr(code)
            self._bits[code] = self._every & (WORD * has_word(character) | SOLID * (not character.isspace()))
        # Set last: other threads then see complete bits.
        self._known[block] = True
