"""PRUM's sums and user models: the kernel, the sums rank by rank, and slow literal readings agree."""

from __future__ import annotations

import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.eval_samples import es_qrels
from tests.uncompiled import uncompiled
from trix.core import measures
from trix.errors import UsageError
from trix.eval.data.qrels import ElementJudgement
from trix.eval.data.quantisation import quantisation
from trix.eval.evaluate import evaluate
from trix.eval.measures.elements.discovery import (
    PrumSums,
    SeenIdeals,
    discovery,
    found_distribution,
    normal_distribution,
    sum_over_ranks,
    sum_rank_by_rank,
)
from trix.eval.measures.elements.prum import at_level, eprum, prum
from trix.eval.measures.elements.user_models import hierarchical

FAST = settings(max_examples=60, deadline=None)
probabilities = st.sampled_from([0.0, 0.0, 0.1, 0.4, 0.5, 0.5, 0.9, 1.0, 1e-9, 1 - 1e-12])


def matrix(P: np.ndarray) -> np.ndarray:
    return 1 - np.vstack((np.ones(P.shape[1]), np.cumprod(1 - P, axis=0)))


def close(a: PrumSums, b: PrumSums, tolerance: float = 1e-12) -> None:
    for name in PrumSums._fields:
        assert getattr(a, name) == pytest.approx(getattr(b, name), abs=tolerance), name


@FAST
@given(st.integers(1, 9), st.integers(1, 8), st.booleans(), st.data())
def test_the_sums_of_all_ranks_at_once_are_those_rank_by_rank(o: int, t: int, exact: bool, data: st.DataObject) -> None:
    P = data.draw(st.lists(st.lists(probabilities, min_size=t, max_size=t), min_size=o, max_size=o))
    seen = SeenIdeals.of(matrix(np.array(P)))
    close(sum_over_ranks(seen, exact), sum_rank_by_rank(seen, exact))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.booleans(), st.data())
def test_the_sums_have_the_same_bits_uncompiled(o: int, t: int, exact: bool, data: st.DataObject) -> None:
    P = data.draw(st.lists(st.lists(probabilities, min_size=t, max_size=t), min_size=o, max_size=o))
    seen = SeenIdeals.of(matrix(np.array(P)))
    edges = seen.edges() if exact else np.arange(len(seen.rank) + 1)
    columns = seen.t, seen.o, seen.rank, seen.which, seen.before, seen.after, edges, exact
    for one, other in zip(measures.sums(*columns), uncompiled("measures").sums(*columns), strict=True):
        assert one.tolist() == other.tolist()


def exact_distribution(p: list[Fraction]) -> list[Fraction]:
    found = [Fraction(1)]
    for x in p:
        found = [(1 - x) * a + x * b for a, b in zip([*found, Fraction(0)], [Fraction(0), *found], strict=True)]
    return found


def exact_sums(seen: np.ndarray) -> list[list[Fraction]]:
    """Return news, consulted and effort as the equations say, in fractions."""
    o, t = seen.shape[0] - 1, seen.shape[1]
    S = [[Fraction(float(p)) for p in row] for row in seen]
    news, consulted, effort = ([Fraction(0)] * t for _ in range(3))
    for i in range(1, o + 1):
        before, after = exact_distribution(S[i - 1]), exact_distribution(S[i])
        others = [exact_distribution(S[i - 1][:x] + S[i - 1][x + 1 :]) for x in range(t)]
        for s in range(t):
            consulted[s] += before[s]
            effort[s] += Fraction(s + 1, i) * (sum(after[s + 1 :]) - sum(before[s + 1 :]))
            nothing = Fraction(1)
            for x in range(t):
                nothing *= 1 - ((S[i][x] - S[i - 1][x]) * others[x][s] / before[s] if before[s] else 0)
            news[s] += before[s] * (1 - nothing)
    return [news, consulted, effort]


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 6), st.integers(1, 12), st.data())
def test_the_sums_are_those_of_exact_arithmetic(o: int, t: int, data: st.DataObject) -> None:
    P = data.draw(st.lists(st.lists(probabilities, min_size=t, max_size=t), min_size=o, max_size=o))
    seen = matrix(np.array(P))
    found = sum_over_ranks(SeenIdeals.of(seen))
    for column, expected in zip(found, exact_sums(seen), strict=False):
        assert column.tolist() == pytest.approx([float(value) for value in expected], abs=1e-12)


