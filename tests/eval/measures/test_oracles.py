"""Literal readings of the formulas, on positions and scenarios one by one, against the fast code."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.eval_samples import element_run, tree
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, TopicJudgements
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate
from trix.eval.measures.elements.precall import precall
from trix.eval.measures.elements.prum import prum

FAST = settings(max_examples=60, deadline=None)

spans = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12)), max_size=4)


Task = tuple[Qrels, Rankings, dict[str, tuple[int, set[int]]], list[tuple[str, list[Any]]]]


@st.composite
def reading_tasks(draw: st.DrawFn) -> Task:
    """Return assessments and a fetch-and-browse run, as objects and as plain sets."""
    judged, plain = TopicJudgements(), {}
    for name in "ABC":
        length = draw(st.integers(1, 50))
        pairs = [(s, min(s + n, length)) for s, n in draw(spans) if s < length]
        merged = iv.merge(iv.as_intervals(pairs))
        judged.documents[name] = DocumentJudgement(
            name, length, iv.length(merged), merged, bep=int(merged[0, 0]) if len(merged) else None
        )
        plain[name] = (length, {p for s, e in merged.tolist() for p in range(s, e)})
    run = []
    for name in draw(st.permutations("ABCX"))[: draw(st.integers(0, 4))]:
        length = plain.get(name, (60, set()))[0]
        pieces, at = [], 0
        for gap, n in draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), min_size=1, max_size=3)):
            if at + gap <= length:
                pieces.append((at + gap, min(at + gap + n, length)))
                at = pieces[-1][1]
        run.append((name, draw(st.permutations(pieces)) if pieces else [(0, 0)]))
    rows = [(doc, s, e) for doc, pieces in run for s, e in pieces]
    ranking = Ranking(
        [r[0] for r in rows],
        starts=np.array([r[1] for r in rows], np.int64),
        ends=np.array([r[2] for r in rows], np.int64),
    )
    return Qrels({"1": judged}), Rankings({"1": ranking}), plain, run


def order_of(length: int, pieces: list[tuple[int, int]], relevant: set[int], how: str) -> list[int]:
    """Return the positions of a document in reading order."""
    retrieved = {p for s, e in pieces for p in range(s, e)}
    rest = [p for p in range(length) if p not in retrieved]
    first = sorted(retrieved)
    if how == "doc":
        return list(range(length))
    if how == "bep":
        return [*range(pieces[0][0], length), *range(pieces[0][0])]
    if how == "best":
        rest = [p for p in rest if p in relevant] + [p for p in rest if p not in relevant]
    if how == "worst":
        rest = [p for p in rest if p not in relevant] + [p for p in rest if p in relevant]
    return first + rest


def t2i_read(order: list[int], relevant: set[int], N: int) -> list[int]:
    read, bad = [], 0
    for p in order:
        read.append(p)
        bad += p not in relevant
        if bad == N:
            break
    return read


def literal_scores(task: Task, how: str, N: int) -> dict[str, list[float]]:
    _, _, plain, run = task
    found: dict[str, list[float]] = {"F": [], "T2I": [], "T2Irec": [], "aveChP": [], "ChP": [], "r": [], "begun": []}
    for doc, pieces in run:
        length, relevant = plain.get(doc, (0, set()))
        if not relevant:
            for name in found:
                found[name].append(0.0 if name != "r" else float("inf"))
            continue
        retrieved = {p for s, e in pieces for p in range(s, e)}
        hit = len(retrieved & relevant)
        P, R = hit / len(retrieved) if retrieved else 0, hit / len(relevant)
        found["F"].append((1 + 0.0625) * P * R / (0.0625 * P + R) if hit else 0.0)
        order = order_of(length, pieces, relevant, how)
        read = t2i_read(order, relevant, N)
        found["T2I"].append(sum(p in relevant for p in read) / len(read))
        found["T2Irec"].append(sum(p in relevant for p in read) / len(relevant))
        found["ChP"].append(sum(p in relevant for p in order[:N]) / min(N, length))
        at = [i + 1 for i, p in enumerate(order) if p in relevant]
        found["aveChP"].append(sum((k + 1) / i for k, i in enumerate(at)) / len(relevant))
        found["r"].append(at[0])
        opened = [(s, e) for s, e in pieces if e > s and any(p in range(s, e) for p in order[: at[0]])]
        found["begun"].append(len(opened) if how not in ("doc", "bep") else 0)
    return found


@FAST
@given(reading_tasks(), st.sampled_from(["natural", "worst", "best", "doc", "bep"]), st.integers(1, 20))
def test_scores_of_documents_agree_with_reading_them_character_by_character(task: Task, how: str, N: int) -> None:
    qrels, run, plain, articles = task
    Nrel = sum(bool(relevant) for _, relevant in plain.values())
    if not Nrel or not articles:
        return
    literal = literal_scores(task, how, N)
    slots = {
        "F": "F",
        "T2I": f"T2I({N},reading={how})",
        "T2Irec": f"T2Irec({N},reading={how})",
        "aveChP": f"aveChP(reading={how})",
        "ChP": f"ChP({N},reading={how})",
    }
    n = len(articles)
    asked = [f"gP[{slot}]@{r}" for slot in slots.values() for r in range(1, n + 1)]
    effort = f"NCE[LE(table=5:1,10:2,inf:4,reading={how})]"
    dearer = f"NCE[LE(table=5:1,10:2,inf:4,reading={how},penalty=3)]"
    efforts = [f"{each}@{n + 2}" for each in (effort, dearer)]
    result = evaluate(qrels, run, [*asked, *(f"AgP[{s}]" for s in slots.values()), *efforts])
    relevant = [bool(plain.get(doc, (0, set()))[1]) for doc, _ in articles]
    for name, slot in slots.items():
        S = literal[name]
        gP = [sum(S[:r]) / r for r in range(1, n + 1)]
        assert [result[f"gP[{slot}]@{r}"].mean for r in range(1, n + 1)] == pytest.approx(gP, abs=1e-12)
        expected = sum(g for g, rel in zip(gP, relevant, strict=True) if rel) / Nrel
        assert result[f"AgP[{slot}]"].mean == pytest.approx(expected, abs=1e-12)
    for measure, penalty in zip(efforts, (0, 3), strict=True):
        reached = [r + penalty * begun for r, begun in zip(literal["r"], literal["begun"], strict=True)]
        ES = [5 if r == float("inf") else 1 if r <= 5 else 2 if r <= 10 else 4 for r in reached] + [5, 5]
        ideal = [1] * Nrel + [5] * len(ES)
        NCE = sum(e / i - 1 for e, i in zip(ES, ideal, strict=False))
        assert result[measure].mean == pytest.approx(NCE, abs=1e-12)


@FAST
@given(reading_tasks(), st.booleans())
def test_interpolated_precision_agrees_with_sets_of_positions(task: Task, thorough: bool) -> None:
    qrels, run, plain, _ = task
    Trel = sum(len(relevant) for _, relevant in plain.values())
    if not Trel:
        return
    ranking = run["1"]
    if thorough and len(ranking):
        rows = np.concatenate((np.arange(len(ranking)), np.arange(len(ranking))))
        ranking = ranking.take(rows)
        shift = np.concatenate((np.zeros(len(rows) // 2, np.int64), np.full(len(rows) // 2, 2)))
        ranking.starts, ranking.ends = ranking.starts + shift, ranking.ends + shift
        limit = np.array([plain.get(d, (10**6, set()))[0] for d in ranking.docs])
        ranking.starts, ranking.ends = np.minimum(ranking.starts, limit), np.minimum(ranking.ends, limit)
    seen: dict[str, set[int]] = {}
    got = size = 0
    points = []
    assert ranking.starts is not None and ranking.ends is not None
    for doc, s, e in zip(ranking.docs, ranking.starts, ranking.ends, strict=True):
        text = set(range(int(s), int(e)))
        relevant = plain.get(doc, (0, set()))[1]
        new = text - seen.get(doc, set()) if relevant else text
        seen.setdefault(doc, set()).update(text)
        got, size = got + len(new & relevant), size + len(new)
        points.append((got / Trel, got / size if size else 0.0))
    name = "iP(task=thorough)" if thorough else "iP"
    curve = evaluate(qrels, Rankings({"1": ranking}), [name])[name].mean
    for k in range(101):
        expected = max((p for r, p in points if int(np.floor(100.0 * r)) >= k), default=0.0)
        assert curve[k] == pytest.approx(expected, abs=1e-12)


def enumerate_prum(P: np.ndarray, N: int | None, r: int) -> float:
    """Return the precision at r by enumeration of the ranks at which each ideal is seen first (last: never)."""
    o, t = P.shape
    leads = consulted = 0.0
    for ranks in product(range(o + 1), repeat=t):
        p = 1.0
        for x, rank in enumerate(ranks):
            p *= np.prod(1 - P[:rank, x]) * (P[rank, x] if rank < o else 1.0)
        if p == 0:
            continue
        firsts = sorted(rank for rank in ranks if rank < o)
        if len(firsts) >= r:
            stop = firsts[r - 1]
            consulted += p * (stop + 1)
            leads += p * len({rank for rank in firsts if rank <= stop})
        else:
            s = len(firsts)
            u = N - o
            consulted += p * (o + (r - s) * (1 + (u - (t - s)) / (t - s + 1)))
            leads += p * (len(set(firsts)) + (r - s))
    return leads / consulted


probabilities = st.sampled_from([0.0, 0.1, 0.4, 0.5, 0.9, 1.0])


@FAST
@given(st.integers(1, 4), st.integers(1, 3), st.data())
def test_exact_prum_agrees_with_the_enumeration_of_all_user_behaviours(o: int, t: int, data: st.DataObject) -> None:
    P = np.array(data.draw(st.lists(st.lists(probabilities, min_size=t, max_size=t), min_size=o, max_size=o)))
    N = o + t + data.draw(st.integers(0, 20))
    seen = 1 - np.vstack((np.ones(t), np.cumprod(1 - P, axis=0)))
    values = prum(seen, N, exact=True)
    for r in range(1, t + 1):
        assert values[r - 1] == pytest.approx(enumerate_prum(P, N, r), abs=1e-10)
    printed = prum(seen, N)
    assert printed[0] == pytest.approx(values[0], abs=1e-10)  # the printed equation is exact at r = 1


def literal_prum(P: np.ndarray, N: int, r: int) -> float:
    """Return the printed equation, subset by subset."""
    o, t = P.shape

    def seen(i: int, x: int) -> float:
        return 1 - float(np.prod(1 - P[:i, x]))

    def distribution(i: int, s: int, over: list[int]) -> float:
        total = 0.0
        for bits in product([0, 1], repeat=len(over)):
            if sum(bits) == s:
                total += float(np.prod([seen(i, x) if b else 1 - seen(i, x) for b, x in zip(bits, over, strict=True)]))
        return total

    everything = list(range(t))
    num = den = 0.0
    for s in range(r):
        for i in range(1, o + 1):
            p = distribution(i - 1, s, everything)
            den += p
            if p > 0:
                miss = 1.0
                for x in everything:
                    others = [y for y in everything if y != x]
                    miss *= 1 - (seen(i, x) - seen(i - 1, x)) * distribution(i - 1, s, others) / p
                num += p * (1 - miss)
        last = distribution(o, s, everything)
        num += last * (r - s)
        den += last * (r - s) * (1 + (N - o - (t - s)) / (t - s + 1))
    return num / den


@FAST
@given(st.integers(1, 4), st.integers(1, 3), st.data())
def test_printed_prum_agrees_with_its_literal_reading(o: int, t: int, data: st.DataObject) -> None:
    P = np.array(data.draw(st.lists(st.lists(probabilities, min_size=t, max_size=t), min_size=o, max_size=o)))
    N = o + t + data.draw(st.integers(0, 20))
    values = prum(1 - np.vstack((np.ones(t), np.cumprod(1 - P, axis=0))), N)
    assert values.tolist() == pytest.approx([literal_prum(P, N, r) for r in range(1, t + 1)], abs=1e-9)


@FAST
@given(
    st.lists(st.tuples(st.sampled_from([0, 0.25, 0.5, 0.9, 1.0]), st.integers(0, 2)), max_size=8),
    st.floats(0.1, 5),
    st.integers(0, 30),
)
def test_precall_with_tied_ranks_agrees_with_its_literal_reading(
    rows: list[tuple[float, int]], rest: float, more: int
) -> None:
    q = [value for value, _ in rows]
    levels = sorted(level for _, level in rows)
    n = sum(q) + rest
    N = len(q) + rest + more + 5
    for x in (0.01, 0.3, 0.77, 1.0):
        j = reached = 0.0
        groups = [[v for v, g in zip(q, levels, strict=True) if g == level] for level in sorted(set(levels))]
        parts = [(sum(g), sum(1 - v for v in g)) for g in groups] + [(rest, N - len(q) - rest)]
        for r, i in parts:
            if reached + r >= x * n - 1e-9:
                expected = x * n / (x * n + j + (x * n - reached) * i / (r + 1))
                break
            reached, j = reached + r, j + i
        got = precall([x], np.array(q), np.array(levels, np.int64), n, N)[0]
        assert got == pytest.approx(expected, abs=1e-9)


PATHS = ["/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]", "/a[1]/b[1]/c[2]", "/a[1]/b[2]", "/a[1]/b[2]/c[1]"]
SIZES = {
    "/a[1]": 100,
    "/a[1]/b[1]": 60,
    "/a[1]/b[1]/c[1]": 20,
    "/a[1]/b[1]/c[2]": 30,
    "/a[1]/b[2]": 30,
    "/a[1]/b[2]/c[1]": 10,
}
WORDS = {("d", p): float(s) for p, s in SIZES.items()}
TEXT = {
    "/a[1]": range(100),
    "/a[1]/b[1]": range(60),
    "/a[1]/b[1]/c[1]": range(20),
    "/a[1]/b[1]/c[2]": range(25, 55),
    "/a[1]/b[2]": range(65, 95),
    "/a[1]/b[2]/c[1]": range(70, 80),
}


def with_ancestors(es: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return legal assessments: what holds something relevant is relevant."""
    return {p: es.get(p, (1, 1)) for p in PATHS if p in es or any(o.startswith(p + "/") for o in es)}


