"""Columns of a batch: elements, compared texts, and attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from trix.core.values import encode_segments
from trix.indexer.document.partial_text import BLANK, checksum
from trix.indexer.document.record import DocumentRecord, blank_places, white_space
from trix.indexer.store.attributes import Columns, attribute_columns
from trix.indexer.store.elements import Elements
from trix.indexer.store.numbering import among
from trix.indexer.store.values import SHORT
from trix.indexer.words.interner import text_codes
from trix.support.arrays import Ints, Mask


def element_columns(records: Sequence[DocumentRecord]) -> dict[str, Ints]:
    """Build the columns of all elements of some documents (see `Elements`)."""
    names = ("depth", "step", "position", "same", "start", "end")
    empty = np.zeros(0, np.int32)
    columns = {
        name: np.concatenate([empty, *(np.array(getattr(r, name), np.int32) for r in records)]) for name in names
    }
    up, contents = _tree_columns(columns["depth"], content_mask(records))
    columns |= {"up": up, "contents": contents, "length": columns["end"] - columns["start"]}
    return {name: columns[name] for name in Elements.STRUCTURE + Elements.PRINTED}


def _tree_columns(depth: Ints, content: Mask) -> tuple[Ints, Ints]:
    """Compute the distance to the parent and the content elements per subtree, from depths in document order.

    >>> up, contents = _tree_columns(np.array([0, 1, 2, 2, 1]), np.array([0, 0, 1, 1, 1], bool))
    >>> up.tolist(), contents.tolist()
    ([0, 1, 1, 2, 4], [3, 2, 1, 1, 1])
    """
    up = np.zeros(depth.size, np.int32)
    contents = content.astype(np.int32)
    levels = [np.flatnonzero(depth == level) for level in range(int(depth.max()) + 1 if depth.size else 0)]
    # From the deepest level up: a parent is the last element one level up before its child, so counts are complete when
    # they are added to it.
    for level in range(len(levels) - 1, 0, -1):
        own, above = levels[level], levels[level - 1]
        parent = above[np.searchsorted(above, own) - 1]
        up[own] = own - parent
        contents += np.bincount(parent, contents[own], depth.size).astype(np.int32)
    return up, contents


def content_mask(records: Sequence[DocumentRecord]) -> Mask:
    """Flag the content elements among all elements of some documents."""
    content = np.zeros(sum(len(record.depth) for record in records), np.bool_)
    first = 0
    for record in records:
        content[first + np.array(record.content, np.int64)] = True
        first += len(record.depth)
    return content


def compared_columns(
    records: Sequence[DocumentRecord], columns: Mapping[str, Ints]
) -> tuple[list[dict[str, Ints]], list[Columns], list[str]]:
    """Build the streams of compared texts, the attributes of each document, and the names of attributes.

    The texts of the records are dropped: they take most of the memory, and are not needed again.
    """
    content = content_mask(records)
    starts, lengths = columns["start"][content], columns["length"][content]
    values, attributes, names = list[dict[str, Ints]](), list[Columns](), dict[str, int]()
    at = 0
    for record in records:
        own = slice(at, at := at + len(record.content))
        values.append(encode_values(record, starts[own], lengths[own]))
        record.text = ""
        places = {place: number for number, place in enumerate(record.content)} if record.attributes else {}
        rows = [(places[place], *row) for place, *row in record.attributes]
        attributes.append(attribute_columns(rows, names))  # type: ignore[arg-type]
    return values, attributes, list(names)


def encode_values(record: DocumentRecord, start: Ints, length: Ints) -> dict[str, Ints]:
    """Encode the compared texts of one document (see `trix.indexer.store.values`).

    Parameters
    ----------
    record
        Record of the document.
    start, length
        Characters of its content elements.
    """
    if not start.size:
        return {}
    # Text segments alternate: a gap, a content element, .., the last gap.
    borders = np.zeros(2 * start.size + 2, np.int64)
    borders[1:-1:2], borders[2:-1:2], borders[-1] = start, start + length, record.length
    blanks = record.blanks if record.blanks is not None else blank_places(record.annotated)
    blanks = blanks[~among(blanks, start)]  # those at content elements are implicit
    codes = text_codes(record.text)
    short, padded, long, edges, ends, counts = encode_segments(codes, borders, blanks, white_space(), SHORT)
    texts = long.tobytes().replace(BLANK.encode(), b" ")
    sums = np.array([checksum(texts[begin:end]) for begin, end in pairwise([0, *ends.tolist()])], np.int64)
    return {"short": short, "padded": padded, "edges": edges, "sums": sums, "blanks": counts}
