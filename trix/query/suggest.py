"""What a word or a query that is being typed can become: words of the index, and titles of documents.

Words are those before stemming, by the documents that hold them. Titles of sections are in the sources alone and are
not suggested.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import Literal, NamedTuple

from trix.indexer.store.files import IndexFiles
from trix.indexer.words.analyzer import fold

_BREAK = re.compile(r"[\W_]+")
_LAST = re.compile(r"[\w]*$")


class Suggestion(NamedTuple):
    """What a text can become.

    Attributes
    ----------
    text
        All of it: what was typed with its last word completed, or a title.
    kind
        ``word`` or ``title``.
    documents
        How many hold the word, or have the title.
    """

    text: str
    kind: Literal["word", "title"]
    documents: int


class Suggester:
    """Suggests from one index.

    Parameters
    ----------
    index
        Its files.
    """

    def __init__(self, index: IndexFiles) -> None:
        self._index = index

    @cached_property
    def _titles(self) -> list[tuple[str, str, int]]:
        """Each title folded, as it is, and of how many documents; the most frequent first."""
        titles = self._index.titles
        counts = Counter(" ".join(titles[number].split()) for number in range(len(titles)))
        del counts[""]
        ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        return [(_spaced(title), title, count) for title, count in ordered]

    def suggest(self, text: str, top: int = 10) -> list[Suggestion]:
        """Return what a text can become: words first, by frequency, and titles, which hold all words of the text.

        Parameters
        ----------
        text
            What is typed so far. Its last word is completed, unless white space follows it.
        top
            How many at the most.
        """
        titles = self.titles(text, top)
        words = self.words(text, top - min(len(titles), top // 3))
        return [*words, *titles[: top - len(words)]]

    def words(self, text: str, top: int = 10) -> list[Suggestion]:
        """Return a text with its last word completed; nothing where no word is begun."""
        begun = _LAST.search(text)
        last = begun.group() if begun else ""
        if not last:
            return []
        before = text[: len(text) - len(last)]
        found = self._index.words.beginning(fold(last), top)
        return [Suggestion(f"{before}{word}", "word", count) for word, count in found.items()]

    def titles(self, text: str, top: int = 10) -> list[Suggestion]:
        """Return the titles with all words of a text, the last of which may go on, the most frequent first."""
        words = _spaced(text).split()
        if not words:
            return []
        sought = [f" {word} " for word in words[:-1]]
        sought.append(f" {words[-1]}" + " " * text[-1].isspace())
        found: list[Suggestion] = []
        for folded, title, count in self._titles:
            if all(each in folded for each in sought):
                found.append(Suggestion(title, "title", count))
                if len(found) == top:
                    break
        return found


def _spaced(text: str) -> str:
    """Return a folded text whose words have one blank on both sides.

    >>> _spaced("Off-target  Effects!")
    ' off target effects '
    """
    return f" {_BREAK.sub(' ', fold(text)).strip()} "
