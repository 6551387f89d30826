"""Pruned top-k by itself: what is kept of terms, what bounds leave out, what damage does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.query.topk.test_pruning import WORDS, whole_index
from trix.errors import IndexError_, TooLongError
from trix.indexer.store.inverted.by_document import EVERY, STEPS, coded_sizes, share_for
from trix.indexer.store.inverted.postings import decode_postings
from trix.query.candidate_scores import CandidateScores
from trix.query.language.terms import Alternatives, Keys, Query
from trix.query.matching.matching import ListReader, TermList
from trix.query.options import Options
from trix.query.scoring import weights
from trix.query.scoring.models import MODELS
from trix.query.term_cache.counting import ElementCounter
from trix.query.term_cache.impacts import ImpactLetters
from trix.query.term_cache.lists import KeyCounts, TermCache
from trix.query.topk import ranking
from trix.query.topk.prepared import ContextPath as PathPlan
from trix.query.topk.prepared import Prepared, Showing
from trix.query.topk.ranking import PrunedSearcher
from trix.query.topk.weighing import KINDS, Weighing
from trix.support.deadline import Deadline, within


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    """Return an index of random trees, of which the loops are given what they are asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trix.indexer.write.inverted.writer.MANY", 3)
        patch.setattr("trix.indexer.write.segment_writer.BLOCK_ELEMENTS", 40)
        path = whole_index(random.Random(17), tmp_path_factory.mktemp("loops") / "i")
    with trix.open(path) as index:
        yield index


def scored(index: trix.Index, draw: random.Random, **given: Any) -> CandidateScores | None:
    """Return the scores of all candidates of some words, each of which occurs once in the query."""
    options = Options.of(preset="study", **given)
    asked = " ".join(draw.choice(("", "+")) + word for word in draw.sample(WORDS, draw.randint(1, 4)))
    parsed, _ = index.now.searcher.parse(asked, options)
    return index.now.searcher.score(parsed, options)


def weighing(index: trix.Index, options: Options) -> Weighing:
    return Weighing(options.model, options, index.now.searcher.scorer.units(options), options.combine == "average")


def test_models_that_read_lengths_are_told_from_others() -> None:
    for model in KINDS:
        assert Weighing(model, Options.of(), None, False).reads_keys == (not MODELS[model].bounded)  # type: ignore[arg-type]


def test_matching_elements_are_counted_without_being_looked_at(opened: trix.Index) -> None:
    draw, counter = random.Random(3), ElementCounter(opened.files)
    kept = TermCache(opened.files, ListReader(opened.files))
    for _ in range(60):
        every = scored(opened, draw)
        assert every is not None
        expected = np.bincount(opened.files.documents_of(every.candidates.element), minlength=len(opened.files))
        assert counter.by_document(kept.open(list(every.statistics), "content")).tolist() == expected.tolist()
    assert counter.by_document(kept.open([("nowhere",)], "content")).sum() == 0


