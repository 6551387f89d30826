"""Highly relevant documents: query types by average precision and cumulated gain [JK00]."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from trix.eval.data.qrels import Qrels
from trix.eval.evaluate import evaluate
from trix.eval.formats.read import read_qrels
from trix.eval.formats.topics.topic import Topic
from trix.eval.measures.core.ranks import continued
from trix.eval.measures.documents.cumulated_gain import discounted
from trix.eval.scores import Scores
from trix.eval.studies import significance as sig
from trix.papers.base.collection import PaperCollection
from trix.papers.base.figure import Panel, PaperFigure
from trix.papers.base.paper import Paper, Part
from trix.papers.base.printed import ComparedTable, Printed, Statement, printed_rows
from trix.support.arrays import Floats

YEAR = 2010
LEVELS = (1, 2, 3)
STRUCTURES = ("SUM", "SSYN-C", "WSYN")
TYPES = tuple(f"{structure}/{expansion}" for structure in STRUCTURES for expansion in "ue")
BEST = ("SSYN-C/e", "WSYN/e")
"""Query types that the paper finds best: synonym structured and expanded."""
GAINS = {"levels 2&3": "2:2,3:3", "level 3": "3:3"}
"""Panel of figures 2 and 3 -> map of grades to gains."""
CG_RANKS, DCG_RANKS = 100, 50
WINDOW = 3
MAJOR, MINOR = 10, 7
"""Weights of major and minor facets."""
SCORING: dict[str, Any] = {
    "level": "document", "model": "bm25", "k1": 2.0, "B": 0.75, "open_phrases": False, "strategy": "thorough",
}  # fmt: skip
"""BM25 with k1 = 2 and B = .75 has the frequencies of InQuery: tf / (tf + .5 + 1.5 dl / avgdl)."""

VECTORS = Printed(
    label="section 2.2",
    title="the gain vector G' = <3, 2, 3, 0, 0, 1, 2, 2, 3, 0>",
    head=("vector", *map(str, range(1, 11))),
    rows=printed_rows("""
        CG'  | 3 5 8 8 8 9 11 13 16 16
        DCG' | 3 5 6.89 6.89 6.89 7.28 7.99 8.66 9.61 9.61
    """),
)
BASE = Printed(
    label="section 3.2",
    title="recall bases",
    head=("", "number"),
    rows=printed_rows("""
        requests | 30
        highly relevant documents (3) | 366
        fairly relevant documents (2) | 700
        marginally relevant documents (1) | 857
    """),
)
KEYS = Printed(
    label="section 3.4",
    title="mean number of concepts and keys of queries",
    head=("", "unexpanded", "expanded"),
    rows=printed_rows("""
        concepts | 4.9 26.8
        keys, no phrases marked (SUM) | 6.1 62.3
        keys with phrases (SSYN-C, WSYN) | 5.4 52.4
    """),
    note="The paper counts expressions of the thesaurus as concepts of expanded queries.",
)
AVP = Printed(
    label="table 1",
    title="average non-interpolated precision of query types, in percent",
    head=("level, expansion", *STRUCTURES),
    rows=printed_rows("""
        1 u | 12.8 12.4 13.8
        1 e | 10.1 13.3 14.3
        2 u | 22.4 21.5 22.9
        2 e | 21.1 27.4 29.3
        3 u | 25.9 23.5 25.7
        3 e | 22.2 39.1 41.0
    """),
)
EFFORT = Printed(
    label="sections 3.6, 3.7",
    title="documents to retrieve for the gain that is possible with 10",
    head=("query types", "CG, levels 2&3", "CG, level 3", "DCG, levels 2&3", "DCG, level 3"),
    rows=printed_rows("""
        the best two | 20 34 35 never
        the others   | 26 62 70 never
    """),
    note="Of each group the first to reach it. The paper's DCG curves end at rank 50 or are followed to 70.",
)
BASES = Printed(
    label="section 3.7",
    title="difference of the best and the worst query type in DCG at rank 50, levels 2&3",
    head=("base", "points"),
    rows=printed_rows("""
        2  | 4
        e  | ?
        10 | 13
    """),
)


def compute(collection: PaperCollection) -> Iterator[Part]:
    """Yield the worked example, table 1, figures 1 to 3, what sections 3.2 to 3.7 count, and the findings."""
    gains = np.array([3.0, 2, 3, 0, 0, 1, 2, 2, 3, 0])
    vectors = {"CG'": np.cumsum(gains), "DCG'": discounted(gains, 10, 2.0, "jk00")}
    yield ComparedTable(VECTORS, {name: row.tolist() for name, row in vectors.items()}, example=True)
    topics = collection.topics(YEAR)
    qrels = _graded(collection, topics)
    yield ComparedTable(BASE, _recall_base(qrels), decimals=0)
    queries = {topic.id: query_types(topic) for topic in topics if topic.id in qrels.topics}
    yield ComparedTable(KEYS, _keys(list(queries.values())), decimals=1)
    scores = _evaluated(collection, qrels, queries)
    yield _precision_recall(scores)
    yield ComparedTable(AVP, {
        f"{level} {e}": [100 * _mean(scores, f"{structure}/{e}", f"AP(level={level})") for structure in STRUCTURES]
        for level in LEVELS for e in "ue"
    }, decimals=1)  # fmt: skip
    yield _gain_curves(scores, "figure 2", "cumulated gain", "CG", CG_RANKS)
    yield _gain_curves(scores, "figure 3", "discounted cumulated gain, base 2", "DCG", DCG_RANKS)
    yield ComparedTable(EFFORT, _ranks_needed(scores), decimals=0)
    yield ComparedTable(BASES, {base: [_spread(scores, base)] for base in BASES.rows}, decimals=1)
    yield from _findings(scores)


# -- queries -----------------------------------------------------------------------------------------------------------


class RequestTerms(NamedTuple):
    """Search concepts of a request.

    Attributes
    ----------
    concepts
        Words or phrases of the request.
    related
        Expressions that expand each concept.
    """

    concepts: list[str]
    related: list[list[str]]

    @classmethod
    def of(cls, topic: Topic) -> RequestTerms:
        """Return the concepts of a title, each with its share of the topic's other words.

        The other words are those of the keywords if there are any, else those that the narrative explains. There is no
        thesaurus of requests, so they are dealt out to the concepts in turn.
        """
        concepts = [a or b.strip("+-") for a, b in re.findall(r'"([^"]+)"|([^\s"]+)', topic.title)]
        own = {word.lower() for concept in concepts for word in concept.split()}
        others = [word for word in dict.fromkeys(_other_words(topic)) if word not in own]
        return cls(concepts, [others[k :: len(concepts)] for k in range(len(concepts))])

    def expanded(self, expand: bool) -> list[list[str]]:
        """Return the expressions of each concept."""
        pairs = zip(self.concepts, self.related, strict=True)
        return [[concept, *(related if expand else ())] for concept, related in pairs]


def _other_words(topic: Topic) -> list[str]:
    explained = re.search(r"explains ([^.]*)", topic.narrative or "")
    text = topic.keywords or (explained[1] if explained else topic.narrative) or ""
    return [word.lower() for word in re.findall(r"\w+", text) if word.lower() not in ("or", "and")]


def query_types(topic: Topic) -> dict[str, str]:
    """Return the query of each of `TYPES`; a field of the topic of this name, such as ``wsyn_e``, is taken as it is.

    >>> print(*query_types(Topic("1", '"radioactive waste" storage process', keywords="fuel store refine")).values())
    radioactive waste storage process radioactive waste fuel storage store process refine \
