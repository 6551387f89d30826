"""Links between elements: found while documents are read, resolved when all of them are known [IV, 2.1].

A profile says which XPath yields the names of targets, and which one the ids that they may name::

    [links]
    target = "//xref/@rid"
    id = "//@id"

A name is ``#ID`` or ``ID``, ``DOCUMENT``, or ``DOCUMENT#ID``, several apart by white space; an address on the web is
none. A document goes by its id, by its path as seen from the folder of the file that names it, by the name of its file
where no other has it, or by the id of one of its elements. What may be either is an id of the document itself, then
a neighbouring file, then an id of any document, where the first counts, then another document. Both ends of a link are
the nearest indexed elements at or above those of the source; a link in a container's text is in its run.

Names wait as numbers of 64 bits: 16 bytes for an id, 40 for a link out of its document.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, BinaryIO
from urllib.parse import unquote

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from trix.indexer.document.record import DocumentRecord, step_tag
from trix.indexer.profile.xpath import selected_nodes
from trix.indexer.store.elements import distinct, pack

Ints = NDArray[Any]

TARGET, ID = "target", "id"
IDS = "//@id | //@xml:id"
"""The ids of a profile that does not say."""

_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")


def name_number(name: str) -> int:
    """Return what stands for a name: 63 bits, never 0."""
    digest = blake2b(name.encode("utf-8", "surrogateescape"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1 or 1


@dataclass
class Links:
    """The links of some documents; element numbers are from the first of them on.

    Attributes
    ----------
    pairs
        Source and target of the links inside documents.
    ids
        Number of an id's name, and its element.
    open
        Source, and the numbers of: the id, the document as seen from the file, the document as it is written, the id in
        that document. 0 where there is none.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    ids: list[tuple[int, int]] = field(default_factory=list)
    open: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    elements: int = 0
    """How many elements the documents have."""

    def columns(self) -> tuple[Ints, Ints, Ints]:
        """Return the three lists as arrays of 2, 2 and 5 columns."""
        shapes = ((self.pairs, 2), (self.ids, 2), (self.open, 5))
        pairs, ids, opened = (np.array(rows, np.int64).reshape(-1, width) for rows, width in shapes)
        return pairs, ids, opened


class LinkReader:
    """Finds links and ids in documents.

    Parameters
    ----------
    rules
        The profile's ``links``: ``target`` and perhaps ``id``, XPaths from the document element.
    namespaces
        Declared prefixes.
    """

    def __init__(self, rules: Mapping[str, str], namespaces: Mapping[str, str]) -> None:
        self._target, self._id = rules[TARGET], rules.get(ID, IDS)
        self._namespaces = namespaces

    def read(self, into: Links, root: Any, record: DocumentRecord, steps: Sequence[str], path: str) -> None:
        """Add the links and ids of one document.

        Parameters
        ----------
        into
            Where they go.
        root, record
            Its element and what the reader made of it.
        steps
            The path steps by number.
        path
            Of its file.
        """
        first = into.elements
        into.elements += len(record.depth)
        if not len(record.depth):
            return
        places = _Places(root, record, steps)
        ids: dict[str, int] = {}
        for element, value in self._named(root, self._id):
            if value.strip() not in ids and (place := places.element(element)) >= 0:
                ids[value.strip()] = place
        into.ids += [(name_number(name), first + place) for name, place in ids.items()]
        for element, value in self._named(root, self._target):
            names = [name for name in value.split() if name != "#" and not _ELSEWHERE.match(name)]
            source = places.link(element) if names else -1
            if source < 0:
                continue
            for name in names:
                document, sharp, inside = map(unquote, name.partition("#"))
                own = inside if sharp and not document else "" if sharp else document
                if own in ids:
                    into.pairs.append((first + source, first + ids[own]))
                elif not document:
                    into.open.append((first + source, 0, 0, 0, 0))
                else:
                    seen = posixpath.normpath(posixpath.join(posixpath.dirname(path), document))
                    numbers = [name_number(each) if each else 0 for each in (document, seen, document, inside)]
                    into.open.append((first + source, *numbers))  # type: ignore[arg-type]

    def _named(self, root: Any, xpath: str) -> Iterable[tuple[Any, str]]:
        """Yield what an XPath selects: elements, and the value of an attribute or their text."""
        for node in selected_nodes(root, xpath, self._namespaces):
            if isinstance(node, str):
                yield node.getparent(), str(node)  # type: ignore[attr-defined]
            elif isinstance(getattr(node, "tag", None), str):
                yield node, "".join(node.itertext())


