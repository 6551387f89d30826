"""OpenAPI 3.1 description of the API, generated from the declared endpoints and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trix import __version__
from trix.api.registers import Mention, RegisterEntry
from trix.indexer.fields.facets import FacetCount
from trix.query.display.concordance import ConcordanceLine
from trix.query.display.passages import Passage
from trix.query.display.units import TitledSection, Unit
from trix.query.suggest import Suggestion
from trix.setting import Setting
from trix.support.setting_types import NameList
from trix.web.api.answer import MEDIA
from trix.web.api.endpoints import ENDPOINTS, ROOT, Endpoint
from trix.web.api.parameters import wire
from trix.web.api.schema import Schema, list_of, named, object_of, of_record, of_setting, of_type
from trix.web.site.limits import RequestLimits

ERRORS = {
    "304": "The answer has not changed since the given ETag",
    "400": "A parameter, the query or the filter is wrong; field says which",
    "401": "A token is required",
    "404": "There is no such document or element",
    "410": "The source of the document has moved or changed since it was indexed",
    "429": "Too many requests are waiting",
    "503": "The answer took too long and was cancelled, or the index cannot be read",
}
"""Meaning of each other status."""

_STRING, _NUMBER, _INTEGER, _OBJECT = of_type(str), of_type(float), of_type(int), {"type": "object"}
_RANGES = list_of(list_of(_INTEGER))


def schemas() -> dict[str, Schema]:
    """Return the schemas of responses, by name."""
    result = object_of(
        {
            "rank": _INTEGER, "score": _NUMBER, "own": _NUMBER, "doc": _STRING, "label": _STRING, "path": _STRING,
            "tag": _STRING, "offset": _INTEGER, "length": _INTEGER, "title": _STRING, "breadcrumb": list_of(_STRING),
            "copies": list_of(_STRING), "snippet": _STRING, "marks": _RANGES, "fields": _OBJECT,
            "matched_fields": _OBJECT, "places": _OBJECT,
        },
        optional=("copies", "fields", "matched_fields", "places"),
    )  # fmt: skip
    summary = {
        "query": _STRING, "corrected": _STRING, "typed": _STRING, "matched": _INTEGER, "from": _INTEGER,
        "seconds": _NUMBER, "notices": list_of(_STRING),
    }  # fmt: skip
    counts = {"type": "object", "additionalProperties": list_of(named("FacetCount"))}
    following = object_of({"doc": _STRING, "results": _INTEGER, "top": _INTEGER, "cut": _INTEGER})
    plan = object_of({"strategy": _STRING, "reason": _STRING})
    unit = of_record(Unit)
    return {
        "Result": result,
        "Results": object_of(
            {**summary, "results": list_of(named("Result")), "facets": counts, "ranges": counts, "plan": plan,
             "next": following},
            optional=("corrected", "ranges", "plan", "next"),
        ),
        "Passage": of_record(Passage),
        "Passages": object_of(
            {
                "query": _STRING, "corrected": _STRING, "matched": _INTEGER, "characters": _INTEGER,
                "notices": list_of(_STRING), "passages": list_of(named("Passage")),
            },
            optional=("corrected",),
        ),
        "FacetCount": of_record(FacetCount),
        "Facets": object_of(
            {"query": _STRING, "corrected": _STRING, "matched": _INTEGER, "facets": counts, "ranges": counts},
            optional=("corrected", "ranges"),
        ),
        "ConcordanceLine": of_record(ConcordanceLine),
        "Concordance": object_of(
            {"corrected": _STRING, "notices": list_of(_STRING), "lines": list_of(named("ConcordanceLine"))},
            optional=("corrected",),
        ),
        "Explanation": object_of(
            {"value": _NUMBER, "what": _STRING, "numbers": _OBJECT, "parts": list_of(named("Explanation"))},
            optional=("numbers", "parts"),
        ),
        "Suggestion": of_record(Suggestion),
        "Suggestions": object_of({"suggestions": list_of(named("Suggestion"))}),
        "RegisterEntry": of_record(RegisterEntry),
        "Mention": of_record(Mention),
        "Registers": object_of(
            {
                "registers": list_of(object_of({"name": _STRING, "entries": _INTEGER, "mentions": _INTEGER})),
                "register": _STRING, "key": _STRING, "matched": _INTEGER, "entries": list_of(named("RegisterEntry")),
                "mentions": list_of(named("Mention")),
            },
            optional=("registers", "register", "key", "matched", "entries", "mentions"),
        ),
        "Section": of_record(TitledSection),
        "Document": object_of(
            {
                "id": _STRING, "title": _STRING, "label": _STRING, "length": _INTEGER, "fields": _OBJECT,
                "outline": list_of(named("Section")),
            }
        ),
        "Element": object_of({**unit["properties"], "text": _STRING}),
        "Info": _OBJECT,
        "Health": object_of(
            {"status": {"type": "string", "enum": ["ok", "damaged"]}, "commit": _STRING, "documents": _INTEGER}
        ),
        "Text": _STRING,
        "Citation": object_of(
            {
                "id": _STRING, "type": _STRING, "title": _STRING, "author": list_of(_OBJECT), "issued": _OBJECT,
                "container-title": _STRING, "publisher": _STRING, "DOI": _STRING, "language": _STRING, "URL": _STRING,
                "accessed": _OBJECT, "note": _STRING,
            },
            optional=(
                "author", "issued", "container-title", "publisher", "DOI", "language", "URL", "accessed", "note",
            ),
        ),
        "Problem": object_of(
            {
                "type": _STRING, "title": _STRING, "status": _INTEGER, "detail": _STRING, "field": _STRING,
                "got": _STRING, "column": _INTEGER,
            },
            optional=("field", "got", "column"),
        ),
    }  # fmt: skip


def description(limits: RequestLimits) -> dict[str, Any]:
    """Describe the API of a server with these limits."""
    paths = {ROOT + each.path: {"get": _operation(each, limits)} for each in ENDPOINTS}
    paths[f"{ROOT}/health"] = {
        "get": _plain("health", "Return whether the server answers.", "application/json", "Health")
    }
    paths[f"{ROOT}/metrics"] = {"get": _plain("metrics", "Return metrics for Prometheus.", "text/plain", "Text")}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Trix",
            "version": __version__,
            "description": "Ranked elements of any size from XML, scored with their context. Names and defaults are "
            "those of the library. Errors are application/problem+json.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _plain(name: str, summary: str, media: str, schema: str) -> Schema:
    content = {media: {"schema": named(schema)}}
    return {
        "operationId": name, "summary": summary, "parameters": [],
        "responses": {"200": {"description": summary, "content": content}, "400": _problem("400"), "401": _refused()},
    }  # fmt: skip


def _operation(endpoint: Endpoint, limits: RequestLimits) -> Schema:
    parameters = [_parameter(each, name in endpoint.required, limits) for name, each in endpoint.parameters.items()]
    if endpoint.unit:
        unit = {"type": "string", "minLength": 1}
        parameters.insert(
            0, {"name": "unit", "in": "path", "required": True, "description": endpoint.unit, "schema": unit}
        )
    content = {media: {"schema": named(schema)} for media, schema in endpoint.media.items()}
    responses: dict[str, Any] = {"200": {"description": endpoint.summary, "content": content, "headers": _tags()}}
    for status in ERRORS:
        if status not in ("304", "401") and (endpoint.unit or status not in ("404",)):
            responses[status] = _problem(status)
    responses |= {"304": {"description": ERRORS["304"]}, "401": _refused()}
    return {
        "operationId": endpoint.name, "summary": endpoint.summary, "parameters": parameters, "responses": responses,
    }  # fmt: skip


def _tags() -> Schema:
    return {"ETag": {"description": "The commit that answered", "schema": _STRING}}


def _problem(status: str) -> Schema:
    return {"description": ERRORS[status], "content": {MEDIA: {"schema": named("Problem")}}}


def _refused() -> Schema:
    return {"description": ERRORS["401"], "content": {"text/plain": {"schema": named("Text")}}}


def _parameter(setting: Setting, required: bool, limits: RequestLimits) -> Mapping[str, Any]:
    described: dict[str, Any] = {
        "name": wire(setting.name), "in": "query", "required": required and setting.name != "query",
        "description": setting.help, "schema": of_setting(setting, limits),
    }  # fmt: skip
    if setting.name == "query":
        described["description"] += "; required unless like is given"
    if isinstance(setting.kind, NameList):
        described |= {"style": "form", "explode": False}
    return described
