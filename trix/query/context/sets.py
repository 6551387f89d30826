"""Parsers of context forms that name sets of elements: ``cscore``, ``siblings`` and the axes, ``adhoc``, ``links``."""

from __future__ import annotations

import re
from collections.abc import Callable

from trix.errors import UsageError, did_you_mean
from trix.query.context.adhoc import AdHoc
from trix.query.context.ancestors import CScore
from trix.query.context.around import Around, ContextPart, LevelMembers, Links
from trix.query.context.beside import FOLLOWING, PRECEDING, SIBLINGS, Beside
from trix.query.context.form import Form, format_number
from trix.query.context.text import ADHOC, FormText, count, level, number, one_of, switch
from trix.query.language.path_tree import Path
from trix.query.language.paths import parse_path, parse_relative

KINDS = ("parent", "root", "2xroot", "tower")
"""The sets of the paper; parent and root can be joined, and tower holds both."""

NAMED = {"root": "/*", "tower": "ancestor::*", "parent": "..", "siblings": "../*"}
"""Path of each name, for sets with further members, in canonical order."""

_RELATIVE = re.compile(r"\.|[\w-]+\s*::")


def cscore(text: FormText) -> Form:
    """Read ``cscore:SET,w=W,all=1``."""
    kinds, comma, rest = (part.strip() for part in text.args.partition(","))
    # The set may be missing, as in cscore:level=LEVEL.
    if _is_pair(kinds):
        kinds, comma, rest = "", "", text.args
    if comma and not rest:
        text.fail("nothing follows the comma", "expected w=NUMBER or all=1")
    given = text.values(rest, all=switch, w=number(), level=level)
    w, every, at_level = given.get("w", 1.0), given.get("all", False), given.get("level", "")
    if not kinds and not at_level:
        text.fail("the kind is missing", f"{one_of([*KINDS])}, {_OTHERS}")
    members = [_member(text, member.strip()) for member in kinds.split("+")] if kinds else []
    # The paper's name for root with w=2, which stands alone.
    if "2xroot" in members:
        if len(members) > 1 or at_level or "w" in given:
            text.fail("2xroot is the root with w=2", "expected root, with w=NUMBER, among others or alone")
        return CScore("2xroot", all=every)
    if "tower" in members:  # it has the parent and the root
        members = [member for member in members if member not in ("parent", "root")]
    # Canonical order, so that one set has one text.
    names = [name for name in NAMED if name in members]
    # Sets on the path need no index: they have a faster form.
    if len(names) == len(members) and not at_level and "siblings" not in names:
        return CScore("+".join(reversed(names)), all=every, w=w)
    others = [member for member in members if member not in NAMED]
    parts = [_path(text, NAMED[name]) for name in names] + [_path(text, member) for member in others]
    # Each set once; the order decides whose weight an element has.
    ordered = dict.fromkeys([*parts, *([LevelMembers(at_level)] if at_level else [])])
    shown = "+".join([*names, *dict.fromkeys(str(part) for part in parts[len(names) :])])
    shown += "" if w == 1.0 else f",w={format_number(w)}"
    shown += ",all=1" if every else ""
    shown += f",level={at_level}" if at_level else ""
    return Around(tuple((part, 1.0) for part in ordered), f=w, all=every, text=f"cscore:{shown.removeprefix(',')}")


_OTHERS = "sets joined by +, siblings, paths such as /article/title or ../sec, or level=LEVEL"


def _is_pair(text: str) -> bool:
    key, equals, _ = (piece.strip() for piece in text.partition("="))
    return bool(equals) and key in ("all", "w", "level")


def _member(text: FormText, member: str) -> str:
    """Check one member of a set: a name, or a path."""
    if not (member in KINDS or member in NAMED or _is_path(member)):
        known = [*KINDS, "siblings"]
        what = f"unknown kind '{member}'{did_you_mean(member, known)}" if member else "a member of the set is missing"
        text.fail(what, f"{one_of(known)}, a path such as ../sec, or level=LEVEL")
    return member


def _is_path(text: str) -> bool:
    return text.startswith(("/", "(")) or _RELATIVE.match(text) is not None


def _path(text: FormText, path: str) -> ContextPart:
    try:
        return parse_path(path) if path.startswith(("/", "(")) else parse_relative(path)
    except UsageError as error:
        text.fail_of(error)


def siblings(text: FormText) -> Form:
    """Read ``siblings:preceding=N,following=N,f=F,all=1``."""
    given = text.values(f=number(), all=switch, preceding=count, following=count)
    before, after = given.pop("preceding", None), given.pop("following", None)
    return Beside(axis=SIBLINGS, before=before, after=after, **given)


def axis(name: str) -> Callable[[FormText], Form]:
    """Return the reader of ``preceding:N,f=F,all=1,level=LEVEL`` or of ``following``."""

    def read(text: FormText) -> Form:
        first, comma, rest = (part.strip() for part in text.args.partition(","))
        most = None
        if first and "=" not in first:
            most = count(text, "", first, low=1)
            if comma and not rest:
                text.fail("nothing follows the comma", f"expected {name}:N,f=F,level=LEVEL")
        else:
            rest = text.args
        before, after = (most, None) if name == PRECEDING else (None, most)
        given = text.values(rest, f=number(), all=switch, level=level)
        return Beside(axis=name, before=before, after=after, **given)

    return read


preceding, following = axis(PRECEDING), axis(FOLLOWING)


def links(text: FormText) -> Form:
    """Read ``links:f=F,direction=out|in|both,all=1``."""
    given = text.values(f=number(), all=switch, direction=_direction)
    direction, f = given.pop("direction", "out"), given.get("f", 1.0)
    shown = [] if f == 1.0 else [f"f={format_number(f)}"]
    shown += [] if direction == "out" else [f"direction={direction}"]
    shown += ["all=1"] if given.get("all") else []
    return Around(((Links(direction), 1.0),), **given, text=":".join(["links", *filter(None, [",".join(shown)])]))


def _direction(text: FormText, key: str, direction: str) -> str:
    if direction not in DIRECTIONS:
        text.fail(f"{key}={direction} is none{did_you_mean(direction, DIRECTIONS)}", one_of([*DIRECTIONS]))
    return direction


DIRECTIONS = ("out", "in", "both")


def adhoc(text: FormText) -> Form:
    """Read ``adhoc:PATH=WEIGHT,PATH,...,f=F,all=1``."""
    parts: list[tuple[ContextPart, float]] = []
    rest = []
    for part in text.args.split(","):
        path, equals, weight = (piece.strip() for piece in part.partition("="))
        if _is_path(path):
            parts.append((_path(text, path), text.number("", weight) if equals else 1.0))
        else:
            rest.append(part)
    if not parts:
        text.fail("there is no path", f"expected {ADHOC}; a PATH begins with /, ./, ../ or an axis")
    given = text.values(",".join(rest), f=number(), all=switch)
    # Absolute paths alone select per document, which is a faster form.
    paths = [(part, weight) for part, weight in parts if isinstance(part, Path)]
    if len(paths) == len(parts):
        return AdHoc(tuple(paths), **given)
    return Around(tuple(parts), **given)
