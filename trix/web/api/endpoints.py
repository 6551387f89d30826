"""All endpoints, each declared once: path, what it gives, which parameters it takes, the media it can be had in.

A new endpoint is a function from `Asked` to `Answer` and a row here; checks, the description in OpenAPI and the page
that shows it follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from trix.web.api import handlers
from trix.web.api import parameters as given
from trix.web.api.answer import BIBTEX, CSV, HTML, JSON, LINES, MARKDOWN, RIS, TEXT, XML, Answer
from trix.web.api.asked import Asked
from trix.web.api.parameters import Parameters

ROOT = "/api/v1"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """An endpoint.

    Attributes
    ----------
    path
        Behind `ROOT`; ``{unit}`` is a document id, with the path of an element where that is wanted.
    answer
        Makes the answer; its docstring says what it is.
    parameters
        By name in Python.
    required
        Those of them that have to be given.
    media
        Media type -> name of its schema, see `trix.web.api.openapi.schemas`.
    unit
        What ``{unit}`` is.
    """

    path: str
    answer: Callable[[Asked], Answer]
    parameters: Parameters = field(default_factory=dict)
    required: tuple[str, ...] = ()
    media: Mapping[str, str]
    unit: str = ""

    @property
    def name(self) -> str:
        """Its name, for clients that are made from the description."""
        return self.path.strip("/").partition("/")[0]

    @property
    def summary(self) -> str:
        """What it gives, in a line."""
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
"""Those that answer from the index; health and metrics, which answer always, are with the routes."""
