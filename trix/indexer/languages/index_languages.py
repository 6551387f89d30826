"""Settings, languages and analyzers of an opened index."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from trix.errors import UsageError
from trix.indexer.commit.commit import Commit
from trix.indexer.languages.chains import Chains, MixedChain
from trix.indexer.profile.profile import Profile
from trix.indexer.words.analyzer import Analyzer
from trix.support.lru_cache import LruFunction

KIND = "languages"
"""Kind of the sets of elements by language."""

INNER_LANGUAGES = "spoken"
"""Kind of the sets of content elements, by each other language that a descendant names."""


class SettingsMixin:
    """Mixin for classes with a commit.

    Attributes
    ----------
    path
        Folder of the index.
    commit
        Commit of the index.
    """

    path: str
    commit: Commit

    @property
    def settings(self) -> Any:
        """Settings of the commit."""
        return self.commit.settings

    def accents(self, wanted: str) -> str:
        """Return the effective accent mode of a query; an index built with ``keep`` always keeps accents."""
        # The setting of the index wins over that of the query.
        return "keep" if self.settings["accents"] == "keep" else wanted

    @property
    def has_positions(self) -> bool:
        """Whether the index stores positions of keys."""
        return bool(self.settings["positions"])

    @cached_property
    def profile(self) -> Profile:
        """Profile of the index."""
        return Profile.from_dict(self.settings["profile"], f"{self.path}")

    @cached_property
    def chains(self) -> Chains:
        """Analyzers by language."""
        join = "".join(entry for entry in self.settings["profile"].get("join", []) if len(entry) == 1)
        return Chains(self.settings, join)

    @property
    def analyzer(self) -> Analyzer:
        """Analyzer of all words, or of the main language."""
        return self.chains.main


class LanguagesMixin(SettingsMixin):
    """Mixin for classes with elements and sets of elements, such as `trix.indexer.store.files.IndexFiles`.

    Attributes
    ----------
    totals : dict
        Totals of the index: ``elements`` and others.
    """

    totals: dict[str, int]

    @property
    def elements(self) -> Any:
        """Element table."""
        raise NotImplementedError

    def _living(self, kind: str) -> list[str]:
        raise NotImplementedError

    def _set(self, kind: str, name: str) -> BitMap:
        raise NotImplementedError

    @cached_property
    def languages(self) -> list[str]:
        """Languages that documents name, sorted."""
        return self._living(KIND)

    def in_language(self, elements: NDArray[Any], language: str) -> NDArray[np.bool_]:
        """Flag elements, given in ascending order, that are in a language.

        Elements that name no language are in the main one.
        """
        every = BitMap(elements.astype(np.uint32))
        found = every & self._set(KIND, language)
        # Elements without a language count for the main one.
        if language == self.chains.language:
            found |= every - BitMap.union(BitMap(), *(self._set(KIND, name) for name in self.languages))
        inside = np.zeros(elements.size, np.bool_)
        inside[np.searchsorted(elements, np.array(found.to_array(), elements.dtype))] = True
        return inside

    def language_of(self, element: int) -> str:
        """Return the language of an element; the empty string for none."""
        return next((name for name in self.languages if element in self._set(KIND, name)), "")

    def language_runs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the elements at which the language changes, and its index in `languages`; -1 for none.

        Cost: O(elements).
        """
        # Sets of languages are disjoint, so each element is written once.
        of = np.full(self.totals["elements"], -1, np.int64)
        for number, name in enumerate(self.languages):
            of[np.array(self._set(KIND, name).to_array(), np.int64)] = number
        firsts = np.flatnonzero(np.diff(of, prepend=-2))
        return firsts, of[firsts]

    def check_language(self, language: str) -> None:
        """Raise if no element is in a language."""
        known = self.language_counts() or {self.chains.language: self.totals["elements"]}
        if language not in known:
            counts = ", ".join(f"{name} ({count:,})" for name, count in known.items())
            raise UsageError(f"no element is in this language; choose one of {counts}", field="language", got=language)

    def language_counts(self) -> dict[str, int]:
        """Count elements by language, most frequent first; empty if no document names a language."""
        if not self.languages:
            return {}
        counts = {name: len(self._set(KIND, name)) for name in self.languages}
        # Elements that name no language count for the main one.
        rest = self.totals["elements"] - sum(counts.values())
        if rest:
            counts[self.chains.language] = counts.get(self.chains.language, 0) + rest
        return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))

    @cached_property
    def inner_languages(self) -> list[str]:
        """Languages of words that differ from those of their content elements, sorted."""
        return self._living(INNER_LANGUAGES)

    @cached_property
    def analyzers(self) -> Sequence[Analyzer]:
        """Analyzers that query words go through: those of all languages, the main one first."""
        return self.chains.of_all([*self.languages, *self.inner_languages])

    def analyzer_at(self, element: int, wanted: frozenset[str] = frozenset()) -> Analyzer:
        """Return the analyzer of an element.

        If the element mixes languages, the result finds the `wanted` keys in any of them.

        Parameters
        ----------
        element
            Number of the element.
        wanted
            Keys of a query.
        """
        if len(self.analyzers) == 1:
            return self.analyzer
        own = self.chains.of(self.language_of(element))
        if not self.inner_languages:
            return own
        # Range of the content elements below, then the range of their element numbers.
        self.elements.structure_of_elements(np.array([element]))
        first = int(self.elements.begin[element])
        contents = np.array([first, first + int(self.elements.contents[element]) - 1])
        self.elements.structure_of_contents(contents)
        low, high = self.elements.of_content[contents].tolist()
        # Languages of words in descendants, anywhere below the element.
        inside = [
            name for name in self.inner_languages if self._set(INNER_LANGUAGES, name).range_cardinality(low, high + 1)
        ]
        chains = tuple(dict.fromkeys((own, *map(self.chains.of, inside))))
        return self._several((chains, wanted)) if len(chains) > 1 else own

    @cached_property
    def _several(self) -> LruFunction[tuple[tuple[Analyzer, ...], frozenset[str]], MixedChain]:
        return LruFunction(lambda of: MixedChain(*of))

    def analyzer_of_content(self, content: int, wanted: frozenset[str] = frozenset()) -> Analyzer:
        """Return the analyzer of a content element; see `analyzer_at`."""
        if len(self.analyzers) == 1:
            return self.analyzer
        self.elements.structure_of_contents(np.array([content]))
        return self.analyzer_at(int(self.elements.of_content[content]), wanted)
