"""What the names in a document's markup mean: its tags and attributes as kinds, without its tree.

Markup says local names and prefixes. What a prefix stands for is known where it stands for the same all over the
document; where it does not, names that depend on it have to be looked up in the tree.

Elements of a tag whose attributes say the same are of one class, as far as conditions are about these attributes. What
becomes of a class is decided once for all documents: the kind of its elements, and what their attributes are.
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
from trix.indexer.document.kinds import Kind, Kinds
from trix.indexer.document.tree import Tree
from trix.indexer.languages.labels import XML_LANG
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import KNOWN_PREFIXES, NO_PARENTS, split_qname

_REFERENCE = re.compile(r"&(?:#(\d+)|#x([0-9A-Fa-f]+)|(amp|lt|gt|quot|apos));")
_DECLARATION = re.compile(rb'xmlns(?::([^\s=:"<>]+))?="([^"<]*)"')
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class LookInTree(Exception):
    """The markup does not say by itself what something means."""


def tells_namespaces(profile: Profile) -> bool:
    """Tell whether elements of one local name may mean different things in different namespaces."""
    selectors = [*profile.deciding(), *(selector for selector, _ in profile.attributes)]
    return bool(profile.known_namespaces) or any(selector.namespace is not None for selector in selectors)


def one_scope(markup: bytes, prefixes: Mapping[str | None, str], *, tags: bool = False) -> Mapping[str | None, str]:
    """Return what prefixes stand for all over a document.

    Parameters
    ----------
    markup
        Of its element.
    prefixes
        Those that hold at its element.
    tags
        Whether names without a prefix are asked for, too: the default namespace has no say in attributes.

    Examples
    --------
    >>> one_scope(b'<a><b xmlns:m="urn:m" xmlns="urn:b"/><c xmlns:m="urn:m"/></a>', {})
    {'m': 'urn:m'}

    Raises
    ------
    LookInTree
        One stands for several things.
    """
    declared = markup.count(b"xmlns")
    if declared == markup.count(b"xmlns", 0, markup.index(b">")):
        return prefixes
    found = dict(prefixes)
    declarations = _DECLARATION.findall(markup)
    if len(declarations) < declared:
        raise LookInTree
    for name, value in declarations:
        prefix, uri = name.decode() or None, attribute_value(value.decode())
        if prefix is None and not tags:
            continue
        if (found.get(prefix, "") if prefix is None else found.setdefault(prefix, uri)) != uri:
            raise LookInTree
    return found


def tag_of(name: str, prefixes: Mapping[str | None, str]) -> str:
    """Return a tag as lxml names it.

    >>> tag_of("m:math", {"m": "urn:m", None: "urn:x"}), tag_of("p", {None: "urn:x"}), tag_of("p", {})
    ('{urn:m}math', '{urn:x}p', 'p')
    """
    prefix, _, local = name.rpartition(":")
    namespace = KNOWN_PREFIXES["xml"] if prefix == "xml" else prefixes.get(prefix or None)
    return f"{{{namespace}}}{local}" if namespace else local


def written_names(attribute: str, prefixes: Mapping[str | None, str]) -> list[str]:
    """Return how an attribute, as lxml names it, may be written.

    >>> written_names("id", {}), written_names("{urn:m}id", {"a": "urn:m", "b": "urn:m", None: "urn:m"})
    (['id'], ['a:id', 'b:id'])
    """
    namespace, local = split_qname(attribute)
    if not namespace:
        return [local] if local != "xmlns" else []  # which declares a namespace, and is no attribute
    if namespace == KNOWN_PREFIXES["xml"]:
        return [f"xml:{local}"]
    return [f"{prefix}:{local}" for prefix, uri in prefixes.items() if uri == namespace and prefix]


def attribute_value(written: str) -> str:
    """Return the value of an attribute as it is written in markup.

    >>> attribute_value("a &amp;amp; b&#10;&#x2003;c")
    'a &amp; b\\n\\u2003c'

    Raises
    ------
    LookInTree
        A reference to an entity is in it.
    """
    if "&" not in written:
        return written
    if _REFERENCE.sub("", written).count("&"):
        raise LookInTree
    return _REFERENCE.sub(_character, written)


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    return _CHARACTERS[name] if name else chr(int(decimal) if decimal else int(hexadecimal, 16))


def as_bytes(names: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return names as their bytes one after another, and where each ends."""
    encoded = [name.encode() for name in names]
    return np.frombuffer(b"".join(encoded), np.uint8), np.cumsum([len(name) for name in encoded]).astype(np.int32)


ID, TARGET, INDEXED, LABEL, SAID, KEPT = 1, 2, 4, 8, 16, 32
"""What an attribute is: an id, the target of a link, indexed itself, ``xml:lang``, said in a field of elements, kept to
be compared; it may be several."""

