"""Which of two equal implementations runs: numba's compiled loops or their numpy twins.

The kernels are quicker once they are loaded, but importing numba costs a third of a second. So a process that answers
one query never loads it, and one that builds an index or answers many queries does. The environment variable
``TRIX_KERNELS`` decides against that: ``numba``, ``numpy``, or ``auto`` (the default).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, TypeVar

from trix.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

_preferred = False


def prefer_numba(prefer: bool = True) -> None:
    """Say that this process does enough work for numba's import to pay."""
    global _preferred
    _preferred = prefer


@lru_cache(maxsize=1)
def _installed() -> bool:
    return find_spec("numba") is not None


def use_numba() -> bool:
    """Tell whether the compiled kernels are to be used now.

    Raises
    ------
    UsageError
        ``TRIX_KERNELS`` is none of the three words.
    """
    choice = os.environ.get("TRIX_KERNELS", "auto")
    if choice == "auto":
        return _preferred and _installed()
    if choice not in ("numba", "numpy"):
        raise UsageError(f"TRIX_KERNELS={choice}: expected numba, numpy or auto")
    return choice == "numba"


def jit(function: F) -> F:
    """Compile a function on its first call and keep the machine code between processes where that is possible."""
    import numba

    try:
        compiled: F = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # no folder for the cache can be written
        compiled = numba.njit(nogil=True)(function)
    return compiled
