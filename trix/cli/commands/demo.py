"""`trix demo`: index, search and evaluation, shown on the handbook. `trix datasets`: synthetic test collections."""

from __future__ import annotations

import os
import sys
from shlex import quote
from typing import Annotated, Any

import typer

from trix.cli.app import command
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
trix datasets make inex synthetic
trix datasets make inex pages --schema wikipedia --topics 30 --seed 7
""")
def datasets(
    action: Annotated[str | None, typer.Argument(metavar="[make]", help="List data sets, or make one")] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Data set: inex")] = None,
    folder: Annotated[str | None, typer.Argument(metavar="[FOLDER]", help="New folder for it")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Same seed, same bytes")] = 2005,
    schema: Annotated[str, typer.Option("--schema", metavar="NAME", help="ieee, wikipedia or wikipedia-2009")] = "ieee",
    documents: Annotated[int, typer.Option("--documents", metavar="N", help="Number of documents")] = 200,
    topics: Annotated[int, typer.Option("--topics", metavar="N", help="Number of topics, up to 60")] = 20,
) -> None:
    """Make a synthetic test collection."""
    from trix.datasets import DATASETS

    if action is None:
        for each, what in DATASETS.items():
            print(f"{each}\t{what}")
        return
    if action != "make":
        raise UsageError(f"{action}: expected make{did_you_mean(action, ['make'])}")
    if name is None or folder is None:
        raise UsageError("expected a data set and a folder: trix datasets make inex FOLDER")
    if name not in DATASETS:
        raise UsageError(f"{name}: no such data set; known are {', '.join(DATASETS)}{did_you_mean(name, DATASETS)}")

    from trix.datasets.inex import make
    from trix.support.progress import progress_bar

    with progress_bar("documents") as progress:
        made = make(
            folder,
            seed=seed,
            schema=schema,
            documents=documents,
            topics=topics,
            progress=progress,
        )
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
