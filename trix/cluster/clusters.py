"""Clusters: an address, or processes of this machine, and the library that makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from trix.errors import UsageError
from trix.support.extras import install_hint
from trix.support.pool import processors

LOOPBACK = "127.0.0.1"
"""Where processes of this machine listen, all of them: nobody else has business with them."""

SECONDS = 30
"""How long a scheduler, and its first worker, are waited for."""

_LOCAL = re.compile(r"local(?::([1-9]\d*))?")
_ADDRESS = re.compile(r"(?:tcp|tls|ucx|ws|wss)://.+:\d+")
_EXPECTED = "expected the address of a scheduler, as tcp://HOST:8786, or local, or local:N for N processes"


def library() -> Any:
    """Return `dask.distributed`.

    Raises
    ------
    UsageError
        It is not installed.
    """
    if find_spec("distributed") is None:
        raise UsageError(f"clusters need dask.distributed: {install_hint('dask')}")
    import distributed

    return distributed


@contextmanager
def connected(place: str) -> Iterator[Any]:
    """Give a client of a cluster for the time of a block; processes that were started for it end with the block.

    Parameters
    ----------
    place
        The address of a scheduler; ``local`` for as many processes of this machine as it has processors, ``local:N``
        for N.

    Raises
    ------
    UsageError
        It is neither, nobody answers there, or Dask is not installed.
    """
    local = _LOCAL.fullmatch(place)
    if local is None and not _ADDRESS.fullmatch(place):
        raise UsageError(_EXPECTED, field="dask", got=place)
    dask = library()
    if local is None:
        try:
            client = dask.Client(place, timeout=SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            why = f"no scheduler answers there: {' '.join(str(error).split()) or type(error).__name__}"
            raise UsageError(why, field="dask", got=place) from None
        with client:
            await_workers(client)
            yield client
        return
    with _local(int(local[1] or processors())) as cluster, dask.Client(cluster, set_as_default=False) as client:
        yield client


def _local(count: int) -> Any:
    """Return a cluster of processes of this machine, none of which can be reached from another one.

    Each has a port for HTTP, which Dask opens in any case; nothing is served there, neither a dashboard nor logs.
    """
    import dask

    silent: dict[str, list[str]] = {f"distributed.{of}.http.routes": [] for of in ("scheduler", "worker")}
    with dask.config.set(silent):
        return library().LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, silence_logs="CRITICAL", host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0", scheduler_kwargs={"dashboard": False},
        )  # fmt: skip


def await_workers(client: Any) -> int:
    """Wait until there is a worker; return how many tasks all of them can do at a time.

    Raises
    ------
    UsageError
        None came.
    """
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except (TimeoutError, OSError):
        where = client.scheduler.address if client.scheduler is not None else "the scheduler"
        raise UsageError(f"{where} has no workers; start some: dask worker {where}") from None
    return sum(client.nthreads().values())


def workers(client: Any) -> list[str]:
    """Return the addresses of the workers, sorted."""
    return sorted(client.nthreads())
