"""Images that a document names and that stand in the folder of its source, or below it."""

from __future__ import annotations

from pathlib import Path

from trix.web.reading.opened import Opened

KINDS = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
    ".avif": "image/avif", ".svg": "image/svg+xml",
}  # fmt: skip
"""Endings of files that a browser shows."""

_LARGEST = 20_000_000


def found_image(opened: Opened, name: str) -> tuple[Path, str] | None:
    """Return the file of an image and its type; None if there is none that may be shown.

    It is a file with the ending of an image, in the folder of the document's source or below it, whatever the name
    says; names without an ending are tried with each.
    """
    if not name or "\0" in name or ":" in name or name.startswith(("/", "\\")):
        return None
    source, _ = opened.now.files.document_source(opened.number)
    if source.member:
        return None
    folder = Path(source.location).parent
    for ending in KINDS if Path(name).suffix.lower() not in KINDS else [""]:
        try:
            path, root = (folder / f"{name}{ending}").resolve(strict=True), folder.resolve(strict=True)
            if path.is_relative_to(root) and path.is_file() and path.stat().st_size <= _LARGEST:
                kind = KINDS.get(path.suffix.lower())
                return (path, kind) if kind else None
        except (OSError, ValueError, RuntimeError):
            continue
    return None
