"""Reader of documents by their markup.

Walking a tree in Python costs several calls per element; reading markup in kernels takes a fraction of the time. The
markup is that of the file, or a serialisation of the tree. Two cases are left to the tree reader: profiles that
distinguish namespaces, for documents that declare some below the root; and documents with comments or other matter that
the parser drops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.core.markup import ENTITY_TAG, NAMES, index_elements, own_texts, scan_markup, survey, text_of_root, write_text
from trix.indexer.document.anchors import anchors_of, event_numbers
from trix.indexer.document.kinds import UNIT
from trix.indexer.document.outline import HIDDEN, SOLID, WORD, character_bits, closing_events
from trix.indexer.document.parse import LEVELS
from trix.indexer.document.reader import DocumentReader, most_rows
from trix.indexer.document.record import (
    SEPARATOR,
    Attribute,
    DocumentRecord,
    ElementRows,
    Steps,
    text_with_blanks,
    white_space,
)
from trix.indexer.document.tree import LazyTree
from trix.indexer.languages.labels import holding_labels, language_above, languages_of_rows
from trix.indexer.markup.head import RootChildren
from trix.indexer.markup.names import (
    ID,
    LABEL,
    TARGET,
    AmbiguousMarkup,
    AttributeReader,
    ElementClass,
    one_scope,
    tag_of,
    tells_namespaces,
)
from trix.indexer.markup.parent_kinds import KindsInParents
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.reach import Reach
from trix.indexer.profile.selector import split_qname
from trix.indexer.words.interner import Text, text_string

_KEPT_BYTES, _KEPT_EVENTS = 16 << 20, 1 << 20
"""Buffers larger than this are freed after the document."""


def reader_for(profile: Profile, steps: Steps, *, links: bool = False) -> DocumentReader:
    """Return the fastest reader for a profile in this process; parameters are those of `DocumentReader`."""
    return MarkupReader(profile, steps, links=links)


class Scan(NamedTuple):
    """Scanned markup of a document. The columns are buffers of the reader, valid until it reads the next document.

    Attributes
    ----------
    tags, kinds
        Number of the tag and of the kind of each event; -1 for an end tag.
    places
        Number of characters before each event, then the total.
    codes
        Code points of the text.
    found
        Classes of the tags by number, without the tag of entity references (see `trix.core.markup`).
    levels
        Depth of the tree.
    children
        Children of the root element.
    """

    tags: NDArray[np.int32]
    kinds: NDArray[np.int32]
    places: NDArray[np.int32]
    codes: NDArray[np.uint32]
    found: Sequence[ElementClass]
    levels: int
    children: RootChildren


class MarkupReader(DocumentReader):
    """Reads documents like `DocumentReader`, from markup.

    Parameters are those of `DocumentReader`.

    Attributes
    ----------
    scan : Scan or None
        Scan of the last document; None if it was read from its tree.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None, *, links: bool = False) -> None:
        super().__init__(profile, steps, links=links)
        self._every = SOLID | WORD if self._words else SOLID
        self._qualified = tells_namespaces(profile)
        self.scan: Scan | None = None
        self._attribute_reader = AttributeReader(profile, self.kinds, self._anchor_rules)
        self._in_parents = KindsInParents(self.kinds) if self.kinds.parents else None
        self._actions = np.zeros(0, np.int32)
        self._names = np.empty((NAMES, 2), np.int32)
        self._make_room(1 << 16)
        self._make_room_for(1 << 14)

    def _make_room(self, size: int) -> None:
        """Allocate buffers for documents of `size` bytes. They are reused, since page faults cost more than the
        loops.
        """
        self._size = size
        self._tags, self._heads, self._places = (np.empty(size, np.int32) for _ in range(3))
        self._codes, self._annotated = np.empty(size, np.uint32), np.empty(size, np.uint32)

    def _make_room_for(self, events: int) -> None:
        """Allocate buffers for documents with `events` rows (see `most_rows`)."""
        self._events = events
        self._same, self._content, self._outer, self._blanks, self._spots = np.empty((5, events), np.int32)
        self._bits, self._own, self._solid, self._marks = np.empty((4, events), np.uint8)
        self._row_columns, self._below_columns, self._compared_columns = (
            np.empty((width, events), np.int32) for width in (9, 2, 6)
        )

    def release(self) -> None:
        """Free the buffers of a large document."""
        super().release()
        if self._size > _KEPT_BYTES or self._events > _KEPT_EVENTS:
            self.scan = None
            self._last = np.zeros(0, np.int32), np.zeros(0, np.int32)
            self._make_room(1 << 16)
            self._make_room_for(1 << 14)

    def read_document(self, root: Any) -> DocumentRecord:
        """Read one root element into a record; see `DocumentReader.read_document`."""
        return self.read(LazyTree.of(root))

    def read(self, tree: LazyTree) -> DocumentRecord:
        """Read a document into a record: by markup if possible, else by its tree."""
        try:
            return self.read_markup(tree)
        except AmbiguousMarkup:
            self.scan = None
            return super().read_document(tree.element)

    def read_markup(self, tree: LazyTree, *, again: bool = False) -> DocumentRecord:
        """Read a document by markup alone.

        The first attempt uses the bytes of the file. If they differ from what libxml2 would write, the tree is
        serialised and read `again`.

        Raises
        ------
        LookInTree
            The markup is ambiguous.
        """
        given = tree.markup if not again else b""
        markup = given or etree.tostring(tree.element, encoding="utf-8", with_tail=False)
        data = np.frombuffer(markup, np.uint8)
        if data.size >= self._size:
            self._make_room(data.size + data.size // 4)
        codes = self._codes
        scanned = self._tags, self._heads, self._places, codes, self._names
        # Step 1: split markup into events. A size of 0 means that the kernel met a form it does not know.
        size, names, levels, _ = scan_markup(data, self._qualified, *scanned)
        if levels > LEVELS:
            raise AmbiguousMarkup  # no record can be made; the tree reader raises the error
        if not size:
            if given:
                return self.read_markup(tree, again=True)
            raise AmbiguousMarkup
        tags, places = self._tags[:size], self._places[: size + 1]
        # Step 2: resolve tags and attributes to kinds.
        found = self._attribute_reader.of_tags(self._tag_names(tree, markup, names))
        attrs = self._attribute_reader.read(tree, markup, data, tags, self._heads, found)
        if self._in_parents is not None:
            self._in_parents.correct(attrs, levels)
        kinds, attributes = attrs.kinds, [*starmap(Attribute, attrs.indexed(self.kinds.all))]
        children = RootChildren(tags, self._heads[:size], levels, [each.name for each in found], markup)
        self.scan = Scan(tags, kinds, places, codes, found, levels, children)
        kinds[0] = self.kinds.of_root(int(kinds[0]))
        numbers = np.arange(names, dtype=np.int32)
        if self._qualified:
            known: dict[str, int] = {}
            numbers[:] = [known.setdefault(each.name, len(known)) for each in found]
        # Step 3: character classes per event, then which elements have text of their own.
        rows = most_rows(size, len(attributes))
        if rows > self._events:
            self._make_room_for(rows * 5 // 4)
        same = self._same[:size]
        bits, own, solid, marks = (column[:size] for column in (self._bits, self._own, self._solid, self._marks))
        table = character_bits(self._every).table_for(codes[: places[-1]])
        survey(tags, places, codes, numbers, levels, table, self._every, same, bits)
        own[:] = solid[:] = marks[:] = 0
        actions = self._all_actions()
        own_texts(kinds, bits, actions, self._own_bit, levels, own, solid)
        # Stray text would make the whole document one element: by the profile, the root becomes a container.
        stray = False
        if own[0] and not actions[kinds[0]] & UNIT:
            sizes = _solid_characters(codes[: places[-1]], places)
            stray = self._is_stray(*text_of_root(kinds, sizes, actions, levels))
        if stray and self.profile.stray_text:
            kinds[0] = self.kinds.of_root(int(kinds[0]), container=True)
            actions = self._all_actions()
            table = character_bits(SOLID | WORD).table_for(codes[: places[-1]])
            survey(tags, places, codes, numbers, levels, table, SOLID | WORD, same, bits)
            own[:] = solid[:] = 0
            own_texts(kinds, bits, actions, self._own_bit, levels, own, solid)
        # Step 4: choose the indexed elements and content elements.
        named = _columns_of(attributes) if attributes else _NO_ATTRIBUTES
        count, contents, insiders, sayings, length, entities = index_elements(
            kinds, same, places, bits, own, solid, actions, levels, named,
            self._row_columns, self._content, marks, self._outer, self._below_columns, self._compared_columns,
        )  # fmt: skip
        # Step 5: write annotated text, with a mark before each content element. `spots` has the offset of each event.
        spots = self._spots
        written, parted = write_text(places, codes, marks, white_space(), self._annotated, self._blanks, spots)
        codes = self._annotated[:written]
        if written > _KEPT_BYTES:  # give the buffer away: copying a large document is slow
            self._annotated = np.empty(self._size, np.uint32)
        else:
            codes = codes.copy()
        codes.flags.writeable = False
        text: Text = codes

        def values(begins: NDArray[np.int32], ends: NDArray[np.int32]) -> list[str]:  # `units` are inserted later
            first = spots[begins] + (marks[begins] > 0)
            sizes = spots[ends] - first + 1
            ends_at = np.cumsum(sizes)
            row = codes.take(np.arange(ends_at[-1]) + np.repeat(first - ends_at + sizes, sizes), mode="clip")
            row[ends_at - 1] = 0  # NUL cannot occur in XML
            texts = text_string(row).split("\0")
            for at in np.flatnonzero(ends > begins + 1).tolist():
                texts[at] = text_with_blanks(texts[at])
            return texts[:-1]

        # Step 6: the record. Columns are copied, since the next document overwrites the buffers.
        record = ElementRows(
            (kinds, same, self._outer),
            self._row_columns[:, :count].copy(),
            self._content[:contents].copy(),
            self._below_columns[:, :insiders].copy(),
            self._compared_columns[:, :sayings].copy(),
            attributes,
            values,
        )
        blanks: NDArray[np.int64] | None = self._blanks[:parted].astype(np.int64)
        # Attributes that are units are rare; their text is inserted by slow Python.
        if units := record.units():
            text, blanks = _with_units(text_string(text), units, spots, marks), None
        # Step 7: languages, links, and attributes for element fields.
        above = language_above(tree.top)
        languages = None
        labels = [*zip(*attrs.of(LABEL), strict=True)]
        if above or labels:
            holding = holding_labels(kinds, labels, record.rows, record.content)
            begins = lambda: _with_shifts(spots[:size], units, marks)  # noqa: E731
            languages = languages_of_rows(kinds, labels, record.rows[6], above, holding, begins)
        anchors = None
        if self._anchor_rules:
            if self._anchor_rules.simple is not None:
                ends = attrs.of(ID), attrs.of(TARGET)
            else:
                root = tree.element
                ends = self._anchor_rules.in_tree(root, event_numbers(np.flatnonzero(tags >= 0).tolist(), root.iter()))
            anchors = anchors_of(ends, record.rows)
        kept_of = record.indexed_or_compared() if self.profile.registers else record.rows[6]
        kept_attributes = [*starmap(Attribute, attrs.given(kept_of))]
        return self._record(
            record, kept_attributes, text=text, blanks=blanks, length=length, entities=entities, languages=languages,
            anchors=anchors, stray=stray,
        )  # fmt: skip

    def _all_actions(self) -> NDArray[np.int32]:
        """Return the actions of all kinds as an array, cached until a kind is added."""
        if self._actions.size < len(self.kinds.actions):
            self._actions = np.array(self.kinds.actions, np.int32)
        return self._actions

    def _begins(self, root: Any, elements: Sequence[Any]) -> list[int]:
        """Find the events of elements without a walk: elements of one name have the events of that name, in order."""
        if self.scan is None:
            return super()._begins(root, elements)
        names = {split_qname(tag)[1] for tag in {element.tag for element in elements}}
        events = self._of_names(self.scan, names)
        numbers = dict(zip(_in_order(root, names), events, strict=True))
        return [numbers.get(element, -1) for element in elements]

    def extents(self, root: Any, elements: Sequence[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Compute extents without a walk."""
        if self.scan is None:
            return super().extents(root, elements)
        events, tags = np.array(self._begins(root, elements), np.int64), self.scan.tags
        sizes = np.diff(self.scan.places)
        # Text of hidden elements has no place in the document's text.
        sizes[self._marks[: tags.size] & HIDDEN > 0] = 0
        offsets = np.append(0, np.cumsum(sizes, dtype=np.int64))
        return offsets[events], offsets[closing_events(tags < 0)[events]]

    def elements(self, tree: LazyTree, events: Sequence[int]) -> list[Any]:
        """Return the elements that begin at given events of the last document, if it was read by markup."""
        assert self.scan is not None
        children = self.scan.children
        count = children.count_through(max(events))
        names = {self.scan.found[self.scan.tags[event]].name for event in events}
        root = tree.until(children.byte(count))
        # The tree may have more elements than events asked for, so zip is not strict.
        elements = dict(zip(self._of_names(self.scan, names, children.event(count)), _in_order(root, names)))  # noqa: B905
        return [elements[event] for event in events]

    def _of_names(self, scan: Scan, names: set[str], end: int | None = None) -> list[int]:
        """Return the events before `end` at which elements with one of the names begin."""
        named = np.zeros(ENTITY_TAG + 2, np.bool_)  # tag -1 indexes the last entry
        named[: len(scan.found)] = [each.name in names for each in scan.found]
        events: list[int] = np.flatnonzero(named[scan.tags[:end]]).tolist()
        return events

    def head(self, tree: LazyTree, reaches: Sequence[Reach] | None) -> Any:
        """Build the shortest head of the tree that has all matches; see `DocumentReader.head`."""
        if self.scan is None or reaches is None:
            return super().head(tree, reaches)
        children = self.scan.children
        return tree.until(children.byte(children.reached(reaches)))

    def names(self) -> Set[str] | None:
        return None if self.scan is None else {each.name for each in self.scan.found}

    def _tag_names(self, tree: LazyTree, markup: bytes, names: int) -> list[str]:
        """Return the tags of a document, by first occurrence."""
        written = [markup[begin:end].decode() for begin, end in self._names[:names].tolist()]
        if not self._qualified:
            return written
        prefixes = one_scope(markup, tree.top.nsmap, tags=True)
        return [tag_of(name, prefixes) for name in written]


def _columns_of(attributes: Sequence[Attribute]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the event of each attribute, and whether its value has more than white space."""
    events = np.array([attribute.event for attribute in attributes], np.int32)
    return events, np.array([bool(attribute.value.strip()) for attribute in attributes], np.uint8)


_NO_ATTRIBUTES = _columns_of([])


def _in_order(root: Any, names: Set[str]) -> Iterator[Any]:
    """Iterate over the elements with some names (lxml), in document order."""
    return iter(root.iter(*(f"{{*}}{name}" for name in names)) if names else ())


def _with_units(annotated: str, units: dict[int, str], spots: Any, marks: Any) -> str:
    """Insert units made of attributes into annotated text, at the events of their elements."""
    pieces, at = [], 0
    for event, marked in sorted(units.items()):
        spot = int(spots[event])
        pieces += [annotated[at:spot], marked]
        at = spot + (marks[event] == ord(SEPARATOR))
    return "".join([*pieces, annotated[at:]])


def _with_shifts(spots: Any, units: dict[int, str], marks: Any) -> NDArray[np.int64]:
    """Return the offset of each event in annotated text after `_with_units`."""
    added = np.zeros(len(spots) + 1, np.int64)
    for event, marked in units.items():
        added[event + 1] = len(marked) - (marks[event] == ord(SEPARATOR))
    begins: NDArray[np.int64] = spots + np.cumsum(added)[:-1]
    return begins


def _solid_characters(codes: NDArray[np.uint32], places: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the characters between successive places that are not white space."""
    space = white_space()
    solid = ~space[np.minimum(codes, space.size - 1)]
    return np.diff(np.append(0, np.cumsum(solid))[places])
