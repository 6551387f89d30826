"""The compiled loops of `trix.query.open_lists.counting`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.indexer.store.inverted.loops import decode_list
from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def shape(begin: int, end: int, content_rows: Any, rows: Any, above: Any, shared: Any) -> None:
    """Fill in, for a range of content elements, how many elements are above each, and how many of them begin before it.

    The latter are those that the content element before shares.
    """
    for content in range(begin, end):
        x, depth = content_rows[content, 1], content_rows[content, 2]
        above[content] = depth
        while x >= 0 and rows[x, 2] == content:
            x = rows[x, 0]
            depth -= 1
        shared[content] = depth


@kernel
def holders(postings: Any, spans: Any) -> Any:
    """Return the content elements that hold any of some keys, whose coded lists lie in spans."""
    lists = len(spans)
    every = []
    size = 0
    for t in range(lists):
        contents, _ = decode_list(postings[spans[t, 0] : spans[t, 1]])
        every.append(contents)
        size += contents.size
    largest = np.int32(2147483647)
    at, head = np.zeros(lists, np.int64), np.full(lists, largest)
    for t in range(lists):
        if every[t].size:
            head[t] = every[t][0]
    merged = np.empty(size, np.int32)
    held = 0
    while True:
        content = largest
        for t in range(lists):
            content = min(content, head[t])
        if content == largest:
            return merged[:held]
        merged[held] = content
        held += 1
        for t in range(lists):
            if head[t] == content:
                at[t] += 1
                head[t] = every[t][at[t]] if at[t] < every[t].size else largest


@kernel
def count(contents: Any, first_contents: Any, above: Any, shared: Any) -> Any:
    """Return how many elements of each document hold some content elements, ascending, or are among them.

    An element on the way down to a content element is new where it begins behind the one before: of those that are
    shared all the way from that one, as many as the least, it does not.
    """
    counts = np.zeros(first_contents.size, np.int64)
    document, before = 0, np.int64(-1)
    for content in contents:
        document = seek(first_contents, document, content + 1)
        least = shared[content]
        if before < first_contents[document - 1]:
            least = 0
        else:
            for other in range(before + 1, content):
                least = min(least, shared[other])
        counts[document - 1] += above[content] + 1 - least
        before = np.int64(content)
    return counts
