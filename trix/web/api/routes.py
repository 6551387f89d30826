"""Routes of the API: parameters, one commit a request, limits, ETags, errors."""

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
from trix.web.api.answer import TEXT, ApiAnswer, is_known, missing, problem, problem_of, response, tag_of
from trix.web.api.endpoints import ENDPOINTS, ROOT, Endpoint
from trix.web.api.openapi import description
from trix.web.api.page import Example, page
from trix.web.api.request import ApiRequest, read
from trix.web.site.metrics import Metrics, called
from trix.web.site.paths import route_path
from trix.web.site.percent import parameters
from trix.web.site.site import Site

Handler = Callable[[Request], Awaitable[Response]]


def routes(site: Site, metrics: Metrics) -> list[BaseRoute]:
    """Return the routes of the API, and of the page that describes it."""
    api = Api(site, metrics)
    inside = [
        Route(f"/v1{route_path(each.path.replace('{unit}', '{unit:path}'))}", api.handler(each), methods=["GET"])
        for each in ENDPOINTS
    ]
    inside += [
        Route("/v1/health", api.watched("/health", api.health), methods=["GET"]),
        Route("/v1/metrics", api.watched("/metrics", api.metrics), methods=["GET"]),
        Route("/openapi.json", api.openapi, methods=["GET"]),
        Route("/", api.page, methods=["GET"]),
    ]
    # A mounted application, so that its errors become problem+json and not pages.
    made = Starlette(routes=inside, exception_handlers={HTTPException: _no_such, Exception: _failed})
    mount = Mount("/api", made)
    mount.path_regex = re.compile(mount.path_regex.pattern, re.DOTALL)  # also for paths with a line break
    return [Route("/api", api.page, methods=["GET"]), mount]


def _given(request: Request) -> list[tuple[str, str]]:
    return parameters(request.scope["query_string"])


async def _no_such(request: Request, error: Exception) -> Response:
    """Handle unknown paths and methods."""
    assert isinstance(error, HTTPException)
    detail = {404: "there is no such address; see /api for the list", 405: "expected GET"}
    said = detail.get(error.status_code, str(error.detail))
    return problem(error.status_code, said, dict(error.headers or {}))


async def _failed(request: Request, error: Exception) -> Response:
    """Handle unexpected errors, without details for the client."""
    return problem(500, "internal error; the server log has the details")


class Api:
    """Handlers of the API of a site.

    Parameters
    ----------
    site
        The site.
    metrics
        Its metrics.
    """

    def __init__(self, site: Site, metrics: Metrics) -> None:
        self._site, self._metrics = site, metrics

    def watched(self, name: str, handle: Handler) -> Handler:
        """Wrap a handler: name its endpoint for the metrics, and turn errors into problem+json."""

        async def wrapped(request: Request) -> Response:
            called(request.scope, ROOT + name)
            try:
                return await handle(request)
            except TrixError as error:
                return problem_of(error)

        return wrapped

    def handler(self, endpoint: Endpoint) -> Handler:
        """Return the request handler of an endpoint."""

        async def handle(request: Request) -> Response:
            given = read(_given(request), endpoint.parameters, endpoint.required, self._site.limits)
            return await self._site.run(partial(self._answered, endpoint, request, given))

        return self.watched(endpoint.path, handle)

    def _answered(self, endpoint: Endpoint, request: Request, given: dict[str, Any]) -> Response:
        """Answer a request from one commit; runs in a thread."""
        call = self._api_request(request, given)
        tag = tag_of(call.commit, call.accepts)
        if "if-none-match" in request.headers and is_known(tag, request.headers["if-none-match"]):
            return Response(
                status_code=304, headers={"etag": tag, "vary": "Accept", "cache-control": "private, no-cache"}
            )
        if endpoint.unit:
            if len(call.unit) > self._site.limits.query:
                return problem(404, "there is no such document or element: the name is too long")
            try:
                call.index.unit(call.unit)
            except UsageError as error:
                return missing(error)
        return response(endpoint.answer(call), tag)

    def _api_request(self, request: Request, given: dict[str, Any]) -> ApiRequest:
        index = self._site.index
        return ApiRequest(
            index, self._site.commit_of(index), self._site.limits, given, request.path_params.get("unit", ""),
            request.headers.get("accept", ""), str(request.base_url).removesuffix("/").removesuffix("/api"),
        )  # fmt: skip

    async def health(self, request: Request) -> Response:
        """Report the state of the server, without waiting in the queue."""
        read(_given(request), {}, (), self._site.limits)
        call = self._api_request(request, {})
        return response(handlers.health(self._site.damaged, call), "")

    async def metrics(self, request: Request) -> Response:
        """Report metrics."""
        read(_given(request), {}, (), self._site.limits)
        return response(ApiAnswer(self._metrics.text(self._site.index.files.totals), TEXT, kept=False), "")

    async def openapi(self, request: Request) -> Response:
        """Return the OpenAPI description."""
        called(request.scope, "/api")
        return JSONResponse(description(self._site.limits), headers={"cache-control": "no-cache"})

    async def page(self, request: Request) -> Response:
        """Return the description as a page."""
        called(request.scope, "/api")
        index = self._site.index
        title = index.files.titles[0] if len(index) else ""
        word = max(re.findall(r"[^\W\d_]+", title) or ["tree"], key=len)
        example = Example(word, index.files.ids[0] if len(index) else "", next(iter(index.fields.own), "root"))
        text = page(description(self._site.limits), self._site.title, example)
        return response(ApiAnswer(text, "text/html", kept=False), "")
