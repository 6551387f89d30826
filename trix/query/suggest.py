"""Completions of a word or query being typed: words of the index, titles of documents and of sections.

Words are unstemmed and ordered by document frequency. Titles are looked up by their words, so a suggestion reads only
the part of the index that it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.indexer.store.titles import title_words
from trix.indexer.words.characters import INVISIBLE, fold, is_word_character
from trix.indexer.words.located import locate_words
from trix.query.naming.names import Namer

_VANISHING = dict.fromkeys(map(ord, INVISIBLE))

Kind = Literal["word", "title", "section"]


@dataclass(frozen=True)
class Suggestion:
    """One completion.

    Attributes
    ----------
    text
        The whole text: typed text with its last word completed, or a title.
    kind
        ``word``, ``title`` of a document, or ``section`` for a section's title.
    frequency
        Number of documents with the word or title, or of sections with the title.
    doc
        Id of the first such document; empty for a word.
    """

    text: str
    kind: Kind
    frequency: int
    doc: str = ""
    _path: Callable[[], str] = field(default=str, repr=False, compare=False)

    @property
    def path(self) -> str:
        """Path of the first section, found on access; empty for other kinds."""
        return self._path()

    def as_dict(self) -> dict[str, Any]:
        """Return plain data; words have no document and path."""
        found: dict[str, Any] = {"text": self.text, "kind": self.kind, "frequency": self.frequency}
        return {**found, "doc": self.doc, "path": self.path} if self.doc else found


def begun_word(text: str) -> tuple[str, str]:
    """Split a text before its last word; the second part is empty if the text does not end in a word.

    >>> begun_word("+tree ed"), begun_word("שָׁלוֹם לָ"), begun_word("tree ")
    (('+tree ', 'ed'), ('שָׁלוֹם ', 'לָ'), ('tree ', ''))
    """
    at = len(text)
    # Backwards over letters, marks and invisible characters, so that a word with vowel points stays whole.
    while at and (is_word_character(text[at - 1]) or text[at - 1] in INVISIBLE):
        at -= 1
    return text[:at], text[at:]


def with_other_word(text: str, word: str, other: str) -> str:
    """Replace a word of a query, ignoring case.

    >>> with_other_word("+Slavry (slavry | slavry's)", "slavry", "slavery")
    "+slavery (slavery | slavery's)"
    """
    wanted = next((folded for folded, _, _ in locate_words(word)), None)
    pieces, last = list[str](), 0
    for folded, begin, end in locate_words(text):
        if folded == wanted:
            # Signs and blanks between words are copied as they were typed.
            pieces += [text[last:begin], other]
            last = end
    return "".join([*pieces, text[last:]])


class Suggester:
    """Completion of queries over one index.

    Parameters
    ----------
    index
        Its files.
    namer
        Names its elements.
    """

    def __init__(self, index: IndexFiles, namer: Namer) -> None:
        self._index, self._namer = index, namer

    def suggest(self, text: str, top: int = 10) -> list[Suggestion]:
        """Complete a text: words first, by frequency, then titles that hold all words of the text.

        Titles of documents and of sections get a quarter of the places each, or as many as the others leave.

        Parameters
        ----------
        text
            The typed text. Its last word is completed, unless white space follows it.
        top
            Largest number of completions.
        """
        titles, sections = self.titles(text, "title", top), self.titles(text, "section", top)
        # Titles have a quarter each at most; words get the rest, and titles what words leave.
        kept = [min(len(each), top // 4) for each in (titles, sections)]
        words = self.words(text, top - sum(kept))
        # Places that words leave go to titles of documents first, then to sections.
        titles = titles[: top - len(words) - kept[1]]
        return [*words, *titles, *sections[: top - len(words) - len(titles)]]

    def words(self, text: str, top: int = 10) -> list[Suggestion]:
        """Complete the last word of a text; empty if no word is begun."""
        before, last = begun_word(text)
        if not last:
            return []
        typed = fold(last.translate(_VANISHING))
        found = self._index.words.beginning(typed, top, self._index.accents("fold")) if typed else {}
        return [Suggestion(f"{before}{word}", "word", count) for word, count in found.items()]

    def titles(self, text: str, kind: Literal["title", "section"], top: int = 10) -> list[Suggestion]:
        """Return titles with all words of a text, the last one as a prefix, most frequent first."""
        words = title_words(text)
        if not words:
            return []
        # After white space the last word is complete.
        begun = "" if text[-1].isspace() else words.pop()
        found = self._index.titled["documents" if kind == "title" else "sections"].holding(words, begun, top)
        first = np.array([each.first for each in found], np.int64)
        documents = (first if kind == "title" else self._index.documents_of(first)).tolist()
        return [
            Suggestion(each.title, kind, each.frequency, self._index.ids[document], self._path_of(kind, each.first))
            for each, document in zip(found, documents, strict=True)
        ]

    def _path_of(self, kind: Kind, element: int) -> Callable[[], str]:
        # A path needs the element table, so it is written on access.
        return str if kind == "title" else lambda: self._namer.all_names(np.array([element])).paths[0]
