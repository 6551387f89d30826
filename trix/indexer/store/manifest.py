"""The manifest: the one file that says what an index is [FORMAT, section 2]. Magic, checksum, then MessagePack."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import msgpack

from trix.errors import IndexError_
from trix.support.near import nearest, offer

MANIFEST = "manifest.msgpack"
"""Its name in the folder of an index."""

FORMAT = 2
"""Version of the format this program reads and writes."""

_MAGIC = b"TRIX index\n"
_DIGEST = 16


def digest_parts(parts: Iterable[Any]) -> str:
    """Return the checksum of a file's bytes, which come in parts (BLAKE2b, 16 bytes, hexadecimal)."""
    found = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        found.update(part)
    return found.hexdigest()


def digest_file(path: Path) -> str:
    """Return a file's checksum."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=_DIGEST)).hexdigest()


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest."""
    body = msgpack.packb(manifest, unicode_errors="surrogateescape")
    path.write_bytes(_MAGIC + hashlib.blake2b(body, digest_size=_DIGEST).digest() + body)


def _meant(folder: Path) -> str:
    """Return a hint at the index that a wrong path most nearly names, where there is one in the same folder.

    Only a folder with a manifest is an index; a few hundred names at most are looked at.
    """
    try:
        with os.scandir(folder.parent) as entries:
            names = [entry.name for entry in islice(entries, 300) if entry.name != folder.name]
    except OSError:
        return ""
    close = nearest(folder.name, names, most=3)
    indexes = [folder.with_name(name) for name in close if (folder.parent / name / MANIFEST).is_file()]
    indexes += [folder.with_name(f"{folder.name}.index")]
    found = next((path for path in indexes if (path / MANIFEST).is_file()), None)
    return offer(str(found or ""))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read and verify a folder's manifest; what it says of the other files is another matter, see `file_faults`.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged.
    """
    path = folder / MANIFEST
    try:
        data = path.read_bytes()
    except OSError:
        what = "no such folder" if not folder.is_dir() else f"not a Trix index (no {MANIFEST})"
        raise IndexError_(f"{folder}: {what}{_meant(folder)}; trix index COLLECTION {folder} builds one") from None
    if not data.startswith(_MAGIC):
        raise IndexError_(f"{path}: not a Trix manifest; the index is damaged, build it anew")
    head = len(_MAGIC)
    checksum, body = data[head : head + _DIGEST], data[head + _DIGEST :]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != checksum:
        raise IndexError_(f"{path}: the checksum does not hold; the index is damaged, build it anew")
    manifest: dict[str, Any] = msgpack.unpackb(body, strict_map_key=False, unicode_errors="surrogateescape")
    version = manifest.get("format")
    if version != FORMAT:
        newer = isinstance(version, int) and version > FORMAT
        advice = "a newer Trix wrote it: update Trix" if newer else "build it anew"
        raise IndexError_(f"{folder}: index format {version}, this Trix reads {FORMAT}; {advice}")
    return manifest


def file_faults(folder: Path, manifest: dict[str, Any]) -> list[str]:
    """Return which files of an index are missing or have another size than the manifest says, one line each."""
    faults = []
    for name, (size, _) in manifest["files"].items():
        try:
            actual = os.stat(folder / name).st_size
        except OSError:
            faults.append(f"{folder}: the file {name} is missing; the index is damaged, build it anew")
            continue
        if actual != size:
            what = f"the file {name} has {actual} bytes, {size} expected"
            faults.append(f"{folder}: {what}; the index is damaged, build it anew")
    return faults
