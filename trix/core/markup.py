"""Fast XML reader: well-formed markup to events, attributes, element columns, annotated text and titles.

An *event* is a start tag or an end tag together with the text up to the next one. The markup is as libxml2 writes it
in UTF-8, and free of faults; sizes are checked all the same.
"""

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.trix.core.steps import in_time
else:
    from trix.core.steps import in_time

_LOOK = cython.declare(cython.Py_ssize_t, (1 << 20) - 1)
"""Mask of steps: a loop checks the deadline when all these bits of its counter are 1."""
_FEW = cython.declare(cython.Py_ssize_t, (1 << 16) - 1)
"""The same for a loop over tags, which take longer."""

NAMES = 2048
"""Number of slots for the distinct tags of a document; half of them may be used."""
ENTITY_TAG = NAMES
"""Tag number of an entity reference."""
CHOOSES, SAYS = 1, 2
"""Bits of an attribute: it decides the kind of its element; its value is read."""
INSIDE, WITH_CHILDREN = 1, 2
"""Bits of a kind of elements: it may be inside a heading; it may be a heading with child elements.

The text of such a heading is that between its tags.
"""

_NAMES = cython.declare(cython.Py_ssize_t, 2048)
_ENTITY_TAG = cython.declare(cython.int, 2048)
_CHOOSES = cython.declare(cython.int, 1)
_SAYS = cython.declare(cython.int, 2)
_IN_HEADING = cython.declare(cython.int, 1)
_AS_HEADING = cython.declare(cython.int, 2)
_DEEPEST = cython.declare(cython.int, 512)
"""As `trix.indexer.document.outline.DEEPEST`."""
_ALL = cython.declare(cython.uint, (1 << 32) - 1)
"""Mask of 32 bits, for uncompiled runs with Python's unlimited integers; a C compiler removes it."""
_PRIME = cython.declare(cython.uint, 16777619)
_BASIS = cython.declare(cython.uint, 2166136261)
"""Constants of the 32-bit hash FNV-1a (Fowler, Noll & Vo)."""

# Actions on elements: bits, as in `trix.indexer.profile.actions.Action` and `trix.indexer.document.kinds`.
_INLINE = cython.declare(cython.int, 1)
_UNWRAP = cython.declare(cython.int, 2)
_BLANK = cython.declare(cython.int, 4)
_DROP = cython.declare(cython.int, 8)
_GONE = cython.declare(cython.int, 4 | 8)
_UNIT = cython.declare(cython.int, 16)
_CONTAINER = cython.declare(cython.int, 32)
_JOINS = cython.declare(cython.int, 64)
_ENTITY = cython.declare(cython.int, 1 << 20)
_COMPARED = cython.declare(cython.int, 1 << 21)
_ATTRIBUTES = cython.declare(cython.int, 1 << 22)

# Marks of annotated text, as in `trix.indexer.document.record`, and of text that is not indexed.
_BOUNDARY = cython.declare(cython.int, 1)
_SEPARATOR = cython.declare(cython.int, 2)
_JOIN = cython.declare(cython.int, 4)
_HIDDEN = cython.declare(cython.int, 8)

# Bits of a text: there is something besides white space in it; there is a word in it.
_SOLID = cython.declare(cython.int, 1)
_WORD = cython.declare(cython.int, 2)

_OWN = cython.declare(cython.int, 1)
_BELOW = cython.declare(cython.int, 2)
_TEXT = cython.declare(cython.int, -1)
"""The kind of a row that is a run of text; that of an attribute is lower: -2 for the first of the document."""

# What a level is while elements are indexed: an element that may be a content element, a container, an unwrapped
# element, a content element, inside one.
_PLAIN = cython.declare(cython.int, 0)
_HOLDER = cython.declare(cython.int, 1)
_LIFTED = cython.declare(cython.int, 2)
_CONTENT = cython.declare(cython.int, 3)
_INSIDE = cython.declare(cython.int, 4)


# -- tags and text ----------------------------------------------------------------------------------------------------


