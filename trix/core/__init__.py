"""Compiled kernels: the loops in which a search or a build spends its time (Cython in pure-Python mode).

Each module holds the loops of one folder, which imports it. Arrays and numbers go in, arrays and numbers come out, and
nothing is read from disk. Long loops release the interpreter's lock. Damaged data raise IndexError here, which callers
turn into the error of a damaged index.

The modules are extensions: a wheel has no sources of them, and a checkout builds them when it is installed. With
``TRIX_UNCOMPILED=1`` their sources run as Python, several hundred times slower, which tests use.
"""

from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path

from trix.errors import IndexError_, TrixError

UNCOMPILED = "TRIX_UNCOMPILED"
"""Environment variable: ``1`` runs the sources, which needs a checkout and the package Cython."""

_FOLDER = Path(__file__).parent


class _Sources:
    """Import finder that prefers this package's sources to its extensions."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        room, _, module = name.rpartition(".")
        source = _FOLDER / f"{module}.py"
        return spec_from_file_location(name, source) if room == __name__ and source.is_file() else None


def _missing() -> list[str]:
    """Return the modules that have a source and no extension."""
    files = os.listdir(_FOLDER)
    built = {file.removesuffix(suffix) for file in files for suffix in EXTENSION_SUFFIXES if file.endswith(suffix)}
    sources = {file.removesuffix(".py") for file in files if file.endswith(".py")} - {"__init__"}
    return sorted(sources - built)


if os.environ.get(UNCOMPILED) == "1":
    sys.meta_path.insert(0, _Sources)
elif _missing():
    missing = ", ".join(_missing())
    raise TrixError(f"{_FOLDER}: {missing} is not compiled: run pip install . (or scripts/demo) in the checkout")


class damage_in:
    """Context manager that turns what kernels raise on damaged data into the error of a damaged index.

    >>> with damage_in("a posting list"):
    ...     raise IndexError("out of bounds")
    Traceback (most recent call last):
    trix.errors.IndexError_: a posting list is damaged
    """

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> None:
        if kind is not None and issubclass(kind, (IndexError, ValueError, OverflowError, MemoryError)):
            raise IndexError_(f"{self._what} is damaged") from None
