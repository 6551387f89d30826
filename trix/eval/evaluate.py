"""Evaluation of runs against assessments; the result is a `Scores`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from trix.errors import TrixError, UsageError
from trix.eval.data.qrels import Qrels, TopicJudgements, mean_length
from trix.eval.data.quantisation import Quantisation
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.data.values import short_repr
from trix.eval.formats.reading.lines import Faults, Notices
from trix.eval.inputs import to_qrels, to_runs
from trix.eval.measures.core.aliases import from_ir_measures
from trix.eval.measures.core.defaults import default_measures, expand
from trix.eval.measures.core.registry import Measure
from trix.eval.measures.core.view import DocumentResolver, Settings, TopicView
from trix.eval.measures.passages.shape import histogram
from trix.eval.scores import Score, Scores, Value


def evaluate(
    qrels: Any,
    run: Any,
    measures: Iterable[str | Measure] | str | None = None,
    official: bool = False,
    *,
    only_shared: bool = False,
    trec_ties: bool = False,
    ties: Literal["rank", "score"] = "rank",
    lenient: bool = False,
    resolver: DocumentResolver | None = None,
    sizes: Mapping[tuple[str, str], float] | None = None,
    positions: Mapping[tuple[str, str], tuple[int, int]] | None = None,
    elements: float | None = None,
    quantisations: Mapping[str, Quantisation] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    passage_end: bool = False,
    histograms: bool = False,
    keep_going: bool = False,
) -> Scores:
    """Evaluate one or several runs.

    Parameters
    ----------
    qrels
        Assessments: a `Qrels`, a file or files, a dict topic -> unit -> grade, a pandas frame, or the objects of
        ir_measures.
    run
        `Rankings`, a file, a dict topic -> unit -> score, a pandas frame, the result of ``Index.run`` or the objects of
        ir_measures; or several: a list of files, or a dict from names to any of these.
    measures
        Names, groups or `Measure` objects, also those of ir_measures. None means all that fit the assessments and the
        run.
    official
        Compute as the official INEX tool does, quirks included.
    only_shared
        Leave out topics that the run lacks; by default they score as an empty ranking.
    trec_ties
        Sort as trec_eval: score descending, then unit descending. By default the run's own order counts.
    ties
        Treat results of equal rank, or of equal score, as tied.
    lenient
        Drop and count bad results instead of raising.
    resolver
        Source of the offsets and word counts of elements: an index or a folder of sources.
    sizes
        (document, path) -> words, for assessments without sizes.
    positions
        (document, path) -> (first word, word after the last) in the document, for user models.
    elements
        Number of elements (or units) in the collection, the N of inex2002 and PRUM.
    quantisations
        The user's own quantisations by name.
    qrels_format, run_format, passage_end
        How files are read, as in `read_qrels` and `read_run`.
    histograms
        Also count the tags and depths of the results.
    keep_going
        Skip a run that cannot be evaluated and record the reason in ``Scores.failed``, if another run remains. By
        default its error is raised.

    Returns
    -------
    Scores
        ``result["AP"].mean``, ``result["AP"].topics["1"]``; with several runs ``result["b", "AP"]``.

    Raises
    ------
    TrixError
        A file, a run or a measure is wrong. The message names the place.

    Examples
    --------
    >>> result = evaluate({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, ["AP", "P@2"])
    >>> round(result["AP"].mean, 4), result["P@2"].topics["1"]
    (0.8333, 0.5)
    """
    judged = to_qrels(qrels, format=qrels_format, lenient=lenient)
    if not len(judged):
        raise UsageError(f"{judged.name}: the assessments have no topics")
    settings = Settings(
        official=official,
        trec_ties=trec_ties,
        ties=ties,
        resolver=resolver,
        sizes=sizes,
        positions=positions,
        elements=elements,
        mean_length=mean_length(judged),
        quantisations=quantisations or {},
        unit_form=judged.unit_form,
    )
    requested = None if measures is None else _parse_measures(measures)
    result = Scores(judged.name, {}, list(judged.notices))
    if resolver is not None:
        from trix.eval.convert import length_differences

        result.notices += length_differences(judged, resolver)
    for place, (name, load) in enumerate(to_runs(run, format=run_format, lenient=lenient, passage_end=passage_end)):
        try:
            one = load()
            if judged.unit_form == "elements":
                one = _elements_of(one, resolver, judged.form == "elements")
            label = _unique_label(name or one.name, one, result.scores)
            chosen = requested if requested is not None else default_measures(judged, one, settings)
            result.scores[label], notices = evaluate_run(judged, one, chosen, settings, only_shared, lenient)
        except TrixError as error:
            if not keep_going:
                raise
            result.failed[place] = error
            continue
        if histograms:
            result.histograms[label] = {of: histogram(one, of) for of in ("tag", "depth")}
        messages = _in_file_order(one) if official else one.notices
        result.notices += [*messages, *(n for n in notices if n not in result.notices)]
    if not result.scores:
        raise next(iter(result.failed.values()), UsageError("no run was given"))
    return result


def _in_file_order(run: Rankings) -> list[str]:
    """Return the notices of a run that apply to the official tool, which keeps the order of the file."""
    messages = [notice for notice in run.notices if notice not in run.order_notices]
    if moved := len(run.file_order):
        topics = f"{moved} topic{'s' * (moved > 1)}"
        messages.append(
            f"{run.source or run.name}: {topics}: the lines are not in order; the official tool follows them"
        )
    return messages


def _elements_of(run: Rankings, resolver: Any, texts: bool) -> Rankings:
    """Replace the passages of a run by elements, for assessments of elements."""
    from trix.eval.convert import passage_rows, to_paths

    n = sum(int(passage_rows(ranking, texts).sum()) for ranking in run.rankings.values())
    if not n:
        return run
    source = run.source or run.name
    results = f"{n} of its results {'is a passage' if n == 1 else 'are passages'}"
    if not hasattr(resolver, "element_at"):
        raise UsageError(
            f"{source}: {results} (offsets, XPointers, ranges of elements or text nodes), the assessments are of "
            "elements; name an index (`index`), or turn the run round with trix convert `paths`, or the assessments "
            "with trix convert `to` offset-qrels"
        )
    run = to_paths(run, resolver)
    run.notices.append(f"{source}: {results}, evaluated as the smallest elements that hold them")
    return run


def _parse_measures(measures: Iterable[str | Measure] | str) -> list[Measure]:
    names: Iterable[str | Measure] = [measures] if isinstance(measures, str | Measure) else measures
    if not isinstance(names, Iterable):
        raise UsageError(f"measures are names or Measure objects, not {short_repr(measures)}")
    found = [m for name in names for m in ([name] if isinstance(name, Measure) else expand(_name(name)))]
    if not found:
        raise UsageError("no measure was given")
    return list(dict.fromkeys(found))


def _name(measure: object) -> str:
    if isinstance(measure, str):
        return measure
    if hasattr(measure, "NAME") and hasattr(measure, "SUPPORTED_PARAMS"):
        return from_ir_measures(repr(measure))
    raise UsageError(f"measures are names, or Measure objects of Trix or ir_measures, not {short_repr(measure)}")


def _unique_label(name: str, run: Rankings, taken: Mapping[str, Any]) -> str:
    """Return the name of the run, or of its file if another run already has that name."""
    candidates = [name, Path(run.source).name if run.source else name, run.source or name]
    for candidate in candidates:
        if candidate not in taken:
            return candidate
    return next(f"{name}#{i}" for i in range(2, len(taken) + 3) if f"{name}#{i}" not in taken)


def evaluate_run(
    qrels: Qrels,
    run: Rankings,
    measures: list[Measure],
    settings: Settings,
    only_shared: bool = False,
    lenient: bool = False,
) -> tuple[dict[Measure, Score], list[str]]:
    """Return the scores of one run, and the notices of its evaluation."""
    source = run.source or run.name
    faults, notices = Faults(source, lenient), Notices(source)
    messages = []
    if settings.elements is None and settings.resolver is not None:
        settings = replace(settings, elements=getattr(settings.resolver, "elements", None))
        messages += _size_of_index(measures, settings.elements)
    topics, missing = _topics(qrels, run, settings, only_shared)
    messages += missing
    depth = max((len(ranking) for _, _, ranking in topics), default=0) or 1
    values: dict[Measure, dict[str, Value]] = {m: {} for m in measures}
    undefined: dict[Measure, int] = dict.fromkeys(measures, 0)
    for topic, judgements, ranking in topics:
        view = TopicView(topic, judgements, ranking, settings, depth, faults, notices)
        for measure in measures:
            value = measure.compute(view)
            if value is None:
                undefined[measure] += 1
            else:
                values[measure][topic] = value
    scores = {m: aggregate(m, values[m]) for m in measures}
    for m, count in undefined.items():
        if count:
            messages.append(f"{source}: {m} is not defined for {count} topic{'s' * (count > 1)}, left out of its mean")
    return scores, [*messages, *notices.lines(), *faults.notices()]


_WITHOUT_N = ("inex2002", "inex2002-curve", "aggregate2004", "ESL")
"""Measures with an optional number N of elements in the collection."""


def _size_of_index(measures: Iterable[Measure], elements: float | None) -> list[str]:
    """Return a notice that N was taken from the index, if any measure depends on it."""
    sized = [str(m) for m in measures if m.spec.name in _WITHOUT_N and m.params["N"] is None]
    if elements is None or not sized:
        return []
    names = ", ".join(sized[:5]) + (", .." if len(sized) > 5 else "")
    return [
        f"{names}: N is {elements:.0f}, the elements of the index, so that what a run does not return counts; "
        "another number: `elements`"
    ]


def _topics(
    qrels: Qrels, run: Rankings, settings: Settings, only_shared: bool
) -> tuple[list[tuple[str, TopicJudgements, Ranking]], list[str]]:
    source = run.source or run.name
    by_number = {t.lstrip("0"): t for t in run.rankings if t.lstrip("0") != t}
    topics, empty, missing, used = [], [], [], set()
    for topic, judgements in qrels.topics.items():
        at = topic if topic in run.rankings else by_number.get(topic, topic.lstrip("0"))
        ranking = run.rankings.get(at)
        used.add(at)
        if not settings.official and not judgements.any_relevant:
            empty.append(topic)
            continue
        if ranking is None or not len(ranking):
            missing.append(topic)
            if only_shared:
                continue
            ranking = Ranking.empty()
        if settings.official and at in run.file_order:
            ranking = ranking.take(run.file_order[at])
        topics.append((topic, judgements, ranking))
    messages = []
    if empty:
        messages.append(f"{qrels.name}: {_topic_list(empty)} without anything relevant, left out")
    if missing:
        what = "left out" if only_shared else "counted as empty"
        messages.append(f"{source}: {_topic_list(missing)} not in the run, {what}")
    unjudged = [t for t in run.rankings if t not in used]
    if unjudged:
        messages.append(f"{source}: {_topic_list(unjudged)} without assessments, ignored")
    return topics, messages


def _topic_list(topics: list[str]) -> str:
    names = ", ".join(" ".join(topic.splitlines()) for topic in topics[:5]) + (", .." if len(topics) > 5 else "")
    return f"{len(topics)} topic{'s' * (len(topics) > 1)} ({names})"


def aggregate(measure: Measure, values: dict[str, Value]) -> Score:
    """Return the score of a measure, aggregated over topics.

    >>> from trix.eval.measures.core.registry import parse_measure
    >>> aggregate(parse_measure("AP"), {"1": 0.25, "2": 0.75}).mean
    0.5
    >>> round(aggregate(parse_measure("GMAP"), {"1": 0.0, "2": 0.1}).mean, 6)
    0.001
    """
    spec = measure.spec
    if not values:
        return Score(measure, float("nan"), {})
    stack = np.array(list(values.values()), np.float64)
    mean: Any
    if spec.aggregate == "sum":
        mean = stack.sum(axis=0)
    elif spec.aggregate == "nanmean":
        known = ~np.isnan(stack)
        counts = known.sum(axis=0)
        mean = np.divide(
            np.where(known, stack, 0.0).sum(axis=0), counts, out=np.full(counts.shape, np.nan), where=counts > 0
        )
    elif spec.aggregate == "gmean":
        mean = np.exp(np.log(np.maximum(stack, 1e-5)).mean(axis=0))
    else:
        mean = np.cumsum(stack, axis=0)[-1] / len(stack)
    if spec.finish is not None:
        cutoff = int(measure.cutoff or 1)
        finished: dict[str, Value] = {t: spec.finish(np.asarray(v), cutoff)[0] for t, v in values.items()}
        value, details = spec.finish(mean, cutoff)
        return Score(measure, value, finished, details, values)
    return Score(measure, mean if mean.ndim else float(mean), values)
