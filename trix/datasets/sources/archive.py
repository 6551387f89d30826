"""Sources given by users: a folder, or an archive that is unpacked for a while; checksums of their files."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from trix.errors import UsageError
from trix.support.progress import Progress

_PATIENCE, _BLOCK = 60.0, 1 << 20  # seconds without an answer; bytes read at once
_PACKED = (tarfile.TarError, zipfile.BadZipFile, EOFError, OSError, RuntimeError)  # RuntimeError: an encrypted zip


@dataclass(frozen=True)
class KnownFiles:
    """Files of a source whose checksum is known.

    Attributes
    ----------
    pattern
        Path of a file below the source, or a glob of several.
    sha256
        SHA-256 of the file; of several, that of the list that ``sha256sum`` prints for them (see `checksum`).
    """

    pattern: str
    sha256: str


@contextmanager
def opened_source(source: str | Path) -> Iterator[Path]:
    """Yield the folder of a source; an archive (zip, or tar with any compression) is unpacked until the end.

    Raises
    ------
    UsageError
        The source is missing, or is neither a folder nor an archive that can be read.
    """
    path = Path(source)
    if path.is_dir():
        yield path
        return
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; expected the folder or archive of the data set")
    with tempfile.TemporaryDirectory(prefix="trix-source-") as scratch:
        _unpack(path, Path(scratch))
        yield Path(scratch)


@contextmanager
def downloaded(address: str, progress: Progress | None = None) -> Iterator[Path]:
    """Yield the file at an address, which is deleted at the end.

    Parameters
    ----------
    address
        Address of an archive.
    progress
        Called with the bytes received and their total, None if unknown.

    Raises
    ------
    UsageError
        The address cannot be read.
    """
    with tempfile.TemporaryDirectory(prefix="trix-download-") as scratch:
        path = Path(scratch) / "archive"
        try:
            with urlopen(address, timeout=_PATIENCE) as answer, path.open("wb") as file:
                total = int(answer.headers.get("Content-Length") or 0) or None
                while block := answer.read(_BLOCK):
                    file.write(block)
                    if progress is not None:
                        progress(file.tell(), total)
        except (OSError, HTTPException) as error:
            raise UsageError(f"{address}: cannot be downloaded: {error}") from None
        yield path


def _unpack(path: Path, folder: Path) -> None:
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                packed.extractall(folder)
        elif tarfile.is_tarfile(path):
            with tarfile.open(path) as packed_tar:
                packed_tar.extractall(folder, filter="data")
        else:
            raise UsageError(f"{path}: is not an archive; expected a folder, a zip or a tar file")
    except _PACKED as error:
        raise UsageError(f"{path}: the archive cannot be read: {error or type(error).__name__}") from None


def base_of(folder: Path, layouts: Sequence[Sequence[str]]) -> Path | None:
    """Return the folder, at most four levels below a source, in which each glob of a layout finds a file.

    Parameters
    ----------
    folder
        Folder of the source.
    layouts
        Alternatives; without any, the folder itself is returned.

    Returns
    -------
    Path or None
        None if no folder has a layout.
    """
    if not layouts:
        return folder
    level = [folder]
    for _ in range(5):
        for each in level:
            if any(all(next(each.glob(name), None) is not None for name in layout) for layout in layouts):
                return each
        level = [below for each in level for below in sorted(each.iterdir()) if below.is_dir()]
    return None


def checksum(folder: Path, pattern: str) -> str | None:
    """Return the SHA-256 of a file, or of the list of a glob's files; None if there is no such file.

    The list is what ``sha256sum FILES | sha256sum`` hashes in the order of bytes: digest, two blanks, path, line end.

    Parameters
    ----------
    folder
        Folder of the source.
    pattern
        Path of a file, or a glob, below it.
    """
    if "*" not in pattern:
        path = folder / pattern
        return sha256(path) if path.is_file() else None
    names = sorted(path.relative_to(folder).as_posix() for path in folder.glob(pattern) if path.is_file())
    lines = "".join(f"{sha256(folder / name)}  {name}\n" for name in names)
    return hashlib.sha256(lines.encode()).hexdigest() if names else None


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def differences(folder: Path, known: Sequence[KnownFiles]) -> list[str]:
    """Return a notice for each known file that is there and has another checksum."""
    notices = []
    for each in known:
        found = checksum(folder, each.pattern)
        if found is not None and found != each.sha256:
            digests = f"SHA-256 {found[:12]}..., expected {each.sha256[:12]}..."
            notices.append(f"{each.pattern}: not the version that was tried: {digests}")
    return notices
