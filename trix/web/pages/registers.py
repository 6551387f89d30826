"""Registers as pages: entries from A to Z with a box to narrow them, and the mentions of one key, each in its place."""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import urlencode

from trix.api.index import Index
from trix.api.registers import SORTS, RegisterEntry
from trix.errors import UsageError
from trix.support.collation import first_letter, sort_key
from trix.web.pages.server import RequestContext
from trix.web.pages.state import document_address
from trix.web.reading.direction import LTR, RTL, direction
from trix.web.site.percent import quoted

LISTED = 100
"""Entries on a page."""

MENTIONS = 50
"""Mentions on a page."""

FREQUENT = 8
"""Entries of a register on the home page."""


class RegisterRow(NamedTuple):
    """An entry in the list."""

    name: str
    key: str
    mentions: int
    documents: int
    address: str
    direction: str


def register_address(name: str, **more: Any) -> str:
    """Return the address of a register, or of a page of it.

    >>> register_address("persons", key="#livy & co", match="")
    '/register/persons?key=%23livy+%26+co'
    """
    given = {each: value for each, value in more.items() if value not in (None, "")}
    parameters = urlencode(given, errors="surrogateescape")
    return f"/register/{quoted(name)}" + (f"?{parameters}" if parameters else "")


def frequent(index: Index, name: str) -> list[tuple[str, int, str]]:
    """Return entries with the most mentions: name (with the key among namesakes), mentions, address."""
    some = index.register(name, sort="mentions")[:FREQUENT]
    names = [each.name for each in some]
    return [
        (
            each.name if names.count(each.name) == 1 else f"{each.name} ({each.key})",
            each.mentions,
            register_address(name, key=each.key),
        )
        for each in some
    ]


def register_page(context: RequestContext) -> Any:
    """Return a page of a register, or of the mentions of a key."""
    name = context.request.path_params["name"]
    if name not in context.index.registers():
        raise UsageError("there is no such register", field="register", got=name[:80])
    key = context.given("key").strip()
    return _mentions(context, name, key) if key else _entries(context, name)


def _entries(context: RequestContext, name: str) -> Any:
    match, letter = context.given("match").strip(), context.given("letter")
    if len(match) > context.server.site.limits.query:
        raise UsageError("the words are too many", field="match")
    sort = context.given("sort") if context.given("sort") in SORTS else SORTS[0]
    by_words = [*context.index.register(name, sort=sort, match=match)]
    letters = [first_letter(sort_key(entry.name)) for entry in by_words]
    there = sorted(set(letters), key=lambda each: (each == "#", each))
    if letter:
        by_words = [entry for entry, own in zip(by_words, letters, strict=True) if own == letter]
    begin = context.asked.start - 1
    shown = [_listed(name, entry) for entry in by_words[begin : begin + LISTED]]
    state = {"match": match, "sort": sort if sort != SORTS[0] else "", "letter": letter}

    def address(**changes: Any) -> str:
        return register_address(name, **{**state, **changes})

    return context.page(
        "register.html",
        register=name, listed=shown, many=len(by_words), first=begin + 1, last=begin + len(shown), letter=letter,
        letters=[(each, address(letter=each)) for each in there], whole=address(letter=""), match=match, sort=sort,
        sorts=[(each, address(sort=each if each != SORTS[0] else "")) for each in SORTS],
        registers=[(each, register_address(each)) for each, held in context.index.registers().items() if held],
        before=address(**{"from": max(1, begin + 1 - LISTED)}) if begin else "",
        after=address(**{"from": begin + 1 + LISTED}) if begin + LISTED < len(by_words) else "",
    )  # fmt: skip


def _listed(register: str, entry: RegisterEntry) -> RegisterRow:
    address = register_address(register, key=entry.key)
    return RegisterRow(entry.name, entry.key, entry.mentions, entry.documents, address, direction(entry.name))


def _mentions(context: RequestContext, name: str, key: str) -> Any:
    register = context.index.register(name)
    entry = next((each for each in register if each.key == key), None)
    if entry is None:
        raise UsageError("the register has no such key", field="register", got=key[:80])
    begin = context.asked.start - 1
    mentions = register.mentions(key, MENTIONS, begin + 1)
    lines = [
        {
            "left": each.left, "hit": each.text, "right": each.right, "title": each.title or each.doc,
            "direction": direction(f"{each.text} {each.left} {each.right}"),
            "address": document_address(each.doc, at=each.path),
        }
        for each in mentions
    ]  # fmt: skip
    directions = [line["direction"] for line in lines]
    return context.page(
        "mentions.html",
        register=name, entry=entry, whole=register_address(name), lines=lines, first=begin + 1, last=begin + len(lines),
        link=key if key.startswith(("https://", "http://")) else "",
        lines_direction=RTL if 2 * directions.count(RTL) > len(directions) else LTR,
        before=register_address(name, key=key, **{"from": max(1, begin + 1 - MENTIONS)}) if begin else "",
        after=register_address(name, key=key, **{"from": begin + 1 + MENTIONS})
        if begin + MENTIONS < entry.mentions
        else "",
    )  # fmt: skip
