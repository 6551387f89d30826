"""`trix add`, `trix delete`, `trix update` and `trix compact`: changes of an index."""

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
from trix.support.output import json_text
from trix.support.setting_types import Number
from trix.support.urls import is_url

if TYPE_CHECKING:
    from trix.indexer.change.update import UpdatePlan
    from trix.indexer.change.writer import Changes, Writer

PLANNED_SHOWN = 50
NOTHING = "nothing to do"

Replace = Annotated[bool, typer.Option("--replace", help="Replace documents that have the same id")]
Wait = Annotated[
    str, typer.Option("--wait", metavar="SECONDS", help="Wait for another writer to finish", show_default=False)
]
NoMerge = Annotated[bool, typer.Option("--no-merge", help="Do not merge segments")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the changes as JSON")]


@dataclass(frozen=True)
class ChangeOptions:
    """Options of every command that changes documents."""

    wait: Wait = "0"
    no_merge: NoMerge = False
    as_json: AsJson = False
    quiet: Quiet = False

    @property
    def seconds(self) -> float:
        """Seconds to wait for another writer."""
        return float(read_option("--wait", self.wait, Number(0)))

    def writer(self, index: str, jobs: str | None = None, client: Any = None, **more: Any) -> Writer:
        """Open an existing index; `more` is passed on to the writer."""
        from trix.indexer.change.writer import Writer
        from trix.indexer.commit.commit import is_index, newest_commit
        from trix.indexer.commit.remote import newest_at

        if is_url(index):
            newest_at(index)  # raises if there is none
        elif not is_index(index):
            newest_commit(Path(index))  # raises, and names the kind of the file or folder
        return Writer(index, wait=self.seconds, merge=not self.no_merge, jobs=workers(jobs), client=client, **more)

    def report(self, changes: Changes, index: str, idle: str = NOTHING) -> int:
        """Print the changes, and return the exit code."""
        incomplete = say_what_was_read(changes.notices, changes.skipped, quiet=self.quiet)
        if self.as_json:
            print(json_text(changes.to_json()))
        elif not self.quiet:
            print(f"{index}: {describe(changes, idle)}")
        return ExitCode.SKIPPED if incomplete else ExitCode.DONE


@dataclass(frozen=True)
class DocumentOptions(ChangeOptions):
    """Options of commands that also read documents."""

    glob: Glob = None
    jobs: Jobs = None
    dask: Dask = None
    strict: Strict = False
    max_elements: MaxElements = None
    max_bytes: MaxBytes = None

    def reader(self, index: str, client: Any) -> Writer:
        """Open an existing index to read documents into it."""
        return self.writer(index, self.jobs, client, **limits(self.max_elements, self.max_bytes))


@command("""
trix add articles.index new/
trix add articles.index --replace corrected/r7022.xml
""")
@takes(DocumentOptions)
def add(
    how: DocumentOptions,
    index: IndexPath,
    paths: Annotated[
        list[str],
        typer.Argument(metavar="COLLECTION...", help="Folders, files, archives or @LIST", show_default=False),
    ],
    replace: Replace = False,
) -> int:
    """Add documents to an index, with the settings it was built with."""
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
@takes(ChangeOptions)
def delete(
    how: ChangeOptions,
    index: IndexPath,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[DOCID...]", help="Ids of documents; @FILE or - reads one a line", show_default=False),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option("--where", metavar="FILTER", help="Delete only documents whose fields match, as year < 1990"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would be deleted, but delete nothing")] = False,
    ignore_missing: Annotated[
        bool, typer.Option("--ignore-missing", help="Skip ids that the index does not have")
    ] = False,
) -> int:
    """Delete documents from an index."""
    if not ids and where is None:
        raise UsageError("nothing to delete: name documents, or select them with --where")
    wanted = [each for given in ids or () for each in _listed(given)]
    writer = how.writer(index)
    try:
        if ids and not wanted:
            where = None  # a filter selects among the documents of a list, and this one is empty
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
@takes(DocumentOptions)
def update(
    how: DocumentOptions,
    index: IndexPath,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[COLLECTION...]", help="Sources to look at [default: all that the index was built from]"
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the changes, but make none")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep updating as files change, until Ctrl-C")] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="Treat a missing collection as empty: delete its documents")
    ] = False,
) -> int:
    """Bring an index up to date with its sources.

    New files are added, changed ones replaced, and documents of missing files deleted.
    """
    if watch:
        if dry_run:
            raise UsageError("--dry-run: prints one plan; leave out --watch")
        if how.dask is not None:
            raise UsageError("--dask: cannot be combined with --watch, which reads a few files at a time")
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
trix compact articles.index --wait 60
""")
def compact(
    index: IndexPath, dask: Dask = None, wait: Wait = "0", as_json: AsJson = False, quiet: Quiet = False
) -> int:
    """Merge an index into one segment, without deleted documents."""
    how = ChangeOptions(wait, as_json=as_json, quiet=quiet)
    with cluster(dask) as client, how.writer(index, client=client) as writer:
        done = writer.compact()
    return how.report(writer.changes, index, "compacted" if done else NOTHING)


def _listed(given: str) -> list[str]:
    """Return one document id, or the ids in a list file."""
    if given != "-" and not given.startswith("@"):
        return [given]
    from trix.support.input_files import read_input

    text = read_input(given if given == "-" else given[1:]).decode("utf-8", "surrogateescape")
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
    """Print the deletions that a writer has not committed yet."""
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
    print(f"{len(gone):,} to delete; {left:,} documents would remain")
    return ExitCode.DONE


def describe(changes: Changes, idle: str = NOTHING) -> str:
    """Summarise changes in a line; `idle` stands in if no document was added or deleted."""
    counts = {
        "added": changes.added,
        "replaced": changes.replaced,
        "deleted": changes.deleted,
        "unchanged": changes.unchanged,
    }
    done = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count) or idle
    segments = f"{changes.segments} segment{'' if changes.segments == 1 else 's'}"
    return f"{done}; {changes.documents:,} documents in {segments}, commit {changes.commit}, {changes.seconds:.2f} s"


def _watch(how: DocumentOptions, index: str, paths: list[str], allow_empty: bool) -> int:
    from trix.indexer.change.watch import watch

    def tell(what: Changes | TrixError) -> None:
        if isinstance(what, TrixError):
            say(one_line(str(what)))
        else:
            how.report(what, index)

    wait, jobs, bounds = how.seconds, workers(how.jobs), limits(how.max_elements, how.max_bytes)
    if not how.quiet:
        say(f"{index}: watching; press Ctrl-C to stop")
    try:
        watch(
            index, paths, tell=tell, wait=wait, merge=not how.no_merge, jobs=jobs, glob=how.glob or [],
            allow_empty=allow_empty, **bounds,
        )  # fmt: skip
    except KeyboardInterrupt:
        if not how.quiet:
            say("stopped watching")
    return ExitCode.DONE
