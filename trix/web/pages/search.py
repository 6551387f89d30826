"""The search page: answers by document, one by one, or as a concordance; suggestions; why a score is what it is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

from starlette.responses import Response

from trix.errors import QueryError, TrixError, UsageError
from trix.web.pages.asked import VIEWS, Asked, document_address
from trix.web.pages.found import Answer, answer
from trix.web.pages.handling import Visit, caret_of, instead_of, status_of, told
from trix.web.pages.home import Home, home
from trix.web.pages.scoring import SET_HERE, drawer
from trix.web.reading.direction import LTR, RTL, direction

_SUGGESTIONS = 8

_UNFINISHED = re.compile(r"(?:^|\s)\w{2,}$")
"""The last word of a query that may go on."""


_NOTHING: dict[str, Any] = {
    "lines": None, "corrected": "", "caret": None, "settings_fault": False, "home": None, "instead": None,
}  # fmt: skip


def search_page(visit: Visit) -> Response:
    """Return the page, or for a script the answer alone."""
    asked, values = visit.asked, dict[str, Any]()
    status = 200
    try:
        if asked.anything:
            if asked.view == "concordance":
                lines = _lines(visit)
                values.update(lines=lines, corrected=lines["corrected"])
            else:
                found = _answer(visit)
                values.update(answer=found, corrected=found.corrected)
        else:
            values["home"] = visit.house.once(((visit.commit, "home"), lambda: home(visit.index)))
    except TrixError as error:
        if status_of(error) != 400:
            raise
        status = 400
        values.update(error=told(error), caret=caret_of(error), settings_fault=_is_of_settings(error))
        values["instead"] = instead_of(error, asked) or _example(visit)
    page = "answer.html" if visit.wants_part else "search.html"
    return visit.page(
        page, status if not visit.wants_part else 200,
        **{**_NOTHING, **values},
        views=[(view, asked.address(view=view, start=1)) for view in VIEWS],
        controls=visit.pages.drawn(drawer(asked)), set_here=SET_HERE, sorts=sorts(visit), facets_chosen=_chosen(asked),
        totals=visit.index.files.totals, kind=lambda tag: _kind(visit, tag),
    )  # fmt: skip


def _answer(visit: Visit) -> Answer:
    """Return the answer; while a query is being typed, of words that begin as its last one, where none is like that."""
    asked = visit.asked
    found = visit.house.once(((visit.commit, asked.address()), lambda: answer(visit.index, asked)))
    if visit.is_typing and (found.corrected or not found.documents) and _UNFINISHED.search(asked.query):
        begun = replace(asked, query=f"{asked.query}*")
        try:
            longer = visit.house.once(((visit.commit, begun.address()), lambda: answer(visit.index, begun)))
        except QueryError:  # in a structured query, or a phrase that is not closed
            return found
        return longer if longer.documents else found
    return found


def _example(visit: Visit) -> tuple[str, str] | None:
    """Return a query that has answers here, with its address; None where no title of a document gives one."""
    found: Home = visit.house.once(((visit.commit, "home"), lambda: home(visit.index)))
    return found.examples[0] if found.examples else None


def _kind(visit: Visit, tag: str) -> str:
    """Return what a reader would call an element without a title; its tag where there is no word for that."""
    role = "inline" if tag.startswith("#") else visit.shelf.roles.by_name(tag)
    return visit.pages.words.get(f"a_{role}", tag)


def _is_of_settings(error: TrixError) -> bool:
    return isinstance(error, UsageError) or (isinstance(error, QueryError) and "where" in str(error)[:6])


def _chosen(asked: Asked) -> list[tuple[str, str, str]]:
    """Return the values that were chosen, with the address without each."""
    return [(name, value, asked.with_facet(name, value).address()) for name, value in asked.facets]


class SortChoice(NamedTuple):
    """An order of results: its value, its words, its address, and whether it is the one that is shown."""

    value: str
    words: str
    address: str
    is_current: bool


def sorts(visit: Visit) -> list[SortChoice]:
    """Return the orders that results can have."""
    current = visit.asked.settings.get("sort", "")
    offered = [("", visit.pages.say("sort_score"))]
    fields = visit.index.fields
    for name in dict.fromkeys([*fields.own, "modified"]):
        rule = fields.rules[name]
        if rule.type != "string" and not rule.many and len(fields[name].values) > 1:
            offered += [
                (f"-{name},-score", visit.pages.say("sort_newest", field=name)),
                (f"{name},-score", visit.pages.say("sort_oldest", field=name)),
            ]
    return [
        SortChoice(value, words, visit.asked.with_setting("sort", value).address(), value == current)
        for value, words in offered[:5]
    ]


def _lines(visit: Visit) -> dict[str, Any]:
    """Return a page of a concordance."""
    asked = visit.asked
    found = visit.index.concordance(
        asked.query, kwic_sort=asked.kwic, **{**asked.options(), "top": asked.page, "from_": asked.start}
    )
    lines = list(found)
    shown = [
        {
            "left": line.left, "hit": line.hit, "right": line.right, "title": line.title or line.doc,
            "direction": direction(f"{line.hit} {line.left} {line.right}"),
            "address": document_address(line.doc, asked, view=VIEWS[0], kwic="document", start=1, top=0, at=line.path),
        }
        for line in lines
    ]  # fmt: skip
    directions = [line["direction"] for line in shown]
    return {
        "shown": shown,
        "corrected": found.corrected,
        "direction": RTL if 2 * directions.count(RTL) > len(directions) else LTR,
        "sorts": [(sort, asked.address(kwic=sort, start=1)) for sort in ("document", "left", "right")],
        "before": asked.address(start=max(1, asked.start - asked.page)) if asked.start > 1 else "",
        "after": asked.address(start=asked.start + len(lines)) if len(lines) == asked.page else "",
    }


class Offer(NamedTuple):
    """A suggestion on a page: a text to search for, or the address of the one document or section of that title."""

    text: str
    kind: str
    frequency: int
    address: str
    document: str


def suggestions(visit: Visit) -> Response:
    """Return what a text that is being typed can become, as options of a list."""
    typed = visit.given("q")
    key = (visit.commit, "suggest", typed), lambda: _offers(visit, typed) if typed.strip() else []
    return visit.page("suggestions.html", offers=visit.house.once(key), typed=typed)


def _offers(visit: Visit, typed: str) -> list[Offer]:
    offers = []
    for each in visit.index.suggest(typed, _SUGGESTIONS):
        address = document = ""
        if each.kind != "word" and each.frequency == 1:
            address = document_address(each.doc, at=each.path)
            document = visit.index.files.titles[visit.index.files.document(each.doc)] if each.path else ""
        offers.append(Offer(each.text, each.kind, each.frequency, address, document))
    return offers
