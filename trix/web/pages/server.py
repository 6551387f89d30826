"""Request handling of pages: one commit a request, limits, caches, error pages."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from trix.api.mended import working
from trix.errors import IndexError_, QueryError, SourceError, TooLongError, TrixError, UsageError
from trix.support.lru_cache import LruCache
from trix.web.pages.documents import DocumentCache, DocumentCaches
from trix.web.pages.state import SearchState, read
from trix.web.pages.templates import Pages, plain_notice
from trix.web.site.metrics import called
from trix.web.site.paths import key_of
from trix.web.site.percent import parameters
from trix.web.site.site import Site
from trix.web.site.throttle import TooManyError

Handler = Callable[[Request], Awaitable[Response]]
Make = Callable[["RequestContext"], Response]

T = TypeVar("T")

_KEPT_PAGES = 512
"""Size of the cache of pages."""

_KEPT_ANSWERS = 64
"""Size of the cache of results, from which a page or its changing part is rendered. It is small, since its many objects
slow down garbage collection."""

_LARGEST_KEPT = 400_000

TYPING = "typing"
"""Value of the header ``x-part`` while a query is being typed."""


class RequestContext:
    """Context of one request: parsed URL, and the commit that answers it.

    Attributes
    ----------
    request
    asked
        State in the URL.
    documents
        Cache of the documents of the commit.
    commit
        Identifier of the commit.
    """

    def __init__(self, server: PageServer, request: Request) -> None:
        self.server, self.request, self.pages = server, request, server.pages
        self.index = server.site.index
        self.documents: DocumentCache = server.caches.of(self.index)
        self.commit = server.site.commit_of(self.index)
        pairs = parameters(request.scope["query_string"])
        self._given = dict(pairs)
        self.asked: SearchState = read(pairs, server.site.limits, self.index.fields)

    def given(self, name: str, default: str = "") -> str:
        """Return a parameter of the URL."""
        return self._given.get(name, default)

    @property
    def is_typing(self) -> bool:
        """Whether the query is being typed, so that its last word may be unfinished."""
        return is_typing(self.request)

    @property
    def wants_part(self) -> bool:
        """Whether a script requests only the changing part of a page."""
        return wants_part(self.request)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Render a template with the values that all pages have."""
        common = {"asked": self.asked, "error": None, "answer": None, "path": self.request.scope["path"]}
        return self.pages.page(template, status, **{**common, **values})


def wants_part(request: Request) -> bool:
    """Whether a script requests only the changing part of a page."""
    return request.headers.get("x-part") in ("1", TYPING)


def is_typing(request: Request) -> bool:
    """Whether the query of a request is being typed, so that its last word may be unfinished."""
    return request.headers.get("x-part") == TYPING


