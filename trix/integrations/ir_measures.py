"""Trix as a provider of ir_measures (the extra ``ir-measures``)::

    import ir_measures
    from trix.integrations.ir_measures import MAgP, iP

    ir_measures.calc_aggregate([iP @ 0.01, MAgP, ir_measures.nDCG @ 10], trix.read_qrels("offsets.qrels"), run)

Importing this module adds the provider to those that ir_measures asks, after its own, and the measures that only
Trix has to the names that `ir_measures.parse_measure` knows. Every measure of Trix can be had by `measure`, whatever
its name: ``measure("gP[T2I(300)]@10")``.

Assessments and runs are what ir_measures takes (its tuples, frames, dicts of dicts), or what Trix takes: the results
of `trix.read_qrels`, `trix.read_run` and ``Index.run``, and names of files. Measures of characters need the latter.
Topics follow the rules of Trix: where a measure is not defined, the value of a topic is NaN and counts for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from trix.errors import UsageError
from trix.eval.data.qrels import Qrels
from trix.eval.data.runs import Rankings
from trix.eval.evaluate import aggregate, evaluate
from trix.eval.inputs import is_frame
from trix.eval.measures.core.aliases import from_ir_measures
from trix.eval.measures.core.parameters import number_text
from trix.eval.measures.core.registry import Measure, parse_measure, specs
from trix.eval.scores import Value
from trix.support.extras import install_hint

try:
    import ir_measures
    from ir_measures import measures as _measures
    from ir_measures import providers as _providers
    from ir_measures.measures.base import Agg as _Agg
    from ir_measures.providers.base import Any as _Anything
    from ir_measures.providers.base import Choices as _Choices
except ImportError:
    raise UsageError(f"ir_measures is missing: {install_hint('ir-measures')}") from None

_BORROWED = ("RBP", "ERR", "nDCG")
"""Measures of ir_measures itself that need programs there which not every installation has."""


class _TopicValue(float):
    """The value of a topic, with what the mean over topics is worked out of."""

    raw: Value

    @classmethod
    def of(cls, value: Value, raw: Value) -> _TopicValue:
        """Return a value with its raw one."""
        made = cls(float(value))
        made.raw = raw
        return made


class _Mean(_Agg):
    """Brings topics together as Trix does; a plain NaN is a topic for which the measure is not defined."""

    def __init__(self, measure: Measure) -> None:
        self.measure, self.values = measure, list[Value]()

    def add(self, value: float) -> None:
        """Take the value of a topic."""
        if isinstance(value, _TopicValue):
            self.values.append(value.raw)
        elif not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        """Return the value over topics."""
        return float(aggregate(self.measure, {str(place): value for place, value in enumerate(self.values)}).mean)


class TrixMeasure(_measures.Measure):
    """A measure of Trix among those of ir_measures; parameters are given as there, ``iP(task="thorough")@0.01``.

    What stands in square brackets here is the parameter ``score`` there: ``AgP(score="T2I(300)")`` is `AgP[T2I(300)]`.
    """

    OURS: str
    DEFAULT = math.nan

    @property
    def trix(self) -> Measure:
        """Return the measure as Trix knows it."""
        params = dict(self.params)
        cutoff, score = params.pop("cutoff", None), params.pop("score", None)
        arguments = ",".join(f"{key}={_text(value)}" for key, value in params.items())
        text = self.OURS + (f"({arguments})" if arguments else "") + (f"[{score}]" if score else "")
        return parse_measure(text if cutoff is None else f"{text}@{cutoff}")

    def aggregator(self) -> _Mean:
        """Return what brings topics together."""
        return _Mean(self.trix)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _define(name: str) -> TrixMeasure:
    spec = next(s for s in specs() if s.name == name)
    parameters = {p.name: _measures.ParamInfo(desc=p.summary, required=False) for p in spec.params}
    parameters |= {other: parameters[p.name] for p in spec.params for other, _ in p.also}
    if spec.cutoff:
        parameters["cutoff"] = _measures.ParamInfo(dtype=(int, float), required=False, desc=f"a {spec.cutoff}")
    if spec.slot:
        parameters["score"] = _measures.ParamInfo(dtype=str, required=False, desc=f"the {spec.slot}")
    label = f"trix.{name}" if name in _measures.registry else name  # providers there tell measures by their names
    body = {
        "NAME": label,
        "__name__": label,
        "OURS": name,
        "SUPPORTED_PARAMS": parameters,
        "PRETTY_NAME": name,
        "SHORT_DESC": spec.summary,
        "__doc__": f"{spec.summary} [{spec.source}].",
    }
    made: TrixMeasure = type(f"_{name}", (TrixMeasure,), body)()
    return made


def measure(name: str) -> Any:
    """Return the measure of any name of Trix for ir_measures: ``measure("AgP[aveChP]")``.

    A name that ir_measures has itself gives the measure of Trix all the same: ``measure("nDCG@10")`` is the one of
    Järvelin and Kekäläinen, and prints as ``trix.nDCG@10``.

    Raises
    ------
    UsageError
        There is no such measure.
    """
    known = parse_measure(name)
    params = {p.name: known.params[p.name] for p in known.spec.params if p.name in {n for n, _, _ in known.arguments}}
    written: dict[str, Any] = {}
    for p in known.spec.params:
        if p.name in params:
            rel = p.name == "rel"
            written["level" if rel and params["rel"].operator == "=" else p.name] = (
                number_text(params["rel"].grade) if rel else p.show(params[p.name])
            )
    if known.cutoff is not None:
        written["cutoff"] = known.cutoff
    if known.slot is not None:
        written["score"] = repr(known.slot)
    return OURS[known.spec.name](**written)


OURS: dict[str, TrixMeasure] = {spec.name: _define(spec.name) for spec in specs()}
"""Name -> measure of Trix."""
MEANS = {"MAgP": "AgP", "MAiP": "AiP", "MAnxCG": "AnxCG", "MANCE": "ANCE"}
"""Names of means -> measure."""


class TrixEvaluator(_providers.Evaluator):
    """Evaluates runs against the assessments it was made with."""

    def __init__(self, measures: Iterable[Any], qrels: Any, options: Mapping[str, Any]) -> None:
        wanted = list(measures)
        super().__init__(wanted, ())  # what is left out counts for nothing, so nothing is expected
        self.qrels, self.options = qrels, options

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        qrels, ranked = _ours(self.qrels), _ours(run)
        theirs = not isinstance(ranked, Rankings | str | Path)
        names = {
            m: m.trix if isinstance(m, TrixMeasure) else parse_measure(from_ir_measures(repr(m))) for m in self.measures
        }
        options = {"trec_ties": theirs, **self.options}  # only scores say the order there
        result = evaluate(qrels, {"run": ranked}, list(names.values()), **options)
        for asked, known in names.items():
            score = result["run", known]
            if score.is_vector:
                raise UsageError(
                    f"{known} is a vector; ir_measures takes numbers: give a cut-off, such as {known.example}"
                )
            for topic, value in score.topics.items():
                raw = score.raw.get(topic, value)
                yield ir_measures.Metric(query_id=topic, measure=asked, value=_TopicValue.of(value, raw))


def _ours(source: Any) -> Any:
    """Return assessments or a run as `evaluate` takes them, out of what ir_measures made of what it was given."""
    if isinstance(source, Qrels | Rankings | Mapping | str | Path) or is_frame(source):
        return source
    rows = list(source)
    if rows and all(isinstance(row, str) for row in rows):
        return "".join(rows)  # a name of a file, taken apart
    return rows


class TrixProvider(_providers.Provider):
    """Trix among the providers of ir_measures.

    Parameters
    ----------
    options
        Those of `trix.evaluate`: ``resolver=trix.Resolver("my.index")`` for runs of elements, ``official=True``.
    """

    NAME = "trix"
    SUPPORTED_MEASURES = [  # noqa: RUF012 (a list there, too)
        _measures.RBP(cutoff=_Anything(), p=_Anything(), rel=_Anything()),
        _measures.ERR(cutoff=_Anything()),
        _measures.nDCG(cutoff=_Anything(), dcg=_Choices("log2", "exp-log2"), judged_only=_Choices(False)),
    ]

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    def supports(self, measure: Any) -> bool:
        """Return whether a measure can be computed here."""
        if isinstance(measure, TrixMeasure):
            measure.validate_params()
            return True
        if measure.NAME == "nDCG" and "gains" in measure.params:
            return False
        return measure.NAME in _BORROWED and bool(super().supports(measure))

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> TrixEvaluator:
        return TrixEvaluator(measures, qrels, self.options)


provider = TrixProvider()
"""The provider that ir_measures asks."""


def _register() -> None:
    _providers.registry["trix"] = provider
    if all(p.NAME != "trix" for p in ir_measures.DefaultPipeline.providers):
        ir_measures.DefaultPipeline.providers.append(provider)
    for name, made in OURS.items():
        if name.isidentifier() and name not in _measures.registry:
            _measures.registry[name] = made
            globals()[name] = made
    for name, of in MEANS.items():
        _measures.registry.setdefault(name, OURS[of])
        globals()[name] = OURS[of]


_register()


def __getattr__(name: str) -> Any:
    """Refuse what is no measure; those that Trix alone has are attributes by their names."""
    raise AttributeError(f"module 'trix.integrations.ir_measures' has no measure {name!r}; see docs/measures.md")
