"""The settings of an index, from what a user asks to what a commit keeps, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any

from trix.errors import UsageError
from trix.indexer.change.pick import pick_profile
from trix.indexer.collection.source import Source
from trix.indexer.languages.chains import word_settings
from trix.indexer.profile.profile import Profile
from trix.indexer.words.spelling import ACCENTS
from trix.indexer.words.variants import Given


@dataclass(frozen=True)
class Recipe:
    """How the documents of a new index are read.

    Attributes
    ----------
    profile, stem, stop, positions, store, accents, variants, language
        As for `trix.indexer.build.build`.
    """

    profile: str | PathLike[str] | Profile = "auto"
    stem: str = "porter"
    stop: str = "default"
    positions: bool = True
    store: bool = False
    accents: str = "fold"
    variants: Given = None
    language: str | None = None

    def settle(self, sources: Sequence[Source]) -> tuple[dict[str, Any], str]:
        """Return the settings that a commit keeps, with the profile picked from sources, and how it was picked."""
        of_words = word_settings(self.stem, self.stop, self.variants, self.language)
        if self.accents not in ACCENTS:
            raise UsageError("expected fold or keep", field="accents", got=self.accents)
        chosen, reason = pick_profile(self.profile, sources) if sources or self.profile != "auto" else (None, "")
        profile = chosen or pick_profile("generic", [])[0]
        settings = {
            "profile": profile.to_dict(),
            **of_words,
            "positions": self.positions,
            "store": self.store,
            "accents": self.accents,
        }
        return settings, reason
