"""What holds for every entrance into an open index: its backend is in force, and it says that it is damaged.

Checksums are too slow to be verified whenever an index is opened; so they are asked when an answer cannot be given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from trix.errors import IndexError_, TrixError
from trix.indexer.store.files import IndexFiles
from trix.support import backend

P = ParamSpec("P")
R = TypeVar("R")


def or_damaged(method: Callable[P, R]) -> Callable[P, R]:
    """Let a method of something with `files` work under the backend of these files.

    It raises `IndexError_` where it fails over a damaged file.
    """

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        files: IndexFiles | None = getattr(args[0], "files", None)
        try:
            if files is None:  # while it is being opened
                return method(*args, **kwargs)
            with backend.using(files.backend):
                return method(*args, **kwargs)
        except TrixError:
            raise
        except Exception:
            files = getattr(args[0], "files", None)
            damaged = files.damaged() if files is not None else []
            if files is None or not damaged:
                raise
            raise IndexError_(f"{files.path / damaged[0]}: the file is damaged; build the index anew") from None

    return guarded
