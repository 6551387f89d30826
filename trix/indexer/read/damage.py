"""Error translation for opened indexes: failures over damaged data become `IndexError_`.

Each page is verified when it is first read. If an operation fails for another reason, all checksums are verified to
find the cause. If they are right, data may still be wrong, by faulty memory or by design. Wrong numbers show as
impossible indices and sizes, which are reported as damage too.
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
"""Exceptions that wrong numbers raise when they are used as indices, sizes, or characters."""


def or_damaged(method: Callable[P, R]) -> Callable[P, R]:
    """Decorate a method of a class with `files` to raise `IndexError_` if it fails over damaged data."""

    @functools.wraps(method)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return method(*args, **kwargs)
        except TrixError:
            raise
        except Exception as error:
            _explain(error, getattr(args[0], "files", None))  # None during opening

    return guarded


def iterated_or_damaged(found: Iterator[T], of: object) -> Iterator[T]:
    """Wrap an iterator to raise `IndexError_` if it fails over damaged data; `of` has `files`."""
    try:
        yield from found
    except TrixError:
        raise
    except Exception as error:
        _explain(error, getattr(of, "files", None))


def _explain(error: Exception, files: IndexFiles | None) -> NoReturn:
    """Raise `IndexError_` if data is damaged, else the original error."""
    damaged = files.faults() if files is not None else []
    if damaged:
        raise IndexError_(f"{damaged[0]}; {REPAIR}") from None
    if files is None or not isinstance(error, OF_WRONG_NUMBERS):
        raise error
    # Checksums alone cannot distinguish wrong numbers from a bug of Trix: report the place, and keep the cause.
    what = " ".join(f"{_place(error)}{type(error).__name__}: {error}".split())
    where = f"{files.path}: damaged data with correct checksums, or a bug of Trix; run trix check"
    raise IndexError_(f"{where} ({what})") from error


def _place(error: BaseException) -> str:
    """Return the last line of Trix in the traceback of an error."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if "trix" in path.parts:
            place = f"{path.name}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return place
