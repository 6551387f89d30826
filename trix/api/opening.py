"""Opening an index: `trix.open`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from trix.api.index import Index


def open_index(path: str | PathLike[str] | Sequence[str | PathLike[str]], backend: str = "auto") -> Index:
    """Open the index in the folder `path`, or several as one collection; for `path` and `backend` see `Index`.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged, or the settings of several differ.
    """
    return Index(path, backend)
