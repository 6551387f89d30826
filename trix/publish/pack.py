"""Compressed search files with names made of their content [SITE, section 3]."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from trix.indexer.store.inverted.postings import encode_varints
from trix.support.arrays import Ints

FOLDER = "search"
"""Folder of the search files in a site."""

_NAME = 10
"""Characters of the name of a search file."""


def packed(data: bytes) -> bytes:
    """Compress with zlib, which browsers decompress as ``deflate``."""
    return zlib.compress(data, 9)


def varints(values: Iterable[int] | Ints) -> bytes:
    """Write numbers of 0 or more as varints: seven bits a byte, the lowest first, the high bit for more.

    >>> varints([5, 300]).hex()
    '05ac02'
    """
    numbers = np.asarray(values if isinstance(values, np.ndarray) else list(values), np.int64)
    return encode_varints(numbers)[0].tobytes() if numbers.size else b""


def json_bytes(value: Any) -> bytes:
    """Write JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


T = TypeVar("T")


def cut(items: Iterable[T], size: Callable[[T], int], most: int) -> Iterator[tuple[int, list[T]]]:
    """Cut a sequence into runs of at most a size, or of one item; yield the number of the first item, and the items.

    >>> list(cut(["ab", "c", "defg", "h"], len, 3))
    [(0, ['ab', 'c']), (2, ['defg']), (3, ['h'])]
    """
    run, total, first = list[T](), 0, 0
    for number, item in enumerate(items):
        own = size(item)
        if run and total + own > most:
            yield first, run
            run, total, first = [], 0, number
        run.append(item)
        total += own
    if run:
        yield first, run


class SearchFiles(dict[str, bytes]):
    """Search files by their path in the site."""

    def put(self, data: bytes) -> str:
        """Add a compressed file, and return its name without folder and ending."""
        name = hashlib.sha256(data).hexdigest()[:_NAME]
        self[f"{FOLDER}/{name}.bin"] = packed(data)
        return name
