"""Paths of requests: decoded without loss, and matched by routes whatever characters a name has."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

from trix.web.place.percent import decoded


class _Name(Convertor[str]):
    """The rest of a path, line breaks included, which starlette's own ``path`` leaves out."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("name", _Name())


def route_path(address: str) -> str:
    """Return the path of a route for an address in which any name may stand.

    >>> route_path("/read/{doc:path}")
    '/read/{doc:name}'
    """
    return address.replace(":path}", ":name}")


class DecodedPath:
    """Middleware that decodes the path from its bytes: servers put U+FFFD for those that are not UTF-8."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http" and (raw := scope.get("raw_path")):
            scope = {**scope, "path": decoded(raw)}
        await self._app(scope, receive, send)


def key_of(scope: Scope) -> tuple[str, str]:
    """Return the cache key of a request: path and query as they were sent.

    Host and scheme come from the client, and no page depends on them.
    """
    raw = scope.get("raw_path") or scope["path"].encode("utf-8", "surrogateescape")
    return raw.decode("latin-1"), scope["query_string"].decode("latin-1")