@cython.final
@cython.cclass
class _Scanner:
    """Cursor over markup. Each method leaves the cursor after what it read."""

    data: cython.const[cython.uchar][::1]
    at: cython.Py_ssize_t
    names: cython.int[:, ::1]
    slots: cython.int[::1]
    known: cython.int
    qualified: cython.bint

    def __init__(self, data: cython.const[cython.uchar][::1], names: cython.int[:, ::1], qualified: cython.bint):
        self.data, self.names, self.qualified = data, names, qualified
        self.slots = np.zeros(_NAMES, np.int32)
        self.at = 0
        self.known = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def number_tag(self) -> cython.int:
        """Return the number of the tag whose name begins here, `known` for a new one."""
        begin: cython.Py_ssize_t = self.at
        value: cython.uint = _BASIS
        slot: cython.Py_ssize_t
        tag: cython.int
        first: cython.Py_ssize_t
        i: cython.Py_ssize_t
        byte: cython.uint
        while True:
            byte = cython.cast(cython.int, self.data[self.at])
            if byte == 62 or byte == 47 or byte <= 32:  # > / white space
                break
            value = ((value ^ byte) * _PRIME) & _ALL
            self.at += 1
            if byte == 58 and not self.qualified:  # what was before the colon is a prefix
                begin = self.at
                value = _BASIS
        slot = (value ^ (value >> 15)) & (_NAMES - 1)
        while self.slots[slot] > 0:
            tag = self.slots[slot] - 1
            first = self.names[tag, 0]
            if self.names[tag, 1] - first == self.at - begin:
                i = 0
                while begin + i < self.at and self.data[first + i] == self.data[begin + i]:
                    i += 1
                if begin + i == self.at:
                    return tag
            slot = (slot + 1) & (_NAMES - 1)
        self.names[self.known, 0] = cython.cast(cython.int, begin)
        self.names[self.known, 1] = cython.cast(cython.int, self.at)
        self.slots[slot] = self.known + 1
        return self.known

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def end_tag(self) -> cython.int:
        """Move to the ``>`` that ends a tag, past its attributes; return 0 for unusual white space in it."""
        quote: cython.int = 0
        byte: cython.int
        following: cython.int
        while True:
            byte = cython.cast(cython.int, self.data[self.at])
            if byte < 32:
                return 0
            if quote == 0:
                if byte == 62:
                    return 1
                following = cython.cast(cython.int, self.data[self.at + 1])
                if byte == 32 and (following <= 32 or following == 47 or following == 62 or following == 61):  # / > =
                    return 0
                if byte == 61 and following == 32:
                    return 0
                if byte == 34 or byte == 39:
                    quote = byte
            elif byte == quote:
                quote = 0
            self.at += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def reference(self) -> cython.longlong:
        """Decode a character reference, 0 for one to an entity; move to its semicolon."""
        begin: cython.Py_ssize_t = self.at + 1
        size: cython.Py_ssize_t
        place: cython.Py_ssize_t
        base: cython.int
        digit: cython.int
        code: cython.longlong = 0
        while self.data[self.at] != 59:  # ;
            self.at += 1
        size = self.at - begin
        if self.data[begin] == 35:  # #
            base = 16 if self.data[begin + 1] == 120 else 10  # x
            for place in range(begin + (2 if base == 16 else 1), self.at):
                digit = cython.cast(cython.int, self.data[place])
                code = code * base + (digit & 15 if digit < 58 else (digit & 7) + 9)
                if code > 0x10FFFF:
                    return 0
        elif size == 3 and self.data[begin] == 97 and self.data[begin + 1] == 109 and self.data[begin + 2] == 112:
            code = 38  # amp
        elif size == 2 and self.data[begin] == 108 and self.data[begin + 1] == 116:
            code = 60  # lt
        elif size == 2 and self.data[begin] == 103 and self.data[begin + 1] == 116:
            code = 62  # gt
        elif size == 4 and self.data[begin + 2] == 111 and self.data[begin] == 97 and self.data[begin + 1] == 112:
            code = 39 if self.data[self.at - 1] == 115 else 0  # apos
        elif size == 4 and self.data[begin + 2] == 111 and self.data[begin] == 113 and self.data[begin + 1] == 117:
            code = 34 if self.data[self.at - 1] == 116 else 0  # quot
        return code

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(-1)
    def scan(
        self,
        tags: cython.int[::1],
        heads: cython.int[::1],
        places: cython.int[::1],
        codes: cython.uint[::1],
        found: cython.longlong[::1],
    ) -> cython.int:
        """Scan as `scan_markup` documents; return 0 for markup that is not simple enough."""
        size: cython.Py_ssize_t = self.data.shape[0]
        count: cython.Py_ssize_t = 0
        written: cython.Py_ssize_t = 0
        depth: cython.int = 0
        levels: cython.int = 0
        wide: cython.bint = False
        empty: cython.bint
        byte: cython.longlong
        code: cython.longlong
        tag: cython.int
        while self.at < size:
            byte = cython.cast(cython.int, self.data[self.at])
            if byte == 60:  # <
                if count & _FEW == _FEW:
                    in_time()
                self.at += 1
                tag = -1
                empty = False
                if self.data[self.at] == 33 or self.data[self.at] == 63:  # ! or ?
                    return 0
                if self.data[self.at] != 47:  # /
                    tag = self.number_tag()
                    heads[count] = cython.cast(cython.int, self.at)
                    if tag == self.known:
                        self.known += 1
                        if 2 * self.known == _NAMES:
                            return 0
                    if not self.end_tag():
                        return 0
                    empty = self.data[self.at - 1] == 47
                    depth += 1
                    if depth > levels:
                        levels = depth
                        if depth == _DEEPEST:
                            return 0
                while self.data[self.at] != 62:  # >
                    self.at += 1
                self.at += 1
                tags[count] = tag
                places[count] = cython.cast(cython.int, written)
                count += 1
                if empty:
                    tags[count] = -1
                    places[count] = cython.cast(cython.int, written)
                    count += 1
                if empty or tag < 0:
                    depth -= 1
                continue
            if byte < 128:
                code = byte
                if byte == 38:  # &
                    code = self.reference()
                    if code == 0:
                        tags[count] = _ENTITY_TAG
                        tags[count + 1] = -1
                        places[count] = places[count + 1] = cython.cast(cython.int, written)
                        count += 2
                        self.at += 1
                        continue
                    if code > 0xFFFF:
                        wide = True
                self.at += 1
            elif byte < 224:
                code = ((byte & 31) << 6) | self.rest(1)
                self.at += 2
            elif byte < 240:
                code = ((byte & 15) << 12) | (self.rest(1) << 6) | self.rest(2)
                self.at += 3
            else:
                code = ((byte & 7) << 18) | (self.rest(1) << 12) | (self.rest(2) << 6) | self.rest(3)
                self.at += 4
                wide = True
            codes[written] = cython.cast(cython.uint, code)
            written += 1
        places[count] = cython.cast(cython.int, written)
        found[0], found[1], found[2], found[3] = count, self.known, levels, wide
        return 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(-1)
    def rest(self, ahead: cython.Py_ssize_t) -> cython.longlong:
        """Six bits of a continuation byte."""
        return cython.cast(cython.longlong, self.data[self.at + ahead]) & 63


