"""In how many documents is each key? One pass over the whole inverted file, without building a list."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.indexer.postings import decode_varints
from trix.kernels import use_numba

Counts = NDArray[np.int32]

_RANGE_BYTES = 1 << 21
"""Bytes of posting lists that the plain twin decodes at a time."""


def count_documents(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], chosen: NDArray[np.bool_]
) -> tuple[Counts, Counts]:
    """Count the documents of each key.

    Parameters
    ----------
    data, ends
        The coded posting lists one behind the other, and where each ends.
    document_of : (n_content_elements,) ndarray
        The document of each content element.
    chosen : (n_documents,) ndarray of bool
        Some documents.

    Returns
    -------
    n, r : (n_keys,) ndarrays of int32
        Documents that hold the key, and chosen documents that do.
    """
    if use_numba():
        from trix.indexer.kernels_count import count_documents as compiled

        counted: tuple[Counts, Counts] = compiled(data, ends, document_of, chosen)
        return counted
    return count_documents_plainly(data, ends, document_of, chosen)


def count_documents_plainly(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: NDArray[np.int32], chosen: NDArray[np.bool_]
) -> tuple[Counts, Counts]:
    """Return what `count_documents` does: the numpy twin of `trix.indexer.kernels_count.count_documents`."""
    n, r = np.zeros(ends.size, np.int32), np.zeros(ends.size, np.int32)
    stops = np.asarray(ends, np.int64)
    low = 0
    while low < stops.size:
        begin = int(stops[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(stops, begin + _RANGE_BYTES, side="right")))
        part = data[begin : int(stops[high - 1])]
        starts = np.concatenate(([0], stops[low : high - 1] - begin))
        key, document = _documents_of_lists(part, starts, document_of)
        first = np.ones(key.size, bool)
        first[1:] = (key[1:] != key[:-1]) | (document[1:] != document[:-1])
        n[low:high] = np.bincount(key[first], minlength=high - low)
        first &= chosen[document]
        r[low:high] = np.bincount(key[first], minlength=high - low)
        low = high
    return n, r


def _documents_of_lists(
    data: NDArray[np.uint8], starts: NDArray[np.int64], document_of: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the list and the document of each posting of some lists; each list begins at one of the byte starts."""
    values = decode_varints(data)
    ends_before = np.concatenate(([0], np.cumsum(data < 128)))
    first_value = ends_before[starts]
    # A gap follows an even gap and every tf; see `trix.indexer.postings.decode_postings_plainly`.
    odd = (values & 1).astype(bool)
    place = np.arange(values.size)
    anchor = np.maximum.accumulate(np.where(np.concatenate(([True], ~odd[:-1])), place, 0))
    gap_at = np.flatnonzero(((place - anchor) & 1) == 0)
    first_posting = np.searchsorted(gap_at, first_value)
    total = np.cumsum(values[gap_at] >> 1)
    sizes = np.diff(first_posting, append=gap_at.size)
    before = np.where(first_posting > 0, total[first_posting - 1], 0)
    contents = total - np.repeat(before, sizes)
    return np.repeat(np.arange(starts.size), sizes), document_of[contents]
