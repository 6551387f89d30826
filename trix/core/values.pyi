import numpy as np
from numpy.typing import NDArray

from trix.support.arrays import Ints

def encode_segments(
    codes: NDArray[np.uint32], borders: Ints, blanks: Ints, white: Ints, short: int
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]: ...
