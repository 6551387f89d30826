"""Settings of relevance feedback: how much, and of which kind [RETRIEVAL, section 9]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from trix.query.context.form import format_number
from trix.settings import SETTINGS


@dataclass(frozen=True)
class Feedback:
    """Amount of feedback: the first `documents` documents give at most `keys` keys [RETRIEVAL, section 9].

    >>> str(Feedback.of("7:05"))
    '7:5'
    """

    documents: int
    keys: int

    @classmethod
    def of(cls, given: Any) -> Feedback:
        """Read ``"D:T"`` or a pair of integers.

        Raises
        ------
        UsageError
            It is neither.
        """
        if isinstance(given, Feedback):
            return given
        documents, keys = SETTINGS["expand"].take(given).split(":")
        return cls(int(documents), int(keys))

    def __str__(self) -> str:
        return f"{self.documents}:{self.keys}"


@dataclass(frozen=True)
class RelevanceModel:
    """Settings of feedback by a relevance model of the first elements [RETRIEVAL, section 9].

    Attributes
    ----------
    elements, keys
        The first `elements` results make the model; its `keys` most probable keys join the query.
    share
        Weight of the original query, from 0 to 1.
    """

    elements: int
    keys: int
    share: float

    def __str__(self) -> str:
        return f"rm3:{self.elements}:{self.keys}:{format_number(self.share)}"


def read_feedback(given: Any) -> Feedback | RelevanceModel:
    """Read ``"D:T"``, a pair of integers, or ``"rm3:E:T:SHARE"``.

    Raises
    ------
    UsageError
        It is none of them.

    Examples
    --------
    >>> read_feedback("rm3:10:30:.5")
    RelevanceModel(elements=10, keys=30, share=0.5)
    """
    if isinstance(given, RelevanceModel):
        return given
    if isinstance(given, str) and given.startswith("rm3"):
        _, elements, keys, share = SETTINGS["expand"].take(given).split(":")
        return RelevanceModel(int(elements), int(keys), float(share))
    return Feedback.of(given)
