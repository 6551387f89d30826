"""Discovery of documents in collections: folders, files, archives and lists.

A *collection* is a folder, a single file, a ``.zip`` or ``.tar`` archive, or ``@FILE`` with one path a line. Its
content becomes a list of `Source` in the order of document numbers. Collections keep their order; within one, sources
are sorted by the UTF-8 bytes of the relative path with extension [RETRIEVAL, section 1]. Paths are relative to the
folder, to the archive, or to the folder of the ``@FILE``; a single file has its name.

Nothing is unpacked to disk. A zipped book, text or score (`trix.indexer.collection.packages`) is a file with documents,
in a folder or by itself.

Symbolic links to folders are followed unless they form a loop. Names with a leading dot are skipped unless a pattern
has a leading dot. Folders of indexes are skipped too.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from os import PathLike

from trix.errors import FormatError, SourceError
from trix.indexer.collection.archives import Member, archive_kind
from trix.indexer.collection.first_bytes import beginning_of, unpacked_beginning
from trix.indexer.collection.globs import Globs, ending_of
from trix.indexer.collection.ignored import Ignored
from trix.indexer.collection.packages import documents_of, package_kind, package_path
from trix.indexer.collection.source import Source, document_id, read_many, utf8
from trix.indexer.collection.tars import list_tar
from trix.indexer.collection.walk import walk
from trix.indexer.collection.zips import list_zip, zip_beginning
from trix.support.input_files import read_input
from trix.support.streams import reason
from trix.support.urls import files_below, is_url

__all__ = ["Source", "document_id", "find_sources", "read_many", "refuse_duplicates"]

Warn = Callable[[str], None]


def find_sources(
    collections: Sequence[str | PathLike[str]],
    glob: Sequence[str] = (),
    warn: Warn | None = None,
    *,
    unique: bool = True,
    skip: Callable[[SourceError], None] | None = None,
    ignored: Counter[str] | None = None,
) -> list[Source]:
    """Find the documents of collections.

    Parameters
    ----------
    collections
        Folders, files, archives, ``@FILE`` (``@-`` reads the list from standard input), URLs of folders and files.
    glob
        Patterns that replace the default ones (see `trix.indexer.collection.globs`).
    warn
        Callback for notices of one line.
    unique
        Raise if two files have the same document id. Set it to False if ids come from the documents.
    skip
        Callback for folders that cannot be read and are left out; `warn` by default.
    ignored
        Counter of files that match no pattern, by extension; names with a leading dot are not counted.

    Returns
    -------
    list of Source
        In the order of document numbers.

    Raises
    ------
    SourceError
        A collection is missing, has no document or cannot be read, or two documents have the same id.
    """
    tell = warn or _ignore
    finder = _Finder(Globs(glob), skip or (lambda error: tell(str(error))))
    sources: list[Source] = []
    beside = Ignored()
    for number, collection in enumerate(collections):
        found = finder.find(os.fsdecode(collection), number)
        found.sort(key=lambda source: utf8(source.path))
        sources += found
        beside.update(finder.ignored)
    if ignored is not None:
        ignored.update(beside.counts)
    if unique:
        refuse_duplicates(sources)
    if notice := beside.notice(finder.globs, (_ending(source) for source in sources)):
        tell(notice)
    return sources


def _ending(source: Source) -> str:
    """Return the extension by which a source was selected: its own, or that of its package."""
    return package_kind(source.location) or ending_of(source.path)


def refuse_duplicates(sources: Iterable[Source]) -> None:
    """Raise `SourceError` if two sources have the same document id."""
    seen: dict[str, Source] = {}
    for source in sources:
        other = seen.setdefault(source.id, source)
        if other is not source:
            raise SourceError(f"has the same document id ({source.id}) as {other.where}; rename one", source.where)


class _Finder:
    """Finds the sources of one collection at a time."""

    def __init__(self, globs: Globs, skip: Callable[[SourceError], None]) -> None:
        self.globs, self.skip = globs, skip
        self.ignored = Ignored()
        """Files of the last collection that match no pattern."""

    def find(self, collection: str, number: int) -> list[Source]:
        self.ignored.clear()
        if collection.startswith("@"):
            return self._listed(collection[1:], number)
        if not collection:
            raise SourceError("expected a folder, a file or an archive; got an empty name", "''")
        if is_url(collection):
            return self._at_url(collection.rstrip("/"), number)
        location = os.path.abspath(collection)
        return self._at(location, os.path.basename(location), "", number)

    def _at(self, location: str, name: str, below: str, number: int) -> list[Source]:
        """Return the sources in a folder, archive or file.

        Parameters
        ----------
        location
            Absolute path.
        name
            Relative path, for a file.
        below
            Prefix of relative paths, ending in ``/``, for a folder.
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
        if package_kind(location):
            return self._in_package(name, location, status, number)
        return [_file(name, location, status, number)]

    def _at_url(self, url: str, number: int) -> list[Source]:
        """Return the sources in a folder at a URL, or the file there."""
        listed = files_below(url)
        if not listed:
            raise SourceError("no such file or folder", url)
        if archive_kind(url) or package_kind(url):
            raise SourceError("archives at URLs are not supported; upload the files themselves", url)
        found, others = [], Ignored()
        base = url.rpartition("/")[0] if [each.url for each in listed] == [url] else url
        for each in listed:
            path = each.url.removeprefix(f"{base}/")
            if self.globs.match(path) and not package_kind(path):
                found.append(Source(path, each.url, None, each.size, each.mtime_ns, each.size, number))
            else:
                self._ignore(others, path)
        return self._found(found, "folder", url, others)

    def _in_folder(self, location: str, below: str, number: int) -> list[Source]:
        others = Ignored()

        def ignore(path: str, file: str) -> None:
            self._ignore(others, path, partial(beginning_of, file))

        found: list[Source] = []
        faults: list[SourceError] = []
        for path, file, status in walk(location, self.globs, self.skip, ignore):
            if status is None or not package_kind(path):
                found.append(_file(below + path, file, status, number))
                continue
            try:
                found += self._in_package(below + path, file, status, number)
            except SourceError as error:
                faults.append(error)
        # A folder with nothing but broken packages fails with the first fault.
        if faults and not found:
            raise faults[0]
        for fault in faults:
            self.skip(fault)
        return self._found(found, "folder", location, others)

    def _ignore(self, others: Ignored, path: str, begin: Callable[[], bytes] | None = None) -> None:
        ending = self.globs.ignored(path)
        if ending is not None:
            others.add(ending, begin)

    def _found(self, found: list[Source], kind: str, location: str, others: Ignored) -> list[Source]:
        """Record ignored files of a folder or archive; raise if it has no documents."""
        if not found:
            raise SourceError(f"the {kind} has no file that matches {self.globs} ({others.described()})", location)
        self.ignored.update(others)
        return found

    def _in_archive(self, location: str, status: os.stat_result, number: int) -> list[Source]:
        others, met = Ignored(), Ignored()

        def look(path: str) -> bool:
            ending = None if self.globs.match(path) else self.globs.ignored(path)
            if ending is None:
                return False
            # A tar is read sequentially: decide now whether to keep the first bytes.
            wanted = met.wants(ending)
            met.add(ending, None)
            return wanted

        found = []
        for m in list_zip(location) if archive_kind(location) == "zip" else list_tar(location, look):
            # Nested archives are not opened.
            if self.globs.match(m.path) and not package_kind(m.path):
                found.append(
                    Source(m.path, location, m.name, m.size, status.st_mtime_ns, status.st_size, number, m.offset)
                )
            else:
                self._ignore(others, m.path, partial(_beginning, location, m))
        return self._found(found, "archive", location, others)

    def _in_package(self, name: str, location: str, status: os.stat_result, number: int) -> list[Source]:
        """Return the documents of a book, text or score, given its relative path."""
        members = list_zip(location)
        chosen = documents_of(package_kind(location), members, partial(_beginning, location))
        if not chosen:
            raise SourceError(f"has no document, unlike a valid {package_kind(location)[1:]} file", location)
        return [
            Source(package_path(name, m.path), location, m.name, m.size, status.st_mtime_ns, status.st_size, number)
            for m in chosen
        ]

    def _listed(self, file: str, number: int) -> list[Source]:
        """Return the sources listed in an ``@FILE``."""
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
    """Return (line number, path) of the lines of an ``@FILE`` that are not blank or comments."""
    try:
        data = read_input(file)
    except FormatError as error:
        raise SourceError(error.reason if file else "a file name is expected after @", f"@{file}") from None
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").split("\n")
    entries = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return [(number, entry) for number, entry in entries if entry and not entry.startswith("#")]


def _file(path: str, location: str, status: os.stat_result | None, number: int) -> Source:
    """Make the source of a file on disk. Without status (an unreadable file) it raises when it is read."""
    if status is None:
        return Source(path, location, None, 0, 0, 0, number)
    return Source(path, location, None, status.st_size, status.st_mtime_ns, status.st_size, number)


def _beginning(location: str, member: Member) -> bytes:
    """Return the first bytes of an archive member, decompressed."""
    begin = member.begin if member.offset is not None else zip_beginning(location, member.name)
    return unpacked_beginning(begin, member.path)


def _ignore(line: str) -> None:
    """Default callback: ignore the notice."""
