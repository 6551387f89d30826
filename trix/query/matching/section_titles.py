"""Titles of sections as elements of the index: by tags, or by the profile's ``[titles]`` [RETRIEVAL, section 5].

A title is above everything in its section except its own ancestors and descendants. So it is recorded for each
element from its section down to its parent, with the child that leads to the title: there the title is above all
other children.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import Selector
from trix.indexer.profile.titles import ANY, TitleRule
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.query.matching import joins
from trix.query.matching.part import IndexSlice, by_part, content_ranges, parts
from trix.support.arrays import Int32s, Ints, Mask

NO_CHILD = -1
"""Placeholder for the child that leads to a title, if the title is before its section, not in it."""

_POSITION = re.compile(r"\[\d+\]")


class TitlePairs(NamedTuple):
    """Titles, the elements below which each counts, and the excluded children; all three are element numbers."""

    title: Ints
    above: Ints
    child: Ints


class SectionTitles(NamedTuple):
    """The outermost titles of an index, and the elements below which each counts.

    Attributes
    ----------
    begin, end
        ``(n,)`` ascending, disjoint ranges of content elements, one a title.
    title
        ``(m,)`` index of a title, for each pair of a title and an element below which it counts.
    above
        ``(m,)`` that element.
    child
        ``(m,)`` its child that leads to the title, ascending; `NO_CHILD` if the title is a child itself.
    """

    begin: Int32s
    end: Int32s
    title: Int32s
    above: Int32s
    child: Int32s


def titles_by_tag(index: IndexFiles, tags: tuple[str, ...]) -> SectionTitles:
    """Return the outermost elements with some tags as titles of their parents. A root is no title and hides none."""
    named = by_part(index, lambda part: joins.named(part, tags))
    table = index.elements
    table.structure_of_elements(named)
    # A root has nothing above it for which it could be a title.
    named = named[table.parent[named] >= 0]
    return _outermost(index, TitlePairs(named, table.parent[named], named))


def titles_by_profile(index: IndexFiles) -> SectionTitles:
    """Return the titles that the profile's rules give to elements, if they are in the text."""
    plan = _TitlePlan(index)
    nothing = np.zeros(0, np.int64)
    found = [TitlePairs(nothing, nothing, nothing)]
    for part in parts(index):
        for title, above, child in _PartTitles(part, plan):
            first = np.int64(part.first)
            found.append(TitlePairs(title + first, above + first, np.where(child < 0, child, child + first)))
    title, above, child = (np.concatenate(column).astype(np.int64) for column in zip(*found, strict=True))
    # The two numbers packed: a pair that two rules give counts once, with the child of the first.
    _, once = np.unique((title << 32) + above, return_index=True)  # an element may have a title of what it is in
    return _outermost(index, TitlePairs(title[once], above[once], child[once]))


def _outermost(index: IndexFiles, pairs: TitlePairs) -> SectionTitles:
    """Return the titles outside all other titles."""
    titles = distinct(pairs.title)
    table = index.elements
    table.structure_of_elements(titles)
    if titles.size:  # an element in a title begins before the title's last descendant has ended
        kept = np.ones(titles.size, np.bool_)
        kept[1:] = titles[1:] >= np.maximum.accumulate(joins.ends(table, titles))[:-1]
        titles = titles[kept]
    begin, end, _ = content_ranges(index, titles)
    outer = joins.member(pairs.title, titles)
    title, above, child = (each[outer].astype(np.int32) for each in pairs)
    # By child, as readers look pairs up by it.
    order = np.argsort(child, kind="stable")
    place = np.searchsorted(titles, title).astype(np.int32)
    return SectionTitles(begin, end, place[order], above[order], child[order])


class _TitleRule(NamedTuple):
    """A rule for elements of a tag, without forms that are not all text."""

    namespace: str | None
    forms: tuple[tuple[str, ...], ...]
    before: str
    is_for_all: bool
    """Whether the index can test all conditions."""


class _TitlePlan:
    """Paths that the title rules of a profile look for in an index.

    Parameters
    ----------
    index
        The index, whose profile has the rules.
    """

    def __init__(self, index: IndexFiles) -> None:
        profile, steps, self.namespaces = index.profile, index.steps, index.namespaces
        self.names = [tuple(_POSITION.sub("", step).split("/")) for step in steps]
        rules = profile.titles or (ANY,)
        groups: dict[tuple[TitleRule, ...], int] = {}
        self.group = np.array(
            [groups.setdefault(_fitting(profile, rules, names[-1]), len(groups)) for names in self.names]
        )
        self.entries = [[_entry(rule) for rule in fitting] for fitting in groups]
        self._suffixes: dict[tuple[str, ...], Ints] = {}

    @cached_property
    def paths(self) -> list[tuple[str, ...]]:
        """The parts of all forms, as names from the section down."""
        forms = (form for entries in self.entries for entry in entries for form in entry.forms)
        return [*dict.fromkeys(tuple(part.split("/")) for form in forms for part in form)]

    def fits(self, path: tuple[str, ...]) -> Ints:
        """Return, for each path step, the number of names at the end of a path that it matches in full."""
        if path not in self._suffixes:
            self._suffixes[path] = np.array([len(names) if path[-len(names) :] == names else 0 for names in self.names])
        return self._suffixes[path]


