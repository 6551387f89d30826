"""Numbers of pages, lines and verses beside the text, and marks of a requested place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from markupsafe import escape

from trix.indexer.places.numbers import DASH
from trix.indexer.profile.profile import Profile
from trix.support.setting_types import whole

ANCHOR = "place"
"""HTML id of the beginning of a requested place."""

_EACH = 5
"""Interval of line numbers of verse that are always shown."""

Range = tuple[int, int]


class Signs:
    """Renderer of the numbers of milestones.

    Parameters
    ----------
    profile
        Names them.
    """

    def __init__(self, profile: Profile) -> None:
        self._rules = profile.milestones
        self._tags = {at.selector.tag for rule in self._rules.values() for at in rule.at}
        inner = {name for name, rule in self._rules.items() if rule.within}
        self._outermost = {rule.within for rule in self._rules.values()} - inner  # books, which have titles
        self._anchored = False

    def before(self, node: Any, role: str) -> str:
        """Render the numbers of places that begin at an element with a role."""
        if not self._rules or not (self._tags & {node.tag.rpartition("}")[2], "*"}):
            return ""
        return "".join(self._signs(node, role))

    def _signs(self, node: Any, role: str) -> Iterator[str]:
        for name, rule in self._rules.items():
            number = rule.number(node, None)
            if not number or name in self._outermost:
                continue
            parts = [part.rpartition(".")[2] for part in number.split()] if rule.within else [number]
            called = escape(DASH.join(dict.fromkeys(rule.names.get(part, part) for part in parts)))
            before = node.getprevious() if role == "line" and (whole(number) or 0) % _EACH else None
            between = " between" if before is not None and rule.number(before, None) else ""
            title = escape(" ".join(filter(None, (rule.label[0], called))))
            # A number inside a word is not part of it, nor of copied text, so style sheets write it.
            inside = f">{called}" if name == "page" else f' data-number="{called}">'
            yield f'<span class="milestone {name}{between}" title="{title}"{inside}</span>'

    def anchor(self) -> str:
        """Return the id attribute for the beginning of the place, once."""
        if self._anchored:
            return ""
        self._anchored = True
        return f' id="{ANCHOR}"'


def around_place(text: str, place: Sequence[Range], write: Callable[[int, int], str], signs: Signs) -> str:
    """Wrap the ranges of a place in a text; `write` renders the HTML between two characters."""
    borders = sorted({0, len(text), *(at for both in place for at in both)})
    pieces = []
    for low, high in pairwise(borders):
        piece = write(low, high)
        if any(begin <= low < end for begin, end in place):
            piece = f'<span class="at"{signs.anchor()}>{piece}</span>'
        pieces.append(piece)
    return "".join(pieces)
