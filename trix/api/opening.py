"""Opening an index: `trix.open`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from os import PathLike
from typing import Any

from trix.api.index import Index


def open_index(path: str | PathLike[str] | Sequence[str | PathLike[str]], client: Any = None) -> Index:
    """Open an index.

    Parameters
    ----------
    path
        The folder, or several as one collection; see `Index`.
    client
        A `dask.distributed.Client`: its workers, which see the folder too, hold parts of the index open and search
        them. Answers are those of one machine.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged, or the settings of several differ.
    """
    if client is None:
        return Index(path)
    from trix.api.distributed import DistributedAnswers

    return Index(path, partial(DistributedAnswers, client=client))