def scan_markup(
    data: cython.const[cython.uchar][::1],
    qualified: cython.bint,
    tags: cython.int[::1],
    heads: cython.int[::1],
    places: cython.int[::1],
    codes: cython.uint[::1],
    names: cython.int[:, ::1],
):
    """Split markup into tags and text; references to quotation marks are allowed.

    Parameters
    ----------
    data
        The markup.
    qualified
        Whether names keep their prefixes.
    tags, heads, places, codes, names
        Output. Tags: number of each event's tag by first occurrence, -1 for an end tag (an empty element has both, as
        has a reference to an entity). Heads: the byte after the name in each start tag. Places: characters before each
        event, and in all. Codes: the characters. Names: first byte and end of each name, of the local name unless
        `qualified`.

    Returns
    -------
    tuple
        Number of events and of names, depth, and whether characters of more than 16 bits occur. No events: the markup
        has something else, such as a comment, or unusual tags, and the literal reader must take it.
    """
    scanner: _Scanner = _Scanner(data, names, qualified)
    found: cython.longlong[::1] = np.zeros(4, np.int64)
    simple: cython.int
    with cython.nogil:
        simple = scanner.scan(tags, heads, places, codes, found)
    return (found[0], found[1], found[2], bool(found[3])) if simple else (0, 0, 0, False)


def survey(
    tags: cython.const[cython.int][::1],
    places: cython.const[cython.int][::1],
    codes: cython.const[cython.uint][::1],
    names: cython.const[cython.int][::1],
    levels: cython.Py_ssize_t,
    table: cython.const[cython.uchar][::1],
    every: cython.int,
    same: cython.int[::1],
    bits: cython.uchar[::1],
):
    """Number elements among their siblings of the same name, and classify the texts.

    Parameters
    ----------
    tags, places, codes
        As in `scan_markup`.
    names
        Number of the local name of each tag.
    levels
        Depth of the document.
    table
        By character, the bits that it adds to a text's bits.
    every
        All bits that matter.
    same, bits
        Output, see `index_elements`.
    """
    seen: cython.int[:, ::1] = np.zeros((levels + 2, names.shape[0]), np.int32)
    # The start tag of the parent that `seen` counts for.
    seen_in: cython.int[:, ::1] = np.full((levels + 2, names.shape[0]), -1, np.int32)
    opened: cython.int[::1] = np.full(levels + 2, -1, np.int32)
    depth: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    place: cython.Py_ssize_t
    tag: cython.int
    name: cython.Py_ssize_t
    found: cython.int
    code: cython.uint
    with cython.nogil:
        for at in range(tags.shape[0]):
            if at & _LOOK == _LOOK:
                in_time()
            tag = tags[at]
            if tag < 0:
                depth -= 1
            else:
                if tag != _ENTITY_TAG:
                    name = names[tag]
                    if seen_in[depth, name] != opened[depth]:
                        seen_in[depth, name] = opened[depth]
                        seen[depth, name] = 0
                    seen[depth, name] += 1
                    same[at] = seen[depth, name]
                depth += 1
                opened[depth] = cython.cast(cython.int, at)
            found = 0
            for place in range(places[at], places[at + 1]):
                code = codes[place]
                found |= table[code] if code < cython.cast(cython.size_t, table.shape[0]) else _SOLID
                if found == every:
                    break
            bits[at] = cython.cast(cython.uchar, found)


def place_children(
    tags: cython.const[cython.int][::1],
    levels: cython.Py_ssize_t,
    begins: cython.int[::1],
    last: cython.int[::1],
    inside,
):
    """Find the children of the root element, and which tags contain which; return the number of children.

    Parameters
    ----------
    tags
        As in `scan_markup`.
    levels
        Depth of the document.
    begins
        Output: event at which each child begins.
    last
        Output: by tag, the number of children up to its last element.
    inside
        Output: by pair of tags, whether an element of the second is a child of one of the first.
    """
    within: cython.uchar[:, ::1] = inside.view(np.uint8)
    above: cython.int[::1] = np.zeros(levels + 2, np.int32)
    depth: cython.Py_ssize_t = 0
    children: cython.int = 0
    at: cython.Py_ssize_t
    tag: cython.int
    with cython.nogil:
        for at in range(tags.shape[0]):
            if at & _LOOK == _LOOK:
                in_time()
            tag = tags[at]
            if tag < 0:
                depth -= 1
                continue
            if tag != _ENTITY_TAG:
                if depth == 1:
                    begins[children] = cython.cast(cython.int, at)
                    children += 1
                if depth > 0:
                    within[above[depth - 1], tag] = 1
                last[tag] = children
            above[depth] = tag
            depth += 1
    return children


