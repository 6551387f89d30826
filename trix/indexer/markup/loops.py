"""Compiled loops that read markup and write annotated text; see `trix.indexer.markup.reader`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.document import anchors, elements, stray
from trix.indexer.document.elements import DEEPEST, HIDDEN, SOLID
from trix.support.backend import kernel

own_texts = kernel(elements.own_texts)
index_elements = kernel(elements.index_elements)
text_of_root = kernel(stray.text_of_root)
rows_around = kernel(anchors.rows_around)

NAMES = 2048
"""Slots for the distinct tags of a document, of which half may be taken."""

ENTITY_TAG = NAMES
"""The tag of a reference to an entity."""

_JOIN = 4  # as in trix.indexer.document.record


@kernel
def scan_markup(data: Any, qualified: Any, tags: Any, heads: Any, places: Any, codes: Any, names: Any) -> Any:
    """Take markup, as libxml2 writes it in UTF-8, apart into tags and text; references to quotation marks may be in it.

    Fills `tags` (number of the tag by first occurrence, -1 for an end tag; an empty element has both, as has a
    reference to an entity), `heads` (the byte behind the name in each start tag), `places` (code points before each
    tag, and of all), `codes` (the text) and `names` (first byte and end of each name; of the local name alone unless
    `qualified`). Returns how many tags and names there are, how many levels, and whether there are characters of more
    than 16 bits. No tags at all: there is something else in it, such as a comment, or a tag is written otherwise.
    """
    slots = np.zeros(NAMES, np.int32)
    known = 0
    count = 0
    written = 0
    depth = 0
    levels = 0
    wide = False
    at = 0
    while at < data.size:
        byte = data[at]
        if byte == 60:  # <
            at += 1
            tag = -1
            empty = False
            if data[at] == 33 or data[at] == 63:  # ! or ?
                return 0, 0, 0, False
            if data[at] != 47:  # /
                tag, at = _number_tag(data, at, qualified, slots, names, known)
                heads[count] = at
                if tag == known:
                    known += 1
                    if 2 * known == NAMES:
                        return 0, 0, 0, False
                at = _tag_end(data, at)
                if at < 0:
                    return 0, 0, 0, False
                empty = data[at - 1] == 47
                depth += 1
                if depth > levels:
                    levels = depth
                    if depth == DEEPEST:
                        return 0, 0, 0, False
            while data[at] != 62:  # >
                at += 1
            at += 1
            tags[count] = tag
            places[count] = written
            count += 1
            if empty:
                tags[count] = -1
                places[count] = written
                count += 1
            if empty or tag < 0:
                depth -= 1
            continue
        if byte < 128:
            code = np.int64(byte)
            if byte == 38:  # &
                code, at = _reference(data, at)
                if code == 0:
                    tags[count] = ENTITY_TAG
                    tags[count + 1] = -1
                    places[count] = places[count + 1] = written
                    count += 2
                    at += 1
                    continue
                wide |= code > 0xFFFF
            at += 1
        elif byte < 224:
            code = np.int64(byte & 31) << 6 | (data[at + 1] & 63)
            at += 2
        elif byte < 240:
            code = np.int64(byte & 15) << 12 | np.int64(data[at + 1] & 63) << 6 | (data[at + 2] & 63)
            at += 3
        else:
            code = np.int64(byte & 7) << 18 | np.int64(data[at + 1] & 63) << 12
            code |= np.int64(data[at + 2] & 63) << 6 | (data[at + 3] & 63)
            at += 4
            wide = True
        codes[written] = code
        written += 1
    places[count] = written
    return count, known, levels, wide


@kernel
def _number_tag(data: Any, at: Any, qualified: Any, slots: Any, names: Any, known: Any) -> Any:
    """Return the number of the tag whose name begins here, `known` for a new one, and the place behind the name."""
    begin = at
    value = np.uint32(2166136261)
    while True:
        byte = data[at]
        if byte == 62 or byte == 47 or byte <= 32:  # > / white space
            break
        value = (value ^ byte) * np.uint32(16777619)
        at += 1
        if byte == 58 and not qualified:  # what was before the colon is a prefix
            begin = at
            value = np.uint32(2166136261)
    slot = (value ^ (value >> np.uint32(15))) & np.uint32(NAMES - 1)
    while slots[slot] > 0:
        tag = slots[slot] - 1
        first = names[tag, 0]
        if names[tag, 1] - first == at - begin:
            i = 0
            while begin + i < at and data[first + i] == data[begin + i]:
                i += 1
            if begin + i == at:
                return tag, at
        slot = (slot + np.uint32(1)) & np.uint32(NAMES - 1)
    names[known, 0] = begin
    names[known, 1] = at
    slots[slot] = known + 1
    return known, at


@kernel
def _tag_end(data: Any, at: Any) -> Any:
    """Return the place of the ``>`` that ends a tag, behind its attributes; -1 if it has other white space in it."""
    quote = 0
    while True:
        byte = data[at]
        if byte < 32:
            return -1
        if quote == 0:
            if byte == 62:
                return at
            following = data[at + 1]
            if byte == 32 and (following <= 32 or following == 47 or following == 62 or following == 61):  # / > =
                return -1
            if byte == 61 and following == 32:
                return -1
            if byte == 34 or byte == 39:
                quote = byte
        elif byte == quote:
            quote = 0
        at += 1


@kernel
def _reference(data: Any, at: Any) -> Any:
    """Return the character that a reference stands for, 0 for one to an entity, and the place of its semicolon."""
    begin = at + 1
    while data[at] != 59:  # ;
        at += 1
    size = at - begin
    code = 0
    if data[begin] == 35:  # #
        base = 16 if data[begin + 1] == 120 else 10  # x
        for place in range(begin + (2 if base == 16 else 1), at):
            code = code * base + (data[place] & 15 if data[place] < 58 else (data[place] & 7) + 9)
    elif size == 3 and data[begin] == 97 and data[begin + 1] == 109 and data[begin + 2] == 112:
        code = 38  # amp
    elif size == 2 and data[begin] == 108 and data[begin + 1] == 116:
        code = 60  # lt
    elif size == 2 and data[begin] == 103 and data[begin + 1] == 116:
        code = 62  # gt
    elif size == 4 and data[begin] == 97 and data[begin + 1] == 112 and data[begin + 2] == 111 and data[at - 1] == 115:
        code = 39  # apos
    elif size == 4 and data[begin] == 113 and data[begin + 1] == 117 and data[begin + 2] == 111 and data[at - 1] == 116:
        code = 34  # quot
    return code, at


@kernel
def survey(
    tags: Any, places: Any, codes: Any, names: Any, levels: Any, table: Any, every: Any, same: Any, bits: Any
) -> None:
    """Number the elements among their siblings of one name, and look into the texts.

    Parameters
    ----------
    tags, places, codes
        As in `scan_markup`.
    names
        The number of the local name of each tag.
    levels
        How many there are.
    table
        What each character puts into the bits of a text.
    every
        All bits that matter.
    same, bits
        To fill, see `trix.indexer.document.elements`.
    """
    seen = np.zeros((levels + 2, names.size), np.int32)
    seen_in = np.full((levels + 2, names.size), -1, np.int32)  # the start tag of the parent that `seen` counts for
    opened = np.full(levels + 2, -1, np.int32)
    depth = 0
    for at in range(tags.size):
        tag = tags[at]
        if tag < 0:
            depth -= 1
        else:
            if tag != ENTITY_TAG:
                name = names[tag]
                if seen_in[depth, name] != opened[depth]:
                    seen_in[depth, name] = opened[depth]
                    seen[depth, name] = 0
                seen[depth, name] += 1
                same[at] = seen[depth, name]
            depth += 1
            opened[depth] = at
        found = 0
        for place in range(places[at], places[at + 1]):
            code = codes[place]
            found |= table[code] if code < table.size else SOLID
            if found == every:
                break
        bits[at] = found


@kernel
def place_children(tags: Any, levels: Any, begins: Any, last: Any, inside: Any) -> Any:
    """Find the children of a document's element, and which elements are in which.

    Parameters
    ----------
    tags
        As in `scan_markup`.
    levels
        How many there are.
    begins
        To fill: the event at which each child begins.
    last
        To fill: of each tag, how many children it takes to have all of its elements.
    inside
        To fill: of each two tags, whether an element of the second is a child of one of the first.

    Returns
    -------
    int
        How many children there are.
    """
    above = np.zeros(levels + 2, np.int32)
    depth = 0
    children = 0
    for at in range(tags.size):
        tag = tags[at]
        if tag < 0:
            depth -= 1
            continue
        if tag != ENTITY_TAG:
            if depth == 1:
                begins[children] = at
                children += 1
            if depth > 0:
                inside[above[depth - 1], tag] = True
            last[tag] = children
        above[depth] = tag
        depth += 1
    return children


@kernel
def write_text(places: Any, codes: Any, marks: Any, space: Any, annotated: Any, blanks: Any, spots: Any) -> Any:
    """Write the annotated text, and what `record.blank_places` finds in it.

    Parameters
    ----------
    places, codes
        As in `scan_markup`.
    marks
        See `trix.indexer.document.elements`.
    space
        Of each character up to the last that is white space, whether it is.
    annotated, blanks
        To fill.
    spots
        To fill: the place in the annotated text of the mark of each event.

    Returns
    -------
    tuple
        How many characters and how many blanks there are.
    """
    written = 0
    length = 0
    parted = 0
    separated = False  # by a mark since the last character
    before_white = True
    for at in range(marks.size):
        spots[at] = written
        mark = marks[at] & ~HIDDEN
        if mark:
            annotated[written] = mark
            written += 1
            separated |= mark != _JOIN
        if marks[at] & HIDDEN or places[at] == places[at + 1]:
            continue
        first, last = codes[places[at]], codes[places[at + 1] - 1]
        if separated and not before_white and not (first < space.size and space[first]):
            blanks[parted] = length
            parted += 1
        separated = False
        before_white = last < space.size and space[last]
        for place in range(places[at], places[at + 1]):
            annotated[written] = codes[place]
            written += 1
        length += places[at + 1] - places[at]
    return written, parted
