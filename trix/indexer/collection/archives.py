"""Documents inside archives, without ever unpacking to disk: what zip and tar share.

Names from inside an archive are made sane before they are used: ``/`` as separator, nothing absolute, no ``..``. Of
several members with one name the last counts, as in unpacking.
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
"""What a damaged, encrypted or unsupported archive raises."""


class Member(NamedTuple):
    """A regular file inside an archive."""

    path: str
    """The sane name."""
    name: str
    """The name as stored; of a link, that of the member it leads to."""
    size: int
    """Bytes, before any compression by the archive."""
    offset: int | None
    """Where its data begin in the (decompressed) tar; None for a zip."""
    begin: bytes = b""
    """Its first bytes, if they were asked for when a tar was listed."""


def archive_kind(name: str) -> str:
    """Return ``"zip"``, ``"tar"`` or ``""`` from a file name.

    >>> archive_kind("a.ZIP"), archive_kind("b.tar.xz"), archive_kind("c.xml.gz")
    ('zip', 'tar', '')
    """
    lower = name.lower()
    if lower.endswith(".zip"):
        return "zip"
    return "tar" if lower.endswith(TAR_ENDINGS) else ""


def sane_path(name: str) -> str:
    """Return a member name as a relative path that cannot leave the archive.

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
    """Say in a few words what is wrong with an archive."""
    if isinstance(error, READ_ERRORS):
        return reason(error)
    if isinstance(error, NotImplementedError):
        return f"its compression is not supported ({error})"
    if isinstance(error, KeyError):
        return "is not in the archive any more"
    return f"the archive is damaged: {' '.join(str(error).split())}"
