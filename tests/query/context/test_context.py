"""Contextualisation against the printed numbers and against literal readings of the formulas over trees."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FEW
from trix.errors import UsageError
from trix.query.context.adhoc import AdHoc
from trix.query.context.ancestors import CScore, Hierarchy, Tower, Vector, Vertical
from trix.query.context.around import Around
from trix.query.context.beside import Beside
from trix.query.context.chain import Chain, parse_context
from trix.query.context.horizontal import Horizontal
from trix.query.context.parse import parse_form
from trix.query.language.paths import parse_path, parse_relative
from trix.query.matching.candidates import Candidates

Label = tuple[int, ...]


# A collection as the papers see it: labels and scores, nothing else.


@dataclass
class Collection:
    """All indexed elements in document order, which of them are content elements, and the scores of the matching."""

    labels: list[Label]
    content: list[Label]
    s: dict[Label, float]

    @property
    def matching(self) -> list[Label]:
        return [label for label in self.labels if label in self.s]

    def candidates(self) -> Candidates:
        matching = self.matching
        place = {label: i for i, label in enumerate(matching)}
        numbers = {label: number for number, label in enumerate(self.content)}
        tree = Candidates.of_tree(
            [place.get(label[:-1], -1) for label in matching], [numbers.get(label, -1) for label in matching]
        )
        ranges = [[numbers[c] for c in self.content if c[: len(label)] == label] for label in matching]
        begin = np.array([r[0] for r in ranges], dtype=np.int32)
        return replace(tree, begin=begin, end=np.array([r[-1] + 1 for r in ranges], dtype=np.int32))

    def scores(self) -> np.ndarray:
        return np.array([self.s[label] for label in self.matching], dtype=np.float64)


SCORES = (0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 0.7, 1.0, 1 / 3, -0.25, 2.5)


@st.composite
def collections(draw: st.DrawFn) -> Collection:
    """Draw documents as nested lists; the leaves say whether they match."""
    tree = st.recursive(st.booleans(), lambda child: st.lists(child, min_size=1, max_size=4), max_leaves=14)
    documents = draw(st.lists(tree, min_size=1, max_size=3))
    rng = random.Random(draw(st.integers(0, 2**32)))
    found = Collection([], [], {})

    def visit(node: object, label: Label) -> bool:
        found.labels.append(label)
        if isinstance(node, list):
            below = [visit(child, (*label, 2 * j + 1)) for j, child in enumerate(node)]
            matches = any(below)
        else:
            found.content.append(label)
            matches = bool(node)
        if matches:
            found.s[label] = rng.choice(SCORES)
        return matches

    for i, document in enumerate(documents, 1):
        visit(document, (i,))
    return found


# The formulas, one by one, as printed.


def vector(g: Callable[[int], list[float]]) -> Callable[[Collection, Label], float]:
    def score(collection: Collection, x: Label) -> float:
        weights = g(len(x))
        above = sum(weights[i] * collection.s.get(x[: i + 1], 0.0) for i in range(len(x)))
        return above / sum(weights) if sum(weights) else collection.s[x]

    return score


def listed(head: list[float], tail: list[float]) -> Callable[[int], list[float]]:
    def g(length: int) -> list[float]:
        weights = [0.0] * length
        for i, weight in enumerate(head[:length]):
            weights[i] = weight
        for i, weight in enumerate(tail[:length]):
            weights[length - 1 - i] = weight
        return weights

    return g


def additive(f: float, g: Callable[[Collection, Label], dict[Label, float]]) -> Callable[[Collection, Label], float]:
    def score(collection: Collection, x: Label) -> float:
        weights = g(collection, x)
        total = sum(weights.values())
        own = collection.s[x]
        return own + f * sum(w * collection.s.get(y, 0.0) for y, w in weights.items()) / total if total else own

    return score


def vertical(f: float, p: float, a: float, r: float) -> Callable[[Collection, Label], float]:
    def g(_: Collection, x: Label) -> dict[Label, float]:
        weights = {}
        for length in range(1, len(x)):
            if length == 1:
                weights[x[:length]] = r
            elif length == len(x) - 1:
                weights[x[:length]] = p
            else:
                weights[x[:length]] = a / (len(x) - 1 - 2)
        return weights

    return additive(f, g)


def mean_of(w: float, chosen: Callable[[Label], list[Label]]) -> Callable[[Collection, Label], float]:
    return additive(w, lambda _, x: dict.fromkeys(chosen(x), 1.0))


def ancestors(x: Label) -> list[Label]:
    return [x[:length] for length in range(1, len(x))]


def horizontal(alpha: float, gamma: float, f: float) -> Callable[[Collection, Label], float]:
    def g(collection: Collection, x: Label) -> dict[Label, float]:
        members = [c for c in collection.content if c[0] == x[0]]
        if x not in members:
            return {}
        here = members.index(x)
        return {y: max(-alpha * (j - here) ** 2 + gamma, 0.0) for j, y in enumerate(members) if y != x}

    return additive(f, g)


def check(collection: Collection, form: str, literal: Callable[[Collection, Label], float]) -> None:
    """Assert that a form gives the literal number for every matching element, explained."""
    candidates, s = collection.candidates(), collection.scores()
    chain = parse_context(form)
    scores = chain.apply(candidates, s)
    assert scores == pytest.approx([literal(collection, x) for x in collection.matching], rel=1e-12, abs=1e-12)
    for place, score in enumerate(scores):
        explanation = chain.explain(candidates, s, place)
        for _, explained in explanation:
            weights = sum(term.weight for term in explained.terms)
            assert math.isclose(weights, explained.denominator, rel_tol=1e-12, abs_tol=1e-15)
            part = sum(term.weight * term.score for term in explained.terms)
            assert part == pytest.approx(explained.numerator, rel=1e-12, abs=1e-12)
        assert (explanation[-1][1].result if explanation else s[place]) == score
    assert chain.apply(candidates, s).tobytes() == scores.tobytes()


weights = st.sampled_from((0.0, 0.25, 1.0, 1.5, 2.0, 3.0))
either_sign = st.sampled_from((0.0, 0.25, 1.0, 1.5, 2.0, -1.0, -0.25, -1.5, -3.0))
examples = settings(max_examples=60, deadline=None)


@examples
@given(collections(), either_sign)
def test_root_is_the_weighted_mean_of_root_and_element(collection: Collection, w: float) -> None:
    check(collection, f"root:{w}", vector(listed([w], [1.0])))


@examples
@given(collections())
def test_parent_tower_and_root_tower_are_their_vectors(collection: Collection) -> None:
    check(collection, "none", vector(listed([], [1.0])))
    check(collection, "parent", vector(listed([], [1.0, 1.0])))
    check(collection, "tower", vector(lambda length: [1.0] * length))
    check(collection, "root+tower", vector(lambda length: [2.0] + [1.0] * (length - 1)))


@examples
@given(collections(), st.lists(either_sign, max_size=4), st.lists(either_sign, min_size=1, max_size=4))
def test_vectors_have_two_lists_of_weights_and_the_tail_wins(
    collection: Collection, head: list[float], tail: list[float]
) -> None:
    form = f"vector:{','.join(map(str, head))}|{','.join(map(str, tail))}"
    check(collection, form, vector(listed(head, tail)))


@examples
@given(collections(), weights, weights, weights, weights)
def test_vertical_adds_the_weighted_mean_of_the_ancestors(
    collection: Collection, f: float, p: float, a: float, r: float
) -> None:
    check(collection, f"vertical:p={p},f={f},r={r},a={a}", vertical(f, p, a, r))


@examples
@given(collections())
def test_cscore_adds_the_plain_mean(collection: Collection) -> None:
    check(collection, "cscore:parent", mean_of(1.0, lambda x: ancestors(x)[-1:]))
    check(collection, "cscore:root", mean_of(1.0, lambda x: ancestors(x)[:1]))
    check(collection, "cscore:2xroot", mean_of(2.0, lambda x: ancestors(x)[:1]))
    check(collection, "cscore:tower", mean_of(1.0, ancestors))


@examples
@given(collections(), weights)
def test_the_weight_and_the_set_of_cscore_are_free(collection: Collection, w: float) -> None:
    check(collection, f"cscore:parent,w={w}", mean_of(w, lambda x: ancestors(x)[-1:]))
    check(collection, f"cscore:root,w={w}", mean_of(w, lambda x: ancestors(x)[:1]))
    check(collection, f"cscore:tower,w={w}", mean_of(w, ancestors))
    check(collection, f"cscore:root+parent,w={w}", mean_of(w, lambda x: list({*ancestors(x)[:1], *ancestors(x)[-1:]})))
    check(collection, f"cscore:root+tower,w={w}", mean_of(w, ancestors))


@examples
@given(collections(), st.sampled_from((-1.5, -1.25, -1.0, -0.5, -0.1, 0.0, 0.3, 0.5, 1.0, 1.5)), weights)
def test_hierarchy_is_vertical_with_the_overlaps_of_its_slider(collection: Collection, x: float, f: float) -> None:
    p = max(0.0, min(x + 1, 0) - max(x - 1, -1))
    a = max(0.0, min(x + 1, 0.5) - max(x - 1, -0.5))
    r = max(0.0, min(x + 1, 1) - max(x - 1, 0))
    check(collection, f"hierarchy:x={x},f={f}", vertical(f, p, a, r))
    if abs(x) <= 1:
        check(collection, f"hierarchy2:x={x},f={f}", vertical(f, p, 0.0, r))


@examples
@given(
    collections(), st.sampled_from((0.0, 1e-5, 0.01, 0.04, 0.3, 2.0)), st.sampled_from((0.0, 0.025, 0.5, 1.0)), weights
)
def test_horizontal_adds_the_weighted_mean_of_the_neighbours(
    collection: Collection, alpha: float, gamma: float, f: float
) -> None:
    check(collection, f"horizontal:alpha={alpha},gamma={gamma},f={f}", horizontal(alpha, gamma, f))


@examples
@given(collections())
def test_a_chain_applies_each_form_to_the_output_of_the_one_before(collection: Collection) -> None:
    candidates, s = collection.candidates(), collection.scores()
    once = parse_context("horizontal:alpha=.3,gamma=1").apply(candidates, s)
    twice = parse_context("root:1.5").apply(candidates, once)
    for forms in ("horizontal:alpha=.3,gamma=1>root:1.5", ["horizontal:alpha=.3,gamma=1", "none", "root:1.5"]):
        assert parse_context(forms).apply(candidates, s).tobytes() == twice.tobytes()


# Printed numbers.

FIGURE_1 = {(1,): 0.5, (1, 1): 0.8, (1, 2): 0.4, (1, 1, 1): 0.1, (1, 1, 2): 0.2, (1, 2, 1): 0.1, (1, 2, 2): 0.3}


def of_scores(s: dict[Label, float]) -> Collection:
    labels = sorted(s)
    leaves = [x for x in labels if not any(y != x and y[: len(x)] == x for y in labels)]
    return Collection(labels, leaves, s)


@pytest.mark.parametrize(
    ("form", "printed"),
    [
        ("root:1.5", {(1, 1, 1): 0.34, (1, 1, 2): 0.38, (1, 2, 1): 0.34, (1, 2, 2): 0.42}),
        ("parent", {(1, 1): 0.65, (1, 2): 0.45, (1, 1, 1): 0.45, (1, 1, 2): 0.5, (1, 2, 1): 0.25, (1, 2, 2): 0.35}),
        (
            "root+tower",
            {(1, 1): 0.6, (1, 2): 0.46667, (1, 1, 1): 0.475, (1, 1, 2): 0.5, (1, 2, 1): 0.375, (1, 2, 2): 0.425},
        ),
    ],
)
def test_figure_1_of_inex_2005_is_reproduced(form: str, printed: dict[Label, float]) -> None:
    collection = of_scores(FIGURE_1)
    scores = dict(
        zip(collection.matching, parse_context(form).apply(collection.candidates(), collection.scores()), strict=True)
    )
    assert {x: round(scores[x], 5) for x in printed} == printed
    assert scores[(1,)] == 0.5


def test_the_vertical_example_of_2011_is_reproduced() -> None:
    collection = of_scores({(1,): 0.2, (1, 1): 0.3, (1, 1, 1): 0.4, (1, 1, 1, 1): 0.4, (1, 1, 1, 1, 1): 0.4})
    scores = parse_context("vertical:p=2,a=5,r=3").apply(collection.candidates(), collection.scores())
    assert scores[-1] == pytest.approx(0.4 + (3 * 0.2 + 2.5 * 0.3 + 2.5 * 0.4 + 2 * 0.4) / 10, abs=1e-15)
    assert round(scores[-1], 3) == 0.715


@pytest.mark.parametrize(("args", "printed"), [("alpha=.04,gamma=1", 0.521), ("alpha=.01,gamma=.5", 0.479)])
def test_the_horizontal_examples_of_2011_are_reproduced(args: str, printed: float) -> None:
    # The third and fourth do not match: they have no place among the candidates, but count in the denominator.
    collection = of_scores({(1,): 1.0, (1, 1): 0.2, (1, 2): 0.9, (1, 5): 0.1})
    collection.labels = [(1,), *((1, j) for j in range(1, 6))]
    collection.content = [(1, j) for j in range(1, 6)]
    candidates, s = collection.candidates(), collection.scores()
    chain = parse_context(f"horizontal:{args}")
    assert round(chain.apply(candidates, s)[1], 3) == printed
    assert chain.apply(candidates, s)[0] == 1.0
    silent = chain.explain(candidates, s, 1)[0][1].terms[-1]
    assert (silent.place, silent.members, silent.score) == (None, 2, 0.0)


@pytest.mark.parametrize("seed", range(1 if FEW else 3))
@pytest.mark.parametrize("alpha", [0.0, 1e-9, 1e-6, 4e-6])
def test_wide_windows_equal_the_literal_sum(seed: int, alpha: float) -> None:
    rng = np.random.default_rng(seed)
    sizes = [900, 1, 350]
    parent: list[int] = []
    number: list[int] = []
    first = 0
    for size in sizes:
        root = len(parent)
        matching = [*range(size)] if size == 1 else sorted(rng.choice(size, size // 2, replace=False).tolist())
        parent += [-1] + [root] * len(matching)
        number += [-1] + [first + j for j in matching]
        first += size
    tree = Candidates.of_tree(parent, number)
    roots = np.flatnonzero(tree.depth == 0)
    begin, end = tree.begin.copy(), tree.end.copy()
    begin[roots], end[roots] = np.cumsum([0, *sizes[:-1]]), np.cumsum(sizes)
    candidates = replace(tree, begin=begin, end=end)
    s = rng.random(len(parent))
    scores = parse_context(f"horizontal:alpha={alpha},gamma=0.05,f=2").apply(candidates, s)
    for x in np.flatnonzero(candidates.content):
        d = np.arange(begin[candidates.root[x]], end[candidates.root[x]]) - begin[x]
        g = np.where(d == 0, 0.0, np.maximum(-alpha * d.astype(float) ** 2 + 0.05, 0.0))
        others = np.flatnonzero(candidates.content & (candidates.root == candidates.root[x]))
        above = sum(g[begin[y] - begin[candidates.root[x]]] * s[y] for y in others)
        literal = s[x] + 2 * above / g.sum() if g.sum() else s[x]
        assert scores[x] == pytest.approx(literal, abs=1e-12)


def test_weights_that_are_tiny_beside_gamma_keep_their_digits() -> None:
    candidates = Candidates.of_tree([-1, 0, 0], [-1, 0, 1])
    s = np.array([0.0, 0.2, 0.6])
    assert parse_context("horizontal:alpha=.9999999999,gamma=1").apply(candidates, s)[1] == pytest.approx(
        0.8, abs=1e-15
    )


def test_mirrored_neighbours_get_equal_scores_to_the_last_bit() -> None:
    s = [0.0, 0.1, 0.7, 1 / 3, 0.2, 0.9, 0.2, 1 / 3, 0.7, 0.1]
    candidates = Candidates.of_tree([-1] + [0] * 9, [-1, *range(9)])
    scores = parse_context("horizontal:alpha=.003,gamma=.1").apply(candidates, np.array(s))
    assert scores[1:].tolist() == scores[:0:-1].tolist()


# Negative weights


@pytest.mark.parametrize(
    ("form", "score"),
    [
        ("vector:-1|1", 0.1),  # Σ g = 0: s stays
        ("vector:-1|2", 2 * 0.1 - 0.5),
        ("root:-3", (0.1 - 3 * 0.5) / (1 - 3)),  # Σ g < 0
        ("vector:-.5|1,-.25", (0.1 - 0.25 * 0.8 - 0.5 * 0.5) / 0.25),
        ("vector:.1|-.3,.2", 0.1),  # in binary .1 + .2 - .3 is no 0
        ("vector:-1e300|1e-300", 0.5),
    ],
)
def test_weights_of_vectors_may_be_negative(form: str, score: float) -> None:
    collection = of_scores(FIGURE_1)
    candidates, s = collection.candidates(), collection.scores()
    place = collection.matching.index((1, 1, 1))
    scores = parse_context(form).apply(candidates, s)
    explained = parse_context(form).explain(candidates, s, place)[0][1]
    assert scores[place] == pytest.approx(score, abs=1e-15)
    assert explained.result == scores[place]
    assert not np.signbit(parse_context(form).apply(candidates, np.zeros(len(s)))).any()


def test_scores_beyond_all_numbers_are_refused() -> None:
    candidates = Candidates.of_tree([-1, 0, 0], [-1, 0, 1])
    chain = parse_context(["vector:-1|1.0000001"] * 60)
    with pytest.raises(UsageError, match=r"scores grow beyond all numbers at vector:-1\|1.0000001"):
        chain.apply(candidates, np.array([0.5, 0.7, 0.1]))


# all=1


def test_elements_that_do_not_match_keep_zero_until_a_form_lifts_the_restriction() -> None:
    candidates = Candidates.of_tree([-1, 0, 0, 0], [-1, 0, 1, 2])
    s, matching = np.array([0.6, 0.4, 0.0, 0.0]), np.array([True, True, False, False])
    bound = parse_context("root").apply(candidates, s, matching)
    assert bound.tolist() == [0.6, 0.5, 0.0, 0.0]
    free = parse_context("root>vertical:all=1")
    assert free.all
    assert free.apply(candidates, s, matching).tolist() == pytest.approx([0.6, 1.1, 0.6, 0.6])
    assert free.scored(candidates, matching).all()
    assert [str(form) for form, _ in free.explain(candidates, s, 2, matching)] == ["vertical:all=1"]
    assert free.explain(candidates, s, 2, matching)[-1][1].result == free.apply(candidates, s, matching)[2]
    horizontal = parse_context("horizontal:alpha=.5,gamma=1,all=1")
    assert horizontal.apply(candidates, s, matching).tolist() == pytest.approx([0.6, 0.4, 0.2, 0.0])
    assert horizontal.scored(candidates, matching & ~candidates.content).tolist() == [True] * 4


def test_no_candidates_give_no_scores() -> None:
    nothing = Candidates.of_tree([], [])
    for form in ("root", "tower", "vertical", "horizontal", "none"):
        assert parse_context(form).apply(nothing, np.zeros(0)).tolist() == []


@pytest.mark.slow
def test_a_path_of_a_thousand_elements_is_no_trouble() -> None:
    candidates = Candidates.of_tree([*range(-1, 999)], [-1] * 999 + [0])
    s = np.full(1000, 0.25)
    for form in ("root:1.5", "tower", "root+tower", "parent"):
        assert parse_context(form).apply(candidates, s) == pytest.approx(s)
    assert parse_context("vertical").apply(candidates, s)[-1] == pytest.approx(0.5)


# Text


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("none", "none"),
        ("vector:|1", "none"),
        ("root:1", "root"),
        ("vector:1.5|1", "root:1.5"),
        ("vector:1.5", "root:1.5"),
        ("vector:|1,1", "parent"),
        ("vector: 2, 1 | 3 , .5 ", "vector:2,1|3,0.5"),
        ("vertical:r=1,f=2", "vertical:f=2"),
        ("vertical: all=1 , a=0", "vertical:a=0,all=1"),
        ("vertical:p=-0", "vertical:p=0"),
        ("cscore:2xroot", "cscore:2xroot"),
        ("cscore:tower,all=1", "cscore:tower,all=1"),
        ("cscore:root,w=2", "cscore:2xroot"),
        ("cscore:root, all=1 ,w=1.50", "cscore:root,w=1.5,all=1"),
        ("cscore:root + parent,w=1", "cscore:parent+root"),
        ("cscore:parent+tower", "cscore:tower"),
        ("cscore:siblings+parent+ ../ sec,w=.5", "cscore:parent+siblings+../sec,w=0.5"),
        ("cscore:w=2,level=minor: sec", "cscore:w=2,level=minor:sec"),
        ("cscore:/a/b+root,level=content", "cscore:root+/a/b,level=content"),
        ("root:-1", "root:-1"),
        ("vector:-1|1", "root:-1"),
        ("vector:-.5,2e20|-1,-0", "vector:-0.5,2e+20|-1,0"),
        ("siblings:all=1,f=1.0", "siblings:all=1"),
        ("siblings:following=0,f=.5,preceding=2", "siblings:preceding=2,following=0,f=0.5"),
        ("preceding: 2 , f=1", "preceding:2"),
        ("following:level=//sec[ self::a|b ]", "following:level=//sec[self::a or b]"),
        ("preceding:3,f=2,all=1,level=act", "preceding:3,f=2,all=1,level=act"),
        ("adhoc:./title,../ sec=2,f=.5", "adhoc:./title,../sec=2,f=0.5"),
        ("adhoc: preceding-sibling::* | ./a , //p[ .//q ]", "adhoc:preceding-sibling::* | ./a,//p[.//q]"),
        ("adhoc:.//x/../y,ancestor::sec/title", "adhoc:.//x/../y,ancestor::sec/title"),
        ("hierarchy:x=-1.5", "hierarchy:x=-1.5"),
        ("hierarchy2:f=0.5", "hierarchy2:f=0.5"),
        ("horizontal:alpha=1e-5,gamma=.025,f=1,level=content", "horizontal"),
        ("horizontal:gamma=.035,alpha=5e-5", "horizontal:alpha=5e-05,gamma=0.035"),
        ("horizontal:f=2,level= minor: sec +ss1", "horizontal:f=2,level=minor:sec+ss1"),
        ("horizontal:level=//sec[ self::a|b ]", "horizontal:level=//sec[self::a or b]"),
        ("horizontal:all=1,level=act", "horizontal:all=1,level=act"),
        ("adhoc: //sec , /a//b = .5,f=1,all=1", "adhoc://sec,/a//b=0.5,all=1"),
        ("adhoc:f=.5,//title=2", "adhoc://title=2,f=0.5"),
        (" root > tower>none> root+tower ", "root>tower>root+tower"),
    ],
)
def test_a_form_has_one_canonical_text(written: str, canonical: str) -> None:
    assert str(parse_context(written)) == canonical
    assert parse_context(canonical) == parse_context(written)


signed = st.one_of(st.floats(-1e300, 1e300), st.sampled_from((0.0, -1.0, 1e-5))).map(lambda x: x + 0.0)
number = st.one_of(st.floats(0, 1e12), st.sampled_from((0.0, 1.0, 1e-5)), st.integers(0, 9).map(float))
level_texts = st.sampled_from(("content", "document", "minor:sec+ss1", "major:p", "//sec[not(.//sec)] | //p", "act"))
paths = st.sampled_from(("//sec", "/article/fm//*[self::ti or p]", "//p[not(ancestor::fig)]")).map(parse_path)
relative = st.sampled_from(("./title", "../sec[p]//a", ".//x | following::*")).map(parse_relative)
counts = st.none() | st.integers(1, 10**9)
forms = st.one_of(
    st.builds(Vector, st.lists(signed, max_size=5).map(tuple), st.lists(signed, min_size=1, max_size=5).map(tuple)),
    st.builds(Tower, st.sampled_from((1, 2))),
    st.builds(Vertical, f=number, p=number, a=number, r=number, all=st.booleans()),
    st.builds(CScore, st.sampled_from(("parent", "root", "2xroot", "tower", "parent+root")), st.booleans(), number),
    st.builds(Beside, axis=st.just("siblings"), before=counts, after=counts, f=number, all=st.booleans()),
    st.builds(Beside, axis=st.just("preceding"), before=counts, f=number, all=st.booleans(), level=level_texts),
    st.builds(Beside, axis=st.just("following"), after=counts, f=number, all=st.booleans(), level=level_texts),
    st.builds(
        lambda first, others, f, everyone: Around((first, *others), f, everyone),
        st.tuples(relative, number),
        st.lists(st.tuples(paths | relative, number), max_size=2),
        number,
        st.booleans(),
    ),
    st.builds(Hierarchy, x=st.floats(-1.5, 1.5).map(lambda x: x + 0.0), f=number, all=st.booleans()),
    st.builds(
        Hierarchy, x=st.floats(-1, 1).map(lambda x: x + 0.0), f=number, all=st.booleans(), between=st.just(False)
    ),
    st.builds(Horizontal, alpha=number, gamma=number, f=number, all=st.booleans(), level=level_texts),
    st.builds(AdHoc, st.lists(st.tuples(paths, number), min_size=1, max_size=3).map(tuple), number, st.booleans()),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(forms, max_size=4))
def test_what_is_printed_reads_back_as_the_same(chain: list[object]) -> None:
    printed = Chain(tuple(chain))  # type: ignore[arg-type]
    assert parse_context(str(printed)) == printed
    assert all(parse_form(str(form)) == form for form in chain)


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(
        st.text(alphabet="rotwevca+:=,|>0123456789.-e lxfp", max_size=24),
        st.tuples(
            st.sampled_from(
                (
                    "vector:",
                    "vertical:f=",
                    "cscore:",
                    "preceding:",
                    "siblings:",
                    "adhoc:../",
                    "cscore:./",
                    "hierarchy:x=",
                    "horizontal:",
                    "root:",
                    "adhoc:/",
                    "adhoc://a[",
                )
            ),
            st.text(max_size=8),
        ).map("".join),
    )
)
def test_any_text_is_a_chain_or_one_line_of_error(text: str) -> None:
    try:
        parse_context(text)
    except UsageError as error:
        assert "\n" not in str(error) and str(error).startswith("context")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("", "a form is empty"),
        ("root>", "a form is empty"),
        ("Rot", r"unknown form 'Rot' \(did you mean root\?\); expected none, parent, root"),
        ("towers", r"\(did you mean tower\?\)"),
        ("adhoc", "there is no path; expected adhoc:PATH=WEIGHT,PATH"),
        ("adhoc:f=1", "there is no path"),
        ("adhoc://sec[1]", "path, column 7: positions are not part of path expressions"),
        ("adhoc://sec=x", "'x' is not a number"),
        ("adhoc://sec=-1", "'-1' is out of range"),
        ("adhoc://sec,g=1", "unknown key 'g'; expected f or all"),
        ("adhoc://sec,p", "'p' is not KEY=NUMBER"),
        ("adhoc:../sec[", r"path, column 8: expected a name or \*, found the end"),
        ("adhoc:../sec[preceding::p]", "there is no axis 'preceding' here"),
        ("adhoc:sideways::p", "path, column 1: there is no axis 'sideways' here"),
        ("adhoc:./sec=-1", "'-1' is out of range"),
        ("siblings:g=1", "unknown key 'g'; expected f, all, preceding or following"),
        ("siblings:preceding=-1", "preceding=-1 is no number of elements; expected a whole number from 0"),
        ("preceding:0", "'0' is no number of elements; expected a whole number from 1"),
        ("preceding:1.5", "'1.5' is no number of elements"),
        ("preceding:2,", "nothing follows the comma"),
        ("following:1,level=minor:sec,ss1", "level minor:sec,ss1: 'sec,ss1' is no tag"),
        ("precedes", r"\(did you mean preceding\?\)"),
        ("tower:2", "tower takes no arguments, got '2'; expected tower"),
        ("root:", r"nothing follows the colon; expected root or root:W"),
        ("root:x", "'x' is not a number; expected a number from -1e300 to 1e300"),
        ("root:-1e301", "'-1e301' is out of range"),
        ("vector:1e301|1", "'1e301' is out of range"),
        ("root:nan", "'nan' is not a number"),
        ("root:1_0", "'1_0' is not a number"),
        ("root:1,2", "'1,2' is not a number"),
        ("root:1e400", "'1e400' is out of range"),
        ("vector:1|", "'' is not a number"),
        ("vector:1,,2", "'' is not a number"),
        ("vector", "the weights are missing; expected vector:HEAD"),
        ("vector:1|2|3", r"'2\|3' is not a number"),
        ("vertical:g=1", r"unknown key 'g'; expected f, p, a, r or all"),
        ("vertical:f=1,f=2", "f is given twice; expected each key once"),
        ("vertical:f", "f has no value; expected f=NUMBER"),
        ("vertical:f=", "f has no value"),
        ("vertical:1", "'1' is not KEY=NUMBER"),
        ("vertical:f=1,", "'' is not KEY=NUMBER"),
        ("vertical:f=inf", "f=inf is not a number"),
        ("vertical:f=-1", "f=-1 is out of range"),
        ("vertical:all=2", "all=2 is no switch; expected all=0 or all=1"),
        ("cscore", "the kind is missing; expected parent, root, 2xroot or tower"),
        ("cscore:towr", r"unknown kind 'towr' \(did you mean tower\?\); expected"),
        ("cscore:root,", "nothing follows the comma"),
        ("cscore:root,f=1", "unknown key 'f'; expected all, w or level"),
        ("cscore:root,w=-1", "w=-1 is out of range"),
        ("cscore:root,w", "w has no value"),
        ("cscore:2xroot,w=3", "2xroot is the root with w=2; expected root, with w=NUMBER"),
        ("cscore:2xroot+parent", "2xroot is the root with w=2"),
        ("cscore:w=3", "the kind is missing"),
        ("cscore:root+", "a member of the set is missing"),
        ("cscore:root+sibling", r"unknown kind 'sibling' \(did you mean siblings\?\)"),
        ("cscore:root+../", r"path, column 4: expected a name or \*, found the end"),
        ("hierarchy:x=1.6", "x=1.6 is out of range; expected a number from -1.5 to 1.5"),
        ("hierarchy2:x=-1.1", "x=-1.1 is out of range; expected a number from -1 to 1"),
        ("horizontal:alpah=1", r"unknown key 'alpah' \(did you mean alpha\?\)"),
        ("horizontal:level=minor:sec,ss1", "level minor:sec,ss1: 'sec,ss1' is no tag; expected tags joined by +"),
        ("horizontal:level=//sec[", r"level //sec\[: path, column 7: expected a name or \*, found the end"),
        ("horizontal:level=", "level has no value"),
    ],
)
def test_a_wrong_form_is_named_with_what_was_expected(form: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_context(form)


def test_no_form_at_all_is_none() -> None:
    assert parse_context(None) == parse_context([]) == parse_context("none") == Chain()
    s = np.array([0.5])
    assert parse_context(None).apply(Candidates.of_tree([-1], [0]), s) is s
