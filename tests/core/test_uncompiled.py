"""The sources of kernels run as Python give what the extensions give: bytes of an index, answers, arrays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import ROOT
from tests.uncompiled import uncompiled
from trix.core import match, topk

DOCUMENTS = (
    '<article id="a"><title>Lamp oil</title><sec kind="x"><title>Storm</title><p>the lamp &amp; the oil. Oil!</p>'
    "<p>storm <i>lamp</i> keeper</p></sec><sec><p>keeper of the oil lamp, by the storm&#xE9;</p></sec></article>",
    '<article id="b"><title>Keeper</title><sec><p>lamp lamp lamp</p><note/><p>oil</p><p>storm, oil and fog</p></sec>'
    "<year>2011</year></article>",
    '<article id="c"><sec><sec><sec><p>fog and lamp</p></sec><p>oil</p></sec></sec><!-- f --><p>é 𝐁 fog</p></article>',
)
PROFILE = """
name = "small"
inline = ["i"]
attributes = ["sec/@kind"]
values = ["year", "title"]
title = "article/title"
id = "article/@id"
"""
SCRIPT = """
import json, sys, trix
from pathlib import Path
folder = Path(sys.argv[1])
trix.build(folder / "xml", folder / sys.argv[2], profile=folder / "p.toml", positions=True, store=True, jobs=1)
found = [[path.name, path.read_bytes().hex()] for path in sorted((folder / sys.argv[2]).glob("*.segment"))]
with trix.open(folder / sys.argv[2]) as index:
    for query, options in json.loads(sys.argv[3]):
        results = index.search(query, **options)
        found.append([results.matched, str(results.plan), [[r.doc, r.path, r.score.hex(), r.snippet] for r in results]])
    found.append(index.show(results[0].doc, xml=True))
