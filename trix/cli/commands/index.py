"""`trix index`."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.sources import (
    Dask,
    Glob,
    Jobs,
    MaxBytes,
    MaxElements,
    Quiet,
    Recover,
    Strict,
    by_files,
    cluster,
    limits,
    say_what_was_read,
    workers,
)
from trix.errors import ExitCode, UsageError
from trix.support.output import json_text


@command("""
trix index articles/ articles.index
trix index --profile jats --stem none articles/ more.zip @list.txt all.index
trix index --dask tcp://scheduler:8786 /shared/articles /shared/articles.index
trix index --stem auto --language fr --variants spellings.txt letters/ letters.index
""")
def index(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="COLLECTION... INDEX",
            help="Folders, files, archives or @LIST; then the index to make.",
            show_default=False,
        ),
    ],
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME|FILE.toml", help="What tags mean; auto picks by the root tags.")
    ] = "auto",
    stem: Annotated[
        str | None,
        typer.Option(
            "--stem",
            metavar="porter|none|auto|LANGUAGE",
            help="How words are stemmed; auto: by language. Without: porter, auto if not all is English.",
        ),
    ] = None,
    stop: Annotated[str, typer.Option("--stop", metavar="default|none|FILE", help="Words to leave out.")] = "default",
    language: Annotated[
        str | None, typer.Option("--language", metavar="CODE", help="The language of what names none, as fr.")
    ] = None,
    accents: Annotated[
        str, typer.Option("--accents", metavar="fold|keep", help="keep: accents always make another word.")
    ] = "fold",
    variants: Annotated[
        str | None,
        typer.Option("--variants", metavar="FILE", help="Spellings taken for others, a line each: chuse = choose."),
    ] = None,
    jobs: Jobs = None,
    dask: Dask = None,
    glob: Glob = None,
    positions: Annotated[
        bool, typer.Option("--positions/--no-positions", help="Keep positions, for --phrases exact and nearness.")
    ] = True,
    strict: Strict = False,
    max_elements: MaxElements = None,
    max_bytes: MaxBytes = None,
    recover: Recover = False,
    store: Annotated[bool, typer.Option("--store", help="Keep a compressed copy of the sources.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an index that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
    quiet: Quiet = False,
) -> int:
    """Build an index of XML collections."""
    if len(paths) < 2:
        raise UsageError(
            f"index: expected COLLECTION... INDEX, a collection and the index to make; got only {paths[0]}"
        )
    processes, bounds = workers(jobs), limits(max_elements, max_bytes)
    import trix
    from trix.support.progress import progress_bar

    with cluster(dask) as client, progress_bar("indexing", shown=not quiet, bytes=True) as bar:
        summary = trix.build(
            paths[:-1],
            paths[-1],
            profile=profile,
            stem=stem,
            stop=stop,
            language=language,
            accents=accents,
            variants=variants,
            jobs=processes,
            positions=positions,
            strict=strict,
            store=store,
            overwrite=overwrite,
            glob=glob or (),
            **bounds,
            recover=recover,
            progress=by_files(bar),
            client=client,
        )
    skipped = [(skip.path, skip.reason) for skip in summary.skipped]
    incomplete = say_what_was_read(summary.notices, skipped, quiet=quiet)
    if as_json:
        print(json_text(summary.to_json()))
    elif not quiet:
        print(describe(summary, paths[-1]))
        if stem == "porter" and (other := foreign(summary)):
            print(other)
    return ExitCode.SKIPPED if incomplete else ExitCode.DONE


def describe(summary: Any, path: str) -> str:
    """Return the summary of a build for people: two lines, and one each for quiet parts and for ignored files."""
    from trix.indexer.collection.globs import counted

    ignored = f"\nignored: {counted(summary.ignored)}" if summary.ignored else ""
    quiet = f"\n{hidden(summary)}" if summary.quiet else ""
    share = f", {100 * summary.index_bytes / summary.xml_bytes:.1f} % of the XML" if summary.xml_bytes else ""
    rate = f", {size(summary.xml_bytes / summary.seconds)}/s" if summary.seconds else ""
    return (
        f"{path}: {summary.documents:,} documents, {summary.elements:,} elements "
        f"({summary.content_elements:,} content elements), {summary.keys:,} keys, {summary.tokens:,} tokens\n"
        f"profile {summary.profile}; {size(summary.xml_bytes)} of XML in {summary.seconds:.1f} s{rate}; "
        f"index {size(summary.index_bytes)}{share}{quiet}{ignored}"
    )


_TAGS_SHOWN = 5
"""Tags of quiet parts that the summary of a build names."""


def hidden(summary: Any) -> str:
    """Return what the summary says of quiet parts: how many content elements are in them, and in which."""
    count, tags = sum(summary.quiet.values()), [f"{tag} {each:,}" for tag, each in summary.quiet.items()]
    more = f", and {len(tags) - _TAGS_SHOWN} more tags" if len(tags) > _TAGS_SHOWN else ""
    share = 100 * count / summary.content_elements
    return (
        f"quiet parts: {count:,} content elements ({share:.0f} %), {', '.join(tags[:_TAGS_SHOWN])}{more}; "
        "returned only where nothing else is found"
    )


def foreign(summary: Any) -> str:
    """Return what helps where English stems meet another language, that of a fifth of the elements; empty if not."""
    for language, count in summary.languages.items():
        share = count / summary.elements
        if language != "en" and share > 0.2:
            return (
                f"language {language}: {100 * share:.0f} % of the elements, and words are stemmed as English ones; "
                "--stem auto stems and leaves out words by xml:lang"
            )
    return ""


def size(count: float) -> str:
    """Return a number of bytes in the unit that suits it.

    >>> size(999), size(44_971), size(141_500_000), size(4_600_000_000)
    ('999 bytes', '45.0 kB', '141.5 MB', '4.6 GB')
    """
    if count < 1000:
        return f"{count:.0f} bytes"
    unit = "kMGT"[min(int(math.log10(count)) // 3, 4) - 1]
    return f"{count / 1000 ** ('kMGT'.index(unit) + 1):,.1f} {unit}B"
