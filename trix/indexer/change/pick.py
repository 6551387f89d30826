"""The profile of a build: given, or picked from a sample of root elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike, fspath

from trix.errors import SourceError
from trix.indexer.collection.find import Source, read_many
from trix.indexer.document.parse import parse
from trix.indexer.profile.detect import Signature, is_clear, pick, signature
from trix.indexer.profile.profile import Profile, load_profile

SAMPLE = 24
"""Files looked at, evenly spread over the collection."""

LARGE_SAMPLE = 240
"""Files looked at where these leave a doubt: of a collection that one preset fits by half, three fifths of so many ask
for it in one case of a thousand."""


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
    roots = list(_roots(sources, SAMPLE))
    if not is_clear(roots) and len(sources) > SAMPLE:
        roots = list(_roots(sources, LARGE_SAMPLE))
    name, reason = pick(roots)
    return load_profile(name), reason


def _roots(sources: Sequence[Source], count: int) -> Iterator[Signature]:
    """Yield the signatures of the root elements of some sources that can be read."""
    places = range(len(sources)) if len(sources) <= count else [len(sources) * i // count for i in range(count)]
    for source, data in read_many([sources[place] for place in places]):
        if isinstance(data, bytes):
            try:
                yield signature(parse(data, source.path))
            except SourceError:
                continue  # the build itself will say so