def write_text(
    places: cython.const[cython.int][::1],
    codes: cython.const[cython.uint][::1],
    marks: cython.const[cython.uchar][::1],
    space,
    annotated: cython.uint[::1],
    blanks: cython.int[::1],
    spots: cython.int[::1],
):
    """Write the annotated text, and the blanks that `trix.indexer.document.record.blank_places` finds in it.

    Parameters
    ----------
    places, codes
        As in `scan_markup`.
    marks
        See `index_elements`.
    space : ndarray of bool
        By character, up to the last white one, whether it is white space.
    annotated, blanks
        Output.
    spots
        Output: position in the annotated text of each event's mark.

    Returns
    -------
    tuple of int
        Number of characters and of blanks.
    """
    white: cython.const[cython.uchar][::1] = space.view(np.uint8)
    whites: cython.size_t = white.shape[0]
    written: cython.Py_ssize_t = 0
    length: cython.int = 0
    parted: cython.Py_ssize_t = 0
    separated: cython.bint = False  # by a mark since the last character
    before_white: cython.bint = True
    at: cython.Py_ssize_t
    place: cython.Py_ssize_t
    mark: cython.int
    first: cython.uint
    last: cython.uint
    with cython.nogil:
        for at in range(marks.shape[0]):
            if at & _LOOK == _LOOK:
                in_time()
            spots[at] = cython.cast(cython.int, written)
            mark = cython.cast(cython.int, marks[at]) & ~_HIDDEN
            if mark:
                annotated[written] = mark
                written += 1
                if mark != _JOIN:
                    separated = True
            if marks[at] & _HIDDEN or places[at] == places[at + 1]:
                continue
            first, last = codes[places[at]], codes[places[at + 1] - 1]
            if separated and not before_white and not (first < whites and white[first]):
                blanks[parted] = length
                parted += 1
            separated = False
            before_white = last < whites and white[last] != 0
            for place in range(places[at], places[at + 1]):
                annotated[written] = codes[place]
                written += 1
            length += places[at + 1] - places[at]
    return written, parted


# -- attributes -------------------------------------------------------------------------------------------------------


def find_attributes(
    data: cython.const[cython.uchar][::1],
    tags: cython.const[cython.int][::1],
    heads: cython.const[cython.int][::1],
    asked: cython.const[cython.uchar][:, ::1],
    names: cython.const[cython.uchar][::1],
    name_ends,
    meant,
    alike: cython.int[::1],
    told: cython.int[:, ::1],
    found: cython.int[:, ::1],
):
    """Find attributes, and split the elements of a tag into classes by the values of some.

    Parameters
    ----------
    data, tags, heads
        As in `scan_markup`.
    asked
        By tag and attribute: `CHOOSES`, `SAYS`, both or neither.
    names, name_ends, meant
        The names of attributes in bytes, concatenated, the end of each, and its attribute number.
    alike
        A copy of `tags`; if an attribute chooses, the element's class is written here, after `ENTITY_TAG`.
    told
        Output, a row a class: the class or tag without the last choosing attribute, the number of that attribute,
        first byte and end of its value. Its size is a power of two (hash table).
    found
        Output, a row for each attribute with a value to index: event, attribute number, first byte and end of the
        value.

    Returns
    -------
    tuple of int
        Number of attributes and of classes; -1 if there is no room.
    """
    ends: cython.const[cython.longlong][::1] = np.ascontiguousarray(name_ends, np.int64)
    meanings: cython.const[cython.longlong][::1] = np.ascontiguousarray(meant, np.int64)
    slots: cython.int[::1] = np.zeros(2 * told.shape[0], np.int32)
    count: cython.Py_ssize_t = 0
    known: cython.int = 0
    own: cython.int
    row: cython.int
    use: cython.int
    tag: cython.int
    quote: cython.int
    event: cython.Py_ssize_t
    at: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    size: cython.Py_ssize_t
    first: cython.Py_ssize_t
    name: cython.Py_ssize_t
    name_begin: cython.Py_ssize_t
    i: cython.Py_ssize_t
    full: cython.bint = False
    with cython.nogil:
        for event in range(tags.shape[0]):
            tag = tags[event]
            if tag < 0 or tag == _ENTITY_TAG:
                continue
            own = tag
            at = heads[event]
            while data[at] == 32:
                begin = at + 1
                at = begin
                while data[at] != 61:  # =
                    at += 1
                size = at - begin
                quote = data[at + 1]
                first = at + 2
                at = first
                while data[at] != quote:
                    at += 1
                name_begin = 0
                for name in range(ends.shape[0]):
                    use = asked[tag, meanings[name]]
                    if use and ends[name] - name_begin == size:
                        i = 0
                        while i < size and names[name_begin + i] == data[begin + i]:
                            i += 1
                        if i == size:
                            if count == found.shape[0] or known == told.shape[0]:
                                full = True
                                break
                            if use & _CHOOSES:
                                row = _class_row(
                                    data, own, cython.cast(cython.int, meanings[name]), first, at, slots, told, known
                                )
                                known += row == known
                                own = _ENTITY_TAG + 1 + row
                            if use & _SAYS:
                                found[count, 0] = cython.cast(cython.int, event)
                                found[count, 1] = cython.cast(cython.int, meanings[name])
                                found[count, 2] = cython.cast(cython.int, first)
                                found[count, 3] = cython.cast(cython.int, at)
                                count += 1
                            break
                    name_begin = ends[name]
                if full:
                    break
                at += 1
            if full:
                break
            alike[event] = own
    if full:
        return -1, -1
    return count, known