assessed = st.dictionaries(st.sampled_from(PATHS), st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1).map(
    with_ancestors
)
rankings = st.lists(st.sampled_from(PATHS), unique=True, max_size=6)


@FAST
@given(assessed, rankings, st.booleans())
def test_inex2003_agrees_with_sets_of_words(es: dict[str, tuple[int, int]], paths: list[str], overlap: bool) -> None:
    leaves = [p for p in es if not any(o != p and o.startswith(p + "/") for o in es)]
    R = sum(es[p][0] / 3 for p in leaves)
    seen: set[int] = set()
    recall = good = read = 0.0
    for p in paths:
        text = set(TEXT[p])
        new = text - seen if overlap else text
        seen |= text
        e, s = es.get(p, (0, 0))
        recall += e / 3 * len(new) / len(text) / R
        good, read = good + s / 3 * len(new), read + len(new)
    on = "on" if overlap else "off"
    names = [f"inex2003-recall(overlap={on})", f"inex2003-precision(overlap={on})"]
    if paths:
        result = evaluate(tree(es), element_run("1", paths, "d"), names, sizes=WORDS)
        got = [result[n].mean[len(paths) - 1] for n in names]
        assert got == pytest.approx([recall, good / read if read else 0.0], abs=1e-12)


SOG = {
    (3, 3): 1.0,
    (2, 3): 0.9,
    (1, 3): 0.75,
    (3, 2): 0.75,
    (2, 2): 0.5,
    (1, 2): 0.25,
    (3, 1): 0.25,
    (2, 1): 0.1,
    (1, 1): 0.1,
}


