"""Table of endpoints, each declared once: path, handler, parameters, media types.

A new endpoint is a function from `ApiRequest` to `ApiAnswer` and a row here. Checks, the OpenAPI description and its
page are derived.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from trix.web.api import handlers
from trix.web.api import parameters as given
from trix.web.api.answer import BIBTEX, CSV, HTML, JSON, LINES, MARKDOWN, RIS, TEXT, XML, ApiAnswer
from trix.web.api.parameters import Parameters
from trix.web.api.request import ApiRequest

ROOT = "/api/v1"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """Declaration of an endpoint.

    Attributes
    ----------
    path
        Path below `ROOT`; ``{unit}`` is a document id, perhaps with the path of an element.
    answer
        The handler, whose docstring describes the endpoint.
    parameters
        By name in Python.
    required
        Names of required parameters.
    media
        Media type -> name of its schema, see `trix.web.api.openapi.schemas`.
    unit
        Description of ``{unit}``.
    """

    path: str
    answer: Callable[[ApiRequest], ApiAnswer]
    parameters: Parameters = field(default_factory=dict)
    required: tuple[str, ...] = ()
    media: Mapping[str, str]
    unit: str = ""

    @property
    def name(self) -> str:
        """Operation id, for generated clients."""
        return self.path.strip("/").partition("/")[0]

    @property
    def summary(self) -> str:
        """Description in a line."""
        return (self.answer.__doc__ or "").splitlines()[0]


ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        path="/search", answer=handlers.search, parameters={**given.QUERY, **given.RESULTS, **given.SEARCH},
        required=("query",), media={JSON: "Results", LINES: "Result", CSV: "Text", MARKDOWN: "Text"},
    ),
    Endpoint(
        path="/passages", answer=handlers.passages,
        parameters={**given.QUERY, **given.PASSAGES, **given.without(given.SEARCH, ("facet", "group"))},
        required=("query",), media={JSON: "Passages", LINES: "Passage"},
    ),
    Endpoint(
        path="/facets", answer=handlers.facets,
        parameters={**given.QUERY, **given.without(given.SEARCH, ("top", "from_", "sort", "group"))},
        required=("query", "facet"), media={JSON: "Facets"},
    ),
    Endpoint(
        path="/concordance", answer=handlers.concordance,
        parameters={**given.QUERY, **given.SORT, **given.without(given.SEARCH, ("facet", "group", "sort"))},
        required=("query",), media={JSON: "Concordance", LINES: "ConcordanceLine"},
    ),
    Endpoint(
        path="/explain", answer=handlers.explain,
        parameters={
            **given.QUERY, **given.ELEMENT, **given.without(given.SEARCH, ("facet", "group", "sort", "top", "from_")),
        },
        required=("query", "element"), media={JSON: "Explanation"},
    ),
    Endpoint(
        path="/suggest", answer=handlers.suggest, parameters={**given.TEXT, **given.SUGGESTIONS}, required=("text",),
        media={JSON: "Suggestions"},
    ),
    Endpoint(path="/registers", answer=handlers.registers, parameters=given.REGISTERS, media={JSON: "Registers"}),
    Endpoint(
        path="/documents/{unit}", answer=handlers.document, parameters=given.OUTLINE, media={JSON: "Document"},
        unit="A document id, or a document id followed by the path of an element",
    ),
    Endpoint(
        path="/elements/{unit}", answer=handlers.element, parameters=given.FORMAT,
        media={JSON: "Element", XML: "Text", HTML: "Text", TEXT: "Text"},
        unit="A document id followed by the path of an element, or a label, or a document id alone",
    ),
    Endpoint(
        path="/cite/{unit}", answer=handlers.cite, parameters=given.CITATION,
        media={JSON: "Citation", TEXT: "Text", BIBTEX: "Text", RIS: "Text"},
        unit="A document id, alone, or followed by the path of an element or by # and its id; or a label",
    ),
    Endpoint(path="/info", answer=handlers.info, parameters=given.LEVEL, media={JSON: "Info"}),
)  # fmt: skip
"""Endpoints that need the index; health and metrics, which do not queue, are in `routes`."""
