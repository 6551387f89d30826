"""Commits: the file that lists the segments of an index, and their deleted documents [FORMAT, section 2].

Commits are numbered, and the newest is the index. Each is written twice, ``commit-N.msgpack`` and ``commit-N.copy``,
since it cannot be rebuilt: segments do not know their deleted documents.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from shlex import quote
from typing import Any, cast

import msgpack
from pyroaring import BitMap

from trix.errors import IndexError_, OtherFormatError, nearest, offer
from trix.indexer.commit.disk import sync, write_all_durably, write_durably

FORMAT = 4
"""Version of the format; the only one that is written and read."""

ORIGIN = "origin"
"""File of a local copy that has the URL of its index."""

_MANIFEST = "manifest.msgpack"
"""File of an index of format 2, which had no commits."""

SEGMENT, STATES = ".segment", ".states"
"""Extensions of a segment's file, and of the file with the states of its sources."""

_MAGIC = b"TRIX commit\n"
_DIGEST = 16
_NAME = re.compile(r"commit-(\d{6,})\.(msgpack|copy)")
_SEGMENT_NAME = re.compile(r"[0-9a-f]{32}")
REPAIR = "trix check with `repair` keeps what can be read"


LIVING = ("documents", "elements", "content_elements", "tokens", "xml_bytes")
"""Totals of live documents in a commit."""


@dataclass(frozen=True)
class SegmentEntry:
    """Entry of a commit for one segment.

    Attributes
    ----------
    name
        Checksum of its directory, which has the checksums of all its pages.
    size
        Bytes of its file.
    totals
        Totals of its live documents: ``documents, elements, content_elements, tokens, xml_bytes``.
    deleted
        Numbers of its deleted documents.
    """

    name: str
    size: int
    totals: Mapping[str, int]
    deleted: BitMap = field(default_factory=BitMap)

    @classmethod
    def of_new(cls, name: str, size: int, totals: Mapping[str, int]) -> SegmentEntry:
        """Make the entry of a new segment without deletions."""
        return cls(name, size, {each: totals[each] for each in LIVING})

    @property
    def file(self) -> str:
        """Name of its file."""
        return self.name + SEGMENT

    @property
    def states(self) -> str:
        """Name of the file with the states of its sources (see `trix.indexer.commit.states`)."""
        return self.name + STATES


@dataclass(frozen=True)
class Commit:
    """State of an index at one time.

    Attributes
    ----------
    number
        Counts from 1; later commits have higher numbers.
    settings
        ``profile`` (all its rules), ``stem``, ``stop``, ``stopwords``, ``positions``, ``store``.
    segments
        In the order of their documents.
    origins
        Collections of the index, as `trix.indexer.change.origins` writes them.
    skipped
        Sources that could not be read: path, reason, location, member, time and size.
    """

    number: int
    settings: Mapping[str, Any]
    segments: tuple[SegmentEntry, ...] = ()
    origins: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[tuple[Any, ...], ...] = ()

    @property
    def files(self) -> dict[str, int]:
        """Files of its segments, with their sizes."""
        return {entry.file: entry.size for entry in self.segments}

    def followed_by(self, **changes: Any) -> Commit:
        """Make the next commit."""
        return replace(self, number=self.number + 1, **changes)


def commit_path(folder: Path, number: int) -> Path:
    return folder / f"commit-{number:06}.msgpack"


def commit_files(folder: Path, number: int) -> tuple[Path, Path]:
    """Return the paths of a commit's file and its copy."""
    path = commit_path(folder, number)
    return path, path.with_suffix(".copy")


