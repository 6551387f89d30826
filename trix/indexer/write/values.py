"""The streams of texts to be compared of one document, see `trix.indexer.store.values`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from trix.indexer.document.parts import BLANK, checksum
from trix.indexer.document.record import DocumentRecord, blank_places, document_text, white_space, with_marks
from trix.indexer.store.numbering import among
from trix.indexer.store.values import SHORT, encoded
from trix.indexer.words.interner import text_codes
from trix.support.arrays import Ints
from trix.support.backend import use_numba


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
    return (_compiled if use_numba() else encode_values_plainly)(record, borders, blanks)


def encode_values_plainly(record: DocumentRecord, borders: Ints, blanks: Ints) -> dict[str, Ints]:
    """Return the streams of the segments between borders."""
    text = document_text(record.annotated)
    long = np.flatnonzero(np.diff(borders) > SHORT)
    if blanks.size:
        text = with_marks(text, blanks, BLANK)
        borders += np.searchsorted(blanks, borders)
    short, padded, edges, sums, counts = list[str](), list[str](), list[int](), list[int](), list[int]()
    last = 0
    for begin, end in zip(borders[long].tolist(), borders[long + 1].tolist(), strict=True):
        short.append(text[last:begin])  # short segments, one behind the other
        last = end
        segment = text[begin:end]
        inner = segment.strip()
        lead = 0 if len(inner) == len(segment) else len(segment) - len(segment.lstrip())
        edges += (lead, len(segment) - lead - len(inner))
        marks = inner.count(BLANK) if blanks.size else 0
        if len(inner) - marks <= SHORT:
            padded.append(inner)
        else:
            sums.append(checksum(inner.replace(BLANK, " ") if marks else inner))
            counts.append(marks)
    short.append(text[last:])
    return {
        "short": np.frombuffer(encoded("".join(short)), np.uint8),
        "padded": np.frombuffer(encoded("".join(padded)), np.uint8),
        "edges": np.array(edges, np.int64),
        "sums": np.array(sums, np.int64),
        "blanks": np.array(counts, np.int64),
    }


def _compiled(record: DocumentRecord, borders: Ints, blanks: Ints) -> dict[str, Ints]:
    """Do it in a loop."""
    from trix.indexer.write.values_loops import encode_segments

    codes = text_codes(record.text)
    short, padded, long, edges, ends, counts = encode_segments(codes, borders, blanks, white_space(), SHORT)
    texts = long.tobytes().replace(BLANK.encode(), b" ")
    sums = np.array([checksum(texts[begin:end]) for begin, end in pairwise([0, *ends.tolist()])], np.int64)
    return {"short": short, "padded": padded, "edges": edges, "sums": sums, "blanks": counts}
