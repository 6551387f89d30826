"""Where the sources of an index are when they are no longer where they were.

An index names its sources by absolute paths. When it is moved, copied or mounted elsewhere together with them, they
are where they were as seen from the index: somewhere below one of the folders that hold the index, under the last
parts of their paths. What is found there counts only where its checksum is that of what was indexed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from trix.support.recent import Recent

_KEPT = 1 << 12
"""Folders of sources that are remembered, found or not."""


class SourceFinder:
    """Looks for sources around an index.

    Parameters
    ----------
    indexes
        Folders of the index, or of all that are read as one.
    """

    def __init__(self, *indexes: str | PathLike[str]) -> None:
        self._around = list(dict.fromkeys(above for index in indexes for above in Path(os.path.abspath(index)).parents))
        self._folders = Recent(self._find, _KEPT)

    def places(self, location: str) -> Iterator[str]:
        """Yield where a source may be: where it was, then around the index, the nearest first."""
        yield location
        folder, name = os.path.split(location)
        for place in self._folders(folder):
            yield os.path.join(place, name)

    def _find(self, folder: str) -> list[Path]:
        was = Path(folder)
        parts = was.relative_to(was.anchor).parts
        places = (base.joinpath(*parts[first:]) for base in self._around for first in range(len(parts) + 1))
        return [place for place in dict.fromkeys(places) if place != was and place.is_dir()]
