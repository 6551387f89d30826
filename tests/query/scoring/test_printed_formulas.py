"""Every formula that an explanation prints gives the number printed before it, on random collections and options.

The formulas are read as they are printed: nothing here knows a model.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterator, Mapping
from functools import reduce
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import trix
from tests.oracle.generate import Case, cases, options, queries
from tests.oracle.scoring import analysed
from tests.query.test_engine_against_oracle import build, relaxed
from tests.query.test_explain import Line, read
from trix.query.scoring.models import MODELS

# -- reading a formula -------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r"\s*(max|ln|log|√|\d*\.?\d+(?:e[+-]?\d+)?|[-+·/(),]|\S)")


class Formula:
    """Computes a formula as it is printed: + - · / √ ln max, parentheses, and products without a sign, as in kf(k1+1).

    >>> Formula("kf(k1+1) / (kf + k1) · ln(1 + m)", {"kf": 2, "k1": 1.5, "m": 0.0}).value
    0.0
    >>> Formula("max(0, √m - b l)", {"m": 16, "b": 0.5, "l": 2}).value
    3.0
    """

    def __init__(self, text: str, letters: Mapping[str, float]) -> None:
        self.letters = letters
        names = "|".join(sorted(map(re.escape, letters), key=len, reverse=True))
        self.tokens = [
            found[1] for found in re.finditer(rf"\s*((?:{names})(?![a-z_])|{_TOKEN.pattern[4:-1]})", text) if found[1]
        ]
        self.value = self.sum()
        assert not self.tokens, (text, self.tokens)

    def peek(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, expected: str = "") -> str:
        token = self.tokens.pop(0)
        assert expected in ("", token), (expected, token)
        return token

    def sum(self) -> float:
        total = self.product()
        while self.peek() in ("+", "-"):
            total = total + self.product() if self.take() == "+" else total - self.product()
        return total

    def product(self) -> float:
        total = self.factor()
        while self.peek() and self.peek() not in ("+", "-", ")", ","):
            if self.peek() == "/":
                self.take()
                total /= self.factor()
            else:
                if self.peek() == "·":
                    self.take()
                total *= self.factor()
        return total

    def factor(self) -> float:
        base = self.base()
        if self.peek() != "^":
            return base
        self.take()
        power = self.base()
        return math.copysign(abs(base) ** power, base)

    def base(self) -> float:
        token = self.take()
        if token == "(":
            inside = self.sum()
            self.take(")")
            return inside
        if token == "√":
            return math.sqrt(self.factor())
        if token in ("ln", "log"):
            return math.log(self.factor())
        if token == "max":
            self.take("(")
            first = self.sum()
            self.take(",")
            second = self.sum()
            self.take(")")
            return max(first, second)
        return float(self.letters[token]) if token in self.letters else float(token)


# -- reading an explanation --------------------------------------------------------------------------------------------

_SIGN = {"plain": lambda w: w, "root": math.sqrt, "double": lambda w: 2 * w, "negative": lambda w: -w}


def lines(line: Line) -> Iterator[Line]:
    yield line
    for part in line.parts:
        yield from lines(part)


def formula(line: Line, letters: Mapping[str, float]) -> float | None:
    """Return what a line says its number is, None where it says so in words that others check."""
    what, parts = line.what, [part.value for part in line.parts]
    if what.startswith("score of "):
        return parts[0]
    if found := re.match(r"(?:(plain|negative) |(root) of the |(double) the )weight of .*?, (.*?): [kp]f = ", what):
        *signs, says = found.groups()
        sign = next(filter(None, signs))
        if zero := re.match(r"0 where (\w+) = 0", says):
            assert letters[zero[1]] == 0
            return 0.0
        says, _, where = says.partition(", l = 1 in a content element, else ")
        if where and letters["l"] != 1:
            assert math.isclose(letters["l"], Formula(where, letters).value, rel_tol=1e-14)
        if "idf" in letters and letters["N"] > 1:
            assert math.isclose(letters["idf"], Formula("ln(N/m) / ln(N)", letters).value, rel_tol=1e-12, abs_tol=1e-15)
        return _SIGN[sign](Formula(says, letters).value)
    if what.startswith("basic weight s: average"):
        return sum(parts) / len(parts)
    if what.startswith("basic weight s: sum"):
        return sum(parts)
    if "(x + y) / (1 + xy) from 0 on, 0 where 1 + xy = 0" in what:
        return reduce(lambda x, y: Formula("(x + y) / (1 + x·y)", {"x": x, "y": y}).value if 1 + x * y else 0.0, parts)
    if what.startswith("basic weight s: 0"):
        return 0.0
    if what.startswith("weight · score of "):
        return Formula("g·s", letters).value
    if found := re.match(r"weight of .*?, (w·.*?): w = ", what):
        return Formula(found[1], letters).value
    if found := re.match(r"offer weight of .*?, added by feedback, (.*?): r = ", what):
        return Formula(found[1], letters).value
    if found := re.match(r"context .*?: (no context, s stays|Σ g·s / Σ g|s \+ f · Σ g·s / Σ g)", what):
        if found[1].startswith("no"):
            return parts[0]
        assert letters.get("s", parts[0]) == parts[0]
        named = {"S": letters["Σ g·s"], "G": letters["Σ g"], "s": parts[0], "f": letters.get("f", 0.0)}
        return Formula(found[1].replace("Σ g·s", "S").replace("Σ g", "G"), named).value
    raise AssertionError(what)


def check(text: str) -> None:
    """Compute every line of a printed explanation."""
    parameters: dict[str, float] = {}
    for line in lines(read(text)):
        if line.what.startswith("basic weight"):
            parameters = line.numbers
        says = formula(line, {**parameters, **line.numbers})
        assert says is not None and math.isclose(says, line.value, rel_tol=1e-11, abs_tol=1e-14), (says, line)


@settings(relaxed)
@given(cases(), st.data())
def test_every_printed_formula_gives_the_printed_number(case: Case, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        for _ in range(4):
            query = data.draw(queries(case.collection))
            if not analysed(query.terms, case.collection.chain):
                continue
            asked = data.draw(options(case.positions)) | {"strategy": "thorough", "overlap": "full", "top": None}
            asked["expand"] = data.draw(st.sampled_from([None, None, "2:2"]))
            note(f"{query.text!r} {asked}")
            results = index.search(query.text, **asked)
            for result in [*results[:3], *results[-3:]]:
                check(str(index.explain(query.text, result, **asked)))


@pytest.mark.parametrize("model", MODELS)
def test_a_phrase_that_no_content_element_holds_weighs_nothing_by_its_formula(model: str, tmp_path: Path) -> None:
    """Both words are in the section, in different paragraphs."""
    (tmp_path / "a.xml").write_text("<a><s><p>tree</p><p>edit</p></s><p>tree house</p><p>far away</p></a>")
    trix.build(tmp_path / "a.xml", tmp_path / "i", jobs=1, stem="none", stop="none", profile="generic")
    with trix.open(tmp_path / "i") as index:
        asked: dict[str, Any] = {"model": model, "strategy": "thorough"}
        for result in index.search('+"tree edit" -"house tree far" house', top=None, **asked):
            text = str(index.explain('+"tree edit" -"house tree far" house', result, **asked))
            assert re.search(r'\n *0\.0 = \w+ (of )?(the )?weight of \+"tree edit", 0 where pf = 0: pf = 0;', text), (
                text
            )
            check(text)
