"""Compressed tar archives, decompressed once into scratch space so that workers can reach any member directly."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from trix.errors import SourceError
from trix.indexer.collection.find import Source
from trix.indexer.collection.tars import is_compressed_tar, open_plain_tar
from trix.support.streams import READ_ERRORS, reason


def spool_archives(sources: Iterable[Source], scratch: Path) -> dict[str, str]:
    """Decompress the tar archives that sources lie in; return location -> location of the plain tar.

    Raises
    ------
    SourceError
        An archive cannot be read.
    """
    spooled: dict[str, str] = {}
    for location in dict.fromkeys(source.location for source in sources if source.offset is not None):
        if is_compressed_tar(location):
            target = scratch / f"archive-{len(spooled)}.tar"
            try:
                with open_plain_tar(location) as plain, target.open("wb") as copy:
                    shutil.copyfileobj(plain, copy, 1 << 20)
            except READ_ERRORS as error:
                raise SourceError(reason(error), location) from None
            spooled[location] = str(target)
    return spooled
