"""Documents and elements of an open index by their names, and what there is in it at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trix.api.opened import Opened
from trix.indexer.fields.table import Fields
from trix.indexer.read.damage import or_damaged

if TYPE_CHECKING:
    from trix.query.display.outline import Section
    from trix.query.display.units import Unit


class Units(Opened):
    """Shows what can be named; what can be asked is said by `Index`."""

    @property
    def fields(self) -> Fields:
        """What the documents say of themselves: of each field of the profile its values, and those of a document.

        A mapping from names to columns; ``index.fields.of(number)`` is what one document says, ``index.fields.facts()``
        the type, the coverage and some values of each.
        """
        return self.now.searcher.restriction.fields

    @or_damaged
    def show(
        self,
        unit: str,
        xml: bool = False,
        *,
        raw: bool = False,
        highlight: str | None = None,
        phrases: str = "content",
        marks: tuple[str, str] = ("[", "]"),
    ) -> str:
        """Return the text, or the XML, of a document or an element.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.
        xml
            The element's XML, without what follows it, instead of its text.
        raw
            The document's text, in which offsets count, instead of the text as it is shown: with white space where a
            tag separates words, and without the characters that the profile joins.
        highlight
            A query whose words are marked: in XML with ``<mark>`` elements, in text with `marks` around them.
        phrases
            Where words of phrases are marked, as for `search`.
        marks
            What stands before and behind a word that is marked.

        Raises
        ------
        UsageError
            There is no such document or element.
        QueryError
            The query to be highlighted does not parse.
        SourceError
            The source has moved or changed.
        """
        highlighter, now = None, self.now
        if highlight is not None:
            from trix.api.marked import highlighter_of

            highlighter, notices = highlighter_of(now.searcher, highlight, phrases)
            self.notices += notices
        if xml:
            return now.viewer.xml(unit, highlighter, marks)
        return now.viewer.text(unit, highlighter, marks, raw=raw)

    @or_damaged
    def unit(self, unit: str) -> Unit:
        """Return where a document or an element stands: its id, title, path, label, offset, length and fields.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.

        Raises
        ------
        UsageError
            There is no such document or element.
        """
        from trix.query.display.units import unit_of

        return unit_of(self.now.viewer, self.now.namer, self.fields, unit)

    @or_damaged
    def prose(self, unit: str) -> str:
        """Return the text of a document or an element to be read on: without the indentation of its source.

        Each content element begins a line; code keeps its own indentation. `Index.passages` have the same text.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        from trix.query.display.units import prose_of

        return prose_of(self.now.viewer, unit)

    @or_damaged
    def outline(self, unit: str, depth: int = 2) -> list[Section]:
        """Return the sections of a document or an element that have titles, in order, each with its address.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.
        depth
            How many levels of titles.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        from trix.query.display.outline import outline

        return outline(self.now.viewer, self.now.namer, unit, depth)

    @or_damaged
    def info(self, level: str | None = None) -> dict[str, Any]:
        """Return counts, sizes, tags and settings, or the facts of one granularity level.

        Parameters
        ----------
        level
            A level as for `search`; its members, their tags and mean sizes, the text they cover, their overlap.

        Raises
        ------
        UsageError
            There is no such level.
        """
        if level is not None:
            return self.now.searcher.levels.level(level).report()
        from trix.indexer.read.facts import facts

        return facts(self.files)
