"""Numbers that are wrong although their checksums hold: refused where they are read, or said in a line at the door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trix
from trix.core import damage_in, match, postings
from trix.errors import IndexError_
from trix.indexer.commit.sections import SectionFile
from trix.indexer.store.elements import Elements
from trix.query.display.concordance import Concordance
from trix.query.strategies.execute import Strategies

LARGEST = 2**31 - 1


@pytest.fixture
def index(tmp_path: Path) -> Iterator[trix.Index]:
    (tmp_path / "xml").mkdir()
    for number in range(3):
        (tmp_path / "xml" / f"d{number}.xml").write_text("<a><s><p>tree edit</p><p>tree</p></s><s><p>edit</p></s></a>")
    trix.build(tmp_path / "xml", tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as opened:
        yield opened


def varint(number: int) -> list[int]:
    return [number] if number < 128 else [number & 127 | 128, *varint(number >> 7)]


@pytest.mark.parametrize(
    "integers", [[2, 0], [0, 0], [2 * LARGEST, 2], [1 << 40], [3, LARGEST], [5, 0, 1, LARGEST - 1]], ids=str
)
def test_postings_that_do_not_ascend_or_are_no_numbers_are_damage(integers: list[int]) -> None:
    data = np.array([byte for each in integers for byte in varint(each)], np.uint8)
    with pytest.raises(IndexError):
        postings.decode_list(data)


def test_the_largest_numbers_are_no_damage() -> None:
    contents, tf = np.array([0, 1, LARGEST - 1]), np.array([1, LARGEST, 2])
    data, _ = postings.encode_lists(contents, tf, np.zeros(1, np.int64))
    assert [each.tolist() for each in postings.decode_list(data)] == [contents.tolist(), tf.tolist()]


def test_a_number_that_would_end_a_merge_is_damage() -> None:
    contents, offsets = np.array([0, LARGEST, 1], np.int32), np.array([0, 3])
    rows, content_rows = np.array([[-1, 0, 0, 1]] * 3, np.int32), np.array([[i, -1, 0] for i in range(3)], np.int32)
    with pytest.raises(IndexError):
        match.lift(contents, offsets, content_rows, rows)
    with pytest.raises(IndexError):
        match.merged_masks(contents, offsets)


def test_more_postings_than_bytes_are_damage() -> None:
    contents, tf = np.arange(9), np.ones(9, np.int64)
    data, _ = postings.encode_lists(contents, tf, np.zeros(1, np.int64))
    listed = postings.encode_by_document(contents, tf, contents // 9, 8, 8, 0.1, 127)
    columns = np.zeros(99, np.uint8), np.zeros((9, 4), np.int32), np.zeros((2, 2), np.int64)
    assert postings.keep_coded(data, listed, columns, 0, 0, 8, 127, 9) is not None
    assert postings.keep_coded(data[:4].copy(), listed, columns, 0, 0, 8, 127, 9) is None


@pytest.mark.parametrize("name", Elements.STRUCTURE)
@pytest.mark.parametrize("to", [-7, 0, 3, 300, 1 << 40])
def test_a_table_of_elements_that_is_no_tree_is_damage(
    name: str, to: int, index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = Elements._column

    def column(self: Elements, asked: str, block: Any) -> Any:
        values = sound(self, asked, block).astype(np.int64)
        if asked == name:
            values[3] = to  # an element of depth 2, a child of the one before, with one content element
        return values

    monkeypatch.setattr(Elements, "_column", column)
    with pytest.raises(IndexError_, match=r"no tree"):
        index.search("tree")


@pytest.mark.parametrize("name", Elements.STRUCTURE)
def test_columns_of_other_sizes_are_damage(name: str, index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = Elements._column
    monkeypatch.setattr(
        Elements, "_column", lambda self, asked, block: sound(self, asked, block)[: -1 if asked == name else None]
    )
    with pytest.raises(IndexError_, match=r"no tree"):
        index.search("tree")


@pytest.mark.parametrize(("row", "column", "to"), [(0, 0, 1), (1, 0, -1), (1, 1, 99), (2, 0, 1 << 40), (2, 1, 0)])
def test_documents_that_do_not_follow_one_another_are_damage(
    row: int, column: int, to: int, index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = SectionFile.array

    def array(self: SectionFile, name: str) -> Any:
        found = sound(self, name).copy()
        if name == "documents":
            found[row, column] = to
        return found

    monkeypatch.setattr(SectionFile, "array", array)
    with pytest.raises(IndexError_, match="the table of documents is damaged"):
        trix.open(index.files.path)


@pytest.mark.parametrize("error", [KeyError("a\nb"), ValueError("size"), OverflowError(), MemoryError(), IndexError()])
def test_wrong_numbers_are_the_line_of_a_damaged_index(
    error: Exception, index: trix.Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(Strategies, "execute", fail)
    with pytest.raises(
        IndexError_, match=r"damaged data with correct checksums, or a bug of Trix; run trix check \("
    ) as raised:
        index.search("tree")
    assert "\n" not in str(raised.value) and type(error).__name__ in str(raised.value)
    assert raised.value.__cause__ is error


def test_a_fault_that_no_number_explains_stays_what_it_is(index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Strategies, "execute", None)
    with pytest.raises(TypeError):
        index.search("tree")


def test_what_an_iterator_fails_over_is_said_in_a_line_too(index: trix.Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def lines(*_: Any) -> Iterator[Any]:
        raise IndexError("out of bounds")
        yield

    monkeypatch.setattr(Concordance, "lines", lines)
    with pytest.raises(IndexError_, match="damaged data"):
        list(index.concordance("tree"))


@pytest.mark.parametrize("error", [IndexError, ValueError, OverflowError, MemoryError, UnicodeDecodeError])
def test_what_kernels_raise_over_damaged_numbers_is_a_line(error: type[Exception]) -> None:
    raised = error("utf-8", b"", 0, 1, "no") if error is UnicodeDecodeError else error("absurd")
    with pytest.raises(IndexError_, match="a list is damaged"), damage_in("a list"):
        raise raised
    with pytest.raises(TypeError), damage_in("a list"):
        raise TypeError
