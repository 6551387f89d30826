"""Structured queries, NEXI with the child axis [RETRIEVAL, section 7; INEX, section 2].

::

    cas     = step { step }
    step    = ( "//" | "/" ) test { "[" cond "]" }        several filters mean and
    test    = name | "*" | "(" name { "|" name } ")" | "@" name
    cond    = cond "or" cond | cond "and" cond | "(" cond ")" | about | compare
    about   = "about" "(" relpath "," words ")"
    compare = relpath ( "=" | "==" | "!=" | "<" | "<=" | ">" | ">=" ) ( number | 'string' | "string" )
    relpath = "." { ( "//" | "/" ) test } | "@" name      an attribute of the element itself: ./@name

``and`` binds tighter than ``or``. The words of an about() end at the first ``)`` outside double quotes. If they
contain AND, OR or NOT, they may have parentheses of their own, and end at the first unmatched ``)``. Among the words,
commas are white space, ``'`` is part of a word, and ``and`` and ``or`` are words.
"""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from trix.errors import QueryError
from trix.query.language.boolean import is_group, nested_end
from trix.query.language.nexi_tree import (
    NUMBER,
    About,
    Axis,
    Compare,
    Condition,
    Nexi,
    NexiPath,
    NexiStep,
    NodeTest,
    Operator,
    joined,
)
from trix.query.language.terms import And, Or
from trix.query.language.written import QUOTES, written_term

DEEPEST = 100
"""Largest nesting of parentheses."""

_MARKS = "\u0300-\u036f\u203f\u2040\u00b7"
_NAME = re.compile(rf"[^\W\d][\w.{_MARKS}-]*(?::[^\W\d][\w.{_MARKS}-]*)?")
_SPACE = re.compile(r"\s*")
_AXIS = re.compile(r"//?")
_OPERATOR = re.compile(r"==|!=|<=|>=|=|<|>")
_WORD_OPERATOR = re.compile(r"(and|or)(?![\w.-])", re.IGNORECASE)
_ABOUT = re.compile(r"about\s*\(", re.IGNORECASE)
_CHUNK = re.compile(rf"[^\s,){QUOTES}]+")
_BETWEEN = re.compile(r"[\s,]*")


class ParsedNexi(NamedTuple):
    """A structured query and its notices, one line each."""

    query: Nexi
    notices: tuple[str, ...] = ()


def parse_nexi(text: str, *, lenient: bool = False, slash_descends: bool = False) -> ParsedNexi:
    """Parse a structured query.

    Parameters
    ----------
    text
        The query as written.
    lenient
        For topic files: unbalanced quotes and lone signs in an about() are dropped with a notice, and so is an
        about() without words.
    slash_descends
        For topic files of 2003 and before: ``/`` means ``//``.

    Raises
    ------
    QueryError
        With the column of the character at fault, what was expected, and where it helps, a hint.

    Examples
    --------
    >>> print(parse_nexi("//article [about(.,IBM, research)] // (sec|p)[.//yr>1999 AND (about(.//st,'x'))]").query)
    //article[about(., IBM research)]//(sec|p)[.//yr > 1999 and about(.//st, 'x')]
    >>> print(parse_nexi("//div[@type='edition'][about(., vixit)]").query)
    //div[./@type = "edition" and about(., vixit)]
    >>> print(parse_nexi("/article/sec[about(., tree)]", slash_descends=True).query)
    //article//sec[about(., tree)]
    >>> parse_nexi("//sec[about(., tree]")
    Traceback (most recent call last):
    trix.errors.QueryError: query, column 12: the ) that closes about( is missing: //sec[about(., tree]
    """
    parser = _NexiParser(text, lenient, slash_descends)
    query = parser.query()
    return ParsedNexi(query, tuple(parser.notices))