@pytest.mark.slow
def test_many_halves_do_not_add_up_their_errors() -> None:
    """Three hundred ideals are seen by halves: to divide them out one after another would end in noise."""
    t = 300
    seen = np.zeros((t + 2, t))
    for i in range(1, t + 2):
        seen[i] = 0.5
        seen[i, : i - 1] = 0.75
    last = sum_over_ranks(SeenIdeals.of(seen[:201])).last
    from scipy.stats import binom  # seconds of work for every worker, if it stood above

    expected = np.convolve(binom.pmf(np.arange(200), 199, 0.75), binom.pmf(np.arange(102), 101, 0.5))
    likely = expected > 1e-30
    assert last[likely] == pytest.approx(expected[likely], rel=1e-11)
    for name in ("discoveries", "consulted", "effort"):
        plain = getattr(sum_rank_by_rank(SeenIdeals.of(seen[:40])), name)
        assert getattr(sum_over_ranks(SeenIdeals.of(seen[:40])), name) == pytest.approx(plain, abs=1e-12)


def test_a_topic_of_a_thousand_ideals_takes_no_time() -> None:
    generator = np.random.default_rng(4)
    P = np.zeros((1500, 1000))
    for i in range(1500):
        P[i, generator.integers(0, 1000, 3)] = generator.choice([0.1, 0.3, 0.5, 1.0], 3)
    seen = SeenIdeals.of(matrix(P))
    begin = time.process_time()
    found = sum_over_ranks(seen)
    assert time.process_time() - begin < 1  # it was 8 s
    assert found.last == pytest.approx(found_distribution(1 - np.prod(1 - P, axis=0)), abs=1e-13)
    assert prum(seen, 1e6, sums=found).max() <= 1 + 1e-12


def test_without_anything_seen_there_is_nothing_new() -> None:
    found = sum_over_ranks(SeenIdeals.of(np.zeros((4, 2))))
    assert [column.tolist() for column in found] == [[0, 0], [3, 0], [0, 0], [1, 0, 0]]
    assert sum_over_ranks(SeenIdeals.of(np.zeros((1, 2)))).last.tolist() == [1, 0, 0]


def test_the_normal_law_is_taken_above_so_many_uncertain_ideals() -> None:
    assert normal_distribution(2, np.array([1.0]), 0.5)[0] == pytest.approx([0.222803, 0.520500, 0.222803], abs=1e-6)
    p = np.array([0.3] * 11 + [1.0, 0.0])
    assert np.array_equal(found_distribution(p, 11), found_distribution(p))
    near = found_distribution(p, 10)
    assert 0 < abs(near - found_distribution(p)).max() < 0.02 and near[0] == 0  # the paper: .01 on average for 10
    # all eleven seen to .3 grow to .6: those without one are ten, of which the distribution is exact
    news = discovery(p, np.where(p == 0.3, 0.6, p), near, normal=10)
    assert news == pytest.approx(discovery(p, np.where(p == 0.3, 0.6, p), found_distribution(p)), abs=0.05)


def test_the_normal_approximation_is_an_option_of_the_measures() -> None:
    paths = {f"/a[1]/s[{k}]": (3, 3) for k in range(1, 31)}
    qrels = es_qrels({"1": {"d": {"/a[1]": (1, 1), **paths}}})
    sizes = {("d", path): 10.0 for path in paths} | {("d", "/a[1]"): 300.0}
    sizes |= {("d", f"{path}/p[1]"): 4.0 for path in paths}
    run = {"1": [f"d{path}/p[1]" for path in paths][:25]}
    names = ["PRUM(quant=sog,N=1000)@0.3", "PRUM(quant=sog,N=1000,normal=10)@0.3", "EPRUM(quant=sog,normal=10)@0.3"]
    found = evaluate(qrels, run, names, sizes=sizes)
    exact, near = found[names[0]].mean, found[names[1]].mean
    assert exact != near and near == pytest.approx(exact, abs=0.02) and 0 < found[names[2]].mean < 1
    with pytest.raises(UsageError, match="exclude"):
        evaluate(qrels, run, ["PRUM(quant=sog,N=1000,normal=10,exact=true)"], sizes=sizes)


