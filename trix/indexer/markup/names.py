"""Names in markup: tags and attributes resolved to kinds without a tree.

Markup has local names and prefixes. A prefix can be resolved here only if it has one meaning in the whole document.
Otherwise the document is left to the tree reader.

Elements with the same tag, and the same values of attributes in the profile's conditions, form a class. The kind of a
class and the uses of its attributes are computed once for all documents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.core.markup import CHOOSES, ENTITY_TAG, SAYS, find_attributes
from trix.indexer.document.anchors import AnchorRules, Named
from trix.indexer.document.kinds import ElementKind, ElementKinds
from trix.indexer.document.tree import LazyTree
from trix.indexer.languages.labels import XML_LANG
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import KNOWN_PREFIXES, NO_PARENTS, split_qname

_REFERENCE = re.compile(r"&(?:#(\d+)|#x([0-9A-Fa-f]+)|(amp|lt|gt|quot|apos));")
_DECLARATION = re.compile(rb'xmlns(?::([^\s=:"<>]+))?="([^"<]*)"')
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class AmbiguousMarkup(Exception):
    """The markup is ambiguous; the tree reader must read the document."""


def tells_namespaces(profile: Profile) -> bool:
    """Whether a profile can distinguish elements by namespace."""
    selectors = [*profile.deciding(), *(selector for selector, _ in profile.attributes)]
    return bool(profile.known_namespaces) or any(selector.namespace is not None for selector in selectors)


def one_scope(markup: bytes, prefixes: Mapping[str | None, str], *, tags: bool = False) -> Mapping[str | None, str]:
    """Return the namespaces of prefixes, if each is the same in the whole document.

    Parameters
    ----------
    markup
        Markup of the root element.
    prefixes
        Prefixes in scope at the root element.
    tags
        Whether names without a prefix matter too; the default namespace does not apply to attributes.

    Examples
    --------
    >>> one_scope(b'<a><b xmlns:m="urn:m" xmlns="urn:b"/><c xmlns:m="urn:m"/></a>', {})
    {'m': 'urn:m'}

    Raises
    ------
    LookInTree
        A prefix has several meanings.
    """
    declared = markup.count(b"xmlns")
    # All declarations are on the root element.
    if declared == markup.count(b"xmlns", 0, markup.index(b">")):
        return prefixes
    # Every declaration must agree with the scope at the root.
    found = dict(prefixes)
    declarations = _DECLARATION.findall(markup)
    # Some "xmlns" is no plain declaration: in text, in a comment, or in other quotes.
    if len(declarations) < declared:
        raise AmbiguousMarkup
    for name, value in declarations:
        prefix, uri = name.decode() or None, attribute_value(value.decode())
        if prefix is None and not tags:
            continue
        if (found.get(prefix, "") if prefix is None else found.setdefault(prefix, uri)) != uri:
            raise AmbiguousMarkup
    return found


def tag_of(name: str, prefixes: Mapping[str | None, str]) -> str:
    """Return a tag in the notation of lxml.

    >>> tag_of("m:math", {"m": "urn:m", None: "urn:x"}), tag_of("p", {None: "urn:x"}), tag_of("p", {})
    ('{urn:m}math', '{urn:x}p', 'p')
    """
    prefix, _, local = name.rpartition(":")
    namespace = KNOWN_PREFIXES["xml"] if prefix == "xml" else prefixes.get(prefix or None)
    return f"{{{namespace}}}{local}" if namespace else local


def written_names(attribute: str, prefixes: Mapping[str | None, str]) -> list[str]:
    """Return the ways to write an attribute, given in the notation of lxml.

    >>> written_names("id", {}), written_names("{urn:m}id", {"a": "urn:m", "b": "urn:m", None: "urn:m"})
    (['id'], ['a:id', 'b:id'])
    """
    namespace, local = split_qname(attribute)
    if not namespace:
        return [local] if local != "xmlns" else []  # a namespace declaration, not an attribute
    if namespace == KNOWN_PREFIXES["xml"]:
        return [f"xml:{local}"]
    return [f"{prefix}:{local}" for prefix, uri in prefixes.items() if uri == namespace and prefix]


def attribute_value(written: str) -> str:
    """Resolve character references in an attribute value.

    >>> attribute_value("a &amp;amp; b&#10;&#x2003;c")
    'a &amp; b\\n\\u2003c'

    Raises
    ------
    LookInTree
        The value refers to an entity.
    """
    if "&" not in written:
        return written
    if _REFERENCE.sub("", written).count("&"):
        raise AmbiguousMarkup
    return _REFERENCE.sub(_character, written)


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    return _CHARACTERS[name] if name else chr(int(decimal) if decimal else int(hexadecimal, 16))


def as_bytes(names: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Concatenate names as bytes; also return the end of each."""
    encoded = [name.encode() for name in names]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([len(name) for name in encoded]).astype(np.int32)


