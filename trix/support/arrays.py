"""Types of arrays, by what their numbers are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[Any]
"""Whole numbers of any width: those of files are as narrow as they can be."""

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
