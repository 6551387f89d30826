"""The compiled loop that counts what matches in each document, and scores nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from trix.support.backend import kernel
from trix.support.seeking import seek


@kernel
def count_elements(contents: Any, starts: Any, first_contents: Any, content_rows: Any, rows: Any) -> Any:
    """Return how many elements of each document hold a key.

    Twin: `trix.query.matching.matching.match`, whose candidates these are.

    Parameters
    ----------
    contents, starts
        The content elements that hold each key, one list behind the other, and where each begins.
    first_contents
        Of each document.
    content_rows, rows
        Those of the element table.
    """
    lists = starts.size - 1
    counts = np.zeros(first_contents.size, np.int64)
    open_element = np.full(256, -1, np.int32)  # by depth, on the way to the content element before
    at = starts[:-1].copy()
    largest = np.int32(2147483647)
    head = np.full(lists, largest, np.int32)
    for t in range(lists):
        if at[t] < starts[t + 1]:
            head[t] = contents[at[t]]
    document = 0
    while True:
        content = largest
        for t in range(lists):
            content = min(content, head[t])
        if content == largest:
            return counts
        for t in range(lists):
            if head[t] == content:
                at[t] += 1
                head[t] = contents[at[t]] if at[t] < starts[t + 1] else largest
        document = seek(first_contents, document, content + 1)
        x, level = content_rows[content, 1], content_rows[content, 2] - 1
        counts[document - 1] += 1
        while x >= 0 and open_element[level] != x:
            open_element[level] = x
            counts[document - 1] += 1
            x = rows[x, 0]
            level -= 1
