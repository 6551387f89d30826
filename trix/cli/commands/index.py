"""`trix index`: a new index of collections of XML."""

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
trix index --profile jats articles/ more.zip @list.txt all.index
trix index --stem auto --language fr letters/ letters.index
""")
def index(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="COLLECTION... INDEX",
            help="Folders, files, archives or @LIST, and the index to create",
            show_default=False,
        ),
    ],
    profile: Annotated[
        str, typer.Option("--profile", metavar="NAME|FILE.toml", help="What the tags mean; auto detects it")
    ] = "auto",
    stem: Annotated[
        str | None,
        typer.Option(
            "--stem",
            metavar="porter|none|auto|LANGUAGE",
            help="Stemmer; auto: by language [default: porter, or auto if not all is English]",
        ),
    ] = None,
    stop: Annotated[
        str,
        typer.Option("--stop", metavar="default|none|FILE", help="Words to leave out", rich_help_panel="Words"),
    ] = "default",
    language: Annotated[
        str | None, typer.Option("--language", metavar="CODE", help="Language of text without xml:lang, as fr")
    ] = None,
    accents: Annotated[
        str,
        typer.Option(
            "--accents",
            metavar="fold|keep",
            help="Allow queries to ignore accents, or always tell them apart",
            rich_help_panel="Words",
        ),
    ] = "fold",
    variants: Annotated[
        str | None,
        typer.Option(
            "--variants",
            metavar="FILE",
            help="File of spelling variants, in lines such as chuse = choose",
            rich_help_panel="Words",
        ),
    ] = None,
    jobs: Jobs = None,
    dask: Dask = None,
    glob: Glob = None,
    positions: Annotated[
        bool,
        typer.Option(
            "--positions/--no-positions",
            help="Store positions, for exact phrases and proximity",
            rich_help_panel="Words",
        ),
    ] = True,
    strict: Strict = False,
    max_elements: MaxElements = None,
    max_bytes: MaxBytes = None,
    recover: Recover = False,
    store: Annotated[bool, typer.Option("--store", help="Store a compressed copy of the sources")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing index")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON")] = False,
    quiet: Quiet = False,
) -> int:
    """Build an index of XML documents."""
    if len(paths) < 2:
        raise UsageError(
            f"index: expected COLLECTION... INDEX, a collection and the index to create; got only {paths[0]}"
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
    """Summarise a build in two lines, with one more each for non-returnable parts and for ignored files."""
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
"""Tags of non-returnable parts that the summary of a build names."""


def hidden(summary: Any) -> str:
    """Summarise the non-returnable parts: their share of the content elements, and their tags."""
    count, tags = sum(summary.quiet.values()), [f"{tag} {each:,}" for tag, each in summary.quiet.items()]
    more = f", and {len(tags) - _TAGS_SHOWN} more tags" if len(tags) > _TAGS_SHOWN else ""
    share = 100 * count / summary.content_elements
    return (
        f"headers, references and the like: {count:,} content elements ({share:.0f} %), "
        f"{', '.join(tags[:_TAGS_SHOWN])}{more}; returned only if nothing else matches"
    )


def foreign(summary: Any) -> str:
    """Recommend another stemmer if over a fifth of the elements are not English; empty otherwise."""
    for language, count in summary.languages.items():
        share = count / summary.elements
        if language != "en" and share > 0.2:
            return (
                f"language {language}: {100 * share:.0f} % of the elements, but words are stemmed as English; "
                "use --stem auto to stem by xml:lang"
            )
    return ""


def size(count: float) -> str:
    """Format a number of bytes with a fitting unit.

    >>> size(999), size(44_971), size(141_500_000), size(4_600_000_000)
    ('999 bytes', '45.0 kB', '141.5 MB', '4.6 GB')
    """
    if count < 1000:
        return f"{count:.0f} bytes"
    unit = "kMGT"[min(int(math.log10(count)) // 3, 4) - 1]
    return f"{count / 1000 ** ('kMGT'.index(unit) + 1):,.1f} {unit}B"
