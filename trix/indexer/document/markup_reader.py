"""The compiled twin of the reader.

Walking a tree from Python costs a handful of calls for every element. Writing the tree out again as markup, reading
that in compiled loops, and compiling the loops of `trix.indexer.document.elements`, takes a fraction of the time. What
markup does not say by itself is left to the reader of trees: names under a profile that tells namespaces apart, in
documents that declare any below their element; and what the parser is told to leave out, such as comments.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.document.anchors import AnchorRules, Named, anchors_of, event_numbers
from trix.indexer.document.elements import SOLID, WORD
from trix.indexer.document.kinds import TagKinds
from trix.indexer.document.names import (
    LookInTree,
    as_bytes,
    attribute_value,
    one_scope,
    tag_of,
    tells_namespaces,
    written_names,
)
from trix.indexer.document.parse import source_markup
from trix.indexer.document.reader import Attribute, Found, Reader, most_rows
from trix.indexer.document.record import SEPARATOR, DocumentRecord, Steps, text_with_blanks
from trix.indexer.languages.labels import holding_labels, language_above, languages_of_rows
from trix.indexer.profile.paths import AttributePath
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import KNOWN_PREFIXES, split_qname
from trix.indexer.words.analyzer import fold
from trix.indexer.words.interner import Text, text_string
from trix.support.backend import use_numba

_WIDE = 0x40000
"""Behind the last character that can be part of a word."""


def reader_for(profile: Profile, steps: Steps, *, links: bool = False) -> Reader:
    """Return the quickest reader for a profile in this process; parameters are those of `Reader`."""
    return (MarkupReader if use_numba() else Reader)(profile, steps, links=links)


class Scan(NamedTuple):
    """A document as it stands in its markup; the columns are those of the reader, good until it reads the next one.

    Attributes
    ----------
    tags, kinds
        Of each event the number of its tag and of its kind; -1 where an element ends.
    places
        Characters before each event, and of all.
    codes
        The characters.
    found
        The tags by number. That of a reference to an entity is not among them; see `markup_loops.ENTITY_TAG`.
    levels
        How deep elements are nested.
    """

    tags: NDArray[np.int32]
    kinds: NDArray[np.int32]
    places: NDArray[np.int32]
    codes: NDArray[np.uint32]
    found: Sequence[TagKinds]
    levels: int


class MarkupReader(Reader):
    """Reads documents as `Reader` does.

    Parameters are those of `Reader`.

    Attributes
    ----------
    scan : Scan or None
        The document that was read last; None where that was its tree.
    """

    def __init__(self, profile: Profile, steps: Steps | None = None, *, links: bool = False) -> None:
        from trix.indexer.document import markup_loops

        super().__init__(profile, steps, links=links)
        self._loops: Any = markup_loops
        self._space = _solid(0x3001) == 0
        self._table = _bits_of_characters(0x10000) if self._words else _solid(0x3001)
        self._qualified = tells_namespaces(profile)
        self.scan: Scan | None = None
        self._actions = np.zeros(0, np.int32)
        self._of_tags = np.full(markup_loops.ENTITY_TAG + 2, -1, np.int32)  # the last is that of the tag -1
        self._of_tags[markup_loops.ENTITY_TAG] = self.kinds[etree.Entity].kind
        self._names = np.empty((markup_loops.NAMES, 2), np.int32)
        self._values = np.empty((1 << 10, 4), np.int32)
        self._make_room(1 << 16)
        self._make_room_for(1 << 14)
        self.read_document(etree.fromstring("<a/>"))  # load the loops here, before worker processes are forked

    def _make_room(self, size: int) -> None:
        """Make room for documents of `size` bytes; kept, since fresh memory costs more than the loops."""
        self._size = size
        self._tags, self._heads, self._places = (np.empty(size, np.int32) for _ in range(3))
        self._codes, self._annotated = np.empty(size, np.uint32), np.empty(size, np.uint32)

    def _make_room_for(self, events: int) -> None:
        """Make room for documents with so many rows, see `most_rows`."""
        self._events = events
        self._same, self._content, self._outer, self._blanks, self._spots = np.empty((5, events), np.int32)
        self._bits, self._own, self._solid, self._marks = np.empty((4, events), np.uint8)
        self._row_columns, self._below_columns, self._said_columns = (
            np.empty((width, events), np.int32) for width in (9, 2, 6)
        )

    def read_document(self, root: Any, source: bytes = b"") -> DocumentRecord:
        """Read one document element and return its record; see `Reader.read_document`."""
        try:
            return self.read_markup(root, source_markup(source) if source else b"")
        except LookInTree:
            self.scan = None
            return super().read_document(root)

    def read_markup(self, root: Any, markup: bytes = b"") -> DocumentRecord:
        """Do it from the markup alone: from that which is given, if it is as libxml2 would write it.

        Raises
        ------
        LookInTree
            The markup does not say all.
        """
        given, markup = markup, markup or etree.tostring(root, encoding="utf-8", with_tail=False)
        data = np.frombuffer(markup, np.uint8)
        if data.size >= self._size:
            self._make_room(data.size + data.size // 4)
        loops, codes = self._loops, self._codes
        scanned = self._tags, self._heads, self._places, codes, self._names
        size, names, levels, wide = loops.scan_markup(data, self._qualified, *scanned)
        if not size:
            if given:
                return self.read_markup(root)
            raise LookInTree
        tags, places = self._tags[:size], self._places[: size + 1]
        if wide and self._words and self._table.size < _WIDE:
            self._table = _bits_of_characters(_WIDE)
        found = [self.kinds[tag] for tag in self._tag_names(root, markup, names)]
        self._of_tags[:names] = [each.kind for each in found]
        kinds = self._of_tags[tags]
        self.scan = Scan(tags, kinds, places, codes, found, levels)
        attributes = self._look(root, markup, data, found, kinds) if any(each.asked for each in found) else []
        kinds[0] = self.kinds.of_root(int(kinds[0]))
        numbers = np.arange(names, dtype=np.int32)
        if self._qualified:
            known: dict[str, int] = {}
            numbers[:] = [known.setdefault(each.name, len(known)) for each in found]
        rows = most_rows(size, len(attributes))
        if rows > self._events:
            self._make_room_for(rows * 5 // 4)
        same, bits, own, solid, marks = (
            column[:size] for column in (self._same, self._bits, self._own, self._solid, self._marks)
        )
        every = SOLID | WORD if self._words else SOLID
        loops.survey(tags, places, codes, numbers, levels, self._table, every, same, bits)
        own[:] = solid[:] = marks[:] = 0
        if self._actions.size < len(self.kinds.actions):
            self._actions = np.array(self.kinds.actions, np.int32)
        actions = self._actions
        loops.own_texts(kinds, bits, actions, self._own_bit, levels, own, solid)
        named = _columns_of(attributes) if attributes else _NO_ATTRIBUTES
        count, contents, insiders, sayings, length, entities = loops.index_elements(
            kinds, same, places, bits, own, solid, actions, levels, named,
            tuple(self._row_columns), self._content, marks, self._outer,
            tuple(self._below_columns), tuple(self._said_columns),
        )  # fmt: skip
        spots = self._spots
        written, parted = loops.write_text(places, codes, marks, self._space, self._annotated, self._blanks, spots)
        codes = self._annotated[:written].copy()
        codes.flags.writeable = False  # as `text_codes` has them: loops are compiled for one of both
        text: Text = codes

        whole = cache(partial(text_string, text))

        def value(begin: int, end: int) -> str:  # without the attributes put in below
            text = whole()[spots[begin] + (marks[begin] > 0) : spots[end]]
            return text if end == begin + 1 else text_with_blanks(text)

        record = Found(
            (kinds, same, self._outer),
            self._row_columns[:, :count].copy(),
            self._content[:contents].copy(),
            self._below_columns[:, :insiders].copy(),
            self._said_columns[:, :sayings].copy(),
            attributes,
            value,
        )
        blanks: NDArray[np.int64] | None = self._blanks[:parted].astype(np.int64)
        if units := record.units():
            text, blanks = _with_units(whole(), units, spots, marks), None
        above = language_above(root)
        languages = None
        if above or b"xml:lang" in markup:
            labels = self._labels(markup, data, size, names)
            if above or labels:
                holding = holding_labels(kinds, labels, record.rows, record.content)
                begins = lambda: _with_shifts(spots[:size], units, marks)  # noqa: E731
                languages = languages_of_rows(kinds, labels, record.rows[6], above, holding, begins)
        anchors = None
        if self._anchor_rules:
            ends = self._named(self._anchor_rules, root, markup, data, size, found)
            anchors = anchors_of(ends, record.rows, loops.rows_around)
        return self._record(
            record, text=text, blanks=blanks, length=length, entities=entities, languages=languages,
            anchors=anchors,
        )  # fmt: skip

    def _begins(self, root: Any, elements: Sequence[Any]) -> list[int]:
        """Do it without a walk: elements of some names have the events of these names, in order."""
        if self.scan is None:
            return super()._begins(root, elements)
        names = {split_qname(tag)[1] for tag in {element.tag for element in elements}}
        numbers = {element: event for event, element in self._of_names(root, self.scan, names)}
        return [numbers.get(element, -1) for element in elements]

    def elements(self, root: Any, events: Sequence[int]) -> list[Any]:
        """Return the elements that begin at some events of the last document, which was read from its markup."""
        assert self.scan is not None
        names = {self.scan.found[self.scan.tags[event]].name for event in events}
        elements = dict(self._of_names(root, self.scan, names))
        return [elements[event] for event in events]

    def _of_names(self, root: Any, scan: Scan, names: set[str]) -> Iterator[tuple[int, Any]]:
        """Return the elements of some names, each behind the event at which it begins."""
        named = np.zeros(self._of_tags.size, np.bool_)  # as those of `_of_tags`
        named[: len(scan.found)] = [each.name in names for each in scan.found]
        elements = root.iter(*(f"{{*}}{name}" for name in names)) if names else ()
        return zip(np.flatnonzero(named[scan.tags]).tolist(), elements, strict=True)

    def _named(
        self,
        rules: AnchorRules,
        root: Any,
        markup: bytes,
        data: NDArray[np.uint8],
        size: int,
        found: Sequence[TagKinds],
    ) -> tuple[Named, Named]:
        """Find ids and targets of links."""
        try:
            if rules.simple is not None:
                ids, targets = (self._of_paths(rules, of, root, markup, data, size, found) for of in rules.simple)
                return ids, targets
        except LookInTree:
            pass  # for these alone
        begins = np.flatnonzero(self._tags[:size] >= 0).tolist()
        return rules.in_tree(root, event_numbers(begins, root.iter()))

    def _of_paths(
        self, rules: AnchorRules, paths: tuple[AttributePath, ...], root: Any, markup: bytes, data: NDArray[np.uint8],
        size: int, found: Sequence[TagKinds],
    ) -> Named:  # fmt: skip
        """Return the attributes that simple paths ask for, with their events."""
        asked = dict.fromkeys(name for path in paths for name in (*path.asked, path.attribute))
        names = _written(asked, root, markup)
        of_tags = [rules.of_tag(paths, each.name) for each in found]
        rows = self._find(data, size, np.array([bool(of) for of in of_tags]), [*names])
        events, values = list[int](), list[str]()
        if all({path.attribute for path in of} == {*asked} for of in of_tags if of):  # the same of all that have any
            return [row[0] for row in rows], [attribute_value(markup[at:end].decode()) for _, _, at, end in rows]
        lxml_names = [*names.values()]
        for event, group in groupby(rows, itemgetter(0)):
            own = {lxml_names[name]: attribute_value(markup[at:end].decode()) for _, name, at, end in group}
            of = of_tags[self._tags[event]]
            wanted = {path.attribute for path in of if path.attribute in own and rules.accepts(path, own)}
            for name, value in own.items():
                if name in wanted:
                    events.append(event)
                    values.append(value)
        return events, values

    def _labels(self, markup: bytes, data: NDArray[np.uint8], size: int, names: int) -> list[tuple[int, str]]:
        """Return the events that have an ``xml:lang``, and what it says."""
        found = self._find(data, size, np.ones(names, np.bool_), ["xml:lang"])
        return [(event, attribute_value(markup[at:end].decode())) for event, _, at, end in found]

    def _find(self, data: NDArray[np.uint8], size: int, wanted: NDArray[np.bool_], names: list[str]) -> list[list[int]]:
        """Return where attributes stand: event, number of the name, first byte and end of the value."""
        place = data, self._tags[:size], self._heads, wanted, *as_bytes(names)
        while (count := self._loops.find_attributes(*place, self._values)) < 0:
            self._values = np.empty((2 * len(self._values), 4), np.int32)
        found: list[list[int]] = self._values[:count].tolist()
        return found

    def _tag_names(self, root: Any, markup: bytes, names: int) -> list[str]:
        """Return the tags of a document, in order of their first occurrence."""
        written = [markup[begin:end].decode() for begin, end in self._names[:names].tolist()]
        if not self._qualified:
            return written
        prefixes = one_scope(markup, root.nsmap, tags=True)
        return [tag_of(name, prefixes) for name in written]

    def _look(
        self, root: Any, markup: bytes, data: NDArray[np.uint8], found: Sequence[TagKinds], kinds: NDArray[np.int32]
    ) -> list[Attribute]:
        """Read the attributes that the profile asks for: put in the kinds they make, return those that are indexed."""
        asked = dict.fromkeys(name for each in found for name in each.asked)
        names = _written(asked, root, markup)
        wanted = np.array([bool(each.asked) for each in found])
        lxml_names, indexed = [*names.values()], list[Attribute]()
        chosen: dict[tuple[int, tuple[str | None, ...]], int] = {}
        for event, group in groupby(self._find(data, kinds.size, wanted, [*names]), itemgetter(0)):
            values = {lxml_names[name]: attribute_value(markup[at:end].decode()) for _, name, at, end in group}
            tag = int(self._tags[event])
            if (choose := found[tag].choose) is not None:
                key = tag, tuple(map(values.get, found[tag].asked))
                if key not in chosen:
                    chosen[key] = choose(values)
                kinds[event] = chosen[key]
            named = self.kinds.all[kinds[event]].attributes
            indexed += [Attribute(event, name, values[name]) for name in named if name in values]
        return indexed


def _written(asked: Iterable[str], root: Any, markup: bytes) -> dict[str, str]:
    """Return the attributes that are asked for by how they are written in a document."""
    prefixes: Mapping[str | None, str] = {}
    if any(split_qname(name)[0] not in ("", KNOWN_PREFIXES["xml"]) for name in asked):
        prefixes = one_scope(markup, root.nsmap)
    return {written: name for name in asked for written in written_names(name, prefixes)}


def _columns_of(attributes: Sequence[Attribute]) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the event of each attribute, and whether there is something besides white space in it."""
    events = np.array([attribute.event for attribute in attributes], np.int32)
    return events, np.array([bool(attribute.value.strip()) for attribute in attributes], np.uint8)


