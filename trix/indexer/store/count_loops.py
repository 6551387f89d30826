"""Compiled twins of `trix.indexer.store.document_counts`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.loops import read_varint
from trix.support.backend import kernel


@kernel
def _next_content(data: Any, at: Any) -> Any:
    """Return the gap to the content element of the posting at a place, and the place behind the posting."""
    value, at = read_varint(data, at)
    if value & 1:  # the count follows
        _, at = read_varint(data, at)
    return value >> 1, at


@kernel
def count_documents(data: Any, ends: Any, document_of: Any, chosen: Any) -> Any:
    """Count the documents of each key; twin: `trix.indexer.store.document_counts.count_documents_plainly`."""
    keys = ends.size
    n = np.zeros(keys, np.int32)
    r = np.zeros(keys, np.int32)
    at = np.int64(0)
    for key in range(keys):
        stop = np.int64(ends[key])
        content = np.int64(0)
        last = np.int64(-1)
        while at < stop:
            gap, at = _next_content(data, at)
            content += gap
            document = np.int64(document_of[content])
            if document != last:
                last = document
                n[key] += 1
                if chosen[document]:
                    r[key] += 1
    return n, r


@kernel
def keys_by_document(data: Any, ends: Any, document_of: Any, documents: int) -> Any:
    """List the keys of each document; twin: `trix.indexer.store.document_counts.keys_by_document_plainly`."""
    begins = np.zeros(documents + 1, np.int64)
    keys = np.zeros(0, np.int32)
    for filling in (False, True):
        if filling:
            begins = np.cumsum(begins)
            keys = np.empty(begins[-1], np.int32)
            free = begins.copy()
        at = np.int64(0)
        for key in range(ends.size):
            stop = np.int64(ends[key])
            content = np.int64(0)
            last = np.int64(-1)
            while at < stop:
                gap, at = _next_content(data, at)
                content += gap
                document = np.int64(document_of[content])
                if document != last:
                    last = document
                    if filling:
                        keys[free[document]] = key
                        free[document] += 1
                    else:
                        begins[document + 1] += 1
    return begins, keys
