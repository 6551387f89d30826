"""The commit of an index that is shown, and its documents and elements by name."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from trix.api.answers import Answers
from trix.indexer.commit.remote import newest_here
from trix.indexer.fields.table import Fields
from trix.indexer.read.damage import or_damaged
from trix.indexer.store.files import IndexFiles
from trix.indexer.store.live import open_commit
from trix.query.display.highlight import Highlighter
from trix.query.display.source_view import SourceView
from trix.query.language.terms import Query
from trix.query.matching.matching import check_phrases
from trix.query.options import Options
from trix.query.search import Searcher

if TYPE_CHECKING:
    from trix.api.citation import Citation
    from trix.api.document import Document
    from trix.api.registers import Register, Registers
    from trix.query.display.units import TitledSection, Unit
    from trix.query.display.viewer import Labels


class Opened:
    """The commit that is shown, with what answers from it, and units by name; `Index` has the queries."""

    @or_damaged
    def __init__(
        self, path: str | PathLike[str] | Sequence[str | PathLike[str]],
        answers: Callable[[IndexFiles, list[str]], Answers] = Answers,
    ) -> None:  # fmt: skip
        self._answers = answers
        files = IndexFiles(path)
        self.notices: list[str] = []
        self.now = answers(files, self.notices)

    @property
    def files(self) -> IndexFiles:
        """The files of the commit that is shown."""
        return self.now.files

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Free the documents in memory; mapped files close with the object."""
        self.now.viewer.forget()

    @or_damaged
    def refresh(self) -> bool:
        """Move to the newest commit; return whether there was a newer one. Without one it is nearly free.

        Earlier results keep showing the older commit.

        Raises
        ------
        IndexError_
            The newest commit is damaged; the index stays as it was.
        """
        files = self.files
        opened = [
            open_commit(path, known) if newest_here(path) != known.commit.number else known
            for path, known in zip(files.paths, files.opened, strict=True)
        ]
        if all(new is known for new, known in zip(opened, files.opened, strict=True)):
            return False
        newer = IndexFiles(files.paths, opened)
        self.now = self._answers(newer, self.notices)  # at once: who is being answered goes on with the older one
        return True

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[Document]:
        """Yield the documents in order, those of the commit that is shown when it begins."""
        from trix.api.document import Document

        now = self.now
        return (Document(now, number) for number in range(len(now.files)))

    def __contains__(self, name: object) -> bool:
        """Whether there is a document with an id."""
        return isinstance(name, str) and self.files.document(name) >= 0

    def __getitem__(self, name: str) -> Document:
        """Return the document with an id.

        Raises
        ------
        NoDocumentError
            There is none; it is a KeyError, too.
        """
        from trix.api.document import document_of

        return document_of(self.now, name)

    def __repr__(self) -> str:
        totals = self.files.totals
        return f"<Index {self.files.path!r}, {totals['documents']:,} documents, {totals['elements']:,} elements>"

    @property
    def fields(self) -> Fields:
        """What the documents say of themselves: of each field of the profile its values, and those of a document.

        A mapping from names to columns; ``index.fields.of(number)`` is what one document says, ``index.fields.facts()``
        the type, the coverage and some values of each.
        """
        return self.now.searcher.restriction.fields

    @or_damaged
    def registers(self) -> Registers:
        """Return the registers that the profile names, such as persons and places: a mapping from names to registers.

        Each is worked out when it is first asked for.
        """
        return self.now.registers

    @or_damaged
    def register(self, name: str, *, sort: str = "name", match: str = "") -> Register:
        """Return a register: what its keys are called, how often each is mentioned, and where.

        Parameters
        ----------
        name
            Of the register, as ``persons``.
        sort
            ``name``, or ``mentions`` for the entries with the most mentions first.
        match
            Words; each has to begin a word of the entry's name or key. Case and accents do not matter.

        Returns
        -------
        Register
            A sequence of entries, each with a `key`, a `name`, and counts of `mentions` and `documents`. Its method
            `mentions` returns those of a key, each with its document, its path and the words around.

        Raises
        ------
        UsageError
            There is no such register, or no such order.
        """
        return self.now.registers.chosen(name, sort, match)

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
        labels: Labels | None = None,
    ) -> str:
        """Return the text, or the XML, of a document or an element.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.
        xml
            Return the element's XML instead of its text.
        raw
            Return the document's own text, in which offsets count. The shown text has white space where a tag
            separates words, and lacks the characters that the profile joins.
        highlight
            A query whose words are marked: in XML with ``<mark>`` elements, in text with `marks` around them.
        phrases
            Kind of phrases to mark, as for `search`.
        marks
            The text before and after a marked word.
        labels
            Function from a document's lxml element and the paths of its indexed elements to its short fields with
            their names, which precede the text.

        Raises
        ------
        UsageError
            There is no such document or element.
        QueryError
            The query to highlight does not parse.
        SourceError
            The source has moved or changed.
        """
        highlighter, now = None, self.now
        if highlight is not None:
            highlighter, notices = highlighter_of(now.searcher, highlight, phrases)
            self.notices += notices
        if xml:
            return now.viewer.xml(unit, highlighter, marks)
        return now.viewer.text(unit, highlighter, marks, raw=raw, labels=labels)

    @or_damaged
    def unit(self, unit: str) -> Unit:
        """Return the address of a document or an element: id, title, path, label, offset, length and fields.

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
    def cite(self, unit: str, quotation: str | None = None, *, base: str = "", accessed: str = "") -> Citation:
        """Return a citation of a document or an element, as text, CSL-JSON, BibTeX and RIS.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path or by ``#`` and an id, or a label.
        quotation
            Text to quote; None for the beginning of the element, and for nothing of a document.
        base
            Address of a server of the index, such as ``https://example.org/``.
        accessed
            The day, ``YYYY-MM-DD``, to include in the citation.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        from trix.api.citation import cite

        return cite(self.now, unit, quotation, base, accessed)

    @or_damaged
    def outline(self, unit: str, depth: int = 2) -> list[TitledSection]:
        """Return the titled sections of a document or an element, in order, each with its address.

        Parameters
        ----------
        unit
            A document id, a document id followed by a path, or a label.
        depth
            Number of levels of titles.

        Raises
        ------
        UsageError
            There is no such document or element.
        SourceError
            The source has moved or changed.
        """
        from trix.query.display.units import outline

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


def highlighter_of(searcher: Searcher, text: str, phrases: str) -> tuple[Highlighter, tuple[str, ...]]:
    """Return a highlighter of a query's words, and the notices on the query.

    Raises
    ------
    UsageError
        Exact phrases need positions, which the index does not have, or there is no such kind of phrases.
    QueryError
        The query does not parse.
    """
    chosen = Options.of(phrases=phrases)
    check_phrases(searcher.index, chosen.phrases)
    query, notices = searcher.parse(text, chosen)
    if not isinstance(query, Query):
        query = query.query or Query()
    return Highlighter(searcher.index, query, phrases), notices


def _pickled(view: SourceView) -> tuple[Any, ...]:
    from trix.api.pickling import view_of

    return view_of(view).__reduce__()


copyreg.pickle(SourceView, _pickled)