ID, TARGET, INDEXED, LABEL, FIELD_VALUE, KEPT = 1, 2, 4, 8, 16, 32
"""Uses of an attribute, as bits: id, link target, indexed unit, ``xml:lang``, value of an element field, kept for
conditions.
"""

_MOST_CLASSES = 50_000
"""Bound of the cache of classes; it is cleared when full."""


class ElementClass(NamedTuple):
    """Class of elements: the same tag, and the same values of attributes in conditions.

    Attributes
    ----------
    tag
        Tag in the notation of lxml.
    name
        Local name.
    values
        Values of the attributes in conditions.
    kinds
        Number of the kind for each state of the parent (see `KindsInParents`); the first state is "no selector".
    reads, uses
        A byte per attribute of the profile: whether its value is read (see `trix.core.markup`), and its uses.
    others
        Classes with one more attribute in conditions, by its number and raw value.
    """

    tag: str
    name: str
    values: Mapping[str, str]
    kinds: list[int]
    reads: bytes
    uses: bytes
    others: dict[tuple[int, bytes], ElementClass]


class DocumentAttributes(NamedTuple):
    """Attributes of a document.

    Attributes
    ----------
    kinds
        Kind of each event, ignoring parents (see `KindsInParents`).
    rows
        Used attributes: event, number of the attribute, first byte and end of its value.
    uses
        Uses of each row.
    names
        Attributes by number, in the notation of lxml.
    markup
        Markup of the document.
    classes, tags
        Classes of the elements; the first `tags` of them are classes without attributes in conditions.
    event_classes
        Class of each event, as numbered by `trix.core.markup.find_attributes`.
    """

    kinds: NDArray[np.int32]
    rows: NDArray[np.int32]
    uses: NDArray[np.uint8]
    names: Sequence[str]
    markup: bytes
    classes: Sequence[ElementClass]
    tags: int
    event_classes: NDArray[np.int32]

    def of(self, use: int) -> Named:
        """Return events and values of the attributes with one use.

        Raises
        ------
        LookInTree
            A value refers to an entity.
        """
        rows = self.rows[(self.uses & use) > 0]
        return rows[:, 0].tolist(), self._values(rows)

    def _values(self, rows: NDArray[np.int32]) -> list[str]:
        markup = self.markup
        if not len(rows):
            return []
        # One decode and one split for all values, not one per value.
        row = b"\n".join([markup[at:end] for at, end in rows[:, 2:].tolist()])  # a raw line feed occurs in no value
        values = row.decode().split("\n")
        return [attribute_value(value) for value in values] if b"&" in row else values

    def given(self, indexed: NDArray[np.int32]) -> list[tuple[int, str, str]]:
        """Return (event, name, value) of attributes for element fields, and of kept ones of indexed elements.

        Parameters
        ----------
        indexed
            Events of the indexed elements, ascending.
        """
        kept = np.flatnonzero(self.uses & (FIELD_VALUE | KEPT))
        events = self.rows[kept, 0]
        # Nearest indexed element at or after each event; equal if the element itself is indexed.
        at = np.minimum(np.searchsorted(indexed, events), max(indexed.size - 1, 0))
        kept = kept[((self.uses[kept] & FIELD_VALUE) > 0) | (indexed[at] == events)] if indexed.size else kept[:0]
        rows = self.rows[kept]
        triples = zip(rows[:, 0].tolist(), rows[:, 1].tolist(), self._values(rows), strict=True)
        return [(event, self.names[number], value) for event, number, value in triples]

    def indexed(self, all_kinds: Sequence[ElementKind]) -> list[tuple[int, str, str]]:
        """Return (event, name, value) of indexed attributes, in the profile's order within an element."""
        numbers = self.rows[(self.uses & INDEXED) > 0, 1].tolist()
        if not numbers:
            return []
        found = [
            (event, self.names[number], value) for number, event, value in zip(numbers, *self.of(INDEXED), strict=True)
        ]
        return sorted(found, key=lambda each: (each[0], all_kinds[self.kinds[each[0]]].attributes.index(each[1])))


