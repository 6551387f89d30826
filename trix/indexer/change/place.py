"""Which sources some collections hold for an index that knows others already."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike

from trix.errors import UsageError
from trix.indexer.change.origins import Origins, absolute
from trix.indexer.change.session import Session
from trix.indexer.collection.find import Source, find_sources
from trix.indexer.profile.profile import Profile
from trix.support.urls import is_url


def sources_of(
    session: Session, collections: Sequence[str | PathLike[str]], glob: Sequence[str], warn: Callable[[str], None]
) -> tuple[list[Source], Origins]:
    """Return the sources of collections that are added to an index, and the collections that it remembers then.

    A file that lies in a folder that the index knows gets the path that it has there, as if it had been there when the
    index was built.

    Raises
    ------
    SourceError, UsageError
        A collection is missing or holds nothing.
    """
    if not collections:
        raise UsageError("no collection given; name a folder, file, archive or @list")
    origins = session.origins
    patterns = tuple(glob) or origins.glob
    found: list[Source] = []
    for collection in collections:
        home = origins.home_of(absolute(collection))
        own = find_sources([collection], patterns, warn=warn, unique=not ids_inside(session))
        if home is not None:
            own = [_seen_from(home, source) for source in own]
        found += own
    if not origins.collections and glob:
        origins = Origins((), tuple(glob))
    return found, origins.with_more(collections)


def ids_inside(session: Session) -> bool:
    """Whether documents say their ids themselves, so that those of two files cannot be told apart by their paths."""
    return bool(session.settings) and Profile.from_dict(session.settings["profile"], str(session.folder)).id is not None


def _seen_from(home: str, source: Source) -> Source:
    if source.member is not None:
        return source
    if is_url(home):
        return replace(source, path=source.location.removeprefix(f"{home}/"))
    return replace(source, path=os.path.relpath(source.location, home).replace(os.sep, "/"))
