"""Trix as a provider of ir_measures (the extra ``ir-measures``)::

    import ir_measures
    from trix.integrations.ir_measures import MAgP, iP

    ir_measures.calc_aggregate([iP @ 0.01, MAgP, ir_measures.nDCG @ 10], trix.read_qrels("offsets.qrels"), run)

Importing this module registers the provider after those of ir_measures. It also adds the measures that only Trix has to
the names of `ir_measures.parse_measure`. `measure` returns any measure of Trix: ``measure("gP[T2I(300)]@10")``.

Assessments and runs may have the types of ir_measures (tuples, frames, dicts of dicts) or of Trix: results of
`trix.read_qrels`, `trix.read_run` and ``Index.run``, and file names. Measures of characters need those of Trix. Topics
follow the rules of Trix: an undefined value is NaN and is left out of the mean.
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
"""Measures of ir_measures that need optional programs there."""


class _TopicValue(float):
    """Value of a topic, with the raw value from which the mean over topics is computed."""

    raw: Value

    @classmethod
    def of(cls, value: Value, raw: Value) -> _TopicValue:
        made = cls(float(value))
        made.raw = raw
        return made


class _Mean(_Agg):
    """Aggregator over topics as in Trix; NaN is a topic for which the measure is undefined."""

    def __init__(self, measure: Measure) -> None:
        self.measure, self.values = measure, list[Value]()

    def add(self, value: float) -> None:
        """Add the value of a topic."""
        if isinstance(value, _TopicValue):
            self.values.append(value.raw)
        elif not math.isnan(value):
            self.values.append(value)

    def result(self) -> float:
        """Return the aggregate over topics."""
        return float(aggregate(self.measure, {str(place): value for place, value in enumerate(self.values)}).mean)


class TrixMeasure(_measures.Measure):
    """Measure of Trix for ir_measures, with parameters as there: ``iP(task="thorough")@0.01``.

    The parameter in square brackets is called ``score`` there: ``AgP(score="T2I(300)")`` is `AgP[T2I(300)]`.
    """

    OURS: str
    DEFAULT = math.nan

    @property
    def trix(self) -> Measure:
        """Return the measure of Trix."""
        params = dict(self.params)
        cutoff, score = params.pop("cutoff", None), params.pop("score", None)
        arguments = ",".join(f"{key}={_text(value)}" for key, value in params.items())
        text = self.OURS + (f"({arguments})" if arguments else "") + (f"[{score}]" if score else "")
        return parse_measure(text if cutoff is None else f"{text}@{cutoff}")

    def aggregator(self) -> _Mean:
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
    label = f"trix.{name}" if name in _measures.registry else name  # providers distinguish measures by name
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
    """Return any measure of Trix for ir_measures by its name: ``measure("AgP[aveChP]")``.

    A name that ir_measures also has returns the measure of Trix. ``measure("nDCG@10")`` is that of Järvelin and
    Kekäläinen, and prints as ``trix.nDCG@10``.

    Raises
    ------
    UsageError
        The measure is unknown.
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
    """Evaluator of runs against given assessments."""

    def __init__(self, measures: Iterable[Any], qrels: Any, options: Mapping[str, Any]) -> None:
        wanted = list(measures)
        super().__init__(wanted, ())  # no expected topics: missing ones are left out
        self.qrels, self.options = qrels, options

    def _iter_calc(self, run: Any) -> Iterator[Any]:
        qrels, ranked = _to_trix(self.qrels), _to_trix(run)
        theirs = not isinstance(ranked, Rankings | str | Path)
        names = {
            m: m.trix if isinstance(m, TrixMeasure) else parse_measure(from_ir_measures(repr(m))) for m in self.measures
        }
        options = {"trec_ties": theirs, **self.options}  # runs of ir_measures are ordered by scores alone
        result = evaluate(qrels, {"run": ranked}, list(names.values()), **options)
        for requested, known in names.items():
            score = result["run", known]
            if score.is_vector:
                raise UsageError(
                    f"{known} is a vector; ir_measures takes numbers: give a cut-off, such as {known.example}"
                )
            for topic, value in score.topics.items():
                raw = score.raw.get(topic, value)
                yield ir_measures.Metric(query_id=topic, measure=requested, value=_TopicValue.of(value, raw))


def _to_trix(source: Any) -> Any:
    """Convert assessments or a run, as passed on by ir_measures, to the input of `evaluate`."""
    if isinstance(source, Qrels | Rankings | Mapping | str | Path) or is_frame(source):
        return source
    rows = list(source)
    if rows and all(isinstance(row, str) for row in rows):
        return "".join(rows)  # a file name that was split into characters
    return rows


class TrixProvider(_providers.Provider):
    """Provider of the measures of Trix for ir_measures.

    Parameters
    ----------
    options
        Options of `trix.evaluate`, such as ``resolver=trix.Resolver("my.index")`` for runs of elements, or
        ``official=True``.
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
        """Return whether Trix computes the measure."""
        if isinstance(measure, TrixMeasure):
            measure.validate_params()
            return True
        if measure.NAME == "nDCG" and "gains" in measure.params:
            return False
        return measure.NAME in _BORROWED and bool(super().supports(measure))

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> TrixEvaluator:
        return TrixEvaluator(measures, qrels, self.options)


provider = TrixProvider()
"""The provider registered with ir_measures."""


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
    """Raise AttributeError for an unknown measure; measures that only Trix has are attributes."""
    raise AttributeError(f"module 'trix.integrations.ir_measures' has no measure {name!r}; see docs/measures.md")
