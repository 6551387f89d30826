"""What a reader of a signature of a function sees between its parts, which the markup leaves to the page."""

from __future__ import annotations

from typing import Any

from trix.web.reading.forms import attribute
from trix.web.reading.roles import Roles

SIGNS = {"argument": ("(", ", ", ")"), "alternative": ("", "|", ""), "default": (" = ", "", "")}
"""Role -> what stands before the first of its row, between two, and behind the last."""


def signs(roles: Roles, node: Any, role: str) -> tuple[str, str]:
    """Return what stands before and behind a part of a signature."""
    if role not in SIGNS:
        return "", ""
    first, between, last = SIGNS[role]
    before = between if _role(roles, _near(node, False)) == role else first
    after = "" if _role(roles, _near(node, True)) == role else last
    if role == "argument":
        if attribute(node, "rep") == "repeat":
            after = "..." + after
        elif attribute(node, "choice") == "opt" and not any(roles.of(each)[0] == "default" for each in node):
            before, after = before + "[", "]" + after
    return before, after


def space(roles: Roles, node: Any) -> str:
    """Return what white space behind a part of a signature stands for: none before signs and at the end."""
    after = _near(node, True)
    return "" if after is None or _role(roles, after) in ("void", *SIGNS) else " "


def _near(node: Any, after: bool) -> Any:
    """Return the next element beside a node, or the one before it."""
    return next(node.itersiblings("*", preceding=not after), None)


def _role(roles: Roles, node: Any) -> str:
    return "" if node is None else roles.of(node)[0]
