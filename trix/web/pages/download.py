"""Downloads: the results of a search as a file, and citations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from io import StringIO
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from trix.api.answers import checked
from trix.api.citation import FORMATS
from trix.api.records import WRITERS
from trix.support.output import json_text
from trix.support.setting_types import Choice
from trix.web.pages.server import RequestContext
from trix.web.site.percent import printable

FILES = {"csv": ("text/csv", ".csv"), "jsonl": ("application/jsonl", ".jsonl"), "markdown": ("text/markdown", ".md")}
"""Format of results -> media type and ending."""

CITATIONS = {
    "csl": "application/vnd.citationstyles.csl+json",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
}
_ENDINGS = {"csl": ".json", "bibtex": ".bib", "ris": ".ris"}


def results_file(context: RequestContext) -> Response:
    """Return the results of a page as a file, by rank."""
    asked = context.asked
    form = _format(context, FILES)
    media, ending = FILES[form]
    found = context.index.search(asked.query, **{**asked.options(), "top": asked.page, "from_": asked.start})
    out = StringIO()
    WRITERS[form](found, out)
    return _file(out.getvalue(), media, f"results{ending}")


def citation(context: RequestContext) -> Response:
    """Cite a place in a document: as text and URL for scripts, or as a file."""
    doc, where = str(context.request.path_params["doc"]), context.given("at")
    opened = context.documents.document(doc)
    unit = doc
    if where and not opened.is_empty:
        unit += opened.names([opened.own(opened.named(where))])[1][0]
    if place := context.given("place"):
        unit = f"{doc}#{place}"
    quotation = context.given("text") if where else None
    cited = context.index.cite(unit, quotation, base=str(context.request.base_url), accessed=date.today().isoformat())
    if not context.given("format"):
        return JSONResponse({"text": printable(cited.text), "address": cited.url})
    name = _format(context, FORMATS)
    made = FORMATS[name](cited)
    if name == "text":
        return PlainTextResponse(printable(str(made)))
    return _file(made if isinstance(made, str) else json_text([made]), CITATIONS[name], f"{cited.key}{_ENDINGS[name]}")


def _format(context: RequestContext, known: Mapping[str, Any]) -> str:
    found: str = checked("format", context.given("format")[:80], Choice(*known))
    return found


def _file(text: str, media: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name[-80:]}"', "cache-control": "no-store"}
    return Response(printable(text).encode(), media_type=media, headers=headers)
