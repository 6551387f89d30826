"""`trix check`: every checksum and every invariant of an index, a line for each fault."""

from __future__ import annotations

import zlib
from os import PathLike
from pathlib import Path

import numpy as np
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.index import IndexFiles
from trix.indexer.manifest import file_faults, read_manifest
from trix.indexer.texts import Texts


def check(path: str | PathLike[str]) -> list[str]:
    """Return the faults of an index, one line each; none when it is sound.

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
    for part in (_elements, _documents, _postings, _tags, _namespaces, _copies, _values, _links):
        try:
            faults += part(index)
        except Exception as error:  # whatever nonsense makes of our code
            what = str(error) if isinstance(error, IndexError_) else f"{type(error).__name__}: {error}"
            faults.append(" ".join(f"{folder}: {part.__name__.strip('_')} cannot be read: {what}".split()))
    return faults


def _elements(index: IndexFiles) -> list[str]:
    table = index.elements
    table.everything()
    n = table.parent.size
    faults = []
    own = np.arange(n)
    roots = table.parent < 0
    if not (table.parent < own).all():
        faults.append("elements: a parent does not come before its child")
    child = np.flatnonzero(~roots)
    if not (table.depth[child] == table.depth[table.parent[child]] + 1).all() or table.depth[roots].any():
        faults.append("elements: a depth is not that of the parent plus one")
    counted = np.bincount(table.parent[child], table.contents[child], n)
    inner = ~table.is_content
    if not (table.contents[table.is_content] == 1).all() or not (counted[inner] == table.contents[inner]).all():
        faults.append("elements: a number of content elements is not the sum of the children's")
    if int(table.is_content.sum()) != index.totals["content_elements"]:
        faults.append("elements: the content elements are not as many as the manifest says")
    end = table.start.astype(np.int64) + table.length
    inside = (table.start[child] >= table.start[table.parent[child]]) & (end[child] <= end[table.parent[child]])
    if (table.length < 0).any() or not inside.all():
        faults.append("elements: a text is not inside its parent's")
    if table.step.size and (table.step.min() < 0 or table.step.max() >= len(index.steps)):
        faults.append("elements: a path step has no name")
    return faults


def _documents(index: IndexFiles) -> list[str]:
    table = index.elements
    faults = []
    roots = np.flatnonzero(table.parent < 0)
    kept = np.array([low for low, high in map(index.document_range, range(len(index))) if high > low])
    if not np.array_equal(roots, kept):
        faults.append("documents: their first elements are not the roots")
    elif not np.array_equal(table.begin[roots], [index.first_contents[n] for n in index.documents_of(roots)]):
        faults.append("documents: their first content elements are not those of the roots")
    sources = [index.document_source(number)[0] for number in range(len(index))]
    if sources != sorted(sources) or (sources and not 0 <= sources[0] <= sources[-1] < len(index.sources[3])):
        faults.append("documents: a source does not exist or is out of order")
    if any(index.document(index.ids[number]) != number for number in range(len(index))):
        faults.append("documents: an id does not lead back to its document")
    return faults


def _postings(index: IndexFiles) -> list[str]:
    faults = []
    postings = tokens = 0
    held = np.zeros(index.totals["content_elements"], np.int64)
    last = b""
    for number in range(len(index.keys)):
        raw = index.keys.raw(number)
        if raw <= last and number:
            faults.append(f"keys: {raw!r} is out of order")
        last = raw
        contents, tf = index.postings(raw.decode("utf-8"))
        if not contents.size or (np.diff(contents) <= 0).any() or (tf < 1).any():
            faults.append(f"postings of {raw.decode('utf-8')!r}: empty or out of order")
        elif contents[0] < 0 or contents[-1] >= index.totals["content_elements"]:
            faults.append(f"postings of {raw.decode('utf-8')!r}: a content element does not exist")
        else:
            held[contents] += tf
        postings += contents.size
        tokens += int(tf.sum())
        if index.has_positions and index.positions(raw.decode("utf-8"))[2].size != tf.sum():
            faults.append(f"positions of {raw.decode('utf-8')!r}: not as many as occurrences")
    if (postings, tokens) != (index.totals["postings"], index.totals["tokens"]):
        faults.append("postings: not as many as the manifest says")
    numbers = np.arange(held.size)
    if not faults and not np.array_equal(index.elements.tokens(numbers, numbers + 1), held):
        faults.append("elements: a number of keys is not that of the postings")
    return faults


def _tags(index: IndexFiles) -> list[str]:
    table = index.elements
    tags = np.array([index.tags.index(tag) for tag in index.step_tags])
    counts = np.bincount(tags[table.step], minlength=len(index.tags)) if table.step.size else np.zeros(0)
    return [
        f"tag {tag}: its elements are not those of the table"
        for number, tag in enumerate(index.tags)
        if len(index.tagged(tag)) != counts[number]
    ]


def _namespaces(index: IndexFiles) -> list[str]:
    n = index.totals["elements"]
    outside = BitMap(index.tagged("#text"))  # the elements that cannot be in the next namespace
    faults = []
    for namespace, (_, _, count) in index.manifest["segment"].get("namespaces", {}).items():
        found = index.in_namespace(namespace)
        if len(found) != count or (found and found.max() >= n) or found & outside:
            faults.append(f"namespace {namespace}: its elements are not those of the table")
        outside |= found
    if index.namespaces and set(index.namespaces) != set(index.profile.namespaces.values()):
        faults.append("namespaces: not those that the profile declares")
    return faults


def _copies(index: IndexFiles) -> list[str]:
    if not index.has_copies:
        return []
    paths, _, _, rows = index.sources
    texts = Texts(index)
    copies = ((number, texts.data(number)) for number in range(len(paths)))
    return [
        f"copy of {paths[number]}: not what was indexed"
        for number, data in copies
        if (len(data), zlib.crc32(data)) != (int(rows[number][0]), int(rows[number][1]))
    ]


def _links(index: IndexFiles) -> list[str]:
    written = index.manifest["segment"].get("links")
    if written is None:
        return []
    sources, targets = (column.astype(np.int64) for column in index.links)
    n = index.totals["elements"]
    ends = np.concatenate([sources, targets])
    sound = sources.size == targets.size == written["count"] and (np.diff((sources << 32) | targets) > 0).all()
    if not sound or (ends.size and not 0 <= ends.min() <= ends.max() < n):
        return ["links: they are not pairs of elements in order"]
    return []


def _values(index: IndexFiles) -> list[str]:
    if not index.has_values:
        return []
    faults = [f"values: {fault}" for fault in index.values.faults()]
    owner, kind, name, values = index.attributes.rows
    contents = index.totals["content_elements"]
    if owner.size and (
        not owner.size == kind.size == name.size == len(values)
        or owner.max() >= contents
        or (np.diff(owner) < 0).any()
        or name.max() >= len(index.attributes.names)
    ):
        faults.append("values: the attributes are not those of content elements in order")
    return faults
