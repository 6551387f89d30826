"""Filters, facets and sort orders of a search [QUERY, sections 2 to 4].

A filter only removes results: scores, N, m and feedback are those of the whole collection. The answer with a filter is
the answer without it, limited to the documents that pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from trix.errors import QueryError, UsageError, did_you_mean
from trix.indexer.fields.facets import Facet, FacetAsked, SortKey, sorted_places
from trix.indexer.fields.table import ElementColumn, Fields
from trix.indexer.store.files import IndexFiles
from trix.query.candidate_scores import CandidateScores
from trix.query.options import Options
from trix.query.ranking.organise import GROUPED
from trix.support.arrays import Floats, Ints, Mask
from trix.support.lru_cache import LruFunction

if TYPE_CHECKING:
    from trix.indexer.fields.filter_tree import Condition, Filter, Leaf
    from trix.indexer.fields.matching import ElementRuns, FilterMatcher
    from trix.indexer.fields.places import PlaceConditions

Facets = dict[str, Facet]

USUAL_PLACES = frozenset({"page", "folio", "column", "line", "verse", "chapter", "book"})
"""Usual names of places in filters, also in indexes without places."""


def mentioned(options: Options) -> tuple[str, ...]:
    """Return the fields of the filter and the sort order, each once, in written order."""
    if not (options.where or options.sort):
        return ()
    return tuple(dict.fromkeys([*(key.name for key in options.sort if key.name != "score"), *filtered(options)]))


def filtered(options: Options) -> list[str]:
    """Return the fields of the filter, in written order."""
    if options.where is None:
        return []
    from trix.indexer.fields.filter_tree import leaves

    return [leaf.name for leaf in leaves(options.where.condition)]


class Restriction:
    """Filters, facets and sort orders over one index."""

    def __init__(self, index: IndexFiles) -> None:
        self._index = index
        self._matchers: LruFunction[str, FilterMatcher] = LruFunction(self._matcher)
        self._masks: LruFunction[tuple[Filter, str], Mask] = LruFunction(self._checked)
        self._stretches: LruFunction[tuple[Filter, str], ElementRuns] = LruFunction(
            lambda of: self._matchers(of[1]).stretches_of(of[0])
        )
        self._absent: LruFunction[Leaf, tuple[str, ...]] = LruFunction(
            lambda leaf: tuple(self._conditions.notices(leaf))
        )
        self._filter_notices: LruFunction[tuple[Filter, str], tuple[str, ...]] = LruFunction(
            lambda of: tuple(self._matchers(of[1]).notices(of[0]))
        )

    @cached_property
    def fields(self) -> Fields:
        """The fields of the index."""
        index = self._index
        return Fields(
            index.profile.fields, index.live, lambda: index.common_ids.ids,
            of_elements=index.profile.element_fields,
            languages=lambda: (index.languages, *index.language_runs()),
        )  # fmt: skip

    def _matcher(self, accents: str) -> FilterMatcher:
        from trix.indexer.fields.matching import FilterMatcher

        return FilterMatcher(self.fields, self._index.analyzer, len(self._index), self._index.accents(accents))

    def _checked(self, filter_and_accents: tuple[Filter, str]) -> Mask:
        where, accents = filter_and_accents
        matcher = self._matchers(accents)
        matcher.check(where)
        return matcher.documents_of(where)

    @cached_property
    def places(self) -> frozenset[str]:
        """Milestones of the profile that filters can name, unless a field has the same name."""
        return frozenset(self._index.profile.milestones).difference(self.fields)

    @cached_property
    def _conditions(self) -> PlaceConditions:
        from trix.indexer.fields.places import PlaceConditions

        return PlaceConditions(self._index)

    def by_elements(self, options: Options) -> bool:
        """Whether the facets count, or the filter uses, fields of elements or places."""
        filters = {*filtered(options)}
        counted = {FacetAsked.of(each).name for each in options.facet}
        return not (filters | counted).isdisjoint(self.fields.of_elements) or not filters.isdisjoint(self.places)

    def _of_documents(self, where: Filter) -> Filter | None:
        """Reduce a filter to its conditions on documents, see `trix.indexer.fields.places.without_places`."""
        if not self.places:
            return where
        from trix.indexer.fields.filter_tree import Filter
        from trix.indexer.fields.places import without_places

        kept = without_places(where.condition, self.places)
        return None if kept is None else Filter(kept, where.text)

    def notices(self, options: Options) -> tuple[str, ...]:
        """Check the fields that options use; return notices, one line each.

        Raises
        ------
        QueryError, UsageError
            There is no such field, or a value does not have its type.
        """
        facets = [FacetAsked.of(each) for each in options.facet]
        for each in facets:
            self._named("facet", each.name)
            if [other.name for other in facets].count(each.name) > 1:
                raise UsageError(f"the field {each.name} is named twice", field="facet", got=",".join(options.facet))
            if each.words and not self._index.analyzer.words(each.words):
                raise UsageError(f"expected a word after {each.name}~", field="facet", got=f"{each.name}~{each.words}")
        for key in options.sort:
            if key.name != "score":
                self._named("sort", key.name)
            elif options.strategy in GROUPED:
                raise UsageError(
                    f"the strategy {options.strategy} keeps documents together; sort by fields alone",
                    field="sort", got=key,
                )  # fmt: skip
        if options.where is None:
            return ()
        return tuple(chain.from_iterable(self._checked_leaves(options.where, options.accents)))

    def _checked_leaves(self, where: Filter, accents: str) -> Iterator[tuple[str, ...]]:
        """Check the conditions of a filter, and yield the notices on each."""
        from trix.indexer.fields.filter_tree import Filter, leaves

        # Names first, so that an unknown field is refused before any value is looked at.
        for leaf in leaves(where.condition):
            if leaf.name not in self.fields and leaf.name not in self.places:
                self._refuse(leaf, where)
        if self.places.isdisjoint(each.name for each in leaves(where.condition)):
            self._matchers(accents).check(where)
            yield self._filter_notices((where, accents))
            return
        for leaf in leaves(where.condition):
            alone = Filter(leaf, where.text)
            if leaf.name in self.places:
                self._conditions.check(leaf, where)
                yield self._absent(leaf)
            else:
                self._matchers(accents).check(alone)
                yield self._filter_notices((alone, accents))

    def _refuse(self, leaf: Leaf, where: Filter) -> None:
        """Raise the error of a name that may be meant for a place, where there are none that are called so."""
        from trix.indexer.fields.matching import known

        if self.places:
            there = f"nor a place{did_you_mean(leaf.name, self.places)}; places are {', '.join(sorted(self.places))}"
        elif leaf.name in USUAL_PLACES:
            there = "and there are no places, since the profile of the index has no [milestones]"
        else:
            return
        raise QueryError(
            f"there is no field {leaf.name}, {there}; {known(self.fields)}", where.text, leaf.column, what="where"
        )

    def _named(self, option: str, name: str) -> None:
        if name not in self.fields:
            from trix.indexer.fields.matching import known

            raise UsageError(
                f"there is no such field{did_you_mean(name, self.fields)}; {known(self.fields)}", field=option, got=name
            )

    def chosen(self, options: Options) -> Callable[[int], dict[str, list[Any]]] | None:
        """Return a function from a document to its values that match the filter; None without a filter.

        It covers multi-valued fields only.
        """
        # Conditions on places are left out: they say nothing about values.
        where = None if options.where is None else self._of_documents(options.where)
        if where is None:
            return None
        values = cache(partial(self._matchers(options.accents).chosen, where))  # when a result is looked at

        def chosen(document: int) -> dict[str, list[Any]]:
            own_values: dict[str, Any] = {**self.fields.of(document, values())}
            found = {name: [each for each in own if each in values()[name]] for name, own in own_values.items()}
            return {name: own for name, own in found.items() if own}

        return chosen

    def documents(self, where: Filter, accents: str) -> Mask:
        """Return the documents with elements that may pass a filter; `accents` says whether accents count.

        Raises
        ------
        QueryError
            There is no such field.
        """
        of_documents = self._of_documents(where)
        return np.ones(len(self._index), bool) if of_documents is None else self._masks((of_documents, accents))

    def holds(self, where: Filter, accents: str, elements: Ints) -> Mask:
        """Return which of some elements pass a filter; errors are those of `documents`."""
        return self._holds(where.condition, accents, elements)

    def _holds(self, condition: Condition, accents: str, elements: Ints) -> Mask:
        from trix.indexer.fields import places
        from trix.indexer.fields.filter_tree import Filter, FilterAll, FilterAny, FilterNot

        # A condition without places is answered whole, from cached masks or runs of elements.
        if not places.names_place(condition, self.places):
            part_filter = Filter(condition)
            if self._matchers(accents).by_elements(part_filter):
                return self._stretches((part_filter, accents)).holds(elements)
            return self._masks((part_filter, accents))[self._index.documents_of(elements)]
        # Else part by part, so that only places are evaluated element by element.
        if isinstance(condition, FilterNot):
            return ~self._holds(condition.part, accents, elements)
        if isinstance(condition, FilterAll | FilterAny):
            parts = [self._holds(part, accents, elements) for part in condition.parts]
            return places.joined_masks(condition, parts)
        return self._conditions.holds(condition, elements)

    def of(self, scored: CandidateScores) -> CandidateScores:
        """Exclude candidates in documents that the options filter out. Call it once."""
        where = scored.options.where
        if where is None:
            return scored
        candidates = scored.candidates
        if self.by_elements(scored.options):
            inside = self.holds(where, scored.options.accents, candidates.element)
        else:
            roots = np.flatnonzero(candidates.parent < 0)
            wanted = self.documents(where, scored.options.accents)[self._index.documents_of(candidates.element[roots])]
            # A verdict a document, repeated for its candidates, which follow each other.
            inside = np.repeat(wanted, np.diff(roots, append=len(candidates)))
        # The filter leaves the options, so that later steps do not apply it again.
        returned = inside if scored.returned is None else inside & scored.returned
        return replace(
            scored, returned=returned, restricted=inside, options=replace(scored.options, where=None)
        )  # fmt: skip

    def elements(self, elements: Ints, options: Options) -> Ints:
        """Return the elements that pass the filter of the options."""
        if options.where is None:
            return elements
        return elements[self.holds(options.where, options.accents, elements)]

    def facets(self, scored: CandidateScores) -> Facets:
        """Count the facets of an answer before its filter is applied.

        For each field, the filter's own conditions on that field are ignored, so that alternatives stay visible.
        """
        options, candidates = scored.options, scored.candidates
        if not options.facet:
            return {}
        roots = np.flatnonzero(candidates.parent < 0)
        # Before the filter: a facet has to show alternatives to the chosen value.
        matching = scored.counted
        if self.by_elements(options):
            return self.facets_of(candidates.element if matching is None else candidates.element[matching], options)
        if matching is None:
            # All candidates match: the distance between roots counts them.
            counts = np.diff(roots, append=len(candidates))
        else:
            # Candidates of a document are neighbours, so sums between roots count them.
            counts = np.add.reduceat(matching.astype(np.int64), roots)
        return self._facets(options, self._index.documents_of(candidates.element[roots]), counts)

    def facets_of(self, elements: Ints, options: Options) -> Facets:
        """Count the facets of results without scores, before the filter."""
        if self.by_elements(options):
            return self._facets_of_elements(elements, options)
        documents, counts = np.unique(self._index.documents_of(elements), return_counts=True)
        return self._facets(options, documents, counts)

    def facets_by_document(self, counts: Ints, options: Options) -> Facets:
        """Count the facets from numbers of matching elements by document, before the filter."""
        documents = np.flatnonzero(counts)
        return self._facets(options, documents, counts[documents])

    def _facets(self, options: Options, documents: Ints, counts: Ints) -> Facets:
        found: Facets = {}
        for name, words in map(FacetAsked.of, options.facet):
            rest = options.where.without(name) if options.where else None
            # The conditions on other fields hold; only those on this field are left out.
            counted = counts > 0 if rest is None else (counts > 0) & self.documents(rest, options.accents)[documents]
            wanted = self._matchers("fold").containing(name, words) if words else None
            found[name] = Facet(self.fields[name], documents[counted], counts[counted], wanted)
        return found

    def _facets_of_elements(self, elements: Ints, options: Options) -> Facets:
        """Count facets when fields of elements are counted or filtered."""
        found: Facets = {}
        for name, words in map(FacetAsked.of, options.facet):
            rest = options.where.without(name) if options.where else None
            counted = elements if rest is None else elements[self.holds(rest, options.accents, elements)]
            column = self.fields[name]
            # A field of elements has values by element; of a field of documents each element counts for its document.
            entries = (
                column.places_of(counted) if isinstance(column, ElementColumn) else self._index.documents_of(counted)
            )
            wanted = self._matchers("fold").containing(name, words) if words else None
            found[name] = Facet(column, *np.unique(entries, return_counts=True), wanted)
        return found

    def sorted(self, keys: Sequence[SortKey], elements: Ints, scores: Floats) -> Ints:
        """Return the indices of ranked elements in the order of sort keys."""
        return sorted_places(self.fields, keys, self._index.documents_of(elements), elements, scores)
