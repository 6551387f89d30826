"""Paths of requests: decoded losslessly, and matched by routes with any characters."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from trix.web.site.percent import decoded


class _Name(Convertor[str]):
    """Converter of the rest of a path, including line breaks, which starlette's ``path`` excludes."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("name", _Name())


def route_path(address: str) -> str:
    """Return a route whose names may have any characters.

    >>> route_path("/read/{doc:path}")
    '/read/{doc:name}'
    """
    return address.replace(":path}", ":name}")


class DecodedPath:
    """Middleware that decodes the raw path, since servers replace bytes that are not UTF-8 by U+FFFD."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and (raw := scope.get("raw_path")):
            scope = {**scope, "path": decoded(raw)}
        await self._app(scope, receive, send)


def key_of(scope: Scope) -> tuple[str, str]:
    """Return the cache key of a request: raw path and query.

    Host and scheme come from the client, and pages do not depend on them.
    """
    raw = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
    return raw.decode("latin-1"), scope["query_string"].decode("latin-1")
