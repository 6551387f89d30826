"""The loops of plain words by themselves: each against its twin, which looks at all candidates at once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import trix
from tests.test_best_documents import WORDS, whole_index
from trix.errors import IndexError_
from trix.query.candidate_scores import CandidateScores
from trix.query.document_at_a_time.columns import TableColumns
from trix.query.document_at_a_time.plan import Path as PathPlan
from trix.query.document_at_a_time.plan import Plan, Showing
from trix.query.document_at_a_time.weighing import KINDS, Weighing, query_numbers
from trix.query.language.terms import Alternatives, Keys
from trix.query.matching.matching import ListReader, TermList
from trix.query.open_lists.counting import ElementCounter
from trix.query.open_lists.impacts import ImpactLetters
from trix.query.open_lists.lists import KeptList, KeptLists, KeyCounts, ListColumns, OpenLists
from trix.query.options import Options
from trix.query.ranking.sizes import Window
from trix.query.scoring.models import MODELS
from trix.support.backend import Backend, using

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    """Return an index of random trees, of which the loops are given what they are asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trix.indexer.write.inverted.writer.MANY", 3)
        patch.setattr("trix.indexer.write.segment_writer.BLOCK_ELEMENTS", 40)
        path = whole_index(random.Random(17), tmp_path_factory.mktemp("loops") / "i")
    with trix.open(path, "numba") as index, using(Backend("numba")):
        yield index


def scored(index: trix.Index, draw: random.Random, **given: Any) -> CandidateScores | None:
    """Return the scores of all candidates of some words, each of which occurs once in the query."""
    options = Options.of(preset="study", **given)
    asked = " ".join(draw.choice(("", "+")) + word for word in draw.sample(WORDS, draw.randint(1, 4)))
    parsed, _ = index.now.searcher.parse(asked, options)
    return index.now.searcher.score(parsed, options)


def test_elements_are_returned_as_all_candidates_would_be(opened: trix.Index) -> None:
    from trix.query.document_at_a_time.returned_loops import returned

    draw, searcher, fewer = random.Random(1), opened.now.searcher, 0
    opened.files.elements.everything()
    for _ in range(200):
        size = draw.choice((None, Window(5, 40), Window(None, 15), Window(20, None), Window(300, 400)))
        hushed = draw.random() < 0.6
        every = scored(opened, draw)
        assert every is not None
        options = Options.of(preset="study", quiet_parts=not hushed, size=None if size is None else str(size))
        keep, _ = searcher.readable.returned(every.candidates, None, options)
        quiet, _ = searcher.readable.returned(every.candidates, None, Options.of(quiet_parts=not hushed, size=":"))
        plan = Plan(weighing(opened, options), PathPlan(), None, Showing(True, size, hushed), searcher.readable.marks)
        table = TableColumns(opened.files).ready(np.zeros(0, np.int32), False, size is not None)
        found, heard = returned(every.candidates.element, every.candidates.parent, table.length, plan.shown[3])
        if heard:  # else all is quiet, and what is returned then is not decided here
            assert found.tolist() == (np.ones_like(found) if keep is None else keep).tolist()
            assert heard == (len(every.candidates) if quiet is None else np.count_nonzero(quiet))
            fewer += heard < len(every.candidates)
    assert fewer > 10


def weighing(index: trix.Index, options: Options) -> Weighing:
    return Weighing(options.model, options, index.now.searcher.scorer.units(options), options.combine == "average")


