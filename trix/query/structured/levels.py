"""Granularity levels: sets of disjoint elements that cover the text [RETRIEVAL, section 8].

``content`` are the content elements, ``document`` the roots. ``minor:sec+ss1`` are the lowermost elements of a tag
set, ``major:sec+ss1`` the uppermost ones. Both include the *leftovers* that complete the text: the uppermost
elements outside all members that neither are nor contain an element of the tag set. Other levels are path
expressions, of which the outermost elements count.

A level is computed once for an open index, for the whole collection, by structural joins. It is computed slice by
slice, so that only the part of the element table that queries touch stays in memory.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from trix.core.match import places_of
from trix.errors import did_you_mean
from trix.indexer.store.elements import distinct
from trix.indexer.store.files import IndexFiles
from trix.query.context.form import Ordinals, SiblingRows, Sides
from trix.query.language.levels import Definition, parse_level
from trix.query.matching import joins
from trix.query.matching.candidates import Candidates
from trix.query.matching.part import by_part, content_ranges, parts
from trix.query.matching.section_titles import SectionTitles, titles_by_profile, titles_by_tag
from trix.query.naming.names import Namer
from trix.query.structured.members import LevelFacts, examined, members
from trix.support.arrays import Int32s, Int64s, Mask
from trix.support.lru_cache import LruFunction

if TYPE_CHECKING:
    from trix.query.language.path_tree import Path, PathStep
    from trix.query.structured.path_walk import StepWalker

_NAME = re.compile(r"//[^\W\d][\w.:-]*")
"""A level of all elements with one tag."""


class Level:
    """A granularity level of an index.

    Parameters
    ----------
    index
        The index.
    name
        The level as the user wrote it, for messages.
    definition
        Its definition.

    Attributes
    ----------
    members : (m,) ndarray of int32
        Element numbers, ascending.
    leftovers : int
        Number of members that are leftovers.
    inside_others : int
        Number of selected elements that are left out because they lie inside others; see `outermost`.
    """

    def __init__(self, index: IndexFiles, name: str, definition: Definition) -> None:
        self.index, self.name, self.definition = index, name, definition
        self.inside_others = 0

    @cached_property
    def _found(self) -> LevelFacts:
        index, definition = self.index, self.definition
        if definition.kind == "document":
            first = np.unique(index.first_elements)  # a document without text begins where the next one does
            return LevelFacts(first[first < index.totals["elements"]].astype(np.int32))
        if definition.kind == "content":
            return LevelFacts(by_part(index, lambda part: members(part, definition)[0]))
        nothing = np.zeros(0, np.int32)
        found = [LevelFacts(nothing, 0, nothing, 0, 0)]
        # Facts add up over slices, since members and overlaps never cross a document.
        for part in parts(index):
            of = examined(part, definition)
            first_ = np.int32(part.first)
            found.append(of._replace(members=of.members + first_, overlapping=of.overlapping + first_))
        own, left, overlapping, covered, characters = zip(*found, strict=True)
        return LevelFacts(np.concatenate(own), sum(left), np.concatenate(overlapping), sum(covered), sum(characters))

    @property
    def members(self) -> Int32s:
        """Element numbers of the members, ascending, ``(m,)``."""
        return self._found.members

    @property
    def leftovers(self) -> int:
        """Number of members that are leftovers of a tag set."""
        return self._found.leftovers

    @cached_property
    def _is_member(self) -> Mask:
        # A flag an element: look-ups by number, for queries that test many candidates.
        is_member = np.zeros(self.index.totals["elements"], np.bool_)
        is_member[self.members] = True
        return is_member

    def among(self, candidates: Candidates) -> Mask:
        """Return which candidates are members, ``(n,)``."""
        if self.definition.kind == "content":
            return candidates.content
        if self.definition.kind == "document":
            return np.asarray(candidates.depth == 0)
        return self._is_member[candidates.element]

    def holds(self, elements: Int32s) -> Mask:
        """Return which of some elements, whose structure is ready, are members, ``(n,)``."""
        if self.definition.kind == "content":
            return np.asarray(self.index.elements.is_content[elements], np.bool_)
        if self.definition.kind == "document":
            return np.asarray(self.index.elements.parent[elements] < 0)
        return self._is_member[elements]

    def ordinals(self, candidates: Candidates, places: NDArray[np.intp]) -> Ordinals:
        """Return the ordinals of members at ``(k,)`` places, among all members of the level in document order."""
        roots = candidates.element[candidates.root[places]]
        ends = joins.ends(self.index.elements, roots)
        # Members ascend: the place of a number among them is its ordinal, also for the ends of the document.
        ordinal, first, last = (
            np.searchsorted(self.members, numbers).astype(np.int32)
            for numbers in (candidates.element[places], roots, ends)
        )
        return Ordinals(ordinal, first, last - np.int32(1))

    def sides(self, candidates: Candidates, places: NDArray[np.intp]) -> Sides:
        """Return the ranges of ordinals of the members before and after some candidates in their documents.

        The members must be disjoint. ``places`` are indices of the candidates.
        """
        table, own, root = self.index.elements, candidates.element[places], candidates.root[places]
        new = np.diff(root, prepend=-1) != 0  # candidates of a document follow each other
        roots = candidates.element[root[new]]
        first, last = (places_of(self.members, each)[np.cumsum(new) - 1] for each in (roots, joins.ends(table, roots)))
        before = places_of(self.members, own)
        if self.members.size and np.array_equal(self.members[np.minimum(before, self.members.size - 1)], own):
            return Sides(first, before, before + np.int32(1), last)  # all of them are members, which lie apart
        before = places_of(self._ended, own + np.int32(1))
        return Sides(first, before, places_of(self.members, joins.ends(table, own)), last)

    @cached_property
    def _ended(self) -> Int32s:
        """One more than the number of each member's last descendant."""
        self.index.elements.structure_of_elements(self.members)
        return joins.ends(self.index.elements, self.members)

    # -- quality ----------------------------------------------------------------------------------------------------

    @property
    def overlapping(self) -> Int32s:
        """The members inside other members."""
        return self._found.overlapping

    @property
    def coverage(self) -> float:
        """Share of the characters of content elements that lie inside members; 1 without text."""
        return self._found.covered / self._found.characters if self._found.characters else 1.0

    @cached_property
    def outermost(self) -> Level:
        """The level of the members outside all others: it keeps all text, and its members are disjoint."""
        if self.definition.kind in ("document", "content") or not self.overlapping.size:
            return self  # the first without a look: elements without elements, or roots, are apart
        apart = Level(self.index, self.name, self.definition)
        # Overlapping members lie inside others, so the rest are the outermost ones.
        members = np.setdiff1d(self.members, self.overlapping, assume_unique=True)
        apart._found = self._found._replace(members=members, overlapping=self.overlapping[:0])
        apart.inside_others = int(self.overlapping.size)
        return apart

    def _example(self) -> tuple[str, str]:
        """Return the names of the first member inside another, and of that other member."""
        inner = int(self.overlapping[0])
        outer = int(self.members[np.searchsorted(self.members, inner) - 1])  # of its ancestors the one just before
        pair = np.array([inner, outer], np.int32)
        documents = self.index.documents_of(pair)
        paths = Namer(self.index).names(pair, documents)[1]
        return f"{self.index.ids[int(documents[0])]}{paths[0]}", paths[1]

    def notices(self) -> tuple[str, ...]:
        """Return notices on the level, one line each."""
        names = self.definition.names()
        aliases = bool(self.definition.tags)
        if names and not any(joins.passing(self.index, name, aliases=aliases) for name in names):
            hint = did_you_mean(joins.parted(names[0])[1], self.index.tags)
            what = f"no element has the tag {names[0]}" if len(names) == 1 else "no element has any of its tags"
            return (f"level {self.name}: {what}{hint}",)
        if not self.members.size:
            return (f"level {self.name}: no element of the index is a member",)
        lines = self.overlap_notices()
        if self.coverage < 1.0:
            percent = f"{int(self.coverage * 1000) / 10:.1f}"  # never rounded up to 100
            lines = (
                *lines,
                f"level {self.name}: it covers {percent} % of the text; what is outside is not found at it",
            )
        return lines

    def overlap_notices(self) -> tuple[str, ...]:
        """Return the notice on nested elements that were left out."""
        if not self.inside_others:
            return ()
        every = self.members.size + self.inside_others
        name = _NAME.fullmatch(self.name)
        innermost = f"; {name.group()}[not(.{name.group()})] takes the innermost" if name else ""
        inside = f"{self.inside_others:,} of its {every:,} elements lie inside others"
        return (f"level {self.name}: {inside}; the outermost count{innermost}",)

    def report(self) -> dict[str, Any]:
        """Return members, tags, coverage, overlap and mean sizes."""
        found = self.members
        tags = self.index.step_tags
        by_tag: dict[str, int] = {}
        characters = contents = 0
        # Block by block, dropped before the next: sizes need columns that searches do not.
        for block, elements, places in self.index.elements.parts_of(found):
            elements.everything()
            own = found[places] - block.element
            characters += int(elements.length[own].sum(dtype=np.int64))
            contents += int(elements.contents[own].sum(dtype=np.int64))
            steps, counts = np.unique(elements.step[own], return_counts=True)
            for step, count in zip(steps.tolist(), counts.tolist(), strict=True):
                by_tag[tags[step]] = by_tag.get(tags[step], 0) + count
        size = max(found.size, 1)
        report: dict[str, Any] = {
            "level": self.name,
            "definition": str(self.definition),
            "members": int(found.size),
            "leftovers": self.leftovers,
            "documents": int(np.unique(self.index.documents_of(found)).size),
            "coverage": self.coverage,
            "overlap": int(self.overlapping.size),
        }
        if self.overlapping.size:
            report["overlap_example"] = " inside ".join(self._example())
            report["outermost"] = int(found.size - self.overlapping.size)
        return report | {
            "mean_characters": characters / size,
            "mean_content_elements": contents / size,
            "tags": dict(sorted(by_tag.items(), key=lambda item: (-item[1], item[0]))),
        }