@cython.cfunc
@cython.nogil
@cython.exceptval(-1)
def _class_row(
    data: cython.const[cython.uchar][::1],
    above: cython.int,
    number: cython.int,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    slots: cython.int[::1],
    told: cython.int[:, ::1],
    known: cython.int,
) -> cython.int:
    """Return the row of a class in the hash table; enter it as row `known` if it is new."""
    value: cython.uint = (cython.cast(cython.uint, above * 31 + number) * _PRIME) & _ALL
    mask: cython.Py_ssize_t = slots.shape[0] - 1
    slot: cython.Py_ssize_t
    at: cython.Py_ssize_t
    i: cython.Py_ssize_t
    row: cython.int
    same: cython.bint
    for at in range(first, end):
        value = ((value ^ cython.cast(cython.uint, data[at])) * _PRIME) & _ALL
    slot = (value ^ (value >> 15)) & mask
    while slots[slot] > 0:
        row = slots[slot] - 1
        same = told[row, 0] == above and told[row, 1] == number and told[row, 3] - told[row, 2] == end - first
        i = 0
        while same and first + i < end:
            same = data[told[row, 2] + i] == data[first + i]
            i += 1
        if same:
            return row
        slot = (slot + 1) & mask
    told[known, 0], told[known, 1] = above, number
    told[known, 2], told[known, 3] = cython.cast(cython.int, first), cython.cast(cython.int, end)
    slots[slot] = known + 1
    return known


def kinds_in_parents(
    alike: cython.const[cython.int][::1],
    tags: cython.Py_ssize_t,
    of_classes: cython.const[cython.int][:, ::1],
    after: cython.const[cython.int][::1],
    levels: cython.Py_ssize_t,
    kinds: cython.int[::1],
):
    """Find the kind of each element by its class and the state of its parent, see `trix.indexer.markup.names`.

    Parameters
    ----------
    alike
        As `find_attributes` writes it.
    tags
        Number of tags.
    of_classes
        By tag, then by class: the kind of its elements in each state of the parent.
    after
        By kind, the state of its elements.
    levels
        Depth of the document.
    kinds
        Output; entries that are no element keep their kind.
    """
    # Of the element that is open at each level; the first is that of none.
    states: cython.int[::1] = np.zeros(levels + 2, np.int32)
    depth: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    row: cython.Py_ssize_t
    with cython.nogil:
        for at in range(alike.shape[0]):
            row = alike[at]
            if row < 0:
                depth -= 1
                continue
            if row != _ENTITY_TAG:
                if row > _ENTITY_TAG:
                    row += tags - _ENTITY_TAG - 1
                kinds[at] = of_classes[row, states[depth]]
            depth += 1
            states[depth] = after[kinds[at]]


# -- indexed elements -------------------------------------------------------------------------------------------------


def own_texts(
    kinds: cython.const[cython.int][::1],
    bits: cython.const[cython.uchar][::1],
    actions: cython.const[cython.int][::1],
    own_bit: cython.int,
    levels: cython.Py_ssize_t,
    own: cython.uchar[::1],
    solid: cython.uchar[::1],
):
    """For each start tag, flag content-element candidates (ignoring nesting) and elements with text.

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
        Zeros, one for each event, to fill.
    """
    opened: cython.int[::1] = np.zeros(levels, np.int32)  # the event of each level
    # That of the element whose own text stands there; -1: of none, in a container.
    owners: cython.int[::1] = np.zeros(levels, np.int32)
    depth: cython.Py_ssize_t = -1
    at: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = kinds.shape[0]
    kind: cython.int
    flags: cython.int
    level: cython.int
    closed: cython.Py_ssize_t
    found: cython.int
    with cython.nogil:
        while at < size:
            if at & _LOOK == _LOOK:
                in_time()
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
                    opened[depth] = owners[depth] = cython.cast(cython.int, at)
                    if flags & _CONTAINER:
                        owners[depth] = -1
                    elif flags & _UNWRAP and depth:
                        owners[depth] = owners[depth - 1]
            found = bits[at]
            if found:
                solid[opened[depth]] = 1
                if found & own_bit and owners[depth] >= 0:
                    own[owners[depth]] = 1
            at += 1
        if size and solid[0] and actions[kinds[0]] & _UNIT:
            own[0] = 1


def text_of_root(
    kinds: cython.const[cython.int][::1],
    sizes: cython.const[cython.longlong][::1],
    actions: cython.const[cython.int][::1],
    levels: cython.Py_ssize_t,
):
    """Count the text that belongs to the root element itself, with unwrapped children, and all of its text.

    Parameters
    ----------
    kinds, actions, levels
        As in `own_texts`.
    sizes
        Non-white characters of each event's text.
    """
    owned: cython.uchar[::1] = np.zeros(levels, np.uint8)  # whether the text of each level is the root's own
    depth: cython.Py_ssize_t = -1
    at: cython.Py_ssize_t = 0
    own: cython.longlong = 0
    total: cython.longlong = 0
    kind: cython.int
    level: cython.int
    with cython.nogil:
        while at < kinds.shape[0]:
            if at & _LOOK == _LOOK:
                in_time()
            kind = kinds[at]
            if kind < 0:
                depth -= 1
                if depth < 0:
                    break
            elif depth >= 0 and actions[kind] & (_GONE | _ENTITY):
                level = 1
                while level:
                    at += 1
                    level += 1 if kinds[at] >= 0 else -1
            else:
                depth += 1
                owned[depth] = depth == 0 or (owned[depth - 1] and actions[kind] & _UNWRAP != 0)
            total += sizes[at]
            if owned[depth]:
                own += sizes[at]
            at += 1
    return own, total


