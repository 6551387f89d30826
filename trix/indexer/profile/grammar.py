"""XPath 1.0 parser: tokens, and a recursive descent to a syntax tree.

lxml evaluates XPaths. The tree shows what an XPath depends on, so that simple ones need no XPath engine and only a part
of the document. It also locates syntax errors, which lxml does not. There is one parser method per level of the grammar
[XPath 1.0, section 3]::

    expression = unary { operator unary }          operators bind as in `_BINDING`
    unary      = { "-" } union
    union      = path { "|" path }
    path       = "/" | [ "/" | "//" ] steps | filter [ ( "/" | "//" ) steps ]
    steps      = step { ( "/" | "//" ) step }
    step       = "." | ".." | [ axis "::" | "@" ] test { "[" expression "]" }
    test       = name | "*" | prefix ":*" | type "(" [ literal ] ")"
    type       = "text" | "comment" | "node" | "processing-instruction"
    filter     = primary { "[" expression "]" }
    primary    = "(" expression ")" | literal | number | "$" name | name "(" [ expression { "," expression } ] ")"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, NoReturn

from trix.errors import did_you_mean

NAME = r"[^\W\d][\w.\-]*"

_TOKEN = re.compile(
    rf"\s*(?:(?P<literal>\"[^\"]*\"|'[^']*')|(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<variable>\${NAME}(?::{NAME})?)"
    rf"|(?P<axis>[^\W\d][\w\-]*)\s*::|(?P<name>{NAME}(?::(?:{NAME}|\*))?)"
    r"|(?P<mark>\.\.|//|!=|<=|>=|\S)|$)",
    re.DOTALL,
)
_WORDS = ("and", "or", "div", "mod")
_NODE_TYPES = ("text", "comment", "node", "processing-instruction")
_AXES = (
    "ancestor", "ancestor-or-self", "attribute", "child", "descendant", "descendant-or-self", "following",
    "following-sibling", "namespace", "parent", "preceding", "preceding-sibling", "self",
)  # fmt: skip
_BEFORE_OPERAND = {"", "@", "(", "[", ",", "::", "/", "//", "|", "+", "-", "=", "!=", "<", "<=", ">", ">="}
"""An operand follows these and operators; after anything else ``*`` and ``and`` are operators [XPath 1.0, section
3.7].
"""

_BINDING = {
    "or": 0, "and": 1, "=": 2, "!=": 2, "<": 3, "<=": 3, ">": 3, ">=": 3, "+": 4, "-": 4, "*": 5, "div": 5, "mod": 5,
}  # fmt: skip
"""Precedence of binary operators; higher numbers bind tighter."""

_FUNCTIONS = {
    "last": (0, 0), "position": (0, 0), "count": (1, 1), "id": (1, 1), "local-name": (0, 1), "namespace-uri": (0, 1),
    "name": (0, 1), "string": (0, 1), "concat": (2, None), "starts-with": (2, 2), "contains": (2, 2),
    "substring-before": (2, 2), "substring-after": (2, 2), "substring": (2, 3), "string-length": (0, 1),
    "normalize-space": (0, 1), "translate": (3, 3), "boolean": (1, 1), "not": (1, 1), "true": (0, 0), "false": (0, 0),
    "lang": (1, 1), "number": (0, 1), "sum": (1, 1), "floor": (1, 1), "ceiling": (1, 1), "round": (1, 1),
}  # fmt: skip
"""Functions of XPath 1.0, with the least and largest number of arguments."""

MOST_NESTED = 100
"""Limit of operators and brackets, which bounds the depth of recursion."""


class NotXPathError(ValueError):
    """Syntax error, with the reason and the 1-based column."""

    def __init__(self, reason: str, column: int) -> None:
        super().__init__(reason)
        self.reason, self.column = reason, column


class WrongCallError(NotXPathError):
    """Call of an unknown function, or with a wrong number of arguments."""


class Token(NamedTuple):
    """Token: kind, text without white space, and offset.

    Kinds are literal, number, variable, axis, test (of names), word (operator), call (function or node type), mark, and
    end.
    """

    kind: str
    text: str
    begin: int


class Predicate(NamedTuple):
    """Condition in brackets, and its range between them."""

    condition: Expression
    begin: int
    end: int


class Step(NamedTuple):
    """Step of a path.

    Attributes
    ----------
    deep
        Whether it follows ``//``.
    axis
        Name of the axis; ``child`` by default, ``attribute`` for ``@``.
    test
        Name as written, ``*``, ``prefix:*``, or a node type such as ``text()``.
    predicates
        Its conditions.
    """

    deep: bool
    axis: str
    test: str
    predicates: tuple[Predicate, ...] = ()

    @property
    def local_name(self) -> str:
        """Name without prefix; empty for wildcards and node types."""
        return "" if self.test.endswith(("*", ")")) else self.test.rpartition(":")[2]


class XPathTree(NamedTuple):
    """Path from the root, the context node, or a filter; a parenthesised filter is a path without steps.

    Attributes
    ----------
    absolute
        Whether it begins at the root.
    steps
        Its steps.
    begin, end
        Range in the text.
    origin, predicates
        Expression that it starts from, and conditions on it; usually None and empty.
    """

    absolute: bool
    steps: tuple[Step, ...]
    begin: int
    end: int
    origin: Expression | None = None
    predicates: tuple[Predicate, ...] = ()


class Call(NamedTuple):
    """Function call."""

    name: str
    arguments: tuple[Expression, ...]


class Operation(NamedTuple):
    """Operator with its operands: one for a sign, any number for ``|``, else two."""

    operator: str
    operands: tuple[Expression, ...]


class Value(NamedTuple):
    """Literal with its quotes, number, or variable with its sign."""

    text: str


Expression = XPathTree | Call | Operation | Value


def tokens(xpath: str) -> list[Token]:
    """Split an XPath into tokens, the last of kind ``end``.

    >>> [token.kind for token in tokens("count(div) div 2")]
    ['call', 'mark', 'test', 'mark', 'word', 'number', 'end']
    """
    found: list[Token] = []
    previous, at = "", 0
    while not found or found[-1].kind != "end":
        match = _TOKEN.match(xpath, at)
        assert match is not None  # any character is a mark
        kind, at = match.lastgroup or "end", match.end()
        text = match[kind] if match.lastgroup else ""
        if kind == "name" or text == "*":
            if previous not in _BEFORE_OPERAND and text in (*_WORDS, "*"):
                kind = "word"
            else:
                kind = "call" if text != "*" and xpath[at:].lstrip()[:1] == "(" else "test"
        found.append(Token(kind, text, match.start(kind) if kind == match.lastgroup else at - len(text)))
        previous = text if kind == "mark" else "" if kind == "word" else "::" if kind == "axis" else kind
    return found


@lru_cache(maxsize=256)
def parse(xpath: str) -> Expression:
    """Return the syntax tree of an XPath.

    Raises
    ------
    NotXPathError
        It is not one; a `WrongCallError` where only a call is wrong.

    Examples
    --------
    >>> parse("/a//@b")
    XPathTree(absolute=True, steps=(Step(deep=False, axis='child', test='a', predicates=()), \
Step(deep=True, axis='attribute', test='b', predicates=())), begin=0, end=6, origin=None, predicates=())
    >>> parse("//a[b or]")
    Traceback (most recent call last):
    trix.indexer.profile.grammar.NotXPathError: expected an operand, found ]
    """
    return _Parser(tokens(xpath)).whole()


def parsed(xpath: str) -> Expression | None:
    """Parse an XPath; None if only lxml accepts it."""
    try:
        return parse(xpath)
    except NotXPathError:
        return None


def alternatives(expression: Expression | None) -> Sequence[Expression | None]:
    """Return the operands of a union; another expression is its own only alternative."""
    return expression.operands if isinstance(expression, Operation) and expression.operator == "|" else [expression]


class _Parser:
    def __init__(self, found: Sequence[Token]) -> None:
        self._tokens, self._at, self._deeper = found, 0, 0

    def whole(self) -> Expression:
        expression = self._expression()
        if self._token.kind != "end":
            self._fail("expected an operator or the end")
        return expression

    # -- tokens -----------------------------------------------------------------------------------------------------

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        self._at += 1
        return self._tokens[self._at - 1]

    def _take(self, *marks: str) -> str:
        """Consume the next token if it is one of these marks; return its text, else an empty string."""
        return self._next().text if self._token.kind == "mark" and self._token.text in marks else ""

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            self._fail(f"expected {mark}")

    def _fail(self, reason: str) -> NoReturn:
        token = self._token
        quote = token.text[:1] in ("'", '"') and token.kind == "mark"
        found = "the quote is never closed" if quote else f"{reason}, found {token.text or 'the end'}"
        raise NotXPathError(found, token.begin + 1)

    # -- expressions ------------------------------------------------------------------------------------------------

    def _expression(self, binding: int = 0) -> Expression:
        """Parse operands and operators of at least this precedence."""
        left = self._unary()
        while self._token.kind in ("mark", "word") and _BINDING.get(self._token.text, -1) >= binding:
            self._deepen()
            operator = self._next().text
            left = Operation(operator, (left, self._expression(_BINDING[operator] + 1)))
        return left

    def _unary(self) -> Expression:
        if self._take("-"):
            self._deepen()
            return Operation("-", (self._unary(),))
        operands = [self._path()]
        while self._take("|"):
            operands.append(self._path())
        return operands[0] if len(operands) == 1 else Operation("|", tuple(operands))

    def _path(self) -> Expression:
        begin = self._token.begin
        if self._token.kind in ("literal", "number", "variable") or self._is_call() or self._token.text == "(":
            return self._from_filter(begin)
        lead = self._take("/", "//")
        if lead == "/" and not self._begins_step():
            return XPathTree(True, (), begin, self._end())
        steps = self._steps(lead == "//")
        return XPathTree(bool(lead), steps, begin, self._end())

    def _from_filter(self, begin: int) -> Expression:
        primary = self._primary()
        predicates = self._predicates()
        lead = self._take("/", "//")
        if not lead and not predicates:
            return primary
        steps = self._steps(lead == "//") if lead else ()
        return XPathTree(False, steps, begin, self._end(), primary, predicates)

    def _primary(self) -> Expression:
        token = self._next()
        if token.kind == "call":
            return self._call(token)
        if token.kind != "mark":
            return Value(token.text)
        expression = self._nest()
        self._expect(")")
        return expression

    def _call(self, name: Token) -> Call:
        self._expect("(")
        arguments = list[Expression]()
        while not self._take(")"):
            if arguments:
                self._expect(",")
            arguments.append(self._nest())
        if ":" not in name.text:
            column, count = name.begin + 1, len(arguments)
            if name.text not in _FUNCTIONS:
                known = did_you_mean(name.text, _FUNCTIONS)
                raise WrongCallError(f"XPath has no function {name.text}{known}", column)
            fewest, most = _FUNCTIONS[name.text]
            if not fewest <= count <= (count if most is None else most):
                wanted = f"{fewest} arguments" if fewest == most else f"{fewest} to {most or 'any number of'} arguments"
                raise WrongCallError(f"{name.text}() takes {wanted}, not {count}", column)
        return Call(name.text, tuple(arguments))

    def _nest(self) -> Expression:
        self._deepen()
        return self._expression()

    def _deepen(self) -> None:
        self._deeper += 1
        if self._deeper > MOST_NESTED:
            self._fail(f"expected at most {MOST_NESTED} operators and brackets")

    def _predicates(self) -> tuple[Predicate, ...]:
        return tuple(self._each_predicate())

    def _each_predicate(self) -> Iterator[Predicate]:
        while self._token.text == "[" and self._token.kind == "mark":
            begin = self._next().begin + 1
            condition = self._nest()
            end = self._token.begin
            self._expect("]")
            yield Predicate(condition, begin, end)

    # -- steps ------------------------------------------------------------------------------------------------------

    def _end(self) -> int:
        """Return the end of the last consumed token."""
        token = self._tokens[self._at - 1]
        return token.begin + len(token.text)

    def _is_call(self) -> bool:
        return self._token.kind == "call" and self._token.text not in _NODE_TYPES

    def _begins_step(self) -> bool:
        token = self._token
        is_node = token.kind == "call" and token.text in _NODE_TYPES
        return token.kind in ("axis", "test") or is_node or (token.kind == "mark" and token.text in ("@", ".", ".."))

    def _steps(self, deep: bool) -> tuple[Step, ...]:
        steps = [self._step(deep)]
        while lead := self._take("/", "//"):
            steps.append(self._step(lead == "//"))
        return tuple(steps)

    def _step(self, deep: bool) -> Step:
        if not self._begins_step():
            self._fail(
                "expected an operand" if self._tokens[self._at - 1].text not in ("/", "//") else "expected a step"
            )
        if short := self._take(".", ".."):
            return Step(deep, "self" if short == "." else "parent", "node()")
        axis = "child"
        if self._take("@"):
            axis = "attribute"
        elif self._token.kind == "axis":
            axis = self._token.text
            if axis not in _AXES:
                raise NotXPathError(f"XPath has no axis {axis}{did_you_mean(axis, _AXES)}", self._token.begin + 1)
            self._next()
        return Step(deep, axis, self._test(), self._predicates())

    def _test(self) -> str:
        token = self._token
        if token.kind == "test":
            return self._next().text
        if token.kind != "call" or token.text not in _NODE_TYPES:
            self._fail("expected a name")
        name = self._next().text
        self._expect("(")
        if name == "processing-instruction" and self._token.kind == "literal":
            self._next()
        self._expect(")")
        return f"{name}()"
