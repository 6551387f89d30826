"""Indexed attributes, those that are units and those that are none [RETRIEVAL, section 2].

An attribute above the content elements is a unit, with postings and a number of its own. On or below a content element
it is no unit; its value is kept here all the same, so that structured queries can test and compare it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.columns import Block, unpack
from trix.indexer.selector import split_qname

if TYPE_CHECKING:
    from trix.indexer.index import IndexFiles

UNIT, OWN, BELOW = 0, 1, 2
"""A unit; an attribute of a content element; one of an element below a content element."""

COLUMNS = ("owner", "kind", "name", "size", "value")
"""Streams of a block, each in ``attributes.NAME``: content element from the block's first, kind, number of the name,
characters of the value, the values."""

Ints = NDArray[Any]
Numbers = NDArray[np.int32]


def gather_attributes(
    documents: list[list[tuple[int, int, str, str]]], contents: list[int], names: dict[str, int]
) -> dict[str, Ints]:
    """Return the streams of a block; nothing where it has no attribute.

    Parameters
    ----------
    documents
        For each document (content element from 0 in the document, kind, name, value) of each attribute.
    contents
        Content elements of each document.
    names
        Numbers of the names; new ones are added.
    """
    columns: dict[str, list[int]] = {name: [] for name in COLUMNS[:-1]}
    texts: list[str] = []
    first = 0
    for attributes, size in zip(documents, contents, strict=True):
        for owner, kind, name, value in attributes:
            row = (first + owner, kind, names.setdefault(name, len(names)), len(value))
            for column, number in zip(columns.values(), row, strict=True):
                column.append(number)
            texts.append(value)
        first += size
    if not texts:
        return {}
    streams: dict[str, Ints] = {f"attributes.{name}": np.array(column, np.int64) for name, column in columns.items()}
    value_bytes = "".join(texts).encode("utf-8", "surrogateescape")
    return streams | {"attributes.value": np.frombuffer(value_bytes, np.uint8)}


class Attributes:
    """The attributes of an index.

    Parameters
    ----------
    index
        The index.

    Attributes
    ----------
    names : list of str
        With the ``@`` in front.
    namespaces : list of str
        Of each name, where the profile declares it; else empty.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        parted = [split_qname(name[1:]) for name in index.manifest["segment"].get("attributes", [])]
        self.names = ["@" + local for _, local in parted]
        self.namespaces = [namespace for namespace, _ in parted]

    @cached_property
    def rows(self) -> tuple[Ints, Ints, Ints, list[str]]:
        """Content element, kind, number of the name, and value of each, in order of the content elements."""
        columns: dict[str, list[Ints]] = {name: [] for name in COLUMNS[:-1]}
        values: list[str] = []
        for block in self._index.blocks:
            found = self.block(block)
            if not found:
                continue
            for name in COLUMNS[:-1]:
                columns[name].append(found[name])
            text = found["value"].tobytes().decode("utf-8", "surrogateescape")
            ends = np.cumsum(found["size"], dtype=np.int64)
            values += [
                text[stop - size : stop] for stop, size in zip(ends.tolist(), found["size"].tolist(), strict=True)
            ]
        empty = np.zeros(0, np.int64)
        owner, kind, names = (np.concatenate([empty, *columns[c]]) for c in COLUMNS[:3])
        return owner, kind, names, values

    def block(self, block: Block) -> dict[str, Ints]:
        """Return the streams of one block by `COLUMNS`, owners counted in the index; nothing where it has none."""
        if "attributes.owner" not in block.spans:
            return {}
        found: dict[str, Ints] = {}
        for name in COLUMNS:
            begin, end, dtype = block.spans[f"attributes.{name}"]
            found[name] = unpack(self._index.value_bytes[begin:end], dtype)
        found["owner"] = found["owner"].astype(np.int64) + block.content
        return found

    @cached_property
    def units(self) -> dict[int, str]:
        """Return the value of each unit by its element number."""
        if not self.names:
            return {}
        owner, kind, _, values = self.rows
        places = np.flatnonzero(kind == UNIT)
        self._index.elements.structure_of_contents(owner[places])
        elements = self._index.elements.of_content[owner[places]]
        return {element: values[place] for element, place in zip(elements.tolist(), places.tolist(), strict=True)}

    def numbers(self, name: str, namespace: str | None = None) -> list[int]:
        """Return the numbers of a name with the ``@`` in front, in one namespace or in any."""
        known = enumerate(zip(self.names, self.namespaces, strict=True))
        return [number for number, (own, its) in known if own == name and namespace in (None, its)]

    def holders(self, numbers: list[int], good: Callable[[str], bool]) -> tuple[Numbers, Numbers]:
        """Return the content elements with a good attribute that is no unit: on themselves; there or below.

        Parameters
        ----------
        numbers
            Of the attribute's name, see `numbers`.
        good
            Tells of a value whether it is.
        """
        owner, kind, names, values = self.rows
        places = np.flatnonzero(np.isin(names, numbers) & (kind != UNIT))
        verdicts = {value: good(value) for value in {values[place] for place in places.tolist()}}
        places = np.array([place for place in places.tolist() if verdicts[values[place]]], np.int64)
        self._index.elements.structure_of_contents(owner[places])
        found = self._index.elements.of_content[owner[places]]
        return np.unique(found[kind[places] == OWN]), np.unique(found)
