"""The printed values of the element measures [INEX 7, vectors 3 to 6]."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.eval_samples import (
    A163,
    B163,
    DOC_163,
    SEC4,
    SEC6,
    TOPIC_163,
    element_run,
    es_qrels,
    sizes_163,
    topic_163,
    tree,
)
from trix.errors import FormatError, UsageError
from trix.eval.data.qrels import Qrels, TopicJudgements
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate
from trix.eval.measures.core.view import TopicView
from trix.eval.measures.elements.ideal import ideal_base, kazai, piwowarski, read_ideal, specific, write_ideal
from trix.eval.measures.elements.precall import precall
from trix.eval.measures.elements.recall_base import RecallBase, recall_base

FULL = list(TOPIC_163)


def base_of(qrels: Qrels, topic: str, quant: str = "sog") -> RecallBase:
    return recall_base(TopicView(topic, qrels[topic], Ranking.empty()), quant)


def evaluate_163(paths: list[str], *measures: str) -> dict[str, np.ndarray]:
    result = evaluate(topic_163(), element_run("163", paths), measures, sizes=sizes_163())
    return {m: np.asarray(result[m].mean) for m in measures}


def test_inex2002_of_the_full_recall_base_of_topic_163() -> None:
    q = np.array([1, 0.9, 0.9, 0.9, 0.9, 0.9, 0.5, 0.25, 0.25, 0.25])
    recalls = np.cumsum(q) / 6.75
    np.testing.assert_allclose(
        recalls.round(4), [0.1481, 0.2815, 0.4148, 0.5481, 0.6815, 0.8148, 0.8889, 0.9259, 0.9630, 1]
    )
    expected = [
        1,
        0.9756756756756757,
        0.95,
        0.9373333333333335,
        0.9297872340425533,
        0.9247787610619469,
        0.9,
        0.8445945945945945,
        0.7738095238095237,
        0.7180851063829787,
    ]
    np.testing.assert_allclose(precall(recalls, q, np.arange(10), 6.75), expected, atol=1e-14)
    base = base_of(topic_163(), "163")
    assert sum(base.q.values()) == pytest.approx(6.75)


@pytest.mark.parametrize(("paths", "expected"), [([SEC6, SEC4], [1, 0.9]), ([SEC4, SEC6], [0.75, 0.75])])
def test_inex2002_of_the_ideal_run_of_topic_163_and_its_reverse(paths: list[str], expected: list[float]) -> None:
    run = element_run("163", paths)
    q = [base_of(topic_163(), "163").value((DOC_163, p)) for p in paths]
    for value, x in zip(expected, np.cumsum(q) / 6.75, strict=True):
        result = evaluate(topic_163(), run, [f"inex2002(quant=sog)@{x}"])
        assert result[f"inex2002(quant=sog)@{x}"].mean == pytest.approx(value)


def test_what_was_not_retrieved_is_one_last_level() -> None:
    assert precall([1.0], np.ones(1), np.arange(1), 3.0, 100)[0] == pytest.approx(0.044335, abs=5e-7)
    assert precall([1.0], np.ones(1), np.arange(1), 3.0)[0] == 0
    assert precall([1.0, 0.3], np.ones(1), np.arange(1), 3.0, np.inf).tolist() == [0, 1]


def test_the_prum_tree_under_inex2002_and_inex2003() -> None:
    a, b, c = "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]"
    qrels, sizes = tree({a: (3, 2), b: (3, 2), c: (3, 3)}), {("d", a): 60.0, ("d", b): 40.0, ("d", c): 10.0}
    for order, precision, recall, ng in (([c, b, a], 0.875, 0.6944, 0.7222), ([a, b, c], 0.8333, 0.3333, 0.6667)):
        names = ["inex2002(quant=gen)@1", "inex2003-recall(base=all)@3", "inex2003-precision(base=all)@3"]
        result = evaluate(qrels, element_run("1", order, "d"), names, sizes=sizes)
        assert [result[n].mean for n in names] == pytest.approx([precision, recall, ng], abs=5e-5)


def test_a_recall_beyond_1_is_explained() -> None:
    a, b, c = "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]"
    sizes = {("d", a): 60.0, ("d", b): 40.0, ("d", c): 10.0}
    alike, growing = tree({a: (3, 2), b: (3, 2), c: (3, 3)}), tree({a: (3, 1), b: (2, 1), c: (1, 3)})
    for qrels, paths, params, recall in (
        (alike, [c, b], "overlap=off", 2.0),  # e of both is 1, R = e of the only leaf = 1
        (growing, [b], "overlap=on", 2.0),  # e(b) = 2/3, R = e(c) = 1/3
        (alike, [c, b], "overlap=off,base=all", 2 / 3),
        (alike, [c], "overlap=off", 1.0),
    ):
        result = evaluate(qrels, element_run("1", paths, "d"), [f"inex2003-recall({params})@{len(paths)}"], sizes=sizes)
        assert result.scores["run"].popitem()[1].mean == pytest.approx(recall)
        said = [n for n in result.notices if "exceeds 1" in n]
        assert len(said) == (recall > 1) and all("base=all stays within 1" in n for n in said)


def test_inex2003_of_topic_163() -> None:
    found = evaluate_163(FULL, "inex2003-recall", "inex2003-precision")
    np.testing.assert_allclose(
        found["inex2003-recall"].round(4),
        [0.2727, 0.4545, 0.6364, 0.6364, 0.6364, 0.6364, 0.7184, 0.9069, 0.9069, 0.9069],
    )
    np.testing.assert_allclose(found["inex2003-precision"].round(4), [1] * 6 + [0.9361] + [0.5194] * 3)
    ideal = evaluate_163([SEC6, SEC4], "inex2003-recall", "inex2003-precision")
    np.testing.assert_allclose(ideal["inex2003-recall"].round(4), [0.2727, 0.4545])
    np.testing.assert_allclose(ideal["inex2003-precision"].round(4), [1, 0.8584])
    reverse = evaluate_163([SEC4, SEC6], "inex2003-recall", "inex2003-precision")
    np.testing.assert_allclose(reverse["inex2003-recall"].round(4), [0.1818, 0.4545])
    np.testing.assert_allclose(reverse["inex2003-precision"].round(4), [0.6667, 0.8584])


ES_OF_SOG = {1.0: (3, 3), 0.9: (2, 3), 0.75: (1, 3), 0.5: (2, 2), 0.25: (3, 1), 0.1: (1, 1)}


def sog_tree(values: dict[str, float]) -> RecallBase:
    return base_of(tree({p: ES_OF_SOG[v] for p, v in values.items()}), "1")


def test_ideal_bases_of_figure_2_tree_a() -> None:
    base = sog_tree({"/article[1]": 0.25, "/article[1]/bdy[1]": 0.25, "/article[1]/bdy[1]/sec[1]": 1.0})
    sec = ["/article[1]/bdy[1]/sec[1]"]
    assert kazai(base, "d") == piwowarski(base, "d") == sec


def test_ideal_bases_of_figure_2_tree_b() -> None:
    n1, n2 = "/article[1]", "/article[1]/bdy[1]"
    n3, n4, n5 = f"{n2}/sec[1]", f"{n2}/sec[2]", f"{n2}/sec[2]/p[1]"
    base = sog_tree({n1: 0.25, n2: 0.75, n3: 0.9, n4: 0.1, n5: 0.25})
    assert kazai(base, "d") == [n2]
    assert piwowarski(base, "d") == [n3, n5]
    base = sog_tree({n1: 0.25, n2: 0.25, n3: 0.9, n4: 0.1, n5: 0.25})
    assert kazai(base, "d") == [n3, n5]
    assert kazai(base, "d", higher=True) == [n1]


def test_ideal_bases_of_figure_2_tree_c() -> None:
    sec, ps = "/article[1]/sec[1]", [f"/article[1]/sec[1]/p[{i}]" for i in range(1, 7)]
    base = sog_tree({sec: 1.0, **dict(zip(ps, [0.75, 0.75, 0.75, 0.75, 1.0, 0.75], strict=True))})
    assert kazai(base, "d") == [sec]
    assert piwowarski(base, "d") == ps


def test_ideal_bases_of_topic_163() -> None:
    base = base_of(topic_163(), "163")
    assert ideal_base(base, "kazai", "163") == {(DOC_163, SEC6): 1.0, (DOC_163, SEC4): 0.5}
    assert set(piwowarski(base, DOC_163)) == {SEC6, f"{SEC4}/ip1[1]", f"{SEC4}/p[1]", f"{SEC4}/p[2]"}
    assert set(specific(base, DOC_163)) == {SEC6, SEC4}
    assert list(ideal_base(base, "specific", "163")) == [(DOC_163, SEC6), (DOC_163, SEC4)]


def test_an_ideal_base_can_be_written_and_read_and_given_to_any_measure(tmp_path: Path) -> None:
    ideal = ideal_base(base_of(topic_163(), "163"), "kazai", "163")
    file = tmp_path / "ideal.txt"
    file.write_text(write_ideal({"163": ideal}))
    assert read_ideal(str(file)) == {"163": ideal}
    named, read = "nxCG(quant=sog)@2", f"nxCG(quant=sog,ideal={file})@2"
    found = evaluate_163([SEC4, SEC6], named, read, f"PRUM(none,quant=sog,ideal={file})@1")
    assert found[named] == found[read] == 1 and found[f"PRUM(none,quant=sog,ideal={file})@1"] == 1
    file.write_text(f"163 Q0 {DOC_163}{SEC4} 1\n163 Q0 {DOC_163}{A163} 1\n")
    read_ideal.cache_clear()
    with pytest.raises(FormatError, match=r"line 2: .* overlaps"):
        evaluate_163([SEC4], read)
    with pytest.raises(UsageError, match="no ideal recall base 'kasai'"):
        evaluate_163([SEC4], "nxCG(ideal=kasai)@1")


@pytest.mark.parametrize("name", ["kazai", "piwowarski", "specific", "a file"])
def test_equal_ideal_elements_are_in_document_order_not_in_that_of_the_file(name: str, tmp_path: Path) -> None:
    paths = [f"/a[1]/s[{i}]" for i in (10, 2, 1)]
    base = base_of(tree(dict.fromkeys(paths, (3, 3))), "1")
    (tmp_path / "ideal").write_text("".join(f"1 Q0 d{path} 1\n" for path in paths))
    found = ideal_base(base, str(tmp_path / "ideal") if name == "a file" else name, "1")
    assert [path for _, path in found] == ["/a[1]/s[1]", "/a[1]/s[2]", "/a[1]/s[10]"]


def test_xcg_of_topic_163_under_the_ideal_base_of_kazai() -> None:
    def nxcg(*paths: str) -> list[float]:
        return evaluate_163(list(paths), "nxCG(quant=sog)")["nxCG(quant=sog)"].tolist()

    assert nxcg(SEC6, SEC4) == [1, 1]
    assert nxcg(SEC4, SEC6) == [0.5, 1]
    assert nxcg(*FULL)[0] == 1 and nxcg(*FULL)[1] == pytest.approx(1)
    assert nxcg(*FULL)[:9] == pytest.approx([1] * 9)


GAINS = {
    "xG(quant=sog)": [
        ([f"{SEC4}/ip1[1]", f"{SEC6}/p[1]", B163, A163], [0.5, 0.9, 0.112854, 0]),
        ([f"{SEC6}/ip1[1]", A163], [0.9, 0.160108]),
        (
            [f"{SEC6}/ip1[1]", f"{SEC6}/p[1]", f"{SEC6}/p[2]", f"{SEC4}/ip1[1]", f"{SEC4}/p[1]", f"{SEC4}/p[2]"],
            [0.9, 0.1, 0, 0.5, 0, 0],
        ),
    ],
    "xG(quant=sog,cap=none)": [([f"{SEC4}/ip1[1]", f"{SEC4}/p[1]", SEC4], [0.9, 0.9, 0.081767])],
}


@pytest.mark.parametrize(("name", "paths", "gains"), [(n, p, g) for n, cases in GAINS.items() for p, g in cases])
def test_gains_of_topic_163(name: str, paths: list[str], gains: list[float]) -> None:
    np.testing.assert_allclose(evaluate_163(paths, name)[name], gains, atol=5e-7)


def test_nxcg_of_the_leaf_run_of_topic_163() -> None:
    paths = GAINS["xG(quant=sog)"][2][0]
    found = evaluate_163(paths, "nxCG(quant=sog)")["nxCG(quant=sog)"]
    np.testing.assert_allclose(found.round(4), [0.9, 0.6667, 0.6667, 1, 1, 1])


def test_results_inside_an_ideal_element_share_its_value() -> None:
    sec, ps = "/a[1]/sec[1]", [f"/a[1]/sec[1]/p[{i}]" for i in range(1, 7)]
    values = dict(zip(ps, [(1, 3)] * 4 + [(3, 3), (1, 3)], strict=True))
    qrels = tree({sec: (3, 3), **values})
    result = evaluate(qrels, element_run("1", [ps[3], ps[4], ps[1]], "d"), ["xG(quant=sog)"])
    assert result["xG(quant=sog)"].mean.tolist() == [0.75, 0.25, 0]


def test_half_of_what_was_seen_counts_again_with_alpha_a_half() -> None:
    a, b, c = "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]"
    qrels, sizes = tree({a: (3, 2), b: (3, 2), c: (3, 3)}), {("d", a): 60.0, ("d", b): 40.0, ("d", c): 10.0}
    name = "xCG(quant=gen,alpha=0.5,ideal=piwowarski)"
    result = evaluate(qrels, element_run("1", [a, b, c], "d"), [name], sizes=sizes)
    np.testing.assert_allclose(result[name].mean, [0.75, 1.125, 1.625])


def graded(gains: list[float], ideal: list[float]) -> tuple[Qrels, Rankings]:
    """Return plain grades and a ranking with given gains and ideal gains, every unit a document of its own."""
    units = {f"r{i}": g for i, g in enumerate(gains)}
    rest = sorted(ideal, reverse=True)
    for g in gains:
        if g:
            rest.remove(g)
    units |= {f"i{i}": g for i, g in enumerate(rest)}
    return Qrels({"1": TopicJudgements(grades=units)}), Rankings({"1": Ranking([f"r{i}" for i in range(len(gains))])})


def test_the_xcg_family_on_the_vectors_of_section_7() -> None:
    qrels, run = graded([2, 1, 0, 0, 2, 1], [2, 2, 2, 1, 1, 1])
    names = ["nxCG", "AnxCG@6", "gr", "MAep", "ep-ep", "Q", "Rmeasure", "RWP"]
    result = evaluate(qrels, run, names)
    np.testing.assert_allclose(result["nxCG"].mean.round(4), [1, 0.75, 0.5, 0.4286, 0.625, 0.6667])
    assert result["MAnxCG@6"].mean == pytest.approx(0.6617063492063492, abs=1e-15)
    np.testing.assert_allclose(result["gr"].mean.round(3), [0.222, 0.333, 0.333, 0.333, 0.556, 0.667])
    assert result["MAep"].mean == pytest.approx(2.75 / 6)
    np.testing.assert_allclose(result["ep-ep"].mean[[0, 1, 4, 5]], [1, 0.75, 0.5, 0.5])
    cbg, xCI = np.cumsum([3, 2, 0, 0, 3, 2]), np.cumsum([2, 2, 2, 1, 1, 1])
    assert result["Q"].mean == pytest.approx(sum(cbg[i] / (xCI[i] + i + 1) for i in (0, 1, 4, 5)) / 6)
    assert result["Rmeasure"].mean == pytest.approx(10 / 15)
    assert result["RWP"].mean == pytest.approx(6 / 9)


def prum_tree() -> tuple[Qrels, dict[tuple[str, str], float], list[str]]:
    a, b, c = "/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]"
    return (tree({a: (3, 2), b: (3, 2), c: (3, 3)}), {("d", a): 60.0, ("d", b): 40.0, ("d", c): 10.0}, [a, b, c])


def test_prum_of_a_list_that_leads_to_its_only_ideal_element() -> None:
    qrels, sizes, (a, b, c) = prum_tree()
    name = "PRUM(user=hierarchical,quant=gen)@1"
    for order, expected in (([c, b, a], 1.0), ([a, b, c], 0.4067796610169491)):
        result = evaluate(qrels, element_run("1", order, "d"), [name], sizes=sizes)
        assert result[name].mean == pytest.approx(expected, abs=1e-14)


@pytest.fixture
def web(tmp_path: Path) -> str:
    file = tmp_path / "links.txt"
    file.write_text("c a .4\nc b .4\nd a .6\nd b .4\n")
    return str(file)


def test_prum_of_the_web_example(web: str) -> None:
    qrels, run = Qrels.from_grades({"1": {"a": 1, "b": 1, "c": 0}}), Rankings({"1": Ranking(list("cdab"))})
    names = [f"PRUM({web},N=4)@0.5", f"PRUM({web})@1", f"PRUM({web},exact=true)@0.5", f"PRUM({web},exact=true)@1"]
    result = evaluate(qrels, run, names)
    expected = [0.6913716814159292, 0.6356132075471699, 0.6913716814159292, 0.646226]
    assert [result[n].mean for n in names] == pytest.approx(expected, abs=1e-6)
    assert result[names[0]].mean == pytest.approx(expected[0], abs=1e-15)
    assert result[names[1]].mean == pytest.approx(expected[1], abs=1e-15)


def test_prum_of_a_best_entry_point_and_of_an_endless_collection(tmp_path: Path) -> None:
    file = tmp_path / "bep.txt"
    file.write_text("a b 1\na c 1\n")
    qrels = Qrels.from_grades({"1": {"b": 1, "c": 1}})
    assert evaluate(qrels, {"1": ["a"]}, [f"PRUM({file},N=100)@1"])[f"PRUM({file},N=100)@1"].mean == 1
    file = tmp_path / "one.txt"
    file.write_text("a b .9\n")
    qrels = Qrels.from_grades({"1": {"b": 1}})
    names = [f"PRUM({file},N={n})@1" for n in ("100", "1000", "inf")]
    result = evaluate(qrels, {"1": ["a"]}, names)
    assert [round(result[n].mean, 4) for n in names] == [0.1667, 0.0196, 0]
    with pytest.raises(UsageError, match="number of elements in the collection"):
        evaluate(qrels, {"1": ["a"]}, [f"PRUM({file})@1"])


def test_single_steps_are_summed_over_simple_paths(tmp_path: Path) -> None:
    file = tmp_path / "steps.txt"
    file.write_text("x y .5\nx z .3\ny z .8\nz y .12\n")
    for goal, expected in (("y", 0.536), ("z", 0.7)):
        name = f"GR({file},direct=true)@1"
        assert evaluate({"1": {goal: 1}}, {"1": ["x"]}, [name])[name].mean == pytest.approx(expected)


def test_tolerance_to_irrelevance_needs_positions() -> None:
    a, b, c = "/a[1]", "/a[1]/b[1]", "/a[1]/b[2]"
    qrels = es_qrels({"1": {"d": {a: (1, 1), c: (3, 3)}}})
    positions = {("d", a): (0, 100), ("d", b): (0, 40), ("d", c): (40, 100)}
    names = ["GR(t2i:41,quant=gen)@1", "GR(t2i:40,quant=gen)@1", "GR(t2i-inverse:80,quant=gen)@1"]
    result = evaluate(qrels, element_run("1", [b], "d"), names, positions=positions)
    assert [result[n].mean for n in names] == [1, 0, 0.5]
    with pytest.raises(UsageError, match="the position of d/a"):
        evaluate(qrels, element_run("1", [b], "d"), names)


def test_eprum_of_a_list_without_navigation_is_its_precision_at_each_relevant_rank() -> None:
    qrels = Qrels.from_grades({"1": {"b": 1, "c": 1}})
    result = evaluate(qrels, {"1": ["b", "x", "c"]}, ["EPRUM(none)@0.5", "EPRUM(none)@1", "GR(none)"])
    assert result["EPRUM(none)@0.5"].mean == 1 and result["EPRUM(none)@1"].mean == pytest.approx(2 / 3)
    assert result["GR(none)"].mean.tolist() == [0.5, 0.5, 1]


def test_the_official_measure_of_2004_is_the_mean_over_seven_quantisations() -> None:
    seven = ["strict", "gen", "sog", "s3_e321", "s3_e32", "e3_s321", "e3_s32"]
    names = [f"inex2002({q})" for q in seven]
    result = evaluate(topic_163(), element_run("163", [SEC4, SEC6]), ["aggregate2004", *names])
    assert result["aggregate2004"].mean == pytest.approx(np.mean([result[n].mean for n in names]))


def test_hixeval_counts_only_text_that_was_not_seen() -> None:
    from trix.eval.data.qrels import DocumentJudgement, ElementJudgement

    elements = {
        p: ElementJudgement(path=p, e=2, size=s, rsize=r)
        for p, s, r in (("/a[1]", 100, 40), ("/a[1]/b[1]", 50, 40), ("/a[1]/b[2]", 50, 0))
    }
    qrels = Qrels({"1": TopicJudgements(documents={"d": DocumentJudgement("d", 100, 40, elements=elements)})})
    result = evaluate(
        qrels,
        element_run("1", ["/a[1]/b[1]", "/a[1]"], "d"),
        ["HiXEval", "HiXEval(P)@1", "HiXEval(P)@2", "HiXEval(R)@2", "HiXEval(F,alpha=0)@2"],
    )
    assert result["HiXEval(P)@1"].mean == 0.8
    assert result["HiXEval(P)@2"].mean == pytest.approx((0.8 + 0.5 * 0.4) / 2)
    assert result["HiXEval(R)@2"].mean == 1
    assert result["HiXEval"].mean == pytest.approx(0.8)
    assert result["HiXEval(F,alpha=0)@2"].mean == pytest.approx(2 * 0.6 / 1.6)


def test_the_highlighted_text_of_a_document_without_its_root_is_that_of_its_outermost_elements(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<assessments topic="1"><file name="d">'
        '<element path="/a[1]/b[1]" exhaustivity="2" size="50" rsize="40"/>'
        '<element path="/a[1]/b[1]/c[1]" exhaustivity="2" size="40" rsize="40"/>'
        '<element path="/a[1]/b[2]" exhaustivity="1" size="60" rsize="10"/>'
        '<element path="/a[1]/b[3]" exhaustivity="1" size="60" rsize="0"/></file></assessments>'
    )
    found = evaluate(tmp_path / "a.xml", element_run("1", ["/a[1]/b[1]"], "d"), ["HiXEval(R)@1", "HiXEval"])
    assert found["HiXEval(R)@1"].mean == 40 / 50  # Trel = 40 + 10
    assert found["HiXEval"].mean == pytest.approx(40 / 50 * 40 / 50)  # P@1 over the recall it brings


REFUSING = ["AP", "inex2002(sog)", "PRUM(none,quant=sog,N=100)", "inex2003(overlap=off)", "nxCG(sog,overlap=off)@3"]


def test_an_element_that_comes_again_was_wholly_seen(tmp_path: Path) -> None:
    # rv(c) = (1 - alpha) q(c), cut by what is left of the ideal's budget: q(sec6) = 1 is spent, sec4 has .5
    assert gains_of([SEC6, SEC6, SEC4], "sog", "cap=none") == [1, 0, 0.5]
    assert gains_of([SEC6, SEC6, SEC4], "sog", "cap=none", "alpha=.5") == [1, 0.5, 0.5]
    assert gains_of([SEC6, SEC6, SEC4], "sog", "alpha=.5") == [1, 0, 0.5]
    file = tmp_path / "run"
    file.write_text("".join(f"163 Q0 {DOC_163}{p} {i} {9 - i} r\n" for i, p in enumerate([SEC6, SEC4, SEC6], 1)))
    read = evaluate(topic_163(), file, ["xG(sog,cap=none,alpha=.5)@3", "inex2003@1"], sizes=sizes_163())
    assert read["xG(sog,cap=none,alpha=.5)@3"].mean == 0.5
    once = evaluate(topic_163(), element_run("163", [SEC6, SEC4]), REFUSING, sizes=sizes_163())
    message = r"run, line 3: topic 163: .*sec\[6\] is returned twice \(first at line 1\)"
    for name in REFUSING:
        with pytest.raises(FormatError, match=message):
            evaluate(topic_163(), file, [name], sizes=sizes_163())
        kept = evaluate(topic_163(), file, [name], sizes=sizes_163(), lenient=True)
        assert kept[name].mean == once[name].mean and any("1 result dropped" in n for n in kept.notices)


def gains_of(paths: list[str], *params: str) -> list[float]:
    """Return xG of a run for topic 163."""
    name = f"xG({','.join(params)})"
    values = evaluate(topic_163(), element_run("163", paths), [name], sizes=sizes_163())[name].mean
    return [float(value) for value in values]
