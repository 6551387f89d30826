"""Registry of the measures by name.

A module of this package defines a measure by decorating a function of a `TopicView`::

    @measure("P", "share of relevant units among the first k", groups=("flat",), cutoff="rank", params=(REL,))
    def precision(view, *, cutoff, rel): ...

The function returns a number, a vector, or None if the measure is undefined for the topic.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from trix.errors import UsageError, did_you_mean
from trix.eval.measures.core.aliases import NOT_OFFERED, resolve_alias
from trix.eval.measures.core.names import MeasureName, parse_name
from trix.eval.measures.core.parameters import Param, Rel, number_text

if TYPE_CHECKING:
    from trix.eval.measures.core.view import TopicView

Value = float | NDArray[np.float64] | None
Aggregate = Literal["mean", "sum", "gmean", "nanmean"]

MODULES = (
    "documents.flat",
    "documents.cumulated_gain",
    "documents.generalised",
    "documents.pool",
    "passages.focused",
    "passages.in_context",
    "passages.document_scores",
    "passages.effort",
    "passages.tolerance",
    "elements.precall",
    "elements.inex2003",
    "elements.xcg",
    "elements.text_read",
    "elements.effort_precision",
    "elements.sakai",
    "elements.prum",
    "passages.hixeval",
    "passages.shape",
)

_ALIASES = {
    "MAP": "AP",
    "MAgP": "AgP",
    "MAiP": "AiP",
    "MAnxCG": "AnxCG",
    "MANCE": "ANCE",
    "precall": "inex2002",
    "MRR": "RR",
    "recall": "R",
    "precision": "P",
    "Precision": "P",
    "Recall": "R",
    "Bpref": "bpref",
    "BPref": "bpref",
    "RPrec": "Rprec",
    "IPrec": "iPR",
    "Success": "success",
    "SetP": "P",
    "SetR": "R",
    "SetF": "F1",
}
"""Names of means, and names in ir_measures without parameters; `aliases` has the others."""

_SCORE_ALIASES = {"T2Iprec": "T2I"}


@dataclass(frozen=True)
class Spec:
    """Declaration of a measure.

    Attributes
    ----------
    name, summary
        As listed.
    compute
        ``compute(view, *, cutoff, [slot,] **params)``.
    kind
        ``measure``, or the type of a parameter in square brackets: ``document score`` or ``effort``.
    groups
        Groups it belongs to.
    params
        In the order of the canonical name.
    cutoff
        Meaning of the number after ``@``, None if it takes none.
    slot
        Kind of the parameter in square brackets, None if it takes none.
    default_slot
        Default of the parameter in square brackets.
    aggregate
        Aggregate over topics.
    higher
        Whether more is better.
    finish
        Converts raw values to the reported value; applied to each topic and to the mean of the raw values.
    parts
        Names of the raw values, if their number is the same for every topic.
    source
        Publication of the formula.
    """

    name: str
    summary: str
    compute: Callable[..., Any]
    kind: str = "measure"
    groups: tuple[str, ...] = ()
    params: tuple[Param, ...] = ()
    cutoff: Literal["rank", "recall"] | None = None
    cutoff_needed: bool = False
    slot: str | None = None
    default_slot: str = ""
    aggregate: Aggregate = "mean"
    higher: bool = True
    finish: Callable[[NDArray[np.float64], int], tuple[float, dict[str, float]]] | None = None
    parts: tuple[str, ...] = ()
    source: str = ""


Argument = tuple[str, Any, bool]
"""A given parameter: its name, its value, and whether the name was written."""

_SPECS: dict[tuple[str, str], Spec] = {}


def measure(name: str, summary: str, **details: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that registers a function under a name; the keywords are the fields of `Spec`."""

    def register(compute: Callable[..., Any]) -> Callable[..., Any]:
        spec = Spec(name, summary, compute, **details)
        _SPECS[spec.kind, name] = spec
        return compute

    return register


@cache
def _load() -> None:
    for module in MODULES:
        importlib.import_module(f"trix.eval.measures.{module}")


