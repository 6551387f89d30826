"""Reader of milestones, run after each document."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from trix.indexer.document.reader import DocumentReader
from trix.indexer.document.record import text_mask, white_space
from trix.indexer.document.tree import LazyTree
from trix.indexer.places.rows import DocumentMilestones
from trix.indexer.profile.milestones import MilestoneRule, chain_of
from trix.indexer.profile.profile import Profile
from trix.indexer.profile.selector import split_qname
from trix.indexer.words.interner import Text

_OfTag = tuple[int, MilestoneRule]
"""Index of a milestone name in the profile, and its rule for elements of one tag."""


class MilestoneReader:
    """Finds the milestones of documents.

    Parameters
    ----------
    profile
        Profile with the rules of milestones.
    """

    def __init__(self, profile: Profile) -> None:
        rules = profile.milestones
        order = sorted(
            rules, key=lambda name: len(chain_of(rules, name))
        )  # an element may start several places: outer ones first
        self._rules = [([*rules].index(name), rules[name]) for name in order]
        self._ending = any(rule.end for rule in rules.values())
        selectors = [at.selector for rule in rules.values() for at in rule.at]
        selectors += [selector for rule in rules.values() for selector in rule.end]
        self._names = {selector.tag for selector in selectors}
        self._numbered = {at.selector.tag for rule in rules.values() for at in rule.at}
        self._of_tag: dict[str, list[_OfTag]] = {}

    def read(self, tree: LazyTree, reader: DocumentReader, text: Text) -> DocumentMilestones:
        """Find the milestones of a document.

        Parameters
        ----------
        tree
            Tree of the document.
        reader
            Reader that has just read it.
        text
            Its annotated text.
        """
        names = reader.names()
        if not self._rules or (names is not None and "*" not in self._numbered and not self._numbered & names):
            return DocumentMilestones()
        return self._placed(self._found(tree.element), tree.element, reader, text)

    def _found(self, root: Any) -> list[tuple[int, str, Any, bool]]:
        """Return (name, number, element, is end) of each milestone, and of each end at its element's end tag.

        All places end with the document.
        """
        found: list[tuple[int, str, Any, bool]] = []
        last = {number: "" for number, _ in self._rules}
        begun = dict.fromkeys(last, 0)
        open_: dict[int, list[int]] = {
            name: [] for name in last
        }  # per open ending element: number of places started before it
        tags = None if "*" in self._names else [f"{{*}}{name}" for name in sorted(self._names)]
        for event, element in etree.iterwalk(root, events=("start", "end") if self._ending else ("start",), tag=tags):
            for name, rule in self._of_tag.get(element.tag) or self._fitting(element.tag):
                ends = bool(rule.end) and rule.ends(element, root)
                if event == "end":
                    # An ending element ends the place at its end tag too, if one started inside.
                    if ends and begun[name] > open_[name].pop() and last[name]:
                        found.append((name, "", element, True))
                        last[name] = ""
                    continue
                if ends:
                    open_[name].append(begun[name])
                number = rule.number(element, root) if rule.at else None
                if number or ((ends or number is not None) and last[name]):
                    found.append((name, number or "", element, False))
                    begun[name] += bool(number)
                    last[name] = number or ""
        found += [(name, "", root, True) for name, number in last.items() if number]
        return found

    def _fitting(self, tag: str) -> list[_OfTag]:
        """Return the rules that apply to elements of a tag; cached."""
        own = [(name, rule.of_tag(*split_qname(tag))) for name, rule in self._rules]
        self._of_tag[tag] = kept = [(name, rule) for name, rule in own if rule.at or rule.end]
        return kept

    def _placed(
        self, found: list[tuple[int, str, Any, bool]], root: Any, reader: DocumentReader, text: Text
    ) -> DocumentMilestones:
        if not found:
            return DocumentMilestones()
        begins, ends = reader.extents(root, [element for _, _, element, _ in found])
        at = np.where([of_end for _, _, _, of_end in found], ends, begins)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4") if isinstance(text, str) else text
        codes = codes[text_mask(codes)]
        space = white_space()
        # A milestone between words belongs to neither: record the end of the text before and the start of the text
        # after it.
        solid = np.flatnonzero(~space[np.minimum(codes, space.size - 1)])
        following = np.searchsorted(solid, at)
        before = np.append(0, solid + 1)[following]
        after = np.append(solid, codes.size)[following]
        return DocumentMilestones(
            np.array([name for name, _, _, _ in found], np.int64), [number for _, number, _, _ in found], before, after
        )
