"""From the tags of a document to its indexed elements: which there are, where they stand, what parts the words.

Two loops over columns of integers. They run as they stand on lists, and compiled on arrays, so they call nothing and
make nothing but lists of numbers. An *event* is a start tag or an end tag together with the text up to the next one.
"""

from __future__ import annotations

from typing import Any

_INLINE, _UNWRAP, _BLANK, _DROP, _UNIT, _CONTAINER, _JOINS = 1, 2, 4, 8, 16, 32, 64  # as in `Action`
_GONE = 4 | 8
_ENTITY, _COMPARED, _ATTRIBUTES = 1 << 20, 1 << 21, 1 << 22  # as in trix.indexer.document.kinds
_BOUNDARY, _SEPARATOR, _JOIN = 1, 2, 4  # as in trix.indexer.document.record
_OWN, _BELOW = 1, 2  # the same

SOLID, WORD = 1, 2
"""Bits of a text: there is something besides white space in it; there is a word in it."""

HIDDEN = 8
"""A mark: the text behind the tag is none of the document's."""

DEEPEST = 512
"""Levels of elements; twice what the parser lets through."""

TEXT = -1
"""The kind of a row that is a run of text; that of an attribute is lower: -2 for the first of the document."""

_PLAIN, _HOLDER, _LIFTED, _CONTENT, _INSIDE = 0, 1, 2, 3, 4  # what a level is: see `index_elements`


def own_texts(kinds: Any, bits: Any, actions: Any, own_bit: int, levels: int, own: Any, solid: Any) -> None:
    """Tell of each start tag whether its element is a content element unless it is inside one, and whether it has text.

    Parameters
    ----------
    kinds
        Of each event: the kind of the element that begins, -1 where one ends.
    bits
        Of the text of each event.
    actions
        Of each kind.
    own_bit
        Which bit makes a text an element's own.
    levels
        How deep the elements are nested at most.
    own, solid
        Zeros, one for each event; what is told is put there.
    """
    opened = [0] * levels  # the event of each level
    owners = [0] * levels  # that of the element whose own text stands there; -1: nobody's, in a container
    depth = -1
    at = 0
    size = len(kinds)
    while at < size:
        kind = kinds[at]
        if kind < 0:
            closed = opened[depth]
            depth -= 1
            if depth < 0:
                break
            if solid[closed]:
                solid[opened[depth]] = 1
                if actions[kinds[closed]] & _UNIT:
                    own[closed] = 1
        else:
            flags = actions[kind]
            if flags & (_GONE | _ENTITY) and depth >= 0:
                level = 1
                while level:
                    at += 1
                    level += 1 if kinds[at] >= 0 else -1
            else:
                depth += 1
                opened[depth] = at
                owners[depth] = at
                if flags & _CONTAINER:
                    owners[depth] = -1
                elif flags & _UNWRAP:
                    owners[depth] = owners[depth - 1]
        found = bits[at]
        if found:
            solid[opened[depth]] = 1
            if found & own_bit and owners[depth] >= 0:
                own[owners[depth]] = 1
        at += 1
    if solid[0] and actions[kinds[0]] & _UNIT:
        own[0] = 1