def encode_commit(commit: Commit) -> bytes:
    """Encode a commit: magic, checksum, MessagePack."""
    # MessagePack with surrogates: paths may have bytes that are not UTF-8.
    record = {
        "format": FORMAT,
        "number": commit.number,
        "settings": commit.settings,
        "segments": [
            [entry.name, entry.size, dict(entry.totals), entry.deleted.serialize() if entry.deleted else b""]
            for entry in commit.segments
        ],
        "origins": commit.origins,
        "skipped": commit.skipped,
    }
    body: bytes = msgpack.packb(record, unicode_errors="surrogateescape")
    # The checksum covers the body; the magic tells other files apart.
    return _MAGIC + hashlib.blake2b(body, digest_size=_DIGEST).digest() + body


def decode_commit(path: Path | str, data: bytes) -> Commit:
    """Decode and verify a commit.

    Parameters
    ----------
    path, data
        Name for messages, possibly a URL, and the bytes.

    Raises
    ------
    IndexError_
        The file is damaged.
    OtherFormatError
        Another version of Trix wrote it.
    """
    head = len(_MAGIC)
    checksum, body = data[head : head + _DIGEST], data[head + _DIGEST :]
    if not data.startswith(_MAGIC) or hashlib.blake2b(body, digest_size=_DIGEST).digest() != checksum:
        raise IndexError_(f"{path}: the file is damaged; {REPAIR}")
    record = msgpack.unpackb(body, strict_map_key=False, unicode_errors="surrogateescape")
    # The checksum is verified first: a damaged format number must not look like another version.
    if record["format"] != FORMAT:
        raise _other_format(os.path.dirname(path), record)
    try:
        segments = tuple(_segment_entry(*row) for row in record["segments"])
        skipped = tuple(tuple(row) for row in record["skipped"])
        return Commit(int(record["number"]), record["settings"], segments, record["origins"], skipped)
    except (KeyError, TypeError, ValueError) as error:  # the checksum is right, so this is no accidental damage
        raise IndexError_(f"{path}: this is not a valid commit: {error}") from None


def _segment_entry(name: object, size: object, totals: Mapping[str, int], deleted: bytes) -> SegmentEntry:
    """Decode the entry of a segment. Its name becomes a file name, so it must not be a path.

    Raises
    ------
    ValueError
        The name is not 32 hexadecimal digits, or a number is invalid.
    """
    if not isinstance(name, str) or not _SEGMENT_NAME.fullmatch(name):
        raise ValueError(f"expected a segment name of 32 hexadecimal digits, got {name!r:.80}")
    # Sizes are used as offsets later.
    numbers = [size, *(totals[each] for each in LIVING)]
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise ValueError(f"segment {name}: a size or a count is no whole number from 0 on")
    return SegmentEntry(name, cast(int, size), totals, BitMap.deserialize(deleted) if deleted else BitMap())


def commits_named(names: Iterable[str]) -> list[int]:
    """Extract the numbers of commits from file names, ascending.

    >>> commits_named(["lock", "commit-000012.msgpack", "commit-000012.copy", "commit-000003.msgpack"])
    [3, 12]
    """
    return sorted({int(match[1]) for name in names if (match := _NAME.fullmatch(name))})


def commit_numbers(folder: Path) -> list[int]:
    """List the numbers of the commits in a folder, ascending."""
    try:
        return commits_named(os.listdir(folder))
    except OSError:
        return []


def names_an_index(name: str) -> bool:
    """Whether a folder with a file of this name is an index."""
    return name == _MANIFEST or _NAME.fullmatch(name) is not None


