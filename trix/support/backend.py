"""Choose between the numpy functions and their numba twins.

Both give the same bits. Numba pays in a process that answers many queries; a process that answers
one would spend more on importing it (0.3 s) than it could win back, so it has to be asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar, cast

from trix.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "TRIX_KERNELS"
"""Environment variable: ``numba``, ``numpy`` or ``auto`` (default)."""

_preferred = False


def prefer_numba(on: bool = True) -> None:
    """Say that this process will answer many queries, so that ``auto`` means numba where it is installed."""
    global _preferred
    _preferred = on


def use_numba() -> bool:
    """Tell whether the compiled twins are to be used.

    Returns
    -------
    bool
        As the environment variable says; with ``auto``, true when numba is installed and either has been
        imported already or was asked for with :func:`prefer_numba`.

    Raises
    ------
    UsageError
        If the variable holds another word.
    """
    mode = os.environ.get(VARIABLE, "auto")
    if mode == "auto":
        return (_preferred or "numba" in sys.modules) and _installed()
    if mode == "numba":
        if not _installed():
            raise UsageError(f"{VARIABLE}=numba, but numba is not installed; install it or set {VARIABLE}=numpy")
        return True
    if mode == "numpy":
        return False
    raise UsageError(f"{VARIABLE}={mode!r} is unknown; expected numba, numpy or auto")


@cache
def _installed() -> bool:
    return "numba" in sys.modules or find_spec("numba") is not None


@contextmanager
def without_blas() -> Iterator[None]:
    """Keep numba, should it be loaded meanwhile, from looking for scipy's BLAS, which takes half of its start.

    No loop of ours multiplies matrices; but numba refuses to in this process from then on, so this is for commands.
    """
    blas = "scipy.linalg.cython_blas"
    hidden = blas not in sys.modules
    if hidden:
        cast(dict[str, Any], sys.modules)[blas] = None  # importing it fails
    try:
        yield
    finally:
        if hidden:
            del sys.modules[blas]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and keep the machine code on disk where a place for it is writable.

    Fast-math stays off: reordered sums would not equal those of the numpy twin.
    """
    import numba

    try:
        compiled = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba finds no writable cache folder
        compiled = numba.njit(nogil=True)(function)
    return cast(Callable[P, R], compiled)
