"""The first results from the best documents are those of all documents: same elements, same bits, same order.

The full computation is the oracle here; it has oracles of its own elsewhere. Collections are random trees of few words,
so that many scores are equal; thresholds are lowered, so that the short way is taken wherever it can be.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from tests.conftest import FEW, SETTLED
from tests.segments import rewrite
from trix.errors import IndexError_
from trix.indexer.store.inverted import by_document
from trix.query.ranking.organise import GROUPED
from trix.query.scoring.models import MODELS
from trix.query.term_cache import lists
from trix.query.topk import ranking
from trix.query.topk.ranking import PrunedSearcher

WORDS = ["alpha", "beta", "gamma", "delta", "plum", "tree", "of", "eps"]
WEIGHTS = (9, 7, 5, 3, 2, 2, 6, 1)
PROFILE = """
quiet = ["note"]
loud = ["sec"]
title = "article/title"
[fields]
year = {path = "/article/@year", type = "number"}
"""
SEEDS = range(2 if FEW or SETTLED else 6)
SEARCHES = 40 if FEW else 60 if SETTLED else 100


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    """Lower the thresholds: lists by document of short lists, and the short way for small collections."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trix.indexer.write.inverted.writer.MANY", 3)
        for name in ("FEW", "TOGETHER", "TOGETHER_ADMITTED", "PER_RESULT"):
            patch.setattr(ranking, name, 1)
        yield


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return where the results are counted of each answer by documents one after another."""
    noted: list[int] = []
    whole = PrunedSearcher.first

    def first(self: Any, *given: Any) -> Any:
        found = whole(self, *given)
        if not isinstance(found, str):
            noted.append(found.elements.size)
        return found

    monkeypatch.setattr(PrunedSearcher, "first", first)
    return noted


def text(draw: random.Random) -> str:
    """Return some sentences of some words."""
    words = draw.choices(WORDS, WEIGHTS, k=draw.choice((0, 1, 1, 2, 3, 5, 9)))
    return " ".join(word.title() + "." * draw.choice((0, 0, 1)) for word in words)


def element(draw: random.Random, depth: int) -> str:
    tag = draw.choice(("sec", "p", "note", "list", "title"))
    if depth > 3 or draw.random() < 0.4:
        return f"<{tag}>{text(draw)}</{tag}>"
    return f"<{tag}>{''.join(element(draw, depth + 1) for _ in range(draw.randint(1, 4)))}</{tag}>"


def document(draw: random.Random) -> str:
    body = "".join(element(draw, 0) for _ in range(draw.choice((0, 1, 1, 2, 4))))
    return f'<article year="{draw.randint(1990, 1993)}">{body or text(draw)}</article>'


def collection(draw: random.Random, folder: Path, count: int) -> Path:
    folder.mkdir(parents=True)
    kinds = [document(draw) for _ in range(max(count * 2 // 3, 1))]
    for number in range(count):  # some documents are there twice, whose scores are equal
        (folder / f"{draw.randint(0, 999):03}-{number}{folder.name[0]}.xml").write_text(
            draw.choice(kinds), encoding="utf-8"
        )
    return folder


def settings(folder: Path) -> dict[str, Any]:
    profile = folder / "own.toml"
    profile.write_text(PROFILE, encoding="utf-8")
    return {"profile": str(profile), "positions": True, "stem": "none", "stop": "none", "jobs": 1}


def whole_index(draw: random.Random, folder: Path) -> Path:
    """Build an index at once."""
    folder.mkdir()
    trix.build(collection(draw, folder / "docs", 40), folder / "index", **settings(folder))
    return folder / "index"


def living_index(draw: random.Random, folder: Path) -> Path:
    """Make an index of several segments of which some documents are deleted."""
    folder.mkdir()
    given = settings(folder)
    trix.build(collection(draw, folder / "docs", 15), folder / "index", **given)
    for part in ("more", "again"):
        with trix.write(folder / "index", jobs=1) as writer:
            writer.add(collection(draw, folder / part, 15))
    with trix.open(folder / "index") as index:
        gone = draw.sample([index.files.ids[number] for number in range(45)], 12)
    with trix.write(folder / "index", jobs=1) as writer:
        for name in gone:
            writer.delete(name)
    return folder / "index"


def query(draw: random.Random) -> str:
    """Return words, phrases, signs, weights, operators, or a structured query."""

    def term(signs: str) -> str:
        words = draw.sample(WORDS, draw.choice((1, 1, 1, 2)))
        shown = words[0] if len(words) == 1 else f'"{" ".join(words)}"'
        shown = draw.choice((shown, shown, shown, f"({' | '.join(draw.sample(WORDS, 2))})", "al*"))
        return draw.choice(signs.split(",")) + shown + draw.choice(("", "", "", "^2", "^0.5"))

    words = " ".join(term(draw.choice((",,,", ",,+", ",,-,+"))) for _ in range(draw.randint(1, 4)))
    kind = draw.random()
    if kind < 0.8:
        return words
    plain = " ".join(draw.sample(WORDS, 2))
    return draw.choice((
        f"//sec[about(., {plain})]", f"//article[about(.//p, {plain})]//sec[about(., {words})]",
        f"{WORDS[0]} AND ({WORDS[1]} OR NOT {WORDS[2]})", f"//*[about(., {plain}) or about(.//p, {WORDS[3]})]",
    ))  # fmt: skip


WEIGHTED = ("",) * 9 + ("^2",) * 4 + ("^0.3",) * 4 + ("^90000",)
"""Weights, the last of which makes scores of more than 8,192 where they are added up."""

CONTEXTS = (
    "none", "none", "root", "root:1.5", "root+tower", "tower", "parent", "vertical:f=0.5", "vertical:f=2,p=0,a=1,all=1",
    "cscore:2xroot", "hierarchy:x=0.5", "vector:0,2", "vector:1,2|0.5,1", "vector:1|-1", "root>tower", "horizontal",
    "root(bm25):1.25", "tower(lm-dirichlet,mu=10)", "vertical(trix2004):f=0.5", "sentence", "siblings",
)  # fmt: skip


def options(draw: random.Random) -> dict[str, Any]:
    model = draw.choice(("trix2005", "trix2005", *MODELS))
    combined = ("average", "sum", "einstein") if MODELS[model].bounded else ("average", "sum")
    context = draw.choice(CONTEXTS)
    given: dict[str, Any] = {
        "model": model, "combine": draw.choice(combined), "context": context, "top": draw.choice((1, 2, 3, 5, 10)),
        "v": draw.choice((2.0, 2.0, 0.0, 7.0)), "b": draw.choice((0.1, 0.1, 0.0, 0.05, 0.5, 1.0)),
        "k1": draw.choice((1.2, 0.0)), "B": draw.choice((0.75, 1.0, 0.0)), "mu": draw.choice((2000.0, 10.0)),
        "strategy": draw.choice((None, "thorough", "focused", *GROUPED, "best-in-context")),
        "overlap": draw.choice((None, None, None, "partial", "partial-scored", "full")),
        "fetch": draw.choice(("root", "best", "sum")), "signs": draw.choice(("weigh", "must")),
        "match": draw.choice(("any", "any", "all")), "operators": "boolean",
        "phrases": draw.choice(("content", "exact")),
    }  # fmt: skip
    more: dict[str, Any] = draw.choice((
        {}, {}, {}, {"where": "year > 1991"}, {"level": "minor:sec"}, {"size": "5:40"}, {"quiet_parts": False},
        {"per_document": 1}, {"per_document": 2, "spread": 3}, {"statistics": "document"}, {"statistics": "minor:p"},
        {"language": "en"}, {"from_": 3}, {"weights": "title=3"}, {"idf_power": 2.0},
    ))  # fmt: skip
    return {**given, **more} if not (more.get("idf_power") and not MODELS[model].has_idf) else given


def told(index: trix.Index, asked: str, given: dict[str, Any]) -> Any:
    """Return all that a search tells; scores to the last bit."""
    try:
        found = index.search(asked, **given)
    except trix.TrixError as error:
        return str(error)
    rows = (found.elements.tolist(), [score.hex() for score in found.scores.tolist()])
    own, facets = [score.hex() for score in found.own.tolist()], {name: list(of) for name, of in found.facets.items()}
    return rows, own, found.notices, found.next, found.matched, found.query, facets


def compare(index: trix.Index, draw: random.Random, searches: int) -> None:
    strategies = index.now.strategies
    for _ in range(searches):
        asked, given = query(draw), options(draw)
        strategies.scores_all = False
        short = told(index, asked, given)
        strategies.scores_all = True
        assert short == told(index, asked, given), (asked, given)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_index_built_at_once(seed: int, tmp_path: Path, plainly: list[int]) -> None:
    draw = random.Random(seed)
    with trix.open(whole_index(draw, tmp_path / "i")) as index:
        compare(index, draw, SEARCHES)
    assert plainly


PATHS = [*CONTEXTS[:10], "hierarchy:x=0.5", "vector:0,2", "vector:1,2|0.5,1"]
ADDED = [
    "sentence", "sentence:f=8,idf=0", "titles", "titles:title,f=3,idf=2", "titles:title+note,idf=0", "pairs",
    "pairs:f=0.1", "pairs:within=2", "pairs(bm25,k1=0.6):f=2", "pairs(trix2005,statistics=document)",
    "pairs(lm-dirichlet,mu=10)",
    "pairs(bm25,statistics=minor:p):f=0.5,within=3", "sentence:f=0", "titles:note",
    "sentence:idf=0.5>sentence:f=2,idf=2",
]  # fmt: skip
"""Forms that add what words give, whatever is before them."""
OWN = [
    "root(bm25,statistics=document):0.5", "tower(lm-dirichlet,mu=10)", "vertical(trix2005,b=0.5):f=0.5,p=0,a=0",
    "root(lm-dirichlet,mu=1):2", "root+tower(bm25,k1=0.3,B=0)", "cscore:root", "cscore(bm25):2xroot",
    "root(trix2005,statistics=document)",
]  # fmt: skip
BOTH: list[dict[str, Any]] = [
    {}, {"overlap": "full"}, {"strategy": "thorough"}, {"strategy": "thorough", "overlap": "none"},
    {"v": 7.0, "b": 0.0}, {"v": 0.0, "b": 0.05}, {"b": 1.0}, {"combine": "sum"}, {"from_": 3},
]  # fmt: skip
OTHER: list[dict[str, Any]] = [
    {"model": "bm25"}, {"model": "bm25", "k1": 0.0}, {"model": "bm25", "B": 0.0, "statistics": "document"},
    {"model": "lm-dirichlet"}, {"model": "lm-dirichlet", "mu": 3.0}, {"model": "lm-dirichlet", "mu": 0.01},
    {"statistics": "document"}, {"idf_power": 2.0}, {"model": "bm25", "idf_power": 0.5}, {"preset": "reading"},
    {"statistics": "minor:p"}, {"statistics": "//sec[not(.//sec)]", "model": "bm25"}, {"statistics": "//absent"},
    {"model": "lm-dirichlet", "statistics": "minor:sec"},
]  # fmt: skip
WEIGHED: list[dict[str, Any]] = [
    {}, {}, {}, {"weights": "title=3"}, {"weights": "title=3,p=0.5"}, {"weights": "note=0,sec=1.7"},
    {"weights": "//article/sec=0.001"}, {"weights": "article=0"},
]  # fmt: skip
SHOWN: list[dict[str, Any]] = [
    {}, {"size": "5:40"}, {"size": "20:"}, {"size": ":15", "quiet_parts": False}, {"quiet_parts": False},
    {"per_document": 1, "spread": 3}, {"per_document": 2, "spread": 10, "size": "5:40", "quiet_parts": False},
    {"per_document": 1}, {"per_document": 3, "spread": 2},
]  # fmt: skip
KEPT_TOGETHER: list[dict[str, Any]] = [
    {}, {}, {}, {"strategy": "fetch-browse"}, {"strategy": "fetch-browse", "fetch": "best"},
    {"strategy": "fetch-browse", "per_document": 2, "spread": None}, {"strategy": "relevant-in-context"},
    {"strategy": "best-in-context"}, {"strategy": "best-in-context", "overlap": "none"},
    {"strategy": "relevant-in-context", "fetch": "best", "per_document": 1, "spread": "all"},
]  # fmt: skip
FIELDS: list[dict[str, Any]] = [
    {}, {}, {"where": "year > 1991"}, {"facet": "year"}, {"where": "year = 1990", "facet": "year"},
    {"where": "year > 1990 and year < 1993", "facet": "year"}, {"where": "year > 2000", "facet": "year"},
]  # fmt: skip


DEMANDS: list[dict[str, Any]] = [
    {}, {}, {"signs": "must"}, {"match": "all"}, {"signs": "must", "match": "all"}, {"level": "minor:sec"},
    {"level": "content", "statistics": "document"}, {"level": "document"}, {"language": "en"},
    {"language": "en", "level": "minor:p", "signs": "must"}, {"operators": "boolean"},
    {"operators": "boolean", "signs": "must"},
]  # fmt: skip
"""What results must hold or be, beside a word of the query."""


def chosen(draw: random.Random, words: str) -> str:
    """Return words as they are, with operators, or in a structured query."""
    first, second, third = draw.sample(WORDS, 3)
    plain = draw.choice((first, f"{first} {second}", f"+{first} -{second}", f"-{first}"))
    tag = draw.choice(("sec", "p", "*", "(sec|p|note)", "article"))
    return draw.choice((
        words, words, words, words, f"{first} AND ({second} OR NOT {third})", f"NOT ({first} AND {second}) {third}",
        f"({first} OR {second}) AND NOT {third}", f"//{tag}[about(., {words})]",
        f"//{tag}[about(., {plain})]//{tag}[about(., {words})]",
        f"//article[about(.//p, {plain})]//*[about(., {words})]",
        f"/article/{tag}[about(., {words}) and about(.//*, {plain})]",
        f"//*[about(., {words}) or about(.//p, {plain})]",
        f"//article[./@year > 1991]//{tag}[about(.//*, {words})]", f"//article[about(., {words})]//{tag}",
    ))  # fmt: skip


def context_with_words(draw: random.Random) -> str:
    """Return a form along the path, forms that add what words give, or both."""
    forms = [draw.choice([*PATHS, *PATHS, *OWN, *OWN])] if draw.random() < 0.7 else []
    if not forms or draw.random() < 0.5:
        forms += draw.sample(ADDED, draw.choice((1, 1, 2, 3)))
    return ">".join(forms)


def plain_options(draw: random.Random) -> dict[str, Any]:
    """Return what plain words can be asked with, and some that only the full way answers."""
    given: dict[str, Any] = {
        "preset": "study",
        "context": context_with_words(draw),
        "top": draw.choice(TOPS),
    }
    for more in (BOTH, BOTH, OTHER, WEIGHED, SHOWN, KEPT_TOGETHER, FIELDS):
        given |= draw.choice(more) if draw.random() < 0.7 else {}
    if given["preset"] == "reading":
        given = {name: value for name, value in given.items() if name not in ("context", "model", "mu", "idf_power")}
    elif given.get("model") == "lm-dirichlet":
        given.pop("idf_power", None)
    if given.get("idf_power", 1.0) != 1.0 and "lm-dirichlet" in str(given.get("context")):
        given.pop("idf_power")
    return given


TOPS = (1, 2, 5, 10, 10, 20, 100)


def long_documents(draw: random.Random, folder: Path) -> Path:
    """Build an index of documents with more postings than there are groups of them, of words that lie far apart."""
    (folder / "docs").mkdir(parents=True)
    for number in range(25):
        body = "".join(
            f"<sec>{''.join(element(draw, 3) + '<p>plum</p>' * draw.choice((0, 0, 9)) for _ in range(4))}</sec>"
            for _ in range(draw.randint(2, 12))
        )
        (folder / "docs" / f"{number:02}.xml").write_text(f'<article year="1992">{body}</article>', encoding="utf-8")
    trix.build(folder / "docs", folder / "index", **settings(folder))
    return folder / "index"


def several_indexes(draw: random.Random, folder: Path) -> list[Path]:
    """Make two indexes to be searched as one."""
    folder.mkdir()
    return [whole_index(draw, folder / "a"), living_index(draw, folder / "b")]


def term(draw: random.Random) -> str:
    """Return a word, a phrase, alternatives, words that are near, or a pattern, with a sign and a weight."""
    one, other = draw.sample(WORDS, 2)
    kinds = (one, one, one, one, f'"{one} {other}"', f"({one} | {other})", f'({one} | "{other} {one}")', "al*")
    return (
        draw.choice(("", "", "", "+", "+", "-")) + draw.choice((*kinds, f'"{one} {other}"~4')) + draw.choice(WEIGHTED)
    )


GAMMA = ("gamma", "gamma", "trée", "plum", "álpha")
"""What one of the words is changed to, for indexes that know it."""


def spelt_index(draw: random.Random, folder: Path) -> Path:
    """Build an index in which words are spelt with and without accents; queries have none as a rule."""
    spelt = {"alpha": ("alpha", "alpha", "álpha"), "tree": ("tree", "trée", "trëe"), "plum": ("plüm", "plûm")}
    plain = text

    def accented(draw: random.Random) -> str:
        return " ".join(draw.choice(spelt.get(word, (word,))) for word in plain(draw).split())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.query.topk.test_pruning.text", accented)
        return whole_index(draw, folder)


MADE = [whole_index, long_documents, living_index, several_indexes, spelt_index]


def compare_documents(index: trix.Index, draw: random.Random, *, demands: bool) -> None:
    """Compare with the full way, over blocks of the element table that are read as they are wanted."""
    assert len(index.files.blocks) > 3
    strategies = index.now.strategies
    for number in range(4 * SEARCHES):
        asked = " ".join(term(draw) for _ in range(draw.randint(1, 5))).replace("gamma", draw.choice(GAMMA))
        given = plain_options(draw) | {"phrases": draw.choice(("content", "exact"))}
        if demands:
            given |= draw.choice(DEMANDS) | {"cas": draw.choice((None, None, "VVCAS", "SVCAS"))}
            asked = chosen(draw, asked)
        strategies.scores_all = False
        with pytest.MonkeyPatch.context() as patch:  # which ends before what was lowered for all tests
            patch.setattr(ranking, "FEW", draw.choice((1, 1, 1 << 20)))
            patch.setattr(lists, "LARGEST", draw.choice((1, 1 << 20)))
            short = told(index, asked, given)
        strategies.scores_all = True
        assert short == told(index, asked, given), (number, asked, str(given))


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("seed", SEEDS)
def test_terms_document_after_document(
    seed: int, made: Any, tmp_path: Path, plainly: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trix.indexer.write.segment_writer.BLOCK_ELEMENTS", 40)
    draw = random.Random(200 + seed)
    with trix.open(made(draw, tmp_path / "i")) as index:
        compare_documents(index, draw, demands=False)
    assert len(plainly) > 2 * SEARCHES


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_results_must_hold_or_be_document_after_document(
    seed: int, made: Any, tmp_path: Path, plainly: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Signs, operators, all words, levels, languages, structured queries: without a bound on documents of their own."""
    monkeypatch.setattr("trix.indexer.write.segment_writer.BLOCK_ELEMENTS", 40)
    draw = random.Random(300 + seed)
    with trix.open(made(draw, tmp_path / "i")) as index:
        compare_documents(index, draw, demands=True)
    assert len(plainly) > SEARCHES


