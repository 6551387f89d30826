"""What the reader does with a tag: the profile's rules as plain integers, looked up once per tag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import etree

from trix.indexer.document.record import Steps
from trix.indexer.profile.profile import Action, Profile
from trix.indexer.profile.selector import split_qname

INLINE, UNWRAP, BLANK, DROP = int(Action.INLINE), int(Action.UNWRAP), int(Action.BLANK), int(Action.DROP)
UNIT, CONTAINER, JOINS = int(Action.UNIT), int(Action.CONTAINER), int(Action.JOIN)
GONE = BLANK | DROP
ENTITY = 1 << 20
"""An entity reference that stayed in the tree."""

Rule = tuple[int, int, Callable[[Any], int] | None, tuple[str, ...], str]


class RuleTable(dict[Any, Rule]):
    """qname -> (step, actions, actions by attributes if there are any, attributes, local name); made once per tag."""

    def __init__(self, profile: Profile, steps: Steps) -> None:
        super().__init__()
        self._profile, self._steps = profile, steps
        self._declared = frozenset(profile.namespaces.values())

    def __missing__(self, qname: Any) -> Rule:
        if isinstance(qname, str):
            rule = self._profile.rule(qname)
            step = self._steps.number(rule.name, self.declared(qname))
            conditional = rule.actions if rule.conditional else None
            made: Rule = (step, int(rule.flags), conditional, tuple(rule.attributes), rule.name)
        else:
            made = (-1, ENTITY | (0 if qname is etree.Entity else DROP | INLINE), None, (), "")
        self[qname] = made
        return made

    def declared(self, qname: str) -> str:
        """Return the namespace of a name if the profile declares a prefix for it, else nothing."""
        namespace, _ = split_qname(qname)
        return namespace if namespace in self._declared else ""
