"""Archive members, common to zip and tar; nothing is unpacked to disk.

Member names are sanitised before use: ``/`` as separator, relative, without ``..``. The last of several members with
one name wins, as in unpacking.
"""

from __future__ import annotations

import tarfile
import zipfile
from typing import NamedTuple

from trix.support.streams import READ_ERRORS, reason

TAR_ENDINGS = (".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz2", ".tbz", ".txz", ".tzst")

ARCHIVE_ERRORS: tuple[type[Exception], ...] = (
    *READ_ERRORS, zipfile.BadZipFile, tarfile.TarError, NotImplementedError, RuntimeError, KeyError,
)  # fmt: skip
"""Exceptions that a damaged, encrypted or unsupported archive raises."""


class Member(NamedTuple):
    """Regular file inside an archive."""

    path: str
    """Sanitised name."""
    name: str
    """Name as stored; for a link, that of its target."""
    size: int
    """Size in bytes without the archive's own compression."""
    offset: int | None
    """Offset of its data in the (decompressed) tar; None for a zip."""
    begin: bytes = b""
    """First bytes, if requested when a tar was listed."""


def archive_kind(name: str) -> str:
    """Return ``"zip"``, ``"tar"`` or ``""``, by file name.

    >>> archive_kind("a.ZIP"), archive_kind("b.tar.xz"), archive_kind("c.xml.gz")
    ('zip', 'tar', '')
    """
    lower = name.lower()
    if lower.endswith(".zip"):
        return "zip"
    return "tar" if lower.endswith(TAR_ENDINGS) else ""


def sane_path(name: str) -> str:
    """Sanitise a member name: a relative path that cannot leave the archive.

    >>> sane_path("/etc/../a/./b.xml"), sane_path("../../b.xml")
    ('a/b.xml', 'b.xml')
    """
    parts: list[str] = []
    for part in name.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def why(error: Exception) -> str:
    """Describe an error of an archive in a few words."""
    if isinstance(error, READ_ERRORS):
        return reason(error)
    if isinstance(error, NotImplementedError):
        return f"uses an unsupported compression ({error})"
    if isinstance(error, KeyError):
        return "is not in the archive any more"
    return f"the archive is damaged: {' '.join(str(error).split())}"
