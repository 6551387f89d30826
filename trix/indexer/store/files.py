"""An index on disk, opened for reading."""

from __future__ import annotations

from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import IndexError_
from trix.indexer.document.record import step_tag
from trix.indexer.profile.profile import Profile
from trix.indexer.store.attributes import Attributes
from trix.indexer.store.document_counts import DocumentCounts
from trix.indexer.store.elements import Block, Elements, unpack
from trix.indexer.store.mapped import MappedFiles
from trix.indexer.store.postings import Lists, decode_positions, decode_postings
from trix.indexer.store.strings import StringTable
from trix.indexer.store.values import STREAMS, Values
from trix.indexer.words.analyzer import Analyzer
from trix.support.backend import Backend

Ints = NDArray[Any]

_NOTHING: Lists = (np.zeros(0, np.int32), np.zeros(0, np.int32))


class IndexFiles(MappedFiles):
    """The files of one index, mapped into memory; everything is decoded where it is first touched.

    Parameters
    ----------
    path
        The index's folder.
    backend
        See `trix.support.backend.Backend`, of which it has its own as `backend`.

    Attributes
    ----------
    totals : dict
        ``documents, elements, content_elements, keys, postings, tokens, xml_bytes``.
    steps : list of str
        The path steps by number.
    elements : Elements
        The element table.
    blocks : list of Block
        Where its blocks lie.

    Raises
    ------
    IndexError_
        No index is there, or it is of another format, or damaged.
    """

    def __init__(self, path: str | PathLike[str], backend: str = "auto") -> None:
        self.backend = Backend(backend)
        super().__init__(path)
        segment = self.manifest["segment"]
        self.totals: dict[str, int] = segment["totals"]
        self.steps: list[str] = segment["steps"]
        self.has_positions: bool = segment["positions"]
        self.has_copies: bool = segment["store"]
        blocks = [Block(e, c, d, t, {k: tuple(v) for k, v in spans.items()}) for e, c, d, t, spans in segment["blocks"]]
        self.blocks = blocks
        self.elements = Elements({name: self._files[f"elements.{name}"] for name in Elements.COLUMNS}, blocks)
        self._sets: dict[tuple[str, str], BitMap] = {}
        self._documents = self._array("documents.npy")
        self.first_elements: Ints = self._documents[:, 0]
        self.first_contents: Ints = self._documents[:, 1]

    # -- settings ---------------------------------------------------------------------------------------------------

    @cached_property
    def profile(self) -> Profile:
        """What the tags mean."""
        return Profile.from_dict(self.manifest["settings"]["profile"], f"{self.path}")

    @cached_property
    def analyzer(self) -> Analyzer:
        """The chain from words to keys."""
        settings = self.manifest["settings"]
        join = "".join(entry for entry in settings["profile"].get("join", []) if len(entry) == 1)
        return Analyzer(settings["stem"], settings["stop"], settings["stopwords"], join)

    # -- the inverted file ------------------------------------------------------------------------------------------

    @cached_property
    def keys(self) -> StringTable:
        """All keys, sorted by their UTF-8 bytes."""
        return self._strings("keys")

    @cached_property
    def inverted_file(self) -> tuple[Ints, Ints]:
        """Return the coded posting lists of all keys one behind the other, and where each ends."""
        return np.frombuffer(self._files["postings.bin"], np.uint8), self._array("postings.ends.npy")

    @cached_property
    def document_counts(self) -> DocumentCounts:
        """What tells in how many documents each key is."""
        return DocumentCounts(*self.inverted_file, self.document_of_content, len(self))

    @cached_property
    def position_file(self) -> tuple[Ints, Ints]:
        """Return the coded position lists of all keys one behind the other, and where each ends."""
        return np.frombuffer(self._files["positions.bin"], np.uint8), self._array("positions.ends.npy")

    def postings(self, key: str) -> Lists:
        """Return (contents, tf) of a key, int32 each, ascending; empty when the collection lacks it."""
        number = self.keys.find(key)
        if number < 0:
            return _NOTHING
        data, ends = self.inverted_file
        coded = data[int(ends[number - 1]) if number else 0 : int(ends[number])]
        contents, tf = decode_postings(coded) if coded.size and coded[-1] < 128 else _NOTHING
        if not contents.size or not 0 <= contents[0] <= contents[-1] < self.totals["content_elements"]:
            raise IndexError_(f"{self.path / 'postings.bin'}: the file is damaged; build the index anew")
        return contents, tf

    def positions(self, key: str) -> tuple[Ints, Ints, Ints]:
        """Return (contents, tf, positions); the positions of a posting follow those of the one before."""
        number = self.keys.find(key)
        if number < 0:
            return (*_NOTHING, np.zeros(0, np.int64))
        contents, tf = self.postings(key)
        data, ends = self.position_file
        return contents, tf, decode_positions(data[int(ends[number - 1]) if number else 0 : int(ends[number])], tf)

    # -- documents and elements -------------------------------------------------------------------------------------

    @cached_property
    def document_of_content(self) -> NDArray[np.int32]:
        """Return the document number, from 0, of each content element."""
        sizes = np.diff(self.first_contents, append=self.totals["content_elements"])
        return np.repeat(np.arange(len(self), dtype=np.int32), sizes)

    def __len__(self) -> int:
        return self.totals["documents"]

    @cached_property
    def ids(self) -> StringTable:
        """Document ids by number from 0."""
        return self._strings("documents.id")

    @cached_property
    def titles(self) -> StringTable:
        """Document titles by number from 0; empty where the profile names none."""
        return self._strings("documents.title")

    @cached_property
    def _by_id(self) -> Ints:
        return self._array("documents.by_id.npy")

    def document(self, document_id: str) -> int:
        """Return the number, from 0, of a document id; -1 when there is none."""
        wanted = document_id.encode("utf-8", "surrogateescape")
        low = self._first_id(wanted)
        if low < len(self) and self.ids.raw(number := int(self._by_id[low])) == wanted:
            return number
        return -1

    def ids_from(self, begun: str, most: int) -> list[str]:
        """Return the first `most` document ids, in order of their bytes, that begin with a text."""
        wanted = begun.encode("utf-8", "surrogateescape")
        first = self._first_id(wanted)
        found = (self.ids[int(number)] for number in self._by_id[first : first + most])
        return [document_id for document_id in found if document_id.startswith(begun)]

    def _first_id(self, wanted: bytes) -> int:
        """Return the place, in order of their bytes, of the first id that is not below one."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.ids.raw(int(self._by_id[middle])) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def documents_of(self, elements: Ints) -> Ints:
        """Return the document number, from 0, of each element."""
        return np.searchsorted(self.first_elements, elements, side="right") - 1

    def document_length(self, document: int) -> int:
        """Return the characters of a document's text."""
        return int(self._documents[document, 2])

    def document_source(self, document: int) -> tuple[int, int]:
        """Return (number of the source, place among the documents of that file)."""
        return int(self._documents[document, 3]), int(self._documents[document, 4])

    @property
    def document_sources(self) -> Ints:
        """Return the number of the source of each document."""
        return self._documents[:, 3]

    def document_range(self, document: int) -> tuple[int, int]:
        """Return the range of element numbers of a document."""
        last = document + 1 == len(self)
        return (
            int(self.first_elements[document]),
            self.totals["elements"] if last else int(self.first_elements[document + 1]),
        )

    @cached_property
    def tags(self) -> list[str]:
        """Return the tags of the indexed elements, sorted."""
        return list(self.manifest["segment"]["tags"])

    def below(self, tag: str) -> tuple[int, dict[str, int]]:
        """Return how many elements of a tag are below content elements, and the tags of these with the most of them.

        None and none where there are none, or an older Trix built the index.
        """
        count, holders = self.manifest["segment"].get("below", {}).get(tag, (0, {}))
        return count, holders

    @property
    def knows_below(self) -> bool:
        """Whether elements below content elements were counted; an older Trix did not."""
        return "below" in self.manifest["segment"]

    @property
    def hidden_tags(self) -> list[str]:
        """Return the tags of elements below content elements, sorted."""
        return list(self.manifest["segment"].get("below", ()))

    @cached_property
    def step_tags(self) -> list[str]:
        """Return the tag of each path step."""
        return [step_tag(step) for step in self.steps]

    def tagged(self, tag: str) -> BitMap:
        """Return the numbers of the elements with a tag."""
        return self._set("tags", tag)

    def namespace(self, prefix: str) -> str | None:
        """Return the namespace of a prefix; None where the profile declares none, or an older Trix built the index."""
        namespace = self.profile.namespaces.get(prefix) if prefix else None
        return namespace if namespace in self.namespaces else None

    @property
    def namespaces(self) -> list[str]:
        """Return the namespaces that the profile declares, sorted; none where an older Trix built the index."""
        return list(self.manifest["segment"].get("namespaces", ()))

    def in_namespace(self, namespace: str) -> BitMap:
        """Return the numbers of the elements in a namespace that the profile declares."""
        return self._set("namespaces", namespace)

    def _set(self, kind: str, name: str) -> BitMap:
        if (kind, name) not in self._sets:
            self._sets[kind, name] = self.read_set(kind, name)
        return self._sets[kind, name]

    def read_set(self, kind: str, name: str) -> BitMap:
        """Return a set of ``tags`` or ``namespaces`` without remembering it."""
        span = self.manifest["segment"].get(kind, {}).get(name)
        data = unpack(self._files["tags.bin"][span[0] : span[1]], "u1").tobytes() if span else b""
        return BitMap.deserialize(data) if span else BitMap()

    # -- texts to compare ---------------------------------------------------------------------------------------------

    @cached_property
    def value_bytes(self) -> Any:
        """The streams of `trix.indexer.store.values` and `trix.indexer.store.attributes`."""
        return self._files.get("values.bin", b"")

    @property
    def has_values(self) -> bool:
        """Whether texts can be compared; an older Trix kept none, or without the blanks between words."""
        return not self.blocks[:-1] or set(STREAMS) <= self.blocks[0].spans.keys()

    @cached_property
    def values(self) -> Values:
        """The trimmed texts of elements.

        Raises
        ------
        IndexError_
            An older Trix built the index, which kept none.
        """
        if not self.has_values:
            raise IndexError_(
                f"{self.path}: an older Trix built it without the values that comparisons need, which know where tags "
                "separate words; build it anew"
            )
        return Values(self)

    @cached_property
    def attributes(self) -> Attributes:
        """The indexed attributes, also those that are no units."""
        names = self.manifest["segment"].get("attributes", [])
        return Attributes(names, self.blocks, self.elements, self.value_bytes)

    @property
    def units(self) -> dict[int, str]:
        """The value of each attribute that is a unit, by its element number."""
        return self.attributes.units

    # -- links --------------------------------------------------------------------------------------------------------

    @cached_property
    def links(self) -> tuple[Ints, Ints]:
        """Return the sources and the targets of all links, element numbers by source, then by target.

        Raises
        ------
        IndexError_
            The profile names no links, or an older Trix built the index.
        """
        written = self.manifest["segment"].get("links")
        if written is None:
            has = "an older Trix built it" if self.profile.links else f"its profile {self.profile.name} names none"
            raise IndexError_(f"{self.path}: the index has no links: {has}; build it anew with [links] in the profile")
        steps, ways = (
            unpack(self._files["links.bin"][a:b], dtype).astype(np.int64) for a, b, dtype in written["spans"]
        )
        sources = np.cumsum(steps)
        return sources.astype(np.int32), (sources + ways).astype(np.int32)

    # -- sources ----------------------------------------------------------------------------------------------------

    @cached_property
    def sources(self) -> tuple[StringTable, StringTable, StringTable, Ints]:
        """Return the paths, locations and members of the sources, and (size, crc, offset) of each."""
        tables = (self._strings(f"sources.{name}") for name in ("path", "location", "member"))
        return (*tables, self._array("sources.npy"))  # type: ignore[return-value]

    def copy(self, source: int) -> tuple[bytes, int]:
        """Return the compressed frame that a stored source lies in, and where in it."""
        begin, end, place = (int(value) for value in self._array("copies.npy")[source])
        return bytes(self._files["copies.bin"][begin:end]), place
