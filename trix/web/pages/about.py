"""The page about the collection (counts, settings, fields, tags), and the handbook."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from starlette.responses import FileResponse, HTMLResponse, Response

from trix.errors import UsageError
from trix.handbook import FIGURES
from trix.handbook.contents import chapters
from trix.handbook.html import STYLE, page
from trix.web.pages.server import RequestContext
from trix.web.site.percent import printable

_COUNTS = ("documents", "elements", "content_elements", "tokens", "xml_bytes")
_SETTINGS = ("stem", "stop", "positions", "store", "accents", "language")


def about_page(context: RequestContext) -> Response:
    """Return the page about the collection; it contains no paths of the machine."""
    index = context.index
    files = index.files
    counts = context.server.once(((context.commit, "tags"), lambda: files.counts_of("tags")))
    tags = sorted(counts.items(), key=lambda each: -each[1])[:40]
    fields: Any = context.server.once(((context.commit, "facts"), lambda: index.fields.facts(5)))
    fields = {
        name: {**each, "examples": [printable(str(value)) for value in each["examples"]]}
        for name, each in fields.items()
    }
    return context.page(
        "about.html",
        counts=[(name, files.totals[name]) for name in _COUNTS if name in files.totals],
        settings=[
            (name, _shown(files.commit.settings[name])) for name in _SETTINGS if name in files.commit.settings
        ],
        profile=files.profile, fields=fields, tags=tags, commits=[each.commit.number for each in files.opened],
        names=files.short_names, chapters=chapters(), damaged=bool(context.server.site.damaged),
    )  # fmt: skip


def _shown(value: Any) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


@lru_cache(maxsize=128)
def _chapter(name: str) -> str:
    known = chapters()
    for place, chapter in enumerate(known):
        if chapter.name == name:
            before = known[place - 1] if place else None
            return page(chapter, before, known[place + 1] if place + 1 < len(known) else None)
    raise UsageError("there is no such chapter", field="document", got=name)


def handbook_page(context: RequestContext) -> Response:
    """Return a chapter of the handbook, its style, a figure, or the list of chapters."""
    name = str(context.request.path_params.get("name", ""))
    if name == "style.css":
        return FileResponse(STYLE, media_type="text/css")
    if name.startswith("figures/") and name.endswith(".svg"):
        figure = FIGURES / name.partition("/")[2]
        if figure.parent == FIGURES and figure.is_file():
            return FileResponse(figure, media_type="image/svg+xml")
        raise UsageError("there is no such figure", field="image", got=name[:80])
    if name in ("", "index.html"):
        return context.page("handbook.html", chapters=chapters())
    return HTMLResponse(_chapter(name.removesuffix(".html")))
