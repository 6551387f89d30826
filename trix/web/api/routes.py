"""Addresses of the interface, and what a request goes through: parameters, one commit, bounds, tag, errors."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from trix.errors import TrixError, UsageError
from trix.web.api import handlers
from trix.web.api.answer import TEXT, Answer, is_known, missing, problem, problem_of, response, tag_of
from trix.web.api.asked import Asked, read
from trix.web.api.endpoints import ENDPOINTS, ROOT, Endpoint
from trix.web.api.openapi import description
from trix.web.api.page import Example, page
from trix.web.place.metrics import Metrics, called
from trix.web.place.paths import route_path
from trix.web.place.percent import parameters
from trix.web.place.place import Place

Handler = Callable[[Request], Awaitable[Response]]


def routes(place: Place, metrics: Metrics) -> list[BaseRoute]:
    """Return the routes of the interface for programs, and of the page that describes it."""
    served = Served(place, metrics)
    inside = [
        Route(f"/v1{route_path(each.path.replace('{unit}', '{unit:path}'))}", served.handler(each), methods=["GET"])
        for each in ENDPOINTS
    ]
    inside += [
        Route("/v1/health", served.watched("/health", served.health), methods=["GET"]),
        Route("/v1/metrics", served.watched("/metrics", served.metrics), methods=["GET"]),
        Route("/openapi.json", served.openapi, methods=["GET"]),
        Route("/", served.page, methods=["GET"]),
    ]
    # An application of its own, so that whatever goes wrong in it is told as a problem and not as a page.
    made = Starlette(routes=inside, exception_handlers={HTTPException: _no_such, Exception: _failed})
    mount = Mount("/api", made)
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)  # also of addresses with a line break in them
    return [Route("/api", served.page, methods=["GET"]), mount]


def _given(request: Request) -> list[tuple[str, str]]:
    return parameters(request.scope["query_string"])


async def _no_such(request: Request, error: Exception) -> Response:
    """Answer where there is no such address, or no such method."""
    assert isinstance(error, HTTPException)
    detail = {404: "there is no such address; see /api for the list", 405: "expected GET"}
    said = detail.get(error.status_code, str(error.detail))
    return problem(error.status_code, said, dict(error.headers or {}))


async def _failed(request: Request, error: Exception) -> Response:
    """Answer where Trix itself is at fault; what happened is for those who keep the place."""
    return problem(500, "internal error; the server log has the details")


class Served:
    """A place as programs see it.

    Parameters
    ----------
    place
        The place.
    metrics
        What it has done.
    """

    def __init__(self, place: Place, metrics: Metrics) -> None:
        self._place, self._metrics = place, metrics

    def watched(self, name: str, handle: Handler) -> Handler:
        """Return a handler whose requests have a name where they are counted, and whose errors are told."""

        async def told(request: Request) -> Response:
            called(request.scope, ROOT + name)
            try:
                return await handle(request)
            except TrixError as error:
                return problem_of(error)

        return told

    def handler(self, endpoint: Endpoint) -> Handler:
        """Return what answers the requests of an endpoint."""

        async def handle(request: Request) -> Response:
            given = read(_given(request), endpoint.parameters, endpoint.required, self._place.limits)
            return await self._place.ask(partial(self._answered, endpoint, request, given))

        return self.watched(endpoint.path, handle)

    def _answered(self, endpoint: Endpoint, request: Request, given: dict[str, Any]) -> Response:
        """Return the answer to a request, made in a thread from one commit."""
        asked = self._asked(request, given)
        tag = tag_of(asked.commit, asked.accepts)
        if "if-none-match" in request.headers and is_known(tag, request.headers["if-none-match"]):
            return Response(
                status_code=304, headers={"etag": tag, "vary": "Accept", "cache-control": "private, no-cache"}
            )
        if endpoint.unit:
            if len(asked.unit) > self._place.limits.query:
                return problem(404, "there is no such document or element: the name is too long")
            try:
                asked.index.unit(asked.unit)
            except UsageError as error:
                return missing(error)
        return response(endpoint.answer(asked), tag)

    def _asked(self, request: Request, given: dict[str, Any]) -> Asked:
        index = self._place.index
        return Asked(
            index, self._place.commit_of(index), self._place.limits, given, request.path_params.get("unit", ""),
            request.headers.get("accept", ""), str(request.base_url).removesuffix("/").removesuffix("/api"),
        )  # fmt: skip

    async def health(self, request: Request) -> Response:
        """Answer whether the place is well; at once, also where others wait."""
        read(_given(request), {}, (), self._place.limits)
        asked = self._asked(request, {})
        return response(handlers.health(self._place.damaged, asked), "")

    async def metrics(self, request: Request) -> Response:
        """Answer what has been done."""
        read(_given(request), {}, (), self._place.limits)
        return response(Answer(self._metrics.text(self._place.index.files.totals), TEXT, kept=False), "")

    async def openapi(self, request: Request) -> Response:
        """Answer with the description of the interface."""
        called(request.scope, "/api")
        return JSONResponse(description(self._place.limits), headers={"cache-control": "no-cache"})

    async def page(self, request: Request) -> Response:
        """Answer with the description as a page."""
        called(request.scope, "/api")
        index = self._place.index
        title = index.files.titles[0] if len(index) else ""
        word = max(re.findall(r"[^\W\d_]+", title) or ["tree"], key=len)
        example = Example(word, index.files.ids[0] if len(index) else "", next(iter(index.fields.own), "root"))
        text = page(description(self._place.limits), self._place.title, example)
        return response(Answer(text, "text/html", kept=False), "")
