"""Compiled loops that read a document from its markup; see `trix.indexer.document.markup_reader`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel

DEEPEST = 512
"""Levels of elements; twice what the parser lets through."""

NAMES = 2048
"""Slots for the distinct tags of a document, of which half may be taken."""

_INLINE, _UNWRAP, _GONE, _UNIT = 1, 2, 4 | 8, 16  # as in trix.indexer.profile.actions.Action
_BOUNDARY, _SEPARATOR = 1, 2  # as in trix.indexer.document.record


@kernel
def scan_markup(data: Any, tags: Any, places: Any, codes: Any, names: Any) -> Any:
    """Take markup, as libxml2 writes it in UTF-8, apart into tags and text.

    Fills `tags` (number of the tag by first occurrence, -1 for an end tag; an empty element has both), `places` (code
    points before each tag), `codes` (the text) and `names` (first byte and end of each local name); returns how many
    tags, code points and names there are. No tags at all: there is something else in it, such as an entity reference.
    """
    slots = np.zeros(NAMES, np.int32)
    known = 0
    count = 0
    written = 0
    depth = 0
    at = 0
    while at < data.size:
        byte = data[at]
        if byte == 60:  # <
            at += 1
            tag = -1
            empty = False
            if data[at] == 33 or data[at] == 63:  # ! or ?
                return 0, 0, 0
            if data[at] != 47:  # /
                tag, at = _number_tag(data, at, slots, names, known)
                if tag == known:
                    known += 1
                    if 2 * known == NAMES:
                        return 0, 0, 0
                at = _tag_end(data, at)
                empty = data[at - 1] == 47
                depth += 1
                if depth == DEEPEST:
                    return 0, 0, 0
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
                    return 0, 0, 0
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
        codes[written] = code
        written += 1
    return count, written, known


@kernel
def _number_tag(data: Any, at: Any, slots: Any, names: Any, known: Any) -> Any:
    """Return the number of the tag whose name begins here, `known` for a new one, and the place behind the name."""
    begin = at
    value = np.uint32(2166136261)
    while True:
        byte = data[at]
        if byte == 62 or byte == 47 or byte == 32:  # > / blank
            break
        value = (value ^ byte) * np.uint32(16777619)
        at += 1
        if byte == 58:  # what was before the colon is a prefix
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
    """Return the place of the ``>`` that ends a tag, behind its attributes."""
    quote = 0
    while True:
        byte = data[at]
        if quote == 0:
            if byte == 62:
                return at
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
    return code, at


@kernel
def unwrap_tags(tags: Any, places: Any, actions: Any) -> Any:
    """Take unwrapped tags away, in place, but for the root: text and elements in them are then their parents'.

    Returns how many tags are left, and of each whether its parent was one of those taken away.
    """
    lifted = np.zeros(tags.size, np.bool_)
    unwrapped = np.zeros(DEEPEST + 1, np.bool_)  # the open elements
    depth = 0
    count = 0
    for at in range(tags.size):
        tag = tags[at]
        kept = True
        if tag < 0:
            kept = not unwrapped[depth]
            depth -= 1
        else:
            kept = depth == 0 or actions[tag] & _UNWRAP == 0
            lifted[count] = kept and unwrapped[depth]
            depth += 1
            unwrapped[depth] = not kept
        if kept:
            tags[count] = tag
            places[count] = places[at]
            count += 1
    places[count] = places[tags.size]
    return count, lifted[:count]


@kernel
def own_texts(tags: Any, places: Any, codes: Any, actions: Any, space: Any) -> Any:
    """Tell of each start tag whether its element has own text, or is a unit, and whether there is text in it at all."""
    own = np.zeros(tags.size, np.bool_)
    filled = np.zeros(tags.size, np.bool_)
    above = np.zeros(DEEPEST, np.int64)
    depth = -1
    at = 0
    while at < tags.size - 1:
        if tags[at] < 0:
            closed = above[depth]
            depth -= 1
            if filled[closed]:
                filled[above[depth]] = True
                if actions[tags[closed]] & _UNIT:
                    own[closed] = True
        elif depth >= 0 and actions[tags[at]] & _GONE:
            at = _behind(tags, at)
        else:
            depth += 1
            above[depth] = at
        holder = above[depth]
        if not own[holder]:
            for place in range(places[at], places[at + 1]):
                if codes[place] > 65535 or not space[codes[place]]:
                    own[holder] = True
                    filled[holder] = True
                    break
        at += 1
    if filled[0] and actions[tags[0]] & _UNIT:
        own[0] = True
    return own, filled


@kernel
def _behind(tags: Any, at: Any) -> Any:
    """Return the place of the end tag of a start tag."""
    level = 1
    while level:
        at += 1
        level += 1 if tags[at] >= 0 else -1
    return at


@kernel
def index_elements(
    tags: Any,
    places: Any,
    codes: Any,
    actions: Any,
    own: Any,
    filled: Any,
    lifted: Any,
    space: Any,
    rows: Any,
    content: Any,
    annotated: Any,
    blanks: Any,
    below: Any,
) -> Any:
    """Write a row (depth, tag, position, same, start, end) of each indexed element, and the annotated text.

    Besides, in `blanks`, what `record.blank_places` finds, and in `below`, of each element in a content
    element, the tag of that one times the number of tags, plus its own. Returns how many rows, content elements,
    characters, blanks and elements in content elements there are, and how many characters without the marks. No rows
    at all: an element with a row was in an unwrapped one, which its path would have to name.
    """
    names = actions.size
    above = np.full(DEEPEST, -1, np.int64)  # rows of the open elements, -1 where they are not indexed
    position = np.zeros(DEEPEST, np.int32)
    seen = np.zeros((DEEPEST, names), np.int32)
    seen_in = np.full((DEEPEST, names), -1, np.int32)  # the start tag of the parent that `seen` counts for
    open_at = np.zeros(DEEPEST, np.int64)
    depth = -1
    inside = -1  # depth of the content element that is open
    count = 0
    contents = 0
    written = 0
    hidden = 0
    parted = 0
    separated = False  # by a mark since the last character
    before_white = True
    length = 0
    at = 0
    while at < tags.size:
        tag = tags[at]
        if tag < 0:
            opened = tags[open_at[depth]]
            if above[depth] >= 0:
                rows[above[depth], 5] = length
            if inside == depth:
                inside = -1
            if not actions[opened] & _INLINE:
                annotated[written] = _SEPARATOR
                written += 1
                separated = True
            depth -= 1
        else:
            gone = depth >= 0 and actions[tag] & _GONE != 0
            mark = not actions[tag] & _INLINE
            if inside < 0:
                same = 1
                if depth >= 0:
                    parent = open_at[depth]
                    if seen_in[depth, tag] != parent:
                        seen_in[depth, tag] = parent
                        seen[depth, tag] = 0
                    seen[depth, tag] += not lifted[at]
                    same = seen[depth, tag]
                    if not actions[tag] & 8:
                        position[depth] += 1
            if gone:
                at = _behind(tags, at)
                if mark:
                    annotated[written] = _SEPARATOR
                    written += 1
                    separated = True
            else:
                if inside >= 0:
                    below[hidden] = tags[open_at[inside]] * names + tag
                    hidden += 1
                depth += 1
                open_at[depth] = at
                above[depth] = -1
                position[depth] = 0
                kind = _SEPARATOR if mark else 0
                if inside < 0 and filled[at]:
                    if lifted[at]:
                        return 0, 0, 0, 0, 0, 0
                    row = rows[count]
                    row[0] = depth
                    row[1] = tag
                    row[2] = position[depth - 1] if depth else 1
                    row[3] = same
                    row[4] = length
                    above[depth] = count
                    if own[at]:
                        inside = depth
                        content[contents] = count
                        contents += 1
                        kind = _BOUNDARY
                    count += 1
                if kind:
                    annotated[written] = kind
                    written += 1
                    separated = True
        if depth >= 0 and places[at] < places[at + 1]:
            first, last = codes[places[at]], codes[places[at + 1] - 1]
            if separated and not before_white and (first > 65535 or not space[first]):
                blanks[parted] = length
                parted += 1
            separated = False
            before_white = last <= 65535 and space[last]
            for place in range(places[at], places[at + 1]):
                annotated[written] = codes[place]
                written += 1
            length += places[at + 1] - places[at]
        at += 1
    return count, contents, written, parted, hidden, length
