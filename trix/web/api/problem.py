"""Errors as problem+json: what is wrong, and with which parameter; never a path of this machine."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from trix.errors import IndexError_, QueryError, SourceError, TrixError, UsageError
from trix.support.jsonl import json_text
from trix.web.api.parameters import wire
from trix.web.place.asking import TooLongError, TooManyError

MEDIA = "application/problem+json"

_GONE = "the source of this document has moved or changed since it was indexed"
_UNREADABLE = "the index cannot be read; whoever keeps this place should look at it with trix check"


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """Return an answer that says what is wrong."""
    said = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return Response(json_text(said), status, {"cache-control": "no-store", **(headers or {})}, MEDIA)


def problem_of(error: TrixError) -> Response:
    """Return the answer for an error of the library."""
    if isinstance(error, TooManyError | TooLongError):
        return problem(429 if isinstance(error, TooManyError) else 503, str(error), {"retry-after": "1"})
    if isinstance(error, SourceError):
        return problem(410, _GONE)
    if isinstance(error, IndexError_):
        return problem(503, _UNREADABLE)
    if isinstance(error, QueryError):
        hint = f" ({error.hint})" if error.hint else ""
        field = "where" if str(error).startswith("where,") else "query"
        return problem(400, f"{error.reason}{hint}", field=field, column=error.column)
    if isinstance(error, UsageError) and error.field:
        got: dict[str, Any] = {} if error.got is None else {"got": error.got}
        return problem(400, _named(error.reason), field=wire(error.field), **got)
    return problem(400, _named(str(error)))


def _named(text: str) -> str:
    """Return a message that calls parameters by their names in an address."""
    return text.replace("_`", "`")


def missing(error: UsageError) -> Response:
    """Return the answer where the path of a request names nothing."""
    return problem(404, _named(str(error)))