class _Places:
    """Where elements of a source document are among its indexed elements."""

    def __init__(self, root: Any, record: DocumentRecord, steps: Sequence[str]) -> None:
        self._root, self._step_names = root, steps
        self._step, self._same = np.asarray(record.step).tolist(), np.asarray(record.same).tolist()
        self._depth = np.asarray(record.depth).tolist()
        self._below: dict[int, tuple[list[int], set[int], dict[tuple[str, int], int]]] = {}
        # Of each element its nearest indexed element, the steps from there where all between are unwrapped, and whether
        # it is that one itself.
        self._found: dict[Any, tuple[int, str, bool]] = {root: (0, "", True)}
        self._seen: dict[Any, tuple[tuple[Any, str, int], ...]] = {}
        self._placed: dict[int, dict[Any, int]] = {}

    def element(self, element: Any) -> int:
        """Return the nearest indexed element at or above one of the source; -1 for what is outside the document."""
        found = self._find(element)
        return -1 if found is None else found[0]

    def link(self, element: Any) -> int:
        """Return the same, or the run of text that the element is in."""
        found = self._find(element)
        if found is None:
            return -1
        place, _, itself = found
        if itself or not self._children(place)[1]:
            return place
        if place not in self._placed:
            self._placed[place] = self._runs_of(element, place)
        return self._placed[place].get(element, place)

    def _children(self, place: int) -> tuple[list[int], set[int], dict[tuple[str, int], int]]:
        """Return the children of an indexed element, those that are runs of text, and all by step and position."""
        if place not in self._below:
            depth, children = self._depth[place] + 1, []
            for child in range(place + 1, len(self._depth)):
                if self._depth[child] <= depth:
                    if self._depth[child] < depth:
                        break
                    children.append(child)
            named = {(self._step_names[self._step[child]], self._same[child]): child for child in children}
            runs = {child for (step, _), child in named.items() if step_tag(step) == "#text"}
            self._below[place] = children, runs, named
        return self._below[place]

    def _find(self, element: Any) -> tuple[int, str, bool] | None:
        if element in self._found:
            return self._found[element]
        parent = element.getparent()
        above = None if parent is None or element is self._root else self._find(parent)
        if above is None:
            return None
        if parent not in self._seen:
            counts: dict[str, int] = {}
            own = []
            for child in parent.iterchildren(etree.Element):
                name = child.tag.rpartition("}")[2]
                counts[name] = counts.get(name, 0) + 1
                own.append((child, name, counts[name]))
            self._seen[parent] = tuple(own)
            below_it = self._children(above[0])[2]
            for child, name, same in own:
                step = above[1] + name
                place = below_it.get((step, same), -1)
                below = (above[0], f"{step}[{same}]/", False) if place < 0 else (place, "", True)
                self._found[child] = below
        return self._found.get(element)

    def _runs_of(self, element: Any, place: int) -> dict[Any, int]:
        """Return the run of each element in the text of a container: the only one between two indexed children.

        Where there are several, since a child without text parts them, the element stays the container's.
        """
        children, own_runs, _ = self._children(place)
        container = element
        while self._found[container][:1] != (place,) or not self._found[container][2]:
            container = container.getparent()
        between: dict[int, list[int]] = {-1: []}
        last = -1
        for child in children:
            if child in own_runs:
                between[last].append(child)
            else:
                last = child
                between[last] = []
        runs: dict[Any, int] = {}
        last = -1
        for each in container.iterdescendants(etree.Element):
            found = self._find(each)
            if found is None:
                continue
            if found[2] and found[0] in between:
                last = found[0]
            elif found[0] == place and len(between[last]) == 1:
                runs[each] = between[last][0]
        return runs


