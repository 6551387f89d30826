"""Indexed attributes and compared elements, units and others [RETRIEVAL, section 2].

An attribute above the content elements is a unit, with postings and an element number. An attribute on or below a
content element is not a unit. Neither is an element below a content element that the profile's ``values`` name. Their
values are stored here, so that structured queries can test and compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np

from trix.indexer.document.record import BELOW, UNIT, Row
from trix.indexer.profile.selector import split_qname
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.numbering import LiveNumbering
from trix.indexer.store.values import VALUES
from trix.indexer.words.analyzer import BOUNDARY, Analyzer, KeyTable
from trix.support.arrays import Int32s, Ints, Mask

COLUMNS = ("owner", "kind", "name", "size", "above", "value")
"""Streams of a block, each as ``attributes.NAME``: content element from the block's first; kind; number of the name;
characters of the value; number of rows back to the enclosing compared element (0 for none); the values.
"""

NUMBERS = COLUMNS[:-1]

Columns = dict[str, Ints]


def attribute_columns(rows: Sequence[Row], names: dict[str, int]) -> Columns:
    """Encode the rows of one document as columns named in `COLUMNS`; empty if it has none.

    Parameters
    ----------
    rows
        Content element counted in the document, kind, name, value, above.
    names
        Numbers of names; new names are added.
    """
    if not rows:
        return {}
    owners, kinds, named, texts, above = zip(*rows, strict=True)
    for name in dict.fromkeys(named):
        names.setdefault(name, len(names))
    return {
        "owner": np.array(owners),
        "kind": np.array(kinds),
        "name": np.array([names[name] for name in named]),
        "size": np.array([len(text) for text in texts]),
        "above": np.array(above),
        "value": np.frombuffer("".join(texts).encode("utf-8", "surrogateescape"), np.uint8),
    }


def gather_attributes(documents: Sequence[Columns], contents: Sequence[int]) -> dict[str, Ints]:
    """Concatenate the columns of documents into the streams of a block; empty if there are no rows.

    Parameters
    ----------
    documents, contents
        Columns of each document, and its number of content elements.
    """
    filled = [number for number, columns in enumerate(documents) if columns]
    if not filled:
        return {}
    # Owners are counted in the document; the block counts from its own first content element.
    first = np.cumsum(contents) - contents
    columns = {name: np.concatenate([documents[number][name] for number in filled]) for name in COLUMNS}
    sizes = [documents[number]["owner"].size for number in filled]
    columns["owner"] = columns["owner"] + np.repeat(first[filled], sizes)
    return {f"attributes.{name}": columns[name] for name in COLUMNS}


def split_by_document(streams: Columns, firsts: Ints, end: int) -> list[Columns]:
    """Split the streams of a block by document; inverse of `gather_attributes`.

    Parameters
    ----------
    streams
        Streams of the block; owners are counted like `firsts`.
    firsts
        First content element of each document.
    end
        End of the last document's content elements.
    """
    # Owners ascend, so the rows of a document are a range; its values are a range of bytes.
    cuts = np.searchsorted(streams["owner"], np.append(firsts, end)).tolist()
    value = streams["value"]
    starts = np.append(np.flatnonzero((value & 0xC0) != 0x80), value.size)  # byte offset of each character
    ends = np.append(0, np.cumsum(streams["size"], dtype=np.int64))
    found = list[Columns]()
    for first, low, high in zip(np.asarray(firsts).tolist(), cuts, cuts[1:], strict=False):
        if low == high:
            found.append({})
            continue
        columns = {name: streams[name][low:high] for name in NUMBERS}
        columns["owner"] = columns["owner"].astype(np.int64) - first
        columns["value"] = value[starts[ends[low]] : starts[ends[high]]]
        found.append(columns)
    return found


def block_attributes(block: Block) -> Columns:
    """Read the streams of one block; empty if it has no rows."""
    if not [*_with_rows([block])]:
        return {}
    return {name: block.stream(VALUES, f"attributes.{name}") for name in COLUMNS}


def _with_rows(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the blocks that have rows."""
    return (block for block in blocks if "attributes.owner" in block.spans)


@dataclass(frozen=True)
class Rows:
    """Rows of an index, by content element and document order.

    Attributes
    ----------
    owner, kind, name, above
        As in `COLUMNS`; content elements are numbered in the index.
    """

    owner: Ints
    kind: Ints
    name: Ints
    above: Ints
    _end: Ints
    _text: str

    def texts(self, places: Ints) -> list[str]:
        """Return the values of some rows."""
        begin = np.where(places > 0, self._end[places - 1], 0)
        pairs = zip(begin.tolist(), self._end[places].tolist(), strict=True)
        return [self._text[first:last] for first, last in pairs]