"radioactive waste"~>3 storage process ("radioactive waste"~>3 | fuel) (storage | store) (process | refine) \
"radioactive waste"~>3^10 (storage | process)^7 \
("radioactive waste"~>3 | fuel)^10 (storage | store | process | refine)^7
    """
    terms = RequestTerms.of(topic)
    made = {}
    for kind in TYPES:
        structure, _, expansion = kind.partition("/")
        given = topic.fields.get(kind.lower().replace("-", "_").replace("/", "_"))
        made[kind] = given or _query(structure, terms.expanded(expansion == "e"))
    return made


def _query(structure: str, concepts: Sequence[Sequence[str]]) -> str:
    """Return a query of concepts, each a list of expressions; the first concept is the major facet."""
    if structure == "SUM":
        return " ".join(expression for concept in concepts for expression in concept)
    if structure == "SSYN-C":
        return " ".join(map(_synonyms, concepts))
    minor = [expression for concept in concepts[1:] for expression in concept]
    return f"{_synonyms(concepts[0])}^{MAJOR}" + (f" {_synonyms(minor)}^{MINOR}" if minor else "")


def _synonyms(expressions: Sequence[str]) -> str:
    """Return the operator #syn over expressions, phrases among them as #3."""
    texts = [f'"{each}"~>{WINDOW}' if " " in each else each for each in expressions]
    return texts[0] if len(texts) == 1 else f"({' | '.join(texts)})"


