"""The application: routes of pages, of files and of the interface for programs, behind what keeps them safe."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from trix.web.api.routes import routes as routes_for_programs
from trix.web.pages.handling import House
from trix.web.pages.routes import routes
from trix.web.place.metrics import Counted, Metrics
from trix.web.place.paths import DecodedPath
from trix.web.place.place import Place
from trix.web.safety.middleware import SafeHeaders, Token


def app(place: Place, *, hosts: Sequence[str] = ()) -> Starlette:
    """Return the application that serves a place.

    Parameters
    ----------
    place
        What is served.
    hosts
        Names under which it may be asked for; any if there are none. A place on a machine's own address takes only
        that one, or else pages of other sites could ask it in the name of whoever has both open.
    """
    metrics = Metrics(lambda: place.asking.working)
    behind = [
        Middleware(DecodedPath),
        Middleware(Counted, metrics=metrics),
        Middleware(SafeHeaders),
    ]
    if hosts:
        behind.append(Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False))
    if place.token:
        behind.append(Middleware(Token, token=place.token))
    behind.append(Middleware(GZipMiddleware, minimum_size=1_000, compresslevel=1))
    house = House(place)
    pages, errors = routes(house)
    made = Starlette(
        routes=[*routes_for_programs(place, metrics), *pages], middleware=behind, exception_handlers=errors
    )
    made.state.place, made.state.house = place, house
    return made
