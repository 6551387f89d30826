"""A search beside another that decompresses blocks of the element table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import trix
from trix.indexer.write import segment_writer
from trix.query.term_cache.lists import KeyCounts
from trix.query.topk.prepared import Prepared


@pytest.mark.parametrize("model", ["bm25", "lm-dirichlet"])
def test_a_longer_block_that_comes_meanwhile_is_not_used_too_soon(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segment_writer, "BLOCK_ELEMENTS", 4)
    (tmp_path / "xml").mkdir()
    for number in range(8):  # each block has elements twice as long as those of the block before
        text = "tree " + "word " * (4 << number)
        (tmp_path / "xml" / f"a{number}.xml").write_text(f"<a><p>{text}</p><p>{text}</p><p>tree</p></a>")
    trix.build(tmp_path / "xml", tmp_path / "i", jobs=1)
    with trix.open(tmp_path / "i") as index:
        expected = [(each.path, each.score) for each in index.search("tree word", model=model, top=30)]
    real = Prepared.models
    calls = []

    def models(prepared: Prepared, total: float, held: KeyCounts, longest: int) -> tuple[Any, Any]:
        calls.append(longest)
        files = index.now.files
        files.elements.everything()  # as another search may do
        files.elements.sums_of_contents(files.first_contents)
        return real(prepared, total, held, longest)

    monkeypatch.setattr(Prepared, "models", models)
    with trix.open(tmp_path / "i") as index:
        assert [(each.path, each.score) for each in index.search("tree word", model=model, top=30)] == expected
    assert calls[0] < calls[-1]
