"""`trix publish`: an index as a static site, which is searched in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trix.cli.app import command
from trix.cli.messages import say, say_notices
from trix.cli.options import IndexPath
from trix.cli.sources import Quiet
from trix.errors import UsageError
from trix.support.extras import install_hint
from trix.support.progress import progress_bar


@command("""
trix publish letters.index site/
trix publish letters.index site/ --update
trix publish letters.index site/ --url https://example.org/letters/ --title "The letters"
""")
def publish(
    index: IndexPath,
    site: Annotated[str, typer.Argument(metavar="SITE", help="Folder to write", show_default=False)],
    update: Annotated[
        bool, typer.Option("--update", help="Bring a site up to date: only files that differ are written")
    ] = False,
    url: Annotated[
        str, typer.Option("--url", metavar="ADDRESS", help="Address of the site, for the sitemap", show_default=False)
    ] = "",
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="Title of the site [default: from the profile]")
    ] = "",
    description: Annotated[
        str, typer.Option("--description", metavar="TEXT", help="Sentence for the home page [default: from the profile]")
    ] = "",
    theme: Annotated[
        Path | None,
        typer.Option(
            "--theme", metavar="FOLDER", help="Folder of templates, files, roles and words that replace the defaults"
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write an index as a static site with a search in the browser."""
    if theme is not None and not theme.is_dir():
        raise UsageError(f"--theme {theme}: no such folder")
    try:
        from trix.publish.site import publish as publish_it
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "jinja2", "markupsafe", "prometheus_client"):
            raise
        raise UsageError(f"publishing needs {error.name}: {install_hint('web')}") from None
    import trix

    with trix.open(index) as opened, progress_bar("publishing", shown=not quiet) as bar:
        made = publish_it(
            opened, site, update=update, url=url, title=title, description=description, theme=theme,
            **({"report": bar} if bar is not None else {}),
        )  # fmt: skip
    if quiet:
        return
    say_notices(made.notices)
    changed = f"; {made.written:,} written, {made.removed:,} removed" if update else ""
    say(
        f"{site}: {made.documents:,} documents, {made.files:,} files, {made.size / 1e6:,.1f} MB, of these "
        f"{made.search_files:,} for the search, {made.search_size / 1e6:,.1f} MB{changed}"
    )
