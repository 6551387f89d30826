"""The compiled loop of `trix.query.document_at_a_time.lists`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.by_document import GROUPS, B
from trix.indexer.store.inverted.loops import by_document, decode_by_document, decode_list, read_posting
from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def open_all(
    postings: Any, lists: Any, spans: Any, first_contents: Any, contents: int, every: int, steps: int, counted: bool
) -> Any:
    """Open the lists of keys.

    ``spans[t]`` is where the posting list of key t lies, and its list by document, which is empty where it has none.
    Returns whether all are sound, and the columns of `OpenLists`; the last are rows of the numbers of `KeyCounts`,
    those of occurrences where they are to be counted.
    """
    keys = len(spans)
    opened = []
    every_of, counts = np.empty(keys, np.int64), np.zeros((4, keys), np.int64)
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
        counts[1, t] = documents.size
        for count in xi_k:
            counts[0, t] += count
        for d in range(documents.size if counted else 0):
            counts[2, t] += kf[d]
            counts[3, t] = max(counts[3, t], kf[d])
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
    return sound, rows, (documents, kf, xi_k, reach), entries, (byte, before), every_of, counts


@kernel
def read_all(postings: Any, spans: Any, first_contents: Any, contents: int) -> Any:
    """Return whether the posting lists of keys are sound, their columns, and rows of the numbers of `KeyCounts`."""
    keys = len(spans)
    starts, counts = np.zeros(keys + 1, np.int64), np.zeros((4, keys), np.int64)
    lists = []
    sound = True
    for t in range(keys):
        numbers, tf = decode_list(postings[spans[t, 0] : spans[t, 1]])
        sound = sound and (numbers.size == 0 or 0 <= numbers[0] <= numbers[-1] < contents)
        starts[t + 1] = starts[t] + numbers.size
        lists.append((numbers, tf))
    every, tf_of = np.empty(starts[keys], np.int32), np.empty(starts[keys], np.int32)
    for t in range(keys if sound else 0):
        numbers, tf = lists[t]
        every[starts[t] : starts[t + 1]], tf_of[starts[t] : starts[t + 1]] = numbers, tf
        counts[0, t] = numbers.size
        at, kf = 0, np.int64(0)
        for i in range(numbers.size):
            here = seek(first_contents, at, numbers[i] + 1)
            if here != at:
                counts[1, t] += 1
                at, kf = here, np.int64(0)
            kf += tf[i]
            counts[2, t] += tf[i]
            counts[3, t] = max(counts[3, t], kf)
    return sound, (every, tf_of, starts), counts


@kernel
def of_documents(postings: Any, first_contents: Any, admitted: Any) -> Any:
    """Return those of some postings that are in documents that are admitted."""
    contents, tf, starts = postings
    kept = np.zeros(starts.size, np.int64)
    held, counted = np.empty_like(contents), np.empty_like(tf)
    size = np.int64(0)
    for t in range(starts.size - 1):
        at = 0
        for i in range(starts[t], starts[t + 1]):
            at = seek(first_contents, at, contents[i] + 1)
            held[size], counted[size] = contents[i], tf[i]
            size += admitted[at - 1]
        kept[t + 1] = size
    return held[:size], counted[:size], kept


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
