"""Roles of tags on a page, read from data or guessed from the profile."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from trix.errors import UsageError
from trix.indexer.document.kinds import GONE, ElementKinds
from trix.indexer.profile.actions import Action, Rule
from trix.indexer.profile.profile import PRESETS, Profile
from trix.indexer.profile.selector import NO_PARENTS, Parents
from trix.support.element_path import local

FILE = Path(__file__).with_name("roles.toml")


def names(text: str) -> frozenset[str]:
    """Split names at white space."""
    return frozenset(text.split())


ROLES = names(
    """
    section heading document-title through block list-block paragraph number label list ordered item
    terms term-group term definition table table-wrap table-head table-body table-foot row head-cell
    cell caption figure image note admonition quote line stanza speech speaker stage code monospace bold
    italic underline sup sub small-caps quoted link reference break page formula math name references
    reference-item citation details hide gap inline people person small keywords keyword closing clause
    signature argument alternative default parameter void beside field record
    """
)
"""All roles."""

INLINE = names(
    """
    inline monospace bold italic underline sup sub small-caps quoted link reference break page name number label
    gap image person keyword argument alternative default parameter void beside
    """
)
"""Inline roles."""

_IN_LINE = int(Action.INLINE | Action.JOIN)

_NO_ROOT = INLINE | names(
    """
    hide details document-title heading references reference-item citation note small caption closing keywords people
    field record
    """
)
"""Roles of parts; the element of a whole document never has them."""


@lru_cache(maxsize=8)
def _tables(paths: tuple[Path, ...]) -> Mapping[str, Mapping[str, str]]:
    """Read a table: preset or ``any`` -> tag in lower case -> role."""
    found: dict[str, dict[str, str]] = {}
    for path in paths:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        for preset, roles in data.items():
            table = found.setdefault(preset, {})
            for role, names in roles.items():
                if role not in ROLES:
                    raise UsageError(f"{path.name}, [{preset}]: there is no role {role}")
                for name in reversed(names.lower().split()):
                    table[name] = role
    return found


class Roles:
    """The roles of tags under one profile.

    Parameters
    ----------
    profile
        Its name and the names of those that it extends choose the tables: of the nearest preset and of what extends it.
    themes
        Files that are read on top of the place's own.

    Attributes
    ----------
    folds
        Whether parts that the tables hide are folded away. If no preset fits, all searchable text is on the page,
        since the needs of readers are unknown.
    """

    def __init__(self, profile: Profile, themes: Iterable[Path] = ()) -> None:
        tables = _tables((FILE, *themes))
        self._table = dict(tables["any"])
        chain = _chain(profile)
        for name in reversed(chain):
            self._table.update(tables.get(name, {}))
        self.folds = chain[-1] != "generic"
        self._profile, self._kinds = profile, ElementKinds(profile)
        self._rules: dict[str, Rule] = {}
        self._known: dict[tuple[Any, int], tuple[str, bool]] = {}
        self._inside = frozenset(path.rpartition("/")[2] for path in self._table if "/" in path)

    def of(self, node: Any) -> tuple[str, bool]:
        """Return the role of an element, empty if it has none; and whether its borders separate words."""
        flags = self._actions(node) & _IN_LINE
        found = self._known.get((node.tag, flags))
        if found is None:
            found = self._known[node.tag, flags] = self._found(node.tag, flags)
        role, separates = found
        if (name := local(node).lower()) in self._inside and (parent := node.getparent()) is not None:
            role = self._table.get(f"{local(parent).lower()}/{name}", role)
        if role == "citation" and _in_citation(node):
            role = "inline"
        return role, separates

    def placed(self, node: Any, is_element: bool, depth: int, above: Sequence[str]) -> str:
        """Return the role of an element in its context.

        Parameters
        ----------
        node
            The element.
        is_element
            Whether the index has it as an element.
        depth
            How deep it stands; the document's element has 0.
        above
            The roles of the elements around it, the outermost first.
        """
        role, _ = self.of(node)
        if not role or (depth == 0 and role in _NO_ROOT):
            return self.guessed(node, is_element, above)
        return "block" if role == "details" and "details" in above else role

    def guessed(self, node: Any, is_element: bool, above: Sequence[str]) -> str:
        """Guess the role of an unknown tag: a block if it is indexed as an element, else inline."""
        if any(each in INLINE or each in ("paragraph", "heading", "line", "cell") for each in above[-1:]):
            return "inline"
        if not is_element:
            return "through" if len(node) and not (node.text or "").strip() else "inline"
        has_heading = any(isinstance(child.tag, str) and self.of(child)[0] == "heading" for child in node[:3])
        return "section" if has_heading else "block"

    def _actions(self, node: Any) -> int:
        """Return the decision of the profile on an element."""
        rule = self._rules.get(node.tag)
        if rule is None:
            rule = self._rules[node.tag] = self._profile.rule(node.tag)
        if not rule.conditional:
            return rule.flags
        is_asked = any(selector.parent is not None for selector, _ in rule.conditional)
        return rule.actions(node.attrib, self._kinds.above(node) if is_asked else NO_PARENTS)

    def is_found(self, node: Any) -> bool:
        """Whether an element has indexed text."""
        kinds, above = self._kinds, [*node.iterancestors()][:-1]  # a document's element is never left out
        gone = any(kinds.actions[kinds.of(each, kinds.above(each))] & GONE for each in above)
        return not gone and self._has_text(node, kinds.above(node))

    def _has_text(self, node: Any, fits: Parents) -> bool:
        if not isinstance(node.tag, str):
            return False
        kind = self._kinds.all[self._kinds.of(node, fits)]
        if kind.actions & GONE:
            return False
        texts = (node.text, *(child.tail for child in node))
        return any(text and not text.isspace() for text in texts) or any(
            self._has_text(child, kind.fits) for child in node
        )

    def by_name(self, name: str) -> str:
        """Return the role of a local name in any context; empty if it has none."""
        return self._table.get(name.lower(), "")

    def _found(self, tag: str, flags: int) -> tuple[str, bool]:
        name = tag.rpartition("}")[2].lower()
        role = self._table.get(name, "")
        if not role and flags & Action.INLINE:
            role = "inline"
        return role, not flags


def _chain(profile: Profile) -> tuple[str, ...]:
    """Return the names of a profile and of those that it extends, the nearest first; `generic` if none is a preset.

    >>> _chain(Profile(name="letters", extends=("house", "tei", "generic")))
    ('letters', 'house', 'tei')
    >>> _chain(Profile(name="own"))
    ('own', 'generic')
    """
    found = [name for name in (profile.name, *profile.extends) if name != "generic"]
    return tuple(found) if any(name in PRESETS for name in found) else (*found, "generic")


def _in_citation(node: Any) -> bool:
    parent = node.getparent()
    return parent is not None and local(parent).lower() in ("ref", "citation", "mixed-citation")
