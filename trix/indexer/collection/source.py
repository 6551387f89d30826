"""Sources: document files that can be opened again, and found after a move.

Archive code is imported when needed: a search reads few files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO

from trix.errors import SourceError
from trix.support.lru_cache import LruFunction
from trix.support.streams import MAX_BYTES, READ_ERRORS, compression_of, read_document, reason, too_large
from trix.support.urls import TooManyBytes, is_url, opened


@dataclass(frozen=True, slots=True)
class Source:
    """Document file, and how to open it again.

    Parameters
    ----------
    path
        Relative path with extension, ``/`` as separator; bytes that are not UTF-8 are kept as surrogates.
    location
        Absolute path of the file or archive on disk, or its URL.
    member
        Stored name inside the archive; None for a file.
    size
        Bytes to read, to balance work: compressed size of a compressed file, stored size in an archive.
    mtime_ns, stored_size
        Of the file or archive at `location`, to detect changes.
    collection
        Position of the collection in the arguments, from 0.
    offset
        Offset of the member's data in the (decompressed) tar; else None.
    """

    path: str
    location: str
    member: str | None
    size: int
    mtime_ns: int
    stored_size: int
    collection: int = 0
    offset: int | None = None

    @property
    def id(self) -> str:
        """Document id derived from the path."""
        return document_id(self.path)

    @property
    def where(self) -> str:
        """Name for messages: the location, with ``:member`` inside an archive."""
        return self.location if self.member is None else f"{self.location}:{self.member}"

    def read(self, max_bytes: int = MAX_BYTES) -> bytes:
        """Read the decompressed bytes.

        Raises
        ------
        SourceError
            The file is missing, truncated, damaged, encrypted, larger than `max_bytes` or a decompression bomb.
        """
        if self.member is None:
            return _read_file(self.location, max_bytes)
        if self.offset is None:
            from trix.indexer.collection.zips import read_zip_member

            return read_zip_member(self.location, self.member, self.where, max_bytes)
        from trix.indexer.collection.archives import Member
        from trix.indexer.collection.tars import read_tar_member

        return read_tar_member(
            self.location, Member(self.path, self.member, self.size, self.offset), self.where, max_bytes
        )

    def fault(self) -> str | None:
        """Describe how the file or archive has changed since it was found; None if it has not."""
        if is_url(self.location):
            return None  # the service reports the state once, when it lists files
        try:
            status = os.stat(self.location)
        except (OSError, ValueError):
            return "the file has gone"
        changed = (status.st_mtime_ns, status.st_size) != (self.mtime_ns, self.stored_size)
        return "the file has changed" if changed else None


@dataclass(frozen=True, slots=True)
class MemorySource(Source):
    """Document passed in memory, with its id.

    Parameters
    ----------
    given
        Document id; overrides that of the profile.
    data
        Bytes of the document.
    """

    given: str = ""
    data: bytes = b""

    @property
    def id(self) -> str:
        """The given id."""
        return self.given

    @property
    def where(self) -> str:
        """Name for messages."""
        return f"document {self.given} (given from memory)"

    def read(self, max_bytes: int = MAX_BYTES) -> bytes:
        if len(self.data) > max_bytes:
            raise too_large(max_bytes, self.where)
        return self.data


_XML = ".xml"
"""Extension that a document id omits, in any case."""


def document_id(path: str) -> str:
    """Strip ``.xml`` and the extension of compression from a relative path.

    Other extensions stay, since ``glossary.dita`` and ``glossary.ditamap`` are two documents. The rule looks at a
    single path, so ids do not depend on neighbouring files.

    >>> document_id("co/2001/r7022.xml"), document_id("a.b/c.tei.xml.GZ"), document_id("x/README")
    ('co/2001/r7022', 'a.b/c.tei', 'x/README')
    >>> document_id("map.dita"), document_id("map.ditamap.xz"), document_id("x/.xml")
    ('map.dita', 'map.ditamap', 'x/.xml')
    """
    for ending in (compression_of(path), _XML):
        if ending and path.lower().endswith(ending) and path[: -len(ending)].rpartition("/")[2]:
            path = path[: -len(ending)]
    return path


def read_many(sources: Iterable[Source], max_bytes: int = MAX_BYTES) -> Iterator[tuple[Source, bytes | SourceError]]:
    """Yield each source with its bytes or its error; only one document is in memory at a time.

    Files and zip members keep their order. All members of a tar follow its first member, in stored order, so that the
    archive is read once.
    """
    given = list(sources)
    tars: dict[str, list[Source]] = {}
    for source in given:
        if source.offset is not None:
            tars.setdefault(source.location, []).append(source)
    for source in given:
        if source.offset is None:
            try:
                yield source, source.read(max_bytes)
            except SourceError as error:
                yield source, error
        elif source.location in tars:
            yield from _read_tar(tars.pop(source.location), max_bytes)


def _read_tar(sources: list[Source], max_bytes: int) -> Iterator[tuple[Source, bytes | SourceError]]:
    from trix.indexer.collection.tars import read_tar_members

    by_offset: dict[int, list[Source]] = {}
    for source in sources:
        by_offset.setdefault(source.offset or 0, []).append(source)
    wanted = {offset: group[0].member or "" for offset, group in by_offset.items()}
    for offset, data in read_tar_members(sources[0].location, wanted, max_bytes):
        for source in by_offset[offset]:
            yield source, data


def _opened(location: str, max_bytes: int) -> AbstractContextManager[IO[bytes]]:
    return opened(location, max_bytes) if is_url(location) else open(location, "rb")


def _read_file(location: str, max_bytes: int) -> bytes:
    try:
        with _opened(location, max_bytes) as raw:
            size = raw.seek(0, os.SEEK_END)
            raw.seek(0)
            if size > max_bytes and not compression_of(location):
                raise too_large(max_bytes, location)
            return read_document(raw, location, size, location, max_bytes)
    except TooManyBytes:
        raise too_large(max_bytes, location) from None
    except READ_ERRORS as error:
        raise SourceError(reason(error), location) from None


def utf8(path: str) -> bytes:
    """Return the bytes of a path: the sort key of documents."""
    return path.encode("utf-8", "surrogateescape")


_REMEMBERED = 1 << 12
"""LRU cache size: folders of sources, found or not."""


class SourceLocator:
    """Finds moved sources.

    An index stores absolute paths. If it is moved, copied or mounted elsewhere together with its sources, their
    relative position stays the same. They lie below a folder that contains the index, under the last parts of their old
    paths. A candidate counts only if its checksum is that of the indexed file.

    Parameters
    ----------
    indexes
        Folders of the opened indexes.
    """

    def __init__(self, *indexes: str | PathLike[str]) -> None:
        self._around = list(dict.fromkeys(above for index in indexes for above in Path(os.path.abspath(index)).parents))
        self._folders = LruFunction(self._find, _REMEMBERED)

    def places(self, location: str) -> Iterator[str]:
        """Yield possible locations of a source: the old one, then those around the index, nearest first."""
        yield location
        folder, name = os.path.split(location)
        for place in self._folders(folder):
            yield os.path.join(place, name)

    def _find(self, folder: str) -> list[Path]:
        was = Path(folder)
        parts = was.relative_to(was.anchor).parts
        places = (base.joinpath(*parts[first:]) for base in self._around for first in range(len(parts) + 1))
        return [place for place in dict.fromkeys(places) if place != was and place.is_dir()]
