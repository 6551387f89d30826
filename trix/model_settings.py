"""Settings of the scoring model of the papers, the first in help texts."""

from __future__ import annotations

from typing import Annotated, TypedDict

from trix.setting import Setting
from trix.support.setting_types import Choice, Number

LARGEST = 1e12
"""Upper bound of model parameters, so that no formula overflows."""


class ModelSettings(TypedDict, total=False):
    """Model, its two parameters, and the combination of terms."""

    model: Annotated[
        str,
        Setting(
            kind=Choice("trix2005", "trix2004", "bm25", "bm25-2011", "tfidf", "lm-dirichlet", "lm-jm"),
            default="trix2005",
            help="Scoring model",
            panel="Scoring",
        ),
    ]
    b: Annotated[
        float,
        Setting(
            kind=Number(0, 1),
            default=0.1,
            help="Favour large elements (0) to small ones (1)",
            panel="Scoring",
            letter="b",
        ),
    ]
    v: Annotated[
        float,
        Setting(
            kind=Number(0, LARGEST), default=2.0, help="Saturation of a key's frequency", panel="Scoring", letter="v"
        ),
    ]
    combine: Annotated[
        str,
        Setting(
            kind=Choice("average", "einstein", "sum"),
            default="average",
            help="How to combine the weights of terms",
            panel="Scoring",
        ),
    ]
