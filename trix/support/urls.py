"""Places that are named by URLs, as ``s3://bucket/articles``: the library fsspec reads and writes them.

Who may do so is its business, too: keys come from the environment or from the files of the service's own tools. What
a service sends is bounded here: in time, since one that is silent would be waited for, and in bytes.
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
"""Environment variable: seconds after which a service that sends nothing is given up."""

SLOWEST = 1 << 14
"""Bytes a second that are expected of a service at least, beyond the time that it may be silent."""

SMALL = 1 << 29
"""Bytes of the largest file that is read at once, as a commit."""

_SECONDS, _LOOK = 60.0, 0.2
_LISTINGS = 60
"""How many times as long a collection may take to be listed, which can be thousands of requests."""


class UrlFile(NamedTuple):
    """A file at a URL: its bytes, and the time of its last change in nanoseconds, 0 where nobody says."""

    url: str
    size: int
    mtime_ns: int


class GivenUp(SourceError):
    """A service sends nothing, or too slowly, and is not waited for any longer."""


class TooManyBytes(SourceError):
    """A service sends more than a file may have."""


def is_url(place: str | bytes | PathLike[str]) -> bool:
    """Whether a place is named by a URL.

    >>> is_url("s3://bucket/articles"), is_url("articles/a.xml"), is_url("C://x")
    (True, False, False)
    """
    return isinstance(place, str) and _URL.match(place) is not None


def files_below(url: str) -> list[UrlFile]:
    """Return the files below a URL, or the file that it is, sorted by their URLs.

    Raises
    ------
    SourceError
        They cannot be listed.
    """
    with _told(url, fresh=True) as service:
        service.call("exists", service.path)  # which is waited for less long, if nobody answers
        found = service.call("find", service.path, detail=True, within=_LISTINGS * patience())
        return [
            UrlFile(service.system.unstrip_protocol(each), int(about.get("size") or 0), _time(about))
            for each, about in sorted(found.items())
            if about.get("type") == "file"
        ]


def names_in(url: str) -> list[str]:
    """Return the names of the files in a folder; none where there is no such folder.

    Raises
    ------
    SourceError
        They cannot be listed.
    """
    with _told(url, fresh=True) as service:
        try:
            return sorted(
                each.rstrip("/").rpartition("/")[2] for each in service.call("ls", service.path, detail=False)
            )
        except FileNotFoundError:
            return []


def read(url: str) -> bytes:
    """Return the bytes of a small file.

    Raises
    ------
    FileNotFoundError
        It is not there.
    SourceError
        It cannot be read.
    """
    with _aside() as copy:
        fetch(url, copy, SMALL, within=5 * patience())
        return copy.read_bytes()


@contextmanager
def opened(url: str, most: int) -> Iterator[IO[bytes]]:
    """Open a copy of a file for reading, for the time of a block.

    Raises
    ------
    TooManyBytes
        It has more than `most`.
    SourceError
        It cannot be read.
    """
    with _aside() as copy:
        try:
            fetch(url, copy, most)
        except FileNotFoundError as error:
            raise _lacks(url, error) from None
        with copy.open("rb") as file:
            yield file


def fetch(url: str, target: Path, most: int, within: float = math.inf) -> None:
    """Copy a file to this machine.

    Parameters
    ----------
    url, target
        From where, and to which file.
    most
        Bytes that it may have.
    within
        Seconds that it may take, if that is less than a slow service needs for so many bytes.

    Raises
    ------
    FileNotFoundError
        It is not there.
    TooManyBytes
        The service sends more.
    SourceError
        It cannot be read.
    """
    with _told(url, may_lack=True) as service:
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
    """Copy a file from this machine; in a bucket it is there whole or not at all.

    Raises
    ------
    SourceError
        It cannot be written.
    """
    with _told(url) as service:
        service.make_folder()
        service.call("put_file", str(source), service.path, within=patience() + source.stat().st_size / SLOWEST)


def put_new(data: bytes, url: str) -> bool:
    """Write a small file where there is none yet; return whether there was none.

    Where a service can make sure of it, of several that do it at a time one alone succeeds.

    Raises
    ------
    SourceError
        It cannot be written.
    """
    with _told(url, fresh=True) as service:
        service.make_folder()
        if service.call("exists", service.path):
            return False
        within = patience() + len(data) / SLOWEST
        try:
            service.call("pipe_file", service.path, data, mode="create", within=within)
        except FileExistsError:
            return False
        except (NotImplementedError, TypeError):  # a service that cannot
            service.call("pipe_file", service.path, data, within=within)
        return True


def remove(url: str) -> None:
    """Remove a file that may be there."""
    with _told(url) as service:
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
    """Return how many seconds a service may be silent.

    Raises
    ------
    UsageError
        The environment variable says something else.
    """
    said = os.environ.get(PATIENCE) or str(_SECONDS)
    try:
        seconds = float(said)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise UsageError(f"{PATIENCE}: {said}: expected seconds, a number above 0")
    return seconds


class _Service:
    """What reads and writes a URL, and the path there."""

    def __init__(self, url: str, system: Any, path: str) -> None:
        self.url, self.system, self.path = url, system, path

    def make_folder(self) -> None:
        self.call("makedirs", self.path.rpartition("/")[0], exist_ok=True)

    def one_by_one(self, name: str) -> dict[str, Any]:
        """Return the argument by which a method loads one part after another, so that each is measured as it comes."""
        method = getattr(self.system, name)
        known = inspect.signature(getattr(method, "__wrapped__", method)).parameters
        return {"max_concurrency": 1} if "max_concurrency" in known else {}

    def call(
        self, name: str, *arguments: Any, within: float | None = None, watch: Callable[[], float] | None = None,
        **more: Any,
    ) -> Any:  # fmt: skip
        """Call a method.

        Parameters
        ----------
        within
            Seconds that it may take; as many as a service may be silent, if left out.
        watch
            Returns when something came last.

        Raises
        ------
        GivenUp
            The service was silent for too long, or is too slow.
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
        if inspect.iscoroutinefunction(getattr(method, "__wrapped__", None)):  # fsspec waits for it without end
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
    """Return what a download tells of its progress, and which ends it where more comes than may."""
    from fsspec.callbacks import Callback

    class Meter(Callback):  # type: ignore[misc, unused-ignore]
        told, came, last, ended = 0, 0, time.monotonic(), False

        def relative_update(self, inc: int = 1) -> None:
            """Take note of bytes that came; a download that was given up ends here."""
            self.told += inc
            self._have(self.told if not self.ended else most + 1)

        def look(self) -> float:
            """Return when bytes came last, also from services that do not tell."""
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
def _aside() -> Iterator[Path]:
    """Give a file for the time of a block."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix="trix-")
    os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _service(url: str, fresh: bool) -> _Service:
    """Return what reads a URL; `fresh` forgets what was listed before."""
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
def _told(url: str, *, may_lack: bool = False, fresh: bool = False) -> Iterator[_Service]:
    """Give what reads a URL, and say in one line what is wrong; that a file `may_lack` is for the caller."""
    try:
        yield _service(url, fresh)
    except TrixError:
        raise
    except FileNotFoundError as error:
        if may_lack:
            raise
        raise _lacks(url, error) from None
    except Exception as error:  # each library of fsspec has errors of its own
        why = " ".join(str(error).split()) or type(error).__name__
        raise SourceError(f"cannot be read or written: {why}", url) from None


def _lacks(url: str, error: FileNotFoundError) -> SourceError:
    return SourceError(f"no such file or folder: {' '.join(str(error).split())}", url)


def _time(about: dict[str, Any]) -> int:
    """Return the time of the last change in nanoseconds, as far as a service tells."""
    said = next((about[name] for name in ("LastModified", "mtime", "updated", "last_modified") if about.get(name)), 0)
    seconds = said.timestamp() if isinstance(said, datetime) else said
    return int(seconds * 1e9) if isinstance(seconds, int | float) else 0
