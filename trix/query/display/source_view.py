"""View of a query's results on their sources: snippets, texts, matches, fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trix.errors import SourceError
from trix.indexer.fields.table import Fields
from trix.indexer.read.damage import or_damaged
from trix.indexer.words.analyzer import Analyzer
from trix.query.display.breadcrumb import Breadcrumb, tags_above
from trix.query.display.highlight import Highlighter, Range, placed, ranges
from trix.query.display.snippet import HEADS, LOOKED_AT, head_snippet, located_snippet, marked_words, snippet
from trix.query.display.viewer import Viewer
from trix.query.language.terms import Query
from trix.query.options import Options

if TYPE_CHECKING:
    from trix.query.display.result import Result


_PART = 1500
"""Number of characters that can be read in the time of finding a part of a document."""


class SourceView:
    """View of a query's results on their sources.

    Parameters
    ----------
    viewer
        Reads the elements.
    query, phrases
        The query; see `Highlighter`.
    notices
        Receives a notice on sources that have changed: their results have no snippets and no matches.
    fields
        Fields of the documents.
    """

    def __init__(
        self, viewer: Viewer, query: Query, phrases: str, notices: list[str], fields: Fields | None = None
    ) -> None:
        self.files, self._fields = viewer.files, Fields({}, []) if fields is None else fields
        self._viewer, self._query, self._phrases, self._notices = viewer, query, phrases, notices
        self.query_and_phrases = query, phrases
        self.options: Options | None = None
        self._chosen: Callable[[int], dict[str, list[Any]]] | None = None
        self._lines: dict[int, str] = {}

    @cached_property
    def _keys(self) -> frozenset[str]:
        """Keys of the query's words."""
        return frozenset(key for keys in self._query.sought for key in keys)

    @cached_property
    def highlighter(self) -> Highlighter:
        """Highlighter of the query's words."""
        return Highlighter(self._viewer.files, self._query, self._phrases)

    @or_damaged
    def title(self, result: Result) -> str:
        """Return the title of the element's document."""
        return " ".join(self.files.titles[result.document].split())

    @property
    def has_fields(self) -> bool:
        """Whether documents or elements have fields of their profile."""
        return bool(self._fields.own or self._fields.own_of_elements)

    @property
    def has_places(self) -> bool:
        """Whether the profile names milestones."""
        return bool(self.files.profile.milestones)

    @or_damaged
    def fields(self, result: Result, names: Sequence[str] | None = None) -> dict[str, Any]:
        """Return field values of the element and its document; of some fields, or of all in the profile."""
        known = names and [name for name in names if name in self._fields]
        return self._fields.of(result.document, known, result.element)

    @or_damaged
    def matched_fields(self, result: Result) -> dict[str, list[Any]]:
        """Return the values of multi-valued fields that match the filter."""
        return self._chosen(result.document) if self._chosen else {}

    @or_damaged
    def places(self, result: Result) -> dict[str, str]:
        """Return the pages, verses and lines where the element begins and ends, by name."""
        return self._viewer.places(result.document, result.offset, result.offset + result.length)

    def filtered_by(self, options: Options, chosen: Callable[[int], dict[str, list[Any]]] | None) -> None:
        """Set the options of the search, and the source of a document's values that match their filter."""
        self.options, self._chosen = options, chosen

    @or_damaged
    def breadcrumb(self, result: Result) -> Breadcrumb:
        """Return the titles of the enclosing sections, or the tags above the element if there are none."""
        try:
            return self._viewer.breadcrumb(result)
        except SourceError as error:
            self._viewer.missing.add(result.doc, error, self._notices)
            return tags_above(result.path)

    @or_damaged
    def text(self, result: Result) -> str:
        """Return the element's displayed text."""
        return self._viewer.shown_of(result).text

    @or_damaged
    def line(self, result: Result) -> str:
        """Return the element's text on one line, of a large one the beginning; it is kept for the snippet."""
        line = self._lines.get(result.element)
        if line is None:
            line = self._lines[result.element] = self._viewer.shown_line(result, LOOKED_AT)
        return line

    @or_damaged
    def matches(self, result: Result) -> list[Range]:
        """Return the ascending ranges of the element's displayed text that match.

        Words in values of indexed attributes belong to the attribute alone.
        """
        if not self._keys:
            return []
        try:
            found = self._matches(result)
            return placed(self._viewer.shown_of(result), found) if found else []
        except SourceError as error:
            self._viewer.missing.add(result.doc, error, self._notices)
            return []

    def _matches(self, result: Result) -> list[Range]:
        """Return the matching ranges, counted in the document."""
        in_attribute = result.tag.startswith("@")
        hits = self._viewer.hits(self.highlighter, result.document, result.element)
        return ranges((hit for hit in hits if hit.in_attribute == in_attribute), 0 if in_attribute else result.offset)

    @or_damaged
    def expect(self, results: Sequence[Result]) -> None:
        """Announce which results of one document will be read next.

        The document is read whole if reading single parts would take longer.
        """
        number = results[0].document
        parts = sum(result.length + _PART for result in results)
        if parts < self.files.document_length(number):
            return
        texts = self._viewer.texts
        try:
            _ = texts.condensed(number) or texts.document(number).text
        except Exception:
            return  # reported when a result is read

    @or_damaged
    def snippet(self, result: Result) -> str:
        """Return a snippet of the element's text, or of its attributes if only they match."""
        analyzer = self._viewer.files.analyzer_at(result.element, self._keys)
        try:
            line = self._line(result, analyzer)
            if self.files.profile.attributes and self._keys and not marked_words(line, self._keys, analyzer):
                values = self._viewer.values(self.highlighter, result.document, result.element)
                return snippet(values, self._keys, analyzer) if values else line
            return line
        except SourceError as error:
            self._viewer.missing.add(result.doc, error, self._notices)
            return ""

    def _line(self, result: Result, analyzer: Analyzer) -> str:
        known = self._lines.get(result.element)
        for size in HEADS:
            if 2 * size < result.length and known is None:
                line = head_snippet(self._viewer.shown_line(result, size), self._keys, analyzer)
                if line is not None:
                    return line
        line = self._viewer.shown_line(result, LOOKED_AT) if known is None else known
        return snippet(line, self._keys, analyzer, on_line=True)

    def snippet_matches(self, result: Result) -> list[Range]:
        """Return the ranges of the snippet that match."""
        analyzer = self._viewer.files.analyzer_at(result.element, self._keys)
        if all(len(keys) == 1 for keys in self._query.sought):  # no phrase, whose words count only where it matches
            return marked_words(result.snippet, self._keys, analyzer) if self._keys else []
        found = self.matches(result) if result.snippet else []
        text = self._viewer.shown_of(result, LOOKED_AT).text if found else ""
        return located_snippet(text, self._keys, analyzer, found)[1] if found else []