_MOST_CLASSES = 50_000
"""So many are remembered, before all are forgotten, which bounds memory."""


class Alike(NamedTuple):
    """Elements of a tag, as far as conditions know them: those that have the same values of some attributes.

    Attributes
    ----------
    tag
        As lxml names it.
    name
        Its local name.
    values
        Of attributes that conditions are about.
    kinds
        Number of their kind in a parent that fits no selector, then in others, see `KindsInParents`.
    asked, uses
        Of each attribute that the profile asks for, a byte: whether its value is looked for, see
        `trix.core.markup`; what it is.
    others
        Those that have one more attribute that conditions are about, by its number and its value in markup.
    """

    tag: str
    name: str
    values: Mapping[str, str]
    kinds: list[int]
    asked: bytes
    uses: bytes
    others: dict[tuple[int, bytes], Alike]


class Told(NamedTuple):
    """What the attributes of a document say.

    Attributes
    ----------
    kinds
        The kind of each event; of elements in no parent, see `KindsInParents`.
    rows
        The attributes that are used: event, number of the attribute, first byte and end of its value.
    uses
        What each is.
    names
        The attributes by number, as lxml names them.
    markup
        Of the document.
    classes, tags
        The classes of its elements; how many of them, the first, are of all elements of a tag.
    alike
        The class of each event, as `trix.core.markup.find_attributes` numbers them.
    """

    kinds: NDArray[np.int32]
    rows: NDArray[np.int32]
    uses: NDArray[np.uint8]
    names: Sequence[str]
    markup: bytes
    classes: Sequence[Alike]
    tags: int
    alike: NDArray[np.int32]

    def of(self, use: int) -> Named:
        """Return the attributes that are one thing.

        Raises
        ------
        LookInTree
            A reference to an entity is in one.
        """
        rows = self.rows[(self.uses & use) > 0]
        return rows[:, 0].tolist(), self._values(rows)

    def _values(self, rows: NDArray[np.int32]) -> list[str]:
        """Return the values of some attributes."""
        markup = self.markup
        if not len(rows):
            return []
        row = b"\n".join([markup[at:end] for at, end in rows[:, 2:].tolist()])  # which stands in no value
        values = row.decode().split("\n")
        return [attribute_value(value) for value in values] if b"&" in row else values

    def given(self, indexed: NDArray[np.int32]) -> list[tuple[int, str, str]]:
        """Return event, name and value of those that may be said in a field, and of those kept of indexed elements.

        Parameters
        ----------
        indexed
            The events of these, ascending.
        """
        kept = np.flatnonzero(self.uses & (SAID | KEPT))
        events = self.rows[kept, 0]
        at = np.minimum(np.searchsorted(indexed, events), max(indexed.size - 1, 0))
        kept = kept[((self.uses[kept] & SAID) > 0) | (indexed[at] == events)] if indexed.size else kept[:0]
        rows = self.rows[kept]
        triples = zip(rows[:, 0].tolist(), rows[:, 1].tolist(), self._values(rows), strict=True)
        return [(event, self.names[number], value) for event, number, value in triples]

    def indexed(self, all_kinds: Sequence[Kind]) -> list[tuple[int, str, str]]:
        """Return event, name and value of those that are indexed, those of an element in the profile's order."""
        numbers = self.rows[(self.uses & INDEXED) > 0, 1].tolist()
        if not numbers:
            return []
        found = [
            (event, self.names[number], value) for number, event, value in zip(numbers, *self.of(INDEXED), strict=True)
        ]
        return sorted(found, key=lambda each: (each[0], all_kinds[self.kinds[each[0]]].attributes.index(each[1])))


