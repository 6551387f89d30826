"""Parser of filters: ``year >= 2015 and journal = "eLife" and not author ~ smith`` [QUERY, section 2].

The language::

    filter     = and { "or" and }
    and        = not { "and" not }
    not        = "not" not | "(" filter ")" | comparison
    comparison = name ( operator value | "in" "(" value { "," value } ")" | "exists" )
    operator   = "=" | "!=" | "<" | "<=" | ">" | ">=" | "~"
    value      = '"' text '"' | "'" text "'" | characters without white space, quotes, ( ) , = ! < > ~

Of numbers and dates a value of ``=``, ``!=`` and ``in`` can be a range, as ``1990..1999``, ``2015..`` or ``0.5..<1``.
A quote inside a quoted value is written twice. The words of the language count in any case.

Cost: one pass over the text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from trix.errors import QueryError
from trix.indexer.fields.filter_tree import (
    WORDS,
    Condition,
    Filter,
    FilterAll,
    FilterAny,
    FilterComparison,
    FilterExists,
    FilterNot,
    FilterOneOf,
    FilterValue,
    joined,
)

OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "~")
DEEPEST = 100
"""Largest nesting of parentheses and *not*."""

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<quoted>\"(?:[^\"]|\"\")*\"|'(?:[^']|'')*')|(?P<operator>!=|<=|>=|[=<>~])"
    r"|(?P<mark>[(),])|(?P<bare>(?:[^\s\"'(),=!<>~]*\.\.<)?[^\s\"'(),=!<>~]+)"
)
_EXPECTED = f"expected {', '.join(OPERATORS)}, in or exists"


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


def parse_filter(text: str) -> Filter:
    """Parse a filter.

    Raises
    ------
    QueryError
        Syntax error, with its column.

    Examples
    --------
    >>> str(parse_filter("year>=2015 AND (journal = 'eLife' or not author~smith)"))
    'year >= 2015 and (journal = eLife or not author ~ smith)'
    >>> parse_filter("year > ")
    Traceback (most recent call last):
    trix.errors.QueryError: where, column 8: expected a value after >: year >
    """
    parser = _FilterParser(text)
    condition = parser.any(0)
    if parser.token.kind != "end":
        raise parser.fault("expected and, or, or the end")
    return Filter(condition, text)


class _FilterParser:
    def __init__(self, text: str) -> None:
        self.text, self._tokens, self._at = text, list[_Token](), 0
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                quoted = text[at] in "\"'"
                fault = "the quote is never closed" if quoted else f"{text[at]!r} is no operator; {_EXPECTED}"
                raise QueryError(fault, text, at + 1, what="where")
            if match.lastgroup != "space":
                self._tokens.append(_Token(str(match.lastgroup), match.group(), at + 1))
            at = match.end()
        self._tokens.append(_Token("end", "", len(text) + 1))

    @property
    def token(self) -> _Token:
        return self._tokens[self._at]

    def next(self) -> _Token:
        token = self.token
        self._at += token.kind != "end"
        return token

    def fault(self, reason: str, token: _Token | None = None) -> QueryError:
        return QueryError(reason, self.text, (token or self.token).column, what="where")

    def word(self, *words: str) -> bool:
        """Consume the next token if it is one of some reserved words."""
        found = self.token.kind == "bare" and self.token.text.lower() in words
        self._at += found
        return found

    def mark(self, mark: str) -> bool:
        found = self.token.kind == "mark" and self.token.text == mark
        self._at += found
        return found

    def any(self, depth: int) -> Condition:
        parts = [self.all(depth)]
        while self.word("or"):
            parts.append(self.all(depth))
        found: Condition = joined(parts, FilterAny)
        return found

    def all(self, depth: int) -> Condition:
        parts = [self.negated(depth)]
        while self.word("and"):
            parts.append(self.negated(depth))
        found: Condition = joined(parts, FilterAll)
        return found

    def negated(self, depth: int) -> Condition:
        if depth > DEEPEST:
            raise self.fault(f"more than {DEEPEST} nested parentheses")
        if self.word("not"):
            return FilterNot(self.negated(depth + 1))
        opening = self.token
        if self.mark("("):
            inner = self.any(depth + 1)
            if not self.mark(")"):
                raise self.fault("the parenthesis is never closed", opening if self.token.kind == "end" else None)
            return inner
        return self.comparison()

    def comparison(self) -> Condition:
        name = self.next()
        if name.kind != "bare" or name.text.lower() in WORDS:
            raise self.fault("expected the name of a field, such as year", name)
        if self.word("exists"):
            return FilterExists(name.text, name.column)
        if self.word("in"):
            return FilterOneOf(name.text, self.values(), name.column)
        operator = self.token
        if operator.kind != "operator":
            raise self.fault(f"{_EXPECTED} after {name.text}")
        self.next()
        return FilterComparison(name.text, operator.text, self.value(operator.text), name.column)

    def values(self) -> tuple[FilterValue, ...]:
        if not self.mark("("):
            raise self.fault("expected ( after in, such as year in (2014, 2015)")
        values = [self.value("(")]
        while self.mark(","):
            values.append(self.value(","))
        if not self.mark(")"):
            raise self.fault("expected , or )")
        return tuple(values)

    def value(self, before: str) -> FilterValue:
        token = self.token
        if token.kind == "quoted":
            quote = token.text[0]
            text = token.text[1:-1].replace(quote * 2, quote)
        elif token.kind == "bare" and token.text.lower() not in WORDS:
            text = token.text
        else:
            raise self.fault(f"expected a value after {before}")
        self.next()
        if not text.strip():
            raise self.fault("the value is empty; write NAME exists to test whether there is one", token)
        return FilterValue(text, token.column)
