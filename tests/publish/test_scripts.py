"""The scripts of a site: parsed by node and checked by TypeScript where these are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")

from trix.publish.site import OWN
from trix.web.pages.templates import HERE

TSC, NODE = shutil.which("tsc"), shutil.which("node")

WORDS = """
import {{ edits, fold, located, nearest, read }} from "{folder}/words.js";
import {{ Numbers, decodePostings, decodeRows }} from "{folder}/files.js";
import assert from "node:assert/strict";
assert.equal(fold("Straße Σας ﬁn"), "strasse σασ fin");
assert.deepEqual(located("User\u00adcentred (H2O)").map((each) => each.word), ["usercentred", "h2o"]);
assert.deepEqual(read('real-time +PCR -ice "old tree'), [
  {{ sign: "", words: ["real", "time"], phrase: false }},
  {{ sign: "+", words: ["pcr"], phrase: false }},
  {{ sign: "-", words: ["ice"], phrase: false }},
  {{ sign: "", words: ["old", "tree"], phrase: true }},
]);
assert.equal(edits("recieve", "receive", 2), 1);
assert.equal(edits("tree", "graph", 1), 2);
assert.equal(nearest("etude", ["etudes", "étude"], [9, 1]), "étude");
assert.equal(nearest("h2o", ["h2s"], [9]), "");
assert.equal(new Numbers(Uint8Array.from([172, 2])).next(), 300);
const list = [2, 2, 1, 1, 0, 1, 0, 2, 0, 4, 3, 9, 2, 0, 0, 4];
const bytes = Uint8Array.from([...list, ...new TextEncoder().encode("\\ncell cells")]);
const [first, second] = [0, 1].map((place) => decodePostings(bytes, place));
assert.deepEqual([first.m, first.cf, [...first.rows], [...first.tf], [...first.titled]], [3, 5, [4, 7], [3, 1], [4]]);
assert.deepEqual([second.m, second.cf, [...second.rows], second.forms], [1, 1, [9], ["cell", "cells"]]);
const rows = decodeRows(Uint8Array.from([4, 1, 1, 8 + 5, 17, 5, 6, 7, 8]));
assert.deepEqual([...rows.parent], [-1, 0, 0, -1]);
assert.deepEqual([...rows.keys], [18, 6, 7, 8]);
assert.deepEqual([...rows.titled], [-1, 0, -1, -1]);
assert.deepEqual([...rows.first], [0, 3, 4]);
"""
"""Assertions by hand; the list of postings is that of `test_a_file_of_postings_by_hand`."""


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_words_and_files_by_hand(tmp_path: Path) -> None:
    for path in OWN.glob("*.js"):
        shutil.copy(path, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "check.mjs").write_text(WORDS.format(folder="."), encoding="utf-8")
    ran = subprocess.run([str(NODE), "check.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
@pytest.mark.skipif(TSC is None, reason="TypeScript is not installed")
def test_types(tmp_path: Path) -> None:
    for path in [*OWN.glob("*.js"), *(HERE / "static" / name for name in ("keys.js", "drawers.js"))]:
        shutil.copy(path, tmp_path)
    options = "--noEmit --allowJs --checkJs --strict --target es2023 --lib es2023,dom,dom.iterable --module es2022"
    own = sorted(path.name for path in OWN.glob("*.js"))
    ran = subprocess.run([str(TSC), *options.split(), *own], cwd=tmp_path, capture_output=True, text=True, check=False)
    faults = [line for line in ran.stdout.splitlines() if line[:1] != " " and not line.startswith(("keys", "drawers"))]
    assert faults == []
