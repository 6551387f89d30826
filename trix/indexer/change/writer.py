"""Writer of an index: add, replace and delete documents."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from trix.errors import IndexError_, UsageError
from trix.indexer.change.arguments import documents_where, given_document, sources_of
from trix.indexer.change.new_index import NewIndexOptions
from trix.indexer.change.segment_builder import SegmentBuilder
from trix.indexer.change.session import WriteSession, check_wait
from trix.indexer.collection.source import MemorySource, Source
from trix.indexer.commit.checkout import Checkout
from trix.indexer.document.limits import DocumentLimits
from trix.indexer.languages.codes import checked_language
from trix.indexer.profile.profile import Profile
from trix.indexer.words.variants import Given, read_variants
from trix.indexer.write.from_sources import NewSegment, Progress, notices_of
from trix.support.urls import is_url

AT_ONCE = 64 << 20
"""Bytes of documents from memory that are buffered before they are written to a segment."""


@dataclass
class Changes:
    """Summary of the changes to an index.

    Attributes
    ----------
    added, replaced, deleted, unchanged
        Number of documents that were new, replaced older ones, were removed, or that `update` found unchanged.
    skipped
        Pairs (path, reason) of sources that could not be read.
    notices
        Messages for the user, one line each.
    commit
        Number of the newest commit.
    documents, segments
        Totals of the index now.
    seconds
        Wall-clock time.
    """

    added: int = 0
    replaced: int = 0
    deleted: int = 0
    unchanged: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    commit: int = 0
    documents: int = 0
    segments: int = 0
    seconds: float = 0.0

    def take_note(self, made: Sequence[NewSegment]) -> int:
        """Record the skipped sources and notices of new segments; return their number of documents.

        Parameters
        ----------
        made
            Segments that were written from sources.
        """
        self.skipped += [(source.path, reason) for each in made for source, reason in each.skipped]
        self.notices += notices_of(made)
        return sum(each.totals["documents"] for each in made)

    def to_json(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        record = asdict(self)
        record["skipped"] = [{"path": path, "reason": reason} for path, reason in self.skipped]
        return record


class Writer:
    """Writer of an index. There is one writer at a time; readers keep the state that they opened.

    Changes become visible together with `commit`. If an exception leaves the block, the index is unchanged.

    Parameters
    ----------
    path
        Folder or URL of the index; if there is none, a new index is made with the given settings.
    profile, stem, stop, positions, store, accents, variants, language, recover
        Settings of a new index (see `trix.build`); those of an existing index cannot be changed.
    max_elements, max_bytes
        Size limits of a document (see `trix.build`); the index stores them.
    wait
        Seconds to wait for another writer.
    merge
        Merge segments after a commit when there are many.
    jobs
        Worker processes; all cores by default.
    client
        A `dask.distributed.Client`. Its workers, which need access to the folder and the sources, build the segments.

    Attributes
    ----------
    changes : Changes
        Changes since the writer was opened.

    Raises
    ------
    TrixError
        Another process writes, the folder is not writable, or a setting differs from that of the index. URLs cannot be
        locked: of two writers, the one that commits last is refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Writer(f"{folder}/memos.index", profile="generic") as writer:
    ...         writer.add_document("<memo>Hello</memo>", id="memo-1")
    ...     writer.changes.added, writer.changes.commit
    (1, 1)
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        profile: str | PathLike[str] | Profile | None = None,
        stem: str | None = None,
        stop: str | None = None,
        positions: bool | None = None,
        store: bool | None = None,
        accents: str | None = None,
        variants: Given = None,
        language: str | None = None,
        recover: bool | None = None,
        max_elements: int | None = None,
        max_bytes: int | None = None,
        wait: float = 0.0,
        merge: bool = True,
        jobs: int | None = None,
        client: Any = None,
    ) -> None:
        self._checkout = Checkout(os.fspath(path)) if is_url(path) else None
        self.path = self._checkout.folder if self._checkout else Path(path).absolute()
        self._merge = merge
        given: dict[str, Any] = {"profile": profile, "stem": stem, "stop": stop, "positions": positions, "store": store}
        given |= {"accents": accents, "recover": recover, "language": language and checked_language(language)}
        given |= {"variants": None if variants is None else read_variants(variants)}
        self._settings_given = {name: value for name, value in given.items() if value is not None}
        self._limits = DocumentLimits.of_options(max_elements, max_bytes)
        self._began = time.perf_counter()
        self._waiting: list[MemorySource] = []
        self._replacing = False
        self._known: set[str] = set()
        self.changes = Changes()
        workshop = SegmentBuilder(jobs, client, self._checkout.url if self._checkout else None)
        try:
            self.session = WriteSession(self.path, check_wait(wait), workshop=workshop)
        except BaseException:
            self._leave()
            raise
        if self.session.commit is not None:
            try:
                self._refuse_other_settings()
            except BaseException:
                self.close()
                raise
            self.session.limit(max_elements, max_bytes)
            self._limits = DocumentLimits.of(self.session.settings)
        self._settings_given |= self._limits.settings()

    def _refuse_other_settings(self) -> None:
        settings = self.session.settings
        for name, value in self._settings_given.items():
            if name == "profile":
                its = value.to_dict() if isinstance(value, Profile) else value
                if its in ("auto", settings["profile"]["name"], settings["profile"]):
                    continue
                raise UsageError(
                    f"the index has the profile {settings['profile']['name']}; build a new index for another profile",
                    field="profile",
                )
            if value != settings.get(name, False):
                its = "others" if name == "variants" else f"{name} = {settings.get(name, False)}"
                raise UsageError(f"the index has {its}; build a new index for another value", field=name)

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self.close()

    def close(self) -> None:
        """Release the index; uncommitted changes are lost."""
        self._waiting = []
        self.session.close()
        self._leave()

    def _leave(self) -> None:
        if self._checkout:
            self._checkout.close()

    # -- changes ----------------------------------------------------------------------------------------------------

    def add(
        self,
        sources: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        replace: bool = False,
        strict: bool = False,
        glob: Sequence[str] = (),
        progress: Progress | None = None,
    ) -> None:
        """Add documents from folders, files, archives and lists, as for `trix.build`; the index remembers them.

        Parameters
        ----------
        sources
            Collections. Documents inside a remembered collection get the ids that they would have there.
        replace
            Replace documents whose id exists.
        strict
            Raise at the first unreadable source.
        glob
            File patterns in place of those of the index.
        progress
            Callback with (bytes done, bytes in all, files done, files in all).

        Raises
        ------
        TrixError
            A source is missing, or an id exists; nothing of this call is added.
        """
        self._flush()
        given = [sources] if isinstance(sources, str | PathLike) else list(sources)
        found, origins = sources_of(self.session, given, glob, self.changes.notices.append)
        self._take(found, replace=replace, strict=strict, progress=progress)
        self.session.remember(origins)

    def add_document(self, xml: Any, id: str, *, replace: bool = False) -> None:
        """Add one document from memory; its source is stored in the index.

        Parameters
        ----------
        xml
            Bytes, text or an lxml element.
        id
            Document id; if the profile splits it into several documents, ``ID#1``, ``ID#2`` and so on.
        replace
            Replace the document if its id exists.

        Raises
        ------
        TrixError
            The XML is invalid, or the id exists.
        """
        settings = self.session.settings or self._settings_given
        document = given_document(xml, id, self._limits, recover=bool(settings.get("recover")))
        if id in self._known or replace != self._replacing:
            self._flush()
        self._replacing = replace
        if not replace and self.session.find(id) is not None:
            raise IndexError_(f"the document id {id!r} is in the index already; pass `replace` to replace it")
        self._known.add(id)
        self._waiting.append(document)
        if sum(each.size for each in self._waiting) >= AT_ONCE:
            self._flush()

    def delete(self, ids: str | Iterable[str] = (), *, where: str | None = None, ignore_missing: bool = False) -> int:
        """Delete documents by id, or by a filter on their fields; return the number.

        Parameters
        ----------
        ids
            Document ids.
        where
            Filter, such as ``year < 1990``. With `ids`, only those of them that match are deleted.
        ignore_missing
            Ignore ids that do not exist.

        Raises
        ------
        UsageError
            An id does not exist and missing ids are not ignored; nothing is deleted.
        QueryError
            The filter has a syntax error, or names an unknown field.
        """
        self._flush()
        wanted = list(dict.fromkeys([ids] if isinstance(ids, str) else ids))
        missing = [each for each in wanted if self.session.find(each) is None]
        if missing and not ignore_missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise UsageError(
                f"no document {missing[0]!r}{more} in the index; nothing was deleted (pass `ignore_missing` to delete "
                "the others)"
            )
        if where is not None:
            chosen = self.matching(where)
            wanted = [each for each in wanted if each in chosen] if wanted else list(chosen)
        count = sum(self.session.delete(each) for each in wanted)
        self.changes.deleted += count
        return count

    def matching(self, where: str) -> dict[str, None]:
        """Return the ids of the documents that match a filter, in order, including uncommitted additions.

        Parameters
        ----------
        where
            Filter, such as ``year < 1990``.

        Raises
        ------
        QueryError
            The filter has a syntax error, or names an unknown field.
        """
        self._flush()
        if not self.session.settings:
            return {}
        return dict.fromkeys(documents_where(self.session, where, self.changes.notices))

    def _flush(self) -> None:
        """Write buffered documents from memory to a segment."""
        waiting, self._waiting = self._waiting, []
        self._known.clear()
        if waiting:
            self._take(waiting, replace=self._replacing)

    def _take(
        self, sources: Sequence[Source], *, replace: bool, strict: bool = False, progress: Progress | None = None
    ) -> None:
        if not self.session.settings:
            self.session.settings, reasons = NewIndexOptions(**self._settings_given).settle(sources)
            self.changes.notices += reasons
        made, replaced = self.session.add(sources, replace=replace, strict=strict, progress=progress)
        self.changes.added += self.changes.take_note(made) - replaced
        self.changes.replaced += replaced

    def commit(self) -> bool:
        """Commit all changes durably; return whether there were any."""
        self._flush()
        if not self.session.settings:
            self.session.settings, _ = NewIndexOptions(**self._settings_given).settle([])
        done = self.session.publish()
        if done and self._merge:
            try:
                self.session.merge()
            except IndexError_ as error:  # the commit itself succeeded
                self.changes.notices.append(f"the changes are committed, but merging segments failed: {error}")
        if done:
            self._publish()
        touched = self.session.write_touched()
        if self._checkout:
            self._checkout.put_states(touched)
        self._count()
        return done

    def compact(self) -> bool:
        """Merge all segments into one without deleted documents, and commit; return whether anything changed."""
        self.commit()
        session = self.session
        done = len(session.staged) > 1 or any(staged.deleted for staged in session.staged)
        if done:
            session.merge_range(0, len(session.staged))
            self._publish()
        self._count()
        return done

    def _publish(self) -> None:
        """Publish the commit at the URL of the index, if it has one."""
        if self._checkout:
            self._checkout.publish()

    @property
    def number(self) -> int:
        """Number of the newest commit; 0 before the first."""
        home = self._checkout or self.session.commit  # the working copy may number its commits differently
        return home.number if home else 0

    def _count(self) -> None:
        session = self.session
        self.changes.commit = self.number
        self.changes.segments = len(session.staged)
        self.changes.documents = sum(staged.documents for staged in session.staged)
        self.changes.seconds = time.perf_counter() - self._began
