"""Viewer of documents and elements: text, XML and snippets, with highlighted words."""

from __future__ import annotations

import copy
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.errors import UsageError, did_you_mean
from trix.indexer.document.record import ATTRIBUTE
from trix.indexer.read.missing_sources import MissingSources
from trix.indexer.read.shown import ShownText, show
from trix.indexer.read.texts import SourceDocument, SourcePart, SourceTexts
from trix.indexer.store.files import IndexFiles
from trix.query.display.breadcrumb import Breadcrumb, breadcrumb
from trix.query.display.highlight import Highlighter, Hit, Range, mark, placed, ranges
from trix.query.naming.names import Finder, Namer
from trix.support.element_path import cuts, label_steps, node_at, node_with_id, path_of, with_positions

if TYPE_CHECKING:
    from trix.query.display.result import Result


Labels = Callable[[Any, Set[str]], Iterable[tuple[Any, str]]]
"""Function from a document's root, and the paths of indexed elements, to its fields with their labels."""

VALUES_BEFORE, VALUES_AFTER = 12, 60
"""Number of attribute values examined for a snippet: before the first with a query word, and from it on."""


class Viewer:
    """Viewer of an index, which reads units from their sources.

    Parameters
    ----------
    files
        The index.
    namer
        Writes its labels and paths.
    """

    def __init__(self, files: IndexFiles, namer: Namer) -> None:
        self.files, self._namer, self._finder = files, namer, Finder(files)
        self._texts: SourceTexts | None = None
        self.missing = MissingSources()

    @property
    def texts(self) -> SourceTexts:
        """The documents' texts."""
        texts = self._texts  # another thread may forget them meanwhile
        if texts is None:
            texts = self._texts = SourceTexts(self.files)
        return texts

    def forget(self) -> None:
        """Free cached documents."""
        self._texts = None

    # -- what a unit says -------------------------------------------------------------------------------------------

    def text(
        self,
        unit: str,
        highlighter: Highlighter | None = None,
        marks: tuple[str, str] = ("[", "]"),
        *,
        raw: bool = False,
        labels: Labels | None = None,
    ) -> str:
        """Return the displayed text of a unit (see `unit`), with marks around highlighted words.

        With `raw` it is the document's own text, in which offsets count.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        document, path = self.unit(unit)
        read = self.texts.document(document)
        in_attribute = "/@" in path
        if highlighter is None and path and self._finder.element(document, path) < 0:
            node = self.source_node(document, path)  # below a content element, or an attribute that is not indexed
            if in_attribute:
                return str(node) if raw else self.shown_value(document, path).text
            below = SourceDocument(node, read.reader)
            return below.text if raw else below.shown().text
        element = self._find(document, path)
        begin, end = 0, len(read.text)
        if path:
            begin, end = self.place(unit) or self.stretch(document, path)
        if in_attribute:
            begin, text, shown = 0, str(self.source_node(document, path)), self.shown_value(document, path)
        else:
            text, shown = read.text[begin:end], read.shown(begin, end)
        found: list[Range] = []
        if highlighter is not None:
            hits = self.hits(highlighter, document, element)
            found = ranges((hit for hit in hits if hit.in_attribute == in_attribute), begin)
        if raw:
            return mark(text, found, *marks)
        labels_at = self._labels(document, read, labels, begin, end) if labels and not in_attribute else {}
        before = {shown.place(at - begin, at - begin + 1)[0]: label for at, label in labels_at.items()}
        return mark(*labelled(shown.text, before, placed(shown, found)), *marks)

    def _labels(self, document: int, read: SourceDocument, labels: Labels, begin: int, end: int) -> dict[int, str]:
        """Return the labels of the fields that begin in a range of characters of a document, by offset."""
        from trix.indexer.document.text_nodes import text_nodes

        low, high = self.files.document_range(document)
        paths = frozenset(self._namer.all_names(np.arange(low, high, dtype=np.int32)).paths)
        fields, found = dict(labels(read.root, paths)), dict[int, str]()
        for node in text_nodes(read.root, self.files.profile) if fields else ():
            text = getattr(node.element, node.slot)
            at = node.begin + len(text) - len(text.lstrip())
            if text.isspace():
                continue
            around = node.element if node.slot == "text" else node.element.getparent()
            for element in (around, *around.iterancestors()):
                label = fields.pop(element, "")
                if label and begin <= at < end:
                    found[at] = label
        return found

    def xml(self, unit: str, highlighter: Highlighter | None = None, marks: tuple[str, str] = ("[", "]")) -> str:
        """Return the XML of a unit, with highlighted words in ``<mark>`` elements.

        Runs of text and attributes have no XML of their own and are returned as text.

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
        root = self.texts.document(document).root
        found = self.source_node(document, path, root) if path else root
        if highlighter is not None:
            found = self._marked(document, root, found, highlighter)
        return etree.tostring(found, encoding="unicode", with_tail=False)

    def _marked(self, document: int, root: Any, node: Any, highlighter: Highlighter) -> Any:
        """Return a node of a copy of the document in which the hits are marked."""
        from trix.indexer.document.text_nodes import mark_ranges, text_nodes

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
        begin, end = self.contents(element)
        texts, first = self.texts, int(self.files.first_contents[document])
        return highlighter.hits(texts.condensed(document) or texts.document(document), first, begin, end)

    def values(self, highlighter: Highlighter, document: int, element: int) -> str:
        """Return the values of indexed attributes of an element around the first that matches."""
        begin, end = self.contents(element)
        matching = highlighter.contents
        low, high = np.searchsorted(matching, (begin, end))
        if low == high:
            return ""
        read, first = self.texts.document(document), int(self.files.first_contents[document])
        around = range(max(begin, int(matching[low]) - VALUES_BEFORE), min(end, int(matching[low]) + VALUES_AFTER))
        stretches = [read.stretch(content - first)[0] for content in around]
        values = [each.split(ATTRIBUTE)[1] for each in stretches if each.startswith(ATTRIBUTE)]  # text follows them
        from trix.query.display.prose import plain_value

        return " ".join(plain_value(" ".join(values)).split())

    def contents(self, element: int) -> Range:
        """Return the range of content elements of an element."""
        elements = self.files.elements
        elements.structure_of_elements(np.array([element]))
        begin = int(elements.begin[element])
        return begin, begin + int(elements.contents[element])

    def shown_of(self, result: Result, size: int | None = None) -> ShownText:
        """Return the displayed text of a result, or its first `size` characters."""
        if result.tag.startswith("@"):
            return self.shown_value(result.document, result.path)
        length = result.length if size is None else min(result.length, size)
        condensed = self.texts.condensed(result.document)
        if condensed is not None:
            return condensed.shown(result.offset, result.offset + length)
        part = self.part_of(result)
        return part.document.shown(part.begin, part.begin + length)

    def shown_line(self, result: Result, size: int) -> str:
        """Return the first `size` displayed characters of a result, on one line."""
        condensed = None if result.tag.startswith("@") else self.texts.condensed(result.document)
        if condensed is None:
            text = self.shown_of(result, size).text
            if result.tag.startswith("@"):
                from trix.query.display.prose import plain_value

                text = plain_value(text)
            return " ".join(text.split())
        return condensed.shown_line(result.offset, result.offset + min(result.length, size))

    def part_of(self, result: Result) -> SourcePart:
        """Return the part of the document to read for an element that is no attribute."""
        document = self.texts.document(result.document)
        if not document.is_read and not result.tag.startswith("#"):
            # The element alone says the same, and the rest of an article, its references above all, takes longer.
            alone = SourceDocument(self.source_node(result.document, result.path), document.reader)
            if len(alone.text) == result.length:
                return SourcePart(alone, 0, self.contents(result.element)[0])
        return SourcePart(document, result.offset, int(self.files.first_contents[result.document]))

    def shown_value(self, document: int, path: str) -> ShownText:
        """Return the displayed value of an attribute."""
        return show(str(self.source_node(document, path)), self.files.profile.join_characters)

    def breadcrumb(self, result: Result) -> Breadcrumb:
        """Return the titles of a result's enclosing sections."""
        above, _, last = result.path.rpartition("/")
        path = above if last.startswith("@") or last.partition("[")[0].endswith(")") else result.path
        condensed = self.texts.condensed(result.document)
        if condensed is not None:
            titles = condensed.titles_above(path)
        else:
            root = self.texts.document(result.document).root
            titles = self.texts.headings.above(self.source_node(result.document, path, root), root)
        return breadcrumb(titles, result.path, self.files.titles[result.document])

    def source_node(self, document: int, path: str, root: Any = None) -> Any:
        """Return the element or attribute value at a path; `root` is that of a tree that is already parsed.

        Raises
        ------
        UsageError
            The document has no such element or attribute.
        """
        found = node_at(self.texts.document(document).root if root is None else root, path)
        if found is None:
            what = "attribute" if "/@" in path else "element"
            raise UsageError(f"{self.files.ids[document]}{path}: there is no such {what} in the document")
        return found

    # -- which unit -------------------------------------------------------------------------------------------------

    def unit(self, unit: str) -> tuple[int, str]:
        """Parse a unit: (document number, path or "") of a document id, with a path or ``#`` and an id, or of a label.

        A place such as ``#page=214`` may stand for the id: it is the smallest element that holds it.
        """
        if (numbers := label_steps(unit)) and self.files.document(unit) < 0:
            number = self._labelled(unit, numbers[0] - 1)
            documents = self.files.documents_of(np.array([number]))
            return int(documents[0]), self._namer.names(np.array([number], np.int32), documents)[1][0]
        for doc, path in cuts(unit):
            if (document := self.files.document(doc)) >= 0:
                return document, with_positions(path)
        doc, _, name = unit.rpartition("#")
        if doc and name and (document := self.files.document(doc)) >= 0:
            if "=" in name:
                from trix.query.naming.places import holding_element, named_place

                element = holding_element(self.files, document, *named_place(self.files, document, name))
                return document, self._namer.all_names(np.array([element], np.int32)).paths[0] if element >= 0 else ""
            root = self.texts.document(document).root
            if (node := node_with_id(root, name)) is None:
                raise UsageError(f"{doc}: no element has the id {name!r}")
            return document, path_of(node, root)
        raise UsageError(f"{unit}: no such document{self._similar(unit)}")

    def place(self, unit: str) -> Range | None:
        """Return the range of characters of the place that a unit names, such as ``DOC#page=214``; None for other
        units.
        """
        doc, _, name = unit.rpartition("#")
        document = self.files.document(doc) if "=" in name and self.files.document(unit) < 0 else -1
        if document < 0:
            return None
        from trix.query.naming.places import named_place

        return named_place(self.files, document, name)

    def places(self, document: int, begin: int, end: int) -> dict[str, str]:
        """Return the pages, verses and lines where a range of a document begins and ends, by name."""
        if not self.files.profile.milestones:
            return {}
        return {place.name: place.text for place in self.files.places(document).among(begin, end)}

    def stretch(self, document: int, path: str) -> Range:
        """Return the range of characters of the indexed element at a path, or of its nearest indexed ancestor."""
        while (element := self.number(document, path)) < 0 and path:
            path = path.rpartition("/")[0]
        if element < 0:
            return 0, self.files.document_length(document)
        elements = np.array([element], np.int32)
        names = self._namer.all_names(elements)
        return names.offsets[0], names.offsets[0] + names.lengths[0]

    def _similar(self, unit: str) -> str:
        ids = [self.files.ids[number] for number in range(min(len(self.files), 50_000))]
        return did_you_mean(unit.partition("/article")[0], ids)

    def element(self, unit: str) -> int:
        """Return the number of the element that a unit names; for a document its root."""
        document, path = self.unit(unit)
        if len(set(self.files.document_range(document))) == 1:
            raise UsageError(f"{unit}: the document has no text, and so no element in the index")
        return self._find(document, path)

    def number(self, document: int, path: str) -> int:
        """Return the number of the indexed element of a document at a path, -1 if there is none."""
        return self._finder.element(document, path)

    def _find(self, document: int, path: str) -> int:
        number = self.number(document, path) if path else self.files.document_range(document)[0]
        if number < 0:
            why = "no such element in the index; elements below content elements have no number of their own"
            raise UsageError(f"{self.files.ids[document]}{path}: {why}")
        return number

    def _labelled(self, label: str, document: int) -> int:
        """Return the number of the indexed element with a Dewey label."""
        if not 0 <= document < len(self.files):
            raise UsageError(f"{label}: there is no document {document + 1}; the index holds {len(self.files)}")
        low, high = self.files.document_range(document)
        elements = np.arange(low, high, dtype=np.int32)
        labels = self._namer.names(elements, np.full(elements.size, document))[0]
        try:
            return low + labels.index(label)
        except ValueError:
            raise UsageError(f"{label}: no such element in the index") from None


def labelled(text: str, labels: Mapping[int, str], found: Sequence[Range]) -> tuple[str, list[Range]]:
    """Return a text with labels before some of its characters, each on a line of its own, and where ranges stand then.

    >>> labelled("The mill 1820 3 boxes", {9: "Date", 14: "Extent"}, [(4, 8), (16, 21)])
    ('The mill\\nDate: 1820\\nExtent: 3 boxes', [(4, 8), (30, 35)])
    """
    pieces, last = list[str](), 0
    for at in sorted(labels):
        piece = text[last:at]
        if piece.endswith(" ") and not piece.endswith("\n "):
            piece = f"{piece[:-1]}\n"
        pieces += [piece, f"{labels[at]}: "]
        last = at
    places = sorted(labels)
    added = [0, *accumulate(len(labels[at]) + 2 for at in places)]
    moved = [
        (low + added[bisect_right(places, low)], high + added[bisect_right(places, high - 1)]) for low, high in found
    ]
    return "".join([*pieces, text[last:]]), moved
