"""The answer of a strategy: ranked elements, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from trix.query.language.terms import Query
from trix.query.naming.known_items import KnownItem
from trix.query.plan import Plan
from trix.query.ranking.organise import CutDocument
from trix.query.restrict import Facets
from trix.support.arrays import Floats, Int32s

if TYPE_CHECKING:
    from trix.query.feedback import Expansion
    from trix.query.relevance_model import ModelExpansion

_NOTHING_WEIGHED = (Query(), "content")
NOTHING_COUNTED: Facets = {}


class Answer(NamedTuple):
    """What a strategy found.

    Attributes
    ----------
    plan
        The plan that was executed in the end.
    elements, scores, own
        Elements in order of rank, their scores, and scores without context.
    matched
        How many elements match, or what counts them.
    query
        The query as it was understood.
    weighed
        Its words with those of feedback, and what phrases are: for snippets.
    notices
        What a user should know, one line each.
    facets
        Of each field that is counted its values.
    unfit
        The document that did not fit: its root, how many results it has, and with how many it would fit.
    expansion
        What feedback added.
    known
        The first results that the query names, and does not describe.
    """

    plan: Plan
    elements: Int32s
    scores: Floats
    own: Floats
    matched: int | Callable[[], int]
    query: object
    weighed: tuple[Query, str] = _NOTHING_WEIGHED
    notices: tuple[str, ...] = ()
    facets: Facets = NOTHING_COUNTED
    unfit: tuple[CutDocument, ...] = ()
    expansion: Expansion | ModelExpansion | None = None
    known: tuple[KnownItem, ...] = ()
