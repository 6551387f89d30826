"""Trees and topics of the papers, as assessments."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

import pytest

from trix.eval.data.qrels import DocumentJudgement, ElementJudgement, Qrels, TopicJudgements
from trix.eval.data.runs import Ranking, Rankings

THEIR_NAMES = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="ir_measures reads names of measures by what Python 3.14 has no more"
)

ES = Mapping[str, tuple[int, int]]

A163 = "/article[1]"
B163 = f"{A163}/bdy[1]"
SEC4, SEC6 = f"{B163}/sec[4]", f"{B163}/sec[6]"
TOPIC_163: dict[str, tuple[int, int]] = {
    SEC6: (3, 3),
    f"{SEC4}/ip1[1]": (2, 3),
    f"{SEC4}/p[1]": (2, 3),
    f"{SEC6}/ip1[1]": (2, 3),
    f"{SEC6}/p[1]": (2, 3),
    f"{SEC6}/p[2]": (2, 3),
    SEC4: (2, 2),
    A163: (3, 1),
    B163: (3, 1),
    f"{SEC4}/p[2]": (1, 2),
}
SIZES_163 = {
    A163: 2028,
    B163: 2011,
    SEC6: 360,
    f"{SEC6}/ip1[1]": 125,
    f"{SEC6}/p[1]": 148,
    f"{SEC6}/p[2]": 65,
    SEC4: 266,
    f"{SEC4}/ip1[1]": 108,
    f"{SEC4}/p[1]": 38,
    f"{SEC4}/p[2]": 87,
}
DOC_163 = "co/2001/r7022"


def es_qrels(topics: Mapping[str, Mapping[str, ES]]) -> Qrels:
    """Return assessments topic -> document -> path -> (e, s)."""
    found = Qrels()
    for topic, docs in topics.items():
        judged = TopicJudgements()
        for doc, elements in docs.items():
            made = {p: ElementJudgement(path=p, e=float(e), s=float(s)) for p, (e, s) in elements.items()}
            judged.documents[doc] = DocumentJudgement(doc, elements=made)
        found.topics[topic] = judged
    return found


def topic_163() -> Qrels:
    return es_qrels({"163": {DOC_163: TOPIC_163}})


def sizes_163() -> dict[tuple[str, str], float]:
    return {(DOC_163, path): float(size) for path, size in SIZES_163.items()}


def element_run(topic: str, paths: Iterable[str], doc: str = DOC_163) -> Rankings:
    found = list(paths)
    return Rankings({topic: Ranking([doc] * len(found), found)})


def tree(tags: Mapping[str, tuple[int, int]], doc: str = "d") -> Qrels:
    """Return one topic "1" with one document."""
    return es_qrels({"1": {doc: tags}})
