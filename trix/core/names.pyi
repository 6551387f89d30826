from numpy import uint8
from numpy.typing import NDArray

from trix.support.arrays import Int32s, Int64s

def write_labels(elements: Int32s, documents: Int64s, rows: Int32s, position: Int32s) -> NDArray[uint8]: ...
def write_paths(
    elements: Int32s, rows: Int32s, step: Int32s, same: Int32s, names: NDArray[uint8], ends: Int64s
) -> NDArray[uint8]: ...
def write_addresses(
    elements: Int32s,
    first_elements: Int64s,
    first_of_blocks: Int64s,
    is_there: NDArray[uint8],
    rows: Int32s,
    step: Int32s,
    same: Int32s,
    names: NDArray[uint8],
    ends: Int64s,
) -> tuple[Int64s, NDArray[uint8] | None]: ...
