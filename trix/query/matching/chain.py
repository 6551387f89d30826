"""From the words of a query to keys: the chain of the index, where a word may have several keys at once.

A word has a key under each language of the collection; and where accents do not count, it stands for all words of the
index that differ from it in accents alone. Either way it is one term, see `trix.indexer.words.joint`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from trix.indexer.store.files import IndexFiles
from trix.indexer.words.joint import joined


class QueryChain:
    """What the parsers of queries ask of an index.

    Parameters
    ----------
    index
        The index.
    accents
        ``fold`` or ``keep``; an index that was built to keep them keeps them.
    """

    def __init__(self, index: IndexFiles, accents: str = "fold") -> None:
        self._index, self._analyzers = index, index.analyzers
        self._accents = index.accents(accents)
        self.key, self.words = lru_cache(maxsize=1024)(self._key), lru_cache(maxsize=1024)(self._words)

    def _words(self, text: str) -> Sequence[str]:
        """Return the folded words of a text."""
        return tuple(self._index.analyzer.words(text))

    def _key(self, word: str) -> str | None:
        """Return the key of a folded word, joint where there are several; None when it is on every stop list."""
        own = self._keys(word)
        if not own:
            return None
        others = self._index.words.alike(word, self._accents)
        also = [key for other in others for key in self._keys(other) if key not in own and self._has(key)]
        if len(own) > 1:
            own = [key for key in own if self._has(key)] or own[:1]
        return joined(own, also)

    def _keys(self, word: str) -> list[str]:
        return [key for analyzer in self._analyzers if (key := analyzer.key(word)) is not None]

    def _has(self, key: str) -> bool:
        wanted = key.encode("utf-8", "surrogateescape")
        return any(live.has(wanted) for live in self._index.live)
