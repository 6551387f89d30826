"""What every page does with a request: one commit, work within bounds, errors as pages that say what to do."""

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
from trix.support.recent import Kept
from trix.web.pages.asked import Asked, read
from trix.web.pages.documents import Shelf, Shelves
from trix.web.pages.templates import Pages, plain_notice
from trix.web.place.asking import TooManyError
from trix.web.place.metrics import called
from trix.web.place.paths import key_of
from trix.web.place.percent import parameters
from trix.web.place.place import Place

Handler = Callable[[Request], Awaitable[Response]]
Make = Callable[["Visit"], Response]

T = TypeVar("T")

_KEPT_PAGES = 512
"""Pages that are kept, since people go back and forth."""

_KEPT_ANSWERS = 64
"""Answers from which other pages may be made at once: the whole page, or its changing part. They are many
objects, which Python looks over again and again in search of circles."""

_LARGEST_KEPT = 400_000

TYPING = "typing"
"""What a script says that asks for a part of a page while a query is being typed."""


class Visit:
    """One request: its address read, and the commit that answers it.

    Attributes
    ----------
    request
    asked
        What the address asks for.
    shelf
        The documents of the commit.
    commit
        Its name.
    """

    def __init__(self, house: House, request: Request) -> None:
        self.house, self.request, self.pages = house, request, house.pages
        self.index = house.place.index
        self.shelf: Shelf = house.shelves.of(self.index)
        self.commit = house.place.commit_of(self.index)
        pairs = parameters(request.scope["query_string"])
        self._given = dict(pairs)
        self.asked: Asked = read(pairs, house.place.limits, self.index.fields)

    def given(self, name: str, default: str = "") -> str:
        """Return a parameter of the address."""
        return self._given.get(name, default)

    @property
    def is_typing(self) -> bool:
        """Whether the query is being typed, so that its last word may be unfinished."""
        return is_typing(self.request)

    @property
    def wants_part(self) -> bool:
        """Whether a script asks for the changing part of a page alone."""
        return wants_part(self.request)

    def page(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page, with what all pages have."""
        common = {"asked": self.asked, "error": None, "answer": None, "path": self.request.scope["path"]}
        return self.pages.page(template, status, **{**common, **values})


def wants_part(request: Request) -> bool:
    """Whether a script asks for the changing part of a page alone."""
    return request.headers.get("x-part") in ("1", TYPING)


def is_typing(request: Request) -> bool:
    """Whether the query of a request is being typed, so that its last word may be unfinished."""
    return request.headers.get("x-part") == TYPING


class _Page:
    """A page that is kept, and as browsers take it."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    @cached_property
    def packed(self) -> bytes:
        """The page, compressed: once, and not for each who asks."""
        return gzip.compress(self.body, compresslevel=1, mtime=0)

    def answer(self, headers: dict[str, str], packs: bool) -> Response:
        """Return the page as an answer, compressed for those who take it so."""
        if not packs:
            return HTMLResponse(self.body, headers=headers)
        more = {"content-encoding": "gzip", "vary": headers["vary"] + ", Accept-Encoding"}
        return HTMLResponse(self.packed, headers={**headers, **more})


class House:
    """A place with all that its pages share."""

    def __init__(self, place: Place) -> None:
        self.place, self.pages, self.shelves = place, Pages(place), Shelves(place)
        self._made: Kept[tuple[str, ...], _Page] = Kept(_KEPT_PAGES)
        self._making: dict[tuple[str, ...], asyncio.Future[Response | _Page]] = {}
        self._began = f"{time.time_ns():x}"  # templates and words may have changed since another start
        self._answers: Kept[Any, Any] = Kept(_KEPT_ANSWERS)

    def once(self, asked: tuple[Any, Callable[[], T]]) -> T:
        """Return what was worked out before for a key, or work it out: keys name the commit they are about."""
        key, make = asked
        found = self._answers.known(key)
        if found is None:
            self._answers.keep(key, found := make())
        return cast(T, found)

    def handler(self, make: Make, address: str, *, kept: bool = False) -> Handler:
        """Return what answers requests of an address with what a function makes, in a thread and within the limits.

        Pages that are `kept` depend on their address and on the commit alone: what was made for somebody is given to
        the next, and a browser that has it already is told so.
        """

        async def handle(request: Request) -> Response:
            called(request.scope, address)
            if not kept:
                return await self.place.ask(lambda: make(Visit(self, request)))
            part = f"{wants_part(request)} {is_typing(request)}"
            name = f'W/"{self.place.commit_of(self.place.index)}-{self._began}"'
            headers = {"etag": name, "cache-control": "private, no-cache", "vary": "x-part"}
            if request.headers.get("if-none-match") == name:
                return Response(status_code=304, headers=headers)
            key = name, part, *key_of(request.scope)
            packs = "gzip" in request.headers.get("accept-encoding", "")
            page = self._made.known(key)
            if page is not None:
                return page.answer(headers, packs)
            making = self._making.get(key)
            if making is None:  # who asks the same meanwhile gets what the first one gets
                making = asyncio.ensure_future(self._make(key, lambda: make(Visit(self, request)), packs))
                self._making[key] = making
                making.add_done_callback(lambda _: self._making.pop(key, None))
            made = await asyncio.shield(making)
            if isinstance(made, _Page):
                return made.answer(headers, packs)
            # One of his own for each: what is around changes the headers of what it sends.
            return Response(made.body, made.status_code, dict(made.headers))

        return handle

    async def _make(self, key: tuple[str, ...], call: Callable[[], Response], packs: bool) -> Response | _Page:
        """Make a page, and keep it."""

        def make() -> Response | _Page:
            answer = call()
            body = bytes(answer.body)
            if answer.status_code != 200 or len(body) > _LARGEST_KEPT:
                return answer
            page = _Page(body)
            if packs:
                _ = page.packed  # here, and not where all others are waiting
            return page

        made = await self.place.ask(make)
        if isinstance(made, _Page):
            self._made.keep(key, made)
        return made


def told(error: TrixError) -> str:
    """Return what a visitor is told of an error; no path of this machine is in it."""
    if isinstance(error, SourceError):
        return "The source of this document has moved or changed since it was indexed."
    if isinstance(error, IndexError_):
        return "The index cannot be read; its operator can find the fault with trix check."
    if isinstance(error, QueryError):  # the query is shown with its mistake marked
        return plain_notice(error.reason + (f" ({error.hint})" if error.hint else ""))
    return plain_notice(str(error))


class Caret(NamedTuple):
    """A query with a mistake in three: before the character at fault, the character, and what follows it."""

    before: str
    fault: str
    after: str


def caret_of(error: TrixError) -> Caret | None:
    """Return a query with its mistake; None where the error is none of a query."""
    if not isinstance(error, QueryError):
        return None
    at = error.column - 1
    return Caret(error.query[:at], error.query[at : at + 1] or " ", error.query[at + 1 :])


def instead_of(error: TrixError, asked: Asked) -> tuple[str, str] | None:
    """Return a query or filter that works instead of a wrong one, with its address; None where there is none."""
    example = working(error) if isinstance(error, QueryError) else ""
    if not example or not isinstance(error, QueryError):
        return None
    if error.what == "where":
        return example, asked.with_setting("where", example).address()
    return example, asked.address(query=example, start=1)


def status_of(error: TrixError) -> int:
    """Return the status of an answer that is an error."""
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
    """Return how errors become pages, by their types."""

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
    return pages.page("error.html", status, said=said, asked=Asked(), path="", error=None, answer=None)
