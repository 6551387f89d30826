"""`trix serve`: pages to search and read in a browser. `trix publish`: the same as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trix.cli.app import command
from trix.cli.messages import say, say_notices
from trix.cli.options import IndexPath, read_option
from trix.cli.sources import Quiet
from trix.errors import UsageError
from trix.support.extras import install_hint
from trix.support.progress import progress_bar
from trix.support.setting_types import Number, Whole

PORT = 8474


@command("""
trix serve articles.index
trix serve plays.index,letters.index --port 9000
trix serve articles.index --host 0.0.0.0 --token "$TOKEN"
""")
def serve(
    index: IndexPath,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MORE...]", help="More indexes, served as one collection", show_default=False),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on; 0.0.0.0 is open to other machines")
    ] = "127.0.0.1",
    port: Annotated[str, typer.Option("--port", metavar="NUMBER", help="Port to listen on; 0 takes a free one")] = str(
        PORT
    ),
    workers: Annotated[
        str,
        typer.Option("--workers", metavar="NUMBER", help="Processes that answer requests", rich_help_panel="Load"),
    ] = "1",
    token: Annotated[
        str | None,
        typer.Option("--token", metavar="TEXT", envvar="TRIX_TOKEN", help="Secret that every request must carry"),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Host name to answer to; repeatable"),
    ] = None,
    theme: Annotated[
        Path | None,
        typer.Option(
            "--theme", metavar="FOLDER", help="Folder of templates, files, roles and words that replace the defaults"
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="Title of the site [default: from the profile]")
    ] = None,
    description: Annotated[
        str | None,
        typer.Option("--description", metavar="TEXT", help="Sentence for the home page [default: from the profile]"),
    ] = None,
    seconds: Annotated[
        str,
        typer.Option("--seconds", metavar="NUMBER", help="Time limit of one request", rich_help_panel="Load"),
    ] = "10",
    at_once: Annotated[
        str,
        typer.Option(
            "--at-once", metavar="NUMBER", help="Requests that each process works on at once", rich_help_panel="Load"
        ),
    ] = "4",
) -> None:
    """Serve an index as web pages and as an API, until Ctrl-C."""
    wanted = 0 if port == "0" else read_option("--port", port, Whole())
    if wanted > 65_535:
        raise UsageError(f"--port {port}: expected a number from 0 to 65535")
    limits = {
        "seconds": read_option("--seconds", seconds, Number(0, inside=True)),
        "at_once": read_option("--at-once", at_once, Whole()),
    }
    processes = read_option("--workers", workers, Whole())
    if token and not token.strip():
        raise UsageError("--token: is blank; expected a secret, or leave out the option")
    if theme is not None and not theme.is_dir():
        raise UsageError(f"--theme {theme}: no such folder")
    try:
        from trix.web.serving import ServerConfig, address_of, is_loopback, listen, names_of
        from trix.web.serving import serve as serve_it
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "jinja2", "markupsafe", "prometheus_client"):
            raise
        raise UsageError(f"serving needs {error.name}: {install_hint('web')}") from None
    listening = listen(host, wanted)
    at = listening.getsockname()[0]
    config = ServerConfig(
        indexes=[part for each in (index, *(more or ())) for part in each.split(",")],
        limits=limits,
        token=token.strip() if token else None,
        theme=str(theme.resolve()) if theme else None,
        title=title or "",
        description=description or "",
        hosts=names_of(host, at, tuple(allow_host or ())),
    )

    def begun() -> None:
        say(f"{address_of(host, listening.getsockname()[1], config.token)}  (Ctrl-C stops the server)")
        if not is_loopback(at) and not token:
            say("anyone who can reach this machine can read the whole index; use --token to require a secret")

    with listening:
        serve_it(config, listening, processes, begun)


@command("""
trix publish letters.index site/
trix publish letters.index site/ --update
trix publish letters.index site/ --url https://example.org/letters/
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
        str,
        typer.Option("--description", metavar="TEXT", help="Sentence for the home page [default: from the profile]"),
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
    print(Path(site) / "index.html")
    if quiet:
        return
    say_notices(made.notices)
    changed = f"; {made.written:,} written, {made.removed:,} removed" if update else ""
    say(
        f"{site}: {made.documents:,} documents, {made.files:,} files, {made.size / 1e6:,.1f} MB, of these "
        f"{made.search_files:,} for the search, {made.search_size / 1e6:,.1f} MB{changed}"
    )
