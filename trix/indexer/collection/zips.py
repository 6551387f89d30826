"""Zip archives: direct access to members in bounded memory."""

from __future__ import annotations

import copy
import io
import os
import stat
import zipfile
import zlib
from functools import lru_cache
from threading import Lock
from typing import IO

from trix.errors import SourceError
from trix.indexer.collection.archives import ARCHIVE_ERRORS, Member, sane_path, why
from trix.indexer.collection.first_bytes import BEGINNING
from trix.support.streams import MAX_BYTES, open_decompressed, read_bounded, read_document, too_large

_STREAMS = {zipfile.ZIP_BZIP2: ".bz2", zipfile.ZIP_LZMA: ".xz", 93: ".zst"}


def list_zip(location: str) -> list[Member]:
    """List the regular files of a zip; raise `SourceError` if it cannot be read."""
    try:
        with zipfile.ZipFile(location) as archive:
            infos = archive.infolist()
    except ARCHIVE_ERRORS as error:
        raise SourceError(why(error), location) from None
    members = {}
    for info in infos:
        kind = stat.S_IFMT(info.external_attr >> 16)
        if not info.is_dir() and kind in (0, stat.S_IFREG):
            name = info.filename.replace("\\", "/")  # some Windows tools violate the standard
            members[info.filename] = Member(sane_path(name), info.filename, info.file_size, None)
    return list(members.values())


def read_zip_member(location: str, name: str, where: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a member of a zip, decompressed; `where` names it in a `SourceError`."""
    try:
        status = os.stat(location)
        archive, reading = _open_zip(location, status.st_mtime_ns, status.st_size, os.getpid())
        info = archive.getinfo(name)
        if info.flag_bits & 1:
            raise SourceError("is encrypted", where)
        if info.file_size > max_bytes:
            raise too_large(max_bytes, where)
        with reading:
            data = _read_entry(archive, info, where, max_bytes)
        return read_document(io.BytesIO(data), name, len(data), where, max_bytes)
    except ARCHIVE_ERRORS as error:
        raise SourceError(why(error), where) from None


def zip_beginning(location: str, name: str) -> bytes:
    """Return the first bytes of a zip member; empty if that would require reading more."""
    try:
        status = os.stat(location)
        archive, reading = _open_zip(location, status.st_mtime_ns, status.st_size, os.getpid())
        info = archive.getinfo(name)
        if info.flag_bits & 1 or info.compress_type in _STREAMS:
            return b""
        with reading, archive.open(info) as entry:
            return entry.read(BEGINNING)
    except ARCHIVE_ERRORS:
        return b""


def _read_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str, max_bytes: int) -> bytes:
    """Decompress one entry of a zip.

    zipfile decompresses bzip2 and lzma in steps of 4096 compressed bytes, each of which may expand to gigabytes. Such
    entries are read raw and decompressed here within bounds.
    """
    if info.compress_type not in _STREAMS:
        with archive.open(info) as entry:
            return read_bounded(entry, info.compress_size, where, max_bytes)
    stored = copy.copy(info)
    # Pretend that the entry is stored, to read its compressed bytes.
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, info.compress_size
    del stored.CRC
    with archive.open(stored) as entry:
        packed = _lzma_alone(entry, info) if info.compress_type == zipfile.ZIP_LZMA else entry
        stream = open_decompressed(packed, _STREAMS[info.compress_type])
        data = read_bounded(stream, info.compress_size, where, max_bytes)
    if zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile("wrong checksum")
    return data


def _lzma_alone(entry: IO[bytes], info: zipfile.ZipInfo) -> IO[bytes]:
    """Convert an lzma entry to an .lzma file; the zip header is version, length of properties, properties."""
    data = entry.read()
    properties = data[4 : 4 + int.from_bytes(data[2:4], "little")]
    size = -1 if info.flag_bits & 2 else info.file_size  # bit 1: an end mark instead of a size
    return io.BytesIO(properties + size.to_bytes(8, "little", signed=True) + data[4 + len(properties) :])


@lru_cache(maxsize=4)
def _open_zip(location: str, mtime_ns: int, size: int, process: int) -> tuple[zipfile.ZipFile, Lock]:
    """Open a zip once, since reading its directory is slow. Changed files and forked processes open it again.

    The lock guards reads: zipfile counts open entries without one, and closes the file at zero.
    """
    return zipfile.ZipFile(location), Lock()