def index_elements(
    kinds: cython.const[cython.int][::1],
    same: cython.const[cython.int][::1],
    places: cython.const[cython.int][::1],
    bits: cython.const[cython.uchar][::1],
    own: cython.const[cython.uchar][::1],
    solid: cython.const[cython.uchar][::1],
    actions: cython.const[cython.int][::1],
    levels: cython.Py_ssize_t,
    attributes,
    rows: cython.int[:, ::1],
    content: cython.int[::1],
    marks: cython.uchar[::1],
    outer: cython.int[::1],
    below: cython.int[:, ::1],
    said: cython.int[:, ::1],
):
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
        of a run of text is the tag after which it begins; both events of an attribute are the element's first.
    content
        To fill: the row of each content element.
    marks
        Zeros, to fill for each event: the mark before its text. Where attributes of the element are units, a boundary
        stands after them.
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
    attribute_events: cython.const[cython.int][::1] = np.ascontiguousarray(attributes[0], np.int32)
    filled: cython.const[cython.uchar][::1] = np.ascontiguousarray(attributes[1], np.uint8)
    columns = np.zeros((11, levels), np.int32)
    opened: cython.int[::1] = columns[0]  # the event of each level
    modes: cython.int[::1] = columns[1]
    owner: cython.int[::1] = columns[2]  # the level of the element that children belong to, as unwrapped ones have none
    row: cython.int[::1] = columns[3]
    position: cython.int[::1] = columns[4]
    runs: cython.int[::1] = columns[5]
    held: cython.int[::1] = columns[6]  # content elements before the level
    closing: cython.int[::1] = columns[7]  # the mark at its end tag
    # Inside content elements: the number in `said` of the compared element that children are in; whether children are
    # children of that, or of the content element; the number in `said` of the element itself.
    near: cython.int[::1] = columns[8]
    direct: cython.int[::1] = columns[9]
    compared: cython.int[::1] = columns[10]
    depth: cython.Py_ssize_t = -1
    count: cython.int = 0
    contents: cython.int = 0
    insiders: cython.int = 0
    sayings: cython.int = 0
    entities: cython.int = 0
    length: cython.int = 0
    holder: cython.int = 0  # kind and row of the enclosing content element
    holder_row: cython.int = 0
    run: cython.int = -1  # the event after which a run of text began; -1: there is none
    run_start: cython.int = 0
    run_word: cython.int = 0
    run_inline: cython.int = 0
    run_insiders: cython.int = 0
    run_sayings: cython.int = 0
    attribute: cython.int = 0
    at: cython.int = 0
    size: cython.int = kinds.shape[0]
    kind: cython.int
    flags: cython.int
    mode: cython.int
    level: cython.int
    mark: cython.int
    opens: cython.int
    nested: cython.int
    above: cython.int
    child: cython.int
    after: cython.bint
    parts: cython.bint
    skipped: cython.bint
    with cython.nogil:
        while at < size:
            if at & _LOOK == _LOOK:
                in_time()
            kind = kinds[at]
            after = False  # whether a run of text begins after this tag
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
                        rows[0, count] = rows[0, row[level]] + 1
                        rows[1, count] = _TEXT
                        rows[2, count] = position[level]
                        rows[3, count] = runs[level]
                        rows[4, count] = run_start
                        rows[5, count] = length
                        rows[6, count] = run
                        rows[8, count] = at
                        rows[7, count] = -1  # it is the container's, and may reach over several unwrapped elements
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
                        said[3, compared[depth]] = at
                elif mode != _LIFTED:
                    if contents == held[depth]:
                        count = row[depth]  # no text below: not indexed
                    else:
                        rows[5, row[depth]] = length
                        rows[8, row[depth]] = at
                    after = depth > 0 and modes[owner[depth - 1]] == _HOLDER
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
                            skipped = after = True
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
                    marks[at] = mark | _HIDDEN
                    nested = 1
                    while nested:
                        at += 1
                        nested += 1 if kinds[at] >= 0 else -1
                        if nested:
                            marks[at] = _HIDDEN
                elif opens == _LIFTED:
                    depth += 1
                    opened[depth] = at
                    modes[depth] = _LIFTED
                    owner[depth] = level
                    outer[at] = opened[depth - 1] if mode == _LIFTED else -1
                    marks[at] = closing[depth] = mark
                elif opens == _INSIDE:
                    if mode < _CONTENT:
                        holder, holder_row = _TEXT, count
                        above, child = -1, 1
                    else:
                        above, child = near[depth], direct[depth]
                    if flags & _JOINS and kinds[at + 1] < 0 and places[at + 1] == places[at]:
                        marks[at] = _JOIN
                        mark = 0
                    else:
                        marks[at] = mark
                    below[0, insiders] = holder
                    below[1, insiders] = kind
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
                            said[0, sayings] = holder_row
                            said[1, sayings] = _OWN if child else _BELOW
                            said[2, sayings] = at
                            said[4, sayings] = -1
                            said[5, sayings] = 0 if above < 0 else sayings - above
                            near[depth] = compared[depth] = sayings
                            direct[depth] = 1
                            sayings += 1
                        if flags & _ATTRIBUTES:
                            while attribute < attribute_events.shape[0] and attribute_events[attribute] < at:
                                attribute += 1
                            while attribute < attribute_events.shape[0] and attribute_events[attribute] == at:
                                if filled[attribute]:
                                    above = near[depth]
                                    said[0, sayings] = holder_row
                                    said[1, sayings] = _OWN if compared[depth] >= 0 else _BELOW
                                    said[2, sayings] = at
                                    said[4, sayings] = attribute
                                    said[5, sayings] = 0 if above < 0 else sayings - above
                                    sayings += 1
                                attribute += 1
                else:
                    depth += 1
                    rows[0, count] = rows[0, row[level]] + 1 if level >= 0 else 0
                    rows[1, count] = kind
                    rows[2, count] = position[level] if level >= 0 else 1
                    rows[3, count] = same[at]
                    rows[4, count] = length
                    rows[6, count] = at
                    rows[7, count] = opened[depth - 1] if mode == _LIFTED else -1
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
                        while attribute < attribute_events.shape[0] and attribute_events[attribute] < at:
                            attribute += 1
                        while attribute < attribute_events.shape[0] and attribute_events[attribute] == at:
                            position[depth] += 1
                            if filled[attribute] and own[at]:
                                said[0, sayings] = count - 1
                                said[1, sayings] = _OWN
                                said[2, sayings] = at
                                said[4, sayings] = attribute
                                said[5, sayings] = 0
                                sayings += 1
                            elif filled[attribute]:
                                rows[0, count] = rows[0, row[depth]] + 1
                                rows[1, count] = _TEXT - 1 - attribute
                                rows[2, count] = position[depth]
                                rows[3, count] = 0
                                rows[4, count] = rows[5, count] = length
                                rows[6, count] = rows[8, count] = at
                                rows[7, count] = -1
                                content[contents] = count
                                contents += 1
                                count += 1
                            attribute += 1
                    after = modes[depth] == _HOLDER
            if after:
                run = at
                run_start = length
                run_word = run_inline = 0
                run_insiders, run_sayings = insiders, sayings
            length += places[at + 1] - places[at]
            if run >= 0:
                run_word |= bits[at] & _WORD
            at += 1
    return count, contents, insiders, sayings, length, entities