@pytest.mark.parametrize("model", KINDS)
def test_elements_are_weighed_as_all_candidates_would_be(opened: trix.Index, model: str) -> None:
    from trix.query.document_at_a_time.weighing_loops import HALF, basic, unpacked

    draw = random.Random(2)
    for _ in range(60):
        given = {"model": model, "statistics": draw.choice(("content", "document")), "mu": draw.choice((0.5, 900.0))}
        every = scored(opened, draw, **given, combine="sum")
        assert every is not None
        terms, candidates = every.query.terms, every.candidates
        rows = {keys: row for row, keys in enumerate(every.statistics)}
        lists = [every.lists[keys] for keys in rows]
        documents = [
            np.unique(opened.files.documents_of(candidates.element[each.kf > 0])) for each in every.counts.values()
        ]
        most = [int(each.kf.max()) for each in every.counts.values()]
        held = KeyCounts(
            tuple(each.m for each in lists), tuple(each.size for each in documents),
            tuple(each.cf for each in lists), tuple(most),
        )  # fmt: skip
        of = weighing(opened, every.options)
        dl = opened.files.elements.tokens(candidates.begin, candidates.end)
        total = float(sum(term.weight for term in terms))
        counts = np.stack([each.kf + (each.xi_k.astype(np.int64) << HALF) for each in every.counts.values()], axis=1)
        sizes = (candidates.end - candidates.begin).astype(np.float64), dl
        nowhere = OpenLists(ListColumns.room(1, 1), [KeptList((0, 0, 0, 0), (0, 0, 0, 0))] * len(rows), held)
        numbers = query_numbers(terms, rows, nowhere, (of, of), {})
        models = of.numbers(total, held, int(dl.max())), of.numbers(total, held, int(dl.max()))
        _, of_terms, own, around = unpacked(numbers, models)
        found = basic(own, of_terms, counts, sizes, candidates.depth, 255)
        assert [each.hex() for each in found.tolist()] == [
            each.hex() for each in basic(around, of_terms, counts, sizes, candidates.depth, 255).tolist()
        ]
        assert [each.hex() for each in found.tolist()] == [each.hex() for each in every.s.tolist()]
        assert of.greatest(total, held) >= found.max()


def test_models_that_read_lengths_are_told_from_others() -> None:
    for model in KINDS:
        assert Weighing(model, Options.of(), None, False).reads_keys == (not MODELS[model].bounded)  # type: ignore[arg-type]


def test_matching_elements_are_counted_without_being_looked_at(opened: trix.Index) -> None:
    draw, counter = random.Random(3), ElementCounter(opened.files)
    kept = KeptLists(opened.files, ListReader(opened.files))
    for _ in range(60):
        every = scored(opened, draw)
        assert every is not None
        expected = np.bincount(opened.files.documents_of(every.candidates.element), minlength=len(opened.files))
        assert counter.by_document(kept.open(list(every.statistics), "content")).tolist() == expected.tolist()
    assert counter.by_document(kept.open([("nowhere",)], "content")).sum() == 0


