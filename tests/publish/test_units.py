"""Units of a static search beside the rows that the engine scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

import trix
from trix.presets import PRESETS
from trix.publish.entry import rows_bytes
from trix.publish.inverted import _grouped, _posting_file
from trix.publish.units import SHORTEST, in_titles, quiet_elements, titles_of, units_of
from trix.query.matching.section_titles import titles_by_profile

LONG = "A lamp that burns on the rock is seen by ships. " * 8

ARTICLE = f"""<article><front><article-meta><title-group><article-title>Lamps</article-title></title-group>
<abstract><p>{LONG}</p></abstract></article-meta></front><body><sec><title>Results</title><p>{LONG}</p><p>Short.</p>
<sec><title>{LONG}</title><p>{LONG}</p></sec></sec></body><back><ref-list><ref><mixed-citation>{LONG}</mixed-citation></ref>
</ref-list></back></article>"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> trix.Index:
    folder = tmp_path_factory.mktemp("units")
    (folder / "xml").mkdir()
    (folder / "xml" / "a.xml").write_text(ARTICLE)
    (folder / "xml" / "b.xml").write_text("<article><body><p>Tiny, with a lamp.</p></body></article>")
    trix.build(folder / "xml", folder / "i", jobs=1, profile="jats")
    return trix.open(folder / "i")


def test_the_preset_has_the_same_shortest_unit() -> None:
    assert PRESETS["static"]["size"] == f"{SHORTEST}:"


def test_units_are_long_enough_and_no_quiet_parts(index: trix.Index) -> None:
    files = index.files
    units = units_of(files, titles_by_profile(files), quiet_elements(files))
    quiet = quiet_elements(files)
    tags = [files.step_tags[int(files.elements.step[element])] for element in units.element]
    returned = [tag for tag, is_returned in zip(tags, units.is_returned, strict=True) if is_returned]
    assert returned == ["article", "abstract", "body", "sec", "p", "sec", "title", "p", "back", "article"]
    assert not quiet[units.element[units.is_returned]].any()
    assert units.documents.tolist() == [0, int(np.flatnonzero(units.parent < 0)[1])]


def test_all_keys_are_in_one_row(index: trix.Index) -> None:
    units = units_of(index.files, titles_by_profile(index.files), quiet_elements(index.files))
    assert int(units.keys.sum()) == index.files.totals["tokens"]
    parents = units.parent[units.parent >= 0]
    assert (parents < np.flatnonzero(units.parent >= 0)).all()
    assert not units.is_quiet[parents].any()
    contents, tf = index.files.postings("lamp")
    assert np.bincount(units.row_of[contents], weights=tf).sum() == tf.sum()


def test_rows_in_titles_are_marked(index: trix.Index) -> None:
    titles = titles_by_profile(index.files)
    units = units_of(index.files, titles, quiet_elements(index.files))
    marked = in_titles(index.files, units, titles)
    tags = [index.files.step_tags[int(index.files.elements.step[element])] for element in units.element[marked]]
    assert tags == ["title"]
    assert titles_of(index.files, units, titles).row.size


def test_rows_are_written_as_the_format_says(index: trix.Index) -> None:
    units = units_of(index.files, titles_by_profile(index.files), quiet_elements(index.files))
    data = rows_bytes(units, np.zeros(units.element.size, np.bool_))
    many = units.element.size
    assert data[0] == many  # fewer than 128
    assert data[1] == 8 * 0 + 0 + 1  # the first row is a child of nothing, and may be a result
    assert list(data[1 + many :])[:1] == [units.keys[0]]


def test_postings_of_one_row_are_added_up() -> None:
    rows, sums, counts = _grouped(np.array([0, 0, 0, 1]), np.array([4, 4, 7, 4]), np.array([1, 2, 1, 5]), 3)
    assert (rows.tolist(), sums.tolist(), counts.tolist()) == ([4, 7, 4], [3, 1, 5], [2, 1, 0])


def test_a_file_of_postings_by_hand() -> None:
    from trix.publish.inverted import _List

    lists = [
        _List(3, 5, np.array([4, 3]), np.array([2, 0]), np.array([4]), ""),
        _List(1, 1, np.array([9]), np.array([0]), np.zeros(0, np.int64), "cell cells"),
    ]
    assert _posting_file(lists) == bytes([2, 2, 1, 1, 0, 1, 0, 2, 0, 4, 3, 9, 2, 0, 0, 4]) + b"\ncell cells"


def test_a_small_index_has_the_numbers_of_the_engine(index: trix.Index, tmp_path: Path) -> None:
    assert {hit.doc for hit in index.search("lamp", preset="static")} == {"a", "b"}
