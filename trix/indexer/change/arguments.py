"""Conversion of a writer's arguments to sources and ids: collections, documents from memory, filters."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np

from trix.errors import UsageError
from trix.indexer.change.origins import Origins, absolute
from trix.indexer.change.session import WriteSession
from trix.indexer.collection.archives import sane_path
from trix.indexer.collection.find import Source, find_sources
from trix.indexer.collection.packages import package_kind, package_path
from trix.indexer.collection.source import MemorySource
from trix.indexer.document.limits import DocumentLimits
from trix.indexer.document.mend import readable
from trix.indexer.document.parse import parse
from trix.indexer.fields.filters import parse_filter
from trix.indexer.fields.matching import FilterMatcher
from trix.indexer.fields.table import Fields
from trix.indexer.profile.profile import Profile
from trix.indexer.store.live import live_segments
from trix.indexer.write.from_sources import making_of
from trix.support.urls import is_url


def sources_of(
    session: WriteSession, collections: Sequence[str | PathLike[str]], glob: Sequence[str], warn: Callable[[str], None]
) -> tuple[list[Source], Origins]:
    """Find the sources of collections to add; also return the collections to remember.

    A file in a folder that the index remembers gets the same path as if it had been there at the build.

    Raises
    ------
    SourceError, UsageError
        A collection is missing or empty.
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


def ids_inside(session: WriteSession) -> bool:
    """Whether ids come from the documents, so that paths do not tell ids apart."""
    return bool(session.settings) and Profile.from_dict(session.settings["profile"], str(session.folder)).id is not None


def _seen_from(home: str, source: Source) -> Source:
    if source.member is not None and not package_kind(source.location):
        return source
    if is_url(home):
        return replace(source, path=source.location.removeprefix(f"{home}/"))
    path = os.path.relpath(source.location, home).replace(os.sep, "/")
    return replace(source, path=path if source.member is None else package_path(path, sane_path(source.member)))


def documents_where(session: WriteSession, where: str, notices: list[str]) -> list[str]:
    """Return the ids of the live documents that match a filter, in order.

    Parameters
    ----------
    session
        Session of the writer.
    where
        Filter.
    notices
        Receives notices about the filter.

    Raises
    ------
    QueryError
        The filter has a syntax error, or names an unknown field.
    """
    condition = parse_filter(where)
    making = making_of(session.settings, str(session.folder))
    live = live_segments((staged.segment, staged.deleted) for staged in session.staged)
    documents = sum(each.documents.size for each in live)
    accents = session.settings["accents"]  # the default of searches
    staged_of = {id(staged.segment): staged for staged in session.staged}
    fields = Fields(making.profile.fields, live, states=lambda segment: session.states(staged_of[id(segment)]))
    matcher = FilterMatcher(fields, making.chains.main, documents, accents)
    matcher.check(condition)
    notices += matcher.notices(condition)
    chosen = matcher.documents_of(condition)
    found = []
    for each in live:
        numbers = np.array(each.documents.alive(), np.int64)
        here = chosen[each.documents.first : each.documents.first + each.documents.size]
        found += [each.segment.ids[number] for number in numbers[here].tolist()]
    return found


def given_document(xml: Any, document_id: str, limits: DocumentLimits, *, recover: bool = False) -> MemorySource:
    """Make a source of a document from memory.

    Parameters
    ----------
    xml
        Bytes, text or an lxml element.
    document_id
        Id of the document.
    limits
        Size limits.
    recover
        Repair it if it is not well-formed.

    Raises
    ------
    UsageError, SourceError
        The type is wrong, the XML is invalid or too large, or the id is empty.
    """
    if not isinstance(document_id, str) or not document_id.strip():
        raise UsageError("expected a document id", field="id", got=document_id)
    if isinstance(xml, bytes | bytearray):
        data = bytes(xml)
    elif isinstance(xml, str):
        data = _without_encoding(xml).encode("utf-8", "surrogateescape")
    elif isinstance(getattr(xml, "tag", None), str):
        from lxml import etree

        data = etree.tostring(xml, encoding="utf-8", with_tail=False)
    else:
        raise UsageError(f"expected XML as bytes, text or an lxml element, got {type(xml).__name__}", field="xml")
    limits.check(data, f"document {document_id}")
    parse(readable(data, recover=recover), f"document {document_id}")
    return MemorySource(f"{document_id}.xml", "", None, len(data), 0, len(data), given=document_id, data=data)


def _without_encoding(text: str) -> str:
    """Drop the XML declaration of a text, whose encoding no longer applies."""
    bare = text.lstrip("\ufeff")
    return bare.partition("?>")[2] if bare.startswith("<?xml") else bare