def sound(streams: dict[str, Ints]) -> bool:
    """Whether the streams of a block are consistent."""
    owner, above = streams["owner"], streams["above"].astype(np.int64)
    if len({streams[name].size for name in NUMBERS}) > 1:
        return False
    # The row of the enclosing element comes earlier, and belongs to the same content element.
    at = np.arange(owner.size) - above
    text = streams["value"].tobytes().decode("utf-8", "surrogateescape")
    return bool((at >= 0).all() and (owner[at] == owner).all()) and len(text) == int(
        streams["size"].sum(dtype=np.int64)
    )


@dataclass(frozen=True)
class RowKeys:
    """Keys of the values of some rows, analyzed once per distinct value.

    Attributes
    ----------
    places, value
        Rows, ascending, and the number of the value of each.
    ends
        End of the keys of each value.
    keys
        Numbers of keys, in the order of the text, value by value.
    numbers
        Number of each key.
    """

    places: Ints
    value: Ints
    ends: Ints
    keys: Int32s
    numbers: dict[str, int]

    @classmethod
    def of_texts(cls, places: Ints, texts: Sequence[str], analyzer: Analyzer) -> RowKeys:
        """Analyze the values of some rows.

        >>> found = RowKeys.of_texts(np.array([3, 8, 9]), ["two trees", "a tree", "two trees"], Analyzer(stop="none"))
        >>> found.having("two").tolist(), found.of(0), found.rows(found.having("two")).tolist()
        ([True, False], ['two', 'tree'], [3, 9])
        """
        # Values repeat much, such as years and names: each is analyzed once.
        known = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        values, table = list(known), KeyTable(analyzer)
        keys, counts = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for low in range(0, len(values), _TEXTS):  # a text that begins with a combining mark slows down its whole batch
            found = table.number("".join(f"{BOUNDARY}{text}" for text in values[low : low + _TEXTS]))
            keys.append(found[0])
            counts.append(found[1])
        value = np.fromiter(map(known.__getitem__, texts), np.int64, len(texts))
        numbers = {key: number for number, key in enumerate(table.vocabulary)}
        return cls(places, value, np.cumsum(np.concatenate(counts)), np.concatenate(keys), numbers)

    def having(self, key: str) -> Mask:
        """Flag the values that contain a key."""
        found = np.zeros(self.ends.size, np.bool_)
        if (number := self.numbers.get(key)) is not None:
            # A key belongs to the first value that ends after it.
            found[np.searchsorted(self.ends, np.flatnonzero(self.keys == number), side="right")] = True
        return found

    def of(self, value: int) -> list[str]:
        """Return the keys of a value, in order."""
        begin, end = int(self.ends[value - 1]) if value else 0, int(self.ends[value])
        return [self._strings[number] for number in self.keys[begin:end].tolist()]

    def rows(self, values: Mask) -> Ints:
        """Return the rows with some values."""
        return self.places[values[self.value]]

    @cached_property
    def _strings(self) -> list[str]:
        return list(self.numbers)


_TEXTS = 4096
"""Texts numbered at a time."""