@pytest.mark.parametrize("asked", [each for each in KEPT_TOGETHER if each])
def test_documents_kept_together_go_the_short_way(asked: dict[str, Any], tmp_path: Path, plainly: list[int]) -> None:
    draw = random.Random(3)
    with trix.open(whole_index(draw, tmp_path / "i")) as index:
        found = index.search("alpha tree", **{"preset": "study", "top": 6, **asked})
        documents = {each.doc for each in found}
    assert plainly == [6] and len(found) <= 6 and len(documents) <= 6


def test_two_words_together_amid_long_text_are_not_left_out(tmp_path: Path, plainly: list[int]) -> None:
    """Of their document much is said of stretches that are long; what they stand in is the end of one and the next."""
    long = "<p>{} " + "tree " * 200 + "</p>"
    near = long.format("alpha") + "<sec><p>alpha</p><p>beta</p></sec>"
    near += "".join(long.format(word) for word in ["beta", *["alpha", "alpha", "beta", "beta"] * 7])
    far = "<p>alpha beta plum plum plum</p>" + long.format("alpha") * 40 + long.format("beta") * 40
    for name, body in (("near", near), ("far", far)):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / f"{name}.xml").write_text(f"<article>{body}</article>", encoding="utf-8")
    trix.build(tmp_path / "docs", tmp_path / "index", **settings(tmp_path))
    with trix.open(tmp_path / "index") as index:
        for wanted in (2, 1):  # at first nothing is known yet of lengths
            found = index.search("alpha beta", preset="study", model="lm-dirichlet", mu=10, top=wanted)
            assert [each.path for each in found] == ["/article[1]/sec[1]", "/article[1]/p[1]"][:wanted]
    assert plainly == [2, 1]


