from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trix.support.arrays import Floats, Int32s, Ints, Mask

Results = tuple[Int32s, Floats, Floats]

class CachedPostings:
    def __init__(
        self, coded: NDArray[np.uint8], rows: Int32s, entries: NDArray[np.int64], inside: NDArray[np.int64]
    ) -> None: ...

class DocumentColumns:
    def __init__(
        self, first_elements: Ints, first_contents: Ints, contents: Ints, deepest: NDArray[np.uint8], block_of: Ints
    ) -> None: ...

class ElementTable:
    def __init__(
        self, content_rows: Int32s, rows: Int32s, running: Int32s, length: Int32s, is_there: tuple[Mask, Mask, Mask]
    ) -> None: ...

class CompiledQuery:
    def __init__(
        self,
        whole: NDArray[np.int64],
        real: Floats,
        models: tuple[Any, Any],
        implied: Sequence[int],
        content_weight: Int32s,
        heaviest: int,
    ) -> None: ...

class Terms:
    def __init__(self, key_of: Ints, sign: Ints, own_of: Ints, weight: Floats, keys: int) -> None: ...

class Demands:
    def __init__(
        self, keys: int, groups: Mask, program: NDArray[np.int64], admits: Callable[[Int32s], Mask] | None
    ) -> None: ...
    admits: Callable[[Int32s], Mask] | None

class PathContext:
    def __init__(self, numbers: tuple[Any, ...], apart: bool, roots_only: bool, bound: tuple[Any, ...]) -> None: ...

class CompiledForm:
    def __init__(
        self,
        kind: int,
        f: float,
        weights: Floats,
        everything: float,
        titles: Sequence[Ints],
        documents: Sequence[Int32s],
        terms: Terms | None,
        model: tuple[Any, ...] | None,
        own: bool = False,
    ) -> None: ...

class Additions:
    def __init__(
        self,
        forms: list[CompiledForm],
        word_key: NDArray[np.int64],
        sentences: Callable[[int], NDArray[np.int64]] | None,
        counts: Callable[[Ints], NDArray[np.int64]] | None,
    ) -> None: ...

class CompiledSelection:
    def __init__(self, overlap: bool, most: int, limit: int, documents: int, returnable: tuple[Any, ...]) -> None: ...

class Search:
    skipped: int
    def __init__(self, documents: DocumentColumns) -> None: ...
    def first_results(
        self,
        postings: CachedPostings,
        impacts: NDArray[np.float32],
        query: CompiledQuery,
        context: PathContext,
        additions: Additions,
        table: ElementTable,
        selection: CompiledSelection,
        demands: Demands,
        admitted: Mask | None,
        rooms: tuple[int, int],
        few: int,
        together: int,
        roundings: tuple[float, float],
        deadline: float,
    ) -> tuple[Int32s, Results, tuple[int, int, bool]]: ...

def path_scores(
    depth: Int32s,
    s: Floats,
    around: Floats,
    head: Floats,
    tail: Floats,
    sums: Floats,
    middle: float,
    shared: bool,
    tail_wins: bool,
    own: bool,
    f: float,
) -> Floats: ...
def trix2005(kf: Ints, xi_c: Ints, xi_k: Ints, idf: float, v: float, b: float) -> Floats: ...
def bm25(kf: Ints, dl: Ints, avgdl: float, idf: float, k1: float, B: float) -> Floats: ...
def max_impacts(
    rows: Int32s, contents: Ints, v: float, b: float, share: float, unit: float, impacts: NDArray[np.float32]
) -> None: ...
