"""The documents of an index that a writer has open, chosen by what their fields say."""

from __future__ import annotations

import numpy as np

from trix.indexer.change.session import Session
from trix.indexer.fields.filters import parse_filter
from trix.indexer.fields.matching import Matcher
from trix.indexer.fields.table import Fields
from trix.indexer.store.live import live_segments
from trix.indexer.write.from_sources import making_of


def documents_where(session: Session, where: str, notices: list[str]) -> list[str]:
    """Return the ids of the live documents that a filter lets through, in order.

    Parameters
    ----------
    session
        The writer's.
    where
        The filter.
    notices
        Receives what is to be known of it.

    Raises
    ------
    QueryError
        It does not parse, or names what the documents do not have.
    """
    asked = parse_filter(where)
    making = making_of(session.settings, str(session.folder))
    live = live_segments((staged.segment, staged.deleted) for staged in session.staged)
    documents = sum(each.documents.size for each in live)
    accents = session.settings["accents"]  # as a search by default
    matcher = Matcher(Fields(making.profile.fields, live), making.chains.main, documents, accents)
    matcher.check(asked)
    notices += matcher.notices(asked)
    chosen = matcher.documents_of(asked)
    found = []
    for each in live:
        numbers = np.array(each.documents.alive(), np.int64)
        here = chosen[each.documents.first : each.documents.first + each.documents.size]
        found += [each.segment.ids[number] for number in numbers[here].tolist()]
    return found
