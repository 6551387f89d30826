"""Remarks on documents that were read: counts of what a user should know, and the notices that say so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from trix.indexer.profile.profile import STRAY_TEXT


@dataclass
class Remarks:
    """Counts of some documents.

    Attributes
    ----------
    stray_text
        The bound of the profile, see `Profile`.
    strays, first_stray
        How many documents have stray text in their root elements, and the id of the first.
    quiet
        Content elements in quiet parts, by the tag of the element that the part begins with.
    """

    stray_text: float = 0.0
    strays: int = 0
    first_stray: str = ""
    quiet: Counter[str] = field(default_factory=Counter)

    def add_stray(self, document: str) -> None:
        """Count a document with stray text, by its id."""
        self.strays += 1
        self.first_stray = self.first_stray or document

    @classmethod
    def of_all(cls, parts: Iterable[Remarks]) -> Remarks:
        """Return the remarks on all documents of some parts of a collection, in order."""
        every = cls()
        for part in parts:
            every.stray_text = every.stray_text or part.stray_text
            every.strays += part.strays
            every.first_stray = every.first_stray or part.first_stray
            every.quiet.update(part.quiet)
        return every

    def notices(self) -> Iterator[str]:
        """Yield what a user should know, one line each.

        >>> [*Remarks(0.01, 3, "a").notices()]
        ['stray text in the root element of 3 documents (first: a), less than 1 % of their text: indexed as #text, so \
that their parts are elements']
        >>> [*Remarks(0.0, 1, "a").notices()]
        ['1 document (first: a) is a single content element, for stray text in the root element that is less than 1 % \
of its text: `stray_text = 0.01` in the profile, or the profile auto, indexes the parts']
        """
        if not self.strays:
            return
        of, their = ("1 document", "its") if self.strays == 1 else (f"{self.strays:,} documents", "their")
        percent = 100 * (self.stray_text or STRAY_TEXT)
        first, share = f"(first: {self.first_stray})", f"less than {percent:g} % of {their} text"
        if self.stray_text:
            yield (
                f"stray text in the root element of {of} {first}, {share}: indexed as #text, so that {their} parts are "
                "elements"
            )
        else:
            are = "is a single content element" if self.strays == 1 else "are a single content element each"
            yield (
                f"{of} {first} {are}, for stray text in the root element that is {share}: "
                f"`stray_text = {STRAY_TEXT}` in the profile, or the profile auto, indexes the parts"
            )
