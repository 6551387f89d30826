"""`trix check`: every checksum and every invariant of an index, a line for each fault.

Everything is read in parts of a fixed size, so that the memory does not grow with the index: blocks of the element
table, ranges of keys (`trix.indexer.checking.postings`), slices of files. What was read is let go of.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.checking.postings import postings_faults
from trix.indexer.read.texts import Texts
from trix.indexer.store.attributes import sound
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.manifest import file_faults, read_manifest


def check(path: str | PathLike[str]) -> list[str]:
    """Return the faults of the index in the folder `path`, one line each; none when it is sound.

    Raises
    ------
    IndexError_
        There is no index, or it is of another format.
    """
    folder = Path(path)
    try:
        missing = file_faults(folder, read_manifest(folder))
        if missing:
            return missing
        index = IndexFiles(folder)
    except IndexError_ as error:
        if "damaged" in str(error):
            return [str(error)]
        raise
    damaged = [f"{folder / name}: the checksum does not hold; the file is damaged" for name in index.damaged()]
    if damaged:
        return damaged  # what follows would only repeat them
    faults: list[str] = []
    for part in (_elements, _documents, _postings, _namespaces, _copies, _values, _links):
        try:
            faults += dict.fromkeys(part(index))  # each once: parts repeat what is wrong in all of them
        except Exception as error:  # whatever nonsense makes of our code
            what = str(error) if isinstance(error, IndexError_) else f"{type(error).__name__}: {error}"
            faults.append(" ".join(f"{folder}: {part.__name__.strip('_')} cannot be read: {what}".split()))
        index.release()
    return faults


def _elements(index: IndexFiles) -> Iterator[str]:
    """Look at the element table part by part: trees, roots of documents, counts of tags."""
    contents = kept = 0
    counts = np.zeros(len(index.tags), np.int64)
    number = {tag: place for place, tag in enumerate(index.tags)}
    tags = np.array([number[tag] for tag in index.step_tags], np.int64)
    following = np.append(index.first_elements[1:], index.totals["elements"])
    held = np.flatnonzero(following > index.first_elements)  # documents with any text
    first, content = index.first_elements[held], index.first_contents[held]
    for block, table in index.elements.parts():
        table.everything()
        yield from _tree_faults(table, len(index.steps))
        here = slice(*np.searchsorted(first, (block.element, block.element + table.parent.size)))
        yield from _root_faults(block, table, first[here], content[here])
        kept += here.stop - here.start
        contents += int(table.is_content.sum())
        if table.step.size:
            counts += np.bincount(tags[table.step], minlength=counts.size)
        index.release()
    if contents != index.totals["content_elements"]:
        yield "elements: the content elements are not as many as the manifest says"
    if kept != held.size:
        yield "documents: their first elements are not the roots"
    for tag, count in zip(index.tags, counts.tolist(), strict=True):
        if len(index.read_set("tags", tag)) != count:
            yield f"tag {tag}: its elements are not those of the table"


def _tree_faults(table: Elements, steps: int) -> Iterator[str]:
    """Look at the trees of a part of the table."""
    own = np.arange(table.parent.size)
    roots = table.parent < 0
    if not (table.parent < own).all() or (table.parent < -1).any():
        yield "elements: a parent does not come before its child"
    child = np.flatnonzero(~roots)
    parent = table.parent[child]
    if not (table.depth[child] == table.depth[parent] + 1).all() or table.depth[roots].any():
        yield "elements: a depth is not that of the parent plus one"
    counted = np.bincount(parent, table.contents[child], own.size)
    inner = ~table.is_content
    if not (table.contents[table.is_content] == 1).all() or not (counted[inner] == table.contents[inner]).all():
        yield "elements: a number of content elements is not the sum of the children's"
    end = table.start.astype(np.int64) + table.length
    inside = (table.start[child] >= table.start[parent]) & (end[child] <= end[parent])
    if (table.length < 0).any() or not inside.all():
        yield "elements: a text is not inside its parent's"
    if table.step.size and (table.step.min() < 0 or table.step.max() >= steps):
        yield "elements: a path step has no name"


def _root_faults(block: Block, table: Elements, first: NDArray[np.int64], content: NDArray[np.int64]) -> Iterator[str]:
    """Hold the roots of a part against the first elements and content elements of its documents."""
    roots = np.flatnonzero(table.parent < 0)
    if not np.array_equal(roots + block.element, first):
        yield "documents: their first elements are not the roots"
    elif not np.array_equal(table.begin[roots] + block.content, content):
        yield "documents: their first content elements are not those of the roots"


def _documents(index: IndexFiles) -> Iterator[str]:
    sources = index.document_sources
    if sources.size and ((np.diff(sources) < 0).any() or not 0 <= sources[0] <= sources[-1] < len(index.sources[3])):
        yield "documents: a source does not exist or is out of order"
    if any(index.document(index.ids[number]) != number for number in range(len(index))):
        yield "documents: an id does not lead back to its document"


def _postings(index: IndexFiles) -> Iterator[str]:
    return postings_faults(index)


def _namespaces(index: IndexFiles) -> Iterator[str]:
    n = index.totals["elements"]
    outside = BitMap(index.read_set("tags", "#text"))  # the elements that cannot be in the next namespace
    for namespace, (_, _, count) in index.manifest["segment"].get("namespaces", {}).items():
        found = index.read_set("namespaces", namespace)
        if len(found) != count or (found and found.max() >= n) or found & outside:
            yield f"namespace {namespace}: its elements are not those of the table"
        outside |= found
    if index.namespaces and set(index.namespaces) != set(index.profile.namespaces.values()):
        yield "namespaces: not those that the profile declares"


def _copies(index: IndexFiles) -> Iterator[str]:
    if not index.has_copies:
        return
    paths, _, _, rows = index.sources
    texts = Texts(index)
    for number in range(len(paths)):
        data = texts.data(number)
        if (len(data), zlib.crc32(data)) != (int(rows[number][0]), int(rows[number][1])):
            yield f"copy of {paths[number]}: not what was indexed"
        index.release()


def _links(index: IndexFiles) -> Iterator[str]:
    written = index.manifest["segment"].get("links")
    if written is None:
        return
    sources, targets = (column.astype(np.int64) for column in index.links)
    n = index.totals["elements"]
    ends = np.concatenate([sources, targets])
    ordered = sources.size == targets.size == written["count"] and (np.diff((sources << 32) | targets) > 0).all()
    if not ordered or (ends.size and not 0 <= ends.min() <= ends.max() < n):
        yield "links: they are not pairs of elements in order"


def _values(index: IndexFiles) -> Iterator[str]:
    if not index.has_values:
        return
    for fault in index.values.faults():
        yield f"values: {fault}"
    for block, following in zip(index.blocks, index.blocks[1:], strict=False):
        rows = index.attributes.block(block)
        if not rows:
            continue
        owner, name = rows["owner"], rows["name"]
        if (
            not sound(rows)
            or owner.max() >= following.content
            or (np.diff(owner) < 0).any()
            or name.max() >= len(index.attributes.names)
        ):
            yield "values: the attributes are not those of content elements in order"
        index.release()
