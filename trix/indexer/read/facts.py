"""What `trix info` tells of an index."""

from __future__ import annotations

from typing import Any

from trix.indexer.commit.commit import FORMAT
from trix.indexer.commit.old import OLD
from trix.indexer.store.files import IndexFiles


def facts(index: IndexFiles) -> dict[str, Any]:
    """Return counts, sizes in bytes, settings, segments, and the indexed elements of each tag, most frequent first.

    Where the profile names links, they are counted; the open ones lead to nothing in the collection.
    """
    settings = index.settings
    keys, postings = index.vocabulary()
    segments = [
        {
            "name": entry.name,
            "bytes": entry.size,
            "documents": entry.totals["documents"],
            "deleted": len(entry.deleted),
        }
        for entry in index.commit.segments
    ]
    files = {path.name: path.stat().st_size for path in sorted(index.path.iterdir()) if path.is_file()}
    return {
        "path": str(index.path),
        "format": FORMAT if index.commit.number else OLD,
        "commit": index.commit.number,
        "documents": index.totals["documents"],
        "elements": index.totals["elements"],
        "content_elements": index.totals["content_elements"],
        "keys": keys,
        "postings": postings,
        "tokens": index.totals["tokens"],
        "xml_bytes": index.totals["xml_bytes"],
        "index_bytes": sum(files.values()),
        "deleted": sum(entry["deleted"] for entry in segments),
        "segments": segments,
        "collections": list(index.commit.origins.get("collections", ())),
        "settings": {
            "profile": settings["profile"]["name"],
            "stem": settings["stem"],
            "stop": settings["stop"],
            "stopwords": len(settings["stopwords"]),
            "positions": settings["positions"],
            "store": settings["store"],
            "quiet": list(index.profile.quiet),
            "loud": list(index.profile.loud),
        },
        "levels": {"content": "content elements", "document": "roots", **settings["profile"].get("levels", {})},
        "skipped": [{"path": row[0], "reason": row[1]} for row in index.commit.skipped],
        **({"links": {"count": index.links[0].size, "open": index.open_links}} if index.has_links else {}),
        "tags": dict(sorted(index.counts_of("tags").items(), key=lambda item: (-item[1], item[0]))),
        "files": files,
        "sections": index.section_sizes(),
    }