def expressions(query: str) -> list[str]:
    """Return the words and phrases of a query, without its operators.

    >>> expressions('("radioactive waste"~>3 | fuel)^10 storage^7')
    ['"radioactive waste"', 'fuel', 'storage']
    """
    return re.findall(r'"[^"]+"|[^\s()|"]+', re.sub(r"~>?\d+|\^[\d.]+", "", query))


def _keys(queries: Sequence[Mapping[str, str]]) -> dict[str, list[float]]:
    """Return the mean number of concepts and of keys of unexpanded and expanded queries."""

    def mean(kind: str, grouped: bool = False) -> float:
        texts = [re.sub(r"\([^)]*\)", "group", each[kind]) if grouped else each[kind] for each in queries]
        return float(np.mean([len(expressions(text)) for text in texts])) if texts else float("nan")

    concepts = [mean("SSYN-C/u", grouped=True), mean("SSYN-C/e")]
    words, keys = ([mean(f"{structure}/{e}") for e in "ue"] for structure in ("SUM", "SSYN-C"))
    return dict(zip(KEYS.rows, (concepts, words, keys), strict=True))


# -- values ------------------------------------------------------------------------------------------------------------


def _graded(collection: PaperCollection, topics: Sequence[Topic]) -> Qrels:
    """Return the grades of documents, 0 to 3, of the topics that have any."""
    judged = read_qrels(collection.document_grades_path(YEAR))
    ids = {topic.id for topic in topics}
    return Qrels({id: each for id, each in judged.topics.items() if id in ids and each.any_relevant}, judged.name)


def _recall_base(qrels: Qrels) -> dict[str, list[float]]:
    grades = [grade for judged in qrels.topics.values() for grade in judged.grades.values()]
    counts = [float(len(qrels.topics)), *(float(sum(grade == level for grade in grades)) for level in (3, 2, 1))]
    return {name: [count] for name, count in zip(BASE.rows, counts, strict=True)}


def _evaluated(collection: PaperCollection, qrels: Qrels, queries: Mapping[str, Mapping[str, str]]) -> Scores:
    index, runs = collection.index(YEAR), dict[str, Any]()
    for kind in TYPES:
        asked = {id: each[kind] for id, each in queries.items()}
        runs[kind] = index.run(asked, run_id=kind, jobs=collection.jobs, preset="study", top=1500, **SCORING)
    measures = [f"{name}(level={level})" for level in LEVELS for name in ("AP", "iPR")]
    for gain in GAINS.values():
        measures += [f"{curve}(gain={gain}{ideal})" for curve in ("CG", "DCG") for ideal in ("", ",ideal=true")]
        measures += [f"ranks-for-gain({curve},gain={gain})@10" for curve in ("CG", "DCG")]
    measures += [f"DCG({_base(base)},gain={GAINS['levels 2&3']})@{DCG_RANKS}" for base in BASES.rows]
    found = evaluate(qrels, runs, measures, lenient=True)
    collection.note(found.notices)
    return found


def _base(base: str) -> str:
    return f"b={base},form=jk00"


def _mean(scores: Scores, kind: str, measure: str) -> float:
    return float(scores[kind, measure].mean)


def _vector(scores: Scores, kind: str, measure: str, n: int) -> Floats:
    return continued(np.asarray(scores[kind, measure].mean, np.float64), n)


def _precision_recall(scores: Scores) -> PaperFigure:
    panels = [
        Panel(
            title=f"level {level}",
            x=[i / 10 for i in range(11)],
            series={kind: _vector(scores, kind, f"iPR(level={level})", 11).tolist() for kind in TYPES},
        )
        for level in LEVELS
    ]
    return PaperFigure(
        label="figure 1", title="P-R curves at relevance levels", kind="lines", x="recall", y="precision", panels=panels
    )


