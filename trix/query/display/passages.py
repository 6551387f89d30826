"""Passages for language models and other programs: address, score and text of each, and all of them as one text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trix.query.display.breadcrumb import SEPARATOR, Breadcrumb
from trix.query.display.results import Results

LONGEST = 600
"""Largest number of characters of a passage shown in a notebook."""


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A passage: an element, or a range of one.

    Attributes
    ----------
    rank
        Rank of its element among the results.
    score
        The element's score, with context.
    own
        Its score without context.
    doc, title
        Id and title of the document.
    breadcrumb
        The titles of the enclosing sections, outermost first.
    path, label, tag
        Of the element.
    offset, length
        Characters in the document's text.
    cut
        Whether it is shorter than its element.
    text
        Text without the indentation of its source, each paragraph on lines of its own.
    fields
        Field values of the document.
    places
        Pages, verses and lines where it begins and ends, by name.
    """

    rank: int
    score: float
    own: float
    doc: str
    title: str
    breadcrumb: Breadcrumb
    path: str
    label: str
    tag: str
    offset: int
    length: int
    cut: bool
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """Title of the document, or its id if it has none, with breadcrumb and places, on one line."""
        return SEPARATOR.join([self.title or self.doc, *self.breadcrumb, *self.places.values()])

    @property
    def address(self) -> str:
        """Document id and path, as `Index.show` takes them."""
        return self.doc + self.path

    def facts(self) -> dict[str, Any]:
        """Return the fields of the JSON form without the text."""
        facts = {**vars(self), "breadcrumb": list(self.breadcrumb)}
        facts |= {"fields": dict(self.fields), "places": dict(self.places)}
        del facts["text"]
        return facts

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON form."""
        return {**self.facts(), "text": self.text}


class Passages(Sequence[Passage]):
    """Passages in reading order.

    Parameters
    ----------
    passages
        The passages.
    results
        The results that they come from.

    Attributes
    ----------
    query, typed : str
        The parsed query, and the query as typed.
    corrected : str
        As in `Results`.
    notices : tuple of str
        Notices, one line each.
    matched : int
        Number of matching elements.
    """

    def __init__(self, passages: Sequence[Passage], results: Results) -> None:
        self._passages = tuple(passages)
        self.query, self.notices, self.matched = results.query, results.notices, results.matched
        self.typed, self.corrected = results.typed, results.corrected

    @property
    def text(self) -> str:
        """All passages, numbered, each under its heading and address: ready for a prompt."""
        return "\n\n".join(
            f"[{number}] {each.heading}\n({each.address})\n{each.text}" for number, each in enumerate(self, 1)
        )

    def __len__(self) -> int:
        return len(self._passages)

    def __getitem__(self, place: Any) -> Any:
        return self._passages[place]

    def __iter__(self) -> Iterator[Passage]:
        return iter(self._passages)

    def __repr__(self) -> str:
        return f"<Passages {len(self)} for {self.typed or self.query!r}>"

    def _repr_html_(self) -> str:
        """Return the passages as a table for notebooks."""
        from trix.support.notebook import never_raising

        return never_raising(self._table, self)

    def _table(self) -> str:
        from trix.query.display.tables import where
        from trix.support.notebook import cell, table

        summary = f"{len(self):,} passages, {sum(len(each.text) for each in self):,} characters"
        columns = (("n r", ""), ("n s", "score"), ("e", "element"), ("x", "text"))
        rows = (
            (str(n), f"{of.score:.4f}", where(of.title, of.breadcrumb, of.address), cell(of.text, LONGEST))
            for n, of in enumerate(self, 1)
        )
        return table(self.typed, summary, columns, rows)
