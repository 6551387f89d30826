"""Chunks in, the files of a segment out; memory is bounded by a chunk and by `RANGE_POSTINGS`.

Element columns, documents and sources are written as the chunks come, in order. Posting lists wait in temporary files
until all keys are known; then ranges of keys are gathered from all chunks, coded and appended.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.document.below import Counts, add_counts, kept_counts
from trix.indexer.document.record import step_tag
from trix.indexer.store.attributes import gather_attributes
from trix.indexer.store.elements import BLOCK_ELEMENTS, Block, Elements, pack
from trix.indexer.store.postings import encode_positions, encode_postings
from trix.indexer.store.strings import encode_strings
from trix.indexer.store.values import gather_values
from trix.indexer.words.interner import line_interner
from trix.indexer.write.chunk import Chunk
from trix.indexer.write.gather import ChunkLists, gather, ranges
from trix.indexer.write.links import Resolver
from trix.support import backend

Ints = NDArray[Any]
T = TypeVar("T")
R = TypeVar("R")

RANGE_POSTINGS = 1 << 20
"""Postings gathered at a time."""

LARGEST = np.iinfo(np.int32).max
"""Elements that one segment can number."""


class SegmentWriter:
    """Writes the files of a segment into a folder.

    Parameters
    ----------
    folder
        Where the files go.
    scratch
        Where the chunks' posting lists wait, as ``N.contents.npy``, ``N.tf.npy`` and ``N.positions.npy``.
    positions, store
        As in `ChunkBuilder`.
    namespaces
        Those that the profile declares.
    jobs
        Threads that code posting lists.
    """

    def __init__(
        self,
        folder: Path,
        scratch: Path,
        *,
        positions: bool,
        store: bool,
        namespaces: Iterable[str] = (),
        jobs: int = 1,
    ) -> None:
        self.jobs = jobs
        self.folder, self.scratch, self.positions, self.store = folder, scratch, positions, store
        self.steps: dict[str, int] = {}
        self.blocks: list[Block] = []
        self.totals = dict.fromkeys(("documents", "elements", "content_elements", "keys", "postings", "tokens"), 0)
        self.totals["xml_bytes"] = 0
        self._files: dict[str, BinaryIO] = {}
        self._documents: list[Ints] = []
        self._ids: dict[str, int] = {}
        self._titles: list[str] = []
        self._sources: list[dict[str, Any]] = []
        self._copies: list[list[int]] = []
        self._tags: dict[str, list[BitMap]] = {}
        self._namespaces: dict[str, list[BitMap]] = {namespace: [] for namespace in namespaces}
        self._attribute_names: dict[str, int] = {}
        self._below: Counts = {}
        self._links: Resolver | None = None
        self._chunks: list[tuple[bytes, Ints, int]] = []  # keys, starts of their postings, first content element

    def close(self) -> None:
        """Close what is open; for a build that fails."""
        for file in self._files.values():
            with suppress(OSError):  # a full disk would fail once more
                file.close()

    def _file(self, name: str) -> BinaryIO:
        if name not in self._files:
            self._files[name] = (self.folder / name).open("wb")
        return self._files[name]

    def add(self, chunk: Chunk) -> None:
        """Take the next chunk; its postings must lie in the scratch folder."""
        first_element, first_content = self.totals["elements"], self.totals["content_elements"]
        self._chunks.append((chunk.keys, chunk.key_starts, first_content))
        if chunk.links is not None:
            self._links = self._links or Resolver()
            self._links.add(chunk.links, first_element)
        self._add_columns(chunk, first_element, first_content)
        element, content = first_element, first_content
        for entry in chunk.documents:
            if entry.id in self._ids:
                other = self._ids[entry.id]
                where = (self._sources + [asdict(s) for s in chunk.sources])[int(self._documents[other][3])]["path"]
                here = chunk.sources[entry.source - len(self._sources)].path
                raise IndexError_(f"two documents have the id {entry.id!r}: {where} and {here}; ids must be unique")
            self._ids[entry.id] = len(self._ids)
            self._titles.append(entry.title)
            self._documents.append(np.array([element, content, entry.length, entry.source, entry.ordinal], np.int64))
            element += entry.elements
            content += entry.contents
        self._sources += [asdict(source) for source in chunk.sources]
        if self.store:
            for frame, places in chunk.copies:
                begin = self._file("copies.bin").tell()
                self._file("copies.bin").write(frame)
                self._copies += [[begin, begin + len(frame), place] for place in places]
        self.totals["documents"] += len(chunk.documents)
        self.totals["elements"], self.totals["content_elements"] = element, content
        add_counts(self._below, chunk.below)
        self.totals["tokens"] += chunk.tokens
        self.totals["xml_bytes"] += chunk.xml_bytes
        if element > LARGEST:
            raise IndexError_(f"more than {LARGEST} indexed elements; split the collection into several indexes")

    def _add_columns(self, chunk: Chunk, first_element: int, first_content: int) -> None:
        columns = chunk.columns
        self._add_namespaces(chunk, first_element)
        steps, places = np.unique(columns["step"], return_index=True)
        renumber = np.zeros(len(chunk.steps), np.int32)
        for step in steps[np.argsort(places)].tolist():  # by first occurrence, whatever the worker read before
            renumber[step] = self.steps.setdefault(chunk.steps[step], len(self.steps))
        columns["step"] = renumber[columns["step"]]
        self._add_tags(columns["step"], first_element)
        columns["start"] = np.diff(columns["start"], prepend=0)
        begin = document = content = first = 0
        token = self.totals["tokens"]
        elements = contents = 0
        for number, entry in enumerate(chunk.documents):
            elements += entry.elements
            contents += entry.contents
            if elements >= BLOCK_ELEMENTS or number == len(chunk.documents) - 1:
                end = begin + elements
                spans = {}
                for name in Elements.COLUMNS:
                    by_content = name in Elements.OF_CONTENT
                    values = columns[name][content : content + contents] if by_content else columns[name][begin:end]
                    if name == "start" and begin:  # a block is decoded without the one before
                        values = values.copy()
                        values[0] = 0
                    data, dtype = pack(values)
                    file = self._file(f"elements.{name}")
                    at = file.tell()
                    file.write(data)
                    spans[name] = (at, at + len(data), dtype)
                self._add_values(chunk, first, number + 1, spans)
                first = number + 1
                self.blocks.append(
                    Block(
                        first_element + begin,
                        first_content + content,
                        self.totals["documents"] + document,
                        token,
                        spans,
                    )
                )
                token += int(columns["tokens"][content : content + contents].sum())
                begin, document, content = end, number + 1, content + contents
                elements = contents = 0

    def _add_values(self, chunk: Chunk, first: int, last: int, spans: dict[str, tuple[int, int, str]]) -> None:
        """Write what a range of documents is compared by."""
        streams = gather_values(chunk.values[first:last])
        contents = [entry.contents for entry in chunk.documents[first:last]]
        streams |= gather_attributes(chunk.attributes[first:last], contents, self._attribute_names)
        file = self._file("values.bin")
        for name, stream in streams.items():
            data, dtype = pack(stream)
            at = file.tell()
            file.write(data)
            spans[name] = (at, at + len(data), dtype)

    def _add_namespaces(self, chunk: Chunk, first_element: int) -> None:
        for namespace, parts in self._namespaces.items():
            steps = [number for number, own in enumerate(chunk.namespaces) if own == namespace]
            members = np.flatnonzero(np.isin(chunk.columns["step"], steps))
            parts.append(BitMap((members + first_element).astype(np.uint32)))

    def _add_tags(self, steps: Ints, first_element: int) -> None:
        if not steps.size:
            return
        order = np.argsort(steps, kind="stable")
        numbers, starts = np.unique(steps[order], return_index=True)
        names = list(self.steps)
        for number, members in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
            tag = step_tag(names[number])
            self._tags.setdefault(tag, []).append(BitMap((members + first_element).astype(np.uint32)))

    def finish(self) -> dict[str, Any]:
        """Write what waits for the last chunk; return what the manifest must know of the segment."""
        n = self.totals
        self.blocks.append(Block(n["elements"], n["content_elements"], n["documents"], n["tokens"], {}))
        for name in Elements.COLUMNS:
            self._file(f"elements.{name}")
        self._file("values.bin")
        self._write_postings()
        self._write_tables()
        links = self._write_links()
        for file in self._files.values():
            file.close()
        sets = self._write_sets()
        return {
            "steps": list(self.steps),
            "blocks": [[b.element, b.content, b.document, b.token, b.spans] for b in self.blocks],
            "totals": self.totals,
            "positions": self.positions,
            "store": self.store,
            "tags": sets["tags"],
            "attributes": list(self._attribute_names),
            "below": kept_counts(self._below),
            **links,
            **({"namespaces": sets["namespaces"]} if self._namespaces else {}),
        }

    def _write_links(self) -> dict[str, Any]:
        """Write the links, sources and targets one behind the other; nothing where the profile names none."""
        if self._links is None:
            return {}
        paths = [self._sources[int(document[3])]["path"] for document in self._documents]
        first = np.array([document[0] for document in self._documents], np.int64)
        facts = self._links.write(self._file("links.bin"), [*self._ids], paths, first, self.totals["elements"])
        return {"links": facts}

    def _write_sets(self) -> dict[str, dict[str, list[int]]]:
        """Write the elements of each tag and of each declared namespace; return where they lie, and how many."""
        spans: dict[str, dict[str, list[int]]] = {}
        with (self.folder / "tags.bin").open("wb") as file:
            for kind, sets in (("tags", self._tags), ("namespaces", self._namespaces)):
                spans[kind] = {}
                for name in sorted(sets):
                    bitmap = BitMap.union(BitMap(), *sets[name])
                    bitmap.run_optimize()
                    data, _ = pack(np.frombuffer(bitmap.serialize(), np.uint8))
                    spans[kind][name] = [file.tell(), file.tell() + len(data), len(bitmap)]
                    file.write(data)
        return spans

    def _strings(self, name: str, strings: list[str]) -> None:
        data, ends = encode_strings(strings)
        (self.folder / f"{name}.bin").write_bytes(data)
        np.save(self.folder / f"{name}.ends.npy", ends)

    def _write_tables(self) -> None:
        ids = list(self._ids)
        order = sorted(range(len(ids)), key=lambda i: ids[i].encode("utf-8", "surrogateescape"))
        self._strings("documents.id", ids)
        self._strings("documents.title", self._titles)
        np.save(self.folder / "documents.by_id.npy", np.array(order, np.int64))
        np.save(self.folder / "documents.npy", np.array(self._documents, np.int64).reshape(-1, 5))
        for name in ("path", "location", "member"):
            self._strings(f"sources.{name}", [source[name] or "" for source in self._sources])
        rows = [[s["size"], s["crc"], -1 if s["offset"] is None else s["offset"]] for s in self._sources]
        np.save(self.folder / "sources.npy", np.array(rows, np.int64).reshape(-1, 3))
        if self.store:
            self._file("copies.bin")
            np.save(self.folder / "copies.npy", np.array(self._copies, np.int64).reshape(-1, 3))

    # -- the inverted file ------------------------------------------------------------------------------------------

    def _write_postings(self) -> None:
        interner, keys = line_interner(), list[str]()
        numbered = []
        for own, _, _ in self._chunks:
            numbers, new = interner.intern(own.decode())
            numbered.append(numbers)
            keys += new
        order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
        ranks = np.empty(len(keys), np.int32)
        ranks[order] = np.arange(len(keys), dtype=np.int32)
        self.totals["keys"] = len(keys)
        self._strings("keys", [keys[number] for number in order.tolist()])
        lists = [
            ChunkLists(self.scratch / str(number), ranks[numbers], starts, first)
            for number, (numbers, (_, starts, first)) in enumerate(zip(numbered, self._chunks, strict=True))
        ]
        self._chunks.clear()
        del keys, numbered, interner
        counts = np.zeros(self.totals["keys"], np.int64)
        for chunk in lists:
            counts[chunk.ranks] += chunk.counts
        self.totals["postings"] = int(counts.sum())
        sizes: dict[str, list[Ints]] = {"postings": [], "positions": []}
        names = ("postings", "positions") if self.positions else ("postings",)
        files = {name: self._file(f"{name}.bin") for name in names}

        def code(of: tuple[int, int]) -> list[tuple[Ints, Ints]]:
            low, high = of
            contents, tf, positions = gather(lists, low, high, counts[low:high], self.positions)
            starts = np.cumsum(counts[low:high]) - counts[low:high]
            coded = [encode_postings(contents, tf, starts)]
            if positions is not None:
                begin = np.cumsum(tf) - tf
                coded.append(encode_positions(positions, begin, begin[starts]))
            return coded

        told: dict[str, Any] = {"initializer": backend.adopt, "initargs": (backend.current(),)}
        with ThreadPoolExecutor(self.jobs, **told) as pool:  # numpy works without the interpreter's lock
            for coded in _ahead(pool, code, ranges(counts, RANGE_POSTINGS), self.jobs):
                for name, (data, size) in zip(names, coded, strict=True):
                    files[name].write(data.data)
                    sizes[name].append(size)
        for name in files:
            ends = np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes[name]]))
            large = ends.size and ends[-1] > np.iinfo(np.uint32).max
            np.save(self.folder / f"{name}.ends.npy", ends.astype("<u8" if large else "<u4"))


def _ahead(pool: ThreadPoolExecutor, function: Callable[[T], R], of: Iterable[T], count: int) -> Iterator[R]:
    """Yield what a function makes of each, in order, with no more than `count` under way."""
    waiting: deque[Future[R]] = deque()
    for each in of:
        waiting.append(pool.submit(function, each))
        if len(waiting) > count:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()
