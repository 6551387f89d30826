"""Settings of a new index: from a user's options to a commit, including the choice of a profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from trix.errors import SourceError, UsageError
from trix.indexer.collection.find import read_many
from trix.indexer.collection.source import Source
from trix.indexer.document.limits import DEFAULTS, DocumentLimits
from trix.indexer.document.mend import readable
from trix.indexer.document.parse import parse
from trix.indexer.languages.chains import AUTO, word_settings
from trix.indexer.languages.codes import checked_language
from trix.indexer.profile.detect import FALLBACK, Signature, is_clear, pick, picked, signature
from trix.indexer.profile.profile import Profile, load_profile
from trix.indexer.suggest.draft import NAME, suggest, summary
from trix.indexer.suggest.languages import languages_of
from trix.indexer.suggest.sample import count_sample, sampled
from trix.indexer.words.spelling import ACCENTS
from trix.indexer.words.variants import Given

SAMPLE = 24
"""Files in the sample, evenly spread over the collection."""

PORTER = "porter"
"""Stemmer of the papers."""

LARGE_SAMPLE = 240
"""Files in the second sample, for unclear cases. If a preset fits half of a collection, three fifths of the sample
fit it with probability 1 in 1000.
"""


def pick_profile(
    profile: str | PathLike[str] | Profile,
    sources: Sequence[Source],
    limits: DocumentLimits = DEFAULTS,
    *,
    recover: bool = False,
) -> tuple[Profile, list[str]]:
    """Choose the profile; also return up to three lines that explain the choice, none if it was given.

    If no preset fits, the profile is ``generic`` with the certain rules of a draft (see `suggest`).

    Raises
    ------
    ProfileError
        The profile does not exist, or its file is invalid.
    """
    if isinstance(profile, Profile):
        return profile, []
    if fspath(profile) != "auto":
        return load_profile(fspath(profile)), []
    roots = list(_roots(sources, SAMPLE, limits, recover))
    if not is_clear(roots) and len(sources) > SAMPLE:
        roots = list(_roots(sources, LARGE_SAMPLE, limits, recover))
    name, reason = pick(roots)
    if name != FALLBACK:
        return picked(name), [reason]
    found = suggest(count_sample(sources, limits, recover=recover))
    if found.is_empty:
        return picked(FALLBACK), [reason]
    why = reason.removeprefix(f"profile {FALLBACK}: ")
    return found.profile(), [f"profile {NAME} from {found.documents} documents: {why}", *summary(found)]


def _roots(sources: Sequence[Source], count: int, limits: DocumentLimits, recover: bool) -> Iterator[Signature]:
    """Yield the signatures of the root elements of readable sources in a sample."""
    for source, data in read_many(sampled(sources, count), limits.size):
        if isinstance(data, bytes):
            try:
                limits.check(data, source.path)
                yield signature(parse(readable(data, recover=recover), source.path))
            except (SourceError, MemoryError):
                continue  # the build reports it


@dataclass(frozen=True)
class NewIndexOptions:
    """Options of a new index.

    Attributes
    ----------
    profile, stem, stop, positions, store, accents, variants, language, max_elements, max_bytes, recover
        As for `trix.indexer.build.build`.
    """

    profile: str | PathLike[str] | Profile = "auto"
    stem: str | None = None
    stop: str = "default"
    positions: bool = True
    store: bool = False
    accents: str = "fold"
    variants: Given = None
    language: str | None = None
    max_elements: int | None = None
    max_bytes: int | None = None
    recover: bool = False

    @property
    def limits(self) -> DocumentLimits:
        """Size limits of a document."""
        return DocumentLimits.of_options(self.max_elements, self.max_bytes)

    def settle(self, sources: Sequence[Source]) -> tuple[dict[str, Any], list[str]]:
        """Compute the settings for the commit, and lines that explain automatic choices; `sources` are sampled."""
        limits = self.limits
        if self.accents not in ACCENTS:
            raise UsageError("expected fold or keep", field="accents", got=self.accents)
        is_known = bool(sources) or self.profile != "auto"
        profile, reasons = pick_profile(
            self.profile if is_known else picked(FALLBACK), sources, limits, recover=self.recover
        )
        stem, language, of_languages = self._languages(sources, profile)
        of_words = word_settings(stem, self.stop, self.variants, language)
        settings = {
            "profile": profile.to_dict(),
            **of_words,
            "positions": self.positions,
            "store": self.store,
            "accents": self.accents,
            **limits.settings(),
            **({"recover": True} if self.recover else {}),
        }
        return settings, [*reasons, *of_languages]

    def _languages(self, sources: Sequence[Source], profile: Profile) -> tuple[str, str | None, list[str]]:
        """Return the stemmer, the default language, and lines that explain them.

        Without `stem` it is Porter's, or `AUTO` if more than a few words are in other languages.
        """
        if self.stem is not None:
            return self.stem, self.language, []
        given = checked_language(self.language) if self.language else ""
        found = languages_of(sources, self.limits, profile=profile, recover=self.recover, of_rest=given)
        if not found.are_foreign:
            return PORTER, self.language, []
        return AUTO, given or found.main or None, [str(found)]
