"""Who may ask: whoever knows the token, from a header, or once from an address that is at once forgotten."""

from __future__ import annotations

import hashlib
import hmac
from http.cookies import SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

COOKIE = "trix-token"
OPEN = ("/api/v1/health",)
"""Paths that answer without a token, to those who watch whether the place is alive."""


class Token:
    """Middleware that lets those pass who know the token.

    Programs send ``Authorization: Bearer TOKEN``. A browser opens ``/?token=TOKEN`` once: the token goes into a cookie
    that no script can read, and out of the address.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._token = app, token
        self._kept = hashlib.sha256(token.encode()).hexdigest()  # a cookie that was stolen is not the token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] in OPEN or self._known(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = next((value for name, value in pairs if name == "token"), "")
        if given and scope["method"] == "GET" and _same(given, self._token):
            rest = urlencode([pair for pair in pairs if pair[0] != "token"])
            path = "/" + scope["path"].lstrip("/")  # no other place, as //example.org would be
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(COOKIE, self._kept, httponly=True, samesite="strict", secure=scope["scheme"] == "https")
            await answer(scope, receive, send)
            return
        refused = PlainTextResponse(
            "This place asks for a token: open it as /?token=TOKEN, or send Authorization: Bearer TOKEN.\n",
            401, {"www-authenticate": "Bearer"},
        )  # fmt: skip
        await refused(scope, receive, send)

    def _known(self, headers: Headers) -> bool:
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and _same(given.strip(), self._token):
            return True
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        return cookie is not None and _same(cookie.value, self._kept)


def _same(one: str, other: str) -> bool:
    """Compare in a time that tells nothing of where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
