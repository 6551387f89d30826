"""Work ends at its deadline: compiled loops, their sources, and everything that an index answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from tests.uncompiled import uncompiled
from trix.core import markup, match, names, postings, values
from trix.errors import TooLongError
from trix.support.deadline import Deadline, check, current, within

MANY = 1 << 21
"""More steps than a compiled loop makes between two looks."""


def loops(n: int, kernels: Callable[[str], Any]) -> dict[str, Callable[[], Any]]:
    """Return calls of kernels whose loops make some n steps, by name."""
    ints, longs, flat = np.arange(n, dtype=np.int32), np.arange(n), np.zeros(n, np.int32)
    ones, masks, real = np.ones(n, np.int32), np.ones(n, np.uint64), np.zeros(n)
    gaps = np.full(n, 2, np.uint8)  # postings of neighbours
    ends, rows = np.arange(1, n + 1), np.stack([flat - 1, flat, ints, ones], 1)
    offsets, content_rows = np.array([0, n]), np.stack([ints, flat - 1, flat], 1)
    whole, spans = np.zeros(2, np.int64), np.array([[0, 1]] * n)
    marks, pairs = np.zeros(n, np.uint8), np.stack([longs, longs + 1], 1)
    p, m = kernels("postings"), kernels("match")
    return {
        "decode_list": lambda: p.decode_list(gaps),
        "decode_position_list": lambda: p.decode_position_list(gaps, ones),
        "count_documents": lambda: p.count_documents(gaps, ends, ints + 1, np.ones(n + 1, np.bool_)),
        "held_by": lambda: p.held_by(gaps, ends, np.ones(n + 1, np.bool_)),
        "keys_by_document": lambda: p.keys_by_document(gaps, ends, ints, n),
        "postings_by_content": lambda: p.postings_by_content(gaps, ends, n + 1),
        "decode_by_document": lambda: p.decode_by_document(
            np.append(_varint(n - 1), gaps[1:]).astype(np.uint8), n, 127
        ),
        "by_document": lambda: p.by_document(longs, ones, longs, 16, 0.1, 127),
        "postings_of": lambda: p.postings_of(gaps, ints, ones, whole, whole, longs, n),
        "count_elements": lambda: p.count_elements(ints, longs, marks, marks),
        "shape": lambda: p.shape(0, n, content_rows, rows, marks.copy(), marks.copy()),
        "merged_masks": lambda: m.merged_masks(ints, offsets),
        "lift": lambda: m.lift(ints, offsets, content_rows, rows),
        "count_upwards": lambda: m.count_upwards(flat, ones, offsets, flat - 1),
        "frequencies": lambda: m.frequencies(ints, ones, ints, ints + 1, ones.copy(), ones.copy()),
        "followed": lambda: m.followed(ints, ones, longs, ints, ones, longs, 1),
        "lift_each": lambda: m.lift_each(ints, ones, offsets, flat - 1, n),
        "count_texts": lambda: m.count_texts(ints, ones, ints, ints + 1),
        "masks_within": lambda: m.masks_within(ints, masks, longs * 0, longs * 0 + 8),
        "masks_by_range": lambda: m.masks_by_range(ints, masks, longs, longs + 1),
        "add_weights": lambda: m.add_weights(real, masks, np.ones(1)),
        "largest_within": lambda: m.largest_within(ints, real, longs * 0, longs * 0 + 8),
        "titles_above": lambda: m.titles_above(ints, flat - 1, ints, flat - 1, masks),
        "places_of": lambda: m.places_of(ints, ints),
        "add_word": lambda: m.add_word(ints, longs, pairs, longs << 32, ints, ones, longs * 0, 1.0, real.copy()),
        "best_sentences": lambda: m.best_sentences(ints, masks, np.ones(1), longs, pairs, real),
        "filter_overlap": lambda: m.filter_overlap(ints, flat - 1, flat, marks.copy(), n),
        "filter_nesting": lambda: m.filter_nesting(ints, flat - 1, marks.copy(), n),
        "window_sums": lambda: m.window_sums(ints, flat, flat + n, real, np.ones(4)),
        "write_labels": lambda: kernels("names").write_labels(ints[:8192], longs, rows, ones),
        "text_of_root": lambda: kernels("markup").text_of_root(
            flat * 0, spans[:, 0].copy(), np.ones(1, np.int32), n + 2
        ),
    }


def _varint(number: int) -> list[int]:
    return [number] if number < 128 else [number & 127 | 128, *_varint(number >> 7)]


COMPILED = {"postings": postings, "match": match, "names": names, "markup": markup, "values": values}


@pytest.mark.parametrize("name", loops(4, COMPILED.__getitem__))
def test_a_compiled_loop_ends_at_the_deadline(name: str) -> None:
    call = loops(MANY, COMPILED.__getitem__)[name]
    with within(Deadline(0)), pytest.raises(TooLongError):
        call()


@pytest.mark.parametrize("name", loops(4, COMPILED.__getitem__))
def test_the_source_of_a_loop_ends_at_the_deadline_and_without_one_gives_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in COMPILED:
        for mask in ("_LOOK", "_FEW"):
            monkeypatch.setattr(uncompiled(module), mask, 7, raising=False)
    call, known = loops(64, uncompiled)[name], loops(64, COMPILED.__getitem__)[name]
    with within(Deadline(0)), pytest.raises(TooLongError):
        call()
    found, expected = (each if isinstance(each, tuple) else (each,) for each in (call(), known()))
    assert [np.asarray(each).tolist() for each in found] == [np.asarray(each).tolist() for each in expected]


# -- what an index answers ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[trix.Index]:
    folder: Path = tmp_path_factory.mktemp("deadline")
    (folder / "xml").mkdir()
    for number in range(4):
        text = f"<a><t>tree {number}</t><s><p>tree edit distance</p><p>edit image</p></s></a>"
        (folder / "xml" / f"d{number}.xml").write_text(text)
    trix.build(folder / "xml", folder / "i", positions=True, jobs=1)
    with trix.open(folder / "i") as opened:
        yield opened


ANSWERS: dict[str, Callable[[trix.Index], Any]] = {
    "words": lambda index: index.search("tree edit"),
    "minus": lambda index: index.search("tree -image"),
    "all": lambda index: index.search("tree edit", strategy="thorough", context="tower", top=None),
    "boolean": lambda index: index.search("tree AND NOT image", operators="boolean"),
    "phrase": lambda index: index.search('"tree edit"', phrases="exact"),
    "structure": lambda index: index.search("//s[about(., tree)]//p"),
    "level": lambda index: index.search("tree", level="content"),
    "explain": lambda index: index.explain("tree", "d1/a[1]"),
    "show": lambda index: index.show("d1"),
    "passages": lambda index: index.passages("tree"),
    "concordance": lambda index: list(index.concordance("tree")),
    "snippet": lambda index: [each.snippet for each in index.search("tree")],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_ends_at_the_deadline_also_where_all_is_known(name: str, index: trix.Index) -> None:
    answer = ANSWERS[name]
    for _ in range(2):
        with within(Deadline(0)), pytest.raises(TooLongError):
            answer(index)
        assert answer(index) is not None  # nothing half done was kept


def test_a_deadline_is_that_of_its_block_and_its_thread() -> None:
    seen = list[float]()
    outer, inner = Deadline(600), Deadline(60)
    with within(outer):
        with within(inner):
            assert current() == inner.at
            thread = threading.Thread(target=lambda: seen.append(current()))
            thread.start()
            thread.join()
        assert current() == outer.at
        check()
        outer.end()
        with pytest.raises(TooLongError):
            check()
    assert current() == float("inf") == seen[0]
    check()
