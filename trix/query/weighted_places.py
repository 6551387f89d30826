"""Weighted places of an index: the parts where words count more, by profile or search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError, did_you_mean
from trix.indexer.store.files import IndexFiles
from trix.query.language.element_weights import ElementWeights
from trix.query.matching import joins
from trix.query.scoring.element_weights import WeightedContent
from trix.query.structured.levels import Levels
from trix.support.lru_cache import LruFunction

if TYPE_CHECKING:
    from trix.query.language.path_tree import Path


class WeightedPlaces:
    """Resolver of weighted places in one index.

    Parameters
    ----------
    index
        The files of the index.
    levels
        Its levels, which resolve paths.
    """

    def __init__(self, index: IndexFiles, levels: Levels) -> None:
        self._index, self._levels = index, levels
        # Each is as long as the index, so few are kept.
        self._content: LruFunction[ElementWeights, WeightedContent] = LruFunction(self._content_of, 4)

    def content(self, weights: ElementWeights) -> WeightedContent:
        """Return the weight of an occurrence in each content element.

        Raises
        ------
        UsageError
            The weights are the profile's, and it has none.
        """
        return self._content(weights)

    def notices(self, weights: ElementWeights) -> tuple[str, ...]:
        """Return a notice for each place that selects nothing.

        Raises
        ------
        UsageError
            As for `content`.
        """
        empty = [str(place) for place, _ in self._resolved(weights).places if not self._selected(place).size]
        return tuple(f"weights: no element is at {each}{did_you_mean(each, self._index.tags)}" for each in empty)

    def _resolved(self, weights: ElementWeights) -> ElementWeights:
        """Replace a reference to the profile by its weights."""
        if weights.places:
            return weights
        profile = self._index.profile
        if not profile.weights:
            why = f"the profile {profile.name} of the index has no weights; expected places, as title=3"
            raise UsageError(why, field="weights", got=weights)
        return ElementWeights.of_table(profile.weights)

    def _selected(self, place: str | Path) -> NDArray[np.int32]:
        # A path is taken literally; a tag goes through the profile's aliases.
        if not isinstance(place, str):
            return self._levels.selected(place)
        return joins.numbers(joins.passing(self._index, place))

    def _content_of(self, weights: ElementWeights) -> WeightedContent:
        # In written order: of two places that select the same element, the first counts.
        places = [(self._selected(place), weight) for place, weight in self._resolved(weights).places]
        return WeightedContent(self._index, places)
