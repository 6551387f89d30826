"""What the walk of a document asks about each tag: looked up by the name that lxml gives, made once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lxml import etree

from trix.indexer.profile import Action, Profile
from trix.indexer.record import Steps

ENTITY = 1 << 20
"""Beside the actions of a profile: an entity reference that stayed in the tree."""

_Rule = tuple[int, int, Callable[[Any], int] | None, tuple[str, ...], str]


class RuleTable(dict[Any, _Rule]):
    """qname -> (step, actions, actions by attributes if there are any, attributes, local name); made once per tag."""

    def __init__(self, profile: Profile, steps: Steps) -> None:
        super().__init__()
        self._profile, self._steps = profile, steps

    def __missing__(self, qname: Any) -> _Rule:
        if isinstance(qname, str):
            rule = self._profile.rule(qname)
            conditional = rule.actions if rule.conditional else None
            made: _Rule = (
                self._steps.number(rule.name), int(rule.flags), conditional, tuple(rule.attributes), rule.name
            )  # fmt: skip
        else:
            made = (-1, ENTITY | (0 if qname is etree.Entity else int(Action.DROP | Action.INLINE)), None, (), "")
        self[qname] = made
        return made
