"""`trix check`: verify all checksums and invariants of an index, one line per fault.

Data is read in parts of fixed size, so memory does not grow with the index: blocks of the element table, ranges of keys
(`trix.indexer.checking.postings`), pages of files. Pages are released after use.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.checking.files import commit_faults, openable, settings_of
from trix.indexer.checking.postings import postings_faults
from trix.indexer.commit.remote import origin_of
from trix.indexer.commit.states import states_fault
from trix.indexer.fields.columns import SECTION, read_column
from trix.indexer.fields.element_columns import names_of_runs, read_runs
from trix.indexer.languages.index_languages import INNER_LANGUAGES
from trix.indexer.store.attributes import block_attributes, sound
from trix.indexer.store.elements import Block, Elements
from trix.indexer.store.files import MARKS
from trix.indexer.store.segment import Segment
from trix.indexer.store.titles import words_of_titles
from trix.indexer.store.words import other_spellings
from trix.indexer.words.spelling import ACCENTS
from trix.support.urls import is_url


def check(path: str | PathLike[str]) -> list[str]:
    """Verify the index in the folder or at the URL `path`; return its faults, one line each.

    All files of an index at a URL are downloaded again, ignoring the local copy.

    Raises
    ------
    IndexError_
        There is no index, or it has another format.
    TrixError
        The URL cannot be read.
    """
    if not isinstance(path, str) or not is_url(path):
        return _faults(Path(path))
    from trix.indexer.commit.checkout import Checkout

    with Checkout(path, as_it_is=True) as there:
        return list(map(there.named, _faults(there.folder)))


def _faults(folder: Path) -> list[str]:
    faults = commit_faults(folder)
    settings = settings_of(folder)
    is_copy = origin_of(folder) is not None  # states are for writers only
    ids: dict[str, str] = {}
    for entry, segment, fault in openable(folder):
        if segment is None:
            faults.append(fault)
            continue
        own = segment_faults(segment, entry.deleted, settings)
        faults += own or _twice(segment, entry.deleted, ids)
        if entry.name and not is_copy:
            faults += filter(None, [states_fault(folder, entry, segment.n_sources)])
    return faults


def segment_faults(segment: Segment, deleted: BitMap, settings: Mapping[str, Any]) -> list[str]:
    """List the faults of a segment, one line each.

    Parameters
    ----------
    segment, deleted
        Segment, and its deleted documents.
    settings
        Settings of the index.
    """
    faults = segment.sections.faults()
    if faults:
        return faults  # further checks would only repeat them
    name = segment.sections.path
    for part in (
        _elements,
        _documents,
        _postings,
        _namespaces,
        _languages,
        _inner_languages,
        _marks,
        _words,
        _titles,
        _copies,
        _values,
        _links,
        _places,
        _fields,
    ):
        try:
            faults += [f"{name}: {line}" for line in dict.fromkeys(part(segment))]  # parts repeat their lines
        except Exception as error:  # wrong data may raise anything
            what = str(error) if isinstance(error, IndexError_) else f"{type(error).__name__}: {error}"
            faults.append(" ".join(f"{name}: {part.__name__.strip('_')} cannot be read: {what}".split()))
        segment.release()
    declared = set(settings["profile"].get("namespaces", {}).values())
    named = {selector[1:].partition("}")[0] for selector in settings["profile"].get("titles", {}) if selector[0] == "{"}
    known = declared | named - {""}
    if not declared <= set(segment.facts.get("namespaces", ())) <= known:  # older indexes lack those of titles
        faults.append(f"{name}: namespaces: not those that the profile declares")
    if deleted and deleted.max() >= len(segment):
        faults.append(f"{name}: a deleted document does not exist")
    return faults


def _twice(segment: Segment, deleted: BitMap, ids: dict[str, str]) -> Iterator[str]:
    """Find documents that are live in two segments."""
    for number in range(len(segment)):
        if number not in deleted:
            own = segment.ids[number]
            if own in ids:
                yield f"{segment.sections.path}: the document {own!r} is also in {ids[own]}"
            ids[own] = segment.sections.path.name


def _elements(index: Segment) -> Iterator[str]:
    """Check the element table by parts: trees, roots of documents, counts of tags."""
    contents = kept = 0
    counts = np.zeros(len(_tags(index)), np.int64)
    number = {tag: place for place, tag in enumerate(_tags(index))}
    tags = np.array([number[tag] for tag in index.step_tags], np.int64)
    following = np.append(index.first_elements[1:], index.totals["elements"])
    filled = np.flatnonzero(following > index.first_elements)  # documents with elements
    first, content = index.first_elements[filled], index.first_contents[filled]
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
        yield "elements: the content elements are not as many as the segment says"
    if kept != filled.size:
        yield "documents: their first elements are not the roots"
    for tag, count in zip(_tags(index), counts.tolist(), strict=True):
        if len(index.read_set("tags", tag)) != count:
            yield f"tag {tag}: its elements are not those of the table"


def _tags(index: Segment) -> list[str]:
    return sorted(index.facts["tags"])


def _tree_faults(table: Elements, steps: int) -> Iterator[str]:
    """Check the trees in a part of the table."""
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
    """Compare the roots in a part with the first elements and content elements of its documents."""
    roots = np.flatnonzero(table.parent < 0)
    if not np.array_equal(roots + block.element, first):
        yield "documents: their first elements are not the roots"
    elif not np.array_equal(table.begin[roots] + block.content, content):
        yield "documents: their first content elements are not those of the roots"


def _documents(index: Segment) -> Iterator[str]:
    sources = index.documents[:, 3]
    if sources.size and ((np.diff(sources) < 0).any() or not 0 <= sources[0] <= sources[-1] < index.n_sources):
        yield "documents: a source does not exist or is out of order"
    if any(index.document(index.ids.raw(number)) != number for number in range(len(index))):
        yield "documents: an id does not lead back to its document"


def _postings(index: Segment) -> Iterator[str]:
    return postings_faults(index)


def _namespaces(index: Segment) -> Iterator[str]:
    n = index.totals["elements"]
    outside = BitMap(index.read_set("tags", "#text"))  # elements that cannot be in further namespaces
    for namespace, (_, _, count) in index.facts.get("namespaces", {}).items():
        found = index.read_set("namespaces", namespace)
        if len(found) != count or (found and found.max() >= n) or found & outside:
            yield f"namespace {namespace}: its elements are not those of the table"
        outside |= found


def _languages(index: Segment) -> Iterator[str]:
    n, others = index.totals["elements"], BitMap()
    for language, (_, _, count) in index.facts.get("languages", {}).items():
        found = index.read_set("languages", language)
        if not found or len(found) != count or found.max() >= n or found & others:
            yield f"language {language}: its elements are not those of the table"
        others |= found


def _inner_languages(index: Segment) -> Iterator[str]:
    n = index.totals["elements"]
    for language, (_, _, count) in index.facts.get(INNER_LANGUAGES, {}).items():
        found = index.read_set(INNER_LANGUAGES, language)
        if not found or len(found) != count or found.max() >= n:
            yield f"words in language {language}: their elements are not those of the table"


def _marks(index: Segment) -> Iterator[str]:
    n, others = index.totals["elements"], BitMap()
    for mark, (_, _, count) in index.facts.get(MARKS, {}).items():
        found = index.read_set(MARKS, mark)
        if mark not in ("quiet", "loud") or len(found) != count or (found and found.max() >= n) or found & others:
            yield f"{mark} parts: their elements are not those of the table"
        others |= found


def _words(index: Segment) -> Iterator[str]:
    """Check the words: sorted, in existing documents, with correct plain spellings."""
    words = index.words
    raw = words.table.all()
    if raw != sorted(set(raw)):
        yield "words: they are not in order"
    numbers, counts = words.numbers_of(0, len(raw))
    if (counts < 1).any() or (numbers.size and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(index)):
        yield "words: their documents are not those of the segment"
    spelt = [string.decode("utf-8", "surrogateescape") for string in raw]
    for accents in ACCENTS:
        others = words.others(accents)
        found = {others.table[number]: others.numbers(number).tolist() for number in range(len(others.table))}
        if found != other_spellings(spelt, accents):
            yield f"words: their plain spellings ({accents}) are others"


def _titles(index: Segment) -> Iterator[str]:
    """Check the titles: sorted, of existing documents or elements, with a correct index of words."""
    for kind, (titles, words) in index.titled.items():
        raw = titles.table.all()
        numbers = [titles.numbers(number) for number in range(len(raw))]
        most = len(index) if kind == "documents" else index.totals["elements"]
        if raw != sorted(set(raw)) or not all(own.size and 0 <= own[0] <= own[-1] < most for own in numbers):
            yield f"titles of {kind}: they are not in order, or not of what is there"
        expected = words_of_titles(string.decode("utf-8", "surrogateescape") for string in raw)
        indexed = {words.table[number]: words.numbers(number).tolist() for number in range(len(words.table))}
        if indexed != expected:
            yield f"titles of {kind}: their words are not those of the titles"


def _copies(index: Segment) -> Iterator[str]:
    for number in range(index.n_sources):
        data, source = index.copy(number), index.source(number)
        if data is not None and (len(data), zlib.crc32(data)) != (source.size, source.crc):
            yield f"copy of {source.path}: not what was indexed"
        index.release()


def _links(index: Segment) -> Iterator[str]:
    if not index.has_links:
        return
    written = index.facts["links"]
    sources, targets = index.resolved_links
    n = index.totals["elements"]
    ends = np.concatenate([sources, targets])
    ordered = sources.size == targets.size == written["count"] and (np.diff((sources << 32) | targets) > 0).all()
    if not ordered or (ends.size and not 0 <= ends.min() <= ends.max() < n):
        yield "links: they are not pairs of elements in order"


def _places(index: Segment) -> Iterator[str]:
    places = index.places
    if places is None:
        return
    for document in range(len(index)):
        of, length = places.of(document), index.document_length(document)
        sizes = {len(of.names), len(of.numbers), len(of.before), len(of.after)}
        edges = np.stack([of.before, of.after], axis=1).reshape(-1) if len(sizes) == 1 else np.array([-1])
        if (of.before > of.after).any() or edges.min(initial=0) < 0 or edges.max(initial=0) > length:
            yield f"places of {index.ids[document]}: they are not in its text"
        elif (np.diff(of.before) < 0).any() or (np.diff(of.after) < 0).any():
            yield f"places of {index.ids[document]}: they are not in order"


def _fields(index: Segment) -> Iterator[str]:
    for name in index.facts.get(SECTION, {}):
        raw = [value.encode("utf-8", "surrogateescape") for value in read_column(index, name).values]
        if raw != sorted(set(raw)):
            yield f"field {name}: its values are not in order"
    firsts = index.first_elements[index.ends(0) > index.first_elements]
    for name in names_of_runs(index):
        runs = read_runs(index, name)
        if not np.isin(firsts, runs.firsts, assume_unique=True).all():
            yield f"field {name}: no run begins at the first element of a document"


def _values(index: Segment) -> Iterator[str]:
    for fault in index.values.faults():
        yield f"values: {fault}"
    for block, following in zip(index.blocks, index.blocks[1:], strict=False):
        rows = block_attributes(block)
        if not rows:
            continue
        owner, name = rows["owner"].astype(np.int64) + block.content, rows["name"]
        if (
            not sound(rows)
            or owner.max() >= following.content
            or (np.diff(owner) < 0).any()
            or name.max() >= len(index.attribute_names)
        ):
            yield "values: the attributes are not those of content elements in order"
        index.release()