def is_index(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder has an index, of any format."""
    path = Path(folder)
    return bool(commit_numbers(path)) or (path / _MANIFEST).is_file()


def origin_of(folder: Path) -> str | None:
    """Return the URL that a folder is a local copy of, or None."""
    try:
        return (folder / ORIGIN).read_text()
    except OSError:
        return None


def _other_format(folder: str, record: Mapping[str, Any]) -> OtherFormatError:
    """Make the error for an index of another format, with the command that rebuilds it.

    Parameters
    ----------
    folder
        Folder of the index, or its URL.
    record
        Decoded commit, of which only ``format`` is certain.
    """
    index, number, origins = origin_of(Path(folder)) or folder, record["format"], record.get("origins")
    collections = origins.get("collections") if isinstance(origins, dict) else None
    known = [each for each in collections if isinstance(each, str)] if isinstance(collections, list) else []
    # The command to rebuild names the sources if they are few.
    sources = " ".join(map(quote, known)) if 0 < len(known) <= _SOURCES_SHOWN else "COLLECTION..."
    anew = f"build it anew with its options and `overwrite`: trix index {sources} {quote(index)}"
    newer = "update Trix, or " if isinstance(number, int) and number > FORMAT else ""
    return OtherFormatError(f"{index}: index format {number}, this Trix reads {FORMAT}; {newer}{anew}")


_SOURCES_SHOWN = 4


def read_commit(folder: Path, number: int) -> Commit:
    """Read one commit; from its copy if its file is damaged or missing.

    Raises
    ------
    FileNotFoundError
        Both are missing: a newer commit has replaced it.
    IndexError_
        It is damaged.
    OtherFormatError
        Another version of Trix wrote it.
    """
    path = commit_path(folder, number)
    fault: IndexError_ | None = None
    # A fault is kept until the copy has been tried too.
    for file in commit_files(folder, number):
        try:
            return decode_commit(file, file.read_bytes())
        except FileNotFoundError:
            continue
        except OSError as error:
            fault = fault or IndexError_(f"{file}: cannot be read: {error.strerror}")
        except OtherFormatError:
            raise
        except IndexError_ as error:
            fault = fault or error
    raise fault or FileNotFoundError(path)


def newest_commit(folder: Path) -> Commit:
    """Read the newest commit.

    Raises
    ------
    IndexError_
        There is no index, or its newest commit is damaged or of another format.
    """
    for _ in range(_TRIES):
        numbers = commit_numbers(folder)
        if not numbers and (folder / _MANIFEST).is_file():
            raise _other_format(str(folder), {"format": 2})
        if not numbers:
            # Names of several indexes with commas are valid for searches, not for changes.
            several = str(folder).split(",")
            if len(several) > 1 and all(is_index(Path(each)) for each in several):
                raise IndexError_(f"{folder}: several indexes can be searched, not changed, at a time; name one")
            what = "no such index" if not folder.is_dir() else "not a Trix index (no commit in it)"
            raise IndexError_(f"{folder}: {what}{_meant(folder)}; trix index COLLECTION {folder} builds one")
        try:
            return read_commit(folder, numbers[-1])
        except FileNotFoundError:
            continue  # a newer commit replaced it between listing and reading
    raise IndexError_(f"{folder}: commits follow one another too quickly to be read; try again")


_TRIES = 100


def write_commit(folder: Path, commit: Commit) -> None:
    """Make a commit the newest one. It is the index from the first rename on; its segments must be durable already."""
    # Both files are written before either is renamed; then the new names are made durable.
    write_all_durably(commit_files(folder, commit.number), encode_commit(commit))
    sync(folder)


def mend_commit(folder: Path, commit: Commit) -> None:
    """Rewrite the files of the newest commit if one is damaged or missing, as after a kill."""
    data = encode_commit(commit)
    for path in commit_files(folder, commit.number):
        # A kill between the two renames leaves an old or missing copy.
        if not path.is_file() or path.read_bytes() != data:
            write_durably(path, data)


def _meant(folder: Path) -> str:
    """Suggest the existing index whose name is nearest to a wrong path, among the first few hundred names."""
    try:
        with os.scandir(folder.parent) as entries:
            names = [entry.name for entry in islice(entries, 300) if entry.name != folder.name]
    except OSError:
        return ""
    close = [folder.with_name(name) for name in nearest(folder.name, names, most=3)]
    found = next((path for path in [*close, folder.with_name(f"{folder.name}.index")] if is_index(path)), None)
    return offer(f"{found}" if found else "")