def specs(kind: str = "measure") -> list[Spec]:
    """Return all measures (or document scores, or effort functions), in the order of their modules and definitions."""
    _load()
    places = {f"trix.eval.measures.{module}": i for i, module in enumerate(MODULES)}
    found = [spec for (of, _), spec in _SPECS.items() if of == kind]
    return sorted(found, key=lambda spec: places.get(spec.compute.__module__, len(places)))


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with its parameters.

    Two measures are equal if they compute the same value. The repr is the canonical spelling of the given name.
    `arguments` are the given parameters, and `written` is the text of the cut-off.

    Examples
    --------
    >>> parse_measure("gP[T2I(300)]@10")
    gP[T2I(300)]@10
    >>> parse_measure("nDCG") @ 10 == parse_measure("nDCG(b=2)@10")
    True
    >>> parse_measure("nDCG")(b=10)
    nDCG(b=10)
    """

    spec: Spec = field(repr=False)
    arguments: tuple[Argument, ...] = ()
    slot: Measure | None = None
    cutoff: float | None = None
    written: str = field(default="", repr=False)

    @cached_property
    def params(self) -> dict[str, Any]:
        """Return every parameter with its given or default value."""
        return {p.name: p.default for p in self.spec.params} | {name: value for name, value, _ in self.arguments}

    @property
    def scorer(self) -> Measure | None:
        """Return the parameter in square brackets, or its default."""
        if self.slot is None and self.spec.slot and self.spec.default_slot:
            return _resolve(parse_name(self.spec.default_slot), self.spec.slot, self.spec.default_slot)
        return self.slot

    @property
    def example(self) -> str:
        """The name of the measure at a cut-off, for errors about a missing cut-off."""
        return f"{self!r}@{'0.1' if self.spec.cutoff == 'recall' else 10}"

    def compute(self, view: TopicView) -> Value:
        """Return the value for one topic."""
        more: dict[str, Any] = {} if self.spec.slot is None else {"slot": self.scorer}
        value: Value = self.spec.compute(view, cutoff=self.cutoff, **self.params, **more)
        return self._value_without_relevant(view) if value is None else value

    def _value_without_relevant(self, view: TopicView) -> Value:
        """Return 0 for a topic without units of grade G or above, as trec_eval does; None if it is undefined otherwise.

        Topics without units of ``level=G``, which trec_eval does not have, are left out [EVALUATION 3].
        """
        rel = self.params.get("rel")
        if not isinstance(rel, Rel) or rel.operator == "=" or not self.spec.higher:
            return None
        view.notices.add(f"{self}: topics with nothing of grade {number_text(rel.grade)} or above count 0")
        return np.zeros(11) if self.spec.cutoff == "recall" and self.cutoff is None else 0.0

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        values = ((p, self.params[p.name]) for p in self.spec.params)
        params = tuple((p.name, value if isinstance(value, Rel) else p.show(value)) for p, value in values)
        return self.spec.kind, self.spec.name, params, self.scorer, self.cutoff

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self._key == other._key

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        text = self.spec.name
        if self.arguments:
            text += f"({','.join(self._argument_texts())})"
        if self.slot is not None:
            text += f"[{self.slot!r}]"
        return text if self.cutoff is None else f"{text}@{self.written or number_text(self.cutoff)}"

    def _argument_texts(self) -> Iterator[str]:
        by_name = {p.name: p for p in self.spec.params}
        for name, value, named in self.arguments:
            if isinstance(value, Rel):
                yield repr(value)
            else:
                yield f"{name}={by_name[name].show(value)}" if named else by_name[name].show(value)

    def __matmul__(self, cutoff: float) -> Measure:
        return _build(self.spec, self.arguments, self.slot, cutoff, repr(self))

    def __call__(self, **params: Any) -> Measure:
        known = _by_name(self.spec)
        for name in params:
            if name not in known:
                raise _unknown_parameter(self.spec, name)
        read = {}
        for name, value in params.items():
            plain = isinstance(value, str) or (known[name].name == "rel" and not isinstance(value, Rel))
            read[known[name].name] = known[name].reader(name)(str(value)) if plain else value
        merged = {name: (name, value, named) for name, value, named in self.arguments}
        merged |= {name: (name, value, True) for name, value in read.items()}
        return _build(
            self.spec,
            tuple(merged[p.name] for p in self.spec.params if p.name in merged),
            self.slot,
            self.cutoff,
            repr(self),
        )


@cache
def parse_measure(text: str) -> Measure:
    """Return the measure of a name; raise UsageError with the error and similar names.

    >>> parse_measure("MAgP[F(beta=.25)]")
    AgP[F(beta=0.25)]
    >>> parse_measure("ndcg_cut_10"), parse_measure("recip_rank")
    (nDCG(trec)@10, RR)
    >>> parse_measure("nDGC@10")
    Traceback (most recent call last):
    ...
    trix.errors.UsageError: unknown measure 'nDGC' (did you mean nDCG?)
    """
    text = text.strip()
    return _resolve(parse_name(resolve_alias(text) or text), "measure", text)


def _find(name: str, kind: str) -> Spec:
    _load()
    name = (_ALIASES if kind == "measure" else _SCORE_ALIASES).get(name, name)
    spec = _SPECS.get((kind, name))
    if spec is not None:
        return spec
    known = [n for (of, n) in _SPECS if of == kind] + (list(_ALIASES) if kind == "measure" else [])
    if kind == "measure" and name in NOT_OFFERED:
        raise UsageError(f"measure {name!r} of trec_eval is not offered; trix eval `measures` lists all that are")
    what = {"measure": "measure", "document score": "document score", "effort": "effort function"}[kind]
    if kind == "measure" and ("document score", name) in _SPECS:
        raise UsageError(f"{name} scores single documents: write AgP[{name}] or gP[{name}]@10")
    if kind == "measure" and ("effort", name) in _SPECS:
        raise UsageError(f"{name} scores single documents: write ANCE[{name}] or NCE[{name}]")
    hint = did_you_mean(name, known, 0.5) or f"; known are {', '.join(sorted(set(known)))}"
    raise UsageError(f"unknown {what} {name!r}{hint}")


def _resolve(name: MeasureName, kind: str, text: str) -> Measure:
    spec = _find(name.name, kind)
    arguments = _read_arguments(spec, name, text)
    slot: Measure | None = None
    if name.slot is not None:
        if spec.slot is None:
            raise UsageError(f"measure {text!r}: {spec.name} takes nothing in square brackets")
        slot = _resolve(name.slot, spec.slot, text)
    return _build(spec, arguments, slot, None if name.cutoff is None else float(name.cutoff), text, name.cutoff or "")


def _build(
    spec: Spec,
    arguments: tuple[Argument, ...],
    slot: Measure | None,
    cutoff: float | None,
    text: str,
    written: str = "",
) -> Measure:
    if cutoff is None:
        if spec.cutoff_needed:
            raise UsageError(f"measure {text!r}: {spec.name} needs a cut-off, such as {spec.name}@10")
        return Measure(spec, arguments, slot, None)
    if spec.cutoff is None:
        raise UsageError(f"measure {text!r}: {spec.name} takes no cut-off")
    if spec.cutoff == "rank":
        if cutoff != int(cutoff) or cutoff < 1:
            raise UsageError(f"measure {text!r}: the cut-off is a rank, a whole number from 1 on")
        return Measure(spec, arguments, slot, int(cutoff), written)
    if not 0 <= cutoff <= 1:
        raise UsageError(f"measure {text!r}: the cut-off is a recall level in [0, 1]")
    return Measure(spec, arguments, slot, float(cutoff), written)


def _read_arguments(spec: Spec, name: MeasureName, text: str) -> tuple[Argument, ...]:
    by_name = _by_name(spec)
    positional = [p for p in spec.params if p.positional]
    found: dict[str, Argument] = {}
    for key, operator, value in name.arguments:
        if key:
            param = by_name.get(key)
            if param is None:
                raise _unknown_parameter(spec, key)
        else:
            free = [p for p in positional if p.name not in found]
            if not free:
                raise UsageError(f"measure {text!r}: {value!r} has no name; parameters of {spec.name}: {_known(spec)}")
            param = _accepting(free, value)
        if param.name in found:
            both = param.name if key in ("", param.name) else f"{param.name} and {key} are one parameter, which"
            raise UsageError(f"measure {text!r}: {both} is given twice")
        try:
            read = param.reader(key)(value)
        except ValueError:
            raise UsageError(f"measure {text!r}: {param.name} is {param.summary}, not {value!r}") from None
        if operator == ">=":
            if not isinstance(read, Rel) or read.operator == "=":
                raise UsageError(f"measure {text!r}: {key} takes '=', not '>='")
            read = Rel(">=", read.grade, "rel>=")
        found[param.name] = (param.name, read, bool(key))
    return tuple(found[p.name] for p in spec.params if p.name in found)


def _accepting(params: list[Param], value: str) -> Param:
    """Return the first parameter that can read a bare value, else the first."""
    for param in params:
        try:
            param.read(value)
        except ValueError:
            continue
        return param
    return params[0]


def _by_name(spec: Spec) -> dict[str, Param]:
    """Return the parameters by name and alias."""
    return {name: p for p in spec.params for name in (p.name, *(other for other, _ in p.also))}


def _known(spec: Spec) -> str:
    return " ".join(_by_name(spec)) or "none"


def _unknown_parameter(spec: Spec, name: str) -> UsageError:
    hint = did_you_mean(name, _by_name(spec), 0.4) or f"; known: {_known(spec)}"
    return UsageError(f"{spec.name} has no parameter {name!r}{hint}")