class AttributeReader:
    """Reads the attributes that a profile uses.

    Parameters
    ----------
    profile
        Profile to read for.
    kinds
        Kinds of this profile.
    anchors
        Rules for links, if links are wanted.
    """

    def __init__(self, profile: Profile, kinds: ElementKinds, anchors: AnchorRules | None) -> None:
        self._kinds, self._anchors = kinds, anchors
        simple = anchors.simple if anchors is not None and anchors.simple is not None else ((), ())
        self._ways = [(way.selector, way.attribute) for way in profile.ways if way.attribute is not None]
        self._paths = [(use, path) for use, paths in zip((ID, TARGET), simple, strict=True) for path in paths]
        names = [name for _, name in (*profile.attributes, *profile.attribute_values, *self._ways)]
        names += [name for path in profile.register_paths for name in path.tested]
        names += [selector.attribute for selector in profile.deciding() if selector.attribute is not None]
        names += [name for _, path in self._paths for name in (*path.tested, path.attribute)]
        self._names = list(dict.fromkeys([*names, XML_LANG]))
        # Names that need a namespace prefix: only documents with one of these are resolved.
        self._prefixed = [f":{split_qname(name)[1]}=".encode() for name in self._names if not written_names(name, {})]
        self._written = self._as_written({})
        self._tags: dict[str, ElementClass] = {}
        self._classes = 0
        self._make_room(1 << 10)

    def _make_room(self, size: int) -> None:
        """Allocate buffers for `size` attributes and classes; `size` is a power of two."""
        self._found, self._class_rows = np.empty((2, size, 4), np.int32)
        self._of_tags = np.full(ENTITY_TAG + 2 + size, -1, np.int32)  # the last is that of the tag -1
        self._of_tags[ENTITY_TAG] = self._kinds[etree.Entity].kind

    def of_tags(self, tags: Sequence[str]) -> list[ElementClass]:
        """Return the class without attributes for each tag."""
        if self._classes > _MOST_CLASSES:
            self._tags, self._classes = {}, 0
        return [self._tags.get(tag) or self._tags.setdefault(tag, self._new_class(tag, {})) for tag in tags]

    def read(
        self, tree: LazyTree, markup: bytes, data: NDArray[np.uint8], tags: NDArray[np.int32], heads: NDArray[np.int32],
        of_tags: Sequence[ElementClass],
    ) -> DocumentAttributes:  # fmt: skip
        """Read the attributes of a document.

        Parameters
        ----------
        tree, markup, data
            Tree of the document, its markup, and the bytes of the markup as an array.
        tags, heads
            Tag and head of each event (see `trix.core.markup.scan_markup`).
        of_tags
            Classes of the tags, from `AttributeReader.of_tags`.

        Raises
        ------
        LookInTree
            The markup is ambiguous.
        """
        known = len(of_tags)
        self._of_tags[:known] = [each.kinds[0] for each in of_tags]
        reads = np.frombuffer(b"".join([each.reads for each in of_tags]), np.uint8).reshape(known, -1)
        written = self._written
        # Only a document with a prefixed name needs its namespaces resolved.
        if any(each in markup for each in self._prefixed):
            written = self._as_written(one_scope(markup, tree.top.nsmap))
        event_classes, place = tags.copy(), (data, tags, heads, reads)
        names, ends, meant = written
        # The kernel reports full buffers by a negative count; it is run again with larger ones.
        while (sizes := find_attributes(*place, names, ends, meant, event_classes, self._class_rows, self._found))[
            0
        ] < 0:
            self._make_room(2 * len(self._class_rows))
            self._of_tags[:known] = [each.kinds[0] for each in of_tags]
        count, classes = sizes
        found, first = [*of_tags], ENTITY_TAG + 1
        # A row of `_class_rows` extends the class `above` by one attribute. Rows refer only to earlier rows.
        for above, number, begin, end in self._class_rows[:classes].tolist():
            place_above = above if above < first else above - first + known
            found.append(self._with(found[place_above], number, markup[begin:end]))
        self._of_tags[first : first + classes] = [each.kinds[0] for each in found[known:]]
        rows, kinds = self._found[:count], self._of_tags[event_classes]
        # The kernel numbers new classes from ENTITY_TAG + 1; `found` has them right after the tags.
        numbers = event_classes[rows[:, 0]]
        if classes:
            numbers[numbers >= first] += known - first
        uses = np.frombuffer(b"".join([each.uses for each in found]), np.uint8).reshape(len(found), -1)
        return DocumentAttributes(
            kinds, rows, uses[numbers, rows[:, 1]], self._names, markup, found, known, event_classes
        )

    def _as_written(self, prefixes: Mapping[str | None, str]) -> tuple[NDArray[Any], ...]:
        """Return the written forms of the attributes, as `find_attributes` takes them."""
        found = [(written, at) for at, name in enumerate(self._names) for written in written_names(name, prefixes)]
        return *as_bytes([written for written, _ in found]), np.array([at for _, at in found], np.int32)

    def _with(self, known: ElementClass, number: int, value: bytes) -> ElementClass:
        """Return the class with one more attribute; cached in `others`."""
        found = known.others.get((number, value))
        if found is None:
            values = {**known.values, self._names[number]: attribute_value(value.decode())}
            found = known.others[number, value] = self._new_class(known.tag, values)
        return found

    def _new_class(self, tag: str, values: Mapping[str, str]) -> ElementClass:
        self._classes += 1
        choosing, says = CHOOSES, SAYS
        _, name, conditions, choose, _ = self._kinds[tag]
        kind = self._kinds[tag].kind if choose is None else choose(values, NO_PARENTS)
        reads, uses = dict.fromkeys(self._names, 0), dict.fromkeys(self._names, 0)
        reads[XML_LANG], uses[XML_LANG] = says, LABEL
        # Attributes in conditions select the class.
        for each in conditions:
            reads[each] |= choosing
        for each in self._kinds.all[kind].attributes:
            reads[each] |= says
            uses[each] |= INDEXED
        for each in self._kinds.all[kind].keeps:
            reads[each] |= says
            uses[each] |= KEPT
        # Attributes that are values of element fields, for tags that the path selects.
        for selector, each in self._ways:
            if selector.names(*split_qname(tag)):
                reads[each] |= says
                uses[each] |= FIELD_VALUE
        for use, path in self._paths:
            if path.tag in ("*", name):
                for each in path.tested:
                    reads[each] |= choosing
                reads[path.attribute] |= says
                if self._anchors is not None and self._anchors.accepts(path, values):
                    uses[path.attribute] |= use
        return ElementClass(tag, name, values, [kind], bytes(reads.values()), bytes(uses.values()), {})
