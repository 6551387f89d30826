"""Handlers of the API: searches, documents and elements by name, state of the server."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from pathlib import PurePath
from typing import Any

from trix import __version__
from trix.api.citation import FORMATS
from trix.api.index import Index
from trix.api.records import WRITERS
from trix.api.registers import records_of
from trix.errors import UsageError
from trix.indexer.fields.facets import Facet
from trix.query.display.passages import Passages
from trix.query.display.results import Results
from trix.web.api.answer import BIBTEX, CSV, HTML, JSON, LINES, MARKDOWN, RIS, TEXT, XML, ApiAnswer
from trix.web.api.request import ApiRequest
from trix.web.reading.direction import LTR
from trix.web.reading.document import OpenDocument
from trix.web.reading.html import Html
from trix.web.reading.passages import Rendering
from trix.web.reading.roles import Roles


def search(request: ApiRequest) -> ApiAnswer:
    """Return ranked elements."""
    results = request.index.search(request.get("query", ""), **request.settings)
    media = _OF_LIST[request.get("format", "")] if request.get("format") else request.wants(JSON, LINES, CSV, MARKDOWN)
    if media in (CSV, MARKDOWN):
        out = StringIO()
        WRITERS["csv" if media == CSV else "markdown"](results, out)
        return ApiAnswer(out.getvalue(), media)
    found = [{**each.to_dict(), "own": float(own)} for each, own in zip(results, results.own, strict=True)]
    if media == LINES:
        return ApiAnswer(found, LINES)
    said = {**_summary(results), "results": found, **_facets(results.facets)}
    if results.plan is not None:
        said["plan"] = results.plan.to_json()
    if results.next is not None:
        said["next"] = results.next._asdict()
    return ApiAnswer(said)


_OF_LIST = {"json": JSON, "jsonl": LINES, "csv": CSV, "markdown": MARKDOWN}


def cite(request: ApiRequest) -> ApiAnswer:
    """Return a citation of a document or an element, with a permanent address."""
    form = request.get("format") or next(
        name for name, media in _OF_CITATION.items() if media == request.wants(JSON, TEXT, BIBTEX, RIS)
    )
    cited = request.index.cite(
        request.unit, request.get("quotation"), base=request.base, accessed=request.get("accessed", "")
    )
    return ApiAnswer(FORMATS[form](cited), _OF_CITATION[form])


_OF_CITATION = {"csl": JSON, "text": TEXT, "bibtex": BIBTEX, "ris": RIS}


def _summary(results: Results) -> dict[str, Any]:
    return {
        **_asked(results),
        "typed": results.typed,
        "matched": results.matched,
        "from": results.begin + 1,
        "seconds": round(results.seconds, 6),
        "notices": list(results.notices),
    }


def _asked(found: Results | Passages) -> dict[str, str]:
    """Return the parsed query, and its correction if there is one."""
    return {"query": found.query} | ({"corrected": found.corrected} if found.corrected else {})


def _facets(facets: Mapping[str, Facet]) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the values of facets, and their ranges if they have any."""
    ranges = {name: counts.ranges() for name, counts in facets.items()}
    said = {"facets": {name: counts[:MOST_VALUES] for name, counts in facets.items()}}
    said |= {"ranges": {name: counts for name, counts in ranges.items() if counts}} if any(ranges.values()) else {}
    return {
        kind: {name: [each._asdict() for each in counts] for name, counts in of.items()} for kind, of in said.items()
    }


MOST_VALUES = 1_000
"""Values of a facet in a response, at most; the most frequent ones."""


def facets(request: ApiRequest) -> ApiAnswer:
    """Return counts of the values of fields in the matching documents, without results."""
    if "facet" not in request.given:
        raise UsageError("missing; expected names of fields, as journal,year", field="facet")
    results = request.index.search(request.get("query", ""), **{**request.settings, "top": 1})
    return ApiAnswer({**_asked(results), "matched": results.matched, **_facets(results.facets)})


def explain(request: ApiRequest) -> ApiAnswer:
    """Return how the score of an element is made up, as a tree."""
    explanation = request.index.explain(request.get("query", ""), request.given["element"], **request.settings)
    return ApiAnswer(explanation.to_json())


def passages(request: ApiRequest) -> ApiAnswer:
    """Return the best passages that fit a length, in reading order."""
    own = {name: request.given[name] for name in ("characters", "around", "sentences") if name in request.given}
    found = request.index.passages(request.get("query", ""), **own, **request.settings)
    lines = [each.to_dict() for each in found]
    if request.wants(JSON, LINES) == LINES:
        return ApiAnswer(lines, LINES)
    characters = sum(len(each.text) for each in found)
    summary = {"matched": found.matched, "characters": characters}
    return ApiAnswer({**_asked(found), **summary, "notices": list(found.notices), "passages": lines})


def concordance(request: ApiRequest) -> ApiAnswer:
    """Return a concordance: each occurrence of the words of a query with the words around it."""
    sort = request.get("kwic_sort", "document")
    found = request.index.concordance(request.get("query", ""), kwic_sort=sort, **{"top": 10, **request.settings})
    lines = [each._asdict() for each in found]
    if request.wants(JSON, LINES) == LINES:
        return ApiAnswer(lines, LINES)
    corrected = {"corrected": found.corrected} if found.corrected else {}
    return ApiAnswer({**corrected, "notices": list(found.notices), "lines": lines})