class Attributes:
    """Attributes and compared elements of an index.

    Parameters
    ----------
    parts
        For each segment: its names with namespaces, its blocks, and the numbering of its content elements in the index.
    elements
        Element table of the index.

    Attributes
    ----------
    names : list of str
        Names; those of attributes begin with ``@``.
    namespaces : list of str
        Namespace of each name if the profile declares it; else empty.
    rows : Rows
        All rows.
    """

    def __init__(
        self, parts: Sequence[tuple[Sequence[str], Sequence[Block], LiveNumbering]], elements: Elements
    ) -> None:
        self._parts, self._elements = parts, elements
        self._keys: dict[tuple[int, Analyzer], RowKeys] = {}
        self._numbering = Lock()
        known: dict[str, int] = {}
        for names, blocks, numbering in parts:
            for name in self._living_names(names, blocks, numbering):
                known.setdefault(name, len(known))
        self._known = known
        self.names, self.namespaces = list[str](), list[str]()
        for name in known:
            mark = "@" if name[0] == "@" else ""
            namespace, local = split_qname(name.removeprefix("@"))
            self.names.append(mark + local)
            self.namespaces.append(namespace)

    @staticmethod
    def _living_names(names: Sequence[str], blocks: Sequence[Block], numbering: LiveNumbering) -> Sequence[str]:
        """Return the names that still have rows after deletions."""
        # Without deletions every name has rows; else only the rows tell.
        if not blocks[:-1] or numbering.size == blocks[-1].content:
            return names
        seen = np.zeros(len(names), bool)
        for block in blocks:
            if streams := block_attributes(block):
                kept, _ = numbering.kept(streams["owner"].astype(np.int64) + block.content)
                seen[streams["name"][kept]] = True
        return [name for name, occurs in zip(names, seen.tolist(), strict=True) if occurs]

    @cached_property
    def rows(self) -> Rows:
        """All rows of live documents."""
        columns: dict[str, list[Ints]] = {name: [np.zeros(0, np.int64)] for name in NUMBERS}
        texts: list[str] = []
        for names, blocks, numbering in self._parts:
            # From the segment's numbers of names to those of the index; -1 for names whose rows are all deleted.
            renumber = np.array([self._known.get(name, -1) for name in names], np.int64)
            for block in blocks:
                streams = block_attributes(block)
                if not streams:
                    continue
                kept, owner = numbering.kept(streams["owner"].astype(np.int64) + block.content)
                text = streams["value"].tobytes().decode("utf-8", "surrogateescape")
                # Some documents are deleted: cut out the values of the others.
                if not isinstance(kept, slice):
                    ends = np.cumsum(streams["size"], dtype=np.int64)
                    pairs = zip((ends[kept] - streams["size"][kept]).tolist(), ends[kept].tolist(), strict=True)
                    text = "".join([text[begin:end] for begin, end in pairs])
                columns["owner"].append(owner)
                columns["name"].append(renumber[streams["name"][kept]])
                for name in ("kind", "size", "above"):
                    columns[name].append(streams[name][kept])
                texts.append(text)
        # One text for all values, cut by the sums of their sizes: a string for each row would take far more memory.
        owner, kind, named, size, above = (np.concatenate(columns[name]) for name in NUMBERS)
        return Rows(owner, kind, named, above, np.cumsum(size, dtype=np.int64), "".join(texts))

    @cached_property
    def units(self) -> dict[int, str]:
        """Values of attributes that are units, by element number."""
        # Most profiles have no units: kinds are read before any value.
        if not any(name[0] == "@" for name in self.names) or not self._has_units():
            return {}
        places = np.flatnonzero(self.rows.kind == UNIT)
        return dict(zip(self.elements(places).tolist(), self.rows.texts(places), strict=True))

    def _has_units(self) -> bool:
        """Whether any attribute is a unit; reads no values."""
        kinds = (
            block.stream(VALUES, "attributes.kind") for _, blocks, _ in self._parts for block in _with_rows(blocks)
        )
        return any(bool((kind == UNIT).any()) for kind in kinds)

    def elements(self, places: Ints) -> Int32s:
        """Return the element number of each row: its content element, or the ancestor that has the attribute."""
        contents = self.rows.owner[places]
        self._elements.structure_of_contents(contents)
        found = self._elements.of_content[contents]
        # The kind says how many levels above the content element the attribute is: climb one level a round.
        levels = self.rows.kind[places].astype(np.int64) - BELOW
        while (above := levels > 0).any():
            found[above] = self._elements.parent[found[above]]
            levels -= 1
        return found

    def numbers(self, name: str, namespace: str | None = None) -> list[int]:
        """Return the numbers of a name (``@id``, ``year``), in one namespace or in any."""
        known = enumerate(zip(self.names, self.namespaces, strict=True))
        return [number for number, (own, its) in known if own == name and namespace in (None, its)]

    def below(self, numbers: list[int]) -> Ints:
        """Return the rows with some names that are not units."""
        return np.flatnonzero(np.isin(self.rows.name, numbers) & (self.rows.kind != UNIT))

    def keys(self, number: int, analyzer: Analyzer) -> RowKeys:
        """Analyze the rows with a name that are not units; cached."""
        with self._numbering:
            # Under the lock: analysis takes long, and each thread that waits would do it again.
            if (number, analyzer) not in self._keys:
                places = self.below([number])
                self._keys[number, analyzer] = RowKeys.of_texts(places, self.rows.texts(places), analyzer)
            return self._keys[number, analyzer]

    def good(self, places: Ints, verdict: Callable[[str], bool]) -> Ints:
        """Filter rows by a predicate on their values, called once per distinct value."""
        # A predicate may be slow, such as a pattern; values are few where rows are many.
        texts = self.rows.texts(places)
        verdicts = {text: verdict(text) for text in set(texts)}
        return places[np.fromiter((verdicts[text] for text in texts), np.bool_, len(texts))]
