"""Parser of path expressions [RETRIEVAL, section 8].

::

    union     = path { "|" path } path      = ( "/" | "//" ) step more | "(" union ")" filters [ more ] more      = {
    ( "/" | "//" ) step } step      = [ axis "::" ] test filters | "." filters | ".." filters axis      = child
    descendant self parent ancestor descendant-or-self ancestor-or-self test      = "*" | name | "@" name | "text()"
    | "(" test { "|" test } ")" filters   = { "[" or "]" } or        = and { "or" and } and       = condition { "and"
    condition } condition = "not" "(" or ")" | "(" or ")" | relative { "|" relative } relative  = step more

A path that begins at an element is ``relative { "|" relative }``, see `parse_relative`.

A name's prefix counts in an index whose profile declares it, and is ignored in others. ``*`` is any indexed element.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NoReturn

from trix.errors import UsageError
from trix.query.language.path_tree import (
    AXES,
    RUN,
    Condition,
    Path,
    PathExists,
    PathNot,
    PathStep,
    RelativePath,
    StepAxis,
)
from trix.query.language.terms import And, Or

MOST_NESTED = 60
"""Largest nesting of brackets, which bounds the depth of recursion."""


def parse_path(text: str) -> Path:
    """Read a path expression.

    Raises
    ------
    UsageError
        One line with the column, the fault and the expected form.

    Examples
    --------
    >>> parse_path("//sec[2]")
    Traceback (most recent call last):
    trix.errors.UsageError: path, column 7: positions are not part of path expressions: //sec[2]
    """
    return _PathReader(text).path()


def parse_relative(text: str) -> RelativePath:
    """Read a path that begins at an element: ``./x``, ``.//x``, ``../x``, or an axis, ``preceding-sibling::x``.

    Besides the axes of other paths, its steps have ``preceding``, ``following``, ``preceding-sibling`` and
    ``following-sibling``.

    Raises
    ------
    UsageError
        One line with the column, the fault and the expected form.
    """
    return _PathReader(text, beside=True).relative_path()


_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<sign>//|/|\||\[|\]|\(|\)|::|\.\.|\.|\*|@)
    | (?P<name>(?:[^\W\d]|_)(?:[\w\-\u00b7]|\.(?=[\w\-]))*(?::(?!:)(?:[^\W\d]|_)(?:[\w\-\u00b7]|\.(?=[\w\-]))*)?)
    | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_END = ""


class _PathReader:
    """Recursive-descent parser; a token is its text and its 1-based column, and the last token is empty."""

    def __init__(self, text: str, beside: bool = False) -> None:
        self.text, self.beside = text, beside
        self.tokens = [
            (match.group(), match.start() + 1, match.lastgroup)
            for match in _TOKEN.finditer(text)
            if match.lastgroup != "space"
        ]
        self.tokens.append((_END, len(text) + 1, "end"))
        self.at = 0
        self.depth = 0

    # -- tokens -----------------------------------------------------------------------------------------------------

    @property
    def token(self) -> str:
        return self.tokens[self.at][0]

    @property
    def is_name(self) -> bool:
        return self.tokens[self.at][2] == "name"

    def next_is(self, *tokens: str) -> bool:
        """Whether the token after this one is one of the given ones."""
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1][0] in tokens

    def take(self, token: str) -> bool:
        """Consume a token if it is the next."""
        if self.token != token or self.token == _END:
            return False
        self.at += 1
        return True

    def fail(self, reason: str, hint: str = "", column: int = 0) -> NoReturn:
        shown = " ".join(self.text.split())
        if len(shown) > 120:
            shown = shown[:117] + "..."
        at = column or self.tokens[self.at][1]
        raise UsageError(f"path, column {at}: {reason}: {shown}" + (f" ({hint})" if hint else ""))

    def expect(self, token: str, after: str) -> None:
        if not self.take(token):
            self.fail(f"expected '{token}' after {after}, found {self.found()}", self.advice())

    def found(self) -> str:
        return f"'{self.token}'" if self.token else "the end"

    def advice(self) -> str:
        """Hint for the character at the current position."""
        if self.token in ("=", "!", "<", ">", "'", '"'):
            return "values are compared in NEXI queries, not in path expressions"
        if self.token == ",":
            return "several paths are joined by |"
        if self.token == "+":
            return "tag sets such as sec+ss1 belong to minor: and major:"
        return ""

    def nested(self) -> None:
        self.depth += 1
        if self.depth > MOST_NESTED:
            self.fail(f"brackets are nested more than {MOST_NESTED} deep")

    # -- paths ------------------------------------------------------------------------------------------------------

    def path(self) -> Path:
        if self.token == _END:
            self.fail("the path is empty", "write for example //sec")
        ways = self.union()
        if self.token != _END:
            self.fail(f"expected '/', '|' or '[', found {self.found()}", self.advice())
        return Path(tuple(dict.fromkeys(ways)))

    def relative_path(self) -> RelativePath:
        ways = [self.relative().steps]
        while self.take("|"):
            ways.append(self.relative().steps)
        if self.token != _END:
            self.fail(f"expected '/', '|' or '[', found {self.found()}", self.advice())
        return RelativePath(tuple(ways))

    def union(self) -> list[tuple[PathStep, ...]]:
        ways = self.way()
        while self.take("|"):
            ways += self.way()
        return ways

    def way(self) -> list[tuple[PathStep, ...]]:
        """Parse a path; a union in brackets yields several."""
        if self.take("("):
            self.nested()
            ways = self.union()
            self.expect(")", "the paths in parentheses")
            self.depth -= 1
            filters = self.filters()
            ways = [(*way[:-1], replace(way[-1], filters=way[-1].filters + filters)) for way in ways]
            rest = self.more()
            return [way + rest for way in ways]
        if self.token not in ("/", "//"):
            hint = f"write //{self.token}" if self.is_name else ""
            self.fail(f"a path begins with / or //, found {self.found()}", hint)
        return [self.more()]

    def more(self) -> tuple[PathStep, ...]:
        steps: list[PathStep] = []
        while self.token in ("/", "//"):
            anywhere = self.take("//") or not self.take("/")
            step = self.step()
            if not anywhere:
                steps.append(step)
            elif step.axis in (StepAxis.CHILD, StepAxis.DESCENDANT):
                steps.append(replace(step, axis=StepAxis.DESCENDANT))
            elif step.axis in (StepAxis.SELF, StepAxis.DESCENDANT_OR_SELF):
                steps.append(replace(step, axis=StepAxis.DESCENDANT_OR_SELF))
            else:
                steps += [PathStep(StepAxis.DESCENDANT_OR_SELF), step]
        return tuple(steps)

    def step(self) -> PathStep:
        if self.take(".."):
            return PathStep(StepAxis.PARENT, (), self.filters())
        if self.take("."):
            return PathStep(StepAxis.SELF, (), self.filters())
        axis, column = StepAxis.CHILD, self.tokens[self.at][1]
        if self.is_name and self.next_is("::"):
            axes = tuple(StepAxis) if self.beside and not self.depth else AXES
            if self.token not in axes:
                self.fail(f"there is no axis '{self.token}' here", f"axes are {', '.join(axes)}", column)
            axis = StepAxis(self.token)
            self.at += 2
        return PathStep(axis, self.test(), self.filters())

    def test(self) -> tuple[str, ...]:
        if self.take("*"):
            return ()
        if not self.take("("):
            return (self.name(),)
        names = [self.name()]
        while self.take("|"):
            names.append(self.name())
        self.expect(")", "the names in parentheses")
        return tuple(dict.fromkeys(names))

    def name(self) -> str:
        if self.take("@"):
            return "@" + self.name()
        if not self.is_name:
            self.fail(f"expected a name or *, found {self.found()}", self.advice())
        name, at = self.token, self.at
        self.at += 1
        if self.take("("):
            if name == "text" and self.take(")"):
                return RUN
            self.at = at
            if name in ("position", "last"):
                self.fail("positions are not part of path expressions")
            self.fail(f"there is no function {name}()", "of functions, path expressions have not() and text()")
        return name

    # -- conditions -------------------------------------------------------------------------------------------------

    def filters(self) -> tuple[Condition, ...]:
        found: list[Condition] = []
        while self.take("["):
            self.nested()
            if self.token.isdigit():
                self.fail("positions are not part of path expressions")
            found.append(self.either())
            self.expect("]", "a condition")
            self.depth -= 1
        return tuple(found)

    def either(self) -> Condition:
        return self._joined(self.both, "or", Or)

    def both(self) -> Condition:
        return self._joined(self.condition, "and", And)

    def _joined(
        self, read: Callable[[], Condition], mark: str, join: type[And[Condition] | Or[Condition]]
    ) -> Condition:
        parts = [read()]
        while self.take(mark):
            parts.append(read())
        return parts[0] if len(parts) == 1 else join(tuple(parts))

    def condition(self) -> Condition:
        if self.token == "not" and self.next_is("("):
            self.at += 2
            self.nested()
            inner = self.either()
            self.expect(")", "the condition of not(")
            self.depth -= 1
            return PathNot(inner)
        if self.token == "(" and not self._names_only():
            self.at += 1
            self.nested()
            inner = self.either()
            self.expect(")", "a condition in parentheses")
            self.depth -= 1
            return inner
        return self._joined(self.relative, "|", Or)

    def _names_only(self) -> bool:
        """Whether a parenthesis opens a list of alternative names, as in ``(sec|p)//x``."""
        at = self.at
        while True:
            at += 1
            if self.tokens[at][0] == "@":
                at += 1
            if self.tokens[at][2] != "name":
                return False
            at += 3 if [token for token, *_ in self.tokens[at : at + 3]] == ["text", "(", ")"] else 1
            if self.tokens[at][0] != "|":
                return self.tokens[at][0] == ")"

    def relative(self) -> PathExists:
        if self.token in ("/", "//"):
            self.fail("a condition's path begins at the element", f"write .{self.token}")
        first = self.step()
        steps = (first, *self.more())
        while len(steps) > 1 and steps[0] == PathStep(StepAxis.SELF):  # ./x is written without the step that stays
            steps = steps[1:]
        return PathExists(steps)
