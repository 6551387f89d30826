"""Tar archives: read sequentially, once for any number of members.

An uncompressed tar is accessed directly. Links inside a tar are resolved to the member that they name.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from posixpath import dirname
from typing import IO, Literal

from trix.errors import SourceError
from trix.indexer.collection.archives import ARCHIVE_ERRORS, Member, sane_path, why
from trix.indexer.collection.first_bytes import BEGINNING
from trix.support.streams import (
    MAX_BYTES,
    READ_ERRORS,
    Guarded,
    compression_of,
    open_decompressed,
    read_document,
    reason,
    too_large,
)

_SHORT = {".tgz": ".gz", ".tbz2": ".bz2", ".tbz": ".bz2", ".txz": ".xz", ".tzst": ".zst"}


def list_tar(location: str, look: Callable[[str], bool] | None = None) -> list[Member]:
    """List the regular files of a tar; raise `SourceError` if it cannot be read to its end.

    Parameters
    ----------
    location
        Path of the archive.
    look
        Predicate on sanitised paths: whether the first bytes of the file are wanted.
    """
    try:
        return _members(location, look)
    except ARCHIVE_ERRORS as error:
        raise SourceError(why(error), location) from None


def _members(location: str, look: Callable[[str], bool] | None) -> list[Member]:
    files: dict[str, Member] = {}
    links: dict[str, str] = {}
    with _open_tar(location) as archive:
        for info in _infos(archive):
            path = sane_path(info.name)
            if info.isreg():
                # A later member with the same name replaces an earlier file or link.
                files.pop(path, None)
                links.pop(path, None)
                begin = _begin(archive, info) if look and look(path) else b""
                files[path] = Member(path, info.name, info.size, info.offset_data, begin)
            elif info.islnk():
                links[path] = sane_path(info.linkname)
            elif info.issym() and not info.linkname.startswith("/"):
                links[path] = sane_path(f"{dirname(path)}/{info.linkname}")
    # Resolve chains of links; the bound stops loops.
    for path, target in links.items():
        for _ in range(len(links)):
            target = links.get(target, target)
            if target not in links:
                break
        if target in files:
            files[path] = files[target]._replace(path=path)
    return list(files.values())


def _begin(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    stored = archive.extractfile(info)
    return stored.read(BEGINNING) if stored else b""


def read_tar_members(
    location: str, wanted: dict[int, str], max_bytes: int = MAX_BYTES
) -> Iterator[tuple[int, bytes | SourceError]]:
    """Yield the wanted members of a tar in stored order; the tar is read once, no further than needed.

    Parameters
    ----------
    location
        Path of the archive.
    wanted
        Stored name of each wanted member, by the offset of its data (`Member.offset`).
    max_bytes
        Largest size of a document.

    Yields
    ------
    tuple
        Offset, and the decompressed bytes or the error. Each wanted offset occurs once, even if the archive is
        truncated or lacks the member.
    """
    open_wishes = dict(wanted)
    missing = "is not in the archive any more"
    try:
        with _open_tar(location) as archive:
            for info in _infos(archive):
                # Offset and name must agree: the archive may have changed.
                if open_wishes.get(info.offset_data) != info.name:
                    continue
                yield info.offset_data, _read_tar_member(archive, info, location, max_bytes)
                del open_wishes[info.offset_data]
                if not open_wishes:
                    return
    except SourceError as error:
        missing = error.reason
    except ARCHIVE_ERRORS as error:
        missing = why(error)
    for offset, name in open_wishes.items():
        yield offset, SourceError(missing, f"{location}:{name}")


def _read_tar_member(
    archive: tarfile.TarFile, info: tarfile.TarInfo, location: str, max_bytes: int
) -> bytes | SourceError:
    """Read one member. Errors of the member are returned, those of the archive are raised."""
    where = f"{location}:{info.name}"
    if info.size > max_bytes:
        return too_large(max_bytes, where)
    stored = archive.extractfile(info)
    if stored is None:
        return SourceError("is not a regular file", where)
    data = stored.read()
    try:
        return read_document(io.BytesIO(data), info.name, len(data), where, max_bytes)
    except SourceError as error:
        return error
    except READ_ERRORS as error:
        return SourceError(reason(error), where)


def read_tar_member(location: str, member: Member, where: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Read one member of a tar: sequentially if it is compressed, else directly."""
    offset = member.offset or 0
    if location.lower().endswith(".tar"):
        try:
            with open(location, "rb") as raw:
                # The header block precedes the data.
                raw.seek(max(0, offset - 512))
                size = _stored_size(raw.read(512), member.name)
                data = raw.read(size) if size is not None and size <= max_bytes else b""
                if data and len(data) == size:
                    return read_document(io.BytesIO(data), member.name, len(data), where, max_bytes)
        except READ_ERRORS as error:
            raise SourceError(reason(error), where) from None
    _, found = next(read_tar_members(location, {offset: member.name}, max_bytes))
    if isinstance(found, SourceError):
        raise SourceError(found.reason, where)
    return found


