"""Explanations: from the numbers that are printed, and nothing else, the score comes out to the last bit."""

from __future__ import annotations

import json
import math
import random
import re
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from trix.query.scoring.weights import idf

WORDS = ["tree", "edit", "distance", "xml", "retrieval", "context", "passage"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder = tmp_path_factory.mktemp("explain")
    chance = random.Random(7)

    def some(low: int, high: int) -> str:
        return " ".join(chance.choices(WORDS, k=chance.randint(low, high)))

    for number in range(6):
        sections = "".join(
            f"<sec><title>{some(0, 3)}</title>"
            + "".join(f"<p>{some(0, 9)} <i>{some(0, 2)}</i></p>" for _ in range(4))
            + "</sec>"
            for _ in range(chance.randint(1, 3))
        )
        (folder / f"{number}.xml").write_text(f"<article><h>{some(1, 4)}</h><body>{sections}</body></article>")
    trix.build(folder, folder / "i", jobs=1, profile="generic")
    return trix.open(folder / "i")


@dataclass
class Line:
    """A printed line and those below it."""

    value: float
    what: str
    numbers: dict[str, float]
    parts: list[Line] = field(default_factory=list)


def values(line: Line) -> list[float]:
    """Return the values of a line and of all below it."""
    return [line.value, *(value for part in line.parts for value in values(part))]


def read(text: str) -> Line:
    """Read a printed explanation."""
    above: list[Line] = []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip(" "))) // 2
        value, _, rest = line.strip().partition(" = ")
        numbers = re.findall(r"(?:: |; )([^\s=;:]+(?: g(?:·s)?)?) = (\S+?)(?=;|$)", rest)
        read_line = Line(float(value), rest, {name: float(number) for name, number in numbers})
        del above[depth:]
        if above:
            above[-1].parts.append(read_line)
        above.append(read_line)
    return above[0]


def recomputed(line: Line) -> float:
    """Return the number of a line from the numbers in it and below it."""
    numbers, what = line.numbers, line.what
    if what.startswith("score of "):
        (part,) = line.parts
        return recomputed(part)
    if what.startswith("weight · score of "):
        return numbers["g"] * numbers["s"]
    if what.startswith("context "):
        own, *members = line.parts
        before = recomputed(own)
        if "no context" in what:
            return before
        terms = [recomputed(member) for member in members]
        assert math.isclose(math.fsum(terms), numbers["Σ g·s"], rel_tol=1e-13, abs_tol=1e-15)
        counts = [int(found[1]) if (found := re.search(r"of (\d+) element", m.what)) else 1 for m in members]
        weights = sum(m.numbers["g"] for m in members)
        assert math.isclose(weights, numbers["Σ g"], rel_tol=1e-13), counts
        mean = numbers["Σ g·s"] / numbers["Σ g"]
        if "f" not in numbers:
            return mean
        assert numbers["s"] == before
        return before + numbers["f"] * mean
    if what == "basic weight s: 0, the element does not match":
        assert not line.parts
        return 0.0
    if what.startswith("basic weight"):
        weights_ = [weight(part, numbers) for part in line.parts]
        if "Einstein" in what:
            return reduce(lambda x, y: (x + y) / (1 + x * y) if 1 + x * y else 0.0, weights_, 0.0)
        total = reduce(lambda x, y: x + y, weights_, 0.0)
        return total / len(weights_) if "average" in what else total
    raise AssertionError(what)


def weight(line: Line, parameters: dict[str, float]) -> float:
    numbers = line.numbers
    k = numbers.get("kf", numbers.get("pf", math.nan))
    if "idf" not in numbers:
        w = unbounded(line.what, k, numbers, parameters)
        w = 2 * w if line.what.startswith("double") else -w if line.what.startswith("negative") else w
        assert w == line.value
        return w
    v, b = parameters["v"], parameters["b"]
    assert numbers["idf"] == float(idf(numbers["m"], int(numbers["N"])))
    length = numbers.get("l", numbers["ξ_c"] / max(numbers["ξ_k"], 1))
    if "l" in numbers and numbers["l"] != 1:
        assert numbers["l"] == numbers["ξ_c"] / math.sqrt(max(numbers["ξ_k"], 1))
    w = 0.0
    if k and numbers["ξ_k"]:
        w = k / (k + v * ((1 - b) + b * length)) * numbers["idf"]
    w = math.sqrt(w) if line.what.startswith("root") else -w if line.what.startswith("negative") else w
    assert w == line.value
    return w


