"""Documents and elements by name, and what they say: text, XML, snippets, with the words that matched."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.damage import or_damaged
from trix.errors import SourceError, TrixError, UsageError
from trix.indexer.index import IndexFiles
from trix.indexer.texts import Document, Texts
from trix.query.co import Query
from trix.query.finding import Finder
from trix.query.highlight import Highlighter, Hit, Range, mark, ranges
from trix.query.naming import Namer
from trix.query.snippet import HEADS, LOOKED_AT, head_snippet, located_snippet, snippet

if TYPE_CHECKING:
    from trix.query.results import Result


_PART = 1500
"""Characters that are read in the time that finding a part of a document takes."""

_WITHOUT_POSITION = re.compile(r"(/[^/@\[\]]+)(?=/|$)")
"""A step that means the first of its name."""


class Viewer:
    """Finds units of an index and reads them from the sources.

    Parameters
    ----------
    files
        The index.
    namer
        Writes its labels and paths.
    """

    def __init__(self, files: IndexFiles, namer: Namer) -> None:
        self.files, self._namer, self._finder = files, namer, Finder(files)
        self._texts: Texts | None = None

    @property
    def texts(self) -> Texts:
        """The documents' texts."""
        if self._texts is None:
            self._texts = Texts(self.files)
        return self._texts

    def forget(self) -> None:
        """Let go of the documents in memory."""
        self._texts = None

    # -- what a unit says -------------------------------------------------------------------------------------------

    def text(self, unit: str, highlighter: Highlighter | None = None, marks: tuple[str, str] = ("[", "]")) -> str:
        """Return the text of a unit (see `unit`), with marks around what a highlighter finds.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        document, path = self.unit(unit)
        shown = self.texts.document(document)
        if highlighter is None and path and "/@" not in path and self._finder.element(document, path) < 0:
            return Document(self.source_node(document, path), shown.reader).text  # below a content element
        if "/@" in path:
            element = self._find(document, path)
            text, begin, in_attribute = str(self.source_node(document, path)), 0, True
        elif path:
            element = self._find(document, path)
            begin, in_attribute = int(self.files.elements.start[element]), False
            text = shown.text[begin : begin + int(self.files.elements.length[element])]
        else:
            element, text, begin, in_attribute = self.files.document_range(document)[0], shown.text, 0, False
        if highlighter is None:
            return text
        hits = [hit for hit in self.hits(highlighter, document, element) if hit.in_attribute == in_attribute]
        return mark(text, ranges(hits, begin), *marks)

    def xml(self, unit: str, highlighter: Highlighter | None = None, marks: tuple[str, str] = ("[", "]")) -> str:
        """Return the XML of a unit, without what follows it; what a highlighter finds is in ``<mark>`` elements.

        Runs of text and attributes have no XML of their own and are given as text.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        from lxml import etree

        document, path = self.unit(unit)
        if path.endswith(")") or "/@" in path or "/text()" in path:
            return self.text(unit, highlighter, marks)
        found = self.source_node(document, path) if path else self.texts.document(document).root
        if highlighter is not None:
            found = self._marked(document, found, highlighter)
        return etree.tostring(found, encoding="unicode", with_tail=False)

    def _marked(self, document: int, node: Any, highlighter: Highlighter) -> Any:
        """Return a node of a copy of the document in which the hits are marked."""
        from trix.indexer.text_nodes import mark_ranges, text_nodes

        root = self.texts.document(document).root
        steps: list[int] = []
        while (parent := node.getparent()) is not None:
            steps.append(parent.index(node))
            node = parent
        above = len(list(root.iterancestors()))
        found = copied = copy.deepcopy(root.getroottree()).getroot()
        for depth, step in enumerate(reversed(steps), 1):
            found = found[step]
            if depth == above:
                copied = found
        hits = self.hits(highlighter, document, self.files.document_range(document)[0])
        nodes = list(text_nodes(copied, self.files.profile))
        mark_ranges(nodes, ranges(hit for hit in hits if not hit.in_attribute))
        return found

    def hits(self, highlighter: Highlighter, document: int, element: int) -> list[Hit]:
        """Return the hits in an element."""
        low, high = self.files.document_range(document)
        if not low <= element < high:
            return []  # a document without any text
        elements = self.files.elements
        elements.structure_of_elements(np.array([element]))
        begin = int(elements.begin[element])
        end = begin + int(elements.contents[element])
        first = int(self.files.first_contents[document])
        return highlighter.hits(self.texts.document(document), first, begin, end)

    def text_of(self, result: Result) -> str:
        """Return the text of a result."""
        if result.tag.startswith("@"):
            return str(self.source_node(result.document, result.path))
        text = self.texts.document(result.document).text
        return text[result.offset : result.offset + result.length]

    def source_node(self, document: int, path: str) -> Any:
        """Return the lxml element or the attribute value at a path of local names."""
        node = self.texts.document(document).root
        for step in path.split("/")[2:]:
            if step.startswith("@"):
                return next((value for name, value in node.attrib.items() if name.rpartition("}")[2] == step[1:]), "")
            name, _, position = step.rstrip("]").partition("[")
            same = [c for c in node if isinstance(c.tag, str) and c.tag.rpartition("}")[2] == name]
            wanted = int(position or 1)
            if wanted > len(same):
                raise UsageError(f"{self.files.ids[document]}{path}: there is no such element in the document")
            node = same[wanted - 1]
        return node

    # -- which unit -------------------------------------------------------------------------------------------------

    def unit(self, unit: str) -> tuple[int, str]:
        """Return (document number, path or "") of a document id, with or without a path, or of a label."""
        if unit and unit.replace(".", "").isdigit() and self.files.document(unit) < 0:
            number = self._labelled(unit)
            documents = self.files.documents_of(np.array([number]))
            return int(documents[0]), self._namer.names(np.array([number], np.int32), documents)[1][0]
        at = len(unit)
        while at >= 0:
            document = self.files.document(unit[:at])
            if document >= 0:
                return document, _WITHOUT_POSITION.sub(r"\1[1]", unit[at:])
            at = unit.rfind("/", 0, at)
        raise UsageError(f"{unit}: no such document{self._similar(unit)}")

    def _similar(self, unit: str) -> str:
        ids = [self.files.ids[number] for number in range(min(len(self.files), 50_000))]
        close = difflib.get_close_matches(unit.partition("/article")[0], ids, n=1)
        return f" (did you mean {close[0]}?)" if close else ""

    def element(self, unit: str) -> int:
        """Return the number of the element that a unit names; of a document its root."""
        document, path = self.unit(unit)
        return self._find(document, path) if path else self.files.document_range(document)[0]

    def _find(self, document: int, path: str) -> int:
        """Return the number of the indexed element of a document at a path."""
        number = self._finder.element(document, path)
        if number < 0:
            raise UsageError(
                f"{self.files.ids[document]}{path}: no such element in the index; elements below content elements "
                "have no number of their own"
            )
        return number

    def _labelled(self, label: str) -> int:
        """Return the number of the indexed element with a Dewey label."""
        document = int(label.partition(".")[0]) - 1
        if not 0 <= document < len(self.files):
            raise UsageError(f"{label}: there is no document {document + 1}; the index holds {len(self.files)}")
        low, high = self.files.document_range(document)
        elements = np.arange(low, high, dtype=np.int32)
        labels = self._namer.names(elements, np.full(elements.size, document))[0]
        try:
            return low + labels.index(label)
        except ValueError:
            raise UsageError(f"{label}: no such element in the index") from None


