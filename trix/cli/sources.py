"""What the commands share that read sources: `trix index`, `add`, `update`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from trix.cli.messages import one_line, say, say_notices, shortened
from trix.cli.options import read_option
from trix.support.kinds import Size, Whole

SKIPPED_SHOWN, NOTICES_SHOWN = 20, 10

Glob = Annotated[
    list[str] | None,
    typer.Option(
        "--glob",
        metavar="PATTERN",
        help="Read the files that match, instead of *.xml, *.dita, *.tei, *.xhtml and the like; repeatable.",
    ),
]
Jobs = Annotated[str | None, typer.Option("--jobs", "-j", metavar="N", help="Worker processes [default: all cores]")]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS|local|local:N", help="A Dask cluster does the work, as tcp://HOST:8786."),
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad file instead of skipping it.")]
MaxElements = Annotated[
    str | None,
    typer.Option("--max-elements", metavar="N", help="Skip files with more elements and attributes [default: 2000000]"),
]
MaxBytes = Annotated[
    str | None, typer.Option("--max-bytes", metavar="SIZE", help="Skip files that hold more, as 300M [default: 100M]")
]
Recover = Annotated[
    bool, typer.Option("--recover", help="Mend files that are not well-formed, and say what, instead of skipping them.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")]


def workers(jobs: str | None) -> int | None:
    """Return how many processes are asked for; None for as many as there are cores."""
    return None if jobs is None else int(read_option("--jobs", jobs, Whole()))


def limits(max_elements: str | None, max_bytes: str | None) -> dict[str, Any]:
    """Return how large a document may be, as `trix.build` and `trix.write` take it; None where it is not said."""
    return {
        "max_elements": None if max_elements is None else read_option("--max-elements", max_elements, Whole()),
        "max_bytes": None if max_bytes is None else read_option("--max-bytes", max_bytes, Size()),
    }


@contextmanager
def cluster(dask: str | None) -> Iterator[Any]:
    """Give a client of the cluster that is asked for, for the time of a block; None where none is."""
    if dask is None:
        yield None
        return
    from trix.cluster.clusters import connected

    with connected(dask) as client:
        yield client


def by_files(bar: Callable[..., None] | None) -> Any:
    """Return what moves a bar by bytes and shows the files beside it; None where there is no bar."""
    if bar is None:
        return None

    def show(done: int, of: int, files: int, of_files: int) -> None:
        # Before the first file loops are loaded, or once after an installation compiled.
        bar(done, of, f"{files:,}/{of_files:,} files" if files else "making loops ready")

    return show


def say_what_was_read(notices: Sequence[str], skipped: Iterable[tuple[str, str]], *, quiet: bool) -> bool:
    """Say what is to be known, unless all is to be quiet, and each source that was skipped; return whether any was."""
    if not quiet:
        say_notices(shortened(notices, NOTICES_SHOWN, "--json lists them all"))
    lines = [one_line(f"skipped {path}: {reason}") for path, reason in skipped]
    for line in shortened(lines, SKIPPED_SHOWN, "--json lists them all"):
        say(line)
    return bool(lines)