def unbounded(what: str, k: float, n: dict[str, float], p: dict[str, float]) -> float:
    """Return the weight of the models that have no upper bound, with numpy's logarithm as the engine has it."""
    if k == 0:
        return 0.0
    if "k1" in p:
        saturated = k * (p["k1"] + 1) / (k + p["k1"] * (1 - p["B"] + p["B"] * n["dl"] / n["avgdl"]))
        return saturated * float(np.log(1 + (n["N"] - n["m"] + 0.5) / (n["m"] + 0.5)))
    if "μ" in p:
        part = np.log1p(k * n["C"] / (p["μ"] * n["cf"])) + np.log(p["μ"] / (p["μ"] + n["dl"]))
        return max(float(part), 0.0)
    if "λ" in p:
        return float(np.log1p(p["λ"] * k * n["C"] / ((1 - p["λ"]) * n["dl"] * n["cf"])))
    assert re.search(r"max\(0, 1 \+ ln [kp]f\)", what)
    return float((1 + np.log(k)) * np.log(n["N"] / n["m"]) / np.sqrt(n["dl"]))


CONTEXTS = [
    "none", "parent", "root", "root:1.5", "tower", "root+tower", "vector:2,1|1,.5", "vertical:f=1.75,p=0,a=.25,r=.75",
    "cscore:2xroot", "cscore:tower", "hierarchy:x=-.5,f=2", "hierarchy2:x=.3", "horizontal",
    "horizontal:alpha=.001,gamma=.1,f=3", "vertical:all=1", "horizontal:all=1", "tower>horizontal",
    "root:2>vertical:p=.5>parent", "vertical:all=1>tower", "horizontal:all=1>vertical:all=1,f=.5",
]  # fmt: skip


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize(
    ("model", "combine"),
    [
        *(("trix2005", combine) for combine in ("average", "einstein")),
        pytest.param("trix2005", "sum", marks=pytest.mark.slow),
        *(pytest.param("trix2004", combine, marks=pytest.mark.slow) for combine in ("average", "sum", "einstein")),
        ("bm25", "average"),
        ("lm-jm", "average"),
        *(pytest.param(model, "average", marks=pytest.mark.slow) for model in ("tfidf", "lm-dirichlet")),
    ],
)
def test_the_score_comes_out_of_the_printed_numbers(model: str, combine: str, context: str, index: trix.Index) -> None:
    options: dict[str, Any] = {"model": model, "combine": combine, "context": context, "v": 1.7, "b": 0.3}
    for query in ("tree", '+"tree edit" xml -distance', "retrieval retrieval +context absent"):
        results = index.search(query, top=None, strategy="thorough", **options)
        assert len(results)
        for result in results[:2] + results[-2:] + results[:: max(1, len(results) // 4)]:
            explanation = index.explain(query, result, **options)
            line = read(str(explanation))
            assert line.value == explanation.value == result.score
            assert recomputed(line) == result.score, str(explanation)
            assert result.label in line.what
            assert result.path in line.what
            json.dumps(explanation.to_json())


@pytest.mark.parametrize("context", ["root(bm25,B=1):0.5", "tower(lm-dirichlet,mu=10)"])
def test_what_is_said_of_a_context_is_what_its_score_comes_from(context: str, tmp_path: Path) -> None:
    """Also where a word has several spellings: their weights hang on the greatest of all candidates."""
    long = "<p>resume</p>" * 20
    for name, body in (("a", f"<p>résumé tree</p>{long}"), ("b", "<p>resume</p><p>tree</p>"), ("c", "résumé " * 9)):
        (tmp_path / f"{name}.xml").write_text(f"<article>{body}</article>", encoding="utf-8")
    trix.build(tmp_path, tmp_path / "i", jobs=1, profile="generic", stem="none")
    asked: dict[str, Any] = {"context": context, "accents": "fold", "strategy": "thorough"}
    with trix.open(tmp_path / "i") as spelt:
        for query in ("résumé", "resume"):
            for result in spelt.search(query, top=None, **asked):
                line = read(str(spelt.explain(query, result, **asked)))
                assert line.value == result.score
                said = [part for part in line.parts[0].parts if part.what.startswith("weight · score of")]
                told = [(part.numbers["s"], part.parts[0], part.parts[0].parts[0]) for part in said if part.parts]
                assert said
                assert all(s == basic.value == word.value for s, basic, word in told), str(told)


@pytest.mark.parametrize("context", ["none", "root(bm25,B=1):0.5"])
def test_a_spelling_that_no_candidate_has_is_not_preferred(context: str, tmp_path: Path) -> None:
    for name, body in (("a", "<p>résumé</p>"), ("b", "<p>resume tree</p>"), ("c", "<p>resume</p><p>tree tree</p>")):
        (tmp_path / f"{name}.xml").write_text(f"<article>{body}</article>", encoding="utf-8")
    trix.build(tmp_path, tmp_path / "i", jobs=1, profile="generic", stem="none")
    asked: dict[str, Any] = {"context": context, "accents": "fold", "strategy": "thorough", "match": "all"}
    with trix.open(tmp_path / "i") as spelt:
        said = []
        for query in ("résumé tree", "(résumé | resume) tree"):
            found = spelt.search(query, top=None, **asked)
            lines = [read(str(spelt.explain(query, each, **asked))) for each in found]
            said.append([(each.score, values(line)) for each, line in zip(found, lines, strict=True)])
        assert len(said[0]) > 1
        assert said[0] == said[1]


@pytest.mark.parametrize("context", ["none", "root", "adhoc://sec", "horizontal:level=minor:sec"])
def test_a_query_of_structure_alone_is_explained(context: str, index: trix.Index) -> None:
    for result in index.search("//sec", context=context, top=2):
        explanation = index.explain("//sec", result, context=context)
        assert explanation.value == result.score == 0.0
        assert "the query has no words" in str(explanation)


def test_an_element_can_be_named_in_three_ways(index: trix.Index) -> None:
    result = index.search("tree", context="tower")[0]
    printed = {
        str(index.explain("tree", name, context="tower")) for name in (result, result.label, result.doc + result.path)
    }
    assert len(printed) == 1


@pytest.mark.parametrize(
    ("element", "said"),
    [
        ("9.9.9", "there is no document 9"),
        ("1.77", "no such element"),
        ("0/article[1]/x[1]", "no such element"),
        ("zz", "no such document"),
        ("²", "no such document"),
        (".5", "no such document"),
        ("1..1", "no such document"),
        ("9" * 5000, "no such document"),
        ("1." + "9" * 5000, "no such document"),
    ],
)
def test_an_element_that_is_not_there_is_named(element: str, said: str, index: trix.Index) -> None:
    with pytest.raises(trix.TrixError, match=said):
        index.explain("tree", element)


def test_an_element_that_does_not_match_is_named(index: trix.Index, tmp_path: Path) -> None:
    with pytest.raises(trix.TrixError, match="does not match the query absent"):
        index.explain("absent", "1")


@pytest.mark.parametrize(
    ("query", "asked"), [("apple -tree", {"signs": "must"}), ("apple AND NOT tree", {"operators": "boolean"})]
)
def test_an_element_that_does_not_hold_what_is_demanded_is_named(
    query: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "1.xml").write_text("<article><p>apple tree</p><p>apple</p></article>")
    trix.build(tmp_path, tmp_path / "i", jobs=1, profile="generic")
    with trix.open(tmp_path / "i") as index:
        (found,) = index.search(query, **asked)
        assert index.explain(query, found, **asked).value == found.score
        with pytest.raises(trix.TrixError, match=r"does not hold what the query .* demands"):
            index.explain(query, f"{found.doc}/article[1]/p[1]", **asked)
