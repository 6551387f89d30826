"""The profile of a build: given, or picked from a sample of root elements."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath

from trix.errors import SourceError
from trix.indexer.detect import pick, signature
from trix.indexer.parse import parse
from trix.indexer.profile import Profile, load_profile
from trix.indexer.sources import Source, read_many

SAMPLE = 24
"""Files looked at, evenly spread over the collection."""


def pick_profile(profile: str | PathLike[str] | Profile, sources: Sequence[Source]) -> tuple[Profile, str]:
    """Return the profile, and the sentence that says why it was picked (empty when it was given).

    Raises
    ------
    ProfileError
        There is no such profile, or its file is wrong.
    """
    if isinstance(profile, Profile):
        return profile, ""
    if fspath(profile) != "auto":
        return load_profile(fspath(profile)), ""
    step = max(1, len(sources) // SAMPLE)
    roots = []
    for source, data in read_many(sources[::step][:SAMPLE]):
        if isinstance(data, bytes):
            try:
                roots.append(signature(parse(data, source.path)))
            except SourceError:
                continue  # the build itself will say so
    name, reason = pick(roots)
    return load_profile(name), reason
