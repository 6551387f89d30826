"""`trix profile`: profiles, which say what tags mean."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer

from trix.cli.app import command
from trix.cli.messages import say
from trix.errors import UsageError
from trix.support.input_files import read_input, read_input_text


@command("""
trix profile jats > my.toml
trix profile my.toml --try article.xml
trix profile --suggest articles/ --output my.toml
""")
def profile(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME|FILE.toml]",
            help="Preset or file [default: list the presets]; with --suggest, folders and files",
            show_default=False,
        ),
    ] = None,
    document: Annotated[
        str | None, typer.Option("--try", metavar="DOC.xml", help="Show how the profile reads a document")
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Draft a profile, with comments, for the XML in folders")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE.toml", help="With --suggest: write the draft to a new file"),
    ] = None,
    glob: Annotated[
        list[str] | None,
        typer.Option("--glob", metavar="PATTERN", help="With --suggest: read matching files, as *.rdf"),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="With --suggest: print ten elements before and after, on stderr")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="With --try: do not shorten texts")] = False,
    stem: Annotated[
        str, typer.Option("--stem", metavar="porter|none|auto|LANGUAGE", help="With --try: stemmer")
    ] = "porter",
    stop: Annotated[
        str, typer.Option("--stop", metavar="default|none|FILE", help="With --try: stop words")
    ] = "default",
) -> None:
    """List profiles, print one, try one, or draft one for your XML."""
    name = names[0] if names else None
    if suggest:
        if document is not None or full:
            raise UsageError("--suggest: reads folders; leave out --try and --full")
        _suggest(names or [], glob or [], output, show, stem, stop)
    elif output is not None or show or glob:
        raise UsageError(f"{'--show' if show else '--glob' if glob else '--output'}: expected --suggest FOLDER with it")
    elif names and len(names) > 1:
        raise UsageError(f"profile {names[1]}: is one too many; expected one profile, or --suggest FOLDER...")
    elif document is not None:
        print(_try(name or "auto", document, full, stem, stop))
    elif full:
        raise UsageError("--full: has no effect without --try; expected --try DOC.xml")
    elif name is None:
        print("\n".join(_presets()))
    elif name == "auto":
        raise UsageError("profile auto: depends on a document; expected --try DOC.xml")
    else:
        print(_source(name), end="")


def _presets() -> list[str]:
    """List the presets, each with the first sentence of the comment in its file."""
    from trix.indexer.profile.profile import FOLDER, PRESETS

    left = max(map(len, PRESETS)) + 2
    room = max(shutil.get_terminal_size((100, 24)).columns, left + 40)
    lines = []
    for name in PRESETS:
        sentence = _first_sentence((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
        lines += textwrap.wrap(f"{name:{left}}{sentence}", room, subsequent_indent=" " * left)
    return lines


def _first_sentence(toml: str) -> str:
    """Extract the first sentence (or paragraph) of the comment that opens a file.

    >>> _first_sentence("# TEI: plays,\\n# novels, P4. Not music.\\n#\\n# More.\\nabout = 1")
    'TEI: plays, novels, P4.'
    """
    begun = takewhile(lambda line: line.startswith("#") and line.strip("# "), toml.lstrip().splitlines())
    return re.split(r"(?<=\.) (?=[A-Z])", " ".join(line.strip("# ") for line in begun))[0]


def _source(name: str) -> str:
    """Return the TOML of a valid profile as it is written, with comments."""
    from trix.indexer.profile.profile import FOLDER, PRESETS, load_profile

    load_profile(name)
    path = FOLDER / f"{name}.toml" if name in PRESETS else Path(name)
    text = read_input_text(path)
    return text if text.endswith("\n") else text + "\n"


def _try(name: str, document: str, full: bool, stem: str, stop: str) -> str:
    from trix.indexer.document.preview import preview
    from trix.indexer.languages.chains import Chains, word_settings
    from trix.indexer.profile.detect import picked
    from trix.indexer.profile.profile import load_profile

    chosen = picked(_pick(document)) if name == "auto" else load_profile(name)
    chains = Chains(word_settings(stem, stop), chosen.join_characters)
    return preview(document, chosen, chains.main, full=full)


def _pick(document: str) -> str:
    """Detect the preset for a document, and print the reason."""
    from trix.indexer.document.parse import parse
    from trix.indexer.profile.detect import pick, signature

    name, reason = pick([signature(parse(read_input(document), document))])
    say(reason)
    return name


def _suggest(folders: list[str], glob: list[str], output: Path | None, show: bool, stem: str, stop: str) -> None:
    """Write the draft of a profile for the XML in folders."""
    from trix.indexer.collection.find import find_sources
    from trix.indexer.languages.chains import Chains, word_settings
    from trix.indexer.suggest.compare import compare
    from trix.indexer.suggest.decision import Certainty
    from trix.indexer.suggest.draft import draft, suggest
    from trix.indexer.suggest.sample import count_sample, sampled

    if not folders:
        raise UsageError(
            "--suggest: has nothing to read; expected a folder of XML, as in trix profile --suggest articles/"
        )
    if output is not None and output.exists():
        raise UsageError(f"--output {output}: exists already; expected the name of a new file")
    sources = find_sources(folders, glob, warn=say, unique=False)
    suggestion = suggest(count_sample(sources))
    if not suggestion.documents:
        raise UsageError(f"--suggest {folders[0]}: has no readable XML; expected files that begin with a tag")
    text = draft(suggestion)
    if output is None:
        print(text, end="")
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--output {output}: cannot be written: {error.strerror}") from None
    if show:
        chosen = suggestion.profile(Certainty.LIKELY)
        chains = Chains(word_settings(stem, stop), chosen.join_characters)
        for line in compare(sampled(sources), chosen, chains.main) or ["no element differs in the sampled documents"]:
            print(line, file=sys.stderr)