@pytest.mark.parametrize("seed", SEEDS)
def test_several_segments_with_deletions(seed: int, tmp_path: Path, plainly: list[int]) -> None:
    draw = random.Random(100 + seed)
    with trix.open(living_index(draw, tmp_path / "i")) as index:
        assert len(index.files.live) > 1
        assert not all(live.is_whole for live in index.files.live)
        compare(index, draw, SEARCHES)
    assert plainly


def test_several_indexes_as_one(tmp_path: Path) -> None:
    draw = random.Random(7)
    paths = [whole_index(draw, tmp_path / "a"), living_index(draw, tmp_path / "b")]
    with trix.open(paths) as index:
        compare(index, draw, 2 * SEARCHES)


def test_eight_threads(tmp_path: Path) -> None:
    draw = random.Random(11)
    with trix.open(whole_index(draw, tmp_path / "i")) as index:
        asked = [(query(draw), options(draw)) for _ in range(40)]
        index.now.strategies.scores_all = True
        expected = [told(index, *each) for each in asked]
        index.now.strategies.scores_all = False
        with ThreadPoolExecutor(8) as pool:
            for found in pool.map(lambda _: [told(index, *each) for each in asked], range(8)):
                assert found == expected


WORDS_AROUND = (
    "sentence:f=4", "titles:title+sec", "neighbours:f=2,idf=0", "neighbours:level=minor:p", "pairs:f=2",
    "pairs(bm25):within=5", "titles:title+note,idf=2>sentence", "root>neighbours", "sentence>titles:title>pairs>tower",
)  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_a_word_that_no_document_scored_first_holds_counts_among_the_words_of_the_query(
    seed: int, tmp_path: Path, plainly: list[int]
) -> None:
    """Words of one or two documents beside frequent ones; the scores are those of all results, and of explanations."""
    draw = random.Random(500 + seed)
    made = draw.choice((whole_index, living_index))
    path = made(draw, tmp_path / "i")
    with trix.write(path, jobs=1) as writer:
        for word in ("sole", "pair", "pair"):
            writer.add_document(f"<article>{element(draw, 3)}<p>{word}</p></article>", id=f"of {word} {draw.random()}")
    explained = 0
    with trix.open(path) as index:
        for _ in range(SEARCHES):
            words = [*draw.sample(WORDS, draw.randint(1, 3)), *draw.sample(("sole", "pair"), draw.randint(1, 2))]
            draw.shuffle(words)
            quoted = f'"{words[0]} {words[1]}" {" ".join(words[2:])}'
            asked = " ".join(words) if draw.random() < 0.8 else quoted
            given: dict[str, Any] = {
                "preset": "study", "model": draw.choice(("trix2005", "bm25")), "top": draw.choice((1, 2, 3, 5)),
                "strategy": draw.choice(GROUPED), "fetch": draw.choice(("root", "root", "best")),
                "context": draw.choice(WORDS_AROUND), "statistics": draw.choice((None, "document", "minor:p")),
            }  # fmt: skip
            short = index.search(asked, **given)
            scores = {each.label: each.score for each in index.search(asked, **given | {"top": None})}
            assert [each.score for each in short] == [scores[each.label] for each in short], (asked, given)
            for each in draw.sample(list(short), min(len(short), 1)):
                assert index.explain(asked, each, **given).value == each.score
                explained += 1
    assert plainly
    assert explained > SEARCHES // 2


