"""Links between elements: stored names, and their resolution in the index [IV, 2.1].

The target of a name depends on all documents, so a segment stores names. Links are resolved again when documents come
or go; only links within a document are final.

A document is named in one of four ways: by its id; by its path relative to the file of the link; by its file name, if
unique; by the id of one of its elements. A name may fit several. The order is: an id in the same document, a
neighbouring file, the first element with the id in any document, another document.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from urllib.parse import unquote

import numpy as np

from trix.indexer.store.elements import distinct
from trix.support.arrays import Ints

APART = "\x00"
"""Separates names; cannot occur in XML."""


@dataclass
class DocumentLinks:
    """Links of one document; elements are counted from its first.

    Attributes
    ----------
    pairs : (n, 2) ndarray
        ``(n, 2)`` source and target of links within the document.
    ids, id_elements
        Ids, and the element of each.
    names, sources
        Names of targets elsewhere, as written, and the source of each.
    """

    pairs: Ints = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    ids: list[str] = field(default_factory=list)
    id_elements: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    names: list[str] = field(default_factory=list)
    sources: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


STREAMS = tuple(f"links.{name}" for name in ("counts", "pairs", "ids", "id_elements", "names", "sources"))
"""Columns of a block: numbers of pairs, ids and names per document; then the columns themselves."""


def encode_links(documents: Sequence[DocumentLinks]) -> dict[str, Ints]:
    """Encode the links of documents as columns.

    >>> one = DocumentLinks(np.array([[1, 2]]), ["a"], np.array([3]), ["b#c", "d"], np.array([1, 4]))
    >>> none, again = decode_links(encode_links([DocumentLinks(), one]))
    >>> none.ids, again.pairs.tolist(), again.ids, again.names, again.sources.tolist()
    ([], [[1, 2]], ['a'], ['b#c', 'd'], [1, 4])
    """
    counts = [[len(of.pairs), len(of.ids), len(of.names)] for of in documents]
    nothing = np.zeros(0, np.int64)
    ids = APART.join(APART.join(of.ids) for of in documents if of.ids)
    names = APART.join(APART.join(of.names) for of in documents if of.names)
    columns = {
        "counts": np.array(counts, np.int64).reshape(-1),
        "pairs": np.concatenate([nothing, *(of.pairs.reshape(-1) for of in documents)]),
        "ids": np.frombuffer(ids.encode("utf-8", "surrogateescape"), np.uint8),
        "id_elements": np.concatenate([nothing, *(of.id_elements for of in documents)]),
        "names": np.frombuffer(names.encode("utf-8", "surrogateescape"), np.uint8),
        "sources": np.concatenate([nothing, *(of.sources for of in documents)]),
    }
    return {f"links.{name}": column for name, column in columns.items()}


def decode_links(columns: dict[str, Ints]) -> list[DocumentLinks]:
    """Decode the links of each document."""
    counts = columns["links.counts"].astype(np.int64).reshape(-1, 3)
    ends = np.concatenate([np.zeros((1, 3), np.int64), np.cumsum(counts, axis=0)]).tolist()
    ids, names = (
        columns[f"links.{name}"].tobytes().decode("utf-8", "surrogateescape").split(APART) for name in ("ids", "names")
    )
    pairs = columns["links.pairs"].astype(np.int64).reshape(-1, 2)
    return [
        DocumentLinks(
            pairs[low[0] : high[0]],
            ids[low[1] : high[1]],
            columns["links.id_elements"][low[1] : high[1]].astype(np.int64),
            names[low[2] : high[2]],
            columns["links.sources"][low[2] : high[2]].astype(np.int64),
        )
        for low, high in pairwise(ends)
    ]


def document_names(ids: Sequence[str], paths: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the names of documents with their numbers; the first document wins a name.

    >>> list(document_names(["a/x"], ["a/x.xml"]))
    [('a/x', 0), ('a/x.xml', 0), ('a/x', 0), ('x.xml', 0), ('x', 0)]
    """
    yield from ((name, number) for number, name in enumerate(ids))
    # With and without extension.
    for number, path in enumerate(paths):
        yield path, number
        yield posixpath.splitext(path)[0], number
    files = [posixpath.basename(path) for path in paths]
    counts = Counter(files)
    for number, file in enumerate(files):
        if counts[file] == 1:  # unique in all folders
            yield file, number
            yield posixpath.splitext(file)[0], number