def literal_gains(es: dict[str, tuple[int, int]], paths: list[str], alpha: float) -> list[float]:
    """Return gains by the text of the definition, sets of paths all over."""
    q = {p: SOG[es[p]] if p in es else 0.0 for p in PATHS}

    def inside(outer: str, p: str) -> bool:
        return p == outer or p.startswith(outer + "/")

    kept = set()
    for leaf in es:
        if any(o != leaf and inside(leaf, o) for o in es):
            continue
        line = sorted((p for p in es if inside(p, leaf)), key=len)
        top = max(q[p] for p in line)
        if top:
            kept.add([p for p in line if q[p] == top][-1])
    ideal = {p: q[p] for p in kept if not any(o != p and inside(o, p) for o in kept)}

    def rv(c: str, seen: list[str]) -> float:
        if any(inside(s, c) for s in seen):
            return (1 - alpha) * q[c]
        if any(s in es and inside(c, s) for s in seen):
            below = [p for p in es if p != c and inside(c, p)]
            children = [p for p in below if not any(o not in (p, c) and inside(o, p) for o in below)]
            return alpha * sum(rv(k, seen) * SIZES[k] for k in children) / SIZES[c] + (1 - alpha) * q[c]
        return q[c]

    gains, budget = [], dict(ideal)
    for at, c in enumerate(paths):
        gain = rv(c, paths[:at])
        for i in budget:
            if inside(i, c):
                gain = max(0.0, min(gain, budget[i]))
                budget[i] -= gain
        gains.append(gain)
    return gains