def index_elements(
    kinds: Any,
    same: Any,
    places: Any,
    bits: Any,
    own: Any,
    solid: Any,
    actions: Any,
    levels: int,
    attributes: Any,
    rows: Any,
    content: Any,
    marks: Any,
    outer: Any,
    below: Any,
    said: Any,
) -> Any:
    """Number the indexed elements.

    Parameters
    ----------
    kinds, same
        Of each event, see `trix.indexer.document.outline.Outline`.
    places
        Characters before each event, and of all.
    bits, own, solid, actions, levels
        See `own_texts`.
    attributes
        Columns of the attributes that the profile names, in order: event, 1 if there is something besides white space.
    rows
        Columns to fill, a row for each indexed element: depth, kind, position, same, start, end, event, the event of
        the unwrapped element that it stands in (-1: in none, or a run of text), the event at which it ends. The event
        of a run of text is the tag behind which it begins; both events of an attribute are the element's first.
    content
        To fill: the row of each content element.
    marks
        Zeros, to fill for each event: the mark before its text. Where attributes of the element are units, a boundary
        stands behind them.
    outer
        To fill for the start tag of each unwrapped element outside content elements: the event of the unwrapped element
        that it stands in, -1 in none.
    below
        Columns to fill, for each element in a content element: the kind of that one (`TEXT` of a run), its own.
    said
        Columns to fill, for each attribute or compared element in a content element: its row, `OWN` or `BELOW`, start
        and end event of the element, number of the attribute (-1: the element itself), and how many before is the
        compared element that it is in.

    Returns
    -------
    tuple
        How many rows, content elements, elements in content elements, and attributes or compared elements there are,
        how many characters, and how many entity references.
    """
    attribute_events, filled = attributes
    depths, row_kinds, positions, row_same, starts, ends, row_events, lifts, stops = rows
    below_holders, below_kinds = below
    said_rows, said_kinds, said_begins, said_ends, said_attributes, said_above = said
    opened = [0] * levels  # the event of each level
    modes = [0] * levels
    owner = [0] * levels  # the level of the element that children belong to, as unwrapped ones have none
    row = [0] * levels
    position = [0] * levels
    runs = [0] * levels
    held = [0] * levels  # content elements before the level
    closing = [0] * levels  # the mark at its end tag
    near = [0] * levels  # inside content elements: the number in `said` of the compared element that children are in
    direct = [0] * levels  # whether children are children of that, or of the content element
    compared = [0] * levels  # the number in `said` of the element itself
    depth = -1
    count = contents = insiders = sayings = entities = 0
    length = 0
    holder, holder_row = 0, 0  # of what is inside: kind and row of the content element
    run = -1  # the event behind which a run of text began; -1: there is none
    run_start = run_word = run_inline = run_insiders = run_sayings = 0
    attribute = 0
    at = 0
    size = len(kinds)
    while at < size:
        kind = kinds[at]
        behind = False  # whether a run of text begins behind this tag
        if run >= 0:
            mode = modes[depth]
            if kind < 0:
                parts = mode == _HOLDER
            else:
                parts = mode != _INSIDE and actions[kind] & (_ENTITY | _UNWRAP | _DROP | _INLINE | _JOINS) == 0
            if parts:
                level = owner[depth]
                if run_word:
                    position[level] += 1
                    runs[level] += 1
                    depths[count] = depths[row[level]] + 1
                    row_kinds[count] = TEXT
                    positions[count] = position[level]
                    row_same[count] = runs[level]
                    starts[count] = run_start
                    ends[count] = length
                    row_events[count] = run
                    stops[count] = at
                    lifts[count] = -1  # it is the container's, and may reach over several unwrapped elements
                    content[contents] = count
                    marks[run] = _BOUNDARY
                    contents += 1
                    count += 1
                else:  # elements in it have positions of their own, and nothing in them is compared
                    position[level] += run_inline
                    insiders, sayings = run_insiders, run_sayings
                run = -1
        if kind < 0:
            mode = modes[depth]
            marks[at] = closing[depth]
            if mode == _INSIDE:
                if compared[depth] >= 0:
                    said_ends[compared[depth]] = at
            elif mode != _LIFTED:
                if contents == held[depth]:
                    count = row[depth]  # no text below: not indexed
                else:
                    ends[row[depth]] = length
                    stops[row[depth]] = at
                behind = depth > 0 and modes[owner[depth - 1]] == _HOLDER
            depth -= 1
            if depth < 0:
                break
        else:
            flags = actions[kind]
            mode = modes[depth] if depth >= 0 else _PLAIN
            level = owner[depth] if depth >= 0 else -1
            mark = 0 if flags & _INLINE else _SEPARATOR
            opens = _PLAIN
            skipped = False
            if flags & _ENTITY:
                entities += mark > 0
                skipped = True
            elif mode >= _CONTENT:
                skipped = flags & _GONE > 0
                opens = _INSIDE
            elif depth < 0:
                pass
            elif modes[level] == _HOLDER:
                if flags & _UNWRAP:
                    opens = _LIFTED
                elif flags & (_DROP | _INLINE | _JOINS):
                    run_inline += flags & _DROP == 0
                    skipped = flags & _GONE > 0
                    opens = _INSIDE
                else:
                    position[level] += 1
                    if flags & _BLANK:
                        skipped = behind = True
                        mark = 0
            elif flags & _GONE:
                position[level] += flags & _DROP == 0
                skipped = True
            elif flags & _UNWRAP:
                opens = _LIFTED
            else:
                position[level] += 1
                if flags & _JOINS and kinds[at + 1] < 0 and places[at + 1] == places[at]:
                    skipped = True
                    mark = _JOIN
            if skipped:
                marks[at] = mark | HIDDEN
                nested = 1
                while nested:
                    at += 1
                    nested += 1 if kinds[at] >= 0 else -1
                    if nested:
                        marks[at] = HIDDEN
            elif opens == _LIFTED:
                depth += 1
                opened[depth] = at
                modes[depth] = _LIFTED
                owner[depth] = level
                outer[at] = opened[depth - 1] if mode == _LIFTED else -1
                marks[at] = closing[depth] = mark
            elif opens == _INSIDE:
                if mode < _CONTENT:
                    holder, holder_row = TEXT, count
                    above, child = -1, 1
                else:
                    above, child = near[depth], direct[depth]
                if flags & _JOINS and kinds[at + 1] < 0 and places[at + 1] == places[at]:
                    marks[at] = _JOIN
                    mark = 0
                else:
                    marks[at] = mark
                below_holders[insiders] = holder
                below_kinds[insiders] = kind
                insiders += 1
                depth += 1
                opened[depth] = at
                modes[depth] = _INSIDE
                closing[depth] = mark
                compared[depth] = -1
                near[depth] = above
                direct[depth] = child if flags & _UNWRAP else 0
                if flags & (_COMPARED | _ATTRIBUTES) and not flags & _UNWRAP:
                    if flags & _COMPARED and solid[at]:
                        said_rows[sayings] = holder_row
                        said_kinds[sayings] = _OWN if child else _BELOW
                        said_begins[sayings] = at
                        said_attributes[sayings] = -1
                        said_above[sayings] = 0 if above < 0 else sayings - above
                        near[depth] = compared[depth] = sayings
                        direct[depth] = 1
                        sayings += 1
                    if flags & _ATTRIBUTES:
                        while attribute < len(attribute_events) and attribute_events[attribute] < at:
                            attribute += 1
                        while attribute < len(attribute_events) and attribute_events[attribute] == at:
                            if filled[attribute]:
                                above = near[depth]
                                said_rows[sayings] = holder_row
                                said_kinds[sayings] = _OWN if compared[depth] >= 0 else _BELOW
                                said_begins[sayings] = at
                                said_attributes[sayings] = attribute
                                said_above[sayings] = 0 if above < 0 else sayings - above
                                sayings += 1
                            attribute += 1
            else:
                depth += 1
                depths[count] = depths[row[level]] + 1 if level >= 0 else 0
                row_kinds[count] = kind
                positions[count] = position[level] if level >= 0 else 1
                row_same[count] = same[at]
                starts[count] = length
                row_events[count] = at
                lifts[count] = opened[depth - 1] if mode == _LIFTED else -1
                opened[depth] = at
                owner[depth] = depth
                row[depth] = count
                position[depth] = runs[depth] = 0
                held[depth] = contents
                marks[at] = closing[depth] = mark
                modes[depth] = _HOLDER if flags & _CONTAINER else _PLAIN
                if own[at]:
                    modes[depth] = _CONTENT
                    content[contents] = count
                    contents += 1
                    marks[at] = _BOUNDARY
                    holder, holder_row = kind, count
                    near[depth] = -1
                    direct[depth] = 1
                count += 1
                if flags & _ATTRIBUTES:
                    while attribute < len(attribute_events) and attribute_events[attribute] < at:
                        attribute += 1
                    while attribute < len(attribute_events) and attribute_events[attribute] == at:
                        position[depth] += 1
                        if filled[attribute] and own[at]:
                            said_rows[sayings] = count - 1
                            said_kinds[sayings] = _OWN
                            said_begins[sayings] = at
                            said_attributes[sayings] = attribute
                            said_above[sayings] = 0
                            sayings += 1
                        elif filled[attribute]:
                            depths[count] = depths[row[depth]] + 1
                            row_kinds[count] = TEXT - 1 - attribute
                            positions[count] = position[depth]
                            row_same[count] = 0
                            starts[count] = ends[count] = length
                            row_events[count] = stops[count] = at
                            lifts[count] = -1
                            content[contents] = count
                            contents += 1
                            count += 1
                        attribute += 1
                behind = modes[depth] == _HOLDER
        if behind:
            run = at
            run_start = length
            run_word = run_inline = 0
            run_insiders, run_sayings = insiders, sayings
        length += places[at + 1] - places[at]
        if run >= 0:
            run_word |= bits[at] & WORD
        at += 1
    return count, contents, insiders, sayings, length, entities
