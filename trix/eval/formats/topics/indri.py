"""Reader of Indri parameter files, ``<query><number>..</number><text>#combine( .. )</text></query>``.

Indri queries become content-only queries. Windows (``#1``, ``#od3``, ``#uw8``) become phrases, ``#not`` becomes the
minus sign, and weights are dropped. Other operators are replaced by their arguments. `Topic.fields` keeps the original
as ``indri``.
"""

from __future__ import annotations

import re

from trix.errors import FormatError
from trix.eval.formats.topics.inex import content, parse
from trix.eval.formats.topics.text import TopicText
from trix.eval.formats.topics.topic import Topic, collapse, make_topic

_TOKEN = re.compile(r'#[\w-]*(?:\[[^\]]*\])?(?::[\w.=]+)*\s*\(|[()]|"[^"]*"|[^\s()]+')
_WINDOW = re.compile(r"#(?:od|uw)?\d+|#(?:od|uw)$", re.IGNORECASE)
_WEIGHTED = ("#weight", "#wsum", "#wand", "#wsyn")


def read_indri(text: TopicText) -> list[Topic]:
    """Return the queries of an Indri parameter file.

    Raises
    ------
    FormatError
        The file is not well-formed, or a query has no number.
    """
    topics = []
    for element in parse(text).iter("query"):
        parts = {part.tag: content(part) for part in element if isinstance(part.tag, str)}
        line = element.sourceline
        id, query = parts.pop("number", ""), parts.pop("text", "")
        if not id or " " in id:
            raise FormatError("a query without a number" if not id else f"not a number: {id!r}", text.path, line)
        topics.append(make_topic(id, {**parts, "title": co_query(query), "indri": query}, path=text.path, line=line))
    if not topics:
        raise FormatError("holds no query element", text.path, 1)
    return topics


def co_query(query: str) -> str:
    """Convert an Indri query to a content-only query.

    >>> co_query("#combine( nobel prize )")
    'nobel prize'
    >>> co_query("#weight( 0.8 #combine(xml #1(edit distance)) 0.2 #not(#uw4(web page)) )")
    'xml "edit distance" -"web page"'
    """
    terms, _ = _terms(_TOKEN.findall(query), 0, "")
    return " ".join(terms)


def _terms(tokens: list[str], at: int, operator: str) -> tuple[list[str], int]:
    """Return the terms up to the closing bracket, and the position after it."""
    terms: list[str] = []
    weight = operator in _WEIGHTED
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token == ")":
            break
        if weight:
            weight = False
            continue
        weight = operator in _WEIGHTED
        if token.endswith("("):
            inner, at = _terms(tokens, at, re.split(r"[\[:(\s]", token)[0].lower())
            terms += inner
        else:
            terms.append(collapse(token))
    if _WINDOW.match(operator) and len(terms) > 1:
        terms = ['"' + " ".join(term.strip('"') for term in terms) + '"']
    if operator == "#not":
        terms = [term if term.startswith("-") else f"-{term}" for term in terms]
    return terms, at
