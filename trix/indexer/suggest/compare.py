"""Comparison of a document under the generic and a suggested profile, for review."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from trix.errors import TrixError
from trix.indexer.collection.source import Source, read_many
from trix.indexer.document.parse import parse
from trix.indexer.document.preview import preview_tree
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.words.analyzer import Analyzer

SHOWN = 10
"""Elements shown per profile."""

TRIED = 5
"""Number of documents compared."""


def compare(sources: Sequence[Source], profile: Profile, analyzer: Analyzer) -> list[str]:
    """Return lines of elements that differ between the preset ``generic`` and a profile.

    They are the first ten of each in the document with most differences; empty if there are none.
    """
    before, most, found = load_profile("generic"), 0, list[str]()
    for source, data in read_many(sources[:TRIED]):
        if not isinstance(data, bytes):
            continue
        with suppress(TrixError):
            root = parse(data, source.id)
            generic = preview_tree(root, before, analyzer).splitlines()
            derived = preview_tree(root, profile, analyzer).splitlines()
            gone, new = _unlike(generic, derived), _unlike(derived, generic)
            if len(gone) + len(new) > most:
                most = len(gone) + len(new)
                found = [f"{source.id} before:", *gone[:SHOWN], "", f"{source.id} after:", *new[:SHOWN]]
    return found


def _unlike(lines: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the lines that are not among the others.

    >>> _unlike(["a", "b", "a"], ["b", "c"])
    ['a', 'a']
    """
    known = set(others)
    return [line for line in lines if line not in known]
