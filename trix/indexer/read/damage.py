"""What holds for every entrance into an open index: it says that it is damaged.

Each page is verified where it is first read. Should anything else go wrong, all checksums are asked for the reason.
Where they hold, numbers that are wrong all the same (memory that failed, an index that was made so) show as places and
sizes that cannot be: they are the error of a damaged index, too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar

from trix.errors import IndexError_, TrixError
from trix.indexer.commit.commit import REPAIR
from trix.indexer.store.files import IndexFiles

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

OF_WRONG_NUMBERS = (LookupError, ValueError, ArithmeticError, MemoryError)
"""What numbers that were read raise if they are wrong, where they are used as places, sizes, or characters."""


def or_damaged(method: Callable[P, R]) -> Callable[P, R]:
    """Let a method of something with `files` raise `IndexError_` where it fails over damaged data."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except TrixError:
            raise
        except Exception as error:
            _explain(error, getattr(args[0], "files", None))  # None while it is being opened

    return guarded


def iterated_or_damaged(found: Iterator[T], of: object) -> Iterator[T]:
    """Yield what an iterator gives; raise `IndexError_` where it fails over damaged data of something with `files`."""
    try:
        yield from found
    except TrixError:
        raise
    except Exception as error:
        _explain(error, getattr(of, "files", None))


def _explain(error: Exception, files: IndexFiles | None) -> NoReturn:
    """Raise the error of a damaged index where there is one to blame, else the error as it is."""
    damaged = files.faults() if files is not None else []
    if damaged:
        raise IndexError_(f"{damaged[0]}; {REPAIR}") from None
    if files is None or not isinstance(error, OF_WRONG_NUMBERS):
        raise error
    # Nothing but the checksums tells wrong numbers from a fault of Trix: the line says where, and the cause is kept.
    what = " ".join(f"{_place(error)}{type(error).__name__}: {error}".split())
    where = f"{files.path}: damaged data behind sound checksums, or a fault of Trix"
    raise IndexError_(f"{where} ({what})") from error


def _place(error: BaseException) -> str:
    """Return the last place in Trix that an error passed."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if "trix" in path.parts:
            place = f"{path.name}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return place
