"""Files at URLs, such as ``s3://bucket/articles``, by means of fsspec.

fsspec also handles access rights: keys come from the environment or from the configuration of the service's tools.
Answers of a service are bounded here, in time, so that no call hangs, and in bytes.
"""

from __future__ import annotations

import inspect
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from importlib.util import find_spec
from os import PathLike, fspath
from pathlib import Path
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from trix.errors import SourceError, TrixError, UsageError
from trix.support.extras import install_hint

if TYPE_CHECKING:
    from concurrent.futures import Future

_URL = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)

PATIENCE = "TRIX_URL_SECONDS"
"""Environment variable: seconds without data after which a service is given up."""

SLOWEST = 1 << 14
"""Lowest accepted transfer rate in bytes per second, beyond the time without data."""

SMALL = 1 << 29
"""Size in bytes of the largest file that is read at once, such as a commit."""

_SECONDS, _LOOK = 60.0, 0.2
_LISTINGS = 60
"""Factor of the time limit for listing a collection, which can need thousands of requests."""


class UrlFile(NamedTuple):
    """A file at a URL, with its size in bytes and the time of its last change in nanoseconds, 0 if unknown."""

    url: str
    size: int
    mtime_ns: int


class GivenUp(SourceError):
    """A service sends nothing, or too slowly."""


class TooManyBytes(SourceError):
    """A service sends more bytes than allowed."""


def is_url(place: str | bytes | PathLike[str]) -> bool:
    """Return whether a location is a URL.

    >>> is_url("s3://bucket/articles"), is_url("articles/a.xml"), is_url("C://x")
    (True, False, False)
    """
    return isinstance(place, str) and _URL.match(place) is not None


def files_below(url: str) -> list[UrlFile]:
    """Return the files below a URL, or the file itself, sorted by URL.

    Raises
    ------
    SourceError
        The files cannot be listed.
    """
    with _file_system(url, fresh=True) as service:
        service.call("exists", service.path)  # fails sooner than a listing if the service is silent
        found = service.call("find", service.path, detail=True, within=_LISTINGS * patience())
        return [
            UrlFile(service.system.unstrip_protocol(each), int(about.get("size") or 0), _time(about))
            for each, about in sorted(found.items())
            if about.get("type") == "file"
        ]


def names_in(url: str) -> list[str]:
    """Return the names of the files in a folder; an empty list if the folder is missing.

    Raises
    ------
    SourceError
        The files cannot be listed.
    """
    with _file_system(url, fresh=True) as service:
        try:
            return sorted(
                each.rstrip("/").rpartition("/")[2] for each in service.call("ls", service.path, detail=False)
            )
        except FileNotFoundError:
            return []


def read(url: str) -> bytes:
    """Read a small file.

    Raises
    ------
    FileNotFoundError
        The file is missing.
    SourceError
        The file cannot be read.
    """
    with _temporary_file() as copy:
        fetch(url, copy, SMALL, within=5 * patience())
        return copy.read_bytes()


@contextmanager
def opened(url: str, most: int) -> Iterator[IO[bytes]]:
    """Context manager that opens a temporary copy of a file for reading.

    Raises
    ------
    TooManyBytes
        The file has more than `most` bytes.
    SourceError
        The file cannot be read.
    """
    with _temporary_file() as copy:
        try:
            fetch(url, copy, most)
        except FileNotFoundError as error:
            raise _missing_file(url, error) from None
        with copy.open("rb") as file:
            yield file


def fetch(url: str, target: Path, most: int, within: float = math.inf) -> None:
    """Download a file.

    Parameters
    ----------
    url, target
        Source and target.
    most
        Largest number of bytes.
    within
        Time limit in seconds, if less than the limit for `most` bytes at the lowest rate.

    Raises
    ------
    FileNotFoundError
        The file is missing.
    TooManyBytes
        The service sends more than `most` bytes.
    SourceError
        The file cannot be read.
    """
    with _file_system(url, may_lack=True) as service:
        meter = _meter(url, target, most)
        try:
            service.call(
                "get_file", service.path, str(target), callback=meter, watch=meter.look,
                within=min(within, patience() + most / SLOWEST), **service.one_by_one("get_file"),
            )  # fmt: skip
            meter.look()
        finally:
            meter.ended = True


def put(source: Path, url: str) -> None:
    """Upload a file; in a bucket this is atomic.

    Raises
    ------
    SourceError
        The file cannot be written.
    """
    with _file_system(url) as service:
        service.make_folder()
        service.call("put_file", str(source), service.path, within=patience() + source.stat().st_size / SLOWEST)


def put_new(data: bytes, url: str) -> bool:
    """Write a small file unless it exists; return whether it was written.

    If the service supports it, only one of several concurrent writers succeeds.

    Raises
    ------
    SourceError
        The file cannot be written.
    """
    with _file_system(url, fresh=True) as service:
        service.make_folder()
        if service.call("exists", service.path):
            return False
        within = patience() + len(data) / SLOWEST
        try:
            service.call("pipe_file", service.path, data, mode="create", within=within)
        except FileExistsError:
            return False
        except (NotImplementedError, TypeError):  # the service does not support it
            service.call("pipe_file", service.path, data, within=within)
        return True


def remove(url: str) -> None:
    """Remove a file if it exists."""
    with _file_system(url) as service:
        try:
            service.call("rm_file", service.path)
        except FileNotFoundError:
            return


def joined(url: str, name: str) -> str:
    """Return the URL of a file in a folder.

    >>> joined("s3://bucket/my.index/", "lock")
    's3://bucket/my.index/lock'
    """
    return f"{fspath(url).rstrip('/')}/{name}"