@pytest.mark.parametrize("context", ["links", "links(bm25):direction=both", "siblings>links:direction=in"])
@pytest.mark.parametrize("fetch", ["root", "best"])
def test_what_is_linked_counts_in_whichever_document_it_is(context: str, fetch: str, tmp_path: Path) -> None:
    draw = random.Random(21)
    (tmp_path / "docs").mkdir()
    for number in range(30):
        to = [f"{draw.randrange(30)}-{draw.randrange(2)}" for _ in range(2)]
        body = "".join(f'<sec id="{number}-{n}"><p>{text(draw)}</p><ref to="{to[n]}"/></sec>' for n in range(2))
        (tmp_path / "docs" / f"{number:02}.xml").write_text(f"<article>{body}</article>", encoding="utf-8")
    profile = tmp_path / "linked.toml"
    profile.write_text('[links]\ntarget = "//@to"\nid = "//@id"\n', encoding="utf-8")
    trix.build(tmp_path / "docs", tmp_path / "i", profile=profile, stem="none", stop="none", jobs=1)
    changed = 0
    with trix.open(tmp_path / "i") as index:
        for strategy in GROUPED:
            given: dict[str, Any] = {"preset": "study", "strategy": strategy, "fetch": fetch, "context": context}
            everything = {each.label: each.score for each in index.search("alpha tree", top=None, **given)}
            found = index.search("alpha tree", top=4, **given)
            assert [each.score for each in found] == [everything[each.label] for each in found]
            alone = {
                each.label: each.score
                for each in index.search("alpha tree", **given | {"top": None, "context": "none"})
            }
            changed += sum(alone.get(each.label) != each.score for each in found)
    assert changed