def _fitting(profile: Profile, rules: Sequence[TitleRule], tag: str) -> tuple[TitleRule, ...]:
    """Return the rules for a tag: its own, else those of its alias, else those for all tags."""
    if tag.startswith("@") or tag.endswith(")"):
        return ()
    for name in profile.aliases(tag):
        if fitting := tuple(rule for rule in rules if rule.selector.tag == name):
            return fitting
    return tuple(rule for rule in rules if rule.selector.tag == "*")


def _entry(rule: TitleRule) -> _TitleRule:
    selector = rule.selector
    forms = tuple(form for form in rule.forms if not any(part.startswith("'") or "@" in part for part in form))
    return _TitleRule(selector.namespace, forms, rule.before, selector == Selector(selector.tag, selector.namespace))


class _PartTitles:
    """The titles of a slice of an index.

    Parameters
    ----------
    part
        The slice.
    plan
        The title paths.
    """

    def __init__(self, part: IndexSlice, plan: _TitlePlan) -> None:
        self._part, self._plan, self._table = part, plan, part.elements
        joins.everything(part)
        self._steps = part.elements.column("step").astype(np.int64)
        self._firsts: Mapping[tuple[str, ...], tuple[Ints, Ints]] = {path: self._first(path) for path in plan.paths}

    def __iter__(self) -> Iterator[TitlePairs]:
        """Yield titles with the elements below which they count."""
        groups = self._plan.group[self._steps]
        for number, entries in enumerate(self._plan.entries):
            # Rules in order: an element takes the first form that it has in full, and leaves `left`.
            left: Mask = groups == number  # without a title yet
            before = left.copy()
            for entry in entries:
                here = self._in_namespace(entry.namespace)
                if entry.before:
                    yield self._headings_before(np.flatnonzero(before & here), entry.before)
                    before &= ~here
                for form in entry.forms:
                    yield from self._of_form(form, left, here)
                if entry.is_for_all:
                    left &= ~here
                    before &= ~here

    def _in_namespace(self, namespace: str | None) -> Mask:
        """Return which elements are in a namespace: None for any, empty for one that no declared prefix has."""
        inside = np.zeros(self._steps.size, np.bool_)
        if namespace is not None:
            for each in (namespace,) if namespace else self._plan.namespaces:
                inside[joins.numbers(self._part.in_namespace(each))] = True
        return inside if namespace else ~inside

    def _of_form(self, form: tuple[str, ...], left: Mask, here: Mask) -> Iterator[TitlePairs]:
        """Yield the titles by a form of the elements that have all its parts, and remove these from `left`."""
        found = [self._firsts[tuple(part.split("/"))] for part in form]
        having = left & here
        for owners, _ in found:
            there = np.zeros(left.size, np.bool_)
            there[owners] = True
            having &= there
        left &= ~having
        for owners, titles in found:
            chosen = having[owners]
            yield from self._on_the_way(owners[chosen], titles[chosen])

    def _on_the_way(self, owners: Ints, titles: Ints) -> Iterator[TitlePairs]:
        """Yield titles with each element from their section to their parent."""
        # One level for all titles at once; those that have reached their section drop out.
        child = titles
        while titles.size:
            above = self._table.parent[child]
            yield TitlePairs(titles, above, child)
            on = above > owners
            owners, titles, child = owners[on], titles[on], above[on]

    def _first(self, path: tuple[str, ...]) -> tuple[Ints, Ints]:
        """Return the ascending elements from which a path leads to others, and the first target of each."""
        parent = self._table.parent
        titles = joins.numbers(self._part.tagged(path[-1])).astype(np.int64)
        # Walk up from the last tag: a path step may stand for several names, as it covers unwrapped elements. `rest` is
        # the number of names still to match, `at` -1 once a step does not fit.
        at, rest = titles, np.full(titles.size, len(path))
        for length in range(len(path), 0, -1):
            fits = self._plan.fits(path[:length])
            here = (rest == length) & (at >= 0)
            had = np.where(here, fits[self._steps[at]], 0)
            at = np.where(had > 0, parent[at], np.where(here, -1, at))
            rest = rest - had
        found = (at >= 0) & (rest == 0)
        owners, first = np.unique(at[found], return_index=True)
        return owners, titles[found][first]

    def _headings_before(self, sections: Ints, tag: str) -> TitlePairs:
        """Return the last preceding siblings with a tag of some elements."""
        parent = self._table.parent.astype(np.int64)
        headings = joins.numbers(self._part.tagged(tag)).astype(np.int64)
        headings = headings[parent[headings] >= 0]
        # Siblings as one sorted row of (parent, element) pairs: the heading before a section is the pair before it.
        rows = np.sort((parent[headings] << 32) + headings)
        place = np.searchsorted(rows, (parent[sections] << 32) + sections) - 1
        chosen = place >= 0
        chosen[chosen] = rows[place[chosen]] >> 32 == parent[sections][chosen]
        titles = rows[place[chosen]] & ((1 << 32) - 1)
        return TitlePairs(titles, sections[chosen], np.full(titles.size, NO_CHILD))
