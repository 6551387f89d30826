"""What tests of living indexes share: collections on disk with a plain model of what an index should hold of them.

The model knows nothing of segments: it is the list of the live documents in the order in which they were added.
"""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import trix
from tests.oracle.reading import Collection, Profile, read
from trix.errors import TrixError
from trix.indexer.change.arguments import given_document
from trix.indexer.change.segment_builder import SegmentBuilder
from trix.indexer.change.session import WriteSession
from trix.indexer.collection.find import find_sources
from trix.indexer.document.limits import DEFAULTS

ARTICLE = "<article><title>{0}</title><p>The tree of {0}.</p></article>"
"""A document about one word; three of them are the folder `docs` of `tests.conftest`."""

FOLDERS = ("north", "south")
ARCHIVE = "old.zip"
Place = tuple[str, str]
"""A folder or the archive, and a path there; nothing and an id for a document from memory."""


@dataclass(frozen=True)
class Document:
    """A live document: its id, its own XML, where it is from, and what that source said when it was read."""

    id: str
    xml: bytes
    place: Place
    source: bytes = b""


@dataclass
class Content:
    """What an index should hold.

    Attributes
    ----------
    live
        In the order in which they were added.
    indexed
        The bytes of each source when it was read.
    origins
        The collections that it remembers.
    """

    live: list[Document] = field(default_factory=list)
    indexed: dict[Place, bytes] = field(default_factory=dict)
    origins: list[str] = field(default_factory=list)

    def copy(self) -> Content:
        return Content(list(self.live), dict(self.indexed), list(self.origins))

    def ids(self) -> list[str]:
        return [document.id for document in self.live]

    def drop(self, ids: Iterable[str]) -> None:
        gone = set(ids)
        self.live = [document for document in self.live if document.id not in gone]

    def take(self, place: Place, data: bytes, documents: list[Document]) -> None:
        """Read a source: its documents take the place of those of the same ids."""
        self.drop(document.id for document in documents)
        self.live += [replace(document, source=data) for document in documents]
        self.indexed[place] = data

    def of(self, place: Place) -> list[Document]:
        return [document for document in self.live if document.place == place]


@dataclass
class Disk:
    """Folders and an archive, as they lie below a root."""

    root: Path
    files: dict[Place, tuple[bytes, list[Document]]] = field(default_factory=dict)
    clock: int = 1_000_000_000

    def collection(self, name: str) -> Path:
        return self.root / name

    def here(self, name: str) -> list[Place]:
        """Return the sources of a collection in order."""
        return sorted((place for place in self.files if place[0] == name), key=lambda place: place[1].encode())

    def write(self, place: Place, data: bytes, documents: list[Document]) -> None:
        self.files[place] = data, documents
        if place[0] == ARCHIVE:
            self._pack()
            return
        path = self.root / place[0] / place[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        self.touch(place)

    def remove(self, place: Place) -> None:
        del self.files[place]
        if place[0] == ARCHIVE:
            self._pack()
        else:
            (self.root / place[0] / place[1]).unlink()

    def touch(self, place: Place) -> None:
        """Give a source another time, as if some seconds had passed: tests are quicker than clocks."""
        self.clock += 1_000_000_007
        path = self.collection(ARCHIVE) if place[0] == ARCHIVE else self.root / place[0] / place[1]
        os.utime(path, ns=(self.clock, self.clock))

    def _pack(self) -> None:
        path = self.collection(ARCHIVE)
        if not self.here(ARCHIVE):
            path.unlink(missing_ok=True)
            return
        with zipfile.ZipFile(path, "w") as archive:
            for place in self.here(ARCHIVE):
                archive.writestr(place[1], self.files[place][0])
        self.touch((ARCHIVE, ""))

    def in_step(self, content: Content) -> bool:
        """Whether the sources of all live documents say what was indexed."""
        read = [document for document in content.live if document.place[0]]
        return all(each.place in self.files and self.files[each.place][0] == each.source for each in read)


@dataclass(frozen=True)
class Recipe:
    """How an index reads its documents, for the engine and for the oracle."""

    profile: Profile
    file: Path
    stem: str
    stop: tuple[str, ...]
    positions: bool
    store: bool

    @property
    def settings(self) -> dict[str, Any]:
        stop = self.file.with_name("stop.txt")
        stop.write_text("\n".join(self.stop), encoding="utf-8")
        named = {"stem": self.stem, "stop": str(stop) if self.stop else "none"}
        return {"profile": str(self.file), "positions": self.positions, "store": self.store, **named}

    @property
    def splits(self) -> bool:
        return "document" in self.profile

    def read(self, content: Content) -> Collection:
        return read([(each.id, each.xml) for each in content.live], self.profile, self.stem, self.stop)

    def fresh(self, content: Content, folder: Path) -> Path:
        """Build an index from the live documents at once, each a file of its own."""
        shutil.rmtree(folder, ignore_errors=True)
        names = []
        for number, document in enumerate(content.live):
            name = f"{number}.xml" if self.splits else f"{document.id}.xml"
            path = folder / "docs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document.xml)
            names.append(name)
        lines = [folder / "docs" / f"{number}.txt" for number in range(len(names))]
        for line, name in zip(lines, names, strict=True):  # one list a file keeps their order: a list is sorted
            line.write_text(f"{name}\n", encoding="utf-8")
        trix.build([f"@{line}" for line in lines], folder / "index", jobs=1, **self.settings)
        return folder / "index"

    def fresh_from_sources(self, content: Content, disk: Disk, folder: Path, settings: dict[str, Any]) -> Path:
        """Build an index from the sources themselves at once, so that its files can be compared to the byte."""
        shutil.rmtree(folder, ignore_errors=True)
        names = {place[0] for place in content.indexed if place[0] and content.of(place)}
        found = {
            (name, source.path): source
            for name in names
            for source in find_sources([disk.collection(name)], unique=False)
        }
        sources = [
            found[place] if place[0] else given_document(content.indexed[place], place[1], DEFAULTS)
            for place in dict.fromkeys(document.place for document in content.live)
        ]
        session = WriteSession(folder, workshop=SegmentBuilder(jobs=1))
        session.settings = settings
        session.add(sources)
        session.publish()
        session.close()
        return folder


def segment_bytes(index: Path) -> dict[str, bytes]:
    """Return the files of the segments of an index."""
    return {path.name: path.read_bytes() for path in sorted(index.glob("*.segment"))}


def answer(index: trix.Index, query: str, texts: bool, **options: Any) -> Any:
    """Return all that a search tells, with explanations of the first and the last result; or the error's line."""
    try:
        results = index.search(query, **options)
        rows = [
            (each.rank, each.doc, each.path, each.tag, each.label, each.score, each.offset, each.length)
            for each in results
        ]
        shown = [(each.title, each.snippet, each.text) for each in list(results)[:5]] if texts else []
        told = [str(index.explain(query, each, **options)) for each in {*results[:1], *results[-1:]}] if results else []
        offers = results.expansion and [(each.key, each.weight, each.r, each.n) for each in results.expansion.offers]
        return rows, results.matched, results.notices, results.query, results.next, offers, shown, sorted(told)
    except TrixError as error:
        return type(error).__name__, str(error).replace(str(index.files.path), "INDEX")


FACTS = (
    "documents",
    "elements",
    "content_elements",
    "keys",
    "postings",
    "tokens",
    "tags",
    "links",
    "settings",
    "levels",
)
"""What `info` tells of that does not depend on the history."""
