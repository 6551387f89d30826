"""Generalised precision and recall, tolerance to irrelevance over a list, gain by text read, penalties for passages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.eval.measures.test_oracles import FAST, Task, reading_tasks
from tests.eval_samples import DOC_163, SEC4, SEC6, element_run, sizes_163, topic_163
from trix.errors import UsageError
from trix.eval.data import intervals as iv
from trix.eval.data.qrels import DocumentJudgement, Qrels, TopicJudgements
from trix.eval.data.runs import Ranking, Rankings
from trix.eval.evaluate import evaluate


def value(qrels: Qrels, run: Rankings, measure: str, **more: Any) -> Any:
    found = evaluate(qrels, run, [measure], **more)[measure].mean
    return found if found is None or isinstance(found, float) else np.asarray(found)


# -- generalised precision and recall --------------------------------------------------------------------------------


def graded(*grades: int, missed: tuple[int, ...] = ()) -> tuple[Qrels, Rankings]:
    units = {f"d{i}": g for i, g in enumerate(grades)} | {f"m{i}": g for i, g in enumerate(missed)}
    return Qrels.from_grades({"1": units}), Rankings({"1": Ranking([f"d{i}" for i in range(len(grades))])})


def test_generalised_precision_and_recall_of_the_gains_of_jk00() -> None:
    """G' of [JK00, 2.2] as shares of 3, with one highly relevant document that is not retrieved."""
    qrels, run = graded(3, 2, 3, 0, 0, 1, 2, 2, 3, 0, missed=(3, 1))
    CG = np.array([3, 5, 8, 8, 8, 9, 11, 13, 16, 16])
    np.testing.assert_allclose(value(qrels, run, "genP(3)"), CG / 3 / np.arange(1, 11))
    np.testing.assert_allclose(value(qrels, run, "genR(3)"), CG / 20)
    assert value(qrels, run, "genP(max=3)@3") == pytest.approx(8 / 9)
    assert value(qrels, run, "genR(max=3)@3") == pytest.approx(0.4)
    # Recall 0, .1 are reached at rank 1, .2 at rank 2, .3 and .4 at rank 3, .5 at 7, .6 at 8, .7 and .8 at 9.
    best = [1, 1, 8 / 9, 8 / 9, 8 / 9, 16 / 27, 16 / 27, 16 / 27, 16 / 27, 0, 0]
    np.testing.assert_allclose(value(qrels, run, "igenP(3)"), best)
    assert value(qrels, run, "igenP(3)@0.8") == pytest.approx(16 / 27)


def test_binary_gains_give_plain_precision_and_recall() -> None:
    qrels, run = graded(1, 0, 1, 0, missed=(1,))
    for generalised, plain in (("genP@3", "P@3"), ("genR@3", "R@3"), ("igenP@0.6", "iPR@0.6")):
        assert value(qrels, run, generalised) == pytest.approx(value(qrels, run, plain))


def test_gains_above_one_need_a_highest_grade_or_a_map() -> None:
    qrels, run = graded(3, 1)
    with pytest.raises(UsageError, match=r"a gain of 3 is above max=1; give the highest grade, as genP\(max=3\)@10"):
        value(qrels, run, "genP@1")
    assert value(qrels, run, "genP(gain=1:0.1,3:1)@2") == pytest.approx(0.55)
    nothing, run = graded(0, 0)
    assert evaluate(nothing, run, ["genP@2"])["genP@2"].topics == {}


# -- tolerance to irrelevance ----------------------------------------------------------------------------------------


def passages(**documents: tuple[int, list[tuple[int, int]]]) -> Qrels:
    judged = TopicJudgements()
    for doc, (length, spans) in documents.items():
        merged = iv.merge(iv.as_intervals(spans))
        judged.documents[doc] = DocumentJudgement(doc, length, iv.length(merged), merged)
    return Qrels({"1": judged})


def entries(*places: tuple[str, int]) -> Rankings:
    starts = np.array([start for _, start in places], np.int64)
    return Rankings({"1": Ranking([doc for doc, _ in places], starts=starts, ends=starts + 1)})


