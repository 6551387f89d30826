"""Connections to clusters: an address, or processes of this machine."""

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
"""Address of local processes, which other machines cannot reach."""

SECONDS = 30
"""Seconds to wait for a scheduler and its first worker."""

_LOCAL = re.compile(r"local(?::([1-9]\d*))?")
_ADDRESS = re.compile(r"(?:tcp|tls|ucx|ws|wss)://.+:\d+")
_EXPECTED = "expected the address of a scheduler, as tcp://HOST:8786, or local, or local:N for N processes"


def library() -> Any:
    """Import and return `dask.distributed`.

    Raises
    ------
    UsageError
        `dask.distributed` is not installed.
    """
    if find_spec("distributed") is None:
        raise UsageError(f"clusters need dask.distributed: {install_hint('dask')}")
    import distributed

    return distributed


@contextmanager
def connected(place: str) -> Iterator[Any]:
    """Context manager with a client of a cluster; processes started for it end with the block.

    Parameters
    ----------
    place
        Address of a scheduler; ``local`` for one local process per processor, ``local:N`` for N.

    Raises
    ------
    UsageError
        The address is wrong or does not answer, or Dask is not installed.
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
    """Return a cluster of local processes, which cannot be reached from other machines.

    Dask opens an HTTP port for each in any case; without dashboard and logs it serves nothing.
    """
    import dask

    silent: dict[str, list[str]] = {f"distributed.{of}.http.routes": [] for of in ("scheduler", "worker")}
    with dask.config.set(silent):
        return library().LocalCluster(
            n_workers=count, threads_per_worker=1, processes=True, silence_logs="CRITICAL", host=LOOPBACK,
            dashboard_address=f"{LOOPBACK}:0", scheduler_kwargs={"dashboard": False},
        )  # fmt: skip


def await_workers(client: Any) -> int:
    """Wait for a worker; return the number of tasks that all workers can do at a time.

    Raises
    ------
    UsageError
        No worker came.
    """
    try:
        client.wait_for_workers(1, timeout=SECONDS)
    except (TimeoutError, OSError):
        where = client.scheduler.address if client.scheduler is not None else "the scheduler"
        raise UsageError(f"{where} has no workers; start some: dask worker {where}") from None
    return sum(client.nthreads().values())


def workers(client: Any) -> list[str]:
    return sorted(client.nthreads())