def test_equal_scores_are_ranked_in_document_order(tmp_path: Path, plainly: list[int]) -> None:
    """Of twenty equal documents the first five are found, although all reach as far."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:02}.xml").write_text("<p>alpha beta</p>" if number != 4 else "<p>beta</p>")
    trix.build(folder, tmp_path / "index", profile="generic", stem="none", stop="none", jobs=1)
    with trix.open(tmp_path / "index") as index:
        found = index.search("alpha", top=5, strategy="thorough")
    assert [result.doc for result in found] == ["00", "01", "02", "03", "05"]
    assert plainly == [5]
    assert found.matched == 19


# -- lists by document -------------------------------------------------------------------------------------------------


@st.composite
def postings(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    """Draw postings and the document of each."""
    gaps = draw(st.lists(st.integers(1, 300), min_size=1, max_size=120))
    contents = np.cumsum(gaps) - 1
    tf = np.array(draw(st.lists(st.integers(1, 200), min_size=len(gaps), max_size=len(gaps))))
    size = draw(st.sampled_from([1, 20, 400, 10**6]))
    return contents, tf, contents // size


def literal_reach(contents: Any, tf: Any) -> float:
    """Return the most that any stretch of content elements of a document counts for, with b = 0.1."""
    n = len(contents)
    return max(
        sum(tf[i : j + 1]) / (0.9 + 0.1 * (contents[j] - contents[i] + 1) / (j - i + 1))
        for i in range(n)
        for j in range(i, n)
    )


@given(postings())
def test_lists_by_document_say_what_postings_say(given: tuple[Any, Any, Any]) -> None:
    contents, tf, document_of = given
    documents, kf, xi_k, reach = by_document.by_document(contents, tf, document_of)
    assert documents.tolist() == sorted(set(document_of.tolist()))
    for d, k, x, r in zip(documents, kf, xi_k, reach, strict=True):
        own = document_of == d
        assert (k, x) == (tf[own].sum(), own.sum())
        exact = literal_reach(contents[own].tolist(), tf[own].tolist())
        assert exact * by_document.STEPS <= r * k * (1 + 1e-12)
        if x <= by_document.GROUPS:
            assert (r - 1) * k < exact * by_document.STEPS


@given(given=postings(), seed=st.integers(0, 99))
def test_lists_by_document_come_back_and_lead_to_the_postings(given: Any, seed: int) -> None:
    from trix.indexer.store.inverted.postings import encode_postings

    contents, tf, document_of = given
    data, _ = encode_postings(contents, tf, np.zeros(1, np.int64))
    found = by_document.decode_by_document(by_document.encode_by_document(contents, tf, document_of))
    for one, other in zip(found[:4], by_document.by_document(contents, tf, document_of), strict=True):
        assert one.tolist() == other.tolist()
    ends = np.cumsum(by_document.coded_sizes(contents, tf))
    for place in range(1, found.byte.size):  # an entry leads to the posting after so many documents
        before = int(found.xi_k[: place * by_document.EVERY].sum()) - 1
        assert (found.byte[place], found.before[place]) == (ends[before], contents[before])
    some = random.Random(seed).sample(range(int(document_of[-1]) + 2), (int(document_of[-1]) + 3) // 2)[:50]
    wanted = np.array(sorted(some))
    of = by_document.postings_of(data, found, wanted)
    inside = np.isin(document_of, wanted)
    assert [each.tolist() for each in of] == [contents[inside].tolist(), tf[inside].tolist()]


def test_damaged_lists_by_document_are_refused() -> None:
    contents = np.arange(0, 400, 3)
    coded = by_document.encode_by_document(contents, np.arange(contents.size) % 3 + 1, contents // 9)
    for data in (coded[:-1], coded[:1], coded[:0], np.append(coded, np.uint8(0)), coded[:20]):
        with pytest.raises(IndexError_, match="damaged"):
            by_document.decode_by_document(data)


# -- in a segment ------------------------------------------------------------------------------------------------------


def test_a_merged_segment_has_the_bytes_of_one_built_at_once(tmp_path: Path) -> None:
    draw = random.Random(2)
    living = living_index(draw, tmp_path / "i")
    with trix.write(living, jobs=1) as writer:
        writer.compact()
    with trix.open(living) as index:
        merged = index.files.live[0].segment
        lists = merged.by_document
        assert lists is not None
        assert lists.keys
        for key in range(len(merged.keys)):
            contents, tf = merged.postings(key)
            coded = lists.coded(key)
            assert (coded is not None) == (contents.size >= 3)
            if coded is not None:
                document_of = np.searchsorted(merged.first_contents, contents, side="right") - 1
                assert coded.tobytes() == by_document.encode_by_document(contents, tf, document_of).tobytes()


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_check_finds_a_list_by_document_that_is_another(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trix.indexer.checking.postings.RANGE_BYTES", 64)  # so that lists come in slices
    path = whole_index(random.Random(4), tmp_path / "i")
    assert trix.check(path) == []

    def change(sections: dict[str, Any], facts: dict[str, Any]) -> None:
        data = bytearray(sections["by_document"])
        data[{"first": 1, "middle": len(data) // 2, "last": -1}[place]] ^= 2
        sections["by_document"] = bytes(data)

    rewrite(path, change)
    assert any("its list by document differs from its postings" in fault for fault in trix.check(path))


def test_check_finds_a_list_by_document_that_is_missing(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:  # taken back before `eager` is, whose value the fixture would leave
        patch.setattr("trix.indexer.write.inverted.writer.MANY", 10**6)
        path = whole_index(random.Random(4), tmp_path / "i")
        assert trix.check(path) == []
        patch.setattr("trix.indexer.checking.postings.MANY", 3)
        assert any("no list by document" in fault for fault in trix.check(path))


def test_check_finds_a_table_of_lists_by_document_out_of_order(tmp_path: Path) -> None:
    path = whole_index(random.Random(4), tmp_path / "i")
    rewrite(path, lambda sections, facts: sections["by_document.keys"].__setitem__(0, 2**31))
    assert any("their table is out of order" in fault for fault in trix.check(path))
