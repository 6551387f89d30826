"""Named groups of measures, and the default groups for given assessments and runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from trix.eval.data import intervals as iv
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.measures.core.aliases import expand_alias
from trix.eval.measures.core.registry import Measure, parse_measure
from trix.eval.measures.core.view import Settings
from trix.support.element_path import parent

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
    """Return the measures of a group, of a trec_eval name for several measures, or of a single name.

    >>> expand("map_cut_5,10"), expand("success")
    ([AP@5, AP@10], [success])
    """
    if name in GROUP_MEMBERS:
        return [parse_measure(member) for member in GROUP_MEMBERS[name]]
    several = expand_alias(name)
    return [parse_measure(member) for member in several] if several else [parse_measure(name)]


def default_measures(qrels: Qrels, run: Rankings, settings: Settings) -> list[Measure]:
    """Return the measures of all default groups."""
    groups = default_groups(qrels, run, settings)
    found = [measure for group in groups for measure in expand(group)]
    if qrels.form == "elements" and run.form != "documents":
        found.append(parse_measure("inex2002"))  # does not need sizes
    return list(dict.fromkeys(found))


def default_groups(qrels: Qrels, run: Rankings, settings: Settings) -> list[str]:
    """Return the default groups for a run and its assessments.

    Plain grades allow flat measures. With offsets, entry points select the best-in-context group. Otherwise a run
    without overlap selects the focused group, any other run the thorough group, and articles in one block each add the
    in-context groups. Assessed elements allow the xCG and PRUM groups if sizes and the number of elements are known.
    """
    form = qrels.form
    if form == "grades":
        return ["flat"]
    if form == "offsets":
        return _offset_groups(run, settings)
    if run.form == "documents":
        return ["flat"]
    every = settings.sizes is not None or settings.resolver is not None
    numbered = settings.elements is not None or settings.resolver is not None
    return ["flat", *(["xcg"] if every or _sized(qrels) else []), *(["prum"] if every and numbered else [])]


def _sized(qrels: Qrels) -> bool:
    return any(e.size is not None for topic in qrels.topics.values() for _, e in topic.elements())


def _offset_groups(run: Rankings, settings: Settings) -> list[str]:
    whole = run.form == "documents" or (run.form == "elements" and _of_roots(run))
    if not (whole or run.form == "passages" or settings.resolver is not None):
        return ["flat"]
    rankings = [r for r in run.rankings.values() if len(r)]
    if run.form == "passages" and all(_entry_points(r) for r in rankings):
        return ["flat", "bic"]
    grouped = all(_grouped(r) for r in rankings)
    apart = run.form == "passages" and not any(_overlapping(r) for r in rankings)
    if whole:
        return ["flat", *(["ric", "reading"] if grouped else [])]
    if not apart:
        return ["flat", "thorough"]
    return ["flat", "focused", *(["ric", "reading"] if grouped else [])]


def _of_roots(run: Rankings) -> bool:
    return all(parent(path) == "" for ranking in run.rankings.values() for path in ranking.paths or ())


def _entry_points(ranking: Ranking) -> bool:
    return ranking.starts is not None and ranking.ends is not None and bool((ranking.starts == ranking.ends).all())


def _grouped(ranking: Ranking) -> bool:
    numbers = ranking.numbers()
    return bool((numbers[1:] >= numbers[:-1]).all())


def _overlapping(ranking: Ranking) -> bool:
    if ranking.starts is None or ranking.ends is None:
        return False
    # Shift each document to its own range of positions, so that only passages of one document can overlap.
    base = ranking.numbers() * (int(ranking.ends.max(initial=0)) + 1)
    return iv.any_overlap(base + np.maximum(ranking.starts, 0), base + np.maximum(ranking.ends, 0))
