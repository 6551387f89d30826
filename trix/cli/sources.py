"""Options and messages of the commands that read sources: `trix index`, `add`, `update`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from trix.cli.messages import one_line, say, say_notices, shortened
from trix.cli.options import read_option
from trix.support.setting_types import Size, Whole

SKIPPED_SHOWN, NOTICES_SHOWN = 20, 10

Glob = Annotated[
    list[str] | None,
    typer.Option(
        "--glob",
        metavar="PATTERN",
        help="Read matching files instead of *.xml, *.dita, *.tei, *.xhtml and the like; repeatable",
    ),
]
Jobs = Annotated[str | None, typer.Option("--jobs", "-j", metavar="N", help="Worker processes [default: all cores]")]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS|local|local:N",
        help="Work on a Dask cluster, as tcp://HOST:8786",
        rich_help_panel="Workers",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad file instead of skipping it")]
MaxElements = Annotated[
    str | None,
    typer.Option(
        "--max-elements",
        metavar="N",
        help="Skip files with more elements and attributes [default: 2000000]",
        rich_help_panel="Large and damaged files",
    ),
]
MaxBytes = Annotated[
    str | None,
    typer.Option(
        "--max-bytes",
        metavar="SIZE",
        help="Skip larger files, as 300M [default: 100M]",
        rich_help_panel="Large and damaged files",
    ),
]
Recover = Annotated[
    bool,
    typer.Option(
        "--recover",
        help="Repair files that are not well-formed instead of skipping them",
        rich_help_panel="Large and damaged files",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Hide progress and summary")]


def workers(jobs: str | None) -> int | None:
    """Return the number of processes; None for one for each core."""
    return None if jobs is None else int(read_option("--jobs", jobs, Whole()))


def limits(max_elements: str | None, max_bytes: str | None) -> dict[str, Any]:
    """Parse the limits on the size of a document for `trix.build` and `trix.write`; None means the default."""
    return {
        "max_elements": None if max_elements is None else read_option("--max-elements", max_elements, Whole()),
        "max_bytes": None if max_bytes is None else read_option("--max-bytes", max_bytes, Size()),
    }


@contextmanager
def cluster(dask: str | None) -> Iterator[Any]:
    """Connect to a Dask cluster for the time of a block; yield None without an address."""
    if dask is None:
        yield None
        return
    from trix.cluster.clusters import connected

    with connected(dask) as client:
        yield client


def by_files(bar: Callable[..., None] | None) -> Any:
    """Return a callback that advances a bar by bytes and shows the number of files; None without a bar."""
    if bar is None:
        return None

    def show(done: int, of: int, files: int, of_files: int) -> None:
        bar(done, of, f"{files:,}/{of_files:,} files" if files else "starting")

    return show


def say_what_was_read(notices: Sequence[str], skipped: Iterable[tuple[str, str]], *, quiet: bool) -> bool:
    """Print notices (unless `quiet`) and skipped sources; return whether any source was skipped."""
    if not quiet:
        say_notices(shortened(notices, NOTICES_SHOWN, "--json lists them all"))
    lines = [one_line(f"skipped {path}: {reason}") for path, reason in skipped]
    for line in shortened(lines, SKIPPED_SHOWN, "--json lists them all"):
        say(line)
    return bool(lines)