@FAST
@given(assessed, rankings, st.sampled_from([0.0, 0.5, 1.0]))
def test_extended_gains_agree_with_their_literal_reading(
    es: dict[str, tuple[int, int]], paths: list[str], alpha: float
) -> None:
    name = f"xG(quant=sog,alpha={alpha})"
    if paths:
        got = evaluate(tree(es), element_run("1", paths, "d"), [name], sizes=WORDS)[name].mean
        assert got[: len(paths)] == pytest.approx(literal_gains(es, paths, alpha), abs=1e-12)


@FAST
@given(assessed, rankings)
def test_prum_without_navigation_is_precall_on_a_binary_set(es: dict[str, tuple[int, int]], paths: list[str]) -> None:
    qrels = Qrels.from_grades({"1": {f"d{p}": 1 for p in es}})
    run = element_run("1", paths or ["/a[1]"], "d")
    for r in range(1, len(es) + 1):
        x = r / len(es)
        names = [f"inex2002(N=40)@{x}", f"PRUM(none,N=40)@{x}"]
        result = evaluate(qrels, run, names)
        later = [
            evaluate(qrels, run, [f"inex2002(N=40)@{k / len(es)}"])[f"inex2002(N=40)@{k / len(es)}"].mean
            for k in range(r, len(es) + 1)
        ]
        assert result[names[1]].mean == pytest.approx(max(later), abs=1e-9)


