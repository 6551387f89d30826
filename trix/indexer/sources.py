"""Where documents come from: folders, files, archives and lists of them.

A *collection* is a folder, a single file, a ``.zip`` or ``.tar`` archive, or ``@FILE`` with one path a line. What it
holds becomes a list of `Source`, in the order of document numbers: collection by collection as given, within one by
the UTF-8 bytes of the relative path with its extension [RETRIEVAL, section 1]. Relative means: to the folder, to the
archive, to the folder of the ``@FILE``; of a single file it is the name. Nothing is ever unpacked to disk.

Folders are walked through symbolic links, except into a folder that is being walked already (a loop). Names that
begin with a dot stay out unless a pattern begins with a dot.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from posixpath import splitext

from trix.errors import SourceError
from trix.indexer.archives import (
    Member,
    archive_kind,
    list_members,
    read_tar_member,
    read_tar_members,
    read_zip_member,
)
from trix.indexer.compression import MAX_BYTES, READ_ERRORS, compression_of, read_document, reason
from trix.indexer.globs import Globs
from trix.indexer.walk import walk

Warn = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Source:
    """A document file, and how to open it again.

    Parameters
    ----------
    path
        Relative path with extension, ``/`` as separator; bytes of a name that are not UTF-8 are kept as surrogates.
    location
        Absolute path of the file or archive on disk.
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
            return read_zip_member(self.location, self.member, self.where, max_bytes)
        return read_tar_member(
            self.location, Member(self.path, self.member, self.size, self.offset), self.where, max_bytes
        )

    def fault(self) -> str | None:
        """Say what has happened to the file or archive since it was found: None, or a reason in a few words."""
        try:
            status = os.stat(self.location)
        except (OSError, ValueError):
            return "the file has gone"
        changed = (status.st_mtime_ns, status.st_size) != (self.mtime_ns, self.stored_size)
        return "the file has changed" if changed else None


def document_id(path: str) -> str:
    """Return the relative path without its last extension; a compressed file loses both endings.

    >>> document_id("co/2001/r7022.xml"), document_id("a.b/c.tei.xml.GZ"), document_id("x/README")
    ('co/2001/r7022', 'a.b/c.tei', 'x/README')
    """
    ending = compression_of(path)
    if ending and not path.endswith("/" + path[-len(ending) :]):
        path = path[: -len(ending)]
    return splitext(path)[0]


def find_sources(
    collections: Sequence[str | PathLike[str]],
    glob: Sequence[str] = (),
    warn: Warn | None = None,
    *,
    unique: bool = True,
    skip: Callable[[SourceError], None] | None = None,
) -> list[Source]:
    """Find the documents of collections.

    Parameters
    ----------
    collections
        Folders, files, archives, ``@FILE`` (``@-`` reads the list from standard input).
    glob
        Patterns in place of ``*.xml`` and its compressed forms, see `trix.indexer.globs`.
    warn
        Told, in a line each, of what a user should know.
    unique
        Refuse two files with the same document id. Off when ids come from the documents.
    skip
        Told of folders that cannot be read and what lies below them is therefore left out; `warn` if left out.

    Returns
    -------
    list of Source
        In the order of document numbers.

    Raises
    ------
    SourceError
        When a collection is missing, holds no document or cannot be read, or two documents have one id.
    """
    tell = warn or _ignore
    finder = _Finder(Globs(glob), skip or (lambda error: tell(str(error))))
    sources: list[Source] = []
    for number, collection in enumerate(collections):
        found = finder.find(os.fsdecode(collection), number)
        found.sort(key=lambda source: utf8(source.path))
        sources += found
    if unique:
        refuse_duplicates(sources)
    return sources


def refuse_duplicates(sources: Iterable[Source]) -> None:
    """Raise `SourceError` naming both files when two sources have one document id."""
    seen: dict[str, Source] = {}
    for source in sources:
        other = seen.setdefault(source.id, source)
        if other is not source:
            raise SourceError(f"has the same document id, {source.id}, as {other.where}", source.where)


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
    by_offset: dict[int, list[Source]] = {}
    for source in sources:
        by_offset.setdefault(source.offset or 0, []).append(source)
    wanted = {offset: group[0].member or "" for offset, group in by_offset.items()}
    for offset, data in read_tar_members(sources[0].location, wanted, max_bytes):
        for source in by_offset[offset]:
            yield source, data


