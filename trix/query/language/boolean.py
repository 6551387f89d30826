"""AND, OR and NOT between the terms of a query [QUERY, section 11].

::

    or      = and { [ "OR" ] and }             terms beside each other mean OR
    and     = not { "AND" not }
    not     = [ "NOT" ] ( term | "(" or ")" )
"""

from __future__ import annotations

import re
from collections.abc import Callable

from trix.query.language.terms import And, Condition, Not, Or, Term
from trix.query.language.written import QUOTED, QUOTES, Fault, Written, written_term

DEEPEST = 100
"""Largest nesting of parentheses and NOT."""

_CHUNK = re.compile(rf"[^\s(){QUOTES}]+")
_SPACE = re.compile(r"\s*")
_OPERATOR = re.compile(rf"(?:AND|OR|NOT)(?=[\s(){QUOTES}]|$)")


def has_operators(text: str) -> bool:
    """Whether AND, OR or NOT occur in a query, in capitals and outside of quotes.

    >>> has_operators("slave AND trade"), has_operators('"slave AND trade" ORE'), has_operators("(NOT x)")
    (True, False, True)
    """
    if not any(operator in text for operator in ("AND", "OR", "NOT")):
        return False
    return any(_OPERATOR.match(word) for word in re.split(r"[\s(]+", QUOTED.sub(" ", text)))


class BooleanReader:
    """Recursive-descent parser of a query with operators.

    Parameters
    ----------
    text
        The query.
    term
        Makes a term of its text, given whether a NOT excludes it; None if no word is left of it.
    fault
        Callback for an error and its position; if it returns, the faulty part is dropped.
    """

    def __init__(self, text: str, term: Callable[[Written, bool], Term | None], fault: Fault) -> None:
        self.text, self.term, self.fault = text, term, fault
        self.at = self.depth = 0
        self.forbids = False

    def read(self) -> Condition | None:
        """Parse the condition; None if no word is left of the query."""
        found = self._either()
        while self._next():  # a parenthesis that closes nothing
            self.fault("the ) closes nothing", self.at)
            self.at += 1
            found = _joined(Or, [found, self._either()])
        return found

    def _next(self) -> str:
        space = _SPACE.match(self.text, self.at)
        self.at = space.end() if space else self.at
        return self.text[self.at : self.at + 1]

    def _operator(self, *wanted: str) -> str:
        """Consume the next token if it is an operator; return it."""
        self._next()
        found = _OPERATOR.match(self.text, self.at)
        if found is None or found.group() not in wanted:
            return ""
        self.at = found.end()
        return found.group()

    def _either(self) -> Condition | None:
        parts = [self._both()]
        while (here := self._next()) and here != ")":
            begun = self.at
            self._operator("OR")
            if self._next() in ("", ")"):
                self.fault("nothing follows OR", begun)
                break
            parts.append(self._both())
        return _joined(Or, parts)

    def _both(self) -> Condition | None:
        parts = [self._one()]
        while self._operator("AND"):
            parts.append(self._one())
        return _joined(And, parts)

    def _one(self) -> Condition | None:
        here, begun = self._next(), self.at
        if here in ("", ")"):
            self.fault("expected a term after the operator", max(0, begun - 1))
            return None
        if operator := self._operator("AND", "OR"):
            self.fault(f"expected a term before {operator}", begun)
            return None
        self.depth += 1
        if self.depth > DEEPEST:
            self.fault(f"operators are nested more than {DEEPEST} deep", begun)
            self.at = len(self.text)
            return None
        found: Condition | None
        if self._operator("NOT"):
            self.forbids = not self.forbids
            inner = self._one()
            self.forbids = not self.forbids
            found = inner and Not(inner)
        elif here == "(" and not is_group(self.text, self.at):
            self.at += 1
            found = self._either()
            if self._next() == ")":
                self.at += 1
            else:
                self.fault("the ( is never closed", begun)
        else:
            written = written_term(self.text, self.at, _CHUNK, self.fault)
            self.at = max(written.end, self.at + 1)
            found = self.term(written, self.forbids) if written else None
        self.depth -= 1
        return found


def is_group(text: str, at: int) -> bool:
    """Whether a parenthesis lists alternatives: a bar comes before the next parenthesis."""
    inner = re.match(r"[^()]*", QUOTED.sub(lambda found: "x" * len(found.group()), text[at + 1 :]))
    return inner is not None and "|" in inner.group()


def nested_end(text: str, begin: int) -> int:
    """Return the position of the parenthesis that closes the one before `begin`, if there are operators in it; else 0.

    >>> nested_end("(a OR b) AND c) d", 0), nested_end("(a b) c) d", 0), nested_end('"x) OR" y)', 0)
    (14, 0, 0)
    """
    depth, at = 0, begin
    blanked = QUOTED.sub(lambda found: "x" * len(found.group()), text)
    while at < len(text) and (depth or blanked[at] != ")"):
        depth += {"(": 1, ")": -1}.get(blanked[at], 0)
        at += 1
    return at if at < len(text) and has_operators(text[begin:at]) else 0


def _joined(kind: type[And[Condition]] | type[Or[Condition]], parts: list[Condition | None]) -> Condition | None:
    flat: list[Condition] = []
    for part in parts:
        if isinstance(part, kind):
            flat += part.parts
        elif part is not None:
            flat.append(part)
    return None if not flat else flat[0] if len(flat) == 1 else kind(tuple(flat))