class View:
    """What the results of one query show of their elements.

    Parameters
    ----------
    viewer
        Reads the elements.
    query, phrases
        What was asked; see `Highlighter`.
    notices
        Told once where a source is not what was indexed any more: then there are no snippets and no matches.
    """

    def __init__(self, viewer: Viewer, query: Query, phrases: str, notices: list[str]) -> None:
        self.files = viewer.files
        self._viewer, self._query, self._phrases, self._notices = viewer, query, phrases, notices
        self._keys = frozenset(key for term in query.terms if term.sign != "-" for key in term.keys)

    @cached_property
    def _highlighter(self) -> Highlighter:
        return Highlighter(self._viewer.files, self._query, self._phrases)

    @or_damaged
    def text(self, result: Result) -> str:
        """Return the element's text."""
        return self._viewer.text_of(result)

    @or_damaged
    def matches(self, result: Result) -> list[Range]:
        """Return which characters of the element's text matched, as ascending ranges.

        Words in the values of indexed attributes are in no text but the attribute's own.
        """
        if not self._keys:
            return []
        in_attribute = result.tag.startswith("@")
        try:
            hits = self._viewer.hits(self._highlighter, result.document, result.element)
        except SourceError as error:
            self._notice(error)
            return []
        return ranges((hit for hit in hits if hit.in_attribute == in_attribute), 0 if in_attribute else result.offset)

    def expect(self, results: Sequence[Result]) -> None:
        """Be told which results of one document will be asked for next.

        The document is read whole where one part after the other would take longer.
        """
        number = results[0].document
        parts = sum(result.length + _PART for result in results)
        if parts < self.files.document_length(number):
            return
        try:
            _ = self._viewer.texts.document(number).text
        except TrixError:
            return  # said by whoever asks for a result

    @or_damaged
    def snippet(self, result: Result) -> str:
        """Return a line of the element's text."""
        analyzer = self._viewer.files.analyzer
        try:
            for size in HEADS:
                if 2 * size < result.length:
                    shown = head_snippet(self._spaced(result, size), self._keys, analyzer)
                    if shown is not None:
                        return shown
            return snippet(self._spaced(result), self._keys, analyzer)
        except SourceError as error:
            self._notice(error)
            return ""

    def _notice(self, error: SourceError) -> None:
        if not self._notices:
            self._notices.append(f"results have no snippets: {error}")

    def snippet_matches(self, result: Result) -> list[Range]:
        """Return which characters of the snippet matched."""
        found = self.matches(result)
        if not found:
            return []
        if not result.tag.startswith("@"):
            document = self._viewer.texts.document(result.document)
            found = [document.spaced_range(result.offset, each) for each in found]
        return located_snippet(self._spaced(result), self._keys, self._viewer.files.analyzer, found)[1]

    def _spaced(self, result: Result, size: int = LOOKED_AT) -> str:
        """Return the first characters of a result's text, for reading."""
        if result.tag.startswith("@"):
            return self.text(result)
        document = self._viewer.texts.document(result.document)
        if not document.is_read and not result.tag.startswith("#"):
            # The element alone says the same, and the rest of an article, its references above all, takes longer.
            part = Document(self._viewer.source_node(result.document, result.path), document.reader)
            if len(part.text) == result.length:
                return part.spaced(0, min(result.length, size))
        return document.spaced(result.offset, result.offset + min(result.length, size))