def _read_file(location: str, max_bytes: int) -> bytes:
    try:
        with open(location, "rb") as raw:
            size = os.fstat(raw.fileno()).st_size
            if compression_of(location):
                return read_document(raw, location, size, location, max_bytes)
            if size > max_bytes:
                raise SourceError(f"holds more than {max_bytes} bytes, the largest document read", location)
            return raw.read()
    except READ_ERRORS as error:
        raise SourceError(reason(error), location) from None


def utf8(path: str) -> bytes:
    """Return the bytes of a path, the key of document order."""
    return path.encode("utf-8", "surrogateescape")


class _Finder:
    """Finds the sources of one collection at a time."""

    def __init__(self, globs: Globs, skip: Callable[[SourceError], None]) -> None:
        self.globs, self.skip = globs, skip

    def find(self, collection: str, number: int) -> list[Source]:
        if collection.startswith("@"):
            return self._listed(collection[1:], number)
        location = os.path.abspath(collection)
        return self._at(location, os.path.basename(location), "", number)

    def _at(self, location: str, name: str, below: str, number: int) -> list[Source]:
        """Return what a folder, archive or file holds.

        Parameters
        ----------
        location
            Absolute path.
        name
            Relative path, should it be a file.
        below
            Prefix of relative paths, ending in ``/``, should it be a folder.
        number
            Position of the collection.
        """
        try:
            status = os.stat(location)
        except (OSError, ValueError) as error:
            missing = isinstance(error, FileNotFoundError | ValueError)
            raise SourceError("no such file or folder" if missing else reason(error), location) from None
        if stat.S_ISDIR(status.st_mode):
            return self._in_folder(location, below, number)
        if not stat.S_ISREG(status.st_mode):
            raise SourceError("is neither a folder nor a regular file", location)
        if archive_kind(location):
            return self._in_archive(location, status, number)
        return [_file(name, location, status, number)]

    def _in_folder(self, location: str, below: str, number: int) -> list[Source]:
        found = [
            _file(below + path, file, status, number) for path, file, status in walk(location, self.globs, self.skip)
        ]
        if not found:
            raise SourceError(f"the folder holds no file that matches {self.globs} (see --glob)", location)
        return found

    def _in_archive(self, location: str, status: os.stat_result, number: int) -> list[Source]:
        members = [member for member in list_members(location) if self.globs.match(member.path)]
        if not members:
            raise SourceError(f"the archive holds no file that matches {self.globs} (see --glob)", location)
        return [
            Source(m.path, location, m.name, m.size, status.st_mtime_ns, status.st_size, number, m.offset)
            for m in members
        ]

    def _listed(self, file: str, number: int) -> list[Source]:
        """Return the sources of an ``@FILE``."""
        folder = os.getcwd() if file == "-" else os.path.dirname(os.path.abspath(file))
        found: list[Source] = []
        for line, entry in _list_lines(file):
            location = os.path.normpath(os.path.join(folder, entry))
            name = os.path.relpath(location, folder).replace(os.sep, "/")
            try:
                found += self._at(location, name, "" if name == "." else name + "/", number)
            except SourceError as error:
                raise SourceError(f"{entry}: {error.reason}", f"@{file}", line) from None
        if not found:
            raise SourceError("lists no path", f"@{file}")
        return found


def _list_lines(file: str) -> list[tuple[int, str]]:
    """Return line number and path of each line of an ``@FILE`` that is neither blank nor a comment."""
    try:
        if file == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(file, "rb") as raw:
                data = raw.read()
    except (OSError, ValueError) as error:
        raise SourceError(reason(error) if file else "a file name is expected after @", f"@{file}") from None
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    entries = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return [(number, entry) for number, entry in entries if entry and not entry.startswith("#")]


def _file(path: str, location: str, status: os.stat_result | None, number: int) -> Source:
    """Return the source of a file on disk; one that cannot be looked at (status None) says so when it is read."""
    if status is None:
        return Source(path, location, None, 0, 0, 0, number)
    return Source(path, location, None, status.st_size, status.st_mtime_ns, status.st_size, number)


def _ignore(line: str) -> None:
    """Tell nobody."""
