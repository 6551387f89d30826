"""Facts about an index for `trix info`."""

from __future__ import annotations

from typing import Any

from trix.indexer.commit.commit import FORMAT
from trix.indexer.store.files import IndexFiles
from trix.presets import PRESETS
from trix.settings import SETTINGS


def facts(index: IndexFiles) -> dict[str, Any]:
    """Return counts, sizes in bytes, settings, segments, and elements per tag, most frequent first.

    For several indexes opened as one, the commit is the sum of theirs, and ``indexes`` lists them. Links are counted if
    the profile names any; open links have no target in the collection.
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
    names = index.short_names
    files = {
        (f"{name}/{path.name}" if len(names) > 1 else path.name): path.stat().st_size
        for name, folder in zip(names, index.paths, strict=True)
        for path in sorted(folder.iterdir())
        if path.is_file()
    }
    return {
        "path": index.path,
        "format": FORMAT,
        "commit": index.commit.number,
        **({"indexes": _indexes(index)} if len(index.paths) > 1 else {}),
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
            "accents": settings["accents"],
            "language": settings["language"],
            "variants": len(settings["variants"]),
            "max_elements": settings["max_elements"],
            "max_bytes": settings["max_bytes"],
            **({"recover": True} if settings.get("recover") else {}),
            "quiet": [*map(str, index.profile.quiet)],
            "loud": [*map(str, index.profile.loud)],
        },
        **({"languages": languages} if (languages := index.language_counts()) else {}),
        "levels": {"content": "content elements", "document": "roots", **settings["profile"].get("levels", {})},
        "presets": _presets(),
        "skipped": [{"path": row[0], "reason": row[1]} for row in index.commit.skipped],
        **({"links": {"count": index.links[0].size, "open": index.open_links}} if index.has_links else {}),
        "tags": dict(sorted(index.counts_of("tags").items(), key=lambda item: (-item[1], item[0]))),
        "files": files,
        "sections": index.section_sizes(),
    }


def _indexes(index: IndexFiles) -> list[dict[str, Any]]:
    """Return name, commit and number of documents of each index."""
    return [
        {
            "path": name,
            "commit": opened.commit.number,
            "documents": sum(entry.totals["documents"] for entry in opened.commit.segments),
        }
        for name, opened in zip(index.names, index.opened, strict=True)
    ]


def _presets() -> dict[str, dict[str, str]]:
    """Return the settings of each preset that has any, in display form."""
    return {
        name: {key: each.kind.show(says[key]) for key, each in SETTINGS.items() if key in says}
        for name, says in PRESETS.items()
        if says
    }
