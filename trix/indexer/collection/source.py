"""A document file, how to open it again, and where it is after a move.

What reads archives is imported where one is read: a search reads the files of ten results.
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
from trix.support.recent import Recent
from trix.support.streams import MAX_BYTES, READ_ERRORS, compression_of, read_document, reason, too_large
from trix.support.urls import TooManyBytes, is_url, opened


@dataclass(frozen=True, slots=True)
class Source:
    """A document file, and how to open it again.

    Parameters
    ----------
    path
        Relative path with extension, ``/`` as separator; bytes of a name that are not UTF-8 are kept as surrogates.
    location
        Absolute path of the file or archive on disk, or its URL.
    member
        Stored name inside the archive; None for a file.
    size
        Bytes to read, for sharing out work: compressed size for a compressed file, as stored inside an archive.
    mtime_ns, stored_size
        Of the file or archive at `location`, to notice when it has changed.
    collection
        Position of the collection among those given, from 0.
    offset
        Where the member's data begin in the (decompressed) tar; else None.
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
        """The document id that the path gives."""
        return document_id(self.path)

    @property
    def where(self) -> str:
        """The file for messages: its location, with ``:member`` inside an archive."""
        return self.location if self.member is None else f"{self.location}:{self.member}"

    def read(self, max_bytes: int = MAX_BYTES) -> bytes:
        """Return the decompressed bytes.

        Raises
        ------
        SourceError
            When the file is missing, cut, damaged, encrypted, larger than `max_bytes` or a decompression bomb.
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
        """Say what has happened to the file or archive since it was found: None, or a reason in a few words."""
        if is_url(self.location):
            return None  # what a service says of it is asked once, when it is listed
        try:
            status = os.stat(self.location)
        except (OSError, ValueError):
            return "the file has gone"
        changed = (status.st_mtime_ns, status.st_size) != (self.mtime_ns, self.stored_size)
        return "the file has changed" if changed else None


@dataclass(frozen=True, slots=True)
class MemorySource(Source):
    """A document that was given from memory, with its id.

    Parameters
    ----------
    given
        Its id, which counts whatever the profile says.
    data
        Its bytes.
    """

    given: str = ""
    data: bytes = b""

    @property
    def id(self) -> str:
        """The id it was given."""
        return self.given

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"document {self.given} (given from memory)"

    def read(self, max_bytes: int = MAX_BYTES) -> bytes:
        """Return the bytes.

        Raises
        ------
        SourceError
            They are more than `max_bytes`.
        """
        if len(self.data) > max_bytes:
            raise too_large(max_bytes, self.where)
        return self.data


_XML = ".xml"
"""The ending that a document's id leaves out, in any case."""


def document_id(path: str) -> str:
    """Return the relative path without `.xml` and without the ending of a compressed file.

    Every other ending stays, since ``glossary.dita`` and ``glossary.ditamap`` are two documents. The rule looks at one
    path alone: an id does not change with the files beside it.

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
    """Yield each source with its bytes, or with what is wrong with it; one document in memory at a time.

    Files and zip members come in the order asked for. The members of a tar come together, where the first of them
    stands, in the order in which they are stored: the archive is read once.
    """
    asked = list(sources)
    tars: dict[str, list[Source]] = {}
    for source in asked:
        if source.offset is not None:
            tars.setdefault(source.location, []).append(source)
    for source in asked:
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
    """Return the bytes of a path, the key of document order."""
    return path.encode("utf-8", "surrogateescape")


_REMEMBERED = 1 << 12
"""Folders of sources that are remembered, found or not."""


class SourceLocator:
    """Finds sources that are no longer where they were.

    An index names its sources by absolute paths. When it is moved, copied or mounted elsewhere together with them, they
    are where they were as seen from the index: somewhere below one of the folders that hold the index, under the last
    parts of their paths. What is found there counts only if its checksum is that of what was indexed.

    Parameters
    ----------
    indexes
        Folders of the index, or of all that are read as one.
    """

    def __init__(self, *indexes: str | PathLike[str]) -> None:
        self._around = list(dict.fromkeys(above for index in indexes for above in Path(os.path.abspath(index)).parents))
        self._folders = Recent(self._find, _REMEMBERED)

    def places(self, location: str) -> Iterator[str]:
        """Yield where a source may be: where it was, then around the index, the nearest first."""
        yield location
        folder, name = os.path.split(location)
        for place in self._folders(folder):
            yield os.path.join(place, name)

    def _find(self, folder: str) -> list[Path]:
        was = Path(folder)
        parts = was.relative_to(was.anchor).parts
        places = (base.joinpath(*parts[first:]) for base in self._around for first in range(len(parts) + 1))
        return [place for place in dict.fromkeys(places) if place != was and place.is_dir()]
