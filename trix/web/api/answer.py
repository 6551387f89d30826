"""HTTP responses of the API: data with an ETag, or errors as problem+json.

No response contains a path of the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from zlib import crc32

from starlette.responses import Response

from trix import __version__
from trix.errors import IndexError_, QueryError, SourceError, TooLongError, TrixError, UsageError
from trix.support.output import finite, json_line, json_text
from trix.web.api.parameters import wire
from trix.web.safety.middleware import SANDBOX
from trix.web.site.percent import printable
from trix.web.site.throttle import TooManyError

JSON, LINES, XML, HTML, TEXT, CSV, MARKDOWN, BIBTEX, RIS = (
    "application/json",
    "application/jsonl",
    "application/xml",
    "text/html",
    "text/plain",
    "text/csv",
    "text/markdown",
    "application/x-bibtex",
    "application/x-research-info-systems",
)


@dataclass(frozen=True)
class ApiAnswer:
    """Result of an endpoint.

    Attributes
    ----------
    body
        Data to serialise as JSON, or a text for other media types.
    media
        Its media type.
    kept
        Whether clients may cache it until the next commit.
    """

    body: Any
    media: str = JSON
    kept: bool = True


def response(answer: ApiAnswer, tag: str) -> Response:
    """Serialise an answer, with its headers."""
    headers = {"vary": "Accept"}
    headers |= {"etag": tag, "cache-control": "private, no-cache"} if answer.kept else {"cache-control": "no-store"}
    if answer.media == XML:  # browsers show XHTML in it as a page
        headers["content-security-policy"] = SANDBOX
    text = answer.body if isinstance(answer.body, str) else _written(answer.body, answer.media)
    media = f"{answer.media}; charset=utf-8" if answer.media.startswith("text/") else answer.media
    return Response(printable(text).encode(), media_type=media, headers=headers)


def _written(body: Any, media: str) -> str:
    if media == LINES:
        return "".join(json_line(each) for each in finite(body))
    return json_text(finite(body), str)


def tag_of(commit: str, accepts: str) -> str:
    """Return the ETag of answers from a commit; it is weak, since answers contain the time of the search.

    >>> tag_of("4f2a", "text/html, */*") == tag_of("4f2a", "text/html, */*") != tag_of("4f2a", "application/json")
    True
    """
    form = "".join(sorted({each.partition(";")[0].strip() for each in accepts.lower().split(",")}))
    return f'W/"{commit}-{__version__}-{crc32(form.encode()):x}"'


def is_known(tag: str, header: str) -> bool:
    """Whether the header If-None-Match contains an ETag.

    >>> is_known('W/"a"', '"b", "a"'), is_known('W/"a"', "*"), is_known('W/"a"', "")
    (True, True, False)
    """
    plain = tag.removeprefix("W/")
    return header.strip() == "*" or plain in (each.strip().removeprefix("W/") for each in header.split(","))


MEDIA = "application/problem+json"

_GONE = "the source of this document has moved or changed since it was indexed"
_UNREADABLE = "the index cannot be read; its operator can find the fault with trix check"


def problem(status: int, detail: str, headers: dict[str, str] | None = None, **more: Any) -> Response:
    """Return an error as problem+json."""
    said = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return Response(json_text(said), status, {"cache-control": "no-store", **(headers or {})}, MEDIA)


def problem_of(error: TrixError) -> Response:
    """Return the response to an error of the library."""
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
    """Write the names of parameters in a message as in a URL."""
    return text.replace("_`", "`")


def missing(error: UsageError) -> Response:
    """Return the response to a path that names nothing."""
    return problem(404, _named(str(error)))