def _stored_size(header: bytes, name: str) -> int | None:
    """Return the stored size of a member, given its header.

    None unless it is a whole regular file with this name. A wrong offset or a sparse file is then read sequentially.
    """
    if header[257:262] != b"ustar" or header[156:157] not in (b"0", b"\0") or b"GNUSparse" in header:
        return None
    # the name field may be truncated
    if header[:100].partition(b"\0")[0] not in name.encode("utf-8", "surrogateescape"):
        return None
    try:
        return tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape").size
    except tarfile.TarError:
        return None


class _TarInfo(tarfile.TarInfo):
    """Member header that raises if it is damaged; tarfile would treat it as the end of the archive."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> _TarInfo:
        try:
            return super().fromtarfile(archive)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(f"the archive is damaged at byte {archive.offset}: {error}") from None


def is_compressed_tar(location: str) -> bool:
    """Whether a tar archive must be decompressed.

    >>> is_compressed_tar("a.tgz"), is_compressed_tar("a.tar")
    (True, False)
    """
    return bool(_tar_compression(location))


def _tar_compression(location: str) -> str:
    lower = location.lower()
    return next((to for short, to in _SHORT.items() if lower.endswith(short)), compression_of(lower))


@contextmanager
def open_plain_tar(location: str) -> Iterator[IO[bytes]]:
    """Open the decompressed bytes of a tar; decompression bombs raise during reading."""
    with open(location, "rb") as raw:
        ending = _tar_compression(location)
        if not ending:
            yield raw
        else:
            packed = os.fstat(raw.fileno()).st_size
            yield io.BufferedReader(Guarded(open_decompressed(raw, ending), packed, location), 1 << 16)


@contextmanager
def _open_tar(location: str) -> Iterator[tarfile.TarFile]:
    mode: Literal["r|", "r:"] = "r|" if is_compressed_tar(location) else "r:"
    with open_plain_tar(location) as plain, tarfile.open(
        fileobj=plain, mode=mode, bufsize=1 << 18, tarinfo=_TarInfo, encoding="utf-8", errors="surrogateescape"
    ) as archive:  # fmt: skip
        yield archive


def _infos(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    while (info := archive.next()) is not None:
        yield info
        archive.members.clear()  # type: ignore[attr-defined]  # else all headers stay in memory


def decompressed(locations: Iterable[str], scratch: Path) -> dict[str, str]:
    """Decompress tar archives into scratch space, so that workers can access members directly.

    Return the new location of each compressed archive.

    Raises
    ------
    SourceError
        An archive cannot be read.
    """
    plain_tars: dict[str, str] = {}
    for location in dict.fromkeys(locations):
        if is_compressed_tar(location):
            target = scratch / f"archive-{len(plain_tars)}.tar"
            try:
                with open_plain_tar(location) as plain, target.open("wb") as copy:
                    shutil.copyfileobj(plain, copy, 1 << 20)
            except READ_ERRORS as error:
                raise SourceError(reason(error), location) from None
            plain_tars[location] = str(target)
    return plain_tars