def test_a_damaged_list_is_not_counted(opened: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    from trix.query.term_cache import counting

    monkeypatch.setattr(counting, "holders", lambda *_: np.array([1 << 30], np.int32))
    with pytest.raises(IndexError_, match="damaged"):
        ElementCounter(opened.files).by_document(
            TermCache(opened.files, ListReader(opened.files)).open([("alpha",)], "content")
        )


@pytest.mark.parametrize("contents", [[3, 1 << 30], [-2, 3]])
def test_a_damaged_list_is_not_kept(opened: trix.Index, contents: list[int]) -> None:
    damaged = TermList(np.array(contents, np.int32), np.ones(2, np.int32))
    kept = TermCache(opened.files, lambda *_: damaged)  # type: ignore[arg-type]
    with pytest.raises(IndexError_, match="damaged"):
        kept.open([("alpha", "beta")], "content")
    assert not kept._stores[None].kept


def test_lists_are_written_once(opened: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = TermCache(opened.files, ListReader(opened.files))
    kept.open([("alpha",), ("beta",)], "content")
    monkeypatch.setattr(TermCache, "_put", None)
    kept.open([("beta",), ("alpha",)], "content")


def test_impacts_of_few_models_are_kept(opened: trix.Index) -> None:
    kept = TermCache(opened.files, ListReader(opened.files))
    for v in range(1, 9):
        found = kept.open([("alpha",)], "content", ImpactLetters(float(v), 0.25, 1.0))
        assert found.impacts.size
    assert [letters.v for letters in kept._stores[None].impacts] == [5.0, 6.0, 7.0, 8.0]
    assert not kept.open([("alpha",)], "content").impacts.size


@pytest.mark.parametrize("model", KINDS)
def test_no_element_scores_more_than_the_greatest(opened: trix.Index, model: str) -> None:
    draw = random.Random(2)
    for _ in range(60):
        given = {"model": model, "statistics": draw.choice(("content", "document")), "mu": draw.choice((0.5, 900.0))}
        every = scored(opened, draw, **given, combine="sum")
        assert every is not None
        lists, counts = every.lists.values(), every.counts.values()
        documents = [np.unique(opened.files.documents_of(every.candidates.element[each.kf > 0])) for each in counts]
        held = KeyCounts(
            tuple(each.m for each in lists), tuple(each.size for each in documents),
            tuple(each.cf for each in lists), tuple(int(each.kf.max()) for each in counts),
        )  # fmt: skip
        total = float(sum(term.weight for term in every.query.terms))
        assert weighing(opened, every.options).greatest(total, held) >= every.s.max()


@pytest.mark.parametrize("phrases", ["content", "exact"])
def test_lists_are_kept_as_they_were_put_in(opened: trix.Index, phrases: str) -> None:
    """Of every document those postings that the term has in it, whether it is read from its file or put together."""
    files, reader = opened.files, ListReader(opened.files)
    kept = TermCache(files, reader)
    asked: list[Keys] = [("alpha",), ("alpha", "beta"), (Alternatives("a", (("of",), ("tree", "of"))),), ("nowhere",)]
    for terms in (asked, asked[::-1], [("tree",), asked[1]], asked[3:]):
        found = kept.open(terms, phrases)
        coded, rows, entries, _ = found.columns
        for keys, (low, high, begin, end) in zip(terms, found.spans.tolist(), strict=True):
            whole = reader(keys, phrases)
            contents, tf = decode_postings(coded[begin:end])
            assert (contents.tolist(), tf.tolist()) == (whole.content_numbers.tolist(), whole.tf.tolist())
            documents = np.searchsorted(files.first_contents, contents, side="right") - 1
            own, first = np.unique(documents, return_index=True)
            assert rows[low:high, 0].tolist() == own.tolist()
            assert rows[low:high, 1].tolist() == np.bincount(documents)[own].tolist()
            assert rows[low:high, 3].tolist() == np.bincount(documents, tf)[own].tolist()
            ends = np.append(0, np.cumsum(coded_sizes(contents, tf)))[first[::EVERY]] + begin
            before = np.append(0, contents)[first[::EVERY]]
            groups = entries[low // EVERY : low // EVERY + ends.size]
            assert groups.tolist() == np.stack([ends, before], axis=1).tolist()
        assert list(found.counts.m) == [reader(keys, phrases).m for keys in terms]
        assert list(found.counts.cf) == [reader(keys, phrases).cf for keys in terms]


@pytest.mark.parametrize("letters", [(2.0, 0.25), (0.5, 1.0), (9.0, 0.0)])
def test_impacts_bound_as_tightly_as_the_formula_does(opened: trix.Index, letters: tuple[float, float]) -> None:
    """Whether lists were there before or not, and whatever model went before: no less, and no more than rounding."""
    files, (v, b) = opened.files, letters
    kept = TermCache(files, ListReader(files))
    of, other = weighing(opened, Options.of(v=v, b=b)), weighing(opened, Options.of(v=7.0))
    for terms in ([("alpha",)], [("beta",), ("tree",)], [("nowhere",), ("alpha",)]):
        kept.open(terms, "content", other.impact_letters)
        found = kept.open(terms, "content", of.impact_letters)
        for low, high, *_ in found.spans.tolist():
            documents, xi_k, reach, kf = found.columns.rows[low:high].T
            counted = kf / ((1.0 - share_for(b)) + share_for(b) * (STEPS / reach))
            rest, root = counted / (counted + v), weights.trix2005(kf, kept.contents[documents], xi_k, 1.0, v, b)
            for bound, formula in zip(found.impacts[low:high].T, (rest, root), strict=True):
                assert (bound >= formula * (1 - 1e-12)).all()
                assert bound == pytest.approx(formula, rel=1e-6)


def test_most_documents_are_not_scored_and_some_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that never leave anything out would give the same results."""
    for name in ("FEW", "TOGETHER", "PER_RESULT"):
        monkeypatch.setattr(ranking, name, 1)
    searches, counted = list[Any](), list[int]()
    whole = PrunedSearcher._search

    def noted(self: Any, *given: Any) -> Any:
        found = whole(self, *given)
        searches.append(self._searches[-1])
        counted.append(found[3])
        return found

    monkeypatch.setattr(PrunedSearcher, "_search", noted)
    (tmp_path / "docs").mkdir()
    for number in range(60):
        # One document has both words in one paragraph; the others have as many, far apart.
        gap = "<p>plum</p>" * 20
        close = "<p>alpha beta alpha beta</p>" * 6
        apart = f"<p>alpha</p>{gap}" * 12 + f"<p>beta</p>{gap}" * 12
        (tmp_path / "docs" / f"{number:02}.xml").write_text(f"<a><s>{close if number == 17 else apart}</s></a>")
    trix.build(tmp_path / "docs", tmp_path / "i", profile="generic", stem="none", stop="none", jobs=1)
    with trix.open(tmp_path / "i") as index:
        for context, skipped in (("root+tower", 0), (None, 59)):
            best = index.search("alpha beta", top=3, strategy="thorough", context=context, b=0.9)
            assert {result.doc for result in best} == {"17"}
            # With context the bounds of whole documents leave the others out, without it only a closer look does.
            assert (counted[-1], searches[-1].skipped) == (8, skipped)


def test_a_search_gives_up_when_its_time_is_over(opened: trix.Index) -> None:
    plainly = PrunedSearcher(opened.files, ListReader(opened.files))
    query = opened.now.searcher.parse("alpha tree beta", Options.of())[0]
    assert isinstance(query, Query)
    plan = Prepared(weighing(opened, Options.of()), PathPlan(), None, Showing(True), opened.now.searcher.readable.marks)
    assert not isinstance(plainly.first(query, plan), str)
    with pytest.raises(TooLongError), within(Deadline(0)):
        plainly.first(query, plan)
    assert not isinstance(plainly.first(query, plan), str)


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_element_table_is_an_error_and_never_a_crash(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    with trix.open(whole_index(random.Random(23), tmp_path / "i")) as index:
        table = index.files.elements
        table.everything()
        sound = [result.path for result in index.search("alpha tree", preset="study")]
        for _ in range(60):
            column = draw.choice((table.rows, table.content_rows))
            row, place = draw.randrange(len(column)), draw.randrange(column.shape[1])
            before = int(column[row, place])
            column[row, place] = draw.choice((-5, 1, 255, 256, 1 << 20, (1 << 31) - 1, -(1 << 31)))
            try:
                index.search("alpha tree beta of", preset="study", model=draw.choice(list(KINDS)))
            except IndexError_ as error:
                assert "damaged" in str(error)
            column[row, place] = before
        assert [result.path for result in index.search("alpha tree", preset="study")] == sound
