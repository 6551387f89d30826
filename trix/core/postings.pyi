from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.support.arrays import Int32s, Int64s, Ints, Mask

def decode_list(data: NDArray[np.uint8]) -> tuple[Int32s, Int32s]: ...
def encode_lists(contents: Ints, tf: Ints, starts: Ints) -> tuple[NDArray[np.uint8], Int64s]: ...
def encode_position_lists(
    positions: Ints, posting_starts: Ints, key_starts: Ints
) -> tuple[NDArray[np.uint8], Int64s]: ...
def decode_position_list(data: NDArray[np.uint8], tf: Ints) -> Int64s: ...
def count_documents(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: Int32s, chosen: Mask
) -> tuple[Int32s, Int32s]: ...
def held_by(data: NDArray[np.uint8], ends: NDArray[Any], chosen: Mask) -> tuple[Int32s, Int32s, Int32s]: ...
def keys_by_document(
    data: NDArray[np.uint8], ends: NDArray[Any], document_of: Int32s, documents: int
) -> tuple[Int64s, Int32s]: ...
def postings_by_content(
    data: NDArray[np.uint8], ends: NDArray[Any], contents: int
) -> tuple[Int64s, Int32s, Int32s]: ...
def decode_by_document(
    data: NDArray[np.uint8], every: int, steps: int
) -> tuple[Int32s, Int64s, Int32s, Int32s, Int64s, Int64s] | None: ...
def by_document(
    contents: Ints, tf: Ints, document_of: Ints, most: int, b: float, steps: int
) -> tuple[Int32s, Int64s, Int32s, Int32s]: ...
def encode_by_document(
    contents: Ints, tf: Ints, document_of: Ints, every: int, most: int, b: float, steps: int
) -> NDArray[np.uint8]: ...
def postings_of(
    data: NDArray[np.uint8], documents: Int32s, xi_k: Int32s, byte: Int64s, before: Int64s, wanted: Ints, every: int
) -> tuple[Int32s, Int32s]: ...
def inverted(ranks: Ints, counts: Ints, keys: int) -> tuple[Int64s, Int64s, Int32s, Int32s, Int32s]: ...
def add_sizes(ranks: Ints, low: int, sizes: Ints, tf: Ints, counts: Int64s, tokens: Int64s) -> None: ...
def append_lists(
    ranks: Ints,
    low: int,
    sizes: Ints,
    contents: Ints,
    tf: Ints,
    positions: Ints,
    ends: Int64s,
    filled: Int64s,
    lists: tuple[Int64s, Int64s, Int64s],
) -> None: ...
def keep_coded(
    postings: NDArray[np.uint8],
    listed: NDArray[np.uint8],
    columns: tuple[Ints, ...],
    row: int,
    at: int,
    every: int,
    steps: int,
    documents: int,
) -> tuple[int, int, int, int] | None: ...
def keep_postings(
    contents: Ints,
    tf: Ints,
    counted: Ints,
    first_contents: Ints,
    content_elements: int,
    columns: tuple[Ints, ...],
    row: int,
    at: int,
    every: int,
    groups: int,
    b: float,
    steps: int,
) -> tuple[int, tuple[int, int, int, int] | None]: ...
def shape(begin: int, end: int, content_rows: Int32s, rows: Int32s, above: Ints, shared: Ints) -> None: ...
def holders(postings: NDArray[np.uint8], spans: Ints) -> Int32s: ...
def count_elements(contents: Int32s, first_contents: Ints, above: Ints, shared: Ints) -> Int64s: ...