steps = st.sampled_from(["", "/s[1]", "/s[1]/p[1]", "/s[1]/p[2]", "/s[2]", "/s[2]/p[1]", "/s[10]"])


@FAST
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("de"), steps), st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1
    ),
    st.lists(st.tuples(st.sampled_from("def"), steps), unique=True, max_size=8),
    st.sampled_from(["none", "hierarchical", "t2i:7", "t2i-inverse:7"]),
)
def test_user_models_agree_with_their_literal_reading(
    es: dict[tuple[str, str], tuple[int, int]], ranked: list[tuple[str, str]], user: str
) -> None:
    judged: dict[str, dict[str, tuple[int, int]]] = {}
    for (doc, tail), levels in es.items():
        judged.setdefault(doc, {})["/a[1]" + tail] = levels
    spans = {"": (0, 100), "/s[1]": (1, 40), "/s[1]/p[1]": (2, 9), "/s[1]/p[2]": (9, 13), "/s[2]": (40, 60)}
    spans |= {"/s[2]/p[1]": (42, 50), "/s[10]": (61, 70)}
    positions = {(doc, "/a[1]" + tail): span for doc in "def" for tail, span in spans.items()}
    leaves = {doc: [p for p in paths if not any(q.startswith(p + "/") for q in paths)] for doc, paths in judged.items()}
    relevant = {doc: {w for path in paths for w in range(*positions[doc, path])} for doc, paths in leaves.items()}
    rule = quantisation("gen", {})
    q = {
        (doc, path): rule(ElementJudgement(path=path, e=float(e), s=float(s)))
        for doc, paths in judged.items()
        for path, (e, s) in paths.items()
    }
    below = {n: max([v for m, v in q.items() if m[0] == n[0] and m[1].startswith(n[1] + "/")], default=0) for n in q}
    ideal = [
        n
        for n, value in q.items()
        if 0 < value > below[n]
        and all(value >= v or below[m] >= v for m, v in q.items() if m[0] == n[0] and n[1].startswith(m[1] + "/"))
    ]

    def P(x: tuple[str, str], y: tuple[str, str]) -> float:
        if x == y or user == "none":
            return float(x == y)
        if user == "hierarchical":
            return hierarchical(x, y, lambda d, p: float(np.diff(positions[d, p])[0]))
        start, goal = positions[x][0], positions[y][0]
        if x[0] != y[0] or goal < start:
            return 0.0
        d = len(set(range(start, goal)) - relevant[x[0]])
        return float(d < 7) if user == "t2i:7" else max(0.0, 1 - d / 7)

    results = [(doc, "/a[1]" + tail) for doc, tail in ranked]
    unseen = np.array([[1 - P(x, y) for y in ideal] for x in results]).reshape(-1, len(ideal))
    seen = 1 - np.vstack((np.ones(len(ideal)), np.cumprod(unseen, axis=0)))
    names = [f"PRUM({user},quant=gen,N=99)@0.5", f"EPRUM({user},quant=gen)@1", f"GR({user},quant=gen)@5"]
    found = evaluate(es_qrels({"1": judged}), {"1": [d + p for d, p in results]}, names, positions=positions)
    assert found[names[0]].mean == pytest.approx(at_level(prum(seen, 99), 0.5), abs=1e-12)
    assert found[names[1]].mean == pytest.approx(eprum(seen)[-1], abs=1e-12)
    assert found[names[2]].mean == pytest.approx(seen[min(5, len(results))].sum() / len(ideal), abs=1e-12)
