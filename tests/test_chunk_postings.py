"""Posting lists of a chunk: both ways of sorting give what is counted by hand."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trix.indexer.write.lists import ChunkLists, write_postings
from trix.indexer.write.postings import Postings, invert
from trix.support.backend import Backend, using

VOCABULARY = ["tree", "é", "a", "node", "𝐛", "\ufb01"]
TEXTS = st.lists(st.lists(st.integers(0, len(VOCABULARY) - 1), max_size=6), max_size=6)
KERNELS = ["numpy", *(["numba"] if find_spec("numba") else [])]


def inverted(texts: list[list[int]], kernels: str) -> Postings:
    numbers = np.array([number for text in texts for number in text], np.int32)
    with using(Backend(kernels)):
        return invert(numbers, np.array([len(text) for text in texts], np.int64), VOCABULARY, positions=True)


@pytest.mark.parametrize("kernels", KERNELS)
@given(TEXTS)
def test_lists_are_in_order_of_keys_then_of_content_elements(kernels: str, texts: list[list[int]]) -> None:
    made = inverted(texts, kernels)
    keys = sorted({VOCABULARY[number] for text in texts for number in text})
    assert made.keys.decode().split("\n") == (keys or [""])
    held = [(key, owner, text) for key in keys for owner, text in enumerate(texts) if VOCABULARY.index(key) in text]
    places = [[at for at, number in enumerate(text) if VOCABULARY[number] == key] for key, _, text in held]
    assert made.contents.tolist() == [owner for _, owner, _ in held]
    assert made.tf.tolist() == list(map(len, places))
    assert made.positions is not None
    assert made.positions.tolist() == [at for each in places for at in each]
    for column, sizes in ((made.starts, [1] * len(held)), (made.begins, made.tf.tolist())):
        of = [sum(size for (own, _, _), size in zip(held, sizes, strict=True) if own < key) for key in keys]
        assert column.tolist() == [*of, sum(sizes)]


@given(TEXTS, st.integers(0, 6), st.integers(0, 6))
def test_any_range_of_keys_is_read_back(texts: list[list[int]], low: int, high: int) -> None:
    import tempfile

    made = inverted(texts, "numpy")
    count = made.starts.size - 1
    ranks = np.arange(count, dtype=np.int32) * 2  # of other chunks there are other keys
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "1"
        assert write_postings(made, path).read_bytes() == made.keys
        lists = ChunkLists(path, ranks, first=7)
        assert lists.counts.tolist() == np.diff(made.starts).tolist()
        found = lists.part(low, max(low, high))
    own = [key for key in range(count) if low <= 2 * key < high]
    assert found.ranks.tolist() == [2 * key for key in own]
    stretch = slice(made.starts[own[0]], made.starts[own[-1] + 1]) if own else slice(0)
    assert found.contents.tolist() == (made.contents[stretch] + 7).tolist()
    assert found.tf.tolist() == made.tf[stretch].tolist()
    assert found.positions is not None and made.positions is not None
    assert found.positions.tolist() == (
        made.positions[made.begins[own[0]] : made.begins[own[-1] + 1]].tolist() if own else []
    )
