"""What a word or a query that is being typed can become: words of the index, titles of documents and of sections.

Words are those before stemming, by the documents that hold them. Titles are looked up by their words, so that a
suggestion reads no more of an index than it finds.
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
    """What a text can become.

    Attributes
    ----------
    text
        All of it: what was typed with its last word completed, or a title.
    kind
        ``word``, ``title`` of a document, or ``section`` for the title of one.
    frequency
        How many documents hold the word or have the title, or how many sections have it.
    doc
        The document of the first of them, its id; nothing for a word.
    """

    text: str
    kind: Kind
    frequency: int
    doc: str = ""
    _path: Callable[[], str] = field(default=str, repr=False, compare=False)

    @property
    def path(self) -> str:
        """Where in its document the first section is, found when it is asked for; nothing if it is no section."""
        return self._path()

    def as_dict(self) -> dict[str, Any]:
        """Return it as data; of a word without document and path."""
        found: dict[str, Any] = {"text": self.text, "kind": self.kind, "frequency": self.frequency}
        return {**found, "doc": self.doc, "path": self.path} if self.doc else found


def begun_word(text: str) -> tuple[str, str]:
    """Part a text before the word that it ends with; nothing is behind it where it ends with none.

    >>> begun_word("+tree ed"), begun_word("שָׁלוֹם לָ"), begun_word("tree ")
    (('+tree ', 'ed'), ('שָׁלוֹם ', 'לָ'), ('tree ', ''))
    """
    at = len(text)
    while at and (is_word_character(text[at - 1]) or text[at - 1] in INVISIBLE):
        at -= 1
    return text[:at], text[at:]


def with_other_word(text: str, word: str, other: str) -> str:
    """Return a query with another word in the place of one, however that is spelt in capitals.

    >>> with_other_word("+Slavry (slavry | slavry's)", "slavry", "slavery")
    "+slavery (slavery | slavery's)"
    """
    wanted = next((folded for folded, _, _ in locate_words(word)), None)
    pieces, last = list[str](), 0
    for folded, begin, end in locate_words(text):
        if folded == wanted:
            pieces += [text[last:begin], other]
            last = end
    return "".join([*pieces, text[last:]])


class Suggester:
    """Suggests from one index.

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
        """Return what a text can become: words first, by frequency, then titles, which hold all words of the text.

        Titles of documents and of sections each have a quarter of the places, or as many as the others leave.

        Parameters
        ----------
        text
            What is typed so far. Its last word is completed, unless white space follows it.
        top
            How many at the most.
        """
        titles, sections = self.titles(text, "title", top), self.titles(text, "section", top)
        kept = [min(len(each), top // 4) for each in (titles, sections)]
        words = self.words(text, top - sum(kept))
        titles = titles[: top - len(words) - kept[1]]
        return [*words, *titles, *sections[: top - len(words) - len(titles)]]

    def words(self, text: str, top: int = 10) -> list[Suggestion]:
        """Return a text with its last word completed; nothing where no word is begun."""
        before, last = begun_word(text)
        if not last:
            return []
        typed = fold(last.translate(_VANISHING))
        found = self._index.words.beginning(typed, top, self._index.accents("fold")) if typed else {}
        return [Suggestion(f"{before}{word}", "word", count) for word, count in found.items()]

    def titles(self, text: str, kind: Literal["title", "section"], top: int = 10) -> list[Suggestion]:
        """Return the titles with all words of a text, the last of which may go on, the most frequent first."""
        words = title_words(text)
        if not words:
            return []
        begun = "" if text[-1].isspace() else words.pop()
        found = self._index.titled["documents" if kind == "title" else "sections"].holding(words, begun, top)
        first = np.array([each.first for each in found], np.int64)
        documents = (first if kind == "title" else self._index.documents_of(first)).tolist()
        return [
            Suggestion(each.title, kind, each.frequency, self._index.ids[document], self._path_of(kind, each.first))
            for each, document in zip(found, documents, strict=True)
        ]

    def _path_of(self, kind: Kind, element: int) -> Callable[[], str]:
        return str if kind == "title" else lambda: self._namer.all_names(np.array([element])).paths[0]
