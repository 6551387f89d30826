"""Ranking, overlap and strategies against a literal reading of the rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trix.errors import UsageError
from trix.query.matching.candidates import Candidates
from trix.query.ranking.organise import FETCHES, OVERLAPS, STRATEGIES, best, organise, rank_key

SCORES = (0.0, -0.0, 0.3, 0.1 + 0.2, 0.3 + 2e-12, 0.3 - 2e-12, 0.5, 0.5 + 1e-14, 1.0, -0.5, -0.5 - 3e-12, 7.25)
LARGE = (9000.0, 9000.0 + 2e-12, 123456.75, 1e18, -1e18)


def tree_of(parent: list[int]) -> Candidates:
    inner, number = set(parent), iter(range(len(parent)))
    return Candidates.of_tree(parent, [-1 if place in inner else next(number) for place in range(len(parent))])


@st.composite
def forests(draw: st.DrawFn) -> Candidates:
    parent: list[int] = []
    path: list[int] = []
    for place, up in enumerate(draw(st.lists(st.integers(0, 5), min_size=1, max_size=40))):
        path = path[: max(0, len(path) - up)] if up < 5 else []
        parent.append(path[-1] if path else -1)
        path.append(place)
    return tree_of(parent)


def literal(
    parent: list[int],
    scores: list[float],
    root_scores: list[float],
    strategy: str,
    overlap: str | None,
    top: int | None,
    fetch: str,
    keep: list[bool],
    per_document: int | None = None,
) -> list[int]:
    """Organise as the specification says, word for word."""
    everything = range(len(parent))

    def above(x: int) -> list[int]:
        return [parent[x], *above(parent[x])] if parent[x] >= 0 else []

    def rank(places: list[int]) -> list[int]:
        return sorted(places, key=lambda x: (-round(float(scores[x]), 12), x))

    def without_overlap(places: list[int], rule: str) -> list[int]:
        kept: list[int] = []
        if rule == "partial-scored":
            higher = {x: places[: places.index(x)] for x in places}
            return [x for x in places if not any(y == parent[x] or x == parent[y] for y in higher[x])]
        for x in places:
            if rule == "none" and any(y in above(x) or x in above(y) for y in kept):
                continue
            if rule == "partial" and any(y == parent[x] or x == parent[y] for y in kept):
                continue
            kept.append(x)
        return kept

    rule = overlap or {"thorough": "full", "focused": "none"}.get(strategy, "none")
    returnable = [x for x in everything if keep[x]]
    if strategy in ("thorough", "focused"):
        kept = without_overlap(rank(returnable), rule)
        roots = [(above(x) or [x])[-1] for x in kept]
        return [x for at, x in enumerate(kept) if per_document is None or roots[:at].count(roots[at]) < per_document][
            :top
        ]
    documents = []
    for root in everything:
        if parent[root] < 0:
            members = [x for x in returnable if (above(x) or [x])[-1] == root]
            if members:
                documents.append((root, without_overlap(rank(members), rule)[:per_document]))
    if strategy == "best-in-context":
        return rank([kept[0] for _, kept in documents])[:top]
    value = {
        "root": lambda root, kept: root_scores[root],
        "best": lambda root, kept: max(scores[x] for x in kept),
        "sum": lambda root, kept: sum(scores[x] for x in kept),
    }[fetch]
    documents.sort(key=lambda item: (-round(value(*item), 12), item[0]))
    result: list[int] = []
    for _, kept in documents:
        if top is not None and len(result) + len(kept) > top and result:
            return result
        result += sorted(kept[:top]) if strategy == "relevant-in-context" else kept[:top]
        if len(result) == top:
            return result
    return result


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=120, deadline=None)
@given(st.data())
def test_every_strategy_does_what_the_rules_say(strategy: str, data: st.DataObject) -> None:
    candidates = data.draw(forests())
    n = len(candidates)
    pool = st.sampled_from(SCORES + (LARGE if data.draw(st.booleans()) else ()))
    scores = data.draw(st.lists(pool, min_size=n, max_size=n))
    root_scores = data.draw(st.lists(pool, min_size=n, max_size=n))
    keep = data.draw(st.one_of(st.none(), st.lists(st.booleans(), min_size=n, max_size=n)))
    overlap = data.draw(st.sampled_from((None, *OVERLAPS)))
    fetch = data.draw(st.sampled_from([name for name in FETCHES if name != "sum" or max(map(abs, scores)) < 10]))
    top = data.draw(st.one_of(st.none(), st.integers(0, 12)))
    most = data.draw(st.one_of(st.none(), st.integers(1, 4)))
    expected = literal(
        candidates.parent.tolist(), scores, root_scores, strategy, overlap, top, fetch, keep or [True] * n, most
    )
    places = organise(
        candidates,
        np.array(scores),
        strategy=strategy,
        overlap=overlap,
        top=top,
        root_scores=np.array(root_scores),
        fetch=fetch,
        keep=None if keep is None else np.array(keep),
        per_document=most,
    )
    assert places.dtype == np.int32
    assert places.tolist() == expected


@pytest.mark.parametrize("top", [1, 10, 700, None])
@pytest.mark.parametrize("overlap", OVERLAPS)
@pytest.mark.parametrize("values", [3, 100_000])
def test_long_lists_equal_the_literal_filter(top: int | None, overlap: str, values: int) -> None:
    """Lists long enough that the head of the ranking has to grow, and that keys are packed into integers."""
    rng = np.random.default_rng(11)
    parent: list[int] = []
    depth: list[int] = []
    for place in range(3000):
        below = rng.integers(0, 7) if place else 0
        above = place - 1
        while above >= 0 and depth[above] >= below:
            above = parent[above]
        parent.append(above)
        depth.append(depth[above] + 1 if above >= 0 else 0)
    candidates = tree_of(parent)
    scores = rng.integers(0, values, 3000) / values
    # The best ranked overlap: along one path the scores fall, so that a first head is used up.
    scores[np.flatnonzero(candidates.root == candidates.root[0])[:400]] += 2.0
    kept: list[int] = []
    taken, families, seen = set[int](), set[int](), set[int]()
    for x in sorted(range(3000), key=lambda x: (-round(float(scores[x]), 12), x)):
        line = [x]
        while parent[line[-1]] >= 0:
            line.append(parent[line[-1]])
        if overlap == "none" and (x in families or taken.intersection(line)):
            continue
        if overlap == "partial" and (parent[x] in taken or x in families):
            continue
        if overlap == "partial-scored" and (parent[x] in seen or x in families):
            seen.add(x)
            families.update(line[1:2])
            continue
        seen.add(x)
        kept.append(x)
        taken.add(x)
        families.update(line if overlap == "none" else line[1:2])
    places = organise(candidates, scores, strategy="focused", overlap=overlap, top=top, root_scores=scores)
    assert places.tolist() == kept[:top]


def test_of_equal_scores_the_ancestor_comes_first_and_hides_the_descendant() -> None:
    candidates = tree_of([-1, 0, 1, 0])
    scores = np.array([0.3, 0.1 + 0.2, 0.30000000000000004, 0.3])
    assert organise(candidates, scores, strategy="thorough", top=None, root_scores=scores).tolist() == [0, 1, 2, 3]
    assert organise(candidates, scores, strategy="focused", top=None, root_scores=scores).tolist() == [0]


def test_partial_overlap_skips_only_parents_and_children() -> None:
    candidates = tree_of([-1, 0, 1, 2])
    scores = np.array([0.1, 0.2, 0.3, 0.4])
    places = organise(candidates, scores, strategy="thorough", overlap="partial", top=None, root_scores=scores)
    assert places.tolist() == [3, 1]


def test_partial_overlap_by_score_skips_what_ranks_below_a_parent_or_child_that_is_skipped_itself() -> None:
    """Of a path with rising scores only the last is left; relative to kept elements every second one is."""
    candidates = tree_of([-1, 0, 1, 2, 3])
    scores = np.array([0.1, 0.2, 0.3, 0.4, 0.4])
    for strategy in ("thorough", "focused", "fetch-browse"):
        for overlap, expected in (("partial", [3, 1]), ("partial-scored", [3])):
            places = organise(candidates, scores, strategy=strategy, overlap=overlap, top=None, root_scores=scores)
            assert places.tolist() == expected


def test_the_first_document_that_does_not_fit_ends_the_list() -> None:
    candidates = tree_of([-1, 0, 0, -1, 3, 3, 3, -1, 7])
    scores = np.array([0.1, 0.5, 0.4, 0.2, 0.5, 0.6, 0.4, 0.3, 0.9])
    root_scores = np.array([0.9, 0, 0, 0.8, 0, 0, 0, 0.7, 0])

    def fetched(top: int | None, strategy: str = "fetch-browse") -> list[int]:
        return organise(candidates, scores, strategy=strategy, top=top, root_scores=root_scores).tolist()

    assert fetched(None) == [1, 2, 5, 4, 6, 8]
    assert fetched(5) == [1, 2, 5, 4, 6]
    assert fetched(4) == [1, 2], "the second does not fit, and the third, which would, is not tried"
    assert fetched(1) == [1], "the first of all is cut"
    assert fetched(5, "relevant-in-context") == [1, 2, 4, 5, 6]
    assert fetched(2, "best-in-context") == [8, 5]


@pytest.mark.parametrize("strategy", ["fetch-browse", "relevant-in-context"])
def test_the_document_that_did_not_fit_is_told(strategy: str) -> None:
    candidates = tree_of([-1, 0, 0, -1, 3, 3, 3, -1, 7])
    scores = np.array([0.1, 0.5, 0.4, 0.2, 0.5, 0.6, 0.4, 0.3, 0.9])
    root_scores = np.array([0.9, 0, 0, 0.8, 0, 0, 0, 0.7, 0])

    def told(top: int | None) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        organise(candidates, scores, strategy=strategy, top=top, root_scores=root_scores, unfit=found.append)
        return found

    assert told(1) == [(0, 2, 2)], "the first of all is cut"
    assert told(2) == [], "the list is full"
    assert told(3) == [(3, 3, 5)]
    assert told(4) == [(3, 3, 5)]
    assert told(5) == []
    assert told(6) == told(None) == []


def test_a_first_document_that_is_cut_keeps_its_best_in_document_order() -> None:
    """In reading order 0.069 comes first; the elements of 0.4698 and 0.3 are the ones to be kept."""
    candidates = tree_of([-1, 0, 0, 0, -1, 4])
    scores, root_scores = np.array([0.01, 0.069, 0.3, 0.4698, 0.01, 0.9]), np.array([0.5, 0, 0, 0, 0.4, 0])

    def read(top: int) -> list[int]:
        return organise(candidates, scores, strategy="relevant-in-context", top=top, root_scores=root_scores).tolist()

    assert read(1) == [3]
    assert read(2) == [2, 3]
    assert read(3) == [1, 2, 3]
    assert read(4) == [1, 2, 3, 5]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(SCORES), min_size=2, max_size=12), st.integers(1, 11))
def test_a_cut_first_document_has_the_same_elements_whatever_their_order(scores: list[float], top: int) -> None:
    candidates = tree_of([-1] + [0] * (len(scores) - 1))
    given_scores = np.array(scores)
    asked: dict[str, Any] = {"overlap": "full", "top": top, "root_scores": given_scores}
    ranked = organise(candidates, given_scores, strategy="fetch-browse", **asked)
    read = organise(candidates, given_scores, strategy="relevant-in-context", **asked)
    assert read.tolist() == sorted(ranked.tolist())
    assert ranked.tolist() == best(rank_key(given_scores), len(ranked)).tolist()


def test_documents_rank_by_their_root_though_it_is_not_returned() -> None:
    candidates = tree_of([-1, 0, -1, 2])
    scores, root_scores = np.array([0.1, 0.9, 0.1, 0.2]), np.array([0.1, 0.0, 0.4, 0.0])
    keep = np.array([False, True, False, True])

    def fetched(fetch: str) -> list[int]:
        return organise(
            candidates, scores, strategy="fetch-browse", top=9, root_scores=root_scores, fetch=fetch, keep=keep
        ).tolist()

    assert fetched("root") == [3, 1]
    assert fetched("best") == fetched("sum") == [1, 3]


def test_the_rank_key_rounds_to_twelve_decimals_at_any_size() -> None:
    scores = np.array(
        [0.3, 0.1 + 0.2, 0.3 + 1e-12, 8191.5, 8191.5 + 1e-12, 8192.0, 8192.0 + 2e-12, 1e300, -1e300, -0.0, 0.0]
    )
    for some in (scores, scores[:5]):
        key = rank_key(some)
        rounded = [round(x, 12) for x in some.tolist()]
        for i in range(len(some)):
            for j in range(len(some)):
                assert (key[i] < key[j]) == (rounded[i] < rounded[j])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from((-np.inf, -3.0, 0.0, 1.0, 2.5, 1e12, 1e300)), min_size=1, max_size=400), st.data())
def test_best_is_the_head_of_the_stable_ranking(keys: list[float], data: st.DataObject) -> None:
    count = data.draw(st.integers(1, max(1, sum(key > -np.inf for key in keys))))
    expected = sorted(range(len(keys)), key=lambda place: (-keys[place], place))[:count]
    assert best(np.array(keys), count).tolist() == expected


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_in_gives_nothing_out(strategy: str) -> None:
    nothing, none = Candidates.of_tree([], []), np.zeros(0)
    assert organise(nothing, none, strategy=strategy, top=10, root_scores=none).tolist() == []
    one, score = tree_of([-1]), np.array([0.5])
    hidden = organise(one, score, strategy=strategy, top=10, root_scores=score, keep=np.array([False]))
    assert hidden.tolist() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strategy": "focussed"}, r"strategy 'focussed' is unknown \(did you mean focused\?\)"),
        (
            {"strategy": "thorough", "overlap": "some"},
            "overlap 'some' is unknown; .*expected none, partial, partial-scored, full",
        ),
        ({"strategy": "fetch-browse", "fetch": "max"}, "fetch 'max' is unknown; expected root, best, sum"),
    ],
)
def test_unknown_words_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        organise(tree_of([-1]), np.ones(1), top=10, root_scores=np.ones(1), **options)  # type: ignore[arg-type]
