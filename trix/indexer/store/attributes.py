"""Indexed attributes and compared elements, those that are units and those that are none [RETRIEVAL, section 2].

An attribute above the content elements is a unit, with postings and a number of its own. On or below a content element
it is no unit, and so are the elements below content elements that the profile's ``values`` name. What they say is kept
here all the same, so that structured queries can test and compare it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.document.record import UNIT, Row
from trix.indexer.profile.selector import split_qname
from trix.indexer.store.elements import Block, Elements, unpack

COLUMNS = ("owner", "kind", "name", "size", "above", "value")
"""Streams of a block, each in ``attributes.NAME``: content element from the block's first, kind, number of the name,
characters of the value, how many rows before is the compared element that it is in (0: in none), the values."""

NUMBERS = COLUMNS[:-1]

Ints = NDArray[Any]
Numbers = NDArray[np.int32]


def gather_attributes(documents: list[list[Row]], contents: list[int], names: dict[str, int]) -> dict[str, Ints]:
    """Return the streams of a block; nothing where it has no row.

    Parameters
    ----------
    documents
        For each document (content element from 0 in the document, kind, name, value, above) of each row.
    contents
        Content elements of each document.
    names
        Numbers of the names; new ones are added.
    """
    owners, rest = [np.zeros(0, np.int64)], list[Row]()
    first = 0
    for rows, size in zip(documents, contents, strict=True):
        owners.append(first + np.array([row[0] for row in rows], np.int64))
        rest += rows
        first += size
    if not rest:
        return {}
    _, kinds, named, texts, above = zip(*rest, strict=True)
    for name in dict.fromkeys(named):
        names.setdefault(name, len(names))
    columns = {
        "owner": np.concatenate(owners),
        "kind": np.array(kinds),
        "name": np.array([names[name] for name in named]),
        "size": np.array([len(text) for text in texts]),
        "above": np.array(above),
        "value": np.frombuffer("".join(texts).encode("utf-8", "surrogateescape"), np.uint8),
    }
    return {f"attributes.{name}": columns[name] for name in COLUMNS}


@dataclass(frozen=True)
class Rows:
    """What is kept of a collection, in order of the content elements and of the documents in these.

    Attributes
    ----------
    owner, kind, name, above
        See `COLUMNS`; content elements by their number in the collection.
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
    """Tell whether the streams of a block fit together."""
    owner, above = streams["owner"], streams["above"].astype(np.int64)
    if len({streams[name].size for name in NUMBERS}) > 1:
        return False
    at = np.arange(owner.size) - above
    text = streams["value"].tobytes().decode("utf-8", "surrogateescape")
    return bool((at >= 0).all() and (owner[at] == owner).all()) and len(text) == int(
        streams["size"].sum(dtype=np.int64)
    )


class Attributes:
    """The attributes and compared elements of an index.

    Parameters
    ----------
    names
        Of the manifest, each with its namespace where it has one.
    blocks, elements
        Where the blocks of the index lie, and its element table.
    streams
        The bytes in which they lie.

    Attributes
    ----------
    names : list of str
        Of attributes with an ``@`` in front.
    namespaces : list of str
        Of each name, where the profile declares it; else empty.
    """

    def __init__(self, names: Sequence[str], blocks: Sequence[Block], elements: Elements, streams: Any) -> None:
        self._blocks, self._elements, self._streams = blocks, elements, streams
        self.names, self.namespaces = list[str](), list[str]()
        for name in names:
            mark = "@" if name[0] == "@" else ""
            namespace, local = split_qname(name.removeprefix("@"))
            self.names.append(mark + local)
            self.namespaces.append(namespace)

    @cached_property
    def rows(self) -> Rows:
        """All rows."""
        columns: dict[str, list[Ints]] = {name: [np.zeros(0, np.int64)] for name in NUMBERS}
        texts: list[str] = []
        for block in self._blocks:
            found = self.block(block)
            if not found:
                continue
            for name, column in columns.items():
                column.append(found[name])
            texts.append(found["value"].tobytes().decode("utf-8", "surrogateescape"))
        owner, kind, names, size, above = (np.concatenate(columns[name]) for name in NUMBERS)
        return Rows(owner, kind, names, above, np.cumsum(size, dtype=np.int64), "".join(texts))

    def block(self, block: Block) -> dict[str, Ints]:
        """Return the streams of one block by `COLUMNS`, owners counted in the index; nothing where it has none."""
        if "attributes.owner" not in block.spans:
            return {}
        found: dict[str, Ints] = {}
        for name in COLUMNS:
            if f"attributes.{name}" not in block.spans:  # an older Trix did not write it
                found[name] = np.zeros(found["owner"].size, np.int64)
                continue
            begin, end, dtype = block.spans[f"attributes.{name}"]
            found[name] = unpack(self._streams[begin:end], dtype)
        found["owner"] = found["owner"].astype(np.int64) + block.content
        return found

    @cached_property
    def units(self) -> dict[int, str]:
        """Return the value of each unit by its element number."""
        if not any(name[0] == "@" for name in self.names):
            return {}
        places = np.flatnonzero(self.rows.kind == UNIT)
        return dict(zip(self.elements(places).tolist(), self.rows.texts(places), strict=True))

    def elements(self, places: Ints) -> Numbers:
        """Return the element numbers of the content elements of some rows."""
        contents = self.rows.owner[places]
        self._elements.structure_of_contents(contents)
        found: Numbers = self._elements.of_content[contents]
        return found

    def numbers(self, name: str, namespace: str | None = None) -> list[int]:
        """Return the numbers of a name (``@id``, ``year``), in one namespace or in any."""
        known = enumerate(zip(self.names, self.namespaces, strict=True))
        return [number for number, (own, its) in known if own == name and namespace in (None, its)]

    def below(self, numbers: list[int]) -> Ints:
        """Return the rows of some names that are no units."""
        return np.flatnonzero(np.isin(self.rows.name, numbers) & (self.rows.kind != UNIT))

    def good(self, places: Ints, verdict: Callable[[str], bool]) -> Ints:
        """Return those of some rows whose values are good."""
        texts = self.rows.texts(places)
        verdicts = {text: verdict(text) for text in set(texts)}
        return places[np.fromiter((verdicts[text] for text in texts), np.bool_, len(texts))]
