"""Profiles: the meaning of a schema's tags for the index, as data [RETRIEVAL, section 2].

A profile is a TOML file: a preset (`PRESETS`) or a user's file. A missing key has the value of the profile that the
file `extends`, by default ``generic``. A given key replaces that value, and the entry ``"..."`` stands for the
inherited ones; tables are merged by name. A tag in any rule of a file keeps only the rules of that file, so that
``unwrap = ["b"]`` is not undone by an inherited ``inline``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from trix.indexer.profile.actions import ACTIONS, Action, Clue, Rule, overlay, settle
from trix.indexer.profile.fields import FieldRule, Way, ways_of
from trix.indexer.profile.selector import Selector, split_qname
from trix.indexer.profile.titles import TitleRule
from trix.indexer.profile.toml import CLUE_KEYS, FOLDER, PRESETS, checked_fields, inherited_fields, read_profile

__all__ = ["FOLDER", "PRESETS", "Action", "Clue", "Profile", "Rule", "load_profile", "settle"]

if TYPE_CHECKING:
    from trix.indexer.profile.milestones import MilestoneRule
    from trix.indexer.profile.registers import RegisterPath


STRAY_TEXT = 0.01
"""Share of a document's text below which the root's own text is stray, for automatically chosen profiles."""


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What the tags of a collection mean; equal by value.

    Attributes
    ----------
    name
        Name of the preset, or the file's name without ending.
    extends
        Names of the profiles that it extends, the nearest first. What they say is in the rules already.
    unwrap, blank, drop, inline, unit, container, join_elements
        Selectors of each rule.
    join_characters
        Characters that vanish inside words.
    alias
        Equivalence classes of local names: class name -> the other members.
    own_text
        ``"any"``: a text child that is not white space makes a content element; ``"keys"``: it must hold a key.
    stray_text
        A document's element of whose text a smaller share than this is its own is a container; 0 for none.
    attributes
        (selector without condition, attribute as lxml names it), in order.
    attribute_values
        The same of the attributes of indexed elements that can be tested and compared without being units.
    values
        Selectors of the elements below content elements that can be tested and compared without being units.
    quiet, loud
        Selectors of the parts that are searched but not returned, such as headers and lists of references. Selectors
        of the parts inside these that are returned after all, such as abstracts [QUERY, section 13].
    document
        Tag (``"tag"`` or ``"{namespace}tag"``) whose outermost elements are the documents; None: the root.
    id, title
        XPaths from the document element; see `trix.indexer.profile.xpath`.
    levels
        Named granularity levels: name -> level or path expression [RETRIEVAL, section 8].
    weights
        How much more words count in some places, where a search asks for it: tag or path expression -> number.
    links
        XPaths ``target`` and ``id``; empty where there are no links. See `trix.indexer.document.anchors`.
    fields
        What documents say of themselves, by name; see `trix.indexer.profile.fields`.
    element_fields
        What parts of documents say of themselves, by name; see `trix.indexer.profile.fields`.
    gaps
        What leaves a mark in text that is shown, see `trix.indexer.read.shown`.
    titles
        What sections are called; see `trix.indexer.profile.titles`.
    collection
        ``title`` and ``description`` of the collection as a whole, as pages show them.
    milestones
        Pages, verses, lines; see `trix.indexer.profile.milestones`.
    registers
        Elements that mention persons, places and the like by a key; see `trix.indexer.profile.registers`.
    namespaces
        Declared prefixes.
    clues
        How ``auto`` knows the schema.
    about
        What the documents are, as the end of "990 of 990 root elements are ...".
    """

    name: str
    extends: tuple[str, ...] = ()
    unwrap: tuple[Selector, ...] = ()
    blank: tuple[Selector, ...] = ()
    drop: tuple[Selector, ...] = ()
    inline: tuple[Selector, ...] = ()
    unit: tuple[Selector, ...] = ()
    container: tuple[Selector, ...] = ()
    join_characters: str = ""
    join_elements: tuple[Selector, ...] = ()
    alias: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    own_text: Literal["any", "keys"] = "any"
    stray_text: float = 0.0
    attributes: tuple[tuple[Selector, str], ...] = ()
    attribute_values: tuple[tuple[Selector, str], ...] = ()
    values: tuple[Selector, ...] = ()
    quiet: tuple[Selector, ...] = ()
    loud: tuple[Selector, ...] = ()
    document: str | None = None
    id: str | None = None
    title: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, FieldRule] = field(default_factory=dict)
    element_fields: Mapping[str, FieldRule] = field(default_factory=dict)
    gaps: tuple[Selector, ...] = ()
    titles: tuple[TitleRule, ...] = ()
    collection: Mapping[str, str] = field(default_factory=dict)
    milestones: Mapping[str, MilestoneRule] = field(default_factory=dict)
    registers: Mapping[str, tuple[RegisterPath, ...]] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()
    about: str = ""

    def rules(self) -> Iterator[tuple[int, Selector]]:
        """Yield each selector with its action as a plain number."""
        for key, action in ACTIONS.items():
            for selector in getattr(self, "join_elements" if key == "join" else key):
                yield int(action), selector

    def rule(self, qname: str) -> Rule:
        """Return the rules for a tag in the notation of lxml (``"tag"`` or ``"{namespace}tag"``).

        >>> rule = load_profile("generic").rule("{urn:x}sub")
        >>> rule.name, Action(rule.flags)
        ('sub', <Action.INLINE: 1>)
        """
        namespace, local = split_qname(qname)
        plain: dict[tuple[int, bool, bool], int] = {}
        conditional: dict[Selector, int] = {}
        for action, selector in self.rules():
            if not selector.names(namespace, local):
                continue
            if selector.is_conditional:
                conditional[selector] = conditional.get(selector, 0) | action
            else:
                plain[selector.rank] = plain.get(selector.rank, 0) | action
        flags = 0
        for rank in sorted(plain):
            flags = overlay(flags, settle(plain[rank]))
        ordered = sorted(conditional.items(), key=lambda each: each[0].rank)
        attributes = dict.fromkeys(name for selector, name in self.attributes if selector.names(namespace, local))
        return Rule(local, flags, tuple(ordered), tuple(attributes))

    def deciding(self) -> list[Selector]:
        """Return the selectors that decide the treatment of an element, including those of parents."""
        found = [*(selector for _, selector in self.rules()), *self.values, *self.quiet, *self.loud]
        found += [*(way.selector for way in self.ways), *(path.tag for path in self.register_paths)]
        return list(dict.fromkeys([*found, *(parent for selector in found for parent in selector.parents())]))

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """Paths of element fields."""
        return ways_of(self.element_fields, self.namespaces)

    @cached_property
    def register_paths(self) -> tuple[RegisterPath, ...]:
        """The paths of all registers, each once."""
        return tuple(dict.fromkeys(path for paths in self.registers.values() for path in paths))

    @property
    def known_namespaces(self) -> frozenset[str]:
        """Namespaces by which elements are distinguished: declared ones, and those in title rules."""
        named = {rule.selector.namespace for rule in self.titles}
        return frozenset({*self.namespaces.values(), *(each for each in named if each)})

    def aliases(self, name: str) -> tuple[str, ...]:
        """Return the local names that a node test for a name accepts, the name itself first.

        >>> load_profile("ieee").aliases("ss1")[:2]
        ('ss1', 'sec')
        """
        for head, members in self.alias.items():
            if name in (head, *members):
                return tuple(dict.fromkeys((name, head, *members)))
        return (name,)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain lists, strings and dicts, in the form of the TOML file."""
        out: dict[str, Any] = {"name": self.name}
        if self.extends:
            out["extends"] = list(self.extends)
        if self.about:
            out["about"] = self.about
        for key in ACTIONS:
            if key == "join":
                out[key] = [*self.join_characters, *map(str, self.join_elements)]
            else:
                out[key] = [str(selector) for selector in getattr(self, key)]
        out["own_text"] = self.own_text
        if self.stray_text:
            out["stray_text"] = self.stray_text
        out["attributes"] = [f"{selector}/@{name}" for selector, name in self.attributes]
        if self.attribute_values:
            out["attribute_values"] = [f"{selector}/@{name}" for selector, name in self.attribute_values]
        if self.values:
            out["values"] = [str(selector) for selector in self.values]
        out.update({key: [*map(str, found)] for key in ("quiet", "loud") if (found := getattr(self, key))})
        out.update({key: getattr(self, key) for key in ("document", "id", "title") if getattr(self, key) is not None})
        out["alias"] = {name: list(members) for name, members in self.alias.items()}
        out["levels"] = dict(self.levels)
        if self.weights:
            out["weights"] = dict(self.weights)
        if self.links:
            out["links"] = dict(self.links)
        if self.fields:
            out["fields"] = {name: rule.to_dict() for name, rule in self.fields.items()}
        if self.element_fields:
            out["element_fields"] = {name: rule.to_dict() for name, rule in self.element_fields.items()}
        if self.gaps:
            out["shown"] = {"gap": [str(selector) for selector in self.gaps]}
        if self.titles:
            out["titles"] = {str(rule.selector): rule.to_list() for rule in self.titles}
        if self.collection:
            out["collection"] = dict(self.collection)
        if self.milestones:
            out["milestones"] = {name: rule.to_dict(name) for name, rule in self.milestones.items()}
        if self.registers:
            out["registers"] = {name: [*map(str, paths)] for name, paths in self.registers.items()}
        out["namespaces"] = dict(self.namespaces)
        out["detect"] = [
            {key: list(getattr(clue, key)) for key in CLUE_KEYS if getattr(clue, key)} for clue in self.clues
        ]
        return out

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], where: str = "profile") -> Profile:
        """Build a profile from the output of `to_dict` or a TOML file, without inheritance.

        Raises
        ------
        ProfileError
            A key is invalid; the message has `where`, the key, the value and the expectation.
        """
        return cls(**checked_fields(data, where))


def profile_of(data: dict[str, Any], where: str, name: str = "profile") -> Profile:
    """Build a profile from tables in the form of a profile file, with inherited keys."""
    return Profile(**inherited_fields(data, where, name))


def load_profile(name_or_path: str | Path) -> Profile:
    """Read a preset by name, or a profile from a TOML file.

    Raises
    ------
    ProfileError
        The preset or file does not exist, or is invalid; the message has file, key and value.

    Examples
    --------
    >>> load_profile("tei").join_characters
    '∣'
    """
    text = str(name_or_path)
    return _preset(text) if text in PRESETS else Profile(**read_profile(text))


@lru_cache(maxsize=len(PRESETS))
def _preset(name: str) -> Profile:
    return Profile(**read_profile(name))
