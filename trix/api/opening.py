"""Opening an index: `trix.open`."""

from __future__ import annotations

from os import PathLike

from trix.api.index import Index


def open_index(path: str | PathLike[str], backend: str = "auto") -> Index:
    """Open the index in the folder `path`; for `backend` see `Index`.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged.
    """
    return Index(path, backend)
