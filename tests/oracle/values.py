"""The streams of texts to be compared, by strings: docs/spec/format.md, section on values."""

from __future__ import annotations

import numpy as np

from trix.indexer.document.partial_text import BLANK, checksum
from trix.indexer.document.record import DocumentRecord, blank_places, document_text, with_marks
from trix.indexer.store.numbering import among
from trix.indexer.store.values import SHORT, encoded
from trix.support.arrays import Ints


def streams(record: DocumentRecord, start: Ints, length: Ints) -> dict[str, list[int]]:
    """Return the streams of a document whose content elements begin and are so long."""
    borders = np.zeros(2 * start.size + 2, np.int64)
    borders[1:-1:2], borders[2:-1:2], borders[-1] = start, start + length, record.length
    blanks = blank_places(record.annotated)
    blanks = blanks[~among(blanks, start)]
    text = with_marks(document_text(record.annotated), blanks, BLANK)
    ends = (borders + np.searchsorted(blanks, borders)).tolist()
    short, padded, edges, sums, counts = "", "", list[int](), list[int](), list[int]()
    for begin, end, size in zip(ends, ends[1:], np.diff(borders).tolist(), strict=False):
        segment = text[begin:end]
        if size <= SHORT:
            short += segment
            continue
        inner = segment.strip()
        lead = len(segment) - len(segment.lstrip())
        edges += (lead, len(segment) - lead - len(inner))
        marks = inner.count(BLANK)
        if len(inner) - marks <= SHORT:
            padded += inner
        else:
            sums.append(checksum(inner.replace(BLANK, " ")))
            counts.append(marks)
    return {"short": [*encoded(short)], "padded": [*encoded(padded)], "edges": edges, "sums": sums, "blanks": counts}
