"""`trix add`, `trix delete`, `trix update` and `trix compact`: documents in and out of an index."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.messages import one_line, say, say_notices, shortened
from trix.cli.options import IndexPath, read_option, takes
from trix.cli.sources import (
    Dask,
    Glob,
    Jobs,
    MaxBytes,
    MaxElements,
    Quiet,
    Strict,
    by_files,
    cluster,
    limits,
    say_what_was_read,
    workers,
)
from trix.errors import ExitCode, TrixError, UsageError
from trix.support.kinds import Number
from trix.support.output import json_text
from trix.support.urls import is_url

if TYPE_CHECKING:
    from trix.indexer.change.update import UpdatePlan
    from trix.indexer.change.writer import Changes, Writer

PLANNED_SHOWN = 50
NOTHING = "nothing to do"

Replace = Annotated[bool, typer.Option("--replace", help="Take the new document where its id is there already.")]
Wait = Annotated[
    str, typer.Option("--wait", metavar="SECONDS", help="Wait for another writer to end.", show_default=False)
]
NoMerge = Annotated[bool, typer.Option("--no-merge", help="Leave segments as they are, however many.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")]


@dataclass(frozen=True)
class Writing:
    """How an index is written to: the options of all that changes documents."""

    wait: Wait = "0"
    no_merge: NoMerge = False
    as_json: AsJson = False
    quiet: Quiet = False

    @property
    def seconds(self) -> float:
        """How long another writer is waited for."""
        return float(read_option("--wait", self.wait, Number(0)))

    def writer(self, index: str, jobs: str | None = None, client: Any = None, **more: Any) -> Writer:
        """Open an index that is there; `more` is passed on to the writer."""
        from trix.indexer.change.writer import Writer
        from trix.indexer.commit.commit import is_index, newest_commit
        from trix.indexer.commit.remote import newest_at

        if is_url(index):
            newest_at(index)  # says that none is there
        elif not is_index(index):
            newest_commit(Path(index))  # says what is there instead
        return Writer(index, wait=self.seconds, merge=not self.no_merge, jobs=workers(jobs), client=client, **more)

    def report(self, changes: Changes, index: str, idle: str = NOTHING) -> int:
        """Say what was done, and return how the command ends."""
        incomplete = say_what_was_read(changes.notices, changes.skipped, quiet=self.quiet)
        if self.as_json:
            print(json_text(changes.to_json()))
        elif not self.quiet:
            print(f"{index}: {describe(changes, idle)}")
        return ExitCode.SKIPPED if incomplete else ExitCode.DONE


@dataclass(frozen=True)
class Reading(Writing):
    """How documents are read as well."""

    glob: Glob = None
    jobs: Jobs = None
    dask: Dask = None
    strict: Strict = False
    max_elements: MaxElements = None
    max_bytes: MaxBytes = None

    def reader(self, index: str, client: Any) -> Writer:
        """Open an index that is there, to read documents into it."""
        return self.writer(index, self.jobs, client, **limits(self.max_elements, self.max_bytes))


@command("""
trix add articles.index new/
trix add articles.index --replace corrected/r7022.xml
""")
@takes(Reading)
def add(
    how: Reading,
    index: IndexPath,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="COLLECTION...", help="Folders, files, archives or @LIST.", show_default=False),
    ],
    replace: Replace = False,
) -> int:
    """Add documents to an index, with its own settings."""
    from trix.support.progress import progress_bar

    with (
        cluster(how.dask) as client,
        progress_bar("adding", shown=not how.quiet, bytes=True) as bar,
        how.reader(index, client) as writer,
    ):
        writer.add(paths, replace=replace, strict=how.strict, glob=how.glob or (), progress=by_files(bar))
    return how.report(writer.changes, index)


@command("""
trix delete articles.index co/2001/r7022
trix delete articles.index @withdrawn.txt --ignore-missing
trix delete articles.index --where 'year < 1990' --dry-run
""")
@takes(Writing)
def delete(
    how: Writing,
    index: IndexPath,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DOCID...]", help="Documents; @FILE or - for one a line.", show_default=False),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="FILTER", help="Documents whose fields say so, among those named if any are."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be deleted, and delete nothing.")
    ] = False,
    ignore_missing: Annotated[
        bool, typer.Option("--ignore-missing", help="Delete what is there, whatever is not.")
    ] = False,
) -> int:
    """Delete documents from an index."""
    if not ids and where is None:
        raise UsageError("nothing to delete: name documents, or say which with --where")
    wanted = [each for given in ids or () for each in _listed(given)]
    writer = how.writer(index)
    try:
        if ids and not wanted:
            where = None  # an empty list of documents holds none that a filter could choose
        writer.delete(wanted, where=where, ignore_missing=ignore_missing)
        if dry_run:
            return _print_deletions(writer, how.as_json)
        writer.commit()
    finally:
        writer.close()
    return how.report(writer.changes, index)


@command("""
trix update articles.index
trix update articles.index --dry-run
trix update articles.index --watch
""")
@takes(Reading)
def update(
    how: Reading,
    index: IndexPath,
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COLLECTION...]", help="All that the index remembers, if none is named."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be done, and do nothing.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, as files change, until Ctrl-C.")] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Take a collection that is gone for an empty one.")
    ] = False,
) -> int:
    """Make an index say what its sources say: add what is new, replace what changed, delete what is gone."""
    if watch:
        if dry_run:
            raise UsageError("--dry-run: prints a plan once; leave out --watch")
        if how.dask is not None:
            raise UsageError("--dask: a few files that change are read sooner here; leave out --watch, or --dask")
        return _watch(how, index, paths or [], allow_empty)
    from trix.indexer.change.update import plan_update
    from trix.indexer.change.update import update as bring_up_to_date
    from trix.support.progress import progress_bar

    glob = how.glob or ()
    with cluster(how.dask) as client, progress_bar("updating", shown=not how.quiet, bytes=True) as bar:
        writer = how.reader(index, client)
        try:
            if dry_run:
                _print_plan(plan_update(writer.session, paths or (), glob=glob, allow_empty=allow_empty), how.as_json)
                return ExitCode.DONE
            bring_up_to_date(
                writer, paths or (), glob=glob, allow_empty=allow_empty, strict=how.strict, progress=by_files(bar)
            )
        finally:
            writer.close()
    return how.report(writer.changes, index)


@command("""
trix compact articles.index
""")
def compact(
    index: IndexPath, dask: Dask = None, wait: Wait = "0", as_json: AsJson = False, quiet: Quiet = False
) -> int:
    """Make an index one segment, without what was deleted."""
    how = Writing(wait, as_json=as_json, quiet=quiet)
    with cluster(dask) as client, how.writer(index, client=client) as writer:
        done = writer.compact()
    return how.report(writer.changes, index, "compacted" if done else NOTHING)


def _listed(given: str) -> list[str]:
    """Return a document id, or those of a list, a line each."""
    if given != "-" and not given.startswith("@"):
        return [given]
    from trix.support.given import read_given

    text = read_given(given if given == "-" else given[1:]).decode("utf-8", "surrogateescape")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _print_plan(plan: UpdatePlan, as_json: bool) -> None:
    record = plan.to_json()
    if as_json:
        print(json_text(record))
        return
    say_notices(record["notices"])
    lines = [f"{what} {name}" for what in ("add", "replace", "delete") for name in record[what]]
    for line in shortened(lines, PLANNED_SHOWN, "--json lists them all"):
        print(line)
    print(
        f"{len(record['add'])} to add, {len(record['replace'])} to replace, {len(record['delete'])} to delete; "
        f"{record['unchanged']:,} unchanged"
    )


def _print_deletions(writer: Writer, as_json: bool) -> int:
    """Print what a writer has deleted and not committed."""
    gone = [
        staged.segment.ids[number]
        for staged in writer.session.staged
        for number in staged.deleted - staged.entry.deleted
    ]
    left = sum(staged.documents for staged in writer.session.staged)
    if as_json:
        print(json_text({"delete": gone, "documents": left}))
        return ExitCode.DONE
    say_notices(writer.changes.notices)
    for line in shortened([f"delete {each}" for each in gone], PLANNED_SHOWN, "--json lists them all"):
        print(line)
    print(f"{len(gone):,} to delete; {left:,} documents would be left")
    return ExitCode.DONE


def describe(changes: Changes, idle: str = NOTHING) -> str:
    """Return what was done in a line; `idle` says what it was where no document came or went."""
    counts = {
        "added": changes.added,
        "replaced": changes.replaced,
        "deleted": changes.deleted,
        "unchanged": changes.unchanged,
    }
    done = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or idle
    segments = f"{changes.segments} segment{'' if changes.segments == 1 else 's'}"
    return f"{done}; {changes.documents:,} documents in {segments}, commit {changes.commit}, {changes.seconds:.2f} s"


def _watch(how: Reading, index: str, paths: list[str], allow_empty: bool) -> int:
    from trix.indexer.change.watch import watch

    def tell(what: Changes | TrixError) -> None:
        if isinstance(what, TrixError):
            say(one_line(str(what)))
        else:
            how.report(what, index)

    wait, jobs, bounds = how.seconds, workers(how.jobs), limits(how.max_elements, how.max_bytes)
    if not how.quiet:
        say(f"{index}: watching; Ctrl-C ends it")
    try:
        watch(
            index, paths, tell=tell, wait=wait, merge=not how.no_merge, jobs=jobs, glob=how.glob or [],
            allow_empty=allow_empty, **bounds,
        )  # fmt: skip
    except KeyboardInterrupt:
        if not how.quiet:
            say("no longer watching")
    return ExitCode.DONE