_NO_ATTRIBUTES = _columns_of([])


def _with_units(annotated: str, units: dict[int, str], spots: Any, marks: Any) -> str:
    """Return annotated text with attributes that are units, by the event of their elements."""
    pieces, at = [], 0
    for event, marked in sorted(units.items()):
        spot = int(spots[event])
        pieces += [annotated[at:spot], marked]
        at = spot + (marks[event] == ord(SEPARATOR))
    return "".join([*pieces, annotated[at:]])


def _with_shifts(spots: Any, units: dict[int, str], marks: Any) -> NDArray[np.int64]:
    """Return where the text behind each event begins in annotated text that has those attributes."""
    added = np.zeros(len(spots) + 1, np.int64)
    for event, marked in units.items():
        added[event + 1] = len(marked) - (marks[event] == ord(SEPARATOR))
    begins: NDArray[np.int64] = spots + np.cumsum(added)[:-1]
    return begins


@cache
def _solid(size: int) -> NDArray[np.uint8]:
    """Return `SOLID` for each of the first characters that is not white space."""
    return np.array([0 if chr(code).isspace() else SOLID for code in range(size)], np.uint8)


@cache
def _bits_of_characters(size: int) -> NDArray[np.uint8]:
    """Return what each of the first characters puts into the bits of a text.

    A text holds a word, see `has_word`, where one of its characters does: none becomes a letter by what follows it.
    """
    bits = _solid(size).copy()
    folded = fold("\n".join([" " if code == ord("\n") else chr(code) for code in range(size)])).split("\n")
    words = [code for code, text in enumerate(folded) if any(category(each)[0] in "LN" for each in text)]
    bits[words] |= WORD
    return bits