from trix.core import topk
print(json.dumps([topk.__file__.endswith(".py"), found]))
"""
ASKED: list[tuple[str, dict[str, Any]]] = [
    ("lamp oil", {}),
    ("lamp oil", {"model": "bm25", "context": "tower", "top": 3}),
    ("lamp +oil -fog", {"model": "lm-jm", "context": "root:1.5", "overlap": "none"}),
    ("lamp storm", {"model": "lm-dirichlet", "strategy": "fetch-browse", "fetch": "best", "size": "5:60"}),
    ("lamp OR (oil AND NOT keeper)", {"operators": "boolean", "match": "all"}),
    ('"oil lamp" keeper', {"phrases": "exact", "strategy": "thorough", "context": "horizontal:f=.5"}),
    ("lamp oil", {"preset": "study", "top": None, "level": "content"}),
    ("//sec[about(., lamp) and .//title = 'Storm']//p", {"strategy": "thorough"}),
    ("//article[.//year > 2000]//p[about(., oil)]", {"context": "vertical:f=.25"}),
    ("lamp oil", {"weights": "title=3", "spread": 2, "per_document": 1}),
]


def test_an_index_and_its_answers_are_the_same_uncompiled(tmp_path: Path) -> None:
    (tmp_path / "xml").mkdir()
    for number, text in enumerate(DOCUMENTS):
        (tmp_path / "xml" / f"{number}.xml").write_text(text, "utf-8")
    (tmp_path / "p.toml").write_text(PROFILE)
    found = []
    for mode in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path), mode, json.dumps(ASKED)], capture_output=True, text=True,
            env={**os.environ, "TRIX_UNCOMPILED": mode, "PYTHONPATH": str(ROOT)}, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append(json.loads(done.stdout))
    assert [each[0] for each in found] == [False, True]
    assert found[0][1] == found[1][1]
    assert sum(len(each[2]) > 0 for each in found[0][1][1 : 1 + len(ASKED)]) == len(ASKED)


# -- kernels by themselves ---------------------------------------------------------------------------------------------


def plain(found: Any) -> Any:
    """Return what kernels give as lists and numbers."""
    if isinstance(found, tuple):
        return [plain(each) for each in found]
    return found.tolist() if isinstance(found, np.ndarray) else found


def same(name: str, *arguments: Any, module: str = "match") -> Any:
    """Return what a kernel gives, and assert that its source gives the same; arrays that are filled in count, too."""
    found = []
    for kernels in ((match if module == "match" else topk), uncompiled(module)):
        given = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
        found.append((plain(getattr(kernels, name)(*given)), plain(tuple(given))))
    assert found[0] == found[1], name
    return found[0][0]


@st.composite
def trees(draw: st.DrawFn) -> tuple[Any, Any]:
    """Return `content_rows` and `rows` of a random element table."""
    parents, depths = [-1], [0]
    for _ in range(draw(st.integers(0, 14))):
        up = len(parents) - 1  # the next element is a child of the last one or of one of its ancestors, or a root
        for _ in range(draw(st.integers(0, depths[-1] + 1))):
            up = parents[up] if up >= 0 else -1
        parents.append(up)
        depths.append(depths[up] + 1 if up >= 0 else 0)
    n = len(parents)
    leaf = [i + 1 == n or parents[i + 1] != i for i in range(n)]
    begin = np.cumsum([0, *leaf])[:-1]
    sizes = np.array(leaf, np.int64)
    for i in range(n - 1, 0, -1):
        if parents[i] >= 0:
            sizes[parents[i]] += sizes[i]
    rows = np.array([parents, depths, begin, sizes], np.int32).T.copy()
    contents = [[i, parents[i], depths[i]] for i in range(n) if leaf[i]]
    return np.array(contents, np.int32), rows


@settings(max_examples=40, deadline=None)
@given(trees(), st.data())
def test_matching_gives_the_same_uncompiled(tree: tuple[Any, Any], data: st.DataObject) -> None:
    content_rows, rows = tree
    most = len(content_rows)
    numbers = st.lists(st.integers(0, most - 1), unique=True, min_size=1).map(sorted)
    lists = data.draw(st.lists(numbers, min_size=1, max_size=3))
    contents = np.array([each for one in lists for each in one], np.int32)
    offsets = np.cumsum([0, *map(len, lists)])
    tf = np.array(data.draw(st.lists(st.integers(1, 3), min_size=contents.size, max_size=contents.size)), np.int32)
    columns, _, place = (np.array(each) for each in same("lift", contents, offsets, content_rows, rows))
    columns, place = columns.astype(np.int32), place.astype(np.int32)
    for kind in (np.int32, np.int64, np.float64):
        same("count_upwards", place, tf.astype(kind), offsets, columns[1])
        same("lift_each", place, tf.astype(kind), offsets, columns[1], place.size * 16)
    first, of = np.array(lists[0], np.int32), tf[: len(lists[0])]
    filled = np.zeros(columns.shape[1], np.int32)
    same("frequencies", first, of, columns[4].copy(), columns[5].copy(), filled, filled.copy())
    positions = [sorted(data.draw(st.sets(st.integers(0, 9), min_size=n, max_size=n))) for n in tf.tolist()]
    stand = np.array([each for one in positions for each in one], np.int64)
    cut = offsets[1] if len(lists) > 1 else 0
    at = int(tf[:cut].sum())
    same("followed", contents[:cut], tf[:cut], stand[:at], contents[cut:], tf[cut:], stand[at:], 1)
    leaves = rows[content_rows[:, 0]]
    same("count_texts", first, of, leaves[:, 2].copy(), leaves[:, 2] + leaves[:, 3])
    distinct, masks = (np.array(each) for each in same("merged_masks", contents, offsets))
    distinct, masks = distinct.astype(np.int32), masks.astype(np.uint64)
    begin, end = rows[:, 2].astype(np.int64), (rows[:, 2] + rows[:, 3]).astype(np.int64)
    same("masks_within", distinct, masks, begin, end)
    same("masks_by_range", distinct, masks, np.arange(most)[::2], np.arange(most)[::2] + 1)
    weights, values = np.array([0.5, 0.25, 0.125]), np.arange(distinct.size) % 3 - 1.0
    same("add_weights", values, masks, weights)
    same("largest_within", distinct, values, begin, end)
    children = np.arange(len(rows), dtype=np.int32)[1:]
    held = np.arange(children.size, dtype=np.uint64) % np.uint64(5)
    same("titles_above", columns[0], columns[1], children, rows[1:, 0].copy(), held)
    same("places_of", first, np.arange(most, dtype=np.int32))
    spans = np.cumsum([0, *[1 + i % 3 for i in range(most)]])
    sentences = np.array([(i << 32) + 3 * k for i in range(most) for k in range(1 + i % 3)], np.int64)
    pairs = np.stack([spans[:-1], spans[1:]], 1)
    slots, count = same("sentence_slots", distinct, masks, pairs)
    sums = np.zeros(count)
    same(
        "add_word",
        distinct,
        np.array(slots, np.int64),
        pairs,
        sentences,
        contents[cut:],
        tf[cut:],
        stand[at:],
        0.5,
        sums,
    )
    same("best_sentences", distinct, masks, weights, np.array(slots, np.int64), pairs, np.arange(count) * 0.5)
    order = np.array(data.draw(st.permutations(range(columns.shape[1]))), np.int32)
    for limit in (2, 99):
        same("filter_overlap", order, columns[1], columns[3], np.zeros(order.size, np.uint8), limit)
        same("filter_nesting", order, columns[1], np.zeros(order.size, np.uint8), limit)
    n = order.size
    same(
        "window_sums", np.arange(n, dtype=np.int32), np.zeros(n, np.int32), np.full(n, n, np.int32), np.ones(n), weights
    )


@settings(max_examples=40, deadline=None)
@given(trees(), st.booleans(), st.booleans(), st.booleans(), st.data())
def test_scores_have_the_same_bits_uncompiled(
    tree: tuple[Any, Any], shared: bool, tail_wins: bool, own: bool, data: st.DataObject
) -> None:
    depth = tree[1][:, 1].copy()
    scores = np.array(data.draw(st.lists(st.floats(0, 9), min_size=depth.size, max_size=depth.size)))
    head, tail = (
        np.array([2.0, 0.5][: data.draw(st.integers(0, 2))]),
        np.array([1.0, 3.0][: data.draw(st.integers(0, 2))]),
    )
    sums = np.arange(16) % 5 * 0.7
    same(
        "path_scores", depth, scores, scores[::-1].copy(), head, tail, sums, 0.3, shared, tail_wins, own, 0.25,
        module="topk",
    )  # fmt: skip
    kf = tree[1][:, 3]
    same("trix2005", kf, kf + 2, np.minimum(kf, 2), 0.7, 1.2, 0.3, module="topk")
    same("bm25", kf, kf * 7, 4.5, 0.7, 1.2, 0.3, module="topk")
    columns = np.stack([np.zeros_like(kf), np.minimum(kf, 2), 1 + kf % 127, kf], 1).astype(np.int32)
    same("max_impacts", columns, np.array([9]), 2.0, 0.1, 0.5, 1.0, np.zeros((kf.size, 2), np.float32), module="topk")
