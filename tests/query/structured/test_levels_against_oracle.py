"""Levels, path expressions and the contexts made of them against the literal oracle, on random collections."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

import trix
from tests.oracle import levels as literal
from tests.oracle.contexts import contextualised
from tests.oracle.generate import BLOCKS, Case, cases, options, queries
from tests.oracle.organising import organised
from tests.oracle.reading import Label
from tests.oracle.scoring import analysed, scorer_of, with_open_phrases
from tests.oracle.words import Asked
from tests.query.test_engine_against_oracle import EXAMPLES, TOLERANCE, build, dewey, on_the_edge
from tests.query.test_engine_against_oracle import relaxed as relaxed_fully
from trix.query.language.paths import parse_path
from trix.query.structured.levels import Levels
from trix.query.structured.paths import evaluate

ALIASES = (("sec", "div", "list"), ("p", "note"))
TAGS = ("article", "div", *(tag for tag in BLOCKS if ":" not in tag))
PIECES = 6
relaxed = settings(relaxed_fully, max_examples=max(EXAMPLES // 3, 1))

names = st.sampled_from([*TAGS, *TAGS, "*", "*", "@alt", "@label", "text()", "absent"])
axes = st.sampled_from([
    "", "", "child::", "descendant::", "self::", "parent::", "ancestor::", "descendant-or-self::", "ancestor-or-self::",
])  # fmt: skip


@st.composite
def conditions(draw: st.DrawFn, depth: int = 0) -> str:
    kind = draw(st.integers(0, 7)) if depth < 3 else 7
    if kind == 0:
        return f"not({draw(conditions(depth + 1))})"
    if kind in (1, 2):
        return draw(st.sampled_from([" and ", " or "])).join(
            draw(st.lists(conditions(depth + 1), min_size=2, max_size=3))
        )
    if kind == 3:
        return f"({draw(conditions(depth + 1))} or {draw(conditions(depth + 1))})"
    if kind == 4:
        return f"{draw(conditions(9))} | {draw(conditions(9))}"
    start = draw(st.sampled_from([".//", ".//", "./", "", draw(axes), "self::", "ancestor::"]))
    return start + draw(names) + draw(filters(depth + 1)) + draw(tails(depth + 1))


@st.composite
def filters(draw: st.DrawFn, depth: int = 0) -> str:
    if depth > 2:
        return ""
    return "".join(f"[{each}]" for each in draw(st.lists(conditions(depth), max_size=1 if depth else 2)))


@st.composite
def tails(draw: st.DrawFn, depth: int = 0) -> str:
    steps = draw(st.lists(st.tuples(st.sampled_from(["/", "//"]), axes, names), max_size=2))
    return "".join(slash + axis + name + draw(filters(depth + 1)) for slash, axis, name in steps)


@st.composite
def paths(draw: st.DrawFn, union: bool = True) -> str:
    """Draw a path expression."""
    ways = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3])) if union else 1):
        ways.append(draw(st.sampled_from(["/", "//", "//"])) + draw(names) + draw(filters()) + draw(tails()))
    return " | ".join(ways)


@st.composite
def level_texts(draw: st.DrawFn) -> str:
    """Draw a level."""
    kind = draw(st.sampled_from(["content", "document", "minor", "minor", "major", "major", "path"]))
    if kind == "path":
        apart = st.sampled_from(
            ["//sec[not(.//sec)]", "/article/*", "//p[not(ancestor::p)] | //title[not(ancestor::p or .//p)]"]
        )
        return draw(st.one_of(apart, paths()))
    if kind in ("content", "document"):
        return kind
    return f"{kind}:{'+'.join(draw(st.lists(st.sampled_from([*TAGS, '#text', '@label']), min_size=1, max_size=4)))}"


@contextmanager
def opened(case: Case) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder, trix.open(build(case, Path(folder))) as index:
        yield index


def with_aliases(case: Case) -> Case:
    return replace(case, profile={**case.profile, "alias": [list(members) for members in ALIASES]})


def labels(index: Any, elements: Any) -> list[Label]:
    found = index.now.namer.names(elements, index.files.documents_of(elements))[0]
    return [tuple(map(int, label.split("."))) for label in found]


@pytest.mark.slow
@relaxed
@given(cases().map(with_aliases), st.data())
def test_a_path_selects_what_an_xpath_engine_finds(case: Case, data: st.DataObject) -> None:
    with opened(case) as index:
        for _ in range(2 * PIECES):
            text = data.draw(paths())
            path = parse_path(text)
            assert parse_path(str(path)) == path
            found = evaluate(index.files, path)
            assert labels(index, found) == literal.selected(case.collection, text)
            assert found.dtype == np.int32


@pytest.mark.slow
@relaxed
@given(cases().map(with_aliases), st.data())
def test_members_coverage_and_overlap_are_those_of_the_definitions(case: Case, data: st.DataObject) -> None:
    with opened(case) as index:
        for _ in range(PIECES):
            text = data.draw(level_texts())
            note(text)
            members = literal.members_of(case.collection, text, ALIASES)
            level = Levels(index.files).level(text)
            report = level.report()
            assert labels(index, level.members) == members
            assert (report["members"], report["overlap"]) == (len(members), len(literal.overlapping(members)))
            assert report["coverage"] == pytest.approx(literal.coverage(case.collection, members), abs=1e-15)
            assert sum(report["tags"].values()) == len(members)
            if text.startswith(("minor", "major", "content", "document")):
                assert (report["coverage"], report["overlap"]) == (1.0, 0)


WEIGHTS = st.sampled_from(["", "=2", "=0.5", "=0", "=0.1"])


@st.composite
def relative_paths(draw: st.DrawFn) -> str:
    """Draw a path that begins at an element."""
    ways = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2]))):
        begin = draw(st.sampled_from(["./", ".//", "../", "../", "../../", "..//", *BESIDE]))
        ways.append(
            begin + draw(names) + draw(filters(1)) + draw(st.sampled_from(["", "", "/*", "/..", f"/{BESIDE[2]}*"]))
        )
    return " | ".join(ways)


BESIDE = (
    "ancestor::",
    "preceding-sibling::",
    "following-sibling::",
    "preceding::",
    "following::",
    "ancestor-or-self::",
)


@st.composite
def forms(draw: st.DrawFn) -> str:
    """Draw a form that needs the index."""
    number = st.sampled_from(["0", "1", "0.5", "2", "1e-5", "0.3"])
    everyone = draw(st.sampled_from(["", "", "", ",all=1"]))
    kind = draw(st.sampled_from(["horizontal", "adhoc", "around", "around", "cscore", "siblings", "axis"]))
    if kind == "siblings":
        sides = draw(st.sampled_from(["", ",preceding=2", ",following=1", ",preceding=1,following=0"]))
        return f"siblings:f={draw(number)}{sides}{everyone}"
    if kind == "axis":
        most = draw(st.sampled_from(["", "1,", "2,", "5,"]))
        level = draw(st.sampled_from(["", f",level={draw(level_texts())}"]))
        return f"{draw(st.sampled_from(['preceding', 'following']))}:{most}f={draw(number)}{everyone}{level}"
    if kind == "cscore":
        members = st.one_of(st.sampled_from(["parent", "root", "tower", "siblings"]), relative_paths(), paths())
        chosen = draw(st.lists(members, min_size=1, max_size=3))
        level = draw(st.sampled_from(["", "", f",level={draw(level_texts())}"]))
        return f"cscore:{'+'.join(chosen)},w={draw(number)}{everyone}{level}"
    if kind == "around":
        weighted = st.tuples(st.one_of(relative_paths(), relative_paths(), paths()), WEIGHTS).map("".join)
        chosen = draw(st.lists(weighted, min_size=1, max_size=3))
        return f"adhoc:{','.join(chosen)},f={draw(number)}{everyone}"
    if kind == "horizontal":
        parabola = draw(st.sampled_from(["alpha=.04,gamma=1", "alpha=1e-5,gamma=.025", "alpha=.3,gamma=.5", "gamma=0"]))
        return f"horizontal:{parabola},f={draw(number)}{everyone},level={draw(level_texts())}"
    weighted = st.tuples(paths(), WEIGHTS).map("".join)
    chosen = draw(st.lists(weighted, min_size=1, max_size=3))
    return f"adhoc:{','.join(chosen)},f={draw(number)}{everyone}"


@pytest.mark.slow
@relaxed
@given(cases().map(with_aliases), st.data())
def test_searches_at_levels_and_with_their_contexts_agree_with_the_oracle(case: Case, data: st.DataObject) -> None:
    collection = case.collection
    with opened(case) as index:
        for _ in range(PIECES):
            query = data.draw(queries(collection))
            terms = analysed(query.terms, collection.chain)
            if not terms:
                continue
            asked = data.draw(options(case.positions))
            asked["context"] = [*asked["context"], *data.draw(st.lists(forms(), max_size=2))]
            asked["level"] = data.draw(st.none() | level_texts())
            note(f"{query.text!r} {asked}")
            scorer = scorer_of(collection, asked, ALIASES)
            terms = with_open_phrases(terms) if asked["open_phrases"] else terms
            basic = scorer.scores(terms, asked["combine"])
            own = Asked(scorer, terms, asked["combine"], rules=case.titles)
            scores = contextualised(collection, basic, asked["context"], ALIASES, own)
            members = literal.level(collection, asked["level"], ALIASES) if asked["level"] else list(collection.nodes)
            kept = {x: s for x, s in scores.items() if x in members}
            order = organised(basic, kept, asked["strategy"], asked["overlap"], asked["fetch"], asked["top"])
            results = index.search(query.text, **asked)
            if results.labels != [dewey(x) for x in order] and on_the_edge({**basic, **scores}):
                continue
            assert results.labels == [dewey(x) for x in order]
            for x, result in zip(order, results, strict=True):
                assert result.score == pytest.approx(scores[x], rel=TOLERANCE, abs=TOLERANCE)
            if order:
                explanation = index.explain(query.text, results[0], **asked)
                assert explanation.value == results[0].score
                assert explanation.parts[0].value == pytest.approx(results[0].score, rel=1e-15)
