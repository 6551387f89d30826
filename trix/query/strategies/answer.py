"""The answer of a strategy: ranked elements and notices."""

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
    """The answer of a strategy.

    Attributes
    ----------
    plan
        The plan that was executed in the end.
    elements, scores, own
        Elements in rank order, their scores, and scores without context.
    matched
        Number of matching elements, or a callable that counts them.
    query
        The parsed query.
    weighed
        The scored query, with terms from feedback, and the kind of phrases: for snippets.
    notices
        Notices, one line each.
    facets
        Values of each counted field.
    unfit
        The document that did not fit: its root, its number of results, and the length of a list with all of them.
    expansion
        Terms from feedback.
    known
        Results that the query names by title, number or id.
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
