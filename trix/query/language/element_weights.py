"""Parser of weighted places, such as ``title=3,//abstract//p=1.5``: where in a document a word counts more.

A place is a tag, with its aliases, or a path expression. Weights are kept in thousandths, so that sums of weighted
occurrences are exact in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from trix.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from trix.query.language.path_tree import Path

UNIT = 1000
"""Parts of an occurrence: weights have three decimals."""

LARGEST = 1000
"""The greatest weight."""

OF_PROFILE = "profile"
"""Text that selects the weights of the index's profile."""

_WEIGHT = re.compile(r"([0-9]*)(?:\.([0-9]*))?")
_TAG = re.compile(r"@?[^\s=,/\[\]()@:]+(?::[^\s=,/\[\]()@:]+)?")


class ElementWeights(NamedTuple):
    """Weighted places.

    Attributes
    ----------
    places
        A tag or a path, and its weight in thousandths, in written order. Empty: those of the profile.

    Examples
    --------
    >>> str(ElementWeights.of("title = 3.0,//abstract//p=.5"))
    'title=3,//abstract//p=0.5'
    >>> ElementWeights.of("title=3").places
    (('title', 3000),)
    """

    places: tuple[tuple[str | Path, int], ...] = ()

    @classmethod
    def of(cls, text: str) -> ElementWeights:
        """Read ``PLACE=WEIGHT,...``, or ``profile``.

        Raises
        ------
        UsageError
            One line with the fault and what was expected.
        """
        if text.strip() == OF_PROFILE:
            return cls()
        places: dict[str | Path, int] = {}
        for part in text.split(","):
            written, equals, number = (piece.strip() for piece in part.rpartition("="))
            if not equals:
                hint = did_you_mean(number, [OF_PROFILE])
                raise UsageError(f"'{number}' is not PLACE=WEIGHT{hint}; {EXPECTED}", field="weights", got=text)
            place = _place(written, text)
            if place in places:
                raise UsageError(f"{written} is given twice; expected each place once", field="weights", got=text)
            places[place] = _thousandths(written, number, text)
        return cls(tuple(places.items()))

    @classmethod
    def of_table(cls, table: Mapping[str, float]) -> ElementWeights:
        """Read the weights of a profile's table."""
        return cls.of(",".join(f"{place}={weight:.10g}" for place, weight in table.items()))

    def __str__(self) -> str:
        return ",".join(f"{place}={weight / UNIT:.10g}" for place, weight in self.places) or OF_PROFILE


EXPECTED = "expected a tag or a path and a number, as title=3,//abstract//p=1.5, or profile"


def _place(written: str, text: str) -> str | Path:
    if written.startswith(("/", "(")):
        from trix.query.language.paths import parse_path

        try:
            return parse_path(written)
        except UsageError as error:
            raise UsageError(error.reason, field="weights", got=text) from None
    if not _TAG.fullmatch(written):
        raise UsageError(f"'{written}' is no tag and no path; {EXPECTED}", field="weights", got=text)
    return written


def _thousandths(place: str, number: str, text: str) -> int:
    found = _WEIGHT.fullmatch(number)
    whole, part = (found[1], (found[2] or "").rstrip("0")) if found and number != "." and number else ("", "????")
    weight = int(whole or 0) * UNIT + int((part + "000")[:3]) if len(part) <= 3 and len(whole) < 9 else -1
    if not 0 <= weight <= LARGEST * UNIT:
        what = f"{place}={number}: the weight is out of range"
        raise UsageError(
            f"{what}; expected a number from 0 to {LARGEST} with at most three decimals", field="weights", got=text
        )
    return weight