def _gain_curves(scores: Scores, label: str, title: str, curve: str, ranks: int) -> PaperFigure:
    panels = []
    for name, gain in GAINS.items():
        ideal = _vector(scores, TYPES[0], f"{curve}(gain={gain},ideal=true)", ranks)
        series = {kind: _vector(scores, kind, f"{curve}(gain={gain})", ranks).tolist() for kind in TYPES}
        panels.append(
            Panel(title=name, x=list(range(1, ranks + 1)), series={"best possible": ideal.tolist(), **series})
        )
    return PaperFigure(label=label, title=title, kind="lines", x="rank", y=curve, panels=panels, decimals=2)


def _ranks_needed(scores: Scores) -> dict[str, list[float | str]]:
    groups = {"the best two": BEST, "the others": [kind for kind in TYPES if kind not in BEST]}
    rows: dict[str, list[float | str]] = {}
    for name, kinds in groups.items():
        cells: list[float | str] = []
        for curve in ("CG", "DCG"):
            for gain in GAINS.values():
                ranks = [_mean(scores, kind, f"ranks-for-gain({curve},gain={gain})@10") for kind in kinds]
                reached = [rank for rank in ranks if not np.isnan(rank)]
                cells.append(min(reached) if reached else "never")
        rows[name] = cells
    return rows


def _spread(scores: Scores, base: str) -> float:
    """Return the difference of the best and the worst query type in DCG at rank 50."""
    values = [_mean(scores, kind, f"DCG({_base(base)},gain={GAINS['levels 2&3']})@{DCG_RANKS}") for kind in TYPES]
    return max(values) - min(values)


def _findings(scores: Scores) -> Iterator[Statement]:
    avp = {level: {kind: 100 * _mean(scores, kind, f"AP(level={level})") for kind in TYPES} for level in LEVELS}
    sums = {level: avp[level]["SUM/e"] - avp[level]["SUM/u"] for level in LEVELS}
    yield Statement(
        "expansion never enhances SUM queries",
        all(change <= 0 for change in sums.values()),
        f"levels 1 to 3: {' '.join(f'{change:+.1f}' for change in sums.values())}",
    )
    strong = {
        (kind, level): avp[level][f"{kind}/e"] - avp[level][f"{kind}/u"] for kind in STRUCTURES[1:] for level in LEVELS
    }
    yield Statement(
        "expansion always improves strongly structured queries",
        all(change > 0 for change in strong.values()),
        "; ".join(f"{kind} {' '.join(f'{strong[kind, level]:+.1f}' for level in LEVELS)}" for kind in STRUCTURES[1:]),
    )
    best = {level: max(avp[level], key=lambda kind, row=avp[level]: row[kind]) for level in LEVELS}  # type: ignore[misc]
    yield Statement(
        "expanded WSYN queries are best at all levels",
        set(best.values()) == {"WSYN/e"},
        ", ".join(f"level {level} {kind}" for level, kind in best.items()),
    )
    spread = [max(row.values()) - min(row.values()) for row in avp.values()]
    yield Statement(
        "the higher the level, the greater the differences between query types",
        spread[0] < spread[1] < spread[2],
        ", ".join(f"level {level} {each:.1f}" for level, each in zip(LEVELS, spread, strict=True)),
    )
    p = {}
    for level in LEVELS:
        name = f"AP(level={level})"
        shared = list(scores[TYPES[0], name].topics)
        values = np.array([[scores[kind, name].topics[topic] for kind in TYPES] for topic in shared])
        p[level] = sig.friedman(values).p if len(shared) > 1 else float("nan")
    yield Statement(
        "differences are most significant at level 3 (Friedman's test, p < 0.05)",
        p[3] <= min(p[1], p[2], 0.05),
        ", ".join(f"level {level} p {value:.4f}" for level, value in p.items()),
    )


PAPER = Paper(
    name="jk00",
    title="Retrieving highly relevant documents: query types and cumulated gain",
    source="Järvelin, Kekäläinen 2000",
    summary="structured and expanded queries by levels of relevance, CG and DCG curves",
    compute=compute,
    years=(YEAR,),
    schema="wikipedia-2009",
    documents=300,
    topics=30,
    graded=True,
    missing=("newspapers and requests of the paper: any topics and graded documents serve, see docs/reproduce.md",),
)
