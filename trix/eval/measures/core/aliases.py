"""Names of measures in trec_eval, ir_measures and ranx, and their translation to names of Trix.

A name that two tools share has their common meaning, with one exception. ``nDCG`` is the measure of its authors [JK02],
with a value for every rank. The one of trec_eval is ``nDCG(trec)``, with the aliases ``ndcg``, ``ndcg_cut_10``,
``NDCG@10`` and ``nDCG(dcg=log2)@10``.
"""

from __future__ import annotations

import re

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_SUCCESS = (1, 5, 10)
_LEVELS = tuple(f"{i / 10:.2f}" for i in range(11))

SINGLE = {
    # trec_eval
    "map": "AP",
    "gm_map": "GMAP",
    "recip_rank": "RR",
    "ndcg": "nDCG(trec)",
    "set_P": "P",
    "set_recall": "R",
    "set_F": "F1",
    "set_map": "SetAP",
    "set_relative_P": "SetRelP",
    "num_q": "NumQ",
    "num_nonrel_judged_ret": "NumNonRelRet",
    "11pt_avg": "iPRmean",
    # ranx
    "mrr": "RR",
    "r-precision": "Rprec",
    "hits": "NumRelRet",
    "dcg": "DCG(trec)",
    "dcg_burges": "DCG(exp)",
    "ndcg_burges": "nDCG(exp)",
    "hit_rate": "success",
    "f1": "F1",
    # ir_measures
    "NDCG": "nDCG(trec)",
}
"""Name in another tool -> name in Trix, for names of a single measure."""

FAMILIES: dict[str, tuple[str, tuple[object, ...]]] = {
    "P": ("P", CUTOFFS),
    "recall": ("R", CUTOFFS),
    "map_cut": ("AP", CUTOFFS),
    "ndcg_cut": ("nDCG(trec)", CUTOFFS),
    "success": ("success", _SUCCESS),
    "relative_P": ("relP", CUTOFFS),
    "iprec_at_recall": ("iPR", _LEVELS),
}
"""Name with cut-offs in trec_eval -> (measure of Trix, default cut-offs)."""

_BARE = frozenset(FAMILIES) - {"P", "success"}  # these two are also measures of Trix without a cut-off

_COUNTS = ("NumRet", "NumRel", "NumRelRet")
NOT_OFFERED = frozenset({"Rndcg", "Rprec_mult", "binG", "G", "gm_bpref", "ndcg_rel", "relstring", "runid", "utility"})
"""Measures of trec_eval that Trix does not have."""

_OFFICIAL = (
    "NumQ", *_COUNTS, "AP", "GMAP", "Rprec", "bpref", "RR",
    *(f"iPR@{x}" for x in _LEVELS), *(f"P@{k}" for k in CUTOFFS),
)  # fmt: skip
_SET = ("NumQ", *_COUNTS, "SetAP", "P", "SetRelP", "R", "F1")
GROUPS = {
    "official": _OFFICIAL,
    "set": _SET,
    "all_trec": (
        *_OFFICIAL, *(name for name in _SET if name not in _OFFICIAL), "NumNonRelRet", "infAP", "iPRmean",
        "nDCG(trec)", *(f"nDCG(trec)@{k}" for k in CUTOFFS), *(f"AP@{k}" for k in CUTOFFS),
        *(f"R@{k}" for k in CUTOFFS), *(f"relP@{k}" for k in CUTOFFS), *(f"success@{k}" for k in _SUCCESS),
    ),
}  # fmt: skip
"""Group of trec_eval (``-m official``, ``-m all_trec``) -> its measures that Trix has."""

_FAMILY = re.compile(rf"({'|'.join(FAMILIES)})[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)\Z")
_RANX_RBP = re.compile(r"rbp(\.\d+)\Z")
_HEAD = re.compile(r"([\w.-]+?)(\(.*\))?(@.*)?\Z", re.DOTALL)


def resolve_alias(text: str) -> str | None:
    """Translate another tool's name of a single measure; return None if it is not such a name.

    >>> resolve_alias("P_5"), resolve_alias("ndcg@20"), resolve_alias("map(rel=2)"), resolve_alias("rbp.95")
    ('P@5', 'nDCG(trec)@20', 'AP(rel=2)', 'RBP(p=.95)')
    >>> resolve_alias("AgP[F]")
    """
    several = expand_alias(text)
    if several:
        return several[0] if len(several) == 1 else None
    rbp = _RANX_RBP.match(text)
    if rbp:
        return f"RBP(p={rbp[1]})"
    head = _HEAD.match(text)
    if head is None or head[1] not in SINGLE:
        return None
    ours, arguments, cutoff = SINGLE[head[1]], head[2] or "", head[3] or ""
    if arguments and ours.endswith(")"):
        ours, arguments = ours[:-1], "," + arguments[1:]
    return ours + arguments + cutoff


def expand_alias(text: str) -> tuple[str, ...]:
    """Translate a name of trec_eval for one or several measures; return an empty tuple if it is not such a name.

    >>> expand_alias("ndcg_cut_5,20"), expand_alias("iprec_at_recall.0.10"), len(expand_alias("recall"))
    (('nDCG(trec)@5', 'nDCG(trec)@20'), ('iPR@0.10',), 9)
    """
    if text in GROUPS:
        return GROUPS[text]
    if text in _BARE:
        ours, cutoffs = FAMILIES[text]
        return tuple(f"{ours}@{cutoff}" for cutoff in cutoffs)
    match = _FAMILY.match(text)
    return tuple(f"{FAMILIES[match[1]][0]}@{cutoff}" for cutoff in match[2].split(",")) if match else ()


def from_ir_measures(text: str) -> str:
    """Translate the repr of an ir_measures measure, whose nDCG is that of trec_eval.

    >>> from_ir_measures("nDCG@10"), from_ir_measures("nDCG(dcg='exp-log2')@5"), from_ir_measures("AP(rel=2)@100")
    ('NDCG@10', "nDCG(dcg='exp-log2')@5", 'AP(rel=2)@100')
    >>> from_ir_measures("SetP(relative=True)")
    'SetRelP'
    """
    if text.startswith("SetP(") and "relative=True" in text:
        rest = [a for a in text[len("SetP(") : -1].split(",") if a != "relative=True"]
        return f"SetRelP({','.join(rest)})" if rest else "SetRelP"
    return "NDCG" + text[4:] if text.startswith("nDCG") and "dcg=" not in text else text
