from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.support.arrays import Int32s, Ints, Mask

NAMES: int
ENTITY_TAG: int
CHOOSES: int
SAYS: int
INSIDE: int
WITH_CHILDREN: int

Bytes = NDArray[np.uint8]
Codes = NDArray[np.uint32]

def scan_markup(
    data: Bytes, qualified: bool, tags: Int32s, heads: Int32s, places: Int32s, codes: Codes, names: Int32s
) -> tuple[int, int, int, bool]: ...
def survey(
    tags: Int32s,
    places: Int32s,
    codes: Codes,
    names: Int32s,
    levels: int,
    table: Bytes,
    every: int,
    same: Int32s,
    bits: Bytes,
) -> None: ...
def place_children(tags: Int32s, levels: int, begins: Int32s, last: Int32s, inside: Mask) -> int: ...
def write_text(
    places: Int32s, codes: Codes, marks: Bytes, space: Mask, annotated: Codes, blanks: Int32s, spots: Int32s
) -> tuple[int, int]: ...
def find_attributes(
    data: Bytes,
    tags: Int32s,
    heads: Int32s,
    asked: Bytes,
    names: Bytes,
    name_ends: Ints,
    meant: Ints,
    alike: Int32s,
    told: Int32s,
    found: Int32s,
) -> tuple[int, int]: ...
def own_texts(
    kinds: Int32s, bits: Bytes, actions: Int32s, own_bit: int, levels: int, own: Bytes, solid: Bytes
) -> None: ...
def index_elements(
    kinds: Int32s,
    same: Int32s,
    places: Int32s,
    bits: Bytes,
    own: Bytes,
    solid: Bytes,
    actions: Int32s,
    levels: int,
    attributes: Any,
    rows: Int32s,
    content: Int32s,
    marks: Bytes,
    outer: Int32s,
    below: Int32s,
    said: Int32s,
) -> tuple[int, int, int, int, int, int]: ...
def rows_around(
    begins: Int32s, stops: Int32s, runs: Mask, levels: int, events: Int32s, around: Int32s, inside: Int32s
) -> None: ...
def find_titled(
    tags: Int32s,
    steps: Ints,
    paths: Int32s,
    leads: Any,
    leaf: int,
    levels: int,
    ends: Int32s,
    events: Int32s,
    held: NDArray[np.uint64],
) -> int: ...
def write_titles(
    document: tuple[Any, ...],
    ends: Int32s,
    steps: Ints,
    kinds: Ints,
    paths: Int32s,
    space: Mask,
    events: Int32s,
    asked: Int32s,
    titles: Codes,
) -> int: ...
def kinds_in_parents(
    alike: Int32s, tags: int, of_classes: Int32s, after: Int32s, levels: int, kinds: Int32s
) -> None: ...
def text_of_root(kinds: Int32s, sizes: NDArray[np.int64], actions: Int32s, levels: int) -> tuple[int, int]: ...