@FAST
@given(assessed, rankings)
def test_bounded_measures_lie_in_the_unit_interval_and_a_late_miss_never_helps(
    es: dict[str, tuple[int, int]], paths: list[str]
) -> None:
    names = [
        "inex2002(quant=sog)",
        "inex2003",
        "MAep(cap=ancestors)",
        "iMAep(cap=ancestors)",
        "gr(cap=ancestors)@9",
        "nxCG(quant=sog,cap=ancestors)@9",
        "PRUM(quant=sog,N=40)",
        "EPRUM(quant=sog)",
        "GR(quant=sog)@9",
        "Q(quant=sog,cap=ancestors)",
    ]
    qrels, sizes = tree(es), WORDS | {("d", "/z[1]"): 5.0}
    plain = evaluate(qrels, element_run("1", paths, "d"), names, sizes=sizes)
    worse = evaluate(qrels, element_run("1", [*paths, "/z[1]"], "d"), names, sizes=sizes)
    for n in names:
        if plain[n].topics:
            assert -1e-12 <= plain[n].mean <= 1 + 1e-9, n
            if not n.startswith(("inex2003", "PRUM")):
                assert worse[n].mean <= plain[n].mean + 1e-9, n


@FAST
@given(assessed)
def test_an_ideal_run_is_perfect(es: dict[str, tuple[int, int]]) -> None:
    from trix.eval.measures.core.view import TopicView
    from trix.eval.measures.elements.ideal import ideal_base
    from trix.eval.measures.elements.recall_base import recall_base

    qrels = tree(es)
    base = recall_base(TopicView("1", qrels["1"], Ranking.empty()), "sog")
    for rule in ("kazai", "piwowarski", "specific"):
        run = element_run("1", [p for _, p in ideal_base(base, rule, "1")], "d")
        if not len(run["1"]):
            continue
        names = [f"nxCG(quant=sog,ideal={rule})@5", f"MAep(quant=sog,ideal={rule})", f"iMAep(quant=sog,ideal={rule})"]
        users = [f"PRUM({user},quant=sog,ideal={rule},N=40)" for user in ("none", "hierarchical")]
        result = evaluate(qrels, run, [*names, *users], sizes=WORDS)
        for n in [*names[:1], *names[1:], *users]:
            if rule == "specific" and n in names:
                continue  # sorted by s before e, not by q
            assert result[n].mean == pytest.approx(1.0, abs=1e-9), n