class _NexiParser:
    """Recursive-descent parser; `at` is the position of the next unread character."""

    def __init__(self, text: str, lenient: bool, slash_descends: bool) -> None:
        self.text, self.lenient, self.slash_descends = text, lenient, slash_descends
        self.at = 0
        self.depth = 0
        self.notices: list[str] = []

    # -- characters -------------------------------------------------------------------------------------------------

    def next(self) -> str:
        """Skip white space; return the next character, "" at the end."""
        self.at = cast("re.Match[str]", _SPACE.match(self.text, self.at)).end()
        return self.text[self.at : self.at + 1]

    def take(self, pattern: re.Pattern[str]) -> str:
        """Skip white space and consume a match; "" if there is none."""
        self.next()
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found.group()

    def expect(self, character: str, reason: str, hint: str = "") -> None:
        if self.next() != character:
            raise self.fault(reason, hint=hint)
        self.at += 1

    def fault(self, reason: str, at: int | None = None, hint: str = "") -> QueryError:
        return QueryError(reason, self.text, (self.at if at is None else at) + 1, hint)

    # -- steps ------------------------------------------------------------------------------------------------------

    def query(self) -> Nexi:
        if self.next() != "/":
            raise self.fault("a structured query begins with / or //")
        steps = []
        while self.next() == "/":
            steps.append(self.step())
        if self.next():
            raise self.after_step()
        return Nexi(tuple(steps))

    def after_step(self) -> QueryError:
        here = self.next()
        if here == "|":
            return self.fault("expected a step, a filter or the end", hint="alternatives are written //(sec|p)")
        if here == "(":
            return self.fault("a step has a name, not a function")
        if self.text.startswith("::", self.at):
            return self.fault("axes have no names", hint="use / for children and // for descendants")
        return self.fault("expected a step, a filter or the end of the query")

    def step(self) -> NexiStep:
        test = self.test()
        conditions: list[Condition] = []
        while self.next() == "[":
            opened = self.at
            self.at += 1
            conditions.append(self.condition())
            if not self.next():
                raise self.fault("the [ is never closed", opened)
            self.expect("]", "expected and, or, or the ] that closes the filter")
        return NexiStep(test, joined(And, conditions) if conditions else None)

    def test(self) -> NodeTest:
        axis = self.take(_AXIS)
        if self.slash_descends:
            axis = "//"
        here = self.next()
        if here == "*":
            self.at += 1
            return NodeTest(cast(Axis, axis), ("*",))
        if here == "@":
            self.at += 1
            return NodeTest(cast(Axis, axis), ("@" + self.name("expected the name of an attribute after @"),))
        if here != "(":
            return NodeTest(cast(Axis, axis), (self.name("expected a name, *, @name or (name|name)"),))
        opened = self.at
        self.at += 1
        names = [self.name("expected a name")]
        while self.next() == "|":
            self.at += 1
            names.append(self.name("expected a name after |"))
        if not self.next():
            raise self.fault("the ( is never closed", opened)
        self.expect(")", "expected | or the ) that closes the alternatives")
        return NodeTest(cast(Axis, axis), tuple(dict.fromkeys(names)))

    def name(self, reason: str) -> str:
        if not (name := self.take(_NAME)):
            hint = "three slashes are one too many" if self.text[self.at : self.at + 1] == "/" else ""
            raise self.fault(reason, hint=hint)
        return name

    def path(self) -> NexiPath:
        """Parse a relative path from its dot, or an attribute without one, as in XPath."""
        if self.next() == "@":
            self.at += 1
            return (NodeTest("/", ("@" + self.name("expected the name of an attribute after @"),)),)
        self.expect(".", "expected a path that begins with a dot", hint="as . or .//p or ./title")
        tests = []
        while self.next() == "/":
            tests.append(self.test())
        return tuple(tests)

    # -- conditions -------------------------------------------------------------------------------------------------

    def condition(self) -> Condition:
        """Parse conditions joined by ``or``, and inside these by ``and``."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault(f"parentheses are nested more than {DEEPEST} deep")
        alternatives, together = list[Condition](), [self.atom()]
        while operator := self.take(_WORD_OPERATOR).lower():
            if operator == "or":
                alternatives.append(joined(And, together))
                together = []
            together.append(self.atom())
        self.depth -= 1
        return joined(Or, [*alternatives, joined(And, together)])

    def atom(self) -> Condition:
        here = self.next()
        if here == "(":
            opened = self.at
            self.at += 1
            inner = self.condition()
            if not self.next():
                raise self.fault("the ( is never closed", opened)
            self.expect(")", "expected and, or, or the ) that closes the parenthesis")
            return inner
        if here in (".", "@"):
            return self.comparison()
        opened = self.at
        if self.take(_ABOUT):
            return self.about(opened)
        if here.isdigit():
            raise self.fault("expected about(...), a comparison or (", hint="positions are no part of NEXI")
        if here == "]":
            raise self.fault("the filter is empty; expected about(...), a comparison or (")
        name = _NAME.match(self.text, self.at)
        if name and self.text[name.end() :].lstrip().startswith("("):
            raise self.fault(f"{name.group()}() is unknown; the only function is about(path, words)")
        hint = "paths in filters begin with a dot" if name or here == "/" else ""
        raise self.fault("expected about(...), a comparison or (", hint=hint)

    def comparison(self) -> Compare:
        path = self.path()
        operator = self.take(_OPERATOR)
        if not operator:
            raise self.fault("expected =, !=, <, <=, > or >= after the path")
        return Compare(path, cast(Operator, "=" if operator == "==" else operator), self.literal())

    def literal(self) -> str:
        here = self.next()
        if here in ("'", '"') and here:
            closing = self.text.find(here, self.at + 1)
            if closing < 0:
                raise self.fault("the quote is never closed")
            value = self.text[self.at + 1 : closing]
            self.at = closing + 1
            return value
        number = self.take(NUMBER)
        following = self.text[self.at : self.at + 1]
        if not number or following.isalnum() or following in ("_", "-", ".", "/"):
            start = self.at - len(number)
            raise self.fault("expected a number or a text in quotes", start, hint="as 1999, 'Smith' or \"2001-12-31\"")
        return number

    # -- about ------------------------------------------------------------------------------------------------------

    def about(self, opened: int) -> About:
        path = self.path()
        self.expect(",", "expected the comma after the path of about", hint="as about(., words)")
        self.next()
        start = self.at
        text = self.words(opened)
        return About(path, text, start + 1)

    def words(self, opened: int) -> str:
        """Read the words of an about() and its closing parenthesis; return them in canonical form."""
        words, apart = "", ""
        start = self.at
        end = nested_end(self.text, start)
        while True:
            self.at = cast("re.Match[str]", _BETWEEN.match(self.text, self.at)).end()
            here = self.text[self.at : self.at + 1]
            if not here:
                raise self.fault("the ) that closes about( is missing", opened + len("about"))
            if here == ")" and self.at >= end:
                break
            nests = end and (here == ")" or (here == "(" and not is_group(self.text, self.at)))
            term = here if nests else self.term()
            self.at += bool(nests)
            if term:
                words += ("" if nests and here == ")" else apart) + term
                apart = "" if nests and here == "(" else " "
        if not words:
            self.drop("about() has no words; expected a word or a phrase in quotes", start)
        self.at += 1
        return words

    def term(self) -> str:
        written = written_term(self.text, self.at, _CHUNK, self.drop)
        self.at = written.end
        return str(written)

    def drop(self, reason: str, at: int) -> None:
        if not self.lenient:
            raise self.fault(reason, at)
        self.notices.append(f"query, column {at + 1}: {reason}; dropped")
