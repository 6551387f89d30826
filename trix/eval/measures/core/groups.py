"""Measures that are asked for together, by the name of their group."""

from __future__ import annotations

from collections.abc import Mapping

from trix.eval.measures.core.field_names import several_of_field
from trix.eval.measures.core.registry import Measure, parse_measure

GROUP_MEMBERS: Mapping[str, tuple[str, ...]] = {
    "flat": ("AP", "Rprec", "RR", "bpref", "P@5", "P@10", "R@100", "nDCG@10", "nDCG@100"),
    "focused": (
        "iP@0.00",
        "iP@0.01",
        "iP@0.05",
        "iP@0.10",
        "AiP",
        "char_prec",
        "char_rec",
        "char_f1",
        "art_prec",
        "art_rec",
        "art_f1",
    ),
    "thorough": (
        "iP(task=thorough)@0.00",
        "iP(task=thorough)@0.01",
        "iP(task=thorough)@0.05",
        "iP(task=thorough)@0.10",
        "AiP(task=thorough)",
        "char_prec(task=thorough)",
        "char_rec(task=thorough)",
        "char_f1(task=thorough)",
    ),
    "ric": (
        "AgP[F]",
        "AgP[T2I(300)]",
        "gP[F]@1",
        "gP[F]@2",
        "gP[F]@3",
        "gP[F]@5",
        "gP[F]@10",
        "gP[F]@25",
        "gP[F]@50",
        "gR@10",
        "gR@50",
    ),
    "bic": (
        "AgP[BEP]",
        "gP[BEP]@1",
        "gP[BEP]@2",
        "gP[BEP]@3",
        "gP[BEP]@5",
        "gP[BEP]@10",
        "gP[BEP]@25",
        "gP[BEP]@50",
        "gR@10",
        "gR@50",
    ),
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
