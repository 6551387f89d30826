"""A query that works, for the message on one that does not: the nearest of some simple repairs that parses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trix.errors import QueryError, TrixError
from trix.indexer.fields.filters import parse_filter
from trix.indexer.words.analyzer import Analyzer
from trix.query.language.keywords import is_structured, parse
from trix.query.language.nexi import parse_nexi
from trix.query.language.written import QUOTES

_CLOSED_BY = {"(": ")", "[": "]"}
_DANGLING = re.compile(r"(?:\s+(?:AND|OR|NOT|and|or|not)|[\s\"'+~^(\[|=<>!,.-])+$")
_SIGNS_ALONE = re.compile(r"(?<!\S)[+-]+(?!\S)|(?<=\s)\^\S*")
_EDITS = re.compile(r"~\d+")
_FUNCTION = re.compile(r"(?<![\w.])(?!about\b|and\b|or\b|not\b)[a-z]+\((?=\s*\.)", re.IGNORECASE)
_WORDS = re.compile(r"\w[\w'-]*")
_FIRST_TAG = re.compile(r"//?\s*(\w[\w.:-]*)")
_LONGEST = 200
"""Largest number of characters of a query for which a repaired form is suggested."""


def working(error: QueryError) -> str:
    """Return a query or filter that parses, close to the one of an error; empty if there is none.

    >>> working(QueryError("the quote is never closed", 'xml "tree', 5))
    'xml "tree"'
    >>> working(QueryError("the ) that closes about( is missing", "//sec[about(., tree", 12))
    '//sec[about(., tree)]'
    >>> working(QueryError("expected a term after the operator", "tree AND", 5))
    'tree'
    >>> working(QueryError("expected and, or, or the end", "year > 3 an", 10, what="where"))
    'year > 3'
    >>> working(QueryError("expected a value after >", "year >", 7, what="where"))
    'year exists'
    >>> working(QueryError("nothing follows the +", "+", 1))
    ''
    """
    if error.example or len(error.query) > _LONGEST:
        return error.example
    for repaired in dict.fromkeys(_repairs(error)):
        if repaired and repaired != error.query and _parses(repaired, error.what):
            return repaired
    return ""


def _repairs(error: QueryError) -> Iterator[str]:
    """Yield repairs of a query, those that leave most of it first."""
    text = error.query.strip()
    trimmed = _DANGLING.sub("", text)
    yield _closed(text)
    yield _closed(trimmed)
    if error.what == "where":
        yield _DANGLING.sub("", text[: error.column - 1])
        yield _DANGLING.sub("", text.rpartition(" ")[0])
        yield from (f"{name} exists" for name in _WORDS.findall(text)[:1])
        return
    if is_structured(text):
        yield _closed(_FUNCTION.sub("about(", trimmed))
        tag, words = _FIRST_TAG.search(text), re.findall(r",\s*([^()\[\],]+)", text)
        if tag:
            yield f"//{tag[1]}[about(., {' '.join(words[0].split())})]" if words else f"//{tag[1]}"
        return
    yield _EDITS.sub("~2", text)
    yield _closed(_DANGLING.sub("", _SIGNS_ALONE.sub("", _EDITS.sub("~2", text))))
    yield " ".join(word for word in _WORDS.findall(text) if word not in ("AND", "OR", "NOT"))


def _closed(text: str) -> str:
    """Return a text with the quotes and brackets closed that are open at its end.

    >>> _closed('a "b (c'), _closed("a (b [c"), _closed("a")
    ('a "b (c"', 'a (b [c])', 'a')
    """
    missing, quoted = "", False
    for character in text:
        if character in QUOTES:
            quoted = not quoted
        elif not quoted and character in _CLOSED_BY:
            missing = _CLOSED_BY[character] + missing
        elif not quoted and missing.startswith(character):
            missing = missing[1:]
    return text + ('"' if quoted else "") + missing


def _parses(text: str, what: str) -> bool:
    try:
        if what == "where":
            parse_filter(text)
        elif is_structured(text):
            parse_nexi(text)
        else:
            return bool(parse(text, Analyzer(stem="none", stop="none"), operators="boolean").query)
    except TrixError:
        return False
    return True
