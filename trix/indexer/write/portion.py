"""Batches that fit into memory: as many sources as one batch can hold, the rest for the next.

Sources are distributed by stored size, but a few kilobytes of gzip can expand to a document at the size limit. A batch
therefore ends early if its XML grows large. If memory runs out anyway, for example under a limit of the system, the
batch ends before the current document. A document that fails alone is skipped.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence

from trix.errors import SourceError
from trix.indexer.collection.find import Source, read_many
from trix.indexer.write.builder import BatchBuilder, BatchRead

MOST_BYTES = 24 << 20
"""Decompressed bytes of XML after which a batch ends; the index does not depend on it."""

_WAITING_BYTES = 64 << 20
"""Bytes of documents buffered for reordering; others are read again in their turn."""

NO_MEMORY = "needs more memory than the process has"


def portion(builder: BatchBuilder, sources: Sequence[Source]) -> tuple[BatchRead, Sequence[Source]]:
    """Build a batch of the first sources; return it and the remaining sources.

    Raises
    ------
    SourceError
        In strict mode, for the first source that cannot be read.
    """
    most = len(sources)
    while True:
        taken = _fill(builder, sources[:most])
        if taken:
            try:
                return builder.finish(), sources[taken:]
            except MemoryError:
                pass  # leaving the block drops the traceback, which references the batch
        builder.begin_anew()
        gc.collect()  # automatic collection is disabled in workers
        if taken < 2:
            builder.skip(sources[0], SourceError(NO_MEMORY, sources[0].path))
            return builder.finish(), sources[1:]
        # Not enough memory for the whole batch: halve it until it fits.
        most = taken // 2


def _fill(builder: BatchBuilder, sources: Sequence[Source]) -> int:
    """Start a batch and add sources, at least one, until it is full or memory runs out; return their number."""
    taken = 0
    builder.begin()
    try:
        for source, data in in_order(sources, builder.limits.size):
            if taken and isinstance(data, bytes) and builder.xml_bytes + len(data) > MOST_BYTES:
                break
            builder.add(source, data)
            taken += 1
    except MemoryError:
        pass
    return taken


def in_order(sources: Sequence[Source], max_bytes: int) -> Iterator[tuple[Source, bytes | SourceError]]:
    """Yield sources with their data in order, although archives are read in their own order."""
    numbers = {source: number for number, source in enumerate(sources)}
    waiting: dict[int, bytes | SourceError | None] = {}
    buffered = due = 0
    for source, data in read_many(sources, max_bytes):
        size = len(data) if isinstance(data, bytes) else 0
        fits = numbers[source] == due or buffered + size <= _WAITING_BYTES
        waiting[numbers[source]] = data if fits else None
        buffered += size if fits else 0
        del data
        # Release buffered documents as soon as all before them are done.
        while due in waiting:
            found = waiting.pop(due)
            buffered -= len(found) if isinstance(found, bytes) else 0
            yield sources[due], _read(sources[due], max_bytes) if found is None else found
            del found
            due += 1


def _read(source: Source, max_bytes: int) -> bytes | SourceError:
    try:
        return source.read(max_bytes)
    except SourceError as error:
        return error
