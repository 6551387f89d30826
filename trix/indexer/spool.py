"""Compressed tar archives, unpacked once into scratch space so that workers can reach any member."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from trix.errors import SourceError
from trix.indexer.compression import READ_ERRORS, compression_of, open_decompressed, reason
from trix.indexer.sources import Source


def spool_archives(sources: Iterable[Source], scratch: Path) -> dict[str, str]:
    """Decompress the tar archives that sources lie in; return location -> location of the plain tar.

    Raises
    ------
    SourceError
        An archive cannot be read.
    """
    spooled: dict[str, str] = {}
    for source in sources:
        if source.offset is None or source.location in spooled or not compression_of(source.location):
            continue
        target = scratch / f"archive-{len(spooled)}.tar"
        try:
            with open_decompressed(source.location) as packed, target.open("wb") as plain:
                shutil.copyfileobj(packed, plain, 1 << 20)
        except READ_ERRORS as error:
            raise SourceError(reason(error), source.location) from None
        spooled[source.location] = str(target)
    return spooled
