"""Declaration of a data set of the catalogue, and the writer of its preparation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from trix.datasets.sources.archive import KnownFiles
from trix.datasets.sources.spans import JudgedSpan
from trix.datasets.sources.trees import Element


@dataclass(frozen=True)
class JudgedTopic:
    """A topic with its relevant elements.

    Attributes
    ----------
    id
        Topic id, without white space.
    words
        The query.
    units
        Relevant elements: document id and path.
    spans
        Relevant text, where the source judges text.
    """

    id: str
    words: str
    units: tuple[str, ...]
    spans: tuple[JudgedSpan, ...] = ()


class CollectionWriter(Protocol):
    """What a preparation writes: documents, and topics with their judgements in parts."""

    def document(self, doc: str, tree: Element | bytes, folder: str = "") -> None:
        """Write a document, as a tree or as the bytes of a file, below ``documents`` or a subfolder."""
        ...

    def part(self, name: str, topics: Iterable[JudgedTopic], folder: str = "") -> None:
        """Write topics and judgements on the documents of a subfolder; an only part has an empty name."""
        ...

    def rules(self, level: str, profile: str) -> None:
        """Set level and profile where they depend on the source; before anything else."""
        ...

    def notice(self, text: str) -> None:
        """Add a notice."""
        ...


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set of the catalogue.

    Attributes
    ----------
    name
        Its name in commands.
    title
        Name that its authors give it.
    about
        Queries and answers, in one line.
    home
        Address of its home.
    licence
        Licence, and what it means for a copy.
    citation
        Authors, year, where published.
    size
        Numbers of documents and topics of the known version.
    needs
        Files that the user needs.
    mapping
        How judgements of the source become elements.
    level
        Level of the judged elements, as a path without namespaces.
    prepare
        Function from the folder of the source to the documents, topics and judgements.
    layouts
        Files that the source has, as globs; alternatives, of which the first is the one at home.
    profile
        Preset of the index, or the text of a profile.
    stem
        Stemmer of the index.
    known
        Files with known checksums.
    download
        Address of an archive, if one is known.
    judges
        Source of the judgements: ``people``, ``model`` or ``structure``.
    tried
        Which files it was tried on.
    """

    name: str
    title: str
    about: str
    home: str
    licence: str
    citation: str
    size: str
    needs: str
    mapping: str
    level: str
    prepare: Callable[[Path, CollectionWriter], None] = field(repr=False)
    layouts: tuple[tuple[str, ...], ...] = ()
    profile: str = "generic"
    stem: str = "porter"
    known: tuple[KnownFiles, ...] = ()
    download: str = ""
    judges: str = "people"
    tried: str = "the files of the home"