def rows_around(
    begins: cython.const[cython.int][::1],
    stops: cython.const[cython.int][::1],
    runs,
    levels: cython.Py_ssize_t,
    events: cython.const[cython.int][::1],
    around: cython.int[::1],
    inside: cython.int[::1],
):
    """Find the indexed elements that given elements are, or lie in.

    Parameters
    ----------
    begins, stops
        Events at which the rows begin and end, see `index_elements`.
    runs : ndarray of bool
        By row, whether it is a run of text.
    levels
        Depth of the rows.
    events
        Ascending events at which the given elements begin.
    around, inside
        Output for each: the row of the nearest element, and the same or the run of its text.
    """
    of_text: cython.const[cython.uchar][::1] = np.ascontiguousarray(runs).view(np.uint8)
    opened: cython.int[::1] = np.zeros(levels, np.int32)  # the row of each level
    depth: cython.Py_ssize_t = -1
    row: cython.Py_ssize_t = 0
    number: cython.Py_ssize_t
    event: cython.int
    with cython.nogil:
        for number in range(events.shape[0]):
            event = events[number]
            while row < begins.shape[0] and begins[row] <= event and not (of_text[row] and begins[row] == event):
                while depth >= 0 and stops[opened[depth]] <= begins[row]:
                    depth -= 1
                depth += 1
                opened[depth] = cython.cast(cython.int, row)
                row += 1
            while stops[opened[depth]] <= event:
                depth -= 1
            inside[number] = opened[depth]
            around[number] = opened[depth - 1] if of_text[opened[depth]] else opened[depth]


# -- titles -----------------------------------------------------------------------------------------------------------


