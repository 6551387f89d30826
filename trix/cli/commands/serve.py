"""`trix serve`: a place to read in, in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trix.cli.app import command
from trix.cli.messages import say
from trix.cli.options import IndexPath, read_option
from trix.errors import UsageError
from trix.support.extras import install_hint
from trix.support.kinds import Number, Whole

PORT = 8474


@command("""
trix serve articles.index
trix serve plays.index,letters.index --port 9000
trix serve articles.index --host 0.0.0.0 --token "$TOKEN" --allow-host library.example.org
""")
def serve(
    index: IndexPath,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MORE...]", help="More indexes, served as one collection.", show_default=False),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; other machines reach 0.0.0.0.")
    ] = "127.0.0.1",
    port: Annotated[str, typer.Option("--port", metavar="NUMBER", help="Port; 0 takes any that is free.")] = str(PORT),
    workers: Annotated[str, typer.Option("--workers", metavar="NUMBER", help="Processes that answer.")] = "1",
    token: Annotated[
        str | None,
        typer.Option("--token", metavar="TEXT", envvar="TRIX_TOKEN", help="What those who ask have to know."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Another name under which it may be asked; repeatable."),
    ] = None,
    theme: Annotated[
        Path | None,
        typer.Option("--theme", metavar="FOLDER", help="Templates, files, roles and words that replace the own ones."),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="What the place is called; else the profile says it.")
    ] = None,
    description: Annotated[
        str | None,
        typer.Option(
            "--description", metavar="TEXT", help="A sentence on what is here, for the home page; else the profile's."
        ),
    ] = None,
    seconds: Annotated[str, typer.Option("--seconds", metavar="NUMBER", help="Longest work on one request.")] = "10",
    at_once: Annotated[
        str, typer.Option("--at-once", metavar="NUMBER", help="Requests worked on at one time, in each process.")
    ] = "4",
) -> None:
    """Serve pages to search and to read in, until it is stopped."""
    wanted = 0 if port == "0" else read_option("--port", port, Whole())
    if wanted > 65_535:
        raise UsageError(f"--port {port}: expected a number from 0 to 65535")
    limits = {
        "seconds": read_option("--seconds", seconds, Number(0, inside=True)),
        "at_once": read_option("--at-once", at_once, Whole()),
    }
    processes = read_option("--workers", workers, Whole())
    if token and not token.strip():
        raise UsageError("--token: expected more than white space")
    if theme is not None and not theme.is_dir():
        raise UsageError(f"--theme {theme}: there is no such folder")
    try:
        from trix.web.serving import Served, address_of, is_loopback, listen, names_of
        from trix.web.serving import serve as serve_it
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "jinja2", "markupsafe", "prometheus_client"):
            raise
        raise UsageError(f"serving needs {error.name}: {install_hint('web')}") from None
    listening = listen(host, wanted)
    at = listening.getsockname()[0]
    served = Served(
        indexes=[part for each in (index, *(more or ())) for part in each.split(",")],
        limits=limits,
        token=token.strip() if token else None,
        theme=str(theme.resolve()) if theme else None,
        title=title or "",
        description=description or "",
        hosts=names_of(host, at, tuple(allow_host or ())),
    )

    def begun() -> None:
        say(f"{address_of(host, listening.getsockname()[1], served.token)}  (Ctrl-C ends it)")
        if not is_loopback(at) and not token:
            say("anybody who reaches this machine can read all that is indexed; --token asks them for one")

    with listening:
        serve_it(served, listening, processes, begun)
