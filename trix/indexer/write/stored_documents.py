"""Stored copies of sources, compressed in frames, which saves a tenth compared with single files."""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import zstandard

from trix.indexer.commit.sections import SectionWriter

FRAME_BYTES = 1 << 20
"""Minimum bytes of a frame; reading a source decompresses its frame."""


class StoredDocuments:
    """Writes copies of sources in order to the section ``copies``; frames depend on the sources alone.

    Parameters
    ----------
    writer
        Writer of the segment.
    jobs
        Threads that compress.
    """

    def __init__(self, writer: SectionWriter, jobs: int) -> None:
        self._writer = writer
        self._pool = ThreadPoolExecutor(jobs)
        self._jobs = jobs
        self._frame: list[tuple[int, bytes]] = []
        self._under_way: deque[tuple[list[tuple[int, int]], Future[bytes]]] = deque()
        self._places: dict[int, tuple[int, int, int]] = {}

    def add(self, source: int, data: bytes) -> None:
        """Add the bytes of a source, given its number in the segment."""
        self._frame.append((source, data))
        if sum(len(each) for _, each in self._frame) >= FRAME_BYTES:
            self._compress()

    def _compress(self) -> None:
        begins, at = list[tuple[int, int]](), 0
        for source, data in self._frame:
            begins.append((source, at))
            at += len(data)
        whole = b"".join(data for _, data in self._frame)
        self._frame = []
        self._under_way.append((begins, self._pool.submit(_compressed, whole)))
        # Bounds memory: wait for the oldest frame before more are queued.
        while len(self._under_way) > 2 * self._jobs:
            self._write()

    def _write(self) -> None:
        begins, made = self._under_way.popleft()
        file = self._writer.file("copies")
        begin = file.tell()
        file.write(made.result())
        for source, place in begins:
            self._places[source] = begin, file.tell(), place

    def finish(self, sources: int) -> None:
        """Write the remaining frames, and the location of each copy; nothing if there are no copies."""
        if self._frame:
            self._compress()
        while self._under_way:
            self._write()
        self.close()
        if self._places:
            rows = [self._places.get(source, (0, 0, 0)) for source in range(sources)]
            self._writer.array("copies.places", np.array(rows, np.int64))

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(cancel_futures=True)


def _compressed(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=6, write_checksum=True).compress(data)
