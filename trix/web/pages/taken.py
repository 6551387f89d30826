"""What readers take away: the results of a search as a file, and citations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from io import StringIO
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response

from trix.api.answers import checked
from trix.api.citation import FORMATS
from trix.api.records import WRITERS
from trix.support.kinds import OneOf
from trix.support.output import json_text
from trix.web.pages.handling import Visit
from trix.web.place.percent import printable

FILES = {"csv": ("text/csv", ".csv"), "jsonl": ("application/jsonl", ".jsonl"), "markdown": ("text/markdown", ".md")}
"""Media type and ending of a list of results, by its form."""

CITATIONS = {
    "csl": "application/vnd.citationstyles.csl+json",
    "bibtex": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
}
_ENDINGS = {"csl": ".json", "bibtex": ".bib", "ris": ".ris"}


def results_file(visit: Visit) -> Response:
    """Return the results of a page as a file; one by one, as they are ranked."""
    asked = visit.asked
    form = _format(visit, FILES)
    media, ending = FILES[form]
    found = visit.index.search(asked.query, **{**asked.options(), "top": asked.page, "from_": asked.start})
    out = StringIO()
    WRITERS[form](found, out)
    return _file(out.getvalue(), media, f"results{ending}")


def citation(visit: Visit) -> Response:
    """Return the citation of a place in a document: for scripts its text and the address, or a file."""
    doc, where = str(visit.request.path_params["doc"]), visit.given("at")
    opened = visit.shelf.document(doc)
    unit = doc
    if where and not opened.is_empty:
        unit += opened.names([opened.own(opened.named(where))])[1][0]
    if place := visit.given("place"):
        unit = f"{doc}#{place}"
    quotation = visit.given("text") if where else None
    cited = visit.index.cite(unit, quotation, base=str(visit.request.base_url), accessed=date.today().isoformat())
    if not visit.given("format"):
        return JSONResponse({"text": printable(cited.text), "address": cited.url})
    name = _format(visit, FORMATS)
    made = FORMATS[name](cited)
    if name == "text":
        return PlainTextResponse(printable(str(made)))
    return _file(made if isinstance(made, str) else json_text([made]), CITATIONS[name], f"{cited.key}{_ENDINGS[name]}")


def _format(visit: Visit, known: Mapping[str, Any]) -> str:
    found: str = checked("format", visit.given("format")[:80], OneOf(*known))
    return found


def _file(text: str, media: str, name: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name[-80:]}"', "cache-control": "no-store"}
    return Response(printable(text).encode(), media_type=media, headers=headers)