class IndexOfDocument:
    """Maps documents to indexes, if several are searched as one.

    >>> homes = IndexOfDocument([2, 5])
    >>> homes.of(1), homes.of(2), homes.ranges
    (0, 1, [(0, 2), (2, 5)])
    >>> known = {(0, "x"): 7, (1, "x"): 8, (0, "y"): 9}
    >>> homes.find(known, 4, "x"), homes.find(known, 4, "y"), homes.find(known, 4, "z")
    (8, 9, -1)
    """

    def __init__(self, ends: Sequence[int]) -> None:
        self._ends = list(ends)
        self.ranges = list(pairwise([0, *ends]))

    def of(self, document: int) -> int:
        """Return the number of a document's index."""
        return bisect_right(self._ends, document)

    def find(self, known: Mapping[tuple[int, str], int], document: int, name: str) -> int:
        """Look a name up in the document's own index, then in the others; -1 if none has it."""
        own = self.of(document)
        indexes = [own, *(index for index in range(len(self._ends)) if index != own)]
        return next((known[index, name] for index in indexes if (index, name) in known), -1)


def resolve_links(
    blocks: Callable[[], Iterable[list[DocumentLinks]]],
    ids: Sequence[str],
    paths: Sequence[str],
    first_elements: Ints,
    elements: int,
    ends_of: Sequence[int] = (),
) -> tuple[Ints, int]:
    """Resolve all links of an index: distinct pairs of source and target in order, and the number of unresolved ones.

    Parameters
    ----------
    blocks
        Function that yields the links of documents, some at a time. It is called twice, so that only ids named
        elsewhere are ever stored.
    ids, paths, first_elements
        Of each document: id, path of its file, first element.
    elements
        Total number of elements.
    ends_of
        If several indexes are searched as one, the end of each one's documents. Names and links are resolved within an
        index first.
    """
    homes = IndexOfDocument(ends_of or [len(ids)])
    ends = np.append(first_elements, elements)
    waiting: list[tuple[int, int, str, str, str]] = []  # document, source, name, name resolved from the file, id in it
    pairs = [np.zeros((0, 2), np.int64)]
    # First pass: links within documents, and the names to resolve.
    for number, of in enumerate(chain.from_iterable(blocks())):
        first = int(ends[number])
        pairs.append(of.pairs + first)
        for name, at in zip(of.names, of.sources.tolist(), strict=True):
            document, _, part = map(unquote, name.partition("#"))
            seen = posixpath.normpath(posixpath.join(posixpath.dirname(paths[number]), document)) if document else ""
            waiting.append((number, first + at, document, seen, part))
    # Only names that links ask for are looked up: the ids of all elements may be too many for memory.
    wanted = {name for _, _, *names in waiting for name in names if name}
    anywhere: dict[str, int] = {}
    inside: dict[tuple[int, str], int] = {}
    # Second pass: the elements with ids that are names of targets.
    for number, of in enumerate(chain.from_iterable(blocks())) if wanted else ():
        for name, at in zip(of.ids, of.id_elements.tolist(), strict=True):
            if name in wanted:
                # Of several elements with an id, the first wins.
                anywhere.setdefault(name, int(ends[number]) + at)
                inside.setdefault((number, name), int(ends[number]) + at)
    named: dict[tuple[int, str], int] = {}
    # Names of documents, by index.
    for index, (first, end) in enumerate(homes.ranges) if wanted else ():
        for name, number in document_names(ids[first:end], paths[first:end]):
            if name in wanted:
                named.setdefault((index, name), first + number)
    found = list[tuple[int, int]]()
    for number, source, document, seen, part in waiting:
        # In the order above: element id, neighbouring file, document, then the id within that document.
        at = anywhere.get(document, -1)
        home = homes.find(named, number, seen)
        target = -1 if part or not document or home >= 0 else at
        if document and target < 0:
            home = home if home >= 0 else homes.find(named, number, document)
            if home < 0 and at >= 0:
                home = int(np.searchsorted(first_elements, at, side="right") - 1)
            if part:
                target = inside.get((home, part), -1)
            elif home >= 0 and ends[home] < ends[home + 1]:
                target = int(ends[home])
        if target >= 0:
            found.append((source, target))
    together = np.concatenate([*pairs, np.array(found, np.int64).reshape(-1, 2)])
    # Pairs packed into one number sort by source, then target; pairs that occur twice collapse.
    order = distinct((together[:, 0] << 32) | together[:, 1])
    return np.stack([order >> 32, order & 0x7FFF_FFFF], axis=1), len(waiting) - len(found)
