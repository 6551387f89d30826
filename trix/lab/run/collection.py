"""Evaluator of variants on the topics of one collection; returns the values of all measures.

Variants share matching elements, their counts, and basic scores (`trix.lab.run.matched`). Flat measures of plain
element grades are computed from element numbers, without element paths. All other measures use the functions of the
evaluator. So the values equal those of ``trix run`` and ``trix eval``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import trix
from trix.api.batch import reason
from trix.api.resolver import Resolver
from trix.errors import FormatError, QueryError, TrixError, UsageError
from trix.eval.data.qrels import Qrels, mean_length
from trix.eval.data.runs import Ranking
from trix.eval.evaluate import evaluate_run
from trix.eval.formats.read import read_qrels
from trix.eval.inputs import to_run
from trix.eval.measures.core.registry import Measure
from trix.eval.measures.core.view import Settings, TopicView
from trix.eval.studies.granulate import granulate
from trix.lab.plan.experiment import JudgedCollection, Variant, columns
from trix.lab.plan.sizes import size_shares
from trix.lab.run.array_cache import ArrayCache
from trix.lab.run.journal import Values
from trix.lab.run.matched import ElementPool, KeywordTopic, TopicMatcher
from trix.lab.run.units import JudgedElements, UnitNumbers
from trix.query.candidate_scores import CandidateScores
from trix.query.language.keywords import is_structured
from trix.query.language.terms import Query
from trix.query.options import Options
from trix.query.search import Searcher
from trix.settings import settings_of
from trix.support.element_path import split_unit


class CollectionEvaluator:
    """An open collection that measures variants on its topics.

    Parameters
    ----------
    collection
        Collection to open.
    measures
        Measures to compute.
    sizes
        Number of first results that are counted by size; 0 for none.
    cache
        Cache of matched topics for repeated measurements; None without.
    """

    def __init__(
        self, collection: JudgedCollection, measures: Sequence[Measure], sizes: int = 0, cache: ArrayCache | None = None
    ) -> None:
        self.collection, self.measures, self.sizes = collection, tuple(measures), sizes
        self.index = trix.open(collection.index)
        self.searcher = Searcher(self.index.files)
        self.matcher = TopicMatcher(self.searcher, cache)
        self._options: dict[str, Options] = {}
        self._unusable: dict[str, dict[str, str]] = {}
        self.units = UnitNumbers(self.index.files)
        self.resolver = Resolver(self.index)
        self.skipped: dict[str, str] = {}
        """Topic -> error, for topics that could not be measured; they count as topics without results."""

    @cached_property
    def queries(self) -> dict[str, Any]:
        """Topic id -> topic, for topics of the collection's query type."""
        every, wanted = trix.read_topics(self.collection.topics), self.collection.query_type
        found = {topic.id: topic for topic in every if topic.is_of(wanted)}
        if wanted and not found:
            types = sorted({topic.query_type or "none" for topic in every})
            raise UsageError(f"{self.collection.topics}: no topic of the type {wanted}; there are: {', '.join(types)}")
        return found

    @cached_property
    def qrels(self) -> Qrels:
        """The assessments, granulated if the collection has a level for it."""
        collection = self.collection
        judged = read_qrels(collection.qrels)
        if not collection.granulate or judged.form == "grades":
            if collection.granulate:
                raise UsageError(f"{judged.name}: plain grades cannot be granulated; leave granulate out")
            return judged
        members = self.members(collection.granulate, _documents(judged))
        found = granulate(judged, members, collection.graded, self.resolver)
        qrels = Qrels.from_grades(found.grades, judged.name)
        qrels.notices = [*self.searcher.levels.apart(collection.granulate).overlap_notices(), *found.notices]
        return qrels

    def members(self, level: str, documents: Iterable[str]) -> dict[str, list[str]]:
        """Return document id -> paths of a level's members, for the given documents."""
        files = self.index.files
        found: dict[str, list[str]] = {}
        members = self.searcher.levels.apart(level).members
        for doc in documents:
            number = files.document(doc)
            if number >= 0:
                low, high = np.searchsorted(members, files.document_range(number))
                found[doc] = self.units.paths(members[low:high])
        return found

    @property
    def judged_topics(self) -> list[str]:
        """Return the ids of the topics with a query and relevant units, in file order."""
        judged = {topic for topic, judgements in self.qrels.topics.items() if judgements.any_relevant}
        return [topic for topic in self.queries if topic in judged]

    @property
    def topics(self) -> list[str]:
        """Return the ids of the evaluated topics: all judged ones, or a sample of them."""
        every, count = self.judged_topics, self.collection.sample
        return [every[k * len(every) // count] for k in range(count)] if 0 < count < len(every) else every

    def relevant_documents(self, topic: str) -> set[str]:
        """Return the ids of the documents with relevant text for a topic."""
        judged = self.qrels[topic]
        found = {split_unit(unit)[0] for unit, grade in judged.grades.items() if grade > 0}
        return found | {doc for doc, judgement in judged.documents.items() if judgement.relevant}

    def notices(self, variants: Iterable[Variant] = ()) -> list[str]:
        """Return notices about the topics, the assessments and the levels of variants, one line each."""
        name, judged, requested = self.collection.name, self.judged_topics, len(self.topics)
        known = set(judged)
        lost = [topic for topic in self.queries if topic not in known]
        strange = [topic for topic in self.qrels.topics if topic not in self.queries]
        levels = [
            notice
            for each in variants
            if self.collection.level or "level" in each.settings or "statistics" in each.settings
            for notice in self.searcher.overlap_notices(self.options(each))
        ]
        messages = [*dict.fromkeys([*self.qrels.notices, *levels])]
        if lost:
            messages.append(f"{name}: {len(lost)} topics without relevant units, left out")
        if strange:
            messages.append(f"{name}: {len(strange)} judged topics without a query, left out")
        if requested < len(judged):
            messages.append(f"{name}: {requested} of {len(judged)} judged topics are used (sample = {requested})")
        return messages

    def unusable(self, field: str) -> dict[str, str]:
        """Return topic -> reason, for judged topics whose query is empty or invalid; as in a run, they have no results.

        The reading of structure differs between variants, but does not affect this.

        Parameters
        ----------
        field
            Field of the topics that is the query.

        Raises
        ------
        FormatError
            No topic has the field.
        """
        if field not in self._unusable:
            self._unusable[field] = self._without_query(field)
        return self._unusable[field]

    def _without_query(self, field: str) -> dict[str, str]:
        options, found, faults = Options.of(open_phrases=True), dict[str, str](), list[FormatError]()
        for topic in self.topics:
            requested = self.queries[topic]
            try:
                query, slash_descends = requested.query(field), getattr(requested, "slash_descends", False)
            except FormatError as error:
                found[topic] = reason(error)
                faults.append(error)
                continue
            try:
                parsed, _ = self.searcher.parse(query, options, lenient=True, slash_descends=slash_descends)
                if not parsed:
                    found[topic] = f"nothing is left of the query: {query}" if query.strip() else "the query is empty"
            except QueryError as error:
                found[topic] = reason(error)
        if faults and len(faults) == len(self.topics):
            raise faults[0]
        return found

    # -- measuring --------------------------------------------------------------------------------------------------

    def measure(self, topic: str, variants: Sequence[Variant], probes: Sequence[Variant] = ()) -> list[Values]:
        """Return the values of all measures for each variant.

        With `probes`, only their first results and the judged elements are ranked. A topic that fails gets the values
        of an empty ranking and is recorded in `skipped`.
        """
        try:
            found: list[Values] = [{} for _ in variants]
            for field, places in self._by_field(variants).items():
                measured = self._measure(topic, field, [variants[place] for place in places], probes)
                for place, values in zip(places, measured, strict=True):
                    found[place] = values
            return found
        except TrixError:  # wrong options or a damaged index affect all topics
            raise
        except Exception as error:
            self.skipped[topic] = reason(error)
            return [self._values(topic, None) for _ in variants]

    def _by_field(self, variants: Sequence[Variant]) -> dict[str, list[int]]:
        """Return field of the topics -> places of the variants that ask with it."""
        found: dict[str, list[int]] = {}
        for place, variant in enumerate(variants):
            found.setdefault(variant.field or self.collection.field, []).append(place)
        return found

    def _measure(self, topic: str, field: str, variants: Sequence[Variant], probes: Sequence[Variant]) -> list[Values]:
        requested = [self.options(variant) for variant in variants]
        query, pool = self._query(topic, field), self._pool(topic, probes)
        plain = [place for place, options in enumerate(requested) if is_plain(options) and not is_structured(query)]
        found: list[Values] = [{} for _ in variants]
        for place, scored in zip(
            plain, self._scored(topic, field, query, [requested[place] for place in plain], pool), strict=True
        ):
            found[place] = self._values(topic, scored)
        for place in sorted(set(range(len(requested))) - set(plain)):
            found[place] = self._whole(topic, field, requested[place])
        return found

    def _pool(self, topic: str, probes: Sequence[Variant]) -> ElementPool | None:
        if not probes:
            return None
        name = "\n".join(probe.settings for probe in probes)
        judged = self.judged(topic).elements if self._by_number else np.zeros(0, np.int64)
        return ElementPool(name, tuple(map(self.options, probes)), judged)

    def _query(self, topic: str, field: str) -> str:
        try:
            query: str = self.queries[topic].query(field)
        except FormatError:  # as in a run: the topic has no results
            query = ""
        return query

    def scored(
        self, topic: str, variants: Sequence[Variant], probes: Sequence[Variant]
    ) -> list[CandidateScores | None]:
        """Return the candidates in a topic's pool with their scores by each variant; None without matches."""
        found: list[CandidateScores | None] = [None] * len(variants)
        for field, places in self._by_field(variants).items():
            requested = [self.options(variants[place]) for place in places]
            scored = self._scored(topic, field, self._query(topic, field), requested, self._pool(topic, probes))
            for place, each in zip(places, scored, strict=True):
                found[place] = each
        return found

    def _scored(
        self, topic: str, field: str, query: str, requested: Sequence[Options], pool: ElementPool | None = None
    ) -> list[CandidateScores | None]:
        """Return the scored candidates of a query of words, for each of several options."""
        found: list[CandidateScores | None] = [None] * len(requested)
        for open_phrases in dict.fromkeys(options.open_phrases for options in requested):
            places = [place for place, options in enumerate(requested) if options.open_phrases is open_phrases]
            try:
                parsed, _ = self.searcher.parse(query, requested[places[0]], lenient=True)
            except QueryError:  # as in a run: the topic has no results
                continue
            if isinstance(parsed, Query):
                key = f"{self.collection.name}\n{topic}\n{field}"
                scored = self.matcher.scored(KeywordTopic(key, parsed), [requested[place] for place in places], pool)
                for place, each in zip(places, scored, strict=True):
                    found[place] = each
        return found

    def _values(self, topic: str, scored: CandidateScores | None) -> Values:
        if not self._by_number:
            results = None if scored is None else self.index.now.ranked(str(scored.query), scored)
            return self._evaluated(topic, results)
        if scored is None:
            return self.values_of(topic, np.zeros(0, np.int32))
        return self.values_of(topic, scored.candidates.element[self.searcher.rank(scored)])

    def options(self, variant: Variant) -> Options:
        """Return a variant's options on this collection, at the collection's level if it has one."""
        if variant.settings not in self._options:
            level, options = self.collection.level, variant.options
            self._options[variant.settings] = replace(options, level=level) if level else options
        return self._options[variant.settings]

    def _whole(self, topic: str, field: str, options: Options) -> Values:
        """Return the values of a full search, for options that cannot share basic scores."""
        given = {name: getattr(options, name) for name in settings_of("experiment")}
        given |= {"size": options.size or "any", "per_document": options.per_document or "all"}
        given |= {"spread": options.spread or "all"}
        unusable = topic in self.unusable(field)
        run = self.index.run([(topic, "")] if unusable else [self.queries[topic]], field=field, **given)
        results = run[topic]
        if not unusable:
            self.skipped.update(run.skipped)
        return self.values_of(topic, results.elements) if self._by_number else self._evaluated(topic, results)

    @cached_property
    def _by_number(self) -> bool:
        """Whether all measures can be computed from element numbers."""
        return all(map(self.by_number, self.measures))

    def by_number(self, measure: Measure) -> bool:
        """Whether a measure can be computed from element numbers: a flat measure with plain grades of elements."""
        flat = "flat" in measure.spec.groups and not measure.params.get("quant") and measure.slot is None
        return flat and self.qrels.form == "grades" and self.qrels.unit_form == "elements"

    @cached_property
    def _settings(self) -> Settings:
        return Settings(
            mean_length=mean_length(self.qrels),
            unit_form=self.qrels.unit_form,
            resolver=self.resolver,
            elements=self.index.files.totals["elements"],
        )

    @cached_property
    def _pools(self) -> dict[str, JudgedElements]:
        return {}

    def judged(self, topic: str) -> JudgedElements:
        """Return the grades of a topic by element number."""
        if topic not in self._pools:
            grades = self.qrels[topic].grades
            self._pools[topic] = JudgedElements(grades, self.units.numbers(grades))
        return self._pools[topic]

    def values_of(self, topic: str, ranking: NDArray[np.int32]) -> Values:
        """Return the values of all measures for elements in rank order; only for flat measures of plain grades."""
        judged = self.qrels[topic]
        flat = self.judged(topic).judge(ranking)
        view = TopicView(topic, judged, Ranking.empty(), self._settings, len(ranking))
        view.memo(("flat", None), lambda: flat)
        values = {repr(measure): _plain(measure, measure.compute(view)) for measure in self.measures}
        return values | self._size_shares(ranking)

    def _size_shares(self, ranking: NDArray[np.int32]) -> Values:
        if not self.sizes:
            return {}
        first = ranking[: self.sizes]
        table = self.index.files.elements
        table.printed_of(first)
        return size_shares(table.length[first], self.sizes)

    def _evaluated(self, topic: str, results: Any) -> Values:
        judged = Qrels({topic: self.qrels[topic]}, self.qrels.name)
        run = to_run({} if results is None else {topic: results})
        scores, _ = evaluate_run(judged, run, list(self.measures), self._settings)
        values: Values = {}
        for measure, score in scores.items():
            parts = score.raw.get(topic) if measure.spec.parts else None
            raw = np.full(len(measure.spec.parts), np.nan) if parts is None else np.asarray(parts)
            row = [score.topics.get(topic), *raw.tolist()]
            values |= {name: _plain(measure, value) for name, value in zip(columns(measure), row, strict=True)}
        return values | self._size_shares(np.zeros(0, np.int32) if results is None else results.elements)


def _documents(qrels: Qrels) -> list[str]:
    return list(dict.fromkeys(doc for judged in qrels.topics.values() for doc in judged.documents))


def _plain(measure: Measure, value: Any) -> float | None:
    if isinstance(value, np.ndarray):
        raise UsageError(f"{measure} is a vector; give a cut-off, as {measure.example}")
    return None if value is None or not np.isfinite(value) else float(value)


def is_plain(options: Options) -> bool:
    """Return whether a search only scores and applies contexts, without feedback, operators or spelling correction."""
    return (
        options.expand is None
        and options.signs == "weights"
        and options.operators == "words"
        and options.spelling == "keep"
        and not options.preset.decides
    )
