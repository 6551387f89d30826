"""What `trix info` tells of an index."""

from __future__ import annotations

import os
from typing import Any

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.manifest import MANIFEST


def facts(index: IndexFiles) -> dict[str, Any]:
    """Return counts, sizes in bytes, settings, and the indexed elements of each tag, most frequent first.

    Where the profile names links, they are counted; the open ones lead to nothing in the collection.
    """
    manifest = index.manifest
    settings = manifest["settings"]
    files = {name: int(size) for name, (size, _) in manifest["files"].items()}
    manifest_bytes = os.stat(index.path / MANIFEST).st_size
    tags = {tag: span[2] for tag, span in manifest["segment"]["tags"].items()}
    links = manifest["segment"].get("links")
    return {
        "path": str(index.path),
        "format": manifest["format"],
        **index.totals,
        "index_bytes": sum(files.values()) + manifest_bytes,
        "settings": {
            "profile": settings["profile"]["name"],
            "stem": settings["stem"],
            "stop": settings["stop"],
            "stopwords": len(settings["stopwords"]),
            "positions": settings["positions"],
            "store": settings["store"],
        },
        "levels": {"content": "content elements", "document": "roots", **settings["profile"].get("levels", {})},
        "skipped": [{"path": path, "reason": reason} for path, reason in manifest["skipped"]],
        **({"links": {key: links[key] for key in ("count", "open")}} if links else {}),
        "tags": dict(sorted(tags.items(), key=lambda item: (-item[1], item[0]))),
        "files": files,
    }
