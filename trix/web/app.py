"""ASGI application: routes of pages, static files and the API, with their middleware."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from trix.web.api.routes import routes as routes_for_programs
from trix.web.pages.routes import routes
from trix.web.pages.server import PageServer
from trix.web.safety.middleware import SafeHeaders, TokenCheck
from trix.web.site.metrics import Counted, Metrics
from trix.web.site.paths import DecodedPath
from trix.web.site.site import Site


def app(site: Site, *, hosts: Sequence[str] = ()) -> Starlette:
    """Return the application that serves a site.

    Parameters
    ----------
    site
        The site.
    hosts
        Host names to answer to; empty for any. A server on a loopback address needs them: otherwise pages of other
        sites could send it requests from the browser of a reader (DNS rebinding).
    """
    metrics = Metrics(lambda: site.throttle.working)
    middleware = [
        Middleware(DecodedPath),
        Middleware(Counted, metrics=metrics),
        Middleware(SafeHeaders),
    ]
    if hosts:
        middleware.append(Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False))
    if site.token:
        middleware.append(Middleware(TokenCheck, token=site.token))
    middleware.append(Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=1))
    server = PageServer(site)
    pages, errors = routes(server)
    made = Starlette(
        routes=[*routes_for_programs(site, metrics), *pages], middleware=middleware, exception_handlers=errors
    )
    made.state.site, made.state.server = site, server
    return made
