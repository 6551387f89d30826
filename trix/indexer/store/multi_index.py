"""Several indexes opened as one collection, with common statistics, as if built together [QUERY, section 18].

Their segments are concatenated, in the order of the indexes. Nothing is written.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from trix.errors import IndexError_, UsageError
from trix.indexer.commit.commit import Commit
from trix.indexer.commit.index_names import Name, folder_of, name_of, several
from trix.indexer.store.live import LiveSegment, OpenCommit
from trix.support.urls import is_url

_OF_NO_MATTER = ("store", "max_elements", "max_bytes", "recover")
"""Settings that may differ: the source of texts is chosen per segment, and limits only affect later documents."""

_DESCRIPTIVE = ("name", "about", "detect")
"""Profile keys without effect on the index."""

_KEYS_SHOWN = 4


def index_paths(path: Name | Sequence[Name]) -> tuple[Path, ...]:
    """Return the folders of one index or several: a list, or names with commas unless the whole text is a path.

    For a URL it is the folder of its local copy, which is updated.

    Raises
    ------
    UsageError
        No index is named, or one is named twice.

    Examples
    --------
    >>> [str(path) for path in index_paths("a.index,b.index")], index_paths(["c"])
    (['a.index', 'b.index'], (PosixPath('c'),))
    """
    names = several(path) if isinstance(path, str | os.PathLike) else path
    paths = tuple(map(folder_of, names))
    if not paths:
        raise UsageError("index: names no folder")
    # One folder may be written in several ways.
    places = Counter(os.path.abspath(each) for each in paths)
    twice = next((each for each in paths if places[os.path.abspath(each)] > 1), None)
    if twice is not None:
        raise UsageError(f"index: {name_of(twice)} is named twice")
    return paths


def together(names: Sequence[str], opened: Sequence[OpenCommit]) -> OpenCommit:
    """Combine opened commits into one; its number is the sum of theirs.

    Raises
    ------
    IndexError_
        Their settings differ.
    """
    if len(opened) == 1:
        return opened[0]
    commits = [each.commit for each in opened]
    # Each is compared with the first: those that equal it equal one another.
    for name, commit in zip(names[1:], commits[1:], strict=True):
        differ = list(_differences(commits[0].settings, commit.settings))
        if differ:
            what = "; ".join(differ)
            raise IndexError_(
                f"{name}: cannot be searched together with {names[0]}: {what}; rebuild one with the settings of the "
                "other"
            )
    joined = Commit(
        # Numbers of commits only grow, so a change of any index changes the sum.
        sum(commit.number for commit in commits),
        commits[0].settings,
        tuple(chain.from_iterable(commit.segments for commit in commits)),
        {"collections": [row for commit in commits for row in commit.origins.get("collections", ())]},
        tuple(chain.from_iterable(commit.skipped for commit in commits)),
    )
    segments = list(chain.from_iterable(each.segments for each in opened))
    return OpenCommit(joined, segments)


def _differences(of: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[str]:
    """Yield a description of each setting that differs."""
    for name in dict.fromkeys([*of, *other]):
        mine, others = of.get(name), other.get(name)
        if mine == others or name in _OF_NO_MATTER:
            continue
        if name == "profile" and mine and others:
            # Key by key: a profile is long, and the message has to say what differs.
            keys = [key for key in dict.fromkeys([*mine, *others]) if mine.get(key) != others.get(key)]
            keys = [key for key in keys if key not in _DESCRIPTIVE]
            named = ", ".join(keys[:_KEYS_SHOWN]) + (", .." if len(keys) > _KEYS_SHOWN else "")
            if keys:
                yield f"the profile is {others['name']} there and {mine['name']} here, which differ in {named}"
        elif isinstance(mine, list | tuple | dict) or isinstance(others, list | tuple | dict):
            yield f"{name} differ"
        else:
            yield f"{name} is {others} there and {mine} here"


class CommonIds:
    """Ids that occur in several indexes; each gets the name of its index as a prefix.

    Parameters
    ----------
    names
        Names of the indexes.
    indexes
        Segments of each index.
    """

    def __init__(self, names: Sequence[str], indexes: Sequence[Sequence[LiveSegment]]) -> None:
        self._names, self._indexes = names, indexes

    @cached_property
    def ids(self) -> dict[int, str]:
        """Prefixed ids by document number; reads all ids if there are several indexes."""
        if len(self._indexes) < 2:
            return {}
        own = [list(_ids(segments)) for segments in self._indexes]
        counts = Counter(raw for ids in own for raw, _ in ids)
        # No id occurs twice: the usual case, in which nothing needs a prefix.
        if len(counts) == counts.total():
            return {}
        names = short_names(self._names)
        return {
            number: _free(name, raw, counts)
            for name, ids in zip(names, own, strict=True)
            for raw, number in ids
            if counts[raw] > 1
        }

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Document numbers by prefixed id."""
        return {name: number for number, name in self.ids.items()}


def _ids(segments: Sequence[LiveSegment]) -> Iterator[tuple[bytes, int]]:
    for live in segments:
        # In one pass: a look-up for each document would verify pages each time.
        ids = live.segment.ids.all()
        for number, own in enumerate(live.documents.alive(), live.documents.first):
            yield ids[own], number


def _free(name: str, raw: bytes, taken: Mapping[bytes, int]) -> str:
    """Prefix an id with a name, repeatedly until it is unique."""
    own = raw.decode("utf-8", "surrogateescape")
    # The prefixed form may itself be the id of a document.
    while own.encode("utf-8", "surrogateescape") in taken:
        own = f"{name}:{own}"
    return own


def short_names(names: Sequence[str]) -> list[str]:
    """Return a short, unique name for each index: without the extension, with as many parent folders as necessary.

    >>> short_names(["/l/laws.index", "s3://bucket/plays.index"])
    ['laws', 'plays']
    >>> short_names(["/l/laws.index", "/x/plays.index", "s3://bucket/y/plays.index"])
    ['l/laws', 'x/plays', 'y/plays']
    """
    parts = [each.split("/") if is_url(each) else Path(os.path.abspath(each)).parts for each in names]
    # As few parent folders as tell all names apart.
    for depth in range(1, max(map(len, parts)) + 1):
        found = ["/".join(of[-depth:]).removesuffix(".index") for of in parts]
        if len(set(found)) == len(found):
            return found
    return list(names)