class _CachedPage:
    """Cached page, plain and compressed."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    @cached_property
    def packed(self) -> bytes:
        """The compressed page, compressed once."""
        return gzip.compress(self.body, compresslevel=1, mtime=0)

    def answer(self, headers: dict[str, str], packs: bool) -> Response:
        """Return the page as a response, compressed if the client accepts that."""
        if not packs:
            return HTMLResponse(self.body, headers=headers)
        more = {"content-encoding": "gzip", "vary": headers["vary"] + ", Accept-Encoding"}
        return HTMLResponse(self.packed, headers={**headers, **more})


class PageServer:
    """Server of the pages of a site, with their shared templates and caches."""

    def __init__(self, site: Site) -> None:
        self.site, self.pages, self.caches = site, Pages(site), DocumentCaches(site)
        self._made: LruCache[tuple[str, ...], _CachedPage] = LruCache(_KEPT_PAGES)
        self._making: dict[tuple[str, ...], asyncio.Future[Response | _CachedPage]] = {}
        self._began = f"{time.time_ns():x}"  # templates and words may have changed since another start
        self._answers: LruCache[Any, Any] = LruCache(_KEPT_ANSWERS)

    def once(self, asked: tuple[Any, Callable[[], T]]) -> T:
        """Return the cached value of a key, or compute it; keys contain the commit."""
        key, make = asked
        found = self._answers.known(key)
        if found is None:
            self._answers.keep(key, found := make())
        return cast(T, found)

    def handler(self, make: Make, address: str, *, kept: bool = False) -> Handler:
        """Return the handler of a route, which makes pages in a thread within the limits.

        Pages that are `kept` depend on their URL and the commit alone. They are cached here, and have an ETag for the
        caches of browsers.
        """

        async def handle(request: Request) -> Response:
            called(request.scope, address)
            if not kept:
                return await self.site.run(lambda: make(RequestContext(self, request)))
            part = f"{wants_part(request)} {is_typing(request)}"
            name = f'W/"{self.site.commit_of(self.site.index)}-{self._began}"'
            headers = {"etag": name, "cache-control": "private, no-cache", "vary": "x-part"}
            if request.headers.get("if-none-match") == name:
                return Response(status_code=304, headers=headers)
            key = name, part, *key_of(request.scope)
            packs = "gzip" in request.headers.get("accept-encoding", "")
            page = self._made.known(key)
            if page is not None:
                return page.answer(headers, packs)
            making = self._making.get(key)
            if making is None:  # concurrent requests of the same page share one computation
                making = asyncio.ensure_future(self._make(key, lambda: make(RequestContext(self, request)), packs))
                self._making[key] = making
                making.add_done_callback(lambda _: self._making.pop(key, None))
            made = await asyncio.shield(making)
            if isinstance(made, _CachedPage):
                return made.answer(headers, packs)
            # A copy per request: middleware mutates the headers.
            return Response(made.body, made.status_code, dict(made.headers))

        return handle

    async def _make(self, key: tuple[str, ...], call: Callable[[], Response], packs: bool) -> Response | _CachedPage:
        """Make a page, and cache it."""

        def make() -> Response | _CachedPage:
            answer = call()
            body = bytes(answer.body)
            if answer.status_code != 200 or len(body) > _LARGEST_KEPT:
                return answer
            page = _CachedPage(body)
            if packs:
                _ = page.packed  # compress in this thread, not in the event loop
            return page

        made = await self.site.run(make)
        if isinstance(made, _CachedPage):
            self._made.keep(key, made)
        return made


def told(error: TrixError) -> str:
    """Return the message of an error for a page, without paths of the machine."""
    if isinstance(error, SourceError):
        return "The source of this document has moved or changed since it was indexed."
    if isinstance(error, IndexError_):
        return "The index cannot be read; its operator can find the fault with trix check."
    if isinstance(error, QueryError):  # the page shows the query with its mistake marked
        return plain_notice(error.reason + (f" ({error.hint})" if error.hint else ""))
    return plain_notice(str(error))


class Caret(NamedTuple):
    """A wrong query, split at the character at fault."""

    before: str
    fault: str
    after: str


def caret_of(error: TrixError) -> Caret | None:
    """Return the query of an error, split at its mistake; None for other errors."""
    if not isinstance(error, QueryError):
        return None
    at = error.column - 1
    return Caret(error.query[:at], error.query[at : at + 1] or " ", error.query[at + 1 :])


def instead_of(error: TrixError, asked: SearchState) -> tuple[str, str] | None:
    """Suggest a correct query or filter for a wrong one, with its URL; None if there is none."""
    example = working(error) if isinstance(error, QueryError) else ""
    if not example or not isinstance(error, QueryError):
        return None
    if error.what == "where":
        return example, asked.with_setting("where", example).address()
    return example, asked.address(query=example, start=1)


def status_of(error: TrixError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, TooManyError):
        return 429
    if isinstance(error, (TooLongError, IndexError_)):
        return 503
    if isinstance(error, SourceError):
        return 410
    if isinstance(error, UsageError) and error.field in ("document", "at", "id", "place", "part", "image", "register"):
        return 404
    return 400


def on_errors(pages: Pages) -> dict[Any, Any]:
    """Return exception handlers that render error pages."""

    async def expected(request: Request, error: Exception) -> Response:
        assert isinstance(error, TrixError)
        status = status_of(error)
        headers = {"retry-after": "1"} if status in (429, 503) else None
        page = _error_page(pages, status, told(error))
        page.headers.update(headers or {})
        return page

    async def plain(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        said = {404: pages.say("not_found"), 405: pages.say("not_allowed")}.get(status, pages.say("went_wrong"))
        return _error_page(pages, status, said)

    return {TrixError: expected, HTTPException: plain, 500: plain}


def _error_page(pages: Pages, status: int, said: str) -> HTMLResponse:
    return pages.page("error.html", status, said=said, asked=SearchState(), path="", error=None, answer=None)
