"""The streams of texts to be compared of one document, see `trix.indexer.store.values`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from trix.core.values import encode_segments
from trix.indexer.document.parts import BLANK, checksum
from trix.indexer.document.record import DocumentRecord, blank_places, white_space
from trix.indexer.store.numbering import among
from trix.indexer.store.values import SHORT
from trix.indexer.words.interner import text_codes
from trix.support.arrays import Ints


def encode_values(record: DocumentRecord, start: Ints, length: Ints) -> dict[str, Ints]:
    """Return the streams of one document.

    Parameters
    ----------
    record
        The document's.
    start, length
        Characters of its content elements.
    """
    if not start.size:
        return {}
    borders = np.zeros(2 * start.size + 2, np.int64)
    borders[1:-1:2], borders[2:-1:2], borders[-1] = start, start + length, record.length
    blanks = record.blanks if record.blanks is not None else blank_places(record.annotated)
    blanks = blanks[~among(blanks, start)]
    codes = text_codes(record.text)
    short, padded, long, edges, ends, counts = encode_segments(codes, borders, blanks, white_space(), SHORT)
    texts = long.tobytes().replace(BLANK.encode(), b" ")
    sums = np.array([checksum(texts[begin:end]) for begin, end in pairwise([0, *ends.tolist()])], np.int64)
    return {"short": short, "padded": padded, "edges": edges, "sums": sums, "blanks": counts}
