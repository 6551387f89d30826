"""Choose between the numpy functions and their numba twins.

Both give the same bits. Numba pays for who answers many queries; who answers one would spend more on importing it
(0.3 s) than it could win back. So each who works, an open index, a build, an evaluation, has a `Backend` of its own
that decides for what is called under it, and for nobody else. The public entrances put it in force for the time of a
call (`using`); the functions that have two forms ask it (`use_numba`). Threads that are started within a call are
given it with `adopt`.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from typing import Any, Literal, ParamSpec, TypeVar, cast

from trix.errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")

VARIABLE = "TRIX_KERNELS"
"""Environment variable: ``numba``, ``numpy`` or ``auto`` (default); what `auto` means."""

BACKENDS = ("auto", "numpy", "numba")

PATIENCE = 0.3
"""Seconds of plain work, estimated and added up, after which the compiled form is loaded."""


class Backend:
    """The decision of one who works.

    Parameters
    ----------
    asked
        ``numpy`` or ``numba``; with ``auto`` as the environment variable says, and if that says nothing, numpy until
        the compiled loops pay (`prefer_numba`, `worked`), then numba where it is installed.

    Raises
    ------
    UsageError
        It is none of these, or numba is not installed.

    Examples
    --------
    >>> mine, other = Backend("numpy"), Backend("auto")
    >>> with using(mine):
    ...     use_numba()
    False
    >>> other.prefer_numba()  # says nothing to mine
    >>> mine.compiled
    False
    """

    def __init__(self, asked: str = "auto") -> None:
        if asked not in BACKENDS:
            raise UsageError(f"backend {asked!r} is unknown; expected {', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}")
        if asked == "numba" and not _installed():
            raise UsageError("backend 'numba': numba is not installed; install it, or take 'numpy' or 'auto'")
        self.asked = asked
        self._pays = False
        self._plain_seconds = 0.0

    def __repr__(self) -> str:
        return f"<Backend {self.asked}>"

    def prefer_numba(self) -> None:
        """Say that there is much to do, so that ``auto`` means numba where it is installed."""
        self._pays = True

    def worked(self, seconds: float) -> None:
        """Say that plain work was done that would have been quicker compiled; after `PATIENCE` numba is preferred."""
        self._plain_seconds += seconds
        if self._plain_seconds > PATIENCE:
            self._pays = True

    @property
    def may_compile(self) -> bool:
        """Whether numba will be preferred when it is said to pay, and is not yet."""
        return self.asked == "auto" and os.environ.get(VARIABLE, "auto") == "auto" and not self._pays and _installed()

    @property
    def compiled(self) -> bool:
        """Whether the compiled twins are to be used.

        Raises
        ------
        UsageError
            The environment variable holds an unknown word, or asks for numba where it is not installed.
        """
        if self.asked != "auto":
            return self.asked == "numba"
        mode = os.environ.get(VARIABLE, "auto")
        if mode == "auto":
            return self._pays and _installed()
        if mode == "numba":
            if not _installed():
                raise UsageError(f"{VARIABLE}=numba, but numba is not installed; install it or set {VARIABLE}=numpy")
            return True
        if mode == "numpy":
            return False
        raise UsageError(f"{VARIABLE}={mode!r} is unknown; expected numba, numpy or auto")


_NOBODYS = Backend()
"""What holds where nobody has said anything: as the environment variable says. It is never told to prefer."""

_in_force: ContextVar[Backend | None] = ContextVar("trix_backend", default=None)


def current() -> Backend | None:
    """Return the backend in force; None where none is."""
    return _in_force.get()


def adopt(backend: Backend | None) -> None:
    """Put a backend in force in this thread or process from here on: for those that are started within a call.

    ``ThreadPoolExecutor(jobs, initializer=adopt, initargs=(current(),))``
    """
    _in_force.set(backend)


class using:
    """Put a backend in force for the time of a call, in this thread alone; not around the ``yield`` of a generator."""

    __slots__ = ("_backend", "_before")

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __enter__(self) -> Backend:
        self._before = _in_force.set(self._backend)
        return self._backend

    def __exit__(self, *_: object) -> None:
        _in_force.reset(self._before)


def with_backend(function: Callable[P, R]) -> Callable[P, R]:
    """Let each call of a function have a backend of its own, unless it is called under one."""

    @functools.wraps(function)
    def scoped(*args: P.args, **kwargs: P.kwargs) -> R:
        with using(_in_force.get() or Backend()):
            return function(*args, **kwargs)

    return scoped


def use_numba() -> bool:
    """Tell whether the compiled twins are to be used: as the backend in force says, see `Backend.compiled`."""
    return (_in_force.get() or _NOBODYS).compiled


def prefer_numba() -> None:
    """Tell the backend in force that there is much to do; where none is, nobody remembers it."""
    backend = _in_force.get()
    if backend is not None:
        backend.prefer_numba()


@cache
def _installed() -> bool:
    return "numba" in sys.modules or find_spec("numba") is not None


@contextmanager
def without_blas() -> Iterator[None]:
    """Keep numba, should it be loaded meanwhile, from looking for scipy's BLAS, which takes half of its start.

    No loop of ours multiplies matrices; but numba refuses to in this process from then on, so this is for commands.
    Nor does it tell a coverage tool of its lines that has not begun by now.
    """
    hidden = [name for name in ("scipy.linalg.cython_blas", "coverage") if name not in sys.modules]
    cast(dict[str, Any], sys.modules).update(dict.fromkeys(hidden))  # importing them fails
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and keep the machine code on disk where a place for it is writable.

    Fast-math stays off: reordered sums would not equal those of the numpy twin.
    """
    return _compiled(function)


def inner_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function into those that call it: for what inner loops call with arrays.

    Each array that is handed over to a function is counted twice, which costs more than a few lines do; and a dozen of
    them more than all that is done for one document.
    """
    return _compiled(function, "always")


def _compiled(function: Callable[P, R], inline: Literal["never", "always"] = "never") -> Callable[P, R]:
    import numba

    try:
        compiled = numba.njit(cache=True, nogil=True, inline=inline)(function)
    except RuntimeError:  # numba finds no writable cache folder
        compiled = numba.njit(nogil=True, inline=inline)(function)
    else:
        _load_quickly(compiled)
    return cast(Callable[P, R], compiled)


# How numba keeps machine code is its own affair, and may change: where something is not as expected, nothing is told,
# and numba's own way is taken.


def is_on_disk(compiled: Any) -> bool:
    """Return whether machine code of a compiled function is kept; also where that cannot be told."""
    try:
        return bool(compiled._cache._cache_file._load_index())
    except Exception:
        return True


def _load_quickly(compiled: Any) -> None:
    """Let machine code of a compiled function be looked for before numba is made ready to compile, half of its start.

    Parameters
    ----------
    compiled
        A function that numba keeps on disk.
    """
    try:
        compiled._cache = _cache_class()(compiled.py_func)
    except Exception:
        return


@cache
def _cache_class() -> Any:
    from numba.core.caching import FunctionCache
    from numba.core.runtime import rtsys

    own: Any = FunctionCache

    class Cache(own):  # type: ignore[misc]
        def load_overload(self, sig: Any, target_context: Any) -> Any:
            try:
                rtsys.initialize(target_context)  # all that machine code needs
                found = self._load_overload(sig, target_context)
            except Exception:  # a file that cannot be read, too: numba knows what is to be borne
                found = None
            return found or super().load_overload(sig, target_context)

    return Cache
