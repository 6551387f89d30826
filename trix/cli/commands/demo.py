"""`trix demo`: index, search and evaluation, shown on the handbook. `trix datasets`: test collections."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from shlex import quote
from typing import Annotated, Any

import typer

from trix.cli.app import command
from trix.cli.messages import say
from trix.errors import ExitCode, UsageError, did_you_mean
from trix.support.extras import install_hint

QUERY = "superscript footnote mark"
CONTEXT = "vertical:f=1.75,p=0,a=0.25,r=0.75"


@command("""
trix demo
trix demo somewhere/else
""")
def demo(
    folder: Annotated[str, typer.Argument(metavar="[FOLDER]", help="Folder for all that is made")] = "demo-output",
) -> int:
    """Index, search and evaluate the handbook, in a minute."""
    from trix.handbook.demo import demonstrate
    from trix.support.progress import steps

    with steps() as say:
        shown = demonstrate(folder, say)
        site = _publish(shown, say)
    _heading("The collection", "The handbook of Trix: XML articles with sections, lists, tables, figures and code.")
    summary = shown.summary
    print(
        f"{summary.documents} articles have {summary.elements:,} elements that can be results, "
        f"{summary.content_elements:,} of them the smallest,\nthe content elements. "
        f"Indexing took {summary.seconds:.1f} s."
    )
    _heading("A query", "Results are elements of any size, none inside another.")
    _search(shown.index)
    _heading("The same query in context", "Now each score depends on the article around the element as well.")
    _search(shown.index, context=CONTEXT)
    _heading(
        f"{shown.topics} topics, judged by hand",
        "Each task without context and with three forms of context; higher is better.",
    )
    _table(shown)
    _next(shown, site)
    return ExitCode.DONE


@command("""
trix datasets
trix datasets show qmsum
trix datasets prepare qmsum QMSum-main.zip meetings
trix datasets make inex synthetic --schema wikipedia --topics 30
""")
def datasets(
    action: Annotated[
        str | None, typer.Argument(metavar="[show|prepare|make]", help="What to do; without it, list the data sets")
    ] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Data set, as qmsum or inex")] = None,
    source: Annotated[
        str | None, typer.Argument(metavar="[SOURCE]", help="For prepare: folder or archive with its files")
    ] = None,
    folder: Annotated[str | None, typer.Argument(metavar="[FOLDER]", help="New folder for it")] = None,
    download: Annotated[
        bool, typer.Option("--download", help="For prepare: download the source instead of reading SOURCE")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For make: same seed, same bytes")] = 2005,
    schema: Annotated[
        str, typer.Option("--schema", metavar="NAME", help="For make: ieee, wikipedia or wikipedia-2009")
    ] = "ieee",
    documents: Annotated[int, typer.Option("--documents", metavar="N", help="For make: number of documents")] = 200,
    topics: Annotated[int, typer.Option("--topics", metavar="N", help="For make: number of topics, up to 60")] = 20,
) -> None:
    """List, prepare or make test collections."""
    if action is None:
        _list_datasets()
    elif action == "show":
        _show_dataset(name)
    elif action == "prepare":
        _prepare_dataset(name, source, folder, download)
    elif action != "make":
        actions = ["show", "prepare", "make"]
        raise UsageError(f"{action}: expected show, prepare or make{did_you_mean(action, actions)}")
    else:
        _make_dataset(name, source, seed=seed, schema=schema, documents=documents, topics=topics)


def _list_datasets() -> None:
    from trix.datasets import DATASETS
    from trix.datasets.catalogue import listing

    made = [
        {
            "name": name,
            "about": about,
            "licence": "none needed",
            "size": "as wanted",
            "needs": "nothing: trix datasets make",
        }
        for name, about in DATASETS.items()
    ]
    rows = [*listing(), *made]
    if not sys.stdout.isatty():
        for row in rows:
            print("\t".join(row.values()))
        return
    for row in rows:
        print(f"{_bold(row['name'])}: {row['about']}\n    {row['size']}\n    needs {row['needs']}")


def _show_dataset(name: str | None) -> None:
    from trix.datasets import DATASETS
    from trix.datasets.catalogue import data_set, shown

    if name is None:
        raise UsageError("expected a data set: trix datasets show NAME")
    rows = {"name": name, "about": DATASETS[name]} if name in DATASETS else shown(data_set(name))
    for label, text in rows.items():
        for line in text.splitlines():
            print(f"{label:10}{line}")


def _prepare_dataset(name: str | None, source: str | None, folder: str | None, download: bool) -> None:
    from trix.datasets.catalogue import data_set
    from trix.datasets.catalogue.prepare import counted, prepare
    from trix.datasets.sources.archive import downloaded
    from trix.support.progress import progress_bar

    if download and folder is None:
        source, folder = None, source
    if name is None or folder is None or (source is None) != download:
        raise UsageError("expected a data set, its files, and a new folder: trix datasets prepare NAME SOURCE FOLDER")
    of = data_set(name)
    if download and not of.download:
        raise UsageError(f"{name}: no address of an archive is known; see {of.home}")
    with ExitStack() as stack:
        if source is None:
            with progress_bar("download", bytes=True) as receiving:
                source = str(stack.enter_context(downloaded(of.download, receiving)))
        with progress_bar("documents") as progress:
            described = prepare(of, source, folder, progress=progress)
    for notice in described["notices"]:
        say(notice)
    for part in described["parts"]:
        of_part = f"{part['name']}: " if part["name"] else ""
        print(f"{folder}: {of_part}{counted(part['counts'])}")
    print(f"{folder}: see README.txt; {of.licence}")


def _make_dataset(name: str | None, folder: str | None, **arguments: Any) -> None:
    from trix.datasets import DATASETS
    from trix.datasets.inex import make
    from trix.support.progress import progress_bar

    if name is None or folder is None:
        raise UsageError("expected a data set and a folder: trix datasets make inex FOLDER")
    if name not in DATASETS:
        raise UsageError(
            f"{name}: no such data set to make; known are {', '.join(DATASETS)}{did_you_mean(name, DATASETS)}"
        )
    with progress_bar("documents") as progress:
        made = make(folder, progress=progress, **arguments)
    print(
        f"{made.folder}: {made.documents} documents, {made.topics} topics, {made.relevant} relevant documents, "
        f"{made.passages} relevant passages; see README.txt"
    )


def _search(index: Any, context: str = "") -> None:
    import trix
    from trix.cli.table import print_table

    words = f" --context {context}" if context else ""
    print(f"$ trix search {quote(str(index))} -n 3 --preset study {QUERY}{words}\n")
    with trix.open(index) as opened:
        print_table(opened.search(QUERY, preset="study", top=3, context=context or None))


def _table(shown: Any) -> None:
    from trix.handbook.demo import CONTEXTS, table

    print(table(shown, _bold))
    forms = "".join(f"  {name:10}  --context {form}\n" for name, form in CONTEXTS.items())
    print(
        "\n* differs from no context by more than chance (paired t-test, p < 0.05)\n"
        "b is 0.9 for tasks without overlap, which favours small elements, else 0.1\n\n"
        f"{forms}\n"
        "  iP[0.01]    precision of the text that is read first\n"
        "  MAiP        average precision of the text, at all levels of recall\n"
        "  MAgP/F      ranking of articles, each scored by the passages marked in it\n"
        "  MAgP/T2I    the same, scored by what is read before 300 irrelevant characters\n"
        "  structured  thorough, with the NEXI queries of the topics in place of words\n\n"
        "This shows how Trix works, not how well: its authors wrote the articles, topics and\n"
        "judgements themselves. Try it on your own collection."
    )


def _publish(shown: Any, say: Any) -> str:
    """Publish the handbook as a static site, if the packages for pages are installed; return its folder."""
    import trix

    try:
        from trix.publish.site import MANIFEST, publish
    except ModuleNotFoundError:
        return ""
    if say is not None:
        say("publishing it")
    site = shown.folder / "site"
    with trix.open(shown.index) as index:
        publish(index, site, update=(site / MANIFEST).is_file(), title="The Trix handbook")
    return str(site)


def _next(shown: Any, site: str) -> None:
    folder, index = quote(str(shown.folder)), quote(str(shown.index))
    _heading("Next steps", f"{shown.folder} has everything: articles, topics, assessments, runs, figures, the table.")
    steps = [
        (f"trix shell {index}", "search interactively; :help lists the commands"),
        (f"trix search {index} --explain -n 1 overlap", "show how a score is made up"),
        ("trix handbook", "read the handbook; add words to search it"),
        (f"trix run {index} {folder}/topics.xml --context vertical:f=0.25", "run the topics with other settings"),
        (
            f"trix eval {folder}/assessments/offsets.qrels {folder}/runs/focused-*.run",
            "measure runs; trix compare tests their differences",
        ),
        ("trix index YOUR-XML/ your.index", "index your own collection"),
    ]
    if site:
        published = (
            f"python -m http.server --directory {quote(site)}",
            "serve the published handbook; search it in a browser",
        )
        steps.insert(-1, published)
    for line, what in steps:
        print(f"  {line}\n      {what}")
    if not shown.figures:
        print(f"\nInstall matplotlib for figures: {install_hint('plot')}")


def _heading(title: str, text: str) -> None:
    print(f"\n{_bold(title)}\n{text}\n" if _styled() else f"\n== {title}\n   {text}\n")


def _bold(text: str) -> str:
    return f"\x1b[1m{text}\x1b[0m" if _styled() else text


def _styled() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