def test_a_damaged_list_is_not_counted(opened: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from trix.query.open_lists import counting

    monkeypatch.setattr(counting, "holders", lambda *_: np.array([1 << 30], np.int32))
    with pytest.raises(IndexError_, match="damaged"):
        ElementCounter(opened.files).by_document(
            KeptLists(opened.files, ListReader(opened.files)).open([("alpha",)], "content")
        )


@pytest.mark.parametrize("contents", [[3, 1 << 30], [-2, 3]])
def test_a_damaged_list_is_not_kept(opened: trix.Index, contents: list[int]) -> None:
    damaged = TermList(np.array(contents, np.int32), np.ones(2, np.int32))
    kept = KeptLists(opened.files, lambda *_: damaged)  # type: ignore[arg-type]
    with pytest.raises(IndexError_, match="damaged"):
        kept.open([("alpha", "beta")], "content")
    assert not kept._store.kept


@pytest.mark.parametrize("phrases", ["content", "exact"])
def test_lists_of_documents_are_read_as_they_were_put_in(opened: trix.Index, phrases: str) -> None:
    """Of every document those postings that the term has in it, whether it is read from its file or put together."""
    from trix.query.document_at_a_time.reach_loops import holding
    from trix.query.open_lists.lists_loops import read_document

    files, reader = opened.files, ListReader(opened.files)
    kept, many = KeptLists(files, reader), len(files)

    def documents_of(contents: Any) -> Any:
        return np.searchsorted(files.first_contents, contents, side="right") - 1

    asked: list[Keys] = [("alpha",), ("alpha", "beta"), (Alternatives("a", (("of",), ("tree", "of"))),), ("nowhere",)]
    for terms in (asked, asked[::-1], [("tree",), asked[1]], asked[3:]):
        found = kept.open(terms, phrases)
        nothing = np.zeros((len(terms), 2))
        documents, postings, rows, root, rest = holding(
            found.columns, found.spans, np.ones(many, np.bool_), np.zeros(many, np.int32), found.impacts, nothing
        )
        assert not root.any() and not rest.any()
        contents, tf, starts = np.empty(999, np.int32), np.empty(999, np.int32), np.empty(len(terms) + 1, np.int64)
        wholes = [reader(keys, phrases) for keys in terms]
        for document, count, places in zip(documents.tolist(), postings.tolist(), rows, strict=True):
            size = read_document(found.columns, places, contents, tf, starts, 0, np.empty((len(terms), 3), np.int64))
            assert size == count == starts[-1]
            for t, whole in enumerate(wholes):
                inside = documents_of(whole.content_numbers) == document
                assert contents[starts[t] : starts[t + 1]].tolist() == whole.content_numbers[inside].tolist()
                assert tf[starts[t] : starts[t + 1]].tolist() == whole.tf[inside].tolist()
        assert list(found.counts.m) == [each.m for each in wholes]
        assert list(found.counts.cf) == [each.cf for each in wholes]
        assert sorted(documents.tolist()) == sorted(
            {number for each in wholes for number in documents_of(each.content_numbers).tolist()}
        )


def test_lists_are_written_once(opened: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = KeptLists(opened.files, ListReader(opened.files))
    kept.open([("alpha",), ("beta",)], "content")
    monkeypatch.setattr(KeptLists, "_put", None)
    kept.open([("beta",), ("alpha",)], "content")


@pytest.mark.parametrize("letters", [(2.0, 0.25), (0.5, 1.0), (9.0, 0.0)])
def test_impacts_bound_as_tightly_as_the_formula_does(opened: trix.Index, letters: tuple[float, float]) -> None:
    """Whether lists were there before or not, and whatever model went before: no less, and no more than rounding."""
    from trix.query.document_at_a_time.reach_loops import holding
    from trix.query.document_at_a_time.weighing_loops import add_bounds, impact_factors, unpacked

    files = opened.files
    kept, (v, b) = KeptLists(files, ListReader(files)), letters
    of, other = weighing(opened, Options.of(v=v, b=b)), weighing(opened, Options.of(v=7.0))
    for text in ("alpha", "+beta tree", "tree +alpha beta^3", "nowhere alpha"):
        terms = opened.now.searcher.parse(text, Options.of())[0].terms
        rows: dict[Keys, int] = {}
        for term in terms:
            rows.setdefault(term.keys, len(rows))
        kept.open(rows, "content", other.impact_letters)
        found = kept.open(rows, "content", of.impact_letters)
        numbers = query_numbers(terms, rows, found, (of, of), {})
        total = float(sum(term.weight for term in terms))
        spans, asked, model, _ = unpacked(numbers, (of.numbers(total, found.counts, 0),) * 2)
        slot = np.zeros(len(files), np.int32)
        factors = impact_factors(model, asked, len(spans))
        documents, _, places, root, rest = holding(
            found.columns, spans, np.ones(len(files), np.bool_), slot, found.impacts, factors
        )
        exact = np.zeros((2, documents.size))
        sizes = kept.contents[documents], np.zeros(documents.size, np.int64)
        add_bounds(model, asked, (found.columns.rows, spans, slot, places), sizes, *exact)
        for bound, formula in zip((root, rest), exact, strict=True):
            assert (bound >= formula).all()
            assert bound == pytest.approx(formula, rel=1e-6)


def test_impacts_of_few_models_are_kept(opened: trix.Index) -> None:
    kept = KeptLists(opened.files, ListReader(opened.files))
    for v in range(1, 9):
        found = kept.open([("alpha",)], "content", ImpactLetters(float(v), 0.25, 1.0))
        assert found.impacts.size
    assert [letters.v for letters in kept._store.impacts] == [5.0, 6.0, 7.0, 8.0]
    assert not kept.open([("alpha",)], "content").impacts.size


def test_documents_come_in_the_order_of_what_they_reach() -> None:
    from trix.query.document_at_a_time.waiting_loops import in_waiting, refill, sink

    draw = random.Random(4)
    for _ in range(200):
        n = draw.choice((1, 5, 40, 300))
        key = np.array([float(draw.choice((0, 1, 7, draw.randint(0, 10**12)))) for _ in range(n)])
        found = np.array(draw.sample(range(1000), n), np.int32)
        queue, size = in_waiting(key, found, draw.choice((1, 10, 400)))
        assert sorted(queue.tolist()) == list(range(n))
        behind, order = n - size, []
        while size or behind:
            if not size:
                size, behind = refill(queue, behind, key, found, 1.0), 0
                continue
            order.append(int(queue[0]))
            size -= 1
            queue[0] = queue[size]
            sink(queue, size, 0, key, found)
        expected = sorted(range(n), key=lambda i: (-key[i], found[i]))
        assert order == [i for i in expected if key[i] >= 1.0 or i in order]
        assert len(order) >= np.count_nonzero(key >= 1.0)