def test_the_mini_document_of_study_vi() -> None:
    judged = TopicJudgements(documents={"d": DocumentJudgement("d", 55, 27, iv.as_intervals([(0, 27)]))})
    qrels = Qrels({"1": judged})
    for span, F1, ave in (((32, 55), 0.0, 0.348), ((23, 45), 0.163, 0.531), ((0, 55), 0.659, 1.0)):
        run = Rankings({"1": Ranking(["d"], starts=np.array([span[0]]), ends=np.array([span[1]]))})
        result = evaluate(qrels, run, ["AgP[F(1)]", "AgP[aveChP]"])
        assert [round(result[n].mean, 3) for n in ("AgP[F(1)]", "AgP[aveChP]")] == [F1, ave]


BOUNDED = [
    "AP",
    "P@2",
    "R@2",
    "F1@2",
    "Rprec",
    "RR",
    "bpref",
    "nDCG@3",
    "nCG@3",
    "success@1",
    "iP@0.01",
    "AiP",
    "char_prec",
    "char_rec",
    "char_f1",
    "art_prec",
    "art_rec",
    "art_f1",
    "AgP[F]",
    "AgP[aveChP]",
    "AgP[T2I(7)]",
    "AgP[T2If(7)]",
    "AgP[ChP@9]",
    "gP[F]@2",
    "gR@2",
    "HiXEval",
    "HiXEval(P)@2",
]


@FAST
@given(reading_tasks())
def test_measures_of_text_are_bounded_and_an_irrelevant_document_at_the_end_never_helps(task: Task) -> None:
    qrels, run, plain, _ = task
    if not any(relevant for _, relevant in plain.values()):
        return
    plain_result = evaluate(qrels, run, [*BOUNDED, "ANCE[LE(5)]@20"])
    ranking = run["1"]
    rows = [*zip(ranking.docs, ranking.starts.tolist(), ranking.ends.tolist(), strict=True), ("Z", 0, 9)]
    longer = Ranking([r[0] for r in rows], starts=np.array([r[1] for r in rows]), ends=np.array([r[2] for r in rows]))
    worse = evaluate(qrels, Rankings({"1": longer}), [*BOUNDED, "ANCE[LE(5)]@20"])
    for name in BOUNDED:
        assert 0 <= plain_result[name].mean <= 1 + 1e-12, name
        assert worse[name].mean <= plain_result[name].mean + 1e-12, name
    assert worse["ANCE[LE(5)]@20"].mean >= plain_result["ANCE[LE(5)]@20"].mean - 1e-12


@FAST
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1))
def test_an_ideal_ranking_has_ideal_gains_and_no_effort(grades: dict[str, int]) -> None:
    if not any(grades.values()):
        return
    best = sorted(grades, key=lambda u: -grades[u])
    result = evaluate({"1": grades}, {"1": best}, ["nDCG", "nCG", "nDCG(trec)", "AP"])
    for name in ("nDCG", "nCG", "nDCG(trec)", "AP"):
        np.testing.assert_allclose(result[name].mean, 1.0)
    spans = {u: iv.as_intervals([(0, 10)] if g else []) for u, g in grades.items()}
    whole = {u: DocumentJudgement(u, 10, iv.length(span), span) for u, span in spans.items()}
    n = len(best)
    run = Rankings({"1": Ranking(best, starts=np.zeros(n, np.int64), ends=np.full(n, 10))})
    result = evaluate(Qrels({"1": TopicJudgements(documents=whole)}), run, ["NCE", "AgP[aveChP]", "ANCE@50"])
    assert not result["NCE"].mean.any() and result["AgP[aveChP]"].mean == 1