def registers(request: ApiRequest) -> ApiAnswer:
    """Return the registers of the index, the entries of one, or the mentions of a key."""
    index, name, key = request.index, request.get("register"), request.get("key")
    first, top = request.get("from_", 1), request.get("top", 10)
    if name is None:
        if key is not None:
            raise UsageError("missing; expected the register of the key", field="register")
        return ApiAnswer({"registers": records_of(index.registers())})
    if name not in index.registers():
        known = ", ".join(index.registers()) or "none"
        raise UsageError(f"no such register; there are {known}", field="register", got=name)
    register = index.register(name, sort=request.get("order", "name"), match=request.get("match", ""))
    if key is None:
        entries = [each._asdict() for each in register[first - 1 : first - 1 + top]]
        return ApiAnswer({"register": name, "matched": len(register), "entries": entries})
    mentions = [each._asdict() for each in register.mentions(key, top, first)]
    return ApiAnswer({"register": name, "key": key, "mentions": mentions})


def suggest(request: ApiRequest) -> ApiAnswer:
    """Return completions of the beginning of a query: words of the index, titles of documents and sections."""
    found = request.index.suggest(request.given["text"], request.get("top", 10))
    return ApiAnswer({"suggestions": [each.as_dict() for each in found]})


_OF_FORMAT = {"json": JSON, "xml": XML, "html": HTML, "text": TEXT}


def document(request: ApiRequest) -> ApiAnswer:
    """Return the fields of a document, its length, and the titles of its sections."""
    unit = request.index.unit(request.unit)
    sections = request.index.outline(request.unit, request.get("depth", 2))
    said = {"id": unit.doc, "title": unit.title, "label": unit.label, "length": unit.length, "fields": unit.fields}
    return ApiAnswer({**said, "outline": [each._asdict() for each in sections]})


def element(request: ApiRequest) -> ApiAnswer:
    """Return an element or a whole document: its place and text, or its XML, HTML or text alone."""
    form = request.get("format") or next(
        name for name, media in _OF_FORMAT.items() if media == request.wants(JSON, XML, HTML, TEXT)
    )
    index, unit = request.index, request.unit
    marked: dict[str, Any] = {}
    if "highlight" in request.given:
        marked = {"highlight": request.given["highlight"], "phrases": request.get("phrases", "content")}
    if form == "xml":
        text = index.show(unit, xml=True, **marked)
        return ApiAnswer(text, XML if text.startswith("<") else TEXT)  # an attribute, or a run of text, is no XML
    if form == "html":
        return ApiAnswer(html_of(index, unit), HTML)
    raw = request.get("raw", False)
    text = index.show(unit, raw=raw, **marked) if raw or marked else index.prose(unit)
    if form == "text":
        return ApiAnswer(text, TEXT)
    return ApiAnswer({**index.unit(unit)._asdict(), "text": text})


def html_of(index: Index, name: str) -> str:
    """Render an element as on its page, with the sections around it."""
    unit = index.unit(name)
    opened = OpenDocument(index, unit.doc, Roles(index.files.profile, []))
    if opened.is_empty:
        return Html(opened, Rendering()).stretch([opened.document.root], [])
    element = opened.own(opened.named(unit.label)) if unit.length else opened.low
    inside = list(range(element, opened.after(element)))
    labels, paths = opened.names(inside)
    names = {path: (each, label) for path, each, label in zip(paths, inside, labels, strict=True)}
    behind, root = opened.after(element), opened.document.root
    end = opened.chain(opened.names([behind])[1][0], root) if behind < opened.high else []
    return Html(opened, Rendering(names=names), LTR).stretch(opened.chain(paths[0], root), end)


TOLD = (
    "documents", "elements", "content_elements", "keys", "postings", "tokens", "xml_bytes", "index_bytes", "deleted",
    "levels", "presets", "tags",
)  # fmt: skip
"""Facts of an index that are public; the others describe the machine."""


def info(request: ApiRequest) -> ApiAnswer:
    """Return counts, tags, settings and fields of the index, or a description of a granularity level."""
    if "level" in request.given:
        return ApiAnswer(dict(request.index.info(request.given["level"])))
    facts = request.index.info()
    said: dict[str, Any] = {"version": __version__, "commit": request.commit}
    said |= {name: facts[name] for name in TOLD if name in facts}
    said["settings"] = {name: _named(value) for name, value in facts["settings"].items()}
    return ApiAnswer({**said, "fields": dict(request.index.fields.facts())})


def _named(value: Any) -> Any:
    """Return a setting, with file paths cut to the name.

    >>> _named("mine/plays.toml"), _named("porter"), _named(True)
    ('plays.toml', 'porter', True)
    """
    if isinstance(value, str | bool | int | float) or value is None:
        return PurePath(value).name if isinstance(value, str) and ("/" in value or "\\" in value) else value
    return str(value) if not isinstance(value, list | dict) else len(value)


def health(damaged: str, request: ApiRequest) -> ApiAnswer:
    """Return whether the server answers from its newest commit."""
    state = "damaged" if damaged else "ok"
    return ApiAnswer({"status": state, "commit": request.commit, "documents": len(request.index)}, kept=False)