def patience() -> float:
    """Return the number of seconds a service may be silent.

    Raises
    ------
    UsageError
        The environment variable is not a positive number.
    """
    stated = os.environ.get(PATIENCE) or str(_SECONDS)
    try:
        seconds = float(stated)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{PATIENCE}: {stated}: expected seconds, a number above 0")
    return seconds


class _Service:
    """A file system of fsspec with a URL and its path there."""

    def __init__(self, url: str, system: Any, path: str) -> None:
        self.url, self.system, self.path = url, system, path

    def make_folder(self) -> None:
        self.call("makedirs", self.path.rpartition("/")[0], exist_ok=True)

    def one_by_one(self, name: str) -> dict[str, Any]:
        """Return the argument that makes a method load parts one after another, so that progress is visible."""
        method = getattr(self.system, name)
        known = inspect.signature(getattr(method, "__wrapped__", method)).parameters
        return {"max_concurrency": 1} if "max_concurrency" in known else {}

    def call(
        self, name: str, *arguments: Any, within: float | None = None, watch: Callable[[], float] | None = None,
        **more: Any,
    ) -> Any:  # fmt: skip
        """Call a method of the file system with time limits.

        Parameters
        ----------
        within
            Time limit in seconds; if left out, the time that a service may be silent.
        watch
            Returns the time of the last data.

        Raises
        ------
        GivenUp
            The service was silent for too long, or too slow.
        """
        from concurrent.futures import wait

        limit = patience() if within is None else within
        silent = patience() if watch is not None or within is None else math.inf
        began = time.monotonic()
        future = self._begun(name, arguments, more)
        try:
            while not future.done():
                wait([future], _LOOK)
                now, last = time.monotonic(), began if watch is None else watch()
                if not future.done() and (now - last > silent or now - began > limit):
                    what = f"sent nothing for {silent:g} s" if now - last > silent else f"took more than {limit:g} s"
                    raise GivenUp(f"the service {what} and was given up; {PATIENCE} sets how long it may", self.url)
        except BaseException:
            future.cancel()
            raise
        return future.result()

    def _begun(self, name: str, arguments: tuple[Any, ...], more: dict[str, Any]) -> Future[Any]:
        method = getattr(self.system, name)
        if inspect.iscoroutinefunction(getattr(method, "__wrapped__", None)):  # fsspec would wait without limit
            import asyncio

            coroutine = getattr(self.system, f"_{name}")(*arguments, **more)
            return asyncio.run_coroutine_threadsafe(coroutine, self.system.loop)
        from concurrent.futures import Future

        future: Future[Any] = Future()

        def work() -> None:
            future.set_running_or_notify_cancel()
            try:
                future.set_result(method(*arguments, **more))
            except BaseException as error:
                future.set_exception(error)

        Thread(target=work, daemon=True).start()
        return future


def _meter(url: str, target: Path, most: int) -> Any:
    """Return a download callback that measures progress, and ends a download with too many bytes."""
    from fsspec.callbacks import Callback

    class Meter(Callback):  # type: ignore[misc, unused-ignore]
        reported, came, last, ended = 0, 0, time.monotonic(), False

        def relative_update(self, inc: int = 1) -> None:
            """Count received bytes; raise an error for a download that was given up."""
            self.reported += inc
            self._have(self.reported if not self.ended else most + 1)

        def look(self) -> float:
            """Return the time of the last data, also for services without progress reports."""
            with suppress(FileNotFoundError):
                self._have(target.stat().st_size)
            return self.last

        def _have(self, size: int) -> None:
            if size > most:
                raise TooManyBytes(f"the service sends more than {most:,} bytes", url)
            if size > self.came:
                self.came, self.last = size, time.monotonic()

    return Meter()


@contextmanager
def _temporary_file() -> Iterator[Path]:
    """Context manager with a temporary file."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix="trix-")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _service(url: str, fresh: bool) -> _Service:
    """Return the file system of a URL; `fresh` drops its cached listings."""
    if find_spec("fsspec") is None:
        raise UsageError(f"{url}: URLs need fsspec: {install_hint('cloud')}")
    from fsspec.core import url_to_fs

    try:
        system, path = url_to_fs(url)
    except ImportError as error:
        raise UsageError(f"{url}: {error}; the extra cloud has what s3 needs: {install_hint('cloud')}") from None
    except ValueError as error:
        raise UsageError(f"{url}: {error}") from None
    if fresh:
        system.invalidate_cache()
    return _Service(url, system, path)


@contextmanager
def _file_system(url: str, *, may_lack: bool = False, fresh: bool = False) -> Iterator[_Service]:
    """Context manager with the file system of a URL; errors are SourceErrors, except missing files if `may_lack`."""
    try:
        yield _service(url, fresh)
    except TrixError:
        raise
    except FileNotFoundError as error:
        if may_lack:
            raise
        raise _missing_file(url, error) from None
    except Exception as error:  # each library that fsspec uses has its own errors
        why = " ".join(str(error).split()) or type(error).__name__
        raise SourceError(f"cannot be read or written: {why}", url) from None


def _missing_file(url: str, error: FileNotFoundError) -> SourceError:
    return SourceError(f"no such file or folder: {' '.join(str(error).split())}", url)


def _time(about: dict[str, Any]) -> int:
    """Return the time of the last change in nanoseconds, 0 if the service does not report it."""
    stated = next((about[name] for name in ("LastModified", "mtime", "updated", "last_modified") if about.get(name)), 0)
    seconds = stated.timestamp() if isinstance(stated, datetime) else stated
    return int(seconds * 1e9) if isinstance(seconds, int | float) else 0