def test_a_user_reads_on_until_relevant_text_or_tolerance() -> None:
    qrels = passages(a=(1000, [(200, 300), (400, 500)]), b=(80, [(0, 10)]), c=(500, []))
    # a 100: reaches 200 after 100 characters. a 250: seen, on to 400 after 150. c: 300 in vain. b 30: 50 to the end.
    run = entries(("a", 100), ("a", 250), ("c", 10), ("b", 30), ("b", 5))
    np.testing.assert_allclose(value(qrels, run, "T2I-P(300)"), [1, 1, 2 / 3, 2 / 4, 3 / 5])
    np.testing.assert_allclose(value(qrels, run, "T2I-R(300)"), [1 / 3, 2 / 3, 2 / 3, 2 / 3, 1])
    np.testing.assert_allclose(value(qrels, run, "T2I-vain(300)"), [100, 250, 550, 600, 600])
    assert value(qrels, run, "T2I-AP(300)") == pytest.approx((1 + 1 + 3 / 5) / 3)
    # With tolerance 100 the 100th character in vain is the last one read, so the first result leads to nothing.
    np.testing.assert_allclose(value(qrels, run, "T2I-vain(100)"), [100, 100, 200, 250, 250])
    assert value(qrels, run, "T2I-P(100)@2") == pytest.approx(1 / 2)
    assert value(qrels, run, "T2I-P(100)@9") == pytest.approx(2 / 9)


@FAST
@given(reading_tasks(), st.integers(1, 20))
def test_tolerance_over_a_list_agrees_with_reading_character_by_character(task: Task, N: int) -> None:
    qrels, run, plain, articles = task
    fragments = [(doc, s, e) for doc, d in qrels["1"].documents.items() for s, e in d.intervals.tolist()]
    if not fragments or not articles:
        return
    unseen, hits, vain = set(fragments), [], 0
    for doc, s in [(doc, s) for doc, pieces in articles for s, _ in pieces]:
        at, read, hit = s, 0, None
        while hit is None and read < N and at < plain.get(doc, (10**9, set()))[0]:
            hit = next((f for f in unseen if f[0] == doc and f[1] <= at < f[2]), None)
            read, at = read + (hit is None), at + 1
        unseen -= {hit}
        hits.append(hit is not None)
        vain += read
    n = len(hits)
    asked = [f"T2I-P({N})@{n}", f"T2I-R({N})@{n}", f"T2I-AP({N})", f"T2I-vain({N})@{n}"]
    found = evaluate(qrels, run, asked)
    AP = sum(sum(hits[: i + 1]) / (i + 1) for i in range(n) if hits[i]) / len(fragments)
    expected = [sum(hits) / n, sum(hits) / len(fragments), AP, vain]
    assert [found[name].mean for name in asked] == pytest.approx(expected)


# -- gain by text read -----------------------------------------------------------------------------------------------


def test_gain_accrues_over_the_text_of_results() -> None:
    """[KL05, figure 1] under sog: sec[6] with value 1 and 360 words, sec[4] with .5 and 266; both are ideal."""
    run = element_run("163", [SEC4, SEC6, f"{SEC6}/p[1]"])

    def after(n: int, measure: str = "xCG-read(sog)") -> Any:
        return value(topic_163(), run, f"{measure}@{n}", sizes=sizes_163())

    q4 = value(topic_163(), element_run("163", [SEC4]), "xCG(sog)@1", sizes=sizes_163())
    q6 = value(topic_163(), element_run("163", [SEC6]), "xCG(sog)@1", sizes=sizes_163())
    assert isinstance(q4, float) and isinstance(q6, float) and q6 > q4 > 0
    assert after(133) == pytest.approx(q4 / 2)
    assert after(266 + 90) == pytest.approx(q4 + q6 / 4)
    assert after(626) == after(9999) == pytest.approx(q4 + q6)  # p[1] was read with its section
    dense = min((q6 / 360, 360), (q4 / 266, 266), key=lambda each: -each[0])
    assert after(100, "nxCG-read(sog)") == pytest.approx(q4 / 266 / dense[0])
    assert after(700, "nxCG-read(sog)") == pytest.approx(1)


def test_gain_by_text_read_needs_a_cut_off_and_sizes() -> None:
    with pytest.raises(UsageError, match="xCG-read needs a cut-off"):
        value(topic_163(), element_run("163", [SEC4]), "xCG-read")
    with pytest.raises(UsageError, match=r"the size of .* is not known"):
        value(topic_163(), element_run("163", [SEC4], DOC_163), "xCG-read(sog)@10")


# -- penalties for passages ------------------------------------------------------------------------------------------


def test_a_penalty_makes_returning_single_words_dearer() -> None:
    """[VI, 6]: returned are the word at 0, the word at 100 and the word at 400, which is relevant."""
    qrels = passages(a=(1000, [(400, 600)]))
    starts = np.array([0, 100, 400], np.int64)
    run = Rankings({"1": Ranking(["a"] * 3, starts=starts, ends=starts + 5)})
    # 11 characters are read until the first relevant one: the first screen. With 100 a passage 311 are: the second.
    assert value(qrels, run, "CE[LE(300)]@1") == 0
    assert value(qrels, run, "CE[LE(300,penalty=100)]@1") == 1
    assert value(qrels, run, "CE[LE(300,penalty=96)]@1") == 0
    assert value(qrels, run, "CE[LE(300,penalty=400,reading=doc)]@1") == 1  # 401 characters from the start, no passages
