"""Quantisations: rules that map an assessment to a number, usually in [0, 1] [INEX 5.1].

The meaning of a name depends on the kind of assessment. ``strict`` is (3, 3) on assessments of 2003/04, 3E on those of
2002, and e = 2 and s = 1 on those of 2005. Users define their own in TOML, which `read_toml` reads.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trix.errors import FormatError, UsageError, did_you_mean
from trix.eval.data.qrels import TOO_SMALL, ElementJudgement, Kind
from trix.support.input_files import read_input_text

Rule = Callable[[ElementJudgement], float]


@dataclass(frozen=True)
class Quantisation:
    """A named rule from assessments to numbers; calling it applies the rule for the kind of assessment.

    Parameters
    ----------
    name
        Name in measures, as in ``quant=NAME``.
    summary
        One-line description.
    rules
        Kind of assessment -> rule.
    size_scale
        Highest value for assessments with sizes. Measures that need [0, 1] divide by it.

    Examples
    --------
    >>> sog = quantisation("sog")
    >>> sog(ElementJudgement(path="/a[1]", e=2, s=3)), sog(ElementJudgement(path="/a[1]", e=3, s=1))
    (0.9, 0.25)
    """

    name: str
    summary: str
    rules: Mapping[Kind, Rule] = field(repr=False, compare=False)
    size_scale: float = 1.0

    def scale(self, kind: Kind) -> float:
        """Return the highest possible value for a kind of assessment."""
        return self.size_scale if kind == "size" else 1.0

    def __call__(self, element: ElementJudgement) -> float:
        kind = element.kind
        if kind == "grade":
            return float(element.grade or 0.0)
        rule = self.rules.get(kind)
        if rule is None:
            raise UsageError(
                f"quantisation {self.name} is not defined for {_KINDS[kind]}; it is defined for "
                + ", ".join(_KINDS[k] for k in self.rules)
            )
        return rule(element)


_KINDS: dict[Kind, str] = {
    "es": "assessments (e, s) of 2003/04",
    "coverage": "assessments of 2002",
    "size": "assessments with sizes (2005 on)",
    "grade": "plain grades",
}


def _table(values: Mapping[str, float]) -> Rule:
    """Return a rule that looks up the pair e, s, or relevance, coverage; missing pairs are 0."""
    return lambda x: values.get(f"{int(x.e or 0)}{x.coverage or int(x.s or 0)}", 0.0)


def _by_value(values: Mapping[float, str]) -> Rule:
    return _table({pair: value for value, pairs in values.items() for pair in pairs.split()})


GENERALISED = _by_value({1.0: "33", 0.75: "23 32 31", 0.5: "13 22 21", 0.25: "12 11"})
SPECIFICITY_ORIENTED = _by_value({1.0: "33", 0.9: "23", 0.75: "13 32", 0.5: "22", 0.25: "12 31", 0.1: "21 11"})
GENERALISED_2002 = _by_value({1.0: "3E", 0.75: "2E 3L 3S", 0.5: "1E 2L 2S", 0.25: "1S 1L"})


def _exhaustivity(x: ElementJudgement) -> float:
    """Return e of 2005, with ? as 0."""
    return 0.0 if x.e is None or x.e == TOO_SMALL else x.e


def _lifted(x: ElementJudgement) -> float:
    return (_exhaustivity(x) + 1) * x.density if x.relevant else 0.0


_BINARY: dict[Kind, Rule] = {kind: lambda x: float(x.relevant) for kind in ("es", "coverage", "size")}

BUILT_IN = {
    q.name: q
    for q in (
        Quantisation(
            "strict",
            "1 for highly exhaustive and fully specific, else 0",
            {
                "es": _table({"33": 1.0}),
                "coverage": _table({"3E": 1.0}),
                "size": lambda x: float(x.e == 2 and x.density == 1.0),
            },
        ),
        Quantisation(
            "gen",
            "generalised: 2002 and 2003/04 tables; 2005: e * s, 0 to 2",
            {
                "es": GENERALISED,
                "coverage": GENERALISED_2002,
                "size": lambda x: _exhaustivity(x) * x.density,
            },
            2.0,
        ),
        Quantisation("sog", "specificity-oriented generalised", {"es": SPECIFICITY_ORIENTED}),
        Quantisation("genLifted", "2005: (e + 1) * s for relevant elements, 0 to 3", {"size": _lifted}, 3.0),
        Quantisation(
            "s",
            "specificity alone: s/3, or rsize/size (2006)",
            {"es": lambda x: (x.s or 0) / 3 if x.relevant else 0.0, "size": lambda x: x.density},
        ),
        Quantisation(
            "prod",
            "e/3 * s/3, or e/3 * rsize/size",
            {"es": lambda x: (x.e or 0) / 3 * (x.s or 0) / 3, "size": lambda x: _exhaustivity(x) / 3 * x.density},
        ),
        Quantisation("binary", "1 for everything relevant, else 0", _BINARY),
    )
}
ALIASES = {"so": "sog", "generalised": "gen", "generalized": "gen", "specificity": "s", "2006": "s"}
GENERAL_FORM = (
    "e{A}_s{B}",
    "1 if e is one of the digits A and s one of the digits B, else 0, such as s3_e321, s3_e32, e3_s321, e3_s32",
)
"""Notation for sets of grades, and its meaning."""
AGGREGATE_2004 = ("strict", "gen", "sog", "s3_e321", "s3_e32", "e3_s321", "e3_s32")
"""The seven quantisations whose MAP the official measure of 2004 averages."""

_SETS = re.compile(r"(?:e(?P<e1>[123]+)_?s(?P<s1>[123]+)|s(?P<s2>[123]+)_?e(?P<e2>[123]+))\Z")


def quantisation(name: str, own: Mapping[str, Quantisation] | None = None) -> Quantisation:
    """Return the quantisation of a name; raise UsageError with similar names if it is unknown.

    The general form ``e{A}_s{B}`` is 1 iff e is one of the digits A and s one of the digits B.

    >>> quantisation("s3_e32")(ElementJudgement(path="/a[1]", e=2, s=3))
    1.0
    >>> quantisation("so").name
    'sog'
    """
    if own and name in own:
        return own[name]
    name = ALIASES.get(name, name)
    if name in BUILT_IN:
        return BUILT_IN[name]
    sets = _SETS.match(name)
    if sets:
        e = {int(d) for d in sets["e1"] or sets["e2"]}
        s = {int(d) for d in sets["s1"] or sets["s2"]}
        summary = f"1 if e in {sorted(e, reverse=True)} and s in {sorted(s, reverse=True)}, else 0"
        return Quantisation(name, summary, {"es": lambda x: float(x.e in e and x.s in s)})
    known = [*BUILT_IN, *ALIASES, *AGGREGATE_2004, *(own or {})]
    hint = did_you_mean(name, known) or f"; known are {', '.join(BUILT_IN)} and the form {GENERAL_FORM[0]}"
    raise UsageError(f"unknown quantisation {name!r}{hint}")


def default_for(kind: Kind) -> Quantisation:
    """Return the default quantisation: s for assessments with sizes, else gen."""
    return BUILT_IN["s" if kind == "size" else "gen"]


def read_toml(path: str | Path) -> dict[str, Quantisation]:
    """Read the user's own quantisations from TOML.

    ::

        [mine]                        # used as quant=mine
        summary = "near misses count half"
        es = { "33" = 1.0, "32" = 0.5, "23" = 0.5 }      # e then s, 2003/04; missing pairs are 0
        coverage = { "3E" = 1.0 }                        # relevance then coverage, 2002
        exhaustivity = { "2" = 1.0, "1" = 0.5, "?" = 0 } # times rsize/size, 2005 on

    Raises
    ------
    FormatError
        The file is not TOML, or a table or value does not have the form above.
    """
    try:
        data = tomllib.loads(read_input_text(path))
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"not a readable TOML file: {error}", path) from None
    return {name: _own(name, body, path) for name, body in data.items()}


def _own(name: str, body: Any, path: str | Path) -> Quantisation:
    if not isinstance(body, dict) or not {"es", "coverage", "exhaustivity"} & body.keys():
        raise FormatError(f"[{name}] must be a table with es, coverage or exhaustivity", path)
    unknown = body.keys() - {"summary", "es", "coverage", "exhaustivity"}
    if unknown:
        known = "summary es coverage exhaustivity"
        raise FormatError(f"[{name}] has an unknown key {min(unknown)!r}; known: {known}", path)
    rules: dict[Kind, Rule] = {}
    forms: tuple[tuple[Kind, str], ...] = (("es", r"[0-3][0-3]\Z"), ("coverage", r"[0-3][NLSE]\Z"))
    for kind, form in forms:
        if kind in body:
            rules[kind] = _table(_numbers(name, body[kind], re.compile(form), path))
    if "exhaustivity" in body:
        levels = _numbers(name, body["exhaustivity"], re.compile(r"[0-3?]\Z"), path)
        weights = {TOO_SMALL if key == "?" else float(key): value for key, value in levels.items()}
        rules["size"] = lambda x: weights.get(x.e if x.e is not None else 0.0, 0.0) * x.density
    return Quantisation(name, str(body.get("summary", f"own, from {path}")), rules)


def _numbers(name: str, table: Any, key_form: re.Pattern[str], path: str | Path) -> dict[str, float]:
    if not isinstance(table, dict):
        raise FormatError(f"[{name}]: a table of numbers is expected, not {table!r}", path)
    for key, value in table.items():
        if not key_form.match(key) or isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
            raise FormatError(f"[{name}]: {key!r} = {value!r} is not a pair of a level and a number >= 0", path)
    return {key: float(value) for key, value in table.items()}
