"""Tables of the available measures, parameters, quantisations, groups and aliases.

``trix eval --measures`` prints these tables, and ``docs/measures.md`` is generated from them.
"""

from __future__ import annotations

from trix.eval.data.quantisation import ALIASES, BUILT_IN, GENERAL_FORM
from trix.eval.measures.core import aliases
from trix.eval.measures.core.defaults import GROUP_MEMBERS
from trix.eval.measures.core.parameters import Param
from trix.eval.measures.core.registry import Spec, specs
from trix.eval.output.tables import Table

_KINDS = (("measure", ""), ("document score", "AgP[..] "), ("effort", "ANCE[..] "))
_MOST = 6


def measure_tables() -> list[Table]:
    """Return the tables of measures, parameters, quantisations, groups and names of other tools."""
    return [measures_table(), parameters_table(), quantisations_table(), groups_table(), others_table()]


def measures_table() -> Table:
    """Return a table of every measure with the names of its parameters."""
    table = Table("", ["measure", "groups", "what it is", "source"], name="measures")
    for kind, mark in _KINDS:
        for spec in specs(kind):
            params = ",".join(name for p in spec.params for name in _names(p))
            slot = "[..]" if spec.slot else ""
            cutoff = {"rank": "@k", "recall": "@x"}.get(spec.cutoff or "", "")
            table.rows.append(
                [
                    f"{spec.name}{f'({params})' if params else ''}{slot}{cutoff}",
                    " ".join(spec.groups) or mark.strip(),
                    spec.summary,
                    spec.source,
                ]
            )
    return table


def _names(param: Param) -> list[str]:
    return [param.name, *(name for name, _ in param.also)]


def parameters_table() -> Table:
    """Return a table of every parameter with its values; equal parameters of several measures share a row."""
    uses: dict[tuple[str, str, str], list[Spec]] = {}
    for kind, _ in _KINDS:
        for spec in specs(kind):
            for p in spec.params:
                default = "" if p.default is None else p.show(p.default)
                uses.setdefault((p.name, p.summary, default), []).append(spec)
    table = Table("Parameters", ["parameter", "default", "of", "values"], name="parameters")
    for (name, summary, default), of in uses.items():
        shown = [spec.name for spec in of]
        more = f" and {len(shown) - _MOST} more" if len(shown) > _MOST else ""
        table.rows.append([name, default, " ".join(shown[:_MOST]) + more, summary])
    return table


def quantisations_table() -> Table:
    """Return a table of the values of ``quant``, with their meaning and the assessments they apply to."""
    kinds = {"coverage": "2002", "es": "2003/04", "size": "2005 on"}
    table = Table("Quantisations (quant=)", ["value", "of assessments of", "what it gives"], name="quantisations")
    for q in BUILT_IN.values():
        names = [q.name, *(other for other, of in ALIASES.items() if of == q.name)]
        years = ", ".join(text for kind, text in kinds.items() if kind in q.rules)
        table.rows.append([" ".join(names), years, q.summary])
    table.rows.append([GENERAL_FORM[0], kinds["es"], GENERAL_FORM[1]])
    table.rows.append(["NAME", "any", "your own, from a TOML file of quantisations"])
    return table


def groups_table() -> Table:
    """Return a table of the groups and their members."""
    table = Table("Groups", ["group", "members"], name="groups")
    table.rows = [[name, " ".join(members)] for name, members in GROUP_MEMBERS.items()]
    return table


def others_table() -> Table:
    """Return a table of names in trec_eval, ir_measures and ranx, with the names in Trix."""
    table = Table("Names of trec_eval, ir_measures and ranx", ["name", "here"], name="names")
    table.rows = [[theirs, ours] for theirs, ours in aliases.SINGLE.items()]
    for theirs, (ours, cutoffs) in aliases.FAMILIES.items():
        table.rows.append([f"{theirs}_{cutoffs[1]}", f"{ours}@{cutoffs[1]}"])
    for name, members in aliases.GROUPS.items():
        table.rows.append([name, f"the {len(members)} that Trix has of trec_eval's -m {name}"])
    table.rows.append(["nDCG(dcg=log2)@10", "nDCG(trec)@10"])
    table.rows.append(["nDCG(dcg=exp-log2)@10", "nDCG(exp)@10"])
    return table