class Levels:
    """The levels and paths of one open index, with an LRU cache."""

    def __init__(self, index: IndexFiles) -> None:
        self.index = index
        self._level = LruFunction(self._make)
        self._selected: LruFunction[Path, Int32s] = LruFunction(self._select)
        self._linked = LruFunction(self._links)

    def _select(self, path: Path) -> Int32s:
        from trix.query.structured.paths import evaluate

        return by_part(self.index, lambda part: evaluate(part, path))

    @cached_property
    def _steps(self) -> StepWalker:
        from trix.query.structured.path_walk import StepWalker

        return StepWalker(self.index)

    def level(self, text: str) -> Level:
        """Return a level by its text.

        Raises
        ------
        UsageError
            There is no such level.
        """
        return self._level(text)

    def _make(self, text: str) -> Level:
        return Level(self.index, " ".join(text.split()), parse_level(text, self.index.profile.levels))

    def apart(self, text: str) -> Level:
        """Return a level with disjoint members: of nested ones the outermost.

        Raises
        ------
        UsageError
            There is no such level.
        """
        return self.level(text).outermost

    def at_level(self, text: str) -> Int32s:
        """Return the ascending members of a level; of nested ones the outermost."""
        return self.apart(text).members

    def selected(self, path: Path) -> Int32s:
        """Return the elements that a path selects, ascending."""
        return self._selected(path)

    def linked(self, direction: str) -> tuple[Int32s, Int32s]:
        """Return all links as two arrays: sources, ascending, and targets (``out``), or the reverse (``in``)."""
        return self._linked(direction)

    def _links(self, direction: str) -> tuple[Int32s, Int32s]:
        sources, targets = self.index.links
        if direction == "out":
            return sources, targets
        order = np.argsort(targets, kind="stable")
        return targets[order], sources[order]

    def extent(self, of: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the first element number of each element's document, and one more than the last."""
        return joins.document_ranges(self.index, self.index.documents_of(of))

    def siblings(self, candidates: Candidates, places: NDArray[np.intp]) -> SiblingRows:
        """Return the positions of candidates among the indexed children of their parents; see `Surroundings`."""
        children, parents = joins.children(self.index, distinct(candidates.element[candidates.parent[places]]))
        above = candidates.element[candidates.parent[places]]
        # Children are sorted by parent, so those of a parent are a range.
        first = np.searchsorted(parents, above, side="left").astype(np.int32)
        last = np.searchsorted(parents, above, side="right").astype(np.int32)
        own = joins.paired(parents, children), joins.paired(above, candidates.element[places])
        return SiblingRows(np.searchsorted(*own).astype(np.int32), first, last)

    def reached(self, way: tuple[PathStep, ...], of: Int32s) -> tuple[Int64s, Int32s]:
        """Return the elements to which steps lead from some elements; see `StepWalker.walk`."""
        return self._steps.walk(way, of)

    def documents(self, elements: Int32s) -> NDArray[np.intp]:
        """Return the document number of each element, from 0."""
        return self.index.documents_of(elements)

    def ends(self, candidates: Candidates) -> Int32s:
        """Return one more than the number of each candidate's last descendant, ``(n,)``."""
        last: Int32s = self.index.elements.of_content[candidates.end - 1]  # it has no indexed descendants
        return last + np.int32(1)

    def contents(self, of: Int32s) -> tuple[Int32s, Int32s]:
        """Return the ranges of content elements of some elements."""
        found = content_ranges(self.index, of)
        return found.begin, found.end

    def titles(self, tags: tuple[str, ...]) -> SectionTitles:
        """Return the titles of sections: elements with given tags, or those of the profile without tags."""
        return titles_by_tag(self.index, tags) if tags else titles_by_profile(self.index)
