"""Security middleware: headers of every response, and access by token."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content Security Policy: no inline scripts or styles, no resources of other hosts."""

SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""Policy of content of documents that browsers would render, XML and SVG: it may do nothing."""

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
    "x-frame-options": "DENY",
}


class SafeHeaders:
    """Middleware that adds the headers to every response, including errors."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


COOKIE = "trix-token"
OPEN = ("/api/v1/health",)
"""Paths that need no token, for health checks."""


class TokenCheck:
    """Middleware that requires a token.

    Programs send ``Authorization: Bearer TOKEN``. A browser opens ``/?token=TOKEN`` once: the token moves from the
    address into a cookie that scripts cannot read.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, _bytes(token.strip())
        self._kept = hashlib.sha256(self._token).hexdigest().encode()  # a stolen cookie does not reveal the token
        self._forms = [self._token]  # clients send headers in UTF-8 or in Latin-1
        with suppress(UnicodeEncodeError):
            self._forms.append(token.strip().encode("latin-1"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] in OPEN or self._known(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, errors="surrogateescape")
        given = next((value for name, value in pairs if name == "token"), "")
        if scope["method"] == "GET" and self._is_token(_bytes(given.strip())):
            rest = urlencode([pair for pair in pairs if pair[0] != "token"], errors="surrogateescape")
            inside = scope["path"].lstrip("/")  # never another host, as //example.org would be
            path = "/" + quote(inside, errors="surrogateescape")
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(
                COOKIE, self._kept.decode(), httponly=True, samesite="strict", secure=scope["scheme"] == "https"
            )
            await answer(scope, receive, send)
            return
        refused = PlainTextResponse(
            "A token is required: open /?token=TOKEN, or send Authorization: Bearer TOKEN.\n",
            401, {"www-authenticate": "Bearer"},
        )  # fmt: skip
        await refused(scope, receive, send)

    def _known(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(given.strip().encode("latin-1")):
            return True
        return any(hmac.compare_digest(value, self._kept) for value in _cookies(headers))

    def _is_token(self, given: bytes) -> bool:
        """Compare in constant time."""
        return given != b"" and any(hmac.compare_digest(given, form) for form in self._forms)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _cookies(headers: Headers) -> Iterator[bytes]:
    """Yield the values of our cookie; other cookies of the host may have any form.

    >>> list(_cookies(Headers({"cookie": 'a/b=c; x={"a":"b"}; trix-token=4f2a; =; trix-token="7"'})))
    [b'4f2a', b'"7"']
    """
    for header in headers.getlist("cookie"):
        for each in header.split(";"):
            name, _, value = each.strip().partition("=")
            if name == COOKIE:
                yield value.encode("latin-1")
