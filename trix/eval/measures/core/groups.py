"""Measures that are asked for together, by the name of their group."""

from __future__ import annotations

from collections.abc import Mapping

from trix.eval.measures.core.field_names import several_of_field
from trix.eval.measures.core.registry import Measure, parse_measure

_LEVELS = ("0.00", "0.01", "0.05", "0.10")
_CHARACTERS = ("char_prec", "char_rec", "char_f1")
_RANKS = (1, 2, 3, 5, 10, 25, 50)

GROUP_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "flat": ("AP", "Rprec", "RR", "bpref", "P@5", "P@10", "R@100", "nDCG@10", "nDCG@100"),
    "focused": (*(f"iP@{x}" for x in _LEVELS), "AiP", *_CHARACTERS, "art_prec", "art_rec", "art_f1"),
    "thorough": (
        *(f"iP(task=thorough)@{x}" for x in _LEVELS),
        *(f"{name}(task=thorough)" for name in ("AiP", *_CHARACTERS)),
    ),
    "ric": ("AgP[F]", "AgP[T2I(300)]", *(f"gP[F]@{r}" for r in _RANKS), "gR@10", "gR@50"),
    "bic": ("AgP[BEP]", *(f"gP[BEP]@{r}" for r in _RANKS), "gR@10", "gR@50"),
    "reading": ("AgP[F]", "AgP[aveChP]", "AgP[T2If(300)]", "AgP[T2If(2000)]", "ANCE[LE(300)]", "ANCE[LE(2000)]"),
    "xcg": ("inex2002", "nxCG@10", "nxCG@25", "nxCG@50", "AnxCG@50", "MAep", "iMAep", "Q", "Rmeasure"),
    "prum": ("PRUM", "PRUM@0.1", "EPRUM", "GR"),
}


def expand(name: str) -> list[Measure]:
    """Return the measures of a group, or of a name that trec_eval uses for several, or the one of any other name.

    >>> expand("map_cut_5,10"), expand("success")
    ([AP@5, AP@10], [success])
    """
    if name in GROUP_MEMBERS:
        return [parse_measure(member) for member in GROUP_MEMBERS[name]]
    several = several_of_field(name)
    return [parse_measure(member) for member in several] if several else [parse_measure(name)]
