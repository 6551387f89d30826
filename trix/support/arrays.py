"""Array types by element type."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
"""Whole numbers of any width; files store the narrowest sufficient one."""

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
