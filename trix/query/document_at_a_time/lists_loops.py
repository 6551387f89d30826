"""The compiled loop of `trix.query.document_at_a_time.lists`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import GROUPS, B
from trix.indexer.store.inverted.loops import by_document, decode_by_document, decode_list, read_posting
from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def open_all(postings: Any, lists: Any, spans: Any, first_contents: Any, contents: int, every: int, steps: int) -> Any:
    """Open the lists of keys.

    ``spans[t]`` is where the posting list of key t lies, and its list by document, which is empty where it has none.
    Returns whether all are sound, and the columns of `OpenLists`.
    """
    keys = len(spans)
    opened = []
    every_of, m = np.empty(keys, np.int64), np.zeros(keys, np.int64)
    rows, entries = np.zeros(keys + 1, np.int64), np.zeros(keys + 1, np.int64)
    sound = True
    for t in range(keys):
        begin, end, low, high = spans[t]
        if high > low:
            good, documents, kf, xi_k, reach, byte, before = decode_by_document(lists[low:high], every, steps)
            every_of[t] = every
        else:
            good, documents, kf, xi_k, reach, byte, before = _sum_up(
                postings[begin:end], first_contents, contents, steps
            )
            every_of[t] = 1
        sound = sound and good
        for count in xi_k:
            m[t] += count
        rows[t + 1], entries[t + 1] = rows[t] + documents.size, entries[t] + byte.size
        opened.append((documents, kf, xi_k, reach, byte + begin, before))
    n, places = rows[keys], entries[keys]
    documents, kf = np.empty(n, np.int32), np.empty(n, np.int64)
    xi_k, reach = np.empty(n, np.int32), np.empty(n, np.int32)
    byte, before = np.empty(places, np.int64), np.empty(places, np.int64)
    for t in range(keys):
        at, to = rows[t], rows[t + 1]
        documents[at:to], kf[at:to], xi_k[at:to], reach[at:to] = opened[t][:4]
        byte[entries[t] : entries[t + 1]], before[entries[t] : entries[t + 1]] = opened[t][4:]
    return sound, rows, (documents, kf, xi_k, reach), entries, (byte, before), every_of, m


@kernel
def read_all(postings: Any, spans: Any, contents: int) -> Any:
    """Return whether the posting lists of keys are sound, and the columns of `FewPostings`."""
    keys = len(spans)
    starts = np.zeros(keys + 1, np.int64)
    lists = []
    sound = True
    for t in range(keys):
        numbers, tf = decode_list(postings[spans[t, 0] : spans[t, 1]])
        sound = sound and (numbers.size == 0 or 0 <= numbers[0] <= numbers[-1] < contents)
        starts[t + 1] = starts[t] + numbers.size
        lists.append((numbers, tf))
    every, counts = np.empty(starts[keys], np.int32), np.empty(starts[keys], np.int32)
    for t in range(keys):
        every[starts[t] : starts[t + 1]], counts[starts[t] : starts[t + 1]] = lists[t]
    return sound, every, counts, starts


@kernel
def _sum_up(data: Any, first_contents: Any, contents: int, steps: int) -> Any:
    """Return what the list by document of a key would say that has none; each of its documents is entered."""
    numbers, tf = decode_list(data)
    document_of = np.empty(numbers.size, np.int32)
    sound = numbers.size == 0 or 0 <= numbers[0] <= numbers[-1] < contents
    at = 0
    for i in range(numbers.size if sound else 0):
        at = seek(first_contents, at, numbers[i] + 1)
        document_of[i] = at - 1
    documents, kf, xi_k, reach = by_document(numbers, tf, document_of, GROUPS, B, steps)
    byte, before = np.zeros(documents.size, np.int64), np.zeros(documents.size, np.int64)
    place, last = np.int64(0), np.int64(0)
    for d in range(documents.size if sound else 0):
        byte[d], before[d] = place, last
        for _ in range(xi_k[d]):
            gap, _, place = read_posting(data, place)
            last += gap
    return sound, documents, kf, xi_k, reach, byte, before
