"""Structural joins against their definitions, on random trees."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import trix
from trix.indexer.store.files import IndexFiles
from trix.query.matching import joins


def columns(parent: list[int]) -> Any:
    """Return the columns of an element table from the parents in document order; leaves are content elements."""
    n = len(parent)
    leaf = np.array([all(p != i for p in parent) for i in range(n)])
    begin = np.cumsum(leaf) - leaf
    below = [[j for j in range(n) if leaf[j] and (j == i or i in ancestors(parent, j))] for i in range(n)]
    return SimpleNamespace(
        parent=np.array(parent, np.int32),
        begin=begin.astype(np.int32),
        contents=np.array([len(b) for b in below], np.int32),
        of_content=np.flatnonzero(leaf).astype(np.int32),
    )


def ancestors(parent: list[int], element: int) -> list[int]:
    found = []
    while parent[element] >= 0:
        element = parent[element]
        found.append(element)
    return found


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    """Draw parents in document order: each is the last element or one of its ancestors, or nothing."""
    parent = [-1]
    for i in range(1, draw(st.integers(1, 14))):
        parent.append(draw(st.sampled_from([i - 1, *ancestors(parent, i - 1), -1])))
    return parent


@given(trees(), st.data())
def test_joins_are_what_their_names_say(parent: list[int], data: st.DataObject) -> None:
    table = columns(parent)
    sets = st.sets(st.integers(0, len(parent) - 1))
    a, b = (np.array(sorted(data.draw(sets)), np.int32) for _ in range(2))
    above = {i: set(ancestors(parent, i)) for i in range(len(parent))}
    there = set(b.tolist())
    assert joins.ends(table, a).tolist() == [1 + max([i, *(j for j in above if i in above[j])]) for i in a]
    assert joins.count_ancestors(table, a, b).tolist() == [len(above[i] & there) for i in a]
    assert joins.has_ancestor(table, a, b).tolist() == [bool(above[i] & there) for i in a]
    assert joins.has_parent(table, a, b).tolist() == [parent[i] in there for i in a]
    assert joins.has_descendant(table, a, b).tolist() == [any(i in above[j] for j in there) for i in a]
    assert joins.has_child(table, a, b).tolist() == [any(parent[j] == i for j in there) for i in a]
    low, high = joins.descendants(table, a, b)
    for i, first, last in zip(a, low, high, strict=True):
        assert b[first:last].tolist() == sorted(j for j in there if i in above[j])


def test_node_tests_see_aliases_alternatives_attributes_and_everything(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(
        '<article><sec id="s1"><p>one</p><ss1><p>two</p></ss1></sec><sec><q>three</q></sec></article>'
    )
    (tmp_path / "my.toml").write_text('attributes = ["sec/@id"]\n[alias]\nsec = ["ss1"]\n')
    trix.build(tmp_path / "a.xml", tmp_path / "my.index", profile=str(tmp_path / "my.toml"), stop="none")
    index = IndexFiles(tmp_path / "my.index")
    # 0 article, 1 sec, 2 @id, 3 p, 4 ss1, 5 p, 6 sec, 7 q
    for names, expected in [
        (["sec"], [1, 4, 6]),
        (["ss1"], [1, 4, 6]),
        (["p", "q"], [3, 5, 7]),
        (["@id"], [2]),
        (["id"], []),
        (["*"], list(range(8))),
        (["none"], []),
        ([], []),
    ]:
        assert joins.named(index, names).tolist() == expected, names
    assert joins.ends(index.elements, joins.named(index, ["sec"])).tolist() == [6, 6, 8]


@pytest.mark.parametrize("of", [[], [0]])
def test_an_empty_set_has_no_members(of: list[int]) -> None:
    nothing = np.zeros(0, np.int32)
    assert joins.member(np.array(of, np.int32), nothing).tolist() == [False] * len(of)
