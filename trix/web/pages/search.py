"""The search page: results by document, by passage, or as a concordance; suggestions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

from starlette.responses import Response

from trix.errors import QueryError, TrixError, UsageError
from trix.web.pages.found import AnswerView, answer
from trix.web.pages.home import Home, home
from trix.web.pages.scoring import SET_HERE, drawer
from trix.web.pages.server import RequestContext, caret_of, instead_of, status_of, told
from trix.web.pages.state import VIEWS, SearchState, document_address
from trix.web.reading.direction import LTR, RTL, direction

_SUGGESTIONS = 8

_UNFINISHED = re.compile(r"(?:^|\s)\w{2,}$")
"""Matches a query whose last word may be unfinished."""


_NOTHING: dict[str, Any] = {
    "lines": None, "corrected": "", "caret": None, "settings_fault": False, "home": None, "instead": None,
}  # fmt: skip


def search_page(context: RequestContext) -> Response:
    """Return the search page, or for scripts only the results."""
    asked, values = context.asked, dict[str, Any]()
    status = 200
    try:
        if asked.anything:
            if asked.view == "concordance":
                lines = _lines(context)
                values.update(lines=lines, corrected=lines["corrected"])
            else:
                found = _answer(context)
                values.update(answer=found, corrected=found.corrected)
        else:
            values["home"] = context.server.once(((context.commit, "home"), lambda: home(context.index)))
    except TrixError as error:
        if status_of(error) != 400:
            raise
        status = 400
        values.update(error=told(error), caret=caret_of(error), settings_fault=_is_of_settings(error))
        values["instead"] = instead_of(error, asked) or _example(context)
    page = "answer.html" if context.wants_part else "search.html"
    return context.page(
        page, status if not context.wants_part else 200,
        **{**_NOTHING, **values},
        views=[(view, asked.address(view=view, start=1)) for view in VIEWS],
        controls=context.pages.drawn(drawer(asked)), set_here=SET_HERE, sorts=sorts(context),
        facets_chosen=_chosen(asked),
        totals=context.index.files.totals, kind=lambda tag: _kind(context, tag),
    )  # fmt: skip


def _answer(context: RequestContext) -> AnswerView:
    """Return the answer; while a query is being typed, of words that begin as its last one, where none is like that."""
    asked = context.asked
    found = context.server.once(((context.commit, asked.address()), lambda: answer(context.index, asked)))
    if context.is_typing and (found.corrected or not found.documents) and _UNFINISHED.search(asked.query):
        begun = replace(asked, query=f"{asked.query}*")
        try:
            longer = context.server.once(((context.commit, begun.address()), lambda: answer(context.index, begun)))
        except QueryError:  # in a structured query, or a phrase that is not closed
            return found
        return longer if longer.documents else found
    return found


def _example(context: RequestContext) -> tuple[str, str] | None:
    """Return an example query with its URL; None if there is none."""
    found: Home = context.server.once(((context.commit, "home"), lambda: home(context.index)))
    return found.examples[0] if found.examples else None


def _kind(context: RequestContext, tag: str) -> str:
    """Name an element without a title, by the role of its tag, else by its tag."""
    role = "inline" if tag.startswith("#") else context.documents.roles.by_name(tag)
    return context.pages.words.get(f"a_{role}", tag)


def _is_of_settings(error: TrixError) -> bool:
    return isinstance(error, UsageError) or (isinstance(error, QueryError) and "where" in str(error)[:6])


def _chosen(asked: SearchState) -> list[tuple[str, str, str]]:
    """Return the selected values, each with the URL without it."""
    return [(name, value, asked.with_facet(name, value).address()) for name, value in asked.facets]


class SortChoice(NamedTuple):
    """An order of results: value, label, URL, and whether it is the current one."""

    value: str
    words: str
    address: str
    is_current: bool


def sorts(context: RequestContext) -> list[SortChoice]:
    """Return the possible orders of results."""
    current = context.asked.settings.get("sort", "")
    offered = [("", context.pages.say("sort_score"))]
    fields = context.index.fields
    for name in dict.fromkeys([*fields.own, "modified"]):
        rule = fields.rules[name]
        if rule.type != "string" and not rule.many and len(fields[name].values) > 1:
            offered += [
                (f"-{name},-score", context.pages.say("sort_newest", field=name)),
                (f"{name},-score", context.pages.say("sort_oldest", field=name)),
            ]
    return [
        SortChoice(value, words, context.asked.with_setting("sort", value).address(), value == current)
        for value, words in offered[:5]
    ]


def _lines(context: RequestContext) -> dict[str, Any]:
    """Return a page of a concordance."""
    asked = context.asked
    found = context.index.concordance(
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


class SuggestionView(NamedTuple):
    """A suggestion: a text to search for, or the URL of the only document or section with this title."""

    text: str
    kind: str
    frequency: int
    address: str
    document: str


def suggestions(context: RequestContext) -> Response:
    """Return completions of a text as options of a list."""
    typed = context.given("q")
    key = (context.commit, "suggest", typed), lambda: _offers(context, typed) if typed.strip() else []
    return context.page("suggestions.html", offers=context.server.once(key), typed=typed)


def _offers(context: RequestContext, typed: str) -> list[SuggestionView]:
    offers = []
    for each in context.index.suggest(typed, _SUGGESTIONS):
        address = document = ""
        if each.kind != "word" and each.frequency == 1:
            address = document_address(each.doc, at=each.path)
            document = context.index.files.titles[context.index.files.document(each.doc)] if each.path else ""
        offers.append(SuggestionView(each.text, each.kind, each.frequency, address, document))
    return offers