def document_names(ids: Sequence[str], paths: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield what documents go by, and their numbers; of a name that several have the first counts.

    >>> list(document_names(["a/x"], ["a/x.xml"]))
    [('a/x', 0), ('a/x.xml', 0), ('a/x', 0), ('x.xml', 0), ('x', 0)]
    """
    yield from ((name, number) for number, name in enumerate(ids))
    for number, path in enumerate(paths):
        yield path, number
        yield posixpath.splitext(path)[0], number
    files = [posixpath.basename(path) for path in paths]
    counts = Counter(files)
    for number, file in enumerate(files):
        if counts[file] == 1:  # whatever the folder
            yield file, number
            yield posixpath.splitext(file)[0], number


@dataclass
class Resolver:
    """Brings the links of a collection together.

    Attributes
    ----------
    open
        How many links lead to nothing in the collection.
    """

    pairs: list[Ints] = field(default_factory=list)
    ids: list[Ints] = field(default_factory=list)
    pending: list[Ints] = field(default_factory=list)
    open: int = 0

    def add(self, links: tuple[Ints, Ints, Ints], first: int) -> None:
        """Take the links of a chunk whose first element has a number."""
        pairs, ids, pending = (columns.copy() for columns in links)
        pairs += first
        ids[:, 1] += first
        pending[:, 0] += first
        self.pairs.append(pairs)
        self.ids.append(ids)
        self.pending.append(pending)

    def write(
        self, file: BinaryIO, ids: Sequence[str], paths: Sequence[str], first_elements: Ints, elements: int
    ) -> dict[str, Any]:
        """Write the links, steps to the next source and ways to the targets; return what the manifest must know.

        Parameters
        ----------
        file
            Where they go.
        ids, paths, first_elements
            Of each document: its id, the path of its file, the number of its first element.
        elements
            Number of all elements.
        """
        pairs = self.resolve(document_names(ids, paths), first_elements, elements)
        spans = []
        for column in (np.diff(pairs[:, 0], prepend=0), pairs[:, 1] - pairs[:, 0]):
            data, dtype = pack(column)
            at = file.tell()
            file.write(data)
            spans.append([at, at + len(data), dtype])
        return {"count": len(pairs), "open": self.open, "spans": spans}

    def resolve(self, names: Iterable[tuple[str, int]], first_elements: Ints, elements: int) -> Ints:
        """Return all links, pairs of a source and a target in order, each once.

        Parameters
        ----------
        names
            What documents go by, and their numbers; of a name that several have the first counts.
        first_elements
            Of each document.
        elements
            Number of all elements.
        """
        pending = np.concatenate([np.zeros((0, 5), np.int64), *self.pending])
        found = [np.zeros((0, 2), np.int64), *self.pairs]
        if pending.size:
            found.append(self._found(pending, names, first_elements, elements))
        pairs = np.concatenate(found)
        order = distinct((pairs[:, 0] << 32) | pairs[:, 1])
        return np.stack([order >> 32, order & 0x7FFF_FFFF], axis=1)

    def _found(self, pending: Ints, names: Iterable[tuple[str, int]], first: Ints, elements: int) -> Ints:
        wanted = set(pending[:, 1:].ravel().tolist())
        documents: dict[int, int] = {}
        for name, document in names:
            if (number := name_number(name)) in wanted:
                documents.setdefault(number, document)
        ids = np.concatenate(self.ids)
        ids = ids[np.isin(ids[:, 0], np.fromiter(wanted, np.int64, len(wanted)))]
        owners = np.searchsorted(first, ids[:, 1], side="right") - 1
        anywhere: dict[int, int] = {}
        inside: dict[tuple[int, int], int] = {}
        for (number, element), document in zip(ids.tolist(), owners.tolist(), strict=True):
            anywhere.setdefault(number, element)
            inside.setdefault((number, document), element)
        ends = np.append(first, elements)
        out = []
        for source, name, seen, written, part in pending.tolist():
            document = documents.get(seen, documents.get(written, -1))
            target = anywhere.get(name, -1)
            if part or target < 0 or seen in documents:  # a neighbour before a namesake elsewhere
                if document < 0 <= target:
                    document = int(np.searchsorted(first, target, side="right") - 1)
                target = -1
                if part:
                    target = inside.get((part, document), -1)
                elif document >= 0 and ends[document] < ends[document + 1]:
                    target = int(ends[document])
            if target < 0:
                self.open += 1
            else:
                out.append((source, target))
        return np.array(out, np.int64).reshape(-1, 2)
