"""Ranges of characters of elements in files, counted as the index and assessments count them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trix.indexer.document.kinds import ElementKinds
from trix.indexer.document.layout import Counting, TextLayout, lay_out
from trix.indexer.document.parse import parse
from trix.indexer.profile.profile import load_profile


@dataclass(frozen=True)
class JudgedSpan:
    """Relevant text of a document, named by the elements that it is in.

    Attributes
    ----------
    doc
        Document id.
    path
        Path of the element that it begins in.
    begin
        Characters of this element before it.
    size
        Its number of characters; None for all to the end of `last`.
    last
        Path of the element that it ends with; that of `path` if empty.
    """

    doc: str
    path: str
    begin: int = 0
    size: int | None = None
    last: str = ""


class FolderLayouts:
    """Layouts of the documents in a folder, by a profile.

    Parameters
    ----------
    folder
        Folder of the documents.
    profile
        Name of a preset, or a profile's file.
    """

    def __init__(self, folder: Path, profile: str) -> None:
        self._folder = folder
        self._counting = Counting(kinds=ElementKinds(load_profile(profile)))
        self._last: tuple[str, TextLayout] | None = None

    def layout(self, doc: str) -> TextLayout:
        """Return the layout of a document; the last one is kept."""
        if self._last is None or self._last[0] != doc:
            path = self._folder / f"{doc}.xml"
            self._last = doc, lay_out(parse(path.read_bytes(), str(path), verbatim=True), self._counting, {})
        return self._last[1]

    def range(self, span: JudgedSpan) -> tuple[int, int] | None:
        """Return begin and end of relevant text in its document; None if an element is not there."""
        layout = self.layout(span.doc)
        first, last = layout.span(span.path), layout.span(span.last or span.path)
        if first is None or last is None:
            return None
        begin = first[0] + span.begin
        return begin, (last[1] if span.size is None else begin + span.size)
