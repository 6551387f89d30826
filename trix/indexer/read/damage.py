"""What holds for every entrance into an open index: it says that it is damaged.

Each page is verified where it is first read. Should anything else go wrong, all checksums are asked for the reason.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from trix.errors import IndexError_, TrixError
from trix.indexer.commit.commit import REPAIR
from trix.indexer.store.files import IndexFiles

P = ParamSpec("P")
R = TypeVar("R")


def or_damaged(method: Callable[P, R]) -> Callable[P, R]:
    """Let a method of something with `files` raise `IndexError_` where it fails over a damaged file."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except TrixError:
            raise
        except Exception:
            files: IndexFiles | None = getattr(args[0], "files", None)  # None while it is being opened
            damaged = files.faults() if files is not None else []
            if not damaged:
                raise
            raise IndexError_(f"{damaged[0]}; {REPAIR}") from None

    return guarded