def find_titled(
    tags: cython.const[cython.int][::1],
    steps,
    paths: cython.const[cython.int][:, ::1],
    leads: cython.ulonglong,
    leaf: cython.int,
    levels: cython.Py_ssize_t,
    ends: cython.int[::1],
    events: cython.int[::1],
    held: cython.ulonglong[::1],
):
    """Find the elements that may have a title, except the root; return their number.

    Parameters
    ----------
    tags
        By event: the number of a tag, -1 for an end tag.
    steps
        By tag: its number as a step of title paths; -1 for none.
    paths
        A row a path: its steps from the last to the first, then -1.
    leads
        Bit mask of the paths that may lead to titles.
    leaf
        The step that leads to a title only if no elements are in it; -1 for none.
    levels
        Depth of the document.
    ends
        Output: by event, the event at which its element ends.
    events, held
        Output, in order of ends: first event of each element, and a bit mask of the paths found in it.
    """
    step_of: cython.const[cython.int][::1] = np.ascontiguousarray(steps, np.int32)
    opened: cython.int[::1] = np.zeros(levels + 2, np.int32)
    bits: cython.ulonglong[::1] = np.zeros(levels + 2, np.uint64)
    led: cython.ulonglong[::1] = np.zeros(levels + 2, np.uint64)
    depth: cython.Py_ssize_t = -1
    count: cython.Py_ssize_t = 0
    at: cython.Py_ssize_t
    path: cython.Py_ssize_t
    level: cython.Py_ssize_t
    above: cython.Py_ssize_t
    tag: cython.int
    step: cython.int
    bit: cython.ulonglong
    with cython.nogil:
        for at in range(tags.shape[0]):
            if at & _LOOK == _LOOK:
                in_time()
            tag = tags[at]
            if tag < 0:
                ends[opened[depth]] = cython.cast(cython.int, at)
                if led[depth]:
                    events[count] = opened[depth]
                    held[count] = bits[depth]
                    count += 1
                depth -= 1
                continue
            depth += 1
            opened[depth] = cython.cast(cython.int, at)
            bits[depth] = led[depth] = 0
            step = step_of[tag]
            if step < 0:
                continue
            for path in range(paths.shape[0]):
                if paths[path, 0] != step:
                    continue
                # Up the open elements, along the steps of the path.
                level, above = depth - 1, 1
                while (
                    above < paths.shape[1]
                    and paths[path, above] >= 0
                    and level > 0
                    and step_of[tags[opened[level]]] == paths[path, above]
                ):
                    level -= 1
                    above += 1
                if level > 0 and (above == paths.shape[1] or paths[path, above] < 0):
                    bit = cython.cast(cython.ulonglong, 1) << path
                    bits[level] |= bit
                    if step != leaf or tags[at + 1] < 0:
                        led[level] |= bit & leads
    return count


def write_titles(
    document,
    ends: cython.const[cython.int][::1],
    steps,
    kinds,
    paths: cython.const[cython.int][:, ::1],
    space,
    events: cython.const[cython.int][::1],
    asked: cython.const[cython.int][:, ::1],
    titles: cython.uint[::1],
):
    """Write the titles of elements, one a line; return the number of characters.

    A title stays empty if a part of it is empty or not simple enough, or if there is no room for it.

    Parameters
    ----------
    document
        Columns of its events: tag, kind, characters before it; and its characters.
    ends, steps, paths
        As in `find_titled`.
    kinds
        By kind of elements, bits: `INSIDE`, `WITH_CHILDREN`.
    space : ndarray of bool
        By character, up to the last white one, whether it is white space.
    events
        First event of each element.
    asked
        A row an element: the paths of its title's parts, then -1.
    titles
        Output.
    """
    tags: cython.const[cython.int][::1] = document[0]
    kind_of: cython.const[cython.int][::1] = document[1]
    places: cython.const[cython.int][::1] = document[2]
    codes: cython.const[cython.uint][::1] = document[3]
    step_of: cython.const[cython.int][::1] = np.ascontiguousarray(steps, np.int32)
    kind_bits: cython.const[cython.int][::1] = np.ascontiguousarray(kinds, np.int32)
    white: cython.const[cython.uchar][::1] = space.view(np.uint8)
    whites: cython.size_t = white.shape[0]
    written: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t
    before: cython.Py_ssize_t
    number: cython.Py_ssize_t
    part: cython.Py_ssize_t
    path: cython.Py_ssize_t
    last: cython.Py_ssize_t
    level: cython.Py_ssize_t
    at: cython.Py_ssize_t
    within: cython.Py_ssize_t
    place: cython.Py_ssize_t
    first: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    simple: cython.bint
    blank: cython.bint
    code: cython.uint
    with cython.nogil:
        for number in range(events.shape[0]):
            begin = written
            for part in range(asked.shape[1]):
                path = asked[number, part]
                if path < 0:
                    break
                before = written
                last = 0
                while last + 1 < paths.shape[1] and paths[path, last + 1] >= 0:
                    last += 1
                level = last  # of the step that is looked for; that of the heading is 0
                at = events[number] + 1
                while level <= last:
                    if tags[at] < 0:
                        level += 1
                        at += 1
                    elif step_of[tags[at]] != paths[path, level]:
                        at = ends[at] + 1
                    elif level:
                        level -= 1
                        at += 1
                    else:
                        simple = ends[at] == at + 1 or kind_bits[kind_of[at]] & _AS_HEADING
                        for within in range(at + 1, ends[at]):
                            if tags[within] >= 0 and not kind_bits[kind_of[within]] & _IN_HEADING:
                                simple = False
                        first, behind = places[at], places[ends[at]]
                        if not simple or written + behind - first + 1 + events.shape[0] - number > titles.shape[0]:
                            written = before
                            break
                        blank = written > begin
                        for place in range(first, behind):
                            code = codes[place]
                            if code < whites and white[code]:
                                blank = written > begin
                                continue
                            if blank:
                                titles[written] = 32
                                written += 1
                            blank = False
                            titles[written] = code
                            written += 1
                        if written > before:
                            break  # a part is the first heading with text
                        at = ends[at] + 1
                if written == before:
                    written = begin
                    break
            titles[written] = 10
            written += 1
    return written
