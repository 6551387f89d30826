"""Evaluation of structured queries, in the four steps of [V, section 2].

The query of the target's words is scored like any other. This module adds the mask of elements that satisfy the
target's own condition and have a chain of ancestors that satisfies the support. All steps work on whole sets. An
about() is the set of content elements of its words, *containing* is a range with one of them, and an axis is a
structural join (`matching.joins`). Sets shrink as early as possible: first by the target's words, then by its name
and condition, and of the support only what has such a target below it.

Cost: a few binary searches for each element that matches a node test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import cast

import numpy as np

from trix.indexer.store.files import IndexFiles
from trix.query.language.nexi_tree import About, Compare, Condition, NexiPath, NexiStep, NodeTest
from trix.query.language.terms import And, Not, Or, Query, Term
from trix.query.language.terms import Condition as Demanded
from trix.query.matching import joins
from trix.query.matching.matching import elements_of, term_list
from trix.query.matching.part import by_part
from trix.query.scoring.many import holding_all
from trix.query.structured.inside_content import InsideContent, Places
from trix.query.structured.prepare import StructuredQuery
from trix.query.structured.value_conditions import Occurrence, holds_for, literal
from trix.support.arrays import Int32s, Mask
from trix.support.deadline import check


def unweighed(
    index: IndexFiles, query: StructuredQuery, phrases: str = "content", match: str = "any", signs: str = "weights"
) -> Int32s:
    """Return the ascending elements that answer a query without any scored about().

    If it has only names and axes, the index is evaluated slice by slice.
    """
    if any(step.condition is not None for step in query.steps):
        return Evaluation(index, query.words, phrases, match, signs).answers(query.steps, None)
    # Names and axes are all that a part knows of; conditions would ask it for postings and values.
    return by_part(index, lambda part: Evaluation(cast(IndexFiles, part), query.words).answers(query.steps, None))


class Evaluation:
    """Evaluation of the conditions of one query over one index; elements that hold its words are looked up once.

    Parameters
    ----------
    index
        The searched index.
    words
        The query of each about().
    phrases, match, signs
        As in the options of a search.
    """

    def __init__(
        self,
        index: IndexFiles,
        words: Mapping[About, Query],
        phrases: str = "content",
        match: str = "any",
        signs: str = "weights",
    ) -> None:
        self.index, self.words, self.phrases, self.match, self.signs = index, words, phrases, match, signs
        self._content_numbers: dict[Query, Int32s] = {}
        self._holding: dict[Query, Int32s] = {}

    @cached_property
    def _beside(self) -> InsideContent:
        """Attributes and compared elements, which only conditions use."""
        return InsideContent(self.index)

    # -- steps ------------------------------------------------------------------------------------------------------

    def answers(self, steps: tuple[NexiStep, ...], among: Int32s | None) -> Int32s:
        """Return the elements that satisfy the steps.

        Parameters
        ----------
        among
            Sorted candidates; None for all elements of the collection.
        """
        # Cheapest tests first: name, axis, condition of the target; only then the support above those that are left.
        target = steps[-1]
        found = self._passing(target.test, among)
        found = self._on_axis(target, found, steps[:-1])
        found = found[self.holds(found, target.condition)]
        return self._supported(found, steps) if found.size else found

    def _passing(self, test: NodeTest, among: Int32s | None) -> Int32s:
        names = test.names
        if among is None:
            return joins.named(self.index, names)
        if joins.ANY in names:
            return among
        return among[joins.member(among, joins.named(self.index, names))]

    def _on_axis(self, first: NexiStep, of: Int32s, before: tuple[NexiStep, ...]) -> Int32s:
        """Keep only roots if the first step of the query is a child step."""
        if before or first.test.axis == "//":
            return of
        roots: Int32s = of[self.index.elements.parent[of] < 0]
        return roots

    def _supported(self, targets: Int32s, steps: tuple[NexiStep, ...]) -> Int32s:
        """Keep the targets with a chain of ancestors that satisfies all steps before the last."""
        # From the outermost step down: `above` are the elements that satisfy the steps so far. Only ancestors of
        # targets are examined.
        table = self.index.elements
        above: Int32s | None = None
        for place, step in enumerate(steps):
            if place == len(steps) - 1:
                found = targets
            else:
                found = self._passing(step.test, joins.ancestors(table, targets))
            if above is None:
                found = self._on_axis(step, found, steps[:place])
            else:
                join = joins.has_parent if step.test.axis == "/" else joins.has_ancestor
                found = found[join(table, found, above)]
            above = found if place == len(steps) - 1 else found[self.holds(found, step.condition)]
        return targets if above is None else above

    # -- conditions -------------------------------------------------------------------------------------------------

    def holds(self, of: Int32s, condition: Condition | None) -> Mask:
        """Return which elements (sorted) satisfy a condition."""
        check()
        if condition is None:
            return np.ones(of.size, np.bool_)
        if isinstance(condition, And | Or):
            return self._together(of, condition)
        if isinstance(condition, About):
            query = self.words[condition]
            return self._reach(of, condition.path, lambda elements: self.contains(elements, query), query)
        wanted = literal(condition.value)
        return self._reach(
            of, condition.path, lambda elements: holds_for(self.index, elements, condition.operator, wanted), condition
        )

    def _together(self, of: Int32s, condition: And[Condition] | Or[Condition]) -> Mask:
        """Evaluate each part of a condition only for elements that earlier parts left undecided.

        Comparisons come last, since they read values.
        """
        all_of = isinstance(condition, And)
        result = np.full(of.size, all_of)
        for part in sorted(condition.parts, key=lambda part: isinstance(part, Compare)):
            # An element is undecided while it has the neutral value: true for and, false for or.
            open_ = np.flatnonzero(result == all_of)
            result[open_] = self.holds(of[open_], part)
        return result

    def contains(self, of: Int32s, query: Query) -> Mask:
        """Return which elements contain a term without minus of a query; if all terms have a minus, which contain none.

        With the match ``all``, all terms must occur. Boolean clauses of signs and operators must hold as well.
        """
        found = self._any_or_all(of, query)
        demanded = query.demands(self.signs)
        return found if demanded is None else found & self._satisfied(of, demanded)

    def _satisfied(self, of: Int32s, demanded: Demanded) -> Mask:
        """Return which elements satisfy a condition on terms."""
        if isinstance(demanded, Term):
            return self._any_or_all(of, Query((Term(demanded.keys),)))
        if isinstance(demanded, Not):
            return ~self._satisfied(of, demanded.condition)
        join = np.logical_and if isinstance(demanded, And) else np.logical_or
        return np.asarray(join.reduce([self._satisfied(of, part) for part in demanded.parts]))

    def _any_or_all(self, of: Int32s, query: Query) -> Mask:
        if self.match == "all" and not _only_minus(query):
            return joins.member(of, self.holding(query))
        table, holding = self.index.elements, self.content_numbers(query)
        begin = table.begin[of]
        # The element's content elements are a range: it contains the query if some holder lies in the range.
        low = np.searchsorted(holding, begin)
        found: Mask = np.searchsorted(holding, begin + table.contents[of]) > low
        return ~found if _only_minus(query) else found

    def content_numbers(self, query: Query) -> Int32s:
        """Return the content elements that hold a term without minus, or any term if all have a minus.

        Ascending, possibly with repetitions, which do not affect range tests.
        """
        if query not in self._content_numbers:
            terms = {term.keys: term for term in query.terms if term.sign != "-" or _only_minus(query)}
            lists = [term_list(self.index, term, self.phrases).content_numbers for term in terms.values()]
            together = np.concatenate([np.zeros(0, np.int32), *lists])
            self._content_numbers[query] = np.sort(together, kind="stable") if len(lists) > 1 else together
        return self._content_numbers[query]

    def holding(self, query: Query) -> Int32s:
        """Return the ascending elements that contain a query with a term without minus."""
        if query not in self._holding:
            if self.match == "all":
                lists = [term_list(self.index, Term(keys), self.phrases) for keys in query.required]
                self._holding[query] = holding_all(self.index, lists)
            else:
                self._holding[query] = elements_of(self.index, self.content_numbers(query))
            if (demanded := query.demands(self.signs)) is not None:
                found = self._holding[query]
                self._holding[query] = found[self._satisfied(found, demanded)]
        return self._holding[query]

    def _reach(self, of: Int32s, path: NexiPath, good: Callable[[Int32s], Mask], condition: Query | Compare) -> Mask:
        """Return from which elements a path leads to a good element."""
        if not path:
            return good(of)
        if not of.size:
            return np.zeros(0, np.bool_)
        table = self.index.elements
        last = path[-1]
        if joins.ANY in last.names and isinstance(condition, Query) and not _only_minus(condition):
            reached = self.holding(condition)  # these and no others contain it
        else:
            reached = joins.named(self.index, last.names)
            reached = reached[joins.has_ancestor(table, reached, of)]
            reached = reached[good(reached)]
        beside = self._beside_for(last, condition)
        # Backwards along the path: `reached` are the elements at step `place` from which the rest of the path leads to
        # a good element; `beside` are attributes and compared elements with the same property.
        for place in range(len(path) - 1, -1, -1):
            descends = path[place].axis == "//"
            if place:
                test = path[place - 1].names
                up = joins.named(self.index, test)
                if joins.ANY in test:
                    up = up[joins.has_ancestor(table, up, of)]
            else:
                up = of
            join = joins.has_descendant if descends else joins.has_child
            mask = join(table, up, reached) | self._beside.having_below(up, beside, descends)
            if not place:
                return mask
            reached = up[mask]
            beside = self._beside.around(beside, path[place - 1], descends)
        return mask

    def _beside_for(self, test: NodeTest, condition: Query | Compare) -> Places:
        """Return the attributes and compared elements that match a node test and satisfy a condition."""
        if isinstance(condition, Compare):
            return self._beside.good(test, _comparison(condition))
        exact, every = self.phrases == "exact", self.match == "all"
        return self._beside.holding(test, Occurrence(condition, exact=exact, every=every, signs=self.signs))


def _only_minus(query: Query) -> bool:
    """Whether all terms of a query have a minus, as in a query without terms."""
    return all(term.sign == "-" for term in query.terms)


def _comparison(comparison: Compare) -> Callable[[str], bool]:
    wanted = literal(comparison.value)
    return lambda text: wanted.holds(comparison.operator, text)