class AttributeReader:
    """Reads the attributes that a profile asks for.

    Parameters
    ----------
    profile
        Asks for them.
    kinds
        Of this profile.
    anchors
        What is asked for of links, where they are.
    """

    def __init__(self, profile: Profile, kinds: Kinds, anchors: AnchorRules | None) -> None:
        self._kinds, self._anchors = kinds, anchors
        simple = anchors.simple if anchors is not None and anchors.simple is not None else ((), ())
        self._ways = [(way.selector, way.attribute) for way in profile.ways if way.attribute is not None]
        self._paths = [(use, path) for use, paths in zip((ID, TARGET), simple, strict=True) for path in paths]
        names = [name for _, name in (*profile.attributes, *profile.attribute_values, *self._ways)]
        names += [selector.attribute for selector in profile.deciding() if selector.attribute is not None]
        names += [name for _, path in self._paths for name in (*path.asked, path.attribute)]
        self._names = list(dict.fromkeys([*names, XML_LANG]))
        self._prefixed = [f":{split_qname(name)[1]}=".encode() for name in self._names if not written_names(name, {})]
        self._written = self._as_written({})
        self._tags: dict[str, Alike] = {}
        self._classes = 0
        self._make_room(1 << 10)

    def _make_room(self, size: int) -> None:
        """Make room for so many attributes and classes; a power of two."""
        self._found, self._told = np.empty((2, size, 4), np.int32)
        self._of_tags = np.full(ENTITY_TAG + 2 + size, -1, np.int32)  # the last is that of the tag -1
        self._of_tags[ENTITY_TAG] = self._kinds[etree.Entity].kind

    def of_tags(self, tags: Sequence[str]) -> list[Alike]:
        """Return the elements of some tags, as far as they are known without attributes."""
        if self._classes > _MOST_CLASSES:
            self._tags, self._classes = {}, 0
        return [self._tags.get(tag) or self._tags.setdefault(tag, self._alike(tag, {})) for tag in tags]

    def read(
        self, tree: Tree, markup: bytes, data: NDArray[np.uint8], tags: NDArray[np.int32], heads: NDArray[np.int32],
        of_tags: Sequence[Alike],
    ) -> Told:  # fmt: skip
        """Return what the attributes of a document say.

        Parameters
        ----------
        tree, markup, data
            The document's tree, its markup, and the bytes of that.
        tags, heads
            See `trix.core.markup.scan_markup`.
        of_tags
            What `AttributeReader.of_tags` says of its tags.

        Raises
        ------
        LookInTree
            The markup does not say all.
        """
        known = len(of_tags)
        self._of_tags[:known] = [each.kinds[0] for each in of_tags]
        asked = np.frombuffer(b"".join([each.asked for each in of_tags]), np.uint8).reshape(known, -1)
        written = self._written
        if any(each in markup for each in self._prefixed):
            written = self._as_written(one_scope(markup, tree.top.nsmap))
        alike, place = tags.copy(), (data, tags, heads, asked)
        names, ends, meant = written
        while (sizes := find_attributes(*place, names, ends, meant, alike, self._told, self._found))[0] < 0:
            self._make_room(2 * len(self._told))
            self._of_tags[:known] = [each.kinds[0] for each in of_tags]
        count, classes = sizes
        found, first = [*of_tags], ENTITY_TAG + 1
        for above, number, begin, end in self._told[:classes].tolist():
            place_above = above if above < first else above - first + known
            found.append(self._with(found[place_above], number, markup[begin:end]))
        self._of_tags[first : first + classes] = [each.kinds[0] for each in found[known:]]
        rows, kinds = self._found[:count], self._of_tags[alike]
        numbers = alike[rows[:, 0]]
        if classes:
            numbers[numbers >= first] += known - first
        uses = np.frombuffer(b"".join([each.uses for each in found]), np.uint8).reshape(len(found), -1)
        return Told(kinds, rows, uses[numbers, rows[:, 1]], self._names, markup, found, known, alike)

    def _as_written(self, prefixes: Mapping[str | None, str]) -> tuple[NDArray[Any], ...]:
        """Return the names that attributes may be written by: see `find_attributes`."""
        found = [(written, at) for at, name in enumerate(self._names) for written in written_names(name, prefixes)]
        return *as_bytes([written for written, _ in found]), np.array([at for _, at in found], np.int32)

    def _with(self, alike: Alike, number: int, value: bytes) -> Alike:
        """Return those of elements that are alike that have one more attribute that conditions are about."""
        found = alike.others.get((number, value))
        if found is None:
            values = {**alike.values, self._names[number]: attribute_value(value.decode())}
            found = alike.others[number, value] = self._alike(alike.tag, values)
        return found

    def _alike(self, tag: str, values: Mapping[str, str]) -> Alike:
        self._classes += 1
        choosing, says = CHOOSES, SAYS
        _, name, conditions, choose, _ = self._kinds[tag]
        kind = self._kinds[tag].kind if choose is None else choose(values, NO_PARENTS)
        asked, uses = dict.fromkeys(self._names, 0), dict.fromkeys(self._names, 0)
        asked[XML_LANG], uses[XML_LANG] = says, LABEL
        for each in conditions:
            asked[each] |= choosing
        for each in self._kinds.all[kind].attributes:
            asked[each] |= says
            uses[each] |= INDEXED
        for each in self._kinds.all[kind].keeps:
            asked[each] |= says
            uses[each] |= KEPT
        for selector, each in self._ways:
            if selector.names(*split_qname(tag)):
                asked[each] |= says
                uses[each] |= SAID
        for use, path in self._paths:
            if path.tag in ("*", name):
                for each in path.asked:
                    asked[each] |= choosing
                asked[path.attribute] |= says
                if self._anchors is not None and self._anchors.accepts(path, values):
                    uses[path.attribute] |= use
        return Alike(tag, name, values, [kind], bytes(asked.values()), bytes(uses.values()), {})
